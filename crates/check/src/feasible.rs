//! Whether an abstract play can be played, asked of a solver: the play in single-assignment form [PRED, §4.4].
//!
//! The play is run over terms. Where the program cannot tell which way to go, each is followed whose conditions the
//! solver does not refute. At the end it gives the numbers.

use std::sync::Arc;

use agon_base::budget::Budget;
use agon_base::explore::depth_first;
use agon_games::arena::Arena;
use agon_games::interval::Interval;
use agon_games::machine::{
    CallMemo, Code, Machine, Offer, OfferData, Reaction, SilentRun, Stacked, State, Told, Waiting,
};
use agon_games::moves::Move;
use agon_games::strategy::Strategy;
use agon_games::symbolic::{Symbolic, Value, operators};
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
    /// It does not know.
    Unknown,
}

/// At most this many paths through a play are tried.
const MOST_WAYS: usize = 10_000;
/// A run of P's may ask this often whether to go on.
const MOST_PATIENCE: u64 = 16;

/// A strategy over terms whose runs are followed one by one.
trait Followed: Strategy<Domain = Symbolic> {
    /// The machine that runs.
    fn machine(&mut self) -> &mut Machine<Symbolic>;

    /// What waits below a run.
    type Below: Clone;

    /// Where a run begins with the n-th of the offers, the offer, and what waits below the run.
    fn begin(&self, at: &Self::Position, n: usize) -> Option<(State, Offer<Value>, Self::Below)>;

    /// The run that follows another without a move, if one does.
    fn silent(&mut self, below: &mut Self::Below, run: &Reaction<Value>) -> Option<SilentRun<Value>>;

    /// The position after a run. Nothing if the play is over, or cannot be followed.
    fn arrive(&mut self, below: Self::Below, run: &Reaction<Value>) -> Option<Self::Position>;
}

impl Followed for Machine<Symbolic> {
    fn machine(&mut self) -> &mut Machine<Symbolic> {
        self
    }

    type Below = ();

    fn begin(&self, at: &State, n: usize) -> Option<(State, Offer<Value>, ())> {
        Some((*at, self.offers(*at).get(n)?.clone(), ()))
    }

    fn silent(&mut self, (): &mut (), _: &Reaction<Value>) -> Option<SilentRun<Value>> {
        None
    }

    fn arrive(&mut self, (): (), run: &Reaction<Value>) -> Option<State> {
        run.next
    }
}

impl Followed for Stacked<Symbolic> {
    fn machine(&mut self) -> &mut Machine<Symbolic> {
        &mut self.0
    }

    type Below = Vec<Waiting>;

    fn begin(&self, at: &Self::Position, n: usize) -> Option<(State, Offer<Value>, Vec<Waiting>)> {
        Stacked::begin(self, at, n)
    }

    fn silent(&mut self, below: &mut Vec<Waiting>, run: &Reaction<Value>) -> Option<SilentRun<Value>> {
        Stacked::silent(self, below, run)
    }

    fn arrive(&mut self, below: Vec<Waiting>, run: &Reaction<Value>) -> Option<Self::Position> {
        Stacked::arrive(self, below, run)
    }
}

/// What O gives with a move, as constants: a number, where to point, and the arguments of a call.
#[derive(Default)]
struct Constants {
    value: Option<Term>,
    index: Option<Term>,
    arguments: Vec<Term>,
}

struct Following<'a, S> {
    skeleton: &'a Skeleton,
    strategy: S,
    solver: &'a mut dyn Solver,
    budget: &'a Budget,
    /// What O gives with each pair.
    given: Vec<Constants>,
    /// The most calls and returns that nobody sees, for each pair.
    silent: &'a [usize],
    ways_left: usize,
    unclear: bool,
}

