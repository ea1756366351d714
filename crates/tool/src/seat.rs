//! A seat at the game: where a play stands, and what can be played next. `agon play` and the page both sit here.

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

use crate::session::Session;

/// How the play stands after a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It goes on.
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

/// A seat at the game of a program of either kind.
pub enum Seat<'a> {
    /// O moves, then P.
    Sequential(Box<sequential::Seat<'a>>),
    /// Both may move at any time.
    Concurrent(Box<concurrent::Seat<'a>>),
}

impl<'a> Seat<'a> {
    /// Sits down before the opening question.
    pub fn take(session: &'a Session, budget: &Budget) -> Result<Seat<'a>, Reason> {
        let code = compile_any(&session.judgement, &session.arena)?;
        Ok(match session.judgement.mode {
            Mode::Sequential => Seat::Sequential(Box::new(sequential::Seat::new(session, code))),
            Mode::Concurrent => Seat::Concurrent(Box::new(concurrent::Seat::new(session, code, budget)?)),
        })
    }

    /// The play so far.
    pub fn play(&self) -> &Play {
        match self {
            Seat::Sequential(seat) => &seat.play,
            Seat::Concurrent(seat) => &seat.play,
        }
    }

    /// What can be played.
    pub fn choices(&self) -> Vec<Choice> {
        match self {
            Seat::Sequential(seat) => seat.choices(),
            Seat::Concurrent(seat) => seat.choices(),
        }
    }

    /// Makes a move as it is written; of a sequential program, P answers it at once.
    pub fn make(&mut self, text: &str, budget: &Budget) -> Result<Outcome, Refusal> {
        match self {
            Seat::Sequential(seat) => seat.make_written(text, budget),
            Seat::Concurrent(seat) => seat.make_written(text, budget),
        }
    }
}

/// Who makes a move.
pub fn player(arena: &Arena, m: &ThreadMove) -> Player {
    if m.m.label == Label::Abort { Player::P } else { arena.player(&m.m) }
}
