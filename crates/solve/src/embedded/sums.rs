//! Sums of bit vectors, modulo a power of two: what cancels is never made a circuit.

use std::rc::Rc;

use agon_base::int::Int;
use batsat::Lit;

use super::linear::{Linear, Var};
use super::{Embedded, bits};
use crate::term::{Op, Term, Terms};

/// Factors from just above -2^(width-1) to 2^(width-1), the number from 0.
fn normal(mut linear: Linear, width: u32) -> Linear {
    let (all, half) = (Int::power_of_two(width), Int::power_of_two(width - 1));
    let wrapped = |n: &Int| n.rem(&all).expect("a power of two is not 0");
    for (_, factor) in &mut linear.parts {
        *factor = wrapped(factor);
        if *factor > half {
            *factor = factor.sub(&all);
        }
    }
    linear.parts.retain(|(_, factor)| !factor.is_zero());
    linear.constant = wrapped(&linear.constant);
    linear
}

/// The factor as powers of two that are added, or taken away: fewer than its bits.
fn powers(factor: &Int) -> Vec<(usize, bool)> {
    let (two, four) = (Int::from(2i64), Int::from(4i64));
    let mut rest = factor.clone();
    let mut found = Vec::new();
    let mut place = 0;
    while !rest.is_zero() {
        // Odd numbers go to the next multiple of four, so that the next digit is 0.
        match rest.rem(&four).and_then(|n| n.to_i64()) {
            Some(1) => {
                found.push((place, true));
                rest = rest.sub(&Int::ONE);
            }
            Some(3) => {
                found.push((place, false));
                rest = rest.add(&Int::ONE);
            }
            _ => {}
        }
        rest = rest.div(&two).expect("2 is not 0");
        place += 1;
    }
    found
}

impl Embedded {
    /// A vector as a sum: a number, if all its bits are known.
    fn vector(&mut self, vector: Vec<Lit>) -> Linear {
        let (yes, no) = (self.clauses.truth(true), self.clauses.truth(false));
        if vector.iter().all(|bit| *bit == yes || *bit == no) {
            let double = |n: Int, bit: &Lit| n.add(&n).add(&Int::truth(*bit == yes));
            return Linear::number(vector.iter().rev().fold(Int::ZERO, double));
        }
        let vector: Rc<[Lit]> = vector.into();
        let next = Var(u32::try_from(self.vectors.len()).expect("fewer than 2^32 vectors"));
        let var = *self.vector_numbers.entry(vector.clone()).or_insert(next);
        if var == next {
            self.vectors.push(vector);
        }
        Linear::var(var)
    }

    /// The bits of a sum.
    pub(super) fn bits(&mut self, sum: &Rc<Linear>, width: u32) -> Rc<[Lit]> {
        if let ([(var, factor)], true) = (&sum.parts[..], sum.constant.is_zero())
            && *factor == Int::ONE
        {
            return self.vectors[var.index()].clone();
        }
        if let Some(known) = self.sums.get(&(sum.clone(), width)) {
            return known.clone();
        }
        let no = self.clauses.truth(false);
        let mut total = bits::number(&self.clauses, &sum.constant, width);
        for (var, factor) in &sum.parts {
            let vector = self.vectors[var.index()].clone();
            for (place, added) in powers(factor) {
                let mut shifted = vec![no; place.min(vector.len())];
                shifted.extend(&vector[..vector.len() - shifted.len()]);
                let op = if added { Op::Add } else { Op::Sub };
                total = bits::operation(&mut self.clauses, &op, &[total, shifted], width);
            }
        }
        let total: Rc<[Lit]> = total.into();
        self.sums.insert((sum.clone(), width), total.clone());
        total
    }

