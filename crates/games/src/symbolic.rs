//! The symbolic domain: numbers are terms over what O has given, and what cannot be told is a condition on them.
//!
//! A run goes one way through its undecided operations, and the conditions under which it does are gathered. A value that
//! came out of a choice knows the condition itself, since choices within a formula are made together.

use std::cell::RefCell;
use std::rc::Rc;

use agon_base::id::halves;
use agon_base::int::Int;
use agon_base::intern::Interner;
use agon_core::term::{Operator, Unary};
use agon_core::types::Data;
use agon_solve::{Op, Sort, Term, Terms, Value as Literal};

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
#[derive(Default)]
pub struct Symbolic {
    terms: RefCell<Terms>,
    values: Interner<Value>,
    pending: RefCell<Vec<Pending>>,
    /// When the operations that were decided last fail.
    failing: Vec<Term>,
    /// What must be so for the run to go as it went.
    conditions: RefCell<Vec<Term>>,
    /// Decides each choice, if it is set.
    judge: Option<Rc<RefCell<dyn Judge>>>,
    /// What is forgotten while a question is open.
    pub forgetting: Forgetting,
    /// Whether the judge has said that the run cannot go on.
    refuted: bool,
    /// The conditions of each way that came to its end.
    ways: Vec<Vec<Term>>,
}

/// An array with more elements than this is not indexed by an unknown number.
pub const MOST_ELEMENTS: u64 = 4096;

impl Symbolic {
    /// All terms so far.
    pub fn terms(&mut self) -> &mut Terms {
        self.terms.get_mut()
    }

    /// Takes back that the judge has ended the run, if it has.
    pub fn take_refuted(&mut self) -> bool {
        std::mem::take(&mut self.refuted)
    }

