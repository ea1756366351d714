//! `agon print`: a program in the standard layout.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use super::input::How;
use super::limits::budget;
use super::output::{Destination, remark};
use super::{Common, Format, Status, input};

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The programs; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    destination: Destination,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(options: &Options) -> Status {
    let budget = budget(&options.common, Instant::now());
    let (mut status, mut text) = (Status::Holds, String::new());
    for file in &options.files {
        let settings = crate::c::Settings::default();
        let how = How { common: &options.common, c: &settings, budget: &budget, format: Format::Text };
        match input::open_any(std::slice::from_ref(file), how) {
            Ok(opened) => match opened.program() {
                Some(program) => text += &agon_ia::print::print(program),
                None => {
                    let name = file.display();
                    remark(&format!(
                        "error: `{name}` is a C file, and only agon's own language is laid out\n"
                    ));
                    status = status.and(Status::Wrong);
                }
            },
            Err(why) => status = status.and(why.status),
        }
    }
    // A file is written only if everything is in it.
    if status == Status::Holds || !options.destination.is_file() {
        options.destination.say(&text);
    }
    status
}
