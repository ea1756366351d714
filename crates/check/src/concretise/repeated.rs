//! Repeating: a play that cannot be played as it is may be one where something happens more often.
//!
//! A stretch of the play that leads back to the same control can be repeated. Each is repeated with exact numbers, and
//! after every round the rest of the play is tried.

use std::collections::HashSet;
use std::sync::Arc;

use agon_base::budget::Budget;
use agon_games::arena::Arena;
use agon_games::machine::{Code, Machine, State};
use agon_games::play::Play;
use agon_games::values::Exact;

use super::{Pair, Skeleton, tell};

/// A stretch is repeated at most this often.
const MOST_ROUNDS: usize = 1 << 10;
/// At most this many pairs of moves are tried in all.
const MOST_PAIRS: usize = 1 << 10;

/// The play with one of its stretches repeated, if that reaches the target.
pub(crate) fn repeated(
    code: &Arc<Code>,
    arena: &Arc<Arena>,
    skeleton: &Skeleton,
    budget: &Budget,
) -> Option<Play> {
    let exact = Machine::new(code.clone(), arena.clone(), Exact::default());
    let mut repeating = Repeating { exact, skeleton, budget, pairs_left: MOST_PAIRS };
    // The positions as far as the play can be played; what comes after the last of them must change.
    let mut positions = vec![repeating.exact.start()];
    for pair in &skeleton.pairs {
        match repeating.after(positions[positions.len() - 1], pair) {
            Some(next) => positions.push(next),
            None => break,
        }
    }
    let controls: Vec<u32> = positions.iter().map(|state| repeating.exact.control(*state)).collect();
    // Short stretches first, and each only up to the next time that the control is the same.
    let next_same = |from: usize| (from + 1..controls.len()).find(|to| controls[*to] == controls[from]);
    let mut stretches: Vec<(usize, usize)> =
        (1..controls.len()).filter_map(|from| next_same(from).map(|to| (from, to))).collect();
    stretches.sort_by_key(|(from, to)| (to - from, *from));
    stretches.into_iter().find_map(|(from, to)| repeating.repeat(positions[to], from, to))
}

struct Repeating<'a> {
    exact: Machine<Exact>,
    skeleton: &'a Skeleton,
    budget: &'a Budget,
    pairs_left: usize,
}

impl Repeating<'_> {
    /// Repeats a stretch, starting behind it.
    fn repeat(&mut self, behind: State, from: usize, to: usize) -> Option<Play> {
        let pairs = &self.skeleton.pairs;
        let control = self.exact.control(behind);
        let mut seen = HashSet::from([behind]);
        let mut state = behind;
        for rounds in 1..=MOST_ROUNDS {
            for pair in &pairs[from..to] {
                state = self.after(state, pair)?;
            }
            if self.exact.control(state) != control || !seen.insert(state) {
                return None;
            }
            if self.reaches(state, to) {
                return self.repeated(from, to, rounds);
            }
        }
        None
    }

    /// Whether the rest of the play reaches the target from here.
    fn reaches(&mut self, mut state: State, from: usize) -> bool {
        let (pairs, target) = (&self.skeleton.pairs, &self.skeleton.target);
        for (n, pair) in pairs.iter().enumerate().skip(from) {
            if n + 1 < pairs.len() {
                match self.after(state, pair) {
                    Some(next) => state = next,
                    None => return false,
                }
                continue;
            }
            let Some((reaction, _)) = self.played(state, pair) else { return false };
            return reaction == *target;
        }
        false
    }

    /// The position after a pair of moves, if P answers as it should.
    fn after(&mut self, state: State, pair: &Pair) -> Option<State> {
        let (answer, next) = self.played(state, pair)?;
        let as_it_should = pair.answer.as_ref().is_some_and(|(component, _)| *component == answer.component);
        next.filter(|_| as_it_should)
    }

    /// What P does after a move of O's, with numbers near to zero.
    fn played(&mut self, state: State, pair: &Pair) -> Option<(agon_games::moves::Move, Option<State>)> {
        self.pairs_left = self.pairs_left.checked_sub(1)?;
        let offers = self.exact.offers(state);
        let offer = offers.get(pair.offer?)?;
        let data = pair.given.exact(offer.element.as_ref(), None);
        let mut reactions = Vec::new();
        let budget = self.budget;
        self.exact.play_with(state, offer, data, None, &mut reactions, budget).ok()?;
        reactions.pop().map(|reaction| (reaction.label, reaction.next))
    }

    /// The play with a stretch repeated.
    fn repeated(&mut self, from: usize, to: usize, rounds: usize) -> Option<Play> {
        let pairs = &self.skeleton.pairs;
        let all: Vec<&Pair> = pairs[..to]
            .iter()
            .chain((0..rounds).flat_map(|_| &pairs[from..to]))
            .chain(&pairs[to..])
            .collect();
        let steps = all.into_iter().map(|pair| (pair, &pair.given));
        tell(&mut self.exact, &self.skeleton.target, steps, self.budget)
    }
}
