//! Objects: cells of the module, and what they hold at first.

use agon_base::int::Int;
use agon_core::module::{Cell, CellKind, Function as CoreFunction};

use super::Lowering;
use crate::points::{Owner, Target};
use crate::tree::{Expr, ExprKind, FunctionId, Linkage, Place, PlaceKind};
use crate::types::Type;

impl Lowering<'_> {
    pub(super) fn declare_objects(&mut self) {
        for (id, object) in self.program.objects() {
            let mut cells = Vec::new();
            if object.text && !self.is_followed(id) {
                self.objects.push(cells);
                continue;
            }
            for (n, leaf) in self.program.leaves(&object.ty).into_iter().enumerate() {
                let mut lock = None;
                let kind = match &leaf.ty {
                    Type::Mutex => self.lock_of(object, n, leaf.count).map(|kind| {
                        lock = Some(kind);
                        kind.cell(self.several(), self.is_shared(id) && self.main().is_none())
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
                if leaf.array {
                    let names = self.memory.elements_of(self.program, Owner::Object(id), &object.name, n);
                    names.into_iter().for_each(|names| self.module.name_elements(cell, names));
                }
                cells.push(cell);
                self.constants.extend((object.constant || leaf.constant).then_some(cell));
                if let Some(lock) = lock {
                    self.locks.insert(cell, lock);
                    self.declare_owner(cell, lock);
                    let first = self.initial_kinds(object, n).first().copied().unwrap_or(0);
                    self.declare_kind(cell, lock, Int::from(first));
                }
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
        self.declare_unions();
        for (id, object) in self.program.objects() {
            let constant = object.constant && object.defined && object.linkage == Linkage::External;
            if constant && self.options.compared && !self.options.private_data.contains(&object.name) {
                let done = self.show_constant(id);
                self.report(done);
            }
            if self.is_shared(id) && (self.effects.touches(Owner::Object(id)) || self.options.compared) {
                let done = self.share(id);
                self.report(done);
            }
            // What the environment can read it can call.
            let read = if self.is_visible(id) { &object.initial[..] } else { &[] };
            for function in read.iter().filter_map(|item| named(&item.value)) {
                if let Some(CoreFunction::Procedure(id)) = self.functions[function.index()] {
                    self.module.export(id);
                }
            }
        }
    }

    /// The target and the number of a part that a constant address names.
    fn constant_part(&self, place: &Place) -> Option<(Target, u64)> {
        let ty = place.ty.clone();
        Some(match &place.kind {
            PlaceKind::Object(id) => (Target { owner: Owner::Object(*id), leaf: 0, ty }, 0),
            PlaceKind::Member(inner, member) => {
                let (target, row) = self.constant_part(inner)?;
                let Type::Struct(id) = &inner.ty else { return None };
                let leaf = target.leaf + self.program.leaves_before(*id, *member);
                (Target { leaf, ty, ..target }, row)
            }
            PlaceKind::Element(inner, index) => {
                let (target, row) = self.constant_part(inner)?;
                let Type::Array(_, Some(length)) = &inner.ty else { return None };
                let index = self.initial(index).to_u64()?;
                (Target { ty, ..target }, row.checked_mul(*length)?.checked_add(index)?)
            }
            PlaceKind::Variable(_) | PlaceKind::Target(_) => return None,
        })
    }

    /// What a constant initialiser is worth.
    pub(super) fn initial(&self, value: &Expr) -> Int {
        match &value.kind {
            ExprKind::Number(n) => n.clone(),
            ExprKind::Address(place) => self
                .constant_part(place)
                .map_or(Int::ZERO, |(target, row)| self.constant_pointer(&target, row).unwrap_or_default()),
            ExprKind::Offset(pointer, by, back) => {
                let (pointer, by) = (self.initial(pointer), self.initial(by));
                if *back { pointer.sub(&by) } else { pointer.add(&by) }
            }
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
