//! Abstract states Ψ, expressions, and what a solver is asked about them [PRED, §3].

use std::collections::BTreeSet;

use agon_base::id::number;
use agon_base::int::Int;
use agon_core::term::{Construct, Judgement, Operator, TermId, Unary, VarId};
use agon_core::types::Data;
use agon_solve::{Answer, Claim, Limit, Name, Op, Solver, Term, Value as Literal};
use rustc_hash::FxHashMap;

use super::After;
use crate::symbolic::{Symbolic, Value, operators};
use crate::values::{Arithmetic as _, Outcome};

/// What a state says of a predicate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Bit {
    /// Its term over the cells.
    predicate: Term,
    holds: bool,
    /// Whether its scope is over, and nothing has been assigned since.
    over: bool,
}

/// The truth of predicates, sorted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Psi(Vec<Bit>);

impl Psi {
    /// How many predicates have a value.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether a predicate is alive.
    pub(super) fn has(&self, predicate: Term) -> bool {
        self.0.iter().any(|bit| bit.predicate == predicate && !bit.over)
    }

    /// With new predicates.
    fn with(mut self, valuation: &[(Term, bool)]) -> Psi {
        self.0.extend(valuation.iter().map(|(predicate, holds)| Bit {
            predicate: *predicate,
            holds: *holds,
            over: false,
        }));
        self.0.sort_unstable();
        self
    }

    /// With those alive again whose scope was just over.
    fn revived(mut self, predicates: &[Term]) -> Psi {
        let again = self.0.iter_mut().filter(|bit| predicates.contains(&bit.predicate));
        again.for_each(|bit| bit.over = false);
        self
    }

    /// After the end of a predicate.
    pub(super) fn ended(mut self, predicate: Term, after: After) -> Psi {
        match after {
            After::Forgotten => self.0.retain(|bit| bit.predicate != predicate),
            After::Preserved => {
                let ended = self.0.iter_mut().filter(|bit| bit.predicate == predicate);
                ended.for_each(|bit| bit.over = true);
            }
        }
        self
    }
}

/// The cells of a local variable.
struct Cells {
    data: Data,
    length: Option<u64>,
}

/// All that is said about numbers, and who decides it.
pub(super) struct Logic<'a> {
    pub(super) judgement: &'a Judgement,
    pub(super) symbolic: Symbolic,
    solver: &'a mut dyn Solver,
    variables: FxHashMap<VarId, Cells>,
    /// What is claimed of a constant, always: that it is one of its type's numbers.
    ranges: FxHashMap<Term, Vec<Term>>,
    /// How often the solver was asked.
    pub asked: u64,
    /// How often it did not know.
    pub unknown: u64,
}

