//! Arithmetic on intervals that never loses a possible result.

use agon_base::int::{Int, LARGEST_SHIFT};
use agon_core::term::{Operator, Unary};
use agon_core::types::Data;

use super::{Interval, bits};
use crate::values::{Outcome, Truth};

/// No end of a product or of what is shifted has more bits than this: as many as a number of an exact run may have.
const LARGEST_PRODUCT: u64 = 1 << 20;

/// An end of an interval as a place on the line, so that ends compare and multiply.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Bound {
    Below,
    At(Int),
    Above,
}

impl Interval {
    /// The results of an operator of one operand.
    pub fn unary(&self, operator: Unary) -> Interval {
        match operator {
            Unary::Negate => self.negate(),
            Unary::Not => Interval::of_truth(opposite(self.truth())),
            Unary::Complement => self.complement(),
        }
    }

    /// The results of an operator of two operands, for every choice of a number on either side.
    pub fn binary(&self, operator: Operator, other: &Interval) -> Outcome<Interval> {
        if operator.bits(self.bits(), other.bits()) > LARGEST_PRODUCT {
            return Outcome::TooLarge;
        }
        if let (Some(a), Some(b)) = (self.as_point(), other.as_point()) {
            return operator.apply(a, b).map_or(Outcome::Fails, |n| Outcome::One(Interval::point(n)));
        }
        let truth = match operator {
            Operator::Add => return Outcome::One(self.add(other)),
            Operator::Subtract => return Outcome::One(self.add(&other.negate())),
            Operator::Multiply => return Outcome::One(self.multiply(other)),
            Operator::Divide => return other.unless_zero(self.divide(other)),
            Operator::Modulo => return other.unless_zero(self.modulo(other)),
            Operator::Quotient => return other.unless_zero(self.toward_zero(|a| a.divide(other))),
            Operator::Remainder => return other.unless_zero(self.toward_zero(|a| a.modulo(other))),
            Operator::BitAnd | Operator::BitOr | Operator::BitXor => {
                return Outcome::One(bits::bitwise(operator, self, other));
            }
            Operator::ShiftLeft => return Outcome::One(self.shift(other, Interval::multiply)),
            Operator::ShiftRight => return Outcome::One(self.shift(other, Interval::divide_by_positive)),
            Operator::Equal => self.equal(other),
            Operator::NotEqual => opposite(self.equal(other)),
            Operator::Less => self.less(other),
            Operator::LessEqual => opposite(other.less(self)),
            Operator::Greater => other.less(self),
            Operator::GreaterEqual => opposite(self.less(other)),
            Operator::Both => both(self.truth(), other.truth()),
            Operator::Either => opposite(both(opposite(self.truth()), opposite(other.truth()))),
        };
        Outcome::One(Interval::of_truth(truth))
    }

    /// The numbers brought into the range of a type: two intervals where the range is left and entered again.
    pub fn wrap(&self, data: &Data) -> Outcome<Interval> {
        let range = Interval::of(data);
        if self.within(&range) {
            return Outcome::One(self.clone());
        }
        let (Some(low), Some(high)) = (self.low(), self.high()) else { return Outcome::One(range) };
        if self.count() >= range.count() {
            return Outcome::One(range);
        }
        // There are fewer numbers than a turn has, so the ends change places exactly if a turn ends between.
        let (low, high) = (data.wrap(low), data.wrap(high));
        if low <= high {
            return Outcome::One(Interval::between(low, high));
        }
        let lower = Interval { low: range.low, high: Some(high) };
        let upper = Interval { low: Some(low), high: range.high };
        Outcome::Many(vec![Some(lower), Some(upper)])
    }

    /// Which way a condition with these values goes.
    pub fn truth(&self) -> Truth {
        if !self.contains(&Int::ZERO) {
            Truth::True
        } else if self.as_point().is_some() {
            Truth::False
        } else {
            Truth::Either
        }
    }

    /// The truth values that a condition may have, as numbers.
    fn of_truth(truth: Truth) -> Interval {
        Interval::between(Int::truth(truth == Truth::True), Int::truth(truth != Truth::False))
    }

    /// The bits of the larger end.
    fn bits(&self) -> u64 {
        self.low().map_or(0, Int::bits).max(self.high().map_or(0, Int::bits))
    }

    fn negate(&self) -> Interval {
        Interval { low: self.high().map(Int::neg), high: self.low().map(Int::neg) }
    }

