//! Products of unknowns: variables, of which more is learnt where the point that was found gets them wrong.

use std::collections::BTreeSet;
use std::rc::Rc;

use agon_lang::int::Int;
use batsat::Lit;

use super::linear::{Linear, Var};
use super::reduce::Point;
use super::{Embedded, Meaning};

impl Embedded {
    /// The product of two expressions: exact if one is a number, else a variable.
    pub(super) fn product(&mut self, a: Rc<Linear>, b: Rc<Linear>) -> Linear {
        if a.parts.is_empty() {
            return b.times(&a.constant);
        }
        if b.parts.is_empty() {
            return a.times(&b.constant);
        }
        if let Some(known) = self.products.get(&((*a).clone(), (*b).clone())) {
            return Linear::var(*known);
        }
        let var = self.variable(Meaning::Product(a.clone(), b.clone(), Vec::new()));
        self.products.insert(((*a).clone(), (*b).clone()), var);
        // Of factors that are not 0, the product is at least as far from 0 as their sum less 1.
        for (left, right) in [(1i64, 1i64), (1, -1), (-1, 1), (-1, -1)] {
            let (a, b) = (a.times(&Int::from(left)), b.times(&Int::from(right)));
            let product = Linear::var(var).times(&Int::from(left * right));
            let (a_below, b_below) = (self.at_most_zero(&a), self.at_most_zero(&b));
            let sum = a.plus(&Int::ONE, &b).plus(&Int::from(-1i64), &Linear::number(Int::ONE));
            let far = self.at_most_zero(&sum.plus(&Int::from(-1i64), &product));
            self.learn(var, vec![a_below, b_below, far]);
        }
        self.learn_factor(var, &a, &b, &Int::ZERO);
        self.learn_factor(var, &b, &a, &Int::ZERO);
        Linear::var(var)
    }

    fn learn(&mut self, product: Var, clause: Vec<Lit>) {
        self.clauses.clause(&clause);
        if let Meaning::Product(_, _, known) = &mut self.vars[product.0 as usize] {
            known.push(clause);
        }
    }

    /// Where a factor is so much, the product is so many times the other.
    fn learn_factor(&mut self, product: Var, factor: &Linear, other: &Linear, value: &Int) {
        let minus = Int::from(-1i64);
        let (at_most, at_least) = self.zero(&factor.plus(&minus, &Linear::number(value.clone())));
        let (below, above) = self.zero(&Linear::var(product).plus(&value.neg(), other));
        self.learn(product, vec![!at_most, !at_least, below]);
        self.learn(product, vec![!at_most, !at_least, above]);
    }

    /// Learns about each product that a point gets wrong. Says whether there were any.
    pub(super) fn put_right(&mut self, vars: &BTreeSet<Var>, point: &Point) -> bool {
        let mut wrong = Vec::new();
        let at = |var: Var| point.get(&var).cloned().unwrap_or_default();
        for var in vars {
            if let Meaning::Product(a, b, _) = &self.vars[var.0 as usize] {
                let (x, y) = (a.value(at), b.value(at));
                if x.mul(&y) != at(*var) {
                    wrong.push((*var, a.clone(), b.clone(), x, y));
                }
            }
        }
        for (var, a, b, x, y) in &wrong {
            self.learn_factor(*var, a, b, x);
            self.learn_factor(*var, b, a, y);
        }
        !wrong.is_empty()
    }
}
