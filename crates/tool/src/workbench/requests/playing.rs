//! Plays, made move by move.

use serde_json::{Value, json};

use super::reading::open;
use super::{Failure, MOST_MOVES, Program, Within};
use crate::play_session::{Choice, Outcome, PlaySession, Refusal};
use crate::render::answer::why_for;
use crate::render::{json, store};

pub(super) fn play(
    program: &Program,
    moves: &[String],
    Within { budget, reader, .. }: Within<'_>,
) -> Result<Value, Failure> {
    if moves.len() > MOST_MOVES {
        return Err(format!("plays of more than {MOST_MOVES} moves are not made here").into());
    }
    let session = open(program)?;
    let mut game =
        PlaySession::start(&session, budget).map_err(|reason| why_for(&session, &reason, reader))?;
    let mut outcome = Outcome::GoesOn;
    let mut stopped = None;
    while outcome == Outcome::GoesOn && game.play().moves.len() < moves.len() {
        let made = game.play().moves.len();
        match game.make(&moves[made], budget) {
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
        let answered = game.play().threaded().zip(moves).skip(made + 1).find_map(|(m, wanted)| {
            let shown = session.arena.show_threaded(&m);
            (shown != *wanted).then(|| format!("the program plays {shown}, and not {wanted}"))
        });
        if answered.is_some() {
            stopped = answered;
            break;
        }
    }
    let mut value = json!({ "play": json::play(&session, game.play()), "choices": [] });
    store::add(&mut value, &session, game.play(), budget);
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
        value["choices"] = game.choices().into_iter().map(choice).collect();
    }
    value["stopped"] = stopped.into();
    Ok(value)
}