    /// All bits changed: -1 minus each number.
    pub(super) fn complement(&self) -> Interval {
        Interval { low: self.high().map(Int::complement), high: self.low().map(Int::complement) }
    }

    fn add(&self, other: &Interval) -> Interval {
        Interval {
            low: self.low().zip(other.low()).map(|(a, b)| a.add(b)),
            high: self.high().zip(other.high()).map(|(a, b)| a.add(b)),
        }
    }

    /// The low end and the high end.
    fn ends(&self) -> [Bound; 2] {
        let low = self.low.clone().map_or(Bound::Below, Bound::At);
        [low, self.high.clone().map_or(Bound::Above, Bound::At)]
    }

    fn multiply(&self, other: &Interval) -> Interval {
        let ([a, b], [c, d]) = (self.ends(), other.ends());
        let mut corners = [a.times(&c), a.times(&d), b.times(&c), b.times(&d)];
        corners.sort();
        let [low, _, _, high] = corners;
        Interval { low: low.number(), high: high.number() }
    }

    /// Whether a number of this one is less than a number of the other.
    fn less(&self, other: &Interval) -> Truth {
        if self.high().zip(other.low()).is_some_and(|(a, b)| a < b) {
            Truth::True
        } else if self.low().zip(other.high()).is_some_and(|(a, b)| a >= b) {
            Truth::False
        } else {
            Truth::Either
        }
    }

    fn equal(&self, other: &Interval) -> Truth {
        if self.intersection(other).is_none() {
            Truth::False
        } else if self.as_point().is_some() && self == other {
            Truth::True
        } else {
            Truth::Either
        }
    }

    /// The results of dividing by this interval, given those for its numbers other than 0, if it has any.
    fn unless_zero(&self, results: Option<Interval>) -> Outcome<Interval> {
        match results {
            None => Outcome::Fails,
            Some(results) if self.contains(&Int::ZERO) => Outcome::Many(vec![Some(results), None]),
            Some(results) => Outcome::One(results),
        }
    }

    /// The numbers above 0, if there are any.
    fn positive(&self) -> Option<Interval> {
        self.intersection(&Interval { low: Some(Int::ONE), high: None })
    }

    /// The quotients by the divisors other than 0, if there are any.
    fn divide(&self, other: &Interval) -> Option<Interval> {
        let by_positive = other.positive().map(|divisor| self.divide_by_positive(&divisor));
        // The remainder is never negative, so it is the same for a divisor and for the divisor negated.
        let by_negative = other.negate().positive().map(|divisor| self.divide_by_positive(&divisor).negate());
        either_or_hull(by_positive, by_negative)
    }

    /// The quotient grows with the dividend. A larger divisor brings it down for a dividend that is not
    /// negative, at last to 0, and up for one that is, at last to -1.
    fn divide_by_positive(&self, divisor: &Interval) -> Interval {
        let quotient = |n: &Int, bound: Option<&Int>| {
            let at_last = if n.is_negative() { Int::ONE.neg() } else { Int::ZERO };
            bound.and_then(|bound| n.div(bound)).unwrap_or(at_last)
        };
        let (small, large) = (divisor.low(), divisor.high());
        Interval {
            low: self.low().map(|n| quotient(n, if n.is_negative() { small } else { large })),
            high: self.high().map(|n| quotient(n, if n.is_negative() { large } else { small })),
        }
    }

    /// The remainders by the divisors other than 0, if there are any. They are exact where all quotients by the
    /// divisors' magnitudes are the same.
    fn modulo(&self, other: &Interval) -> Option<Interval> {
        let divisor = either_or_hull(other.positive(), other.negate().positive())?;
        let quotients = self.divide_by_positive(&divisor);
        if quotients.as_point().is_some() {
            return Some(self.add(&divisor.multiply(&quotients).negate()));
        }
        let below_divisor = Interval { low: Some(Int::ZERO), high: divisor.high().map(|n| n.sub(&Int::ONE)) };
        match self.low() {
            Some(low) if !low.is_negative() => {
                below_divisor.intersection(&Interval { low: None, high: self.high.clone() })
            }
            _ => Some(below_divisor),
        }
    }
}

impl Interval {
    /// The results of a division that is rounded toward 0, given how magnitudes are divided.
    fn toward_zero(&self, division: impl Fn(&Interval) -> Option<Interval>) -> Option<Interval> {
        let from_zero = Interval { low: Some(Int::ZERO), high: None };
        let above = self.intersection(&from_zero).and_then(|a| division(&a));
        let below = self.negate().positive().and_then(|a| division(&a)).map(|a| a.negate());
        either_or_hull(above, below)
    }

