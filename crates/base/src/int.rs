//! Exact integers: a machine word while it fits, a big integer when it does not.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::BigInt;
use num_traits::{Euclid, Signed, ToPrimitive, Zero};

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
