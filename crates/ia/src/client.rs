//! Environments of modules as they are written in `.ia`: the module's imports become private procedures that count steps.

use std::fmt::Write;

use agon_base::int::Int;
use agon_core::language::Closed;
use agon_core::module::environment::{Environment, Part, Step, Steps, threads};
use agon_core::module::{Function, Module, ProcedureId, Signature, SignatureId, Sort};
use agon_core::term::Name;
use agon_core::types::Data;

use crate::constant::Constants;
use crate::print::print_item;
use crate::read::Document;
use crate::tree::Item;

/// A module in an environment.
pub(crate) fn close(document: &Document, module: &Module, environment: &Environment) -> Closed {
    let Environment { counter, answer, open, start, opening, parts, .. } = environment;
    let mut text = private(document, "module");
    let term = text.len();
    let writer = Writer { module, answer, open, names: names(parts) };
    text += "// An environment that plays its part of the play, step by step.\n";
    let _ = writeln!(text, "{} {counter};", environment.counts());
    for part in parts {
        text += &writer.part(part, &writer.counted(counter, &part.steps, Some(part), "    "));
    }
    let steps = writer.counted(counter, opening, None, "  ");
    let _ = writeln!(text, "export {start}() = while true do {{\n{steps}}};");
    Closed { text, term }
}

/// A module in an environment with several threads.
pub(crate) fn close_with_threads(
    document: &Document,
    module: &Module,
    environment: &threads::Environment,
) -> Closed {
    let threads::Environment { turn, answer, open, threads, parts, .. } = environment;
    let mut text = private(document, &format!("module{{{}}}", threads.len()));
    let term = text.len();
    let writer = Writer { module, answer, open, names: names(parts) };
    text += "// An environment whose threads take turns: each export is what one of them calls.\n";
    let _ = writeln!(text, "{} {turn} := 1;", environment.counts());
    for part in parts {
        text += &writer.part(part, &writer.awaited(environment, &part.steps, Some(part), "    "));
    }
    for (name, steps) in threads {
        let steps = writer.awaited(environment, steps, None, "  ");
        let _ = writeln!(text, "export {name}() = while true do {{\n{steps}}};");
    }
    Closed { text, term }
}

/// The module without its imports, exporting nothing.
fn private(Document { program, overrides, .. }: &Document, head: &str) -> String {
    let mut text = String::new();
    let constants = Constants::evaluate(program, overrides, &mut Vec::new());
    for constant in &program.constants {
        if let Some(value) = constants.get(&constant.ident.name) {
            let _ = writeln!(text, "const {} = {value};", constant.ident.name);
        }
    }
    let _ = writeln!(text, "{head}");
    for item in program.module.iter().flat_map(|module| &module.items) {
        match item {
            Item::Import(..) => {}
            Item::Procedure(procedure) => {
                let procedure = crate::tree::ProcedureNode { exported: false, ..procedure.clone() };
                text += &print_item(&program.tree, &Item::Procedure(procedure));
            }
            item => text += &print_item(&program.tree, item),
        }
    }
    text
}

/// The names of functions of an environment.
fn names<S>(parts: &[Part<S>]) -> Vec<&Name> {
    parts.iter().map(|part| &part.name).collect()
}

struct Writer<'a> {
    module: &'a Module,
    /// The cells for the answer of a function, and for whether it is open.
    answer: &'a Name,
    open: &'a Name,
    /// The functions of the environment's.
    names: Vec<&'a Name>,
}