    /// All terms so far, to be looked at.
    pub fn known_terms(&self) -> std::cell::Ref<'_, Terms> {
        self.terms.borrow()
    }

    /// Takes the conditions of all ways that came to their ends since this was last asked.
    pub fn take_ways(&mut self) -> Vec<Vec<Term>> {
        std::mem::take(&mut self.ways)
    }

    /// From now on somebody is asked at each choice whether the run can go on.
    pub fn set_judge(&mut self, judge: Rc<RefCell<dyn Judge>>) {
        self.judge = Some(judge);
    }

    /// A value as the bits of a store.
    pub(crate) fn keep(&mut self, a: &Value) -> u64 {
        let kept = Value { guard: None, ..*a };
        // What was never written is 0, and that is what the bits 0 stand for.
        let zero = kept.term.is_none_or(|term| self.number_of(term) == Some(Int::ZERO));
        if zero { 0 } else { 1 + u64::from(self.values.intern(kept)) }
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
        self.pending.get_mut().clear();
        self.failing.clear();
        std::mem::take(self.conditions.get_mut())
    }

    /// The term of a value, and the condition under which it is that.
    pub fn term(&self, value: &Value) -> (Term, Option<Term>) {
        (value.term.unwrap_or_else(|| self.terms.borrow_mut().int(0u64)), value.guard)
    }

    /// Both conditions.
    pub fn both(&self, a: Option<Term>, b: Option<Term>) -> Option<Term> {
        match (a, b) {
            (Some(a), Some(b)) if a != b => Some(self.terms.borrow_mut().and(&[a, b])),
            (a, b) => a.or(b),
        }
    }

    /// An operator applied to a term.
    pub fn unary_of(&self, operator: Unary, term: Term) -> Term {
        match operator {
            Unary::Negate => self.terms.borrow_mut().neg(term),
            Unary::Not => {
                let truth = self.truth_of(term);
                let not = self.terms.borrow_mut().not(truth);
                self.of_truth(not)
            }
            Unary::Complement => {
                let mut terms = self.terms.borrow_mut();
                let minus_one = terms.int(Int::from(-1i64));
                terms.sub(minus_one, term)
            }
        }
    }

    /// An operator applied to terms. What is divided by 0 is 0, and leaves all.
    pub fn binary_of(&self, operator: Operator, x: Term, y: Term) -> Term {
        let truth = |make: &dyn Fn(&mut Terms) -> Term| {
            let truth = make(&mut self.terms.borrow_mut());
            self.of_truth(truth)
        };
        match operator {
            Operator::Add => self.terms.borrow_mut().add(x, y),
            Operator::Subtract => self.terms.borrow_mut().sub(x, y),
            Operator::Multiply => self.terms.borrow_mut().mul(x, y),
            Operator::Divide => self.terms.borrow_mut().div(x, y),
            Operator::Modulo => self.terms.borrow_mut().rem(x, y),
            Operator::Quotient => self.toward_zero(x, |terms, x| terms.div(x, y)),
            Operator::Remainder => self.toward_zero(x, |terms, x| terms.rem(x, y)),
            Operator::BitAnd => self.terms.borrow_mut().bit_and(x, y),
            // What both have is counted twice in the sum.
            Operator::BitOr | Operator::BitXor => {
                let mut terms = self.terms.borrow_mut();
                let (sum, common) = (terms.add(x, y), terms.bit_and(x, y));
                let either = terms.sub(sum, common);
                if operator == Operator::BitOr { either } else { terms.sub(either, common) }
            }
            Operator::ShiftLeft => self.terms.borrow_mut().shift_left(x, y),
            Operator::ShiftRight => self.terms.borrow_mut().shift_right(x, y),
            Operator::Equal => truth(&|terms| terms.equal(x, y)),
            Operator::NotEqual => truth(&|terms| {
                let equal = terms.equal(x, y);
                terms.not(equal)
            }),
            Operator::Less => truth(&|terms| terms.less(x, y)),
            Operator::LessEqual => truth(&|terms| terms.at_most(x, y)),
            Operator::Greater => truth(&|terms| terms.less(y, x)),
            Operator::GreaterEqual => truth(&|terms| terms.at_most(y, x)),
            Operator::Both | Operator::Either => {
                let (x, y) = (self.truth_of(x), self.truth_of(y));
                truth(&|terms| match operator {
                    Operator::Both => terms.and(&[x, y]),
                    _ => terms.or(&[x, y]),
                })
            }
        }
    }

    /// What a division of a dividend gives if it is rounded toward 0: that of its magnitude, with its sign.
    fn toward_zero(&self, dividend: Term, division: impl Fn(&mut Terms, Term) -> Term) -> Term {
        let mut terms = self.terms.borrow_mut();
        let zero = terms.int(0u64);
        let negative = terms.less(dividend, zero);
        let opposite = terms.neg(dividend);
        let (above, below) = (division(&mut terms, dividend), division(&mut terms, opposite));
        let below = terms.neg(below);
        terms.if_else(negative, below, above)
    }

    /// A term brought into the range of a type.
    pub fn wrap_of(&self, data: &Data, term: Term) -> Term {
        let (Some((low, high)), Some(size)) = (data.range(), data.size()) else { return term };
        if let Some(n) = self.number_of(term) {
            return self.terms.borrow_mut().int(data.wrap(&n));
        }
        let mut terms = self.terms.borrow_mut();
        // One of two numbers, such as a truth, needs no arithmetic.
        if let (Op::If, [condition, yes, no]) = (terms.op(term), terms.parts(term))
            && let (Some(Literal::Number(first)), Some(Literal::Number(second))) =
                (terms.literal(*yes), terms.literal(*no))
        {
            let condition = *condition;
            let (first, second) = (terms.int(data.wrap(&first)), terms.int(data.wrap(&second)));
            return terms.if_else(condition, first, second);
        }
        // Modulo its size, counted from the least; where it is in range already, it is what it is.
        let (least, most, size) = (terms.int(low), terms.int(high), terms.int(size));
        let (above, below) = (terms.at_most(least, term), terms.at_most(term, most));
        let fits = terms.and(&[above, below]);
        let shifted = terms.sub(term, least);
        let rest = terms.rem(shifted, size);
        let wrapped = terms.add(rest, least);
        terms.if_else(fits, term, wrapped)
    }

    /// Whether a number is not 0.
    pub fn truth_of(&self, term: Term) -> Term {
        let mut terms = self.terms.borrow_mut();
        // A truth that was made a number.
        if *terms.op(term) == Op::If
            && let [condition, yes, no] = terms.parts(term)[..]
            && terms.literal(yes) == Some(Literal::Number(Int::ONE))
            && terms.literal(no) == Some(Literal::Number(Int::ZERO))
        {
            return condition;
        }
        let zero = terms.int(0u64);
        let is_zero = terms.equal(term, zero);
        terms.not(is_zero)
    }

    fn of_truth(&self, truth: Term) -> Term {
        let mut terms = self.terms.borrow_mut();
        let (one, zero) = (terms.int(1u64), terms.int(0u64));
        terms.if_else(truth, one, zero)
    }

    fn decided(&self, truth: Term) -> Option<bool> {
        match self.terms.borrow().literal(truth) {
            Some(Literal::Truth(b)) => Some(b),
            _ => None,
        }
    }

    /// The number that a term is, if it is one.
    pub fn number_of(&self, term: Term) -> Option<Int> {
        match self.terms.borrow().literal(term) {
            Some(Literal::Number(n)) => Some(n),
            _ => None,
        }
    }

    /// An operation fails, whatever others that are decided together with it come to.
    fn fails<T>(&self) -> Outcome<T> {
        self.pending.borrow_mut().push(Pending::Fails);
        Outcome::Fails
    }

    /// Something with a condition, or nothing.
    fn unless<T>(&self, fails: Term, thing: impl Fn(Option<Term>) -> T) -> Outcome<T> {
        match self.decided(fails) {
            Some(true) => self.fails(),
            Some(false) => Outcome::One(thing(None)),
            None => {
                let holds = self.terms.borrow_mut().not(fails);
                self.pending.borrow_mut().push(Pending::Which(vec![holds, fails]));
                Outcome::Many(vec![Some(thing(Some(holds))), None])
            }
        }
    }

    /// The first if an index points to the n-th cell, otherwise the second.
    fn pointed_to(&self, element: &Element, n: u64, yes: &Value, no: &Value) -> Term {
        let (yes, no) = (self.term(yes).0, self.term(no).0);
        match element.index {
            Index::Number(index) if index == n => yes,
            Index::Number(_) => no,
            Index::Unknown(index, _) => {
                let mut terms = self.terms.borrow_mut();
                let number = terms.int(n);
                let hit = terms.equal(index, number);
                terms.if_else(hit, yes, no)
            }
        }
    }

    /// Whether an index is out of bounds.
    pub fn outside(&self, length: u64, at: Term) -> Term {
        let mut terms = self.terms.borrow_mut();
        let (zero, length) = (terms.int(0u64), terms.int(length));
        let (below, above) = (terms.less(at, zero), terms.at_most(length, at));
        terms.or(&[below, above])
    }

    /// What is claimed of a number that is one of a type's.
    pub fn within(&mut self, term: Term, low: Option<&Int>, high: Option<&Int>) -> Vec<Term> {
        let terms = self.terms.get_mut();
        let mut claims = Vec::new();
        if let Some(low) = low {
            let low = terms.int(low.clone());
            claims.push(terms.at_most(low, term));
        }
        if let Some(high) = high {
            let high = terms.int(high.clone());
            claims.push(terms.at_most(term, high));
        }
        claims
    }

    /// What stands for a number that was forgotten.
    pub fn anything(&self) -> Term {
        self.terms.borrow_mut().constant("anything", Sort::Int)
    }

    /// A number of which nothing is known, by its name.
    pub fn constant(&mut self, name: String) -> Term {
        self.terms.get_mut().constant(name, Sort::Int)
    }
}

