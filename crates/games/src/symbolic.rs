//! The symbolic domain: numbers are terms over what O has given, and what cannot be told is a condition on them.
//!
//! A run goes one way through its undecided operations, and the conditions under which it does are gathered. A value that
//! came out of a choice knows the condition itself, since choices within a formula are made together.

pub mod operators;

use agon_base::id::halves;
use agon_base::int::Int;
use agon_base::intern::Interner;
use agon_core::term::{Operator, Unary};
use agon_core::types::Data;
use agon_solve::{Sort, Term, Terms, Value as Literal};

use crate::arena::{Arena, ComponentId};
use crate::values::{Answers, Arithmetic, Arrays, Cells, Choices, Outcome, Slot, Target, Truth};

/// A number: a term, and the condition under which it is that. By default it is 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Value {
    term: Option<Term>,
    guard: Option<Term>,
}

impl Value {
    /// The value of a term.
    pub fn new(term: Term) -> Value {
        Value { term: Some(term), guard: None }
    }

    /// The value of a term under a condition.
    pub fn given(term: Term, guard: Option<Term>) -> Value {
        Value { term: Some(term), guard }
    }
}

/// The bits that a value takes in a store.
pub const WIDTH: u32 = 32;

/// Decides whether a run can go on under some conditions.
pub trait Judge {
    /// Whether these may all be true.
    fn may_be(&mut self, terms: &mut Terms, conditions: &[Term]) -> bool;
}

/// Nobody judges: every run can go on.
impl Judge for () {
    fn may_be(&mut self, _: &mut Terms, _: &[Term]) -> bool {
        true
    }
}

/// A judge that is lent. Where it is not, nobody judges.
impl<J: Judge> Judge for Option<Box<J>> {
    fn may_be(&mut self, terms: &mut Terms, conditions: &[Term]) -> bool {
        self.as_mut().is_none_or(|judge| judge.may_be(terms, conditions))
    }
}

/// Where an index points, and the condition under which it does.
#[derive(Clone, Copy, Debug)]
pub struct Element {
    index: Index,
    guard: Option<Term>,
}

/// An index into an array.
#[derive(Clone, Copy, Debug)]
enum Index {
    Number(u64),
    /// One of this many.
    Unknown(Term, u64),
}

/// What an undecided operation waits to be decided by.
enum Pending {
    /// This is so, or it is not.
    Whether(Term),
    /// This is so, whatever is chosen.
    Given(Term),
    /// One of these is so; or, if it is the last, the operation fails.
    Which(Vec<Term>),
    /// Something fails whatever is chosen.
    Fails,
}

/// What the control forgets of the element that an open question is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Forgetting {
    /// Nothing.
    #[default]
    Nothing,
    /// Every term that is no number.
    Terms,
    /// Numbers, too.
    Everything,
}

/// The domain of a program's symbolic runs.
///
/// The terms, the conditions of the run and the judge belong to the domain, and the domain to the machine that runs
/// over it. Who runs several machines over the same terms lends these to one after the other.
#[derive(Default)]
pub struct Symbolic<J = ()> {
    terms: Terms,
    values: Interner<Value>,
    /// What the undecided operations since the last choice wait for.
    pending: Vec<Pending>,
    /// When the operations that were decided last fail.
    failing: Vec<Term>,
    /// What must be so for the run to go as it went.
    conditions: Vec<Term>,
    /// Decides each choice.
    judge: J,
    /// What is forgotten while a question is open.
    pub forgetting: Forgetting,
    /// Whether the judge has said that the run cannot go on.
    refuted: bool,
    /// The conditions of each way that came to its end.
    ways: Vec<Vec<Term>>,
}

/// An array with more elements than this is not indexed by an unknown number.
pub const MOST_ELEMENTS: u64 = 4096;

impl<J: Judge> Symbolic<J> {
    /// The domain in which a judge decides each choice.
    pub fn new(judge: J, forgetting: Forgetting) -> Symbolic<J> {
        Symbolic {
            terms: Terms::default(),
            values: Interner::default(),
            pending: Vec::new(),
            failing: Vec::new(),
            conditions: Vec::new(),
            judge,
            forgetting,
            refuted: false,
            ways: Vec::new(),
        }
    }

