//! How `agon check` and `agon equiv` write what they found: the format, the file, the exit status.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use agon_base::diagnostic::Diagnostic;
use agon_base::source::Source;
use clap::{Args, ValueEnum};

use crate::cli::input::{self, NoProgram};
use crate::cli::output::{Output, remark};
use crate::cli::{Format, Status};
use crate::render::report::{Entry, github, junit, sarif};
use crate::shape::answer::Answer;
use crate::shape::pretty;

#[derive(Args, Clone, Debug)]
pub(in crate::cli) struct Reported {
    /// The format of answers.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(in crate::cli) format: ReportFormat,
    /// Write the answers to a file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Exit with status 0 for UNSAFE and UNKNOWN as well. Errors keep their status.
    #[arg(long)]
    exit_zero: bool,
}

/// For people, for programs, for build servers.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::cli) enum ReportFormat {
    /// For people.
    Text,
    /// For programs: all that is known.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit's XML: a test for each verdict.
    Junit,
    /// Annotations of GitHub Actions.
    Github,
}

impl Reported {
    /// The format of errors on standard error.
    pub(in crate::cli) fn errors(&self) -> Format {
        match self.format {
            ReportFormat::Json => Format::Json,
            ReportFormat::Text | ReportFormat::Sarif | ReportFormat::Junit | ReportFormat::Github => {
                Format::Text
            }
        }
    }

    /// Whether answers are wanted as data.
    pub(in crate::cli) fn as_data(&self) -> bool {
        self.format != ReportFormat::Text
    }

    /// Forgets what does not matter for an answer: where it is written, and what the exit status is.
    pub(in crate::cli) fn forget_destination(&mut self) {
        (self.output, self.exit_zero) = (None, false);
    }

    /// The status of the command.
    pub(in crate::cli) fn status(&self, status: Status) -> Status {
        match status {
            Status::DoesNotHold | Status::Undecided if self.exit_zero => Status::Holds,
            other => other,
        }
    }
}

/// What is said about a program.
pub(in crate::cli) struct Answered {
    pub(in crate::cli) status: Status,
    pub(in crate::cli) said: Said,
    /// What is written to standard error after the answer.
    pub(in crate::cli) remarks: String,
}

/// An answer, as text or as data.
pub(in crate::cli) enum Said {
    Text(String),
    Data(Box<Answer>),
}

impl Answered {
    /// An answer as data.
    pub(in crate::cli) fn data(status: Status, answer: Answer) -> Answered {
        Answered { status, said: Said::Data(Box::new(answer)), remarks: String::new() }
    }
}

/// Prints what is wrong with the options.
pub(in crate::cli) fn wrong(why: &str) -> NoProgram {
    remark(&format!("error: {why}\n"));
    Status::Wrong.into()
}

/// Prints errors in a program.
pub(in crate::cli) fn errors(source: &Source, list: &[Diagnostic], reported: &Reported) -> NoProgram {
    input::print_diagnostics(source, list, reported.errors()).into()
}

/// The report, as far as it is known.
#[derive(Clone)]
pub(in crate::cli) struct Report {
    format: ReportFormat,
    /// Whether there are several files.
    several: bool,
    output: Arc<Output>,
    entries: Arc<Mutex<Vec<Entry>>>,
}

impl Report {
    /// An empty report. A file that it is to be written to must be one that can be written.
    pub(in crate::cli) fn new(reported: &Reported, several: bool) -> Result<Report, String> {
        let output = Arc::new(Output::open(reported.output.as_deref())?);
        Ok(Report { format: reported.format, several, output, entries: Arc::default() })
    }

    /// Adds what was found in a file.
    pub(in crate::cli) fn add(&self, entry: Entry) {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }

    /// Writes the answer for a file as text, with the file's name if there are several.
    pub(in crate::cli) fn say(&self, name: &str, text: &str) {
        match self.several {
            true => self.output.say(&format!("{name}: {text}")),
            false => self.output.say(text),
        }
    }

    /// Writes data.
    pub(in crate::cli) fn print(&self, text: &str) {
        self.output.say(text);
    }

    /// Writes what has not been written yet, and the file.
    pub(in crate::cli) fn finish(&self) {
        let entries = std::mem::take(&mut *self.entries.lock().unwrap_or_else(PoisonError::into_inner));
        match self.format {
            ReportFormat::Text => {}
            ReportFormat::Sarif => self.output.say(&sarif::text(&entries)),
            ReportFormat::Junit => self.output.say(&junit::text(&entries)),
            ReportFormat::Github => self.output.say(&github::text(&entries)),
            ReportFormat::Json => {
                let answers: Vec<Answer> = entries
                    .into_iter()
                    .filter_map(|entry| match entry {
                        Entry::Answer(answer) => Some(*answer),
                        Entry::Errors(_) => None,
                    })
                    .collect();
                match &answers[..] {
                    [] => {}
                    [one] if !self.several => self.output.say(&pretty(one)),
                    all => self.output.say(&pretty(&all)),
                }
            }
        }
        self.output.close();
    }
}
