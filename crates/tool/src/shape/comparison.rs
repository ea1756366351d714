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
    /// Whether it comes from a cache: then the figures are those of the search at that time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<bool>,
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
    /// If they differ: a play that only one of them has; unless all plays of modules count, a complete one.
    pub play: Vec<Step>,
    /// Empty: comparisons do not approximate data.
    pub abstraction: Abstraction,
    /// If they differ: the program that has the play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_with_play: Option<String>,
    /// If they differ: definitions of an environment, if running both programs with them confirmed the difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// Of modules, if they differ: whether they were proved to be equivalent if no import calls back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_by_reentry: Option<bool>,
    /// If they differ: restrictions of the environment outside of which they were proved to be equivalent, such as `only for e = 1000`; and
    /// what else is known of the difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<String>>,
    /// Of modules, if equivalent: the bounds of their models up to which they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up_to: Option<Vec<String>>,
    /// Of modules: the plays by which they are compared. Other programs are compared by complete plays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plays: Option<Plays>,
    /// What `--assume` says about the environment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumptions: Option<Vec<String>>,
    /// If equal by relations: what holds where it is the environment's turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relations: Option<Vec<Related>>,
    /// If equal by relations: the silent loops of which only one runs on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alignment: Option<Vec<Aligned>>,
    /// If equal by relations: why loops end in which one program runs alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<Vec<Ranked>>,
    /// If unknown: why. If a file is gone: that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Which plays of modules count.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Plays {
    /// All.
    All,
    /// Those in which every call is answered, or which the module ends.
    Complete,
}

/// What holds at a position where it is the environment's turn.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Related {
    /// The identifier that the environment is asked for; empty before the first move.
    pub at: String,
    /// Where each program waits, line and column; null if it has left the play.
    pub places: [Option<String>; 2],
    /// The program that is left alone, if only one is: 1 or 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alone: Option<u8>,
    /// What holds, over the cells of both programs.
    pub holds: Vec<String>,
}

/// Two silent loops of which only one runs on.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Aligned {
    /// Where the loops are, line and column.
    pub loops: [Option<String>; 2],
    /// The program that runs on: 1 or 2.
    pub runs: u8,
}

/// A number that falls in a loop in which one program runs alone.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Ranked {
    /// The program: 1 or 2.
    pub program: u8,
    /// Where the loop is, line and column.
    pub at: Option<String>,
    /// The number.
    pub falls: String,
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