    /// All terms so far.
    pub fn terms(&mut self) -> &mut Terms {
        &mut self.terms
    }

    /// The judge.
    pub fn judge(&self) -> &J {
        &self.judge
    }

    /// The judge, with the terms that it is asked about.
    pub fn judge_mut(&mut self) -> (&mut Terms, &mut J) {
        (&mut self.terms, &mut self.judge)
    }

    /// Takes back that the judge has ended the run, if it has.
    pub fn take_refuted(&mut self) -> bool {
        std::mem::take(&mut self.refuted)
    }

    /// All terms so far, to be looked at.
    pub fn known_terms(&self) -> &Terms {
        &self.terms
    }

    /// Takes the conditions of all ways that came to their ends since this was last asked.
    pub fn take_ways(&mut self) -> Vec<Vec<Term>> {
        std::mem::take(&mut self.ways)
    }

    /// A value as the bits of a store.
    pub(crate) fn keep(&mut self, a: &Value) -> u64 {
        let kept = Value { guard: None, ..*a };
        // What was never written is 0, and that is what the bits 0 stand for.
        if self.number_in(&kept) == Some(Int::ZERO) { 0 } else { 1 + u64::from(self.values.intern(kept)) }
    }

    /// The value that the bits of a store stand for.
    pub(crate) fn kept(&self, bits: u64) -> Value {
        match bits {
            0 => Value::default(),
            _ => *self.values.get(halves(bits).1 - 1),
        }
    }

    /// Whether the bits of a store may stand for a value.
    pub(crate) fn is_kept(&self, bits: u64) -> bool {
        bits <= self.values.len() as u64
    }

    /// Takes the conditions that were gathered since this was last asked.
    pub fn take_conditions(&mut self) -> Vec<Term> {
        self.pending.clear();
        self.failing.clear();
        std::mem::take(&mut self.conditions)
    }

    /// The number that a value is, under its condition, if it is one.
    pub fn number_in(&self, value: &Value) -> Option<Int> {
        value.term.map_or(Some(Int::ZERO), |term| operators::number(&self.terms, term))
    }

    /// The term of a value, and the condition under which it is that.
    pub fn term(&mut self, value: &Value) -> (Term, Option<Term>) {
        (value.term.unwrap_or_else(|| self.terms.int(0u64)), value.guard)
    }

    /// Both conditions.
    pub fn both(&mut self, a: Option<Term>, b: Option<Term>) -> Option<Term> {
        match (a, b) {
            (Some(a), Some(b)) if a != b => Some(self.terms.and(&[a, b])),
            (a, b) => a.or(b),
        }
    }

    fn decided(&self, truth: Term) -> Option<bool> {
        match self.terms.literal(truth) {
            Some(Literal::Truth(b)) => Some(b),
            _ => None,
        }
    }

    /// An operation fails, whatever others that are decided together with it come to.
    fn fails<T>(&mut self) -> Outcome<T> {
        self.pending.push(Pending::Fails);
        Outcome::Fails
    }

    /// Something with a condition, or nothing.
    fn unless<T>(&mut self, fails: Term, thing: impl FnOnce(&mut Self, Option<Term>) -> T) -> Outcome<T> {
        match self.decided(fails) {
            Some(true) => self.fails(),
            Some(false) => Outcome::One(thing(self, None)),
            None => {
                let holds = self.terms.not(fails);
                self.pending.push(Pending::Which(vec![holds, fails]));
                Outcome::Many(vec![Some(thing(self, Some(holds))), None])
            }
        }
    }

    /// The first if an index points to the n-th cell, otherwise the second.
    fn pointed_to(&mut self, element: &Element, n: u64, yes: &Value, no: &Value) -> Term {
        let (yes, no) = (self.term(yes).0, self.term(no).0);
        match element.index {
            Index::Number(index) if index == n => yes,
            Index::Number(_) => no,
            Index::Unknown(index, _) => {
                let terms = &mut self.terms;
                let number = terms.int(n);
                let hit = terms.equal(index, number);
                terms.if_else(hit, yes, no)
            }
        }
    }

