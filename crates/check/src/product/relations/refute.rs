//! The search for a difference: breadth first over both programs, with terms over all that O has given.

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::int::Int;
use agon_games::arena::Arena;
use agon_games::machine::{Code, Machine, OfferData};
use agon_games::play::Play;
use agon_games::values::Exact;
use agon_solve::{Answer, Term};

use super::both::{Ahead, Both, Pair, Played};
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

/// Looks for a shortest difference, in at most this many steps.
pub(super) fn refute(positions: &mut Positions<'_>, most: usize, budget: &Budget) -> Result<Refuted, Stop> {
    let (place, conditions, path) = (positions.both.begin(), Vec::new(), Vec::new());
    let start = Reached { place, conditions, path, silent: Vec::new() };
    let mut level = vec![start];
    let mut unsure = false;
    let mut steps = 0;
    while !level.is_empty() {
        for reached in std::mem::take(&mut level) {
            steps += 1;
            if steps > most || budget.is_exhausted() {
                return Ok(Refuted::UpTo(reached.path.len().saturating_sub(1)));
            }
            match follow(positions, &reached, &mut level)? {
                Followed::Differs(difference) => return Ok(Refuted::Differs(difference)),
                Followed::Unsure => unsure = true,
                Followed::On => {}
            }
        }
    }
    Ok(if unsure { Refuted::UpTo(0) } else { Refuted::Nothing })
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
    level: &mut Vec<Reached>,
) -> Result<Followed, Stop> {
    let mut followed = Followed::On;
    let mut after = Vec::new();
    if Both::is_turn_of_o(&place.pair) {
        for (offered, from) in positions.both.choices(place) {
            let name = format!("given {}", path.len());
            let arguments = positions.both.arguments(offered);
            let mut input = |component, index| positions.both.input(&name, component, index);
            let played = Played {
                offered,
                value: offered.gives().then(|| input(offered.component, false)),
                index: offered.points().then(|| input(offered.component, true)),
                arguments: arguments.into_iter().map(|argument| input(argument, false)).collect(),
            };
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
        match step.to {
            Ahead::Pair(pair) => {
                let place = positions.both.arrived(below, pair);
                level.push(Reached { place, conditions, path, silent });
            }
            Ahead::Differs(side) => match ask(positions, &conditions) {
                Answer::Sat(model) => {
                    let terms = positions.both.terms();
                    let number = |term: &Term| model.value(terms, *term).number().clone();
                    let path = path.iter().map(|played| played.map(number)).collect();
                    return Ok(Followed::Differs((side, path)));
                }
                Answer::Unsat(_) => {}
                Answer::Unknown(_) => followed = Followed::Unsure,
            },
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