    /// The results of a shift, given what a power of two does: 0 for all amounts that shift everything away.
    fn shift(&self, amounts: &Interval, by_power: impl Fn(&Interval, &Interval) -> Interval) -> Interval {
        let allowed = Interval::between(Int::ZERO, Int::from(u64::from(LARGEST_SHIFT)));
        let shifted = amounts.intersection(&allowed).and_then(|amounts| {
            let power = |n: &Int| n.shift_amount().map(Int::power_of_two);
            let (least, most) = (power(amounts.low()?)?, power(amounts.high()?)?);
            Some(by_power(self, &Interval::between(least, most)))
        });
        let zero = (!amounts.within(&allowed)).then(Interval::default);
        either_or_hull(shifted, zero).unwrap_or_default()
    }
}

impl Bound {
    /// The product; 0 times anything is 0, since every number of an interval is finite.
    fn times(&self, other: &Bound) -> Bound {
        if let (Bound::At(a), Bound::At(b)) = (self, other) {
            return Bound::At(a.mul(b));
        }
        let zero = Bound::At(Int::ZERO);
        if *self == zero || *other == zero {
            zero
        } else if (*self < zero) == (*other < zero) {
            Bound::Above
        } else {
            Bound::Below
        }
    }

    fn number(self) -> Option<Int> {
        match self {
            Bound::At(n) => Some(n),
            Bound::Below | Bound::Above => None,
        }
    }
}

/// The one that there is, or the hull of the two.
fn either_or_hull(a: Option<Interval>, b: Option<Interval>) -> Option<Interval> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.hull(&b)),
        (a, b) => a.or(b),
    }
}

fn opposite(truth: Truth) -> Truth {
    match truth {
        Truth::True => Truth::False,
        Truth::False => Truth::True,
        Truth::Either => Truth::Either,
    }
}

