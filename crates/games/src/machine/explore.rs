//! Visiting the positions of a concurrent program, in one thread or in several.
//!
//! Every position belongs to one worker, by its hash. Workers visit what belongs to them and send each other the
//! positions that follow, by batches. What strands do next each knows by itself; only what nobody has found out yet is
//! found out by the one machine, and the others catch up.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Barrier, Condvar, Mutex, MutexGuard, PoisonError};

use agon_lang::sample::Random;
use agon_lang::source::Span;

use super::code::Pc;
use super::run::{Deed, Halt, Interrupted, Known, PieceId, StrandId, Strands};
use super::space::{Batch, TOGETHER, Table, hash};
use crate::intern::Sequences;
use crate::moves::ThreadMove;
use crate::values::Domain;

/// Where a position is kept. The start is [`START`].
pub type Place = u32;

/// The position before the opening question.
pub const START: Place = 0;

/// Something that can happen at a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// The letter of the move; none if nobody sees it.
    pub letter: Option<u32>,
    /// Whether the play is then complete.
    pub complete: bool,
    /// The instruction that made it, if P did.
    pub pc: Option<Pc>,
    /// The argument that O asks for, where it does.
    pub argument: Option<Span>,
    /// The strand in which it happens, and which of the things is it that may happen there.
    pub strand: StrandId,
    pub(super) nth: u32,
    /// How it came about.
    pub(super) how: u32,
}

impl Event {
    pub(super) fn of(deed: &Deed, strand: StrandId, nth: u32) -> Event {
        let Deed { letter, complete, pc, argument, how, .. } = *deed;
        Event { letter, complete, pc, argument, strand, nth, how }
    }
}

/// The order in which positions are visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// The latest first.
    Deep,
    /// The latest first, what happens at one position in an order that is drawn.
    Drawn(u64),
    /// Those with the shortest way from the start first.
    Wide,
}

/// What is done at every position.
pub trait Visitor<D: Domain>: Send {
    /// What may be found.
    type Found: Send;

    /// Looks at a position and at all that can happen there; what it gives ends the walk.
    fn visit(&mut self, here: &mut Here<'_, '_, D>, events: &[Event]) -> Result<Option<Self::Found>, Halt>;

    /// Is told that a letter leads from a position to another.
    fn arrive(&mut self, from: Place, letter: Option<u32>, to: Place);
}

/// How many threads visit positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Threads {
    /// At most so many.
    pub most: usize,
    /// One alone, as long as there are no more than so many positions: small programs are done before others have
    /// begun, and one alone always finds the same.
    pub alone: usize,
}

impl Default for Threads {
    fn default() -> Threads {
        Threads::new(1)
    }
}

impl Threads {
    /// At most so many threads, where it is worth it.
    pub fn new(most: usize) -> Threads {
        Threads { most: most.max(1), alone: 20_000 }
    }
}

