//! What the environment may play in a thread: all values of small types, some of the others.

use std::collections::BTreeSet;

use agon_base::int::Int;

use super::{Shared, Thread};
use crate::module::play::Move;
use crate::module::{CellKind, Function, Import, Module, ProcedureId, SignatureId, Sort, Store};

/// What the environment gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Giving {
    /// Types with at most this many values are tried in full, of others a few small numbers.
    pub most: u64,
    /// At most this many calls by the environment are open at once in each thread.
    pub nesting: usize,
    /// A thread with more activations than this is not followed further.
    pub activations: usize,
}

/// Numbers below this one are small, and so is -1.
const SMALL: i64 = 4;

impl Giving {
    /// All moves that the environment may make in a thread. Of its own functions it gives those whose names the module holds,
    /// and one more: to the module all others are like that one.
    pub fn offers<'a>(
        &self,
        module: &Module,
        shared: &Shared,
        threads: impl IntoIterator<Item = &'a Thread>,
        thread: &Thread,
    ) -> Vec<Move> {
        let names = match module.named_types().next() {
            Some(_) => held_names(module, shared, threads),
            None => BTreeSet::new(),
        };
        let mut offers = Vec::new();
        if let Some(function) = thread.waits_for() {
            let values = match (&module.signature(module.type_of(function)).result, returns(module, function))
            {
                (None, _) => vec![None],
                (Some(_), Some(range)) if self.tries_range(range) => numbers(range).map(Some).collect(),
                (Some(sort), _) => {
                    self.values(module, &shared.escaped, &names, sort).into_iter().map(Some).collect()
                }
            };
            let may = |value: &Option<Int>| module.may_answer(function, value.as_ref());
            offers.extend(values.into_iter().filter(may).map(Move::Return));
        }
        if thread.nesting() < self.nesting {
            let turn = module.allowed(thread.waits_for());
            for (id, procedure) in module.procedures() {
                let known = procedure.exported || shared.escaped.contains(&id);
                if known && module.allows(turn, id) {
                    self.calls(module, &shared.escaped, &names, id, &mut offers);
                }
            }
        }
        offers
    }

    fn calls(
        &self,
        module: &Module,
        escaped: &BTreeSet<ProcedureId>,
        names: &BTreeSet<Function>,
        id: ProcedureId,
        offers: &mut Vec<Move>,
    ) {
        let parameters = &module.signature(module.procedure(id).signature).parameters;
        let mut all: Vec<(Vec<Int>, BTreeSet<Function>)> = vec![(vec![], names.clone())];
        for sort in parameters {
            let mut longer = Vec::new();
            for (before, names) in all {
                for value in self.values(module, escaped, &names, sort) {
                    let mut names = names.clone();
                    names.extend(foreign(module, &value, sort));
                    longer.push(([before.clone(), vec![value]].concat(), names));
                }
            }
            all = longer;
        }
        let call = |(arguments, _)| Move::Call(Function::Procedure(id), arguments);
        offers.extend(all.into_iter().map(call));
    }

    /// The values that the environment gives where a sort is asked for.
    fn values(
        &self,
        module: &Module,
        escaped: &BTreeSet<ProcedureId>,
        names: &BTreeSet<Function>,
        sort: &Sort,
    ) -> Vec<Int> {
        match sort {
            Sort::Data(data) | Sort::Address(data) if self.tries_all(sort) => {
                let size = data.size().and_then(|size| size.to_u64()).unwrap_or(0);
                (0..size).map(|code| data.value(code)).collect()
            }
            Sort::Data(data) | Sort::Address(data) => {
                let small = (0..SMALL).chain([-1]).map(Int::from);
                small.filter(|n| data.wrap(n) == *n).collect()
            }
            Sort::Function(signature) => {
                let known = known(module, escaped, *signature);
                let held = names.iter().copied().filter(|name| module.type_of(*name) == *signature);
                let fresh = module.foreign(*signature).find(|name| !names.contains(name));
                let all = known.into_iter().chain(held).chain(fresh);
                std::iter::once(Int::ZERO).chain(all.map(|name| module.number(name))).collect()
            }
        }
    }

    fn tries_all(&self, sort: &Sort) -> bool {
        match sort {
            Sort::Data(data) | Sort::Address(data) => {
                data.size().and_then(|size| size.to_u64()).is_some_and(|n| n <= self.most)
            }
            Sort::Function(_) => true,
        }
    }

    /// Whether all numbers of a range are tried.
    fn tries_range(&self, (low, high): &(Int, Int)) -> bool {
        high.sub(low).to_u64().is_some_and(|more| more < self.most)
    }

    /// A type of which the environment may give a value, but not all values are tried.
    pub fn left_out<'a>(&self, module: &'a Module) -> Option<&'a Sort> {
        let taken = module.procedures().flat_map(|(_, procedure)| {
            let callable =
                procedure.exported || module.named_types().any(|named| named == procedure.signature);
            let parameters = &module.signature(procedure.signature).parameters;
            parameters.iter().filter(move |_| callable)
        });
        let all_tried = |import: &Import| {
            import.ends || import.returns.as_ref().is_some_and(|range| self.tries_range(range))
        };
        let imports = module.imports().filter(|(_, import)| !all_tried(import));
        let called = imports.map(|(_, import)| import.signature).chain(module.named_types());
        let given = called.filter_map(|signature| module.signature(signature).result.as_ref());
        taken.chain(given).find(|sort| !self.tries_all(sort))
    }
}

