//! What is told while a search goes on.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use agon_check::portfolio::Engine;
use agon_check::search::Notice;
use serde_json::json;

use super::Tell;
use crate::render::json::{self, Cost};
use crate::system::peak_memory;

/// Of a longer counterexample only the beginning and the end are told while a check runs.
const LONGEST_PLAY: usize = 60;
/// So many splits are told of an iteration.
const MOST_SPLITS: usize = 60;
/// Progress is told this often.
const EVERY: Duration = Duration::from_millis(100);

pub(super) fn cost(started: Instant) -> Cost {
    Cost { seconds: started.elapsed().as_secs_f64(), peak_memory_mib: peak_memory() }
}

/// Tells how a search is going.
pub(super) struct Watch<'a, 'b> {
    tell: &'a mut Tell<'b>,
    started: Instant,
    last: Instant,
    iterations: BTreeMap<&'static str, usize>,
}

impl<'a, 'b> Watch<'a, 'b> {
    pub(super) fn new(tell: &'a mut Tell<'b>, started: Instant) -> Watch<'a, 'b> {
        Watch { tell, started, last: started, iterations: BTreeMap::new() }
    }

    pub(super) fn notice(&mut self, notice: Notice<'_>) {
        match notice {
            Notice::Progress(progress) => {
                if self.last.elapsed() < EVERY {
                    return;
                }
                self.last = Instant::now();
                (self.tell)(json!({
                    "event": "progress",
                    "states": progress.states,
                    "transitions": progress.transitions,
                    "memory_mib": progress.memory as f64 / f64::from(1 << 20),
                    "iteration": progress.iteration,
                    "seconds": self.started.elapsed().as_secs_f64(),
                }));
            }
            Notice::Iteration(engine, iteration, moves) => {
                // Two engines may look at the same time; each counts its own.
                let number = self.iterations.entry(engine).or_default();
                *number += 1;
                let number = *number;
                let predicates = matches!(Engine::named(engine), Some(Engine::Predicate(_)));
                let mut value = json::iteration(iteration, moves, predicates);
                if let Some(play) = value["play"].as_array_mut().filter(|play| play.len() > LONGEST_PLAY) {
                    let hidden = play.len() - LONGEST_PLAY;
                    let left = json!({ "player": "", "move": format!("… {hidden} moves …") });
                    play.splice(LONGEST_PLAY / 2..LONGEST_PLAY / 2 + hidden, [left]);
                }
                if let Some(splits) = value["splits"].as_array_mut() {
                    splits.truncate(MOST_SPLITS);
                }
                value["more_splits"] = iteration.splits.len().saturating_sub(MOST_SPLITS).into();
                value["event"] = "iteration".into();
                value["number"] = number.into();
                value["engine"] = engine.into();
                (self.tell)(value);
            }
        }
    }
}
