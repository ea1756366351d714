//! `agon print`: a program in the standard layout.

use std::path::PathBuf;

use clap::Args;

use super::output::say;
use super::{Common, Status, input};

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The program; `-` is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(options: &Options) -> Status {
    let Some(session) = input::open(&options.file, &options.common) else { return Status::Wrong };
    say(&agon_lang::print::print(&session.program));
    Status::Holds
}
