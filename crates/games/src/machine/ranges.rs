//! Ranges: between which numbers the value of a term lies, so that it takes no more bits than it must.

use agon_base::int::Int;
use agon_core::term::{Construct, Operator, TermId, Terms, Unary};
use agon_core::types::Type;

use crate::interval::Interval;
use crate::values::Outcome;

/// Between which numbers each term's value lies, where that is known.
pub(super) fn ranges(terms: &Terms) -> Vec<Option<(Int, Int)>> {
    let mut ranges: Vec<Option<(Int, Int)>> = Vec::with_capacity(terms.len());
    for id in 0..terms.len() {
        let term = TermId::new(id);
        let of = |child: &TermId| ranges[child.index()].clone();
        let range = match terms.construct(term) {
            Construct::Number(n) => Some((n.clone(), n.clone())),
            Construct::Unary(operator @ (Unary::Negate | Unary::Complement), a) => {
                of(a).map(|(low, high)| (operator.apply(&high), operator.apply(&low)))
            }
            Construct::Binary(operator, a, b) if !operator.is_truth() => match (of(a), of(b)) {
                (Some(a), Some(b)) => arithmetic_range(*operator, &a, &b),
                _ => None,
            },
            _ => match terms.ty(term) {
                Type::Exp(data) => data.range(),
                _ => None,
            },
        };
        ranges.push(range);
    }
    ranges
}

fn arithmetic_range(operator: Operator, a: &(Int, Int), b: &(Int, Int)) -> Option<(Int, Int)> {
    match operator {
        Operator::Add => Some((a.0.add(&b.0), a.1.add(&b.1))),
        Operator::Subtract => Some((a.0.sub(&b.1), a.1.sub(&b.0))),
        Operator::Multiply => {
            let corners = [a.0.mul(&b.0), a.0.mul(&b.1), a.1.mul(&b.0), a.1.mul(&b.1)];
            Some((corners.iter().min()?.clone(), corners.iter().max()?.clone()))
        }
        Operator::Modulo => {
            let most = b.0.neg().max(b.1.clone()).max(Int::ONE);
            Some((Int::ZERO, most.sub(&Int::ONE)))
        }
        // A quotient is no further from 0 than its dividend, or one beyond it where that is negative.
        Operator::Divide => {
            let most = a.0.neg().max(a.1.clone()).add(&Int::ONE);
            Some((most.neg(), most))
        }
        // The others lie where intervals say.
        _ => {
            let [a, b] = [a, b].map(|(low, high)| Interval::between(low.clone(), high.clone()));
            match a.binary(operator, &b) {
                Outcome::One(results) => results.low().cloned().zip(results.high().cloned()),
                _ => None,
            }
        }
    }
}
