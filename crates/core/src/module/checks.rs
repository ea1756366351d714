//! The checks of a module: the places of its text where it may fail.

use super::{Callee, Expression, ExpressionId, Module, Place, ProcedureId, Statement};
use crate::checks::{Check, Kind};
use agon_base::preorder::preorder;
use agon_base::source::Span;

impl Module {
    /// All checks but those of bounds, in the order of the text, outer ones before inner ones.
    pub fn checks(&self) -> Vec<Check> {
        let mut found = Vec::new();
        let several = self.threads > 1 || self.begins_threads();
        for (_, procedure) in self.procedures() {
            for (statement, span) in &procedure.body {
                self.checks_of(statement, *span, several, &mut found);
            }
        }
        found.sort_by_key(|check| (check.span.start, std::cmp::Reverse(check.span.end), check.kind));
        found.dedup();
        found
    }

    /// Whether a check that counts stands in a procedure. Those of procedures that it calls are theirs.
    pub fn has_watched_check(&self, id: ProcedureId) -> bool {
        let several = self.threads > 1 || self.begins_threads();
        let mut body = self.procedure(id).body.iter();
        body.any(|(statement, span)| self.has_watched(statement, *span, several))
    }

    /// Whether a check that counts stands in a statement, perhaps of one of several threads.
    pub(super) fn has_watched(&self, statement: &Statement, span: Span, several: bool) -> bool {
        let mut found = Vec::new();
        self.checks_of(statement, span, several, &mut found);
        if let Statement::Assert(_, kind @ Kind::Bound(_)) | Statement::Fail(kind @ Kind::Bound(_)) =
            statement
        {
            found.push(Check { span, kind: *kind });
        }
        found.into_iter().any(|check| self.watch.watches(check))
    }

    /// Whether a check that counts stands in an expression.
    pub(super) fn is_watched_within(&self, root: ExpressionId) -> bool {
        let check = |id| self.check_of(id).map(|kind| Check { span: self.span(id), kind });
        self.within(root).filter_map(check).any(|check| self.watch.watches(check))
    }

    pub(super) fn checks_of(&self, statement: &Statement, span: Span, several: bool, found: &mut Vec<Check>) {
        let mut check = |kind| found.push(Check { span, kind });
        match statement {
            Statement::Assert(_, Kind::Bound(_)) | Statement::Fail(Kind::Bound(_)) => {}
            Statement::Assert(_, kind) | Statement::Fail(kind) => check(*kind),
            Statement::Call(Callee::Value(..), ..) => check(Kind::Null),
            Statement::Lock(_) => {
                check(Kind::Lock);
                if several {
                    check(Kind::Deadlock);
                }
            }
            Statement::Join(..) => {
                check(Kind::Join);
                check(Kind::Deadlock);
            }
            Statement::Detach(_) => check(Kind::Join),
            Statement::Begin(Callee::Value(..), ..) => check(Kind::Null),
            Statement::Unlock(_) => check(Kind::Unlock),
            Statement::Set(Place { index: Some(_), .. }, _) => check(Kind::Index),
            _ => {}
        }
        if let Statement::Lock(place)
        | Statement::TryLock(place, _)
        | Statement::Unlock(place)
        | Statement::Grab(place)
        | Statement::Release(place) = statement
            && place.index.is_some()
        {
            found.push(Check { span, kind: Kind::Index });
        }
        statement.each_expression(|root| {
            let inside = self.within(root);
            let check = |id| self.check_of(id).map(|kind| Check { span: self.span(id), kind });
            found.extend(inside.filter_map(check));
        });
    }

    /// What is checked at an expression, besides what is checked inside it.
    pub fn check_of(&self, id: ExpressionId) -> Option<Kind> {
        match self.expression(id) {
            Expression::Load(Place { index: Some(_), .. }) => Some(Kind::Index),
            Expression::Binary(operator, ..) if operator.divides() => Some(Kind::Division),
            _ => None,
        }
    }

    /// An expression and all expressions inside it, each before those inside it.
    pub fn within(&self, root: ExpressionId) -> impl Iterator<Item = ExpressionId> + '_ {
        preorder(root, |id, below| match self.expression(id) {
            Expression::Number(_) | Expression::Function(_) => {}
            Expression::Load(place) => below.extend(place.index),
            Expression::Unary(_, a) | Expression::Wrap(_, a) => below.push(*a),
            Expression::Binary(_, a, b) => below.extend([*a, *b]),
        })
    }
}

impl Statement {
    /// Calls `f` with each expression that is evaluated, in that order. Predicates are not.
    pub fn each_expression(&self, mut f: impl FnMut(ExpressionId)) {
        match self {
            Statement::Set(place, value) => {
                f(*value);
                place.index.into_iter().for_each(f);
            }
            Statement::Fill(_, a)
            | Statement::Branch(a, ..)
            | Statement::Assert(a, _)
            | Statement::Exit(a)
            | Statement::Return(Some(a))
            | Statement::Join(a, _)
            | Statement::Detach(a)
            | Statement::Leave(Some(a)) => f(*a),
            Statement::Call(callee, arguments, _) | Statement::Begin(callee, arguments, ..) => {
                if let Callee::Value(value, _) = callee {
                    f(*value);
                }
                arguments.iter().copied().for_each(f);
            }
            Statement::Lock(place)
            | Statement::TryLock(place, _)
            | Statement::Unlock(place)
            | Statement::Grab(place)
            | Statement::Release(place) => place.index.into_iter().for_each(f),
            Statement::Jump(_)
            | Statement::Return(None)
            | Statement::Leave(None)
            | Statement::Itself(_)
            | Statement::Atomic(_)
            | Statement::Fail(_)
            | Statement::Diverge
            | Statement::BeginPredicate(_)
            | Statement::EndPredicate(_) => {}
        }
    }
}
