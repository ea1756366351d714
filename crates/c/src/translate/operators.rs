//! Operators: the types of their operands and results, conversions, and what is known before the program runs.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;

use super::{Checked, Translator};
use crate::tree::{Binary, Expr, ExprKind, Unary};
use crate::types::{FunctionType, Integer, Type};

pub(super) fn number(n: Int, ty: Type, span: Span) -> Expr {
    Expr { kind: ExprKind::Number(n), ty, span }
}

fn is_null(value: &Expr) -> bool {
    let null = matches!(&value.kind, ExprKind::Number(n) if n.is_zero());
    null && (value.ty.integer().is_some() || value.ty == Type::Void.pointer())
}

pub(super) fn mistyped(message: impl Into<String>, span: Span, label: &str) -> Diagnostic {
    Diagnostic::error(Code::CType, message, span, label)
}

impl Translator<'_> {
    /// A value as the type that an assignment, an argument or a result needs.
    pub(super) fn converted(&self, value: Expr, to: &Type, cast: bool) -> Checked<Expr> {
        let span = value.span;
        if value.ty == *to {
            return Ok(value);
        }
        match (&value.ty, to) {
            (_, Type::Unsupported(what)) | (Type::Unsupported(what), _) => {
                Err(super::unsupported(*what, span))
            }
            (Type::Integer(_), Type::Integer(to)) => Ok(integer(value, *to)),
            (Type::Integer(_), Type::Pointer(_)) if is_null(&value) => {
                Ok(number(Int::ZERO, to.clone(), span))
            }
            (Type::Pointer(_), Type::Integer(to)) if to.rank == crate::types::Rank::Bool => {
                Ok(integer(self.truth(value), *to))
            }
            (Type::Pointer(from), Type::Pointer(into)) => {
                let fits = match (&**from, &**into) {
                    (Type::Function(from), Type::Function(into)) => same_functions(from, into),
                    (Type::Function(_), _) | (_, Type::Function(_)) => is_null(&value),
                    (from, into) => cast || from == into || *from == Type::Void || *into == Type::Void,
                };
                match fits {
                    true => Ok(Expr { kind: ExprKind::Convert(Box::new(value)), ty: to.clone(), span }),
                    false => Err(pointer("a pointer becomes a pointer to something else", span)),
                }
            }
            (Type::Pointer(_), Type::Integer(_)) => Err(pointer("a pointer becomes an integer", span)),
            (Type::Integer(_), Type::Pointer(_)) => Err(pointer("an integer becomes a pointer", span)),
            // A structure of another unit is the same if it has the same members.
            (Type::Struct(_), Type::Struct(_)) if self.program.alike(&value.ty, to) => {
                Ok(Expr { ty: to.clone(), ..value })
            }
            (_, Type::Void) if cast => {
                Ok(Expr { kind: ExprKind::Convert(Box::new(value)), ty: Type::Void, span })
            }
            (from, to) => {
                let message = format!("{} is used as {}", self.words(from), self.words(to));
                Err(mistyped(message, span, "of another type"))
            }
        }
    }

    /// A type, in words.
    pub(super) fn words(&self, ty: &Type) -> String {
        match ty {
            Type::Void => "no value".into(),
            Type::Integer(integer) => format!("a value of type `{integer}`"),
            Type::Pointer(to) if matches!(**to, Type::Function(_)) => "a pointer to a function".into(),
            Type::Pointer(_) => "a pointer".into(),
            Type::Array(..) => "an array".into(),
            Type::Struct(id) => match &self.program.structs[id.0 as usize].name {
                Some(name) => format!("a `struct {name}`"),
                None => "a structure".into(),
            },
            Type::Function(_) => "a function".into(),
            Type::Mutex => "a mutex".into(),
            Type::Unsupported(what) => what.words().into(),
        }
    }

    /// Whether a value is not 0, as an `int`.
    pub(super) fn truth(&self, value: Expr) -> Expr {
        let span = value.span;
        let zero = number(Int::ZERO, value.ty.clone(), span);
        self.folded(Binary::NotEqual, value, zero, self.int(), span)
    }

    /// Refuses what is neither an integer nor a pointer.
    pub(super) fn scalar(&self, value: Expr) -> Checked<Expr> {
        if let Type::Unsupported(what) = value.ty {
            return Err(super::unsupported(what, value.span));
        }
        match value.ty.is_scalar() {
            true => Ok(value),
            false => {
                let message = format!("{} is used where a number is needed", self.words(&value.ty));
                Err(mistyped(message, value.span, "not a number"))
            }
        }
    }

    fn arithmetic(&self, value: &Expr) -> Checked<Integer> {
        match &value.ty {
            Type::Integer(integer) => Ok(*integer),
            Type::Unsupported(what) => Err(super::unsupported(*what, value.span)),
            other => {
                let message = format!("{} is used where a number is needed", self.words(other));
                Err(mistyped(message, value.span, "not a number"))
            }
        }
    }

    /// An operator of one operand.
    pub(super) fn unary(&self, operator: Unary, value: Expr, span: Span) -> Checked<Expr> {
        if operator == Unary::Not {
            let value = self.scalar(value)?;
            if let ExprKind::Number(n) = &value.kind {
                return Ok(number(Int::truth(n.is_zero()), self.int(), span));
            }
            return Ok(Expr { kind: ExprKind::Unary(operator, Box::new(value)), ty: self.int(), span });
        }
        let promoted = self.promoted(value)?;
        let ty = promoted.ty.clone();
        if let (ExprKind::Number(n), Some(within)) = (&promoted.kind, ty.integer()) {
            let exact = match operator {
                Unary::Negate => n.neg(),
                _ => n.neg().sub(&Int::ONE),
            };
            if !within.signed || within.holds(&exact) {
                return Ok(number(within.convert(&exact), ty, span));
            }
        }
        Ok(Expr { kind: ExprKind::Unary(operator, Box::new(promoted)), ty, span })
    }

    /// A value after the integer promotions.
    pub(super) fn promoted(&self, value: Expr) -> Checked<Expr> {
        let promoted = self.program.model.promote(self.arithmetic(&value)?);
        Ok(integer(value, promoted))
    }

    /// An operator of two operands, after the usual arithmetic conversions.
    pub(super) fn binary(&self, operator: Binary, left: Expr, right: Expr, span: Span) -> Checked<Expr> {
        if operator.shifts() {
            let (left, right) = (self.promoted(left)?, self.promoted(right)?);
            let ty = left.ty.clone();
            return Ok(self.folded(operator, left, right, ty, span));
        }
        if matches!(operator, Binary::Equal | Binary::NotEqual)
            && (matches!(left.ty, Type::Pointer(_)) || matches!(right.ty, Type::Pointer(_)))
        {
            let ty = if is_null(&left) || left.ty.integer().is_some() { &right.ty } else { &left.ty };
            let ty = ty.clone();
            let (left, right) = (self.converted(left, &ty, false)?, self.converted(right, &ty, false)?);
            return Ok(self.folded(operator, left, right, self.int(), span));
        }
        match (left.ty.pointed_data().is_some(), right.ty.pointed_data().is_some(), operator) {
            (true, false, Binary::Add) => return self.moved(left, right, false, span),
            (false, true, Binary::Add) => return self.moved(right, left, false, span),
            (true, false, Binary::Subtract) => return self.moved(left, right, true, span),
            (true, true, Binary::Subtract) => {
                let ty = Type::Integer(self.program.model.difference());
                let kind = ExprKind::Difference(Box::new(left), Box::new(right));
                return Ok(Expr { kind, ty, span });
            }
            (true, true, _) if operator.compares() => {
                let ty = left.ty.clone();
                let right = self.converted(right, &ty, false)?;
                let (left, right) = (Box::new(left), Box::new(right));
                return Ok(Expr { kind: ExprKind::Binary(operator, left, right), ty: self.int(), span });
            }
            _ => {}
        }
        let within = self.program.model.common(self.arithmetic(&left)?, self.arithmetic(&right)?);
        let (left, right) = (integer(left, within), integer(right, within));
        let ty = if operator.compares() { self.int() } else { Type::Integer(within) };
        Ok(self.folded(operator, left, right, ty, span))
    }

    /// The type in which an assignment such as `+=` computes, and its operand.
    pub(super) fn within(
        &self,
        operator: Binary,
        place: &Type,
        operand: Expr,
        span: Span,
    ) -> Checked<(Type, Expr)> {
        if place.pointed_data().is_some() && matches!(operator, Binary::Add | Binary::Subtract) {
            return Ok((place.clone(), self.promoted(operand)?));
        }
        let left = number(Int::ZERO, place.clone(), span);
        let model = self.program.model;
        if operator.shifts() {
            let within = model.promote(self.arithmetic(&left)?);
            return Ok((Type::Integer(within), self.promoted(operand)?));
        }
        let within = model.common(self.arithmetic(&left)?, self.arithmetic(&operand)?);
        Ok((Type::Integer(within), integer(operand, within)))
    }

    /// An operator whose operands have their types; a number if both are known and the result is defined.
    fn folded(&self, operator: Binary, left: Expr, right: Expr, ty: Type, span: Span) -> Expr {
        if let (ExprKind::Number(a), ExprKind::Number(b)) = (&left.kind, &right.kind)
            && let Some(n) = compute(operator, a, b, left.ty.integer(), ty.integer())
        {
            return number(n, ty, span);
        }
        Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), ty, span }
    }
}

