//! Random environments: moves are drawn, and a failure that they lead to is made shorter. It proves nothing.
//!
//! What the module holds between two calls of the environment is kept, as long as it is new. So are the first moves of a call that
//! lead to functions that were not open together before. The environment goes on from something that was kept, so it comes far into
//! the module without beginning anew. Numbers are drawn from those in the text and those next to them, from what the module holds,
//! from what has been seen in the play, and from small ones. The first search calls all procedures, most others only a few of
//! them, drawn anew each time (swarm testing: Groce, Zhang, Eide, Chen, Regehr, ISSTA 2012), often from those that write to the same
//! cell.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hash, Hasher};

use agon_base::budget::{Budget, Stop};
use agon_base::int::Int;
use agon_base::random::Random;
use agon_core::eval::Patience;
use agon_core::module::eval::{Client, Exit, Library, State};
use agon_core::module::inputs::Inputs;
use agon_core::module::play::Move;
use agon_core::module::{Function, Module, Procedure, ProcedureId, Sort};
use agon_core::types::Data;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::{Compiled, Found};
use crate::verdict::{Reason, Report, Verdict};

/// What the engine is called.
pub const NAME: &str = "random";
/// The steps that one call of the environment's may take in the first search. In each later one it is twice as many, up to a limit.
const STEPS: u64 = 1 << 12;
const MOST_STEPS: u64 = 1 << 18;
/// The calls of the first search. Each search makes an eighth more than the one before it, and forgets what that one has kept.
const CALLS: u64 = 1 << 12;
/// The calls of a search beside other engines.
const BESIDE: u64 = 1 << 19;
/// The states that are kept at most.
const KEPT: usize = 1 << 14;
/// The first moves of calls that are kept at most, and how many of them for the same open functions.
const OPENINGS: usize = 1 << 9;
const OPENINGS_EACH: u32 = 8;
/// The first moves of a call are kept only while at most this many functions are open.
const DEPTH: usize = 4;
/// How many calls the environment makes while the module waits, at most, and how many moves until a call returns.
const MOST_CALLS: usize = 16;
const MOST_MOVES: usize = 64;
/// How many tries a failure is made shorter with.
const TRIES: usize = 4_000;
/// A number that was seen in the play before is drawn again from among this many.
const REMEMBERED: usize = 16;

/// A state between two calls of the environment's, and how it was reached.
struct Known {
    state: State,
    before: Option<usize>,
    /// The moves of the environment's since the state before.
    moves: Vec<Move>,
    /// The moves with which the next call begins; the others are drawn.
    opening: Vec<Move>,
    /// How often the search has gone on from here.
    visits: u32,
}

/// A budget for a search beside others: for some time on a machine of today.
pub(super) fn some(budget: &Budget) -> Budget {
    let transitions = Some(budget.transitions.map_or(BESIDE, |most| most.min(BESIDE)));
    Budget { transitions, ..budget.clone() }
}

/// Looks for a failure as long as the budget lasts. A transition is a call of the environment's.
pub fn check(compiled: &Compiled, budget: &Budget) -> Found {
    let module = &*compiled.module;
    let mut random = Random::new(1);
    let (mut calls, mut all, mut steps) = (CALLS, 0, STEPS);
    let most = budget.transitions.unwrap_or(u64::MAX);
    let related: Vec<Vec<ProcedureId>> =
        module.writers().into_values().filter(|exports| exports.len() > 1).collect();
    let verdict = loop {
        if all >= most {
            break Verdict::Unknown(Reason::Stop(Stop::Transitions));
        }
        let called = match all {
            0 => exports(module),
            _ => swarm(module, &related, &mut random),
        };
        let limits = Limits { calls: calls.min(most - all), steps, budget };
        match search(module, &called, &mut random, limits) {
            Ok(Some(moves)) => break Verdict::Unsafe(shorter(module, moves, budget), ()),
            Ok(None) => {}
            Err(stop) => break Verdict::Unknown(Reason::Stop(stop)),
        }
        all += calls;
        calls += calls / 8;
        steps = (2 * steps).min(MOST_STEPS);
    };
    Report { transitions: all, ..Report::new(verdict, NAME) }
}

