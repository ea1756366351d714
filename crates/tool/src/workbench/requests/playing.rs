//! Plays that the user makes move by move.

use super::reading::open_any;
use super::{Context, MOST_MOVES};
use crate::play_session::module::ModulePlay;
use crate::play_session::{Choice, Outcome, PlaySession};
use crate::render::answer::{reason_for, why_for};
use crate::render::{json, module, store};
use crate::session::module::ModuleSession;
use crate::session::{Opened, Session};
use crate::shape::event::{self as shape, Answer, Failure, Position};
use crate::shape::request::Program;
use agon_base::source::Source;

pub(super) fn play(program: &Program, moves: &[String], context: Context<'_>) -> Result<Answer, Failure> {
    if moves.len() > MOST_MOVES {
        return Err(format!("plays of more than {MOST_MOVES} moves are not made here").into());
    }
    let position = match open_any(program, context.budget)? {
        Opened::Term(session) => play_term(&session, moves, context)?,
        Opened::Module(session) => play_module(&session, moves, context),
    };
    Ok(Answer::Play(position))
}

fn play_module(session: &ModuleSession, moves: &[String], context: Context<'_>) -> Position {
    let Context { budget, reader, .. } = context;
    let mut game = ModulePlay::start(session);
    let mut outcome = Outcome::GoesOn;
    let mut stopped = None;
    while outcome == Outcome::GoesOn && stopped.is_none() && game.play().0.len() < moves.len() {
        let made = game.play().0.len();
        match game.make(&moves[made], budget) {
            Ok(Ok(next)) => outcome = next,
            Ok(Err(why)) => stopped = Some(format!("move {}: {why}", made + 1)),
            Err(reason) => stopped = Some(reason_for(&reason, reader)),
        }
        let nested = game.play().nested();
        let answer = game.play().0.get(made + 1).zip(moves.get(made + 1));
        if let Some((played, wanted)) = answer {
            let shown = module::written(session.module(), played, &nested[made + 1]);
            if shown != *wanted {
                stopped = Some(format!("the module plays {shown}, and not {wanted}"));
            }
        }
    }
    let choices = if outcome == Outcome::GoesOn { game.choices() } else { Vec::new() };
    let choices = choices.into_iter().map(|choice| shown(&session.source, choice)).collect();
    let play = module::steps(session, game.play(), &game.played.marks);
    let open = game.stack().into_iter().map(|(name, _)| name).collect();
    Position { play, choices, outcome, stopped, open: Some(open) }
}

/// Possible moves as data.
fn shown(source: &Source, choice: Choice) -> shape::Choice {
    shape::Choice {
        player: choice.player.into(),
        first: choice.first,
        last: choice.last,
        endless: choice.endless,
        place: choice.span.map(|span| json::place(source, span)),
    }
}

fn play_term(
    session: &Session,
    moves: &[String],
    Context { budget, reader, .. }: Context<'_>,
) -> Result<Position, Failure> {
    let mut game = PlaySession::start(session, budget).map_err(|reason| why_for(session, &reason, reader))?;
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
                stopped = Some(why_for(session, &reason, reader));
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
    let choices = if outcome == Outcome::GoesOn { game.choices() } else { Vec::new() };
    let choices = choices.into_iter().map(|choice| shown(&session.source, choice)).collect();
    let stores = store::stores(session, game.play(), budget);
    let play = json::play(session, game.play(), stores.as_deref());
    Ok(Position { play, choices, outcome, stopped, open: None })
}
