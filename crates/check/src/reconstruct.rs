//! Reconstruction: a path is stored as choices, and its play is found by playing them again.

use agon_base::budget::{Budget, Stop};
use agon_base::int::Int;
use agon_core::eval::Patience;
use agon_games::machine::{Machine, Offer, OfferData, Reaction, State};
use agon_games::play::Play;
use agon_games::values::Exact;
use agon_witness::verify::{Evidence, Subject, verify};

use crate::verdict::{Reason, Verdict};

/// Has a play of a sequential program confirmed by the interpreter.
pub(crate) fn confirm(subject: Subject<'_>, play: Play, budget: &Budget) -> Verdict {
    let patience = Patience::within(budget);
    match verify(subject, &play.moves, patience) {
        Ok(evidence) => Verdict::Unsafe(placed(subject, play, &evidence), evidence),
        Err(refused) => Verdict::Unknown(Reason::disbelieved(play.moves.len(), refused)),
    }
}

/// The play with the place of the term that failed, if it ends so: an engine may know only the formula that the term is in.
pub(crate) fn placed(subject: Subject<'_>, mut play: Play, evidence: &Evidence) -> Play {
    if let (Some(failure), Some(last)) = (&evidence.failure, play.spans.last_mut()) {
        *last = Some(subject.judgement.terms.span(failure.term));
    }
    play
}

/// Adds one of O's moves, and what P does then, to a play, with the places in the program that they come from.
pub fn reconstruct(
    machine: &mut Machine<Exact>,
    play: &mut Play,
    state: State,
    offer: &Offer<Int>,
    data: OfferData<Int>,
    budget: &Budget,
) -> Result<Option<Reaction<Int>>, Stop> {
    let asked = offer.with(data.clone());
    let mut reactions = Vec::new();
    machine.play_with(state, offer, data, None, &mut reactions, budget)?;
    let reaction = reactions.pop();
    machine.record_pair(state, (offer, asked), reaction.as_ref(), play);
    Ok(reaction)
}
