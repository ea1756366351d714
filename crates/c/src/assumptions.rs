//! Assumptions: what a verdict about C rests on, in words.

use agon_core::module::Module;

use crate::options::{Evaluation, Options};
use crate::tree::Program;
use crate::types::DataModel;

/// What is assumed of the environment and of the machine.
pub(crate) fn assumptions(program: &Program, module: &Module, options: &Options) -> Vec<String> {
    let mut list = Vec::new();
    list.push(match program.model {
        DataModel::Lp64 => "integers are as on 64-bit Linux, and `char` is signed".to_string(),
        DataModel::Ilp32 => "integers are as on 32-bit Linux, and `char` is signed".to_string(),
    });
    if !options.checks.overflow {
        list.push("signed overflow wraps".into());
    }
    match options.evaluation {
        Evaluation::Any => {}
        Evaluation::Left => list.push("operands are evaluated from the left".into()),
        Evaluation::CallsFirst => list.push("calls are evaluated before what is read".into()),
    }
    if !options.entry.is_empty() {
        list.push(format!("the environment calls {} only", quoted(&options.entry)));
    }
    if !options.private.is_empty() {
        list.push(format!("the environment does not call {}", quoted(&options.private)));
    }
    if !options.leaf.is_empty() {
        list.push(format!("{} never call back", quoted(&options.leaf)));
    }
    for (name, low, high) in &options.returns {
        list.push(format!("`{name}` gives a number from {low} to {high}"));
    }
    for (name, called) in &options.may_call {
        list.push(format!("`{name}` calls back {} only", quoted(called)));
    }
    let free: Vec<String> = module
        .imports()
        .map(|(_, import)| import.name.to_string())
        .filter(|name| {
            !options.leaf.contains(name) && !options.may_call.iter().any(|(known, _)| known == name)
        })
        .collect();
    if !free.is_empty() {
        list.push(format!("{} may call every function that the environment knows", quoted(&free)));
    }
    list
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
