//! Writing to standard output and standard error. A closed pipe is no error.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;

use indicatif::HumanCount;

/// Where answers go.
pub(super) enum Output {
    /// Standard output.
    Standard,
    /// A file.
    File(File),
}

impl Output {
    /// Standard output, or a file, which is made or emptied.
    pub(super) fn open(path: Option<&Path>) -> Result<Output, String> {
        match path {
            None => Ok(Output::Standard),
            Some(path) if path.as_os_str() == "-" => Ok(Output::Standard),
            Some(path) => File::create(path)
                .map(Output::File)
                .map_err(|error| format!("`{}` cannot be written: {error}", path.display())),
        }
    }

    /// Writes there.
    pub(super) fn say(&self, text: &str) {
        match self {
            Output::Standard => say(text),
            Output::File(file) => {
                let mut file: &File = file;
                finish(file.write_all(text.as_bytes()));
            }
        }
    }
}

/// Writes to standard output.
pub(super) fn say(text: &str) {
    let mut out = anstream::stdout().lock();
    finish(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

/// Writes to standard error. Errors of writing are ignored.
pub(super) fn remark(text: &str) {
    let mut out = anstream::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// A number of things, with the noun in the singular or the plural.
pub(super) fn counted(n: u64, thing: &str) -> String {
    format!("{} {thing}{}", HumanCount(n), if n == 1 { "" } else { "s" })
}

/// Ends the process if output could not be written. A closed pipe is no error: the reader has read enough, and the exit
/// status has the verdict.
pub(super) fn finish(written: std::io::Result<()>) {
    match written {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
        Err(error) => {
            let _ = writeln!(anstream::stderr(), "error: the answer cannot be written: {error}");
            std::process::exit(2)
        }
    }
}
