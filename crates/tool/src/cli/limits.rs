//! Limits and progress: a budget from the options, and a line on the terminal.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use agon_base::budget::{Budget, Threads};
use agon_check::search::Notice;
use indicatif::{HumanBytes, HumanCount, ProgressBar};

use super::{Common, guard};
use crate::system::{allocated, cores, free_memory};

/// The budget that the options give, counted from now on. The guard enforces it.
pub(super) fn budget(common: &Common, started: Instant) -> Budget {
    let budget = own_budget(common, started);
    guard::limit(budget.deadline, budget.memory);
    budget
}

/// The same without the guard, for one of many questions of a command.
pub(super) fn own_budget(common: &Common, started: Instant) -> Budget {
    Budget {
        deadline: common.time_limit.and_then(|limit| started.checked_add(limit)),
        threads: Threads::new(common.threads.map_or_else(cores, usize::from)),
        memory: common.memory_limit.map(|mib| mib.saturating_mul(1 << 20)).or_else(free_memory),
        allocated: allocated(),
        cancelled: guard::cancelled(),
        ..Budget::default()
    }
}

/// A line on the terminal that shows how a long search is going.
pub(super) struct ProgressLine {
    bar: Option<ProgressBar>,
    started: Instant,
}

impl ProgressLine {
    pub(super) fn new(started: Instant, quiet: bool) -> ProgressLine {
        let wanted = !quiet && std::io::stderr().is_terminal();
        ProgressLine { bar: wanted.then(ProgressBar::new_spinner), started }
    }

    pub(super) fn show(&self, notice: Notice<'_>) {
        let Notice::Progress(progress) = notice else { return };
        let elapsed = self.started.elapsed();
        let Some(bar) = &self.bar else { return };
        if elapsed < Duration::from_millis(300) {
            return;
        }
        let iteration = match progress.iteration {
            0 => String::new(),
            n => format!("iteration {n}, "),
        };
        #[expect(clippy::cast_possible_truncation, reason = "the figure is rounded")]
        let speed = (progress.states as f64 / elapsed.as_secs_f64()) as u64;
        bar.set_message(format!(
            "{iteration}{} states, {} a second, {}",
            HumanCount(progress.states as u64),
            HumanCount(speed),
            HumanBytes(allocated().map_or(progress.memory, |allocated| allocated()) as u64)
        ));
        bar.tick();
    }

    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
