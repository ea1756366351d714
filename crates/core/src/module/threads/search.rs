//! The reference for searches with threads: every step of every thread by itself, the cheapest configuration first.

use agon_base::explore::{Exploration, Order};

use super::offers::{Giving, Offering};
use super::races::race;
use super::{Next, Shared, Stepped, Thread, deadlock};
use crate::module::play::Move;
use crate::module::{Failure, Module};

/// What a search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// A failing play with the fewest moves, each with its thread; and why it fails.
    pub failure: Option<(Vec<(usize, Move)>, Failure)>,
    /// How many configurations were visited.
    pub configurations: usize,
    /// Whether some number became too large, or a thread had too many activations. What comes behind it was not tried.
    pub cut: bool,
}

/// Looks for a failing play with the fewest moves in a module of single accesses; nothing if there are more configurations.
pub fn search(module: &Module, threads: usize, giving: Giving, most: usize) -> Option<Found> {
    type At = (Shared, Vec<Thread>);
    let start: At = (Shared::default(), vec![Thread::default(); threads]);
    let mut exploration: Exploration<At, (usize, Option<Move>, Option<Failure>)> =
        Exploration::new(start, Order::Queue);
    let offering = Offering::of_small_numbers(module, giving);
    let mut cut = false;
    let path = exploration.run(|exploration, (shared, threads)| {
        if exploration.visited() > most {
            return Err(());
        }
        let (node, cost) = (exploration.node(), exploration.cost());
        for n in 0..threads.len() {
            let next = threads[n].next(module);
            if next == Next::Environment {
                if shared.keeps_out(n) {
                    continue;
                }
                for played in offering.offers(&shared, &threads, &threads[n]) {
                    let (mut shared, mut threads) = (shared.clone(), threads.clone());
                    shared.play(module, &mut threads[n], &played);
                    let failure = deadlock(module, &shared, |n| threads[n].next(module), n);
                    let by = (n, Some(played), None);
                    match failure {
                        None => exploration.add(node, cost + 1, by, Some((shared, threads))),
                        Some(failure) => {
                            let node = exploration.pass(by);
                            exploration.add(node, cost + 2, (n, Some(Move::Fail), Some(failure)), None);
                        }
                    }
                }
                continue;
            }
            if shared.blocks(module, n, next) {
                continue;
            }
            let (mut shared, mut threads) = (shared.clone(), threads.clone());
            let mut stepped = shared.step(module, n, &mut threads[n]);
            if let Stepped::Begins(thread) = &mut stepped {
                threads.push(std::mem::take(thread));
            }
            let failure = match &stepped {
                Stepped::Fails(failure) => Some(failure.clone()),
                _ => deadlock(module, &shared, |n| threads[n].next(module), n).or_else(|| {
                    let access = |n: usize| threads[n].access(module);
                    race(module, &shared, access, threads.len(), n)
                }),
            };
            match (failure, stepped) {
                (Some(failure), _) => {
                    exploration.add(node, cost + 1, (n, Some(Move::Fail), Some(failure)), None);
                }
                (None, Stepped::Exhausted) => cut = true,
                (None, _) if threads[n].frames.len() > giving.activations => cut = true,
                (None, Stepped::Moves(made)) => {
                    exploration.add(node, cost + 1, (n, Some(made), None), Some((shared, threads)));
                }
                (None, Stepped::Exits(_)) => {}
                (None, _) => exploration.add(node, cost, (n, None, None), Some((shared, threads))),
            }
        }
        Ok(())
    });
    let failure = path.ok()?.map(|mut path| {
        let failure = path.last_mut().and_then(|(_, _, failure)| failure.take());
        let play = path.into_iter().filter_map(|(n, played, _)| Some((n, played?))).collect();
        (play, failure)
    });
    let failure = failure.and_then(|(play, failure)| Some((play, failure?)));
    Some(Found { failure, configurations: exploration.visited(), cut })
}
