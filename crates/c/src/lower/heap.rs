//! Allocated memory: objects of pools that the program takes and frees.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::Kind;
use agon_core::module::{Base, Callee, Expression, ExpressionId, Label, LocalId, Place, Sort, Statement};
use agon_core::term::Operator;
use agon_core::types::Data;

use super::places::{Part, Root};
use super::{Hole, Lowering};
use crate::library::{Request, request};
use crate::points::{Owner, Target, TargetId};
use crate::tree::Expr;

type Lowered<T> = Result<T, Diagnostic>;

/// The choice whether an allocation fails.
const FAILS: &str = "malloc fails";

impl Lowering<'_> {
    /// Allocates memory; gives the pointer to it.
    pub(super) fn allocation(&mut self, call: &Expr, zero: bool) -> Lowered<ExpressionId> {
        let span = call.span;
        let Some(heap) = self.memory.analysis.site(call) else { return Ok(self.number(Int::ZERO, span)) };
        let ty = self.memory.analysis.heaps[heap.index()].clone();
        let owner = Owner::Heap(heap);
        let count = match request(self.program, call, &ty) {
            Some(Request::Known(count)) => self.number(Int::from(count), span),
            Some(Request::Elements(e)) => {
                let value = self.value(e)?;
                let sort = self.sort(&e.ty, e.span)?;
                self.stable(value, sort, e.span)
            }
            None => {
                let message = "the size of what is allocated is no number of elements";
                let diagnostic = Diagnostic::error(Code::LibraryFunction, message, span, "allocated here");
                return Err(diagnostic.help("allocate `sizeof(T)`, or `n * sizeof(T)`"));
            }
        };
        if self.module.constant(count).is_none() {
            let most = self.memory.elements(heap);
            let bound = self.module.add_bound(format!("{most} elements in an allocated array"));
            let most = self.number(Int::from(most), span);
            let fits = self.binary(Operator::LessEqual, count, most, span);
            self.emit(Statement::Assert(fits, Kind::Bound(bound)), span);
        }
        let failed = self.may_fail(span);
        self.atomic(true, span);
        let taken = self.allocate(owner, span);
        let object = self.read(taken, span);
        if let Some(lengths) = self.stored.get(&owner).and_then(|stored| stored.lengths) {
            self.emit(
                Statement::Set(Place { base: Base::Module(lengths), index: Some(object) }, count),
                span,
            );
        }
        let storage = self.memory.storage(self.program, owner);
        if zero {
            let part = Part { root: Root::Stored(owner), leaf: 0, row: Some(object), ty: storage.ty };
            self.fill_part(&part, &Int::ZERO, span);
        }
        self.atomic(false, span);
        let Some(target) = self.memory.analysis.find(&Target { owner, leaf: 0, ty }) else {
            return Ok(self.number(Int::ZERO, span));
        };
        let range = self.memory.range(target);
        let width = self.number(Int::from(range.numbers() / storage.objects.unwrap_or(1).max(1)), span);
        let before = self.binary(Operator::Multiply, object, width, span);
        let first = self.number(Int::from(range.first), span);
        let pointer = self.binary(Operator::Add, first, before, span);
        let Some((result, hole)) = failed else { return Ok(pointer) };
        self.emit(Statement::Set(Base::Local(result).whole(), pointer), span);
        self.patch(&[hole]);
        Ok(self.read(result, span))
    }

    /// Where allocation may fail, the system chooses. Gives the cell of the pointer, which is null then, and the jump behind the
    /// allocation.
    fn may_fail(&mut self, span: Span) -> Option<(LocalId, Hole)> {
        if !self.options.malloc_fails {
            return None;
        }
        let sort = Sort::Data(Data::Mod(Int::from(self.memory.limit())));
        let result = self.local(None, sort, None, span);
        let null = self.number(Int::ZERO, span);
        self.emit(Statement::Set(Base::Local(result).whole(), null), span);
        let chosen = self.local(None, Sort::Data(Data::Bool), None, span);
        let choice = self.module.choice(FAILS, 2);
        self.emit(Statement::Call(Callee::Import(choice), vec![], Some(chosen)), span);
        let chosen = self.read(chosen, span);
        let here = self.here();
        Some((result, (self.emit(Statement::Branch(chosen, here, Label(here.0 + 1)), span), true)))
    }

    /// Fails if memory is not freed.
    pub(super) fn no_leak(&mut self, span: Span) {
        if !self.options.checks.leak {
            return;
        }
        let heaps = self.stored.iter().filter(|(owner, _)| matches!(owner, Owner::Heap(_)));
        let cells: Vec<_> = heaps.filter_map(|(owner, stored)| Some((*owner, stored.live?))).collect();
        for (owner, live) in cells {
            for n in 0..self.memory.storage(self.program, owner).objects.unwrap_or(1) {
                let index = Some(self.number(Int::from(n), span));
                let state = self.add(Expression::Load(Place { base: Base::Module(live), index }), span);
                let one = self.number(Int::ONE, span);
                let freed = self.binary(Operator::NotEqual, state, one, span);
                self.emit(Statement::Assert(freed, Kind::Leak), span);
            }
        }
    }

    /// How many elements an allocated object has.
    pub(super) fn length(&mut self, pointer: &Expr, span: Span) -> Lowered<ExpressionId> {
        let points = self.memory.analysis.points(pointer);
        let number = self.value(pointer)?;
        let sort = self.sort(&pointer.ty, pointer.span)?;
        let number = self.stable(number, sort, pointer.span);
        let result = Sort::Data(self.program.model.size().data());
        let result = self.local(None, result, None, span);
        let mut ends = Vec::new();
        for target in points.targets.iter().copied().collect::<Vec<TargetId>>() {
            let owner = self.memory.analysis.target(target).owner;
            let Owner::Heap(_) = owner else { continue };
            let range = self.memory.range(target);
            let inside = self.within(number, range, span);
            let here = self.here();
            let at = self.emit(Statement::Branch(inside, Label(here.0 + 1), here), span);
            let value = match self.stored.get(&owner).and_then(|stored| stored.lengths) {
                Some(lengths) => {
                    let objects = self.memory.storage(self.program, owner).objects.unwrap_or(1).max(1);
                    let first = self.number(Int::from(range.first), span);
                    let before = self.binary(Operator::Subtract, number, first, span);
                    let width = self.number(Int::from((range.numbers() / objects).max(1)), span);
                    let object = self.binary(Operator::Quotient, before, width, span);
                    self.add(
                        Expression::Load(Place { base: Base::Module(lengths), index: Some(object) }),
                        span,
                    )
                }
                None => self.number(Int::ONE, span),
            };
            self.emit(Statement::Set(Base::Local(result).whole(), value), span);
            ends.push(self.jump(span));
            self.patch(&[(at, false)]);
        }
        self.emit(Statement::Fail(Kind::Free), span);
        self.patch(&ends);
        Ok(self.read(result, span))
    }

    /// Frees memory. Fails if the pointer is not one that an allocation gave, or if the memory was freed before.
    pub(super) fn free(&mut self, pointer: &Expr, span: Span) -> Lowered<()> {
        let points = self.memory.analysis.points(pointer);
        let number = self.value(pointer)?;
        let sort = self.sort(&pointer.ty, pointer.span)?;
        let number = self.stable(number, sort, pointer.span);
        let mut ends = Vec::new();
        let here = self.here();
        let at = self.emit(Statement::Branch(number, Label(here.0 + 1), here), span);
        ends.push((at, false));
        for target in points.targets.iter().copied().collect::<Vec<TargetId>>() {
            let Target { owner, leaf, ty } = self.memory.analysis.target(target).clone();
            let Owner::Heap(heap) = owner else { continue };
            if leaf != 0 || !self.program.alike(&ty, &self.memory.analysis.heaps[heap.index()]) {
                continue;
            }
            let Some(live) = self.stored.get(&owner).and_then(|stored| stored.live) else { continue };
            let range = self.memory.range(target);
            let inside = self.within(number, range, span);
            let here = self.here();
            let at = self.emit(Statement::Branch(inside, Label(here.0 + 1), here), span);
            let objects = self.memory.storage(self.program, owner).objects.unwrap_or(1).max(1);
            let first = self.number(Int::from(range.first), span);
            let mut object = self.binary(Operator::Subtract, number, first, span);
            let each = range.numbers() / objects;
            if each > 1 {
                let width = self.number(Int::from(each), span);
                let within = self.binary(Operator::Remainder, object, width, span);
                let zero = self.number(Int::ZERO, span);
                let begins = self.binary(Operator::Equal, within, zero, span);
                self.emit(Statement::Assert(begins, Kind::Free), span);
                object = self.binary(Operator::Quotient, object, width, span);
            }
            self.atomic(true, span);
            let state = Place { base: Base::Module(live), index: Some(object) };
            let state = self.add(Expression::Load(state), span);
            let one = self.number(Int::ONE, span);
            let alive = self.binary(Operator::Equal, state, one, span);
            self.emit(Statement::Assert(alive, Kind::Free), span);
            let object = {
                let sort = Sort::Data(Data::Mod(Int::from(objects)));
                self.stable(object, sort, span)
            };
            self.release(owner, object, span);
            self.atomic(false, span);
            ends.push(self.jump(span));
            self.patch(&[(at, false)]);
        }
        self.emit(Statement::Fail(Kind::Free), span);
        self.patch(&ends);
        Ok(())
    }
}
