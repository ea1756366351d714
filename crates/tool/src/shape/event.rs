//! Answers of the workbench.

use serde::{Deserialize, Serialize};

use super::Version;
use super::answer::Finding;
use super::comparison::Compared;
use super::diagnostic::{Diagnostic, Place};
use super::model::Graph;
use super::play::{Player, Step};
use super::refinement::Iteration;
use crate::play_session::Outcome;

/// An event while the workbench answers a request, one on each line. The last one is an answer or a failure.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Event {
    /// The version of the shapes.
    pub version: Version,
    /// The kind of event.
    #[serde(flatten)]
    pub kind: EventKind,
}

impl From<EventKind> for Event {
    fn from(kind: EventKind) -> Event {
        Event { version: Version, kind }
    }
}

/// The kind of event.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum EventKind {
    /// The progress of a search.
    Progress {
        /// The distinct positions that were visited.
        states: usize,
        /// The transitions that were tried.
        transitions: u64,
        /// The memory that is used, in MiB.
        memory_mib: f64,
        /// The number of the iteration; 0 if there is only one.
        iteration: usize,
        /// The wall-clock time in seconds.
        seconds: f64,
    },
    /// An iteration has ended.
    Iteration {
        /// The iteration.
        #[serde(flatten)]
        iteration: Iteration,
        /// The number of splits that are not listed.
        more_splits: usize,
        /// Its number among those of the engine.
        number: usize,
        /// The engine.
        engine: String,
    },
    /// The request is answered.
    Answer {
        /// The wall-clock time in seconds.
        seconds: f64,
        /// The answer.
        #[serde(flatten)]
        answer: Answer,
    },
    /// The request is not answered.
    Failed(Failure),
}

/// Why a request is not answered.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Failure {
    /// The reason.
    pub message: String,
    /// The diagnostics of the program.
    pub diagnostics: Vec<Diagnostic>,
}

impl<T: Into<String>> From<T> for Failure {
    fn from(message: T) -> Failure {
        Failure { message: message.into(), diagnostics: Vec::new() }
    }
}

/// The answer to one of the requests.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Answer {
    /// The answer to a check.
    Check(Box<Checked>),
    /// The answer to a comparison.
    Compare(Box<Comparison>),
    /// A model.
    Model(Drawn),
    /// A play.
    Play(Position),
    /// An outline of a program.
    Read(Outline),
    /// A program in the standard layout.
    Layout(Text),
}

/// A verdict about a program.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Checked {
    /// The verdict in a sentence.
    pub headline: String,
    /// The program.
    pub file: String,
    /// The peak memory of the process in MiB, where the system tells.
    pub peak_memory_mib: Option<f64>,
    /// The verdict.
    #[serde(flatten)]
    pub finding: Finding,
    /// If unknown: the diagnostics of the place that it is due to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<Vec<Diagnostic>>,
}

/// A verdict about two programs.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Comparison {
    /// The verdict in a sentence.
    pub headline: String,
    /// The verdict.
    #[serde(flatten)]
    pub compared: Compared,
    /// If they differ: the program that has the play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
}

/// One of two programs.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The first.
    Left,
    /// The second.
    Right,
}

/// A model as it is drawn.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Drawn {
    /// The model.
    #[serde(flatten)]
    pub graph: Graph,
    /// The peak memory of the process in MiB, where the system tells.
    pub peak_memory_mib: Option<f64>,
    /// The most states of a model that is drawn whole.
    pub most_drawn: usize,
}

/// A play, and its possible next moves.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Position {
    /// The moves so far.
    pub play: Vec<Step>,
    /// The possible moves.
    pub choices: Vec<Choice>,
    /// Whether it goes on.
    pub outcome: Outcome,
    /// Why not all moves were made, if not.
    pub stopped: Option<String>,
    /// Of a module: the functions whose calls are open, outermost first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<Vec<String>>,
}

/// Possible moves that differ only in their data.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Choice {
    /// The player.
    pub player: Player,
    /// The first of them.
    pub first: String,
    /// The last of them, if there are several, and finitely many.
    pub last: Option<String>,
    /// Whether there are infinitely many.
    pub endless: bool,
    /// The place in the text.
    pub place: Option<Place>,
}

/// An outline of a program.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Default, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Outline {
    /// Its constants.
    pub constants: Vec<Constant>,
    /// Whether it has a type.
    pub typed: bool,
    /// Its diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// The diagnostics as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// If it has a type: sequential or concurrent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// If it has a type: moves to choose as targets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub targets: Option<Vec<String>>,
    /// If it has a type: the parts that can be checked separately.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<Vec<String>>,
}

/// A constant of a program.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its value, if it has one.
    pub value: Option<String>,
}

/// Sequential or concurrent.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The environment does one thing after another.
    Sequential,
    /// The environment may do several things at once.
    Concurrent,
}

/// The text of a program.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Text {
    /// The text.
    pub text: String,
}

/// The text of a program on the menu.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Listed {
    /// The version of the shapes.
    pub version: Version,
    /// The text.
    pub text: String,
}

/// The data that the page asks for at its start.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct About {
    /// The version of agon, which fixes that of the shapes.
    pub version: String,
    /// The engines.
    pub engines: Vec<String>,
    /// The programs on the menu.
    pub programs: Vec<String>,
    /// The time limit of a request, in seconds.
    pub time_limit: f64,
    /// The memory limit of a request, in MiB.
    pub memory_limit: usize,
    /// The default limit of refinements.
    pub iterations: usize,
}
