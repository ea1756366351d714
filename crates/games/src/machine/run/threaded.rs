//! A module with several threads: each has a stack of activations, and all share the cells of the module.
//!
//! The module has its scheduling written into it ([`Scheduled`]): it calls a procedure where a thread pauses. A step is a move of
//! the environment's in a thread, or a thread goes on; it ends where the thread pauses again, or where the environment is to move
//! in it. So the machine runs one activation at a time, as it does for a module with one thread.

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::explore::depth_first;
use agon_base::id::number;
use agon_base::int::Int;
use agon_base::intern::Interner;
use agon_core::module::CellId;
use agon_core::module::threads::scheduled::{Pause, Scheduled};

use super::{Binding, Machine, Reaction, State, Waiting};
use crate::arena::{Arena, ComponentId, OWN, Role, Roles};
use crate::machine::Branch;
use crate::machine::code::Index;
use crate::machine::offers::{Offer, OfferData};
use crate::moves::{Label, Move, ThreadMove};
use crate::play::Play;
use crate::strategy::{Outcomes, Played, Recorded, Step, StepOf, Strategy, Thread, Turn};
use crate::values::{Domain, Exact};

agon_base::id! {
    /// The stack of a thread, by its number. The first is that of a thread in which nothing was called.
    pub ThreadStack;
}

/// What threads there are, and how they are scheduled.
#[derive(Clone, Debug)]
pub struct Scheduling {
    /// How many threads there are.
    pub threads: usize,
    /// How many calls of the environment's are open at most in each thread.
    pub nesting: usize,
    /// A thread with more activations than this is not followed further.
    pub activations: usize,
    /// The components of pauses.
    pauses: Vec<(ComponentId, Pause)>,
    /// The component in which a thread asks for its number.
    itself: Option<ComponentId>,
    mutexes: Vec<CellId>,
}

impl Scheduling {
    /// How the threads of a module are scheduled. The environment has this many, with calls nested so deep; a thread has so many
    /// activations.
    pub fn new(
        scheduled: &Scheduled,
        roles: &Roles,
        (threads, nesting, activations): (usize, usize, usize),
    ) -> Scheduling {
        let component = |id| roles.component(Role::Summarised(id));
        let pauses = scheduled.pauses.iter().filter_map(|(pause, id)| Some((component(*id)?, *pause)));
        Scheduling {
            threads,
            nesting,
            activations,
            pauses: pauses.collect(),
            itself: component(scheduled.itself),
            mutexes: scheduled.mutexes.clone(),
        }
    }
}

/// A move of the environment's: an offer, and its data.
type Given<'a, V> = (&'a Offer<V>, OfferData<V>);

/// An activation of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Activation {
    waiting: Waiting,
    /// Whether the environment has called it; otherwise the module has, and the call is one that is summarised.
    by_environment: bool,
    waits_for: WaitsFor,
}

/// What an activation waits for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum WaitsFor {
    /// The environment.
    Environment,
    /// Its turn.
    Turn(Pause),
    /// The activation above it.
    Procedure,
}

/// A position of a module with several threads.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Threads {
    /// The cells of the module, without an activation.
    pub outside: State,
    /// The stack of each thread.
    pub stacks: Box<[ThreadStack]>,
}

/// What is seen of a step, and in which thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen<V> {
    /// The thread.
    pub thread: usize,
    /// The environment's move.
    pub asked: Option<Move<V>>,
    /// The module's move.
    pub said: Option<Move<V>>,
}

/// A step of one thread: the module's move if it makes one, and the cells of the module and the stack of the thread after it.
pub type ThreadStep<V> = Step<Option<Move<V>>, (State, ThreadStack), Outcomes<V>>;

/// What a thread does in one step, as far as it was followed.
struct Unfinished<V> {
    /// The activations that wait below the one that runs, outermost first.
    below: Vec<Activation>,
    by_environment: bool,
    run: Reaction<V>,
}

/// More silent calls and returns than this are not made in one step.
const MOST_CALLS: usize = 1 << 12;
/// More ways than this are not followed in one step.
const MOST_WAYS: usize = 1 << 10;

