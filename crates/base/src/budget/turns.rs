//! Turns: several engines look at the same time, a few of them run at once, and they share the memory.
//!
//! Engines ask their budget in every loop. There, an engine whose time slice is over waits until the others have had
//! theirs. It keeps what it has found, so a turn costs nothing but the switch.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// An engine runs for this long before it waits for others.
const SLICE: Duration = Duration::from_millis(50);
/// A waiting engine runs anyway after this time: the others may be in a place where they do not ask.
const OVERDUE: Duration = Duration::from_millis(200);
/// A waiting engine checks this often whether it is to stop.
const TICK: Duration = Duration::from_millis(10);

/// The place of one engine among those that look at the same time. Without others there is nothing to wait for.
#[derive(Clone, Debug, Default)]
pub struct Turn(Option<(Arc<Turns>, usize)>);

#[derive(Debug)]
struct Turns {
    /// How many engines run at once.
    permits: usize,
    queue: Mutex<Queue>,
    changed: Condvar,
    /// Whether an engine waits; looked at before anything is locked.
    contended: AtomicBool,
    /// The bytes that each engine uses.
    memory: Box<[AtomicUsize]>,
}

#[derive(Debug)]
struct Queue {
    /// For each engine that runs, since when.
    running: Vec<Option<Instant>>,
    /// The others that want to run, in their order.
    waiting: VecDeque<usize>,
}

impl Turn {
    /// Places for some engines, of which only `permits` run at once.
    pub fn places(engines: usize, permits: usize) -> Vec<Turn> {
        let turns = Arc::new(Turns {
            permits: permits.max(1),
            queue: Mutex::new(Queue { running: vec![None; engines], waiting: VecDeque::new() }),
            changed: Condvar::new(),
            contended: AtomicBool::new(false),
            memory: (0..engines).map(|_| AtomicUsize::new(0)).collect(),
        });
        (0..engines).map(|n| Turn(Some((turns.clone(), n)))).collect()
    }

    /// Waits for the first turn.
    pub fn begin(&self, stop: impl Fn() -> bool) {
        let Some((turns, me)) = &self.0 else { return };
        turns.wait(turns.lock(), *me, stop);
    }

    /// Lets others run if the time slice is over, and waits for the next turn. Several threads of one engine may ask:
    /// all of them wait.
    pub(super) fn pass_on(&self, stop: impl Fn() -> bool) {
        let Some((turns, me)) = &self.0 else { return };
        if !turns.contended.load(Ordering::Relaxed) {
            return;
        }
        let mut queue = turns.lock();
        match queue.running[*me] {
            Some(since) if since.elapsed() < SLICE || queue.waiting.is_empty() => return,
            Some(_) => {
                queue.running[*me] = None;
                turns.changed.notify_all();
            }
            None => {}
        }
        turns.wait(queue, *me, stop);
    }

    /// The engine has ended.
    pub fn end(&self) {
        let Some((turns, me)) = &self.0 else { return };
        turns.memory[*me].store(0, Ordering::Relaxed);
        let mut queue = turns.lock();
        queue.running[*me] = None;
        queue.waiting.retain(|other| other != me);
        turns.changed.notify_all();
    }

    /// Says how many bytes this engine's tables take; 0 if they were not looked at.
    pub(super) fn uses(&self, memory: usize) {
        if let (Some((turns, me)), 1..) = (&self.0, memory) {
            turns.memory[*me].store(memory, Ordering::Relaxed);
        }
    }

    /// Whether no other engine uses more memory than this one.
    pub(super) fn is_largest(&self) -> bool {
        let Some((turns, me)) = &self.0 else { return true };
        let used = |memory: &AtomicUsize| memory.load(Ordering::Relaxed);
        turns.memory.iter().all(|other| used(other) <= used(&turns.memory[*me]))
    }

    /// Whether this engine uses too much memory, where only engines say how much they use. Of several that use too much
    /// together, the largest is to stop.
    pub(super) fn uses_too_much(&self, memory: usize, limit: usize) -> bool {
        let Some((turns, _)) = &self.0 else { return memory > limit };
        self.uses(memory);
        let used = turns.memory.iter().map(|memory| memory.load(Ordering::Relaxed));
        memory > limit || (used.fold(0, usize::saturating_add) > limit && self.is_largest())
    }
}

impl Turns {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it is this engine's turn, or until it is to stop.
    fn wait(&self, mut queue: MutexGuard<'_, Queue>, me: usize, stop: impl Fn() -> bool) {
        if !queue.waiting.contains(&me) {
            queue.waiting.push_back(me);
        }
        self.contended.store(true, Ordering::Relaxed);
        let begun = Instant::now();
        // Another thread of the same engine may have been given the turn.
        while queue.running[me].is_none() {
            let free = queue.running.iter().flatten().count() < self.permits;
            let first = queue.waiting.front() == Some(&me);
            if (first && (free || begun.elapsed() >= OVERDUE)) || stop() {
                queue.running[me] = Some(Instant::now());
                break;
            }
            queue = self.changed.wait_timeout(queue, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
        queue.waiting.retain(|other| *other != me);
        self.contended.store(!queue.waiting.is_empty(), Ordering::Relaxed);
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_the_largest_stops() {
        let places = Turn::places(3, 2);
        assert!(!places[0].uses_too_much(60, 100));
        assert!(!places[1].uses_too_much(40, 100));
        // Together they use too much, but another one uses more.
        assert!(!places[2].uses_too_much(30, 100));
        assert!(places[0].uses_too_much(60, 100));
        places[0].end();
        assert!(!places[1].uses_too_much(70, 100));
        assert!(places[1].uses_too_much(101, 100));
        assert!(Turn::default().uses_too_much(101, 100));
    }

    #[test]
    fn engines_that_ask_take_turns() {
        // Three engines, one at a time, until each has had the turn three times.
        let places = Turn::places(3, 1);
        let running = AtomicUsize::new(0);
        let turns: Vec<AtomicUsize> = (0..3).map(|_| AtomicUsize::new(0)).collect();
        let done = || turns.iter().all(|turns| turns.load(Ordering::Relaxed) >= 3);
        std::thread::scope(|scope| {
            for (place, turns) in places.iter().zip(&turns) {
                let (running, done) = (&running, &done);
                scope.spawn(move || {
                    place.begin(|| false);
                    while !done() {
                        running.fetch_add(1, Ordering::SeqCst);
                        turns.fetch_add(1, Ordering::Relaxed);
                        // More than one runs only where one does not ask for too long.
                        assert!(running.load(Ordering::SeqCst) <= 3);
                        std::thread::sleep(SLICE);
                        running.fetch_sub(1, Ordering::SeqCst);
                        place.pass_on(done);
                    }
                    place.end();
                });
            }
        });
        assert!(done());
    }

    #[test]
    fn an_engine_that_does_not_ask_holds_nobody_up() {
        let places = Turn::places(2, 1);
        places[0].begin(|| false);
        // The second engine runs although the first neither asks nor ends.
        places[1].begin(|| false);
        places[1].end();
        places[0].end();
    }
}
