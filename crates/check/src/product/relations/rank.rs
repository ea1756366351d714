//! Ranks: why a program does not run for ever while the other one does nothing.
//!
//! Every cycle of steps in which one program runs alone needs a number that is never negative where it falls, falls at
//! some step of the cycle, and rises at none. Steps at which it falls are taken away, and what is left is looked at again.

use std::convert::Infallible;

use agon_base::explore::depth_first;
use agon_solve::{Answer, Op, Sort, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::houdini::{Failure, Invariant, ask, behind};
use super::positions::{PositionId, Positions, Successor, To};
use crate::equiv::{Relation, Side};

/// A number that falls at some steps of a program that runs alone.
#[derive(Clone, Debug)]
pub(super) struct Rank {
    pub side: Side,
    /// The positions among which it never rises.
    pub among: Vec<PositionId>,
    pub number: Term,
}

/// A step of a program that runs alone.
#[derive(Clone)]
struct Edge {
    from: PositionId,
    to: PositionId,
    successor: Successor,
    held: std::rc::Rc<[Term]>,
}

/// Ranks for all cycles in which one program runs alone.
pub(super) fn ranks(positions: &mut Positions<'_>, invariant: &Invariant) -> Result<Vec<Rank>, Failure> {
    let mut ranks = Vec::new();
    for side in sides(positions.both.relation) {
        let edges = edges(positions, invariant, side)?;
        rank_all(positions, invariant, side, edges, &mut ranks)?;
    }
    Ok(ranks)
}

/// The programs that must not run for ever alone: where the plays of the first are to be among those of the second, the
/// first may.
fn sides(relation: Relation) -> &'static [Side] {
    match relation {
        Relation::Equivalence => &[Side::Left, Side::Right],
        Relation::Approximation => &[Side::Right],
    }
}

/// The steps in which a program runs alone that what holds does not exclude.
fn edges(positions: &mut Positions<'_>, invariant: &Invariant, side: &Side) -> Result<Vec<Edge>, Failure> {
    let mut ids: Vec<PositionId> = invariant.keys().copied().collect();
    ids.sort_unstable();
    let mut edges = Vec::new();
    for from in ids {
        for successor in positions.successors(from)?.iter() {
            let To::At(to, held) = &successor.to else { continue };
            if successor.alone == Some(*side) && positions.both.may(&invariant[&from], &successor.conditions)
            {
                edges.push(Edge { from, to: *to, successor: successor.clone(), held: held.clone() });
            }
        }
    }
    Ok(edges)
}

fn rank_all(
    positions: &mut Positions<'_>,
    invariant: &Invariant,
    side: &Side,
    edges: Vec<Edge>,
    ranks: &mut Vec<Rank>,
) -> Result<(), Failure> {
    depth_first(cycles(edges), |waiting, (among, edges)| {
        positions.both.budget.check()?;
        let mut left = None;
        for number in candidates(positions, &among, &edges) {
            if let Some(rest) = falls(positions, invariant, number, &edges) {
                left = Some((number, rest));
                break;
            }
        }
        let Some((number, rest)) = left else {
            return Err(Failure::Loop(among[0], *side));
        };
        ranks.push(Rank { side: *side, among, number });
        waiting.extend(cycles(rest));
        Ok(())
    })
}

/// The steps at which a number does not fall, if it rises at none and falls at some.
fn falls(
    positions: &mut Positions<'_>,
    invariant: &Invariant,
    number: Term,
    edges: &[Edge],
) -> Option<Vec<Edge>> {
    let mut rest = Vec::new();
    for edge in edges {
        let slots = positions.get(edge.to).slots.clone();
        let with: FxHashMap<Term, Term> =
            slots.iter().map(|slot| slot.constant).zip(edge.held.iter().copied()).collect();
        let here: FxHashSet<Term> = positions.get(edge.from).slots.iter().map(|slot| slot.constant).collect();
        let constants = positions.both.terms().constants(number);
        if !constants.iter().all(|constant| with.contains_key(constant) && here.contains(constant)) {
            return None;
        }
        let after = behind(positions, number, &with);
        let terms = positions.both.terms();
        let (zero, one) = (terms.int(0u64), terms.int(1u64));
        let next = terms.add(after, one);
        let (bounded, falls) = (terms.at_most(zero, number), terms.at_most(next, number));
        let falls = terms.and(&[bounded, falls]);
        let stays = terms.at_most(after, number);
        if always(positions, invariant, edge, falls) {
            continue;
        }
        if !always(positions, invariant, edge, stays) {
            return None;
        }
        rest.push(edge.clone());
    }
    (rest.len() < edges.len()).then_some(rest)
}

