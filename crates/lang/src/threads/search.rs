//! Replaying plays and listing them: sets of configurations, closed under silent steps.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

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
/// after so many configurations. All interleavings go on side by side, so one that makes silent steps for ever does not
/// keep another from being found.
pub fn plays(threads: &Threads<'_>, events: &[Event], most: usize) -> Replay {
    let mut left = most;
    let mut gave_up = false;
    // For each number of moves that were made, where they led.
    let mut reached: Vec<HashSet<Run>> = vec![HashSet::new(); events.len() + 1];
    reached[0].insert(threads.start());
    let mut todo = VecDeque::from([(0, threads.start())]);
    while let Some((made, run)) = todo.pop_front() {
        let Some(event) = events.get(made) else { return Replay::Yes };
        let Some(rest) = left.checked_sub(1) else { return Replay::GaveUp };
        left = rest;
        if threads.is_exhausted(&run) {
            gave_up = true;
            continue;
        }
        let moves = threads.moves_like(&run, &|made| made == event).into_iter().map(|(_, next)| next);
        let after = moves.chain(threads.answer(&run, event)).map(|next| (made + 1, next));
        for (made, next) in after.chain(threads.silent(&run).into_iter().map(|next| (made, next))) {
            if reached[made].insert(next.clone()) {
                todo.push_back((made, next));
            }
        }
    }
    let farthest = reached.iter().rposition(|runs| !runs.is_empty()).unwrap_or(0);
    match (gave_up, farthest == events.len()) {
        (_, true) => Replay::Yes,
        (true, false) => Replay::GaveUp,
        (false, false) => Replay::No { after: farthest },
    }
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
