//! Runs of a module over exact numbers. Every input is tried.

use std::rc::Rc;

use agon_base::budget::{Budget, Stop};
use agon_base::int::Int;
use agon_core::module::{Allowed, Function, Module, Sort};
use agon_games::arena::{ComponentId, Role, Roles};
use agon_games::machine::{Globals, Machine, Offer, OfferData, OfferKind, Reaction, State};
use agon_games::moves::{Label, Move};
use agon_games::values::Exact;
use rustc_hash::{FxHashMap, FxHashSet};

use super::is_ignored;
use super::tabulate::{Arrival, Figures, Made, Run, Runs};
use crate::search::{Observer, Progress};

/// A run begins with this move of the environment's: at a position, an offer, and its place in the family. Runs after silent
/// calls and returns begin with none.
pub type Link = Option<(State, u16, u64)>;

/// If there are more values than this for one move, only a few are tried.
const MOST_VALUES: u64 = 1 << 16;
/// Numbers below this one are tried, and so is -1.
const SMALL: u64 = 4;
/// At most this many numbers are tried for one argument: small ones, then those near to numbers of the module.
const MOST_NUMBERS: usize = 16;
/// With several arguments, fewer are tried of each, so that no more calls than this are.
const MOST_CALLS: usize = 512;
/// At most this many functions of each kind are tried for one argument.
const MOST_FUNCTIONS: usize = 2;
/// The budget is checked once in this many runs.
const PATIENCE: u64 = 1 << 10;
/// Progress is reported once in this many.
const REPORT: u64 = 1 << 16;

/// The runs of a machine over exact numbers, each made once.
pub struct ExactRuns<'a, 'b> {
    /// The machine.
    pub machine: Machine<Exact>,
    roles: &'a Roles,
    known: FxHashMap<(State, Option<Allowed>), Made<Self>>,
    /// How many runs were made.
    pub made: u64,
    budget: &'a Budget,
    observe: &'a mut Observer<'b>,
    /// A component in which not every value was tried.
    unbounded: Option<ComponentId>,
    /// Numbers that may matter where not every value is tried.
    distinguishing: Vec<Int>,
    /// Components in which the module never reads what the environment gives.
    unread: FxHashSet<ComponentId>,
}

impl<'a, 'b> ExactRuns<'a, 'b> {
    /// Runs of a machine.
    pub fn new(
        machine: Machine<Exact>,
        roles: &'a Roles,
        budget: &'a Budget,
        observe: &'a mut Observer<'b>,
    ) -> Self {
        let unread = machine.module().map_or(FxHashSet::default(), |(module, _)| {
            roles.iter().filter(|(_, role)| is_ignored(module, *role)).map(|(id, _)| id).collect()
        });
        let distinguishing = machine.module().map_or(Vec::new(), |(module, _)| distinguishing(module));
        ExactRuns {
            machine,
            roles,
            known: FxHashMap::default(),
            made: 0,
            budget,
            observe,
            unbounded: None,
            distinguishing,
            unread,
        }
    }

    /// The same runs, with all values, also where the module never reads them.
    pub fn with_unread(self) -> Self {
        ExactRuns { unread: FxHashSet::default(), ..self }
    }

