//! What one half of a program assumes of the other, within an answer.

use serde::{Deserialize, Serialize};

use super::model::Graph;

/// What one half assumes of the other, and what it took to learn it.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Assumption {
    /// The part that it is assumed of.
    pub component: String,
    /// If the part was chosen: why this one.
    pub chosen_because: Option<String>,
    /// How many plays were asked about.
    pub membership_queries: u64,
    /// How many more were known without asking.
    pub answered_without: u64,
    /// How many assumptions were tried.
    pub equivalence_queries: u64,
    /// The observation tables, as they are written.
    pub tables: Vec<String>,
    /// How many states the last assumption had that was tried.
    pub last_states: Option<usize>,
    /// If safe: how many states the assumption has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<usize>,
    /// If safe: from, O's move, P's move, to. The workbench has `graph` instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edges: Option<Vec<(usize, String, String, u32)>>,
    /// The assumption in words, for the workbench.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The assumption as the workbench draws it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<Graph>,
}
