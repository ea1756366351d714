//! Environments as they are written in C: a file that is compiled and linked with the library.
//!
//! The environment counts its steps. Whenever it has control it goes on with the next one: it calls the library, or returns
//! from the function that is open. The library is deterministic, so one list of steps serves all depths. What the environment
//! writes to data that it shares with the library it writes before it gives the control away. Functions of the library that
//! have no external linkage are called by the pointers that were handed over.

mod looks;
mod mutexes;
mod steps;
pub(crate) mod threads;

use std::collections::BTreeSet;
use std::fmt::Write;

use agon_core::language::Closed;
use agon_core::module::environment::Environment;
use agon_core::module::{Function, ImportId, Module, ProcedureId};

use crate::closed::body as stub;
use crate::declare::{declare, definition};
use crate::read::{Document, OutputImport, SharedImport};
use crate::tree::{FunctionId, Linkage, ObjectId};
use crate::types::{FunctionType, StructId, Type};
use looks::Looked;
use steps::Script;

/// The file of an environment.
pub(crate) fn close(document: &Document, module: &Module, environment: &Environment) -> Closed {
    let writer = Writer { document, module, environment };
    Closed { text: writer.file(), term: 0 }
}

struct Writer<'a> {
    document: &'a Document,
    module: &'a Module,
    environment: &'a Environment,
}

