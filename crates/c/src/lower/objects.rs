//! Objects: cells of the module, and what they hold at first.

use agon_base::int::Int;
use agon_core::module::{Cell, CellKind, Function as CoreFunction};

use super::Lowering;
use crate::tree::{Expr, ExprKind, FunctionId};
use crate::types::Type;

impl Lowering<'_> {
    pub(super) fn declare_objects(&mut self) {
        for (_, object) in self.program.objects() {
            let mut cells = Vec::new();
            for (n, leaf) in self.program.leaves(&object.ty).into_iter().enumerate() {
                let mut lock = None;
                let kind = match &leaf.ty {
                    Type::Mutex => self.lock_of(object, n, leaf.count).map(|kind| {
                        lock = Some(kind);
                        kind.cell()
                    }),
                    ty => self.sort(ty, object.span).map(CellKind::Value),
                };
                let Some(kind) = self.report(kind) else { continue };
                let cell = self.module.add_cell(Cell {
                    name: format!("{}{}", object.name, leaf.path).into(),
                    kind,
                    length: leaf.array.then_some(leaf.count.max(1)),
                    initial: vec![Int::ZERO],
                    span: object.span,
                });
                cells.push(cell);
                self.locks.extend(lock.map(|lock| (cell, lock)));
            }
            self.objects.push(cells);
        }
        for (id, object) in self.program.objects() {
            let leaves = self.program.leaves(&object.ty);
            let mut values: Vec<Vec<Int>> = vec![vec![]; leaves.len()];
            for item in object.initial.iter().filter(|item| leaves[item.leaf].ty != Type::Mutex) {
                let value = self.initial(&item.value);
                let row = usize::try_from(item.row).unwrap_or(usize::MAX);
                let list = &mut values[item.leaf];
                if list.len() <= row {
                    list.resize(row + 1, Int::ZERO);
                }
                list[row] = value;
            }
            for (n, mut list) in values.into_iter().enumerate() {
                // What follows the last value is as the last value; here it is 0.
                if (list.len() as u64) < leaves[n].count {
                    list.push(Int::ZERO);
                }
                while list.len() > 1 && list[list.len() - 1] == list[list.len() - 2] {
                    list.pop();
                }
                if let Some(cell) = self.objects[id.index()].get(n) {
                    self.module.initialise(*cell, list);
                }
            }
        }
    }

    pub(super) fn share_objects(&mut self) {
        for (id, object) in self.program.objects() {
            if !self.is_shared(id) {
                continue;
            }
            if self.effects.touches(id) {
                self.unseen.insert(format!("what `{}` holds", object.name));
                let done = self.share(id);
                self.report(done);
            }
            // What the environment can read it can call.
            for function in object.initial.iter().filter_map(|item| named(&item.value)) {
                if let Some(CoreFunction::Procedure(id)) = self.functions[function.index()] {
                    self.module.export(id);
                }
            }
        }
    }

    /// What a constant initialiser is worth.
    pub(super) fn initial(&self, value: &Expr) -> Int {
        match &value.kind {
            ExprKind::Number(n) => n.clone(),
            ExprKind::Text(n) => Int::from(*n),
            ExprKind::Function(id) => {
                self.functions[id.index()].map_or(Int::ZERO, |function| self.module.number(function))
            }
            ExprKind::Convert(inner) => self.initial(inner),
            _ => Int::ZERO,
        }
    }
}

/// The function that a constant names.
fn named(value: &Expr) -> Option<FunctionId> {
    match &value.kind {
        ExprKind::Function(id) => Some(*id),
        ExprKind::Convert(inner) => named(inner),
        _ => None,
    }
}
