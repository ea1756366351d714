//! Expressions: what they do becomes statements, what is left is a value.

use agon_base::diagnostic::Diagnostic;
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::Kind;
use agon_core::module::{Base, CellKind, Expression, ExpressionId, Sort, Statement};
use agon_core::term::{Operator, Unary as CoreUnary};
use agon_core::types::Data;

use super::places::Part;
use super::{Hole, Lowering};
use crate::library::Known;
use crate::points::enclosing;
use crate::tree::{Binary, Callee, Expr, ExprKind, Place, PlaceKind, Unary, Update};
use crate::types::{Integer, Rank, Type};

type Lowered<T> = Result<T, Diagnostic>;

impl Lowering<'_> {
    /// The value of a scalar expression.
    pub(super) fn value(&mut self, e: &Expr) -> Lowered<ExpressionId> {
        let span = e.span;
        if let Some(known) = self.known(e) {
            return Ok(known);
        }
        Ok(match &e.kind {
            ExprKind::Number(n) => self.number(n.clone(), span),
            ExprKind::Address(place) => self.address(place)?,
            ExprKind::Offset(pointer, by, back) => self.offset(pointer, by, *back, span)?,
            ExprKind::Difference(a, b) => self.related(Operator::Subtract, a, b, span)?,
            ExprKind::Function(id) => match self.functions[id.index()] {
                Some(function) => self.add(Expression::Function(function), span),
                None => self.number(Int::ZERO, span),
            },
            ExprKind::Load(place) => self.load(place)?,
            ExprKind::Unary(Unary::Not, a) => {
                if self.total(e) {
                    let a = self.value(a)?;
                    self.add(Expression::Unary(CoreUnary::Not, a), span)
                } else {
                    self.decided(e)?
                }
            }
            ExprKind::Unary(operator, a) => {
                let a = self.value(a)?;
                let operator =
                    if *operator == Unary::Negate { CoreUnary::Negate } else { CoreUnary::Complement };
                let exact = self.add(Expression::Unary(operator, a), span);
                self.ranged(exact, &e.ty, operator == CoreUnary::Negate, span)
            }
            ExprKind::Binary(operator, a, b) if a.ty.pointed_data().is_some() && operator.orders() => {
                self.related(operator.operator(), a, b, span)?
            }
            ExprKind::Binary(operator, a, b) => {
                if let Some(equal) = self.at_one_place(*operator, a, b, span)? {
                    return Ok(equal);
                }
                let left = self.value(a)?;
                let right = self.value(b)?;
                self.operation(*operator, (left, &a.ty), (right, b), &e.ty, span)
            }
            ExprKind::Logical(is_and, a, b) if self.total(e) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                self.binary(if *is_and { Operator::Both } else { Operator::Either }, a, b, span)
            }
            ExprKind::Logical(..) => self.decided(e)?,
            ExprKind::Conditional(condition, yes, no) => {
                let sort = self.sort(&e.ty, span)?;
                let result = self.local(None, sort, None, span);
                self.conditional(condition, |this, chosen| {
                    let value = this.full_value(if chosen { yes } else { no })?;
                    this.emit(Statement::Set(Base::Local(result).whole(), value), span);
                    Ok(())
                })?;
                self.read(result, span)
            }
            ExprKind::Comma(first, rest) => {
                self.full_effect(first)?;
                self.full_value(rest)?
            }
            ExprKind::Convert(inner) => {
                if let Some(found) = enclosing(self.program, e) {
                    return self.around(&found, span);
                }
                let value = self.value(inner)?;
                match e.ty.pointed_data() {
                    Some(to) => self.cast(inner, value, to)?,
                    None => self.convert(value, inner, &e.ty, span),
                }
            }
            ExprKind::Assign(place, value) => {
                let value = self.value(value)?;
                let sort = self.sort(&place.ty, span)?;
                let value = self.stable(value, sort, span);
                self.assign(place, value, span)?;
                value
            }
            ExprKind::Update(update) => self.update(update, span)?,
            ExprKind::Call(callee, arguments) => {
                let result = self.call(callee, arguments, Some(&e.ty), span)?;
                result.unwrap_or_else(|| self.number(Int::ZERO, span))
            }
            ExprKind::Compound(id, items) => {
                self.declaration(*id, Some(items), span)?;
                let part = self.variable(*id);
                let held = self.scalar(&part);
                self.fetch(held, span)
            }
            ExprKind::Library(known @ (Known::Allocate(_) | Known::Elements), ..)
                if self.memory.analysis.site(e).is_some() =>
            {
                self.allocation(e, *known == Known::Allocate(true))?
            }
            ExprKind::Library(known, name, arguments) => {
                let result = self.library((*known, name), arguments, &e.ty, true, span)?;
                result.unwrap_or_else(|| self.number(Int::ZERO, span))
            }
        })
    }

    /// An expression whose value is not used.
    pub(super) fn effect(&mut self, e: &Expr) -> Lowered<()> {
        let span = e.span;
        if self.known(e).is_some() {
            return Ok(());
        }
        match &e.kind {
            ExprKind::Number(_) | ExprKind::Function(_) => {}
            ExprKind::Convert(inner) | ExprKind::Unary(Unary::Not, inner) => self.effect(inner)?,
            ExprKind::Comma(first, rest) => {
                self.full_effect(first)?;
                self.full_effect(rest)?;
            }
            ExprKind::Logical(is_and, a, b) => {
                let (mut yes, mut no) = (vec![], vec![]);
                self.full_branch(a, &mut yes, &mut no)?;
                let (inside, around) = if *is_and { (yes, no) } else { (no, yes) };
                self.patch(&inside);
                self.full_effect(b)?;
                self.patch(&around);
            }
            ExprKind::Conditional(condition, yes, no) => {
                self.conditional(condition, |this, chosen| this.full_effect(if chosen { yes } else { no }))?;
            }
            ExprKind::Assign(place, value) if !place.ty.is_scalar() => {
                self.assign_structure(place, value, &mut |_, _| Ok(()))?;
            }
            ExprKind::Assign(place, value) => {
                let value = self.value(value)?;
                let value = self.unwrapped(value, &place.ty);
                self.assign(place, value, span)?;
            }
            ExprKind::Update(update) => {
                self.each(&update.place, &mut |this, part| {
                    let to = this.scalar(&part);
                    let old = this.old(&update.place, &part);
                    let new = this.updated(update, old, span)?;
                    let new = this.unwrapped(new, &update.place.ty);
                    this.store(to, new, span);
                    Ok(())
                })?;
            }
            ExprKind::Call(callee, arguments) => {
                self.call(callee, arguments, None, span)?;
                if let Callee::Function(id) = callee {
                    self.forget_results(*id, span);
                }
            }
            ExprKind::Compound(id, items) => self.declaration(*id, Some(items), span)?,
            ExprKind::Library(known, name, arguments) => {
                self.library((*known, name), arguments, &e.ty, false, span)?;
            }
            ExprKind::Load(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Address(_)
            | ExprKind::Offset(..)
            | ExprKind::Difference(..) => {
                if e.ty.is_scalar() {
                    let value = self.value(e)?;
                    // What fails fails, used or not.
                    if !self.total(e) {
                        let sort = self.sort(&e.ty, span)?;
                        self.kept(value, sort, span);
                    }
                }
            }
        }
        Ok(())
    }

    /// What a place holds.
    pub(super) fn load(&mut self, place: &Place) -> Lowered<ExpressionId> {
        let span = place.span;
        if self.choices(place) != 1 {
            let sort = self.sort(&place.ty, span)?;
            let result = self.local(None, sort, None, span);
            self.each(place, &mut |this, part| {
                let value = this.held(&part, span);
                this.emit(Statement::Set(Base::Local(result).whole(), value), span);
                Ok(())
            })?;
            return Ok(self.read(result, span));
        }
        let part = self.part(place)?;
        Ok(self.held(&part, span))
    }

    /// Stores a scalar.
    fn assign(&mut self, place: &Place, value: ExpressionId, span: Span) -> Lowered<()> {
        let value = match self.choices(place) {
            1 => value,
            _ => {
                let sort = self.sort(&place.ty, span)?;
                self.stable(value, sort, span)
            }
        };
        self.each(place, &mut |this, part| {
            let to = this.scalar(&part);
            this.store(to, value, span);
            Ok(())
        })
    }

    /// A value that does not change when something is written afterwards.
    pub(super) fn stable(&mut self, value: ExpressionId, sort: Sort, span: Span) -> ExpressionId {
        if self.module.constant(value).is_some() {
            return value;
        }
        let local = self.kept(value, sort, span);
        self.read(local, span)
    }

    /// What is stored is brought in range by the cell.
    fn unwrapped(&self, value: ExpressionId, ty: &Type) -> ExpressionId {
        match (self.module.expression(value), ty) {
            (Expression::Wrap(data, inner), Type::Integer(integer)) if *data == integer.data() => *inner,
            _ => value,
        }
    }

    fn update(&mut self, update: &Update, span: Span) -> Lowered<ExpressionId> {
        let sort = self.sort(&update.place.ty, span)?;
        let result = self.local(None, sort, None, span);
        let to_result = Base::Local(result).whole();
        self.each(&update.place, &mut |this, part| {
            let to = this.scalar(&part);
            let load = this.old(&update.place, &part);
            if update.old {
                this.emit(Statement::Set(to_result, load), span);
                let old = this.read(result, span);
                let new = this.updated(update, old, span)?;
                this.store(to, new, span);
            } else {
                let new = this.updated(update, load, span)?;
                this.emit(Statement::Set(to_result, new), span);
                let new = this.read(result, span);
                this.store(to, new, span);
            }
            Ok(())
        })?;
        Ok(self.read(result, span))
    }

    /// What a place holds before it is changed.
    fn old(&mut self, place: &Place, part: &Part) -> ExpressionId {
        match self.known_old(place) {
            Some(old) => old,
            None => self.held(part, place.span),
        }
    }

    /// What a scalar holds, as the type that it is read as. A pointer may say another sign than that of its cell.
    fn held(&mut self, part: &Part, span: Span) -> ExpressionId {
        let from = self.scalar(part);
        let value = self.fetch(from, span);
        let sort = match from.base {
            Base::Local(local) => &self.body.locals[local.index()].sort,
            Base::Module(cell) => match &self.module.cell(cell).kind {
                CellKind::Value(sort) => sort,
                CellKind::Mutex | CellKind::Semaphore(_) => return value,
            },
        };
        match (&part.ty, sort) {
            (Type::Integer(integer), Sort::Data(data)) if *data != integer.data() => {
                self.add(Expression::Wrap(integer.data(), value), span)
            }
            _ => value,
        }
    }

    /// The new value of a place that is changed by an operator.
    fn updated(&mut self, update: &Update, old: ExpressionId, span: Span) -> Lowered<ExpressionId> {
        let Update { place, operator, operand, within, .. } = update;
        if place.ty.pointed_data().is_some() {
            let sort = self.sort(&place.ty, span)?;
            let old = self.stable(old, sort, span);
            let amount = self.value(operand)?;
            let points = self.memory.analysis.held(place);
            self.is_some(old, span);
            let to = place.ty.pointed_data().cloned().unwrap_or(Type::Void);
            return self.moved_by(old, (amount, *operator == Binary::Subtract), &points, &to, span);
        }
        let right = self.value(operand)?;
        let left = self.converted(old, &place.ty, within, span);
        let exact = self.operation(*operator, (left, within), (right, operand), within, span);
        Ok(self.converted(exact, within, &place.ty, span))
    }

    /// An operator on two values of their types.
    fn operation(
        &mut self,
        operator: Binary,
        (left, left_type): (ExpressionId, &Type),
        (right, operand): (ExpressionId, &Expr),
        result: &Type,
        span: Span,
    ) -> ExpressionId {
        let integer = left_type.integer();
        if let Some(integer) = integer.filter(|_| operator.shifts()) {
            self.shift_is_allowed(integer, right, operand, span);
        }
        let divides = matches!(operator, Binary::Divide | Binary::Remainder);
        if let Some(integer) = integer.filter(|integer| divides && integer.signed) {
            self.quotient_fits(integer, left, right, operand, span);
        }
        let exact = self.binary(operator.operator(), left, right, span);
        let checked = !matches!(operator, Binary::ShiftLeft);
        match operator {
            Binary::Add | Binary::Subtract | Binary::Multiply | Binary::ShiftLeft => {
                self.ranged(exact, result, checked, span)
            }
            _ => exact,
        }
    }

    /// Fails if the amount of a shift is negative or not below the width.
    fn shift_is_allowed(&mut self, integer: Integer, amount: ExpressionId, operand: &Expr, span: Span) {
        let bits = Int::from(u64::from(integer.bits));
        if let ExprKind::Number(n) = &operand.kind
            && !n.is_negative()
            && *n < bits
        {
            return;
        }
        let bits = self.number(bits, span);
        let mut allowed = self.binary(Operator::Less, amount, bits, span);
        if operand.ty.integer().is_some_and(|integer| integer.signed) {
            let zero = self.number(Int::ZERO, span);
            let above = self.binary(Operator::LessEqual, zero, amount, span);
            allowed = self.binary(Operator::Both, above, allowed, span);
        }
        self.emit(Statement::Assert(allowed, Kind::Shift), span);
    }

    /// Fails if the least number is divided by -1.
    fn quotient_fits(
        &mut self,
        integer: Integer,
        left: ExpressionId,
        right: ExpressionId,
        operand: &Expr,
        span: Span,
    ) {
        if let ExprKind::Number(n) = &operand.kind
            && *n != Int::from(-1i64)
        {
            return;
        }
        let least = self.number(integer.range().0, span);
        let other = self.binary(Operator::NotEqual, left, least, span);
        let minus = self.number(Int::from(-1i64), span);
        let positive = self.binary(Operator::NotEqual, right, minus, span);
        let fits = self.binary(Operator::Either, other, positive, span);
        self.emit(Statement::Assert(fits, Kind::Overflow), span);
    }

    /// A result brought into the range of its type, or checked to be in it.
    pub(super) fn ranged(
        &mut self,
        exact: ExpressionId,
        ty: &Type,
        checked: bool,
        span: Span,
    ) -> ExpressionId {
        let Type::Integer(integer) = ty else { return exact };
        let checks = self.options.checks;
        let wanted = if integer.signed { checks.overflow } else { checks.unsigned_overflow };
        if checked && wanted {
            let (low, high) = integer.range();
            let (low, high) = (self.number(low, span), self.number(high, span));
            let above = self.binary(Operator::LessEqual, low, exact, span);
            let below = self.binary(Operator::LessEqual, exact, high, span);
            let inside = self.binary(Operator::Both, above, below, span);
            self.emit(Statement::Assert(inside, Kind::Overflow), span);
            return exact;
        }
        self.add(Expression::Wrap(integer.data(), exact), span)
    }

    fn convert(&mut self, value: ExpressionId, from: &Expr, to: &Type, span: Span) -> ExpressionId {
        if is_truth(from) && to.integer().is_some() {
            return value;
        }
        self.converted(value, &from.ty, to, span)
    }

    /// A value converted to another type.
    pub(super) fn converted(
        &mut self,
        value: ExpressionId,
        from: &Type,
        to: &Type,
        span: Span,
    ) -> ExpressionId {
        let (Type::Integer(from), Type::Integer(to)) = (from, to) else { return value };
        if to.rank == Rank::Bool && from.rank != Rank::Bool {
            let zero = self.number(Int::ZERO, span);
            return self.binary(Operator::NotEqual, value, zero, span);
        }
        match from.data().fits(&to.data()) {
            true => value,
            false => self.add(Expression::Wrap(to.data(), value), span),
        }
    }

    /// A truth value that is found out by jumps.
    fn decided(&mut self, e: &Expr) -> Lowered<ExpressionId> {
        let result = self.local(None, Sort::Data(Data::Bool), None, e.span);
        self.conditional(e, |this, chosen| {
            let value = this.number(Int::truth(chosen), e.span);
            this.emit(Statement::Set(Base::Local(result).whole(), value), e.span);
            Ok(())
        })?;
        Ok(self.read(result, e.span))
    }

    /// The one or the other, as a condition says.
    pub(super) fn conditional(
        &mut self,
        condition: &Expr,
        mut branch: impl FnMut(&mut Self, bool) -> Lowered<()>,
    ) -> Lowered<()> {
        let (mut yes, mut no) = (vec![], vec![]);
        self.full_branch(condition, &mut yes, &mut no)?;
        self.patch(&yes);
        branch(self, true)?;
        let end = self.jump(condition.span);
        self.patch(&no);
        branch(self, false)?;
        self.patch(&[end]);
        Ok(())
    }

    /// Jumps to the one place if a condition holds, to the other otherwise.
    pub(super) fn branch(&mut self, e: &Expr, yes: &mut Vec<Hole>, no: &mut Vec<Hole>) -> Lowered<()> {
        match &e.kind {
            ExprKind::Unary(Unary::Not, a) => self.branch(a, no, yes)?,
            ExprKind::Logical(is_and, a, b) => {
                let mut inside = vec![];
                match is_and {
                    true => self.full_branch(a, &mut inside, no)?,
                    false => self.full_branch(a, yes, &mut inside)?,
                }
                self.patch(&inside);
                self.full_branch(b, yes, no)?;
            }
            ExprKind::Comma(first, rest) => {
                self.full_effect(first)?;
                self.full_branch(rest, yes, no)?;
            }
            ExprKind::Binary(Binary::NotEqual, a, b) if is_zero(b) && a.ty.is_scalar() => {
                self.branch(a, yes, no)?;
            }
            ExprKind::Number(n) => {
                let hole = self.jump(e.span);
                if n.is_zero() { no.push(hole) } else { yes.push(hole) }
            }
            _ => {
                let value = match &e.kind {
                    // Only whether the number is 0 matters.
                    ExprKind::Library(Known::Class(ranges), _, arguments) => {
                        self.class(ranges, arguments, e.span)?
                    }
                    _ => self.value(e)?,
                };
                let here = self.here();
                let at = self.emit(Statement::Branch(value, here, here), e.span);
                yes.push((at, true));
                no.push((at, false));
            }
        }
        Ok(())
    }
}

