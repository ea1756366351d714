//! Environments of modules as they are written in `.ia`: the module's imports become private procedures that count steps.

use std::fmt::Write;

use agon_base::int::Int;
use agon_core::language::Closed;
use agon_core::module::environment::{Environment, Part, Step, Steps};
use agon_core::module::{Function, Module, ProcedureId, Signature, Sort};
use agon_core::types::Data;

use crate::constant::Constants;
use crate::print::print_item;
use crate::read::Document;
use crate::tree::Item;

/// A module in an environment.
pub(crate) fn close(document: &Document, module: &Module, environment: &Environment) -> Closed {
    let Document { program, overrides, .. } = document;
    let mut text = String::new();
    let constants = Constants::evaluate(program, overrides, &mut Vec::new());
    for constant in &program.constants {
        if let Some(value) = constants.get(&constant.ident.name) {
            let _ = writeln!(text, "const {} = {value};", constant.ident.name);
        }
    }
    text += "module\n";
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
    let term = text.len();
    let writer = Writer { module, environment };
    text += "// An environment that plays its part of the play, step by step.\n";
    let _ = writeln!(text, "{} {};", environment.counts(), environment.counter);
    environment.parts.iter().for_each(|part| text += &writer.part(part));
    text += &writer.start();
    Closed { text, term }
}

struct Writer<'a> {
    module: &'a Module,
    environment: &'a Environment,
}

impl Writer<'_> {
    /// A function of the environment's.
    fn part(&self, part: &Part) -> String {
        let Environment { answer, open, .. } = self.environment;
        let Signature { parameters, result } = self.module.signature(part.signature);
        let parameter = |(name, sort)| format!("{name} : {}", self.module.show_sort(sort));
        let parameters: Vec<String> = part.parameters.iter().zip(parameters).map(parameter).collect();
        let sort = result.as_ref();
        let result = sort.map(|sort| self.module.show_sort(sort));
        let mut text = format!("let {}({})", part.name, parameters.join(", "));
        result.iter().for_each(|result| text += &format!(" : {result}"));
        text += " = {\n";
        result.iter().for_each(|result| text += &format!("  {result} {answer};\n"));
        let _ = writeln!(text, "  bool {open} := true;");
        let _ = writeln!(text, "  while {open} do {{");
        text += &self.steps(&part.steps, Some(part), "    ");
        text += "  }";
        result.iter().for_each(|_| text += &format!(";\n  {answer}"));
        text + "\n};\n"
    }

    /// What starts everything.
    fn start(&self) -> String {
        let steps = self.steps(&self.environment.opening, None, "  ");
        format!("export {}() = while true do {{\n{steps}}};\n", self.environment.start)
    }

    /// What a function does, or what starts everything.
    fn steps(&self, steps: &Steps, part: Option<&Part>, indent: &str) -> String {
        let counter = &self.environment.counter;
        let mut text = format!("{indent}{counter} := {counter} + 1;\n{indent}");
        for (number, step) in steps {
            let _ = write!(text, "if {counter} = {number} then {}\n{indent}else ", self.step(step, part));
        }
        text + "diverge\n"
    }

    /// A step of a function, or of what starts everything.
    fn step(&self, step: &Step, part: Option<&Part>) -> String {
        let Environment { answer, open, .. } = self.environment;
        let signature = part.map(|part| self.module.signature(part.signature));
        match step {
            Step::Call(id, values) => {
                let (call, result) = self.call(*id, values);
                match result {
                    None => call,
                    // Nobody needs the result.
                    Some(sort) => format!("{{ {} {answer} := {call}; skip }}", self.module.show_sort(sort)),
                }
            }
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
            Step::Return(None) => format!("{open} := false"),
            Step::Return(Some(value)) => {
                let result = signature.and_then(|signature| signature.result.as_ref());
                let value = result.map_or_else(|| value.to_string(), |sort| self.value(value, sort));
                format!("{{ {answer} := {value}; {open} := false }}")
            }
            Step::Abort => "abort".into(),
            Step::AbortIf(values) => {
                let names = part.into_iter().flat_map(|part| &part.parameters);
                let sorts = signature.into_iter().flat_map(|signature| &signature.parameters);
                let equal = names.zip(sorts).zip(values);
                let equal: Vec<String> =
                    equal.map(|((name, sort), value)| self.equal(name, value, sort)).collect();
                match &equal[..] {
                    [] => "abort".into(),
                    all => format!("{{ if {} then abort else diverge }}", all.join(" and ")),
                }
            }
        }
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
                let part = at.and_then(|at| self.environment.parts.get(at));
                part.map_or("null".into(), |part| part.name.to_string())
            }
            (Sort::Function(_), _) => self.module.show_value(value, sort),
        }
    }
}
