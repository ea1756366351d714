//! The Omega test: variables are eliminated one by one, exactly. It always ends, but may take long.
//!
//! W. Pugh, *The Omega test: a fast and practical integer programming algorithm for dependence analysis* (1991).

use std::collections::BTreeMap;

use agon_base::int::Int;

use super::integers::Outcome;
use super::linear::{Constraint, Linear, Var, Why, ceiling, floor};
use super::reduce::{Point, Stop, reduce};
use crate::solver::{Limit, Reason};

/// Integers for which the constraints hold. Variables from `next` on are not used in them.
pub fn solve(constraints: Vec<Constraint>, next: u32, limit: &Limit) -> Result<Outcome, Reason> {
    Omega { next, limit }.solve(constraints)
}

struct Omega<'a> {
    next: u32,
    limit: &'a Limit,
}

/// A bound on a variable: `factor · var` is at least, or at most, the rest; the factor is positive.
struct Side {
    factor: Int,
    rest: Linear,
    why: Why,
}

impl Omega<'_> {
    fn solve(&mut self, constraints: Vec<Constraint>) -> Result<Outcome, Reason> {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.eliminate(constraints))
    }

    fn eliminate(&mut self, constraints: Vec<Constraint>) -> Result<Outcome, Reason> {
        if let Some(reason) = self.limit.over() {
            return Err(reason);
        }
        let reduced = match reduce(constraints, &mut self.next, self.limit) {
            Ok(reduced) => reduced,
            Err(Stop::Conflict(why)) => return Ok(Outcome::Conflict(why)),
            Err(Stop::Limit(reason)) => return Err(reason),
        };
        let all = reduced.constraints();
        let outcome = match choose(&all) {
            None => Outcome::Point(Point::default()),
            Some(var) => self.without(var, &all)?,
        };
        Ok(match outcome {
            Outcome::Point(mut point) => {
                reduced.complete(&mut point);
                Outcome::Point(point)
            }
            conflict => conflict,
        })
    }

    /// Solves inequalities by those that they imply for the other variables.
    fn without(&mut self, var: Var, all: &[Constraint]) -> Result<Outcome, Reason> {
        let (lowers, uppers, others) = sides(var, all);
        let exact = lowers.iter().all(|side| side.factor == Int::ONE)
            || uppers.iter().all(|side| side.factor == Int::ONE);
        let dark = self.solve(self.shadow(&lowers, &uppers, &others, true)?)?;
        if let Outcome::Point(mut point) = dark {
            between(var, &lowers, &uppers, &mut point);
            return Ok(Outcome::Point(point));
        }
        if exact {
            return Ok(dark);
        }
        let real = self.solve(self.shadow(&lowers, &uppers, &others, false)?)?;
        if let Outcome::Conflict(_) = real {
            return Ok(real);
        }
        // If there is a solution, it lies close above one of the lower bounds.
        let most = uppers.iter().map(|side| &side.factor).max().expect("else the elimination is exact");
        for side in &lowers {
            let product = most.mul(&side.factor);
            let last = floor(&product.sub(most).sub(&side.factor), most);
            let mut i = Int::ZERO;
            while i <= last {
                let mut constraints = all.to_vec();
                let above = side.rest.plus(&Int::ONE, &Linear::number(i.clone()));
                let linear = above.plus(&side.factor.neg(), &Linear::var(var));
                constraints.push(Constraint { linear, equality: true, why: Why::default() });
                let outcome = self.solve(constraints)?;
                if let Outcome::Point(_) = outcome {
                    return Ok(outcome);
                }
                i = i.add(&Int::ONE);
            }
        }
        Ok(Outcome::Conflict(all.iter().fold(Why::default(), |why, constraint| why.and(&constraint.why))))
    }

    /// What lower and upper bounds say together: for fractions, or enough for an integer to lie between.
    fn shadow(
        &self,
        lowers: &[Side],
        uppers: &[Side],
        others: &[Constraint],
        dark: bool,
    ) -> Result<Vec<Constraint>, Reason> {
        let mut shadow = others.to_vec();
        for lower in lowers {
            if let Some(reason) = self.limit.over() {
                return Err(reason);
            }
            for upper in uppers {
                // upper.factor · lower.rest ≤ lower.factor · upper.rest
                let mut linear = lower.rest.times(&upper.factor).plus(&lower.factor.neg(), &upper.rest);
                if dark {
                    let gap = lower.factor.sub(&Int::ONE).mul(&upper.factor.sub(&Int::ONE));
                    linear.constant = linear.constant.add(&gap);
                }
                shadow.push(Constraint { linear, equality: false, why: lower.why.and(&upper.why) });
            }
        }
        Ok(shadow)
    }
}

