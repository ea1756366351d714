//! Integers for linear constraints: reduce, relax to fractions, branch; and where that does not end, eliminate.

use super::linear::{Constraint, Linear, Var, Why};
use super::omega;
use super::reduce::{self, Point, reduce};
use super::simplex;
use crate::solver::{Limit, Reason};
use agon_base::int::Int;

/// What became of the constraints.
pub enum Outcome {
    /// They hold here.
    Point(Point),
    /// They do not hold together.
    Conflict(Why),
}

/// How many branches are tried before variables are eliminated instead. Unbounded constraints without a solution
/// may have branches without end.
const BRANCHES: u32 = 400;
/// How deep branches may nest.
const DEPTH: u32 = 60;
/// Branches are premises too, numbered from here.
const BRANCH: u32 = 1 << 31;

/// Why a search by branches ended without an outcome.
enum Stop {
    Limit(Reason),
    TooMany,
}

struct Search<'a> {
    next: u32,
    branches: u32,
    limit: &'a Limit,
}

/// Integers for which the constraints hold. Variables from `next` on are not used in them.
pub fn solve(constraints: Vec<Constraint>, next: u32, limit: &Limit) -> Result<Outcome, Reason> {
    let mut search = Search { next, branches: 0, limit };
    match search.node(constraints.clone(), 0) {
        Ok(outcome) => Ok(outcome),
        Err(Stop::Limit(reason)) => Err(reason),
        Err(Stop::TooMany) => omega::solve(constraints, next, limit),
    }
}

impl Search<'_> {
    fn node(&mut self, constraints: Vec<Constraint>, depth: u32) -> Result<Outcome, Stop> {
        let reduced = match reduce(constraints, &mut self.next, self.limit) {
            Ok(reduced) => reduced,
            Err(reduce::Stop::Conflict(why)) => return Ok(Outcome::Conflict(why)),
            Err(reduce::Stop::Limit(reason)) => return Err(Stop::Limit(reason)),
        };
        let relaxed = match simplex::solve(&reduced.rows(), self.limit).map_err(Stop::Limit)? {
            simplex::Outcome::Point(point) => point,
            simplex::Outcome::Conflict(why) => return Ok(Outcome::Conflict(why)),
        };
        let Some((var, value)) = relaxed.iter().find(|(_, value)| value.as_whole().is_none()) else {
            let whole = |value: &super::ratio::Ratio| value.as_whole().expect("a whole number").clone();
            let mut point: Point = relaxed.iter().map(|(var, value)| (*var, whole(value))).collect();
            reduced.complete(&mut point);
            return Ok(Outcome::Point(point));
        };
        self.branches += 1;
        if self.branches > BRANCHES || depth > DEPTH {
            return Err(Stop::TooMany);
        }
        let mut causes = Why::default();
        for below in [true, false] {
            let premise = BRANCH + depth;
            let mut constraints = reduced.constraints();
            constraints.push(Constraint {
                linear: side(*var, &value.floor(), below),
                equality: false,
                why: Why::one(premise),
            });
            match self.node(constraints, depth + 1)? {
                Outcome::Point(mut point) => {
                    reduced.complete(&mut point);
                    return Ok(Outcome::Point(point));
                }
                Outcome::Conflict(why) => match why.without(premise) {
                    // The branch had no part in it.
                    None => return Ok(Outcome::Conflict(why)),
                    Some(rest) => causes = causes.and(&rest),
                },
            }
        }
        Ok(Outcome::Conflict(causes))
    }
}

/// A variable is at most `floor`, or greater.
fn side(var: Var, floor: &Int, below: bool) -> Linear {
    let minus = Int::from(-1i64);
    match below {
        true => Linear::var(var).plus(&minus, &Linear::number(floor.clone())),
        false => Linear::number(floor.add(&Int::ONE)).plus(&minus, &Linear::var(var)),
    }
}
