//! The check of a proof: a pass of its own, which looks for nothing.
//!
//! For each position and each step from it that what holds there does not exclude, one question is asked: does what is
//! claimed behind the step hold? No step may lead to a difference, and every loop in which one program runs alone has a
//! rank. Only the machine and a solver are shared with the search.

use agon_solve::{Answer, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::houdini::{Failure, Invariant, ask, behind, below};
use super::positions::{PositionId, Positions, Successor, To};
use super::rank::{Rank, are_ranks};

/// What proves that two programs are equal.
#[derive(Clone, Debug)]
pub(super) struct Certificate {
    pub invariant: Invariant,
    pub ranks: Vec<Rank>,
}

/// Whether a certificate proves what it is for.
pub(super) fn is_valid(positions: &mut Positions<'_>, certificate: &Certificate) -> Result<bool, Failure> {
    let Certificate { invariant, ranks } = certificate;
    let start = positions.start()?;
    let mut claims = start.conditions.clone();
    claims.push(fails(positions, invariant, &start));
    if !matches!(ask(positions, &claims), Answer::Unsat(_)) {
        return Ok(false);
    }
    let mut ids: Vec<PositionId> = invariant.keys().copied().collect();
    ids.sort_unstable();
    for id in ids {
        if !is_kept(positions, invariant, id)? {
            return Ok(false);
        }
    }
    are_ranks(positions, invariant, ranks)
}

/// Whether every step from a position leads to where what is claimed holds.
pub(super) fn is_kept(
    positions: &mut Positions<'_>,
    invariant: &Invariant,
    id: PositionId,
) -> Result<bool, Failure> {
    for successor in steps(positions, invariant, id)?.iter() {
        positions.both.budget.check()?;
        let mut claims = before(positions, invariant, id, successor);
        claims.extend(&successor.conditions);
        let fails = fails(positions, invariant, successor);
        claims.push(fails);
        if !matches!(ask(positions, &claims), Answer::Unsat(_)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The steps from a position, and what they do to each activation that may wait below.
pub(super) fn steps(
    positions: &mut Positions<'_>,
    invariant: &Invariant,
    id: PositionId,
) -> Result<Vec<Successor>, Failure> {
    let mut found = positions.successors(id)?.to_vec();
    let known: FxHashSet<PositionId> = invariant.keys().copied().collect();
    let mut below: Vec<(PositionId, PositionId)> = positions.above(&known)?.into_iter().collect();
    below.retain(|(above, _)| *above == id);
    below.sort_unstable();
    for (_, kept) in below {
        found.extend(positions.disturbances(id, kept)?.successors.iter().cloned());
    }
    Ok(found)
}

/// What holds before a step: first what holds at the position, then what holds of an activation that waits below.
pub(super) fn before(
    positions: &mut Positions<'_>,
    invariant: &Invariant,
    id: PositionId,
    successor: &Successor,
) -> Vec<Term> {
    let mut claims = invariant[&id].clone();
    if let Some(beside) = successor.beside {
        claims.extend(below(positions, beside, &invariant[&beside]));
    }
    claims
}

/// That what is claimed behind a step does not hold there, said of what holds before it.
pub(super) fn fails(positions: &mut Positions<'_>, invariant: &Invariant, successor: &Successor) -> Term {
    let To::At(to, held) = &successor.to else { return positions.both.terms().truth(true) };
    let Some(claims) = invariant.get(to) else { return positions.both.terms().truth(true) };
    let slots = positions.get(*to).slots.clone();
    let with: FxHashMap<Term, Term> =
        slots.iter().map(|slot| slot.constant).zip(held.iter().copied()).collect();
    let mut not = Vec::new();
    for claim in claims {
        let goal = behind(positions, *claim, &with);
        not.push(positions.both.terms().not(goal));
    }
    positions.both.terms().or(&not)
}
