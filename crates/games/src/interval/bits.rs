//! Bits of intervals: the least and the greatest result of an operator on bits, where the ends are known.

use agon_base::int::Int;
use agon_core::term::Operator;

use super::Interval;

/// Ends with more bits than this count as missing.
const MOST_BITS: u64 = 120;

/// The results of an operator on bits.
pub(super) fn bitwise(operator: Operator, a: &Interval, b: &Interval) -> Interval {
    match (ends(a), ends(b)) {
        (Some(a), Some(b)) => {
            let search = Search::new(operator, a, b);
            Interval::between(Int::from(search.end(false)), Int::from(search.end(true)))
        }
        _ => roughly(operator, a, b),
    }
}

/// Both ends, if they are there and not too long.
fn ends(a: &Interval) -> Option<(i128, i128)> {
    let end = |n: Option<&Int>| n.filter(|n| n.bits() <= MOST_BITS)?.to_i128();
    Some((end(a.low())?, end(a.high())?))
}

/// The results where an end is missing, by the signs of the operands.
fn roughly(operator: Operator, a: &Interval, b: &Interval) -> Interval {
    match operator {
        Operator::BitAnd => common(a, b),
        // What neither has not.
        Operator::BitOr => common(&a.complement(), &b.complement()).complement(),
        _ => {
            let negative = |a: &Interval| match (a.low(), a.high()) {
                (Some(low), _) if !low.is_negative() => Some(false),
                (_, Some(high)) if high.is_negative() => Some(true),
                _ => None,
            };
            match (negative(a), negative(b)) {
                (Some(x), Some(y)) if x == y => Interval { low: Some(Int::ZERO), high: None },
                (Some(_), Some(_)) => Interval { low: None, high: Some(Int::from(-1i64)) },
                _ => Interval::all(),
            }
        }
    }
}

/// The bits that both have: at most what either has that is not negative, and negative only if both are.
fn common(a: &Interval, b: &Interval) -> Interval {
    let above = |a: &&Interval| a.low().is_some_and(|low| !low.is_negative());
    let above: Vec<&Interval> = [a, b].into_iter().filter(above).collect();
    let high = match above[..] {
        [] => a.high().zip(b.high()).map(|(a, b)| a.max(b).clone()),
        _ => above.iter().filter_map(|a| a.high()).min().cloned(),
    };
    Interval { low: (!above.is_empty()).then_some(Int::ZERO), high }
}

/// A search for an end of the results, from the highest bit to the lowest.
///
/// A number that has the same bits as an end so far must go on within that end; another one is free. So what matters of both
/// operands is which of their four ends they still follow, and all such states are kept that give the best bits so far.
struct Search {
    operator: Operator,
    /// The low end and the high end of both operands, one after the other, with the sign turned: larger numbers
    /// have larger bits.
    ends: [u128; 4],
    width: u32,
}

impl Search {
    fn new(operator: Operator, a: (i128, i128), b: (i128, i128)) -> Search {
        let ends = [a.0, a.1, b.0, b.1];
        let bits = |n: i128| i128::BITS - (if n < 0 { !n } else { n }).leading_zeros();
        let width = ends.iter().map(|n| bits(*n)).max().unwrap_or(0) + 1;
        let turned = |n: i128| (n as u128 & ((1 << width) - 1)) ^ (1 << (width - 1));
        Search { operator, ends: ends.map(turned), width }
    }

    /// The least result, or the greatest one.
    fn end(&self, greatest: bool) -> i128 {
        // A state is a set of ends that are followed; a set of states has a bit for each.
        let mut states: u16 = 1 << 0b1111;
        let mut found: i128 = 0;
        for place in (0..self.width).rev() {
            let sign = place + 1 == self.width;
            let mut next = [0u16; 2];
            for state in (0..16u16).filter(|state| states >> state & 1 == 1) {
                for (x, y) in [(false, false), (false, true), (true, false), (true, true)] {
                    let Some(after) = self.follow(state, place, x, y) else { continue };
                    // The sign is turned in the operands, and so it is in the result.
                    let (x, y) = (x != sign, y != sign);
                    let bit = match self.operator {
                        Operator::BitAnd => x && y,
                        Operator::BitOr => x || y,
                        _ => x != y,
                    };
                    next[usize::from(bit != sign)] |= 1 << after;
                }
            }
            let best = if (next[1] != 0 && greatest) || next[0] == 0 { 1 } else { 0 };
            states = next[best];
            let bit = (best == 1) != sign;
            found = match sign {
                true => -i128::from(bit),
                false => found << 1 | i128::from(bit),
            };
        }
        found
    }

    /// The ends that are still followed after one more bit of both operands; nothing if one leaves its interval.
    fn follow(&self, state: u16, place: u32, x: bool, y: bool) -> Option<u16> {
        let mut after = 0;
        for (n, bit) in [x, x, y, y].into_iter().enumerate() {
            if state >> n & 1 == 0 {
                continue;
            }
            let end = self.ends[n] >> place & 1 == 1;
            let (inside, is_low) = (bit != end, n % 2 == 0);
            match inside {
                false => after |= 1 << n,
                true if bit == is_low => {}
                true => return None,
            }
        }
        Some(after)
    }
}
