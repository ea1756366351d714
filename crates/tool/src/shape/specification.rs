//! Portable specifications: assumptions as `agon assume --format json` writes and `agon check --against` reads them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Version;

/// An assumption about a part of a program, in a form that is independent of the program.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Specification {
    /// The version of the shapes. Specifications of agon 0.1 have none, and are read.
    #[serde(default)]
    pub version: Version,
    /// The kind of data.
    pub kind: Kind,
    /// The name of the part.
    pub component: String,
    /// The move that must not be reached.
    pub target: String,
    /// The target as a move of the part, if it can make it.
    pub hit: Option<Said>,
    /// The number of states.
    pub states: usize,
    /// How deeply the part may nest calls in the arguments of calls.
    pub depth: usize,
    /// Whether the part may be abandoned while it waits, and started again.
    pub may_be_left: bool,
    /// Whether the part may abandon its own calls.
    pub may_leave: bool,
    /// The components of the part's game; the first is its own.
    pub places: Vec<Place>,
    /// The moves, by the names that the edges use.
    pub moves: BTreeMap<String, Said>,
    /// The allowed transitions: from, O's move, P's move, to.
    pub edges: Vec<(usize, String, String, u32)>,
}

/// The kind of data.
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
    /// The prefix of its moves; empty for the part's own component.
    pub name: String,
    /// Its base type, as it is written.
    #[serde(rename = "type")]
    pub ty: String,
    /// Whether it is between the part and the rest; otherwise it belongs to the environment.
    pub between: bool,
    /// The partition of O's values, and of O's indices.
    pub given: (Vec<Interval>, Vec<Interval>),
    /// The partition of P's values, and of P's indices.
    pub said: (Vec<Interval>, Vec<Interval>),
}

/// An interval of integers: the least and the greatest, in decimal; null where there is none.
pub type Interval = (Option<String>, Option<String>);

/// A move.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Said {
    /// The component.
    pub place: String,
    /// The kind of move.
    pub says: Label,
    /// The value, if it has one.
    pub value: Option<Interval>,
    /// The element of an array, if it has one.
    pub element: Option<Interval>,
}

/// The kinds of moves.
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
    /// Grabs a semaphore.
    Grab,
    /// Releases a semaphore.
    Release,
    /// Ends a write, a grab or a release.
    Ok,
    /// Aborts.
    Abort,
}
