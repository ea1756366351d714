//! Threads by the small steps of the interpreter: for modules that begin threads, for names of functions, and for inputs that stand for all.
//!
//! A configuration is what the threads share, and the stack of each thread. Both are numbered. A step is a move of the
//! environment's, or one access or move by the module, and behind it everything that no other thread can see. What a step does to
//! its thread depends on the shared cells and on that thread only, so it is computed once.

use agon_base::budget::{Budget, Stop};
use agon_base::explore::{Exploration, Order};
use agon_base::id::number;
use agon_base::intern::{Interner, Sequences};
use agon_core::module::play::Move;
use agon_core::module::threads::offers::{Giving, Offering};
use agon_core::module::threads::races::{Access, race};
use agon_core::module::threads::reach::{Reach, Reaching};
use agon_core::module::threads::replay::Act;
use agon_core::module::threads::{Next, Shared, Stepped, Thread, deadlock};
use agon_core::module::{CellKind, Liveness, Module, Store};
use rustc_hash::FxHashMap;
use std::rc::Rc;

use super::{ENGINE, Found};
use crate::search::{Observer, Progress};
use crate::verdict::{Reason, Report, Verdict};

/// Types with more values than this are not tried in full.
pub(super) const MOST_VALUES: u64 = 1 << 8;
/// A thread that takes more steps than this from one access to the next is not followed further.
const MOST_STEPS: u64 = 1 << 16;
/// The budget is checked once in this many steps.
const PATIENCE: u64 = 1 << 10;
/// Progress is reported once in this many.
const REPORT: u64 = 1 << 16;

/// A configuration: the number of what is shared, then those of the threads. It has a number itself.
type Configuration = [u32];

/// A step: the thread, and the number of the environment's move, if it makes one.
type Made = (usize, Option<u32>);

/// What comes of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
enum After {
    /// The shared cells, the thread, whether the module has moved, and the thread that begins.
    At(u32, u32, bool, Option<u32>),
    /// The module fails.
    Fails,
    /// The program is over.
    Over,
}

/// Whether a module of single accesses can fail with this many threads, if the environment gives this.
pub fn check_giving(
    module: &Module,
    threads: usize,
    giving: Giving,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Found {
    let mut runs = Runs {
        module,
        configurations: Sequences::new(),
        moves: Interner::default(),
        offering: Offering::new(module, giving),
        liveness: Liveness::of(module),
        shared: Interner::default(),
        owners: Vec::new(),
        stacks: Interner::default(),
        next: Vec::new(),
        accesses: Vec::new(),
        reaching: module.begins_threads().then(|| Reaching::new(module)),
        reaches: Vec::new(),
        known: FxHashMap::default(),
        begun: FxHashMap::default(),
        cut: false,
    };
    let found = runs.search(threads, budget, observe);
    let (path, states, transitions) = match found {
        Ok(found) => found,
        Err(stop) => return Report::new(Verdict::Unknown(Reason::Stop(stop)), ENGINE),
    };
    let verdict = match path {
        Some(acts) => Verdict::Unsafe(acts, ()),
        None if runs.cut => Verdict::Unknown(Reason::Stop(Stop::Transitions)),
        None => match runs.offering.left_out() {
            Some(sort) => Verdict::Unknown(Reason::SomeValues(module.show_sort(sort))),
            None => Verdict::Safe,
        },
    };
    Report { states, transitions, ..Report::new(verdict, ENGINE) }
}

struct Runs<'a> {
    module: &'a Module,
    configurations: Sequences,
    /// The environment's moves.
    moves: Interner<Move>,
    offering: Offering<'a>,
    liveness: Liveness,
    shared: Interner<Shared>,
    /// For each of what is shared, the threads that own a mutex.
    owners: Vec<Vec<usize>>,
    stacks: Interner<Thread>,
    /// What each of the stacks does next.
    next: Vec<Next>,
    /// The access that each of them makes next, if races are looked for.
    accesses: Vec<Option<Access>>,
    /// What threads may still do, if the module begins threads; of each of the stacks.
    reaching: Option<Reaching<'a>>,
    reaches: Vec<Rc<Reach>>,
    /// What comes of an access or a move by the module: from the shared cells, in a thread, by its number.
    known: FxHashMap<(u32, u32, u32), After>,
    /// What comes of a move of the environment's in a thread, by its number, whatever is shared.
    begun: FxHashMap<(u32, u32, u32), After>,
    /// Whether something was not followed to its end.
    cut: bool,
}

/// The path to a failure, if there is one, and how many configurations and steps were tried.
type Searched = (Option<Vec<Act>>, usize, u64);

