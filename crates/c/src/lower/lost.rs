//! Memory that is lost: neither freed nor pointed to when the program ends.
//!
//! What objects with static storage point to is marked, then what marked memory points to, as often as there are objects. When `main`
//! has returned, no local variable counts any more. Where a program ends inside of functions, their variables might still point to
//! something; then memory that would be lost meets a bound.

use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::Kind;
use agon_core::module::{Base, CellId, Expression, ExpressionId, Label, LocalId, Place, Sort, Statement};
use agon_core::term::{Operator, Unary};
use agon_core::types::Data;

use super::Lowering;
use crate::layout::Leaf;
use crate::memory::Range;
use crate::points::{Owner, Target};

/// The memory of one type: the marks of its objects.
struct Marked {
    owner: Owner,
    objects: u64,
    live: CellId,
    marks: LocalId,
}

impl Lowering<'_> {
    /// Fails if memory is lost. Where functions may still point to it, a bound is met.
    pub(super) fn nothing_lost(&mut self, returned: bool, span: Span) {
        if !self.options.checks.lost {
            return;
        }
        let heaps = self.stored.iter().filter(|(owner, _)| matches!(owner, Owner::Heap(_)));
        let heaps: Vec<(Owner, CellId)> =
            heaps.filter_map(|(owner, stored)| Some((*owner, stored.live?))).collect();
        let mut all = Vec::new();
        for (owner, live) in heaps {
            let objects = self.memory.storage(self.program, owner).objects.unwrap_or(1);
            let marks = self.local(None, Sort::Data(Data::Bool), Some(objects), span);
            all.push(Marked { owner, objects, live, marks });
        }
        for (id, object) in self.program.objects() {
            let cells = self.cells(id).to_vec();
            for (cell, leaf) in cells.into_iter().zip(self.program.leaves(&object.ty)) {
                self.mark_all(cell, &leaf, 0, leaf.count, &all, span);
            }
        }
        let count: u64 = all.iter().map(|marked| marked.objects).sum();
        self.through(count.max(1), span, |this, _| this.mark_onwards(&all, span));
        let kind = match returned {
            true => Kind::Leak,
            false => Kind::Bound(
                self.module.add_bound("memory that nothing but variables of functions points to".into()),
            ),
        };
        for marked in &all {
            for n in 0..marked.objects {
                let index = Some(self.number(Int::from(n), span));
                let state =
                    self.add(Expression::Load(Place { base: Base::Module(marked.live), index }), span);
                let one = self.number(Int::ONE, span);
                let freed = self.binary(Operator::NotEqual, state, one, span);
                let marks = Place { base: Base::Local(marked.marks), index };
                let found = self.add(Expression::Load(marks), span);
                let tracked = self.binary(Operator::Either, freed, found, span);
                self.emit(Statement::Assert(tracked, kind), span);
            }
        }
    }

    /// Marks what marked memory points to.
    fn mark_onwards(&mut self, all: &[Marked], span: Span) {
        for marked in all {
            let storage = self.memory.storage(self.program, marked.owner);
            let leaves = self.program.leaves(&storage.ty);
            let cells = self.stored.get(&marked.owner).map(|stored| stored.cells.clone()).unwrap_or_default();
            for n in 0..marked.objects {
                let index = Some(self.number(Int::from(n), span));
                let marks = Place { base: Base::Local(marked.marks), index };
                let found = self.add(Expression::Load(marks), span);
                let missing = self.add(Expression::Unary(Unary::Not, found), span);
                let here = self.here();
                let at = self.emit(Statement::Branch(missing, here, Label(here.0 + 1)), span);
                for (cell, leaf) in cells.iter().zip(&leaves) {
                    // The scalars of one object of a pool lie in a row.
                    let row = Leaf { array: true, ..leaf.clone() };
                    self.mark_all(*cell, &row, n * leaf.count, leaf.count, all, span);
                }
                self.patch(&[(at, true)]);
            }
        }
    }

    /// Marks what the pointers in a row point to.
    fn mark_all(&mut self, cell: CellId, leaf: &Leaf, first: u64, count: u64, all: &[Marked], span: Span) {
        if leaf.ty.pointed_data().is_none() {
            return;
        }
        if !leaf.array {
            let value = self.add(Expression::Load(Base::Module(cell).whole()), span);
            return self.mark(value, all, span);
        }
        self.through(count, span, |this, n| {
            let start = this.number(Int::from(first), span);
            let index = Some(this.binary(Operator::Add, start, n, span));
            let value = this.add(Expression::Load(Place { base: Base::Module(cell), index }), span);
            this.mark(value, all, span);
        });
    }

    /// Marks the object that a pointer points into.
    fn mark(&mut self, pointer: ExpressionId, all: &[Marked], span: Span) {
        let targets: Vec<(Owner, Range)> = self
            .memory
            .analysis
            .targets()
            .map(|(id, Target { owner, .. })| (*owner, self.memory.range(id)))
            .collect();
        for (owner, range) in targets {
            let Some(marked) = all.iter().find(|marked| marked.owner == owner) else { continue };
            let inside = self.within(pointer, range, span);
            let here = self.here();
            let at = self.emit(Statement::Branch(inside, Label(here.0 + 1), here), span);
            let first = self.number(Int::from(range.first), span);
            let number = self.binary(Operator::Subtract, pointer, first, span);
            let each = self.number(Int::from((range.numbers() / marked.objects.max(1)).max(1)), span);
            let object = self.binary(Operator::Quotient, number, each, span);
            let yes = self.number(Int::ONE, span);
            let marks = Place { base: Base::Local(marked.marks), index: Some(object) };
            self.emit(Statement::Set(marks, yes), span);
            self.patch(&[(at, false)]);
        }
    }
}
