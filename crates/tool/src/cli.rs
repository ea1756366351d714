//! The command line.

mod assume;
mod assuming;
mod c;
mod cache;
mod certificate;
mod check;
mod compare;
mod completions;
mod explain;
mod fmt;
mod guard;
mod init;
mod input;
mod limits;
mod listing;
mod lsp;
mod man;
mod model;
mod output;
mod play;
mod print;
mod serve;
mod settings;
mod solvers;
mod test;
mod typing;
mod validate;
mod watch;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use agon_base::int::Int;
use agon_check::equiv::Relation;
use agon_check::verdict::Reason;
use agon_ia::token::{Token, tokenize};
use clap::{Args, ColorChoice, Parser, Subcommand, ValueEnum};

use crate::c::Settings;
use crate::render::answer;
use crate::session::guarded;
use output::remark;

/// Check open programs against every environment they could ever meet.
#[derive(Parser, Debug)]
#[command(name = "agon", version, about, after_help = STATUSES_HELP, max_term_width = 100)]
struct Cli {
    /// When to use colours. `auto` uses them on a terminal, unless `NO_COLOR` is set.
    #[arg(long, value_name = "WHEN", value_enum, global = true, default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Can any environment make the program abort, or bring about another move?
    Check(Box<check::Options>),
    /// Learn a contract for a part of the program that makes the rest safe.
    Assume(assume::Options),
    /// Does a run of a C program do what a witness says?
    Validate(validate::Options),
    /// Are two programs equal in every environment?
    Equiv(compare::Options),
    /// Are all complete plays of the first program plays of the second?
    Approx(compare::Options),
    /// Do programs keep what they claim in their `//!` lines?
    Test(test::Options),
    /// The game model: the minimal automaton of the complete plays.
    Model(model::Options),
    /// The typing judgement with all bounds, inferred and assumed; or whether a context respects them.
    Typing(typing::Options),
    /// Be the environment: play against the program, move by move.
    Play(play::Options),
    /// Lay programs out in the standard way, and keep their comments.
    Fmt(fmt::Options),
    /// Print a program in the standard layout, without comments.
    Print(print::Options),
    /// Print the code that the abstract machine runs.
    Listing(listing::Options),
    /// Serve an editor: the language server, on standard input and output.
    Lsp(lsp::Options),
    /// The workbench: the checker in the browser.
    Serve(serve::Options),
    /// Answer one request of the workbench.
    #[command(hide = true)]
    Worker(serve::WorkerOptions),
    /// Make a new project: an example, settings, a README and a workflow.
    Init(init::Options),
    /// Explain a diagnostic by its code, such as E0101.
    Explain(explain::Options),
    /// Print a script that completes commands and options in a shell.
    Completions(completions::Options),
    /// Print a manual page, or write all of them to a folder.
    Man(man::Options),
}

/// What exit statuses mean.
const STATUSES: [(&str, &str); 5] = [
    ("0", "The property holds, or a text was printed."),
    ("1", "It does not hold."),
    ("2", "The program or the call has an error."),
    ("3", "The answer is UNKNOWN."),
    ("4", "There is a bug in agon."),
];

/// The same, below the help.
const STATUSES_HELP: &str = "Exit status: 0 if the property holds, 1 if it does not, 2 if the program or the call has an error, \
                             3 if the answer is UNKNOWN, 4 if there is a bug in agon.";

/// The options of every command.
#[derive(Args, Clone, Debug)]
struct Common {
    /// Give a constant of the program another value; for a C file, define a macro.
    #[arg(short = 'D', long, value_name = "NAME=VALUE")]
    define: Vec<String>,
    /// Stop after this many seconds, for each program.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time_limit: Option<Duration>,
    /// Stop when the process uses this many MiB of memory. The default is most of the free memory.
    #[arg(long, value_name = "MIB")]
    memory_limit: Option<usize>,
    /// Explore concurrent programs in this many threads. The default is one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// Print the answer only.
    #[arg(long, short, conflicts_with = "verbose")]
    quiet: bool,
    /// Print more: whole plays, figures.
    #[arg(long, short)]
    verbose: bool,
}

/// The format of answers.
#[derive(Args, Clone, Copy, Debug)]
struct Written {
    /// The format of answers.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// For people or for programs.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// How a command ended; its exit status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    Holds,
    DoesNotHold,
    Wrong,
    Undecided,
    Broken,
}

