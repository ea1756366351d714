//! Plays.

use serde::{Deserialize, Serialize};

use super::diagnostic::Place;

/// The player of a move.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Player {
    /// The environment.
    O,
    /// The program.
    P,
    /// No player: the move is hidden, or stands for moves that are left out.
    #[serde(rename = "")]
    Hidden,
}

impl From<agon_games::moves::Player> for Player {
    fn from(player: agon_games::moves::Player) -> Player {
        match player {
            agon_games::moves::Player::O => Player::O,
            agon_games::moves::Player::P => Player::P,
        }
    }
}

/// A move of a play.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Step {
    /// The player.
    pub player: Player,
    /// The move, as it is written.
    #[serde(rename = "move")]
    pub made: String,
    /// The move in words.
    pub reading: String,
    /// Of a module whose environment has several threads: the thread, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<usize>,
    /// Of a module: how many calls are open around the call that the move makes or answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// Of a module: what the move does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<MoveKind>,
    /// Of a module: the function that is called, or that returns or fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Of a module: the arguments of a call, or the value of a return.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Vec<String>>,
    /// Of a module: true if the environment calls the module while the module waits for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reentry: Option<bool>,
    /// The place in the text, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The contents of the program's cells after the move, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<Vec<Cell>>,
}

/// What a move of a module's play does.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum MoveKind {
    /// It calls a function.
    Call,
    /// It returns from one.
    Return,
    /// The module fails.
    Fail,
    /// The module ends the process.
    Exit,
}

/// A cell of the program and its contents.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Cell {
    /// An array.
    Array {
        /// Its name.
        name: String,
        /// Its first elements.
        elements: Vec<String>,
        /// The number of its elements.
        length: u64,
    },
    /// A variable or a semaphore.
    Variable {
        /// Its name.
        name: String,
        /// Its value.
        value: String,
    },
}
