//! `agon lsp`: the language server.

use clap::Args;

use super::Status;
use super::output::remark;

#[derive(Args, Debug)]
pub(super) struct Options {
    /// Speak over standard input and output, as is done anyway; some editors say so.
    #[arg(long)]
    stdio: bool,
}

pub(super) fn run(_: &Options) -> Status {
    match crate::lsp::run() {
        Ok(()) => Status::Holds,
        Err(why) => {
            remark(&format!("error: {why}\n"));
            Status::Wrong
        }
    }
}