/// The variable whose elimination is exact and cheapest, or just cheapest.
fn choose(all: &[Constraint]) -> Option<Var> {
    // For each variable the numbers of lower and of upper bounds, and whether these all have the factor 1.
    let mut counts: BTreeMap<Var, ([usize; 2], [bool; 2])> = BTreeMap::new();
    for (var, factor) in all.iter().flat_map(|constraint| &constraint.linear.parts) {
        let (count, units) = counts.entry(*var).or_insert(([0; 2], [true; 2]));
        let side = usize::from(factor.is_negative());
        count[side] += 1;
        units[side] &= *factor == Int::ONE || *factor == Int::from(-1i64);
    }
    let cost = |([a, b], [x, y]): &([usize; 2], [bool; 2])| (!(*x || *y), a * b);
    counts.into_iter().min_by_key(|(_, counts)| cost(counts)).map(|(var, _)| var)
}

/// The lower bounds and the upper bounds of a variable, and the other constraints.
fn sides(var: Var, all: &[Constraint]) -> (Vec<Side>, Vec<Side>, Vec<Constraint>) {
    let (mut lowers, mut uppers, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for constraint in all {
        let Some(factor) = constraint.linear.factor(var).cloned() else {
            others.push(constraint.clone());
            continue;
        };
        let rest = constraint.linear.replace(var, &Linear::default());
        let why = constraint.why.clone();
        if factor.is_negative() {
            lowers.push(Side { factor: factor.neg(), rest, why });
        } else {
            uppers.push(Side { factor, rest: rest.times(&Int::from(-1i64)), why });
        }
    }
    (lowers, uppers, others)
}

/// Gives a variable a value between its bounds, where there is one.
fn between(var: Var, lowers: &[Side], uppers: &[Side], point: &mut Point) {
    let at = |side: &Side| side.rest.value(|other| point.get(&other).cloned().unwrap_or_default());
    let low = lowers.iter().map(|side| ceiling(&at(side), &side.factor)).max();
    let high = uppers.iter().map(|side| floor(&at(side), &side.factor)).min();
    let value = low.or(high).unwrap_or_default();
    point.insert(var, value);
}

#[cfg(test)]
mod tests {
    use agon_base::random::Random;

    use super::super::integers;
    use super::*;

    /// Constraints over three variables, within a box or without end.
    fn constraints(random: &mut Random) -> Vec<Constraint> {
        let mut all = Vec::new();
        for i in 0..2 + random.below(5) {
            let mut linear = Linear::number(Int::from(random.below(41) as i64 - 20));
            for var in 0..3 {
                let factor = Int::from(random.below(13) as i64 - 6);
                linear = linear.plus(&factor, &Linear::var(Var(var)));
            }
            all.push(Constraint { linear, equality: random.one_in(5), why: Why::one(i as u32) });
        }
        all
    }

    fn holds(all: &[Constraint], point: &Point) -> bool {
        all.iter().all(|constraint| {
            let value = constraint.linear.value(|var| point.get(&var).cloned().unwrap_or_default());
            if constraint.equality { value.is_zero() } else { value <= Int::ZERO }
        })
    }

    /// A point within a small box, by trying.
    fn small(all: &[Constraint]) -> bool {
        let range = || (-6i64..=6).map(Int::from);
        let point = |x, y, z| Point::from_iter([(Var(0), x), (Var(1), y), (Var(2), z)]);
        range().any(|x| range().any(|y| range().any(|z| holds(all, &point(x.clone(), y.clone(), z)))))
    }

    #[test]
    fn elimination_and_branches_agree() {
        let mut random = Random::new(5);
        let (mut points, mut conflicts) = (0, 0);
        for i in 0..2000 {
            let all = constraints(&mut random);
            let limit = Limit::default();
            let outcomes = [solve(all.clone(), 3, &limit), integers::solve(all.clone(), 3, &limit)];
            let outcomes = outcomes.map(|outcome| outcome.expect("there is no limit"));
            match &outcomes {
                [Outcome::Point(one), Outcome::Point(other)] => {
                    assert!(holds(&all, one) && holds(&all, other), "{i}: {all:?}");
                    points += 1;
                }
                [Outcome::Conflict(one), Outcome::Conflict(other)] => {
                    assert!(!small(&all), "{i}: {all:?}");
                    for why in [one, other] {
                        let core: Vec<_> =
                            why.0.iter().map(|premise| all[*premise as usize].clone()).collect();
                        let alone = solve(core, 3, &limit).expect("there is no limit");
                        assert!(matches!(alone, Outcome::Conflict(_)), "{i}: {all:?}");
                    }
                    conflicts += 1;
                }
                _ => panic!("{i}: one finds a point and the other none: {all:?}"),
            }
        }
        assert!(points > 300 && conflicts > 300, "{points} points, {conflicts} conflicts");
    }
}
