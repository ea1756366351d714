//! A worker: a process that answers one request, which comes on its standard input, event by event on its standard output.
//!
//! It ends as soon as its input does: then nobody waits for the answer.

use std::io::{BufRead, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agon_check::budget::Budget;
use agon_games::machine::explore::Threads;

use super::requests::{Request, answer, failed};
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
    let request = match input.read_line(&mut line).map(|_| serde_json::from_str::<Request>(&line)) {
        Ok(Ok(request)) => request,
        Ok(Err(error)) => return tell(&failed(&format!("this is no request: {error}"))),
        Err(error) => return tell(&failed(&format!("the request cannot be read: {error}"))),
    };
    drop(input);
    let cancelled = Arc::new(AtomicBool::new(false));
    let budget = Budget {
        deadline: Instant::now().checked_add(allowance.time),
        memory: Some(allowance.memory),
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
    answer(&request, &budget, &mut |event| tell(&event));
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
