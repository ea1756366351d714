//! Environments as they are written in C: a file that is compiled and linked with the library.
//!
//! The environment counts its steps. Whenever it has control it goes on with the next one: it calls the library, or returns
//! from the function that is open. The library is deterministic, so one list of steps serves all depths.

use std::fmt::Write;

use agon_base::int::Int;
use agon_core::language::Closed;
use agon_core::module::environment::{Environment, Part, Step};
use agon_core::module::{Function, Module};

use crate::declare::declare;
use crate::read::Document;
use crate::tree::FunctionId;
use crate::types::{FunctionType, Integer, Type};

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

/// A step of the environment, with the function that it is a step of.
type Numbered<'a> = (u64, &'a Step, Option<usize>);

impl Writer<'_> {
    fn file(&self) -> String {
        let mut steps: Vec<Numbered<'_>> = Vec::new();
        steps.extend(self.environment.opening.iter().map(|(n, step)| (*n, step, None)));
        for (at, part) in self.environment.parts.iter().enumerate() {
            steps.extend(part.steps.iter().map(|(n, step)| (*n, step, Some(at))));
        }
        steps.sort_by_key(|(n, ..)| *n);
        let mut text = String::from("/* An environment that plays its part of the play, step by step. */\n");
        text += "#include <stdlib.h>\n\n";
        for function in self.mentioned(&steps) {
            let function = self.document.program.function(function);
            let ty = Type::Function(function.ty.clone().into());
            let _ = writeln!(text, "extern {};", declare(&self.document.program, &ty, &function.name));
        }
        text += "static long long agon_env(void);\n";
        let functions = self.gives_functions(&steps);
        if functions {
            text += "static void (*agon_function)(void);\n";
        }
        self.environment.parts.iter().enumerate().for_each(|(at, part)| text += &self.part(at, part));
        text += "\nstatic int agon_step;\nstatic long long agon_env(void)\n{\n    for (;;)\n        switch (agon_step++) {\n";
        for (n, (_, step, part)) in steps.iter().enumerate() {
            let _ = writeln!(text, "        case {n}: {}", self.step(step, *part));
        }
        text += "        default: exit(0);\n        }\n}\n\nint main(void)\n{\n    agon_env();\n    return 0;\n}\n";
        text
    }

    /// The functions of the library that steps call or hand over.
    fn mentioned(&self, steps: &[Numbered<'_>]) -> Vec<FunctionId> {
        let mut found = Vec::new();
        for (_, step, part) in steps {
            match step {
                Step::Call(id, values) => {
                    found.extend(self.id_of(Function::Procedure(*id)));
                    let ty = self.type_of(Function::Procedure(*id));
                    let types = ty.iter().flat_map(|ty| &ty.parameters);
                    found.extend(values.iter().zip(types).filter_map(|(value, ty)| self.named(value, ty)));
                }
                Step::Return(Some(value)) => {
                    let ty = part.and_then(|at| self.type_of_part(at)).map(|ty| ty.result.clone());
                    found.extend(ty.and_then(|ty| self.named(value, &ty)));
                }
                Step::Return(None) | Step::Abort => {}
            }
        }
        found.sort();
        found.dedup();
        found
    }

    fn named(&self, value: &Int, ty: &Type) -> Option<FunctionId> {
        ty.pointed_function()?;
        self.id_of(self.module.function(value)?)
            .filter(|id| self.document.program.function(*id).body.is_some())
    }

    fn gives_functions(&self, steps: &[Numbered<'_>]) -> bool {
        let pointer =
            |at: usize| self.type_of_part(at).is_some_and(|ty| ty.result.pointed_function().is_some());
        steps.iter().any(|(_, step, part)| matches!(step, Step::Return(Some(_))) && part.is_some_and(pointer))
    }

    fn id_of(&self, function: Function) -> Option<FunctionId> {
        let at = self.document.functions.iter().position(|known| *known == Some(function))?;
        Some(FunctionId(u32::try_from(at).ok()?))
    }

    fn type_of(&self, function: Function) -> Option<FunctionType> {
        Some(self.document.program.function(self.id_of(function)?).ty.clone())
    }

    /// The type of a function of the environment's.
    fn type_of_part(&self, at: usize) -> Option<FunctionType> {
        let imports = self.module.imports().count();
        match self.module.imports().nth(at) {
            Some((id, _)) => self.type_of(Function::Import(id)),
            None => {
                let number = u64::try_from(at.checked_sub(imports)? + 1).ok()?;
                let signature = self.module.type_of(Function::Foreign(number));
                self.pointed(signature)
            }
        }
    }

    /// A type of functions that the program mentions, and that has a signature.
    fn pointed(&self, signature: agon_core::module::SignatureId) -> Option<FunctionType> {
        self.document.signatures.iter().find(|(known, _)| *known == signature).map(|(_, ty)| ty.clone())
    }

    /// A function of the environment's: it goes on with the next step.
    fn part(&self, at: usize, part: &Part) -> String {
        let Some(ty) = self.type_of_part(at) else { return String::new() };
        let head = declare(&self.document.program, &Type::Function(ty.clone().into()), &part.name);
        let body = match &ty.result {
            Type::Void => "agon_env();".to_string(),
            result if result.pointed_function().is_some() => {
                let cast = declare(&self.document.program, result, "");
                match part.steps.iter().any(|(_, step)| matches!(step, Step::Return(_))) {
                    true => format!("agon_env(); return ({cast})agon_function;"),
                    false => "agon_env(); return 0;".into(),
                }
            }
            result @ Type::Pointer(_) => {
                let cast = declare(&self.document.program, result, "");
                format!("return ({cast})agon_env();")
            }
            result => format!("return ({})agon_env();", declare(&self.document.program, result, "")),
        };
        let scope = if self.module.imports().nth(at).is_some() { "" } else { "static " };
        format!("{scope}{head} {{ {body} }}\n")
    }

    fn step(&self, step: &Step, part: Option<usize>) -> String {
        match step {
            Step::Call(id, values) => {
                let procedure = self.module.procedure(*id);
                let ty = self.type_of(Function::Procedure(*id));
                let types = ty.map(|ty| ty.parameters).unwrap_or_default();
                let values: Vec<String> =
                    values.iter().zip(&types).map(|(value, ty)| self.value(value, ty)).collect();
                format!("{}({}); break;", procedure.name, values.join(", "))
            }
            Step::Return(None) => "return 0;".into(),
            Step::Return(Some(value)) => {
                let ty = part.and_then(|at| self.type_of_part(at)).map(|ty| ty.result);
                match ty {
                    Some(ty) if ty.pointed_function().is_some() => {
                        format!("agon_function = (void (*)(void)){}; return 0;", self.value(value, &ty))
                    }
                    Some(Type::Integer(integer)) => format!("return {};", number(value, integer)),
                    _ => format!("return {value};"),
                }
            }
            Step::Abort => "abort();".into(),
        }
    }

    /// A value as C reads it.
    fn value(&self, value: &Int, ty: &Type) -> String {
        if ty.pointed_function().is_some() {
            return match self.module.function(value) {
                None => "0".into(),
                Some(Function::Foreign(n)) => {
                    let imports = self.module.imports().count();
                    let at = usize::try_from(n).ok().and_then(|n| (imports + n).checked_sub(1));
                    at.and_then(|at| self.environment.parts.get(at))
                        .map_or("0".into(), |part| part.name.to_string())
                }
                Some(function) => self.module.show_function(function),
            };
        }
        match ty {
            Type::Integer(integer) => number(value, *integer),
            _ if value.is_zero() => "0".into(),
            ty => format!("({})(unsigned long){value}UL", declare(&self.document.program, ty, "")),
        }
    }
}

/// A number of a type as C reads it.
fn number(value: &Int, ty: Integer) -> String {
    match (value.to_i64(), ty.bits) {
        (Some(i64::MIN), _) => "(-9223372036854775807LL - 1)".into(),
        (Some(n), 64) if ty.signed => format!("{n}LL"),
        (_, 64) => format!("{value}ULL"),
        (Some(n), 32) if n == i64::from(i32::MIN) => "(-2147483647 - 1)".into(),
        (_, 32) if !ty.signed => format!("{value}U"),
        _ => value.to_string(),
    }
}
