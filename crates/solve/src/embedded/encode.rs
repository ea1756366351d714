//! How terms are written down: Booleans as literals, numbers as linear expressions.

use std::rc::Rc;

use agon_base::int::Int;
use batsat::Lit;

use super::linear::{Form, Linear, Var, floor};
use super::{Code, Embedded, Joint, Meaning};
use crate::solver::Reason;
use crate::term::{Op, Sort, Term, Terms};

impl Embedded {
    /// Writes a term down whose parts have been.
    pub(super) fn encode(&mut self, terms: &Terms, term: Term) -> Result<Code, Reason> {
        let parts = terms.parts(term);
        match (terms.sort(term), parts.first().map(|part| terms.sort(*part))) {
            (Sort::Bool, Some(Sort::Int)) => Ok(Code::Truth(self.compare(terms, term))),
            (Sort::Bool, Some(Sort::Bits(_))) => Ok(Code::Truth(self.compare_bits(terms, term))),
            (Sort::Bool, _) => Ok(Code::Truth(self.truth(terms, term))),
            (Sort::Bits(width), _) => Ok(Code::Linear(self.sum(terms, term, width).into())),
            (Sort::Int, _) => Ok(Code::Linear(self.integer(terms, term)?.into())),
        }
    }

    fn truth(&mut self, terms: &Terms, term: Term) -> Lit {
        let parts: Vec<Lit> = terms.parts(term).iter().map(|part| self.literal(*part)).collect();
        match terms.op(term) {
            Op::Constant(_) => self.clauses.fresh(),
            Op::Truth(b) => self.clauses.truth(*b),
            Op::Not => !parts[0],
            Op::And => self.clauses.all(&parts),
            Op::Or => {
                let none: Vec<Lit> = parts.iter().map(|part| !*part).collect();
                !self.clauses.all(&none)
            }
            Op::Equal => !self.clauses.xor(parts[0], parts[1]),
            Op::If => self.clauses.if_else(parts[0], parts[1], parts[2]),
            other => unreachable!("{other:?} of Booleans"),
        }
    }

    fn integer(&mut self, terms: &Terms, term: Term) -> Result<Linear, Reason> {
        let minus = Int::from(-1i64);
        let parts = terms.parts(term);
        let part = |i: usize| self.linear(parts[i]);
        Ok(match terms.op(term) {
            Op::Constant(_) => Linear::var(self.variable(Meaning::Constant)),
            Op::Number(n) => Linear::number(n.clone()),
            Op::Add => part(0).plus(&Int::ONE, &part(1)),
            Op::Sub => part(0).plus(&minus, &part(1)),
            Op::Neg => part(0).times(&minus),
            Op::Mul => self.product(part(0), part(1)),
            Op::If => {
                let choice = Meaning::Choice(parts[0], part(1), part(2));
                Linear::var(self.variable(choice))
            }
            op @ (Op::Div | Op::Rem) => {
                let (a, b) = (part(0), part(1));
                if !b.parts.is_empty() {
                    return Err(Reason::Beyond("division of integers by an unknown".into()));
                }
                let quotient = self.quotient(a.clone(), &b.constant);
                self.learn_residues(&a, &b.constant);
                if *op == Op::Div { quotient } else { a.plus(&b.constant.neg(), &quotient) }
            }
            Op::BitAnd => self.bits_of(Joint::BitAnd, part(0), part(1)),
            Op::ShiftLeft => self.bits_of(Joint::ShiftLeft, part(0), part(1)),
            Op::ShiftRight => self.bits_of(Joint::ShiftRight, part(0), part(1)),
            other => unreachable!("{other:?} gives no integer"),
        })
    }

    pub(super) fn quotient(&mut self, of: Rc<Linear>, by: &Int) -> Linear {
        if by.is_zero() {
            return Linear::default();
        }
        if of.parts.is_empty() {
            return Linear::number(of.constant.div(by).expect("not by 0"));
        }
        let key = ((*of).clone(), by.clone());
        if let Some(known) = self.quotients.get(&key) {
            return Linear::var(*known);
        }
        let var = self.variable(Meaning::Quotient(of, by.clone()));
        self.quotients.insert(key, var);
        Linear::var(var)
    }

    fn compare(&mut self, terms: &Terms, term: Term) -> Lit {
        let (a, b) = (self.linear(terms.parts(term)[0]), self.linear(terms.parts(term)[1]));
        let difference = a.plus(&Int::from(-1i64), &b);
        match terms.op(term) {
            Op::AtMost => self.at_most_zero(&difference),
            Op::Less => self.at_most_zero(&difference.plus(&Int::ONE, &Linear::number(Int::ONE))),
            Op::Equal => {
                let (at_most, at_least) = self.zero(&difference);
                self.equalities.insert(term, (at_most, at_least));
                self.clauses.and(at_most, at_least)
            }
            other => unreachable!("{other:?} compares no integers"),
        }
    }

    /// That an expression is at most 0, and that it is at least 0. One of the two always holds.
    pub(super) fn zero(&mut self, linear: &Linear) -> (Lit, Lit) {
        let at_most = self.at_most_zero(linear);
        let at_least = self.at_most_zero(&linear.times(&Int::from(-1i64)));
        self.clauses.clause(&[at_most, at_least]);
        (at_most, at_least)
    }

    /// That an expression is at most 0: a bound on a form, or that the bound below it does not hold.
    pub(super) fn at_most_zero(&mut self, linear: &Linear) -> Lit {
        if linear.parts.is_empty() {
            return self.clauses.truth(linear.constant <= Int::ZERO);
        }
        let gcd = linear.gcd();
        let bound = floor(&linear.constant.neg(), &gcd);
        let turned = linear.parts[0].1.is_negative();
        let by = if turned { gcd.neg() } else { gcd };
        let divided = |(var, n): &(Var, Int)| (*var, n.div(&by).expect("a gcd of factors is not 0"));
        let form: Form = linear.parts.iter().map(divided).collect();
        // -form ≤ bound is form ≥ -bound, is not form ≤ -bound - 1.
        if turned { !self.at_most(form, bound.neg().sub(&Int::ONE)) } else { self.at_most(form, bound) }
    }

    fn at_most(&mut self, form: Form, bound: Int) -> Lit {
        let bounds = self.bounds.entry(form.clone()).or_default();
        if let Some(known) = bounds.get(&bound) {
            return *known;
        }
        let literal = self.clauses.fresh();
        // Whatever is at most this is at most more.
        if let Some((_, less)) = bounds.range(..&bound).next_back() {
            self.clauses.clause(&[!*less, literal]);
        }
        if let Some((_, more)) = bounds.range(&bound..).next() {
            self.clauses.clause(&[!literal, *more]);
        }
        bounds.insert(bound.clone(), literal);
        self.atoms.insert(literal, (form, bound));
        literal
    }

    pub(super) fn variable(&mut self, meaning: Meaning) -> Var {
        let var = Var(u32::try_from(self.vars.len()).expect("fewer than 2^32 variables"));
        self.vars.push(meaning);
        var
    }

    pub(super) fn linear(&self, term: Term) -> Rc<Linear> {
        match &self.codes[&term] {
            Code::Linear(linear) => linear.clone(),
            _ => unreachable!("a term that is no number"),
        }
    }
}
