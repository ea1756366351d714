//! The solver as the engine asks it: only about what is connected, and nothing twice.

use std::collections::VecDeque;
use std::rc::Rc;

use agon_games::symbolic::Judge;
use agon_solve::{Answer, Claim, Limit, Model, Name, Reason, Solver, Term, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// A solver, and what is known of its answers.
pub(super) struct Oracle {
    solver: Box<dyn Solver>,
    limit: Limit,
    /// What is known of each constant: the range of its type.
    bounds: FxHashMap<Term, Box<[Term]>>,
    constants: FxHashMap<Term, Rc<[Term]>>,
    known: FxHashMap<Box<[Term]>, bool>,
    /// Models that were good for something lately.
    models: VecDeque<Model>,
    /// What holds where the run that is judged began.
    base: Vec<Term>,
    /// Conditions that are known to be possible there.
    judged: Vec<Term>,
    /// How often the solver was asked.
    pub asked: u64,
    /// Why it did not know, the first time that it did not.
    pub failure: Option<Reason>,
}

/// So many models are tried before the solver is asked.
const MODELS: usize = 6;

impl Oracle {
    pub(super) fn new(solver: Box<dyn Solver>, limit: Limit) -> Oracle {
        Oracle {
            solver,
            limit,
            bounds: FxHashMap::default(),
            constants: FxHashMap::default(),
            known: FxHashMap::default(),
            models: VecDeque::new(),
            base: Vec::new(),
            judged: Vec::new(),
            asked: 0,
            failure: None,
        }
    }

    /// Says what is known of a constant.
    pub(super) fn bound(&mut self, constant: Term, claims: Vec<Term>) {
        if !claims.is_empty() {
            self.bounds.insert(constant, claims.into());
        }
    }

    /// A run begins where these hold.
    pub(super) fn begin(&mut self, base: &[Term]) {
        self.base = base.to_vec();
        self.judged.clear();
    }

    pub(super) fn constants(&mut self, terms: &Terms, term: Term) -> Rc<[Term]> {
        self.constants.entry(term).or_insert_with(|| terms.constants(term).into()).clone()
    }

    /// Whether something may be true where others are that can be true.
    pub(super) fn may(&mut self, terms: &Terms, base: &[Term], new: &[Term]) -> bool {
        let mut claims: Vec<Term> = Vec::new();
        let mut constants: FxHashSet<Term> = FxHashSet::default();
        for term in new {
            match terms.literal(*term) {
                Some(Value::Truth(true)) => {}
                Some(_) => return false,
                None => {
                    claims.push(*term);
                    constants.extend(self.constants(terms, *term).iter());
                }
            }
        }
        if claims.is_empty() {
            return true;
        }
        let mut left: Vec<Term> = base.to_vec();
        loop {
            let before = left.len();
            left.retain(|term| {
                let theirs =
                    self.constants.entry(*term).or_insert_with(|| terms.constants(*term).into()).clone();
                let connected = theirs.iter().any(|constant| constants.contains(constant));
                if connected {
                    constants.extend(theirs.iter());
                    claims.push(*term);
                }
                !connected
            });
            if left.len() == before {
                break;
            }
        }
        claims.sort_unstable();
        claims.dedup();
        if let Some(known) = self.known.get(&claims[..]) {
            return *known;
        }
        let key: Box<[Term]> = claims.clone().into();
        for constant in &constants {
            claims.extend(self.bounds.get(constant).iter().flat_map(|bounds| bounds.iter()));
        }
        let holds = |model: &Model| {
            let values = model.values(terms, claims.iter().copied());
            claims.iter().all(|claim| values[claim].is_true())
        };
        if let Some(n) = self.models.iter().position(holds) {
            self.models.swap(0, n);
            self.known.insert(key, true);
            return true;
        }
        let may = match self.ask(terms, &claims) {
            Answer::Sat(model) => {
                self.models.truncate(MODELS - 1);
                self.models.push_front(model);
                true
            }
            Answer::Unsat(_) => false,
            // What is not known may be.
            Answer::Unknown(_) => return true,
        };
        self.known.insert(key, may);
        may
    }

    /// What is known of the constants in some terms.
    pub(super) fn bounds(&mut self, terms: &Terms, of: &[Term]) -> Vec<Term> {
        let mut constants: FxHashSet<Term> = FxHashSet::default();
        for term in of {
            constants.extend(self.constants(terms, *term).iter());
        }
        let mut claims: Vec<Term> =
            constants.iter().filter_map(|constant| self.bounds.get(constant)).flatten().copied().collect();
        claims.sort_unstable();
        claims
    }

    /// Asks about claims as they are; their names are their places.
    pub(super) fn ask(&mut self, terms: &Terms, claims: &[Term]) -> Answer {
        self.asked += 1;
        let claims: Vec<Claim> =
            (0..).map(Name).zip(claims).map(|(name, term)| Claim { name, term: *term }).collect();
        let answer = self.solver.check(terms, &claims, &self.limit);
        if let Answer::Unknown(reason) = &answer {
            self.failure.get_or_insert_with(|| reason.clone());
        }
        answer
    }
}

impl Judge for Oracle {
    fn may_be(&mut self, terms: &Terms, conditions: &[Term]) -> bool {
        let common = self.judged.iter().zip(conditions).take_while(|(a, b)| a == b).count();
        self.judged.truncate(common);
        if common == conditions.len() {
            return true;
        }
        let base: Vec<Term> = self.base.iter().chain(&self.judged).copied().collect();
        let may = self.may(terms, &base, &conditions[common..]);
        if may {
            self.judged = conditions.to_vec();
        }
        may
    }
}
