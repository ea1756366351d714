//! Claims on a stack: push, claim, ask, pop.

use crate::solver::{Answer, Claim, Limit, Name, Solver};
use crate::term::{Sort, Term, Terms};

/// A solver with the claims that it will be asked about.
#[derive(Clone, Debug)]
pub struct Stack<S> {
    solver: S,
    claims: Vec<Claim>,
    marks: Vec<usize>,
}

impl<S: Solver> Stack<S> {
    /// A solver, and no claims.
    pub fn new(solver: S) -> Stack<S> {
        Stack { solver, claims: Vec::new(), marks: Vec::new() }
    }

    /// Marks the place that the next [`Stack::pop`] goes back to.
    pub fn push(&mut self) {
        self.marks.push(self.claims.len());
    }

    /// Forgets what was claimed since the last mark, and the mark. Without a mark, all is forgotten.
    pub fn pop(&mut self) {
        self.claims.truncate(self.marks.pop().unwrap_or(0));
    }

    /// Claims that a term is true.
    pub fn claim(&mut self, terms: &Terms, name: Name, term: Term) {
        assert_eq!(terms.sort(term), Sort::Bool, "a claim is true or false");
        self.claims.push(Claim { name, term });
    }

    /// What is claimed.
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// Whether all that is claimed can be true.
    pub fn check(&mut self, terms: &Terms, limit: &Limit) -> Answer {
        self.solver.check(terms, &self.claims, limit)
    }
}
