//! The guard: a thread that enforces the limits where the work itself does not stop in time.
//!
//! Engines check their budgets and stop with a report. The guard covers the rest: a text of a hundred megabytes that is
//! still being read, a pipe that nobody reads. It handles signals, and watches the clock and the memory.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use agon_base::budget::Stop;

use super::Status;
use super::output::remark;
use crate::process::end_programs;
use crate::render::answer;
use crate::system::{allocated, measure_memory};

/// How long a command may take to write its report after it was told to stop.
const GRACE: Duration = Duration::from_millis(500);
/// How often the guard checks. A parser can allocate a MiB in each millisecond.
const LOOK: Duration = Duration::from_millis(2);
/// The system is asked for the memory of the process when this many bytes more were allocated, ...
const GROWN: usize = 1 << 20;
/// ... and in one of this many checks.
const RESIDENT: u32 = 16;

static GUARD: OnceLock<Guard> = OnceLock::new();

/// What the guard knows about the running command.
#[derive(Default)]
struct Guard {
    /// Set by the first signal; engines check it.
    cancelled: Arc<AtomicBool>,
    limits: Mutex<Limits>,
}

/// The limits, and what to do when one is exceeded.
#[derive(Default)]
struct Limits {
    /// The first signal, as a number, and when it came.
    signal: Option<(i32, Instant)>,
    deadline: Option<Instant>,
    /// The most bytes of memory.
    memory: Option<usize>,
    /// Prints that there is no verdict, and why, for this exit status. Nothing if the command gives no verdicts, or has begun
    /// to write its own.
    last_words: Option<(Status, LastWords)>,
    /// The process is being ended.
    ending: bool,
}

type LastWords = Box<dyn FnOnce(Stop) + Send>;

fn limits() -> Option<MutexGuard<'static, Limits>> {
    let limits = GUARD.get()?.limits.lock().unwrap_or_else(PoisonError::into_inner);
    if limits.ending {
        drop(limits);
        // The guard is about to end the process.
        loop {
            std::thread::park();
        }
    }
    Some(limits)
}

/// The flag that the first signal sets, so that the work stops with a report. The second signal ends the process.
pub(super) fn cancelled() -> Arc<AtomicBool> {
    GUARD.get().map_or_else(Arc::default, |guard| guard.cancelled.clone())
}

/// Limits what the command may use from now on.
pub(super) fn limit(deadline: Option<Instant>, memory: Option<usize>) {
    if let Some(mut limits) = limits() {
        (limits.deadline, limits.memory) = (deadline, memory);
    }
}

/// Sets what is printed if the command has to be ended before it has a verdict, and the status then.
pub(super) fn last_words(status: Status, words: impl FnOnce(Stop) + Send + 'static) {
    if let Some(mut limits) = limits() {
        limits.last_words = Some((status, Box::new(words)));
    }
}

/// The command has its answer, and is about to write it.
pub(super) fn answers() {
    if let Some(mut limits) = limits() {
        limits.last_words = None;
    }
}

/// Starts the guard. No other thread may run yet: all threads inherit the mask that leaves signals to the guard.
pub(super) fn start() {
    if GUARD.set(Guard::default()).is_err() {
        return;
    }
    hear_signals();
    std::thread::spawn(|| {
        let mut asked = 0;
        for n in 0u32.. {
            std::thread::sleep(LOOK);
            let now = allocated().map_or(0, |allocated| allocated());
            let ask = now.abs_diff(asked) > GROWN || n.is_multiple_of(RESIDENT);
            let resident = ask.then(measure_memory).flatten();
            if ask {
                asked = now;
            }
            enforce(resident.unwrap_or(0));
        }
    });
}

#[cfg(unix)]
fn hear_signals() {
    use nix::sys::signal::{SigSet, Signal};
    let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP].into_iter().collect();
    if signals.thread_block().is_err() {
        return;
    }
    std::thread::spawn(move || {
        while let Ok(signal) = signals.wait() {
            heard(signal as i32);
        }
    });
}

#[cfg(not(unix))]
fn hear_signals() {
    const INTERRUPT: i32 = 2;
    let _ = ctrlc::set_handler(|| heard(INTERRUPT));
}

/// Handles a signal.
fn heard(signal: i32) {
    let Some(guard) = GUARD.get() else { return };
    let Some(mut limits) = limits() else { return };
    guard.cancelled.store(true, Ordering::Relaxed);
    // A second signal means: do not wait. A command without verdicts has nothing to report.
    if limits.signal.is_some() || limits.last_words.is_none() {
        end(limits, 128 + signal);
    }
    limits.signal = Some((signal, Instant::now()));
}

/// Ends the process if a limit was exceeded a while ago and the work did not stop.
fn enforce(resident: usize) {
    let Some(limits) = limits() else { return };
    if let Some((signal, came)) = limits.signal
        && came.elapsed() > GRACE
    {
        match limits.last_words {
            Some(_) => end_with_last_words(limits, Stop::Cancelled),
            None => end(limits, 128 + signal),
        }
    } else if limits.deadline.is_some_and(|deadline| Instant::now() > deadline + GRACE) {
        end_with_last_words(limits, Stop::Time);
    } else if let Some(limit) = limits.memory {
        // Engines stop when the limit is reached, but not instantly.
        let most = limit.saturating_add(limit / 16).saturating_add(4 << 20);
        let taken = allocated().map_or(0, |allocated| allocated()).max(resident);
        if taken > most {
            end_with_last_words(limits, Stop::Memory);
        }
    }
}

/// Prints the command's last words, and ends the process.
fn end_with_last_words(mut limits: MutexGuard<'_, Limits>, stop: Stop) {
    let (status, words) = limits.last_words.take().unwrap_or_else(|| {
        let words: LastWords = Box::new(|limit| remark(&format!("UNKNOWN  {}\n", answer::limit(limit))));
        (Status::Undecided, words)
    });
    limits.ending = true;
    drop(limits);
    // Do not wait for a pipe that nobody reads.
    let (send, receive) = channel();
    std::thread::spawn(move || {
        words(stop);
        let _ = send.send(());
    });
    let _ = receive.recv_timeout(GRACE / 2);
    exit(status.code().into())
}

fn end(mut limits: MutexGuard<'_, Limits>, code: i32) -> ! {
    limits.ending = true;
    drop(limits);
    exit(code)
}

fn exit(code: i32) -> ! {
    end_programs();
    std::process::exit(code)
}