/// How a walk is to be made.
#[derive(Clone, Copy)]
pub struct Walk<'a> {
    /// In which order.
    pub way: Way,
    /// In how many threads.
    pub threads: Threads,
    /// Asked now and then, with how far it has come: whether to stop.
    pub interrupted: &'a (dyn Fn(Figures) -> bool + Sync),
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
    pub found: Result<Option<F>, Halt>,
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
    first.begin();
    let began = first.alone();
    let Worker { visitor: v, table, uncounted, .. } = first;
    totals.transitions.fetch_add(uncounted.1, Ordering::Relaxed);
    let (found, tables, visitors) = match began {
        Err(why) => (Err(why), vec![table], vec![v]),
        Ok(Alone::Found(found)) => (Ok(Some(found)), vec![table], vec![v]),
        Ok(Alone::Finished) => (Ok(None), vec![table], vec![v]),
        Ok(Alone::Large) => {
            // It is begun again, this time by several.
            totals.clear();
            let machine = Mutex::new(&mut *strands);
            let workers = (0..walk.threads.most).map(|n| {
                let mut known: Box<Known> = Box::default();
                known.catch_up(locked(&machine).known());
                let source = Source::Shared(known, &machine);
                Worker::new(source, walk, &totals, visitor(), (n, walk.threads.most))
            });
            let mut workers: Vec<_> = workers.collect();
            workers[0].begin();
            let found = together(&mut workers, walk.way);
            let (tables, visitors) = workers.into_iter().map(|worker| (worker.table, worker.visitor)).unzip();
            (found, tables, visitors)
        }
    };
    let space = Space { tables };
    let memory = space.memory() + strands.memory();
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
        let owners = self.tables.len() as u32;
        (&self.tables[(place % owners) as usize], place / owners)
    }

    /// Numbers for the positions, without gaps, the start's first.
    pub fn numbers(&self) -> impl Fn(Place) -> u32 + '_ {
        let mut sum = 0;
        let before: Vec<u32> = self
            .tables
            .iter()
            .map(|table| {
                sum += table.len() as u32;
                sum - table.len() as u32
            })
            .collect();
        move |place| {
            let (table, record) = self.at(place);
            before[place as usize % self.tables.len()] + table.number(record)
        }
    }

    /// What happened on a way from the start to a place.
    pub fn events_to<D: Domain>(&self, strands: &mut Strands<D>, place: Place) -> Result<Vec<Event>, Halt> {
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
            source.each(&position, &mut after, &mut || false, |event, to| {
                if found.is_none() && to == Some(&sought[..]) {
                    found = Some(event);
                }
            })?;
            events.extend(found);
        }
        Ok(events)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where a worker gets what strands do next.
enum Source<'a, D: Domain> {
    /// It has the machine for itself.
    Alone(&'a mut Strands<D>),
    /// It has a copy of what is known, and shares the machine.
    Shared(Box<Known>, &'a Mutex<&'a mut Strands<D>>),
}

impl<D: Domain> Source<'_, D> {
    /// All that can happen at a position, each with the position after it.
    fn each(
        &mut self,
        position: &[PieceId],
        after: &mut Vec<PieceId>,
        interrupted: &mut dyn FnMut() -> bool,
        mut visit: impl FnMut(Event, Option<&[PieceId]>),
    ) -> Result<(), Halt> {
        if let Source::Shared(known, strands) = self
            && !known.knows(position)
        {
            known.catch_up(locked(strands).known());
        }
        for at in 0..position.len().max(1) {
            let (known, deeds) = match self {
                Source::Alone(strands) => {
                    let deeds = match strands.known().deeds(position, at) {
                        Some(deeds) => deeds,
                        None => strands.find_out(position, at, interrupted)?,
                    };
                    (strands.known(), deeds)
                }
                Source::Shared(known, strands) => match known.deeds(position, at) {
                    Some(deeds) => (&**known, deeds),
                    None => {
                        let mut strands = locked(strands);
                        let deeds = strands.find_out(position, at, interrupted)?;
                        known.catch_up(strands.known());
                        (&**known, deeds)
                    }
                },
            };
            let strand = position.get(at).map_or(0, |id| known.strand(*id));
            for (nth, deed) in (0..).zip(known.stretch(deeds)) {
                let event = Event::of(deed, strand, nth);
                if deed.complete {
                    visit(event, None);
                } else {
                    known.after(position, deed, after);
                    visit(event, Some(after));
                }
            }
        }
        Ok(())
    }

    fn memory(&self) -> usize {
        match self {
            Source::Alone(strands) => strands.memory(),
            Source::Shared(known, strands) => locked(strands).memory() + known.memory(),
        }
    }
}

/// A position that is visited.
pub struct Here<'s, 'a, D: Domain> {
    /// Where it is.
    pub place: Place,
    position: &'s [PieceId],
    source: &'s mut Source<'a, D>,
    interrupted: &'s mut dyn FnMut() -> bool,
}

impl<D: Domain> Here<'_, '_, D> {
    /// The move of a letter.
    pub fn letter(&self, letter: u32) -> ThreadMove<D::Value> {
        match &*self.source {
            Source::Alone(strands) => strands.letter(letter).clone(),
            Source::Shared(_, strands) => locked(strands).letter(letter).clone(),
        }
    }