fn both(a: Truth, b: Truth) -> Truth {
    match (a, b) {
        (Truth::False, _) | (_, Truth::False) => Truth::False,
        (Truth::True, Truth::True) => Truth::True,
        _ => Truth::Either,
    }
}
#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Numbers stand in for a missing end up to here: far enough that no finite end is mistaken for one.
    const FAR: i64 = 42;

    const OPERATORS: [Operator; 20] = {
        use Operator::{GreaterEqual as AtLeast, LessEqual as AtMost, *};
        [
            Add, Subtract, Multiply, Divide, Modulo, Quotient, Remainder, BitAnd, BitOr, BitXor, ShiftLeft,
            ShiftRight, Equal, NotEqual, Less, AtMost, Greater, AtLeast, Both, Either,
        ]
    };

    fn interval(low: Option<i64>, high: Option<i64>) -> Option<Interval> {
        Interval::new(low.map(Int::from), high.map(Int::from))
    }

    /// All intervals with ends in -6..=6, or none.
    fn intervals() -> Vec<Interval> {
        let ends = || (-6..=6).map(Some).chain([None]);
        ends().flat_map(|low| ends().filter_map(move |high| interval(low, high))).collect()
    }

    fn numbers(a: &Interval) -> Vec<Int> {
        (-FAR..=FAR).map(Int::from).filter(|n| a.contains(n)).collect()
    }

    /// The least interval with the numbers; what lies beyond the limit stands for a missing end.
    fn hull(numbers: &BTreeSet<Int>, limit: i64) -> Option<Interval> {
        let near = |n: &&Int| Int::from(-limit) <= **n && **n <= Int::from(limit);
        let (low, high) = (numbers.first()?, numbers.last()?);
        Interval::new(Some(low).filter(near).cloned(), Some(high).filter(near).cloned())
    }

    /// The intervals of an outcome, and whether it may fail.
    fn pieces(outcome: Outcome<Interval>) -> (Vec<Interval>, bool) {
        match outcome {
            Outcome::One(a) => (vec![a], false),
            Outcome::Fails => (vec![], true),
            Outcome::TooLarge => panic!("nothing here is too large"),
            Outcome::Many(many) => {
                assert!(many.len() > 1);
                let fails = many.contains(&None);
                (many.into_iter().flatten().collect(), fails)
            }
        }
    }

    #[test]
    fn operators_of_two_operands_are_sound_and_tight() {
        let all: Vec<_> = intervals().into_iter().map(|a| (numbers(&a), a)).collect();
        assert_eq!(all.len(), 118);
        for operator in OPERATORS {
            // No result of finite ends is larger, and one of a missing end is.
            let limit = match operator {
                Operator::Add | Operator::Subtract => 12,
                Operator::Multiply => 36,
                Operator::BitAnd | Operator::BitOr | Operator::BitXor => 8,
                Operator::ShiftLeft => 6 << 6,
                _ => 6,
            };
            for ((left, a), (right, b)) in all.iter().flat_map(|x| all.iter().map(move |y| (x, y))) {
                let (got, fails) = pieces(a.binary(operator, b));
                let context = || format!("{a} {operator:?} {b} gives {got:?}, failing: {fails}");
                let (mut results, mut some_fail) = (BTreeSet::new(), false);
                for (x, y) in left.iter().flat_map(|x| right.iter().map(move |y| (x, y))) {
                    match operator.apply(x, y) {
                        Some(n) if results.contains(&n) => {}
                        Some(n) => _ = results.insert(n),
                        None => some_fail = true,
                    }
                }
                assert_eq!(fails, some_fail, "{}", context());
                assert!(got.len() < 2, "{}", context());
                assert!(results.iter().all(|n| got[0].contains(n)), "{}", context());
                // These are exact where both intervals have both ends.
                let finite = [a, b].iter().all(|a| a.low().is_some() && a.high().is_some());
                let exact = match operator {
                    Operator::BitAnd | Operator::BitOr | Operator::BitXor => finite,
                    Operator::ShiftLeft | Operator::ShiftRight => finite,
                    Operator::Remainder => b.as_point().is_some(),
                    _ => true,
                };
                if !exact {
                    continue;
                }
                let magnitudes = either_or_hull(b.positive(), b.negate().positive());
                let one_quotient = || magnitudes.as_ref().and_then(|b| a.divide(b)?.as_point().cloned());
                if operator != Operator::Modulo || b.as_point().is_some() || one_quotient().is_some() {
                    assert_eq!(got.first(), hull(&results, limit).as_ref(), "{}", context());
                    continue;
                }
                let mut bounds = vec![Interval { low: Some(Int::ZERO), high: None }];
                bounds.extend(
                    a.low().filter(|n| !n.is_negative()).map(|_| Interval { low: None, ..a.clone() }),
                );
                let last = magnitudes.as_ref().and_then(|b| b.high()).map(|n| n.sub(&Int::ONE));
                bounds.push(Interval { low: None, high: last });
                assert!(bounds.iter().all(|bound| got[0].within(bound)), "{}", context());
            }
        }
    }

    #[test]
    fn operators_of_one_operand_and_questions_are_exact() {
        for a in intervals() {
            let numbers = numbers(&a);
            for operator in [Unary::Negate, Unary::Not, Unary::Complement] {
                let results = numbers.iter().map(|n| operator.apply(n)).collect();
                assert_eq!(Some(a.unary(operator)), hull(&results, 7), "{operator:?} {a}");
            }
            let truth = match (numbers.contains(&Int::ZERO), numbers.len()) {
                (true, 1) => Truth::False,
                (true, _) => Truth::Either,
                (false, _) => Truth::True,
            };
            assert_eq!(a.truth(), truth, "{a}");
            let nearest = numbers.iter().min_by_key(|n| n.to_i64().map(i64::abs));
            assert_eq!(Some(&a.nearest_to_zero()), nearest, "{a}");
            assert_eq!(a.as_point(), numbers.first().filter(|_| numbers.len() == 1), "{a}");
            let finite = a.low().is_some() && a.high().is_some();
            assert_eq!(a.count(), finite.then(|| Int::from(numbers.len() as u64)), "{a}");
            assert_eq!(a.middle().as_ref(), numbers.get((numbers.len() - 1) / 2).filter(|_| finite), "{a}");
            for b in intervals() {
                let (left, right): (BTreeSet<_>, BTreeSet<_>) =
                    (numbers.iter().cloned().collect(), self::numbers(&b).into_iter().collect());
                assert_eq!(a.within(&b), left.is_subset(&right), "{a} {b}");
                assert_eq!(a.intersection(&b), hull(&(&left & &right), 6), "{a} {b}");
                assert_eq!(Some(a.hull(&b)), hull(&(&left | &right), 6), "{a} {b}");
            }
        }
        assert_eq!(interval(Some(1), Some(0)), None);
        assert_eq!(Interval::default(), Interval::point(Int::ZERO));
    }

    #[test]
    fn wrapping_is_exact() {
        let byte = |signed| Data::Machine { signed, bits: 8 };
        let small = (1..=7i64).map(|k| Data::Mod(Int::from(k))).chain([Data::Bool]);
        let small = small.map(|data| (data, (-20..=20).collect::<Vec<i64>>(), 16));
        let starts: Vec<_> = (-600..=600).step_by(37).chain([-384, -129, -128, 127, 128, 255, 256]).collect();
        let large = [byte(false), byte(true)].map(|data| (data, starts.clone(), 258));
        for (data, starts, longest) in small.chain(large) {
            for (start, length) in starts.iter().flat_map(|a| (0..=longest).map(move |b| (*a, b))) {
                let a = Interval::between(Int::from(start), Int::from(start + length));
                let wrapped: BTreeSet<_> =
                    (start..=start + length).filter_map(|n| data.wrap(&Int::from(n)).to_i64()).collect();
                let (got, fails) = pieces(a.wrap(&data));
                let end = |end: Option<&Int>| end.and_then(Int::to_i64).expect("a small end");
                let union = got.iter().flat_map(|piece| end(piece.low())..=end(piece.high()));
                let gap = wrapped.iter().zip(wrapped.iter().skip(1)).any(|(n, next)| n + 1 < *next);
                assert_eq!(got.len() == 2, gap, "{a} in {data} gives {got:?}");
                assert!(!fails && wrapped.into_iter().eq(union), "{a} in {data} gives {got:?}");
                assert_eq!(a.wrap(&Data::Int), Outcome::One(a));
            }
            for a in [interval(Some(3), None), interval(None, Some(3)), interval(None, None)] {
                assert_eq!(a.map(|a| a.wrap(&data)), Some(Outcome::One(Interval::of(&data))));
            }
        }
    }

    #[test]
    fn large_numbers_are_sound() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.wrapping_mul(0x2545_f491_4f6c_dd1d)
        };
        let machine = |signed, bits| Data::Machine { signed, bits };
        let types =
            [machine(true, 64), machine(false, 64), machine(true, 32), Data::Mod(Int::from(u64::MAX))];
        for _ in 0..20_000 {
            let mut number = || Int::from((random() as i64) >> (random() % 64));
            let mut operand = || {
                let (low, length) = (number(), number());
                let high = low.add(if length.is_negative() { &Int::ZERO } else { &length });
                let inner = number().rem(&high.sub(&low).add(&Int::ONE)).expect("not 0").add(&low);
                let a = Interval::between(low.clone(), high.clone());
                let samples = [low, high, inner, a.middle().expect("two ends"), a.nearest_to_zero()];
                assert!(samples.iter().all(|n| a.contains(n)));
                match length.rem(&Int::from(8i64)).and_then(|n| n.to_i64()) {
                    Some(0) => (Interval { low: None, ..a }, samples),
                    Some(1) => (Interval { high: None, ..a }, samples),
                    _ => (a, samples),
                }
            };
            let ((a, left), (b, right)) = (operand(), operand());
            for operator in OPERATORS {
                let (got, fails) = pieces(a.binary(operator, &b));
                for (x, y) in left.iter().flat_map(|x| right.iter().map(move |y| (x, y))) {
                    let n = operator.apply(x, y);
                    let found = n.as_ref().map_or(fails, |n| got.iter().any(|piece| piece.contains(n)));
                    assert!(found, "{x} {operator:?} {y} is {n:?}, but {a} {operator:?} {b} gives {got:?}");
                }
            }
            for data in &types {
                let (got, fails) = pieces(a.wrap(data));
                assert!(!fails && got.iter().all(|piece| piece.within(&Interval::of(data))));
                for n in left.iter().map(|n| data.wrap(n)) {
                    assert!(got.iter().any(|piece| piece.contains(&n)), "{n} in {a} as {data}: {got:?}");
                }
            }
        }
    }

    #[test]
    fn products_may_be_too_large() {
        let half = Interval::between(Int::ZERO, Int::power_of_two(1 << 19));
        let below = Interval::between(Int::ONE, Int::power_of_two((1 << 19) - 2));
        assert_eq!(half.binary(Operator::Multiply, &half), Outcome::TooLarge);
        assert!(matches!(half.binary(Operator::Multiply, &below), Outcome::One(_)));
        assert!(matches!(half.binary(Operator::Add, &half), Outcome::One(_)));
        assert!(matches!(half.binary(Operator::Multiply, &Interval::all()), Outcome::One(_)));
    }
}
