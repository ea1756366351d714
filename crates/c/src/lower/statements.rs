//! Statements: branches and jumps.

use std::collections::BTreeSet;

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::module::{Expression, ExpressionId, Label, Statement};
use agon_core::term::Operator;

use super::Lowering;
use super::lost::Moment;
use crate::tree::{Expr, ExprKind, Item, LabelId, Stmt, StmtKind, VariableId};
use crate::types::Type;

impl Lowering<'_> {
    /// A statement, with its mistakes kept.
    pub(super) fn statement(&mut self, statement: &Stmt) {
        let done = self.lowered(statement);
        self.report(done);
    }

    fn lowered(&mut self, statement: &Stmt) -> Result<(), Diagnostic> {
        let span = statement.span;
        match &statement.kind {
            StmtKind::Expr(e) => self.full_effect(e)?,
            StmtKind::Declare(id, items) => self.declaration(*id, items.as_deref(), span)?,
            StmtKind::Block(statements) => {
                let outer = self.body.scope.clone();
                statements.iter().for_each(|statement| self.statement(statement));
                let scope = std::mem::replace(&mut self.body.scope, outer);
                let ended: BTreeSet<VariableId> = scope.difference(&self.body.scope).copied().collect();
                self.ends(&ended, span);
            }
            StmtKind::If(condition, yes, no) => {
                let (mut then, mut otherwise) = (vec![], vec![]);
                self.full_branch(condition, &mut then, &mut otherwise)?;
                self.patch(&then);
                self.statement(yes);
                let Some(no) = no else {
                    self.patch(&otherwise);
                    return Ok(());
                };
                let end = self.jump(span);
                self.patch(&otherwise);
                self.statement(no);
                self.patch(&[end]);
            }
            StmtKind::While(condition, body, step) => {
                let start = self.here();
                let (mut inside, mut end) = (vec![], vec![]);
                if let Some(condition) = condition {
                    self.full_branch(condition, &mut inside, &mut end)?;
                }
                self.patch(&inside);
                let (breaks, continues) = self.looped(body);
                self.patch(&continues);
                self.joined(span);
                if let Some(step) = step {
                    self.full_effect(step)?;
                }
                self.nothing_lost(Moment::Repeats, span);
                self.emit(Statement::Jump(start), span);
                self.patch(&end);
                self.patch(&breaks);
                self.joined(span);
            }
            StmtKind::Do(body, condition) => {
                let start = self.here();
                let (breaks, continues) = self.looped(body);
                self.patch(&continues);
                self.joined(span);
                let (mut again, mut end) = (vec![], vec![]);
                self.full_branch(condition, &mut again, &mut end)?;
                self.patch(&again);
                self.nothing_lost(Moment::Repeats, span);
                self.emit(Statement::Jump(start), span);
                self.patch(&end);
                self.patch(&breaks);
                self.joined(span);
            }
            StmtKind::Switch(value, cases, default, body) => {
                self.switch(value, cases, *default, body, span)?
            }
            StmtKind::Label(label) => {
                self.body.labels[label.index()] = Some(self.here());
                self.joined(span);
                self.entered(span);
            }
            StmtKind::Goto(label) => self.goto(*label, span),
            StmtKind::Break => {
                let hole = self.jump(span);
                if let Some(breaks) = self.body.breaks.last_mut() {
                    breaks.push(hole);
                }
            }
            StmtKind::Continue => {
                let hole = self.jump(span);
                if let Some(continues) = self.body.continues.last_mut() {
                    continues.push(hole);
                }
            }
            StmtKind::Return(value) => {
                let value = match value {
                    Some(value) if !value.ty.is_scalar() => {
                        self.give(value)?;
                        None
                    }
                    Some(value) => Some(self.full_value(value)?),
                    None => None,
                };
                self.returns(value, span);
            }
        }
        Ok(())
    }

    /// Returns, and forgets what the environment may change if it was the one who called.
    pub(super) fn returns(&mut self, value: Option<ExpressionId>, span: Span) {
        let changes = self.body.yields || self.leaves();
        let value = match (value, self.body.result.clone()) {
            (Some(value), Some(sort)) if changes => Some(self.stable(value, sort, span)),
            (value, _) => value,
        };
        self.leave(span);
        let given = value.zip(self.body.gives.clone()).filter(|(_, ty)| self.is_handle(ty));
        if given.is_some() || self.body.yields {
            let own = self.unless_own(span);
            given.into_iter().for_each(|(value, ty)| self.hand_out(value, &ty, span));
            if self.body.yields {
                self.yields(span);
            }
            self.patch(&own);
        }
        self.emit(Statement::Return(value), span);
    }

    /// Several ways come together. Variables whose blocks were left do not live any more.
    fn joined(&mut self, span: Span) {
        let ended: BTreeSet<VariableId> =
            self.tracked().into_iter().filter(|variable| !self.body.scope.contains(variable)).collect();
        self.ends(&ended, span);
    }

    /// The body of a loop; gives the jumps of `break` and of `continue`.
    fn looped(&mut self, body: &Stmt) -> (Vec<super::Hole>, Vec<super::Hole>) {
        self.body.breaks.push(vec![]);
        self.body.continues.push(vec![]);
        self.statement(body);
        let breaks = self.body.breaks.pop().unwrap_or_default();
        (breaks, self.body.continues.pop().unwrap_or_default())
    }

    fn goto(&mut self, label: LabelId, span: Span) {
        if self.body.labels[label.index()].is_some() {
            self.nothing_lost(Moment::Repeats, span);
        }
        let at = self.emit(Statement::Jump(Label(0)), span);
        self.body.wanted.push((at, label));
    }

    fn switch(
        &mut self,
        value: &Expr,
        cases: &[(Int, Int, LabelId)],
        default: Option<LabelId>,
        body: &Stmt,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let sort = self.sort(&value.ty, value.span)?;
        let held = self.full_value(value)?;
        let held = match self.module.expression(held) {
            Expression::Number(_) => held,
            _ => {
                let local = self.kept(held, sort, value.span);
                self.read(local, value.span)
            }
        };
        for (low, high, label) in cases {
            let number = self.number(low.clone(), span);
            let condition = if low == high {
                self.binary(Operator::Equal, held, number, value.span)
            } else {
                let above = self.binary(Operator::LessEqual, number, held, value.span);
                let high = self.number(high.clone(), span);
                let below = self.binary(Operator::LessEqual, held, high, value.span);
                self.binary(Operator::Both, above, below, value.span)
            };
            let here = self.here();
            let at = self.emit(Statement::Branch(condition, here, Label(here.0 + 1)), value.span);
            self.body.wanted.push((at, *label));
        }
        let mut end = vec![];
        match default {
            Some(label) => self.goto(label, span),
            None => end.push(self.jump(span)),
        }
        self.body.breaks.push(vec![]);
        self.statement(body);
        end.extend(self.body.breaks.pop().unwrap_or_default());
        self.patch(&end);
        self.joined(span);
        Ok(())
    }

    /// A local variable begins to live.
    pub(super) fn declaration(
        &mut self,
        id: VariableId,
        items: Option<&[Item]>,
        span: Span,
    ) -> Result<(), Diagnostic> {
        self.body.scope.insert(id);
        self.begins(id, span);
        let whole = self.variable(id);
        let ty = whole.ty.clone();
        if self.program.has_union(&ty) && !self.follows_unions(&whole) {
            let message = "a union that has no name is not supported";
            let diagnostic = Diagnostic::error(Code::UnionType, message, span, "a compound literal");
            return Err(diagnostic.help("declare a variable for it"));
        }
        let Some(items) = items else {
            self.unwritten(&whole, span);
            return Ok(());
        };
        // Whatever is not named is 0. A scalar is written as a whole.
        if !ty.is_scalar() {
            self.fill_part(&whole, &Int::ZERO, span);
        }
        // C does not say which value of a list comes first.
        let list: Vec<&Expr> = items.iter().map(|item| &item.value).collect();
        let nodes = self.arranged(&list)?;
        for item in items {
            let part = self.item(&whole, item.leaf, item.row, &item.value.ty, span);
            if let (Type::Struct(_), ExprKind::Load(from)) = (&item.value.ty, &item.value.kind) {
                self.each(from, &mut |this, from| {
                    let (to, from) = (this.all(&part, span), this.all(&from, item.value.span));
                    for ((to, _), (from, _)) in to.into_iter().zip(from) {
                        this.copy(to, from, item.value.span);
                    }
                    Ok(())
                })?;
                continue;
            }
            if let Type::Struct(_) = item.value.ty {
                let values = self.structure(&item.value)?;
                let places: Vec<_> = self.all(&part, span).into_iter().map(|(place, _)| place).collect();
                self.set_all(&places, &values, item.value.span);
                continue;
            }
            let value = self.value(&item.value)?;
            let to = self.scalar(&part);
            self.store(to, value, item.value.span);
        }
        self.forget(&nodes);
        Ok(())
    }
}
