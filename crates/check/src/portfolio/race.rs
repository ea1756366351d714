//! Two lines of engines side by side: the first that is conclusive stops the other.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use agon_games::moves::Player;

use super::plan::Try;
use super::{Asking, Told};
use crate::budget::Budget;
use crate::search::{Notice, Observer, Progress};
use crate::verdict::Iteration;

/// The likelier one of two is alone for so long. What it answers by then it always answers.
const HEAD_START: Duration = Duration::from_millis(100);
/// So often somebody looks whether all is to stop, and tells how far it is.
const TICK: Duration = Duration::from_millis(10);

/// What was heard of one line since somebody last listened.
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
                let play = (0..iteration.play.len() as u32).collect();
                self.iterations.push((engine, Iteration { play, ..iteration.clone() }, own));
            }
        }
    }
}

/// Asks engines one after the other, and beside them, in another thread and a little later, other ones. Ends when one
/// was conclusive, or none is left; both threads have ended then.
pub(super) fn race(
    asking: Asking<'_>,
    lines: [&[Try]; 2],
    told: &Told,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Told {
    let mine = Budget { cancelled: Arc::default(), ..budget.clone() };
    let other = Budget { cancelled: Arc::default(), beside: mine.beside.other(), ..budget.clone() };
    let budgets = [mine, other];
    let heard: [Mutex<Heard>; 2] = Default::default();
    let (send, receive) = channel();
    let mut ended: [Option<Told>; 2] = [None, None];
    std::thread::scope(|scope| {
        let start = |n: usize| {
            let (send, budget, heard, line) = (send.clone(), &budgets[n], &heard[n], lines[n]);
            let before = told.gave_up();
            scope.spawn(move || {
                let mut observe =
                    |notice: Notice<'_>| heard.lock().unwrap_or_else(PoisonError::into_inner).note(notice);
                let told = asking.one_by_one(line, before, budget, &mut observe);
                budget.beside.release();
                // Whoever listens does so until both have ended.
                let _ = send.send((n, told));
            });
        };
        start(0);
        let begun = Instant::now();
        let mut running = [true, false];
        let mut second_waits = true;
        loop {
            match receive.recv_timeout(TICK) {
                Ok((n, told)) => {
                    running[n] = false;
                    if told.is_final() {
                        budgets[1 - n].cancelled.store(true, Ordering::Relaxed);
                        second_waits = false;
                    }
                    ended[n] = Some(told);
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            if budget.exceeded(0).is_some() {
                second_waits = false;
            }
            // A deadline they see themselves.
            if budget.cancelled.load(Ordering::Relaxed) {
                budgets.iter().for_each(|own| own.cancelled.store(true, Ordering::Relaxed));
            }
            if second_waits && (!running[0] || begun.elapsed() >= HEAD_START) {
                second_waits = false;
                start(1);
                running[1] = true;
            }
            // How far the likelier one is, and what both came to on the way.
            let first = if running[0] { 0 } else { 1 };
            for (n, heard) in heard.iter().enumerate() {
                let now = std::mem::take(&mut *heard.lock().unwrap_or_else(PoisonError::into_inner));
                for (engine, iteration, moves) in &now.iterations {
                    observe(Notice::Iteration(engine, iteration, moves));
                }
                if let Some(progress) = now.progress.filter(|_| n == first) {
                    observe(progress.into());
                }
            }
            if running == [false, false] {
                break;
            }
        }
    });
    let [first, second] = ended;
    let mut all = first.unwrap_or_default();
    all.extend(second.unwrap_or_default());
    all
}
