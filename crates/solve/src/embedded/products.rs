//! Products of unknowns: variables, of which more is learnt where the point that was found gets them wrong.

use std::collections::BTreeSet;
use std::rc::Rc;

use agon_base::id::number;
use agon_base::int::Int;
use batsat::Lit;

use super::linear::{Linear, Var};
use super::reduce::Point;
use super::{Embedded, Joint, Meaning};

/// What is left of a sum of products is learnt if there are no more combinations than this.
const MOST_COMBINATIONS: u64 = 512;
/// Products of longer sums are not multiplied out.
const MOST_MONOMIALS: usize = 64;

impl Embedded {
    /// The product of two expressions: exact if one is a number, else a sum of monomials, each a variable. So equal
    /// polynomials are written alike, unless they are long.
    pub(super) fn product(&mut self, a: Rc<Linear>, b: Rc<Linear>) -> Linear {
        if a.parts.is_empty() {
            return b.times(&a.constant);
        }
        if b.parts.is_empty() {
            return a.times(&b.constant);
        }
        if a.parts.len() * b.parts.len() > MOST_MONOMIALS {
            return self.product_of(a, b);
        }
        let mut sum = a.times(&b.constant).plus(&a.constant, &b);
        sum.constant = a.constant.mul(&b.constant);
        for (x, n) in &a.parts {
            for (y, m) in &b.parts {
                let monomial = self.monomial(*x, *y);
                sum = sum.plus(&n.mul(m), &monomial);
            }
        }
        sum
    }

    /// The product of two variables, which may be products themselves: its factors are multiplied in their order.
    fn monomial(&mut self, x: Var, y: Var) -> Linear {
        let mut factors = Vec::new();
        self.factors(x, &mut factors);
        self.factors(y, &mut factors);
        factors.sort_unstable();
        let mut factors = factors.into_iter();
        let first = Linear::var(factors.next().unwrap_or(x));
        factors.fold(first, |product, factor| self.product_of(product.into(), Linear::var(factor).into()))
    }

    /// The variables that a variable is the product of.
    fn factors(&self, var: Var, found: &mut Vec<Var>) {
        if let Meaning::Joint(Joint::Product, a, b, _) = &self.vars[var.0 as usize]
            && let (Some(a), Some(b)) = (a.as_var(), b.as_var())
        {
            self.factors(a, found);
            self.factors(b, found);
        } else {
            found.push(var);
        }
    }

