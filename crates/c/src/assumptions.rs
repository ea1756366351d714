//! Assumptions: what a verdict about C rests on beside what it assumes of imports, in words.

use agon_core::module::{Calls, Import, Module};

use crate::library::meaning;
use crate::lower::{ERRNO, MemoryUse, is_shared};
use crate::options::{Evaluation, Options};
use crate::tree::{Linkage, Program};
use crate::types::{DataModel, Type};

/// What is assumed of the environment and of the machine. What imports do is part of the module.
pub(crate) fn assumptions(
    program: &Program,
    module: &Module,
    options: &Options,
    memory: MemoryUse,
) -> Vec<String> {
    let mut list = match crate::closed::main(program, options) {
        Some(_) => of_program(module),
        None => Vec::new(),
    };
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
    if memory.exposed {
        list.push(
            "objects that the environment can look into count as set, and hold any value at any moment"
                .into(),
        );
    }
    if memory.foreign {
        list.push(
            "objects of the environment live where they are used, are as large as that needs, and hold any value at any \
             moment"
                .into(),
        );
    }
    if crate::closed::main(program, options).is_some() {
        return list;
    }
    if !options.entry.is_empty() {
        list.push(format!("the environment calls {} only", quoted(&options.entry)));
    }
    if !options.private.is_empty() {
        list.push(format!("the environment does not call {}", quoted(&options.private)));
    }
    let names = |private: bool| -> Vec<String> {
        let objects = program.objects().filter(|(_, object)| object.linkage == Linkage::External);
        let objects = objects.filter(|(id, object)| {
            let kept = options.private_data.contains(&object.name);
            let lock = object.ty == Type::Mutex;
            // A header declares it; what is not used needs no assumption.
            let unused =
                *object.name == *ERRNO && !module.imports().any(|(_, import)| *import.name == *object.name);
            if private { kept } else { is_shared(program, options, *id) && !lock && !unused }
        });
        objects.map(|(_, object)| object.name.clone()).collect()
    };
    let (shared, private) = (names(false), names(true));
    if !shared.is_empty() {
        list.push(format!("the environment may change {}", quoted(&shared)));
    }
    if !private.is_empty() {
        list.push(format!("the environment does not change {}", quoted(&private)));
    }
    let locks = program.objects().filter(|(id, object)| {
        is_shared(program, options, *id)
            && program.leaves(&object.ty).iter().any(|leaf| leaf.ty == Type::Mutex)
    });
    let locks: Vec<String> = locks.map(|(_, object)| object.name.clone()).collect();
    if !locks.is_empty() {
        let locks = quoted(&locks);
        list.push(format!("the environment may lock and unlock {locks}, and does not destroy it"));
    }
    if memory.allocates && !options.malloc_fails {
        list.push("`malloc` and its like succeed".into());
    }
    if memory.hands_out {
        let back = "the environment gives a pointer back while its object lives";
        list.push(match memory.exposed {
            false => format!("{back}, and does not look into the object"),
            true => back.into(),
        });
    }
    let imports = module.imports().map(|(_, import)| import).filter(|import| !import.choice);
    let library: Vec<String> = imports
        .filter(|import| import.calls == Calls::Nothing && meaning(&import.name).is_some())
        .map(|import| import.name.to_string())
        .collect();
    if !library.is_empty() {
        list.push(format!("{} of the C library give any number that they may give", quoted(&library)));
    }
    list
}

/// What is assumed of all that a closed program does not define.
fn of_program(module: &Module) -> Vec<String> {
    let threads: &[&str] = match module.begins_threads() {
        true => &[
            "`pthread_create` succeeds",
            "memory is sequentially consistent, and a thread may go on or wait before each access",
        ],
        false => &["the program has one thread"],
    };
    let mut list: Vec<String> = threads.iter().map(|words| (*words).to_string()).collect();
    list.push("nobody else touches its data".into());
    let imports: Vec<&Import> =
        module.imports().map(|(_, import)| import).filter(|import| !import.choice).collect();
    let names = |which: &dyn Fn(&Import) -> bool| -> Vec<String> {
        imports.iter().filter(|import| which(import)).map(|import| import.name.to_string()).collect()
    };
    let known = |import: &Import| meaning(&import.name).is_some();
    let (ending, given) = (names(&|import| import.ends), names(&|import| !import.ends && !known(import)));
    if !given.is_empty() {
        let are = if given.len() == 1 { "is" } else { "are" };
        let given = quoted(&given);
        list.push(format!("{given} {are} not defined: any value is tried, and a call does nothing else"));
    }
    if !ending.is_empty() {
        list.push(format!("{} ends the program", quoted(&ending)));
    }
    for import in &imports {
        if let (Some((low, high)), false) = (&import.returns, known(import)) {
            list.push(format!("{} returns a number from {low} to {high}", import.name));
        }
    }
    if module.chooses() {
        list.push("where the language leaves an order of evaluation open, every order is tried".into());
    }
    list.push("there is room for every stack of calls".into());
    list
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
