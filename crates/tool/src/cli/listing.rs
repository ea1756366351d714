//! `agon listing`: the code that the abstract machine runs.

use std::path::PathBuf;

use clap::Args;

use super::output::say;
use super::{Common, Format, Status, input};
use crate::render::answer;
use agon_check::verdict::Reason;

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The program; `-` is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(options: &Options) -> Status {
    let Some(session) = input::open(&options.file, &options.common, Format::Text) else {
        return Status::Wrong;
    };
    match agon_games::machine::compile(&session.judgement, &session.arena) {
        Ok(code) => {
            say(&code.to_string());
            Status::Holds
        }
        Err(refusal) => {
            let reason = Reason::NoEngine { what: refusal.what, span: refusal.span };
            if let Some(diagnostic) = answer::blamed(&reason) {
                input::tell(&session.source, &[diagnostic], Format::Text);
            }
            Status::Undecided
        }
    }
}
