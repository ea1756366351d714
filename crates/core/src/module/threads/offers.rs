//! What the environment may play in a thread: all values of small types, of the others those that may matter, or some.
//!
//! A module that only keeps, passes on and compares an input cannot tell the values apart that it does not hold. So the environment
//! gives what is held where such values may be, the constants that they are compared with, and one value more; if they are compared
//! with constants by their order, one more between any two of these. This is exact: a play with other values is renamed step by step.

use std::collections::BTreeSet;

use agon_base::int::Int;

use super::{Shared, Thread};
use crate::module::independent::{Few, Independence, Spot};
use crate::module::play::Move;
use crate::module::{
    CellId, CellKind, Function, Import, LocalId, Module, ProcedureId, SignatureId, Sort, Store,
};

/// What the environment gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Giving {
    /// Types with at most this many values are tried in full.
    pub most: u64,
    /// At most this many calls by the environment are open at once in each thread.
    pub nesting: usize,
    /// A thread with more activations than this is not followed further.
    pub activations: usize,
}

/// Numbers below this one are small, and so is -1.
const SMALL: i64 = 4;

/// What the environment may play in the threads of a module.
#[derive(Clone, Debug)]
pub struct Offering<'a> {
    module: &'a Module,
    /// How much it gives.
    pub giving: Giving,
    /// Which inputs of large types the module only keeps, passes on and compares, if that is looked at.
    independence: Option<Independence>,
}

/// A value that was given at a spot with the same move.
type Beside = (Spot, Int);

impl<'a> Offering<'a> {
    /// Where it does not matter which value of a large type is given, all that may matter are tried.
    pub fn new(module: &'a Module, giving: Giving) -> Offering<'a> {
        // What a thread ends with goes to whoever waits for it.
        let independence = (!module.begins_threads()).then(|| module.independence());
        Offering { module, giving, independence }
    }

    /// Of large types only small numbers are tried.
    pub fn of_small_numbers(module: &'a Module, giving: Giving) -> Offering<'a> {
        Offering { module, giving, independence: None }
    }

    /// All moves that the environment may make in a thread. Of its own functions it gives those whose names the module holds,
    /// and one more: to the module all others are like that one. So it is with values of which it does not matter which they are.
    pub fn offers<'t>(
        &self,
        shared: &Shared,
        threads: impl IntoIterator<Item = &'t Thread> + Clone,
        thread: &Thread,
    ) -> Vec<Move> {
        let Offering { module, giving, .. } = *self;
        let names = match module.named_types().next() {
            Some(_) => held_names(module, shared, threads.clone()),
            None => BTreeSet::new(),
        };
        let held = |spot: Spot| self.held(shared, threads.clone(), spot);
        let position = At { escaped: &shared.escaped, names: &names, held: &held };
        let mut offers = Vec::new();
        if let Some(function) = thread.waits_for() {
            let values = match (&module.signature(module.type_of(function)).result, returns(module, function))
            {
                (None, _) => vec![None],
                (Some(_), Some(range)) if giving.tries_range(range) => numbers(range).map(Some).collect(),
                (Some(sort), _) => {
                    let spot = answer(function);
                    self.values(&position, &names, (spot, sort), &[]).into_iter().map(Some).collect()
                }
            };
            let may = |value: &Option<Int>| module.may_answer(function, value.as_ref());
            offers.extend(values.into_iter().filter(may).map(Move::Return));
        }
        if thread.nesting() < giving.nesting {
            let turn = module.allowed(thread.waits_for());
            for (id, procedure) in module.procedures() {
                let known = procedure.exported || shared.escaped.contains(&id);
                if known && module.allows(turn, id) {
                    self.calls(&position, id, &mut offers);
                }
            }
        }
        offers
    }

    fn calls(&self, position: &At<'_>, id: ProcedureId, offers: &mut Vec<Move>) {
        let module = self.module;
        let parameters = &module.signature(module.procedure(id).signature).parameters;
        let mut all: Vec<(Vec<Int>, BTreeSet<Function>)> = vec![(vec![], position.names.clone())];
        for (n, sort) in (0..).zip(parameters) {
            let spot = |n: u32| Spot::Local(id, LocalId(n));
            let mut longer = Vec::new();
            for (before, names) in all {
                let beside: Vec<Beside> = (0..).map(spot).zip(before.iter().cloned()).collect();
                let values = match module.assumed_range(id, n as usize) {
                    Some(range) if self.giving.tries_range(range) => numbers(range).collect(),
                    _ => self.values(position, &names, (Some(spot(n)), sort), &beside),
                };
                for value in values {
                    let mut names = names.clone();
                    names.extend(foreign(module, &value, sort));
                    longer.push(([before.clone(), vec![value]].concat(), names));
                }
            }
            all = longer;
        }
        let may = |(arguments, _): &(Vec<Int>, _)| module.may_give(id, arguments);
        let call = |(arguments, _)| Move::Call(Function::Procedure(id), arguments);
        offers.extend(all.into_iter().filter(may).map(call));
    }

    /// The values that the environment gives at a spot where a sort is asked for.
    fn values(
        &self,
        position: &At<'_>,
        names: &BTreeSet<Function>,
        (spot, sort): (Option<Spot>, &Sort),
        beside: &[Beside],
    ) -> Vec<Int> {
        match sort {
            Sort::Data(data) | Sort::Address(data) if self.giving.tries_all(sort) => {
                let size = data.size().and_then(|size| size.to_u64()).unwrap_or(0);
                (0..size).map(|code| data.value(code)).collect()
            }
            Sort::Data(data) | Sort::Address(data) => {
                if let Some((spot, few)) = spot.and_then(|spot| Some((spot, self.few(spot, sort)?))) {
                    let mut held = (position.held)(spot);
                    let alike = beside.iter().filter(|(other, _)| self.together(spot, *other));
                    held.extend(alike.map(|(_, value)| value.clone()));
                    let fresh = few.fresh(data, &held);
                    return held.union(&fresh).cloned().collect();
                }
                let small = (0..SMALL).chain([-1]).map(Int::from);
                small.filter(|n| data.wrap(n) == *n).collect()
            }
            Sort::Function(signature) => {
                let module = self.module;
                let known = known(module, position.escaped, *signature);
                let held = names.iter().copied().filter(|name| module.type_of(*name) == *signature);
                let fresh = module.foreign(*signature).find(|name| !names.contains(name));
                let all = known.into_iter().chain(held).chain(fresh);
                std::iter::once(Int::ZERO).chain(all.map(|name| module.number(name))).collect()
            }
        }
    }

    /// What is known of a spot where it does not matter which number is given.
    fn few(&self, spot: Spot, sort: &Sort) -> Option<Few> {
        let independence = self.independence.as_ref()?;
        matches!(sort, Sort::Data(_)).then(|| independence.few(spot))?
    }

    fn together(&self, a: Spot, b: Spot) -> bool {
        self.independence.as_ref().is_some_and(|independence| independence.together(a, b))
    }

    /// The values that are held wherever those of a spot may be.
    fn held<'t>(
        &self,
        shared: &Shared,
        threads: impl IntoIterator<Item = &'t Thread>,
        spot: Spot,
    ) -> BTreeSet<Int> {
        let in_store = |store: &Store, at: &dyn Fn(u32) -> Spot| -> Vec<Int> {
            let entries = store.entries().filter(|(cell, _)| self.together(at(*cell), spot));
            entries.map(|(_, value)| value.clone()).collect()
        };
        let mut held = BTreeSet::from_iter(in_store(&shared.globals, &|cell| Spot::Cell(CellId(cell))));
        for frame in threads.into_iter().flat_map(|thread| &thread.frames) {
            held.extend(in_store(&frame.locals, &|local| Spot::Local(frame.procedure, LocalId(local))));
        }
        held
    }

