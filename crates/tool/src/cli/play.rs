//! `agon play`: the user is the environment.

mod module;

use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;
use std::time::Instant;

use agon_base::budget::Budget;
use agon_c::options::Evaluation;
use agon_check::verdict::Reason;
use agon_core::term::Mode;
use agon_games::moves::Player;
use agon_games::play::Play;
use clap::Args;

use super::input::How;
use super::limits::{budget, own_budget};
use super::output::{remark, say};
use super::{Common, Format, Status, c, guard, input};
use crate::play_session::{self, Choice, Outcome, PlaySession};
use crate::render::answer::{blamed, why};
use crate::render::words::words;
use crate::session::{Opened, Session};

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The program. Moves are read from standard input, one on each line.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    c: c::Arguments,
}

pub(super) fn run(options: &Options) -> Status {
    if options.file.as_os_str() == "-" {
        remark("error: moves are read from standard input, so the program must be a file\n");
        return Status::Wrong;
    }
    let all = budget(&options.common, Instant::now());
    let settings = options.c.settings(&options.common, Evaluation::Any, None);
    let how = How { common: &options.common, c: &settings, budget: &all, format: Format::Text };
    let session = match input::open_any(std::slice::from_ref(&options.file), how) {
        Ok(Opened::Term(session)) => *session,
        Ok(Opened::Module(session)) => {
            guard::limit(None, all.memory);
            return module::play(&session, &|| own_budget(&options.common, Instant::now()));
        }
        Err(_) => return Status::Wrong,
    };
    let concurrent = session.judgement.mode == Mode::Concurrent;
    // The limits apply to each move.
    let budget = || {
        let budget = own_budget(&options.common, Instant::now());
        let default = if concurrent { Some(MEMORY) } else { budget.memory };
        Budget { memory: options.common.memory_limit.map_or(default, |_| budget.memory), ..budget }
    };
    guard::limit(None, all.memory);
    match PlaySession::start(&session, &budget()) {
        Ok(game) => play(&session, game, concurrent, &budget),
        Err(reason) => match blamed(&reason) {
            Some(diagnostic) => {
                input::print_diagnostics(&session.source, &[diagnostic], Format::Text);
                Status::Undecided
            }
            None => refused(&session, &reason),
        },
    }
}

/// The default memory limit of a move, in bytes. A user does not wait for a search that fills more.
const MEMORY: usize = 1 << 28;
/// The introduction for the user.
const TURNS: &str = "You are the environment, O. Choose a move by its number, or write it; `undo` takes the last one \
                     back, `quit` ends the play.\n";
/// The same for a concurrent program.
const BOTH: &str = "You are the environment, O; and since a concurrent program may move whenever it can, you also decide \
                    when it does.\nChoose a move by its number, or write it; an empty line, or `wait`, lets P make the \
                    first of its moves; `undo` takes\nthe last choice back, `quit` ends the play.\n";

/// Plays until the play or the input ends. In a concurrent program both players may be able to move; the user decides.
fn play(
    session: &Session,
    mut game: PlaySession<'_>,
    concurrent: bool,
    budget: &dyn Fn() -> Budget,
) -> Status {
    let prompt = if std::io::stdin().is_terminal() { "> " } else { "" };
    let mut lines = std::io::stdin().lock().lines();
    say(if concurrent { BOTH } else { TURNS });
    // The choices, while the user decides.
    let mut choices: Option<Vec<Choice>> = None;
    loop {
        let made = game.play().moves.len();
        let outcome = match (&choices, game.forced(&budget())) {
            // Only P can move, and by one move: there is nothing to decide.
            (_, Some(outcome)) => outcome.map(Ok),
            (None, None) => {
                say(&list(session, choices.insert(game.choices()), concurrent));
                continue;
            }
            (Some(choices), None) => {
                say(prompt);
                let line = lines.next().and_then(Result::ok).unwrap_or_else(|| "quit".into());
                match line.trim() {
                    "quit" | "q!" | "exit" => return ends("The play ends here."),
                    "undo" if !game.undo() => Ok(Err("There is nothing to take back.".into())),
                    "undo" => {
                        say("Taken back.\n");
                        Ok(Ok(Outcome::GoesOn))
                    }
                    "" if !concurrent => continue,
                    text => match chosen(choices, text, concurrent) {
                        Ok(m) => {
                            let made = game.make(m, &budget());
                            made.map(|made| made.map_err(|why| counted(why, choices.len(), text)))
                        }
                        Err(why) => Ok(Err(why.into())),
                    },
                }
            }
        };
        (made..game.play().moves.len()).for_each(|n| print_move(session, game.play(), n));
        match outcome {
            Ok(Ok(Outcome::GoesOn)) => choices = None,
            Ok(Ok(Outcome::Complete)) => return ends("The play is complete."),
            Ok(Ok(Outcome::Diverges)) if concurrent => {
                return ends(
                    "Nobody can move any more: the program waits, or runs on, for ever; the play is not complete.",
                );
            }
            Ok(Ok(Outcome::Diverges)) => {
                return ends("P never moves again: the program diverges, and the play is not complete.");
            }
            Ok(Err(why)) => say(&format!("{why}\n")),
            Err(reason) => return refused(session, &reason),
        }
    }
}

/// The move that the user typed: the move itself, or the number of a choice; or why there is none.
fn chosen<'a>(choices: &'a [Choice], text: &'a str, concurrent: bool) -> Result<&'a str, &'static str> {
    if concurrent && matches!(text, "" | "wait") {
        // P makes the move that has been possible longest.
        let first = choices.iter().find(|choice| choice.player == Player::P);
        return first.map(|choice| choice.first.as_str()).ok_or("P waits for you: it has no move.");
    }
    let number = text.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    match number.and_then(|number| choices.get(number)) {
        None => Ok(text),
        Some(Choice { first, last: None, endless: false, .. }) => Ok(first),
        Some(_) => Err("There are several such moves: write the one you mean."),
    }
}

/// The message for a number that is not the number of a choice.
fn counted(why: String, choices: usize, text: &str) -> String {
    match text.parse::<i64>().is_ok() && why.starts_with("That is no move") {
        true => format!("There is no move {text} here; there are {choices}."),
        false => why,
    }
}

fn ends(how: &str) -> Status {
    say(&format!("{how}\n"));
    Status::Holds
}

/// Prints why a play cannot go on.
fn refused(session: &Session, reason: &Reason) -> Status {
    remark(&format!("UNKNOWN  {}\n", why(session, reason)));
    Status::without_verdict(reason)
}

/// The numbered choices; with their players, where both can move.
fn list(session: &Session, choices: &[Choice], both: bool) -> String {
    let mut text = String::new();
    for (n, choice) in choices.iter().enumerate() {
        let player = if both { format!("{:?}  ", choice.player) } else { String::new() };
        let more = match &choice.last {
            Some(last) => format!(" … {last}"),
            None if choice.endless => ", or any other integer".into(),
            None => String::new(),
        };
        let place = choice.span.filter(|_| choice.player == Player::P).map_or(String::new(), |span| {
            let (line, column) = session.source.line_column(span.start);
            format!("   ({line}:{column})")
        });
        text += &format!("  {}  {player}{}{more}{place}\n", n + 1, choice.first);
    }
    text
}

/// Prints a move of a play.
fn print_move(session: &Session, play: &Play, n: usize) {
    let Some(m) = play.threaded().nth(n) else { return };
    let player = play_session::player(&session.arena, &m);
    say(&format!("{player:?}  {}   {}\n", session.arena.show_threaded(&m), words(session, play, n)));
}
