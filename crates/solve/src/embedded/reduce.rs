//! Equalities solved away over the integers, and inequalities made as tight as integers allow.

use std::collections::BTreeMap;

use agon_base::int::Int;
use rustc_hash::FxHashMap;

use super::linear::{Constraint, Linear, Var, Why, ceiling, floor, magnitude};
use super::simplex::{Bound, Row};
use crate::solver::{Limit, Reason};

/// Values of variables; of all others, 0.
pub type Point = FxHashMap<Var, Int>;

/// Forms of more variables are not looked at for those that have one value only.
const LONG: usize = 8;

/// Inequalities on forms whose factors have no common divisor and start positive, and how to get back from them.
#[derive(Default)]
pub struct Reduced {
    /// Each form with its bounds, which differ.
    pub forms: BTreeMap<Vec<(Var, Int)>, (Bound, Bound)>,
    /// What variables are, each in terms of those that are left when it goes.
    gone: Vec<(Var, Linear)>,
}

impl Reduced {
    /// The bounds as constraints again.
    pub fn constraints(&self) -> Vec<Constraint> {
        let mut all = Vec::new();
        for (parts, (lower, upper)) in &self.forms {
            let form = Linear { parts: parts.clone(), constant: Int::ZERO };
            if let Some((bound, why)) = lower {
                let linear = Linear::number(bound.clone()).plus(&Int::from(-1i64), &form);
                all.push(Constraint { linear, equality: false, why: why.clone() });
            }
            if let Some((bound, why)) = upper {
                let linear = form.plus(&Int::from(-1i64), &Linear::number(bound.clone()));
                all.push(Constraint { linear, equality: false, why: why.clone() });
            }
        }
        all
    }

    /// The forms as rows of a tableau.
    pub fn rows(&self) -> Vec<Row<'_>> {
        let mut rows = Vec::with_capacity(self.forms.len());
        for (parts, (lower, upper)) in &self.forms {
            rows.push(Row { parts, lower: lower.clone(), upper: upper.clone() });
        }
        rows
    }

    /// Gives values to the variables that were solved away.
    pub fn complete(&self, point: &mut Point) {
        for (var, linear) in self.gone.iter().rev() {
            let value = linear.value(|other| point.get(&other).cloned().unwrap_or_default());
            point.insert(*var, value);
        }
    }

    /// The variables that have one value only, by a form's bounds and those of its other variables.
    fn fixed(&self) -> Result<Vec<Constraint>, Why> {
        let mut found: BTreeMap<Var, (Int, Why)> = BTreeMap::new();
        for (parts, (lower, upper)) in
            self.forms.iter().filter(|(parts, _)| (2..=LONG).contains(&parts.len()))
        {
            for (i, (var, factor)) in parts.iter().enumerate() {
                // factor · var ≥ lower - what the others are at most, and ≤ upper - what they are at least.
                let (mut low, mut high) = (lower.clone(), upper.clone());
                for (other, n) in parts.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, part)| part) {
                    low = low.and_then(|low| self.less(low, *other, n, true));
                    high = high.and_then(|high| self.less(high, *other, n, false));
                }
                let (low, high) = if factor.is_negative() { (high, low) } else { (low, high) };
                let size = magnitude(factor);
                let signed = |n: Int| if factor.is_negative() { n.neg() } else { n };
                let own = self.forms.get(&vec![(*var, Int::ONE)]);
                let (own_low, own_high) = own.cloned().unwrap_or_default();
                let low = low.map(|(low, why)| (ceiling(&signed(low), &size), why));
                let high = high.map(|(high, why)| (floor(&signed(high), &size), why));
                let low = low.into_iter().chain(own_low).max_by(|(a, _), (b, _)| a.cmp(b));
                let high = high.into_iter().chain(own_high).min_by(|(a, _), (b, _)| a.cmp(b));
                let (Some((low, why)), Some((high, also))) = (low, high) else { continue };
                if low > high {
                    return Err(why.and(&also));
                }
                if low == high {
                    found.entry(*var).or_insert((low, why.and(&also)));
                }
            }
        }
        let equality = |(var, (value, why)): (Var, (Int, Why))| Constraint {
            linear: Linear::var(var).plus(&Int::from(-1i64), &Linear::number(value)),
            equality: true,
            why,
        };
        Ok(found.into_iter().map(equality).collect())
    }

    /// A bound, less the most or the least that `factor · var` can be, if that is bounded.
    fn less(&self, (bound, why): (Int, Why), var: Var, factor: &Int, most: bool) -> Bound {
        let (lower, upper) = self.forms.get(&vec![(var, Int::ONE)])?;
        let (end, also) = if most != factor.is_negative() { upper } else { lower }.as_ref()?;
        Some((bound.sub(&factor.mul(end)), why.and(also)))
    }

    /// Looks at an inequality of one variable, which with others may leave it one value.
    fn note(&mut self, constraint: &Constraint, equalities: &mut Vec<Constraint>) -> Result<(), Why> {
        let [(var, _)] = constraint.linear.parts[..] else { return Ok(()) };
        self.bound(constraint)?;
        if let Some((Some((low, why)), Some((high, also)))) = self.forms.get(&vec![(var, Int::ONE)]) {
            if low > high {
                return Err(why.and(also));
            }
            if low == high {
                let linear = Linear::var(var).plus(&Int::from(-1i64), &Linear::number(low.clone()));
                equalities.push(Constraint { linear, equality: true, why: why.and(also) });
            }
        }
        Ok(())
    }

    fn bound(&mut self, constraint: &Constraint) -> Result<(), Why> {
        let Constraint { linear, why, .. } = constraint;
        if linear.parts.is_empty() {
            let holds = linear.constant <= Int::ZERO;
            return if holds { Ok(()) } else { Err(why.clone()) };
        }
        // parts ≤ -constant, divided and rounded down; turned round if the first factor is negative.
        let gcd = linear.gcd();
        let bound = floor(&linear.constant.neg(), &gcd);
        let turned = linear.parts[0].1.is_negative();
        let by = if turned { gcd.neg() } else { gcd };
        let divided = |(var, n): &(Var, Int)| (*var, n.div(&by).expect("a gcd of factors is not 0"));
        let parts = linear.parts.iter().map(divided).collect();
        let (lower, upper) = self.forms.entry(parts).or_default();
        let bound = if turned { bound.neg() } else { bound };
        let (side, tighter): (_, fn(&Int, &Int) -> bool) =
            if turned { (lower, |new, old| new > old) } else { (upper, |new, old| new < old) };
        if side.as_ref().is_none_or(|(old, _)| tighter(&bound, old)) {
            *side = Some((bound, why.clone()));
        }
        Ok(())
    }
}