/// Asks a solver whether a play of a program can be played.
pub fn feasible(
    code: &Arc<Code>,
    arena: &Arc<Arena>,
    skeleton: &Skeleton,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Feasible {
    follow(machine(code, arena), skeleton, &[], solver, budget)
}

/// Asks a solver whether a play of a module can be played, with at most this many calls and returns that nobody sees in each pair.
pub fn feasible_for_module(
    code: &Arc<Code>,
    arena: &Arc<Arena>,
    (skeleton, silent): (&Skeleton, &[usize]),
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Feasible {
    follow(Stacked(machine(code, arena)), skeleton, silent, solver, budget)
}

fn machine(code: &Arc<Code>, arena: &Arc<Arena>) -> Machine<Symbolic> {
    let memo = CallMemo { remember_after: u64::MAX, forget: true };
    Machine::new(code.clone(), arena.clone(), Symbolic::default()).with_call_memo(memo)
}

fn follow<S: Followed>(
    strategy: S,
    skeleton: &Skeleton,
    silent: &[usize],
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Feasible {
    let given = Vec::new();
    Following { skeleton, strategy, solver, budget, given, silent, ways_left: MOST_WAYS, unclear: false }
        .run()
}

impl<S: Followed> Following<'_, S> {
    fn run(&mut self) -> Feasible {
        let mut claims = Vec::new();
        for (n, pair) in self.skeleton.pairs.iter().enumerate() {
            let mut constant = |interval: &Interval, name: String| {
                let domain = self.strategy.machine().domain_mut();
                let term = domain.constant(name);
                claims.extend(operators::within(domain.terms(), term, interval.low(), interval.high()));
                term
            };
            let Given { value, index, arguments } = &pair.given;
            let value = value.as_ref().map(|value| constant(value, format!("v{n}")));
            let index = index.as_ref().map(|index| constant(index, format!("i{n}")));
            let arguments = arguments.iter().enumerate();
            let arguments = arguments.map(|(k, argument)| constant(argument, format!("a{n}.{k}"))).collect();
            self.given.push(Constants { value, index, arguments });
        }
        // Positions to go on from: after how many pairs, and under which conditions.
        let start = (0, self.strategy.start(), claims);
        let tried = depth_first(vec![start], |waiting, (n, state, claims)| {
            if self.ways_left == 0 || self.budget.is_exhausted() {
                return Err(Feasible::Unknown);
            }
            self.ways_left -= 1;
            let is_last = n + 1 == self.skeleton.pairs.len();
            let Some(ways) = self.ways(n, &state, &claims) else {
                self.unclear = true;
                return Ok(());
            };
            for (next, conditions) in ways.into_iter().rev() {
                let mut claims = claims.clone();
                claims.extend(conditions);
                if is_last {
                    if let Some(numbers) = self.ask(&claims) {
                        return Err(Feasible::With(numbers));
                    }
                } else if let Some(next) = next
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

    /// The ways in which P may answer as it should: where each leads, and what must be so.
    #[allow(clippy::type_complexity, reason = "what each way is")]
    fn ways(
        &mut self,
        n: usize,
        at: &S::Position,
        claims: &[Term],
    ) -> Option<Vec<(Option<S::Position>, Vec<Term>)>> {
        let pair = &self.skeleton.pairs[n];
        let (state, offer, below) = self.strategy.begin(at, pair.offer?)?;
        let Constants { value, index, arguments } = &self.given[n];
        let machine = self.strategy.machine();
        let components = machine.arena().component(offer.component).arguments.clone();
        let named = components.iter().zip(arguments).chain(value.iter().map(|term| (&offer.component, term)));
        let named = named.filter_map(|(component, term)| machine.is_known(state, *component, *term));
        let named: Vec<Term> = named.collect();
        let index = index.map(Value::new);
        let element = index.or(offer.element);
        let arguments = arguments.iter().map(|argument| Value::new(*argument)).collect();
        let data = OfferData { element, index, value: value.map(Value::new), arguments };
        if pair.answer.is_none() {
            // O's own move is the target.
            let asked = offer.with(data);
            return Some(vec![(None, self.meets(&asked))]);
        }
        let most = self.silent.get(n).copied().unwrap_or(0);
        let first = (below, most, named, SilentRun::Ends(state, offer, data));
        let mut found = Vec::new();
        depth_first(vec![first], |waiting, (below, left, before, run)| {
            for (reaction, conditions) in self.run_each(run).ok_or(())? {
                let conditions = [&before[..], &conditions].concat();
                let mut below = below.clone();
                match self.strategy.silent(&mut below, &reaction) {
                    None => found.push((below, reaction, conditions)),
                    Some(next) if left > 0 && self.may_be(&[claims, &conditions].concat()) => {
                        waiting.push((below, left - 1, conditions, next));
                    }
                    // The play that is looked for makes no more calls.
                    Some(_) => {}
                }
            }
            if self.ways_left == 0 || self.budget.is_exhausted() { Err(()) } else { Ok(()) }
        })
        .ok()?;
        let pair = &self.skeleton.pairs[n];
        let mut ways = Vec::new();
        for (below, reaction, mut conditions) in found {
            let Move { component, label, .. } = &reaction.label;
            if pair.answer.as_ref().is_none_or(|(at, said)| at != component || !said.says_what(label)) {
                continue;
            }
            if n + 1 == self.skeleton.pairs.len() {
                conditions.extend(self.meets(&reaction.label));
            }
            ways.push((self.strategy.arrive(below, &reaction), conditions));
        }
        Some(ways)
    }

    /// What a run comes to in each way, and what must be so.
    fn run_each(&mut self, run: SilentRun<Value>) -> Option<Vec<(Reaction<Value>, Vec<Term>)>> {
        let mut found = Vec::new();
        let mut visit = |domain: &mut Symbolic, told: Told<Value>| {
            let conditions = domain.take_conditions();
            if let Told::Move(reaction, _) = told {
                found.push((reaction, conditions));
            }
        };
        let budget = &self.budget.with_patience(MOST_PATIENCE);
        let machine = self.strategy.machine();
        machine.domain_mut().take_conditions();
        let stopped = match run {
            SilentRun::Begins(state, component, arguments) => {
                machine.enter_each(state, (component, &arguments), &mut visit, budget)
            }
            SilentRun::Ends(state, offer, data) => machine.play_each(state, &offer, data, &mut visit, budget),
        };
        stopped.ok()?;
        self.ways_left = self.ways_left.saturating_sub(found.len());
        Some(found)
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
            let domain = self.strategy.machine().domain_mut();
            let (term, guard) = domain.term(&value);
            let terms = domain.terms();
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
        self.solver.check(self.strategy.machine().domain_mut().terms(), &claims, &time)
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
        let terms = self.strategy.machine().domain_mut().terms();
        let number = |term: &Term| {
            let values = model.values(terms, [*term]);
            Interval::point(values[term].number().clone())
        };
        let given = self.given.iter().map(|Constants { value, index, arguments }| Given {
            value: value.as_ref().map(number),
            index: index.as_ref().map(number),
            arguments: arguments.iter().map(number).collect(),
        });
        Some(given.collect())
    }
}