impl Status {
    fn code(self) -> u8 {
        match self {
            Status::Holds => 0,
            Status::DoesNotHold => 1,
            Status::Wrong => 2,
            Status::Undecided => 3,
            Status::Broken => 4,
        }
    }

    /// The status of a command without a verdict, by the reason.
    fn without_verdict(reason: &Reason) -> Status {
        if reason.is_bug() { Status::Broken } else { Status::Undecided }
    }

    /// The worse of two statuses: the status of several files is that of the worst.
    fn and(self, other: Status) -> Status {
        let weight = |status| match status {
            Status::Holds => 0,
            Status::Undecided => 1,
            Status::DoesNotHold => 2,
            Status::Wrong => 3,
            Status::Broken => 4,
        };
        if weight(other) > weight(self) { other } else { self }
    }
}

impl Common {
    /// The constants of a program that have other values. Where one is no definition, prints why.
    fn overrides(&self) -> Result<Vec<(String, Int)>, Status> {
        let read = |text: &String| {
            definition(text).map_err(|why| {
                let more = "For more information, try '--help'.";
                remark(&format!("error: invalid value '{text}' for '-D <NAME=VALUE>': {why}\n\n{more}\n"));
                Status::Wrong
            })
        };
        self.define.iter().map(read).collect()
    }
}

fn definition(text: &str) -> Result<(String, Int), String> {
    let (name, value) = text.split_once('=').ok_or("a definition is written NAME=VALUE")?;
    let is_name = matches!(&tokenize(name, &mut Vec::new())[..], [(Token::Name, _), (Token::End, _)]);
    if !is_name {
        return Err(match name.trim() {
            "" => "a definition is written NAME=VALUE, and the name is missing".into(),
            name => format!("a definition is written NAME=VALUE, and `{name}` is not a name"),
        });
    }
    let value = Int::parse(value.trim()).ok_or_else(|| format!("`{value}` is not an integer"))?;
    Ok((name.trim().to_string(), value))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of seconds"))?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// Runs the command that the process was called with.
pub fn main() -> ExitCode {
    guard::start();
    let command = settings::parse().command;
    ExitCode::from(ended(|| run(command)).code())
}

/// How a C file is read: as `agon check` reads it, with the settings beside it.
pub fn c_settings(file: &Path) -> Result<Settings, String> {
    match settings::of_file(file)?.command {
        Command::Check(options) => Ok(options.c_settings()),
        _ => Ok(Settings::default()),
    }
}

/// The status of a command, also if it panics.
fn ended(run: impl FnOnce() -> Status) -> Status {
    guarded(run).unwrap_or_else(|reason| {
        remark(&match &reason {
            Reason::Stop(limit) => format!("UNKNOWN  {}\n", answer::limit(*limit)),
            Reason::Bug(what) => {
                format!("internal error: {what}. This is a bug in agon; please report it\n")
            }
            _ => String::new(),
        });
        Status::without_verdict(&reason)
    })
}

fn run(command: Command) -> Status {
    match command {
        Command::Check(options) => check::run(&options),
        Command::Assume(options) => assume::run(&options),
        Command::Equiv(options) => compare::run(&options, Relation::Equivalence),
        Command::Approx(options) => compare::run(&options, Relation::Approximation),
        Command::Validate(options) => validate::run(&options),
        Command::Test(options) => test::run(&options),
        Command::Model(options) => model::run(&options),
        Command::Typing(options) => typing::run(&options),
        Command::Play(options) => play::run(&options),
        Command::Fmt(options) => fmt::run(&options),
        Command::Print(options) => print::run(&options),
        Command::Listing(options) => listing::run(&options),
        Command::Lsp(options) => lsp::run(&options),
        Command::Serve(options) => serve::run(&options),
        Command::Worker(options) => serve::work(&options),
        Command::Init(options) => init::run(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Completions(options) => completions::run(&options),
        Command::Man(options) => man::run(&options),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bug_has_a_status_of_its_own_and_is_the_worst_of_several() {
        assert_eq!(ended(|| panic!("planted")).code(), 4);
        assert_eq!(ended(|| agon_base::growth::full()).code(), 3);
        assert_eq!(Status::without_verdict(&Reason::Unverified("planted".into())).code(), 4);
        for other in [Status::Holds, Status::DoesNotHold, Status::Wrong, Status::Undecided] {
            assert_eq!(other.and(Status::Broken), Status::Broken);
            assert_eq!(Status::Broken.and(other), Status::Broken);
        }
    }
}
