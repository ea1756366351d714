//! Expressions of modules, places in cells, and checks.

use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::{Check, Kind, Watch};
use agon_core::module::{Expression, ExpressionId, Place, ProcedureId};
use agon_core::term::Operator;
use agon_core::types::Data;

use super::Compiler;
use crate::machine::code::{Formula, FormulaId, FormulaStep, Instruction, Pc};

impl Compiler<'_> {
    /// acc := the value of an expression
    pub(super) fn evaluate(&mut self, root: ExpressionId, span: Span) {
        self.evaluate_checks(root);
        let formula = self.formula(root);
        self.evaluate_formula(formula, span);
    }

    /// Where it matters which check fails, each one is decided by an instruction of its own before the whole is evaluated.
    pub(super) fn evaluate_checks(&mut self, root: ExpressionId) {
        if self.module.watch == Watch::All {
            return;
        }
        // Each expression comes before those inside it, and is evaluated after them, the left one first.
        let mut inside: Vec<ExpressionId> = self.module.within(root).collect();
        inside.sort_unstable();
        for id in inside {
            if let Some(kind) = self.module.check_of(id) {
                let span = self.module.span(id);
                let formula = self.formula(id);
                let pc = self.out.emit(Instruction::Evaluate(formula), span);
                self.out.code.failing.insert(pc, Check { span, kind });
            }
        }
    }

    fn evaluate_formula(&mut self, formula: FormulaId, span: Span) {
        let pc = self.out.emit(Instruction::Evaluate(formula), span);
        self.may_fail(pc, formula);
    }

    /// An instruction that evaluates a formula with one check fails only there.
    fn may_fail(&mut self, pc: Pc, formula: FormulaId) {
        if let [check] = self.out.code.formulas[formula.index()].checks[..] {
            self.out.code.failing.insert(pc, check);
        }
    }

    /// acc := what a place holds, after further steps
    pub(super) fn load(&mut self, place: Place, further: &[FormulaStep], span: Span) {
        if let Some(index) = place.index {
            self.evaluate_checks(index);
        }
        let mut formula = Formula::default();
        self.place_steps(place, span, &mut formula);
        formula.spans.extend(further.iter().map(|_| span));
        formula.steps.extend_from_slice(further);
        let formula = self.out.add_formula(formula);
        let pc = self.out.here();
        self.evaluate_formula(formula, span);
        if place.index.is_some() && self.module.watch != Watch::All {
            self.out.code.failing.insert(pc, Check { span, kind: Kind::Index });
        }
    }

    /// acc := whether a mutex is free
    pub(super) fn evaluate_free(&mut self, place: Place, span: Span) {
        let free = [FormulaStep::Number(Int::ZERO), FormulaStep::Binary(Operator::Equal)];
        self.load(place, &free, span);
    }

    /// place := acc
    pub(super) fn store(&mut self, place: Place, span: Span) {
        let index = self.index_of(place.base);
        match place.index {
            None => _ = self.out.emit(Instruction::Store(index), span),
            Some(at) => {
                let formula = self.formula(at);
                let plain = self.out.code.formulas[formula.index()].checks.is_empty();
                if !plain && self.module.watch != Watch::All {
                    let slot = self.out.value_slot(Data::Int);
                    self.out.emit(Instruction::Save(slot), span);
                    self.evaluate_checks(at);
                    self.out.emit(Instruction::Restore(slot), span);
                }
                let pc = self.out.emit(Instruction::StoreElement(index, formula), span);
                let check = Check { span, kind: Kind::Index };
                self.out.code.deciding.push((pc, check));
                if plain || self.module.watch != Watch::All {
                    self.out.code.failing.insert(pc, check);
                }
            }
        }
    }

    /// acc := acc in the range of data, unless the expression is in range.
    pub(super) fn wrap(&mut self, value: ExpressionId, procedure: ProcedureId, data: &Data, span: Span) {
        let in_range = match self.module.expression(value) {
            _ if *data == Data::Int => true,
            Expression::Number(n) => data.wrap(n) == *n,
            Expression::Function(_) => true,
            Expression::Load(place) => self.data_at(procedure, place.base) == *data,
            Expression::Wrap(known, _) => known == data,
            Expression::Unary(..) | Expression::Binary(..) => false,
        };
        if !in_range {
            let data = self.out.data(data);
            self.out.emit(Instruction::Wrap(data), span);
        }
    }

    pub(super) fn formula(&mut self, root: ExpressionId) -> FormulaId {
        let mut formula = Formula::default();
        self.steps(root, &mut formula);
        self.out.add_formula(formula)
    }

    fn place_steps(&mut self, place: Place, span: Span, formula: &mut Formula) {
        let index = self.index_of(place.base);
        let step = match place.index {
            None => FormulaStep::Load(index),
            Some(at) => {
                self.steps(at, formula);
                formula.checks.push(Check { span, kind: Kind::Index });
                FormulaStep::LoadElement(index)
            }
        };
        formula.steps.push(step);
        formula.spans.push(span);
    }

    fn steps(&mut self, id: ExpressionId, formula: &mut Formula) {
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.steps_here(id, formula));
    }

    fn steps_here(&mut self, id: ExpressionId, formula: &mut Formula) {
        let module = self.module;
        let span = module.span(id);
        let step = match module.expression(id) {
            Expression::Number(n) => FormulaStep::Number(n.clone()),
            Expression::Function(function) => FormulaStep::Number(module.number(*function)),
            Expression::Load(place) => return self.place_steps(*place, span, formula),
            Expression::Unary(operator, a) => {
                self.steps(*a, formula);
                FormulaStep::Unary(*operator)
            }
            Expression::Binary(operator, a, b) => {
                self.steps(*a, formula);
                self.steps(*b, formula);
                if operator.divides() {
                    formula.checks.push(Check { span, kind: Kind::Division });
                }
                FormulaStep::Binary(*operator)
            }
            Expression::Wrap(data, a) => {
                self.steps(*a, formula);
                FormulaStep::Wrap(self.out.data(data))
            }
        };
        formula.steps.push(step);
        formula.spans.push(span);
    }
}