impl<'a> Logic<'a> {
    pub(super) fn new(judgement: &'a Judgement, solver: &'a mut dyn Solver) -> Logic<'a> {
        let terms = (0..number(judgement.terms.len())).map(TermId);
        let variables = terms.filter_map(|term| match judgement.terms.construct(term) {
            Construct::New(new) => Some((new.variable, Cells { data: new.data.clone(), length: new.length })),
            _ => None,
        });
        Logic {
            judgement,
            variables: variables.collect(),
            symbolic: Symbolic::default(),
            solver,
            ranges: FxHashMap::default(),
            asked: 0,
            unknown: 0,
        }
    }

    fn constant(&mut self, name: String, data: &Data) -> Term {
        let term = self.symbolic.constant(name);
        if let Some((low, high)) = data.range() {
            let claims = operators::within(self.symbolic.terms(), term, Some(&low), Some(&high));
            self.ranges.insert(term, claims);
        }
        term
    }

    /// A number.
    pub(super) fn number(&mut self, n: &Int) -> Value {
        self.symbolic.number(n)
    }

    /// What O answers to a term: any number of a type.
    pub(super) fn answered(&mut self, asking: TermId, data: &Data) -> Value {
        Value::new(self.constant(format!("o{}", asking.0), data))
    }

    /// What O writes to a term: any number of a type.
    pub(super) fn written(&mut self, asked: TermId, data: &Data) -> Value {
        Value::new(self.constant(format!("w{}", asked.0), data))
    }

    /// Whether a variable is local.
    pub(super) fn is_local(&self, var: VarId) -> bool {
        self.variables.contains_key(&var)
    }

    /// A cell: that of a local variable, or of an element.
    pub(super) fn cell(&mut self, var: VarId, element: Option<u64>) -> Term {
        let data = self.variables[&var].data.clone();
        let element = element.map_or(String::new(), |n| format!("[{n}]"));
        self.constant(format!("x{}{element}", var.0), &data)
    }

    /// All cells of a local variable.
    pub(super) fn cells(&mut self, var: VarId) -> Vec<Term> {
        match self.variables[&var].length {
            None => vec![self.cell(var, None)],
            Some(length) => (0..length).map(|n| self.cell(var, Some(n))).collect(),
        }
    }

    /// Whether claims are compatible. What nobody knows counts as compatible.
    fn sat(&mut self, claims: impl IntoIterator<Item = Term>) -> bool {
        let terms = self.symbolic.terms();
        let mut all: Vec<Term> = Vec::new();
        for claim in claims {
            match terms.literal(claim) {
                Some(Literal::Truth(false)) => return false,
                Some(_) => {}
                None => all.push(claim),
            }
        }
        all.sort_unstable();
        all.dedup();
        if all.is_empty() {
            return true;
        }
        let ranges = terms.parts_first(all.iter().copied());
        all.extend(ranges.iter().filter_map(|part| self.ranges.get(part)).flatten());
        let named = (0..).map(Name).zip(all).map(|(name, term)| Claim { name, term });
        self.asked += 1;
        let answer = self.solver.check(terms, &named.collect::<Vec<_>>(), &Limit::default());
        self.unknown += u64::from(matches!(answer, Answer::Unknown(_)));
        !matches!(answer, Answer::Unsat(_))
    }

    fn claims(&mut self, psi: &Psi) -> Vec<Term> {
        let terms = self.symbolic.terms();
        psi.0.iter().map(|bit| if bit.holds { bit.predicate } else { terms.not(bit.predicate) }).collect()
    }

    /// sat(Ψ, given, claim): whether a state is compatible with what goes with an expression and with a claim.
    fn compatible(&mut self, psi: &Psi, value: &Value, claim: Option<Term>) -> bool {
        let (_, given) = self.symbolic.term(value);
        let claims = self.claims(psi);
        self.sat(claims.into_iter().chain(given).chain(claim))
    }

    /// Whether an expression can have any value in a state.
    pub(super) fn exists(&mut self, psi: &Psi, value: &Value) -> bool {
        self.compatible(psi, value, None)
    }

    /// sat(Ψ, B) and sat(Ψ, ¬B): which ways a condition may turn out in a state.
    pub(super) fn branches(&mut self, psi: &Psi, value: &Value) -> (bool, bool) {
        let (term, _) = self.symbolic.term(value);
        let holds = operators::truth(self.symbolic.terms(), term);
        let fails = self.symbolic.terms().not(holds);
        (self.compatible(psi, value, Some(holds)), self.compatible(psi, value, Some(fails)))
    }

    /// All valuations of predicates that are compatible with claims. Each predicate is read as its second term.
    fn valuations(&mut self, claims: Vec<Term>, predicates: &[(Term, Term)]) -> Vec<Vec<(Term, bool)>> {
        if !self.sat(claims.iter().copied()) {
            return vec![];
        }
        let mut all = vec![(vec![], claims)];
        for (predicate, read) in predicates {
            let not = self.symbolic.terms().not(*read);
            let mut longer = Vec::new();
            for (valuation, claims) in all {
                let mut possible = |holds: bool, claim: Term, sure: bool| {
                    let claims: Vec<Term> = claims.iter().copied().chain([claim]).collect();
                    let may = sure || self.sat(claims.iter().copied());
                    if may {
                        let mut valuation: Vec<(Term, bool)> = Vec::clone(&valuation);
                        valuation.push((*predicate, holds));
                        longer.push((valuation, claims));
                    }
                    may
                };
                // What was compatible stays so with a predicate or with its negation.
                let may_hold = possible(true, *read, false);
                possible(false, not, !may_hold);
            }
            all = longer;
        }
        all.into_iter().map(|(valuation, _)| valuation).collect()
    }

    /// The states Ψ′ with more predicates that are compatible with a state: sat(Ψ, Ψ′).
    pub(super) fn begun(&mut self, psi: &Psi, predicates: &[Term]) -> Vec<Psi> {
        let claims = self.claims(psi);
        self.extended(psi, claims, predicates)
    }

    /// The states in a block whose cells start with the value of an expression: sat(Ψ₀, Ψ₀′, x = E).
    pub(super) fn opened(
        &mut self,
        psi: &Psi,
        cells: &[Term],
        start: &Value,
        predicates: &[Term],
    ) -> Vec<Psi> {
        let (start, given) = self.symbolic.term(start);
        let mut claims = self.claims(psi);
        claims.extend(given);
        claims.extend(cells.iter().map(|cell| self.symbolic.terms().equal(*cell, start)));
        self.extended(psi, claims, predicates)
    }

    fn extended(&mut self, psi: &Psi, claims: Vec<Term>, predicates: &[Term]) -> Vec<Psi> {
        let psi = psi.clone().revived(predicates);
        let new: BTreeSet<Term> =
            predicates.iter().copied().filter(|predicate| !psi.has(*predicate)).collect();
        let new: Vec<(Term, Term)> = new.into_iter().map(|predicate| (predicate, predicate)).collect();
        self.valuations(claims, &new).iter().map(|valuation| psi.clone().with(valuation)).collect()
    }

    /// The state outside a block: without the predicates about its cells.
    pub(super) fn closed(&mut self, psi: &Psi, cells: &[Term]) -> Psi {
        let cells: BTreeSet<Term> = cells.iter().copied().collect();
        Psi(psi.0.iter().copied().filter(|bit| !self.mentions([bit.predicate], &cells)).collect())
    }

    /// The states after x := E: all Ψ″ with sat(Ψ′, Ψ″\[E/x\]).
    pub(super) fn assigned(&mut self, psi: &Psi, cell: Term, value: &Value) -> Vec<Psi> {
        let (term, given) = self.symbolic.term(value);
        let others = FxHashMap::from_iter([(cell, term)]);
        let mut claims = self.claims(psi);
        claims.extend(given);
        let (mut kept, mut changed) = (Psi::default(), Vec::new());
        for bit in psi.0.iter().filter(|bit| !bit.over) {
            let read = self.symbolic.terms().substitute(bit.predicate, &others);
            if read == bit.predicate {
                kept.0.push(*bit);
            } else {
                changed.push((bit.predicate, read));
            }
        }
        self.valuations(claims, &changed).iter().map(|valuation| kept.clone().with(valuation)).collect()
    }

    fn mentions(&mut self, terms: impl IntoIterator<Item = Term>, cells: &BTreeSet<Term>) -> bool {
        self.symbolic.terms().parts_first(terms).iter().any(|part| cells.contains(part))
    }

    /// An expression that stays what it is when cells change: they become constants that stand for what the cells
    /// hold now. All that is known of these is what the state says now.
    pub(super) fn kept(&mut self, value: &Value, psi: &Psi, cells: &BTreeSet<Term>, place: TermId) -> Value {
        let (term, given) = self.symbolic.term(value);
        if !self.mentions([term].into_iter().chain(given), cells) {
            return *value;
        }
        let mut others = FxHashMap::default();
        for cell in cells {
            let Op::Constant(name) = self.symbolic.terms().op(*cell) else {
                unreachable!("cells are constants")
            };
            let name = format!("{name}@{}", place.0);
            let then = self.symbolic.constant(name);
            let range = self.ranges.get(cell).cloned().unwrap_or_default();
            others.insert(*cell, then);
            let range =
                range.into_iter().map(|claim| self.symbolic.terms().substitute(claim, &others)).collect();
            self.ranges.insert(then, range);
        }
        let claims = self.claims(psi);
        let about: Vec<Term> = claims.into_iter().filter(|claim| self.mentions([*claim], cells)).collect();
        let terms = self.symbolic.terms();
        let mut known: Vec<Term> =
            about.into_iter().chain(given).map(|claim| terms.substitute(claim, &others)).collect();
        known.sort_unstable();
        let (term, given) = (terms.substitute(term, &others), terms.and(&known));
        Value::given(term, Some(given))
    }

    /// An expression of which more is known.
    pub(super) fn given(&mut self, value: &Value, more: &Value) -> Value {
        let ((term, given), (_, more)) = (self.symbolic.term(value), self.symbolic.term(more));
        Value::given(term, self.symbolic.both(given, more))
    }

    /// Where an index may point in a state: the elements, each with what is then known; and whether it may be out of
    /// bounds.
    pub(super) fn elements(&mut self, psi: &Psi, index: &Value, length: u64) -> (Vec<(u64, Value)>, bool) {
        let (term, given) = self.symbolic.term(index);
        let mut found = Vec::new();
        for n in 0..length {
            let terms = self.symbolic.terms();
            let number = terms.int(n);
            let here = terms.equal(term, number);
            if self.compatible(psi, index, Some(here)) {
                found.push((n, Value::given(number, self.symbolic.both(given, Some(here)))));
            }
        }
        let outside = operators::outside(self.symbolic.terms(), length, term);
        (found, self.compatible(psi, index, Some(outside)))
    }

    /// ⟦M₁ ⊕ M₂⟧: the expression; nothing where it has no value in a state. And whether it may have none: a division
    /// by 0.
    pub(super) fn binary(
        &mut self,
        operator: Operator,
        psi: &Psi,
        left: &Value,
        right: &Value,
    ) -> (Option<Value>, bool) {
        let outcome = self.symbolic.binary(operator, left, right);
        // Nobody chooses here.
        self.symbolic.take_conditions();
        match outcome {
            Outcome::One(value) => (Some(value), false),
            outcome => {
                let both = self.given(right, left);
                let (divisor, _) = self.symbolic.term(right);
                let terms = self.symbolic.terms();
                let zero = terms.int(0u64);
                let fails = terms.equal(divisor, zero);
                let fails = self.compatible(psi, &both, Some(fails));
                let value = match outcome {
                    Outcome::Many(found) => found.into_iter().flatten().next(),
                    _ => None,
                };
                (value.filter(|value| self.exists(psi, value)), fails)
            }
        }
    }

    /// An expression with an operator of one operand.
    pub(super) fn unary(&mut self, operator: Unary, value: &Value) -> Value {
        always(self.symbolic.unary(operator, value))
    }

    /// An expression brought into the range of a type.
    pub(super) fn wrap(&mut self, data: &Data, value: &Value) -> Value {
        always(self.symbolic.wrap(data, value))
    }
}

fn always(outcome: Outcome<Value>) -> Value {
    match outcome {
        Outcome::One(value) => value,
        _ => unreachable!("terms are negated and wrapped in one way"),
    }
}
