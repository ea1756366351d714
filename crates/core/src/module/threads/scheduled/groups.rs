//! Accesses to cells that stand in no text belong to the access that follows: no thread pauses between them.

use crate::module::live::successors;
use crate::module::{Base, Callee, Expression, Module, Place, ProcedureId, Statement};

/// Whether a statement may be met outside of a group, and inside of one.
type Met = [bool; 2];

/// What a statement is to a group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// It is an access to a cell that stands in no text: a group begins or goes on.
    Hidden,
    /// It is the access that ends a group.
    Last,
    /// It is no access; a group goes on.
    Silent,
    /// A group has ended before it.
    Outside,
    /// It cannot be part of a group here.
    Unclear,
}

/// Whether a statement is inside of a group.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Inside {
    /// It is not.
    No,
    /// It may be met there, and makes no access.
    Silent,
    /// It is an access of the group, and not the first.
    Access,
}

/// For each statement of a procedure whether it is inside of a group; nothing, if that is not clear from the text.
pub(super) fn grouped(module: &Module, id: ProcedureId, callable: bool) -> Option<Vec<Inside>> {
    let body = &module.procedure(id).body;
    if !module.hides() {
        return Some(vec![Inside::No; body.len()]);
    }
    let called = module.procedures().any(|(other, _)| module.callees(other).contains(&id));
    let part = |statement: &Statement| part(module, statement, callable && !called);
    let mut met: Vec<Met> = vec![[false, false]; body.len()];
    met[0] = [true, false];
    loop {
        let mut changed = false;
        for (at, (statement, _)) in body.iter().enumerate() {
            let [outside, inside] = met[at];
            let after = match part(statement) {
                _ if !outside && !inside => continue,
                Part::Hidden => [false, true],
                Part::Last | Part::Outside => [true, false],
                Part::Silent | Part::Unclear => [outside, inside],
            };
            for to in successors(statement, at).filter(|to| *to < body.len()) {
                let joined = [met[to][0] || after[0], met[to][1] || after[1]];
                changed |= joined != met[to];
                met[to] = joined;
            }
        }
        if !changed {
            break;
        }
    }
    let inside = |((statement, _), met): (&(Statement, _), &Met)| match (part(statement), met) {
        (Part::Hidden | Part::Last, [false, true]) => Some(Inside::Access),
        (Part::Hidden | Part::Last, [true, true]) | (Part::Unclear, [_, true]) => None,
        (Part::Silent, [_, true]) => Some(Inside::Silent),
        _ => Some(Inside::No),
    };
    body.iter().zip(&met).map(inside).collect()
}

fn part(module: &Module, statement: &Statement, returns_to_environment: bool) -> Part {
    let read = || match module.expression(module.read_by(statement)?) {
        Expression::Load(place) => Some(*place),
        _ => None,
    };
    match statement {
        Statement::Lock(_)
        | Statement::Grab(_)
        | Statement::Release(_)
        | Statement::Exit(_)
        | Statement::Diverge => Part::Outside,
        Statement::Call(Callee::Import(_), ..) => Part::Outside,
        Statement::Return(_) if returns_to_environment => Part::Outside,
        Statement::Call(..) | Statement::Return(_) => Part::Unclear,
        other => match other.written().or_else(read) {
            Some(Place { base: Base::Module(cell), .. }) if module.is_hidden(cell) => Part::Hidden,
            Some(_) => Part::Last,
            None if module.may_diverge(other) => Part::Unclear,
            None => Part::Silent,
        },
    }
}
