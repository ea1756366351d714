//! Budgets: how much time and memory an answer may cost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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

    /// What has run out, if anything has, given the bytes in use.
    pub fn exceeded(&self, memory: usize) -> Option<Limit> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Limit::Cancelled);
        }
        if self.memory.is_some_and(|limit| memory > limit) {
            return Some(Limit::Memory);
        }
        self.deadline.is_some_and(|deadline| Instant::now() > deadline).then_some(Limit::Time)
    }
}