    /// The places in the program that its threads have come to: [`Strands::places`].
    pub fn places(&self) -> Vec<Option<Span>> {
        match &*self.source {
            Source::Alone(strands) => strands.places(self.position),
            Source::Shared(_, strands) => locked(strands).places(self.position),
        }
    }

    /// Whether P can do nothing, whatever O does from here on until P does something.
    pub fn is_stuck(&mut self) -> Result<bool, Halt> {
        let mut seen = Sequences::default();
        seen.intern(self.position);
        let mut next = 0;
        let mut after = Vec::new();
        while (next as usize) < seen.len() {
            let position = seen.get(next).to_vec();
            let mut moved = false;
            self.source.each(&position, &mut after, self.interrupted, |event, to| {
                moved |= event.pc.is_some();
                if let Some(to) = to {
                    seen.intern(to);
                }
            })?;
            if moved {
                return Ok(false);
            }
            next += 1;
        }
        Ok(true)
    }
}

/// How far all workers together have come.
#[derive(Default)]
struct Totals {
    positions: AtomicUsize,
    transitions: AtomicU64,
    memory: AtomicUsize,
}

impl Totals {
    fn figures(&self) -> Figures {
        Figures {
            positions: self.positions.load(Ordering::Relaxed),
            transitions: self.transitions.load(Ordering::Relaxed),
            memory: 0,
        }
    }

    fn clear(&self) {
        self.positions.store(0, Ordering::Relaxed);
        self.transitions.store(0, Ordering::Relaxed);
        self.memory.store(0, Ordering::Relaxed);
    }
}

/// Every so many transitions the totals are brought up to date.
const PATIENCE: u64 = 1 << 8;
/// Every so many times, the memory as well.
const REPORT: u64 = 1 << 8;
/// If so many positions are to be visited, it matters little in which order.
const PLENTY: usize = 1 << 8;
/// A batch of so many positions is sent.
const FULL: usize = 1 << 10;

struct Worker<'a, D: Domain, V> {
    source: Source<'a, D>,
    walk: Walk<'a>,
    totals: &'a Totals,
    visitor: V,
    random: Option<Random>,
    /// Which of how many it is.
    place: (usize, usize),
    table: Table,
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
    uncounted: (usize, u64),
    counted: u64,
    memory: usize,
}

/// How it went alone.
enum Alone<F> {
    Found(F),
    Finished,
    /// There are many positions.
    Large,
}

impl<'a, D: Domain, V: Visitor<D>> Worker<'a, D, V> {
    fn new(
        source: Source<'a, D>,
        walk: Walk<'a>,
        totals: &'a Totals,
        visitor: V,
        place: (usize, usize),
    ) -> Self {
        let random = match walk.way {
            Way::Drawn(seed) => Some(Random::new(seed.wrapping_add(place.0 as u64))),
            Way::Deep | Way::Wide => None,
        };
        Worker {
            source,
            walk,
            totals,
            visitor,
            random,
            place,
            table: Table::default(),
            waiting: Vec::new(),
            later: Vec::new(),
            following: (0..place.1).map(|_| Batch::default()).collect(),
            position: Vec::new(),
            after: Vec::new(),
            events: Vec::new(),
            uncounted: (0, 0),
            counted: 0,
            memory: 0,
        }
    }

    /// Puts the start in its place.
    fn begin(&mut self) {
        self.table.insert(hash(&[]), &[], START);
        self.waiting.push(START);
        self.uncounted.0 += 1;
    }

    /// Visits a position.
    fn visit(&mut self, place: Place) -> Result<ControlFlow<V::Found>, Halt> {
        let Worker { source, walk, totals, position, after, events, following, .. } = self;
        let mut interrupted = || (walk.interrupted)(totals.figures());
        self.table.words(place / self.place.1 as u32, position);
        events.clear();
        let owners = following.len() as u64;
        source.each(position, after, &mut interrupted, |event, to| {
            events.push(event);
            if let Some(to) = to {
                let hash = hash(to);
                let owner = if owners == 1 { 0 } else { (hash & 0xffff_ffff) % owners };
                following[owner as usize].push(hash, place, event.letter, to);
            }
        })?;
        let mut here = Here { place, position, source, interrupted: &mut interrupted };
        let found = self.visitor.visit(&mut here, events)?;
        self.uncounted.1 += events.len() as u64;
        if self.uncounted.1 >= PATIENCE {
            self.count()?;
        }
        Ok(found.map_or(ControlFlow::Continue(()), ControlFlow::Break))
    }

