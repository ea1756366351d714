//! What of an assignment makes the claims true: the constraints on integers that must hold together.

use std::collections::BTreeSet;

use agon_base::int::Int;
use batsat::Lit;
use rustc_hash::{FxHashMap, FxHashSet};

use super::linear::{Constraint, Linear, Var, Why, magnitude};
use super::{Embedded, Meaning};
use crate::solver::Claim;
use crate::term::{Op, Sort, Term, Terms};

/// Constraints, and the literals that are their premises.
#[derive(Default)]
pub struct Relevant {
    /// What must hold.
    pub constraints: Vec<Constraint>,
    /// The literals, all true, that the constraints follow from.
    pub premises: Vec<Lit>,
    /// The variables that occur.
    pub vars: BTreeSet<Var>,
    numbers: FxHashMap<Lit, u32>,
}

impl Relevant {
    fn premise(&mut self, literal: Lit) -> Why {
        let next = u32::try_from(self.premises.len()).expect("fewer than 2^31 premises");
        let number = *self.numbers.entry(literal).or_insert_with(|| {
            self.premises.push(literal);
            next
        });
        Why::one(number)
    }
}

/// Where the walk over terms and variables has yet to go.
#[derive(Default)]
struct Walk {
    waiting: Vec<Term>,
    seen: FxHashSet<Term>,
    literals: FxHashSet<Lit>,
    new_vars: Vec<Var>,
}

impl Embedded {
    /// What must hold for the claims to be as the assignment says. Of alternatives, the first true one is enough.
    pub(super) fn relevant(&self, terms: &Terms, claims: &[Claim]) -> Relevant {
        let mut relevant = Relevant::default();
        let mut walk = Walk { waiting: claims.iter().map(|claim| claim.term).collect(), ..Walk::default() };
        loop {
            if let Some(term) = walk.waiting.pop() {
                if walk.seen.insert(term) {
                    self.term(terms, term, &mut relevant, &mut walk);
                }
            } else if let Some(var) = walk.new_vars.pop() {
                self.meaning(var, &mut relevant, &mut walk);
            } else {
                return relevant;
            }
        }
    }

    fn term(&self, terms: &Terms, term: Term, relevant: &mut Relevant, walk: &mut Walk) {
        let parts = terms.parts(term);
        let of_integers = parts.first().is_some_and(|part| terms.sort(*part) == Sort::Int);
        match terms.op(term) {
            op @ (Op::And | Op::Or) => {
                let one_decides = *op == Op::Or;
                match parts.iter().find(|part| self.is_true(**part) == one_decides) {
                    Some(part) => walk.waiting.push(*part),
                    None => walk.waiting.extend(parts),
                }
            }
            Op::If => {
                walk.waiting.push(parts[0]);
                walk.waiting.push(parts[if self.is_true(parts[0]) { 1 } else { 2 }]);
            }
            Op::Equal if of_integers => {
                let (at_most, at_least) = self.equalities[&term];
                // If it is no equality, one of the two does not hold, and that is all.
                match [at_most, at_least].into_iter().find(|literal| !self.clauses.value(*literal)) {
                    Some(literal) => self.atom(!literal, relevant, walk),
                    None => {
                        [at_most, at_least].into_iter().for_each(|literal| self.atom(literal, relevant, walk))
                    }
                }
            }
            Op::Less | Op::AtMost if of_integers => {
                let literal = self.literal(term);
                self.atom(if self.clauses.value(literal) { literal } else { !literal }, relevant, walk);
            }
            _ => walk.waiting.extend(parts),
        }
    }

    fn is_true(&self, term: Term) -> bool {
        self.clauses.value(self.literal(term))
    }

    /// A bound that holds, or holds not. Literals that are no bounds are true or false without integers.
    fn atom(&self, literal: Lit, relevant: &mut Relevant, walk: &mut Walk) {
        let positive = if literal.sign() { literal } else { !literal };
        let Some((form, bound)) = self.atoms.get(&positive) else { return };
        if !walk.literals.insert(literal) {
            return;
        }
        let form = Linear { parts: form.to_vec(), constant: bound.neg() };
        let linear = match literal.sign() {
            true => form,
            // Not form ≤ bound: bound + 1 - form ≤ 0.
            false => form.times(&Int::from(-1i64)).plus(&Int::ONE, &Linear::number(Int::ONE)),
        };
        let why = relevant.premise(literal);
        self.constrain(linear, false, why, relevant, walk);
    }

    fn constrain(&self, linear: Linear, equality: bool, why: Why, relevant: &mut Relevant, walk: &mut Walk) {
        for (var, _) in &linear.parts {
            if relevant.vars.insert(*var) {
                walk.new_vars.push(*var);
            }
        }
        relevant.constraints.push(Constraint { linear, equality, why });
    }

    /// What a variable that occurs brings with it.
    fn meaning(&self, var: Var, relevant: &mut Relevant, walk: &mut Walk) {
        let minus = Int::from(-1i64);
        match &self.vars[var.index()] {
            Meaning::Constant => {}
            Meaning::Quotient(of, by) => {
                // 0 ≤ of - by · var ≤ |by| - 1
                let rest = of.plus(&by.neg(), &Linear::var(var));
                let most = Linear::number(magnitude(by).sub(&Int::ONE));
                self.constrain(rest.times(&minus), false, Why::default(), relevant, walk);
                self.constrain(rest.plus(&minus, &most), false, Why::default(), relevant, walk);
            }
            Meaning::Choice(condition, then, other) => {
                walk.waiting.push(*condition);
                let literal = self.literal(*condition);
                let holds = self.clauses.value(literal);
                let (chosen, literal) = if holds { (then, literal) } else { (other, !literal) };
                let why = relevant.premise(literal);
                self.constrain(Linear::var(var).plus(&minus, chosen), true, why, relevant, walk);
            }
            Meaning::Joint(_, a, b, known) => {
                for (var, _) in a.parts.iter().chain(&b.parts) {
                    if relevant.vars.insert(*var) {
                        walk.new_vars.push(*var);
                    }
                }
                for clause in known {
                    let holds = clause.iter().find(|literal| self.clauses.value(**literal));
                    self.atom(*holds.expect("clauses hold in an assignment"), relevant, walk);
                }
            }
        }
    }
}
