//! Exact integers: a machine word while it fits, a big integer when it does not.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::BigInt;
use num_traits::{Euclid, Signed, ToPrimitive, Zero};

/// Shifts by more bits than this give 0.
pub const LARGEST_SHIFT: u32 = 4096;

/// An integer of any size. Equal numbers have equal representations, so it hashes and compares cheaply.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Int(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    /// Only numbers that no `i64` holds.
    Big(Box<BigInt>),
}

impl Int {
    /// The number 0.
    pub const ZERO: Int = Int(Repr::Small(0));
    /// The number 1.
    pub const ONE: Int = Int(Repr::Small(1));

    /// 1 for true, 0 for false.
    pub const fn truth(b: bool) -> Int {
        Int(Repr::Small(b as i64))
    }

    /// 2 to the power `n`.
    pub fn power_of_two(n: u32) -> Int {
        Int::from_big(BigInt::from(1) << n)
    }

    fn from_big(n: BigInt) -> Int {
        match n.to_i64() {
            Some(small) => Int(Repr::Small(small)),
            None => Int(Repr::Big(Box::new(n))),
        }
    }

    fn to_big(&self) -> BigInt {
        match &self.0 {
            Repr::Small(n) => BigInt::from(*n),
            Repr::Big(n) => (**n).clone(),
        }
    }

    /// Whether the number is 0, the only number that counts as false.
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small(0))
    }

    /// Whether the number is below 0.
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Repr::Small(n) => *n < 0,
            Repr::Big(n) => n.is_negative(),
        }
    }

    /// The number as an `i64`, if it is one.
    pub fn to_i64(&self) -> Option<i64> {
        match &self.0 {
            Repr::Small(n) => Some(*n),
            Repr::Big(_) => None,
        }
    }

    /// The number as a `u64`, if it is one.
    pub fn to_u64(&self) -> Option<u64> {
        match &self.0 {
            Repr::Small(n) => u64::try_from(*n).ok(),
            Repr::Big(n) => n.to_u64(),
        }
    }

    /// The number as an `i128`, if it is one.
    pub fn to_i128(&self) -> Option<i128> {
        match &self.0 {
            Repr::Small(n) => Some(i128::from(*n)),
            Repr::Big(n) => n.to_i128(),
        }
    }

    /// How many bits the number's magnitude takes.
    pub fn bits(&self) -> u64 {
        match &self.0 {
            Repr::Small(n) => u64::from(u64::BITS - n.unsigned_abs().leading_zeros()),
            Repr::Big(n) => n.bits(),
        }
    }

    /// The sum.
    pub fn add(&self, other: &Int) -> Int {
        self.by(other, i64::checked_add, |a, b| a + b)
    }

    /// The difference.
    pub fn sub(&self, other: &Int) -> Int {
        self.by(other, i64::checked_sub, |a, b| a - b)
    }

    /// The product.
    pub fn mul(&self, other: &Int) -> Int {
        self.by(other, i64::checked_mul, |a, b| a * b)
    }

    /// The number with its sign changed.
    pub fn neg(&self) -> Int {
        Int::ZERO.sub(self)
    }

    /// The Euclidean quotient: the remainder it leaves is never negative. Nothing when dividing by 0.
    pub fn div(&self, other: &Int) -> Option<Int> {
        (!other.is_zero()).then(|| self.by(other, i64::checked_div_euclid, |a, b| a.div_euclid(&b)))
    }

    /// The Euclidean remainder, from 0 up to the divisor's magnitude. Nothing when dividing by 0.
    pub fn rem(&self, other: &Int) -> Option<Int> {
        (!other.is_zero()).then(|| self.by(other, i64::checked_rem_euclid, |a, b| a.rem_euclid(&b)))
    }

    /// The quotient rounded toward 0. Nothing when dividing by 0.
    pub fn quotient(&self, other: &Int) -> Option<Int> {
        (!other.is_zero()).then(|| self.by(other, i64::checked_div, |a, b| a / b))
    }

    /// What the quotient rounded toward 0 leaves; it is 0 or has the sign of the dividend. Nothing when dividing by 0.
    pub fn remainder(&self, other: &Int) -> Option<Int> {
        (!other.is_zero()).then(|| self.by(other, i64::checked_rem, |a, b| a % b))
    }

    /// The bits that both have. Numbers are in two's complement with as many bits as are needed.
    pub fn bit_and(&self, other: &Int) -> Int {
        self.by(other, |a, b| Some(a & b), |a, b| a & b)
    }

    /// The bits that one of them has, in two's complement.
    pub fn bit_or(&self, other: &Int) -> Int {
        self.by(other, |a, b| Some(a | b), |a, b| a | b)
    }

    /// The bits that only one of them has, in two's complement.
    pub fn bit_xor(&self, other: &Int) -> Int {
        self.by(other, |a, b| Some(a ^ b), |a, b| a ^ b)
    }

    /// The number with every bit changed, in two's complement: -1 minus the number.
    pub fn complement(&self) -> Int {
        Int::from(-1i64).sub(self)
    }

    /// By how many bits a shift by this number shifts; nothing if it shifts everything away.
    pub fn shift_amount(&self) -> Option<u32> {
        self.to_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| *n <= LARGEST_SHIFT)
    }

    /// The number times 2 to the power of another; 0 if that is below 0 or above [`LARGEST_SHIFT`].
    pub fn shift_left(&self, by: &Int) -> Int {
        by.shift_amount().map_or(Int::ZERO, |n| self.mul(&Int::power_of_two(n)))
    }

    /// The number divided by 2 to the power of another, rounded down; 0 if that is below 0 or above [`LARGEST_SHIFT`].
    pub fn shift_right(&self, by: &Int) -> Int {
        match (&self.0, by.shift_amount()) {
            (_, None) => Int::ZERO,
            (Repr::Small(a), Some(n)) => Int(Repr::Small(a >> n.min(i64::BITS - 1))),
            (Repr::Big(a), Some(n)) => Int::from_big(&**a >> n),
        }
    }

    fn by(
        &self,
        other: &Int,
        small: impl Fn(i64, i64) -> Option<i64>,
        big: impl Fn(BigInt, BigInt) -> BigInt,
    ) -> Int {
        if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &other.0)
            && let Some(n) = small(*a, *b)
        {
            return Int(Repr::Small(n));
        }
        Int::from_big(big(self.to_big(), other.to_big()))
    }

    /// Reads decimal digits, with a sign or without.
    pub fn parse(text: &str) -> Option<Int> {
        if let Ok(n) = text.parse::<i64>() {
            return Some(Int(Repr::Small(n)));
        }
        BigInt::parse_bytes(text.as_bytes(), 10).map(Int::from_big)
    }
}

