//! Exact fractions.

use std::cmp::Ordering;

use agon_base::int::Int;

use super::linear::{floor, gcd_of};

/// A fraction in lowest terms, its denominator positive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ratio {
    over: Int,
    under: Int,
}

impl Ratio {
    /// 0.
    pub const ZERO: Ratio = Ratio { over: Int::ZERO, under: Int::ONE };

    /// A whole number.
    pub fn whole(n: Int) -> Ratio {
        Ratio { over: n, under: Int::ONE }
    }

    fn new(over: Int, under: Int) -> Ratio {
        if under == Int::ONE {
            return Ratio { over, under };
        }
        let gcd = gcd_of(&over, &under);
        let gcd = if under.is_negative() { gcd.neg() } else { gcd };
        let part = |n: &Int| n.div(&gcd).expect("a denominator is not 0");
        Ratio { over: part(&over), under: part(&under) }
    }

    /// The whole number that it is, if it is one.
    pub fn as_whole(&self) -> Option<&Int> {
        (self.under == Int::ONE).then_some(&self.over)
    }

    /// The greatest whole number that is not greater.
    pub fn floor(&self) -> Int {
        floor(&self.over, &self.under)
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.over.is_zero()
    }

    /// Whether it is below 0.
    pub fn is_negative(&self) -> bool {
        self.over.is_negative()
    }

    /// The sum.
    pub fn add(&self, other: &Ratio) -> Ratio {
        if self.under == other.under {
            return Ratio::new(self.over.add(&other.over), self.under.clone());
        }
        let over = self.over.mul(&other.under).add(&other.over.mul(&self.under));
        Ratio::new(over, self.under.mul(&other.under))
    }

    /// The difference.
    pub fn sub(&self, other: &Ratio) -> Ratio {
        self.add(&other.neg())
    }

    /// It with its sign changed.
    pub fn neg(&self) -> Ratio {
        Ratio { over: self.over.neg(), under: self.under.clone() }
    }

    /// The product.
    pub fn mul(&self, other: &Ratio) -> Ratio {
        Ratio::new(self.over.mul(&other.over), self.under.mul(&other.under))
    }

    /// The quotient by what is not 0.
    pub fn div(&self, other: &Ratio) -> Ratio {
        Ratio::new(self.over.mul(&other.under), self.under.mul(&other.over))
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Ratio) -> Ordering {
        if self.under == other.under {
            return self.over.cmp(&other.over);
        }
        self.over.mul(&other.under).cmp(&other.over.mul(&self.under))
    }
}
