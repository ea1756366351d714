//! Bits of unknown integers: variables, of which more is learnt where the point that was found gets them wrong.
//!
//! Where one of the two operands is known, the result is linear in quotients of the other. So that is learnt for the numbers
//! that points have.

use std::rc::Rc;

use agon_base::int::Int;

use super::linear::{Linear, Var};
use super::{Embedded, Joint};
use crate::term::{LONGEST_MASK, runs_of_bits};

impl Joint {
    /// What the operation makes of two numbers.
    pub(super) fn value(self, a: &Int, b: &Int) -> Int {
        match self {
            Joint::Product => a.mul(b),
            Joint::BitAnd => a.bit_and(b),
            Joint::ShiftLeft => a.shift_left(b),
            Joint::ShiftRight => a.shift_right(b),
        }
    }
}

impl Embedded {
    /// What an operation on bits makes of two expressions: exact if it is linear, else a variable.
    pub(super) fn bits_of(&mut self, joint: Joint, a: Rc<Linear>, b: Rc<Linear>) -> Linear {
        if b.parts.is_empty()
            && let Some(result) = self.with_second(joint, &a, &b.constant)
        {
            return result;
        }
        if a.parts.is_empty()
            && joint == Joint::BitAnd
            && let Some(result) = self.masked(&b, &a.constant)
        {
            return result;
        }
        let (var, new) = self.joint(joint, &a, &b);
        if new {
            self.learn_signs(var, joint, &a, &b);
        }
        Linear::var(var)
    }

    /// What follows from the signs of the operands.
    fn learn_signs(&mut self, var: Var, joint: Joint, a: &Linear, b: &Linear) {
        let minus = Int::from(-1i64);
        let result = Linear::var(var);
        let opposite = result.times(&minus);
        let one = Linear::number(Int::ONE);
        let negative = |this: &mut Embedded, of: &Linear| this.at_most_zero(&of.plus(&Int::ONE, &one));
        let (below, also_below) = (negative(self, a), negative(self, b));
        let (not_above, not_below) = (self.at_most_zero(&result), self.at_most_zero(&opposite));
        match joint {
            Joint::BitAnd => {
                let at_most_a = self.at_most_zero(&result.plus(&minus, a));
                let at_most_b = self.at_most_zero(&result.plus(&minus, b));
                let is_negative = negative(self, &result);
                self.learn(var, vec![below, not_below]);
                self.learn(var, vec![also_below, not_below]);
                self.learn(var, vec![!below, !also_below, is_negative]);
                self.learn(var, vec![below, at_most_a]);
                self.learn(var, vec![!also_below, at_most_a]);
                self.learn(var, vec![also_below, at_most_b]);
                self.learn(var, vec![!below, at_most_b]);
            }
            Joint::ShiftLeft | Joint::ShiftRight | Joint::Product => {
                self.learn(var, vec![below, not_below]);
                self.learn(var, vec![!below, not_above]);
                // Nothing gets further from 0 on its way to the right.
                if joint == Joint::ShiftRight {
                    let at_most_a = self.at_most_zero(&result.plus(&minus, a));
                    let at_least_a = self.at_most_zero(&a.plus(&minus, &result));
                    self.learn(var, vec![below, at_most_a]);
                    self.learn(var, vec![!below, at_least_a]);
                }
            }
        }
    }

    /// Learns about an operation that a point gets wrong, which has these operands with these values.
    pub(super) fn learn_bits(
        &mut self,
        var: Var,
        joint: Joint,
        (a, x): (&Linear, &Int),
        (b, y): (&Linear, &Int),
    ) {
        if let Some(result) = self.with_second(joint, a, y) {
            self.learn_where(var, b, y, &result);
        }
        if joint == Joint::BitAnd
            && let Some(result) = self.masked(b, x)
        {
            self.learn_where(var, a, x, &result);
        }
    }

    /// What an operation on bits makes of an expression and a number; nothing, if the number is too long.
    fn with_second(&mut self, joint: Joint, a: &Linear, n: &Int) -> Option<Linear> {
        let power = n.shift_amount().map(Int::power_of_two);
        match joint {
            Joint::Product => Some(a.times(n)),
            Joint::BitAnd => self.masked(a, n),
            Joint::ShiftLeft => Some(power.map_or_else(Linear::default, |power| a.times(&power))),
            Joint::ShiftRight => Some(match power {
                None => Linear::default(),
                Some(power) => self.quotient(a.clone().into(), &power),
            }),
        }
    }

    /// The bits that an expression has in common with a number; nothing, if the number is too long.
    fn masked(&mut self, a: &Linear, mask: &Int) -> Option<Linear> {
        if mask.bits() > LONGEST_MASK {
            return None;
        }
        if mask.is_negative() {
            let others = self.masked(a, &mask.complement())?;
            return Some(a.plus(&Int::from(-1i64), &others));
        }
        let mut sum = Linear::default();
        for (first, length) in runs_of_bits(mask) {
            // Without what is below the run, less what is above it.
            let (low, high) = (Int::power_of_two(first), Int::power_of_two(first + length));
            let whole = self.quotient(a.clone().into(), &low);
            let above = self.quotient(a.clone().into(), &high);
            sum = sum.plus(&low, &whole).plus(&high.neg(), &above);
        }
        Some(sum)
    }
}