    /// The moves of a family that are tried: all, or a few if there are too many.
    fn codes(&mut self, offer: &Offer<Int>) -> Vec<u64> {
        let arena = self.machine.arena();
        let arguments = match offer.kind {
            OfferKind::Call => arena.component(offer.component).arguments.as_slice(),
            OfferKind::Value => std::slice::from_ref(&offer.component),
            _ => &[],
        };
        // What the module never reads may be anything.
        let read: Vec<bool> = arguments.iter().map(|id| !self.unread.contains(id)).collect();
        if let Some(last) = offer.last.filter(|last| *last < MOST_VALUES && !read.contains(&false)) {
            return (0..=last).collect();
        }
        let sizes = || arguments.iter().map(|id| arena.count(*id));
        let mut all = sizes().zip(&read).filter(|(_, read)| **read).map(|(size, _)| size);
        let few =
            all.try_fold(1u64, |all, size| all.checked_mul(size?)).is_some_and(|all| all <= MOST_VALUES);
        let mut codes = vec![0];
        let (mut place, mut missed) = (Some(1u64), !few);
        // As many for each argument that all combinations are no more than can be tried.
        let count = u32::try_from(read.iter().filter(|read| **read).count()).unwrap_or(u32::MAX);
        let root = |most: &usize| most.checked_pow(count).is_some_and(|all| all <= MOST_CALLS);
        let most = (1..=MOST_NUMBERS).rev().find(root).unwrap_or(1).max(2);
        for ((id, size), read) in arguments.iter().zip(sizes()).zip(&read) {
            // An argument behind one without an end is not tried at all.
            let Some(unit) = place else {
                missed |= read;
                continue;
            };
            let last = size.map(|size| size - 1);
            let digits: Vec<u64> = match (read, few, self.functions(*id)) {
                (false, ..) => vec![0],
                (_, true, _) => (0..=last.unwrap_or(0)).collect(),
                (_, false, Some(names)) => names,
                (_, false, None) => {
                    let small = (0..SMALL).filter(|n| last.is_none_or(|last| *n < last)).chain(last);
                    let near: Vec<u64> = match (arena.data(*id), &arena.component(*id).range) {
                        (Some(data), None) => self.distinguishing.iter().map(|n| data.code(n)).collect(),
                        // Where some numbers of the type are left out, the others are counted from the least.
                        _ => {
                            let small = [0i64, 1, -1, 2].map(Int::from);
                            let numbers = small.iter().chain(&self.distinguishing);
                            numbers.filter_map(|n| arena.code(*id, n)).collect()
                        }
                    };
                    let mut seen = FxHashSet::default();
                    small.chain(near).filter(|n| seen.insert(*n)).take(most).collect()
                }
            };
            let with = |code: &u64| {
                let code = *code;
                digits.iter().filter_map(move |n| code.checked_add(n.checked_mul(unit)?))
            };
            codes = codes.iter().flat_map(with).collect();
            place = size.and_then(|size| unit.checked_mul(size));
        }
        if missed {
            self.unbounded.get_or_insert(offer.component);
        }
        codes
    }

    /// A few names of functions that the environment may give, if it gives one there: `null`, its own functions, and others of the type.
    fn functions(&self, id: ComponentId) -> Option<Vec<u64>> {
        let Some(Sort::Function(signature)) = self.roles.sort(id) else { return None };
        let (module, _) = self.machine.module()?;
        let own = module.nameable(*signature).map(Function::Procedure);
        let imports = module.imports().filter(|(_, import)| import.signature == *signature);
        let known =
            own.take(MOST_FUNCTIONS).chain(imports.map(|(id, _)| Function::Import(id)).take(MOST_FUNCTIONS));
        let all = module.foreign(*signature).take(MOST_FUNCTIONS).chain(known);
        Some(std::iter::once(0).chain(all.filter_map(|function| module.number(function).to_u64())).collect())
    }

    /// Where the environment may give more values than were tried, if it may.
    pub fn unbounded(&self) -> Option<ComponentId> {
        self.unbounded
    }

    /// The moves of the environment's that runs begin with.
    pub fn moves(&self, links: &[Link]) -> Vec<Move> {
        let asked = |(state, n, code): &(State, u16, u64)| {
            let offers = self.machine.offers(*state);
            let offer = offers.get(usize::from(*n))?;
            Some(offer.at(self.machine.domain(), self.machine.arena(), *code))
        };
        links.iter().flatten().filter_map(asked).collect()
    }

    /// The runs that begin with a move of the environment's: a call of what is allowed, or an answer.
    fn played(&mut self, at: State, calls: Option<Allowed>) -> Result<Made<Self>, Stop> {
        if let Some(known) = self.known.get(&(at, calls)) {
            return Ok(known.clone());
        }
        let mut runs = Vec::new();
        let mut reactions = Vec::new();
        let offers = self.machine.offers(at);
        for (n, offer) in (0..).zip(offers.iter()) {
            if calls.is_some_and(|allowed| !self.machine.allows(allowed, offer.component)) {
                continue;
            }
            for code in self.codes(offer) {
                self.made += 1;
                if self.made.is_multiple_of(PATIENCE) {
                    self.budget.check()?;
                }
                self.machine.play(at, offer, code, &mut reactions, self.budget)?;
                let link = Some((at, n, code));
                let made = std::mem::take(&mut reactions).into_iter();
                runs.extend(made.filter_map(|reaction| self.run(reaction, link)));
            }
        }
        // Runs that come to the same are one.
        let mut seen = FxHashSet::default();
        runs.retain(|run| seen.insert(run.end.clone()));
        let runs: Rc<[_]> = runs.into();
        self.known.insert((at, calls), runs.clone());
        Ok(runs)
    }

