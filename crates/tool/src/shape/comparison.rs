//! Answers of `agon equiv` and `agon approx`.

use serde::{Deserialize, Serialize};

use super::Version;
use super::play::Step;
use super::refinement::Abstraction;

/// What `agon equiv` and `agon approx` say about two programs.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Comparison {
    /// The version of the shapes.
    pub version: Version,
    /// How long it took, by the clock; nothing if it was ended from outside.
    pub seconds: Option<f64>,
    /// The verdict.
    #[serde(flatten)]
    pub compared: Compared,
}

/// A verdict about two programs, with its reasons.
#[derive(Serialize, Deserialize, Clone, PartialEq, Default, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Compared {
    /// The programs.
    pub files: [String; 2],
    /// How they compare.
    pub verdict: Verdict,
    /// The engine that answered.
    pub engine: String,
    /// How many iterations it took.
    pub iterations: usize,
    /// Distinct pairs, or positions, visited.
    pub states: usize,
    /// Transitions tried.
    pub transitions: u64,
    /// The most memory that the process had, where the system says that.
    pub peak_memory_mib: Option<f64>,
    /// Where they differ: a complete play that only one of them has.
    pub play: Vec<Step>,
    /// Data is not approximated here.
    pub abstraction: Abstraction,
    /// Where they differ: the program that has the play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_with_play: Option<String>,
    /// Where they differ: the definitions that play O's part, if they were seen to do so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// If unknown: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// How two programs compare.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// They have the same complete plays.
    Equivalent,
    /// They have not.
    Inequivalent,
    /// The complete plays of the first are plays of the second.
    Approximates,
    /// They are not.
    DoesNotApproximate,
    /// It was not found out.
    #[default]
    Unknown,
}
