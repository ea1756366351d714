//! The search for a difference: breadth first over both programs, with terms over all that O has given.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::explore::by_cost;
use agon_base::int::Int;
use agon_games::arena::Arena;
use agon_games::machine::{Code, Machine, OfferData};
use agon_games::play::Play;
use agon_games::values::Exact;
use agon_solve::{Answer, Term};
use rustc_hash::FxHashSet;

use super::both::{Ahead, Both, Offered, Pair, Played};
use super::houdini::ask;
use super::modules::Place;
use super::positions::Positions;
use super::samples::Difference;
use crate::reconstruct::reconstruct;

/// A pair that was reached, under which conditions, and by which moves of O's.
struct Reached {
    place: Place,
    conditions: Vec<Term>,
    path: Vec<Played<Term>>,
    /// The pairs since O's last move. Who comes to one again goes on in the same way, as conditions are about the same terms.
    silent: Vec<Pair>,
}

/// What a search came to.
pub(super) enum Refuted {
    /// A difference.
    Differs(Difference),
    /// All plays were looked at: there is none.
    Nothing,
    /// All plays with at most this many moves of O's were looked at.
    UpTo(usize),
}

impl Reached {
    /// No play through here differs that has at most this many moves of O's.
    fn moves(&self) -> usize {
        // Where P has not answered the last move yet, it may still answer it otherwise.
        let unanswered = usize::from(!Both::is_turn_of_o(&self.place.pair));
        self.path.len().saturating_sub(unanswered)
    }
}