/// A module with several threads.
pub struct Threaded<D: Domain> {
    machine: Machine<D>,
    scheduling: Scheduling,
    stacks: Interner<Vec<Activation>, ThreadStack>,
    /// Whether some step was not followed to its end.
    pub cut: bool,
}

impl<D: Domain> Threaded<D> {
    /// A module with its scheduling.
    pub fn new(machine: Machine<D>, scheduling: Scheduling) -> Threaded<D> {
        let mut stacks = Interner::default();
        stacks.intern(Vec::new());
        Threaded { machine, scheduling, stacks, cut: false }
    }

    /// The machine that runs the threads.
    pub fn machine(&self) -> &Machine<D> {
        &self.machine
    }

    /// The domain, to take notes out of it.
    pub fn domain_mut(&mut self) -> &mut D {
        self.machine.domain_mut()
    }

    /// The memory that the tables take, in bytes.
    pub fn memory(&self) -> usize {
        self.machine.memory() + self.stacks.memory()
    }

    /// Where a thread pauses, if it does: it goes on by itself. In all others the environment is to move.
    pub fn pause(&self, stack: ThreadStack) -> Option<Pause> {
        match self.stacks.get(stack).last()?.waits_for {
            WaitsFor::Turn(pause) => Some(pause),
            WaitsFor::Environment | WaitsFor::Procedure => None,
        }
    }

    /// What the environment may play in a thread: calls first, then answers.
    pub fn offers_in(&self, outside: State, stack: ThreadStack) -> Vec<Offer<D::Value>> {
        let stack = self.stacks.get(stack);
        // What is offered depends on the control of the activation only.
        let top = stack.last().map(|top| top.waiting.beside(outside));
        let nesting = stack.iter().filter(|activation| activation.by_environment).count();
        let allowed = match top {
            None => Some(Default::default()),
            Some(at) => self.machine.allowed(at),
        };
        let mut offers = Vec::new();
        if let Some(allowed) = allowed.filter(|_| nesting < self.scheduling.nesting) {
            let calls = self.machine.offers(outside);
            offers.extend(calls.iter().filter(|call| self.machine.allows(allowed, call.component)).cloned());
        }
        if let Some(at) = top {
            offers.extend(self.machine.offers(at).iter().cloned());
        }
        offers
    }

    /// Whether a thread may own a mutex.
    pub fn may_own(&mut self, outside: State, thread: usize) -> bool {
        let own = Int::from(thread as u64 + 1);
        let mutexes = std::mem::take(&mut self.scheduling.mutexes);
        let may = mutexes.iter().any(|id| {
            let held = self.machine.held_in_store(outside, *id);
            held.iter().any(|held| self.machine.domain().exactly(held).is_none_or(|held| held == own))
        });
        self.scheduling.mutexes = mutexes;
        may
    }

    /// Adds the steps of a thread: the environment plays one of its offers there, or the thread goes on.
    pub fn advance(
        &mut self,
        (outside, thread, stack): (State, usize, ThreadStack),
        played: Option<Given<'_, D::Value>>,
        script: Option<&[u32]>,
        budget: &Budget,
        found: &mut Vec<ThreadStep<D::Value>>,
    ) -> Result<(), Stop> {
        let mut below = self.stacks.get(stack).clone();
        let mut runs = Vec::new();
        let calls = |offer: &Offer<D::Value>| matches!(offer.kind, crate::machine::OfferKind::Call);
        let by_environment = match played {
            Some((offer, data)) if calls(offer) => {
                self.machine.play_with(outside, offer, data, script, &mut runs, budget)?;
                true
            }
            played => {
                let Some(top) = below.pop() else { return Ok(()) };
                let at = self.joined(top.waiting, outside);
                match played {
                    Some((offer, data)) => {
                        self.machine.play_with(at, offer, data, script, &mut runs, budget)?;
                    }
                    None => self.resume(at, None, script, &mut runs, budget)?,
                }
                top.by_environment
            }
        };
        self.follow((thread, below, by_environment), runs, script.is_some(), budget, found)
    }

    fn joined(&mut self, waiting: Waiting, outside: State) -> State {
        let (_, globals) = self.machine.split(outside);
        self.machine.join(Some(waiting), globals)
    }

