//! Memory that is lost: neither freed nor pointed to.
//!
//! Memory that is lost stays lost. So it is looked for where a run ends, and wherever a run that never ends comes again and again: where
//! loops start over, and where functions begin that call themselves.
//!
//! What objects with static storage and variables point to is marked, then what marked memory points to, as often as there are objects.
//! When `main` has returned, no local variable counts any more. Before a function calls another one, what its variables point to is
//! marked as held. Outside of `main`, values that are in no variable might point to something; then memory that would be lost
//! meets a bound. So it does in programs with threads.

use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::Kind;
use agon_core::module::{
    Base, Callee, CellId, Expression, ExpressionId, Label, LocalId, Place, Sort, Statement,
};
use agon_core::term::{Operator, Unary};
use agon_core::types::Data;

use super::Lowering;
use crate::layout::Leaf;
use crate::memory::Range;
use crate::points::{Owner, Target};
use crate::tree::VariableId;

/// The choice whether a run goes on for ever from here.
const FOREVER: &str = "runs for ever";

/// A moment at which memory that is lost is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Moment {
    /// `main` has returned.
    Returned,
    /// The program ends inside of functions.
    Ends,
    /// What comes next may be done for ever.
    Repeats,
}

/// The memory of one type: the marks of its objects.
struct Marked {
    owner: Owner,
    objects: u64,
    live: CellId,
    marks: Base,
}