/// What a search may cost.
#[derive(Clone, Copy)]
struct Limits<'a> {
    calls: u64,
    /// The steps of each call.
    steps: u64,
    budget: &'a Budget,
}

fn exports(module: &Module) -> BTreeSet<ProcedureId> {
    module.procedures().filter(|(_, procedure)| procedure.exported).map(|(id, _)| id).collect()
}

/// The exports that a search calls: a few, or all. Half of the searches draw them from those that write to the same cell.
fn swarm(module: &Module, related: &[Vec<ProcedureId>], random: &mut Random) -> BTreeSet<ProcedureId> {
    let few = [2, 3, 4, 6, 8, usize::MAX][random.below(6)];
    let mut left: Vec<ProcedureId> = match random.below(2) {
        0 if !related.is_empty() => related[random.below(related.len())].clone(),
        _ => exports(module).into_iter().collect(),
    };
    while left.len() > few {
        left.swap_remove(random.below(left.len()));
    }
    left.into_iter().collect()
}

/// One search, until there are many states. Gives the moves of the environment's that lead to a failure.
fn search(
    module: &Module,
    called: &BTreeSet<ProcedureId>,
    random: &mut Random,
    limits: Limits<'_>,
) -> Result<Option<Vec<Move>>, Stop> {
    let numbers = numbers(module);
    let start = Library::new(module, 0).state();
    let mut known = vec![Known { state: start, before: None, moves: vec![], opening: vec![], visits: 0 }];
    let mut openings = Openings::default();
    let mut seen = FxHashSet::default();
    let mut calls = 0;
    while known.len() < KEPT && calls < limits.calls {
        let mut at = chosen(&known, &openings.kept, random);
        known[at].visits += 1;
        let favourite = random.one_in(2).then(|| random.below(1 << 16));
        let nesting = [0, 1, 2, 4, 7][random.below(5)];
        for _ in 0..1 + random.below(4) {
            limits.budget.check()?;
            calls += 1;
            let patience = Patience { steps: limits.steps, budget: Some(limits.budget) };
            let mut library = Library::going_on(module, known[at].state.clone(), patience);
            let mut drawn = Drawn {
                module,
                called,
                random,
                numbers: &numbers,
                remembered: remembered(&known, at),
                favourite,
                nesting,
                opening: known[at].opening.iter().rev().cloned().collect(),
                open: vec![],
                openings: &mut openings,
                moves: vec![],
            };
            let ended = drawn.call(&mut library, None);
            let moves = drawn.moves;
            for opening in std::mem::take(&mut openings.new) {
                openings.kept.push(known.len());
                let state = known[at].state.clone();
                known.push(Known { state, before: Some(at), moves: vec![], opening, visits: 0 });
            }
            match ended {
                Ok(()) => {}
                Err(Exit::Fails(_)) => return Ok(Some(path(&known, at, moves))),
                Err(Exit::Stopped(stop @ (Stop::Time | Stop::Memory | Stop::Cancelled))) => return Err(stop),
                Err(_) => break,
            }
            let state = library.state();
            match seen.insert(digest(state.entries(), state.escaped())) {
                true => {
                    known.push(Known { state, before: Some(at), moves, opening: vec![], visits: 0 });
                    at = known.len() - 1;
                }
                false => break,
            }
        }
    }
    Ok(None)
}

/// The first moves of calls: where the module waits for functions that were not open together before.
#[derive(Default)]
struct Openings {
    /// How often functions were open together with something else in the module's cells.
    counts: FxHashMap<u64, u32>,
    seen: FxHashSet<u64>,
    /// Where the states with openings are.
    kept: Vec<usize>,
    /// Those of the call that is made.
    new: Vec<Vec<Move>>,
}