/// Whether something holds at every step of a kind.
fn always(positions: &mut Positions<'_>, invariant: &Invariant, edge: &Edge, claim: Term) -> bool {
    let mut claims = invariant[&edge.from].clone();
    claims.extend(&edge.successor.conditions);
    claims.push(positions.both.terms().not(claim));
    matches!(ask(positions, &claims), Answer::Unsat(_))
}

/// Numbers that may fall: differences of what is compared on the way, and slots.
fn candidates(positions: &mut Positions<'_>, among: &[PositionId], edges: &[Edge]) -> Vec<Term> {
    let slots: Vec<Term> = positions.get(among[0]).slots.iter().map(|slot| slot.constant).collect();
    let terms = positions.both.terms();
    let mut found: Vec<Term> = Vec::new();
    let add = |found: &mut Vec<Term>, number: Term| {
        if !found.contains(&number) {
            found.push(number);
        }
    };
    for condition in edges.iter().flat_map(|edge| &edge.successor.conditions) {
        for part in terms.parts_first([*condition]) {
            if let (Op::Less | Op::AtMost | Op::Equal, [a, b]) = (terms.op(part).clone(), terms.parts(part))
                && terms.sort(*a) == Sort::Int
            {
                let (a, b) = (*a, *b);
                for number in [terms.sub(b, a), terms.sub(a, b)] {
                    add(&mut found, number);
                }
            }
        }
    }
    for a in &slots {
        add(&mut found, *a);
        let negated = terms.neg(*a);
        add(&mut found, negated);
    }
    for a in &slots {
        for b in slots.iter().filter(|b| *b != a) {
            let number = terms.sub(*a, *b);
            add(&mut found, number);
        }
    }
    found.truncate(MOST_CANDIDATES);
    found
}

/// No more numbers than this are tried for one loop.
const MOST_CANDIDATES: usize = 120;

/// The strongly connected parts of a graph that have a step, each with its steps.
fn cycles(edges: Vec<Edge>) -> Vec<(Vec<PositionId>, Vec<Edge>)> {
    let mut reach: FxHashMap<PositionId, FxHashSet<PositionId>> = FxHashMap::default();
    for edge in &edges {
        reach.entry(edge.from).or_default().insert(edge.to);
    }
    // The graphs are small: what can be reached from each position is found by going there.
    let from: Vec<PositionId> = reach.keys().copied().collect();
    let closure: FxHashMap<PositionId, FxHashSet<PositionId>> = from
        .iter()
        .map(|start| {
            let mut seen: FxHashSet<PositionId> = FxHashSet::default();
            let begin: Vec<PositionId> = reach[start].iter().copied().collect();
            let Ok(()) = depth_first(begin, |waiting, at| {
                if seen.insert(at) {
                    waiting.extend(reach.get(&at).into_iter().flatten());
                }
                Ok::<(), Infallible>(())
            });
            (*start, seen)
        })
        .collect();
    let leads = |a: PositionId, b: PositionId| closure.get(&a).is_some_and(|seen| seen.contains(&b));
    let mut parts: Vec<(Vec<PositionId>, Vec<Edge>)> = Vec::new();
    for edge in edges {
        if !leads(edge.to, edge.from) && edge.to != edge.from {
            continue;
        }
        let known = parts.iter().position(|(among, _)| {
            among[0] == edge.from || (leads(among[0], edge.from) && leads(edge.from, among[0]))
        });
        let n = known.unwrap_or_else(|| {
            parts.push((vec![edge.from], Vec::new()));
            parts.len() - 1
        });
        let (among, steps) = &mut parts[n];
        for id in [edge.from, edge.to] {
            if !among.contains(&id) {
                among.push(id);
            }
        }
        steps.push(edge);
    }
    parts
}

/// Whether ranks are what they claim to be, and every cycle has one. A pass of its own: nothing is looked for.
pub(super) fn are_ranks(
    positions: &mut Positions<'_>,
    invariant: &Invariant,
    ranks: &[Rank],
) -> Result<bool, Failure> {
    let mut valid = true;
    for side in sides(positions.both.relation) {
        let all = edges(positions, invariant, side)?;
        depth_first(cycles(all), |waiting, (among, edges)| {
            positions.both.budget.check()?;
            let of_these = |rank: &&Rank| {
                rank.side == *side
                    && rank.among.len() == among.len()
                    && among.iter().all(|id| rank.among.contains(id))
            };
            let claimed: Vec<Rank> = ranks.iter().filter(of_these).cloned().collect();
            let rest = claimed.iter().find_map(|rank| falls(positions, invariant, rank.number, &edges));
            match rest {
                Some(rest) => waiting.extend(cycles(rest)),
                None => valid = false,
            }
            Ok::<(), Failure>(())
        })?;
    }
    Ok(valid)
}
