//! Structures: values of several scalars, which are assigned and passed one by one.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::Kind;
use agon_core::module::{
    Base, Cell, CellKind, Expression, ExpressionId, Place as CorePlace, Sort, Statement,
};
use agon_core::term::Operator;
use agon_core::types::Data;

use super::Lowering;
use super::places::{Part, Root};
use crate::tree::{Callee, Expr, ExprKind, FunctionId, Place};

type Lowered<T> = Result<T, Diagnostic>;

impl Lowering<'_> {
    /// Assigns a structure, scalar by scalar. Gives the place that was assigned to.
    pub(super) fn assign_structure(&mut self, place: &Place, value: &Expr) -> Lowered<Part> {
        self.parts(&value.ty, value.span)?;
        if let ExprKind::Load(from) = &value.kind {
            let (to, from) = (self.part(place)?, self.part(from)?);
            let root = to.root;
            let (to, from) = (self.settled(to, root, place.span), self.settled(from, root, value.span));
            let (places, from) = (self.all(&to, place.span), self.all(&from, value.span));
            for ((to, _), (from, _)) in places.into_iter().zip(from) {
                self.copy(to, from, value.span);
            }
            return Ok(to);
        }
        let mut values = self.structure(value)?;
        let part = self.part(place)?;
        let root = part.root;
        let part = self.settled(part, root, place.span);
        let places = self.all(&part, place.span);
        for (value_of, (_, ty)) in values.iter_mut().zip(&places) {
            if self.mentions(*value_of, root) {
                let sort = self.sort(ty, value.span)?;
                *value_of = self.stable(*value_of, sort, value.span);
            }
        }
        self.set_all(&places.into_iter().map(|(place, _)| place).collect::<Vec<_>>(), &values, value.span);
        Ok(part)
    }

    /// A part whose row does not change while an object is written.
    fn settled(&mut self, part: Part, written: Root, span: Span) -> Part {
        let Some(row) = part.row.filter(|row| self.mentions(*row, written)) else { return part };
        let inside = self.program.leaves(&part.ty).first().map_or(1, |leaf| leaf.count);
        let rows = self.leaves_of(part.root)[part.leaf].count / inside.max(1);
        let (zero, count) = (self.number(Int::ZERO, span), self.number(Int::from(rows), span));
        let above = self.binary(Operator::LessEqual, zero, row, span);
        let below = self.binary(Operator::Less, row, count, span);
        let inside = self.binary(Operator::Both, above, below, span);
        self.emit(Statement::Assert(inside, Kind::Index), span);
        let kept = self.kept(row, Sort::Data(Data::Mod(Int::from(rows.max(1)))), span);
        Part { row: Some(self.read(kept, span)), ..part }
    }

    /// Whether a value depends on what an object holds.
    fn mentions(&self, value: ExpressionId, root: Root) -> bool {
        let mut waiting = vec![value];
        while let Some(value) = waiting.pop() {
            match self.module.expression(value) {
                Expression::Number(_) | Expression::Function(_) => {}
                Expression::Load(place) => {
                    if self.is_of(place.base, root) {
                        return true;
                    }
                    waiting.extend(place.index);
                }
                Expression::Unary(_, a) | Expression::Wrap(_, a) => waiting.push(*a),
                Expression::Binary(_, a, b) => waiting.extend([*a, *b]),
            }
        }
        false
    }

    fn is_of(&self, base: Base, root: Root) -> bool {
        match (base, root) {
            (Base::Module(cell), Root::Object(id)) => self.cells(id).contains(&cell),
            (Base::Local(local), Root::Variable(id)) => self.locals(id).contains(&local),
            _ => false,
        }
    }

    pub(super) fn set_all(&mut self, places: &[CorePlace], values: &[ExpressionId], span: Span) {
        for (place, value) in places.iter().zip(values) {
            self.store(*place, *value, span);
        }
    }

    /// The scalars of a structure.
    pub(super) fn structure(&mut self, e: &Expr) -> Lowered<Vec<ExpressionId>> {
        let span = e.span;
        let scalars = self.parts(&e.ty, span)?;
        match &e.kind {
            ExprKind::Load(place) => {
                let part = self.part(place)?;
                let places = self.all(&part, span);
                Ok(places.into_iter().map(|(place, _)| self.fetch(place, span)).collect())
            }
            ExprKind::Assign(place, value) => {
                let part = self.assign_structure(place, value)?;
                let places = self.all(&part, span);
                Ok(places.into_iter().map(|(place, _)| self.fetch(place, span)).collect())
            }
            ExprKind::Comma(first, rest) => {
                self.full_effect(first)?;
                self.full_structure(rest)
            }
            ExprKind::Convert(inner) => self.structure(inner),
            ExprKind::Compound(id, items) => {
                self.declaration(*id, Some(items), span)?;
                let part = Part { root: Root::Variable(*id), leaf: 0, row: None, ty: e.ty.clone() };
                let places = self.all(&part, span);
                Ok(places.into_iter().map(|(place, _)| self.fetch(place, span)).collect())
            }
            ExprKind::Conditional(condition, yes, no) => {
                let mut results = Vec::new();
                for scalar in &scalars {
                    let sort = self.sort(scalar, span)?;
                    results.push(self.local(None, sort, None, span));
                }
                let places: Vec<CorePlace> =
                    results.iter().map(|local| Base::Local(*local).whole()).collect();
                self.conditional(condition, |this, chosen| {
                    let values = this.full_structure(if chosen { yes } else { no })?;
                    this.set_all(&places, &values, span);
                    Ok(())
                })?;
                Ok(results.into_iter().map(|local| self.read(local, span)).collect())
            }
            ExprKind::Call(Callee::Function(id), arguments) => {
                self.call(&Callee::Function(*id), arguments, None, span)?;
                let mut values = Vec::new();
                for (cell, scalar) in self.results.get(id).cloned().unwrap_or_default().iter().zip(&scalars) {
                    let sort = self.sort(scalar, span)?;
                    let given = self.add(Expression::Load(Base::Module(*cell).whole()), span);
                    let local = self.kept(given, sort, span);
                    values.push(self.read(local, span));
                }
                self.forget_results(*id, span);
                Ok(values)
            }
            _ => Ok(vec![self.value(e)?]),
        }
    }

    /// Cells for the structure that a function gives to other functions of the module.
    pub(super) fn declare_results(&mut self, id: FunctionId) -> Lowered<()> {
        let function = self.program.function(id);
        if self.options.threads > 1 {
            let message = "with several threads, functions that give structures are not supported";
            return Err(Diagnostic::error(Code::NotInC, message, function.span, "gives a structure"));
        }
        let mut cells = Vec::new();
        for (n, scalar) in self.parts(&function.ty.result, function.span)?.iter().enumerate() {
            let kind = CellKind::Value(self.sort(scalar, function.span)?);
            cells.push(self.module.add_cell(Cell {
                name: format!("{} gives {n}", function.name).into(),
                kind,
                length: None,
                initial: vec![Int::ZERO],
                span: function.span,
            }));
        }
        self.results.insert(id, cells);
        Ok(())
    }

    /// A structure was given, and was taken or is not used.
    pub(super) fn forget_results(&mut self, id: FunctionId, span: Span) {
        for cell in self.results.get(&id).cloned().unwrap_or_default() {
            let zero = self.number(Int::ZERO, span);
            self.emit(Statement::Set(Base::Module(cell).whole(), zero), span);
        }
    }

    /// Gives a structure to the function that has called.
    pub(super) fn give(&mut self, e: &Expr) -> Lowered<()> {
        let values = self.full_structure(e)?;
        let cells = self.body.function.and_then(|id| self.results.get(&id).cloned()).unwrap_or_default();
        for (cell, value) in cells.iter().zip(values) {
            self.emit(Statement::Set(Base::Module(*cell).whole(), value), e.span);
        }
        Ok(())
    }
}
