//! Places in a text, and what is wrong with a text.

use serde::{Deserialize, Serialize};

use super::Version;

/// A place in a text.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

/// What is wrong with a text.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Diagnostics {
    /// The version of the shapes.
    pub version: Version,
    /// The file that has the text.
    pub file: String,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
}

/// A message about a text.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Default, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Diagnostic {
    /// The number under which `agon explain` says more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Whether there is no answer because of it.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// Where it is wrong, if it is about a place.
    pub place: Option<Place>,
    /// What is said about that place.
    pub label: Option<String>,
    /// What else is to be known.
    pub notes: Vec<String>,
    /// What can be done.
    pub help: Option<String>,
}

/// Whether there is no answer because of it.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// There is none.
    #[default]
    Error,
    /// There is one all the same.
    Warning,
}
