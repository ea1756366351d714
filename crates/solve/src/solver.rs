//! The one thing that a solver does: it answers whether claims can all be true.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agon_base::growth::Memory;

use crate::eval::Model;
use crate::term::{Term, Terms};

agon_base::id! {
    /// The caller's name for a claim.
    pub Name;
}

/// A term of sort Bool that is claimed to be true, by name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Claim {
    /// Its name.
    pub name: Name,
    /// What is claimed.
    pub term: Term,
}

/// What a solver says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// All claims are true here. Our evaluator has seen it.
    Sat(Model),
    /// These claims cannot all be true, whatever the others are.
    Unsat(Vec<Name>),
    /// Unknown, with the reason.
    Unknown(Reason),
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The time is over.
    Time,
    /// The memory is used up.
    Memory,
    /// The caller has cancelled the question.
    Cancelled,
    /// The solver has no method for such questions.
    Beyond(String),
    /// The solver's program is not there, died, or said what is no answer.
    Broken(String),
    /// The solver says that there is a model, but this claim is false in the one that it gives.
    WrongModel(Name),
    /// Two solvers contradict each other.
    Difference(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Time => write!(f, "the solver's time is over"),
            Reason::Memory => write!(f, "the solver's memory is used up"),
            Reason::Cancelled => write!(f, "the solver was interrupted"),
            Reason::Beyond(what) => write!(f, "the solver does not decide {what}"),
            Reason::Broken(what) => write!(f, "{what}"),
            Reason::WrongModel(_) => write!(f, "the solver gave a model in which not all claims are true"),
            Reason::Difference(what) => write!(f, "two solvers contradict each other: {what}"),
        }
    }
}

/// What an answer may cost.
#[derive(Clone, Default, Debug)]
pub struct Limit {
    /// When to stop.
    pub deadline: Option<Instant>,
    /// How much memory the process may have, where it is counted.
    pub memory: Option<Memory>,
    /// Set from outside to stop at once.
    pub cancelled: Arc<AtomicBool>,
}

impl Limit {
    /// So much time from now.
    pub fn within(time: Duration) -> Limit {
        Limit { deadline: Some(Instant::now() + time), ..Limit::default() }
    }

    /// Why to stop now, if at all.
    pub fn over(&self) -> Option<Reason> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Reason::Cancelled);
        }
        if self.memory.is_some_and(|memory| memory.excess() > 0) {
            return Some(Reason::Memory);
        }
        self.deadline.is_some_and(|deadline| Instant::now() > deadline).then_some(Reason::Time)
    }
}

/// Answers whether claims can all be true.
///
/// All questions to one solver are about the same [`Terms`], which may grow from one to the next. A solver may
/// remember what it learnt; claims that begin as those of the last question did are answered sooner by some.
pub trait Solver {
    /// Whether all these claims can be true.
    fn check(&mut self, terms: &Terms, claims: &[Claim], limit: &Limit) -> Answer;
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn check(&mut self, terms: &Terms, claims: &[Claim], limit: &Limit) -> Answer {
        (**self).check(terms, claims, limit)
    }
}

/// The answer that a model is worth: that claims can be true, if they are true in it.
pub fn believe(terms: &Terms, claims: &[Claim], model: Model) -> Answer {
    let values = model.values(terms, claims.iter().map(|claim| claim.term));
    match claims.iter().find(|claim| !values[&claim.term].is_true()) {
        None => Answer::Sat(model),
        Some(claim) => Answer::Unknown(Reason::WrongModel(claim.name)),
    }
}
