//! External solvers: processes that are started, asked, and ended; and the groups of all processes that agon starts.

#[cfg(unix)]
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
#[cfg(unix)]
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use agon_solve::pipe::{Connection, Pipe};
use agon_solve::{Limit, Reason};
#[cfg(unix)]
use nix::sys::signal::{Signal, killpg};
#[cfg(unix)]
use nix::unistd::Pid;

/// The longest line, in bytes.
const LONGEST_LINE: u64 = 1 << 20;
/// How many lines may be buffered.
const LINES: usize = 16;
/// How often the limits are checked while the solver is silent.
const LOOK: Duration = Duration::from_millis(10);

/// The command line of a solver, split as a shell would. For a well-known solver the name suffices; for others, the whole
/// command line is needed.
fn command(solver: &str) -> Result<Vec<String>, String> {
    let words = shlex::split(solver).ok_or_else(|| format!("the solver `{solver}` has an open quote"))?;
    let more: &[&str] = match &words[..] {
        [name] => match name.rsplit('/').next().unwrap_or(name) {
            "z3" => &["-in"],
            "cvc5" => &["--incremental", "--lang=smt2"],
            "yices-smt2" => &["--incremental"],
            _ => &[],
        },
        _ => &[],
    };
    Ok(words.iter().map(String::as_str).chain(more.iter().copied()).map(String::from).collect())
}

/// An external solver with its command line, and how long it may be silent.
pub fn solver(
    solver: &str,
    patience: Duration,
) -> Pipe<impl FnMut() -> Result<Box<dyn Connection>, String> + use<>> {
    let solver = solver.to_string();
    Pipe::new(move || start(&solver), patience)
}

/// Starts a solver to see whether that is possible; returns the reason, if not.
pub fn can_start(solver: &str) -> Result<(), String> {
    start(solver).map(drop)
}

/// Starts a solver, by its command line.
pub fn start(solver: &str) -> Result<Box<dyn Connection>, String> {
    let words = command(solver)?;
    let [program, arguments @ ..] = &words[..] else { return Err("no solver is named".into()) };
    let mut call = Command::new(program);
    call.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // A process group of its own, so that it can be ended together with its children.
    #[cfg(unix)]
    call.process_group(0);
    let mut child =
        call.spawn().map_err(|error| format!("the solver `{program}` cannot be started: {error}"))?;
    let group = Group::of(&child);
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let (questions, waiting): (Sender<String>, Receiver<String>) = channel();
    let (sender, lines) = sync_channel(LINES);
    // Both threads end with the process: then their pipes are closed.
    if let Some(mut input) = input {
        thread::spawn(move || {
            while let Ok(text) = waiting.recv() {
                if input.write_all(text.as_bytes()).and_then(|()| input.flush()).is_err() {
                    return;
                }
            }
        });
    }
    if let Some(output) = output {
        thread::spawn(move || read_lines(BufReader::new(output), &sender));
    }
    Ok(Box::new(Running { program: solver.into(), child, group, questions, lines }))
}

/// A line of output, or its end.
enum Output {
    Line(String),
    /// The beginning of a line that is too long.
    Endless(String),
    End,
}

/// Sends each line to a channel, until there are no more or the channel is closed.
fn read_lines(mut output: impl BufRead, sender: &SyncSender<Output>) {
    loop {
        let mut line = Vec::new();
        let read = (&mut output).take(LONGEST_LINE).read_until(b'\n', &mut line);
        let text = || String::from_utf8_lossy(&line).into_owned();
        let output = match read {
            Ok(n) if n as u64 >= LONGEST_LINE => Output::Endless(text().chars().take(20).collect()),
            Ok(n) if n > 0 => Output::Line(text()),
            _ => Output::End,
        };
        let goes_on = matches!(output, Output::Line(_));
        if sender.send(output).is_err() || !goes_on {
            return;
        }
    }
}

/// The process groups of the programs that run.
#[cfg(unix)]
static GROUPS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

#[cfg(unix)]
fn groups() -> MutexGuard<'static, BTreeSet<i32>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The process group of a program that was started as the first of one. It is ended with the process.
pub(crate) struct Group {
    #[cfg(unix)]
    number: Option<i32>,
}

impl Group {
    pub(crate) fn of(child: &Child) -> Group {
        #[cfg(unix)]
        let number = i32::try_from(child.id()).ok();
        #[cfg(unix)]
        groups().extend(number);
        #[cfg(not(unix))]
        let _ = child;
        Group {
            #[cfg(unix)]
            number,
        }
    }

    /// Ends the program and its children. Does nothing after it was forgotten.
    pub(crate) fn end(&self) {
        #[cfg(unix)]
        if let Some(number) = self.number.filter(|number| groups().contains(number)) {
            let _ = killpg(Pid::from_raw(number), Signal::SIGKILL);
        }
    }

    /// The program was waited for: its number may belong to another one from now on.
    pub(crate) fn forget(&self) {
        #[cfg(unix)]
        if let Some(number) = self.number {
            groups().remove(&number);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.forget();
    }
}

/// Ends all programs that run, before the process exits without running destructors.
pub fn end_programs() {
    #[cfg(unix)]
    for group in groups().iter() {
        let _ = killpg(Pid::from_raw(*group), Signal::SIGKILL);
    }
}

/// A running solver.
struct Running {
    program: String,
    child: Child,
    group: Group,
    questions: Sender<String>,
    lines: Receiver<Output>,
}

impl Running {
    fn ended(&mut self) -> Reason {
        // It may have closed its output shortly before it ends.
        let mut how = "says no more".to_string();
        for _ in 0..20 {
            if let Ok(Some(status)) = self.child.try_wait() {
                how = format!("ended, {status}");
                self.group.forget();
                break;
            }
            thread::sleep(LOOK);
        }
        Reason::Broken(format!("the solver `{}` {how}", self.program))
    }
}

impl Connection for Running {
    fn send(&mut self, text: &str) -> Result<(), String> {
        self.questions.send(text.into()).map_err(|_| self.ended().to_string())
    }

    fn receive(&mut self, limit: &Limit) -> Result<String, Reason> {
        loop {
            // A solver that writes without end is stopped here, too.
            if let Some(reason) = limit.over() {
                return Err(match reason {
                    Reason::Time => {
                        Reason::Broken(format!("the solver `{}` gave no answer in time", self.program))
                    }
                    other => other,
                });
            }
            match self.lines.recv_timeout(LOOK) {
                Ok(Output::Line(line)) => return Ok(line),
                Ok(Output::Endless(start)) => {
                    let start = start.escape_debug();
                    let what = format!("the solver `{}` says no end of `{start}`", self.program);
                    return Err(Reason::Broken(what));
                }
                Ok(Output::End) | Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Drop for Running {
    /// Ends the process and its children, and waits for it, so that it does not become a zombie.
    fn drop(&mut self) {
        // If it was waited for, its number may belong to another process by now.
        if let Ok(None) = self.child.try_wait() {
            self.group.end();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
