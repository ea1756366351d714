//! Partitions: how the data of a program with unbounded integers is approximated and refined [GC, §3].

use agon_base::int::Int;
use agon_core::types::Data;
use agon_games::interval::Interval;
use agon_games::sites::Site;

use crate::refine::{Abstraction, ITERATIONS};
use crate::walk::Selection;

/// Every site starts with `[]`, all integers in one part. What caused the first nondeterminism of a counterexample is
/// split: `[]` to `[0,0]`, `[n,m]` to `[n-1,m]` or `[n,m+1]`. A number that matters and is too far away to be reached
/// by such steps is cut at as well.
pub struct Partitions {
    /// Whether counterexamples are picked so that the procedure ends for every unsafe term, rather than shortest
    /// ones.
    pub semi_terminating: bool,
}

/// A number that is farther away than this is not reached one by one: there are no more iterations by default.
const FAR: u64 = ITERATIONS as u64;
/// A part is cut at up to this many of these numbers at once.
const MOST_CUTS: usize = 16;

impl Abstraction for Partitions {
    fn name(&self) -> &'static str {
        "partition"
    }

    fn begins(&self, site: &Site) -> Vec<Interval> {
        match site.data {
            // Booleans are not abstracted.
            Some(Data::Bool) => vec![Interval::point(Int::ZERO), Interval::point(Int::ONE)],
            _ => vec![site.range.clone()],
        }
    }

    fn selection(&self) -> Selection {
        if self.semi_terminating { Selection::Coarsest } else { Selection::Shortest }
    }

    fn refines_all(&self) -> bool {
        false
    }

    fn split(&self, part: &Interval, cuts: &[Int]) -> Vec<Interval> {
        let alone = part.nearest_to_zero();
        let near = Interval::between(alone.sub(&Int::from(FAR)), alone.add(&Int::from(FAR)));
        let mut places: Vec<Int> =
            cuts.iter().filter(|n| !near.contains(n)).take(MOST_CUTS).cloned().collect();
        places.extend([alone.clone(), alone.add(&Int::ONE)]);
        part.cut(places)
    }

    fn show(&self, site: &Site) -> String {
        let points: Vec<_> = site.parts().filter_map(Interval::as_point).collect();
        let (Some(first), Some(last)) = (points.first(), points.last()) else { return "[]".into() };
        // The paper's form: single numbers, what is below them and what is above.
        let mut inner = site.parts().skip(1).take(site.count().saturating_sub(2));
        match inner.all(|part| part.as_point().is_some()) {
            true => format!("[{first},{last}]"),
            false => site.written(),
        }
    }
}
