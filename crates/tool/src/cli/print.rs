//! `agon print`: a program in the standard layout.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use super::limits::budget;
use super::output::say;
use super::{Common, Format, Status, input};

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The programs; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(options: &Options) -> Status {
    budget(&options.common, Instant::now());
    let mut status = Status::Holds;
    for file in &options.files {
        match input::open_any(file, &options.common, Format::Text) {
            Ok(opened) => say(&agon_ia::print::print(&opened.document().program)),
            Err(_) => status = status.and(Status::Wrong),
        }
    }
    status
}