    /// An activation goes on behind a call that is summarised, with its value.
    fn resume(
        &mut self,
        at: State,
        value: Option<D::Value>,
        script: Option<&[u32]>,
        runs: &mut Vec<Reaction<D::Value>>,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let Some(offer) = self.machine.offers(at).first().cloned() else { return Ok(()) };
        let data = OfferData { value, ..OfferData::default() };
        self.machine.play_with(at, &offer, data, script, runs, budget)
    }

    /// The steps that follow once a run has come to something: the thread pauses, or the module moves in it, or calls and
    /// returns are made that nobody sees.
    fn follow(
        &mut self,
        (thread, below, by_environment): (usize, Vec<Activation>, bool),
        runs: Vec<Reaction<D::Value>>,
        scripted: bool,
        budget: &Budget,
        found: &mut Vec<ThreadStep<D::Value>>,
    ) -> Result<(), Stop> {
        let mut calls = 0;
        let way = |run| Unfinished { below: below.clone(), by_environment, run };
        let waiting: Vec<_> = runs.into_iter().rev().map(way).collect();
        depth_first(waiting, |waiting, Unfinished { mut below, by_environment, run }| {
            let Some(next) = run.next else {
                found.push(Step { label: Some(run.label), next: None, origin: run.origin, how: run.how });
                return Ok(());
            };
            let (activation, globals) = self.machine.split(next);
            let outside = self.machine.join(None, globals);
            let component = run.label.component;
            let summarised = self
                .machine
                .module()
                .is_some_and(|(_, roles)| matches!(roles.of(component), Role::Summarised(_)));
            let pause = self.scheduling.pauses.iter().find(|(known, _)| *known == component).copied();
            // The script of a step is that of all its runs.
            let script = scripted.then(|| self.machine.script_left());
            let script = script.as_deref();
            let mut further = Vec::new();
            let mut by_environment = by_environment;
            match &run.label.label {
                Label::Call(arguments) if summarised && pause.is_none() => match activation {
                    Some(_) if self.scheduling.itself == Some(component) => {
                        let own = Int::from(thread as u64 + 1);
                        let own = self.machine.domain_mut().number(&own);
                        self.resume(next, Some(own), script, &mut further, budget)?;
                    }
                    _ => {
                        let waits_for = WaitsFor::Procedure;
                        below.extend(activation.map(|waiting| Activation {
                            waiting,
                            by_environment,
                            waits_for,
                        }));
                        by_environment = false;
                        let call = (component, &**arguments);
                        self.machine.enter_summarised(outside, call, script, &mut further, budget)?;
                    }
                },
                label if summarised && !matches!(label, Label::Call(_)) => {
                    let Some(caller) = below.pop() else { return Ok(()) };
                    let value = match label {
                        Label::Value(value) => Some(value.clone()),
                        _ => None,
                    };
                    by_environment = caller.by_environment;
                    let at = self.machine.join(Some(caller.waiting), globals);
                    self.resume(at, value, script, &mut further, budget)?;
                }
                _ => {
                    let waits_for = pause.map_or(WaitsFor::Environment, |(_, pause)| WaitsFor::Turn(pause));
                    below.extend(activation.map(|waiting| Activation { waiting, by_environment, waits_for }));
                    if below.len() > self.scheduling.activations {
                        self.cut = true;
                        return Ok(());
                    }
                    let label = pause.is_none().then_some(run.label);
                    let next = Some((outside, self.stacks.intern(below)));
                    found.push(Step { label, next, origin: run.origin, how: run.how });
                    return Ok(());
                }
            }
            calls += 1;
            let many = calls > MOST_CALLS || waiting.len() + found.len() > MOST_WAYS;
            if many || below.len() > self.scheduling.activations {
                self.cut = true;
                return Ok(());
            }
            let unfinished = |step: Reaction<D::Value>| Unfinished {
                below: below.clone(),
                by_environment,
                run: Step { how: run.how.then(step.how), ..step },
            };
            waiting.extend(further.into_iter().rev().map(unfinished));
            Ok(())
        })
    }

