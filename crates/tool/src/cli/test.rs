//! `agon test`: do programs keep what they claim in their `//!` lines?
//!
//! Each claim is decided by an `agon` of its own, so one that runs out of memory does not end the others, and the settings beside a
//! program count as they do for `agon check`.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use agon_base::budget::Budget;
use clap::{Args, ValueEnum};
use serde_json::Value;

use super::output::{Output, remark};
use super::watch::Watching;
use super::{Status, guard, input, seconds};
use crate::claims::{self, Claim};
use crate::render::report::claims::{junit, line, summary};
use crate::run::{Done, Ended, run as run_to_end};
use crate::shape::tests::{Outcome, TestResult, Tests};
use crate::shape::{Version, pretty};
use crate::system::cores;

/// A command that is not ended by its own limit runs as long as it likes.
const PATIENCE: Duration = Duration::from_secs(1 << 32);

#[derive(Args, Debug)]
pub(super) struct Options {
    /// Programs, and folders of programs: their files that end in `.ia` and `.c`, and those of folders in them. Settings are those
    /// beside each program.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only claims with this text in them, or in the name of the file. May be given several times; one of them is enough.
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,
    /// Decide this many claims at once. The default is one for each core.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
    /// Stop after this many seconds, for each claim.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time_limit: Option<Duration>,
    /// Stop when a process uses this many MiB of memory, for each claim.
    #[arg(long, value_name = "MIB")]
    memory_limit: Option<usize>,
    /// Keep verdicts in this folder, and take them from there as long as nothing has changed that they depend on.
    #[arg(long, value_name = "FOLDER")]
    cache: Option<PathBuf>,
    #[command(flatten)]
    watching: Watching,
    /// The format of results.
    #[arg(long, value_enum, default_value_t = TestFormat::Text)]
    format: TestFormat,
    /// Write the results to a file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print claims that do not hold, and the summary, only.
    #[arg(long, short)]
    quiet: bool,
}

/// For people, for programs, for build servers.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum TestFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// JUnit's XML: a test for each claim.
    Junit,
}

/// A claim that is to be decided, or a result that is known without that.
enum Todo {
    Decide(String, Claim),
    Known(TestResult),
}

pub(super) fn run(options: &Options) -> Status {
    if let Some(status) = options.watching.run(&options.paths.iter().collect::<Vec<_>>(), &[]) {
        return status;
    }
    let (output, files) =
        match (Output::open(options.output.as_deref()), input::found(&options.paths, &["ia", "c"])) {
            (Ok(output), Ok(files)) => (output, files),
            (Err(why), _) | (_, Err(why)) => {
                remark(&format!("error: {why}\n"));
                return Status::Wrong;
            }
        };
    let started = Instant::now();
    let (todo, without_claims) = todo(options, &files);
    if todo.is_empty() && !options.filter.is_empty() {
        remark("error: no claim has the text of `--filter`\n");
        return Status::Wrong;
    }
    let as_text = options.format == TestFormat::Text;
    let results = decide(options, &todo, |result| {
        if as_text && !(options.quiet && matches!(result.outcome, Outcome::Holds | Outcome::Skipped)) {
            output.say(&line(result));
        }
    });
    let status = results.iter().fold(Status::Holds, |status, result| status.and(status_of(result.outcome)));
    let tests = Tests { version: Version, results, without_claims };
    output.say(&match options.format {
        TestFormat::Text => summary(&tests),
        TestFormat::Json => pretty(&tests),
        TestFormat::Junit => junit(&tests),
    });
    output.close();
    if !options.quiet && as_text {
        remark(&format!("{:.3} s\n", started.elapsed().as_secs_f64()));
    }
    status
}

fn status_of(outcome: Outcome) -> Status {
    match outcome {
        Outcome::Holds | Outcome::Skipped => Status::Holds,
        Outcome::Wrong => Status::DoesNotHold,
        Outcome::Undecided => Status::Undecided,
        Outcome::Error => Status::Wrong,
    }
}

