//! The operators of programs, as terms.

use agon_base::int::Int;
use agon_core::term::{Operator, Unary};
use agon_core::types::Data;
use agon_solve::{Op, Term, Terms, Value as Literal};

/// An operator applied to a term.
pub fn unary(terms: &mut Terms, operator: Unary, term: Term) -> Term {
    match operator {
        Unary::Negate => terms.neg(term),
        Unary::Not => {
            let truth = truth(terms, term);
            let not = terms.not(truth);
            of_truth(terms, not)
        }
        Unary::Complement => {
            let minus_one = terms.int(Int::from(-1i64));
            terms.sub(minus_one, term)
        }
    }
}

/// An operator applied to terms. Division by 0 gives 0, and the remainder is the dividend.
pub fn binary(terms: &mut Terms, operator: Operator, x: Term, y: Term) -> Term {
    let truth = match operator {
        Operator::Add => return terms.add(x, y),
        Operator::Subtract => return terms.sub(x, y),
        Operator::Multiply => return terms.mul(x, y),
        Operator::Divide => return terms.div(x, y),
        Operator::Modulo => return terms.rem(x, y),
        Operator::Quotient => return toward_zero(terms, x, |terms, x| terms.div(x, y)),
        Operator::Remainder => return toward_zero(terms, x, |terms, x| terms.rem(x, y)),
        Operator::BitAnd => return terms.bit_and(x, y),
        // What both have is counted twice in the sum.
        Operator::BitOr | Operator::BitXor => {
            let (sum, common) = (terms.add(x, y), terms.bit_and(x, y));
            let either = terms.sub(sum, common);
            return if operator == Operator::BitOr { either } else { terms.sub(either, common) };
        }
        Operator::ShiftLeft => return terms.shift_left(x, y),
        Operator::ShiftRight => return terms.shift_right(x, y),
        Operator::Equal => terms.equal(x, y),
        Operator::NotEqual => {
            let equal = terms.equal(x, y);
            terms.not(equal)
        }
        Operator::Less => terms.less(x, y),
        Operator::LessEqual => terms.at_most(x, y),
        Operator::Greater => terms.less(y, x),
        Operator::GreaterEqual => terms.at_most(y, x),
        Operator::Both => {
            let both = [truth(terms, x), truth(terms, y)];
            terms.and(&both)
        }
        Operator::Either => {
            let either = [truth(terms, x), truth(terms, y)];
            terms.or(&either)
        }
    };
    of_truth(terms, truth)
}

/// What a division of a dividend gives if it is rounded toward 0: that of its magnitude, with its sign.
fn toward_zero(terms: &mut Terms, dividend: Term, division: impl Fn(&mut Terms, Term) -> Term) -> Term {
    let zero = terms.int(0u64);
    let negative = terms.less(dividend, zero);
    let opposite = terms.neg(dividend);
    let (above, below) = (division(terms, dividend), division(terms, opposite));
    let below = terms.neg(below);
    terms.if_else(negative, below, above)
}

/// A term brought into the range of a type.
pub fn wrap(terms: &mut Terms, data: &Data, term: Term) -> Term {
    let (Some((low, high)), Some(size)) = (data.range(), data.size()) else { return term };
    if let Some(n) = number(terms, term) {
        return terms.int(data.wrap(&n));
    }
    // One of two numbers, such as a Boolean, needs no arithmetic.
    if let (Op::If, [condition, yes, no]) = (terms.op(term), terms.parts(term))
        && let (Some(Literal::Number(first)), Some(Literal::Number(second))) =
            (terms.literal(*yes), terms.literal(*no))
    {
        let condition = *condition;
        let (first, second) = (terms.int(data.wrap(&first)), terms.int(data.wrap(&second)));
        return terms.if_else(condition, first, second);
    }
    // Modulo its size, counted from the least; where it is in range already, it is what it is.
    let (least, most, size) = (terms.int(low), terms.int(high), terms.int(size));
    let (above, below) = (terms.at_most(least, term), terms.at_most(term, most));
    let fits = terms.and(&[above, below]);
    let shifted = terms.sub(term, least);
    let rest = terms.rem(shifted, size);
    let wrapped = terms.add(rest, least);
    terms.if_else(fits, term, wrapped)
}

/// Whether a number is not 0.
pub fn truth(terms: &mut Terms, term: Term) -> Term {
    // A Boolean that was made a number.
    if *terms.op(term) == Op::If
        && let [condition, yes, no] = terms.parts(term)[..]
        && terms.literal(yes) == Some(Literal::Number(Int::ONE))
        && terms.literal(no) == Some(Literal::Number(Int::ZERO))
    {
        return condition;
    }
    let zero = terms.int(0u64);
    let is_zero = terms.equal(term, zero);
    terms.not(is_zero)
}

/// A Boolean as a number.
fn of_truth(terms: &mut Terms, truth: Term) -> Term {
    let (one, zero) = (terms.int(1u64), terms.int(0u64));
    terms.if_else(truth, one, zero)
}

/// The number that a term is, if it is one.
pub fn number(terms: &Terms, term: Term) -> Option<Int> {
    match terms.literal(term) {
        Some(Literal::Number(n)) => Some(n),
        _ => None,
    }
}

/// Whether an index is out of bounds.
pub fn outside(terms: &mut Terms, length: u64, at: Term) -> Term {
    let (zero, length) = (terms.int(0u64), terms.int(length));
    let (below, above) = (terms.less(at, zero), terms.at_most(length, at));
    terms.or(&[below, above])
}

/// What is claimed of a number that lies between two others.
pub fn within(terms: &mut Terms, term: Term, low: Option<&Int>, high: Option<&Int>) -> Vec<Term> {
    let mut claims = Vec::new();
    if let Some(low) = low {
        let low = terms.int(low.clone());
        claims.push(terms.at_most(low, term));
    }
    if let Some(high) = high {
        let high = terms.int(high.clone());
        claims.push(terms.at_most(term, high));
    }
    claims
}