/// An integer converted to a type.
pub(super) fn integer(value: Expr, to: Integer) -> Expr {
    let (ty, span) = (Type::Integer(to), value.span);
    if value.ty == ty {
        return value;
    }
    if let ExprKind::Number(n) = &value.kind {
        return number(to.convert(n), ty, span);
    }
    Expr { kind: ExprKind::Convert(Box::new(value)), ty, span }
}

/// Whether a pointer to one may be one to the other: what is not known of the parameters fits.
fn same_functions(a: &FunctionType, b: &FunctionType) -> bool {
    a.result == b.result
        && (!a.prototype || !b.prototype || (a.parameters == b.parameters && a.variadic == b.variadic))
}

fn pointer(message: &str, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::PointerConversion, message, span, "converted here");
    diagnostic.help("pointers keep their types; only null and `void *` fit elsewhere")
}

/// The result of an operator; nothing where it is undefined.
fn compute(
    operator: Binary,
    a: &Int,
    b: &Int,
    left: Option<Integer>,
    result: Option<Integer>,
) -> Option<Int> {
    if operator.shifts() {
        b.to_u64().filter(|amount| left.is_some_and(|left| *amount < u64::from(left.bits)))?;
    }
    let exact = operator.operator().apply(a, b)?;
    match result {
        // Compilers take a sign bit that is shifted in.
        Some(result) if !result.signed || operator == Binary::ShiftLeft => Some(result.convert(&exact)),
        Some(result) if result.holds(&exact) => Some(exact),
        _ => None,
    }
}
