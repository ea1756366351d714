//! Widening: scopes become just wide enough to exclude a counterexample [PRED, §4.4].

use std::collections::{BTreeMap, BTreeSet};

use super::Engine;
use super::path::{Core, Path};
use super::space::Precision;

/// How many of the next scopes are looked at first.
const NEAR: usize = 6;

impl Engine<'_> {
    /// Widens scopes just enough to exclude the path [PRED, §4.4].
    pub(super) fn widen(&mut self, path: &Path, core: &Core) -> Option<Vec<String>> {
        let mut candidates = self.blamed(path, core);
        let excluded = |engine: &mut Self, levels: &BTreeMap<usize, usize>| {
            let scoped = engine.scoped(levels);
            let precision = Precision { scoped, ..engine.precision.clone() };
            path.is_excluded(&mut engine.space, &precision)
        };
        let widest = |engine: &Self, candidates: &[usize]| -> BTreeMap<usize, usize> {
            candidates.iter().map(|n| (*n, engine.occurrences[*n].extents.len())).collect()
        };
        let mut levels = widest(self, &candidates);
        // What is needed is often near: the assignment that makes the last condition true.
        let near = candidates.iter().rev().find_map(|n| {
            let mut alone = BTreeMap::from([(*n, levels[n])]);
            self.tightest(*n, &mut alone, NEAR, &excluded).then_some(alone)
        });
        if let Some(near) = near {
            levels = near;
        } else {
            if !excluded(self, &levels) {
                candidates = (0..self.occurrences.len())
                    .filter(|n| self.occurrences[*n].level < self.occurrences[*n].extents.len())
                    .collect();
                levels = widest(self, &candidates);
                if candidates.is_empty() || !excluded(self, &levels) {
                    return None;
                }
            }
            for n in candidates {
                self.tightest(n, &mut levels, usize::MAX, &excluded);
            }
        }
        let mut done = Vec::new();
        for (n, level) in levels {
            if self.occurrences[n].level != level {
                self.occurrences[n].level = level;
                let occurrence = &self.occurrences[n];
                let shown = &self.space.predicates.get(occurrence.predicate).shown;
                let place = occurrence.extent(level).map_or(String::new(), |extent| self.lines(extent));
                done.push(format!("`{shown}` is known {place}"));
            }
        }
        Some(done)
    }

    /// Finds the tightest scope of a condition that still excludes the path, among those that are not wider than this many steps
    /// more than it has; whether there is one. More predicates exclude no less [PRED, Prop. 3].
    fn tightest(
        &mut self,
        n: usize,
        levels: &mut BTreeMap<usize, usize>,
        most: usize,
        excluded: &dyn Fn(&mut Self, &BTreeMap<usize, usize>) -> bool,
    ) -> bool {
        let (first, widest) = (self.occurrences[n].level, levels[&n]);
        let last = first.saturating_add(most).min(widest);
        let (mut low, mut step) = (first, 1);
        loop {
            let level = (low + step - 1).min(last);
            levels.insert(n, level);
            // All below `low` do not exclude it; the widest is known to, if it is looked at.
            if (level == widest && most == usize::MAX) || excluded(self, levels) {
                let mut high = level;
                while low < high {
                    let middle = low.midpoint(high);
                    levels.insert(n, middle);
                    match excluded(self, levels) {
                        true => high = middle,
                        false => low = middle + 1,
                    }
                }
                levels.insert(n, high);
                return true;
            }
            if level == last {
                levels.insert(n, widest);
                return false;
            }
            low = level + 1;
            step = if low > first + 3 { step * 2 } else { 1 };
        }
    }

    /// The conditions in the contradiction that are predicates with scopes to widen.
    fn blamed(&mut self, path: &Path, core: &Core) -> Vec<usize> {
        let mut found = BTreeSet::new();
        for (n, condition) in &core.conditions {
            let state = path.steps[*n].0.state;
            for m in 0..self.occurrences.len() {
                let here = self.space.here(self.occurrences[m].predicate, state);
                let terms = self.space.terms();
                let not = terms.not(*condition);
                if here.contains(condition) || here.contains(&not) {
                    found.insert(m);
                }
            }
        }
        found.retain(|n| self.occurrences[*n].level < self.occurrences[*n].extents.len());
        found.into_iter().collect()
    }
}
