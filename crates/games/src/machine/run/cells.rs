//! Cells and saved values on the store.

use agon_lang::types::Type;

use super::{Binding, LARGEST_STORE, Machine, Step};
use crate::arena::ComponentId;
use crate::machine::code::{Code, Pc, SlotId};
use crate::values::{Domain, Outcome};

impl<D: Domain> Machine<D> {
    pub(super) fn size(&self, slot: SlotId) -> u32 {
        let length = self.code.slots[slot.0 as usize].length.unwrap_or(1);
        let bits = u64::from(self.widths[slot.0 as usize]) * length;
        u32::try_from(bits).expect("larger arrays are not made")
    }

    pub(super) fn set_height(&mut self, height: u32) {
        self.store.clear(height as usize, self.control.height as usize);
        self.control.height = height;
    }

    /// Puts a value, already in range, on the store.
    pub(super) fn save_exactly(&mut self, slot: SlotId, value: &D::Value) -> u32 {
        let offset = self.control.height;
        let width = self.widths[slot.0 as usize];
        if let Outcome::One(bits) = self.domain.encode(&self.code.slots[slot.0 as usize], value) {
            self.store.set(offset as usize, width, bits);
        }
        self.control.height += width;
        offset
    }

    /// Takes the topmost value from the store.
    pub(super) fn restore(&mut self, slot: SlotId) -> D::Value {
        let height = self.control.height - self.widths[slot.0 as usize];
        let value = self.saved(slot, height);
        self.set_height(height);
        value
    }

    pub(super) fn saved(&self, slot: SlotId, offset: u32) -> D::Value {
        let bits = self.store.get(offset as usize, self.widths[slot.0 as usize]);
        self.domain.decode(&self.code.slots[slot.0 as usize], bits)
    }

    pub(super) fn new_cells(&mut self, slot: SlotId, code: &Code, pc: Pc) -> Step<D::Value> {
        let offset = self.control.height;
        let width = self.widths[slot.0 as usize];
        let length = code.slots[slot.0 as usize].length.unwrap_or(1);
        if u64::from(offset).saturating_add(u64::from(width).saturating_mul(length)) > LARGEST_STORE {
            return Step::TooLarge;
        }
        let acc = self.control.acc.clone();
        let outcome = self.domain.encode(&code.slots[slot.0 as usize], &acc);
        let size = self.size(slot);
        self.choose(outcome, pc, |machine, bits| {
            if bits != 0 {
                for n in 0..length as usize {
                    machine.store.set(offset as usize + n * width as usize, width, bits);
                }
            }
            machine.control.height = offset + size;
            let cell = Binding::Cell { slot, offset };
            machine.control.scope = machine.scopes.extend(machine.control.scope, cell);
            Step::Silent
        })
    }

    pub(super) fn length(&self, array: Binding) -> u64 {
        match array {
            Binding::Cell { slot, .. } => self.code.slots[slot.0 as usize].length.unwrap_or(1),
            _ => unreachable!("an array is made of cells"),
        }
    }

    pub(super) fn load(&self, cell: Binding, at: u64) -> D::Value {
        let Binding::Cell { slot, offset } = cell else { unreachable!("cells are loaded") };
        let width = self.widths[slot.0 as usize];
        let bits = self.store.get(offset as usize + at as usize * width as usize, width);
        self.domain.decode(&self.code.slots[slot.0 as usize], bits)
    }

    pub(super) fn store_cell(&mut self, cell: Binding, at: u64, value: &D::Value) -> Step<D::Value> {
        let Binding::Cell { slot, offset } = cell else { unreachable!("cells are stored to") };
        let width = self.widths[slot.0 as usize];
        let outcome = self.domain.encode(&self.code.slots[slot.0 as usize], value);
        let pc = self.control.pc;
        self.choose(outcome, pc, |machine, bits| {
            machine.store.set(offset as usize + at as usize * width as usize, width, bits);
            Step::Silent
        })
    }

    pub(super) fn element(
        &mut self,
        array: Binding,
        at: &D::Value,
        pc: Pc,
        then: impl FnMut(&mut Self, u64) -> Step<D::Value>,
    ) -> Step<D::Value> {
        let outcome = self.domain.element(self.length(array), at);
        self.choose(outcome, pc, then)
    }

    pub(super) fn free_element(
        &mut self,
        component: ComponentId,
        at: &D::Value,
        pc: Pc,
        mut then: impl FnMut(&mut Self, D::Value) -> Step<D::Value>,
    ) -> Step<D::Value> {
        let Type::Array(_, length) = self.arena.component(component).base else {
            unreachable!("only arrays are indexed")
        };
        let outcome = self.domain.element(length, at);
        let at = at.clone();
        self.choose(outcome, pc, |machine, _| then(machine, at.clone()))
    }
}
