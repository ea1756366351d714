//! Results of `agon test`.

use serde::{Deserialize, Serialize};

use super::Version;

/// What `agon test` found.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tests {
    /// The version of the shapes.
    pub version: Version,
    /// What came of each claim, in the order of the files and of the claims in them.
    pub results: Vec<TestResult>,
    /// The files that claim nothing.
    pub without_claims: Vec<String>,
}

/// What came of a claim.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestResult {
    /// The file.
    pub file: String,
    /// The claim in the words of the file; empty if its lines cannot be read.
    pub claim: String,
    /// Whether it holds.
    pub outcome: Outcome,
    /// If it does not hold: what was found instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The command that decides it.
    pub command: Vec<String>,
    /// The wall-clock time in seconds, if the command was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Whether the verdict comes from a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<bool>,
}

/// Whether a claim holds.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It holds.
    Holds,
    /// It is wrong.
    Wrong,
    /// There is no verdict.
    Undecided,
    /// The claim, or the program, has an error.
    Error,
    /// The file says that agon cannot decide it.
    Skipped,
}
