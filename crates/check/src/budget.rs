//! Budgets: how much time and memory an answer may cost.

mod turns;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use agon_base::growth::Memory;
use agon_games::machine::Interrupted;
use agon_games::machine::explore::Threads;
pub use turns::Turn;

/// What an answer may cost. Engines look at it in their loops.
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
    /// What ran out last.
    pub ran_out: RanOut,
}

/// What ran out when a budget was last asked and something had. Clones of a budget share it.
#[derive(Clone, Default, Debug)]
pub struct RanOut(Arc<Mutex<Option<Limit>>>);

/// What ran out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// The time.
    Time,
    /// The memory.
    Memory,
    /// The pairs of moves that may be tried.
    Transitions,
    /// The bits of a number.
    Number,
    /// The room for the program's cells.
    Store,
    /// The numbers for the entries of a table.
    Table,
    /// The patience of whoever asked.
    Cancelled,
}

impl Budget {
    /// What a run that ended early ran out of.
    pub fn stopped(&self, why: Interrupted) -> Limit {
        match why {
            Interrupted::StoreTooLarge => Limit::Store,
            Interrupted::NumberTooLarge => Limit::Number,
            Interrupted::TableFull => Limit::Table,
            Interrupted::Asked => self.exceeded(0).or(self.ran_out()).unwrap_or(Limit::Cancelled),
        }
    }

    /// What had run out when it was last asked and something had. Memory may have been given back since.
    pub fn ran_out(&self) -> Option<Limit> {
        *self.ran_out.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What has run out, if anything has, given the bytes in the engine's tables; 0 if they were not looked at. Where several
    /// engines look at the same time, this may wait until they have had their turns.
    pub fn exceeded(&self, memory: usize) -> Option<Limit> {
        self.turn.uses(memory);
        self.turn.pass_on(|| self.exceeded_now(memory).is_some());
        let limit = self.exceeded_now(memory)?;
        *self.ran_out.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(limit);
        Some(limit)
    }

    fn exceeded_now(&self, memory: usize) -> Option<Limit> {
        if self.memory.is_some_and(|limit| self.is_out_of_memory(memory, limit)) {
            return Some(Limit::Memory);
        }
        self.is_over()
    }

    /// Whether the time has run out, or somebody has said stop.
    pub(crate) fn is_over(&self) -> Option<Limit> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Limit::Cancelled);
        }
        self.deadline.is_some_and(|deadline| Instant::now() > deadline).then_some(Limit::Time)
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
    fn counted(&self) -> Option<Memory> {
        Some(Memory { limit: self.memory?, allocated: self.allocated? })
    }

    /// The same limits for a solver.
    pub(crate) fn solving(&self) -> agon_solve::Limit {
        let cancelled = self.cancelled.clone();
        agon_solve::Limit { deadline: self.deadline, memory: self.counted(), cancelled }
    }

    /// The most entries of a table whose entries take so many bytes each, where memory is not counted.
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
        assert_eq!((one.exceeded(60), two.exceeded(40)), (None, None));
        ALLOCATED.store(101 * gib, Ordering::Relaxed);
        assert_eq!((two.exceeded(0), one.exceeded(0)), (None, Some(Limit::Memory)));
        assert_eq!((two.ran_out(), one.ran_out()), (None, Some(Limit::Memory)));
        ALLOCATED.store(106 * gib, Ordering::Relaxed);
        assert_eq!(two.exceeded(0), Some(Limit::Memory));
        // One has ended, and given back what it had.
        one.turn.end();
        ALLOCATED.store(99 * gib, Ordering::Relaxed);
        assert_eq!(two.exceeded(99), None);
        ALLOCATED.store(101 * gib, Ordering::Relaxed);
        assert_eq!(two.exceeded(0), Some(Limit::Memory));
        assert_eq!(two.stopped(Interrupted::TableFull), Limit::Table);
    }
}
