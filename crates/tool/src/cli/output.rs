//! Writing: a reader that goes away ends the program quietly.

use std::io::{ErrorKind, Write};

/// Writes to standard output.
pub(super) fn say(text: &str) {
    let mut out = anstream::stdout().lock();
    finish(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

/// Writes to standard error.
pub(super) fn remark(text: &str) {
    let mut out = anstream::stderr().lock();
    finish(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

fn finish(written: std::io::Result<()>) {
    match written {
        Ok(()) => {}
        // Nobody listens any more: nothing is wrong, and nothing is left to say.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(_) => std::process::exit(2),
    }
}
