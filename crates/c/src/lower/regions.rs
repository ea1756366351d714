//! Regions: expressions in all orders that C allows.

use agon_base::diagnostic::Diagnostic;
use agon_core::module::ExpressionId;

use super::{Hole, Lowering};
use crate::order::{self, Region};
use crate::tree::Expr;

impl Lowering<'_> {
    /// The value of a region.
    pub(super) fn full_value(&mut self, e: &Expr) -> Result<ExpressionId, Diagnostic> {
        self.arranged(e)?;
        self.value(e)
    }

    /// A region for its effects.
    pub(super) fn full_effect(&mut self, e: &Expr) -> Result<(), Diagnostic> {
        self.arranged(e)?;
        self.effect(e)
    }

    /// A region as a condition.
    pub(super) fn full_branch(
        &mut self,
        e: &Expr,
        yes: &mut Vec<Hole>,
        no: &mut Vec<Hole>,
    ) -> Result<(), Diagnostic> {
        self.arranged(e)?;
        self.branch(e, yes, no)
    }

    /// A region that gives a structure.
    pub(super) fn full_structure(&mut self, e: &Expr) -> Result<Vec<ExpressionId>, Diagnostic> {
        self.arranged(e)?;
        self.structure(e)
    }

    /// Evaluates what conflicts in an order.
    fn arranged(&mut self, e: &Expr) -> Result<(), Diagnostic> {
        let orders = Region::orders(self.program, &self.effects, e)?;
        match orders.len() {
            0 => Ok(()),
            _ => Err(order::order(e.span, "and this version looks at one order only")),
        }
    }
}
