//! Answers of `agon typing`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Version;
use super::diagnostic::Place;

/// The typing judgement of a program with all its bounds.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Typing {
    /// The version of the shapes.
    pub version: Version,
    /// The program.
    pub file: String,
    /// The type of each free identifier.
    pub identifiers: BTreeMap<String, String>,
    /// The type of the program.
    #[serde(rename = "type")]
    pub ty: String,
    /// What the program assumes of its environment.
    pub assumes: Vec<Bound>,
    /// What the program guarantees to it.
    pub guarantees: Vec<Bound>,
}

/// A bound on the threads that use a component at once.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Bound {
    /// The component, as moves write it.
    pub component: String,
    /// The bound.
    pub bound: u64,
    /// The bound in words.
    pub reading: String,
}

/// Whether a context respects the bounds that a program assumes.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Enclosure {
    /// The version of the shapes.
    pub version: Version,
    /// The program and the context.
    pub files: [String; 2],
    /// The verdict.
    pub verdict: Verdict,
    /// The bounds that it violates.
    pub broken: Vec<Broken>,
}

/// Whether a context respects the bounds that a program assumes.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It does.
    Respects,
    /// It does not.
    DoesNotRespect,
}

/// A bound that a context violates.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Broken {
    /// The component that too many threads use.
    pub component: String,
    /// The number of threads of the context that use it.
    pub bound: u64,
    /// The number of threads that may use it.
    pub assumed: u64,
    /// The bound in words.
    pub reading: String,
    /// The place where the context uses it.
    pub place: Place,
}
