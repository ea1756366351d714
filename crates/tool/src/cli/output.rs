//! Writing: a reader that goes away is no error.

use std::io::{ErrorKind, Write};

use indicatif::HumanCount;

/// Writes to standard output.
pub(super) fn say(text: &str) {
    let mut out = anstream::stdout().lock();
    finish(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

/// Writes to standard error; what nobody reads there is not missed.
pub(super) fn remark(text: &str) {
    let mut out = anstream::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// So many of a thing.
pub(super) fn counted(n: u64, thing: &str) -> String {
    format!("{} {thing}{}", HumanCount(n), if n == 1 { "" } else { "s" })
}

/// Ends the program where something could not be written. A reader that goes away has read enough: the exit status says
/// the rest.
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