    /// What stands for a number that was forgotten.
    pub fn anything(&mut self) -> Term {
        self.terms.constant("anything", Sort::Int)
    }

    /// A number of which nothing is known, by its name.
    pub fn constant(&mut self, name: String) -> Term {
        self.terms.constant(name, Sort::Int)
    }
}

impl<J: Judge> Arithmetic for Symbolic<J> {
    type Value = Value;

    fn number(&mut self, n: &Int) -> Value {
        Value::new(self.terms.int(n.clone()))
    }

    fn unary(&mut self, operator: Unary, a: &Value) -> Outcome<Value> {
        let (term, guard) = self.term(a);
        Outcome::One(Value { term: Some(operators::unary(&mut self.terms, operator, term)), guard })
    }

    fn binary(&mut self, operator: Operator, a: &Value, b: &Value) -> Outcome<Value> {
        let ((x, first), (y, second)) = (self.term(a), self.term(b));
        let guard = self.both(first, second);
        let term = operators::binary(&mut self.terms, operator, x, y);
        if !operator.divides() {
            return Outcome::One(Value { term: Some(term), guard });
        }
        let fails = {
            let terms = &mut self.terms;
            let zero = terms.int(0u64);
            terms.equal(y, zero)
        };
        self.unless(fails, |domain, holds| Value { term: Some(term), guard: domain.both(guard, holds) })
    }

    fn wrap(&mut self, data: &Data, a: &Value) -> Outcome<Value> {
        let (term, guard) = self.term(a);
        Outcome::One(Value { term: Some(operators::wrap(&mut self.terms, data, term)), guard })
    }

    fn truth(&mut self, a: &Value) -> Truth {
        let (term, guard) = self.term(a);
        let truth = operators::truth(&mut self.terms, term);
        let decided = self.decided(truth);
        if decided.is_some() {
            // It is decided, but only where there is a value at all.
            self.conditions.extend(guard);
        }
        match decided {
            Some(true) => Truth::True,
            Some(false) => Truth::False,
            None => {
                self.pending.extend(guard.map(Pending::Given));
                self.pending.push(Pending::Whether(truth));
                Truth::Either
            }
        }
    }

    fn exactly(&self, a: &Value) -> Option<Int> {
        match self.terms.literal(a.term?) {
            Some(Literal::Number(n)) if a.guard.is_none() => Some(n.clone()),
            _ => None,
        }
    }
}

impl<J: Judge> Cells for Symbolic<J> {
    fn width(&self, _: &Slot) -> u32 {
        WIDTH
    }

    fn cells(&self, slot: &Slot) -> u64 {
        slot.length.unwrap_or(1)
    }

    fn encode(&mut self, _: &Slot, a: &Value) -> Outcome<u64> {
        self.conditions.extend(a.guard);
        Outcome::One(self.keep(a))
    }

    fn decode(&self, _: &Slot, bits: u64) -> Value {
        self.kept(bits)
    }

    fn held(&mut self, a: &Value) -> Value {
        let known = self.number_in(a).is_some();
        match self.forgetting {
            Forgetting::Nothing => *a,
            Forgetting::Terms if known => *a,
            Forgetting::Terms | Forgetting::Everything => Value::new(self.anything()),
        }
    }
}

impl<J: Judge> Arrays for Symbolic<J> {
    type Element = Element;

    fn element(&mut self, _: &Slot, length: u64, at: &Value) -> Outcome<Element> {
        let (term, guard) = self.term(at);
        if let Some(n) = operators::number(&self.terms, term) {
            return match n.to_u64() {
                Some(n) if n < length => Outcome::One(Element { index: Index::Number(n), guard }),
                _ => self.fails(),
            };
        }
        if length > MOST_ELEMENTS {
            return Outcome::TooLarge;
        }
        let fails = operators::outside(&mut self.terms, length, term);
        let index = Index::Unknown(term, length);
        self.unless(fails, |domain, holds| Element { index, guard: domain.both(guard, holds) })
    }

