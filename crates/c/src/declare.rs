//! Declarations as C writes them: a type around a name.

use crate::tree::Program;
use crate::types::{FunctionType, Type};

/// A type around a name; the type alone if the name is empty.
pub(crate) fn declare(program: &Program, ty: &Type, name: &str) -> String {
    let space = |word: &str| if name.is_empty() { word.to_string() } else { format!("{word} {name}") };
    match ty {
        Type::Void => space("void"),
        Type::Integer(integer) => space(&integer.to_string()),
        Type::Struct(id) => match &program.structs[id.0 as usize].name {
            Some(tag) => space(&format!("struct {tag}")),
            None => space(&format!("struct agon_{}", id.0)),
        },
        Type::Mutex => space("pthread_mutex_t"),
        Type::Unsupported(_) => space("void"),
        Type::Pointer(to) => match &**to {
            Type::Array(..) | Type::Function(_) => declare(program, to, &format!("(*{name})")),
            // A structure without a tag cannot be named elsewhere.
            Type::Struct(id) if program.structs[id.0 as usize].name.is_none() => {
                declare(program, &Type::Void, &format!("*{name}"))
            }
            Type::Unsupported(_) | Type::Mutex => declare(program, &Type::Void, &format!("*{name}")),
            to => declare(program, to, &format!("*{name}")),
        },
        Type::Array(element, length) => {
            let length = length.map_or(String::new(), |length| length.to_string());
            declare(program, element, &format!("{name}[{length}]"))
        }
        Type::Function(function) => {
            declare(program, &function.result, &format!("{name}({})", parameters(program, function)))
        }
    }
}

fn parameters(program: &Program, function: &FunctionType) -> String {
    let list: Vec<String> = (0..)
        .zip(&function.parameters)
        .map(|(n, ty): (u32, &Type)| declare(program, ty, &format!("agon_{n}")))
        .collect();
    match (list.is_empty(), function.variadic) {
        (true, _) => "void".into(),
        (false, true) => format!("{}, ...", list.join(", ")),
        (false, false) => list.join(", "),
    }
}
