//! `agon model`: the minimal automaton of the complete plays.

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use agon_check::budget::Limit;
use agon_check::verdict::Reason;
use agon_games::denote::{Building, Unfit, bottom_up_threads, revealed};
use agon_games::machine::{Machine, Strands, compile, compile_any};
use agon_games::model::{self, concurrent_model, model};
use agon_games::values::Exact;
use agon_lang::tree::Mode;
use clap::{Args, ValueEnum};
use indicatif::HumanCount;

use super::limits::{budget, interruptible, peak_memory};
use super::output::{counted, finish, remark};
use super::{Common, Format, Status, input};
use crate::render::{answer, diagnostics, model as render};
use crate::session::Session;

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The program; `-` is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// How the model is written.
    #[arg(long, value_enum, default_value_t = ModelFormat::Text)]
    format: ModelFormat,
    /// Draw models of at most so many states.
    #[arg(long, value_name = "N", default_value_t = 150)]
    max_states: usize,
    /// Keep the moves between the parts of the program, each with the coordinates of the part.
    #[arg(long, conflicts_with = "plays")]
    revealed: bool,
    /// Build the model from the models of its parts, each minimised first, and say how large it got on the way.
    #[arg(long)]
    bottom_up: bool,
    /// Run concurrent programs step by step, also where nobody can get in between, and put all of it together.
    #[arg(long)]
    no_reduction: bool,
    /// List plays that cover every path of the model, without following loops, instead of the model.
    #[arg(long)]
    plays: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum ModelFormat {
    /// One transition a line.
    Text,
    /// The data of the automaton.
    Json,
    /// For Graphviz.
    Dot,
    /// A picture.
    Svg,
    /// Aldebaran, for mCRL2 and CADP.
    Aut,
    /// A CSP process, for FDR.
    Cspm,
}

