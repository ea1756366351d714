//! `agon lsp`: the language server.

use clap::Args;

use super::Status;
use super::output::remark;

#[derive(Args, Debug)]
pub(super) struct Options {
    /// Use standard input and output. This is the default; some editors pass the option anyway.
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