    /// Runs a procedure that is summarised, from its call.
    pub(crate) fn enter(
        &mut self,
        globals: Globals,
        component: ComponentId,
        arguments: &[Int],
    ) -> Result<Vec<Reaction<Int>>, Stop> {
        self.made += 1;
        let at = self.machine.join(None, globals);
        let mut reactions = Vec::new();
        self.machine.enter_summarised(at, (component, arguments), None, &mut reactions, self.budget)?;
        Ok(reactions)
    }

    /// Runs the module from the end of such a procedure, with its value.
    pub(crate) fn resume(&mut self, at: State, value: Option<&Int>) -> Result<Vec<Reaction<Int>>, Stop> {
        self.made += 1;
        let mut reactions = Vec::new();
        let offers = self.machine.offers(at);
        if let Some(offer) = offers.first() {
            let data = OfferData { value: value.cloned(), ..OfferData::default() };
            self.machine.play_with(at, offer, data, None, &mut reactions, self.budget)?;
        }
        Ok(reactions)
    }

    fn run(&self, reaction: Reaction<Int>, link: Link) -> Option<Run<Int, Link>> {
        let end = end_of(self.roles, reaction)?;
        Some(Run { end, extra: 0, link })
    }
}

/// Numbers of a module and those next to them, the least magnitudes first.
fn distinguishing(module: &Module) -> Vec<Int> {
    let near = |n: &Int| [n.clone(), n.add(&Int::ONE), n.sub(&Int::ONE)];
    let mut numbers: Vec<Int> = module.numbers().flat_map(near).collect();
    numbers.sort_by_key(|n| (if n.is_negative() { n.neg() } else { n.clone() }, n.is_negative()));
    numbers.dedup();
    numbers
}

/// What a run comes to; nothing, if it ends the process.
pub(crate) fn end_of<V>(roles: &Roles, reaction: Reaction<V>) -> Option<Arrival<V>> {
    let Move { component, label, .. } = reaction.label;
    let summarised = matches!(roles.of(component), Role::Summarised(_));
    match (label, reaction.next) {
        (Label::Abort, _) => Some(Arrival::Fails),
        (Label::Call(arguments), Some(next)) if summarised => {
            Some(Arrival::Calls(next, component, arguments))
        }
        (Label::Call(_), Some(next)) => Some(Arrival::Waits(next)),
        (Label::Value(value), Some(next)) => Some(Arrival::Returns(next, summarised.then_some(value))),
        (_, Some(next)) => Some(Arrival::Returns(next, None)),
        (_, None) => None,
    }
}

impl Runs for ExactRuns<'_, '_> {
    type Value = Int;
    type Link = Link;
    type State = State;
    type Globals = Globals;

    fn start(&mut self) -> State {
        self.machine.start()
    }

    fn globals(&mut self, _: Option<Globals>, at: State) -> Globals {
        self.machine.split(at).1
    }

    fn with_globals(&mut self, at: State, globals: Globals) -> State {
        let (waiting, _) = self.machine.split(at);
        self.machine.join(waiting, globals)
    }

    fn allowed(&mut self, at: State) -> Option<Allowed> {
        self.machine.allowed(at)
    }

    fn called(&mut self, globals: Globals, allowed: Allowed) -> Result<Made<Self>, Stop> {
        let at = self.machine.join(None, globals);
        self.played(at, Some(allowed))
    }

    fn answered(&mut self, at: State) -> Result<Made<Self>, Stop> {
        self.played(at, None)
    }

    fn entered(
        &mut self,
        globals: Globals,
        component: ComponentId,
        arguments: &[Int],
    ) -> Result<Made<Self>, Stop> {
        let reactions = self.enter(globals, component, arguments)?;
        Ok(reactions.into_iter().filter_map(|reaction| self.run(reaction, None)).collect())
    }

    fn resumed(&mut self, at: State, value: Option<&Int>) -> Result<Made<Self>, Stop> {
        let reactions = self.resume(at, value)?;
        Ok(reactions.into_iter().filter_map(|reaction| self.run(reaction, None)).collect())
    }

    fn watch(&mut self, figures: Figures) -> Result<(), Stop> {
        if figures.edges.is_multiple_of(PATIENCE) {
            let memory = figures.memory + self.machine.memory();
            self.budget.check_with(memory)?;
            if self.budget.transitions.is_some_and(|most| figures.edges > most) {
                return Err(Stop::Transitions);
            }
            if figures.edges.is_multiple_of(REPORT) {
                let states = figures.members;
                let progress = Progress { states, transitions: figures.edges, memory, ..Progress::default() };
                (self.observe)(progress.into());
            }
        }
        Ok(())
    }
}