pub(super) fn run(options: &Options) -> Status {
    let common = &options.common;
    let format = if options.format == ModelFormat::Json { Format::Json } else { Format::Text };
    let Some(session) = input::open(&options.file, common, format) else { return Status::Wrong };
    let started = Instant::now();
    let cancelled = interruptible();
    let budget = budget(common, started, &cancelled);
    let unknown = |reason: &Reason, session: &Session| {
        if let Some(diagnostic) = answer::blamed(reason) {
            remark(&diagnostics::render(&session.source, &[diagnostic]));
        }
        remark(&format!("UNKNOWN  {}\n", answer::why(session, reason)));
        Status::Undecided
    };
    let from_parts = |session: &Session, why: Unfit| {
        let reason = match why {
            Unfit::Infinite => {
                return undecided(
                    "building from parts needs data of at most 64 values; leave out --bottom-up or --revealed",
                );
            }
            Unfit::TooLarge => {
                return undecided("the program's normal form, or a model on the way, gets too large");
            }
            Unfit::Concurrent => unreachable!("both ways take concurrent programs"),
            Unfit::Jump => match compile_any(&session.judgement, &session.arena) {
                Err(refusal) => refusal.into(),
                Ok(_) => return undecided("a jump leaves its thread"),
            },
            Unfit::Interrupted => Reason::Limit(budget.exceeded(0).unwrap_or(Limit::Cancelled)),
        };
        unknown(&reason, session)
    };
    let over = || budget.exceeded(0).is_some();
    // Each state of a model on the way takes about so many bytes.
    let most = budget.memory.map_or(usize::MAX, |bytes| bytes / 350);
    let building = Building { reduce: !options.no_reduction, most, interrupted: &over };
    let arena = &session.arena;
    let (states, transitions, how) = if options.revealed {
        let built = match revealed(&session.judgement, arena, building) {
            Ok(built) => built,
            Err(why) => return from_parts(&session, why),
        };
        if let Some(status) = write(options, &render::revealed(&built.model, arena), &session) {
            return status;
        }
        (built.model.states(), built.model.transitions(), on_the_way(built.largest))
    } else if options.bottom_up {
        let built = match bottom_up_threads(&session.judgement, arena, building) {
            Ok(built) => built,
            Err(why) => return from_parts(&session, why),
        };
        if let Some(status) = write(options, &render::threaded(&built.model, arena), &session) {
            return status;
        }
        (built.model.states(), built.model.transitions(), on_the_way(built.largest))
    } else if session.judgement.mode == Mode::Concurrent {
        let code = match compile_any(&session.judgement, arena) {
            Ok(code) => Arc::new(code),
            Err(refusal) => {
                return unknown(&refusal.into(), &session);
            }
        };
        let largest = budget.memory.map_or(usize::MAX, |bytes| bytes / 120);
        let reduce = !options.no_reduction;
        let mut strands = Strands::new(code, Arc::new(arena.clone()), reduce);
        let interrupted = || budget.exceeded(0).is_some();
        let building =
            model::Building { reduce, threads: budget.threads, largest, interrupted: &interrupted };
        let built = concurrent_model(&mut strands, building);
        let built = match built {
            Ok(model) => model,
            Err(why) => return unknown(&Reason::no_model(why, &budget), &session),
        };
        let model = &built.automaton;
        if let Some(status) = write(options, &render::threaded(model, arena), &session) {
            return status;
        }
        let (visited, left) =
            (counted(built.visited as u64, "position"), counted(built.left as u64, "state"));
        (model.states(), model.transitions(), format!("from {visited} by way of {left}"))
    } else {
        let code = match compile(&session.judgement, arena) {
            Ok(code) => Arc::new(code),
            Err(refusal) => {
                return unknown(&refusal.into(), &session);
            }
        };
        let mut machine = Machine::new(code, Arc::new(arena.clone()), Exact::default());
        // Each row of a model under construction takes about so many bytes.
        let largest = budget.memory.map_or(usize::MAX, |bytes| bytes / 80);
        let (model, positions) = match model(&mut machine, largest, &mut || budget.exceeded(0).is_some()) {
            Ok(model) => model,
            Err(why) => return unknown(&Reason::no_model(why, &budget), &session),
        };
        drop(machine);
        if let Some(status) = write(options, &render::plain(&model, arena), &session) {
            return status;
        }
        (model.states(), model.transitions(), format!("from {}", counted(positions as u64, "position")))
    };
    if !common.quiet {
        let memory = peak_memory().map_or(String::new(), |mib| format!(", {mib:.0} MiB"));
        remark(&format!(
            "{}, {}, {how}, {:.3} s{memory}\n",
            counted(states as u64, "state"),
            counted(transitions as u64, "transition"),
            started.elapsed().as_secs_f64()
        ));
    }
    Status::Holds
}

fn on_the_way(largest: usize) -> String {
    format!("at most {} on the way", HumanCount(largest as u64))
}

fn undecided(why: &str) -> Status {
    remark(&format!("UNKNOWN  {why}\n"));
    Status::Undecided
}

/// Writes a model; a status, if it is not written.
fn write<L: Clone + Ord + std::hash::Hash>(
    options: &Options,
    written: &render::Written<'_, L>,
    session: &Session,
) -> Option<Status> {
    let states = written.states();
    if options.format == ModelFormat::Svg && states > options.max_states {
        remark(&format!(
            "The model has {} states, too many to draw; --max-states {states} draws it all the same, and the formats \
             json, aut and dot have no such limit.\n",
            HumanCount(states as u64)
        ));
        return Some(Status::Undecided);
    }
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let result = match options.format {
        _ if options.plays => render::plays(&mut out, written),
        ModelFormat::Text => render::text(&mut out, written),
        ModelFormat::Json => render::json(&mut out, written),
        ModelFormat::Dot => render::dot(&mut out, written),
        ModelFormat::Svg => render::svg(&mut out, written),
        ModelFormat::Aut => render::aut(&mut out, written),
        ModelFormat::Cspm => render::cspm(&mut out, written, &session.source.name),
    };
    finish(result.and_then(|()| out.flush()));
    None
}
