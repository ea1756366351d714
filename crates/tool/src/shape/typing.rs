//! Answers of `agon typing`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Version;
use super::diagnostic::Place;

/// The judgement of a program with all its bounds.
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

/// How many threads may use something at once.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Bound {
    /// What is used, as moves write it.
    pub component: String,
    /// The most threads.
    pub bound: u64,
    /// The same in words.
    pub reading: String,
}

/// Whether a context keeps to the bounds that a program assumes.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Enclosure {
    /// The version of the shapes.
    pub version: Version,
    /// The program, and the context.
    pub files: [String; 2],
    /// Whether it keeps to them.
    pub verdict: Verdict,
    /// The bounds that it does not keep to.
    pub broken: Vec<Broken>,
}

/// Whether a context keeps to the bounds that a program assumes.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It does.
    Respects,
    /// It does not.
    DoesNotRespect,
}

/// A bound that a context does not keep to.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Broken {
    /// What is used too often at once.
    pub component: String,
    /// In how many threads the context uses it.
    pub bound: u64,
    /// In how many it may.
    pub assumed: u64,
    /// The same in words.
    pub reading: String,
    /// Where the context uses it.
    pub place: Place,
}
