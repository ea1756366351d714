//! Two solvers: whatever one answers, the other is asked too.

use crate::solver::{Answer, Claim, Limit, Reason, Solver};
use crate::term::Terms;

/// A solver and a second one that watches it. The first contradiction is the last answer: nothing that either says
/// is believed after it. If the second does not know, the first is believed; if it breaks, the answer is unknown, since
/// nobody has looked at it.
#[derive(Clone, Debug)]
pub struct Checked<A, B> {
    first: A,
    second: B,
    names: [String; 2],
    difference: Option<Reason>,
}

impl<A: Solver, B: Solver> Checked<A, B> {
    /// A solver, watched by another.
    pub fn new(first: A, second: B) -> Checked<A, B> {
        Checked { first, second, names: ["one".into(), "the other".into()], difference: None }
    }

    /// The same, with names to call them by when they differ.
    pub fn called(self, first: &str, second: &str) -> Checked<A, B> {
        Checked { names: [first, second].map(|name| format!("`{name}`")), ..self }
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
        // Of a contradiction the core is looked at, since it claims more.
        let other = match &answer {
            Answer::Unsat(core) => {
                let core: Vec<Claim> =
                    claims.iter().filter(|claim| core.contains(&claim.name)).copied().collect();
                self.second.check(terms, &core, limit)
            }
            _ => self.second.check(terms, claims, limit),
        };
        if let (Some(one), Some(two)) = (said(&answer), said(&other))
            && one.can_be != two.can_be
        {
            let [first, second] = &self.names;
            let what = format!("{first} says {}, {second} says {}", one.words, two.words);
            let difference = Reason::Difference(what);
            self.difference = Some(difference.clone());
            return Answer::Unknown(difference);
        }
        match (&answer, other) {
            (Answer::Sat(_) | Answer::Unsat(_), Answer::Unknown(reason @ Reason::Broken(_))) => {
                Answer::Unknown(reason)
            }
            _ => answer,
        }
    }
}

/// What a solver said, whether or not it is believed.
struct Said {
    can_be: bool,
    words: &'static str,
}

fn said(answer: &Answer) -> Option<Said> {
    Some(match answer {
        Answer::Sat(_) => Said { can_be: true, words: "sat" },
        Answer::Unknown(Reason::WrongModel(_)) => Said { can_be: true, words: "sat with a wrong model" },
        Answer::Unsat(_) => Said { can_be: false, words: "unsat" },
        Answer::Unknown(_) => return None,
    })
}
