//! Playing against a sequential program: O moves, then P.

use std::sync::Arc;
use std::time::Instant;

use agon_check::verdict::Reason;
use agon_games::machine::{Machine, Offer, State};
use agon_games::moves::Move;
use agon_games::play::Play;
use agon_games::values::Exact;
use agon_lang::int::Int;

use super::{Typed, User, ends, refused, say, take_back, tell};
use crate::cli::limits::budget;
use crate::cli::{Common, Status};
use crate::session::Session;

pub(super) fn run(session: &Session, mut machine: Machine<Exact>, mut user: User, common: &Common) -> Status {
    say(
        "You are the environment, O. Choose a move by its number, or write it; `undo` takes the last one back, \
         `quit` ends the play.\n",
    );
    let mut play = Play::default();
    let mut before: Vec<State> = Vec::new();
    let mut state = machine.start();
    let mut reactions = Vec::new();
    loop {
        let offers = machine.offers(state);
        say(&list(&machine, &offers));
        let choice = loop {
            match user.types() {
                Typed::Nothing => {}
                Typed::Quit => return ends("The play ends here."),
                Typed::Undo if before.is_empty() => say("There is nothing to take back.\n"),
                Typed::Undo => break None,
                Typed::Text(text) => match choose(session, &machine, &offers, &text) {
                    Ok(choice) => break Some(choice),
                    Err(why) => say(&format!("{why}\n")),
                },
            }
        };
        let Some((offer, code)) = choice else {
            state = before.pop().unwrap_or(state);
            // O's move and P's answer to it.
            take_back(&mut play, before.len() * 2);
            continue;
        };
        before.push(state);
        let asked = offers[offer].at(machine.domain(), machine.arena(), code);
        play.push(asked, machine.argument_span(state, &offers[offer]));
        tell(session, &play);
        reactions.clear();
        // A run that does not come back ends with the time for a move; or can be interrupted like any program.
        let budget = budget(common, Instant::now(), &Arc::default());
        let mut over = || budget.exceeded(0).is_some();
        if let Err(why) = machine.play(state, &offers[offer], code, &mut reactions, &mut over) {
            return refused(session, &Reason::Limit(budget.stopped(why)));
        }
        let Some(reaction) = reactions.pop() else {
            return ends("P never moves again: the program diverges, and the play is not complete.");
        };
        play.push(reaction.answer.clone(), None);
        tell(session, &play);
        match reaction.next {
            Some(next) => state = next,
            None => return ends("The play is complete."),
        }
    }
}

/// What O may play, numbered.
fn list(machine: &Machine<Exact>, offers: &[Offer<Int>]) -> String {
    let mut text = String::new();
    for (n, offer) in offers.iter().enumerate() {
        let show = |code| machine.arena().show(&offer.at(machine.domain(), machine.arena(), code));
        let family = match offer.last {
            Some(0) => show(0),
            Some(last) => format!("{} … {}", show(0), show(last)),
            None => format!("{}, or any other integer", show(0)),
        };
        text += &format!("  {}  {family}\n", n + 1);
    }
    text
}

fn choose(
    session: &Session,
    machine: &Machine<Exact>,
    offers: &[Offer<Int>],
    line: &str,
) -> Result<(usize, u64), String> {
    let find = |m: &Move| {
        offers.iter().enumerate().find_map(|(n, offer)| {
            let code = offer.code_of(m, machine.arena())?;
            Some((n, code))
        })
    };
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
    find(&m).ok_or_else(|| format!("`{line}` cannot be played here."))
}
