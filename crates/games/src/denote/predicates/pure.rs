//! Predicates as terms over cells.

use agon_lang::term::{Construct, TermId};
use agon_solve::Term;

use super::NoAbstraction;
use super::psi::Logic;
use crate::symbolic::Value;
use crate::values::{Domain, Outcome};

impl Logic<'_> {
    /// A predicate: whether a pure value over cells is not 0. Where it divides by 0 or has no such element, it is
    /// whatever a solver says, but always the same.
    pub(super) fn predicate(&mut self, predicate: TermId) -> Result<Term, NoAbstraction> {
        let value = self.pure(predicate)?;
        let (term, _) = self.symbolic.term(&value);
        Ok(self.symbolic.truth_of(term))
    }

    fn pure(&mut self, term: TermId) -> Result<Value, NoAbstraction> {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.pure_here(term))
    }

    fn pure_here(&mut self, term: TermId) -> Result<Value, NoAbstraction> {
        let terms = &self.judgement.terms;
        Ok(match terms.construct(term) {
            Construct::Number(n) => self.number(n),
            Construct::Unary(operator, a) => {
                let value = self.pure(*a)?;
                self.unary(*operator, &value)
            }
            Construct::Wrap(data, a) => {
                let value = self.pure(*a)?;
                self.wrap(data, &value)
            }
            Construct::Binary(operator, a, b) => {
                let (left, right) = (self.pure(*a)?, self.pure(*b)?);
                match self.symbolic.binary(*operator, &left, &right) {
                    Outcome::One(value) => value,
                    Outcome::Many(found) => {
                        let (term, _) =
                            self.symbolic.term(&found.into_iter().flatten().next().unwrap_or_default());
                        Value::new(term)
                    }
                    _ => Value::default(),
                }
            }
            Construct::If(a, b, c) => {
                let [condition, yes, no] = [self.pure(*a)?, self.pure(*b)?, self.pure(*c)?];
                self.chosen(&condition, &yes, &no)
            }
            Construct::Read(place) => self.pure_read(*place)?,
            _ => return Err(NoAbstraction::Predicate),
        })
    }

    fn chosen(&mut self, condition: &Value, yes: &Value, no: &Value) -> Value {
        let [condition, yes, no] = [condition, yes, no].map(|value| self.symbolic.term(value).0);
        let condition = self.symbolic.truth_of(condition);
        Value::new(self.symbolic.terms().if_else(condition, yes, no))
    }

    fn pure_read(&mut self, place: TermId) -> Result<Value, NoAbstraction> {
        let terms = &self.judgement.terms;
        match terms.construct(place) {
            Construct::Variable(var) if self.is_local(*var) => Ok(Value::new(self.cell(*var, None))),
            Construct::WrapVariable(data, a) => {
                let value = self.pure_read(*a)?;
                Ok(self.wrap(data, &value))
            }
            Construct::If(a, b, c) => {
                let [condition, yes, no] = [self.pure(*a)?, self.pure_read(*b)?, self.pure_read(*c)?];
                Ok(self.chosen(&condition, &yes, &no))
            }
            Construct::Index(a, index) => {
                let Construct::Variable(var) = terms.construct(*a) else {
                    return Err(NoAbstraction::Predicate);
                };
                if !self.is_local(*var) {
                    return Err(NoAbstraction::Predicate);
                }
                let index = self.pure(*index)?;
                let (index, _) = self.symbolic.term(&index);
                let mut found = self.symbolic.terms().int(0u64);
                for (n, cell) in (0u64..).zip(self.cells(*var)) {
                    let terms = self.symbolic.terms();
                    let number = terms.int(n);
                    let here = terms.equal(index, number);
                    found = terms.if_else(here, cell, found);
                }
                Ok(Value::new(found))
            }
            _ => Err(NoAbstraction::Predicate),
        }
    }
}