/// Why nothing was reduced.
pub enum Stop {
    /// The constraints do not hold together.
    Conflict(Why),
    /// The time is over.
    Limit(Reason),
}

impl From<Why> for Stop {
    fn from(why: Why) -> Stop {
        Stop::Conflict(why)
    }
}

/// Solves equalities away, also those that bounds amount to, until there are none; or says why that cannot be.
/// Fresh variables are numbered from `next`.
pub fn reduce(constraints: Vec<Constraint>, next: &mut u32, limit: &Limit) -> Result<Reduced, Stop> {
    let (mut equalities, mut others): (Vec<_>, Vec<_>) = constraints.into_iter().partition(|c| c.equality);
    let mut gone = Vec::new();
    loop {
        let mut singles = Reduced::default();
        for constraint in &others {
            singles.note(constraint, &mut equalities)?;
        }
        // Short ones first: a variable that is a number makes others short.
        let shortest = |all: &[Constraint]| (0..all.len()).min_by_key(|i| all[*i].linear.parts.len());
        // One that takes several turns takes them at once: its factors shrink only if no other comes between.
        let mut at_hand: Option<Constraint> = None;
        while let Some(equality) =
            at_hand.take().or_else(|| shortest(&equalities).map(|i| equalities.swap_remove(i)))
        {
            if let Some(reason) = limit.over() {
                return Err(Stop::Limit(reason));
            }
            let Some((var, linear, why)) = solve(equality, &mut at_hand, next)? else { continue };
            let replace = |constraint: &mut Constraint| {
                let touched = constraint.linear.factor(var).is_some();
                if touched {
                    constraint.linear = constraint.linear.replace(var, &linear);
                    constraint.why = constraint.why.and(&why);
                }
                touched
            };
            equalities.iter_mut().chain(&mut at_hand).for_each(|equality| {
                replace(equality);
            });
            for constraint in &mut others {
                if replace(constraint) {
                    singles.note(constraint, &mut equalities)?;
                }
            }
            gone.push((var, linear));
        }
        let mut reduced = Reduced::default();
        for constraint in &others {
            reduced.bound(constraint)?;
        }
        let mut found = Vec::new();
        for (parts, (lower, upper)) in &reduced.forms {
            let (Some((low, why)), Some((high, also))) = (lower, upper) else { continue };
            if low > high {
                return Err(why.and(also).into());
            }
            if low == high {
                found.push(Constraint {
                    linear: Linear { parts: parts.clone(), constant: low.neg() },
                    equality: true,
                    why: why.and(also),
                });
            }
        }
        if found.is_empty() {
            found = reduced.fixed()?;
        }
        if found.is_empty() {
            reduced.gone = gone;
            return Ok(reduced);
        }
        reduced.forms.retain(|_, (lower, upper)| match (lower, upper) {
            (Some((low, _)), Some((high, _))) => low != high,
            _ => true,
        });
        others = reduced.constraints();
        equalities = found;
    }
}

type Solved = Option<(Var, Linear, Why)>;

/// A variable of an equality, in terms of the others. Where no factor is 1, a variable is exchanged for a fresh one
/// such that the factors become smaller, and the equality is at hand for its next turn.
fn solve(equality: Constraint, at_hand: &mut Option<Constraint>, next: &mut u32) -> Result<Solved, Why> {
    let Constraint { mut linear, why, .. } = equality;
    if linear.parts.is_empty() {
        return if linear.constant.is_zero() { Ok(None) } else { Err(why) };
    }
    let gcd = linear.gcd();
    if !linear.constant.rem(&gcd).expect("a gcd of factors is not 0").is_zero() {
        return Err(why);
    }
    let divided = |n: &Int| n.div(&gcd).expect("a gcd of factors is not 0");
    linear.parts.iter_mut().for_each(|(_, n)| *n = divided(n));
    linear.constant = divided(&linear.constant);
    let least = linear.parts.iter().min_by_key(|(_, n)| magnitude(n)).expect("there are parts");
    let (var, factor) = least.clone();
    let mut rest = linear.clone();
    rest.parts.retain(|(other, _)| *other != var);
    if magnitude(&factor) == Int::ONE {
        return Ok(Some((var, rest.times(&factor.neg()), why)));
    }
    // var = fresh - Σ (n div factor) · other: whole numbers go to whole numbers and back.
    let fresh = Var(*next);
    *next += 1;
    let quotients =
        rest.parts.iter().map(|(other, n)| (*other, n.div(&factor).expect("a factor is not 0").neg()));
    let quotients = Linear { parts: quotients.filter(|(_, n)| !n.is_zero()).collect(), constant: Int::ZERO };
    let exchanged = quotients.plus(&Int::ONE, &Linear::var(fresh));
    *at_hand = Some(Constraint { linear, equality: true, why });
    Ok(Some((var, exchanged, Why::default())))
}
