//! `agon play` of a module: the user is the environment, with the stack of open calls in view.

use std::io::{BufRead, IsTerminal};

use agon_base::budget::Budget;
use agon_core::module::Store;

use super::{chosen, counted, ends};
use crate::cli::Status;
use crate::cli::output::{remark, say};
use crate::play_session::module::ModulePlay;
use crate::play_session::{Choice, Outcome};
use crate::render::answer::reason_for;
use crate::render::module as render;
use crate::render::reader::Reader;
use crate::session::module::ModuleSession;

/// The introduction for the user.
const TURNS: &str = "You are the environment, E; the module is the library, L. Choose a move by its number, or write it: `f(1)` calls an \
                     export,\nalso while an import is open, and `ret 1` answers the import. `undo` takes the last move back, `quit` ends \
                     the play.\n";

/// Plays until the play or the input ends.
pub(super) fn play(session: &ModuleSession, budget: &dyn Fn() -> Budget) -> Status {
    let prompt = if std::io::stdin().is_terminal() { "> " } else { "" };
    let mut lines = std::io::stdin().lock().lines();
    let mut game = ModulePlay::start(session);
    say(TURNS);
    loop {
        let choices = game.choices();
        say(&stack(&game));
        say(&list(&choices));
        say(prompt);
        let made = game.play().0.len();
        let line = lines.next().and_then(Result::ok).unwrap_or_else(|| "quit".into());
        let outcome = match line.trim() {
            "quit" | "q!" | "exit" => return ends("The play ends here."),
            "undo" if !game.undo() => Ok(Err("There is nothing to take back.".into())),
            "undo" => {
                say("Taken back.\n");
                Ok(Ok(Outcome::GoesOn))
            }
            "" => continue,
            text => match chosen(&choices, text, false) {
                Ok(chosen) => game
                    .make(chosen, &budget())
                    .map(|made| made.map_err(|why| counted(why, choices.len(), text))),
                Err(why) => Ok(Err(why.into())),
            },
        };
        say(&moves(session, &game, made));
        match outcome {
            Ok(Ok(Outcome::GoesOn)) => {}
            Ok(Ok(Outcome::Complete)) => return ends("The play is over."),
            Ok(Ok(Outcome::Diverges)) => return ends("L never moves again: the module diverges."),
            Ok(Err(why)) => say(&format!("{why}\n")),
            Err(reason) => {
                remark(&format!("UNKNOWN  {}\n", reason_for(&reason, Reader::Command)));
                return Status::without_verdict(&reason);
            }
        }
    }
}

/// The calls that are open, outermost first.
fn stack(game: &ModulePlay<'_>) -> String {
    let open: Vec<String> = game.stack().into_iter().map(|(name, _)| name).collect();
    if open.is_empty() { "Nothing is open.\n".into() } else { format!("Open: {}\n", open.join(" > ")) }
}

/// The numbered choices.
fn list(choices: &[Choice]) -> String {
    let line = |(n, choice): (usize, &Choice)| {
        let more = match &choice.last {
            Some(last) => format!(" … {last}"),
            None if choice.endless => ", or with any other value".into(),
            None => String::new(),
        };
        format!("  {}  {}{more}\n", n + 1, choice.first)
    };
    choices.iter().enumerate().map(line).collect()
}

/// The moves from one on, with the cells that each changed.
fn moves(session: &ModuleSession, game: &ModulePlay<'_>, from: usize) -> String {
    let (play, marks) = (game.play(), &game.played.marks);
    let mut text = String::new();
    let empty = Store::default();
    for (n, (played, nested)) in play.0.iter().zip(play.nested()).enumerate().skip(from) {
        let player = if nested.by_environment { "E" } else { "L" };
        let indent = "  ".repeat(nested.depth);
        let before = n.checked_sub(1).and_then(|n| marks.get(n)).map_or(&empty, |mark| &mark.store);
        let changes =
            marks.get(n).map_or(String::new(), |mark| render::changes(session, before, &mark.store));
        let changes = if changes.is_empty() { changes } else { format!("   | {changes}") };
        text +=
            &format!("{indent}{player}  {}{changes}\n", render::written(session.module(), played, &nested));
    }
    text
}
