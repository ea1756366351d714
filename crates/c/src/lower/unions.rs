//! Unions: each member has cells of its own, and bits that say whether it was written after the others.
//!
//! A member that is read must be the one that was written last. If another one was, the bytes of that one are read as those of another
//! type; that is not followed, and the verdict says so. All members of a union that is filled with 0 are 0.

use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::Kind;
use agon_core::module::{Base, CellId, Expression, Label, Place, Sort, Statement};
use agon_core::term::Operator;
use agon_core::types::Data;

use super::Lowering;
use super::places::Part;
use super::pointers::MISREAD;
use crate::layout::Sibling;
use crate::tree::{Object, ObjectId};
use crate::types::Type;

impl Lowering<'_> {
    /// The scalars of other members of the unions that a cell is in.
    fn siblings(&self, base: Base) -> Vec<(Base, Sibling)> {
        match base {
            Base::Local(id) => {
                let list = self.body.unions.get(&id).into_iter().flatten();
                list.map(|(local, sibling)| (Base::Local(*local), *sibling)).collect()
            }
            Base::Module(id) => {
                let list = self.unions.get(&id).into_iter().flatten();
                list.map(|(cell, sibling)| (Base::Module(*cell), *sibling)).collect()
            }
        }
    }

    /// Says which cells are those of unions.
    pub(super) fn note_unions(&mut self, ty: &Type, cells: &[CellId]) {
        if !self.program.has_union(ty) || cells.len() != self.program.leaf_count(ty) {
            return;
        }
        for (cell, list) in cells.iter().zip(self.program.siblings(ty)) {
            if !list.is_empty() {
                let list = list.into_iter().map(|sibling| (cells[sibling.leaf], sibling)).collect();
                self.unions.insert(*cell, list);
            }
        }
    }

    /// The bits of unions in objects with static storage. At first all members are 0, but for those that an initial value of
    /// another member replaces.
    pub(super) fn declare_unions(&mut self) {
        let objects: Vec<(ObjectId, &Object)> = self.program.objects().collect();
        for (id, object) in objects {
            let cells = self.cells(id).to_vec();
            self.note_unions(&object.ty, &cells);
            let siblings = self.program.siblings(&object.ty);
            if cells.len() != siblings.len() {
                continue;
            }
            for (n, leaf) in self.program.leaves(&object.ty).into_iter().enumerate() {
                if siblings[n].is_empty() {
                    continue;
                }
                let mut set = vec![Int::ONE; usize::try_from(leaf.count.max(1)).unwrap_or(1)];
                for item in &object.initial {
                    for sibling in siblings[item.leaf].iter().filter(|sibling| sibling.leaf == n) {
                        let first = (item.row / sibling.own).saturating_mul(sibling.count);
                        let places = set.iter_mut().skip(usize::try_from(first).unwrap_or(usize::MAX));
                        let count = usize::try_from(sibling.count).unwrap_or(usize::MAX);
                        places.take(count).for_each(|bit| *bit = Int::ZERO);
                    }
                }
                let length = leaf.array.then_some(leaf.count.max(1));
                let name = format!("{}{} is set", object.name, leaf.path);
                let bit = self.hidden_cell(name, Sort::Data(Data::Bool), length, object.span);
                self.module.initialise(bit, set);
                self.set_bits.insert(cells[n], bit);
            }
        }
    }

    /// A member of a union was written: the others were not.
    pub(super) fn replaces(&mut self, place: Place, span: Span) {
        for (base, sibling) in self.siblings(place.base) {
            let Some(bit) = self.set_bit(base) else { continue };
            self.each_of(place, bit, sibling, span, &mut |this, place| {
                let no = this.number(Int::ZERO, span);
                this.emit(Statement::Set(place, no), span);
            });
        }
    }

    /// A member of all unions of an object was written.
    pub(super) fn replaces_all(&mut self, base: Base, span: Span) {
        for (other, _) in self.siblings(base) {
            if let Some(bit) = self.set_bit(other) {
                self.zero(bit, span);
            }
        }
    }

    /// Whether it is known which members of the unions of an object were written last.
    pub(super) fn follows_unions(&self, whole: &Part) -> bool {
        let mut leaves = self.program.siblings(&whole.ty).into_iter().enumerate();
        leaves
            .all(|(n, list)| list.is_empty() || self.set_bit(self.base(whole.root, whole.leaf + n)).is_some())
    }

    /// Whether a cell belongs to a union.
    pub(super) fn is_in_union(&self, base: Base) -> bool {
        !self.siblings(base).is_empty()
    }

    /// Fails if a member of a union is read that was not written last.
    pub(super) fn is_current(&mut self, place: Place, bit: Base, span: Span) {
        let written = self.add(Expression::Load(Place { base: bit, index: place.index }), span);
        let here = self.here();
        let at = self.emit(Statement::Branch(written, here, Label(here.0 + 1)), span);
        let other = self.local(None, Sort::Data(Data::Bool), None, span);
        self.zero(Base::Local(other), span);
        for (base, sibling) in self.siblings(place.base) {
            let Some(bit) = self.set_bit(base) else { continue };
            self.each_of(place, bit, sibling, span, &mut |this, place| {
                let (old, new) = (this.read(other, span), this.add(Expression::Load(place), span));
                let any = this.binary(Operator::Either, old, new, span);
                this.emit(Statement::Set(Base::Local(other).whole(), any), span);
            });
        }
        let other = self.read(other, span);
        let here = self.here();
        let none = self.emit(Statement::Branch(other, Label(here.0 + 1), here), span);
        let bound = self.module.add_gap(MISREAD.into());
        self.emit(Statement::Fail(Kind::Bound(bound)), span);
        self.patch(&[(none, false)]);
        self.emit(Statement::Fail(Kind::Uninitialised), span);
        self.patch(&[(at, true)]);
    }

    /// Does something for the bits of another member, of the union that a place is in.
    fn each_of(
        &mut self,
        place: Place,
        bit: Base,
        sibling: Sibling,
        span: Span,
        act: &mut dyn FnMut(&mut Self, Place),
    ) {
        let length = match bit {
            Base::Module(cell) => self.module.cell(cell).length,
            Base::Local(local) => self.body.locals[local.index()].length,
        };
        if length.is_none() {
            return act(self, bit.whole());
        }
        let zero = self.number(Int::ZERO, span);
        let own = self.number(Int::from(sibling.own), span);
        let row = place.index.unwrap_or(zero);
        let row = self.binary(Operator::Quotient, row, own, span);
        self.through(sibling.count, span, |this, n| {
            let count = this.number(Int::from(sibling.count), span);
            let first = this.binary(Operator::Multiply, row, count, span);
            let index = this.binary(Operator::Add, first, n, span);
            act(this, Place { base: bit, index: Some(index) });
        });
    }
}
