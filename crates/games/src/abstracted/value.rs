//! Abstract values: an interval, and, where a run is reconstructed, what made it one.

use std::cmp::Ordering;
use std::sync::Arc;

use agon_base::int::Int;
use agon_core::term::Operator;

use crate::interval::Interval;
use crate::sites::PartRef;

/// An abstract value.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Value {
    /// The numbers that it may be.
    pub interval: Interval,
    /// A part of more than one number that it was read from.
    pub blame: Option<PartRef>,
    /// All that it came from, where that is kept track of.
    pub causes: Causes,
}

impl Value {
    /// A value of which nothing but its numbers is known.
    pub fn new(interval: Interval) -> Value {
        Value { interval, blame: None, causes: Causes::default() }
    }

    /// The same without a part to blame, if it is one number.
    pub(super) fn settled(mut self) -> Value {
        if self.interval.as_point().is_some() {
            self.blame = None;
            self.causes = Causes::default();
        }
        self
    }
}

/// Where data came from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Source {
    /// A part of a site's partition.
    Part(PartRef),
    /// What the environment gave in its n-th move.
    Answer(u32),
    /// Where the environment pointed in its n-th move.
    Index(u32),
    /// What the environment gave in its n-th move for the k-th parameter.
    Argument(u32, u32),
}

/// One thing that a value came from.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cause {
    /// What it came from.
    pub source: Source,
    /// How the value follows from the source, if that is known.
    relation: Option<Relation>,
    /// Numbers of the source before which it should be cut to decide the operation.
    pub cuts: Vec<Int>,
}

/// A function that never falls, or never rises: scales, each of them after a shift, and at last a shift.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Relation {
    scales: Vec<(Shift, Scale)>,
    last: Shift,
}

/// A number plus an offset; or, with the sign turned, the offset minus the number.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Shift {
    turned: bool,
    offset: Int,
}

/// A number times, or divided by, a number above 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Scale {
    Times(Int),
    /// Rounded down.
    Over(Int),
    /// Rounded toward 0.
    Toward(Int),
}

/// No relation has more scales than this.
const MOST_SCALES: usize = 8;

impl Shift {
    /// Where to cut the number so that the result is cut there.
    fn cut(&self, before: &Int) -> Int {
        match self.turned {
            false => before.sub(&self.offset),
            // offset - number < before  iff  number >= offset - before + 1
            true => self.offset.sub(before).add(&Int::ONE),
        }
    }
}

impl Scale {
    /// What an operator does to a number, given the other operand, if that scales it.
    fn of(operator: Operator, n: &Int) -> Option<Scale> {
        let positive = || Some(n.clone()).filter(|n| *n > Int::ZERO);
        let power = || n.shift_amount().map(Int::power_of_two);
        match operator {
            Operator::Multiply => positive().map(Scale::Times),
            Operator::Divide => positive().map(Scale::Over),
            Operator::Quotient => positive().map(Scale::Toward),
            Operator::ShiftLeft => power().map(Scale::Times),
            Operator::ShiftRight => power().map(Scale::Over),
            _ => None,
        }
    }

    /// Where to cut the number so that the result is cut there.
    fn cut(&self, before: &Int) -> Int {
        match self {
            // n · by < before  iff  n < before / by, rounded up
            Scale::Times(by) => before.neg().div(by).unwrap_or_default().neg(),
            // n / by < before  iff  n < before · by
            Scale::Over(by) => before.mul(by),
            Scale::Toward(by) if *before > Int::ZERO => before.mul(by),
            // n / by < before ≤ 0  iff  n ≤ (before - 1) · by
            Scale::Toward(by) => before.sub(&Int::ONE).mul(by).add(&Int::ONE),
        }
    }
}

impl Cause {
    /// Where to cut the source so that the value is cut there.
    fn cut(&self, before: &Int) -> Option<Int> {
        let Relation { scales, last } = self.relation.as_ref()?;
        let cut = |cut: Int, (shift, scale): &(Shift, Scale)| shift.cut(&scale.cut(&cut));
        Some(scales.iter().rev().fold(last.cut(before), cut))
    }

    /// The same with another relation.
    fn with(&self, relation: Option<Relation>) -> Cause {
        Cause { source: self.source, relation, cuts: self.cuts.clone() }
    }

    /// What is known of one source by both.
    fn and(&self, other: &Cause) -> Cause {
        let mut both = self.with(self.relation.clone().filter(|_| self.relation == other.relation));
        both.cuts.extend_from_slice(&other.cuts);
        both.cuts.sort_unstable();
        both.cuts.dedup();
        both
    }
}

