//! `agon fmt`: programs in the standard layout, with their comments.

use std::path::{Path, PathBuf};

use agon_ia::layout::layout;
use agon_ia::parse::parse;
use clap::Args;
use similar::TextDiff;

use super::output::{remark, say};
use super::{Format, Status, input};
use crate::atomic;
use crate::c::is_c;

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The programs, which are written again where their layout is another one. Of a folder, these are all files that end in `.ia`. `-`
    /// is standard input, which is written to standard output.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write nothing. Print what would change; the exit status is 1 if something would.
    #[arg(long)]
    check: bool,
    /// Do not say which files were written.
    #[arg(long, short)]
    quiet: bool,
}

pub(super) fn run(options: &Options) -> Status {
    let files = match input::found(&options.paths, &["ia"]) {
        Ok(files) => files,
        Err(why) => {
            remark(&format!("error: {why}\n"));
            return Status::Wrong;
        }
    };
    let laid_out = files.iter().map(|(path, _)| one(options, path).unwrap_or_else(|status| status));
    laid_out.fold(Status::Holds, Status::and)
}

/// Lays one file out. A file with errors is left as it is.
fn one(options: &Options, path: &Path) -> Result<Status, Status> {
    let wrong = |why: String| {
        remark(&format!("error: {why}\n"));
        Status::Wrong
    };
    let name = path.display();
    if is_c(path) {
        return Err(wrong(format!(
            "`{name}` is a C file; a formatter for C, such as clang-format, lays it out"
        )));
    }
    let source = input::read_or_tell(path, Format::Text).map_err(|_| Status::Wrong)?;
    let Some(text) = layout(&source.text) else {
        let (_, mut diagnostics) = parse(&source.text);
        diagnostics.retain(|diagnostic| diagnostic.is_error());
        if diagnostics.is_empty() {
            return Err(wrong(format!("`{name}` is left as it is: a comment would get lost")));
        }
        input::print_diagnostics(&source, &diagnostics, Format::Text);
        return Err(Status::Wrong);
    };
    let changes = text != source.text;
    if options.check {
        if changes {
            let new = format!("{} in the standard layout", source.name);
            let difference = TextDiff::from_lines(&source.text, &text);
            say(&difference.unified_diff().header(&source.name, &new).to_string());
        }
        return Ok(if changes { Status::DoesNotHold } else { Status::Holds });
    }
    if path.as_os_str() == "-" {
        say(&text);
    } else if changes {
        atomic::write(path, text.as_bytes())
            .map_err(|error| wrong(format!("`{name}` cannot be written: {error}")))?;
        if !options.quiet {
            remark(&format!("{name} is laid out\n"));
        }
    }
    Ok(Status::Holds)
}
