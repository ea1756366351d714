//! Pointers: numbers, and the objects behind them.
//!
//! Where a pointer is followed, the analysis says into which targets it may point. If there are several, the number says which
//! one it is.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::Kind;
use agon_core::module::{Base, ExpressionId, Label, Sort, Statement};
use agon_core::term::Operator;
use agon_core::types::Data;

use super::Lowering;
use super::places::{Part, Root};
use crate::memory::{Life, Range};
use crate::points::{Owner, Points, Target, TargetId};
use crate::tree::{Expr, ExprKind, ObjectId, Place, PlaceKind};
use crate::types::{Rank, Type};

type Lowered<T> = Result<T, Diagnostic>;

/// What the model does not follow.
pub(super) const MISREAD: &str = "reading an object as something that it is not";

/// What is done with a part.
pub(super) type Action<'a, L> = dyn FnMut(&mut L, Part) -> Lowered<()> + 'a;

/// A pointer that is followed, perhaps moved before.
struct Followed {
    number: ExpressionId,
    by: Option<ExpressionId>,
}

impl Lowering<'_> {
    /// Does something with the part that a place denotes, whichever it is.
    pub(super) fn each(&mut self, place: &Place, action: &mut Action<'_, Self>) -> Lowered<()> {
        let ty = place.ty.clone();
        match &place.kind {
            PlaceKind::Target(pointer) => self.follow(pointer, &ty, place.span, action),
            PlaceKind::Member(inner, member) => {
                let program = self.program;
                self.each(inner, &mut |this, part| {
                    let Type::Struct(id) = &part.ty else { unreachable!("members are those of structures") };
                    let leaf = part.leaf + program.leaves_before(*id, *member);
                    action(this, Part { leaf, ty: ty.clone(), ..part })
                })
            }
            PlaceKind::Element(inner, index) if self.choices(inner) != 1 => {
                let value = self.value(index)?;
                let sort = self.sort(&index.ty, index.span)?;
                let value = self.stable(value, sort, index.span);
                self.each(inner, &mut |this, part| {
                    let part = this.element(part, index, value, &ty, place.span);
                    action(this, part)
                })
            }
            PlaceKind::Element(inner, index) => {
                let mut found = None;
                self.each(inner, &mut |_, part| {
                    found = Some(part);
                    Ok(())
                })?;
                let Some(part) = found else { return Ok(()) };
                let value = self.value(index)?;
                let part = self.element(part, index, value, &ty, place.span);
                action(self, part)
            }
            PlaceKind::Object(id) => action(self, Part { root: Root::Object(*id), leaf: 0, row: None, ty }),
            PlaceKind::Variable(id) => {
                let part = self.variable(*id);
                action(self, Part { ty, ..part })
            }
        }
    }

    /// How many parts a place may denote.
    pub(super) fn choices(&self, place: &Place) -> usize {
        match &place.kind {
            PlaceKind::Object(_) | PlaceKind::Variable(_) => 1,
            PlaceKind::Member(inner, _) | PlaceKind::Element(inner, _) => self.choices(inner),
            PlaceKind::Target(pointer) => {
                let (pointer, _) = moved(pointer);
                let points = self.memory.analysis.points(pointer);
                let (fitting, others) = self.fitting(&points, &place.ty);
                let leading = others.iter().filter(|id| self.leads(**id, &place.ty)).count();
                fitting.len() + leading + usize::from(others.len() > leading) + usize::from(points.foreign)
            }
        }
    }

    /// The targets that a pointer to a type may point into, and those of other types, which it does not read as what they are.
    fn fitting(&self, points: &Points, ty: &Type) -> (Vec<TargetId>, Vec<TargetId>) {
        points.targets.iter().partition(|id| {
            let own = &self.memory.analysis.target(**id).ty;
            self.program.alike(own, ty) || differ_in_sign(own, ty)
        })
    }

    /// Whether a target is a structure whose first byte is a member of a type of characters, which a pointer to characters leads to.
    fn leads(&self, target: TargetId, ty: &Type) -> bool {
        let own = &self.memory.analysis.target(target).ty;
        if !is_character(ty) || !matches!(own, Type::Struct(_)) || self.program.has_union(own) {
            return false;
        }
        let first = self.program.leaves(own).into_iter().next();
        first.is_some_and(|first| !first.array && is_character(&first.ty))
    }

    /// The bound that is met where an object would be read as something that it is not.
    pub(super) fn misread(&mut self) -> Kind {
        Kind::Bound(self.module.add_gap(MISREAD.into()))
    }

    /// How many elements of a type lie in one part of a target, if it is a whole number of them.
    fn elements_in(&self, target: TargetId, ty: &Type) -> Option<Int> {
        let (part, _) = self.program.size(&self.memory.analysis.target(target).ty)?;
        let (element, _) = self.program.size(ty)?;
        (element > 0 && part >= element && part.is_multiple_of(element)).then(|| Int::from(part / element))
    }

    fn follow(
        &mut self,
        pointer: &Expr,
        ty: &Type,
        span: Span,
        action: &mut Action<'_, Self>,
    ) -> Lowered<()> {
        let (first, by) = moved(pointer);
        let points = self.memory.analysis.points(first);
        if points.foreign && !self.options.exposed {
            return Err(foreign(span));
        }
        let number = self.value(first)?;
        let number = self.settled_pointer(first, number)?;
        let by = match by {
            Some((by, back)) => {
                let value = self.value(by)?;
                let sort = self.sort(&by.ty, by.span)?;
                let value = self.stable(value, sort, by.span);
                let zero = self.number(Int::ZERO, span);
                Some(if back { self.binary(Operator::Subtract, zero, value, span) } else { value })
            }
            None => None,
        };
        self.not_null(first, number, span);
        let followed = Followed { number, by };
        let (mut targets, others) = self.fitting(&points, ty);
        let (leading, others): (Vec<TargetId>, Vec<TargetId>) =
            others.into_iter().partition(|id| self.leads(*id, ty));
        targets.extend(&leading);
        let behind = |this: &mut Self, target: TargetId| match leading.contains(&target) {
            true => this.first_byte(&followed, target, ty, span),
            false => this.behind(&followed, target, ty, span),
        };
        if let ([target], true, false) = (&targets[..], others.is_empty(), points.foreign) {
            let part = behind(self, *target);
            return action(self, part);
        }
        let mut ends = Vec::new();
        if points.foreign {
            let at = self.if_foreign(number, span);
            let there = self.moved_far(number, by, ty, span);
            let part = self.foreign_part(there, ty, span)?;
            action(self, part)?;
            ends.push(self.jump(span));
            self.patch(&[(at, false)]);
        }
        for target in targets {
            let inside = self.within(number, self.memory.range(target), span);
            let here = self.here();
            let at = self.emit(Statement::Branch(inside, Label(here.0 + 1), here), span);
            let part = behind(self, target);
            action(self, part)?;
            ends.push(self.jump(span));
            self.patch(&[(at, false)]);
        }
        let kind = if others.is_empty() { Kind::Pointer } else { self.misread() };
        self.emit(Statement::Fail(kind), span);
        self.patch(&ends);
        Ok(())
    }

    /// A pointer whose number does not change while it is followed.
    pub(super) fn settled_pointer(&mut self, pointer: &Expr, number: ExpressionId) -> Lowered<ExpressionId> {
        let sort = self.sort(&pointer.ty, pointer.span)?;
        Ok(self.stable(number, sort, pointer.span))
    }

    fn not_null(&mut self, pointer: &Expr, number: ExpressionId, span: Span) {
        if !matches!(pointer.kind, ExprKind::Address(_)) {
            self.is_some(number, span);
        }
    }

    /// Fails if a pointer is null.
    pub(super) fn is_some(&mut self, number: ExpressionId, span: Span) {
        let zero = self.number(Int::ZERO, span);
        let some = self.binary(Operator::NotEqual, number, zero, span);
        self.emit(Statement::Assert(some, Kind::NullPointer), span);
    }

    /// Whether a number is one of a range.
    pub(super) fn within(&mut self, number: ExpressionId, range: Range, span: Span) -> ExpressionId {
        let first = self.number(Int::from(range.first), span);
        if range.numbers() == 1 {
            return self.binary(Operator::Equal, number, first, span);
        }
        let end = self.number(Int::from(range.first.saturating_add(range.numbers())), span);
        let above = self.binary(Operator::LessEqual, first, number, span);
        let below = self.binary(Operator::Less, number, end, span);
        self.binary(Operator::Both, above, below, span)
    }

    /// The part of a target that a pointer points to. Fails if there is none.
    fn behind(&mut self, followed: &Followed, target: TargetId, ty: &Type, span: Span) -> Part {
        let Target { owner, leaf, .. } = *self.memory.analysis.target(target);
        let range = self.memory.range(target);
        let first = self.number(Int::from(range.first), span);
        let mut at = self.binary(Operator::Subtract, followed.number, first, span);
        let mut row = None;
        if range.ends && range.rows > 1 {
            let width = self.number(Int::from(range.row()), span);
            row = Some(self.binary(Operator::Quotient, at, width, span));
            at = self.binary(Operator::Remainder, at, width, span);
        }
        if let Some(by) = followed.by {
            at = self.binary(Operator::Add, at, by, span);
        }
        if range.ends {
            let length = self.number(Int::from(range.inner), span);
            let mut inside = self.binary(Operator::Less, at, length, span);
            if followed.by.is_some() {
                let zero = self.number(Int::ZERO, span);
                let above = self.binary(Operator::LessEqual, zero, at, span);
                inside = self.binary(Operator::Both, above, inside, span);
            }
            self.emit(Statement::Assert(inside, Kind::Pointer), span);
        }
        if let Some(row) = row {
            let length = self.number(Int::from(range.inner), span);
            let before = self.binary(Operator::Multiply, row, length, span);
            at = self.binary(Operator::Add, before, at, span);
        }
        self.is_alive(owner, at, range, span);
        let root = self.root(owner);
        Part { root, leaf, row: range.enclosed.then_some(at), ty: ty.clone() }
    }

    /// The first member of the structure that a pointer to characters points to. The bytes behind it are not read.
    fn first_byte(&mut self, followed: &Followed, target: TargetId, ty: &Type, span: Span) -> Part {
        if let Some(by) = followed.by {
            let zero = self.number(Int::ZERO, span);
            let first = self.binary(Operator::Equal, by, zero, span);
            let misread = self.misread();
            self.emit(Statement::Assert(first, misread), span);
        }
        self.behind(&Followed { number: followed.number, by: None }, target, ty, span)
    }

    /// The owner as it is reached from the body that is lowered.
    fn root(&self, owner: Owner) -> Root {
        match owner {
            Owner::Object(id) => Root::Object(id),
            Owner::Variable(function, variable) if self.memory.life(function, variable) == Life::Own => {
                Root::Variable(variable)
            }
            owner => Root::Stored(owner),
        }
    }

    /// The owner of a part.
    fn owner(&self, root: Root) -> Option<Owner> {
        match root {
            Root::Object(id) => Some(Owner::Object(id)),
            Root::Variable(id) => self.body.function.map(|function| Owner::Variable(function, id)),
            Root::Stored(owner) => Some(owner),
            Root::Foreign(..) => None,
        }
    }

    /// The address of an object.
    pub(super) fn address(&mut self, place: &Place) -> Lowered<ExpressionId> {
        if self.choices(place) != 1 {
            let sort = self.pointer_sort(&place.ty);
            let result = self.local(None, sort, None, place.span);
            self.each(place, &mut |this, part| {
                let number = this.number_of(&part, place.span)?;
                this.emit(Statement::Set(Base::Local(result).whole(), number), place.span);
                Ok(())
            })?;
            return Ok(self.read(result, place.span));
        }
        let part = self.part(place)?;
        self.number_of(&part, place.span)
    }

    /// The number of the pointer to a part.
    fn number_of(&mut self, part: &Part, span: Span) -> Lowered<ExpressionId> {
        if let Root::Foreign(..) = part.root {
            return self.foreign_number(part, span);
        }
        Ok(self.own_number(part, span))
    }

    /// The number of the pointer to a part of the module's.
    fn own_number(&mut self, part: &Part, span: Span) -> ExpressionId {
        let owner = self.owner(part.root);
        let target = owner.map(|owner| Target { owner, leaf: part.leaf, ty: part.ty.clone() });
        let Some(id) = target.and_then(|target| self.memory.analysis.find(&target)) else {
            return self.number(Int::ZERO, span);
        };
        let range = self.memory.range(id);
        match part.row {
            Some(row) => self.number_at(range, row, span),
            None => self.number(Int::from(range.first), span),
        }
    }

    /// The number of the pointer to a part whose number is known.
    pub(super) fn constant_pointer(&self, target: &Target, part: u64) -> Option<Int> {
        let range = self.memory.range(self.memory.analysis.find(target)?);
        let ends = if range.ends { part / range.inner.max(1) } else { 0 };
        Some(Int::from(range.first + part + ends))
    }

    /// Whether pointers into an object are followed.
    pub(super) fn is_followed(&self, id: ObjectId) -> bool {
        self.effects.touches(Owner::Object(id))
    }

    /// Whether the environment has no objects of a type of its own.
    pub(super) fn is_private(&self, ty: &Type) -> bool {
        self.program.is_private(ty)
    }

    /// A pointer moved by a number of elements.
    pub(super) fn offset(
        &mut self,
        pointer: &Expr,
        by: &Expr,
        back: bool,
        span: Span,
    ) -> Lowered<ExpressionId> {
        let points = self.memory.analysis.points(pointer);
        let number = self.value(pointer)?;
        let number = self.settled_pointer(pointer, number)?;
        let amount = self.value(by)?;
        let sort = self.sort(&by.ty, by.span)?;
        let amount = self.stable(amount, sort, by.span);
        self.not_null(pointer, number, span);
        let to = pointer.ty.pointed_data().cloned().unwrap_or(Type::Void);
        self.moved_by(number, (amount, back), &points, &to, span)
    }

    /// A number of a pointer moved by an amount, back if the flag is set. Fails if it leaves the object.
    pub(super) fn moved_by(
        &mut self,
        number: ExpressionId,
        (amount, back): (ExpressionId, bool),
        points: &Points,
        to: &Type,
        span: Span,
    ) -> Lowered<ExpressionId> {
        if points.foreign && !self.options.exposed {
            return Err(foreign(span));
        }
        if points.foreign {
            return self.moved_anywhere(number, (amount, back), points, to, span);
        }
        let operator = if back { Operator::Subtract } else { Operator::Add };
        let moved = self.binary(operator, number, amount, span);
        let (fitting, others) = self.fitting(points, to);
        let inside = self.together(number, moved, &fitting, span);
        if others.is_empty() {
            self.emit(Statement::Assert(inside, Kind::Pointer), span);
            return Ok(moved);
        }
        // A pointer to characters is moved over objects of another type. Only the beginnings of these have numbers.
        let sort = self.pointer_sort(to);
        let result = self.local(None, sort, None, span);
        let misread = self.misread();
        let mut ends = Vec::new();
        for target in others {
            let at = self.if_within(number, target, span);
            match self.elements_in(target, to) {
                Some(each) => {
                    let each = self.number(each, span);
                    let rest = self.binary(Operator::Remainder, amount, each, span);
                    let zero = self.number(Int::ZERO, span);
                    let whole = self.binary(Operator::Equal, rest, zero, span);
                    self.emit(Statement::Assert(whole, misread), span);
                    let parts = self.binary(Operator::Quotient, amount, each, span);
                    let moved = self.binary(operator, number, parts, span);
                    let inside = self.together(number, moved, &[target], span);
                    self.emit(Statement::Assert(inside, misread), span);
                    self.emit(Statement::Set(Base::Local(result).whole(), moved), span);
                }
                None => _ = self.emit(Statement::Fail(misread), span),
            }
            ends.push(self.jump(span));
            self.patch(&[(at, false)]);
        }
        self.emit(Statement::Assert(inside, Kind::Pointer), span);
        self.emit(Statement::Set(Base::Local(result).whole(), moved), span);
        self.patch(&ends);
        Ok(self.read(result, span))
    }

    /// Goes on if a number is one of a target's; otherwise jumps to a place that is not known yet.
    fn if_within(&mut self, number: ExpressionId, target: TargetId, span: Span) -> usize {
        let inside = self.within(number, self.memory.range(target), span);
        let here = self.here();
        self.emit(Statement::Branch(inside, Label(here.0 + 1), here), span)
    }

    /// Whether two numbers are of pointers into one row.
    fn together(
        &mut self,
        a: ExpressionId,
        b: ExpressionId,
        targets: &[TargetId],
        span: Span,
    ) -> ExpressionId {
        let mut any = None;
        for target in targets {
            let range = self.memory.range(*target);
            let inside = self.within(b, range, span);
            let mut same = inside;
            if targets.len() > 1 {
                let other = self.within(a, range, span);
                same = self.binary(Operator::Both, other, inside, span);
            }
            if range.rows > 1 {
                let (row, other) = (self.row_of(a, range, span), self.row_of(b, range, span));
                let equal = self.binary(Operator::Equal, row, other, span);
                same = self.binary(Operator::Both, same, equal, span);
            }
            any = Some(match any {
                Some(any) => self.binary(Operator::Either, any, same, span),
                None => same,
            });
        }
        any.unwrap_or_else(|| self.number(Int::ZERO, span))
    }

    fn row_of(&mut self, number: ExpressionId, range: Range, span: Span) -> ExpressionId {
        let first = self.number(Int::from(range.first), span);
        let at = self.binary(Operator::Subtract, number, first, span);
        let width = self.number(Int::from(range.row()), span);
        self.binary(Operator::Quotient, at, width, span)
    }

    /// Two pointers that are compared by their order, or subtracted. Fails if they do not point into one object.
    pub(super) fn related(
        &mut self,
        operator: Operator,
        a: &Expr,
        b: &Expr,
        span: Span,
    ) -> Lowered<ExpressionId> {
        let (left, right) = (self.value(a)?, self.value(b)?);
        let (left, right) = (self.settled_pointer(a, left)?, self.settled_pointer(b, right)?);
        let points = [self.memory.analysis.points(a), self.memory.analysis.points(b)];
        let theirs = points.iter().any(|points| points.foreign);
        if theirs && !self.options.exposed {
            return Err(foreign(span));
        }
        self.not_null(a, left, span);
        self.not_null(b, right, span);
        if theirs {
            return self.related_anywhere(operator, (left, right), &points, a, span);
        }
        let to = a.ty.pointed_data().cloned().unwrap_or(Type::Void);
        self.related_here(operator, (left, right), &points, &to, span)
    }

    /// The same for numbers of pointers into objects of the module.
    pub(super) fn related_here(
        &mut self,
        operator: Operator,
        (left, right): (ExpressionId, ExpressionId),
        points: &[Points; 2],
        to: &Type,
        span: Span,
    ) -> Lowered<ExpressionId> {
        let targets: Vec<TargetId> = points[0].targets.intersection(&points[1].targets).copied().collect();
        if points.iter().any(|points| !self.fitting(points, to).1.is_empty()) {
            return self.related_parts(operator, (left, right), &targets, to, span);
        }
        let one = points.iter().all(|points| points.targets.len() == 1) && targets.len() == 1;
        let simple = one && self.memory.range(targets[0]).rows == 1;
        if !simple {
            let mut same = self.together(left, right, &targets, span);
            if let ([target], false) = (&targets[..], one) {
                let inside = self.within(left, self.memory.range(*target), span);
                same = self.binary(Operator::Both, inside, same, span);
            }
            self.emit(Statement::Assert(same, Kind::Pointer), span);
        }
        Ok(self.binary(operator, left, right, span))
    }

    /// The same if the pointers may point to objects of other types than theirs: elements are counted, not objects.
    fn related_parts(
        &mut self,
        operator: Operator,
        (left, right): (ExpressionId, ExpressionId),
        targets: &[TargetId],
        to: &Type,
        span: Span,
    ) -> Lowered<ExpressionId> {
        let data = match operator {
            Operator::Subtract => self.program.model.difference().data(),
            _ => Data::Bool,
        };
        let result = self.local(None, Sort::Data(data), None, span);
        let misread = self.misread();
        let mut ends = Vec::new();
        for target in targets {
            let at = self.if_within(left, *target, span);
            let same = self.together(left, right, &[*target], span);
            let own = &self.memory.analysis.target(*target).ty;
            let fits = self.program.alike(own, to) || differ_in_sign(own, to);
            self.emit(Statement::Assert(same, if fits { Kind::Pointer } else { misread }), span);
            let mut value = self.binary(operator, left, right, span);
            if let (false, Operator::Subtract) = (fits, operator) {
                match self.elements_in(*target, to) {
                    Some(each) => {
                        let each = self.number(each, span);
                        value = self.binary(Operator::Multiply, value, each, span);
                    }
                    None => _ = self.emit(Statement::Fail(misread), span),
                }
            }
            self.emit(Statement::Set(Base::Local(result).whole(), value), span);
            ends.push(self.jump(span));
            self.patch(&[(at, false)]);
        }
        self.emit(Statement::Fail(misread), span);
        self.patch(&ends);
        Ok(self.read(result, span))
    }

    /// What cells hold that are pointers to a type.
    pub(super) fn pointer_sort(&self, to: &Type) -> Sort {
        match !self.memory.analysis.is_foreign(self.program, to) {
            true => Sort::Address(Data::Mod(Int::from(self.memory.limit()))),
            false => Sort::Address(Data::Machine { signed: false, bits: self.program.model.size().bits }),
        }
    }
}

/// Whether two types are an integer type and the one of the other sign. An object of one may be read as the other.
fn differ_in_sign(a: &Type, b: &Type) -> bool {
    matches!((a, b), (Type::Integer(a), Type::Integer(b)) if a.rank == b.rank && a.signed != b.signed)
}

/// Whether a type is `char`, signed or not, and no bit field.
fn is_character(ty: &Type) -> bool {
    matches!(ty, Type::Integer(integer) if integer.rank == Rank::Char && integer.bits == 8)
}

/// A pointer without what it is moved by at last.
fn moved(pointer: &Expr) -> (&Expr, Option<(&Expr, bool)>) {
    match &pointer.kind {
        ExprKind::Offset(first, by, back) => (first, Some((by, *back))),
        _ => (pointer, None),
    }
}

pub(super) fn foreign(span: Span) -> Diagnostic {
    let message = "this pointer may point to an object of the environment, which agon does not know";
    let diagnostic = Diagnostic::error(Code::Dereference, message, span, "follows a pointer");
    diagnostic.help(
        "pass numbers, keep the object in the module and hand out pointers to it, or say `--exposed volatile`",
    )
}
