//! `agon equiv` and `agon approx`: two programs against the same environments.

use std::path::PathBuf;
use std::time::Instant;

use agon_base::diagnostic::{Code, Diagnostic};
use agon_check::equiv::{Comparison, Relation};
use clap::Args;

use super::check::write_environment;
use super::limits::{ProgressLine, budget};
use super::output::{counted, remark, say};
use super::{Common, Format, Status, Written, guard, input};
use crate::render::{answer, comparison};
use crate::session::compare;
use crate::shape::{self, Version};

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
    let started = Instant::now();
    let budget = budget(common, started);
    let names = [&options.left, &options.right].map(|file| file.display().to_string());
    guard::last_words(move |limit| {
        say(&match format {
            Format::Json => {
                let compared = comparison::unanswered(names, answer::limit(limit));
                shape::pretty(&shape::comparison::Comparison { version: Version, seconds: None, compared })
            }
            Format::Text => format!("UNKNOWN  {}\n", answer::limit(limit)),
        })
    });
    let left = input::open(&options.left, common, format);
    let right = input::open(&options.right, common, format);
    let (Some(left), Some(right)) = (left, right) else { return Status::Wrong };
    let line = ProgressLine::new(started, common.quiet);
    let result = compare(&left, &right, relation, &budget, &mut |notice| line.show(notice));
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
            input::print_diagnostics(&left.source, &[diagnostic], format);
            return Status::Wrong;
        }
    };
    if let (Comparison::Differs(difference), Some(path)) = (&comparison, &options.environment) {
        let owner = comparison::owner(difference, &left, &right);
        if let Some(distinction) = &difference.distinction
            && let Err(status) = write_environment(path, &distinction.with.text, &owner.source, format)
        {
            return status;
        }
    }
    guard::answers();
    let status = match &comparison {
        Comparison::Holds => Status::Holds,
        Comparison::Differs(_) => Status::DoesNotHold,
        Comparison::Unknown(_, reason) => Status::without_verdict(reason),
    };
    if format == Format::Json {
        let seconds = Some(started.elapsed().as_secs_f64());
        let stores = comparison::stores(&comparison, &left, &right, &budget);
        let compared = comparison::data(&comparison, relation, &left, &right, progress, stores.as_deref());
        say(&shape::pretty(&shape::comparison::Comparison { version: Version, seconds, compared }));
        return status;
    }
    let stores = common.verbose.then(|| comparison::stores(&comparison, &left, &right, &budget)).flatten();
    say(&comparison::text(&comparison, relation, &left, &right, common.verbose, stores.as_deref()));
    if !common.quiet {
        remark(&format!(
            "{}, {}, {:.3} s\n",
            counted(progress.states as u64, comparison::unit(&left)),
            counted(progress.transitions, "transition"),
            started.elapsed().as_secs_f64()
        ));
    }
    status
}
