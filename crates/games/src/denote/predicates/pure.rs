//! Predicates as terms over cells.

use agon_base::refused::Refused;
use agon_core::term::{Construct, TermId};
use agon_solve::Term;

use super::psi::Logic;
use crate::symbolic::operators;

impl Logic<'_> {
    /// A predicate: whether a pure value over cells is not 0. What is divided by 0 is 0, and so is an element that there
    /// is not.
    pub(super) fn predicate(&mut self, predicate: TermId) -> Result<Term, Refused> {
        let term = self.pure(predicate)?;
        Ok(operators::truth(self.symbolic.terms(), term))
    }

    fn pure(&mut self, term: TermId) -> Result<Term, Refused> {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.pure_here(term))
    }

    fn pure_here(&mut self, term: TermId) -> Result<Term, Refused> {
        let terms = &self.judgement.terms;
        Ok(match terms.construct(term) {
            Construct::Number(n) => self.symbolic.terms().int(n.clone()),
            Construct::Unary(operator, a) => {
                let a = self.pure(*a)?;
                operators::unary(self.symbolic.terms(), *operator, a)
            }
            Construct::Wrap(data, a) => {
                let a = self.pure(*a)?;
                operators::wrap(self.symbolic.terms(), data, a)
            }
            Construct::Binary(operator, a, b) => {
                let (a, b) = (self.pure(*a)?, self.pure(*b)?);
                operators::binary(self.symbolic.terms(), *operator, a, b)
            }
            Construct::If(a, b, c) => {
                let [condition, yes, no] = [self.pure(*a)?, self.pure(*b)?, self.pure(*c)?];
                self.chosen(condition, yes, no)
            }
            Construct::Read(place) => self.pure_read(*place)?,
            _ => return Err(self.impure(term)),
        })
    }

    /// A predicate may have no such part.
    fn impure(&self, term: TermId) -> Refused {
        let what = "a predicate is no pure value over local variables".into();
        Refused::Construct { what, span: self.judgement.terms.span(term) }
    }

    fn chosen(&mut self, condition: Term, yes: Term, no: Term) -> Term {
        let condition = operators::truth(self.symbolic.terms(), condition);
        self.symbolic.terms().if_else(condition, yes, no)
    }

    fn pure_read(&mut self, place: TermId) -> Result<Term, Refused> {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.pure_read_here(place))
    }

    fn pure_read_here(&mut self, place: TermId) -> Result<Term, Refused> {
        let terms = &self.judgement.terms;
        match terms.construct(place) {
            Construct::Variable(var) if self.is_local(*var) => Ok(self.cell(*var, None)),
            Construct::WrapVariable(data, a) => {
                let a = self.pure_read(*a)?;
                Ok(operators::wrap(self.symbolic.terms(), data, a))
            }
            Construct::If(a, b, c) => {
                let [condition, yes, no] = [self.pure(*a)?, self.pure_read(*b)?, self.pure_read(*c)?];
                Ok(self.chosen(condition, yes, no))
            }
            Construct::Index(a, index) => {
                let var = match terms.construct(*a) {
                    Construct::Variable(var) if self.is_local(*var) => *var,
                    _ => return Err(self.impure(*a)),
                };
                let index = self.pure(*index)?;
                let cells = self.cells(var);
                let terms = self.symbolic.terms();
                let mut found = terms.int(0u64);
                for (n, cell) in (0u64..).zip(cells) {
                    let number = terms.int(n);
                    let here = terms.equal(index, number);
                    found = terms.if_else(here, cell, found);
                }
                Ok(found)
            }
            _ => Err(self.impure(place)),
        }
    }
}
