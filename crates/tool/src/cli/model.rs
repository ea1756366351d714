//! `agon model`: the minimal automaton of the complete plays, or the nested automata of a module.

mod module;

use std::path::PathBuf;
use std::time::Instant;

use agon_c::options::Evaluation;
use clap::{Args, ValueEnum};
use indicatif::HumanCount;

use super::input::How;
use super::limits::budget;
use super::output::{Destination, counted, remark};
use super::{Common, Format, Status, c, guard, input};
use crate::render::{answer, diagnostics, model as render};
use crate::session::model::{Construction, Made, Model};
use crate::session::{Opened, Session};
use crate::system::peak_memory;

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The program; `-` is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The format of the model.
    #[arg(long, value_enum, default_value_t = ModelFormat::Text)]
    format: ModelFormat,
    /// Draw models of at most N states.
    #[arg(long, value_name = "N", default_value_t = 150)]
    max_states: usize,
    /// Keep the moves between the parts of the program, each with the coordinates of the part.
    #[arg(long, conflicts_with = "plays")]
    revealed: bool,
    /// Build the model from the minimised models of its parts, and print the size of the largest one on the way.
    #[arg(long)]
    bottom_up: bool,
    /// Do not reduce interleavings of concurrent programs.
    #[arg(long)]
    no_reduction: bool,
    /// List plays that cover every path of the model, without following loops, instead of the model.
    #[arg(long)]
    plays: bool,
    #[command(flatten)]
    destination: Destination,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    c: c::Arguments,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ModelFormat {
    /// One line for each transition.
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
    let started = Instant::now();
    let budget = budget(common, started);
    if let Err(status) = options.destination.ready() {
        return status;
    }
    guard::last_words(Status::Undecided, |limit| _ = undecided(&answer::limit(limit)));
    let settings = options.c.settings(common, Evaluation::Any, None);
    let how = How { common, c: &settings, budget: &budget, format };
    let session = match input::open_any(std::slice::from_ref(&options.file), how) {
        Ok(Opened::Term(session)) => session,
        Ok(Opened::Module(session)) => return module::run(options, &session, &budget, started),
        Err(_) => return Status::Wrong,
    };
    let construction = match options {
        Options { revealed: true, .. } => Construction::Revealed,
        Options { bottom_up: true, .. } => Construction::BottomUp,
        _ => Construction::Positions,
    };
    let Model { written, made } = match session.model(construction, !options.no_reduction, &budget) {
        Ok(model) => model,
        Err(reason) => {
            if let Some(diagnostic) = answer::blamed(&reason) {
                remark(&diagnostics::render(&session.source, &[diagnostic]));
            }
            undecided(&answer::why(&session, &reason));
            return Status::without_verdict(&reason);
        }
    };
    guard::answers();
    if let Some(status) = write(options, &written, &session) {
        return status;
    }
    let (states, transitions) = (written.states(), written.transitions());
    let how = match made {
        Made::Positions(visited) => format!("from {}", counted(visited as u64, "position")),
        Made::Reduced(visited, left) => {
            let (visited, left) = (counted(visited as u64, "position"), counted(left as u64, "state"));
            format!("from {visited} by way of {left}")
        }
        Made::Parts(largest) => format!("at most {} on the way", HumanCount(largest as u64)),
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

fn undecided(why: &str) -> Status {
    remark(&format!("UNKNOWN  {why}\n"));
    Status::Undecided
}

/// Writes a model; returns a status if it is too large to draw.
fn write(options: &Options, written: &render::Written, session: &Session) -> Option<Status> {
    if options.plays {
        options.destination.write(|mut out| render::plays(&mut out, written));
        return None;
    }
    let (format, name) = ((options.format, options.max_states), &session.source.name);
    write_automaton(format, written, name, &options.destination)
}

/// Writes an automaton under a name; returns a status if it is too large to draw.
pub(super) fn write_automaton(
    (format, max_states): (ModelFormat, usize),
    written: &render::Written,
    name: &str,
    destination: &Destination,
) -> Option<Status> {
    if format == ModelFormat::Svg
        && let Some(status) = too_large(written.states(), max_states, "json, aut and dot")
    {
        return Some(status);
    }
    destination.write(|mut out| match format {
        ModelFormat::Text => render::text(&mut out, written),
        ModelFormat::Json => render::json(&mut out, written),
        ModelFormat::Dot => render::dot(&mut out, written),
        ModelFormat::Svg => render::svg(&mut out, written),
        ModelFormat::Aut => render::aut(&mut out, written),
        ModelFormat::Cspm => render::cspm(&mut out, written, name),
    });
    None
}

/// Refuses to draw more states than that; other formats have no such limit.
fn too_large(states: usize, max_states: usize, others: &str) -> Option<Status> {
    if states <= max_states {
        return None;
    }
    remark(&format!(
        "The model has {} states, too many to draw; --max-states {states} draws it all the same, and the formats {others} have \
         no such limit.\n",
        HumanCount(states as u64)
    ));
    Some(Status::Undecided)
}
