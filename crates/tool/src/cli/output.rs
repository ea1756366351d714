//! Writing to standard output, to standard error and to files. A closed pipe is no error.

use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::Args;
use indicatif::HumanCount;

use super::Status;
use crate::atomic;

/// Where a text goes.
#[derive(Args, Clone, Debug)]
pub(super) struct Destination {
    /// Write to a file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Destination {
    fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| path.as_os_str() != "-")
    }

    /// Whether it goes to a file.
    pub(super) fn is_file(&self) -> bool {
        self.file().is_some()
    }

    /// Says at once if the file cannot be written.
    pub(super) fn ready(&self) -> Result<(), Status> {
        Output::open(self.file()).map(drop).map_err(|why| {
            remark(&format!("error: {why}\n"));
            Status::Wrong
        })
    }

    /// Writes a text.
    pub(super) fn say(&self, text: &str) {
        match self.file() {
            None => say(text),
            Some(path) => finish(atomic::write(path, text.as_bytes())),
        }
    }

    /// Writes a long text bit by bit.
    pub(super) fn write(&self, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) {
        match self.file() {
            None => {
                let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
                finish(write(&mut out).and_then(|()| out.flush()));
            }
            Some(path) => finish(atomic::write_with(path, write)),
        }
    }
}

/// Where answers go, one after the other.
pub(super) struct Output {
    /// The file, and what is to be written to it when it is closed.
    file: Option<(PathBuf, Mutex<Option<String>>)>,
}

impl Output {
    /// Standard output, or a file, which must be one that can be written.
    pub(super) fn open(path: Option<&Path>) -> Result<Output, String> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
            return Ok(Output { file: None });
        };
        atomic::writable(path).map_err(|error| format!("`{}` cannot be written: {error}", path.display()))?;
        Ok(Output { file: Some((path.to_path_buf(), Mutex::new(Some(String::new())))) })
    }

    /// Writes there.
    pub(super) fn say(&self, text: &str) {
        match &self.file {
            None => say(text),
            Some((_, so_far)) => {
                let mut so_far = so_far.lock().unwrap_or_else(PoisonError::into_inner);
                so_far.get_or_insert_default().push_str(text);
            }
        }
    }

    /// Everything has been said: the file is written.
    pub(super) fn close(&self) {
        let Some((path, so_far)) = &self.file else { return };
        let text = so_far.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(text) = text {
            finish(atomic::write(path, text.as_bytes()));
        }
    }
}

/// Writes to standard output.
pub(super) fn say(text: &str) {
    let mut out = anstream::stdout().lock();
    finish(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

/// What is written to standard error meanwhile, if that is wanted.
static RECORD: Mutex<Option<String>> = Mutex::new(None);

/// Runs something, and returns what it has written to standard error as well.
pub(super) fn recorded<T>(run: impl FnOnce() -> T) -> (T, String) {
    *RECORD.lock().unwrap_or_else(PoisonError::into_inner) = Some(String::new());
    let result = run();
    let record = RECORD.lock().unwrap_or_else(PoisonError::into_inner).take();
    (result, record.unwrap_or_default())
}

/// Writes to standard error. Errors of writing are ignored.
pub(super) fn remark(text: &str) {
    if let Some(record) = &mut *RECORD.lock().unwrap_or_else(PoisonError::into_inner) {
        record.push_str(text);
    }
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
