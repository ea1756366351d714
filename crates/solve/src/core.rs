//! Fewer claims that contradict each other: none of those that remain can be left out.

use crate::solver::{Answer, Claim, Limit, Name, Solver};
use crate::term::Terms;

/// Leaves claims out of an unsat core, one by one, as long as a contradiction remains. What is not known in time stays.
pub fn minimal(
    solver: &mut impl Solver,
    terms: &Terms,
    claims: &[Claim],
    core: &[Name],
    limit: &Limit,
) -> Vec<Name> {
    let mut kept: Vec<Claim> = claims.iter().filter(|claim| core.contains(&claim.name)).copied().collect();
    let mut i = 0;
    while i < kept.len() && limit.over().is_none() {
        let mut fewer = kept.clone();
        fewer.remove(i);
        match solver.check(terms, &fewer, limit) {
            Answer::Unsat(core) => {
                // Those before `i` are needed, so they are all in any core.
                fewer.retain(|claim| core.contains(&claim.name));
                kept = fewer;
            }
            Answer::Sat(_) | Answer::Unknown(_) => i += 1,
        }
    }
    kept.into_iter().map(|claim| claim.name).collect()
}