impl From<i64> for Int {
    fn from(n: i64) -> Int {
        Int(Repr::Small(n))
    }
}

impl From<u64> for Int {
    fn from(n: u64) -> Int {
        match i64::try_from(n) {
            Ok(n) => Int(Repr::Small(n)),
            Err(_) => Int::from_big(BigInt::from(n)),
        }
    }
}

impl From<i128> for Int {
    fn from(n: i128) -> Int {
        match i64::try_from(n) {
            Ok(n) => Int(Repr::Small(n)),
            Err(_) => Int::from_big(BigInt::from(n)),
        }
    }
}

impl Default for Int {
    fn default() -> Int {
        Int::ZERO
    }
}

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Int) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Int {
    fn cmp(&self, other: &Int) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a), Repr::Small(b)) => a.cmp(b),
            (Repr::Big(a), Repr::Big(b)) => a.cmp(b),
            // A big number lies beyond every small one, on the side of its sign.
            (Repr::Small(_), Repr::Big(b)) => BigInt::zero().cmp(b),
            (Repr::Big(a), Repr::Small(_)) => (**a).cmp(&BigInt::zero()),
        }
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(n) => n.fmt(f),
            Repr::Big(n) => n.fmt(f),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(n: i64) -> Int {
        Int::from(n)
    }

    #[test]
    fn division_is_euclidean() {
        for (a, b, q, r) in [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -3, 1), (-7, -2, 4, 1)] {
            assert_eq!(int(a).div(&int(b)), Some(int(q)), "{a} / {b}");
            assert_eq!(int(a).rem(&int(b)), Some(int(r)), "{a} mod {b}");
        }
        assert_eq!(int(1).div(&int(0)), None);
        assert_eq!(int(1).rem(&int(0)), None);
    }

    #[test]
    fn division_toward_zero_and_bits_are_those_of_machine_words() {
        let mut numbers: Vec<i64> = (-9..=9).chain([i64::MIN, i64::MIN + 1, i64::MAX, 1 << 40]).collect();
        numbers.extend([0x5555_5555, -0x1234_5678_9abc]);
        let wide = |n: i128| Int::parse(&n.to_string()).expect("digits");
        // Every number also far beyond a machine word, where the lowest bits are the same.
        let far = |n: i64| i128::from(n) + (1 << 100);
        for (a, b) in numbers.iter().flat_map(|a| numbers.iter().map(move |b| (*a, *b))) {
            for (x, y) in [(i128::from(a), i128::from(b)), (far(a), i128::from(b)), (-far(a), far(b))] {
                let (p, q) = (wide(x), wide(y));
                assert_eq!(p.quotient(&q), x.checked_div(y).map(wide), "{x} / {y}");
                assert_eq!(p.remainder(&q), x.checked_rem(y).map(wide), "{x} % {y}");
                assert_eq!(p.bit_and(&q), wide(x & y), "{x} & {y}");
                assert_eq!(p.bit_or(&q), wide(x | y), "{x} | {y}");
                assert_eq!(p.bit_xor(&q), wide(x ^ y), "{x} ^ {y}");
                assert_eq!(p.complement(), wide(!x), "~{x}");
            }
            for n in [0i64, 1, 7, 31, 62, 63, 64, 100] {
                let by = int(n);
                assert_eq!(int(a).shift_right(&by), wide(i128::from(a) >> n), "{a} >> {n}");
                assert_eq!(int(a).shift_left(&by).shift_right(&by), int(a), "{a} << {n} >> {n}");
            }
            assert_eq!(int(a).shift_left(&int(60)), wide(i128::from(a) << 60), "{a} << 60");
            for n in [-1, 4097, i64::MAX] {
                assert_eq!([int(a).shift_left(&int(n)), int(a).shift_right(&int(n))], [Int::ZERO, Int::ZERO]);
            }
        }
    }

    #[test]
    fn arithmetic_leaves_the_machine_word_and_comes_back() {
        let max = int(i64::MAX);
        let beyond = max.add(&Int::ONE);
        assert_eq!(beyond.to_string(), "9223372036854775808");
        assert_eq!(beyond.sub(&Int::ONE), max);
        assert!(beyond > max && beyond.neg() < int(i64::MIN).add(&Int::ONE));
        assert_eq!(int(i64::MIN).div(&int(-1)), Some(beyond.clone()));
        assert_eq!(Int::power_of_two(63), beyond);
        assert_eq!(Int::parse("9223372036854775808"), Some(beyond.clone()));
        assert_eq!(beyond.to_u64(), Some(1 << 63));
        assert_eq!(beyond.mul(&beyond).div(&beyond), Some(beyond));
    }
}
