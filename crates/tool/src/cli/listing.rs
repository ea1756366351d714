//! `agon listing`: the code that the abstract machine runs.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use super::limits::budget;
use super::output::say;
use super::{Common, Format, Status, input};

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The program; `-` is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(options: &Options) -> Status {
    budget(&options.common, Instant::now());
    let Some(session) = input::open(&options.file, &options.common, Format::Text) else {
        return Status::Wrong;
    };
    match input::compiled(&session) {
        Ok(code) => {
            let mut text = code.to_string();
            for (id, component) in session.arena.components() {
                let name = if component.name.is_empty() { "the program" } else { component.name.as_str() };
                text = text.replace(&format!("{id:?}"), name);
            }
            say(&text);
            Status::Holds
        }
        Err(status) => status,
    }
}
