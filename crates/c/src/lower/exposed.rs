//! Exposed objects: those of the environment, and those of the module that the environment can look into.
//!
//! With `--exposed volatile` pointers to them are followed. Every read is an answer of the environment's, and what was written is not
//! known afterwards. The objects of the environment have the numbers behind those of the module, one for each byte.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::Kind;
use agon_core::module::{Base, ExpressionId, Label, Sort, Statement};
use agon_core::term::Operator;
use agon_core::types::Data;

use super::Lowering;
use super::places::{Part, Root};
use super::pointers::foreign;
use crate::declare::declare;
use crate::layout::Leaf;
use crate::points::{Owner, Points};
use crate::tree::Expr;
use crate::types::Type;

type Lowered<T> = Result<T, Diagnostic>;

impl Lowering<'_> {
    /// The environment looks into all objects of an owner.
    pub(super) fn expose(&mut self, owner: Owner, span: Span) -> Lowered<()> {
        self.exposed = true;
        let storage = self.memory.storage(self.program, owner);
        self.has_no_union(&storage.ty, span)?;
        let name = self.memory.name(self.program, owner);
        let cells = match owner {
            Owner::Object(id) => self.objects[id.index()].clone(),
            owner => self.stored.get(&owner).map_or(Vec::new(), |stored| stored.cells.clone()),
        };
        let leaves = self.stored_leaves(&storage);
        for (cell, leaf) in cells.into_iter().zip(leaves) {
            self.expose_cell(cell, &leaf, &name, span)?;
        }
        Ok(())
    }

    /// An object of the environment that a pointer to a type leads to.
    pub(super) fn foreign_part(&mut self, number: ExpressionId, ty: &Type, span: Span) -> Lowered<Part> {
        let known = self.foreign.iter().position(|(known, _)| known == ty);
        let n = match known {
            Some(n) => n,
            None => {
                self.has_no_union(ty, span)?;
                // Plays are written with parentheses and commas, so the name has none.
                let name = format!("object of type {}", declare(self.program, ty, ""));
                let name = name.replace(['(', ')', ','], "");
                let mut cells = Vec::new();
                for leaf in self.program.leaves(ty) {
                    let sort = self.sort(&leaf.ty, span)?;
                    let length = leaf.array.then_some(leaf.count.max(1));
                    let cell = self.hidden_cell(format!("{name}{}", leaf.path), sort, length, span);
                    self.is_no_mutex(&leaf, span)?;
                    self.expose_cell(cell, &leaf, &name, span)?;
                    cells.push(cell);
                }
                self.foreign.push((ty.clone(), cells));
                self.foreign.len() - 1
            }
        };
        Ok(Part { root: Root::Foreign(n, number), leaf: 0, row: None, ty: ty.clone() })
    }

    fn has_no_union(&self, ty: &Type, span: Span) -> Lowered<()> {
        if !self.program.has_union(ty) {
            return Ok(());
        }
        let message = "a union that the environment may change is not supported";
        Err(Diagnostic::error(Code::UnionType, message, span, "the environment can look into it"))
    }

    fn is_no_mutex(&self, leaf: &Leaf, span: Span) -> Lowered<()> {
        if leaf.ty != Type::Mutex {
            return Ok(());
        }
        let message = "a mutex of the environment is not supported";
        Err(Diagnostic::error(Code::NotInC, message, span, "it belongs to the environment"))
    }

    /// Goes on if a number is one of the environment's; otherwise jumps to a place that is not known yet.
    pub(super) fn if_foreign(&mut self, number: ExpressionId, span: Span) -> usize {
        let limit = self.number(Int::from(self.memory.limit()), span);
        let theirs = self.binary(Operator::LessEqual, limit, number, span);
        let here = self.here();
        self.emit(Statement::Branch(theirs, Label(here.0 + 1), here), span)
    }

    /// A pointer to an object of the environment, moved by a number of elements.
    pub(super) fn moved_far(
        &mut self,
        number: ExpressionId,
        by: Option<ExpressionId>,
        to: &Type,
        span: Span,
    ) -> ExpressionId {
        let Some(by) = by else { return number };
        let each = self.program.size(to).map_or(1, |(bytes, _)| bytes);
        let each = self.number(Int::from(each), span);
        let bytes = self.binary(Operator::Multiply, by, each, span);
        self.binary(Operator::Add, number, bytes, span)
    }

    /// The number of the pointer to a part of an object of the environment.
    pub(super) fn foreign_number(&mut self, part: &Part, span: Span) -> Lowered<ExpressionId> {
        let Root::Foreign(n, number) = part.root else { return Err(foreign(span)) };
        let whole = self.foreign[n].0.clone();
        let bytes = self.bytes_before(&whole, part.leaf, &part.ty).ok_or_else(|| foreign(span))?;
        let bytes = self.number(Int::from(bytes), span);
        let first = self.binary(Operator::Add, number, bytes, span);
        Ok(self.moved_far(first, part.row, &part.ty, span))
    }

    /// How many bytes come before the first part of a type that begins with a scalar. Nothing, if structures in arrays come before.
    fn bytes_before(&self, whole: &Type, leaf: usize, part: &Type) -> Option<u64> {
        let (mut ty, mut first, mut bytes) = (whole.clone(), 0, 0);
        while first != leaf || !self.program.alike(&ty, part) {
            match ty {
                Type::Array(element, _) if element.is_scalar() => ty = (*element).clone(),
                Type::Struct(id) => {
                    let members = self.program.members(id);
                    let inside = |n: &usize| {
                        let before = first + self.program.leaves_before(id, *n);
                        before <= leaf && leaf < before + self.program.leaf_count(&members[*n].ty)
                    };
                    let n = (0..members.len()).find(inside)?;
                    bytes += self.program.offset(id, n)?;
                    first += self.program.leaves_before(id, n);
                    ty = members[n].ty.clone();
                }
                _ => return None,
            }
        }
        Some(bytes)
    }

    /// A pointer that may be one of the environment's, moved by an amount, back if the flag is set. One into an object of the module fails
    /// if it leaves the object; those of the environment are large enough.
    pub(super) fn moved_anywhere(
        &mut self,
        number: ExpressionId,
        (amount, back): (ExpressionId, bool),
        points: &Points,
        to: &Type,
        span: Span,
    ) -> Lowered<ExpressionId> {
        let result = self.local(None, self.pointer_sort(to), None, span);
        let at = self.if_foreign(number, span);
        let zero = self.number(Int::ZERO, span);
        let by = if back { self.binary(Operator::Subtract, zero, amount, span) } else { amount };
        let there = self.moved_far(number, Some(by), to, span);
        self.emit(Statement::Set(Base::Local(result).whole(), there), span);
        let still = self.read(result, span);
        let still = self.binary(Operator::Equal, still, there, span);
        let outside = self.if_foreign(there, span);
        let here = self.here();
        let wrapped = self.emit(Statement::Branch(still, Label(here.0 + 1), here), span);
        let end = self.jump(span);
        self.patch(&[(outside, false), (wrapped, false)]);
        self.emit(Statement::Diverge, span);
        self.patch(&[(at, false)]);
        let own = Points { foreign: false, ..points.clone() };
        let value = match own.targets.is_empty() {
            true => {
                self.emit(Statement::Fail(Kind::Pointer), span);
                zero
            }
            false => self.moved_by(number, (amount, back), &own, to, span)?,
        };
        self.emit(Statement::Set(Base::Local(result).whole(), value), span);
        self.patch(&[end]);
        Ok(self.read(result, span))
    }

    /// Two pointers, one of which may be the environment's, compared by their order or subtracted.
    pub(super) fn related_anywhere(
        &mut self,
        operator: Operator,
        (left, right): (ExpressionId, ExpressionId),
        points: &[Points; 2],
        a: &Expr,
        span: Span,
    ) -> Lowered<ExpressionId> {
        let to = a.ty.pointed_data().cloned().unwrap_or(Type::Void);
        let data = match operator {
            Operator::Subtract => self.program.model.difference().data(),
            _ => Data::Bool,
        };
        let result = self.local(None, Sort::Data(data), None, span);
        let at = self.if_foreign(left, span);
        let other = self.if_foreign(right, span);
        let mut value = self.binary(operator, left, right, span);
        if operator == Operator::Subtract {
            let each = self.program.size(&to).map_or(1, |(bytes, _)| bytes);
            let each = self.number(Int::from(each), span);
            value = self.binary(Operator::Quotient, value, each, span);
        }
        self.emit(Statement::Set(Base::Local(result).whole(), value), span);
        let mut ends = vec![self.jump(span)];
        self.patch(&[(other, false)]);
        self.emit(Statement::Fail(Kind::Pointer), span);
        self.patch(&[(at, false)]);
        let own = points.clone().map(|points| Points { foreign: false, ..points });
        let other = self.if_foreign(right, span);
        self.emit(Statement::Fail(Kind::Pointer), span);
        self.patch(&[(other, false)]);
        if own.iter().any(|points| points.targets.is_empty()) {
            self.emit(Statement::Fail(Kind::Pointer), span);
        } else {
            let value = self.related_here(operator, (left, right), &own, &to, span)?;
            self.emit(Statement::Set(Base::Local(result).whole(), value), span);
            ends.push(self.jump(span));
        }
        self.patch(&ends);
        Ok(self.read(result, span))
    }
}