/// The numbers that a function of the environment's returns, if they are not all of its type.
fn returns(module: &Module, function: Function) -> Option<&(Int, Int)> {
    match function {
        Function::Import(id) => module.import(id).returns.as_ref(),
        Function::Procedure(_) | Function::Foreign(_) => None,
    }
}

fn numbers((low, high): &(Int, Int)) -> impl Iterator<Item = Int> + '_ {
    std::iter::successors(Some(low.clone()), |n| Some(n.add(&Int::ONE))).take_while(move |n| n <= high)
}

/// The functions of a type that the environment can name and that are not its own.
fn known(module: &Module, escaped: &BTreeSet<ProcedureId>, signature: SignatureId) -> Vec<Function> {
    let own = module.procedures().filter(|(id, procedure)| procedure.exported || escaped.contains(id));
    let own = own.map(|(id, _)| Function::Procedure(id));
    let imports = module.imports().map(|(id, _)| Function::Import(id));
    own.chain(imports).filter(|name| module.type_of(*name) == signature).collect()
}

/// The function of the environment's own that a value names.
fn foreign(module: &Module, value: &Int, sort: &Sort) -> Option<Function> {
    match (sort, module.function(value)) {
        (Sort::Function(_), Some(function @ Function::Foreign(_))) => Some(function),
        _ => None,
    }
}

/// The functions of the environment's own whose names are held anywhere.
fn held_names<'a>(
    module: &Module,
    shared: &Shared,
    threads: impl IntoIterator<Item = &'a Thread>,
) -> BTreeSet<Function> {
    let in_store = |store: &Store, sort: &dyn Fn(usize) -> Option<Sort>| -> Vec<Function> {
        let held = store.entries();
        held.filter_map(|(cell, value)| foreign(module, value, &sort(cell as usize)?)).collect()
    };
    let of_cell = |cell: usize| match &module.cells[cell].kind {
        CellKind::Value(sort) => Some(sort.clone()),
        CellKind::Mutex | CellKind::Semaphore(_) => None,
    };
    let mut names = BTreeSet::from_iter(in_store(&shared.globals, &of_cell));
    for frame in threads.into_iter().flat_map(|thread| &thread.frames) {
        let locals = &module.procedure(frame.procedure).locals;
        names.extend(in_store(&frame.locals, &|local| Some(locals[local].sort.clone())));
        // A call through a name that was given waits for that function.
        names.extend(frame.waits_for.filter(|function| matches!(function, Function::Foreign(_))));
    }
    names
}
