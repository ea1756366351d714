//! What a term is worth in a model. It decides whether an answer is believed.

use agon_base::int::Int;
use rustc_hash::FxHashMap;

use crate::term::{Op, Sort, Term, Terms};

/// A Boolean or a number. Bits are a number from 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// A Boolean.
    Truth(bool),
    /// An integer, or bits.
    Number(Int),
}

impl Value {
    /// The Boolean. It is a mistake to ask this of a number.
    pub fn is_true(&self) -> bool {
        match self {
            Value::Truth(b) => *b,
            Value::Number(n) => panic!("the number {n} is no truth"),
        }
    }

    /// The number. It is a mistake to ask this of a Boolean.
    pub fn number(&self) -> &Int {
        match self {
            Value::Number(n) => n,
            Value::Truth(b) => panic!("the truth {b} is no number"),
        }
    }

    /// Whether it is one of a sort's.
    pub fn is_of(&self, sort: Sort) -> bool {
        match (self, sort) {
            (Value::Truth(_), Sort::Bool) | (Value::Number(_), Sort::Int) => true,
            (Value::Number(n), Sort::Bits(width)) => !n.is_negative() && n.bits() <= u64::from(width),
            _ => false,
        }
    }

    /// False, or 0: what a constant is that nobody cares about.
    pub fn least(sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Truth(false),
            Sort::Int | Sort::Bits(_) => Value::Number(Int::ZERO),
        }
    }
}

/// Values for constants; for all others, false or 0.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Model(FxHashMap<Term, Value>);

impl Model {
    /// Gives a constant its value.
    pub fn set(&mut self, constant: Term, value: Value) {
        self.0.insert(constant, value);
    }

    /// What a term is worth.
    pub fn value(&self, terms: &Terms, term: Term) -> Value {
        self.values(terms, [term]).remove(&term).expect("every part has a value")
    }

    /// What these terms, and all that they are made of, are worth.
    pub fn values(&self, terms: &Terms, roots: impl IntoIterator<Item = Term>) -> FxHashMap<Term, Value> {
        let mut values: FxHashMap<Term, Value> = FxHashMap::default();
        for term in terms.parts_first(roots) {
            let parts = terms.parts(term);
            let of_parts: Vec<Value> = parts.iter().map(|part| values[part].clone()).collect();
            let sorts: Vec<Sort> = parts.iter().map(|part| terms.sort(*part)).collect();
            let value = match terms.op(term) {
                Op::Constant(_) => match self.0.get(&term) {
                    Some(value) => value.clone(),
                    None => Value::least(terms.sort(term)),
                },
                op => apply(op, terms.sort(term), &sorts, &of_parts),
            };
            values.insert(term, value);
        }
        values
    }
}

/// Bits as a number in two's complement.
pub fn signed(n: &Int, width: u32) -> Int {
    if *n < Int::power_of_two(width - 1) { n.clone() } else { n.sub(&Int::power_of_two(width)) }
}

/// What an operation gives, of parts of these sorts with these values. Constants have no value of their own.
pub fn apply(op: &Op, sort: Sort, sorts: &[Sort], parts: &[Value]) -> Value {
    let truth = |i: usize| parts[i].is_true();
    let number = |i: usize| parts[i].number();
    let signed = |i: usize| match sorts[i] {
        Sort::Bits(width) => signed(number(i), width),
        other => panic!("{op:?} of {other:?}"),
    };
    // Dividing by 0 gives 0 and leaves all.
    let div = |a: &Int, b: &Int| a.div(b).unwrap_or(Int::ZERO);
    let rem = |a: &Int, b: &Int| a.rem(b).unwrap_or_else(|| a.clone());
    let number = match op {
        Op::Constant(name) => panic!("the constant {name} has no value of its own"),
        Op::Truth(b) => return Value::Truth(*b),
        Op::Not => return Value::Truth(!truth(0)),
        Op::And => return Value::Truth(parts.iter().all(Value::is_true)),
        Op::Or => return Value::Truth(parts.iter().any(Value::is_true)),
        Op::Equal => return Value::Truth(parts[0] == parts[1]),
        Op::If => return parts[if truth(0) { 1 } else { 2 }].clone(),
        Op::Less => return Value::Truth(number(0) < number(1)),
        Op::AtMost => return Value::Truth(number(0) <= number(1)),
        Op::SignedLess => return Value::Truth(signed(0) < signed(1)),
        Op::SignedAtMost => return Value::Truth(signed(0) <= signed(1)),
        Op::Number(n) => n.clone(),
        Op::Add => number(0).add(number(1)),
        Op::Sub => number(0).sub(number(1)),
        Op::Neg => number(0).neg(),
        Op::Mul => number(0).mul(number(1)),
        Op::Div => div(number(0), number(1)),
        Op::Rem => rem(number(0), number(1)),
        Op::SignedDiv => div(&signed(0), &signed(1)),
        Op::SignedRem => rem(&signed(0), &signed(1)),
        Op::ZeroExtend | Op::Low => number(0).clone(),
        Op::SignExtend => signed(0),
        Op::BitAnd => number(0).bit_and(number(1)),
        Op::ShiftLeft => number(0).shift_left(number(1)),
        Op::ShiftRight => number(0).shift_right(number(1)),
    };
    match sort {
        Sort::Bits(width) => Value::Number(rem(&number, &Int::power_of_two(width))),
        _ => Value::Number(number),
    }
}
