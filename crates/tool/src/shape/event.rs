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

/// What the workbench says while it answers a request, one event a line. The last one is an answer, or a failure.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Event {
    /// The version of the shapes.
    pub version: Version,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

impl From<EventKind> for Event {
    fn from(kind: EventKind) -> Event {
        Event { version: Version, kind }
    }
}

/// What happened.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum EventKind {
    /// A search has come this far.
    Progress {
        /// Distinct positions visited.
        states: usize,
        /// Pairs of moves tried.
        transitions: u64,
        /// The memory that is taken.
        memory_mib: f64,
        /// The number of the iteration; 0 if there is but one.
        iteration: usize,
        /// How long it has taken, by the clock.
        seconds: f64,
    },
    /// An iteration has ended.
    Iteration {
        /// What happened in it.
        #[serde(flatten)]
        iteration: Iteration,
        /// How many more parts were split than are listed.
        more_splits: usize,
        /// Its number among those of the engine.
        number: usize,
        /// The engine.
        engine: String,
    },
    /// The request is answered.
    Answer {
        /// How long it took, by the clock.
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
    /// Why.
    pub message: String,
    /// What is wrong with the program, if something is.
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
    /// Of a check.
    Check(Box<Checked>),
    /// Of a comparison.
    Compare(Told),
    /// A model.
    Model(Drawn),
    /// A play.
    Play(Position),
    /// What there is to know of a program.
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
    /// The most memory that the process had, where the system says that.
    pub peak_memory_mib: Option<f64>,
    /// The verdict.
    #[serde(flatten)]
    pub finding: Finding,
    /// If unknown: what in the program is to blame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<Vec<Diagnostic>>,
}

/// A verdict about two programs.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Told {
    /// The verdict in a sentence.
    pub headline: String,
    /// The verdict.
    #[serde(flatten)]
    pub compared: Compared,
    /// Where they differ: the one that has the play.
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
    /// The most memory that the process had, where the system says that.
    pub peak_memory_mib: Option<f64>,
    /// Larger models are not drawn whole.
    pub most_drawn: usize,
}

/// Where a play stands.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Position {
    /// The moves so far.
    pub play: Vec<Step>,
    /// What can be played.
    pub choices: Vec<Choice>,
    /// Whether it goes on.
    pub outcome: Outcome,
    /// Why the moves were not all made, if they were not.
    pub stopped: Option<String>,
}

/// Moves that can be made, and differ in their data only.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Choice {
    /// Who makes them.
    pub player: Player,
    /// The first of them.
    pub first: String,
    /// The last of them, where there are several and not infinitely many.
    pub last: Option<String>,
    /// Whether there are infinitely many.
    pub endless: bool,
    /// The place in the text that they come from.
    pub place: Option<Place>,
}

/// What there is to know of a program.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Default, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Outline {
    /// Its constants.
    pub constants: Vec<Constant>,
    /// Whether it has a type.
    pub typed: bool,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
    /// The same for people to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// If it has a type: whether it is concurrent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// If it has a type: moves that may be worth looking for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub targets: Option<Vec<String>>,
    /// If it has a type: the parts that can be checked on their own.
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

/// What an environment may do at once.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// One thing after the other.
    Sequential,
    /// Several things.
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

/// What the page is told at the start.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct About {
    /// The version of agon, which fixes that of the shapes.
    pub version: String,
    /// The engines.
    pub engines: Vec<String>,
    /// The programs on the menu.
    pub programs: Vec<String>,
    /// The most seconds that a request may take.
    pub time_limit: f64,
    /// The most memory that a request may take, in MiB.
    pub memory_limit: usize,
    /// The most refinements, if nothing is said.
    pub iterations: usize,
}
