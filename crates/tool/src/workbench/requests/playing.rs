//! Plays, made move by move.

use serde_json::{Value, json};

use super::reading::open;
use super::{Failure, MOST_MOVES, Program, Within};
use crate::render::answer::why_for;
use crate::render::{json, store};
use crate::seat::{Choice, Outcome, Refusal, Seat};

pub(super) fn play(
    program: &Program,
    moves: &[String],
    Within { budget, reader, .. }: Within<'_>,
) -> Result<Value, Failure> {
    if moves.len() > MOST_MOVES {
        return Err(format!("plays of more than {MOST_MOVES} moves are not made here").into());
    }
    let session = open(program)?;
    let mut seat = Seat::take(&session, budget).map_err(|reason| why_for(&session, &reason, reader))?;
    let mut outcome = Outcome::GoesOn;
    let mut stopped = None;
    while outcome == Outcome::GoesOn && seat.play().moves.len() < moves.len() {
        let made = seat.play().moves.len();
        match seat.make(&moves[made], budget) {
            Ok(next) => outcome = next,
            Err(Refusal::Wrong(why)) => {
                stopped = Some(format!("move {}: {why}", made + 1));
                break;
            }
            Err(Refusal::Unknown(reason)) => {
                stopped = Some(why_for(&session, &reason, reader));
                break;
            }
        }
        let answered = seat.play().threaded().zip(moves).skip(made + 1).find_map(|(m, wanted)| {
            let shown = session.arena.show_threaded(&m);
            (shown != *wanted).then(|| format!("the program plays {shown}, and not {wanted}"))
        });
        if answered.is_some() {
            stopped = answered;
            break;
        }
    }
    let mut value = json!({ "play": json::play(&session, seat.play()), "choices": [] });
    store::add(&mut value, &session, seat.play(), budget);
    value["outcome"] = match outcome {
        Outcome::GoesOn => "open",
        Outcome::Complete => "complete",
        Outcome::Diverges => "diverges",
    }
    .into();
    if outcome == Outcome::GoesOn {
        let choice = |choice: Choice| {
            let place = choice.span.map(|span| json::place(&session.source, span));
            json!({
                "player": format!("{:?}", choice.player),
                "first": choice.first,
                "last": choice.last,
                "endless": choice.endless,
                "place": place,
            })
        };
        value["choices"] = seat.choices().into_iter().map(choice).collect();
    }
    value["stopped"] = stopped.into();
    Ok(value)
}
