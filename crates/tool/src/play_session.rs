//! A play session: a play of a program that a user makes move by move, for `agon play` and the workbench.

pub mod concurrent;
pub mod module;
pub mod sequential;

use agon_base::budget::Budget;
use agon_base::source::Span;
use agon_check::verdict::Reason;
use agon_core::term::Mode;
use agon_games::arena::Arena;
use agon_games::moves::{Label, Player, ThreadMove};
use agon_games::play::Play;
use serde::{Deserialize, Serialize};

use crate::session::Session;

/// Whether a play goes on after a move.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It goes on.
    #[serde(rename = "open")]
    GoesOn,
    /// It is complete.
    Complete,
    /// P never moves again.
    Diverges,
}

/// Possible moves that differ only in their data.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The player.
    pub player: Player,
    /// The first of them.
    pub first: String,
    /// The last of them, if there are several, and finitely many.
    pub last: Option<String>,
    /// Whether there are infinitely many.
    pub endless: bool,
    /// The place in the program that they come from.
    pub span: Option<Span>,
}

/// A play of a sequential or a concurrent program.
pub enum PlaySession<'a> {
    /// O moves, then P.
    Sequential(Box<sequential::PlaySession<'a>>),
    /// Both may move at any time.
    Concurrent(Box<concurrent::PlaySession<'a>>),
}

impl<'a> PlaySession<'a> {
    /// A play without moves.
    pub fn start(session: &'a Session, budget: &Budget) -> Result<PlaySession<'a>, Reason> {
        let code = session.code()?;
        Ok(match session.judgement.mode {
            Mode::Sequential => {
                PlaySession::Sequential(Box::new(sequential::PlaySession::new(session, code)))
            }
            Mode::Concurrent => {
                PlaySession::Concurrent(Box::new(concurrent::PlaySession::new(session, code, budget)?))
            }
        })
    }

    /// The play so far.
    pub fn play(&self) -> &Play {
        match self {
            PlaySession::Sequential(game) => &game.play,
            PlaySession::Concurrent(game) => &game.play,
        }
    }

    /// The possible moves.
    pub fn choices(&self) -> Vec<Choice> {
        match self {
            PlaySession::Sequential(game) => game.choices(),
            PlaySession::Concurrent(game) => game.choices(),
        }
    }

    /// Makes P's move if it is the only possible one.
    pub fn forced(&mut self, budget: &Budget) -> Option<Result<Outcome, Reason>> {
        match self {
            PlaySession::Sequential(_) => None,
            PlaySession::Concurrent(game) => game.forced(budget),
        }
    }

    /// Takes back the last choice and what followed it; returns whether there was one.
    pub fn undo(&mut self) -> bool {
        match self {
            PlaySession::Sequential(game) => game.undo(),
            PlaySession::Concurrent(game) => game.undo(),
        }
    }

    /// Makes a move that is given as text; or says why it is not possible here. In a sequential program, P answers it at
    /// once.
    pub fn make(&mut self, text: &str, budget: &Budget) -> Result<Result<Outcome, String>, Reason> {
        match self {
            PlaySession::Sequential(game) => game.make_written(text, budget),
            PlaySession::Concurrent(game) => game.make_written(text, budget),
        }
    }
}

/// The player of a move.
pub fn player(arena: &Arena, m: &ThreadMove) -> Player {
    if m.m.label == Label::Abort { Player::P } else { arena.player(&m.m) }
}