impl Writer<'_> {
    /// A function of the environment's, whose steps are written already.
    fn part<S>(&self, part: &Part<S>, steps: &str) -> String {
        let Writer { answer, open, .. } = self;
        let Signature { parameters, result } = self.module.signature(part.signature);
        let parameter = |(name, sort)| format!("{name} : {}", self.module.show_sort(sort));
        let parameters: Vec<String> = part.parameters.iter().zip(parameters).map(parameter).collect();
        let result = result.as_ref().map(|sort| self.module.show_sort(sort));
        let mut text = format!("let {}({})", part.name, parameters.join(", "));
        result.iter().for_each(|result| text += &format!(" : {result}"));
        text += " = {\n";
        result.iter().for_each(|result| text += &format!("  {result} {answer};\n"));
        let _ = writeln!(text, "  bool {open} := true;");
        let _ = writeln!(text, "  while {open} do {{\n{steps}  }}");
        text.pop();
        result.iter().for_each(|_| text += &format!(";\n  {answer}"));
        text + "\n};\n"
    }

    /// What a function does, or what starts everything: it counts the steps.
    fn counted(&self, counter: &Name, steps: &Steps, part: Option<&Part>, indent: &str) -> String {
        let mut text = format!("{indent}{counter} := {counter} + 1;\n{indent}");
        for (number, step) in steps {
            let _ = write!(text, "if {counter} = {number} then {}\n{indent}else ", self.step(step, part));
        }
        text + "diverge\n"
    }

    /// What a function does, or what a thread begins with: it waits for its turns.
    fn awaited(
        &self,
        environment: &threads::Environment,
        steps: &Steps<threads::Step>,
        part: Option<&Part<threads::Step>>,
        indent: &str,
    ) -> String {
        let threads::Environment { turn, now, .. } = environment;
        if steps.is_empty() {
            return format!("{indent}diverge\n");
        }
        let mut text = format!("{indent}{} {now} := {turn};\n{indent}", environment.counts());
        for (number, step) in steps {
            let made = match step {
                threads::Step::Call(id, values) => self.called(*id, values),
                threads::Step::Return(value) => {
                    self.returned(value.as_ref(), part.map(|part| part.signature))
                }
                threads::Step::Abort => "abort".into(),
            };
            let then = format!("{turn} := {}; {made}", number + 1);
            let _ = write!(text, "if {now} = {number} then {{ {then} }}\n{indent}else ");
        }
        text + "skip\n"
    }

    /// A step of a function, or of what starts everything.
    fn step(&self, step: &Step, part: Option<&Part>) -> String {
        let Writer { answer, .. } = self;
        match step {
            Step::Call(id, values) => self.called(*id, values),
            Step::LastCall(id, values, expected) => {
                let (call, result) = self.call(*id, values);
                match (result, expected) {
                    (Some(sort), None) => {
                        format!("{{ {} {answer} := {call}; diverge }}", self.module.show_sort(sort))
                    }
                    (None, None) => format!("{{ {call}; diverge }}"),
                    (Some(sort), Some(Some(value))) => {
                        let condition = self.equal(answer, value, sort);
                        let sort = self.module.show_sort(sort);
                        format!("{{ {sort} {answer} := {call}; if {condition} then abort else diverge }}")
                    }
                    (_, Some(_)) => format!("{{ {call}; abort }}"),
                }
            }
            Step::CheckedCall(id, values, expected) => match (self.call(*id, values), expected) {
                ((call, Some(sort)), Some(value)) => {
                    let condition = self.equal(answer, value, sort);
                    let sort = self.module.show_sort(sort);
                    format!("{{ {sort} {answer} := {call}; if {condition} then skip else diverge }}")
                }
                _ => self.called(*id, values),
            },
            Step::Return(value) => match value {
                None => self.returned(None, None),
                Some(_) => {
                    let signature = part.map(|part| part.signature);
                    format!("{{ {} }}", self.returned(value.as_ref(), signature))
                }
            },
            Step::Abort => "abort".into(),
            Step::AbortIf(values) => self.if_called_with(values, part, "abort"),
            Step::Check(values) => self.if_called_with(values, part, "skip"),
        }
    }

    /// What a function does if it was called with these values; otherwise it diverges.
    fn if_called_with(&self, values: &[Int], part: Option<&Part>, then: &str) -> String {
        let signature = part.map(|part| self.module.signature(part.signature));
        let names = part.into_iter().flat_map(|part| &part.parameters);
        let sorts = signature.into_iter().flat_map(|signature| &signature.parameters);
        let equal = names.zip(sorts).zip(values);
        let equal: Vec<String> = equal.map(|((name, sort), value)| self.equal(name, value, sort)).collect();
        match &equal[..] {
            [] => then.into(),
            all => format!("{{ if {} then {then} else diverge }}", all.join(" and ")),
        }
    }

    /// A call whose result nobody needs.
    fn called(&self, id: ProcedureId, values: &[Int]) -> String {
        let (call, result) = self.call(id, values);
        match result {
            None => call,
            Some(sort) => format!("{{ {} {} := {call}; skip }}", self.module.show_sort(sort), self.answer),
        }
    }

    /// What ends a function of this type, with a value if it gives one.
    fn returned(&self, value: Option<&Int>, signature: Option<SignatureId>) -> String {
        let Writer { answer, open, .. } = self;
        let result = signature.and_then(|id| self.module.signature(id).result.as_ref());
        let value =
            value.map(|value| result.map_or_else(|| value.to_string(), |sort| self.value(value, sort)));
        value.map_or(String::new(), |value| format!("{answer} := {value}; ")) + &format!("{open} := false")
    }

    /// A call of a procedure, and what it gives.
    fn call(&self, id: ProcedureId, values: &[Int]) -> (String, Option<&Sort>) {
        let procedure = self.module.procedure(id);
        let Signature { parameters, result } = self.module.signature(procedure.signature);
        let values: Vec<String> =
            values.iter().zip(parameters).map(|(value, sort)| self.value(value, sort)).collect();
        (format!("{}({})", procedure.name, values.join(", ")), result.as_ref())
    }

    /// The condition that a cell holds a value.
    fn equal(&self, name: &str, value: &Int, sort: &Sort) -> String {
        match sort {
            Sort::Data(Data::Bool) if value.is_zero() => format!("not {name}"),
            Sort::Data(Data::Bool) => name.into(),
            _ => format!("{name} = {}", self.value(value, sort)),
        }
    }

    /// A value as the language reads it. Functions of the environment's own have the names of its parts.
    fn value(&self, value: &Int, sort: &Sort) -> String {
        match (sort, self.module.function(value)) {
            (Sort::Data(Data::Bool), _) => self.module.show_value(value, sort),
            (Sort::Data(_) | Sort::Address(_), _) if value.is_negative() => format!("({value})"),
            (Sort::Data(_) | Sort::Address(_), _) => value.to_string(),
            (Sort::Function(_), Some(Function::Foreign(n))) => {
                let imports = self.module.imports().count();
                let at = usize::try_from(n).ok().and_then(|n| (imports + n).checked_sub(1));
                at.and_then(|at| self.names.get(at)).map_or("null".into(), ToString::to_string)
            }
            (Sort::Function(_), _) => self.module.show_value(value, sort),
        }
    }
}
