//! Answers of `agon equiv` and `agon approx`.

use serde::{Deserialize, Serialize};

use super::Version;
use super::play::Step;
use super::refinement::Abstraction;

/// The answer of `agon equiv` and `agon approx`.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Comparison {
    /// The version of the shapes.
    pub version: Version,
    /// The wall-clock time in seconds; null if the run was ended from outside.
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
    /// The number of iterations.
    pub iterations: usize,
    /// The distinct pairs or positions that were visited.
    pub states: usize,
    /// The transitions that were tried.
    pub transitions: u64,
    /// The peak memory of the process in MiB, where the system tells.
    pub peak_memory_mib: Option<f64>,
    /// If they differ: a complete play that only one of them has.
    pub play: Vec<Step>,
    /// Empty: comparisons do not approximate data.
    pub abstraction: Abstraction,
    /// If they differ: the program that has the play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_with_play: Option<String>,
    /// If they differ: definitions of an environment, if running both programs with them confirmed the difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// Of modules, if equivalent: the bounds of their models up to which they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up_to: Option<Vec<String>>,
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
    /// They do not have the same complete plays.
    Inequivalent,
    /// Every complete play of the first is one of the second.
    Approximates,
    /// Some complete play of the first is none of the second.
    DoesNotApproximate,
    /// There is no verdict.
    #[default]
    Unknown,
}
