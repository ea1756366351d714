//! A search over the positions of a module with its scheduling, over any data, with a bound on the nesting.
//!
//! What a step does to its thread depends on the cells of the module and on that thread only, so it is computed once.

use agon_base::budget::{Budget, Stop};
use agon_base::explore::{Exploration, Order};
use agon_base::id::number;
use agon_base::intern::Sequences;
use agon_core::eval::Patience;
use agon_core::module::Module;
use agon_core::module::threads::replay::{Act, replay};
use agon_core::module::threads::scheduled::{Pause, Scheduled};
use agon_games::arena::{ComponentId, Role};
use agon_games::machine::{
    Machine, Offer, OfferData, Scheduling, Seen, State, ThreadStack, ThreadStep, Threaded,
};
use agon_games::moves::{Label, Move};
use agon_games::strategy::{Outcomes, Step, Strategy};
use agon_games::values::{Domain, Exact};
use rustc_hash::FxHashMap;
use std::ops::Range;

use super::{Bounds, ENGINE, Found, MOST_ACTIVATIONS};
use crate::modules::Compiled;
use crate::search::{Observer, Progress};
use crate::verdict::{Reason, Report, Verdict};

/// If there are more values than this for one move, they are not tried one by one.
const MOST_VALUES: u64 = 1 << 12;
/// A replay takes no more steps than this from one access to the next.
const MOST_STEPS: u64 = 1 << 16;
/// The budget is checked once in this many steps.
const PATIENCE: u64 = 1 << 10;
/// Progress is reported once in this many.
const REPORT: u64 = 1 << 16;

/// A module of single accesses with its scheduling, compiled.
pub struct Prepared<'a> {
    /// The module without its scheduling.
    pub(crate) source: &'a Module,
    pub(crate) bounds: Bounds,
    pub(crate) scheduled: Scheduled,
    pub(crate) compiled: Compiled,
    pub(crate) scheduling: Scheduling,
    /// Whether threads that do nothing and own nothing are exchanged.
    pub(crate) exchange: bool,
}

impl<'a> Prepared<'a> {
    /// A module within bounds; nothing if its scheduling cannot be written into it.
    pub fn new(source: &'a Module, bounds: Bounds) -> Option<Prepared<'a>> {
        let scheduled = source.scheduled(bounds.threads, MOST_ACTIVATIONS)?;
        let compiled = Compiled::new(scheduled.module.clone());
        let within = (bounds.threads, bounds.nesting, MOST_ACTIVATIONS);
        let scheduling = Scheduling::new(&scheduled, &compiled.roles, within);
        Some(Prepared { source, bounds, scheduled, compiled, scheduling, exchange: true })
    }

    /// The module with its scheduling.
    pub fn module(&self) -> &Module {
        &self.scheduled.module
    }

    /// The threads over a domain.
    pub fn over<D: Domain>(&self, machine: Machine<D>) -> Threaded<D> {
        Threaded::new(machine, self.scheduling.clone())
    }

    /// The threads over exact numbers.
    pub fn exact(&self) -> Threaded<Exact> {
        let Compiled { code, arena, .. } = &self.compiled;
        self.over(Machine::new(code.clone(), arena.clone(), Exact::default()))
    }

    /// The same, if threads that do nothing and own nothing are exchanged, or not.
    pub fn exchanging(self, exchange: bool) -> Prepared<'a> {
        Prepared { exchange, ..self }
    }

    /// Where the environment may give more values than are tried one by one, if it may.
    pub fn too_many(&self) -> Option<ComponentId> {
        let Compiled { arena, roles, .. } = &self.compiled;
        let mentioned = self.source.mentioned();
        let few = |id| arena.count(id).filter(|count| *count <= super::stepped::MOST_VALUES);
        let many = |(id, role): &(ComponentId, Role)| match *role {
            Role::Import(_) | Role::Named(_) => few(*id).is_none(),
            Role::Procedure(procedure)
                if self.module().procedure(procedure).exported || mentioned.contains(&procedure) =>
            {
                let mut counts = arena.component(*id).arguments.iter().map(|id| few(*id));
                let all = counts.try_fold(1u64, |all, count| all.checked_mul(count?));
                all.is_none_or(|all| all > MOST_VALUES)
            }
            _ => false,
        };
        roles.iter().find(many).map(|(id, _)| id)
    }

