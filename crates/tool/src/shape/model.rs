//! Models: the whole automaton, and the part that the workbench draws.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Version;
use super::diagnostic::Place;
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
    /// Of a module: its states are boxes in components. A transition is a move of the environment with the answer of the module; one
    /// without a text leads from a waiting activation to the turn of the environment that goes on meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boxes: Option<Boxes>,
}

/// The states of a module's model as they are drawn.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Boxes {
    /// The text of each state, by its number.
    pub texts: Vec<String>,
    /// The components: each with its title and its states.
    pub components: Vec<(String, Vec<u32>)>,
}

/// The model of a module that `agon model` writes: automata over stores, and activations that wait meanwhile. Stores and activations
/// are numbered from 0.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NestedModel {
    /// The version of the shapes.
    pub version: Version,
    /// The store before the first move.
    pub initial: u32,
    /// The stores: what the cells of the module may hold.
    pub stores: Vec<NestedStore>,
    /// The activations of procedures that may wait.
    pub activations: Vec<NestedActivation>,
    /// What follows what.
    pub edges: Vec<NestedEdge>,
}

/// Stores that no play tells apart and at which the same activations can wait.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NestedStore {
    /// How many stores they are.
    pub members: usize,
    /// The cells that say something about them.
    pub cells: Vec<NestedCell>,
}

/// What a cell may hold.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NestedCell {
    /// The cell, or the element of an array.
    pub name: String,
    /// The values.
    pub values: Vec<String>,
}

/// An activation that waits.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NestedActivation {
    /// A name for it: that of the procedure with a number.
    pub name: String,
    /// The procedure.
    pub procedure: String,
    /// Whether the module called the procedure itself.
    pub inner: bool,
    /// The function that it waits for.
    pub waits_for: String,
    /// What the environment may call meanwhile; everything that it knows, if it is not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<Vec<String>>,
    /// The places of the call.
    pub places: Vec<Place>,
    /// The cells that tell it from others that wait at the same place.
    pub cells: Vec<NestedCell>,
}

/// An answer of a module.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NestedEdge {
    /// The store.
    pub store: u32,
    /// The activation that goes on; none where the environment calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits: Option<u32>,
    /// The move of the environment, or the end of the procedure that the activation waits for.
    pub given: String,
    /// Whether it is the end of a procedure of the module.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
    /// What the module does.
    pub kind: NestedReply,
    /// The move of the module, as it is written; none if it does not move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// If it calls: the activations that wait then, outermost first. The activation that went on is one of them, as it is then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opens: Vec<u32>,
    /// The store afterwards; none if nothing follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<u32>,
}

/// What a module does.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum NestedReply {
    /// It calls a function of the environment.
    Call,
    /// It returns from the call that the activation began with.
    Return,
    /// The activation ends, and the one that waits for it goes on.
    End,
    /// It fails.
    Fail,
    /// It ends the process.
    Exit,
    /// It never moves again.
    Nothing,
}
