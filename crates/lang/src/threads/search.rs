//! Replaying plays and listing them: sets of configurations, closed under silent steps.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{Event, Run, Threads};
use crate::int::Int;
use crate::types::Data;

/// Whether a program can play a play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replay {
    /// It can.
    Yes,
    /// It can play the first so many moves, and then not the next.
    No {
        /// How many.
        after: usize,
    },
    /// There were too many configurations to find out.
    GaveUp,
}

/// The configurations that can be reached by silent steps, these included; nothing if there are too many.
fn closed(threads: &Threads<'_>, mut reached: HashSet<Run>, left: &mut usize) -> Option<HashSet<Run>> {
    let mut todo: Vec<Run> = reached.iter().cloned().collect();
    while let Some(run) = todo.pop() {
        *left = left.checked_sub(1)?;
        if threads.is_exhausted(&run) {
            return None;
        }
        for next in threads.silent(&run) {
            if !reached.contains(&next) {
                reached.insert(next.clone());
                todo.push(next);
            }
        }
    }
    Some(reached)
}

/// Whether some interleaving of the program plays exactly these moves, of both players, in this order. Gives up
/// after so many configurations.
pub fn plays(threads: &Threads<'_>, events: &[Event], most: usize) -> Replay {
    let mut left = most;
    let mut runs = HashSet::from([threads.start()]);
    for (after, event) in events.iter().enumerate() {
        let Some(reached) = closed(threads, runs, &mut left) else { return Replay::GaveUp };
        runs = HashSet::new();
        for run in &reached {
            let moves = threads.moves_like(run, &|made| made == event).into_iter();
            runs.extend(moves.map(|(_, next)| next));
            runs.extend(threads.answer(run, event));
        }
        if runs.is_empty() {
            return Replay::No { after };
        }
    }
    Replay::Yes
}

/// All complete plays of at most so many moves, if no more than so many configurations have to be looked at. The
/// environment uses these values of data.
pub fn complete_plays(
    threads: &Threads<'_>,
    values: &dyn Fn(&Data) -> Vec<Int>,
    longest: usize,
    most: usize,
) -> Option<BTreeSet<Vec<Event>>> {
    let mut left = most;
    let mut complete = BTreeSet::new();
    let mut level = BTreeMap::from([(vec![], HashSet::from([threads.start()]))]);
    for length in 0..=longest {
        let mut longer: BTreeMap<Vec<Event>, HashSet<Run>> = BTreeMap::new();
        for (play, runs) in level {
            let reached = closed(threads, runs, &mut left)?;
            if reached.iter().any(|run| threads.is_complete(run)) {
                complete.insert(play.clone());
            }
            if length == longest {
                continue;
            }
            let mut extend = |event: Event, next: Run| {
                let mut play = play.clone();
                play.push(event);
                longer.entry(play).or_default().insert(next);
            };
            for run in &reached {
                threads.moves(run).into_iter().for_each(|(event, next)| extend(event, next));
                for event in threads.offers(run, values) {
                    if let Some(next) = threads.answer(run, &event) {
                        extend(event, next);
                    }
                }
            }
        }
        level = longer;
    }
    Some(complete)
}