    /// The schedule that a path is, given the environment's moves on it.
    pub(crate) fn schedule<V>(
        &self,
        path: &[PathStep<V>],
        mut moves: impl Iterator<Item = Move>,
    ) -> Vec<Act> {
        let mut acts = Vec::new();
        for Step { label: Seen { thread, asked, said }, how, .. } in path {
            let act = |played| Act { thread: *thread, played };
            match (asked, how.pause, said) {
                (Some(_), ..) => acts.push(act(moves.next().and_then(|m| self.compiled.as_played(&m)))),
                (None, Some(Pause::Access), _) => acts.push(act(None)),
                (None, Some(Pause::Move), Some(_)) => acts.push(act(None)),
                // The interpreter goes on at once.
                (None, Some(Pause::Move | Pause::Rest) | None, _) => {}
            }
        }
        // It may fail where the thread pauses here.
        if let Some(fewer) = (1..=acts.len()).rev().find(|n| self.fails(&acts[..*n])) {
            acts.truncate(fewer);
        }
        acts
    }

    /// Whether the module fails in a schedule.
    fn fails(&self, acts: &[Act]) -> bool {
        let within = (self.bounds.threads, self.bounds.nesting);
        let replayed = replay(self.source, within, acts, Patience::steps(MOST_STEPS));
        replayed.is_ok_and(|replayed| replayed.failure.is_some())
    }
}

/// A step on a path.
pub type PathStep<V> = Step<Seen<V>, (), Chosen<V>>;

/// What was chosen in a step.
#[derive(Clone, Debug)]
pub struct Chosen<V> {
    /// Where the thread has paused, if it goes on.
    pub pause: Option<Pause>,
    /// Which offer the environment plays, and which of its moves.
    pub offer: Option<(usize, u64)>,
    /// How undecided operations came out.
    pub outcomes: Outcomes<V>,
}

/// A step that was made.
struct Kept<V> {
    pause: Option<Pause>,
    offer: Option<(usize, u64)>,
    asked: Option<Move<V>>,
    step: ThreadStep<V>,
}

/// A step, in a thread, by the number of what was made.
type Made = (usize, u32);

/// Whether the environment may give some of these data with an offer.
pub(crate) type MayGive<'a, V> = dyn Fn(&Offer<V>, &OfferData<V>) -> bool + 'a;

/// A search for a path on which the module fails.
pub(crate) struct Search<'a, D: Domain> {
    threaded: &'a mut Threaded<D>,
    /// What a step costs that is not certain.
    extra: u64,
    exchange: bool,
    /// Whether the environment may give some of these data with an offer.
    may_give: &'a MayGive<'a, D::Value>,
    budget: &'a Budget,
    positions: Sequences<u64>,
    kept: Vec<Kept<D::Value>>,
    /// The steps of a thread with a number, by the cells of the module and its stack.
    known: FxHashMap<(State, ThreadStack, usize), Range<u32>>,
    /// For each of the cells of the module, which threads may own a mutex.
    owners: FxHashMap<State, Box<[bool]>>,
}

