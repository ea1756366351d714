//! Playing against a concurrent program: both players may move at any time, and the user decides who does.

use agon_base::budget::Budget;
use agon_games::moves::{Player, ThreadMove};
use agon_games::whereabouts::Ahead;

use super::{Typed, User, ends, list, refused, say, tell};
use crate::cli::Status;
use crate::seat::Outcome;
use crate::seat::concurrent::{Family, Seat};
use crate::session::Session;

/// What the user decided.
enum Choice {
    Undo,
    Play(ThreadMove, Ahead),
}

pub(super) fn run(
    session: &Session,
    mut seat: Seat<'_>,
    mut user: User,
    budget: &dyn Fn() -> Budget,
) -> Status {
    say(
        "You are the environment, O; and since a concurrent program may move whenever it can, you also decide when it \
         does.\nChoose a move by its number, or write it; an empty line, or `wait`, lets P make the first of its moves; \
         `undo` takes\nthe last choice back, `quit` ends the play.\n",
    );
    loop {
        let families = seat.families();
        let (choice, chosen) = match &families[..] {
            // Nobody else can move, so there is nothing to decide.
            [Family { player: Player::P, moves }] if moves.len() == 1 => {
                (Some(Choice::Play(moves[0].0.clone(), moves[0].1.clone())), false)
            }
            _ => {
                say(&list(session, &seat.choices(), true));
                (decide(&seat, &families, &mut user), true)
            }
        };
        match choice {
            None => return ends("The play ends here."),
            Some(Choice::Undo) => {
                seat.undo();
                say("Taken back.\n");
            }
            Some(Choice::Play(m, ahead)) => {
                let outcome = seat.make(m, &ahead, chosen, &budget());
                tell(session, &seat.play, seat.play.moves.len() - 1);
                match outcome {
                    Err(reason) => return refused(session, &reason),
                    Ok(Outcome::GoesOn) => {}
                    Ok(Outcome::Complete) => return ends("The play is complete."),
                    Ok(Outcome::Diverges) => {
                        return ends(
                            "Nobody can move any more: the program waits, or runs on, for ever; the play is not \
                             complete.",
                        );
                    }
                }
            }
        }
    }
}

/// Asks the user until there is a choice; none, to end the play.
fn decide(seat: &Seat<'_>, families: &[Family], user: &mut User) -> Option<Choice> {
    loop {
        let choice = match user.types() {
            Typed::Quit => return None,
            Typed::Undo if seat.has_chosen() => return Some(Choice::Undo),
            Typed::Undo => Err("There is nothing to take back.".into()),
            Typed::Nothing => wait(families),
            Typed::Text(text) if text == "wait" => wait(families),
            Typed::Text(text) => chosen(seat, families, &text),
        };
        match choice {
            Ok(choice) => return Some(choice),
            Err(why) => say(&format!("{why}\n")),
        }
    }
}

/// P makes the move that has waited longest.
fn wait(families: &[Family]) -> Result<Choice, String> {
    let first = families.iter().find(|family| family.player == Player::P);
    let (m, ahead) = &first.ok_or("P waits for you: it has no move.")?.moves[0];
    Ok(Choice::Play(m.clone(), ahead.clone()))
}

fn chosen(seat: &Seat<'_>, families: &[Family], line: &str) -> Result<Choice, String> {
    if let Ok(number) = line.parse::<usize>()
        && (1..=families.len()).contains(&number)
    {
        return match &families[number - 1].moves[..] {
            [(m, ahead)] => Ok(Choice::Play(m.clone(), ahead.clone())),
            _ => Err("There are several such moves: write the one you mean.".into()),
        };
    }
    let found = seat.find(line).map(|(m, ahead)| Choice::Play(m, ahead));
    found.map_err(|why| match line.parse::<i64>().is_ok() && why.starts_with("That is no move") {
        true => format!("There is no move {line} here; there are {}.", families.len()),
        false => why,
    })
}
