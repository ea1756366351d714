//! A worker: a process that answers one request, which comes on its standard input, event by event on its standard output.
//!
//! It ends as soon as its input does: then nobody waits for the answer.

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

/// After it was called off, a worker has so long to say what it knows.
const GRACE: Duration = Duration::from_millis(500);

/// What a worker may use.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// How long.
    pub time: Duration,
    /// How many bytes of memory for the tables of an engine.
    pub memory: usize,
}

/// Answers the request on standard input.
pub fn run(allowance: Allowance) {
    let mut input = std::io::stdin().lock();
    let mut line = String::new();
    let ask = match input.read_line(&mut line).map(|_| serde_json::from_str::<Ask>(&line)) {
        Ok(Ok(ask)) => ask,
        Ok(Err(error)) => return tell(&failed(&format!("this is no request: {error}"))),
        Err(error) => return tell(&failed(&format!("the request cannot be read: {error}"))),
    };
    drop(input);
    // What is no limit limits nothing.
    let time = ask.time_limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let time = time.filter(|time| *time < allowance.time);
    let memory = ask.memory_limit.filter(|mib| *mib >= 0.0).map(|mib| (mib * f64::from(1 << 20)) as usize);
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
    answer(&ask.request, &budget, reader, &mut |event| tell(&event));
    // Nothing is taken apart that ends with the process anyway.
    std::process::exit(0);
}

/// Says why there is no answer.
pub fn unanswered(why: &str) {
    tell(&failed(why));
}

/// Says an event; where nobody listens, there is nothing more to do.
fn tell(event: &Event) {
    let mut out = std::io::stdout().lock();
    if out.write_all(shape::line(event).as_bytes()).and_then(|()| out.flush()).is_err() {
        std::process::exit(1);
    }
}