impl<'a, D: Domain> Search<'a, D> {
    pub(crate) fn new(
        threaded: &'a mut Threaded<D>,
        (extra, exchange): (u64, bool),
        may_give: &'a MayGive<'a, D::Value>,
        budget: &'a Budget,
    ) -> Search<'a, D> {
        Search {
            threaded,
            extra,
            exchange,
            may_give,
            budget,
            positions: Sequences::new(),
            kept: Vec::new(),
            known: FxHashMap::default(),
            owners: FxHashMap::default(),
        }
    }

    /// A path on which the module fails, if there is one: one with few moves, and few steps that are not certain.
    pub(crate) fn run(
        &mut self,
        progress: &mut Progress,
        observe: &mut Observer<'_>,
    ) -> Result<Option<Vec<PathStep<D::Value>>>, Stop> {
        let start = self.threaded.start();
        let words: Vec<u64> = std::iter::once(start.outside.0)
            .chain(start.stacks.iter().map(|stack| u64::from(stack.0)))
            .collect();
        let start = self.positions.intern(&words);
        let mut exploration: Exploration<u32, Made> = Exploration::new(start, Order::Queue);
        let path = exploration.run(|exploration, at| {
            let at = self.positions.get(at).to_vec();
            for thread in 0..at.len() - 1 {
                if self.exchange && self.is_like_another(&at, thread) {
                    continue;
                }
                for n in self.steps(&at, thread)? {
                    progress.transitions += 1;
                    if progress.transitions.is_multiple_of(PATIENCE) {
                        progress.states = exploration.visited();
                        progress.memory = exploration.memory() + self.memory();
                        progress.check(self.budget)?;
                        if progress.transitions.is_multiple_of(REPORT) {
                            observe((*progress).into());
                        }
                    }
                    self.follow(exploration, &at, (thread, n));
                }
            }
            Ok(())
        });
        progress.states = exploration.visited();
        let path = path?;
        Ok(path.map(|path| path.into_iter().map(|made| self.path_step(made)).collect()))
    }

    /// The stack of a thread at a position.
    fn stack(at: &[u64], thread: usize) -> ThreadStack {
        ThreadStack(number(usize::try_from(at[thread + 1]).unwrap_or(usize::MAX)))
    }

    /// Adds what comes of a step.
    fn follow(&mut self, exploration: &mut Exploration<u32, Made>, at: &[u64], by: Made) {
        let Kept { asked, step: Step { label, next, how, .. }, .. } = &self.kept[by.1 as usize];
        let (node, moves) = (exploration.node(), u64::from(asked.is_some()) + u64::from(label.is_some()));
        let cost = exploration.cost() + moves + if how.certain { 0 } else { self.extra };
        match (label.as_ref().map(|label| &label.label), next) {
            (Some(Label::Abort), _) => exploration.add(node, cost, by, None),
            (_, Some((outside, stack))) => {
                let mut next = at.to_vec();
                (next[0], next[by.0 + 1]) = (outside.0, u64::from(stack.0));
                let next = self.positions.intern(&next);
                exploration.add(node, cost, by, Some(next));
            }
            // The program is over.
            (_, None) => {}
        }
    }

    fn path_step(&self, (thread, n): Made) -> PathStep<D::Value> {
        let Kept { pause, offer, asked, step: Step { label, origin, how, .. } } = &self.kept[n as usize];
        let label = Seen { thread, asked: asked.clone(), said: label.clone() };
        let how = Chosen { pause: *pause, offer: *offer, outcomes: how.clone() };
        Step { label, next: None, origin: *origin, how }
    }

    /// The steps of a thread at a position, by their numbers.
    fn steps(&mut self, at: &[u64], thread: usize) -> Result<Range<u32>, Stop> {
        let (outside, stack) = (State(at[0]), Self::stack(at, thread));
        let key = (outside, stack, thread);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let first = number(self.kept.len());
        let mut found = Vec::new();
        let pause = self.threaded.pause(stack);
        if pause.is_some() {
            self.threaded.advance((outside, thread, stack), None, None, self.budget, &mut found)?;
            self.kept.extend(found.drain(..).map(|step| Kept { pause, offer: None, asked: None, step }));
        } else {
            for (n, offer) in self.threaded.offers_in(outside, stack).iter().enumerate() {
                for code in 0..=offer.last.unwrap_or(0) {
                    let machine = self.threaded.machine();
                    let data = offer.parts(machine.domain(), machine.arena(), code);
                    if !(self.may_give)(offer, &data) {
                        continue;
                    }
                    let asked = Some(offer.with(data.clone()));
                    let played = Some((offer, data));
                    self.threaded.advance((outside, thread, stack), played, None, self.budget, &mut found)?;
                    let offer = Some((n, code));
                    self.kept.extend(found.drain(..).map(|step| Kept {
                        pause,
                        offer,
                        asked: asked.clone(),
                        step,
                    }));
                }
            }
        }
        let all = first..number(self.kept.len());
        self.known.insert(key, all.clone());
        Ok(all)
    }

    /// Whether a thread does nothing and owns nothing, and one before it as well: they can be exchanged.
    fn is_like_another(&mut self, at: &[u64], thread: usize) -> bool {
        let idle = |thread: usize| Self::stack(at, thread) == ThreadStack::default();
        if !idle(thread) || !(0..thread).any(idle) {
            return false;
        }
        let (outside, threads) = (State(at[0]), at.len() - 1);
        let threaded = &mut *self.threaded;
        let owners = self
            .owners
            .entry(outside)
            .or_insert_with(|| (0..threads).map(|thread| threaded.may_own(outside, thread)).collect());
        !owners[thread] && (0..thread).any(|other| idle(other) && !owners[other])
    }

    fn memory(&self) -> usize {
        self.threaded.memory()
            + self.positions.memory()
            + self.kept.capacity() * size_of::<Kept<D::Value>>()
            + self.known.capacity() * size_of::<((State, ThreadStack, usize), Range<u32>)>()
    }
}

/// Whether a module can fail, over exact numbers: every value that the environment may give is tried.
pub fn explicit(prepared: &Prepared<'_>, budget: &Budget, observe: &mut Observer<'_>) -> Found {
    if let Some(component) = prepared.too_many() {
        return Report::new(Verdict::Unknown(Reason::Stop(Stop::Unbounded(component))), ENGINE);
    }
    let mut threaded = prepared.exact();
    let mut progress = Progress::default();
    let mut search = Search::new(&mut threaded, (0, prepared.exchange), &|_, _| true, budget);
    let found = search.run(&mut progress, observe);
    let verdict = match found {
        Err(stop) => Verdict::Unknown(Reason::Stop(stop)),
        Ok(Some(path)) => {
            let moves = path.iter().filter_map(|step| step.label.asked.clone());
            Verdict::Unsafe(prepared.schedule(&path, moves), ())
        }
        Ok(None) if threaded.cut => Verdict::Unknown(Reason::Stop(Stop::Transitions)),
        Ok(None) => Verdict::Safe,
    };
    Report { states: progress.states, transitions: progress.transitions, ..Report::new(verdict, ENGINE) }
}