impl Lowering<'_> {
    /// Whether memory that is lost is looked for, and there is some.
    fn may_lose(&self) -> bool {
        self.options.checks.lost && self.main().is_some() && !self.memory.analysis.heaps.is_empty()
    }

    /// Declares what is held by variables of functions that wait.
    pub(super) fn declare_held(&mut self) {
        if !self.may_lose() || self.several() {
            return;
        }
        for (owner, objects, _) in self.heaps() {
            let sort = Sort::Data(Data::Bool);
            let name = "memory is held".into();
            let cell = self.hidden_cell(name, sort, Some(objects), Span::default());
            self.holding.insert(owner, cell);
        }
    }

    /// The pools of allocated memory: how many objects they have, and which are alive.
    fn heaps(&self) -> Vec<(Owner, u64, CellId)> {
        let heaps = self.stored.iter().filter(|(owner, _)| matches!(owner, Owner::Heap(_)));
        let objects = |owner| self.memory.storage(self.program, owner).objects.unwrap_or(1);
        heaps.filter_map(|(owner, stored)| Some((*owner, objects(*owner), stored.live?))).collect()
    }

    /// With threads, nobody knows who holds what: if there is memory at all, a bound is met.
    pub(super) fn lost_among_threads(&mut self, span: Span) {
        if self.may_lose() && self.several() {
            let yes = self.number(Int::ONE, span);
            self.may_be_lost(yes, Moment::Repeats, span);
        }
    }

    /// Fails if memory is lost. Where something else may still point to it, a bound is met.
    pub(super) fn nothing_lost(&mut self, moment: Moment, span: Span) {
        if !self.may_lose() || self.several() || self.is_copy() {
            return;
        }
        let mut all = Vec::new();
        for (owner, objects, live) in self.heaps() {
            let marks = Base::Local(self.local(None, Sort::Data(Data::Bool), Some(objects), span));
            match self.holding.get(&owner).copied() {
                Some(held) if moment != Moment::Returned => {
                    self.copied(marks, Base::Module(held), Some(objects), span)
                }
                _ => self.zero(marks, span),
            }
            all.push(Marked { owner, objects, live, marks });
        }
        for (id, object) in self.program.objects() {
            let cells = self.cells(id).to_vec();
            for (cell, leaf) in cells.into_iter().zip(self.program.leaves(&object.ty)) {
                self.mark_all(Base::Module(cell), &leaf, 0, leaf.count, &all, span);
            }
        }
        if moment != Moment::Returned {
            self.mark_lent(&all, span);
            self.mark_own(&all, span);
        }
        let count: u64 = all.iter().map(|marked| marked.objects).sum();
        self.through(count.max(1), span, |this, _| this.mark_onwards(&all, span));
        let within_main = self.body.function.is_some() && self.body.function == self.main();
        let certain = match moment {
            Moment::Returned => true,
            Moment::Repeats => within_main && !self.effects.is_recursive(self.main()),
            Moment::Ends => false,
        };
        let mut lost = self.number(Int::ZERO, span);
        for marked in &all {
            for n in 0..marked.objects {
                let index = Some(self.number(Int::from(n), span));
                let state =
                    self.add(Expression::Load(Place { base: Base::Module(marked.live), index }), span);
                let one = self.number(Int::ONE, span);
                let freed = self.binary(Operator::NotEqual, state, one, span);
                let found = self.add(Expression::Load(Place { base: marked.marks, index }), span);
                let tracked = self.binary(Operator::Either, freed, found, span);
                if certain {
                    self.emit(Statement::Assert(tracked, Kind::Leak), span);
                    continue;
                }
                let missing = self.add(Expression::Unary(Unary::Not, tracked), span);
                lost = self.binary(Operator::Either, lost, missing, span);
            }
        }
        if !certain {
            self.may_be_lost(lost, moment, span);
        }
        all.iter().for_each(|marked| self.zero(marked.marks, span));
    }

    /// Meets a bound if memory may be lost. A run that goes on may show more.
    fn may_be_lost(&mut self, lost: ExpressionId, moment: Moment, span: Span) {
        let here = self.here();
        let mut skips = vec![(self.emit(Statement::Branch(lost, Label(here.0 + 1), here), span), false)];
        if moment == Moment::Repeats {
            let choice = self.module.choice(FOREVER, 2);
            let chosen = self.local(None, Sort::Data(Data::Bool), None, span);
            self.emit(Statement::Call(Callee::Import(choice), vec![], Some(chosen)), span);
            let chosen = self.read(chosen, span);
            let here = self.here();
            skips.push((self.emit(Statement::Branch(chosen, Label(here.0 + 1), here), span), false));
        }
        let words = "memory that no variable points to where a run may not end";
        let bound = self.module.add_bound(words.into());
        self.emit(Statement::Fail(Kind::Bound(bound)), span);
        self.patch(&skips);
    }

    /// What the variables of this body point to is held while another function runs. Gives what was held before.
    pub(super) fn hold(&mut self, span: Span) -> Vec<(CellId, LocalId)> {
        let mut all = Vec::new();
        let mut saved = Vec::new();
        for (owner, objects, live) in self.heaps() {
            let Some(held) = self.holding.get(&owner).copied() else { return vec![] };
            saved.push((held, self.saved(held, span)));
            all.push(Marked { owner, objects, live, marks: Base::Module(held) });
        }
        self.mark_own(&all, span);
        saved
    }

    /// The function has returned.
    pub(super) fn let_go(&mut self, saved: Vec<(CellId, LocalId)>, span: Span) {
        for (cell, local) in saved {
            let length = self.module.cell(cell).length;
            self.copied(Base::Module(cell), Base::Local(local), length, span);
            self.zero(Base::Local(local), span);
        }
    }

    /// Whether this body is that of a function of the C library. Such functions return.
    fn is_copy(&self) -> bool {
        let function = self.body.function.map(|id| self.program.function(id));
        function.is_some_and(|function| function.body.as_ref().is_some_and(|body| body.end == function.span))
    }

    /// Marks what variables point to that are cells of the module. Those that do not live hold nothing.
    fn mark_lent(&mut self, all: &[Marked], span: Span) {
        let variables: Vec<Owner> =
            self.stored.keys().filter(|owner| matches!(owner, Owner::Variable(..))).copied().collect();
        for owner in variables {
            let storage = self.memory.storage(self.program, owner);
            let cells = self.stored.get(&owner).map(|stored| stored.cells.clone()).unwrap_or_default();
            for (cell, leaf) in cells.into_iter().zip(self.stored_leaves(&storage)) {
                self.mark_all(Base::Module(cell), &leaf, 0, leaf.count, all, span);
            }
        }
    }

    /// Marks what the variables of this body point to.
    fn mark_own(&mut self, all: &[Marked], span: Span) {
        let Some(function) = self.body.function else { return };
        let parameters = self.program.function(function).body.as_ref().map_or(0, |body| body.parameters);
        for n in 0..self.body.variables.len() {
            let id = VariableId(u32::try_from(n).unwrap_or(u32::MAX));
            if self.is_stored(n) || !(n < parameters || self.body.scope.contains(&id)) {
                continue;
            }
            let leaves = self.program.leaves(&self.body.types[n]);
            for (local, leaf) in self.locals(id).to_vec().into_iter().zip(leaves) {
                self.mark_all(Base::Local(local), &leaf, 0, leaf.count, all, span);
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
                let found = self.add(Expression::Load(Place { base: marked.marks, index }), span);
                let missing = self.add(Expression::Unary(Unary::Not, found), span);
                let here = self.here();
                let at = self.emit(Statement::Branch(missing, here, Label(here.0 + 1)), span);
                for (cell, leaf) in cells.iter().zip(&leaves) {
                    // The scalars of one object of a pool lie in a row.
                    let row = Leaf { array: true, ..leaf.clone() };
                    self.mark_all(Base::Module(*cell), &row, n * leaf.count, leaf.count, all, span);
                }
                self.patch(&[(at, true)]);
            }
        }
    }

    /// Marks what the pointers in a row point to.
    fn mark_all(&mut self, base: Base, leaf: &Leaf, first: u64, count: u64, all: &[Marked], span: Span) {
        if leaf.ty.pointed_data().is_none() {
            return;
        }
        if !leaf.array {
            let value = self.add(Expression::Load(base.whole()), span);
            return self.mark(value, all, span);
        }
        self.through(count, span, |this, n| {
            let start = this.number(Int::from(first), span);
            let index = Some(this.binary(Operator::Add, start, n, span));
            let value = this.add(Expression::Load(Place { base, index }), span);
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
            let marks = Place { base: marked.marks, index: Some(object) };
            self.emit(Statement::Set(marks, yes), span);
            self.patch(&[(at, false)]);
        }
    }
}
