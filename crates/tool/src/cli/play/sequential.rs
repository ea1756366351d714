//! Playing against a sequential program: O moves, then P.

use std::time::Instant;

use super::{Typed, User, ends, list, refused, say, tell};
use crate::cli::limits::own_budget;
use crate::cli::{Common, Status};
use crate::seat::Outcome;
use crate::seat::sequential::Seat;
use crate::session::Session;

pub(super) fn run(session: &Session, mut seat: Seat<'_>, mut user: User, common: &Common) -> Status {
    say(
        "You are the environment, O. Choose a move by its number, or write it; `undo` takes the last one back, \
         `quit` ends the play.\n",
    );
    loop {
        say(&list(session, &seat.choices(), false));
        let choice = loop {
            match user.types() {
                Typed::Nothing => {}
                Typed::Quit => return ends("The play ends here."),
                Typed::Undo if seat.undo() => break None,
                Typed::Undo => say("There is nothing to take back.\n"),
                Typed::Text(text) => match choose(session, &seat, &text) {
                    Ok(choice) => break Some(choice),
                    Err(why) => say(&format!("{why}\n")),
                },
            }
        };
        let Some((offer, code)) = choice else {
            say("Taken back.\n");
            continue;
        };
        let made = seat.play.moves.len();
        // A run that does not come back ends with the time for a move; and a signal ends the process.
        let outcome = seat.make(offer, code, &own_budget(common, Instant::now()));
        (made..seat.play.moves.len()).for_each(|n| tell(session, &seat.play, n));
        match outcome {
            Err(reason) => return refused(session, &reason),
            Ok(Outcome::GoesOn) => {}
            Ok(Outcome::Complete) => return ends("The play is complete."),
            Ok(Outcome::Diverges) => {
                return ends("P never moves again: the program diverges, and the play is not complete.");
            }
        }
    }
}

fn choose(session: &Session, seat: &Seat<'_>, line: &str) -> Result<(usize, u64), String> {
    let offers = seat.offers();
    if let Ok(number) = line.parse::<usize>()
        && (1..=offers.len()).contains(&number)
    {
        return match offers[number - 1].last {
            Some(0) => Ok((number - 1, 0)),
            _ => Err("There are several such moves: write the one you mean.".into()),
        };
    }
    let number = line.parse::<i64>().is_ok();
    let m = session.arena.parse(line).map_err(|why| match number {
        true => format!("There is no move {line} here; there are {}.", offers.len()),
        false => format!("That is no move: {why}."),
    })?;
    seat.find(&m).ok_or_else(|| format!("`{line}` cannot be played here."))
}
