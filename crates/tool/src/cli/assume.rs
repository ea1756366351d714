//! `agon assume`: learns a contract for a part of a program that makes the rest safe.

use std::path::PathBuf;
use std::time::Instant;

use agon_check::component;
use agon_check::portfolio;
use agon_check::question::Order;
use agon_check::refine::RefinementOptions;
use agon_check::refine::assume::Lesson;
use agon_check::task::Task;
use agon_check::verdict::{Report, Verdict};
use agon_core::split::Reach;
use clap::{Args, ValueEnum};

use super::limits::{ProgressLine, budget};
use super::model::{ModelFormat, write_automaton};
use super::output::{Destination, counted, remark};
use super::{Common, Format, Status, guard, input};
use crate::choices::LearnerName;
use crate::render::{answer, assumption, model as render, specification};
use crate::session::guarded;
use crate::shape;

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The program; `-` is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The part: a definition, or `f.1` for an argument of `f`.
    #[arg(long, value_name = "NAME")]
    component: String,
    /// Learn only what proves the present program safe: the certificate of `agon check`, not the weakest assumption.
    #[arg(long)]
    enough: bool,
    /// Which names a replacement of the part may use.
    #[arg(long, value_enum, default_value_t = ReachName::Used)]
    reach: ReachName,
    /// The move that the rest must never make.
    #[arg(long, value_name = "MOVE", default_value = "abort", allow_hyphen_values = true)]
    target: String,
    /// How the assumption is learnt.
    #[arg(long, value_enum, default_value_t = LearnerName::Tree)]
    learner: LearnerName,
    /// The format of the assumption; `json` is what `agon check --against` reads.
    #[arg(long, value_enum, default_value_t = ModelFormat::Text)]
    format: ModelFormat,
    /// Draw assumptions of at most N states.
    #[arg(long, value_name = "N", default_value_t = 150)]
    max_states: usize,
    #[command(flatten)]
    destination: Destination,
    #[command(flatten)]
    common: Common,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum ReachName {
    /// The names that the present part uses.
    Used,
    /// All free identifiers, and all cells and parameters in scope. This can take long.
    All,
}

pub(super) fn run(options: &Options) -> Status {
    let common = &options.common;
    let format = if options.format == ModelFormat::Json { Format::Json } else { Format::Text };
    let started = Instant::now();
    let budget = budget(common, started);
    if let Err(status) = options.destination.ready() {
        return status;
    }
    guard::last_words(Status::Undecided, |limit| remark(&format!("UNKNOWN  {}\n", answer::limit(limit))));
    let Some(session) = input::open(&options.file, common, format) else { return Status::Wrong };
    let question = match session.question(&options.target, Order::Fixed) {
        Ok(question) => question,
        Err(diagnostic) => {
            input::print_diagnostics(&session.source, &[diagnostic], format);
            return Status::Wrong;
        }
    };
    let reach = match options.reach {
        ReachName::Used => Reach::Used,
        ReachName::All => Reach::All,
    };
    let component = match component::named(&session.judgement, &options.component, reach) {
        Ok(component) => component,
        Err(why) => {
            remark(&format!("error: {why}\n"));
            return Status::Wrong;
        }
    };
    let line = ProgressLine::new(started, common.quiet);
    let lesson = Lesson { component: &component, method: options.learner.into(), weakest: !options.enough };
    let run = || {
        portfolio::assume(
            lesson,
            Task {
                subject: session.subject(),
                question: &question,
                effort: &RefinementOptions::default(),
                budget: &budget,
            },
            &mut |progress| line.show(progress),
        )
    };
    let report =
        guarded(run).unwrap_or_else(|reason| Report::new(Verdict::Unknown(reason), "assume-guarantee"));
    line.end();
    guard::answers();
    let assumed = report.assumed();
    let learnt = assumed
        .and_then(|assumed| Some((assumed, assumed.assumption.as_ref()?, assumed.specification.as_ref()?)));
    let (assumed, assumption, learnt) = match (&report.verdict, learnt) {
        (Verdict::Unknown(reason), _) => {
            remark(&format!("UNKNOWN  {}\n", answer::why(&session, reason)));
            return Status::without_verdict(reason);
        }
        (Verdict::Unsafe(..), None) => {
            remark(&format!(
                "UNSAFE  the program is unsafe with the present `{}`; see `agon check`\n",
                options.component
            ));
            return Status::DoesNotHold;
        }
        (Verdict::Safe, None) => {
            remark("UNKNOWN  no assumption was learnt\n");
            return Status::Undecided;
        }
        (_, Some(learnt)) => learnt,
    };
    match options.format {
        ModelFormat::Text => options.destination.say(&assumption::text(assumption, &assumed.interface, true)),
        ModelFormat::Json => options.destination.say(&shape::pretty(&specification::write(learnt))),
        format => {
            let drawn = assumption.drawn(&assumed.interface);
            let name = format!("{} of {}", options.component, session.source.name);
            if let Some(status) = write_automaton(
                (format, options.max_states),
                &render::lettered(drawn),
                &name,
                &options.destination,
            ) {
                return status;
            }
        }
    }
    if !common.quiet {
        let keeps = match report.verdict {
            Verdict::Safe => "satisfies it",
            _ => "does not satisfy it",
        };
        remark(&format!(
            "{}, {} asked, {} tried; the present `{}` {keeps}; {:.3} s\n",
            counted(assumption.automaton.states.len() as u64, "state"),
            counted(assumed.questions.membership, "play"),
            counted(assumed.questions.equivalence, "assumption"),
            options.component,
            started.elapsed().as_secs_f64()
        ));
    }
    Status::Holds
}
