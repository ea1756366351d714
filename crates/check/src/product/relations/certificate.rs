//! The check of a proof: a pass of its own, which looks for nothing.
//!
//! For each position and each step from it that what holds there does not exclude, one question is asked: does what is
//! claimed behind the step hold? No step may lead to a difference, and every loop in which one program runs alone has a
//! rank. Only the machine and a solver are shared with the search.

use agon_solve::{Answer, Term};
use rustc_hash::FxHashMap;

use super::houdini::{Failure, Invariant, ask, behind};
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
    for successor in positions.successors(id)?.iter() {
        positions.both.budget.check()?;
        let Some(mut claims) = before(invariant, id, successor) else { continue };
        claims.extend(&successor.conditions);
        let fails = fails(positions, invariant, successor);
        claims.push(fails);
        if !matches!(ask(positions, &claims), Answer::Unsat(_)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What holds before a step; nothing, if it is never made.
pub(super) fn before(invariant: &Invariant, id: PositionId, successor: &Successor) -> Option<Vec<Term>> {
    let mut claims = invariant[&id].clone();
    if let Some(beside) = successor.beside {
        claims.extend(invariant.get(&beside)?);
    }
    Some(claims)
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
