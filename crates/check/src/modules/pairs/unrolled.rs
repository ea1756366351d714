//! Differences with whole stacks: pairs of positions are followed breadth first, up to a number of pairs.
//!
//! Where a procedure calls itself around an import, the stacks of two modules need not be in step, and tables over pairs of
//! activations do not follow that. Whole stacks can be followed, but there is no end to them. So a difference that is found is one, and
//! nothing is said if none is found.

use std::sync::Arc;

use agon_base::budget::Stop;
use agon_base::explore::breadth_first;
use agon_base::intern::Interner;
use agon_core::module::Allowed;
use agon_games::arena::Role;
use agon_games::machine::Nested;
use agon_games::strategy::Strategy;

use super::{Common, Different, Link, PairRuns};

/// No more pairs than this are followed.
const MOST_PAIRS: u32 = 1 << 11;

/// A pair of positions with whole stacks.
type Pair = (Nested, Nested, Common);

impl PairRuns<'_, '_> {
    /// Whether a module has procedures that call themselves around an import.
    pub(super) fn recurs(&self) -> bool {
        let silent = |(_, role): (_, Role)| matches!(role, Role::Summarised(_));
        self.compiled.iter().any(|compiled| compiled.roles.iter().any(silent))
    }

    /// A difference after few moves, if one is found.
    pub(super) fn unrolled(&mut self) -> Result<Option<Different>, Stop> {
        let start = [self.sides[0].start(), self.sides[1].start()];
        let [left, right] = start;
        let mut found: Interner<Pair> = Interner::default();
        found.intern((left, right, self.first.clone()));
        // How each pair was found first: the pair before, and the moves.
        let mut by: Vec<Option<(u32, Arc<Link>)>> = vec![None];
        let mut different = None;
        breadth_first(&mut found, |found, n| {
            if different.is_some() || n >= MOST_PAIRS {
                return Ok(());
            }
            self.budget.check()?;
            let (left, right, common) = found.get(n).clone();
            let at = [&left, &right];
            let inside = at.map(Nested::innermost);
            let outside = [self.outside(0, at[0]), self.outside(1, at[1])];
            let waits = inside != outside;
            let allowed = if waits { self.sides[0].0.allowed(inside[0]) } else { Some(Allowed::default()) };
            let mut joints = Vec::new();
            if let Some(allowed) = allowed {
                joints.extend(self.joints(at, outside, Some(allowed), &common)?);
            }
            if waits {
                joints.extend(self.joints(at, inside, None, &common)?);
            }
            for mut joint in joints {
                let next = self.compared(&mut joint);
                let link =
                    |joint: super::Joint, end| Link { moves: joint.halves.map(|half| half.moves), end };
                match next {
                    super::Outcome::Differ(end) => {
                        let mut links = vec![Arc::new(link(joint, Some(end.clone())))];
                        let mut at = n;
                        while let Some((before, link)) = &by[at as usize] {
                            links.push(link.clone());
                            at = *before;
                        }
                        links.reverse();
                        different.get_or_insert(super::difference(links.iter().map(|link| &**link)));
                    }
                    super::Outcome::Same(first, second) => {
                        let common = joint.common.clone();
                        if found.insert((first, second, common)).1 {
                            by.push(Some((n, Arc::new(link(joint, None)))));
                        }
                    }
                    super::Outcome::Nothing => {}
                }
            }
            Ok(())
        })?;
        Ok(different)
    }
}
