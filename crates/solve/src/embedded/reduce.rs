//! Equalities solved away over the integers, and inequalities made as tight as integers allow.

use std::collections::BTreeMap;

use agon_lang::int::Int;
use rustc_hash::FxHashMap;

use super::linear::{Constraint, Linear, Var, Why, floor, magnitude};
use super::simplex::{Bound, Row};

/// Values of variables; of all others, 0.
pub type Point = FxHashMap<Var, Int>;

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

/// Solves equalities away, also those that bounds amount to, until there are none; or says why that cannot be.
/// Fresh variables are numbered from `next`.
pub fn reduce(constraints: Vec<Constraint>, next: &mut u32) -> Result<Reduced, Why> {
    let (mut equalities, mut others): (Vec<_>, Vec<_>) = constraints.into_iter().partition(|c| c.equality);
    let mut gone = Vec::new();
    loop {
        equalities.sort_by_key(|equality| std::cmp::Reverse(equality.linear.parts.len()));
        while let Some(equality) = equalities.pop() {
            let Some((var, linear, why)) = solve(equality, &mut equalities, next)? else { continue };
            for constraint in equalities.iter_mut().chain(&mut others) {
                if constraint.linear.factor(var).is_some() {
                    constraint.linear = constraint.linear.replace(var, &linear);
                    constraint.why = constraint.why.and(&why);
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
                return Err(why.and(also));
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
/// such that the factors become smaller, and the equality waits for its next turn.
fn solve(equality: Constraint, waiting: &mut Vec<Constraint>, next: &mut u32) -> Result<Solved, Why> {
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
    waiting.push(Constraint { linear, equality: true, why });
    Ok(Some((var, exchanged, Why::default())))
}
