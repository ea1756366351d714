//! Walks over the expressions of statements, to change them.

use crate::tree::{Argument, Callee, Expr, ExprKind, Place, PlaceKind, Stmt, StmtKind};

/// Calls `act` with every expression of some statements, outer ones first. Where it says so, the expressions inside are left out.
pub(crate) fn statements(list: &mut [Stmt], act: &mut dyn FnMut(&mut Expr) -> bool) {
    for statement in list {
        match &mut statement.kind {
            StmtKind::Expr(e) => expr(e, act),
            StmtKind::Declare(_, items) => {
                items.iter_mut().flatten().for_each(|item| expr(&mut item.value, act))
            }
            StmtKind::Block(inner) => statements(inner, act),
            StmtKind::If(condition, yes, no) => {
                expr(condition, act);
                statements(std::slice::from_mut(yes), act);
                no.iter_mut().for_each(|no| statements(std::slice::from_mut(no), act));
            }
            StmtKind::While(condition, body, step) => {
                condition.iter_mut().chain(step).for_each(|e| expr(e, act));
                statements(std::slice::from_mut(body), act);
            }
            StmtKind::Do(body, condition) => {
                statements(std::slice::from_mut(body), act);
                expr(condition, act);
            }
            StmtKind::Switch(value, _, _, body) => {
                expr(value, act);
                statements(std::slice::from_mut(body), act);
            }
            StmtKind::Return(value) => value.iter_mut().for_each(|value| expr(value, act)),
            StmtKind::Label(_) | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue => {}
        }
    }
}

/// Calls `act` with an expression and those inside it.
pub(crate) fn expr(e: &mut Expr, act: &mut dyn FnMut(&mut Expr) -> bool) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        if !act(e) {
            return;
        }
        match &mut e.kind {
            ExprKind::Number(_) | ExprKind::Function(_) => {}
            ExprKind::Address(inner) => place(inner, act),
            ExprKind::Load(inner) => place(inner, act),
            ExprKind::Unary(_, a) | ExprKind::Convert(a) => expr(a, act),
            ExprKind::Binary(_, a, b)
            | ExprKind::Logical(_, a, b)
            | ExprKind::Comma(a, b)
            | ExprKind::Difference(a, b)
            | ExprKind::Offset(a, b, _) => {
                expr(a, act);
                expr(b, act);
            }
            ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| expr(e, act)),
            ExprKind::Assign(to, value) => {
                place(to, act);
                expr(value, act);
            }
            ExprKind::Update(update) => {
                place(&mut update.place, act);
                expr(&mut update.operand, act);
            }
            ExprKind::Call(callee, arguments) => {
                if let Callee::Pointer(pointer) = callee {
                    expr(pointer, act);
                }
                arguments.iter_mut().for_each(|argument| expr(argument, act));
            }
            ExprKind::Compound(_, items) => items.iter_mut().for_each(|item| expr(&mut item.value, act)),
            ExprKind::Library(_, _, arguments) => {
                for argument in arguments {
                    match argument {
                        Argument::Object(inner) => place(inner, act),
                        Argument::Value(value) => expr(value, act),
                    }
                }
            }
        }
    });
}

/// Calls `act` with the expressions of a place.
fn place(at: &mut Place, act: &mut dyn FnMut(&mut Expr) -> bool) {
    match &mut at.kind {
        PlaceKind::Object(_) | PlaceKind::Variable(_) => {}
        PlaceKind::Member(inner, _) => place(inner, act),
        PlaceKind::Element(inner, index) => {
            place(inner, act);
            expr(index, act);
        }
        PlaceKind::Target(pointer) => expr(pointer, act),
    }
}
