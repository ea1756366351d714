//! Plays that the user makes move by move.

use super::reading::open;
use super::{Context, MOST_MOVES};
use crate::play_session::{Choice, Outcome, PlaySession};
use crate::render::answer::why_for;
use crate::render::{json, store};
use crate::shape::event::{self as shape, Answer, Failure, Position};
use crate::shape::request::Program;

pub(super) fn play(
    program: &Program,
    moves: &[String],
    Context { budget, reader, .. }: Context<'_>,
) -> Result<Answer, Failure> {
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
            Ok(Ok(next)) => outcome = next,
            Ok(Err(why)) => {
                stopped = Some(format!("move {}: {why}", made + 1));
                break;
            }
            Err(reason) => {
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
    let choice = |choice: Choice| shape::Choice {
        player: choice.player.into(),
        first: choice.first,
        last: choice.last,
        endless: choice.endless,
        place: choice.span.map(|span| json::place(&session.source, span)),
    };
    let choices = if outcome == Outcome::GoesOn { game.choices() } else { Vec::new() };
    let choices = choices.into_iter().map(choice).collect();
    let stores = store::stores(&session, game.play(), budget);
    let play = json::play(&session, game.play(), stores.as_deref());
    Ok(Answer::Play(Position { play, choices, outcome, stopped }))
}
