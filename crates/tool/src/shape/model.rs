//! Models: the whole automaton, and the part that the workbench draws.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Version;
use super::play::Player;

/// A transition: from, player, move, to.
pub type Edge = (u32, Player, String, u32);

/// The automaton that `agon model` writes. Its edges may be serialised one by one, without a list.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Model<Edges = Vec<Edge>> {
    /// The version of the shapes.
    pub version: Version,
    /// The number of states.
    pub states: usize,
    /// The number of transitions.
    pub transitions: usize,
    /// The initial state.
    pub initial: u32,
    /// The states in which plays are complete.
    #[serde(rename = "final")]
    pub complete: Vec<u32>,
    /// The transitions: from, player, move, to.
    pub edges: Edges,
}

/// The answer of the language server about a model.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Picture {
    /// The version of the shapes.
    pub version: Version,
    /// The number of states.
    pub states: usize,
    /// The number of transitions.
    pub transitions: usize,
    /// A picture, unless the model is too large.
    pub svg: Option<String>,
}

/// A model, or the neighbourhood of a state of a large one.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Graph {
    /// The number of states of the whole model.
    pub states: usize,
    /// The number of transitions of the whole model.
    pub transitions: usize,
    /// The initial state.
    pub initial: u32,
    /// The shown states in which plays are complete.
    #[serde(rename = "final")]
    pub complete: Vec<u32>,
    /// The transitions between shown states: from, player, move, to.
    pub edges: Vec<Edge>,
    /// The shown states.
    pub shown: Vec<u32>,
    /// Whether all states are shown.
    pub whole: bool,
    /// If not: for each shown state, the number of its transitions to states that are not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<Vec<(u32, u32)>>,
    /// If not: a shortest play to each shown state, by its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plays: Option<BTreeMap<String, Vec<(Player, String)>>>,
}
