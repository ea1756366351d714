//! Visiting the positions of a concurrent program, in one thread or in several.
//!
//! Every position belongs to one worker, by its hash. Workers visit what belongs to them and send each other the
//! positions that follow, by batches. What strands do next each knows by itself; only what nobody has found out yet is
//! found out by the one machine, and the others catch up.

mod mailboxes;
mod source;
mod table;
mod worker;

use std::panic::resume_unwind;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use super::run::{CachedStep, PieceId, StrandId, Strands, TransitionCache};
use crate::strategy::{Order, Step};
use crate::values::Domain;
use agon_base::budget::{Budget, Stop, Threads};
use agon_base::id::number;
use mailboxes::{Mailboxes, locked};
pub use source::Here;
use source::Source;
use table::Table;
use worker::{Totals, Worker};

agon_base::id! {
    /// Where a position is kept. The start is [`START`].
    pub Place;
}

/// The position before the opening question.
pub const START: Place = Place(0);

/// A step at a position, by the number of its move. What it leads to is given apart.
pub type Event = Step<Option<u32>, (), Cause>;

/// What makes a step at a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cause {
    /// The strand in which it is made.
    pub strand: StrandId,
    /// Which of the steps there it is.
    pub(super) nth: u32,
    /// How it came about.
    pub(super) how: u32,
}

pub(super) fn event(step: &CachedStep, strand: StrandId, nth: u32) -> Event {
    let CachedStep { label, next, origin, how } = *step;
    Step { label, next: next.map(|_| ()), origin, how: Cause { strand, nth, how } }
}

/// What is done at every position.
pub trait Visitor<D: Domain>: Send {
    /// What may be found.
    type Found: Send;

    /// Looks at a position and at all that can happen there; what it gives ends the walk.
    fn visit(&mut self, here: &mut Here<'_, '_, D>, events: &[Event]) -> Result<Option<Self::Found>, Stop>;

    /// Notes that a letter leads from a position to another.
    fn arrive(&mut self, from: Place, letter: Option<u32>, to: Place);
}

/// How a walk is to be made.
#[derive(Clone, Copy)]
pub struct Walk<'a> {
    /// In which order.
    pub order: Order,
    /// In how many threads.
    pub threads: Threads,
    /// No place has a higher number than this; a walk that needs more is halted.
    pub last_place: Place,
    /// What it may cost.
    pub budget: &'a Budget,
    /// Asked now and then, with how far it has come: whether to go on.
    pub watch: &'a (dyn Fn(Figures) -> Result<(), Stop> + Sync),
}

/// How far a walk has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Figures {
    /// The positions.
    pub positions: usize,
    /// What could happen at those that were visited.
    pub transitions: u64,
    /// The memory of all tables, in bytes; 0 if it was not looked at.
    pub memory: usize,
}

/// How a walk ended.
pub struct Walked<V, F> {
    /// What was found, or why it came to an end too early.
    pub found: Result<Option<F>, Stop>,
    /// All positions that were reached.
    pub space: Space,
    /// The visitors of all threads.
    pub visitors: Vec<V>,
    /// How far it came.
    pub figures: Figures,
}