/// Whether the value of an expression is 0 or 1.
fn is_truth(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary(operator, ..) => operator.compares(),
        ExprKind::Logical(..) | ExprKind::Unary(Unary::Not, _) => true,
        ExprKind::Convert(inner) => e.ty.integer().is_some() && is_truth(inner),
        _ => e.ty.integer().is_some_and(|integer| integer.rank == Rank::Bool),
    }
}

fn is_zero(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Number(n) if n.is_zero())
}

impl Lowering<'_> {
    /// Whether an expression has no effect and always has a value.
    fn total(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Number(_) | ExprKind::Function(_) => true,
            ExprKind::Load(place) => self.plain(place),
            ExprKind::Unary(Unary::Negate, a) => !self.options.checks.overflow && self.total(a),
            ExprKind::Unary(_, a) => self.total(a),
            ExprKind::Binary(operator, a, b) => operator.compares() && self.total(a) && self.total(b),
            ExprKind::Logical(_, a, b) => self.total(a) && self.total(b),
            ExprKind::Convert(inner) => self.total(inner),
            _ => false,
        }
    }

    /// Whether a place is found without an index, and can be read at any time.
    fn plain(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Member(inner, _) => self.plain(inner),
            PlaceKind::Element(..) | PlaceKind::Target(_) => false,
            PlaceKind::Object(id) => !self.is_shared(*id),
            PlaceKind::Variable(id) => {
                self.locals(*id).iter().all(|local| !self.body.bits.contains_key(local))
            }
        }
    }
}
