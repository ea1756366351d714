//! Assumptions: what a verdict about C rests on beside what it assumes of imports, in words.

use crate::options::{Evaluation, Options};
use crate::tree::Program;
use crate::types::DataModel;

/// What is assumed of the environment and of the machine. What imports do is part of the module.
pub(crate) fn assumptions(program: &Program, options: &Options) -> Vec<String> {
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
    list
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
