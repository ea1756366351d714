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

use super::{Common, Different, Joint, Link, Outcome, PairRuns, Unlike, Who};
use crate::equiv::Plays;

/// No more pairs than this are followed.
const MOST_PAIRS: u32 = 1 << 11;

/// Positions with whole stacks.
type Whole = (Who<Nested>, Common);

/// What a move of the environment's leads to: how the modules part there, if they do, and where they wait, if the play goes on.
type Reached = (Option<Unlike>, Option<Whole>);

impl PairRuns<'_, '_> {
    /// Whether a module has procedures that call themselves around an import.
    pub(super) fn recurs(&self) -> bool {
        let silent = |(_, role): (_, Role)| matches!(role, Role::Summarised(_));
        self.compiled.iter().any(|compiled| compiled.roles.iter().any(silent))
    }

    /// A difference after few moves, if one is found.
    pub(super) fn unrolled(&mut self) -> Result<Option<Different>, Stop> {
        let start = Who::Both([self.sides[0].start(), self.sides[1].start()]);
        let mut found: Interner<Whole> = Interner::default();
        found.intern((start, self.first.clone()));
        // How each was found first: what was before, and the moves.
        let mut by: Vec<Option<(u32, Arc<Link>)>> = vec![None];
        let mut different = None;
        breadth_first(&mut found, |found, n| {
            if different.is_some() || n >= MOST_PAIRS {
                return Ok(());
            }
            self.budget.check()?;
            let (who, common) = found.get(n).clone();
            for mut joint in self.whole_joints(&who, &common)? {
                for (end, next) in self.reached(&mut joint) {
                    let moves = joint.halves.clone().map(|half| half.moves);
                    let link = Arc::new(Link { moves, end });
                    match next {
                        Some(next) => {
                            if found.insert(next).1 {
                                by.push(Some((n, link)));
                            }
                        }
                        None => {
                            let mut links = vec![link];
                            let mut at = n;
                            while let Some((before, link)) = &by[at as usize] {
                                links.push(link.clone());
                                at = *before;
                            }
                            links.reverse();
                            different.get_or_insert(super::difference(links.iter().map(|link| &**link)));
                        }
                    }
                }
            }
            Ok(())
        })?;
        Ok(different)
    }

    /// The modules after each move of the environment's at positions with whole stacks.
    fn whole_joints(&mut self, who: &Who<Nested>, common: &Common) -> Result<Vec<Joint>, Stop> {
        let inside = who.each(|_, at| at.innermost());
        let outside = who.each(|side, at| self.outside(side, at));
        let (leader, innermost) = inside.leader();
        let mut turns = Vec::new();
        match inside == outside {
            true => turns.push((outside, Some(Allowed::default()))),
            false => {
                let allowed = self.sides[leader].0.allowed(innermost);
                turns.extend(allowed.map(|allowed| (outside, Some(allowed))));
                turns.push((inside, None));
            }
        }
        let mut joints = Vec::new();
        for (states, calls) in turns {
            joints.extend(match (who, states) {
                (Who::Both([left, right]), Who::Both(states)) => {
                    self.joints([left, right], states, calls, common)?
                }
                (Who::Alone(side, at), states) => {
                    self.joints_alone(*side, at, states.of(*side), calls, common)?
                }
                (Who::Both(_), Who::Alone(..)) => vec![],
            });
        }
        Ok(joints)
    }

    /// What modules come to. If a difference is found there, nothing follows.
    fn reached(&mut self, joint: &mut Joint) -> Vec<Reached> {
        if let Some(side) = joint.alone {
            let goes_on = self.goes_on(joint, side, joint.common.clone());
            return goes_on.map(|(next, common)| (None, self.open(side, next, common))).into_iter().collect();
        }
        match self.compared(joint) {
            Outcome::Differ(end) if self.plays == Plays::Complete => {
                let mut found = Vec::new();
                for side in 0..2 {
                    if let Some((next, common)) = self.goes_on(joint, side, joint.common.of(side)) {
                        let end = Unlike { alone: Some(side), ..end.clone() };
                        found.push((Some(end), self.open(side, next, common)));
                    }
                }
                found
            }
            Outcome::Differ(end) => vec![(Some(end), None)],
            Outcome::Same(first, second) => {
                vec![(None, Some((Who::Both([first, second]), joint.common.clone())))]
            }
            Outcome::Nothing => vec![],
        }
    }

    /// Where a module waits alone; nothing if no call is open, or if it has ended.
    fn open(&mut self, side: usize, next: Option<Nested>, common: Common) -> Option<Whole> {
        let next = next?;
        let is_open = next.innermost() != self.outside(side, &next) || !next.below().is_empty();
        is_open.then_some((Who::Alone(side, next), common))
    }
}
