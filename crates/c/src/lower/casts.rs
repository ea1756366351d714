//! Casts: pointers to one place that have several types, and so several numbers.
//!
//! A structure begins where its first member begins, and an array where its first element does. Where a pointer becomes one of
//! another type, its number changes; where pointers to nothing in particular are compared, their places are.

use agon_base::diagnostic::Diagnostic;
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::module::{Base, ExpressionId, Label, Statement};
use agon_core::term::Operator;

use super::Lowering;
use crate::memory::Range;
use crate::points::{Enclosing, Points, TargetId};
use crate::tree::{Binary, Expr};
use crate::types::Type;

impl Lowering<'_> {
    /// The number of the pointer to a part of a range, by the number of the part.
    pub(super) fn number_at(&mut self, range: Range, part: ExpressionId, span: Span) -> ExpressionId {
        let first = self.number(Int::from(range.first), span);
        let number = self.binary(Operator::Add, first, part, span);
        if !range.ends || range.rows == 1 {
            return number;
        }
        let length = self.number(Int::from(range.inner.max(1)), span);
        let before = self.binary(Operator::Quotient, part, length, span);
        self.binary(Operator::Add, number, before, span)
    }

    /// The number of the part that a pointer into a range points to.
    pub(super) fn part_of(&mut self, number: ExpressionId, range: Range, span: Span) -> ExpressionId {
        let first = self.number(Int::from(range.first), span);
        let at = self.binary(Operator::Subtract, number, first, span);
        if !range.ends || range.rows == 1 {
            return at;
        }
        let width = self.number(Int::from(range.row()), span);
        let row = self.binary(Operator::Quotient, at, width, span);
        self.binary(Operator::Subtract, at, row, span)
    }

    /// A pointer that becomes one to another type.
    pub(super) fn cast(
        &mut self,
        pointer: &Expr,
        number: ExpressionId,
        to: &Type,
    ) -> Result<ExpressionId, Diagnostic> {
        let span = pointer.span;
        let mut changes: Vec<(TargetId, TargetId)> = Vec::new();
        for id in self.memory.analysis.points(pointer).targets {
            let other = self.memory.analysis.begins_with(self.program, id, to);
            let other = other.and_then(|other| self.memory.analysis.find(&other));
            changes.extend(other.map(|other| (id, other)));
        }
        if changes.is_empty() {
            return Ok(number);
        }
        let number = self.settled_pointer(pointer, number)?;
        let result = self.local(None, self.pointer_sort(to), None, span);
        self.emit(Statement::Set(Base::Local(result).whole(), number), span);
        let mut ends = Vec::new();
        for (old, new) in changes {
            let (old, new) = (self.memory.range(old), self.memory.range(new));
            let inside = self.is_part(number, old, span);
            let mut part = self.part_of(number, old, span);
            let here = self.here();
            let other = self.emit(Statement::Branch(inside, Label(here.0 + 1), here), span);
            let (fewer, more) = (old.parts().min(new.parts()).max(1), old.parts().max(new.parts()));
            let each = self.number(Int::from(more / fewer), span);
            if new.parts() >= old.parts() {
                part = self.binary(Operator::Multiply, part, each, span);
            } else {
                // Only the first of the smaller parts begins where the larger one does.
                let rest = self.binary(Operator::Remainder, part, each, span);
                let here = self.here();
                let at = self.emit(Statement::Branch(rest, here, Label(here.0 + 1)), span);
                ends.push((at, true));
                part = self.binary(Operator::Quotient, part, each, span);
            }
            let changed = self.number_at(new, part, span);
            self.emit(Statement::Set(Base::Local(result).whole(), changed), span);
            ends.push(self.jump(span));
            self.patch(&[(other, false)]);
        }
        self.patch(&ends);
        Ok(self.read(result, span))
    }

    /// A pointer to a member that becomes one to the structure around it. Fails if the member is that of no such structure.
    pub(super) fn around(&mut self, found: &Enclosing<'_>, span: Span) -> Result<ExpressionId, Diagnostic> {
        let Enclosing { pointer, member, further, ty } = found;
        let points = self.memory.analysis.points(pointer);
        if points.foreign {
            return Err(super::pointers::foreign(span));
        }
        let number = self.value(pointer)?;
        let number = self.settled_pointer(pointer, number)?;
        self.is_some(number, span);
        let result = self.local(None, self.pointer_sort(ty), None, span);
        let mut ends = Vec::new();
        for id in points.targets {
            let other = self.memory.analysis.encloses(self.program, id, member, *further, ty);
            let Some(other) = other.and_then(|other| self.memory.analysis.find(&other)) else { continue };
            let (old, new) = (self.memory.range(id), self.memory.range(other));
            if old.parts() != new.parts() {
                continue;
            }
            let inside = self.is_part(number, old, span);
            let here = self.here();
            let next = self.emit(Statement::Branch(inside, Label(here.0 + 1), here), span);
            let part = self.part_of(number, old, span);
            let changed = self.number_at(new, part, span);
            self.emit(Statement::Set(Base::Local(result).whole(), changed), span);
            ends.push(self.jump(span));
            self.patch(&[(next, false)]);
        }
        let misread = self.misread();
        self.emit(Statement::Fail(misread), span);
        self.patch(&ends);
        Ok(self.read(result, span))
    }

    /// Pairs of targets that begin at one place and have several types.
    fn coinciding(&self, a: &Points, b: &Points) -> Vec<(TargetId, TargetId)> {
        let place = |id: &TargetId| {
            let target = self.memory.analysis.target(*id);
            (target.owner, target.leaf)
        };
        let pairs = a.targets.iter().flat_map(|a| b.targets.iter().map(|b| (*a, *b)));
        pairs.filter(|(a, b)| a != b && place(a) == place(b)).collect()
    }

    /// Whether two pointers are equal, if they may point to one place with several types.
    pub(super) fn at_one_place(
        &mut self,
        operator: Binary,
        a: &Expr,
        b: &Expr,
        span: Span,
    ) -> Result<Option<ExpressionId>, Diagnostic> {
        if a.ty.pointed_data().is_none() || operator.orders() || !operator.compares() {
            return Ok(None);
        }
        let points = [self.memory.analysis.points(a), self.memory.analysis.points(b)];
        let pairs = self.coinciding(&points[0], &points[1]);
        if pairs.is_empty() {
            return Ok(None);
        }
        let (left, right) = (self.value(a)?, self.value(b)?);
        let (left, right) = (self.settled_pointer(a, left)?, self.settled_pointer(b, right)?);
        let mut equal = self.binary(Operator::Equal, left, right, span);
        for (a, b) in pairs {
            let (a, b) = (self.memory.range(a), self.memory.range(b));
            let inside = [self.is_part(left, a, span), self.is_part(right, b, span)];
            let inside = self.binary(Operator::Both, inside[0], inside[1], span);
            let most = a.parts().max(b.parts());
            let [left, right] = [(left, a), (right, b)].map(|(number, range)| {
                let part = self.part_of(number, range, span);
                let each = self.number(Int::from(most / range.parts().max(1)), span);
                self.binary(Operator::Multiply, part, each, span)
            });
            let same = self.binary(Operator::Equal, left, right, span);
            let same = self.binary(Operator::Both, inside, same, span);
            equal = self.binary(Operator::Either, equal, same, span);
        }
        let zero = self.number(Int::ZERO, span);
        let result = if operator == Binary::Equal { Operator::NotEqual } else { Operator::Equal };
        Ok(Some(self.binary(result, equal, zero, span)))
    }
}
