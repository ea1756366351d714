//! A proof without what it does not need.

use agon_solve::Term;

use super::certificate::{Certificate, is_kept};
use super::houdini::Failure;
use super::positions::{PositionId, Positions};
use super::rank::are_ranks;

/// Leaves out every conjunct that the proof does not need.
///
/// What holds at a position is needed by its own steps only, so only these are asked about. What is not claimed need not
/// be shown by the steps before it, so it goes on until nothing more can be left out.
pub(super) fn minimise(positions: &mut Positions<'_>, certificate: &mut Certificate) -> Result<(), Failure> {
    let mut ids: Vec<PositionId> = certificate.invariant.keys().copied().collect();
    ids.sort_unstable();
    loop {
        let mut changed = false;
        // What later positions do not need, earlier ones need not show.
        for id in ids.iter().rev() {
            changed |= minimise_at(positions, certificate, *id)?;
        }
        if !changed {
            return Ok(());
        }
    }
}

fn minimise_at(
    positions: &mut Positions<'_>,
    certificate: &mut Certificate,
    id: PositionId,
) -> Result<bool, Failure> {
    let mut claims = certificate.invariant[&id].clone();
    // The longest go first.
    let length = |positions: &mut Positions<'_>, claim: Term| positions.both.terms().parts_first([claim]).len();
    let mut lengths: Vec<(usize, Term)> = claims.iter().map(|claim| (length(positions, *claim), *claim)).collect();
    lengths.sort_by(|a, b| b.cmp(a));
    let mut changed = false;
    for (_, claim) in lengths {
        let before = claims.clone();
        claims.retain(|other| *other != claim);
        certificate.invariant.insert(id, claims.clone());
        let kept = is_kept(positions, &certificate.invariant, id)?
            && (certificate.ranks.is_empty()
                || are_ranks(positions, &certificate.invariant, &certificate.ranks)?);
        match kept {
            true => changed = true,
            false => claims = before,
        }
    }
    certificate.invariant.insert(id, claims);
    Ok(changed)
}