    /// The variable that is the product of two expressions.
    fn product_of(&mut self, a: Rc<Linear>, b: Rc<Linear>) -> Linear {
        let (var, new) = self.joint(Joint::Product, &a, &b);
        if !new {
            return Linear::var(var);
        }
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

    /// The variable of what an operation makes of two expressions, and whether it is new.
    pub(super) fn joint(&mut self, joint: Joint, a: &Rc<Linear>, b: &Rc<Linear>) -> (Var, bool) {
        let key = (joint, (**a).clone(), (**b).clone());
        if let Some(known) = self.joints.get(&key) {
            return (*known, false);
        }
        let var = self.variable(Meaning::Joint(joint, a.clone(), b.clone(), Vec::new()));
        self.joints.insert(key, var);
        (var, true)
    }

    /// What is left when a sum of products is divided by a small number follows from what is left of the unknowns in it. It
    /// is learnt for every combination, once.
    pub(super) fn learn_residues(&mut self, of: &Linear, by: &Int) {
        let is_product = |var: &Var| matches!(self.vars[var.index()], Meaning::Joint(Joint::Product, ..));
        let Some(product) = of.parts.iter().map(|(var, _)| *var).find(is_product) else { return };
        let mut unknowns = BTreeSet::new();
        self.unknowns(of, &mut unknowns);
        let count = u32::try_from(unknowns.len()).unwrap_or(u32::MAX);
        let Some(modulus) = by.to_u64().filter(|by| *by > 1) else { return };
        let combinations = modulus.checked_pow(count).filter(|all| *all <= MOST_COMBINATIONS);
        let Some(combinations) = combinations else { return };
        if !self.residues.insert((of.clone(), modulus)) {
            return;
        }
        let residue_of = |this: &mut Embedded, of: Linear| {
            let quotient = this.quotient(of.clone().into(), by);
            of.plus(&by.neg(), &quotient)
        };
        let whole = residue_of(self, of.clone());
        let residues: Vec<Linear> = unknowns.iter().map(|var| residue_of(self, Linear::var(*var))).collect();
        for combination in 0..combinations {
            let digit = |n: usize| combination / modulus.pow(number(n)) % modulus;
            let values: Vec<(Var, Int)> =
                unknowns.iter().enumerate().map(|(n, var)| (*var, Int::from(digit(n)))).collect();
            let is = |this: &mut Embedded, residue: &Linear, n: &Int| {
                this.zero(&residue.plus(&Int::from(-1i64), &Linear::number(n.clone())))
            };
            let mut unless = Vec::new();
            for (residue, (_, n)) in residues.iter().zip(&values) {
                let (most, least) = is(self, residue, n);
                unless.extend([!most, !least]);
            }
            let value = self.value_at(of, &values).rem(by).unwrap_or(Int::ZERO);
            let (most, least) = is(self, &whole, &value);
            for then in [most, least] {
                self.learn(product, unless.iter().copied().chain([then]).collect());
            }
        }
    }

    /// The unknowns of an expression that are no products, those of its products included.
    fn unknowns(&self, of: &Linear, found: &mut BTreeSet<Var>) {
        for (var, _) in &of.parts {
            match &self.vars[var.index()] {
                Meaning::Joint(Joint::Product, a, b, _) => {
                    self.unknowns(a, found);
                    self.unknowns(b, found);
                }
                _ => {
                    found.insert(*var);
                }
            }
        }
    }

    /// What an expression is worth where its unknowns have these values, products taken as such.
    fn value_at(&self, of: &Linear, values: &[(Var, Int)]) -> Int {
        of.value(|var| match &self.vars[var.index()] {
            Meaning::Joint(Joint::Product, a, b, _) => {
                self.value_at(a, values).mul(&self.value_at(b, values))
            }
            _ => values.iter().find(|(other, _)| *other == var).map_or(Int::ZERO, |(_, n)| n.clone()),
        })
    }

    pub(super) fn learn(&mut self, joint: Var, clause: Vec<Lit>) {
        self.clauses.clause(&clause);
        if let Meaning::Joint(_, _, _, known) = &mut self.vars[joint.index()] {
            known.push(clause);
        }
    }

    /// Where a factor has this value, the product is that multiple of the other factor.
    fn learn_factor(&mut self, product: Var, factor: &Linear, other: &Linear, value: &Int) {
        self.learn_where(product, factor, value, &other.times(value));
    }

    /// Where a part of an operation is so much, the operation makes this of the other part.
    pub(super) fn learn_where(&mut self, joint: Var, part: &Linear, value: &Int, result: &Linear) {
        let minus = Int::from(-1i64);
        let (at_most, at_least) = self.zero(&part.plus(&minus, &Linear::number(value.clone())));
        let (below, above) = self.zero(&Linear::var(joint).plus(&minus, result));
        self.learn(joint, vec![!at_most, !at_least, below]);
        self.learn(joint, vec![!at_most, !at_least, above]);
    }

    /// Learns about each operation that a point gets wrong. Says whether there were any.
    pub(super) fn put_right(&mut self, vars: &BTreeSet<Var>, point: &Point) -> bool {
        let mut wrong: Vec<Wrong> = Vec::new();
        let at = |var: Var| point.get(&var).cloned().unwrap_or_default();
        for var in vars {
            if let Meaning::Joint(joint, a, b, _) = &self.vars[var.index()] {
                let (x, y) = (a.value(at), b.value(at));
                if joint.value(&x, &y) != at(*var) {
                    wrong.push((*var, *joint, a.clone(), b.clone(), x, y));
                }
            }
        }
        self.put_equal_factors_right(&wrong);
        for (var, joint, a, b, x, y) in &wrong {
            match joint {
                Joint::Product => {
                    self.learn_factor(*var, a, b, x);
                    self.learn_factor(*var, b, a, y);
                }
                _ => self.learn_bits(*var, *joint, (a, x), (b, y)),
            }
        }
        !wrong.is_empty()
    }

    /// Of two products with a common factor, learns that they are the same where the other factors are.
    fn put_equal_factors_right(&mut self, wrong: &[Wrong]) {
        let minus = Int::from(-1i64);
        for (n, (p, joint, a, b, x, y)) in wrong.iter().enumerate() {
            for (q, other, c, d, u, v) in &wrong[..n] {
                if (*joint, *other) != (Joint::Product, Joint::Product) {
                    continue;
                }
                let sides = [(a, b, y, c, d, v), (a, b, y, d, c, u), (b, a, x, c, d, v), (b, a, x, d, c, u)];
                for (common, rest, value, same, others, theirs) in sides {
                    if common != same || value != theirs || rest == others {
                        continue;
                    }
                    let (at_most, at_least) = self.zero(&rest.plus(&minus, others));
                    let (below, above) = self.zero(&Linear::var(*p).plus(&minus, &Linear::var(*q)));
                    self.learn(*p, vec![!at_most, !at_least, below]);
                    self.learn(*p, vec![!at_most, !at_least, above]);
                }
            }
        }
    }
}

/// An operation that a point gets wrong: its variable, its parts, and what these are worth.
type Wrong = (Var, Joint, Rc<Linear>, Rc<Linear>, Int, Int);
