//! `agon play`: the user is the environment.

mod concurrent;
mod sequential;

use std::io::{BufRead, IsTerminal, Lines, StdinLock};
use std::path::PathBuf;
use std::sync::Arc;

use agon_check::verdict::Reason;
use agon_games::machine::{Machine, Strands};
use agon_games::moves::{Label, Player};
use agon_games::play::Play;
use agon_games::values::Exact;
use agon_lang::tree::Mode;
use clap::Args;

use super::output::{remark, say};
use super::{Common, Format, Status, input};
use crate::render::answer::why;
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
    if options.file.as_os_str() == "-" {
        remark("error: moves are read from standard input, so the program must be a file\n");
        return Status::Wrong;
    }
    let Some(session) = input::open(&options.file, &options.common, Format::Text) else {
        return Status::Wrong;
    };
    let code = match input::compiled(&session) {
        Ok(code) => Arc::new(code),
        Err(status) => return status,
    };
    let arena = Arc::new(session.arena.clone());
    let user = User::new();
    match session.judgement.mode {
        Mode::Sequential => {
            sequential::run(&session, Machine::new(code, arena, Exact::default()), user, &options.common)
        }
        Mode::Concurrent => concurrent::run(&session, Strands::new(code, arena, true), user, &options.common),
    }
}

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
    Status::Undecided
}

/// Says the last move of a play.
fn tell(session: &Session, play: &Play) {
    let n = play.moves.len() - 1;
    let Some(m) = play.threaded().last() else { return };
    let player = match session.arena.player(&m.m) {
        Player::O if m.m.label != Label::Abort => "O",
        _ => "P",
    };
    say(&format!("{player}  {}   {}\n", session.arena.show_threaded(&m), words(session, play, n)));
}

/// Takes moves back until so many are left.
fn take_back(play: &mut Play, left: usize) {
    play.moves.truncate(left);
    play.spans.truncate(left);
    play.threads.truncate(left);
    say("Taken back.\n");
}
