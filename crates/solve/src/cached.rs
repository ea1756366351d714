//! Answers that are remembered: the same claims are not asked about twice.

use rustc_hash::FxHashMap;

use crate::eval::Model;
use crate::solver::{Answer, Claim, Limit, Solver};
use crate::term::{Term, Terms};

/// A solver whose answers are kept, whatever the order and the names of the claims. What was unknown is asked again.
#[derive(Clone, Debug)]
pub struct Cached<S> {
    solver: S,
    known: FxHashMap<Vec<Term>, Known>,
    /// How many questions were answered without asking.
    pub hits: u64,
    /// How many were asked.
    pub misses: u64,
}

#[derive(Clone, Debug)]
enum Known {
    Sat(Model),
    /// The claims that contradict each other.
    Unsat(Vec<Term>),
}

impl<S: Solver> Cached<S> {
    /// A solver whose answers will be kept.
    pub fn new(solver: S) -> Cached<S> {
        Cached { solver, known: FxHashMap::default(), hits: 0, misses: 0 }
    }
}

impl<S: Solver> Solver for Cached<S> {
    fn check(&mut self, terms: &Terms, claims: &[Claim], limit: &Limit) -> Answer {
        let mut key: Vec<Term> = claims.iter().map(|claim| claim.term).collect();
        key.sort_unstable();
        key.dedup();
        if let Some(known) = self.known.get(&key) {
            self.hits += 1;
            return match known {
                Known::Sat(model) => Answer::Sat(model.clone()),
                Known::Unsat(core) => {
                    // Of two claims of one term, the first is as good as both.
                    let name =
                        |term: &Term| claims.iter().find(|claim| claim.term == *term).map(|claim| claim.name);
                    Answer::Unsat(core.iter().filter_map(name).collect())
                }
            };
        }
        self.misses += 1;
        let answer = self.solver.check(terms, claims, limit);
        match &answer {
            Answer::Sat(model) => {
                self.known.insert(key, Known::Sat(model.clone()));
            }
            Answer::Unsat(core) => {
                let named = |claim: &&Claim| core.contains(&claim.name);
                self.known.insert(key, Known::Unsat(claims.iter().filter(named).map(|c| c.term).collect()));
            }
            Answer::Unknown(_) => {}
        }
        answer
    }
}
