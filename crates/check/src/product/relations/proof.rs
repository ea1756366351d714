//! Why two programs are equal, in words of the source.

use agon_base::source::Span;

use super::Written;
use crate::equiv::Side;

/// Why two programs are equal: relations between what they hold.
#[derive(Clone, Debug, Default)]
pub struct Proof {
    /// What holds where it is the environment's turn.
    pub relations: Vec<Holding>,
    /// Where both programs are in silent loops, those in which only one of them runs on.
    pub alignment: Vec<Aligned>,
    /// Why no program runs for ever while the other one does nothing.
    pub ranks: Vec<Ranked>,
    /// If there are finitely many plays, and all were looked at, with terms for what the environment gives: in how many
    /// steps. Then no relations are needed.
    pub walked: Option<usize>,
    /// How often the solver was asked.
    pub asked: u64,
    /// All of it, to be checked again.
    pub certificate: Option<Box<Written>>,
}

/// What holds at a position where it is the environment's turn.
#[derive(Clone, Debug)]
pub struct Holding {
    /// The identifier that was asked for; empty before the first move.
    pub at: String,
    /// Where each program waits, if it does.
    pub places: [Option<Span>; 2],
    /// Whether one program only is left.
    pub alone: Option<Side>,
    /// What holds, in words of the source.
    pub holds: Vec<String>,
}

/// Two silent loops of which only one runs on.
#[derive(Clone, Debug)]
pub struct Aligned {
    /// Where the loops are.
    pub loops: [Option<Span>; 2],
    /// The program that runs on.
    pub runs: Side,
}

/// A number that falls in a loop.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// The program that runs.
    pub side: Side,
    /// Where the loop is.
    pub place: Option<Span>,
    /// The number, in words of the source.
    pub number: String,
}