/// What a value came from, each source once and in order.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Causes(Option<Arc<[Cause]>>);

/// No value has more causes than this; the others are left out.
const MOST_CAUSES: usize = 64;

impl Causes {
    /// The value is what its source gave.
    pub fn source(source: Source) -> Causes {
        Causes(Some([Cause { source, relation: Some(Relation::default()), cuts: Vec::new() }].into()))
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Cause> {
        self.0.iter().flat_map(|causes| causes.iter())
    }

    /// The same sources, with something else known of each.
    fn each(&self, other: impl FnMut(&Cause) -> Cause) -> Causes {
        Causes(self.0.as_ref().map(|causes| causes.iter().map(other).collect()))
    }

    /// What the first value is more than the second, if both came from one number in the same way.
    pub(super) fn difference(&self, other: &Causes) -> Option<Int> {
        self.iter().find_map(|a| {
            let relation = a.relation.as_ref()?;
            let b = other.iter().find(|b| b.source == a.source)?;
            let other = b.relation.as_ref()?;
            let alike = relation.scales == other.scales && relation.last.turned == other.last.turned;
            alike.then(|| relation.last.offset.sub(&other.last.offset))
        })
    }

    /// Both together.
    pub(super) fn and(&self, other: &Causes) -> Causes {
        let (a, b) = match (&self.0, &other.0) {
            (None, _) => return other.clone(),
            (_, None) => return self.clone(),
            (Some(a), Some(b)) => (a, b),
        };
        let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
        let merged = std::iter::from_fn(|| match (a.peek(), b.peek()) {
            (Some(first), Some(second)) => match first.source.cmp(&second.source) {
                Ordering::Less => a.next().cloned(),
                Ordering::Equal => Some(a.next()?.and(b.next()?)),
                Ordering::Greater => b.next().cloned(),
            },
            (Some(_), None) => a.next().cloned(),
            (None, _) => b.next().cloned(),
        });
        Causes(Some(merged.take(MOST_CAUSES).collect()))
    }

    /// The causes of something that depends on the value in another way.
    pub(super) fn blurred(&self) -> Causes {
        self.each(|cause| cause.with(None))
    }

    /// The causes of a decision about the value that would be made if it were cut before these numbers.
    pub fn deciding(&self, cuts: &[Int]) -> Causes {
        self.each(|cause| {
            let mut decided = cause.with(None);
            decided.cuts.extend(cuts.iter().filter_map(|before| cause.cut(before)));
            decided
        })
    }

    fn moved(&self, turn: bool, by: &Int) -> Causes {
        self.each(|cause| {
            let moved = cause.relation.as_ref().map(|Relation { scales, last: Shift { turned, offset } }| {
                let last = match turn {
                    false => Shift { turned: *turned, offset: offset.add(by) },
                    true => Shift { turned: !turned, offset: by.sub(offset) },
                };
                Relation { scales: scales.clone(), last }
            });
            cause.with(moved)
        })
    }

    /// The causes of the value on a scale.
    fn scaled(&self, scale: &Scale) -> Causes {
        self.each(|cause| {
            let relation = cause.relation.clone().filter(|relation| relation.scales.len() < MOST_SCALES);
            cause.with(relation.map(|Relation { mut scales, last }| {
                scales.push((last, scale.clone()));
                Relation { scales, last: Shift::default() }
            }))
        })
    }

    /// The causes of `by` minus the value.
    pub(super) fn turned(&self, by: &Int) -> Causes {
        self.moved(true, by)
    }

    /// The causes of the result of an operator.
    pub(super) fn of_binary(operator: Operator, a: &Value, b: &Value) -> Causes {
        match operator {
            Operator::Add | Operator::Subtract => {
                let minus = operator == Operator::Subtract;
                match (a.interval.as_point(), b.interval.as_point()) {
                    (_, Some(n)) if minus => a.causes.moved(false, &n.neg()),
                    (_, Some(n)) => a.causes.moved(false, n),
                    (Some(n), _) if minus => b.causes.moved(true, n),
                    (Some(n), _) => b.causes.moved(false, n),
                    _ => a.causes.blurred().and(&b.causes.blurred()),
                }
            }
            Operator::Equal
            | Operator::NotEqual
            | Operator::Less
            | Operator::LessEqual
            | Operator::Greater
            | Operator::GreaterEqual => {
                let left = a.causes.deciding(&cuts(operator, &b.interval));
                left.and(&b.causes.deciding(&cuts(mirrored(operator), &a.interval)))
            }
            _ => Causes::of_scale(operator, a, b)
                .unwrap_or_else(|| a.causes.blurred().and(&b.causes.blurred())),
        }
    }

    /// The causes of the result of an operator of which one operand is a number and the other one is put on a scale, or stays.
    fn of_scale(operator: Operator, a: &Value, b: &Value) -> Option<Causes> {
        let by = |a: &Value, n: &Int| Some(a.causes.scaled(&Scale::of(operator, n)?));
        match (a.interval.as_point(), b.interval.as_point()) {
            (_, Some(n)) if stays(operator, &a.interval, n) => Some(a.causes.clone()),
            (_, Some(n)) => by(a, n),
            (Some(n), _) if operator == Operator::Multiply => by(b, n),
            (Some(n), _) if operator == Operator::BitAnd && stays(operator, &b.interval, n) => {
                Some(b.causes.clone())
            }
            _ => None,
        }
    }
}

/// Whether an operator does nothing to the numbers of an interval, given the other operand: a remainder or a mask that is larger.
fn stays(operator: Operator, numbers: &Interval, n: &Int) -> bool {
    let last = match operator {
        Operator::Modulo | Operator::Remainder if *n > Int::ZERO => n.sub(&Int::ONE),
        Operator::BitAnd if n.bit_and(&n.add(&Int::ONE)).is_zero() => n.clone(),
        _ => return false,
    };
    !last.is_negative() && numbers.within(&Interval::between(Int::ZERO, last))
}

fn mirrored(operator: Operator) -> Operator {
    match operator {
        Operator::Less => Operator::Greater,
        Operator::LessEqual => Operator::GreaterEqual,
        Operator::Greater => Operator::Less,
        Operator::GreaterEqual => Operator::LessEqual,
        other => other,
    }
}

/// Before which numbers the left side of a comparison is to be cut, so that it is decided on most sides of them.
fn cuts(operator: Operator, right: &Interval) -> Vec<Int> {
    let behind = |n: &Int| n.add(&Int::ONE);
    let (low, high) = (right.low(), right.high());
    let found = match operator {
        Operator::Less | Operator::GreaterEqual => [low.cloned(), high.cloned()],
        Operator::LessEqual | Operator::Greater => [low.map(behind), high.map(behind)],
        _ => [low.cloned(), high.map(behind)],
    };
    found.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use agon_base::random::Random;

    use super::*;

    /// A value that comes from a source by operators is cut just where the source is cut.
    #[test]
    fn sources_are_cut_where_values_are() {
        use Operator::{Add, Divide, Multiply, Quotient, ShiftLeft, ShiftRight, Subtract};
        let operators = [Add, Subtract, Multiply, Divide, Quotient, ShiftLeft, ShiftRight];
        let source = Source::Answer(0);
        let whole = Interval::between(Int::from(-90i64), Int::from(90i64));
        let mut random = Random::new(1);
        let (mut cut, mut unknown) = (0, 0);
        for _ in 0..3_000 {
            let mut steps = Vec::new();
            for _ in 0..1 + random.below(3) {
                let operator = operators[random.below(operators.len())];
                steps.push((operator, Int::from(random.below(5) as i64 + 1), random.one_in(3)));
            }
            let mut value = Value { causes: Causes::source(source), ..Value::new(whole.clone()) };
            let result = |n: &Int| {
                steps.iter().try_fold(n.clone(), |n, (operator, by, first)| match first {
                    true => operator.apply(by, &n),
                    false => operator.apply(&n, by),
                })
            };
            for (operator, by, first) in &steps {
                let point = Value::new(Interval::point(by.clone()));
                let (a, b) = if *first { (&point, &value) } else { (&value, &point) };
                // Only causes are looked at, so any numbers will do.
                let causes = Causes::of_binary(*operator, a, b);
                value = Value { causes, ..Value::new(whole.clone()) };
            }
            for before in -40..40i64 {
                let before = Int::from(before);
                let Some(place) = value.causes.iter().find_map(|cause| cause.cut(&before)) else {
                    unknown += 1;
                    break;
                };
                let below = |n: &Int| result(n).map(|value| value < before);
                let all: Vec<Int> = (-90..=90i64).map(Int::from).collect();
                let (left, right): (Vec<&Int>, Vec<&Int>) = all.iter().partition(|n| **n < place);
                for side in [left, right] {
                    let outcomes: Vec<_> = side.iter().map(|n| below(n)).collect();
                    assert!(outcomes.windows(2).all(|two| two[0] == two[1]), "{steps:?} before {before}");
                }
                cut += 1;
            }
        }
        println!("{cut} cuts, {unknown} ways that are not known");
        assert!(cut > 50_000 && unknown > 500);
    }
}