/// The claims of all files, and the files that claim nothing.
fn todo(options: &Options, files: &[(PathBuf, bool)]) -> (Vec<Todo>, Vec<String>) {
    let (mut todo, mut without_claims) = (Vec::new(), Vec::new());
    let wanted = |file: &str, claim: &str| {
        let filters = &options.filter;
        filters.is_empty() || filters.iter().any(|text| file.contains(text) || claim.contains(text))
    };
    for (path, named) in files {
        let file = path.display().to_string();
        let wrong = |message: String| TestResult {
            file: file.clone(),
            claim: String::new(),
            outcome: Outcome::Error,
            message: Some(message),
            command: Vec::new(),
            seconds: None,
            cached: None,
        };
        let text = std::fs::read(path).map_err(|error| format!("it cannot be read: {error}"));
        let text = text.and_then(|bytes| String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_string()));
        match text.and_then(|text| claims::claims(path, &text)) {
            Ok(Some(claims)) => {
                todo.extend(claims.into_iter().filter(|claim| wanted(&file, &claim.what)).map(|claim| {
                    match claim.skipped {
                        false => Todo::Decide(file.clone(), claim),
                        true => Todo::Known(TestResult {
                            file: file.clone(),
                            claim: claim.what,
                            outcome: Outcome::Skipped,
                            message: None,
                            command: claim.command,
                            seconds: None,
                            cached: None,
                        }),
                    }
                }))
            }
            Ok(None) if *named && wanted(&file, "") => {
                todo.push(Todo::Known(wrong("it claims nothing".into())))
            }
            Ok(None) => without_claims.push(file.clone()),
            Err(why) if wanted(&file, "") => todo.push(Todo::Known(wrong(why))),
            Err(_) => {}
        }
    }
    (todo, without_claims)
}

/// Decides all claims, some of them at once. Results are told in the order of the claims.
fn decide(options: &Options, todo: &[Todo], mut tell: impl FnMut(&TestResult)) -> Vec<TestResult> {
    let jobs = options.jobs.map_or_else(cores, usize::from).min(todo.len()).max(1);
    let next = AtomicUsize::new(0);
    let (send, receive) = channel();
    let send = Mutex::new(send);
    let mut results: Vec<Option<TestResult>> = vec![None; todo.len()];
    let mut told = 0;
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let own: Sender<(usize, TestResult)> =
                send.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let next = &next;
            scope.spawn(move || {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    let Some(one) = todo.get(n) else { return };
                    let result = match one {
                        Todo::Known(result) => result.clone(),
                        Todo::Decide(file, claim) => decide_one(options, file, claim),
                    };
                    if own.send((n, result)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        for (n, result) in receive {
            results[n] = Some(result);
            while let Some(Some(result)) = results.get(told) {
                tell(result);
                told += 1;
            }
        }
    });
    results.into_iter().flatten().collect()
}

fn decide_one(options: &Options, file: &str, claim: &Claim) -> TestResult {
    let started = Instant::now();
    let (answered, cached) = asked(options, claim);
    let (outcome, message) = match answered {
        Ok(claims::Outcome::Holds) => (Outcome::Holds, None),
        Ok(claims::Outcome::Wrong(found)) => (Outcome::Wrong, Some(found)),
        Ok(claims::Outcome::Undecided(why)) => (Outcome::Undecided, Some(why)),
        Ok(claims::Outcome::Error(why)) => (Outcome::Error, Some(why)),
        Err(why) => (Outcome::Error, Some(why)),
    };
    TestResult {
        file: file.into(),
        claim: claim.what.clone(),
        outcome,
        message,
        command: claim.command.clone(),
        seconds: Some(started.elapsed().as_secs_f64()),
        cached: cached.then_some(true),
    }
}

/// What the command that decides a claim says, and whether it comes from the cache.
fn asked(options: &Options, claim: &Claim) -> (Result<claims::Outcome, String>, bool) {
    let done = match answer(options, claim) {
        Ok(done) => done,
        Err(error) => return (Err(format!("agon cannot be started: {error}")), false),
    };
    let output = String::from_utf8_lossy(&done.output);
    let outcome = match done.ended {
        Ended::Late => Err("it was interrupted".into()),
        Ended::Signal(signal) => Err(format!("agon was ended by signal {signal}")),
        Ended::Status(_) => Ok(claim.judge(&output, &done.errors)),
    };
    let data: Option<Value> = options.cache.as_ref().and_then(|_| serde_json::from_str(&output).ok());
    (outcome, data.is_some_and(|data| data["cached"] == true))
}

/// Runs the command that decides a claim.
fn answer(options: &Options, claim: &Claim) -> std::io::Result<Done> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(&claim.command).args(["--format", "json", "--output", "-"]);
    if let Some(limit) = options.time_limit {
        command.arg("--time-limit").arg(limit.as_secs_f64().to_string());
    }
    if let Some(limit) = options.memory_limit {
        command.arg("--memory-limit").arg(limit.to_string());
    }
    if let Some(folder) = &options.cache {
        command.arg("--cache").arg(folder);
    }
    let budget = Budget { cancelled: guard::cancelled(), ..Budget::default() };
    run_to_end(&mut command, PATIENCE, &budget)
}