impl Arithmetic for Symbolic {
    type Value = Value;

    fn number(&self, n: &Int) -> Value {
        Value::new(self.terms.borrow_mut().int(n.clone()))
    }

    fn unary(&self, operator: Unary, a: &Value) -> Outcome<Value> {
        let (term, guard) = self.term(a);
        Outcome::One(Value { term: Some(self.unary_of(operator, term)), guard })
    }

    fn binary(&self, operator: Operator, a: &Value, b: &Value) -> Outcome<Value> {
        let ((x, first), (y, second)) = (self.term(a), self.term(b));
        let guard = self.both(first, second);
        let term = self.binary_of(operator, x, y);
        if !operator.divides() {
            return Outcome::One(Value { term: Some(term), guard });
        }
        let fails = {
            let mut terms = self.terms.borrow_mut();
            let zero = terms.int(0u64);
            terms.equal(y, zero)
        };
        self.unless(fails, |holds| Value { term: Some(term), guard: self.both(guard, holds) })
    }

    fn wrap(&self, data: &Data, a: &Value) -> Outcome<Value> {
        let (term, guard) = self.term(a);
        Outcome::One(Value { term: Some(self.wrap_of(data, term)), guard })
    }

    fn truth(&self, a: &Value) -> Truth {
        let (term, guard) = self.term(a);
        let truth = self.truth_of(term);
        let decided = self.decided(truth);
        if decided.is_some() {
            // It is decided, but only where there is a value at all.
            self.conditions.borrow_mut().extend(guard);
        }
        match decided {
            Some(true) => Truth::True,
            Some(false) => Truth::False,
            None => {
                let mut pending = self.pending.borrow_mut();
                pending.extend(guard.map(Pending::Given));
                pending.push(Pending::Whether(truth));
                Truth::Either
            }
        }
    }

    fn exactly(&self, a: &Value) -> Option<Int> {
        match self.terms.borrow().literal(a.term?) {
            Some(Literal::Number(n)) if a.guard.is_none() => Some(n.clone()),
            _ => None,
        }
    }
}

impl Cells for Symbolic {
    fn width(&self, _: &Slot) -> u32 {
        WIDTH
    }

