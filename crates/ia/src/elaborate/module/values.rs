//! Values: expressions without effects, with statements before them for what has some.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::module::{Base, Expression, Label, Sort, Statement};
use agon_core::term::{Operator, Unary};
use agon_core::types::Data;

use super::commands::Want;
use super::scope::{Bound, Scope};
use super::sorts::{Known, Value};
use super::{Hole, Lowering};
use crate::tree::{Binary, Node, NodeId};

impl<'a> Lowering<'a> {
    pub(super) fn value(&mut self, id: NodeId, scope: Scope) -> Value {
        self.term(id, scope, &Want::Value)
    }

    /// A number, or an operator and its operands.
    pub(super) fn operation(&mut self, id: NodeId, scope: Scope) -> Value {
        let span = self.base.program.tree.span(id);
        match self.base.program.tree.node(id) {
            Node::Number(n) => self.data(Expression::Number(n.clone()), Data::Int, span),
            Node::Truth(b) => self.data(Expression::Number(Int::truth(*b)), Data::Bool, span),
            Node::Negate(inner) => self.unary(Unary::Negate, *inner, Data::Int, scope, span),
            Node::Not(inner) => self.unary(Unary::Not, *inner, Data::Bool, scope, span),
            Node::Deref(inner) if self.is_variable(*inner, scope) => self.value(*inner, scope),
            Node::Deref(inner) => {
                let span = self.base.program.tree.span(*inner);
                let message = "`!` reads a variable, and this is none";
                let diagnostic = Diagnostic::error(Code::Mismatch, message, span, "expected a variable");
                self.base.report(diagnostic.help("for negation, write `not`"));
                self.nothing(span)
            }
            Node::Binary(operator, left, right) => self.binary(id, *operator, (*left, *right), scope, span),
            Node::List(_) => {
                let message = "a list gives an array its initial values; it is no value itself";
                self.base.report(Diagnostic::error(Code::Mismatch, message, span, "a list"));
                self.nothing(span)
            }
            _ => self.nothing(span),
        }
    }

    fn unary(&mut self, operator: Unary, inner: NodeId, data: Data, scope: Scope, span: Span) -> Value {
        let inner = self.value(inner, scope);
        let inner = self.as_data(inner, "the operand");
        self.data(Expression::Unary(operator, inner.id), data, span)
    }

    fn binary(
        &mut self,
        id: NodeId,
        operator: Binary,
        (left, right): (NodeId, NodeId),
        scope: Scope,
        span: Span,
    ) -> Value {
        let operator = match operator {
            // The right side is evaluated only if it counts, unless nobody can tell.
            Binary::And | Binary::Or if !self.is_plain(right, scope) => return self.decided(id, scope, span),
            _ => operator.operator(),
        };
        let mut before = [self.value(left, scope)];
        let mut right = match self.is_plain(right, scope) {
            true => self.value(right, scope),
            false => self.kept(&mut before, |lowering| lowering.value(right, scope)),
        };
        let [mut left] = before;
        if matches!(operator, Operator::Equal | Operator::NotEqual) {
            self.join(&left, &right, span, "the two sides");
        } else {
            left = self.as_data(left, "the left operand");
            right = self.as_data(right, "the right operand");
        }
        let data = if operator.is_truth() { Data::Bool } else { Data::Int };
        self.data(Expression::Binary(operator, left.id, right.id), data, span)
    }

    /// A condition as a value, by jumps.
    fn decided(&mut self, id: NodeId, scope: Scope, span: Span) -> Value {
        let result = self.local(None, Sort::Data(Data::Bool), None, span);
        let (yes, no) = self.branch(id, scope);
        self.patch(&yes);
        let truth = self.number(Int::ONE, span);
        self.emit(Statement::Set(Base::Local(result).whole(), truth), span);
        let over = self.emit(Statement::Jump(Label(0)), span);
        self.patch(&no);
        let falsehood = self.number(Int::ZERO, span);
        self.emit(Statement::Set(Base::Local(result).whole(), falsehood), span);
        self.patch(&[(over, true)]);
        Value { id: self.load(result, span), known: Known::Sort(Sort::Data(Data::Bool)) }
    }

    /// Jumps for a condition: those that are taken if it holds, and those that are taken if not.
    pub(super) fn branch(&mut self, id: NodeId, scope: Scope) -> (Vec<Hole>, Vec<Hole>) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.branch_here(id, scope))
    }

    fn branch_here(&mut self, id: NodeId, scope: Scope) -> (Vec<Hole>, Vec<Hole>) {
        match self.base.program.tree.node(id) {
            Node::Not(inner) => {
                let (yes, no) = self.branch(*inner, scope);
                (no, yes)
            }
            Node::Binary(Binary::And, left, right) => {
                let (first, mut no) = self.branch(*left, scope);
                self.patch(&first);
                let (yes, second) = self.branch(*right, scope);
                no.extend(second);
                (yes, no)
            }
            Node::Binary(Binary::Or, left, right) => {
                let (mut yes, first) = self.branch(*left, scope);
                self.patch(&first);
                let (second, no) = self.branch(*right, scope);
                yes.extend(second);
                (yes, no)
            }
            _ => {
                let value = self.value(id, scope);
                let value = self.as_data(value, "a condition");
                let span = self.module.span(value.id);
                let at = self.emit(Statement::Branch(value.id, Label(0), Label(0)), span);
                (vec![(at, true)], vec![(at, false)])
            }
        }
    }

    /// Lowers something behind values. If it has effects, the values are put aside before it.
    pub(super) fn kept<T>(&mut self, before: &mut [Value], lower: impl FnOnce(&mut Self) -> T) -> T {
        let unstable: Vec<usize> = (0..before.len()).filter(|n| !self.is_stable(before[*n].id)).collect();
        let start = self.body.statements.len();
        for n in &unstable {
            let span = self.module.span(before[*n].id);
            self.body.statements.push((Statement::Jump(Label(0)), span));
        }
        let behind = self.body.statements.len();
        let lowered = lower(self);
        if self.body.statements.len() == behind {
            self.body.statements.truncate(start);
            return lowered;
        }
        for (place, n) in (start..).zip(unstable) {
            let span = self.module.span(before[n].id);
            let sort = match &before[n].known {
                Known::Sort(sort) => sort.clone(),
                Known::Null | Known::Any => Sort::Data(Data::Int),
            };
            let local = self.local(None, sort, None, span);
            self.body.statements[place].0 = Statement::Set(Base::Local(local).whole(), before[n].id);
            before[n].id = self.load(local, span);
        }
        lowered
    }

    /// Whether a term is an expression that has no effects and cannot fail, as far as its text tells.
    fn is_plain(&self, id: NodeId, scope: Scope) -> bool {
        let plain =
            |id: &NodeId| stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.is_plain(*id, scope));
        match self.base.program.tree.node(id) {
            Node::Number(_) | Node::Truth(_) => true,
            Node::Name(name) => !matches!(
                self.scopes.find(scope, name).0,
                Some(Bound::Definition(..) | Bound::Argument(..) | Bound::Command)
            ),
            Node::Negate(inner) | Node::Not(inner) | Node::Deref(inner) => plain(inner),
            Node::Binary(Binary::Divide | Binary::Modulo, ..) => false,
            Node::Binary(_, left, right) => plain(left) && plain(right),
            _ => false,
        }
    }
}
