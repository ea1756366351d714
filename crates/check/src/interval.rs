//! Intervals: how the data of a program with large but finite types is approximated and refined [OTF, §4].

use agon_base::int::Int;
use agon_games::interval::Interval;
use agon_games::sites::Site;

use crate::question::Order;
use crate::refine::Abstraction;
use crate::walk::Selection;

/// Every site starts with its whole range. All that was undecided on the way to a counterexample is cut, where that
/// decides it, and at further places.
pub struct Intervals {
    /// In which order counterexamples are looked for.
    order: Order,
    /// Where else parts are cut.
    further: Further,
}

/// Where a part is cut beside the places that decide something.
enum Further {
    /// Behind the first number, and in the middle.
    Middle,
    /// Around the number nearest to 0, if no place decides anything. So a counter is cut number by number, beginning with
    /// those that it starts with.
    NearestToZero,
}

/// No part is cut in more places than this at once.
const MOST_CUTS: usize = 16;

/// What holds at most this many numbers is not approximated, and neither are arrays of at most this length: pointers, and
/// which objects live.
const FEW: u64 = 16;

impl Intervals {
    /// Intervals for the data of a term.
    pub fn of_terms(order: Order) -> Intervals {
        Intervals { order, further: Further::Middle }
    }

    /// Intervals for the data of a module.
    pub fn of_modules() -> Intervals {
        Intervals { order: Order::Fixed, further: Further::NearestToZero }
    }
}

impl Abstraction for Intervals {
    fn name(&self) -> &'static str {
        "interval"
    }

    fn begins(&self, site: &Site) -> Vec<Interval> {
        let few = site.range.count().and_then(|count| count.to_u64()).filter(|count| *count <= FEW);
        match (&self.further, few, site.range.low()) {
            (Further::NearestToZero, Some(count), Some(low)) => {
                (0..count).map(|n| Interval::point(low.add(&Int::from(n)))).collect()
            }
            _ => vec![site.range.clone()],
        }
    }

    fn selection(&self) -> Selection {
        match self.order {
            Order::Fixed => Selection::Precise,
            Order::Random(seed) => Selection::Shuffled(seed),
            Order::Shortest => Selection::Shortest,
        }
    }

    fn refines_all(&self) -> bool {
        true
    }

    fn split(&self, part: &Interval, cuts: &[Int]) -> Vec<Interval> {
        let mut places: Vec<Int> = cuts.iter().take(MOST_CUTS).cloned().collect();
        match self.further {
            Further::Middle => {
                places.extend(middle(part));
                part.cut(places)
            }
            Further::NearestToZero => {
                let parts = part.cut(places);
                if parts.len() > 1 {
                    return parts;
                }
                let alone = part.nearest_to_zero();
                let above = alone.add(&Int::ONE);
                part.cut(vec![alone, above])
            }
        }
    }

    fn show(&self, site: &Site) -> String {
        site.written()
    }
}

/// The places behind the first number and in the middle of a part. An end that is missing is far away.
fn middle(part: &Interval) -> Vec<Int> {
    let double = |n: &Int| n.mul(&Int::from(2i64));
    match (part.low(), part.high()) {
        (None, None) => vec![Int::ZERO, Int::ONE],
        (Some(low), None) => vec![low.add(&Int::ONE), double(low).max(low.add(&Int::from(2i64)))],
        (None, Some(high)) => vec![high.clone(), double(high).min(high.sub(&Int::ONE))],
        (Some(low), Some(_)) => {
            let middle = part.middle().map(|middle| middle.add(&Int::ONE));
            [low.add(&Int::ONE)].into_iter().chain(middle).collect()
        }
    }
}
