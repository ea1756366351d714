//! Programs that are run to their end: a preprocessor, a compiler, what the compiler made.

use std::io::{self, Read};
#[cfg(unix)]
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use agon_base::budget::Budget;

use crate::process::Group;

/// How often a running program is looked at.
const LOOK: Duration = Duration::from_millis(5);
/// The most bytes of output that are kept. Later ones are not read, so that a program which writes without end fails.
const MOST: u64 = 1 << 30;

/// How a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// With a status.
    Status(i32),
    /// By a signal.
    Signal(i32),
    /// It was ended because it took too long, or because the command was interrupted.
    Late,
}

/// A program that has ended, and what it wrote.
#[derive(Debug)]
pub struct Done {
    /// How it ended.
    pub ended: Ended,
    /// Its standard output.
    pub output: Vec<u8>,
    /// Its standard error.
    pub errors: String,
}

/// Runs a program for at most this long. It gets no input.
pub fn run(command: &mut Command, patience: Duration, budget: &Budget) -> io::Result<Done> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A process group of its own, so that it can be ended together with its children.
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn()?;
    let group = Group::of(&child);
    let output = child.stdout.take().map(read);
    let errors = child.stderr.take().map(read);
    let until = Instant::now() + patience;
    let until = budget.deadline.map_or(until, |deadline| deadline.min(until));
    let ended = match wait(&mut child, until, budget)? {
        Some(status) => how(status),
        None => {
            group.end();
            let _ = child.kill();
            child.wait()?;
            Ended::Late
        }
    };
    // Children that it left behind would keep its output open. Its number is not given to another process so soon.
    group.end();
    drop(group);
    let text = |reader: Option<JoinHandle<Vec<u8>>>| {
        reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
    };
    let output = text(output);
    Ok(Done { ended, output, errors: String::from_utf8_lossy(&text(errors)).into_owned() })
}

/// Reads all that a program writes.
fn read(from: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error counts.
        let _ = from.take(MOST).read_to_end(&mut bytes);
        bytes
    })
}

/// Waits until a program has ended. Nothing if it takes too long.
fn wait(child: &mut Child, until: Instant, budget: &Budget) -> io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() > until || budget.cancelled.load(Ordering::Relaxed) {
            return Ok(None);
        }
        thread::sleep(LOOK);
    }
}

fn how(status: ExitStatus) -> Ended {
    #[cfg(unix)]
    if let Some(signal) = status.signal() {
        return Ended::Signal(signal);
    }
    Ended::Status(status.code().unwrap_or(-1))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, patience: Duration) -> Done {
        run(Command::new("sh").args(["-c", script]), patience, &Budget::default()).expect("it can be run")
    }

    #[test]
    fn a_program_ends_by_itself_or_is_ended() {
        let done = shell("echo out; echo wrong >&2; exit 3", Duration::from_secs(60));
        assert_eq!(done.ended, Ended::Status(3));
        assert_eq!((done.output, done.errors.as_str()), (b"out\n".to_vec(), "wrong\n"));
        assert_eq!(shell("kill -ABRT $$", Duration::from_secs(60)).ended, Ended::Signal(6));
        let done = shell("echo before; sleep 600 & sleep 600", Duration::from_millis(200));
        assert_eq!(
            (done.ended, done.output),
            (Ended::Late, b"before\n".to_vec()),
            "its children are ended, too"
        );
        let missing = run(&mut Command::new("./no such program"), Duration::from_secs(1), &Budget::default());
        assert!(missing.is_err());
    }
}
