//! What comparing two programs came to, as text and as data.

use std::fmt::Write;

use agon_check::equiv::{Comparison, Difference, Relation, Side};
use agon_check::search::Progress;
use agon_core::held::Held;
use agon_core::term::Mode;
use serde_json::{Value, json};

use super::answer::{moves, shortened, why};
use super::json::{Cost, play};
use crate::session::Session;
use crate::system::peak_memory;

/// The verdict in a word.
pub fn word(comparison: &Comparison, relation: Relation) -> &'static str {
    match (comparison, relation) {
        (Comparison::Holds, Relation::Equivalence) => "equivalent",
        (Comparison::Holds, Relation::Approximation) => "approximates",
        (Comparison::Differs(_), Relation::Equivalence) => "inequivalent",
        (Comparison::Differs(_), Relation::Approximation) => "does-not-approximate",
        (Comparison::Unknown(..), _) => "unknown",
    }
}

/// What is counted while a program is compared with another.
pub fn unit(program: &Session) -> &'static str {
    match program.judgement.mode {
        Mode::Sequential => "pair",
        Mode::Concurrent => "position",
    }
}

/// What a comparison came to, as data.
pub fn data(
    comparison: &Comparison,
    relation: Relation,
    left: &Session,
    right: &Session,
    progress: Progress,
    cost: Cost,
) -> Value {
    let mut value = json!({
        "files": [left.source.name, right.source.name],
        "verdict": word(comparison, relation),
        "engine": "explicit",
        "iterations": 1,
        "states": progress.states,
        "transitions": progress.transitions,
        "seconds": cost.seconds,
        "peak_memory_mib": cost.peak_memory_mib,
        "play": [],
        "abstraction": {},
    });
    match comparison {
        Comparison::Holds => {}
        Comparison::Differs(difference) => {
            let owner = owner(difference, left, right);
            value["play"] = play(owner, &difference.play);
            value["file_with_play"] = owner.source.name.clone().into();
            if let Some(distinction) = &difference.distinction {
                value["environment"] = distinction.with.text[..distinction.with.term].into();
            }
        }
        Comparison::Unknown(side, reason) => {
            value["reason"] = why(pick(*side, left, right), reason).into();
        }
    }
    value
}

/// What is said of two programs where comparing them had to be left.
pub fn unanswered(files: &[String; 2], reason: &str) -> Value {
    json!({
        "files": files,
        "verdict": "unknown",
        "engine": "explicit",
        "iterations": 0,
        "states": 0,
        "transitions": 0,
        "seconds": null,
        "peak_memory_mib": peak_memory(),
        "play": [],
        "abstraction": {},
        "reason": reason,
    })
}

/// The program of a side.
pub fn pick<'a>(side: Side, left: &'a Session, right: &'a Session) -> &'a Session {
    match side {
        Side::Left => left,
        Side::Right => right,
    }
}

/// The program that has the play.
pub fn owner<'a>(difference: &Difference, left: &'a Session, right: &'a Session) -> &'a Session {
    pick(difference.side, left, right)
}

/// What a comparison came to, as a person reads it.
pub fn text(
    comparison: &Comparison,
    relation: Relation,
    left: &Session,
    right: &Session,
    verbose: bool,
    stores: Option<&[Vec<Held>]>,
) -> String {
    let mut text = String::new();
    match (comparison, relation) {
        (Comparison::Holds, Relation::Equivalence) => {
            let _ = writeln!(text, "EQUIVALENT  no environment tells the two programs apart");
        }
        (Comparison::Holds, Relation::Approximation) => {
            let _ = writeln!(text, "APPROXIMATES  every complete play of the first is one of the second");
        }
        (Comparison::Differs(difference), _) => {
            let owner = owner(difference, left, right);
            let other = if difference.side == Side::Left { right } else { left };
            let word = match relation {
                Relation::Equivalence => "INEQUIVALENT",
                Relation::Approximation => "DOES NOT APPROXIMATE",
            };
            let (with, without) = (&owner.source.name, &other.source.name);
            let _ = writeln!(text, "{word}  {with} has this play, {without} has not:\n");
            let _ = writeln!(text, "{}", moves(owner, &difference.play, verbose, stores));
            let Some(distinction) = &difference.distinction else {
                let _ = writeln!(text, "The interpreter can play it with {with}, and not with {without}.");
                return text;
            };
            let environment = &distinction.with.text[..distinction.with.term];
            // Threads may take their turns in another order the next time.
            let _ = match (distinction.shown, owner.judgement.mode) {
                (true, Mode::Sequential) => writeln!(
                    text,
                    "An environment that tells them apart; run by the interpreter with {with} it comes to that end, \
                     with {without} it does not:\n"
                ),
                (true, Mode::Concurrent) => writeln!(
                    text,
                    "An environment that tells them apart; run by the interpreter with {with} it can come to that end, \
                     with {without} it cannot:\n"
                ),
                (false, Mode::Sequential) => writeln!(
                    text,
                    "The interpreter, run with {without} against this play, plays something else. An environment that \
                     plays it with {with}:\n"
                ),
                (false, Mode::Concurrent) => writeln!(
                    text,
                    "The interpreter cannot play it with {without}. An environment that plays it with {with}:\n"
                ),
            };
            let said = |line: &&str| !line.starts_with("//") && *line != "concurrent";
            for line in environment.lines().filter(said) {
                let _ = writeln!(text, "  {}", shortened(line));
            }
        }
        (Comparison::Unknown(side, reason), _) => {
            let _ = writeln!(text, "UNKNOWN  {}", why(pick(*side, left, right), reason));
        }
    }
    text
}
