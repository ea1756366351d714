//! `agon check`: can any environment bring a move about?

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agon_check::budget::Budget;
use agon_check::question::Order;
use agon_check::search::Progress;
use agon_check::verdict::{Report, Verdict};
use agon_lang::diagnostic::{Code, Diagnostic};
use clap::{Args, ValueEnum};
use indicatif::{HumanBytes, HumanCount, ProgressBar};

use super::output::{remark, say};
use super::{Common, Format, Status, input};
use crate::render::json::{self, Cost};
use crate::render::{answer, diagnostics};
use crate::session::{Engine, Session};

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The programs; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Which engine answers.
    #[arg(long, value_enum, default_value_t = EngineName::Auto)]
    engine: EngineName,
    /// The move to look for, such as `oflo.run` or `true`.
    #[arg(long, value_name = "MOVE", default_value = "abort")]
    target: String,
    /// In which order to look.
    #[arg(long, value_enum, default_value_t = OrderName::Fixed)]
    order: OrderName,
    /// The seed of a random order.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write the program, closed by an environment that reaches the target, to a file; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    environment: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum EngineName {
    Auto,
    Explicit,
    Interval,
    Partition,
    Predicate,
    AssumeGuarantee,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum OrderName {
    /// Depth first, arguments in order.
    Fixed,
    /// Depth first, in an order drawn from the seed.
    Random,
    /// Breadth first: a shortest play.
    Shortest,
}

pub(super) fn run(options: &Options) -> Status {
    let engine = match options.engine {
        EngineName::Auto => Engine::Auto,
        EngineName::Explicit => Engine::Explicit,
        other => {
            let name = other.to_possible_value().map_or(String::new(), |value| value.get_name().to_string());
            remark(&format!("error: this version has no engine `{name}`; there are `auto` and `explicit`\n"));
            return Status::Wrong;
        }
    };
    let cancelled = Arc::new(AtomicBool::new(false));
    let flag = cancelled.clone();
    // The first interrupt ends the search, with figures; the second ends the process.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    let mut status = Status::Holds;
    let mut answers = Vec::new();
    for file in &options.files {
        match check(options, file, engine, &cancelled) {
            Ok((own, answer)) => {
                status = status.and(own);
                answers.extend(answer);
            }
            Err(own) => status = status.and(own),
        }
    }
    match &answers[..] {
        [] => {}
        [one] if options.files.len() == 1 => say(&format!("{one:#}\n")),
        several => say(&format!("{:#}\n", serde_json::Value::from(several))),
    }
    status
}

/// Checks one program; gives its status, and its answer if that is to be written as data.
fn check(
    options: &Options,
    file: &std::path::Path,
    engine: Engine,
    cancelled: &Arc<AtomicBool>,
) -> Result<(Status, Option<serde_json::Value>), Status> {
    let common = &options.common;
    let session = input::open(file, common).ok_or(Status::Wrong)?;
    let order = match options.order {
        OrderName::Fixed => Order::Fixed,
        OrderName::Random => Order::Random(options.seed),
        OrderName::Shortest => Order::Shortest,
    };
    let question = session.question(&options.target, order).map_err(|diagnostic| {
        input::tell(&session.source, &[diagnostic], common);
        Status::Wrong
    })?;
    let started = Instant::now();
    let budget = Budget {
        deadline: common.time_limit.and_then(|limit| started.checked_add(limit)),
        memory: common.memory_limit.map(|mib| mib.saturating_mul(1 << 20)).or_else(free_memory),
        cancelled: cancelled.clone(),
    };
    let line = ProgressLine::new(started, common.quiet);
    let report = session.check(&question, engine, &budget, &mut |progress| line.show(progress));
    line.end();
    let cost = Cost { seconds: started.elapsed().as_secs_f64(), peak_memory_mib: peak_memory() };
    let status = match &report.verdict {
        Verdict::Safe => Status::Holds,
        Verdict::Unsafe(_, closed) => {
            if let Some(path) = &options.environment {
                write_environment(path, &closed.text, &session, common)?;
            }
            Status::DoesNotHold
        }
        Verdict::Unknown(reason) => {
            if let (Some(diagnostic), Format::Text, false) =
                (answer::blamed(reason), common.format, common.quiet)
            {
                remark(&diagnostics::render(&session.source, &[diagnostic]));
            }
            Status::Undecided
        }
    };
    if common.format == Format::Json {
        return Ok((status, Some(json::answer(&session, &options.target, &report, cost))));
    }
    if options.files.len() > 1 {
        say(&format!("{}: ", session.source.name));
    }
    say(&answer::answer(&session, &question, &report, common.verbose));
    if !common.quiet {
        remark(&figures(&report, cost, order, common.verbose));
    }
    Ok((status, None))
}

fn write_environment(
    path: &std::path::Path,
    text: &str,
    session: &Session,
    common: &Common,
) -> Result<(), Status> {
    if path.as_os_str() == "-" {
        say(text);
        return Ok(());
    }
    std::fs::write(path, text).map_err(|error| {
        let message = format!("`{}` cannot be written: {error}", path.display());
        input::tell(&session.source, &[Diagnostic::general(Code::Unreadable, message)], common);
        Status::Wrong
    })
}

fn figures(report: &Report, cost: Cost, order: Order, verbose: bool) -> String {
    let count = |n: u64, thing: &str| format!("{} {thing}{}", HumanCount(n), if n == 1 { "" } else { "s" });
    let mut text = format!(
        "{}, {}, {:.3} s",
        count(report.states as u64, "state"),
        count(report.transitions, "transition"),
        cost.seconds
    );
    if let Some(mib) = cost.peak_memory_mib {
        text += &format!(", {mib:.0} MiB");
    }
    if let Order::Random(seed) = order {
        text += &format!(", seed {seed}");
    }
    if verbose {
        text += &format!(", engine {}", report.engine);
    }
    text + "\n"
}

/// A line on the terminal that shows how a long search is going.
struct ProgressLine {
    bar: Option<ProgressBar>,
    started: Instant,
}

impl ProgressLine {
    fn new(started: Instant, quiet: bool) -> ProgressLine {
        let wanted = !quiet && std::io::stderr().is_terminal();
        ProgressLine { bar: wanted.then(ProgressBar::new_spinner), started }
    }

    fn show(&self, progress: Progress) {
        let elapsed = self.started.elapsed();
        let Some(bar) = &self.bar else { return };
        if elapsed < Duration::from_millis(300) {
            return;
        }
        bar.set_message(format!(
            "{} states, {} a second, {}",
            HumanCount(progress.states as u64),
            HumanCount((progress.states as f64 / elapsed.as_secs_f64()) as u64),
            HumanBytes(progress.memory as u64)
        ));
        bar.tick();
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Most of the memory that the machine could give us, in bytes, where it says so.
fn free_memory() -> Option<usize> {
    let available = proc_value("/proc/meminfo", "MemAvailable:")?;
    Some(available.saturating_mul(1024) / 10 * 9)
}

/// The most memory that the process ever had, in MiB, where the system says so.
fn peak_memory() -> Option<f64> {
    proc_value("/proc/self/status", "VmHWM:").map(|kib| kib as f64 / 1024.0)
}

fn proc_value(file: &str, key: &str) -> Option<usize> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse().ok()
}