/// Visits all positions of a concurrent program, until something is found.
pub fn explore<D, V>(strands: &mut Strands<D>, walk: Walk<'_>, visitor: impl Fn() -> V) -> Walked<V, V::Found>
where
    D: Domain,
    Strands<D>: Send,
    V: Visitor<D>,
{
    let totals = Totals::default();
    let mut first = Worker::new(Source::Alone(strands), walk, &totals, visitor(), (0, 1));
    let began = first.begin().and_then(|()| first.alone());
    let Worker { visitor: v, table, uncounted, .. } = first;
    totals.transitions.fetch_add(uncounted.1, Ordering::Relaxed);
    let (found, tables, visitors) = match began {
        Err(why) => (Err(why), vec![table], vec![v]),
        Ok(Some(found)) => (Ok(found), vec![table], vec![v]),
        Ok(None) => {
            // It is begun again, this time by several.
            totals.clear();
            let machine = Mutex::new(&mut *strands);
            let workers = (0..walk.threads.most).map(|n| {
                let mut known: Box<TransitionCache> = Box::default();
                known.catch_up(locked(&machine).known());
                let source = Source::Shared(known, &machine);
                Worker::new(source, walk, &totals, visitor(), (n, walk.threads.most))
            });
            let mut workers: Vec<_> = workers.collect();
            let found = workers[0].begin().and_then(|()| together(&mut workers, walk.order));
            let (tables, visitors) = workers.into_iter().map(|worker| (worker.table, worker.visitor)).unzip();
            (found, tables, visitors)
        }
    };
    let space = Space { tables };
    let memory = totals.memory().max(space.memory() + strands.memory());
    let figures = Figures { positions: space.len(), memory, ..totals.figures() };
    Walked { found, space, visitors, figures }
}

/// All positions that were reached.
pub struct Space {
    tables: Vec<Table>,
}

impl Space {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.tables.iter().map(Table::len).sum()
    }

    /// Whether there are none; there is always the start.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn memory(&self) -> usize {
        self.tables.iter().map(Table::memory).sum()
    }

    fn at(&self, place: Place) -> (&Table, u32) {
        let owners = number(self.tables.len());
        (&self.tables[(place.0 % owners) as usize], place.0 / owners)
    }

    /// Numbers for the positions, without gaps, the start's first.
    pub fn numbers(&self) -> impl Fn(Place) -> u32 + '_ {
        let mut sum = 0;
        let before: Vec<u32> = self
            .tables
            .iter()
            .map(|table| {
                sum += number(table.len());
                sum - number(table.len())
            })
            .collect();
        move |place| {
            let (table, record) = self.at(place);
            before[place.index() % self.tables.len()] + table.number(record)
        }
    }

    /// What happened on a way from the start to a place.
    pub fn events_to<D: Domain>(&self, strands: &mut Strands<D>, place: Place) -> Result<Vec<Event>, Stop> {
        let mut way = vec![place];
        while let Some(last) = way.last().copied()
            && last != START
        {
            let (table, record) = self.at(last);
            way.push(table.parent(record));
        }
        way.reverse();
        let mut source = Source::Alone(strands);
        let (mut position, mut after, mut sought) = (Vec::new(), Vec::new(), Vec::new());
        let mut events = Vec::new();
        for pair in way.windows(2) {
            let words = |place, words: &mut Vec<PieceId>| {
                let (table, record) = self.at(place);
                table.words(record, words);
            };
            words(pair[0], &mut position);
            words(pair[1], &mut sought);
            let mut found = None;
            source.each(&position, &mut after, &Budget::default(), |event, to| {
                if found.is_none() && to == Some(&sought[..]) {
                    found = Some(event);
                }
            })?;
            events.extend(found);
        }
        Ok(events)
    }
}

/// Lets all workers visit everything.
fn together<D, V>(workers: &mut [Worker<'_, D, V>], order: Order) -> Result<Option<V::Found>, Stop>
where
    D: Domain,
    Strands<D>: Send,
    V: Visitor<D>,
{
    let mailboxes = Mailboxes::new(workers.len());
    std::thread::scope(|scope| {
        for worker in workers.iter_mut() {
            scope.spawn(|| match order {
                Order::Shortest => worker.wide(&mailboxes),
                Order::Fixed | Order::Random(_) => mailboxes.guarded(|| worker.deep(&mailboxes)),
            });
        }
    });
    for worker in workers {
        worker.totals.transitions.fetch_add(worker.uncounted.1, Ordering::Relaxed);
    }
    // A worker that panicked has stopped the others; the run ends as it would have ended alone.
    if let Some(panic) = mailboxes.panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
        resume_unwind(panic);
    }
    mailboxes.ending.into_inner().unwrap_or_else(PoisonError::into_inner).transpose()
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;

    use agon_ia::elaborate::elaborate;
    use agon_ia::parse::parse;

    use super::*;
    use crate::arena::Arena;
    use crate::machine::compile_any;
    use crate::values::Exact;

    struct Passing;

    impl Visitor<Exact> for Passing {
        type Found = std::convert::Infallible;

        fn visit(&mut self, _: &mut Here<'_, '_, Exact>, _: &[Event]) -> Result<Option<Self::Found>, Stop> {
            Ok(None)
        }

        fn arrive(&mut self, _: Place, _: Option<u32>, _: Place) {}
    }

    #[test]
    fn a_step_that_is_remembered_wrongly_is_noticed() {
        let (program, _) = parse("concurrent a : com, b : com |- { a; b } || { b; a }");
        let judgement = elaborate(&program, &[]).0.expect("the program has a type");
        let arena = Arc::new(Arena::new(&judgement));
        let code = Arc::new(compile_any(&judgement, &arena).expect("the program can be run"));
        for order in [Order::Fixed, Order::Random(3), Order::Shortest] {
            for most in [1, 3] {
                let threads = Threads { most, alone: 0 };
                let walk = Walk {
                    order,
                    threads,
                    last_place: Place::MAX,
                    budget: &Budget::default(),
                    watch: &|_| Ok(()),
                };
                let mut strands = Strands::new(code.clone(), arena.clone(), true);
                assert!(explore(&mut strands, walk, || Passing).found.is_ok());
                strands.plant_mistake();
                let walked = catch_unwind(AssertUnwindSafe(|| explore(&mut strands, walk, || Passing)));
                let panic = walked.err().expect("it is noticed");
                let said = panic.downcast_ref::<&str>().copied();
                assert_eq!(said, Some("a remembered step is not what the machine does"), "{order:?}, {most}");
            }
        }
    }
}