    fn cells(&self, slot: &Slot) -> u64 {
        slot.length.unwrap_or(1)
    }

    fn encode(&mut self, _: &Slot, a: &Value) -> Outcome<u64> {
        self.conditions.get_mut().extend(a.guard);
        Outcome::One(self.keep(a))
    }

    fn decode(&self, _: &Slot, bits: u64) -> Value {
        self.kept(bits)
    }

    fn held(&self, a: &Value) -> Value {
        let known = a.term.is_none_or(|term| self.number_of(term).is_some());
        match self.forgetting {
            Forgetting::Nothing => *a,
            Forgetting::Terms if known => *a,
            Forgetting::Terms | Forgetting::Everything => Value::new(self.anything()),
        }
    }
}

impl Arrays for Symbolic {
    type Element = Element;

    fn element(&self, _: &Slot, length: u64, at: &Value) -> Outcome<Element> {
        let (term, guard) = self.term(at);
        if let Some(n) = self.number_of(term) {
            return match n.to_u64() {
                Some(n) if n < length => Outcome::One(Element { index: Index::Number(n), guard }),
                _ => self.fails(),
            };
        }
        if length > MOST_ELEMENTS {
            return Outcome::TooLarge;
        }
        let fails = self.outside(length, term);
        let index = Index::Unknown(term, length);
        self.unless(fails, |holds| Element { index, guard: self.both(guard, holds) })
    }

    fn checked(&self, length: u64, at: &Value) -> Outcome<Value> {
        let (term, guard) = self.term(at);
        let fails = self.outside(length, term);
        self.unless(fails, |holds| Value { term: Some(term), guard: self.both(guard, holds) })
    }

    fn reach(element: &Element) -> (u64, u64) {
        match element.index {
            Index::Number(n) => (n, n),
            Index::Unknown(_, length) => (0, length - 1),
        }
    }

    fn join(&self, element: &Element, n: u64, a: &Value, b: &Value) -> Value {
        Value { term: Some(self.pointed_to(element, n, b, a)), guard: self.both(a.guard, b.guard) }
    }

    fn found(&self, element: &Element, a: Value) -> Value {
        Value { guard: self.both(a.guard, element.guard), ..a }
    }

    fn target(&mut self, element: &Element) -> Target {
        self.conditions.get_mut().extend(element.guard);
        match element.index {
            Index::Number(n) => Target::Cell(n),
            Index::Unknown(_, length) => Target::Any(0, length - 1),
        }
    }

    fn blend(&mut self, _: &Slot, bits: u64, element: &Element, n: u64, a: &Value) -> u64 {
        self.conditions.borrow_mut().extend(a.guard);
        let before = self.kept(bits);
        let term = self.pointed_to(element, n, a, &before);
        self.keep(&Value::new(term))
    }
}

impl Answers for Symbolic {
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

impl Choices for Symbolic {
    fn marker(&self) -> Option<Value> {
        None
    }

    fn pick(&mut self, outcome: usize, fails: bool) -> bool {
        self.decide(outcome);
        let viable = self.is_viable();
        if viable && fails {
            let fails = self.terms.get_mut().or(&self.failing);
            self.conditions.get_mut().push(fails);
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

impl Symbolic {
    /// Adds what must be so for the last undecided operations to have this outcome.
    fn decide(&mut self, outcome: usize) {
        let pending: Vec<Pending> = self.pending.get_mut().drain(..).collect();
        self.failing.clear();
        let alone = pending.iter().filter(|pending| matches!(pending, Pending::Which(_))).count() == 1;
        for pending in pending {
            match pending {
                Pending::Whether(truth) if outcome == 0 => self.conditions.get_mut().push(truth),
                Pending::Whether(truth) => {
                    let not = self.terms.get_mut().not(truth);
                    self.conditions.get_mut().push(not);
                }
                Pending::Given(guard) => self.conditions.get_mut().push(guard),
                Pending::Fails => {
                    let always = self.terms.get_mut().truth(true);
                    self.failing.push(always);
                }
                Pending::Which(cases) => {
                    let Some((fails, _)) = cases.split_last() else { continue };
                    self.failing.push(*fails);
                    // If several were decided together, what was chosen is in the guard of what came out.
                    if alone {
                        self.conditions.get_mut().extend(cases.get(outcome));
                    }
                }
            }
        }
    }

    /// Whether the conditions may all be true.
    fn is_viable(&mut self) -> bool {
        let viable = match &self.judge {
            Some(judge) => judge.borrow_mut().may_be(self.terms.get_mut(), self.conditions.get_mut()),
            None => true,
        };
        self.refuted |= !viable;
        viable
    }
}