impl Openings {
    /// Keeps the moves of a call so far, if they are new.
    fn note(&mut self, open: &[Function], library: &Library<'_>, moves: &[Move]) {
        if open.len() > DEPTH || self.kept.len() + self.new.len() >= OPENINGS {
            return;
        }
        let functions = FxBuildHasher.hash_one(open);
        let count = self.counts.entry(functions).or_default();
        let digest = digest(library.entries(), library.escaped());
        if *count < OPENINGS_EACH && self.seen.insert(functions ^ digest) {
            *count += 1;
            self.new.push(moves.to_vec());
        }
    }
}

/// A state to go on from: of a few, the one that the search has gone on from least.
fn chosen(known: &[Known], openings: &[usize], random: &mut Random) -> usize {
    let within = !openings.is_empty() && random.one_in(3);
    let among = |random: &mut Random| match random.below(3) {
        _ if within => openings[random.below(openings.len())],
        0 => known.len() - 1 - random.below(known.len().min(64)),
        _ => random.below(known.len()),
    };
    let (a, b) = (among(random), among(random));
    if known[a].visits <= known[b].visits { a } else { b }
}

/// A state and those before it, the last one first.
fn before(known: &[Known], at: usize) -> impl Iterator<Item = &Known> {
    std::iter::successors(Some(&known[at]), |state| state.before.map(|before| &known[before]))
}

/// The moves of the environment's from the start to a state, and more behind them.
fn path(known: &[Known], at: usize, last: Vec<Move>) -> Vec<Move> {
    let mut parts: Vec<Vec<Move>> = before(known, at).map(|known| known.moves.clone()).collect();
    parts.reverse();
    parts.push(last);
    parts.concat()
}

/// Numbers that the environment has given lately.
fn remembered(known: &[Known], at: usize) -> Vec<Int> {
    let given = |played: &Move| match played {
        Move::Call(_, values) => values.clone(),
        Move::Return(value) => value.iter().cloned().collect(),
        Move::Fail | Move::Exit(_) => vec![],
    };
    before(known, at).flat_map(|state| state.moves.iter().flat_map(given)).take(REMEMBERED).collect()
}

/// The numbers of a module's text, and those next to them.
fn numbers(module: &Module) -> Vec<Int> {
    let around = |n: Int| [n.sub(&Int::ONE), n.clone(), n.add(&Int::ONE)];
    let all: BTreeSet<Int> = module.numbers().cloned().flat_map(around).collect();
    all.into_iter().collect()
}

/// What tells states apart: numbers that are not small are distinguished by how many digits they have.
fn digest<'a>(entries: impl Iterator<Item = (u32, u64, &'a Int)>, escaped: &BTreeSet<ProcedureId>) -> u64 {
    let mut hasher = FxBuildHasher.build_hasher();
    for (cell, element, value) in entries {
        let size = value.to_u64().map(|n| if n < 4 { n } else { 64 + u64::from(n.ilog2()) });
        (cell, element, size, value.is_negative()).hash(&mut hasher);
    }
    escaped.hash(&mut hasher);
    hasher.finish()
}

/// An environment that draws its moves, and writes them down.
struct Drawn<'a> {
    module: &'a Module,
    /// The exports that are called.
    called: &'a BTreeSet<ProcedureId>,
    random: &'a mut Random,
    numbers: &'a [Int],
    remembered: Vec<Int>,
    /// Chooses the procedure that is called more often than others.
    favourite: Option<usize>,
    /// How often, in eight times, the environment calls again while the module waits.
    nesting: usize,
    /// The moves that it makes first, the last one first.
    opening: Vec<Move>,
    /// The functions that are open: procedures that it has called, and functions that the module has called.
    open: Vec<Function>,
    openings: &'a mut Openings,
    moves: Vec<Move>,
}