    /// Keeps the positions of a batch, which belong to this worker; the new ones are to be visited later.
    fn keep(&mut self, batch: &Batch) {
        let Worker { table, later, visitor, place: (place, owners), .. } = self;
        let before = later.len();
        table.insert_all(batch, |item, record, new| {
            let to = u64::from(record) * *owners as u64 + *place as u64;
            let to = Place::try_from(to).expect("fewer than 2^32 words of positions");
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
    }

    /// Keeps those positions that follow which belong to this worker; where there is a lot to visit, many together.
    fn keep_own(&mut self) {
        if self.waiting.len() > PLENTY && self.following[self.place.0].items.len() < TOGETHER {
            return;
        }
        let mut batch = std::mem::take(&mut self.following[self.place.0]);
        self.keep(&batch);
        batch.clear();
        self.following[self.place.0] = batch;
    }

    fn count(&mut self) -> Result<(), Halt> {
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
        if (self.walk.interrupted)(figures) {
            return Err(Halt::Interrupted(Interrupted::Asked));
        }
        Ok(())
    }

    /// Visits everything by itself, or as much as one should.
    fn alone(&mut self) -> Result<Alone<V::Found>, Halt> {
        while !self.waiting.is_empty() {
            let wide = self.walk.way == Way::Wide;
            let level = if wide { std::mem::take(&mut self.waiting) } else { Vec::new() };
            let mut level = level.into_iter();
            while let Some(place) = if wide { level.next() } else { self.waiting.pop() } {
                if let ControlFlow::Break(found) = self.visit(place)? {
                    return Ok(Alone::Found(found));
                }
                self.keep_own();
                if !wide {
                    // What came first is to be visited first.
                    self.waiting.extend(self.later.drain(..).rev());
                }
                if self.walk.threads.most > 1 && self.table.len() > self.walk.threads.alone {
                    return Ok(Alone::Large);
                }
            }
            if wide {
                self.waiting = std::mem::take(&mut self.later);
            }
        }
        self.count()?;
        Ok(Alone::Finished)
    }

    /// Sends what follows to those that it belongs to: all of it, or full batches.
    fn send(&mut self, office: &Office<V::Found>, all: bool) {
        for (to, batch) in self.following.iter_mut().enumerate() {
            if to != self.place.0 && batch.items.len() >= if all { 1 } else { FULL } {
                office.send(to, std::mem::take(batch));
            }
        }
    }

    /// Visits a position, and keeps and sends what follows. Whether to go on.
    fn work(&mut self, place: Place, office: &Office<V::Found>) -> bool {
        match self.visit(place) {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(found)) => office.end(Ok(found)),
            Err(why) => office.end(Err(why)),
        }
        self.keep_own();
        self.send(office, false);
        !office.stop.load(Ordering::Relaxed)
    }

    /// Visits the latest first, with others, until nobody has anything to visit.
    fn deep(&mut self, office: &Office<V::Found>) {
        let mut going_on = true;
        while going_on {
            while going_on && let Some(place) = self.waiting.pop() {
                going_on = self.work(place, office);
                self.waiting.extend(self.later.drain(..).rev());
                if office.boxes[self.place.0].full.load(Ordering::Relaxed) {
                    for batch in office.open(self.place.0) {
                        self.keep(&batch);
                        office.done();
                    }
                    self.waiting.extend(self.later.drain(..).rev());
                }
            }
            self.send(office, true);
            going_on = going_on && office.wait(self.place.0);
            if going_on {
                for batch in office.open(self.place.0) {
                    self.keep(&batch);
                    office.done();
                }
                self.waiting.extend(self.later.drain(..).rev());
            }
        }
    }

    /// Visits level by level, with others.
    fn wide(&mut self, office: &Office<V::Found>) {
        loop {
            let mut going_on = true;
            for place in std::mem::take(&mut self.waiting) {
                going_on = going_on && self.work(place, office);
            }
            self.send(office, true);
            office.level.wait();
            for batch in office.open(self.place.0) {
                self.keep(&batch);
            }
            self.waiting = std::mem::take(&mut self.later);
            office.next_level.fetch_add(self.waiting.len(), Ordering::Relaxed);
            office.level.wait();
            let finished =
                office.next_level.load(Ordering::Relaxed) == 0 || office.stop.load(Ordering::Relaxed);
            if office.level.wait().is_leader() {
                office.next_level.store(0, Ordering::Relaxed);
            }
            office.level.wait();
            if finished {
                return;
            }
        }
    }
}

/// The batches that were sent to one worker.
#[derive(Default)]
struct Letterbox {
    batches: Mutex<Vec<Batch>>,
    full: AtomicBool,
}

/// What workers need to work together.
struct Office<F> {
    boxes: Vec<Letterbox>,
    /// How many workers are at work and how many batches are on their way.
    busy: Mutex<usize>,
    changed: Condvar,
    stop: AtomicBool,
    ending: Mutex<Option<Result<F, Halt>>>,
    level: Barrier,
    next_level: AtomicUsize,
}

impl<F> Office<F> {
    fn new(workers: usize) -> Office<F> {
        Office {
            boxes: (0..workers).map(|_| Letterbox::default()).collect(),
            busy: Mutex::new(workers),
            changed: Condvar::new(),
            stop: AtomicBool::new(false),
            ending: Mutex::new(None),
            level: Barrier::new(workers),
            next_level: AtomicUsize::new(0),
        }
    }

