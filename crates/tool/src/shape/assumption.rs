//! The assumption of one part of a program about the other, within an answer.

use serde::{Deserialize, Serialize};

use super::model::Graph;

/// The assumption of one part about the other, and the cost of learning it.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Assumption {
    /// The part that it is about.
    pub component: String,
    /// If agon chose the part: why.
    pub chosen_because: Option<String>,
    /// The number of membership queries.
    pub membership_queries: u64,
    /// The number of membership queries that needed no run.
    pub answered_without: u64,
    /// The number of candidate assumptions.
    pub equivalence_queries: u64,
    /// The observation tables as text.
    pub tables: Vec<String>,
    /// The number of states of the last candidate.
    pub last_states: Option<usize>,
    /// If safe: the number of states of the assumption.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<usize>,
    /// If safe: from, O's move, P's move, to. The workbench has `graph` instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edges: Option<Vec<(usize, String, String, u32)>>,
    /// The assumption as text, for the workbench.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The assumption as a graph, for the workbench.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<Graph>,
}
