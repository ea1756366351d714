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
    /// The place in the text, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The contents of the program's cells after the move, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<Vec<Cell>>,
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
