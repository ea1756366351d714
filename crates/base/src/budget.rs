//! The budget: how much time and memory an answer may cost. It is the one way to stop, and [`Stop`] is the one reason.

mod turns;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

pub use turns::Turn;

use crate::growth::{Growth, Memory};
use crate::id::ComponentId;

/// What an answer may cost. Every loop that can be long asks it.
#[derive(Clone, Default, Debug)]
pub struct Budget {
    /// When to stop.
    pub deadline: Option<Instant>,
    /// How many bytes may be in use: by the whole process, where they are counted, otherwise by the engine's tables.
    pub memory: Option<usize>,
    /// Says how many bytes the process has allocated, where they are counted.
    pub allocated: Option<fn() -> usize>,
    /// The most entries of a table of positions; as many as 32 bits can number, if nothing is said.
    pub entries: Option<u32>,
    /// How many pairs of moves a search may try.
    pub transitions: Option<u64>,
    /// How many threads may look, where a program is concurrent.
    pub threads: Threads,
    /// Set from outside to stop at once.
    pub cancelled: Arc<AtomicBool>,
    /// The place among engines that look at the same time.
    pub turn: Turn,
    /// How often it may still be asked.
    pub patience: Patience,
}

/// How many checks are left, if they are counted. Clones of a budget share it.
#[derive(Clone, Default, Debug)]
pub struct Patience(Option<Arc<AtomicU64>>);

/// Why something ended before it was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The time ran out.
    Time,
    /// The memory ran out.
    Memory,
    /// More transitions than may be tried.
    Transitions,
    /// A number has more bits than a run may compute with.
    Number,
    /// The program's cells are more than a store can hold.
    Store,
    /// A table has no number left for another entry, or something that is built has become too large.
    Table,
    /// Somebody has said stop, or the caller has seen enough.
    Cancelled,
    /// The environment may give any integer in this component, or more values than are tried one by one.
    Unbounded(ComponentId),
}

/// How many threads visit positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Threads {
    /// At most this many.
    pub most: usize,
    /// One thread works alone up to this many positions. Small programs are done before others have begun, and one thread
    /// always finds the same.
    pub alone: usize,
}

impl Default for Threads {
    fn default() -> Threads {
        Threads::new(1)
    }
}

impl Threads {
    /// At most this many threads, where it is worth it.
    pub fn new(most: usize) -> Threads {
        Threads { most: most.max(1), alone: 20_000 }
    }
}

impl Budget {
    /// Asks whether to go on. Where several engines look at the same time, this may wait until they have had their turns.
    pub fn check(&self) -> Result<(), Stop> {
        self.check_with(0)
    }

    /// The same, given the bytes in the engine's tables; 0 if they were not looked at.
    pub fn check_with(&self, memory: usize) -> Result<(), Stop> {
        self.turn.uses(memory);
        self.turn.pass_on(|| self.stop_now(memory).is_some());
        self.stop_now(memory).map_or_else(|| self.use_patience(), Err)
    }

    /// Asks whether to go on with a number of bytes more, which are about to be allocated.
    pub fn check_room(&self, bytes: usize) -> Result<(), Stop> {
        let mut growth = Growth::default();
        growth.announce(bytes);
        self.check()
    }

    /// Whether it is exhausted.
    pub fn is_exhausted(&self) -> bool {
        self.check().is_err()
    }

    /// The same budget, which may be asked at most this often.
    pub fn with_patience(&self, checks: u64) -> Budget {
        Budget { patience: Patience(Some(Arc::new(AtomicU64::new(checks)))), ..self.clone() }
    }

    fn use_patience(&self) -> Result<(), Stop> {
        let Some(left) = &self.patience.0 else { return Ok(()) };
        let used = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        used.map(|_| ()).map_err(|_| Stop::Cancelled)
    }

    fn stop_now(&self, memory: usize) -> Option<Stop> {
        if self.memory.is_some_and(|limit| self.is_out_of_memory(memory, limit)) {
            return Some(Stop::Memory);
        }
        self.is_over()
    }

    /// Whether the time has run out, or somebody has said stop.
    pub fn is_over(&self) -> Option<Stop> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Stop::Cancelled);
        }
        self.deadline.is_some_and(|deadline| Instant::now() > deadline).then_some(Stop::Time)
    }

    fn is_out_of_memory(&self, memory: usize, limit: usize) -> bool {
        match self.counted() {
            Some(counted) => {
                let excess = counted.excess();
                // Of several engines the largest stops; but if that does not help soon, all do.
                excess > 0 && (excess > limit / 20 || self.turn.is_largest())
            }
            None => memory > 0 && self.turn.uses_too_much(memory, limit),
        }
    }

    /// The memory, where it is counted.
    pub fn counted(&self) -> Option<Memory> {
        Some(Memory { limit: self.memory?, allocated: self.allocated? })
    }

    /// The most entries of a table whose entries take this many bytes each, where memory is not counted.
    pub fn most_entries(&self, bytes_each: usize) -> usize {
        match (self.memory, self.allocated) {
            (Some(bytes), None) => bytes / bytes_each,
            _ => usize::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn what_the_process_has_counts_and_of_two_engines_the_larger_one_stops_first() {
        static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
        let allocated = Some((|| ALLOCATED.load(Ordering::Relaxed)) as fn() -> usize);
        // Tables of other tests announce what they take, so the numbers are large.
        let gib = 1 << 30;
        let budget = |turn| Budget { memory: Some(100 * gib), allocated, turn, ..Budget::default() };
        let [one, two] = <[Turn; 2]>::try_from(Turn::places(2, 2)).expect("there are two").map(budget);
        assert_eq!((one.check_with(60), two.check_with(40)), (Ok(()), Ok(())));
        ALLOCATED.store(101 * gib, Ordering::Relaxed);
        assert_eq!((two.check(), one.check()), (Ok(()), Err(Stop::Memory)));
        ALLOCATED.store(106 * gib, Ordering::Relaxed);
        assert_eq!(two.check(), Err(Stop::Memory));
        // One has ended, and given back what it had.
        one.turn.end();
        ALLOCATED.store(99 * gib, Ordering::Relaxed);
        assert_eq!(two.check_with(99), Ok(()));
        ALLOCATED.store(101 * gib, Ordering::Relaxed);
        assert_eq!(two.check(), Err(Stop::Memory));
    }

    #[test]
    fn patience_is_used_up_and_shared_by_clones() {
        let budget = Budget::default().with_patience(2);
        assert_eq!((budget.check(), budget.clone().check()), (Ok(()), Ok(())));
        assert_eq!((budget.check(), Budget::default().check()), (Err(Stop::Cancelled), Ok(())));
    }
}