impl Drawn<'_> {
    /// The environment calls the module once.
    fn call(&mut self, library: &mut Library<'_>, open: Option<Function>) -> Result<(), Exit> {
        if let Some(Move::Call(Function::Procedure(id), arguments)) = self.opening.pop() {
            return self.make(library, id, arguments);
        }
        let turn = self.module.allowed(open);
        let callable = |(id, procedure): &(ProcedureId, &Procedure)| {
            let known = if procedure.exported { self.called } else { library.escaped() };
            known.contains(id) && self.module.allows(turn, *id)
        };
        let all: Vec<ProcedureId> = self.module.procedures().filter(callable).map(|(id, _)| id).collect();
        if all.is_empty() {
            return if open.is_none() { Err(Exit::Client) } else { Ok(()) };
        }
        let chosen = match self.favourite {
            Some(favourite) if self.random.one_in(2) => favourite % all.len(),
            _ => self.random.below(all.len()),
        };
        let procedure = self.module.procedure(all[chosen]);
        let parameters = self.module.signature(procedure.signature).parameters.clone();
        let arguments: Vec<Int> = parameters.iter().map(|sort| self.value(library, sort)).collect();
        let played = Move::Call(Function::Procedure(all[chosen]), arguments.clone());
        if !library.may_be_played(&played, open) {
            return Ok(());
        }
        self.make(library, all[chosen], arguments)
    }

    /// Makes a call.
    fn make(&mut self, library: &mut Library<'_>, id: ProcedureId, arguments: Vec<Int>) -> Result<(), Exit> {
        let function = Function::Procedure(id);
        self.moves.push(Move::Call(function, arguments.clone()));
        self.open.push(function);
        let result = library.call(self, id, &arguments)?;
        self.open.pop();
        self.remembered.extend(result);
        Ok(())
    }

    /// A value of a sort.
    fn value(&mut self, library: &Library<'_>, sort: &Sort) -> Int {
        let drawn = match sort {
            Sort::Data(Data::Bool) => Int::from(self.random.below(2) as u64),
            Sort::Data(data) => {
                let n = match self.random.below(16) {
                    0..6 => Int::from(self.random.below(4) as u64),
                    6 | 7 if !self.remembered.is_empty() => self.again(),
                    8 | 9 => self.held(library),
                    10 | 11 => Int::from(self.random.below(20) as u64).sub(&Int::ONE),
                    12 => {
                        let (low, high) = data.range().unwrap_or((Int::from(-1000i64), Int::from(1000i64)));
                        if self.random.one_in(2) { low } else { high }
                    }
                    13 => Int::from(self.random.draw() >> self.random.below(64)),
                    _ if self.numbers.is_empty() => Int::ZERO,
                    _ => self.numbers[self.random.below(self.numbers.len())].clone(),
                };
                data.wrap(&n)
            }
            // The environment gives pointers that it was given, and those to its own objects, which have the largest numbers.
            Sort::Address(data) => match self.random.below(8) {
                0 => Int::ZERO,
                1 => data.range().map_or(Int::ZERO, |(_, high)| high),
                2 => data.wrap(&Int::from(self.random.draw())),
                _ if self.remembered.is_empty() => Int::ZERO,
                _ => data.wrap(&self.again()),
            },
            Sort::Function(_) => {
                let inputs = Inputs { numbers: vec![], functions: 2 };
                let all = inputs.values(self.module, library.escaped(), sort);
                all[self.random.below(all.len())].clone()
            }
        };
        self.remembered.push(drawn.clone());
        drawn
    }

    /// A number that the module holds.
    fn held(&mut self, library: &Library<'_>) -> Int {
        match library.entries().count() {
            0 => Int::ZERO,
            all => {
                let mut entries = library.entries().skip(self.random.below(all));
                entries.next().map_or(Int::ZERO, |(_, _, value)| value.clone())
            }
        }
    }

    /// A number that was seen lately.
    fn again(&mut self) -> Int {
        let back = self.random.below(self.remembered.len().min(REMEMBERED));
        self.remembered[self.remembered.len() - 1 - back].clone()
    }
}

