//! The refinement of approximated data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::play::Player;

/// The partition of each variable, as it is written.
pub type Abstraction = BTreeMap<String, String>;

/// One iteration: the check of an abstraction and, unless it was the last, its refinement.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Iteration {
    /// The counterexample, if there was one.
    pub play: Vec<Played>,
    /// Why the counterexample is spurious, if it is.
    pub spurious: Option<String>,
    /// The distinct positions that were visited.
    pub states: usize,
    /// The abstraction and its refinement.
    #[serde(flatten)]
    pub refined: Refined,
}

/// A move of a counterexample over approximated data.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Played {
    /// The player.
    pub player: Player,
    /// The move, as it is written.
    #[serde(rename = "move")]
    pub made: String,
}

/// An abstraction and its refinement.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Refined {
    /// Data approximated by predicates.
    Predicates {
        /// The predicates.
        known: Vec<Known>,
        /// The refinement in words.
        changes: Vec<String>,
    },
    /// Data approximated by partitions.
    Partitions {
        /// The partitions.
        abstraction: Abstraction,
        /// The parts that were split.
        splits: Vec<Split>,
        /// The moves that were computed; the results of moves that no refinement affected were reused.
        played_anew: u64,
    },
}

/// A part of a partition that was split.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Split {
    /// The variable.
    pub variable: String,
    /// The part.
    pub part: String,
    /// The parts that it became.
    pub into: Vec<String>,
}

/// The variable that was split most often.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KeptSplitting {
    /// The variable.
    pub variable: String,
    /// How often it was split.
    pub times: usize,
}

/// The final predicates.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Predicates {
    /// The predicates.
    pub known: Vec<Known>,
    /// The most predicates that are alive at once.
    pub alive: usize,
    /// The number of queries to solvers.
    pub questions: u64,
    /// The program annotated with the scopes that were found, if it was proved safe.
    pub annotated: Option<String>,
    /// Whether these scopes suffice for the proof.
    pub scopes_suffice: bool,
}

/// A predicate and its scope.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Known {
    /// The predicate.
    pub what: String,
    /// Its scope.
    #[serde(rename = "where")]
    pub place: String,
}
