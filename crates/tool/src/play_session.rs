//! A play session: where a play stands, and what can be played next. `agon play` and the workbench both use it.

pub mod concurrent;
pub mod sequential;

use agon_base::budget::Budget;
use agon_base::source::Span;
use agon_check::verdict::Reason;
use agon_core::term::Mode;
use agon_games::arena::Arena;
use agon_games::machine::compile_any;
use agon_games::moves::{Label, Player, ThreadMove};
use agon_games::play::Play;
use serde::{Deserialize, Serialize};

use crate::session::Session;

/// How the play stands after a move.
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

/// Moves that can be made and differ in their data only.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Whose they are.
    pub player: Player,
    /// The first of them.
    pub first: String,
    /// The last of them, where there are several and not infinitely many.
    pub last: Option<String>,
    /// Whether there are infinitely many.
    pub endless: bool,
    /// The place in the program that they come from.
    pub span: Option<Span>,
}

/// Why a move was not made.
pub enum Refusal {
    /// It cannot be made here, as these words say.
    Wrong(String),
    /// It is not known what follows.
    Unknown(Reason),
}

impl From<Reason> for Refusal {
    fn from(reason: Reason) -> Refusal {
        Refusal::Unknown(reason)
    }
}

/// A play of a program of either kind.
pub enum PlaySession<'a> {
    /// O moves, then P.
    Sequential(Box<sequential::PlaySession<'a>>),
    /// Both may move at any time.
    Concurrent(Box<concurrent::PlaySession<'a>>),
}

impl<'a> PlaySession<'a> {
    /// Starts before the opening question.
    pub fn start(session: &'a Session, budget: &Budget) -> Result<PlaySession<'a>, Reason> {
        let code = compile_any(&session.judgement, &session.arena)?;
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

    /// What can be played.
    pub fn choices(&self) -> Vec<Choice> {
        match self {
            PlaySession::Sequential(game) => game.choices(),
            PlaySession::Concurrent(game) => game.choices(),
        }
    }

    /// Makes P's move where nobody can make another; nothing otherwise.
    pub fn forced(&mut self, budget: &Budget) -> Option<Result<Outcome, Reason>> {
        match self {
            PlaySession::Sequential(_) => None,
            PlaySession::Concurrent(game) => game.forced(budget),
        }
    }

    /// Takes the last choice and what followed it back; says whether there was one.
    pub fn undo(&mut self) -> bool {
        match self {
            PlaySession::Sequential(game) => game.undo(),
            PlaySession::Concurrent(game) => game.undo(),
        }
    }

    /// Makes a move as it is written; of a sequential program, P answers it at once.
    pub fn make(&mut self, text: &str, budget: &Budget) -> Result<Outcome, Refusal> {
        match self {
            PlaySession::Sequential(game) => game.make_written(text, budget),
            PlaySession::Concurrent(game) => game.make_written(text, budget),
        }
    }
}

/// Who makes a move.
pub fn player(arena: &Arena, m: &ThreadMove) -> Player {
    if m.m.label == Label::Abort { Player::P } else { arena.player(&m.m) }
}
