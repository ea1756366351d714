//! Sorts of values, and conversions between them.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::module::{Base, Expression, ExpressionId, LocalId, Signature, SignatureId, Sort};
use agon_core::types::Data;

use super::Lowering;
use crate::tree::{DataKind, DataNode, FunctionNode, TypeKind, TypeNode};

/// A value: an expression without effects, and what is known of its sort.
#[derive(Clone)]
pub(super) struct Value {
    pub id: ExpressionId,
    pub known: Known,
}

#[derive(Clone, PartialEq)]
pub(super) enum Known {
    Sort(Sort),
    /// `null`: a name of a function of any type.
    Null,
    /// The value of what never gives one, or could not be understood.
    Any,
}

/// The type of a parameter or of a definition inside a body.
#[derive(Clone, PartialEq)]
pub(super) enum Passed {
    Command,
    Value(Sort),
    Variable(Sort),
    Array(Sort, u64),
    /// What was refused.
    Nothing,
}

impl<'a> Lowering<'a> {
    pub(super) fn sort(&mut self, node: &DataNode) -> Sort {
        match &node.kind {
            DataKind::Function(function) => {
                let id = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.signature(function));
                self.module.function_sort(id)
            }
            _ => Sort::Data(self.base.data(node)),
        }
    }

    pub(super) fn signature(&mut self, node: &FunctionNode) -> SignatureId {
        let parameters = node.parameters.iter().map(|data| self.sort(data)).collect();
        let result = node.result.as_ref().map(|data| self.sort(data));
        self.module.add_signature(Signature { parameters, result })
    }

    pub(super) fn passed(&mut self, ty: &TypeNode) -> Passed {
        match &ty.kind {
            TypeKind::Missing => Passed::Nothing,
            TypeKind::Com => Passed::Command,
            TypeKind::Exp(data) => Passed::Value(self.sort(data)),
            TypeKind::Var(data, None) => Passed::Variable(self.sort(data)),
            TypeKind::Var(data, Some(length)) => Passed::Array(self.sort(data), self.base.length(*length)),
            TypeKind::Sem(_) | TypeKind::Fun(..) => {
                let help = "definitions inside a procedure take commands, values, variables and arrays";
                self.refuse("semaphores and procedures as arguments by name", ty.span, help);
                Passed::Nothing
            }
        }
    }

    /// A value for what gives none.
    pub(super) fn nothing(&mut self, span: Span) -> Value {
        Value { id: self.number(Int::ZERO, span), known: Known::Any }
    }

    pub(super) fn data(&mut self, expression: Expression, data: Data, span: Span) -> Value {
        Value { id: self.expression(expression, span), known: Known::Sort(Sort::Data(data)) }
    }

    pub(super) fn load(&mut self, local: LocalId, span: Span) -> ExpressionId {
        self.expression(Expression::Load(Base::Local(local).whole()), span)
    }

    pub(super) fn show(&self, known: &Known) -> String {
        match known {
            Known::Sort(sort) => self.module.show_sort(sort),
            Known::Null => "null".into(),
            Known::Any => "any type".into(),
        }
    }

    /// The value as one of a sort, or a diagnostic that says why it is needed.
    pub(super) fn convert(&mut self, value: Value, to: &Sort, why: &str) -> ExpressionId {
        let span = self.module.span(value.id);
        match (&value.known, to) {
            (Known::Any, _) | (Known::Null, Sort::Function(_)) => value.id,
            (Known::Sort(Sort::Data(from)), Sort::Data(data)) if from.fits(data) => value.id,
            (Known::Sort(Sort::Data(_)), Sort::Data(data)) => match self.module.expression(value.id) {
                Expression::Number(n) => {
                    let n = data.wrap(n);
                    self.number(n, span)
                }
                _ => self.expression(Expression::Wrap(data.clone(), value.id), span),
            },
            (Known::Sort(sort), to) if sort == to => value.id,
            (known, to) => {
                let (from, to) = (self.show(known), self.module.show_sort(to));
                let diagnostic = Diagnostic::error(
                    Code::Mismatch,
                    format!("{why} must be of type `{to}`, but this is of type `{from}`"),
                    span,
                    format!("`{from}`, expected `{to}`"),
                );
                self.base.report(diagnostic);
                self.number(Int::ZERO, span)
            }
        }
    }

    /// The value as a number: names of functions are none.
    pub(super) fn as_data(&mut self, value: Value, why: &str) -> Value {
        match &value.known {
            Known::Any | Known::Sort(Sort::Data(_)) => value,
            known => {
                let (span, from) = (self.module.span(value.id), self.show(known));
                let diagnostic = Diagnostic::error(
                    Code::Mismatch,
                    format!("{why} must be data, but this is of type `{from}`"),
                    span,
                    format!("`{from}`, expected data"),
                );
                self.base.report(
                    diagnostic.help("compare the name of a function with `null` or with another one"),
                );
                self.nothing(span)
            }
        }
    }

    /// What is known of a value that is one of two.
    pub(super) fn join(&mut self, a: &Value, b: &Value, span: Span, what: &str) -> Known {
        match (&a.known, &b.known) {
            (Known::Any, other) | (other, Known::Any) => other.clone(),
            (Known::Sort(Sort::Data(x)), Known::Sort(Sort::Data(y))) => match x.same_values(y) {
                true => a.known.clone(),
                false => Known::Sort(Sort::Data(Data::Int)),
            },
            (Known::Null, other @ (Known::Null | Known::Sort(Sort::Function(_))))
            | (other @ Known::Sort(Sort::Function(_)), Known::Null) => other.clone(),
            (x, y) if x == y => x.clone(),
            (x, y) => {
                let (x, y) = (self.show(x), self.show(y));
                let message = format!("{what} are of types `{x}` and `{y}`, which do not go together");
                let diagnostic = Diagnostic::error(Code::Branches, message, span, "these two")
                    .also(self.module.span(a.id), format!("`{x}`"))
                    .also(self.module.span(b.id), format!("`{y}`"));
                self.base.report(diagnostic);
                Known::Any
            }
        }
    }

    /// Whether an expression has the same value whatever is done before it is evaluated, and cannot fail.
    pub(super) fn is_stable(&self, id: ExpressionId) -> bool {
        self.module.within(id).all(|id| match self.module.expression(id) {
            Expression::Load(place) => match (place.base, place.index) {
                (Base::Local(local), None) => self.body.locals[local.index()].name.is_none(),
                _ => false,
            },
            Expression::Binary(operator, ..) => !operator.divides(),
            _ => true,
        })
    }
}
