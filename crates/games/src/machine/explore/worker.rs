//! A worker: visits the positions that belong to it.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use agon_base::budget::Stop;
use agon_base::id::{number, size};
use agon_base::random::Random;

use super::mailboxes::Mailboxes;
use super::source::{Here, Source};
use super::table::{Batch, TOGETHER, Table, hash};
use super::{Event, Figures, Place, START, Visitor, Walk};
use crate::machine::run::PieceId;
use crate::strategy::Order;
use crate::values::Domain;

/// How far all workers together have come.
#[derive(Default)]
pub(super) struct Totals {
    positions: AtomicUsize,
    pub(super) transitions: AtomicU64,
    memory: AtomicUsize,
}

impl Totals {
    pub(super) fn figures(&self) -> Figures {
        Figures {
            positions: self.positions.load(Ordering::Relaxed),
            transitions: self.transitions.load(Ordering::Relaxed),
            memory: 0,
        }
    }

    /// The memory of all workers, when it was looked at last.
    pub(super) fn memory(&self) -> usize {
        self.memory.load(Ordering::Relaxed)
    }

    pub(super) fn clear(&self) {
        self.positions.store(0, Ordering::Relaxed);
        self.transitions.store(0, Ordering::Relaxed);
        self.memory.store(0, Ordering::Relaxed);
    }
}

/// The totals are brought up to date once in this many transitions.
const PATIENCE: u64 = 1 << 8;
/// The memory is brought up to date once in this many of these times.
const REPORT: u64 = 1 << 8;
/// With more waiting positions than this, the order of visits matters little.
const PLENTY: usize = 1 << 8;
/// A batch is sent when it has this many positions.
const FULL: usize = 1 << 10;

pub(super) struct Worker<'a, D: Domain, V> {
    source: Source<'a, D>,
    walk: Walk<'a>,
    pub(super) totals: &'a Totals,
    pub(super) visitor: V,
    random: Option<Random>,
    /// Which of how many it is.
    place: (usize, usize),
    pub(super) table: Table,
    /// What is to be visited.
    waiting: Vec<Place>,
    /// What is to be visited after that.
    later: Vec<Place>,
    /// The positions that follow, by the worker that they belong to.
    following: Vec<Batch>,
    position: Vec<PieceId>,
    after: Vec<PieceId>,
    events: Vec<Event>,
    /// Positions, transitions and memory that were not counted yet, and how often they were counted.
    pub(super) uncounted: (usize, u64),
    counted: u64,
    memory: usize,
    /// How many positions it has visited. At every power of two what is remembered is confirmed.
    visited: u64,
}

impl<'a, D: Domain, V: Visitor<D>> Worker<'a, D, V> {
    pub(super) fn new(
        source: Source<'a, D>,
        walk: Walk<'a>,
        totals: &'a Totals,
        visitor: V,
        place: (usize, usize),
    ) -> Self {
        let random = match walk.order {
            Order::Random(seed) => Some(Random::new(seed.wrapping_add(place.0 as u64))),
            Order::Fixed | Order::Shortest => None,
        };
        Worker {
            source,
            walk,
            totals,
            visitor,
            random,
            place,
            table: Table::new(walk.last_place.0.saturating_sub(number(place.0)) / number(place.1)),
            waiting: Vec::new(),
            later: Vec::new(),
            following: (0..place.1).map(|_| Batch::default()).collect(),
            position: Vec::new(),
            after: Vec::new(),
            events: Vec::new(),
            uncounted: (0, 0),
            counted: 0,
            memory: 0,
            visited: 0,
        }
    }

    /// Puts the start in its place.
    pub(super) fn begin(&mut self) -> Result<(), Stop> {
        self.table.insert(hash(&[]), &[], START)?;
        self.waiting.push(START);
        self.uncounted.0 += 1;
        Ok(())
    }

    /// Visits a position.
    fn visit(&mut self, place: Place) -> Result<ControlFlow<V::Found>, Stop> {
        let Worker { source, walk, position, after, events, following, .. } = self;
        self.table.words(place.0 / number(self.place.1), position);
        events.clear();
        let owners = following.len() as u64;
        source.each(position, after, walk.budget, |event, to| {
            events.push(event);
            if let Some(to) = to {
                let hash = hash(to);
                let owner = if owners == 1 { 0 } else { (hash & 0xffff_ffff) % owners };
                following[size(owner)].push(hash, place, event.label, to);
            }
        })?;
        self.visited += 1;
        if self.visited.is_power_of_two() {
            source.confirm(position, walk.budget)?;
        }
        let mut here = Here { place, position, source, budget: walk.budget };
        let found = self.visitor.visit(&mut here, events)?;
        self.uncounted.1 += events.len() as u64;
        if self.uncounted.1 >= PATIENCE {
            self.count()?;
        }
        Ok(found.map_or(ControlFlow::Continue(()), ControlFlow::Break))
    }

    /// Keeps the positions of a batch, which belong to this worker; the new ones are to be visited later.
    fn keep(&mut self, batch: &Batch) -> Result<(), Stop> {
        let Worker { table, later, visitor, place: (place, owners), .. } = self;
        let before = later.len();
        let kept = table.insert_all(batch, |item, record, new| {
            // The table's last record was chosen so that this is a place.
            let to = Place(record * number(*owners) + number(*place));
            if new {
                later.push(to);
            }
            visitor.arrive(item.from, item.letter, to);
        });
        let new = &mut later[before..];
        self.uncounted.0 += new.len();
        if let Some(random) = &mut self.random {
            (1..new.len()).for_each(|n| new.swap(n, random.below(n + 1)));
        }
        kept
    }

