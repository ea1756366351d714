//! Blocks in expressions, `({ T x = e; x; })`: declarations with initial values, and expressions, one after the other.
//!
//! Macros such as `container_of` and `max` of the Linux kernel are written so.

use agon_base::source::Span;
use lang_c::ast::{BlockItem, Expression, Statement, UnaryOperator, UnaryOperatorExpression};
use lang_c::span::{Node, Span as NodeSpan};
use lang_c::visit::{Visit, visit_unary_operator_expression};

use super::expressions::{after, refused};
use super::{Checked, Translator};
use crate::tree::{Expr, ExprKind, StmtKind};
use crate::types::Type;

impl Translator<'_> {
    /// The value of a block is that of its last expression.
    pub(super) fn block_value(&mut self, node: &Node<Statement>, span: Span) -> Checked<Expr> {
        let Statement::Compound(items) = &node.node else {
            return Err(refused("a statement in an expression", span));
        };
        if self.current.is_none() {
            return Err(refused("a block in an expression outside of functions", span));
        }
        self.scoped(|this| {
            let mut parts = Vec::new();
            for (n, item) in items.iter().enumerate() {
                let at = this.span(&item.span);
                match &item.node {
                    BlockItem::Declaration(declaration) => {
                        for statement in this.local(&declaration.node)? {
                            let StmtKind::Declare(id, Some(initial)) = statement.kind else {
                                return Err(refused("a variable without a value in an expression", at));
                            };
                            let ty = this.current().variables[id.index()].ty.clone();
                            if !ty.is_scalar() {
                                return Err(refused(
                                    "an array or a structure in a block in an expression",
                                    at,
                                ));
                            }
                            // It is there as long as the block around the expression.
                            this.current().literals.push(id);
                            parts.push(Expr { kind: ExprKind::Compound(id, initial), ty, span: at });
                        }
                    }
                    BlockItem::Statement(Node { node: Statement::Expression(Some(expression)), .. }) => {
                        let last = n + 1 == items.len();
                        parts.push(if last { this.value(expression)? } else { this.effect(expression)? });
                    }
                    BlockItem::StaticAssert(claim) => this.static_assert(&claim.node)?,
                    BlockItem::Statement(_) => {
                        return Err(refused("a statement other than an expression in an expression", at));
                    }
                }
            }
            let mut addressed = Addressed::default();
            items.iter().for_each(|item| addressed.visit_block_item(&item.node, &item.span));
            let own = this
                .scopes
                .last()
                .is_some_and(|scope| addressed.names.iter().any(|name| scope.names.contains_key(name)));
            if own {
                return Err(refused("the address of a variable of a block in an expression", span));
            }
            let last = match items.last().map(|item| &item.node) {
                Some(BlockItem::Statement(_)) => parts.pop(),
                _ => None,
            };
            let last = match last {
                Some(last) => last,
                None => {
                    let nothing =
                        parts.pop().ok_or_else(|| refused("an empty block in an expression", span))?;
                    this.converted(nothing, &Type::Void, true)?
                }
            };
            Ok(parts.into_iter().rev().fold(last, |rest, first| after(first, rest)))
        })
    }
}

/// The names whose addresses are taken.
#[derive(Default)]
struct Addressed {
    names: Vec<String>,
}

impl<'ast> Visit<'ast> for Addressed {
    fn visit_unary_operator_expression(&mut self, node: &'ast UnaryOperatorExpression, span: &'ast NodeSpan) {
        if let (UnaryOperator::Address, Expression::Identifier(name)) =
            (&node.operator.node, &node.operand.node)
        {
            self.names.push(name.node.name.clone());
        }
        visit_unary_operator_expression(self, node, span);
    }
}