    /// A term of bits, whose parts are written down, as a sum.
    pub(super) fn sum(&mut self, terms: &Terms, term: Term, width: u32) -> Linear {
        let parts = terms.parts(term);
        let minus = Int::from(-1i64);
        let sum = match terms.op(term) {
            Op::Constant(_) => {
                let fresh = (0..width).map(|_| self.clauses.fresh()).collect();
                self.vector(fresh)
            }
            Op::Number(n) => Linear::number(n.clone()),
            Op::Add => self.linear(parts[0]).plus(&Int::ONE, &self.linear(parts[1])),
            Op::Sub => self.linear(parts[0]).plus(&minus, &self.linear(parts[1])),
            Op::Neg => self.linear(parts[0]).times(&minus),
            Op::Mul if self.linear(parts[0]).parts.is_empty() => {
                self.linear(parts[1]).times(&self.linear(parts[0]).constant)
            }
            Op::Mul if self.linear(parts[1]).parts.is_empty() => {
                self.linear(parts[0]).times(&self.linear(parts[1]).constant)
            }
            // The lowest bits of a sum are the sum of the lowest bits.
            Op::Low => {
                let sum = self.linear(parts[0]);
                let mut low = Linear::number(sum.constant.clone());
                for (var, factor) in &sum.parts {
                    let bits = self.vectors[var.index()][..width as usize].to_vec();
                    low = low.plus(factor, &self.vector(bits));
                }
                low
            }
            Op::If => {
                let (a, b) = (self.part_bits(terms, parts[1]), self.part_bits(terms, parts[2]));
                let condition = self.literal(parts[0]);
                let chosen = bits::if_else(&mut self.clauses, condition, &a, &b);
                self.vector(chosen)
            }
            op => {
                let parts: Vec<Vec<Lit>> =
                    parts.iter().map(|part| self.part_bits(terms, *part).to_vec()).collect();
                let result = bits::operation(&mut self.clauses, op, &parts, width);
                self.vector(result)
            }
        };
        normal(sum, width)
    }

    fn part_bits(&mut self, terms: &Terms, part: Term) -> Rc<[Lit]> {
        let sum = self.linear(part);
        self.bits(&sum, terms.width(part))
    }

    /// The value of a comparison of terms of bits.
    pub(super) fn compare_bits(&mut self, terms: &Terms, term: Term) -> Lit {
        let parts = terms.parts(term);
        let width = terms.width(parts[0]);
        let (a, b) = (self.linear(parts[0]), self.linear(parts[1]));
        if *terms.op(term) == Op::Equal {
            return self.equal_sums(&a, &b, width);
        }
        if a == b {
            return self.clauses.truth(matches!(terms.op(term), Op::AtMost | Op::SignedAtMost));
        }
        let (a, b) = (self.bits(&a, width), self.bits(&b, width));
        bits::comparison(&mut self.clauses, terms.op(term), &a, &b)
    }

    /// Whether two sums are the same: whether their difference is 0.
    fn equal_sums(&mut self, a: &Linear, b: &Linear, width: u32) -> Lit {
        let minus = Int::from(-1i64);
        let difference = normal(a.plus(&minus, b), width);
        match &difference.parts[..] {
            [] => self.clauses.truth(difference.constant.is_zero()),
            // factor · x = number: an odd factor has an inverse.
            [(var, factor)] if !factor.rem(&Int::from(2i64)).is_some_and(|n| n.is_zero()) => {
                let value =
                    normal(Linear::number(difference.constant.mul(&inverse(factor, width)).neg()), width);
                let (a, b) = (Rc::new(Linear::var(*var)), Rc::new(value));
                self.equal_bits(&a, &b, width)
            }
            parts => {
                // A variable alone on one side, if there is one; else what is added, and what is taken away.
                let alone = parts.iter().find(|(_, factor)| *factor == Int::ONE || *factor == minus);
                let side = match alone {
                    Some((var, factor)) => Linear::var(*var).times(factor),
                    None => Linear {
                        parts: parts.iter().filter(|(_, factor)| !factor.is_negative()).cloned().collect(),
                        constant: Int::ZERO,
                    },
                };
                let other = difference.plus(&minus, &side);
                let turn =
                    if alone.is_some_and(|(_, factor)| factor.is_negative()) { &minus } else { &Int::ONE };
                let side = normal(side.times(turn), width);
                let other = normal(other.times(&turn.neg()), width);
                self.equal_bits(&Rc::new(side), &Rc::new(other), width)
            }
        }
    }

    fn equal_bits(&mut self, a: &Rc<Linear>, b: &Rc<Linear>, width: u32) -> Lit {
        let (a, b) = (self.bits(a, width), self.bits(b, width));
        bits::comparison(&mut self.clauses, &Op::Equal, &a, &b)
    }
}

/// What an odd number is to be multiplied with to give 1: each step doubles the bits that are right.
fn inverse(odd: &Int, width: u32) -> Int {
    let all = Int::power_of_two(width);
    let mut inverse = odd.clone();
    let mut right = 3;
    while right < width {
        inverse = inverse.mul(&Int::from(2i64).sub(&odd.mul(&inverse)));
        inverse = inverse.rem(&all).expect("a power of two is not 0");
        right *= 2;
    }
    inverse
}
