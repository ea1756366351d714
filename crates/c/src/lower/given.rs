//! Functions that may run to their end without giving the value that they have to give. That is undefined only where a caller uses the
//! value.
//!
//! One cell of the module says whether the last call gave a value. It is 1 but between the end of such a function and the next statement of
//! its caller, so it is never seen by anybody else.

use std::collections::BTreeSet;

use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::Kind;
use agon_core::module::{Base, CellId, Expression, Sort, Statement};
use agon_core::types::Data;

use super::Lowering;
use crate::library::Known;
use crate::tree::{Callee, Expr, ExprKind, FunctionId, Program, Stmt, StmtKind};

/// The functions that may give nothing, and the cell that says whether the last one did.
#[derive(Default)]
pub(super) struct Given {
    silent: BTreeSet<FunctionId>,
    cell: Option<CellId>,
}

impl Lowering<'_> {
    /// Finds the functions that may give nothing and that the module alone calls. The environment is always given a value.
    pub(super) fn find_silent(&mut self) {
        if self.options.threads > 1 {
            return;
        }
        let silent = |(id, function): (FunctionId, &crate::tree::Function)| {
            let body = function.body.as_ref()?;
            let called = self.is_called_by_environment(id) || self.effects.is_value(id);
            let private = !called && function.name != "main";
            let ends = function.ty.result.is_scalar() && goes_on(self.program, &body.statements);
            (private && ends).then_some(id)
        };
        self.given.silent = self.program.functions().filter_map(silent).collect();
        if !self.given.silent.is_empty() {
            let cell =
                self.hidden_cell("a value was given".into(), Sort::Data(Data::Bool), None, Span::default());
            self.module.initialise(cell, vec![Int::ONE]);
            self.given.cell = Some(cell);
        }
    }

    /// The end of a function that has a value to give.
    pub(super) fn gives_nothing(&mut self, id: FunctionId, span: Span) {
        match self.given.cell.filter(|_| self.given.silent.contains(&id)) {
            Some(cell) => {
                let zero = self.number(Int::ZERO, span);
                self.emit(Statement::Set(Base::Module(cell).whole(), zero), span);
                self.returns(Some(zero), span);
            }
            // Nobody looks at what a thread gives.
            None if self.memory.analysis.is_start(id) && !self.program.threads.give => {
                let zero = self.number(Int::ZERO, span);
                self.returns(Some(zero), span);
            }
            None => _ = self.emit(Statement::Fail(Kind::Uninitialised), span),
        }
    }

    /// Behind a call: its value is there if it is used.
    pub(super) fn after_call(&mut self, callee: &Callee, used: bool, span: Span) {
        let Callee::Function(id) = callee else { return };
        let Some(cell) = self.given.cell.filter(|_| self.given.silent.contains(id)) else { return };
        let given = Base::Module(cell).whole();
        match used {
            true => {
                let given = self.add(Expression::Load(given), span);
                self.emit(Statement::Assert(given, Kind::Uninitialised), span);
            }
            false => {
                let one = self.number(Int::ONE, span);
                self.emit(Statement::Set(given, one), span);
            }
        }
    }
}

/// Whether the end of some statements may be reached. Where that is not clear, it may.
fn goes_on(program: &Program, statements: &[Stmt]) -> bool {
    statements.iter().fold(true, |reached, statement| {
        let entered = reached || any(statement, &|kind| matches!(kind, StmtKind::Label(_)));
        entered && passes(program, statement)
    })
}

/// Whether the end of a statement may be reached, if it is entered.
fn passes(program: &Program, statement: &Stmt) -> bool {
    let breaks = |body: &Stmt| any(body, &|kind| matches!(kind, StmtKind::Break | StmtKind::Goto(_)));
    match &statement.kind {
        StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue => false,
        StmtKind::Expr(e) => !never_returns(program, e),
        StmtKind::Block(inner) => goes_on(program, inner),
        StmtKind::If(_, yes, Some(no)) => passes(program, yes) || passes(program, no),
        StmtKind::While(condition, body, _) => {
            condition.as_ref().is_some_and(|e| !is_true(e)) || breaks(body)
        }
        StmtKind::Do(body, condition) => !is_true(condition) || breaks(body),
        StmtKind::Switch(_, _, Some(_), body) => breaks(body) || passes(program, body),
        StmtKind::Declare(..) | StmtKind::If(_, _, None) | StmtKind::Switch(..) | StmtKind::Label(_) => true,
    }
}

fn is_true(condition: &Expr) -> bool {
    matches!(&condition.kind, ExprKind::Number(n) if !n.is_zero())
}

fn never_returns(program: &Program, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Call(Callee::Function(id), _) => program.function(*id).ends,
        ExprKind::Library(known, ..) => {
            matches!(known, Known::Exit | Known::Abort | Known::AssertionFails | Known::EndThread)
        }
        _ => false,
    }
}

/// Whether a statement or one inside it is of a kind.
fn any(statement: &Stmt, is: &dyn Fn(&StmtKind) -> bool) -> bool {
    let mut waiting = vec![statement];
    while let Some(statement) = waiting.pop() {
        if is(&statement.kind) {
            return true;
        }
        match &statement.kind {
            StmtKind::Block(inner) => waiting.extend(inner),
            StmtKind::If(_, yes, no) => {
                waiting.extend([Some(yes), no.as_ref()].into_iter().flatten().map(|s| &**s))
            }
            StmtKind::While(_, inner, _) | StmtKind::Do(inner, _) | StmtKind::Switch(_, _, _, inner) => {
                waiting.push(inner);
            }
            _ => {}
        }
    }
    false
}
