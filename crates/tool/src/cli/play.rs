//! `agon play`: the user is the environment.

use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;

use agon_games::machine::{Machine, Offer};
use agon_games::moves::Move;
use agon_games::values::Exact;
use agon_lang::int::Int;
use clap::Args;

use super::output::say;
use super::{Common, Format, Status, input};
use crate::render::words::words;
use crate::session::Session;

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The program. Moves are read from standard input, one a line.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(options: &Options) -> Status {
    let Some(session) = input::open(&options.file, &options.common, Format::Text) else {
        return Status::Wrong;
    };
    let code = match input::compiled(&session) {
        Ok(code) => Arc::new(code),
        Err(status) => return status,
    };
    let mut machine = Machine::new(code, Arc::new(session.arena.clone()), Exact::default());
    let mut lines = std::io::stdin().lock().lines();
    let prompt = if std::io::stdin().is_terminal() { "> " } else { "" };
    say("You are the environment, O. Choose a move by its number, or write it; `quit` ends the play.\n");
    let mut state = machine.start();
    let mut reactions = Vec::new();
    loop {
        let offers = machine.offers(state);
        say(&list(&machine, &offers));
        let (offer, code) = loop {
            say(prompt);
            let Some(Ok(line)) = lines.next() else { return ends("The play ends here.") };
            let line = line.trim();
            match line {
                "" => continue,
                "quit" | "q!" | "exit" => return ends("The play ends here."),
                _ => {}
            }
            match choose(&session, &machine, &offers, line) {
                Ok(choice) => break choice,
                Err(why) => say(&format!("{why}\n")),
            }
        };
        let asked = offers[offer].at(machine.domain(), machine.arena(), code);
        let span = machine.argument_span(state, &offers[offer]);
        say(&said(&session, "O", &asked, span));
        reactions.clear();
        // A run that does not come back can be interrupted like any program.
        if machine.play(state, &offers[offer], code, &mut reactions, &mut || false).is_err() {
            return ends("Interrupted.");
        }
        let Some(reaction) = reactions.pop() else {
            return ends("P never moves again: the program diverges, and the play is not complete.");
        };
        say(&said(&session, "P", &reaction.answer, None));
        match reaction.next {
            Some(next) => state = next,
            None => return ends("The play is complete."),
        }
    }
}

fn ends(how: &str) -> Status {
    say(&format!("{how}\n"));
    Status::Holds
}

fn said(session: &Session, player: &str, m: &Move, span: Option<agon_lang::source::Span>) -> String {
    let reading = words(&session.arena, &session.source, m, span);
    format!("{player}  {}   {reading}\n", session.arena.show(m))
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
