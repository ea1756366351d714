//! `agon model`: the minimal automaton of the complete plays.

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use agon_check::budget::Limit;
use agon_check::verdict::Reason;
use agon_games::machine::{Machine, compile};
use agon_games::model::{NoModel, model};
use agon_games::values::Exact;
use clap::{Args, ValueEnum};
use indicatif::HumanCount;

use super::limits::{budget, interruptible};
use super::output::{finish, remark};
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
    let code = match compile(&session.judgement, &session.arena) {
        Ok(code) => Arc::new(code),
        Err(refusal) => {
            return unknown(&Reason::NoEngine { what: refusal.what, span: refusal.span }, &session);
        }
    };
    let mut machine = Machine::new(code, Arc::new(session.arena.clone()), Exact::default());
    // Each row of a model under construction takes about so many bytes.
    let largest = budget.memory.map_or(usize::MAX, |bytes| bytes / 160);
    let (model, positions) = match model(&mut machine, largest, &mut || budget.exceeded(0).is_some()) {
        Ok(model) => model,
        Err(why) => {
            let reason = match why {
                NoModel::Interrupted => Reason::Limit(budget.exceeded(0).unwrap_or(Limit::Cancelled)),
                NoModel::TooLarge => Reason::Limit(Limit::Memory),
                NoModel::Unbounded(component) => Reason::Unbounded(component),
            };
            return unknown(&reason, &session);
        }
    };
    drop(machine);
    if options.format == ModelFormat::Svg && model.states() > options.max_states {
        remark(&format!(
            "The model has {} states, too many to draw; --max-states {} draws it all the same, and the formats json, \
             aut and dot have no such limit.\n",
            HumanCount(model.states() as u64),
            model.states()
        ));
        return Status::Undecided;
    }
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let arena = &session.arena;
    let written = match options.format {
        _ if options.plays => render::plays(&mut out, &model, arena),
        ModelFormat::Text => render::text(&mut out, &model, arena),
        ModelFormat::Json => render::json(&mut out, &model, arena),
        ModelFormat::Dot => render::dot(&mut out, &model, arena),
        ModelFormat::Svg => render::svg(&mut out, &model, arena),
        ModelFormat::Aut => render::aut(&mut out, &model, arena),
        ModelFormat::Cspm => render::cspm(&mut out, &model, arena, &session.source.name),
    };
    finish(written.and_then(|()| out.flush()));
    if !common.quiet {
        remark(&format!(
            "{} states, {} transitions, from {} positions, {:.3} s\n",
            HumanCount(model.states() as u64),
            HumanCount(model.transitions() as u64),
            HumanCount(positions as u64),
            started.elapsed().as_secs_f64()
        ));
    }
    Status::Holds
}
