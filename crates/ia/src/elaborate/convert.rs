//! Conversions: reading a variable where a value is needed, bringing values into range.

use std::sync::Arc;

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::source::Span;
use agon_core::term::{Construct, TermId};
use agon_core::types::{Data, Type};

use super::Elaborator;

impl Elaborator<'_> {
    /// The term as one of the given type, or a diagnostic that says why it is needed.
    pub(super) fn convert(&mut self, term: TermId, to: &Type, why: &str) -> TermId {
        match self.converted(term, to) {
            Some(term) => term,
            None => {
                let (ty, span) = (self.terms.ty(term).clone(), self.terms.span(term));
                let mut diagnostic = Diagnostic::error(
                    Code::Mismatch,
                    format!("{why} must be of type `{to}`, but this is of type `{ty}`"),
                    span,
                    format!("`{ty}`, expected `{to}`"),
                );
                diagnostic.help = match (&ty, to) {
                    (Type::Exp(_) | Type::Var(_), Type::Com) => {
                        Some("a value alone is not a command; assign it, or use it in a condition".into())
                    }
                    (Type::Com, Type::Exp(_)) => {
                        Some("a command gives no value; end it with one: `{ …; value }`".into())
                    }
                    (Type::Exp(_), Type::Var(_)) => {
                        Some("declare a variable for it: `new … x := … in`".into())
                    }
                    (Type::Fun(..), _) if matches!(self.terms.construct(term), Construct::Lambda(..)) => Some(
                        "the body of `fun` ends before the next `;`; put a longer one in braces: `{ …; … }`"
                            .into(),
                    ),
                    (Type::Fun(..), _) => Some("give it its arguments".into()),
                    _ => None,
                };
                self.report(diagnostic);
                self.broken(span)
            }
        }
    }

    fn converted(&mut self, term: TermId, to: &Type) -> Option<TermId> {
        let from = self.terms.ty(term).clone();
        let span = self.terms.span(term);
        if from == Type::Never || *to == Type::Never || without_change(&from, to) {
            return Some(term);
        }
        match (&from, to) {
            (Type::Exp(_), Type::Exp(data)) => Some(self.wrap(term, data, span)),
            (Type::Var(_), Type::Exp(_)) => {
                let value = self.read(term);
                self.converted(value, to)
            }
            (Type::Var(_), Type::Var(data)) => {
                Some(self.add(Construct::WrapVariable(data.clone(), term), to.clone(), span))
            }
            (Type::Fun(..), Type::Fun(..)) => self.expanded(term, to, span),
            _ => None,
        }
    }

    fn wrap(&mut self, term: TermId, data: &Data, span: Span) -> TermId {
        let construct = match self.terms.construct(term) {
            Construct::Number(n) => Construct::Number(data.wrap(n)),
            _ => Construct::Wrap(data.clone(), term),
        };
        self.add(construct, Type::Exp(data.clone()), span)
    }

    /// A procedure as one of another type: `fun x . f(x)`, with `x` and the result converted.
    fn expanded(&mut self, term: TermId, to: &Type, span: Span) -> Option<TermId> {
        let (Type::Fun(from_argument, from_result), Type::Fun(to_argument, to_result)) =
            (self.terms.ty(term).clone(), to)
        else {
            return None;
        };
        let var = self.terms.add_variable(Arc::from("x"), to_argument.ty.clone(), span);
        let variable = self.add(Construct::Variable(var), to_argument.ty.clone(), span);
        let argument = self.converted(variable, &from_argument.ty)?;
        let applied = self.add(Construct::Apply(term, argument), (*from_result).clone(), span);
        let result = self.converted(applied, to_result)?;
        Some(self.add(Construct::Lambda(var, result), to.clone(), span))
    }

    fn read(&mut self, term: TermId) -> TermId {
        let span = self.terms.span(term);
        match self.terms.ty(term).clone() {
            Type::Var(data) => self.add(Construct::Read(term), Type::Exp(data), span),
            _ => term,
        }
    }

    /// The term as a value of whatever data it has.
    pub(super) fn value(&mut self, term: TermId, why: &str) -> TermId {
        let term = self.read(term);
        let (ty, span) = (self.terms.ty(term).clone(), self.terms.span(term));
        if matches!(ty, Type::Exp(_) | Type::Never) {
            return term;
        }
        let mut diagnostic = Diagnostic::error(
            Code::Mismatch,
            format!("{why} must be a value, but this is of type `{ty}`"),
            span,
            format!("`{ty}`, expected a value"),
        );
        diagnostic.help = match ty {
            Type::Com => Some("a command gives no value; end it with one: `{ …; value }`".into()),
            Type::Array(..) => Some("say which element: `a[i]`".into()),
            Type::Fun(..) => Some("give it its arguments".into()),
            _ => None,
        };
        self.report(diagnostic);
        self.broken(span)
    }

    /// Both branches as terms of one type, and that type.
    pub(super) fn join(&mut self, left: TermId, right: TermId, span: Span) -> (TermId, TermId, Type) {
        let (a, b) = (self.terms.ty(left).clone(), self.terms.ty(right).clone());
        let ty = match (&a, &b) {
            (Type::Never, other) | (other, Type::Never) => other.clone(),
            (Type::Exp(x) | Type::Var(x), Type::Exp(y) | Type::Var(y)) => {
                let variables = matches!((&a, &b), (Type::Var(_), Type::Var(_)));
                match (variables, x == y || x.same_values(y)) {
                    (true, true) => a.clone(),
                    (false, true) => Type::Exp(x.clone()),
                    _ => Type::Exp(Data::Int),
                }
            }
            // A bound that only one of them has says nothing of the other.
            _ if without_change(&a, &b) => b.with_bounds(&a, |b, a| if a == b { b } else { None }),
            _ if without_change(&b, &a) => a.with_bounds(&b, |a, b| if a == b { a } else { None }),
            _ => {
                self.report(
                    Diagnostic::error(
                        Code::Branches,
                        format!("the branches are of types `{a}` and `{b}`, which do not go together"),
                        span,
                        "in this conditional",
                    )
                    .also(self.terms.span(left), format!("`{a}`"))
                    .also(self.terms.span(right), format!("`{b}`")),
                );
                Type::Never
            }
        };
        let (left, right) = match &ty {
            Type::Exp(_) => (self.read(left), self.read(right)),
            _ => (left, right),
        };
        (left, right, ty)
    }
}

/// Whether a term of the first type is one of the second without a conversion.
fn without_change(from: &Type, to: &Type) -> bool {
    match (from, to) {
        (Type::Exp(from), Type::Exp(to)) => from.fits(to),
        (Type::Var(from), Type::Var(to)) => from.same_values(to),
        (Type::Array(from, n), Type::Array(to, m)) => from.same_values(to) && n == m,
        (Type::Fun(from_argument, from_result), Type::Fun(to_argument, to_result)) => {
            without_change(&to_argument.ty, &from_argument.ty) && without_change(from_result, to_result)
        }
        _ => from == to,
    }
}
