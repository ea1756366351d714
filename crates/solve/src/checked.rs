//! Two solvers: whatever one answers, the other is asked too.

use crate::solver::{Answer, Claim, Limit, Reason, Solver};
use crate::term::Terms;

/// A solver and a second one that watches it. The first contradiction is the last answer: nothing that either says
/// is believed after it. If the second does not know, the first is believed.
#[derive(Clone, Debug)]
pub struct Checked<A, B> {
    first: A,
    second: B,
    difference: Option<Reason>,
}

impl<A: Solver, B: Solver> Checked<A, B> {
    /// A solver, watched by another.
    pub fn new(first: A, second: B) -> Checked<A, B> {
        Checked { first, second, difference: None }
    }

    /// The contradiction, if there was one.
    pub fn difference(&self) -> Option<&Reason> {
        self.difference.as_ref()
    }
}

impl<A: Solver, B: Solver> Solver for Checked<A, B> {
    fn check(&mut self, terms: &Terms, claims: &[Claim], limit: &Limit) -> Answer {
        if let Some(difference) = &self.difference {
            return Answer::Unknown(difference.clone());
        }
        let answer = self.first.check(terms, claims, limit);
        let difference = match (&answer, self.second.check(terms, claims, limit)) {
            (Answer::Sat(_), Answer::Unsat(_)) => {
                "claims that one satisfies cannot be satisfied for the other"
            }
            (Answer::Unsat(_), Answer::Sat(_)) => "claims that cannot be satisfied for one are by the other",
            (Answer::Unknown(Reason::WrongModel(_)), Answer::Unsat(_)) => {
                "one gave a wrong model of claims that cannot be satisfied for the other"
            }
            (Answer::Unsat(_), Answer::Unknown(Reason::WrongModel(_))) => {
                "claims that cannot be satisfied for one have a wrong model of the other"
            }
            _ => return answer,
        };
        let difference = Reason::Difference(difference.into());
        self.difference = Some(difference.clone());
        Answer::Unknown(difference)
    }
}
