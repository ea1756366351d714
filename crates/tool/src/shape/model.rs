//! Models, whole and as the workbench draws them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Version;
use super::play::Player;

/// A transition: from, who moves, the move, to.
pub type Edge = (u32, Player, String, u32);

/// What `agon model` writes: an automaton. Its edges may be written one by one, without a list of them all.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Model<Edges = Vec<Edge>> {
    /// The version of the shapes.
    pub version: Version,
    /// How many states there are.
    pub states: usize,
    /// How many transitions there are.
    pub transitions: usize,
    /// The state in which plays start.
    pub initial: u32,
    /// The states in which plays are complete.
    #[serde(rename = "final")]
    pub complete: Vec<u32>,
    /// The transitions: from, who moves, the move, to.
    pub edges: Edges,
}

/// What the language server says about a model.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Picture {
    /// The version of the shapes.
    pub version: Version,
    /// How many states there are.
    pub states: usize,
    /// How many transitions there are.
    pub transitions: usize,
    /// A picture of it, unless it is too large to draw.
    pub svg: Option<String>,
}

/// A model, or of a large one what is near a state.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Graph {
    /// How many states the whole has.
    pub states: usize,
    /// How many transitions the whole has.
    pub transitions: usize,
    /// The state in which plays start.
    pub initial: u32,
    /// Those of the states shown in which plays are complete.
    #[serde(rename = "final")]
    pub complete: Vec<u32>,
    /// The transitions between states shown: from, who moves, the move, to.
    pub edges: Vec<Edge>,
    /// The states shown.
    pub shown: Vec<u32>,
    /// Whether all states are shown.
    pub whole: bool,
    /// If not: for each state shown, how many of its transitions lead to states that are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<Vec<(u32, u32)>>,
    /// If not: a shortest play to each state shown, by its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plays: Option<BTreeMap<String, Vec<(Player, String)>>>,
}
