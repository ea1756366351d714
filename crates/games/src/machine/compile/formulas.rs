//! Formulas: terms over constants and the program's own cells, evaluated in one step.

use agon_core::checks::{Check, Watch};
use agon_core::term::{Construct, TermId};

use super::Compiler;
use crate::machine::code::{Formula, FormulaId, FormulaStep};

impl Compiler<'_> {
    /// The term as a formula, if it is one.
    pub(super) fn formula(&mut self, term: TermId) -> Option<FormulaId> {
        self.is_formula(term).then(|| {
            let mut formula = Formula::default();
            self.formula_steps(term, &mut formula);
            self.add_formula(formula)
        })
    }

    /// How many cells a formula reads.
    pub(super) fn loads(&self, term: TermId) -> usize {
        let is_read = |term: &TermId| matches!(self.terms.construct(*term), Construct::Read(_));
        self.terms.within(term).filter(is_read).count()
    }

    pub(super) fn is_formula(&mut self, term: TermId) -> bool {
        if let Some(known) = self.formulas[term.index()] {
            return known;
        }
        let found = self.deeper(|compiler| compiler.is_formula_here(term));
        // Threads may get between two reads.
        let found = found && !(self.code.threaded && self.loads(term) > 1);
        self.formulas[term.index()] = Some(found);
        found
    }

    fn is_formula_here(&mut self, term: TermId) -> bool {
        let terms = self.terms;
        match terms.construct(term) {
            Construct::Number(_) => true,
            Construct::Unary(_, a) | Construct::Wrap(_, a) => self.is_formula(*a),
            Construct::Binary(_, a, b) => !self.is_apart(term) && self.is_formula(*a) && self.is_formula(*b),
            Construct::Read(a) if self.is_apart(*a) => false,
            Construct::Read(a) => match terms.construct(*a) {
                Construct::Variable(_) => self.own(*a).is_some(),
                Construct::Index(array, index) => self.own(*array).is_some() && self.is_formula(*index),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a term is checked by an instruction of its own.
    fn is_apart(&self, term: TermId) -> bool {
        self.watch != Watch::All && Check::of(self.terms, term).is_some()
    }

    fn formula_steps(&mut self, term: TermId, formula: &mut Formula) {
        self.deeper(|compiler| {
            let step = match compiler.terms.construct(term) {
                Construct::Number(n) => FormulaStep::Number(n.clone()),
                Construct::Unary(operator, a) => {
                    compiler.formula_steps(*a, formula);
                    FormulaStep::Unary(*operator)
                }
                Construct::Wrap(data, a) => {
                    compiler.formula_steps(*a, formula);
                    FormulaStep::Wrap(compiler.data(data))
                }
                Construct::Binary(operator, a, b) => {
                    compiler.formula_steps(*a, formula);
                    compiler.formula_steps(*b, formula);
                    formula.checks.extend(Check::of(compiler.terms, term));
                    FormulaStep::Binary(*operator)
                }
                Construct::Read(a) => match compiler.terms.construct(*a) {
                    Construct::Index(array, index) => {
                        compiler.formula_steps(*index, formula);
                        formula.checks.extend(Check::of(compiler.terms, *a));
                        FormulaStep::LoadElement(compiler.own(*array).expect("a formula reads its own cells"))
                    }
                    _ => FormulaStep::Load(compiler.own(*a).expect("a formula reads its own cells")),
                },
                other => unreachable!("{other:?} is no formula"),
            };
            formula.steps.push(step);
            formula.spans.push(compiler.terms.span(term));
        });
    }
}
