//! A worker: a process that reads one request from standard input and writes the events of its answer to standard output.
//!
//! It ends as soon as its input is closed: then nobody waits for the answer.

use std::io::{BufRead, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agon_base::budget::{Budget, Threads};

use super::requests::{answer, failed};
use crate::render::reader::Reader;
use crate::shape;
use crate::shape::event::Event;
use crate::shape::request::Ask;
use crate::system::{allocated, cores};

/// How long a worker may take to report after it was cancelled.
const GRACE: Duration = Duration::from_millis(500);

/// The limits of a worker.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// The time limit.
    pub time: Duration,
    /// The memory limit, in bytes.
    pub memory: usize,
}

/// Answers the request on standard input.
pub fn run(allowance: Allowance) {
    let mut input = std::io::stdin().lock();
    let mut line = String::new();
    let ask = match input.read_line(&mut line).map(|_| serde_json::from_str::<Ask>(&line)) {
        Ok(Ok(ask)) => ask,
        Ok(Err(error)) => return write_event(&failed(&format!("this is no request: {error}"))),
        Err(error) => return write_event(&failed(&format!("the request cannot be read: {error}"))),
    };
    drop(input);
    // A negative limit is ignored.
    let time = ask.time_limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let time = time.filter(|time| *time < allowance.time);
    #[expect(clippy::cast_possible_truncation, reason = "a limit beyond all memory becomes the greatest one")]
    let bytes = |mib: f64| (mib * f64::from(1 << 20)) as usize;
    let memory = ask.memory_limit.filter(|mib| *mib >= 0.0).map(bytes);
    let memory = memory.filter(|memory| *memory < allowance.memory);
    let reader = Reader::Page { all_time: time.is_none(), all_memory: memory.is_none() };
    let cancelled = Arc::new(AtomicBool::new(false));
    let budget = Budget {
        deadline: Instant::now().checked_add(time.unwrap_or(allowance.time)),
        memory: Some(memory.unwrap_or(allowance.memory)),
        allocated: allocated(),
        threads: Threads::new(cores()),
        cancelled: cancelled.clone(),
        ..Budget::default()
    };
    std::thread::spawn(move || {
        let mut rest = Vec::new();
        let _ = std::io::stdin().take(1).read_to_end(&mut rest);
        cancelled.store(true, Ordering::Relaxed);
        std::thread::sleep(GRACE);
        std::process::exit(1);
    });
    answer(&ask.request, &budget, reader, &mut |event| write_event(&event));
    // Exit without running destructors.
    std::process::exit(0);
}

/// Writes why there is no answer.
pub fn unanswered(why: &str) {
    write_event(&failed(why));
}

/// Writes an event; exits, if nobody reads it.
fn write_event(event: &Event) {
    let mut out = std::io::stdout().lock();
    if out.write_all(shape::line(event).as_bytes()).and_then(|()| out.flush()).is_err() {
        std::process::exit(1);
    }
}
