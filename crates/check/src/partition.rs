//! Partitions: how the data of a program with unbounded integers is approximated and refined [GC, §3].

use agon_games::interval::Interval;
use agon_games::sites::Site;
use agon_lang::int::Int;
use agon_lang::types::Data;

use crate::refine::Abstraction;
use crate::walk::Selection;

/// Every site starts with `[]`, all integers in one part. What caused the first nondeterminism of a counterexample is
/// split: `[]` to `[0,0]`, `[n,m]` to `[n-1,m]` or `[n,m+1]`.
pub struct Partitions {
    /// Whether counterexamples are picked so that the procedure ends for every unsafe term, rather than shortest
    /// ones.
    pub semi_terminating: bool,
}

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

    fn split(&self, part: &Interval, _: &[Int]) -> Vec<Interval> {
        let alone = part.nearest_to_zero();
        let below = Interval::new(part.low().cloned(), Some(alone.sub(&Int::ONE)));
        let above = Interval::new(Some(alone.add(&Int::ONE)), part.high().cloned());
        below.into_iter().chain([Interval::point(alone)]).chain(above).collect()
    }

    fn show(&self, site: &Site) -> String {
        let points: Vec<_> = site.parts().filter_map(Interval::as_point).collect();
        match (points.first(), points.last()) {
            (Some(first), Some(last)) => format!("[{first},{last}]"),
            _ => "[]".into(),
        }
    }
}
