//! Verdicts: answers, with what was seen on the way to them.

use agon_games::arena::ComponentId;
use agon_games::play::Play;
use agon_lang::source::Span;
use agon_witness::environment::Closed;

use crate::budget::Limit;

/// An answer and its figures.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// The engine that gave it.
    pub engine: &'static str,
    /// How often it started over with a finer abstraction; 1 for the precise engine.
    pub iterations: usize,
    /// Distinct positions visited.
    pub states: usize,
    /// Pairs of a move of O's and P's answer that were tried.
    pub transitions: u64,
}

/// An answer.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No environment brings the target about.
    Safe,
    /// This play does, and the environment in the closed program has been seen to do it.
    Unsafe(Play, Closed),
    /// It could not be found out.
    Unknown(Reason),
}

/// Why it could not be found out.
#[derive(Clone, Debug)]
pub enum Reason {
    /// The budget ran out.
    Limit(Limit),
    /// The environment may answer any integer in this component, too many to try them all.
    Unbounded(ComponentId),
    /// Jumps leave calls that are nested in calls of the same identifier: the moves say too little.
    Ambiguous,
    /// No engine can run this.
    NoEngine {
        /// What it is.
        what: String,
        /// Where it stands.
        span: Span,
    },
    /// A play was found, but the budget ran out before the interpreter had confirmed it.
    Unconfirmed(Play),
    /// An engine found a play that was then refused: a mistake of ours.
    Unverified(String),
}
