//! A worker: a process that answers one request, which comes on its standard input, event by event on its standard output.
//!
//! It ends as soon as its input does: then nobody waits for the answer.

use std::io::{BufRead, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agon_base::budget::{Budget, Threads};
use serde::Deserialize;

use super::requests::{Request, answer, failed};
use crate::render::reader::Reader;
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

/// What a request allows itself, of what the server allows it.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Limits {
    /// In seconds.
    time_limit: Option<f64>,
    /// In MiB.
    memory_limit: Option<u32>,
}

impl Limits {
    fn time(&self) -> Option<Duration> {
        Duration::try_from_secs_f64(self.time_limit?).ok()
    }

    fn memory(&self) -> Option<usize> {
        usize::try_from(self.memory_limit?).ok()?.checked_mul(1 << 20)
    }
}

/// Answers the request on standard input.
pub fn run(allowance: Allowance) {
    let mut input = std::io::stdin().lock();
    let mut line = String::new();
    let request = match input.read_line(&mut line).map(|_| serde_json::from_str::<Request>(&line)) {
        Ok(Ok(request)) => request,
        Ok(Err(error)) => return tell(&failed(&format!("this is no request: {error}"))),
        Err(error) => return tell(&failed(&format!("the request cannot be read: {error}"))),
    };
    drop(input);
    // What is no limit limits nothing.
    let limits = serde_json::from_str::<Limits>(&line).unwrap_or_default();
    let (time, memory) = (limits.time(), limits.memory());
    let time = time.filter(|time| *time < allowance.time);
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
    answer(&request, &budget, reader, &mut |event| tell(&event));
    // Nothing is taken apart that ends with the process anyway.
    std::process::exit(0);
}

/// Says why there is no answer.
pub fn unanswered(why: &str) {
    tell(&failed(why));
}

/// Says an event; where nobody listens, there is nothing more to do.
fn tell(event: &serde_json::Value) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{event}").and_then(|()| out.flush()).is_err() {
        std::process::exit(1);
    }
}
