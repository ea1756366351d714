//! `agon typing`: the typing judgement with all its bounds, and contexts that respect them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use agon_base::diagnostic::Diagnostic;
use agon_base::source::Source;
use agon_core::bounds::{Bounds, Broken, Position, Role, bounds};
use agon_ia::hole::breaches;
use agon_ia::parse::parse;
use agon_ia::tree::Program;
use clap::Args;

use super::limits::budget;
use super::output::Destination;
use super::{Common, Format, Status, Written, input};
use crate::render::json::place;
use crate::shape::typing::{self as shape, Bound, Enclosure, Typing, Verdict};
use crate::shape::{Version, pretty};

/// A longer judgement is printed with one identifier a line.
const LONGEST_LINE: usize = 80;

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The program; `-` is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Check that this program, with the first in the place of its hole, respects the bounds that the first assumes.
    #[arg(long = "in", value_name = "CONTEXT")]
    context: Option<PathBuf>,
    /// The name that stands for the hole of a context.
    #[arg(long, value_name = "NAME", default_value = "HOLE", requires = "context")]
    hole: String,
    #[command(flatten)]
    written: Written,
    #[command(flatten)]
    destination: Destination,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(options: &Options) -> Status {
    budget(&options.common, Instant::now());
    let (common, format) = (&options.common, options.written.format);
    match &options.context {
        None => {
            let Some(session) = input::open(&options.file, common, format) else { return Status::Wrong };
            match bounds(&session.judgement) {
                Ok(bounds) if format == Format::Json => {
                    options.destination.say(&pretty(&data(&session.source, &bounds)));
                    Status::Holds
                }
                Ok(bounds) => {
                    options.destination.say(&text(&bounds, common.quiet));
                    Status::Holds
                }
                Err(diagnostics) => {
                    input::print_diagnostics(&session.source, &diagnostics, format);
                    Status::Wrong
                }
            }
        }
        Some(path) => enclosed(options, path),
    }
}

fn text(bounds: &Bounds, quiet: bool) -> String {
    let mut text = bounds.to_string();
    if text.len() > LONGEST_LINE {
        let lines: Vec<_> =
            bounds.context.iter().map(|(name, argument)| format!("{name} : {argument}")).collect();
        let space = if lines.is_empty() { "" } else { "\n" };
        text = format!("{}{space}|- {}", lines.join(",\n"), bounds.ty);
    }
    text.push('\n');
    if quiet || bounds.positions.is_empty() {
        return text;
    }
    text.push('\n');
    for (role, word) in [(Role::Assume, "assumes   "), (Role::Guarantee, "guarantees")] {
        for position in bounds.positions.iter().filter(|position| position.role == role) {
            let _ = writeln!(text, "{word}  {}", position.words());
        }
    }
    text
}

fn data(source: &Source, bounds: &Bounds) -> Typing {
    let of = |role: Role| bounds.positions.iter().filter(move |p| p.role == role).map(bound).collect();
    let identifiers = bounds.context.iter();
    Typing {
        version: Version,
        file: source.name.clone(),
        identifiers: identifiers.map(|(name, ty)| (name.to_string(), ty.to_string())).collect(),
        ty: bounds.ty.to_string(),
        assumes: of(Role::Assume),
        guarantees: of(Role::Guarantee),
    }
}

fn bound(position: &Position) -> Bound {
    Bound { component: component(position), bound: position.bound, reading: position.words() }
}

/// The name of what is bounded, as moves write it.
fn component(position: &Position) -> String {
    let name = position.identifier.iter().map(ToString::to_string);
    name.chain(position.path.iter().map(ToString::to_string)).collect::<Vec<_>>().join(".")
}

fn enclosed(options: &Options, path: &Path) -> Status {
    let (common, format) = (&options.common, options.written.format);
    let Ok(context) = input::read_or_tell(path, format) else { return Status::Wrong };
    let Ok(source) = input::read_or_tell(&options.file, format) else { return Status::Wrong };
    let (program, diagnostics) = parse(&context.text);
    if diagnostics.iter().any(Diagnostic::is_error) {
        input::print_diagnostics(&context, &diagnostics, format);
        return Status::Wrong;
    }
    // A definition goes to each of the two that has such a constant. If neither has it, the program refuses it.
    let declares = |program: &Program, name: &str| {
        program.constants.iter().any(|constant| *constant.ident.name == *name)
    };
    let (term, _) = parse(&source.text);
    let all = match common.overrides() {
        Ok(all) => all,
        Err(status) => return status,
    };
    let mut overrides = all.clone();
    overrides.retain(|(name, _)| declares(&term, name) || !declares(&program, name));
    let Some(session) = input::opened(source, overrides, common, format) else { return Status::Wrong };
    let mut overrides = all;
    overrides.retain(|(name, _)| declares(&program, name));
    let bounds = match bounds(&session.judgement) {
        Ok(bounds) => bounds,
        Err(diagnostics) => {
            input::print_diagnostics(&session.source, &diagnostics, format);
            return Status::Wrong;
        }
    };
    match breaches(&program, &overrides, &options.hole, &bounds) {
        Ok(broken) => {
            let status = if broken.is_empty() { Status::Holds } else { Status::DoesNotHold };
            options.destination.say(&match format {
                Format::Json => pretty(&verdict_data(&session.source, &context, &broken)),
                Format::Text => verdict(&context, &broken),
            });
            status
        }
        Err(diagnostics) => {
            input::print_diagnostics(&context, &diagnostics, format);
            Status::Wrong
        }
    }
}

fn verdict(context: &Source, broken: &[Broken]) -> String {
    if broken.is_empty() {
        return "RESPECTS  the context respects the bounds\n".into();
    }
    let mut text = "DOES NOT RESPECT  the context violates the bounds\n\n".to_string();
    for one in broken {
        let (line, column) = context.line_column(one.place.start);
        let _ = writeln!(text, "  {}  ({line}:{column})", reading(one));
    }
    text
}

/// A violated bound in words, with the bound that is assumed.
fn reading(broken: &Broken) -> String {
    let Position { bound, .. } = broken.position;
    let threads = if bound == 1 { "thread" } else { "threads" };
    let usage = broken.position.usage();
    format!("{usage} in up to {bound} {threads} at once, and the program assumes at most {}", broken.written)
}

fn verdict_data(source: &Source, context: &Source, broken: &[Broken]) -> Enclosure {
    let data = |one: &Broken| shape::Broken {
        component: component(&one.position),
        bound: one.position.bound,
        assumed: one.written,
        reading: reading(one),
        place: place(context, one.place),
    };
    Enclosure {
        version: Version,
        files: [source.name.clone(), context.name.clone()],
        verdict: if broken.is_empty() { Verdict::Respects } else { Verdict::DoesNotRespect },
        broken: broken.iter().map(data).collect(),
    }
}
