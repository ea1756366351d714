//! Limits and progress: budgets from options, interrupts, a line on the terminal.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agon_check::budget::Budget;
use agon_check::search::Notice;
use agon_games::machine::explore::Threads;
use indicatif::{HumanBytes, HumanCount, ProgressBar};

use super::Common;
use crate::system::{cores, free_memory};

/// A flag that the first interrupt sets, so that the work ends with figures; the second ends the process.
pub(super) fn interruptible() -> Arc<AtomicBool> {
    let cancelled = Arc::new(AtomicBool::new(false));
    let flag = cancelled.clone();
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    cancelled
}

/// The budget that the options give.
pub(super) fn budget(common: &Common, started: Instant, cancelled: &Arc<AtomicBool>) -> Budget {
    Budget {
        deadline: common.time_limit.and_then(|limit| started.checked_add(limit)),
        threads: Threads::new(common.threads.map_or_else(cores, usize::from)),
        memory: common.memory_limit.map(|mib| mib.saturating_mul(1 << 20)).or_else(free_memory),
        cancelled: cancelled.clone(),
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
        bar.set_message(format!(
            "{iteration}{} states, {} a second, {}",
            HumanCount(progress.states as u64),
            HumanCount((progress.states as f64 / elapsed.as_secs_f64()) as u64),
            HumanBytes(progress.memory as u64)
        ));
        bar.tick();
    }

    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
