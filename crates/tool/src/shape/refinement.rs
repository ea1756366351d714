//! How approximated data was refined, and what was known of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::play::Player;

/// The partition of each variable, as it is written.
pub type Abstraction = BTreeMap<String, String>;

/// One iteration: the check of an abstraction and, unless it was the last, what was refined.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Iteration {
    /// The counterexample, if there was one.
    pub play: Vec<Played>,
    /// Why the counterexample is spurious, if it is.
    pub spurious: Option<String>,
    /// Distinct positions visited.
    pub states: usize,
    /// The abstraction, and how it was refined.
    #[serde(flatten)]
    pub refined: Refined,
}

/// A move of a counterexample over approximated data.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Played {
    /// Who makes it.
    pub player: Player,
    /// The move, as it is written.
    #[serde(rename = "move")]
    pub made: String,
}

/// An abstraction, and how it was refined.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Refined {
    /// Data known by predicates.
    Predicates {
        /// The predicates.
        known: Vec<Known>,
        /// What was refined, in words.
        changes: Vec<String>,
    },
    /// Data known by partitions.
    Partitions {
        /// The partitions.
        abstraction: Abstraction,
        /// The parts that were split.
        splits: Vec<Split>,
        /// Moves that had to be played; those that no refinement had touched were not.
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

/// The variable that was split most often before there was a verdict.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KeptSplitting {
    /// The variable.
    pub variable: String,
    /// How often it was split.
    pub times: usize,
}

/// What was known of the store by predicates in the end.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Predicates {
    /// The predicates.
    pub known: Vec<Known>,
    /// The most predicates at a time.
    pub alive: usize,
    /// How often a solver was asked.
    pub questions: u64,
    /// The program with the scopes that were found, if it was proved safe with them.
    pub annotated: Option<String>,
    /// Whether nothing but these scopes was needed.
    pub scopes_suffice: bool,
}

/// A predicate, and where it is known.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Known {
    /// The predicate.
    pub what: String,
    /// Where it is known.
    #[serde(rename = "where")]
    pub place: String,
}
