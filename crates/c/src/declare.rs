//! Declarations as C writes them: a type around a name.

use crate::tree::{Member, Program};
use crate::types::{FunctionType, StructId, Type};

/// A type around a name; the type alone if the name is empty.
pub(crate) fn declare(program: &Program, ty: &Type, name: &str) -> String {
    let space = |word: &str| if name.is_empty() { word.to_string() } else { format!("{word} {name}") };
    match ty {
        Type::Void => space("void"),
        Type::Integer(integer) => space(&integer.to_string()),
        Type::Struct(id) => {
            let word = keyword(program, *id);
            match &program.structs[id.0 as usize].name {
                Some(tag) => space(&format!("{word} {tag}")),
                None => space(&format!("{word} agon_{}", id.0)),
            }
        }
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

fn keyword(program: &Program, id: StructId) -> &'static str {
    if program.structs[id.0 as usize].union { "union" } else { "struct" }
}

/// The definition of a structure.
pub(crate) fn definition(program: &Program, id: StructId) -> String {
    format!("{} {};\n", declare(program, &Type::Struct(id), ""), members(program, id))
}

fn members(program: &Program, id: StructId) -> String {
    let member = |member: &Member| match (&member.name, &member.ty) {
        (Some(name), Type::Integer(integer)) if member.field.is_some() => {
            let declared = member.field.map_or(Type::Void, Type::Integer);
            format!("{} : {}; ", declare(program, &declared, name), integer.bits)
        }
        (Some(name), ty) => format!("{}; ", declare(program, ty, name)),
        (None, Type::Struct(id)) => format!("{} {}; ", keyword(program, *id), members(program, *id)),
        (None, _) => String::new(),
    };
    format!("{{ {}}}", program.members(id).iter().map(member).collect::<String>())
}
