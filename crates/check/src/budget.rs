//! Budgets: how much time and memory an answer may cost.

mod turns;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use agon_games::machine::Interrupted;
use agon_games::machine::explore::Threads;
pub use turns::Turn;

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
    /// The place among engines that look at the same time.
    pub turn: Turn,
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

    /// What has run out, if anything has, given the bytes in use; 0 if they were not looked at. Where several engines look
    /// at the same time, this may wait until they have had their turns.
    pub fn exceeded(&self, memory: usize) -> Option<Limit> {
        self.turn.pass_on(|| self.is_over().is_some());
        if memory > 0 && self.memory.is_some_and(|limit| self.turn.uses_too_much(memory, limit)) {
            return Some(Limit::Memory);
        }
        self.is_over()
    }

    /// Whether the time has run out, or somebody has said stop.
    fn is_over(&self) -> Option<Limit> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Limit::Cancelled);
        }
        self.deadline.is_some_and(|deadline| Instant::now() > deadline).then_some(Limit::Time)
    }
}
