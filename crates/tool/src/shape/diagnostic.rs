//! Places in a text, and diagnostics.

use serde::{Deserialize, Serialize};

use super::Version;

/// A place in a text.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Place {
    /// The file, if the program has several and this is not the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The line of the byte after the last.
    pub end_line: usize,
    /// The column of the byte after the last.
    pub end_column: usize,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

/// The diagnostics of a text.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Diagnostics {
    /// The version of the shapes.
    pub version: Version,
    /// The file.
    pub file: String,
    /// The diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

/// A diagnostic.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Default, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Diagnostic {
    /// The code, which `agon explain` explains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The severity.
    pub severity: Severity,
    /// The message.
    pub message: String,
    /// The place, if it has one.
    pub place: Option<Place>,
    /// The message at that place.
    pub label: Option<String>,
    /// Further notes.
    pub notes: Vec<String>,
    /// What the user can do.
    pub help: Option<String>,
}

/// The severity.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The program has no answer because of it.
    #[default]
    Error,
    /// The program has an answer all the same.
    Warning,
}
