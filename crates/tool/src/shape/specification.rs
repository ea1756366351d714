//! Specifications: assumptions by themselves, as `agon assume --format json` writes and `agon check --against` reads them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Version;

/// What a part of a program is to keep to, wherever it is checked.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Specification {
    /// The version of the shapes. What agon 0.1 wrote has none, and is read.
    #[serde(default)]
    pub version: Version,
    /// What this is.
    pub kind: Kind,
    /// What the part is called.
    pub component: String,
    /// The move that nobody is to bring about.
    pub target: String,
    /// The same as a move of the part, if it can be one.
    pub hit: Option<Said>,
    /// How many states there are.
    pub states: usize,
    /// How deeply the part may nest calls in arguments of calls.
    pub depth: usize,
    /// Whether the part may be left while it waits, and be started over.
    pub may_be_left: bool,
    /// Whether the part may leave calls of its own.
    pub may_leave: bool,
    /// The components of the part's game; the first is its own.
    pub places: Vec<Place>,
    /// The moves, by the names that edges have for them.
    pub moves: BTreeMap<String, Said>,
    /// What is allowed: from, O's move, P's move, to.
    pub edges: Vec<(usize, String, String, u32)>,
}

/// What a specification says that it is.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A specification.
    Assumption,
}

/// A component of the part's game.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Place {
    /// As moves are prefixed; empty for the part's own.
    pub name: String,
    /// Its base type, as it is written.
    #[serde(rename = "type")]
    pub ty: String,
    /// Whether it is between the part and the rest, rather than the environment's.
    pub between: bool,
    /// The parts of O's values in it, and of O's indices.
    pub given: (Vec<Interval>, Vec<Interval>),
    /// The parts of P's values in it, and of P's indices.
    pub said: (Vec<Interval>, Vec<Interval>),
}

/// A part of the integers: the least and the greatest, in decimals; nothing where there is none.
pub type Interval = (Option<String>, Option<String>);

/// A move.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Said {
    /// The component.
    pub place: String,
    /// What is done in it.
    pub says: Label,
    /// The value, where there is one.
    pub value: Option<Interval>,
    /// The element of an array, where there is one.
    pub element: Option<Interval>,
}

/// What a move does.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Label {
    /// Starts a command.
    Run,
    /// Ends a command.
    Done,
    /// Asks for a value.
    #[serde(rename = "q")]
    Ask,
    /// Gives a value.
    Value,
    /// Reads a variable.
    Read,
    /// Writes a variable.
    Write,
    /// Takes a place of a semaphore.
    Grab,
    /// Gives a place of a semaphore back.
    Release,
    /// Ends a write, a grab or a release.
    Ok,
    /// Aborts.
    Abort,
}
