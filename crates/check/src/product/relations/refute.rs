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
use super::positions::Positions;
use super::samples::Difference;
use crate::reconstruct::reconstruct;

/// A pair that was reached, under which conditions, and by which moves of O's.
struct Reached {
    pair: Pair,
    conditions: Vec<Term>,
    path: Vec<Played<Term>>,
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
    let start = Reached { pair: positions.both.start(), conditions: Vec::new(), path: Vec::new() };
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
    Reached { pair, conditions, path }: &Reached,
    level: &mut Vec<Reached>,
) -> Result<Followed, Stop> {
    let mut followed = Followed::On;
    let mut after = Vec::new();
    if Both::is_turn_of_o(pair) {
        for offered in positions.both.offers(pair) {
            let name = format!("given {}", path.len());
            let value = offered.gives().then(|| positions.both.input(&name, offered.component, false));
            let index = offered.points().then(|| positions.both.input(&name, offered.component, true));
            let played = Played { offered, value, index };
            let played_steps = positions.both.play(pair, &played, conditions)?;
            after.extend(played_steps.into_iter().map(|step| (step, Some(played.clone()))));
        }
    } else {
        let runs = positions.runs(pair);
        let resumed = positions.both.resume(pair, runs, conditions)?;
        after.extend(resumed.into_iter().map(|step| (step, None)));
    }
    for (step, played) in after {
        let conditions: Vec<Term> = conditions.iter().chain(&step.conditions).copied().collect();
        let path: Vec<Played<Term>> = path.iter().cloned().chain(played).collect();
        match step.to {
            Ahead::Pair(pair) => level.push(Reached { pair, conditions, path }),
            Ahead::Differs(side) => match ask(positions, &conditions) {
                Answer::Sat(model) => {
                    let terms = positions.both.terms();
                    let number =
                        |term: Option<Term>| term.map(|term| model.value(terms, term).number().clone());
                    let path = path.into_iter().map(|played| Played {
                        offered: played.offered,
                        value: number(played.value),
                        index: number(played.index),
                    });
                    return Ok(Followed::Differs((side, path.collect())));
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