/// Looks for a shortest difference, in at most this many steps.
pub(super) fn refute(positions: &mut Positions<'_>, most: usize, budget: &Budget) -> Result<Refuted, Stop> {
    let (place, conditions, path) = (positions.both.begin(), Vec::new(), Vec::new());
    let start = Reached { place, conditions, path, silent: Vec::new() };
    // Plays with more moves of O's may differ where the solver was not sure.
    let mut sure = None;
    let mut steps = 0;
    let mut next = VecDeque::new();
    let ended = by_cost(start, |_, reached, found| {
        steps += 1;
        if steps > most || budget.is_exhausted() {
            return Ok(ControlFlow::Break(None));
        }
        match follow(positions, reached, &mut next)? {
            Followed::Differs(difference) => return Ok(ControlFlow::Break(Some(difference))),
            Followed::Unsure => sure = sure.into_iter().chain([reached.moves()]).min(),
            Followed::On => {}
        }
        found.extend(next.drain(..).map(|reached| (0, reached)));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(match ended {
        Some((Some(difference), _)) => Refuted::Differs(difference),
        Some((None, left)) => Refuted::UpTo(left.iter().map(Reached::moves).chain(sure).min().unwrap_or(0)),
        None => sure.map_or(Refuted::Nothing, Refuted::UpTo),
    })
}

/// Up to how many moves of O's concurrent programs do the same under the same schedule, found in at most this many steps.
///
/// Positions after the fewest moves are looked at first. Two ways to a position under the same conditions are one.
pub(super) fn same_moves(positions: &mut Positions<'_>, most: usize, budget: &Budget) -> Result<usize, Stop> {
    let (place, conditions, path) = (positions.both.begin(), Vec::new(), Vec::new());
    let start = Reached { place, conditions, path, silent: Vec::new() };
    let mut seen: FxHashSet<(Pair, Vec<Term>, usize)> = FxHashSet::default();
    // With more moves of O's the programs may differ, or are not followed; and the most that there are.
    let (mut sure, mut longest) = (usize::MAX, 0);
    let mut steps = 0;
    let mut after = VecDeque::new();
    let ended = by_cost(start, |moves, reached, found| {
        if moves > sure {
            return Ok(ControlFlow::Break(sure));
        }
        longest = moves;
        steps += 1;
        if steps > most || budget.is_exhausted() {
            // Some thread may answer the last move otherwise.
            return Ok(ControlFlow::Break(moves.saturating_sub(1).min(sure)));
        }
        if !interleave(positions, reached, &mut after)? {
            sure = sure.min(moves.saturating_sub(1));
        }
        for mut next in after.drain(..) {
            next.conditions.sort_unstable();
            next.conditions.dedup();
            let key = (next.place.pair.clone(), next.conditions.clone(), next.path.len());
            if seen.insert(key) {
                found.push((next.path.len(), next));
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(ended.map_or(sure.min(longest), |(proved, _)| proved))
}

/// Makes the next step of each thread. Whether the programs do the same, and nothing stays open.
fn interleave(
    positions: &mut Positions<'_>,
    Reached { place, conditions, path, .. }: &Reached,
    found: &mut VecDeque<Reached>,
) -> Result<bool, Stop> {
    let Some(turns) = positions.both.turns(&place.pair) else { return Ok(false) };
    let mut same = true;
    for turn in turns {
        let played = turn.played.map(|(offered, _)| given(positions, offered, path.len()));
        for step in positions.both.take(&place.pair, &turn, played.as_ref())? {
            if !positions.both.may(conditions, &step.conditions) {
                continue;
            }
            let Ahead::Pair(pair) = step.to else {
                same = false;
                continue;
            };
            let conditions = conditions.iter().chain(&step.conditions).copied().collect();
            let path = path.iter().cloned().chain(played.clone()).collect();
            let place = Place { pair, waiting: Vec::new() };
            found.push_back(Reached { place, conditions, path, silent: Vec::new() });
        }
    }
    Ok(same)
}

/// What O plays as its n-th move, with terms for its numbers.
fn given(positions: &mut Positions<'_>, offered: Offered, n: usize) -> Played<Term> {
    let name = format!("given {n}");
    let arguments = positions.both.arguments(offered);
    let mut input = |component, index| positions.both.input(&name, component, index);
    Played {
        offered,
        value: offered.gives().then(|| input(offered.component, false)),
        index: offered.points().then(|| input(offered.component, true)),
        arguments: arguments.into_iter().map(|argument| input(argument, false)).collect(),
    }
}

/// What the steps from a pair came to.
enum Followed {
    On,
    Differs(Difference),
    /// The solver does not know whether one of them is a difference.
    Unsure,
}

/// Makes all steps from a pair; what is reached is looked at later.
fn follow(
    positions: &mut Positions<'_>,
    Reached { place, conditions, path, silent }: &Reached,
    waiting: &mut VecDeque<Reached>,
) -> Result<Followed, Stop> {
    let mut followed = Followed::On;
    let mut after = Vec::new();
    if Both::is_turn_of_o(&place.pair) {
        for (offered, from) in positions.both.choices(place) {
            let played = given(positions, offered, path.len());
            let played_steps = positions.both.play(&from.pair, &played, conditions)?;
            let step = |step| (step, Some(played.clone()), from.waiting.clone());
            after.extend(played_steps.into_iter().map(step));
        }
    } else {
        let runs = positions.runs(&place.pair);
        let resumed = match silent.contains(&place.pair) {
            true => positions.both.never_moves(&place.pair, runs),
            false => positions.both.resume(&place.pair, runs, conditions)?,
        };
        after.extend(resumed.into_iter().map(|step| (step, None, place.waiting.clone())));
    }
    for (step, played, below) in after {
        let conditions: Vec<Term> = conditions.iter().chain(&step.conditions).copied().collect();
        let here = [&place.pair];
        let silent = match &played {
            Some(_) => Vec::new(),
            None => silent.iter().chain(here).cloned().collect(),
        };
        let path: Vec<Played<Term>> = path.iter().cloned().chain(played).collect();
        let differs = match step.to {
            Ahead::Differs(side) => side,
            Ahead::Pair(pair) => {
                let place = positions.both.arrived(below, pair);
                match positions.both.completed(&place) {
                    Some(side) => side,
                    None => {
                        waiting.push_back(Reached { place, conditions, path, silent });
                        continue;
                    }
                }
            }
        };
        match ask(positions, &conditions) {
            Answer::Sat(model) => {
                let terms = positions.both.terms();
                let number = |term: &Term| model.value(terms, *term).number().clone();
                let path = path.iter().map(|played| played.map(number)).collect();
                return Ok(Followed::Differs((differs, path)));
            }
            Answer::Unsat(_) => {}
            Answer::Unknown(_) => followed = Followed::Unsure,
        }
    }
    Ok(followed)
}

/// The play of a program in which O makes these moves.
pub(super) fn told(
    (code, arena): (Arc<Code>, Arc<Arena>),
    own: impl Fn(&Played<Int>) -> Option<agon_base::id::ComponentId>,
    path: &[Played<Int>],
    budget: &Budget,
) -> Result<Option<Play>, Stop> {
    let mut machine = Machine::new(code, arena, Exact::default());
    let mut play = Play::default();
    let mut state = machine.start();
    for played in path {
        let Some(component) = own(played) else { return Ok(None) };
        let offers = machine.offers(state);
        let same_kind = |kind| std::mem::discriminant(&kind) == std::mem::discriminant(&played.offered.kind);
        let same = offers.iter().find(|offer| offer.component == component && same_kind(offer.kind));
        let Some(offer) = same.cloned() else { return Ok(None) };
        let element = played.index.clone().or_else(|| offer.element.clone());
        let data = OfferData {
            element,
            index: played.index.clone(),
            value: played.value.clone(),
            arguments: Box::default(),
        };
        match reconstruct(&mut machine, &mut play, state, &offer, data, budget)? {
            Some(reaction) => match reaction.next {
                Some(next) => state = next,
                None => return Ok(Some(play)),
            },
            None => return Ok(None),
        }
    }
    Ok(None)
}