    /// A type of which the environment may give a value, but not all that may matter are tried.
    pub fn left_out(&self) -> Option<&'a Sort> {
        let Offering { module, giving, .. } = *self;
        let taken = module.procedures().flat_map(|(id, procedure)| {
            let callable =
                procedure.exported || module.named_types().any(|named| named == procedure.signature);
            let parameters = (0..).zip(&module.signature(procedure.signature).parameters);
            let all_tried = move |n: &u32| {
                module.assumed_range(id, *n as usize).is_some_and(|range| giving.tries_range(range))
            };
            let parameters = parameters.filter(move |(n, _)| !all_tried(n));
            let spot = move |(n, sort)| (Some(Spot::Local(id, LocalId(n))), sort);
            parameters.map(spot).filter(move |_| callable)
        });
        let all_tried = |import: &Import| {
            import.ends || import.returns.as_ref().is_some_and(|range| giving.tries_range(range))
        };
        let imports = module.imports().filter(|(_, import)| !all_tried(import));
        let imports = imports.map(|(id, import)| (Some(Spot::Answer(id)), import.signature));
        let called = imports.chain(module.named_types().map(|signature| (None, signature)));
        let given = called.filter_map(|(spot, id)| Some((spot, module.signature(id).result.as_ref()?)));
        let tried = |spot: Option<Spot>, sort: &Sort| {
            giving.tries_all(sort) || spot.is_some_and(|spot| self.few(spot, sort).is_some())
        };
        taken.chain(given).find(|(spot, sort)| !tried(*spot, sort)).map(|(_, sort)| sort)
    }
}

/// Where the environment is to move, as far as it counts for what it gives.
struct At<'a> {
    escaped: &'a BTreeSet<ProcedureId>,
    names: &'a BTreeSet<Function>,
    /// The values that are held wherever those of a spot may be.
    held: &'a dyn Fn(Spot) -> BTreeSet<Int>,
}

/// What a function of the environment's gives, if it is an import.
fn answer(function: Function) -> Option<Spot> {
    match function {
        Function::Import(id) => Some(Spot::Answer(id)),
        Function::Procedure(_) | Function::Foreign(_) => None,
    }
}

impl Giving {
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
