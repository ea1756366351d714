//! Intervals of integers, with or without ends.

use std::fmt;

use agon_base::int::Int;
use agon_core::types::Data;

use crate::arena::{Arena, ComponentId};

mod arithmetic;
mod bits;

/// A set of consecutive integers, never empty.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Interval {
    /// The least number; none if there is no least.
    low: Option<Int>,
    /// The greatest number; none if there is no greatest.
    high: Option<Int>,
}

impl Default for Interval {
    fn default() -> Interval {
        Interval::point(Int::ZERO)
    }
}

impl Interval {
    /// The numbers between two ends, both included; unbounded on a side for which no end is given.
    /// Nothing if there are no such numbers.
    pub fn new(low: Option<Int>, high: Option<Int>) -> Option<Interval> {
        let empty = matches!((&low, &high), (Some(low), Some(high)) if low > high);
        (!empty).then_some(Interval { low, high })
    }

    /// The numbers between two ends, both included. The second is not less than the first.
    pub fn between(low: Int, high: Int) -> Interval {
        debug_assert!(low <= high, "an interval from {low} to {high}");
        let (low, high) = if low <= high { (low, high) } else { (high, low) };
        Interval { low: Some(low), high: Some(high) }
    }

    /// A single number.
    pub fn point(n: Int) -> Interval {
        Interval { low: Some(n.clone()), high: Some(n) }
    }

    /// All integers.
    pub fn all() -> Interval {
        Interval { low: None, high: None }
    }

    /// The values of a type.
    pub fn of(data: &Data) -> Interval {
        match data.range() {
            Some((low, high)) => Interval::new(Some(low), Some(high)).unwrap_or_default(),
            None => Interval::all(),
        }
    }

    /// The values that are given in a component.
    pub fn given(arena: &Arena, component: ComponentId) -> Interval {
        arena.range(component).map_or(Interval::all(), |(low, high)| Interval::between(low, high))
    }

    /// The least number, if there is one.
    pub fn low(&self) -> Option<&Int> {
        self.low.as_ref()
    }

    /// The greatest number, if there is one.
    pub fn high(&self) -> Option<&Int> {
        self.high.as_ref()
    }

    /// The number, if there is only one.
    pub fn as_point(&self) -> Option<&Int> {
        self.low().filter(|low| self.high() == Some(low))
    }

    /// Whether a number is in the interval.
    pub fn contains(&self, n: &Int) -> bool {
        self.low().is_none_or(|low| low <= n) && self.high().is_none_or(|high| n <= high)
    }

    /// Whether all numbers of this interval are in the other.
    pub fn within(&self, other: &Interval) -> bool {
        other.low().is_none_or(|bound| self.low().is_some_and(|low| bound <= low))
            && other.high().is_none_or(|bound| self.high().is_some_and(|high| high <= bound))
    }

    /// The numbers that are in both, if there are any.
    pub fn intersection(&self, other: &Interval) -> Option<Interval> {
        // A missing end compares as the least, which is right for low ends only.
        let high = match (self.high(), other.high()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Interval::new(self.low().max(other.low()).cloned(), high.cloned())
    }

    /// The least interval that includes both.
    pub fn hull(&self, other: &Interval) -> Interval {
        Interval {
            low: self.low().zip(other.low()).map(|(a, b)| a.min(b).clone()),
            high: self.high().zip(other.high()).map(|(a, b)| a.max(b).clone()),
        }
    }

    /// The parts that it falls into if it is cut before each of these numbers; numbers elsewhere do nothing.
    pub fn cut(&self, mut before: Vec<Int>) -> Vec<Interval> {
        before.retain(|n| self.contains(n) && self.low() != Some(n));
        before.sort_unstable();
        before.dedup();
        let mut parts = Vec::new();
        let mut low = self.low().cloned();
        for n in before {
            parts.extend(Interval::new(low, Some(n.sub(&Int::ONE))));
            low = Some(n);
        }
        parts.extend(Interval::new(low, self.high().cloned()));
        parts
    }

    /// The number of the smallest magnitude.
    pub fn nearest_to_zero(&self) -> Int {
        let positive = self.low().filter(|low| **low > Int::ZERO);
        let negative = self.high().filter(|high| high.is_negative());
        positive.or(negative).cloned().unwrap_or_default()
    }

    /// The number half way between the ends, the lower one of two; none if an end is missing.
    pub fn middle(&self) -> Option<Int> {
        self.low()?.add(self.high()?).div(&Int::from(2i64))
    }

    /// How many numbers there are, if it is finite.
    pub fn count(&self) -> Option<Int> {
        Some(self.high()?.sub(self.low()?).add(&Int::ONE))
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.low(), self.high()) {
            (None, None) => f.write_str("Z"),
            (None, Some(high)) => write!(f, "<{}", high.add(&Int::ONE)),
            (Some(low), None) => write!(f, ">{}", low.sub(&Int::ONE)),
            (Some(low), Some(high)) if low == high => write!(f, "{low}"),
            (Some(low), Some(high)) => write!(f, "[{low},{high}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_reads_well() {
        let shown = |low: Option<i64>, high: Option<i64>| {
            let interval = Interval::new(low.map(Int::from), high.map(Int::from));
            interval.map(|a| a.to_string()).unwrap_or_default()
        };
        assert_eq!(shown(None, None), "Z");
        assert_eq!(shown(None, Some(4)), "<5");
        assert_eq!(shown(Some(-4), None), ">-5");
        assert_eq!(shown(Some(7), Some(7)), "7");
        assert_eq!(shown(Some(-2), Some(7)), "[-2,7]");
    }
}
