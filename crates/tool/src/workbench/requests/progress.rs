//! Events while a search runs: progress and iterations.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use agon_check::portfolio::Engine;
use agon_check::search::Notice;

use super::Emit;
use crate::render::json;
use crate::shape::event::EventKind;
use crate::shape::play::Player;
use crate::shape::refinement::{Played, Refined};

/// The most moves of a counterexample that are sent; of a longer one, only the beginning and the end are sent.
const LONGEST_PLAY: usize = 60;
/// The most splits of an iteration that are sent.
const MOST_SPLITS: usize = 60;
/// The time between two reports of progress.
const EVERY: Duration = Duration::from_millis(100);

/// Turns the notices of a search into events.
pub(super) struct Reporter<'a, 'b> {
    emit: &'a mut Emit<'b>,
    started: Instant,
    last: Instant,
    iterations: BTreeMap<&'static str, usize>,
}

impl<'a, 'b> Reporter<'a, 'b> {
    pub(super) fn new(emit: &'a mut Emit<'b>, started: Instant) -> Reporter<'a, 'b> {
        Reporter { emit, started, last: started, iterations: BTreeMap::new() }
    }

    pub(super) fn notice(&mut self, notice: Notice<'_>) {
        match notice {
            Notice::Progress(progress) => {
                if self.last.elapsed() < EVERY {
                    return;
                }
                self.last = Instant::now();
                let kind = EventKind::Progress {
                    states: progress.states,
                    transitions: progress.transitions,
                    memory_mib: progress.memory as f64 / f64::from(1 << 20),
                    iteration: progress.iteration,
                    seconds: self.started.elapsed().as_secs_f64(),
                };
                (self.emit)(kind.into());
            }
            Notice::Iteration(engine, iteration, moves) => {
                // Two engines may run at the same time; each counts its own iterations.
                let number = self.iterations.entry(engine).or_default();
                *number += 1;
                let number = *number;
                let predicates = matches!(Engine::named(engine), Some(Engine::Predicate(_)));
                let more_splits = iteration.splits.len().saturating_sub(MOST_SPLITS);
                let mut iteration = json::iteration(iteration, moves, predicates);
                if iteration.play.len() > LONGEST_PLAY {
                    let hidden = iteration.play.len() - LONGEST_PLAY;
                    let left = Played { player: Player::Hidden, made: format!("… {hidden} moves …") };
                    iteration.play.splice(LONGEST_PLAY / 2..LONGEST_PLAY / 2 + hidden, [left]);
                }
                if let Refined::Partitions { splits, .. } = &mut iteration.refined {
                    splits.truncate(MOST_SPLITS);
                }
                let engine = engine.into();
                (self.emit)(EventKind::Iteration { iteration, more_splits, number, engine }.into());
            }
        }
    }
}
