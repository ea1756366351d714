//! Regions: expressions in all orders that C allows.
//!
//! What conflicts in a region is evaluated first, in each order that is possible, and kept. Which order it is, is a choice of the
//! core. What is left of the region then has one value.

use std::collections::HashMap;
use std::sync::Arc;

use agon_base::diagnostic::Diagnostic;
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::module::{Base, Callee, ExpressionId, Label, LocalId, ORDER, Sort, Statement};
use agon_core::term::Operator;
use agon_core::types::Data;

use super::{Hole, Lowering};
use crate::order::{self, Node, Region};
use crate::tree::{Expr, FunctionId, Place};
use crate::types::Type;

/// What was evaluated before, by where it is in memory: the cell of its value, if it has one.
pub(super) type Kept = HashMap<usize, Option<LocalId>>;

impl Lowering<'_> {
    /// The value of a region.
    pub(super) fn full_value(&mut self, e: &Expr) -> Result<ExpressionId, Diagnostic> {
        let nodes = self.arranged(&[e])?;
        let value = self.value(e);
        self.forget(&nodes);
        value
    }

    /// A region for its effects.
    pub(super) fn full_effect(&mut self, e: &Expr) -> Result<(), Diagnostic> {
        let nodes = self.arranged(&[e])?;
        let done = self.effect(e);
        self.forget(&nodes);
        done
    }

    /// A region as a condition.
    pub(super) fn full_branch(
        &mut self,
        e: &Expr,
        yes: &mut Vec<Hole>,
        no: &mut Vec<Hole>,
    ) -> Result<(), Diagnostic> {
        let nodes = self.arranged(&[e])?;
        let done = self.branch(e, yes, no);
        self.forget(&nodes);
        done
    }

    /// A region that gives a structure.
    pub(super) fn full_structure(&mut self, e: &Expr) -> Result<Vec<ExpressionId>, Diagnostic> {
        let nodes = self.arranged(&[e])?;
        let values = self.structure(e);
        self.forget(&nodes);
        values
    }

    pub(super) fn forget(&mut self, nodes: &[usize]) {
        nodes.iter().for_each(|node| _ = self.body.kept.remove(node));
    }

    /// The value of an expression that was evaluated before; nothing if it was not.
    pub(super) fn known(&mut self, e: &Expr) -> Option<ExpressionId> {
        let kept = *self.body.kept.get(&Node::Value(e).address())?;
        Some(match kept {
            Some(local) => self.read(local, e.span),
            None => self.number(Int::ZERO, e.span),
        })
    }

    /// The old value of a place, if it was read before.
    pub(super) fn known_old(&mut self, place: &Place) -> Option<ExpressionId> {
        let kept = *self.body.kept.get(&Node::Old(place).address())?;
        kept.map(|local| self.read(local, place.span))
    }

    /// Evaluates what conflicts, in every order; gives what it has evaluated.
    pub(super) fn arranged(&mut self, list: &[&Expr]) -> Result<Vec<usize>, Diagnostic> {
        let (effects, memory) = (Arc::clone(&self.effects), Arc::clone(&self.memory));
        let here = (self.program, self.body.function.unwrap_or(FunctionId(0)));
        let orders = Region::orders(here, &effects, &memory, list, self.options.evaluation)?;
        self.in_orders(&orders, list.first().map_or(Span::default(), |first| first.span))
    }

    fn in_orders(&mut self, orders: &[Vec<Node<'_>>], span: Span) -> Result<Vec<usize>, Diagnostic> {
        let Some(first) = orders.first() else { return Ok(vec![]) };
        if first.iter().all(|node| self.body.kept.contains_key(&node.address())) {
            // The region around this one has put them in order.
            return Ok(vec![]);
        }
        let mut cells = Kept::new();
        for node in first {
            let (ty, span) = match node {
                Node::Value(e) => (&e.ty, e.span),
                Node::Old(place) => (&place.ty, place.span),
            };
            let cell = match ty {
                Type::Void => None,
                ty if ty.is_scalar() => {
                    let sort = self.sort(ty, span)?;
                    Some(self.local(None, sort, None, span))
                }
                _ => return Err(order::order(span, "around a structure")),
            };
            cells.insert(node.address(), cell);
        }
        let ways = u64::try_from(orders.len()).unwrap_or(u64::MAX);
        let chosen = (orders.len() > 1).then(|| {
            let choice = self.module.choice(ORDER, ways);
            let chosen = self.local(None, Sort::Data(Data::Mod(Int::from(ways))), None, span);
            self.emit(Statement::Call(Callee::Import(choice), vec![], Some(chosen)), span);
            chosen
        });
        let mut ends = Vec::new();
        for (n, order) in (0u64..).zip(orders) {
            let next = chosen.filter(|_| n + 1 < ways).map(|chosen| {
                let value = self.read(chosen, span);
                let number = self.number(Int::from(n), span);
                let here = self.binary(Operator::Equal, value, number, span);
                let inside = Label(self.here().0 + 1);
                self.emit(Statement::Branch(here, inside, inside), span)
            });
            for node in order {
                self.evaluated(*node, &cells)?;
            }
            self.forget(&cells.keys().copied().collect::<Vec<_>>());
            if let Some(at) = next {
                ends.push(self.jump(span));
                self.patch(&[(at, false)]);
            }
        }
        self.patch(&ends);
        let nodes = cells.keys().copied().collect();
        self.body.kept.extend(cells);
        Ok(nodes)
    }

    /// Evaluates one of the things that conflict, and keeps its value.
    fn evaluated(&mut self, node: Node<'_>, cells: &Kept) -> Result<(), Diagnostic> {
        let address = node.address();
        let cell = cells.get(&address).copied().flatten();
        match (node, cell) {
            (Node::Value(e), None) => self.effect(e)?,
            (Node::Value(e), Some(cell)) => {
                let value = self.value(e)?;
                self.emit(Statement::Set(Base::Local(cell).whole(), value), e.span);
            }
            (Node::Old(place), _) => {
                let value = self.load(place)?;
                if let Some(cell) = cell {
                    self.emit(Statement::Set(Base::Local(cell).whole(), value), place.span);
                }
            }
        }
        self.body.kept.insert(address, cell);
        Ok(())
    }
}