impl Writer<'_> {
    fn file(&self) -> String {
        let script = self.script();
        let closed = self.document.closed;
        let stubs = if closed { self.stubs() } else { String::new() };
        let mut text = String::from(match closed {
            false => "/* An environment that plays its part of the play, step by step. */\n",
            true => "/* What the program is given in this run, step by step. */\n",
        });
        if self.mentions_mutex(&script) {
            text += "#include <pthread.h>\n";
        }
        text += "extern _Noreturn void exit(int);\n";
        if script.aborts || stubs.contains("abort();") {
            text += "extern _Noreturn void abort(void);\n";
        }
        text += &self.structures(&script);
        for id in &script.functions {
            let function = self.document.program.function(*id);
            let ty = Type::Function(function.ty.clone().into());
            let _ = writeln!(text, "extern {};", declare(&self.document.program, &ty, &function.name));
        }
        script.objects.iter().for_each(|id| text += &self.object(*id, &script));
        text += &stubs;
        if closed && self.environment.parts.is_empty() {
            return text;
        }
        text += "static long long agon_env(void);\n";
        text += &self.keepers(&script);
        let counter = match script.seen_before {
            Some(_) => "static int agon_step, agon_seen;\n",
            None => "static int agon_step;\n",
        };
        if script.looked_for.is_some() {
            text += counter;
        }
        if script.compares_texts {
            text += "static int agon_same(const char *agon_a, const char *agon_b)\n{\n    \
                     while (*agon_a && *agon_a == *agon_b)\n        agon_a++, agon_b++;\n    \
                     return *agon_a == *agon_b;\n}\n";
        }
        let mut written: BTreeSet<&str> = BTreeSet::new();
        for (at, part) in self.environment.parts.iter().enumerate() {
            match self.output(at) {
                Some(output) if !written.insert(&output.function) => {}
                Some(_) => text += &self.output_part(at, &script),
                None => text += &self.part(at, &part.name, &script),
            }
        }
        text += "\n";
        if script.looked_for.is_none() {
            text += counter;
        }
        text += "static long long agon_env(void)\n{\n    for (;;)\n        switch (agon_step++) {\n";
        for (n, step) in script.steps.iter().enumerate() {
            let _ = writeln!(text, "        case {n}: {step}");
        }
        text += "        default: exit(0);\n        }\n}\n";
        if closed {
            return text;
        }
        text += "\nint main(void)\n{\n";
        script.first.iter().for_each(|line| text += &format!("    {line}\n"));
        text + "    agon_env();\n    return 0;\n}\n"
    }

    /// What keeps the pointers that are handed over, and the objects of the environment's own.
    fn keepers(&self, script: &Script) -> String {
        let mut text = String::new();
        if script.gives_functions {
            text += "static void (*agon_function)(void);\n";
        }
        if script.taken > 0 {
            let _ = write!(
                text,
                "static void (*agon_got[{0}])(void);\nstatic int agon_count;\n\
                 static void agon_take(void (*agon_given)(void))\n{{\n    if (agon_count < {0})\n        agon_got[agon_count++] = agon_given;\n}}\n",
                script.taken
            );
        }
        if script.held > 0 {
            let _ = write!(
                text,
                "static void *agon_held[{0}];\nstatic int agon_holds;\n\
                 static void agon_hold(void *agon_given)\n{{\n    if (agon_holds < {0})\n        agon_held[agon_holds++] = agon_given;\n}}\n",
                script.held
            );
        }
        if !script.foreign.is_empty() {
            let _ = writeln!(text, "static char agon_object[{}];", script.foreign.len());
        }
        text
    }

    /// Functions with a meaning that a closed program declares and does not define.
    fn stubs(&self) -> String {
        let program = &self.document.program;
        let declared = program.functions.iter().filter(|function| function.body.is_none());
        let stub = |function: &crate::tree::Function| {
            let ty = FunctionType { variadic: false, ..function.ty.clone() };
            let needed = stub(&function.name)?;
            let head = declare(program, &Type::Function(ty.into()), &function.name);
            Some(format!("{head} {{ {needed} }}\n"))
        };
        declared.filter_map(stub).collect()
    }

    /// The structures that are passed by value, or that shared objects have.
    fn structures(&self, script: &Script) -> String {
        let mut found: Vec<StructId> = Vec::new();
        let functions = script.functions.iter().map(|id| self.document.program.function(*id).ty.clone());
        let parts = (0..self.environment.parts.len()).filter_map(|at| self.type_of_part(at));
        for ty in functions.chain(parts) {
            let result = [ty.result];
            ty.parameters.iter().chain(&result).for_each(|ty| self.structures_in(ty, &mut found));
        }
        for id in &script.objects {
            self.structures_in(&self.document.program.object(*id).ty, &mut found);
        }
        let mut named: BTreeSet<String> = BTreeSet::new();
        let functions = script.functions.iter().map(|id| self.document.program.function(*id).ty.clone());
        let parts = (0..self.environment.parts.len()).filter_map(|at| self.type_of_part(at));
        for ty in functions.chain(parts) {
            ty.parameters.iter().chain([&ty.result]).for_each(|ty| self.tags(ty, &mut named));
        }
        let members = found.iter().flat_map(|id| self.document.program.members(*id));
        members.for_each(|member| self.tags(&member.ty, &mut named));
        let tags = named.iter().map(|tag| format!("struct {tag};\n"));
        tags.chain(found.iter().map(|id| definition(&self.document.program, *id))).collect()
    }

    /// The tags of structures that pointers point to.
    fn tags(&self, ty: &Type, found: &mut BTreeSet<String>) {
        match ty {
            Type::Pointer(to) => match &**to {
                Type::Struct(id) => found.extend(self.document.program.structs[id.0 as usize].name.clone()),
                Type::Function(function) => {
                    let all = function.parameters.iter().chain([&function.result]);
                    all.for_each(|ty| self.tags(ty, found));
                }
                to => self.tags(to, found),
            },
            Type::Array(element, _) => self.tags(element, found),
            _ => {}
        }
    }

    /// Inner structures come before outer ones.
    fn structures_in(&self, ty: &Type, found: &mut Vec<StructId>) {
        match ty {
            Type::Array(element, _) => self.structures_in(element, found),
            Type::Struct(id) if !found.contains(id) => {
                for member in self.document.program.members(*id) {
                    self.structures_in(&member.ty, found);
                }
                found.push(*id);
            }
            _ => {}
        }
    }

    /// An object of the library's, or one that the library needs and does not define.
    fn object(&self, id: ObjectId, script: &Script) -> String {
        let object = self.document.program.object(id);
        let declared = declare(&self.document.program, &object.ty, &object.name);
        if object.name == crate::lower::ERRNO && !object.defined {
            return "#include <errno.h>\n".into();
        }
        if object.defined {
            return format!("extern {declared};\n");
        }
        match script.constants.iter().find(|(known, _)| *known == id) {
            Some((_, value)) if object.constant => format!("const {declared} = {value};\n"),
            Some((_, value)) => format!("{declared} = {value};\n"),
            None => format!("{declared};\n"),
        }
    }

    fn id_of(&self, function: Function) -> Option<FunctionId> {
        let at = self.document.functions.iter().position(|known| *known == Some(function));
        let named = || match function {
            // A function of the C library that is asked for a number, or that writes something.
            Function::Import(id) => {
                let output = self.document.outputs.iter().find(|output| output.import == id);
                let name: &str = output.map_or(&self.module.import(id).name, |output| &output.function);
                self.document.program.functions.iter().position(|function| function.name == name)
            }
            _ => None,
        };
        Some(FunctionId(u32::try_from(at.or_else(named)?).ok()?))
    }

    fn type_of(&self, function: Function) -> Option<FunctionType> {
        Some(self.document.program.function(self.id_of(function)?).ty.clone())
    }

    /// The import that a function of the environment's is; nothing if it is one of its own.
    fn import_of(&self, at: usize) -> Option<ImportId> {
        self.module.imports().nth(at).map(|(id, _)| id)
    }

    fn shared(&self, id: ImportId) -> Option<&SharedImport> {
        self.document.shared.iter().find(|shared| shared.import == id)
    }

    /// The type of a function of the environment's; nothing if it is no function in C.
    fn type_of_part(&self, at: usize) -> Option<FunctionType> {
        match self.import_of(at) {
            Some(id) if self.module.import(id).choice || self.shared(id).is_some() => None,
            Some(id) if self.module.share_of(id).is_some() => None,
            Some(id) => self.type_of(Function::Import(id)),
            None => {
                let number = at.checked_sub(self.module.imports().count())? + 1;
                let signature = self.module.type_of(Function::Foreign(u64::try_from(number).ok()?));
                let known = self.document.signatures.iter().find(|(known, _)| *known == signature);
                known.map(|(_, ty)| ty.clone())
            }
        }
    }

    /// A function of the environment's: it takes what it is handed, and goes on with the next step.
    fn part(&self, at: usize, name: &str, script: &Script) -> String {
        let Some(ty) = self.type_of_part(at) else { return String::new() };
        let ty = FunctionType { variadic: false, ..ty };
        let head = declare(&self.document.program, &Type::Function(ty.clone().into()), name);
        let mut body = String::new();
        for (n, parameter) in ty.parameters.iter().enumerate() {
            let place = format!("agon_{n}");
            let kept = self.keep(&place, parameter, (script.taken > 0, script.held > 0));
            body += &if kept.is_empty() { format!("(void){place}; ") } else { kept };
        }
        if let Some(looked) = script.looked_for.as_ref().filter(|looked| looked.part == at) {
            body += &looked.statement();
        }
        let cast = declare(&self.document.program, &ty.result, "");
        body += &match &ty.result {
            _ if self.import_of(at).is_some_and(|id| self.module.import(id).ends) => {
                "agon_env(); exit(0);".into()
            }
            Type::Void => "agon_env();".to_string(),
            result if result.pointed_function().is_some() => match script.gives_functions {
                true => format!("agon_env(); return ({cast})agon_function;"),
                false => "agon_env(); return 0;".into(),
            },
            Type::Pointer(_) => format!("return ({cast})(unsigned long)agon_env();"),
            _ => format!("return ({cast})agon_env();"),
        };
        format!("{head} {{ {body} }}\n")
    }

    /// The function of the C library that a function of the environment's stands for.
    fn output(&self, at: usize) -> Option<&OutputImport> {
        let id = self.import_of(at)?;
        self.document.outputs.iter().find(|output| output.import == id)
    }

    /// A function of the C library that writes something: the environment has it instead of the library's own.
    fn output_part(&self, at: usize, script: &Script) -> String {
        let Some((output, ty)) = self.output(at).zip(self.type_of_part(at)) else { return String::new() };
        let name = &output.function;
        let head = declare(&self.document.program, &Type::Function(ty.clone().into()), name);
        let mut body: String = (0..ty.parameters.len()).map(|n| format!("(void)agon_{n}; ")).collect();
        let looks = |looked: &&Looked| {
            self.output(looked.part).is_some_and(|other| other.function == output.function)
        };
        if let Some(looked) = script.looked_for.as_ref().filter(looks) {
            if ty.variadic {
                let last = ty.parameters.len().saturating_sub(1);
                body += &format!("__builtin_va_list agon_list; __builtin_va_start(agon_list, agon_{last}); ");
            }
            body += &looked.statement();
        }
        body += &match &ty.result {
            Type::Void => "agon_env();".to_string(),
            result => format!("return ({})agon_env();", declare(&self.document.program, result, "")),
        };
        format!("{head} {{ {body} }}\n")
    }

    /// Whether C can name a procedure of the library from outside.
    fn is_named(&self, id: ProcedureId) -> bool {
        self.id_of(Function::Procedure(id))
            .is_some_and(|id| self.document.program.function(id).linkage == Linkage::External)
    }

    /// The objects of shared imports.
    fn object_of(&self, shared: &SharedImport) -> Option<ObjectId> {
        if shared.result_of.is_some() {
            return None;
        }
        let name = shared.place.split('.').next().unwrap_or("");
        let mut objects = self.document.program.objects();
        objects
            .find(|(_, object)| object.name == name && object.linkage == Linkage::External)
            .map(|(id, _)| id)
    }

    /// The functions that C names in the environment.
    fn mention(&self, function: Function, found: &mut BTreeSet<FunctionId>) {
        if let Function::Procedure(id) = function
            && self.is_named(id)
        {
            found.extend(self.id_of(function));
        }
    }
}