    /// The thread that a path in the tree of threads leads to.
    fn thread(thread: &Thread) -> usize {
        match thread {
            [Branch::Asked(_, n)] => *n as usize,
            _ => 0,
        }
    }
}

/// The path to a thread in the tree of threads.
pub fn thread_path(thread: usize) -> Box<Thread> {
    Box::new([Branch::Asked(OWN, number(thread))])
}

impl<D: Domain> Machine<D> {
    /// What the cells of the store hold that a cell or array of the module is kept in.
    fn held_in_store(&mut self, state: State, id: CellId) -> Vec<D::Value> {
        let Some(module) = self.code.module.clone() else { return Vec::new() };
        let at = module.escapable.len() + id.index();
        let Binding::Cell { slot, offset, .. } = self.scopes.get(self.halves.scope, Index(number(at))) else {
            return Vec::new();
        };
        self.stores.unfold(state.store(), self.halves.whole(), &mut self.store);
        let width = self.widths[slot.index()];
        let kind = &self.code.slots[slot.index()];
        let bits = |n: u32| match width {
            0 => 0,
            _ => self.store.get((offset + n * width) as usize, width),
        };
        let cells = u32::try_from(self.domain.cells(kind)).unwrap_or(u32::MAX);
        (0..cells).map(|n| self.domain.decode(kind, bits(n))).collect()
    }
}

impl<D: Domain> Strategy for Threaded<D> {
    type Domain = D;
    type Position = Threads;
    type Label = Seen<D::Value>;

    fn start(&self) -> Threads {
        let stacks = vec![ThreadStack::default(); self.scheduling.threads].into();
        Threads { outside: self.machine.start(), stacks }
    }

    fn offers(&self, at: &Threads, thread: &Thread) -> Option<Arc<[Offer<D::Value>]>> {
        let stack = *at.stacks.get(Self::thread(thread))?;
        self.pause(stack).is_none().then(|| self.offers_in(at.outside, stack).into())
    }

    fn steps_into(
        &mut self,
        at: &Threads,
        turn: Turn<'_, D::Value>,
        script: Option<&[u32]>,
        budget: &Budget,
        found: &mut Vec<StepOf<Self>>,
    ) -> Result<(), Stop> {
        let thread = Self::thread(turn.thread);
        let Some(stack) = at.stacks.get(thread).copied() else { return Ok(()) };
        let mut steps = Vec::new();
        let offers = self.offers_in(at.outside, stack);
        let played = match turn.played {
            Some((n, data)) => match offers.get(n) {
                Some(offer) if self.pause(stack).is_none() => Some((offer, data)),
                _ => return Ok(()),
            },
            None if self.pause(stack).is_none() => return Ok(()),
            None => None,
        };
        let asked = played.as_ref().map(|(offer, data)| offer.with(data.clone()));
        self.advance((at.outside, thread, stack), played, script, budget, &mut steps)?;
        found.extend(steps.into_iter().map(|Step { label, next, origin, how }| {
            let next = next.map(|(outside, stack)| {
                let mut stacks = at.stacks.clone();
                stacks[thread] = stack;
                Threads { outside, stacks }
            });
            Step { label: Seen { thread, asked: asked.clone(), said: label }, next, origin, how }
        }));
        Ok(())
    }
}

impl<D: Domain> Played for Threaded<D> {
    const ANSWERS: bool = false;

    fn seen(label: &Seen<D::Value>) -> Option<&Move<D::Value>> {
        label.said.as_ref().or(label.asked.as_ref())
    }

    fn arena(&self) -> &Arena {
        self.machine.arena()
    }
}

impl Recorded for Threaded<Exact> {
    fn record(&self, _: &Threads, _: Option<(usize, Move)>, step: Option<&StepOf<Self>>, play: &mut Play) {
        let Some(Step { label: Seen { thread, asked, said }, origin, .. }) = step else { return };
        let threads: Box<[u32]> = Box::new([number(*thread)]);
        let moves = [(asked, None), (said, origin.span(self.machine.code()))];
        for (m, span) in moves {
            if let Some(m) = m.clone() {
                play.push_threaded(ThreadMove { m, threads: threads.clone() }, span);
            }
        }
    }
}
