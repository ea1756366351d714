//! `agon play`: the user is the environment.

mod concurrent;
mod sequential;

use std::io::{BufRead, IsTerminal, Lines, StdinLock};
use std::path::PathBuf;
use std::time::Instant;

use agon_base::budget::Budget;
use agon_check::verdict::Reason;
use agon_core::term::Mode;
use agon_games::moves::Player;
use agon_games::play::Play;
use clap::Args;

use super::limits::{budget, own_budget};
use super::output::{remark, say};
use super::{Common, Format, Status, guard, input};
use crate::render::answer::why;
use crate::render::words::words;
use crate::seat::{self, Choice};
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
    if options.file.as_os_str() == "-" {
        remark("error: moves are read from standard input, so the program must be a file\n");
        return Status::Wrong;
    }
    let all = budget(&options.common, Instant::now());
    let Some(session) = input::open(&options.file, &options.common, Format::Text) else {
        return Status::Wrong;
    };
    let code = match input::compiled(&session) {
        Ok(code) => code,
        Err(status) => return status,
    };
    // From here on the time is that of a move.
    guard::limit(None, all.memory);
    let user = User::new();
    match session.judgement.mode {
        Mode::Sequential => {
            let seat = seat::sequential::Seat::new(&session, code);
            sequential::run(&session, seat, user, &options.common)
        }
        Mode::Concurrent => {
            // The limits are those of a single move.
            let budget = || {
                let budget = own_budget(&options.common, Instant::now());
                Budget {
                    memory: options.common.memory_limit.map_or(Some(MEMORY), |_| budget.memory),
                    ..budget
                }
            };
            match seat::concurrent::Seat::new(&session, code, &budget()) {
                Ok(seat) => concurrent::run(&session, seat, user, &budget),
                Err(reason) => refused(&session, &reason),
            }
        }
    }
}

/// The memory for the positions of a play, in bytes, if nobody says otherwise. Whoever plays does not wait for more.
const MEMORY: usize = 1 << 28;

/// Who types.
struct User {
    lines: Lines<StdinLock<'static>>,
    prompt: &'static str,
}

/// What was typed.
enum Typed {
    /// Nothing: an empty line.
    Nothing,
    /// Take the last choice back.
    Undo,
    /// End the play; or there is no more input.
    Quit,
    /// A move, or something else.
    Text(String),
}

impl User {
    fn new() -> User {
        let prompt = if std::io::stdin().is_terminal() { "> " } else { "" };
        User { lines: std::io::stdin().lock().lines(), prompt }
    }

    fn types(&mut self) -> Typed {
        say(self.prompt);
        let Some(Ok(line)) = self.lines.next() else { return Typed::Quit };
        match line.trim() {
            "" => Typed::Nothing,
            "undo" => Typed::Undo,
            "quit" | "q!" | "exit" => Typed::Quit,
            text => Typed::Text(text.into()),
        }
    }
}

fn ends(how: &str) -> Status {
    say(&format!("{how}\n"));
    Status::Holds
}

/// Says why a program cannot be played any further.
fn refused(session: &Session, reason: &Reason) -> Status {
    remark(&format!("UNKNOWN  {}\n", why(session, reason)));
    Status::without_verdict(reason)
}

/// What can be played, numbered; where both players may move, with whose moves they are.
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

/// Says a move of a play.
fn tell(session: &Session, play: &Play, n: usize) {
    let Some(m) = play.threaded().nth(n) else { return };
    let player = seat::player(&session.arena, &m);
    say(&format!("{player:?}  {}   {}\n", session.arena.show_threaded(&m), words(session, play, n)));
}
