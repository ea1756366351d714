//! Budgets: how much time and memory an answer may cost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use agon_games::machine::Interrupted;
use agon_games::machine::explore::Threads;

/// What an answer may cost. Engines look at it in their loops.
#[derive(Clone, Default, Debug)]
pub struct Budget {
    /// When to stop.
    pub deadline: Option<Instant>,
    /// How many bytes the engine's tables may take.
    pub memory: Option<usize>,
    /// How many pairs of moves a search may try.
    pub transitions: Option<u64>,
    /// How many threads may look, where a program is concurrent.
    pub threads: Threads,
    /// Set from outside to stop at once.
    pub cancelled: Arc<AtomicBool>,
    /// What another one that looks at the same time takes of the memory.
    pub beside: Beside,
}

/// The memory that two take who look at the same time, in bytes.
#[derive(Clone, Default, Debug)]
pub struct Beside {
    own: Arc<AtomicUsize>,
    other: Arc<AtomicUsize>,
}

impl Beside {
    /// The same, as the other one sees it.
    pub(crate) fn other(&self) -> Beside {
        Beside { own: self.other.clone(), other: self.own.clone() }
    }

    /// Nothing is taken any more.
    pub(crate) fn release(&self) {
        self.own.store(0, Ordering::Relaxed);
    }

    /// Whether so much is too much. Of two that take too much together, the one that takes more is to stop.
    fn is_over(&self, memory: usize, limit: usize) -> bool {
        self.own.store(memory, Ordering::Relaxed);
        let other = self.other.load(Ordering::Relaxed);
        memory > limit || (memory >= other && memory.saturating_add(other) > limit)
    }
}

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
    /// The patience of whoever asked.
    Cancelled,
}

impl Budget {
    /// What a run that ended early ran out of.
    pub fn stopped(&self, why: Interrupted) -> Limit {
        match why {
            Interrupted::StoreTooLarge => Limit::Store,
            Interrupted::NumberTooLarge => Limit::Number,
            Interrupted::Asked => self.exceeded(0).unwrap_or(Limit::Cancelled),
        }
    }

    /// What has run out, if anything has, given the bytes in use; 0 if they were not looked at.
    pub fn exceeded(&self, memory: usize) -> Option<Limit> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Limit::Cancelled);
        }
        if memory > 0 && self.memory.is_some_and(|limit| self.beside.is_over(memory, limit)) {
            return Some(Limit::Memory);
        }
        self.deadline.is_some_and(|deadline| Instant::now() > deadline).then_some(Limit::Time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_share_the_memory_and_the_larger_one_stops() {
        let one = Budget { memory: Some(100), ..Budget::default() };
        let two = Budget { beside: one.beside.other(), ..one.clone() };
        assert_eq!(one.exceeded(60), None);
        assert_eq!(two.exceeded(40), None);
        assert_eq!(two.exceeded(50), None);
        assert_eq!(one.exceeded(0), None);
        assert_eq!(one.exceeded(60), Some(Limit::Memory));
        one.beside.release();
        assert_eq!(two.exceeded(100), None);
        assert_eq!(two.exceeded(101), Some(Limit::Memory));
    }
}
