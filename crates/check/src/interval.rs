//! Intervals: how the data of a program with large but finite types is approximated and refined [OTF, §4].

use agon_base::int::Int;
use agon_games::interval::Interval;
use agon_games::sites::Site;

use crate::question::Order;
use crate::refine::Abstraction;
use crate::walk::Selection;

/// Every site starts with its whole range. All that was undecided on the way to a counterexample is cut: where that
/// decides it, behind the first number, and in the middle.
pub struct Intervals {
    /// In which order counterexamples are looked for.
    pub order: Order,
}

/// No part is cut in more places than this at once.
const MOST_CUTS: usize = 16;
impl Abstraction for Intervals {
    fn name(&self) -> &'static str {
        "interval"
    }

    fn begins(&self, site: &Site) -> Vec<Interval> {
        vec![site.range.clone()]
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
        let double = |n: &Int| n.mul(&Int::from(2i64));
        let mut places: Vec<Int> = cuts.iter().take(MOST_CUTS).cloned().collect();
        match (part.low(), part.high()) {
            (None, None) => places.extend([Int::ZERO, Int::ONE]),
            (Some(low), None) => {
                places.extend([low.add(&Int::ONE), double(low).max(low.add(&Int::from(2i64)))])
            }
            (None, Some(high)) => places.extend([high.clone(), double(high).min(high.sub(&Int::ONE))]),
            (Some(low), Some(_)) => {
                places.push(low.add(&Int::ONE));
                places.extend(part.middle().map(|middle| middle.add(&Int::ONE)));
            }
        }
        part.cut(places)
    }

    fn show(&self, site: &Site) -> String {
        site.written()
    }
}

/// Every site starts with its whole range. All that was undecided is cut where that decides it; if no such place is known, the
/// number nearest to 0 is cut out. Counters of modules are cut number by number, beginning with those they start with.
pub struct Nearest;

impl Abstraction for Nearest {
    fn name(&self) -> &'static str {
        "interval"
    }

    fn begins(&self, site: &Site) -> Vec<Interval> {
        vec![site.range.clone()]
    }

    fn selection(&self) -> Selection {
        Selection::Precise
    }

    fn refines_all(&self) -> bool {
        true
    }

    fn split(&self, part: &Interval, cuts: &[Int]) -> Vec<Interval> {
        let places: Vec<Int> = cuts.iter().take(MOST_CUTS).cloned().collect();
        let parts = part.cut(places);
        if parts.len() > 1 {
            return parts;
        }
        let alone = part.nearest_to_zero();
        let above = alone.add(&Int::ONE);
        part.cut(vec![alone, above])
    }

    fn show(&self, site: &Site) -> String {
        site.written()
    }
}
