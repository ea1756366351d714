//! Whether an abstract play can be played, asked of a solver: the play in single-assignment form [PRED, §4.4].
//!
//! The play is run over terms. Where the program cannot tell which way to go, each is followed whose conditions the
//! solver does not refute. At the end it gives the numbers.

use std::sync::Arc;

use agon_base::budget::Budget;
use agon_base::explore::depth_first;
use agon_games::arena::Arena;
use agon_games::interval::Interval;
use agon_games::machine::{CallMemo, Code, Machine, OfferData, Reaction, State, Told};
use agon_games::moves::Move;
use agon_games::symbolic::{Symbolic, Value};
use agon_solve::{Answer, Claim, Name, Solver, Term};

use crate::concretise::{Given, Skeleton};
use crate::solvers::solving;

/// What the solver says of a play.
#[derive(Clone, Debug)]
pub enum Feasible {
    /// It can be played with these numbers.
    With(Vec<Given>),
    /// It cannot be played.
    Not,
    /// Nobody knows.
    Unknown,
}

/// At most this many paths through a play are tried.
const MOST_WAYS: usize = 10_000;
/// A run of P's may ask this often whether to go on.
const MOST_PATIENCE: u64 = 16;

struct Following<'a> {
    skeleton: &'a Skeleton,
    machine: Machine<Symbolic>,
    solver: &'a mut dyn Solver,
    budget: &'a Budget,
    /// For each pair what O gives, as constants: a number, and where to point.
    given: Vec<(Option<Term>, Option<Term>)>,
    ways_left: usize,
    unclear: bool,
}

/// Asks a solver whether a play can be played.
pub fn feasible(
    code: &Arc<Code>,
    arena: &Arc<Arena>,
    skeleton: &Skeleton,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Feasible {
    let memo = CallMemo { remember_after: u64::MAX, forget: true };
    let machine = Machine::new(code.clone(), arena.clone(), Symbolic::default()).with_call_memo(memo);
    let mut following = Following {
        skeleton,
        machine,
        solver,
        budget,
        given: Vec::new(),
        ways_left: MOST_WAYS,
        unclear: false,
    };
    following.run()
}

impl Following<'_> {
    fn run(&mut self) -> Feasible {
        let mut claims = Vec::new();
        for (n, pair) in self.skeleton.pairs.iter().enumerate() {
            let mut constant = |interval: &Option<Interval>, name: String| {
                let interval = interval.as_ref()?;
                let domain = self.machine.domain_mut();
                let term = domain.constant(name);
                claims.extend(domain.within(term, interval.low(), interval.high()));
                Some(term)
            };
            let value = constant(&pair.given.value, format!("v{n}"));
            let index = constant(&pair.given.index, format!("i{n}"));
            self.given.push((value, index));
        }
        // Positions to go on from: after how many pairs, and under which conditions.
        let start = (0, self.machine.start(), claims);
        let tried = depth_first(vec![start], |waiting, (n, state, claims)| {
            if self.ways_left == 0 || self.budget.is_exhausted() {
                return Err(Feasible::Unknown);
            }
            self.ways_left -= 1;
            let is_last = n + 1 == self.skeleton.pairs.len();
            let Some(ways) = self.ways(n, state) else {
                self.unclear = true;
                return Ok(());
            };
            for (reaction, conditions) in ways.into_iter().rev() {
                let mut claims = claims.clone();
                claims.extend(conditions);
                if is_last {
                    if let Some(numbers) = self.ask(&claims) {
                        return Err(Feasible::With(numbers));
                    }
                } else if let Some(next) = reaction.and_then(|reaction| reaction.next)
                    && self.may_be(&claims)
                {
                    waiting.push((n + 1, next, claims));
                }
            }
            Ok(())
        });
        match tried {
            Err(early) => early,
            Ok(()) if self.unclear => Feasible::Unknown,
            Ok(()) => Feasible::Not,
        }
    }

    /// The ways in which P may answer as it should, each with what must be so.
    #[allow(clippy::type_complexity, reason = "what each way is")]
    fn ways(&mut self, n: usize, state: State) -> Option<Vec<(Option<Reaction<Value>>, Vec<Term>)>> {
        let pair = &self.skeleton.pairs[n];
        let offers = self.machine.offers(state);
        let offer = offers.get(pair.offer?)?;
        let (value, index) = self.given[n];
        let index = index.map(Value::new);
        let element = index.or(offer.element);
        let data = OfferData { element, index, value: value.map(Value::new), ..OfferData::default() };
        if pair.answer.is_none() {
            // O's own move is the target.
            let asked = offer.with(data);
            return Some(vec![(None, self.meets(&asked))]);
        }
        let mut found = Vec::new();
        let most = self.ways_left;
        let mut visit = |domain: &mut Symbolic, told: Told<Value>| {
            let conditions = domain.take_conditions();
            if let Told::Move(reaction, _) = told {
                found.push((reaction, conditions));
            }
        };
        let budget = &self.budget.with_patience(MOST_PATIENCE);
        self.machine.domain_mut().take_conditions();
        self.machine.play_each(state, offer, data, &mut visit, budget).ok()?;
        self.ways_left = most.saturating_sub(found.len());
        let mut ways = Vec::new();
        for (reaction, mut conditions) in found {
            let Move { component, label, .. } = &reaction.label;
            if pair.answer.as_ref().is_none_or(|(at, said)| at != component || !said.says_what(label)) {
                continue;
            }
            if n + 1 == self.skeleton.pairs.len() {
                conditions.extend(self.meets(&reaction.label));
            }
            ways.push((Some(reaction), conditions));
        }
        Some(ways)
    }

    /// What must be so for a move to be the target.
    fn meets(&mut self, m: &Move<Value>) -> Vec<Term> {
        let target = &self.skeleton.target;
        let mut pairs = Vec::new();
        if let (Some(value), Some(n)) = (m.label.value(), target.label.value()) {
            pairs.push((*value, n.clone()));
        }
        if let (Some(at), Some(n)) = (m.element, &target.element) {
            pairs.push((at, n.clone()));
        }
        let mut claims = Vec::new();
        for (value, n) in pairs {
            let (term, guard) = self.machine.domain().term(&value);
            let terms = self.machine.domain_mut().terms();
            let number = terms.int(n);
            claims.push(terms.equal(term, number));
            claims.extend(guard);
        }
        claims
    }

    fn answer(&mut self, claims: &[Term]) -> Answer {
        let claims: Vec<Claim> =
            (0..).map(Name).zip(claims).map(|(name, term)| Claim { name, term: *term }).collect();
        let time = solving(self.budget);
        self.solver.check(self.machine.domain_mut().terms(), &claims, &time)
    }

    /// Whether the solver does not refute claims.
    fn may_be(&mut self, claims: &[Term]) -> bool {
        !matches!(self.answer(claims), Answer::Unsat(_))
    }

    /// Numbers with which claims are true.
    fn ask(&mut self, claims: &[Term]) -> Option<Vec<Given>> {
        let model = match self.answer(claims) {
            Answer::Sat(model) => model,
            Answer::Unsat(_) => return None,
            Answer::Unknown(_) => {
                self.unclear = true;
                return None;
            }
        };
        let terms = self.machine.domain_mut().terms();
        let number = |term: Option<Term>| {
            let term = term?;
            let values = model.values(terms, [term]);
            Some(Interval::point(values[&term].number().clone()))
        };
        let given = self.given.iter().map(|(value, index)| Given::pair(number(*value), number(*index)));
        Some(given.collect())
    }
}
