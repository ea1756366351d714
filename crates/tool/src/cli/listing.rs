//! `agon listing`: the code that the abstract machine runs; of a module, its procedures as lists of statements.

use std::path::PathBuf;
use std::time::Instant;

use agon_c::options::Evaluation;
use clap::Args;

use super::input::How;
use super::limits::budget;
use super::output::Destination;
use super::{Common, Format, Status, c, input};
use crate::session::Opened;

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The program; `-` is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    destination: Destination,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    c: c::Arguments,
}

pub(super) fn run(options: &Options) -> Status {
    let budget = budget(&options.common, Instant::now());
    let settings = options.c.settings(&options.common, Evaluation::Any, None);
    let how = How { common: &options.common, c: &settings, budget: &budget, format: Format::Text };
    let session = match input::open_any(std::slice::from_ref(&options.file), how) {
        Ok(Opened::Term(session)) => session,
        Ok(Opened::Module(session)) => {
            options.destination.say(&session.module().to_string());
            return Status::Holds;
        }
        Err(_) => return Status::Wrong,
    };
    match input::compiled(&session) {
        Ok(code) => {
            let mut text = code.to_string();
            for (id, component) in session.arena.components() {
                let name = if component.name.is_empty() { "the program" } else { component.name.as_str() };
                text = text.replace(&format!("{id:?}"), name);
            }
            options.destination.say(&text);
            Status::Holds
        }
        Err(status) => status,
    }
}
