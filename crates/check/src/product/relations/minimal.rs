//! A proof without what it does not need.

use std::time::Duration;

use agon_solve::{Answer, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::certificate::{Certificate, before, fails, is_kept, steps};
use super::houdini::{Failure, ask};
use super::positions::{PositionId, Positions};
use super::rank::are_ranks;

/// Leaves out every conjunct that the proof does not need.
///
/// What holds at a position is needed by its own steps only, so only these are asked about. What is not claimed need not
/// be shown by the steps before it, so it goes on until nothing more can be left out.
pub(super) fn minimise(positions: &mut Positions<'_>, certificate: &mut Certificate) -> Result<(), Failure> {
    let mut ids: Vec<PositionId> = certificate.invariant.keys().copied().collect();
    ids.sort_unstable();
    needed(positions, certificate, &ids)?;
    // What takes long to be shown is not left out: a hard question is answered more seldom without a conjunct.
    let each = positions.both.judge().1.set_each(Some(SOON));
    let done = leave_out(positions, certificate, &ids);
    positions.both.judge().1.set_each(each);
    done
}

/// How long a question about what can be left out may take.
const SOON: Duration = Duration::from_millis(60);

/// Leaves out conjuncts until none can be, or until questions are many.
fn leave_out(
    positions: &mut Positions<'_>,
    certificate: &mut Certificate,
    ids: &[PositionId],
) -> Result<(), Failure> {
    // Where questions are many, what is left is small enough.
    let most = positions.both.asked() + MOST_QUESTIONS;
    loop {
        let mut changed = false;
        // What later positions do not need, earlier ones need not show.
        for id in ids.iter().rev() {
            if positions.both.asked() > most {
                return Ok(());
            }
            changed |= minimise_at(positions, certificate, *id)?;
        }
        if !changed {
            return Ok(());
        }
    }
}

/// No more questions than this are asked about what can be left out.
const MOST_QUESTIONS: u64 = 500;

/// Keeps the conjuncts that the solver needed to exclude differences, and those that it needed to show these, and so on.
fn needed(
    positions: &mut Positions<'_>,
    certificate: &mut Certificate,
    ids: &[PositionId],
) -> Result<(), Failure> {
    let Certificate { invariant, ranks } = certificate;
    let mut needed: FxHashMap<PositionId, Vec<Term>> = ids.iter().map(|id| (*id, Vec::new())).collect();
    // Ranks may need everything.
    for id in ranks.iter().flat_map(|rank| &rank.among) {
        needed.insert(*id, invariant[id].clone());
    }
    let mut shown: FxHashSet<(PositionId, usize, Vec<Term>)> = FxHashSet::default();
    loop {
        let mut changed = false;
        for id in ids.iter().rev() {
            for (n, successor) in steps(positions, invariant, *id)?.iter().enumerate() {
                positions.both.budget.check()?;
                let fails = fails(positions, &needed, successor);
                if !shown.insert((*id, n, vec![fails])) {
                    continue;
                }
                let mut claims = before(positions, invariant, *id, successor);
                let (own, all) = (invariant[id].len(), claims.len());
                claims.extend(&successor.conditions);
                claims.push(fails);
                let Answer::Unsat(core) = ask(positions, &claims) else {
                    // What was shown once is shown again; otherwise everything stays.
                    return Ok(());
                };
                for n in core.iter().map(|name| name.0 as usize).filter(|n| *n < all) {
                    let (whose, n) = match successor.beside {
                        Some(beside) if n >= own => (beside, n - own),
                        _ => (*id, n),
                    };
                    let claim = invariant[&whose][n];
                    let here = needed.entry(whose).or_default();
                    if !here.contains(&claim) {
                        here.push(claim);
                        changed = true;
                    }
                }
            }
        }
        if !changed {
            *invariant = needed;
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
    let length =
        |positions: &mut Positions<'_>, claim: Term| positions.both.terms().parts_first([claim]).len();
    let mut lengths: Vec<(usize, Term)> =
        claims.iter().map(|claim| (length(positions, *claim), *claim)).collect();
    lengths.sort_by(|a, b| b.cmp(a));
    let mut changed = false;
    for (_, claim) in lengths {
        let before = claims.clone();
        claims.retain(|other| *other != claim);
        certificate.invariant.insert(id, claims.clone());
        let mut kept = is_kept(positions, &certificate.invariant, id)?;
        // What holds of an activation is used by the steps that are made above it.
        if positions.kept().contains(&id) {
            for other in
                certificate.invariant.keys().copied().filter(|other| *other != id).collect::<Vec<_>>()
            {
                kept = kept && is_kept(positions, &certificate.invariant, other)?;
            }
        }
        kept = kept
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