    /// Keeps those positions that follow which belong to this worker; where there is a lot to visit, many together.
    fn keep_own(&mut self) -> Result<(), Stop> {
        if self.waiting.len() > PLENTY && self.following[self.place.0].items.len() < TOGETHER {
            return Ok(());
        }
        let mut batch = std::mem::take(&mut self.following[self.place.0]);
        let kept = self.keep(&batch);
        batch.clear();
        self.following[self.place.0] = batch;
        kept
    }

    fn count(&mut self) -> Result<(), Stop> {
        let (positions, transitions) = std::mem::take(&mut self.uncounted);
        self.totals.positions.fetch_add(positions, Ordering::Relaxed);
        self.totals.transitions.fetch_add(transitions, Ordering::Relaxed);
        let mut figures = self.totals.figures();
        if self.counted.is_multiple_of(REPORT) {
            let now = self.source.memory() + self.table.memory();
            let before = std::mem::replace(&mut self.memory, now);
            figures.memory = self.totals.memory.fetch_add(now.wrapping_sub(before), Ordering::Relaxed);
            figures.memory = figures.memory.wrapping_add(now.wrapping_sub(before));
        }
        self.counted += 1;
        self.walk.budget.check_with(figures.memory)?;
        (self.walk.watch)(figures)
    }

    /// Visits everything by itself, or as much as one should.
    pub(super) fn alone(&mut self) -> Result<Option<Option<V::Found>>, Stop> {
        while !self.waiting.is_empty() {
            let wide = self.walk.order == Order::Shortest;
            let level = if wide { std::mem::take(&mut self.waiting) } else { Vec::new() };
            let mut level = level.into_iter();
            while let Some(place) = if wide { level.next() } else { self.waiting.pop() } {
                if let ControlFlow::Break(found) = self.visit(place)? {
                    return Ok(Some(Some(found)));
                }
                self.keep_own()?;
                if !wide {
                    // What came first is to be visited first.
                    self.waiting.extend(self.later.drain(..).rev());
                }
                if self.walk.threads.most > 1 && self.table.len() > self.walk.threads.alone {
                    return Ok(None);
                }
            }
            if wide {
                self.waiting = std::mem::take(&mut self.later);
            }
        }
        self.count()?;
        Ok(Some(None))
    }

    /// Sends what follows to those that it belongs to: all of it, or full batches.
    fn send(&mut self, mailboxes: &Mailboxes<V::Found>, all: bool) {
        for (to, batch) in self.following.iter_mut().enumerate() {
            if to != self.place.0 && batch.items.len() >= if all { 1 } else { FULL } {
                mailboxes.send(to, std::mem::take(batch));
            }
        }
    }

    /// Visits a position, and keeps and sends what follows. Whether to go on.
    fn work(&mut self, place: Place, mailboxes: &Mailboxes<V::Found>) -> bool {
        match self.visit(place) {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(found)) => mailboxes.end(Ok(found)),
            Err(why) => mailboxes.end(Err(why)),
        }
        if let Err(why) = self.keep_own() {
            mailboxes.end(Err(why));
        }
        self.send(mailboxes, false);
        !mailboxes.stop.load(Ordering::Relaxed)
    }

    /// Visits the latest first, with others, until nobody has anything to visit.
    pub(super) fn deep(&mut self, mailboxes: &Mailboxes<V::Found>) {
        let mut going_on = true;
        while going_on {
            while going_on && let Some(place) = self.waiting.pop() {
                going_on = self.work(place, mailboxes);
                self.waiting.extend(self.later.drain(..).rev());
                if mailboxes.boxes[self.place.0].full.load(Ordering::Relaxed) {
                    self.receive(mailboxes);
                    self.waiting.extend(self.later.drain(..).rev());
                }
            }
            self.send(mailboxes, true);
            going_on = going_on && mailboxes.wait(self.place.0);
            if going_on {
                self.receive(mailboxes);
                self.waiting.extend(self.later.drain(..).rev());
            }
        }
    }

    /// Keeps what others have sent.
    fn receive(&mut self, mailboxes: &Mailboxes<V::Found>) {
        for batch in mailboxes.open(self.place.0) {
            if let Err(why) = self.keep(&batch) {
                mailboxes.end(Err(why));
            }
            mailboxes.done();
        }
    }

    /// Visits level by level, with others. A worker that panics still comes to where the others wait for it.
    pub(super) fn wide(&mut self, mailboxes: &Mailboxes<V::Found>) {
        loop {
            mailboxes.guarded(|| {
                let mut going_on = true;
                for place in std::mem::take(&mut self.waiting) {
                    going_on = going_on && self.work(place, mailboxes);
                }
                self.send(mailboxes, true);
            });
            mailboxes.level.wait();
            mailboxes.guarded(|| self.receive(mailboxes));
            self.waiting = std::mem::take(&mut self.later);
            mailboxes.next_level.fetch_add(self.waiting.len(), Ordering::Relaxed);
            mailboxes.level.wait();
            let finished =
                mailboxes.next_level.load(Ordering::Relaxed) == 0 || mailboxes.stop.load(Ordering::Relaxed);
            if mailboxes.level.wait().is_leader() {
                mailboxes.next_level.store(0, Ordering::Relaxed);
            }
            mailboxes.level.wait();
            if finished {
                return;
            }
        }
    }
}