impl Client for Drawn<'_> {
    fn called(
        &mut self,
        library: &mut Library<'_>,
        function: Function,
        arguments: &[Int],
    ) -> Result<Option<Int>, Exit> {
        self.remembered.extend(arguments.iter().cloned());
        self.open.push(function);
        while let Some(played) = self.opening.last() {
            let Move::Return(value) = played else {
                self.call(library, Some(function))?;
                continue;
            };
            let value = value.clone();
            self.moves.extend(self.opening.pop());
            self.open.pop();
            return Ok(value);
        }
        self.openings.note(&self.open, library, &self.moves);
        if self.module.allows_calls(self.module.allowed(Some(function))) {
            for _ in 0..MOST_CALLS {
                if self.moves.len() >= MOST_MOVES || self.random.below(8) >= self.nesting {
                    break;
                }
                self.call(library, Some(function))?;
            }
        }
        let result = self.module.signature(self.module.type_of(function)).result.clone();
        for _ in 0..32 {
            let value = result.as_ref().map(|sort| self.value(library, sort));
            let played = Move::Return(value.clone());
            if library.may_be_played(&played, Some(function)) {
                self.moves.push(played);
                self.open.pop();
                return Ok(value);
            }
        }
        Err(Exit::Client)
    }
}

/// An environment that makes those of some moves that it may make, and writes them down.
struct Follows<'a> {
    left: std::slice::Iter<'a, Move>,
    moves: Vec<Move>,
}

impl Follows<'_> {
    fn turn(&mut self, library: &mut Library<'_>, open: Option<Function>) -> Result<Option<Int>, Exit> {
        loop {
            let played = self.left.next().ok_or(Exit::Client)?;
            if !library.may_be_played(played, open) {
                continue;
            }
            self.moves.push(played.clone());
            match played {
                Move::Call(Function::Procedure(id), arguments) => _ = library.call(self, *id, arguments)?,
                Move::Return(value) => return Ok(value.clone()),
                _ => return Err(Exit::Client),
            }
        }
    }
}

impl Client for Follows<'_> {
    fn called(
        &mut self,
        library: &mut Library<'_>,
        function: Function,
        _: &[Int],
    ) -> Result<Option<Int>, Exit> {
        self.turn(library, Some(function))
    }
}

/// The moves of those given that lead to a failure; nothing if they lead to none.
fn leads(module: &Module, moves: &[Move], budget: &Budget) -> Option<Vec<Move>> {
    let steps = MOST_STEPS.saturating_mul(1 + moves.len() as u64);
    let mut library = Library::within(module, Patience { steps, budget: Some(budget) });
    let mut follows = Follows { left: moves.iter(), moves: vec![] };
    matches!(follows.turn(&mut library, None), Err(Exit::Fails(_))).then_some(follows.moves)
}

/// Fewer moves that lead to a failure, too, with smaller numbers. What was found is given if time runs out.
fn shorter(module: &Module, mut moves: Vec<Move>, budget: &Budget) -> Vec<Move> {
    let mut tries = 0;
    let mut try_ = |moves: &mut Vec<Move>, with: Vec<Move>| {
        tries += 1;
        let found = if tries > TRIES { None } else { leads(module, &with, budget) };
        let better = found.filter(|found| found.len() < moves.len() || with.len() == moves.len());
        better.map(|found| *moves = found).is_some()
    };
    let mut size = moves.len() / 2;
    while size > 0 {
        let mut changed = false;
        // The last ones first: then those before them stay where they are.
        for first in (0..moves.len()).step_by(size).rev() {
            let end = (first + size).min(moves.len());
            if first < end {
                let without = [&moves[..first], &moves[end..]].concat();
                changed |= try_(&mut moves, without);
            }
        }
        size = if changed { size.min(moves.len() / 2) } else { size / 2 };
    }
    for at in 0..moves.len() {
        let values = match moves.get(at) {
            Some(Move::Call(_, values)) => values.clone(),
            Some(Move::Return(Some(value))) => vec![value.clone()],
            _ => continue,
        };
        for (n, value) in values.iter().enumerate() {
            for simpler in (0..8u64).map(Int::from) {
                let larger = simpler < *value || value.is_negative();
                let mut with = moves.clone();
                match with.get_mut(at) {
                    Some(Move::Call(_, values)) if larger && n < values.len() => values[n] = simpler,
                    Some(Move::Return(Some(value))) if larger => *value = simpler,
                    _ => continue,
                }
                if try_(&mut moves, with) {
                    break;
                }
            }
        }
    }
    moves
}