    fn send(&self, to: usize, batch: Batch) {
        *locked(&self.busy) += 1;
        locked(&self.boxes[to].batches).push(batch);
        self.boxes[to].full.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    fn open(&self, worker: usize) -> Vec<Batch> {
        let letterbox = &self.boxes[worker];
        letterbox.full.store(false, Ordering::Relaxed);
        std::mem::take(&mut *locked(&letterbox.batches))
    }

    /// A batch was kept.
    fn done(&self) {
        *locked(&self.busy) -= 1;
    }

    /// Waits until there is something in a worker's box. Whether there will ever be.
    fn wait(&self, worker: usize) -> bool {
        let mut busy = locked(&self.busy);
        *busy -= 1;
        loop {
            if *busy == 0 {
                self.stop.store(true, Ordering::Relaxed);
            }
            if self.stop.load(Ordering::Relaxed) {
                self.changed.notify_all();
                return false;
            }
            if !locked(&self.boxes[worker].batches).is_empty() {
                *busy += 1;
                return true;
            }
            busy = self.changed.wait(busy).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn end(&self, how: Result<F, Halt>) {
        let mut ending = locked(&self.ending);
        // What was found counts more than that another could not go on.
        if ending.is_none() || (how.is_ok() && ending.as_ref().is_some_and(Result::is_err)) {
            *ending = Some(how);
        }
        let busy = locked(&self.busy);
        self.stop.store(true, Ordering::Relaxed);
        drop(busy);
        self.changed.notify_all();
    }
}

/// Lets all workers visit everything.
fn together<D, V>(workers: &mut [Worker<'_, D, V>], way: Way) -> Result<Option<V::Found>, Halt>
where
    D: Domain,
    Strands<D>: Send,
    V: Visitor<D>,
{
    let office = Office::new(workers.len());
    std::thread::scope(|scope| {
        for worker in workers.iter_mut() {
            scope.spawn(|| if way == Way::Wide { worker.wide(&office) } else { worker.deep(&office) });
        }
    });
    for worker in workers {
        worker.totals.transitions.fetch_add(worker.uncounted.1, Ordering::Relaxed);
    }
    office.ending.into_inner().unwrap_or_else(PoisonError::into_inner).transpose()
}
