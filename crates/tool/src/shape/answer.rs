//! Answers of `agon check`.

use serde::{Deserialize, Serialize};

use super::Version;
use super::assumption::Assumption;
use super::diagnostic::{Diagnostic, Place};
use super::play::Step;
use super::refinement::{Abstraction, Iteration, KeptSplitting, Predicates};

/// What `agon check` says about a program.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Answer {
    /// The version of the shapes.
    pub version: Version,
    /// The program.
    pub file: String,
    /// How long it took, by the clock; nothing if it was ended from outside.
    pub seconds: Option<f64>,
    /// The most memory that the process had, where the system says that.
    pub peak_memory_mib: Option<f64>,
    /// The verdict; with several checks or targets, the one that most needs looking at.
    #[serde(flatten)]
    pub finding: Finding,
    /// With `--all` or several targets: a verdict for each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks: Option<Vec<Check>>,
    /// Checks that hold only because no play reaches them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<Diagnostic>>,
}

/// A verdict with its reasons.
#[derive(Serialize, Deserialize, Clone, PartialEq, Default, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// Whether an environment brings the target about.
    pub verdict: Verdict,
    /// The move that was looked for; `deadlock` for runs that get stuck, `assumption` for a part that breaks one.
    pub target: String,
    /// The engine that answered.
    pub engine: String,
    /// How many iterations it took; 1 for the precise engine.
    pub iterations: usize,
    /// Distinct positions visited, in the largest iteration.
    pub states: usize,
    /// Pairs of moves tried, in the largest iteration.
    pub transitions: u64,
    /// The final partition of each variable; empty for the precise engine and for predicates.
    pub abstraction: Abstraction,
    /// If unsafe: the moves.
    pub play: Vec<Step>,
    /// If unknown: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// If a solver failed on the way: how, the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solver_failure: Option<String>,
    /// If the engine was chosen: why this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen_because: Option<String>,
    /// If the program was checked in two halves: what one assumes of the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumption: Option<Assumption>,
    /// If data was approximated: each iteration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refinements: Option<Vec<Iteration>>,
    /// If predicates were used: what they were in the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicates: Option<Predicates>,
    /// If unknown: the variable that was split most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_splitting: Option<KeptSplitting>,
    /// If the program aborts: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// If a run gets stuck: the places that its threads have come to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stuck: Option<Vec<Place>>,
    /// If unsafe: the definitions that play O's part, if they were seen to do so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
}

/// Whether an environment brings the target about.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// None does.
    Safe,
    /// One does.
    Unsafe,
    /// It was not found out.
    #[default]
    Unknown,
}

/// The verdict about one check of the text, or one of several targets.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Check {
    /// The verdict.
    #[serde(flatten)]
    pub finding: Finding,
    /// The text of the check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// What kind of check it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<CheckKind>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// False if no play reaches it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached: Option<bool>,
}

/// What may fail in a program.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CheckKind {
    /// An `abort`.
    Abort,
    /// An `assert`.
    Assertion,
    /// An index of an array.
    Index,
    /// A division, or a remainder.
    Division,
}

/// Why a program aborts.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cause {
    /// What failed.
    pub kind: CheckKind,
    /// The same in words.
    pub message: String,
    /// Where it failed.
    pub place: Place,
    /// The values that were read to decide it.
    pub values: Vec<Read>,
    /// The place of the condition, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<Place>,
    /// The index that is out of bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// The array that it is out of bounds of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub array: Option<String>,
    /// The length of that array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
}

/// Values that were read.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Read {
    /// What they were read from, as it is written.
    pub name: String,
    /// The values: the last one of a cell, all different ones of the environment.
    pub values: Vec<String>,
    /// Who gave them.
    pub by: Giver,
}

/// Who gave a value.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Giver {
    /// The environment, by an answer.
    Environment,
    /// The program, by what it had written.
    Program,
}
