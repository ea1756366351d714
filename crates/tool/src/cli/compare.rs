//! `agon equiv` and `agon approx`: two programs against the same environments.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use agon_check::equiv::{Relation, Side};
use agon_lang::diagnostic::{Code, Diagnostic};
use agon_lang::tree::Mode;
use clap::Args;
use serde_json::json;

use super::check::write_environment;
use super::limits::{ProgressLine, budget, interruptible, peak_memory};
use super::output::{counted, remark, say};
use super::{Common, Format, Status, Written, input};
use crate::render::answer::{self, moves};
use crate::render::json::play;
use crate::session::{Comparison, Difference, Session, compare};

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The first program.
    #[arg(value_name = "FILE")]
    left: PathBuf,
    /// The second program.
    #[arg(value_name = "FILE")]
    right: PathBuf,
    /// Where the programs differ, write the one that has the play, closed by the environment, to a file; `-` is
    /// standard output.
    #[arg(long, value_name = "FILE")]
    environment: Option<PathBuf>,
    #[command(flatten)]
    written: Written,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(options: &Options, relation: Relation) -> Status {
    let (common, format) = (&options.common, options.written.format);
    let left = input::open(&options.left, common, format);
    let right = input::open(&options.right, common, format);
    let (Some(left), Some(right)) = (left, right) else { return Status::Wrong };
    let cancelled = interruptible();
    let started = Instant::now();
    let budget = budget(common, started, &cancelled);
    let line = ProgressLine::new(started, common.quiet);
    let result = compare(&left, &right, relation, &budget, &mut |progress| line.show(progress));
    line.end();
    let (comparison, progress) = match result {
        Ok(result) => result,
        Err(why) => {
            let mut diagnostic = Diagnostic::general(
                Code::Incomparable,
                format!("{} and {} cannot be compared: {why}", left.source.name, right.source.name),
            );
            if left.judgement.mode == right.judgement.mode {
                diagnostic = diagnostic.help(
                    "an identifier that only one of the programs mentions is fine; the others must have the same type",
                );
            }
            input::tell(&left.source, &[diagnostic], format);
            return Status::Wrong;
        }
    };
    if let (Comparison::Differs(difference), Some(path)) = (&comparison, &options.environment) {
        let owner = owner(difference, &left, &right);
        if let Some(distinction) = &difference.distinction
            && let Err(status) = write_environment(path, &distinction.with.text, owner, format)
        {
            return status;
        }
    }
    let (word, status) = match (&comparison, relation) {
        (Comparison::Holds, Relation::Equivalence) => ("equivalent", Status::Holds),
        (Comparison::Holds, Relation::Approximation) => ("approximates", Status::Holds),
        (Comparison::Differs(_), Relation::Equivalence) => ("inequivalent", Status::DoesNotHold),
        (Comparison::Differs(_), Relation::Approximation) => ("does-not-approximate", Status::DoesNotHold),
        (Comparison::Unknown(..), _) => ("unknown", Status::Undecided),
    };
    if format == Format::Json {
        let mut value = json!({
            "files": [left.source.name, right.source.name],
            "verdict": word,
            "engine": "explicit",
            "iterations": 1,
            "states": progress.states,
            "transitions": progress.transitions,
            "seconds": started.elapsed().as_secs_f64(),
            "peak_memory_mib": peak_memory(),
            "play": [],
            "abstraction": {},
        });
        match &comparison {
            Comparison::Holds => {}
            Comparison::Differs(difference) => {
                let owner = owner(difference, &left, &right);
                value["play"] = play(owner, &difference.play);
                value["file_with_play"] = owner.source.name.clone().into();
                if let Some(distinction) = &difference.distinction {
                    value["environment"] = distinction.with.text[..distinction.with.term].into();
                }
            }
            Comparison::Unknown(side, reason) => {
                value["reason"] = answer::why(pick(*side, &left, &right), reason).into();
            }
        }
        say(&format!("{value:#}\n"));
        return status;
    }
    say(&text(&comparison, relation, &left, &right, common.verbose));
    if !common.quiet {
        let what = if left.judgement.mode == Mode::Concurrent { "position" } else { "pair" };
        remark(&format!(
            "{}, {}, {:.3} s\n",
            counted(progress.states as u64, what),
            counted(progress.transitions, "transition"),
            started.elapsed().as_secs_f64()
        ));
    }
    status
}

fn pick<'a>(side: Side, left: &'a Session, right: &'a Session) -> &'a Session {
    match side {
        Side::Left => left,
        Side::Right => right,
    }
}

fn owner<'a>(difference: &Difference, left: &'a Session, right: &'a Session) -> &'a Session {
    pick(difference.side, left, right)
}

fn text(
    comparison: &Comparison,
    relation: Relation,
    left: &Session,
    right: &Session,
    verbose: bool,
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
            let _ = writeln!(text, "{}", moves(owner, &difference.play, verbose));
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
                let _ = writeln!(text, "  {}", answer::shortened(line));
            }
        }
        (Comparison::Unknown(side, reason), _) => {
            let _ = writeln!(text, "UNKNOWN  {}", answer::why(pick(*side, left, right), reason));
        }
    }
    text
}
