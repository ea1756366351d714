//! Engines that take turns: the first that is conclusive stops the others.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use agon_base::budget::{Budget, Turn};
use agon_base::id::number;
use agon_games::moves::Player;

use super::plan::Plan;
use super::{Ask, Engine, Reports, attempt};
use crate::search::{Notice, Observer, Progress};
use crate::verdict::Iteration;

/// An engine begins this long after the one before it. What that one answers by then it always answers.
const HEAD_START: Duration = Duration::from_millis(100);
/// Random moves begin this long after the engine before them: what the others find soon is shorter, or a proof.
const RANDOM_START: Duration = Duration::from_secs(1);
/// How often the race looks whether to stop, and reports progress.
const TICK: Duration = Duration::from_millis(10);

/// What one engine reported since it was last looked at.
#[derive(Default)]
struct Heard {
    progress: Option<Progress>,
    iterations: Vec<Ended>,
}

/// An iteration that has ended: whose it was, what happened, and the moves of its counterexample.
type Ended = (&'static str, Iteration, Vec<(Player, String)>);

impl Heard {
    fn note(&mut self, notice: Notice<'_>) {
        match notice {
            Notice::Progress(progress) => self.progress = Some(progress),
            Notice::Iteration(engine, iteration, moves) => {
                // Its own moves will do.
                let own = iteration.play.iter().map(|m| moves[*m as usize].clone()).collect();
                let play = (0..number(iteration.play.len())).collect();
                self.iterations.push((engine, Iteration { play, ..iteration.clone() }, own));
            }
        }
    }
}

/// One engine of a race.
struct Runner {
    budget: Budget,
    heard: Mutex<Heard>,
}

/// Stops all engines when it is dropped: if the observer panics, nobody waits for what they find.
struct StopAll<'a>(&'a [Runner]);

impl Drop for StopAll<'_> {
    fn drop(&mut self) {
        self.0.iter().for_each(|runner| runner.budget.cancelled.store(true, Ordering::Relaxed));
    }
}

/// Asks the engines of a plan. Each begins a little after the one before it, or when that one has ended. Ends when one
/// was conclusive, or none is left; all threads have ended then.
pub(super) fn race<P: Clone + Send, E: Clone + Send>(
    plan: &Plan,
    budget: &Budget,
    ask: &Ask<'_, P, E>,
    observe: &mut Observer<'_>,
) -> Reports<P, E> {
    let permits = if plan.alone { 1 } else { budget.threads.most };
    let runners: Vec<Runner> = Turn::places(plan.tries.len(), permits)
        .into_iter()
        .map(|turn| Runner {
            budget: Budget { cancelled: Arc::default(), turn, ..budget.clone() },
            heard: Mutex::default(),
        })
        .collect();
    let stop = || runners.iter().for_each(|runner| runner.budget.cancelled.store(true, Ordering::Relaxed));
    let (send, receive) = channel();
    let mut reports = Reports::default();
    std::thread::scope(|scope| {
        let _ends_with_us = StopAll(&runners);
        let start = |n: usize| {
            let (send, runner, one) = (send.clone(), &runners[n], &plan.tries[n]);
            scope.spawn(move || {
                let Runner { budget, heard } = runner;
                let mut observe =
                    |notice: Notice<'_>| heard.lock().unwrap_or_else(PoisonError::into_inner).note(notice);
                budget.turn.begin(|| budget.cancelled.load(Ordering::Relaxed));
                let reports = attempt(one, ask, budget, &mut observe);
                budget.turn.end();
                // The receiver lives until all have ended.
                let _ = send.send((n, reports));
            });
        };
        let mut running: Vec<bool> = vec![false; runners.len()];
        // The engines before this one have begun, the last of them then.
        let (mut next, mut begun) = (0, Instant::now());
        let mut over = false;
        loop {
            let random = plan.tries.get(next).is_some_and(|one| one.engine == Engine::Random);
            let due = match random {
                true => begun.elapsed() >= RANDOM_START || !running.contains(&true),
                false => next == 0 || begun.elapsed() >= HEAD_START || !running[next - 1],
            };
            if !over && due && next < runners.len() {
                start(next);
                running[next] = true;
                (next, begun) = (next + 1, Instant::now());
            }
            match receive.recv_timeout(TICK) {
                Ok((n, one)) => {
                    running[n] = false;
                    reports.extend(one);
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            // A deadline they see themselves.
            if reports.is_final() || budget.cancelled.load(Ordering::Relaxed) {
                stop();
            }
            over |= reports.is_final() || budget.is_over().is_some();
            // How far the likeliest one is, and what all came to on the way.
            let likeliest = running.iter().position(|running| *running);
            for (n, runner) in runners.iter().enumerate() {
                let now = std::mem::take(&mut *runner.heard.lock().unwrap_or_else(PoisonError::into_inner));
                for (engine, iteration, moves) in &now.iterations {
                    observe(Notice::Iteration(engine, iteration, moves));
                }
                if let Some(progress) = now.progress.filter(|_| Some(n) == likeliest) {
                    observe(progress.into());
                }
            }
            if likeliest.is_none() && (over || next == runners.len()) {
                break;
            }
        }
    });
    reports
}