    fn checked(&mut self, length: u64, at: &Value) -> Outcome<Value> {
        let (term, guard) = self.term(at);
        let fails = operators::outside(&mut self.terms, length, term);
        self.unless(fails, |domain, holds| Value { term: Some(term), guard: domain.both(guard, holds) })
    }

    fn reach(element: &Element) -> (u64, u64) {
        match element.index {
            Index::Number(n) => (n, n),
            Index::Unknown(_, length) => (0, length - 1),
        }
    }

    fn join(&mut self, element: &Element, n: u64, a: &Value, b: &Value) -> Value {
        Value { term: Some(self.pointed_to(element, n, b, a)), guard: self.both(a.guard, b.guard) }
    }

    fn found(&mut self, element: &Element, a: Value) -> Value {
        Value { guard: self.both(a.guard, element.guard), ..a }
    }

    fn target(&mut self, element: &Element) -> Target {
        self.conditions.extend(element.guard);
        match element.index {
            Index::Number(n) => Target::Cell(n),
            Index::Unknown(_, length) => Target::Any(0, length - 1),
        }
    }

    fn blend(&mut self, _: &Slot, bits: u64, element: &Element, n: u64, a: &Value) -> u64 {
        self.conditions.extend(a.guard);
        let before = self.kept(bits);
        let term = self.pointed_to(element, n, a, &before);
        self.keep(&Value::new(term))
    }
}

impl<J: Judge> Answers for Symbolic<J> {
    fn last_answer(&self, _: &Arena, _: ComponentId) -> Option<u64> {
        Some(0)
    }

    fn answer(&self, _: &Arena, _: ComponentId, _: u64) -> Value {
        Value::default()
    }

    fn indices(&self, _: ComponentId, _: u64) -> u64 {
        1
    }

    fn index(&self, _: ComponentId, _: u64) -> Value {
        Value::default()
    }
}

impl<J: Judge> Choices for Symbolic<J> {
    fn marker(&self) -> Option<Value> {
        None
    }

    fn pick(&mut self, outcome: usize, fails: bool) -> bool {
        self.decide(outcome);
        let viable = self.is_viable();
        if viable && fails {
            let fails = self.terms.or(&self.failing);
            self.conditions.push(fails);
            return self.is_viable();
        }
        viable
    }

    fn end_path(&mut self, begun: bool) -> bool {
        let counts = begun && !std::mem::take(&mut self.refuted);
        let conditions = self.take_conditions();
        if counts {
            self.ways.push(conditions);
        }
        counts
    }
}

impl<J: Judge> Symbolic<J> {
    /// Adds what must be so for the last undecided operations to have this outcome.
    fn decide(&mut self, outcome: usize) {
        let pending: Vec<Pending> = self.pending.drain(..).collect();
        self.failing.clear();
        let alone = pending.iter().filter(|pending| matches!(pending, Pending::Which(_))).count() == 1;
        for pending in pending {
            match pending {
                Pending::Whether(truth) if outcome == 0 => self.conditions.push(truth),
                Pending::Whether(truth) => {
                    let not = self.terms.not(truth);
                    self.conditions.push(not);
                }
                Pending::Given(guard) => self.conditions.push(guard),
                Pending::Fails => {
                    let always = self.terms.truth(true);
                    self.failing.push(always);
                }
                Pending::Which(cases) => {
                    let Some((fails, _)) = cases.split_last() else { continue };
                    self.failing.push(*fails);
                    // If several were decided together, what was chosen is in the guard of what came out.
                    if alone {
                        self.conditions.extend(cases.get(outcome));
                    }
                }
            }
        }
    }

    /// Whether the conditions may all be true.
    fn is_viable(&mut self) -> bool {
        let viable = self.judge.may_be(&mut self.terms, &self.conditions);
        self.refuted |= !viable;
        viable
    }
}
