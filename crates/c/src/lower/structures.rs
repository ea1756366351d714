//! Structures: values of several scalars, which are assigned and passed one by one.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::Kind;
use agon_core::module::{
    Base, Cell, CellKind, Expression, ExpressionId, LocalId, Place as CorePlace, Sort, Statement,
};
use agon_core::term::Operator;
use agon_core::types::Data;

use super::Lowering;
use super::places::{Part, Root};
use super::pointers::Action;
use crate::tree::{Callee, Expr, ExprKind, FunctionId, Place};
use crate::types::Type;

type Lowered<T> = Result<T, Diagnostic>;

impl Lowering<'_> {
    /// Assigns a structure, scalar by scalar. Then something is done with the part that was assigned to.
    pub(super) fn assign_structure(
        &mut self,
        place: &Place,
        value: &Expr,
        then: &mut Action<'_, Self>,
    ) -> Lowered<()> {
        self.parts(&value.ty, value.span)?;
        if let ExprKind::Load(from) = &value.kind {
            return self.each(place, &mut |this, to| {
                this.each(from, &mut |this, from| {
                    let root = to.root;
                    let to = this.settled(to.clone(), root, place.span);
                    let from = this.settled(from, root, value.span);
                    let (places, from) = (this.all(&to, place.span), this.all(&from, value.span));
                    for ((to, _), (from, _)) in places.into_iter().zip(from) {
                        this.copy(to, from, value.span);
                    }
                    then(this, to)
                })
            });
        }
        let values = self.structure(value)?;
        let values = match self.choices(place) {
            1 => values,
            _ => self.all_stable(&values, value)?,
        };
        self.each(place, &mut |this, part| {
            let root = part.root;
            let part = this.settled(part, root, place.span);
            let places = this.all(&part, place.span);
            let mut values = values.clone();
            for (value_of, (_, ty)) in values.iter_mut().zip(&places) {
                if this.mentions(*value_of, root) {
                    let sort = this.sort(ty, value.span)?;
                    *value_of = this.stable(*value_of, sort, value.span);
                }
            }
            let places: Vec<CorePlace> = places.into_iter().map(|(place, _)| place).collect();
            this.set_all(&places, &values, value.span);
            then(this, part)
        })
    }

    /// Cells for the scalars of a structure.
    fn results_of(&mut self, scalars: &[Type], span: Span) -> Lowered<Vec<LocalId>> {
        let mut results = Vec::new();
        for scalar in scalars {
            let sort = self.sort(scalar, span)?;
            results.push(self.local(None, sort, None, span));
        }
        Ok(results)
    }

    fn all_stable(&mut self, values: &[ExpressionId], e: &Expr) -> Lowered<Vec<ExpressionId>> {
        let mut stable = Vec::new();
        for (value, scalar) in values.iter().zip(self.parts(&e.ty, e.span)?) {
            let sort = self.sort(&scalar, e.span)?;
            stable.push(self.stable(*value, sort, e.span));
        }
        Ok(stable)
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
            (Base::Module(cell), Root::Stored(owner)) => self.stored[&owner].cells.contains(&cell),
            (Base::Module(cell), Root::Foreign(n, _)) => self.foreign[n].1.contains(&cell),
            _ => false,
        }
    }

    pub(super) fn set_all(&mut self, places: &[CorePlace], values: &[ExpressionId], span: Span) {
        for (place, value) in places.iter().zip(values) {
            self.store_part(*place, *value, span);
        }
    }

    /// The scalars of a structure.
    pub(super) fn structure(&mut self, e: &Expr) -> Lowered<Vec<ExpressionId>> {
        let span = e.span;
        let scalars = self.parts(&e.ty, span)?;
        match &e.kind {
            ExprKind::Load(place) if self.choices(place) != 1 => {
                let results = self.results_of(&scalars, span)?;
                self.each(place, &mut |this, part| {
                    for ((from, _), to) in this.all(&part, span).into_iter().zip(&results) {
                        let value = this.fetch_part(from, span);
                        this.emit(Statement::Set(Base::Local(*to).whole(), value), span);
                    }
                    Ok(())
                })?;
                Ok(results.into_iter().map(|local| self.read(local, span)).collect())
            }
            ExprKind::Load(place) => {
                let part = self.part(place)?;
                let places = self.all(&part, span);
                Ok(places.into_iter().map(|(place, _)| self.fetch_part(place, span)).collect())
            }
            ExprKind::Assign(place, value) => {
                let results = self.results_of(&scalars, span)?;
                self.assign_structure(place, value, &mut |this, part| {
                    for ((from, _), to) in this.all(&part, span).into_iter().zip(&results) {
                        let value = this.fetch_part(from, span);
                        this.emit(Statement::Set(Base::Local(*to).whole(), value), span);
                    }
                    Ok(())
                })?;
                Ok(results.into_iter().map(|local| self.read(local, span)).collect())
            }
            ExprKind::Comma(first, rest) => {
                self.full_effect(first)?;
                self.full_structure(rest)
            }
            ExprKind::Convert(inner) => self.structure(inner),
            ExprKind::Compound(id, items) => {
                self.declaration(*id, Some(items), span)?;
                let part = self.variable(*id);
                let places = self.all(&part, span);
                Ok(places.into_iter().map(|(place, _)| self.fetch_part(place, span)).collect())
            }
            ExprKind::Conditional(condition, yes, no) => {
                let results = self.results_of(&scalars, span)?;
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
        let pooled = self.memory.moved().any(|(owner, ..)| owner == id);
        if self.several() && pooled {
            let message = "with several threads, a function that gives a structure cannot pass on addresses of its variables";
            return Err(Diagnostic::error(Code::NotInC, message, function.span, "gives a structure"));
        }
        let mut cells = Vec::new();
        for (n, scalar) in self.parts(&function.ty.result, function.span)?.iter().enumerate() {
            let kind = CellKind::Value(self.sort(scalar, function.span)?);
            let cell = self.module.add_cell(Cell {
                name: format!("{} gives {n}", function.name).into(),
                kind,
                length: None,
                initial: vec![Int::ZERO],
                span: function.span,
            });
            // Between what gives the structure and what takes it no other thread comes.
            if self.several() {
                self.module.hide(cell);
            }
            cells.push(cell);
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
        if let (Some(id), Some(_)) = (self.body.function, &self.body.gives) {
            self.tell_result(id, &values, e.span);
        }
        let cells = self.body.function.and_then(|id| self.results.get(&id).cloned()).unwrap_or_default();
        for (cell, value) in cells.iter().zip(values) {
            self.emit(Statement::Set(Base::Module(*cell).whole(), value), e.span);
        }
        Ok(())
    }
}
