//! Writing to standard output and standard error. A closed pipe is no error.

use std::io::{ErrorKind, Write};

use indicatif::HumanCount;

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