impl Runs<'_> {
    fn search(
        &mut self,
        threads: usize,
        budget: &Budget,
        observe: &mut Observer<'_>,
    ) -> Result<Searched, Stop> {
        let shared = self.share(Shared::default());
        let idle = self.stack(Thread::default());
        let start: Vec<u32> = std::iter::once(shared).chain((0..threads).map(|_| idle)).collect();
        let start = self.configurations.intern(&start);
        let mut exploration: Exploration<u32, Made> = Exploration::new(start, Order::Queue);
        let mut steps: u64 = 0;
        let path = exploration.run(|exploration, at| {
            let at = self.configurations.get(at).to_vec();
            let all = 0..at.len() - 1;
            for n in self.goes_first(&at).map_or(all, |n| n..n + 1) {
                for (played, end) in self.steps(&at, n) {
                    steps += 1;
                    if steps.is_multiple_of(PATIENCE) {
                        let states = exploration.visited();
                        let memory = exploration.memory() + states * 2 * size_of::<u32>() + self.memory();
                        budget.check_with(memory)?;
                        if budget.transitions.is_some_and(|most| steps > most) {
                            return Err(Stop::Transitions);
                        }
                        if steps.is_multiple_of(REPORT) {
                            let progress =
                                Progress { states, transitions: steps, memory, ..Progress::default() };
                            observe(progress.into());
                        }
                    }
                    self.follow(exploration, &at, (n, played), end);
                }
            }
            Ok(())
        })?;
        let act =
            |(thread, played): Made| Act { thread, played: played.map(|id| self.moves.get(id).clone()) };
        let path = path.map(|path| path.into_iter().map(act).collect());
        Ok((path, exploration.visited(), steps))
    }

    /// A thread whose step can come before those of all others, if one has such a step and that leads to something new: so no
    /// thread is left out for ever.
    fn goes_first(&mut self, at: &Configuration) -> Option<usize> {
        let all = 0..at.len() - 1;
        let first = |n: &usize| {
            let others = all.clone().filter(|other| other != n);
            let others = others.map(|other| self.reaches[at[other + 1] as usize].clone());
            let (shared, thread) = (self.shared.get(at[0]), self.stacks.get(at[n + 1]));
            self.reaching.as_ref().is_some_and(|reaching| reaching.goes_first(shared, *n, thread, others))
        };
        let n = all.clone().find(first)?;
        match &self.steps(at, n)[..] {
            [(None, After::At(shared, stack, _, begun))] => {
                let mut next = at.to_vec();
                (next[0], next[n + 1]) = (*shared, *stack);
                next.extend(*begun);
                self.configurations.insert(&next).1.then_some(n)
            }
            [(None, After::Fails)] => Some(n),
            _ => None,
        }
    }

    /// The steps of a thread, with the environment's move if it makes one, and what comes of them.
    fn steps(&mut self, at: &Configuration, n: usize) -> Vec<(Option<u32>, After)> {
        match self.next[at[n + 1] as usize] {
            Next::Environment if self.is_like_another(at, n) || self.shared.get(at[0]).keeps_out(n) => {
                Vec::new()
            }
            Next::Environment => self.played(at, n),
            next if self.shared.get(at[0]).blocks(self.module, n, next) => Vec::new(),
            _ => vec![(None, self.gone_on(at[0], at[n + 1], n))],
        }
    }

    /// Adds what comes of a step. Plays with fewer moves come first.
    fn follow(
        &mut self,
        exploration: &mut Exploration<u32, Made>,
        at: &Configuration,
        (n, played): (usize, Option<u32>),
        end: After,
    ) {
        let node = exploration.node();
        let by = (n, played);
        let cost = exploration.cost() + u64::from(played.is_some());
        match end {
            After::Over => {}
            After::Fails => exploration.add(node, cost + 1, by, None),
            After::At(shared, stack, moves, begun) => {
                let mut next = at.to_vec();
                (next[0], next[n + 1]) = (shared, stack);
                next.extend(begun);
                let cost = cost + u64::from(moves);
                let waits = |n: usize| self.next[next[n + 1] as usize];
                let shared = self.shared.get(shared);
                let failure = deadlock(self.module, shared, waits, n).or_else(|| {
                    let access = |n: usize| self.accesses.get(next[n + 1] as usize).copied().flatten();
                    let from = |n: usize| race(self.module, shared, access, next.len() - 1, n);
                    from(n).or_else(|| begun.and_then(|_| from(next.len() - 2)))
                });
                match failure {
                    Some(_) => exploration.add(node, cost + 1, by, None),
                    None => exploration.add(node, cost, by, Some(self.configurations.intern(&next))),
                }
            }
        }
    }

    /// Whether a thread does nothing and owns nothing, and one before it as well: they can be exchanged.
    fn is_like_another(&self, at: &Configuration, n: usize) -> bool {
        let owners = &self.owners[at[0] as usize];
        let is_free = |n: usize| self.stacks.get(at[n + 1]).frames.is_empty() && !owners.contains(&n);
        is_free(n)
            && (0..n).any(|other| self.next[at[other + 1] as usize] == Next::Environment && is_free(other))
    }

    /// What comes of the moves that the environment may make in a thread.
    fn played(&mut self, at: &Configuration, n: usize) -> Vec<(Option<u32>, After)> {
        let threads = at[1..].iter().map(|id| self.stacks.get(*id));
        let (shared, thread) = (self.shared.get(at[0]), self.stacks.get(at[n + 1]));
        let offers = self.offering.offers(shared, threads, thread);
        let mut ends = Vec::with_capacity(offers.len());
        for played in offers {
            let id = self.moves.intern(played.clone());
            let key = (at[n + 1], id, number(n));
            let end = match self.begun.get(&key) {
                Some(known) => known.clone(),
                None => {
                    let mut shared = self.shared.get(at[0]).clone();
                    let mut thread = self.stacks.get(at[n + 1]).clone();
                    shared.play(self.module, &mut thread, &played);
                    let end = match shared.settle(self.module, n, &mut thread, MOST_STEPS) {
                        Stepped::On => self.reached(shared, thread, false, None),
                        ended => self.ended(&ended),
                    };
                    self.begun.insert(key, end.clone());
                    end
                }
            };
            // Up to its first access the thread does nothing to what is shared.
            let end = match end {
                After::At(_, stack, moves, begun) => After::At(at[0], stack, moves, begun),
                ended => ended,
            };
            ends.push((Some(id), end));
        }
        ends
    }

    /// What comes of an access or a move by the module.
    fn gone_on(&mut self, shared: u32, stack: u32, n: usize) -> After {
        let key = (shared, stack, number(n));
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let (mut shared, mut thread) = (self.shared.get(shared).clone(), self.stacks.get(stack).clone());
        let end = match shared.step(self.module, n, &mut thread) {
            Stepped::On => self.settled(shared, thread, n, false, None),
            Stepped::Begins(mut begun) => {
                let number = shared.lives.len() - 1;
                match shared.settle(self.module, number, &mut begun, MOST_STEPS) {
                    Stepped::On => self.settled(shared, thread, n, false, Some(begun)),
                    ended => self.ended(&ended),
                }
            }
            Stepped::Moves(_) => self.settled(shared, thread, n, true, None),
            ended => self.ended(&ended),
        };
        self.known.insert(key, end.clone());
        end
    }

    fn settled(
        &mut self,
        mut shared: Shared,
        mut thread: Thread,
        n: usize,
        moves: bool,
        begun: Option<Thread>,
    ) -> After {
        match shared.run_on(self.module, n, &mut thread, MOST_STEPS) {
            Stepped::On => self.reached(shared, thread, moves, begun),
            ended => self.ended(&ended),
        }
    }

    /// The position that a step leads to.
    fn reached(&mut self, shared: Shared, mut thread: Thread, moves: bool, begun: Option<Thread>) -> After {
        if thread.frames.len() > self.offering.giving.activations {
            return self.cut();
        }
        thread.forget_dead(&self.liveness);
        let begun = begun.map(|mut begun| {
            begun.forget_dead(&self.liveness);
            self.stack(begun)
        });
        After::At(self.share(shared), self.stack(thread), moves, begun)
    }

    /// How a step ends that does not lead to a position.
    fn ended(&mut self, stepped: &Stepped) -> After {
        match stepped {
            Stepped::Fails(_) => After::Fails,
            Stepped::Exhausted => self.cut(),
            Stepped::On | Stepped::Begins(_) | Stepped::Moves(_) | Stepped::Exits(_) => After::Over,
        }
    }

    fn cut(&mut self) -> After {
        self.cut = true;
        After::Over
    }

    fn share(&mut self, shared: Shared) -> u32 {
        let (id, new) = self.shared.insert(shared);
        if new {
            let shared = self.shared.get(id);
            let changed = shared.globals.changes(&Store::default());
            let owner = |(cell, element)| match self.module.cell(cell).kind {
                CellKind::Mutex => shared.owner(self.module, cell, element),
                CellKind::Value(_) | CellKind::Semaphore(_) => None,
            };
            self.owners.push(changed.into_iter().filter_map(owner).collect());
        }
        id
    }

    fn stack(&mut self, thread: Thread) -> u32 {
        let (id, new) = self.stacks.insert(thread);
        if new {
            self.next.push(self.stacks.get(id).next(self.module));
            if let Some(reaching) = &self.reaching {
                self.reaches.push(reaching.of(self.stacks.get(id)));
            }
            if self.module.watches_races() {
                self.accesses.push(self.stacks.get(id).access(self.module));
            }
        }
        id
    }

    fn memory(&self) -> usize {
        let each = size_of::<((u32, u32, u32), After)>();
        let begun = self.begun.capacity() * size_of::<((u32, u32, u32), After)>();
        let named = self.configurations.memory() + self.moves.memory();
        named + self.shared.memory() + self.stacks.memory() + self.known.capacity() * each + begun
    }
}
