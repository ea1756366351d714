//! What the cells of a module and of a waiting activation hold at a position, over exact numbers.

use agon_base::id::{number, size};
use agon_base::int::Int;
use agon_core::module;

use super::{Binding, Frame, Machine, StackId, State};
use crate::arena::ComponentId;
use crate::machine::code::{Index, SlotId};
use crate::values::{CellId, Cells, Exact};

impl Machine<Exact> {
    /// What the first elements of a cell of the module hold, up to a number of them.
    pub fn held(&mut self, state: State, id: module::CellId, most: u64) -> Vec<Int> {
        let Some(module) = self.code.module.clone() else { return Vec::new() };
        let at = module.escapable.len() + id.index();
        match self.scopes.get(self.halves.scope, Index(number(at))) {
            Binding::Cell { slot, offset, .. } => {
                self.stores.unfold(state.store(), self.halves.whole(), &mut self.store);
                self.elements_of(slot, offset, most)
            }
            other => unreachable!("{other:?} is no cell of the module"),
        }
    }

    /// What the named cells of a waiting activation hold, those of the procedures that run on its stack included; of an array,
    /// the first elements up to a number of them. A cell that is not needed any more holds 0.
    pub fn held_by_activation(&mut self, state: State, most: u64) -> Vec<(CellId, Vec<Int>)> {
        self.stores.unfold(state.store(), self.halves.whole(), &mut self.store);
        let mut found: Vec<(u32, CellId, Vec<Int>)> = Vec::new();
        for frame in self.frames(state) {
            let (Frame::Wait { scope, .. } | Frame::Return { scope, .. }) = frame else { continue };
            for n in 0..self.scopes.len(scope) {
                let Binding::Cell { slot, offset, .. } = self.scopes.get(scope, Index(n)) else { continue };
                let inside = offset >= self.halves.bits;
                if let Some(cell) = self.code.slots[slot.index()].cell.filter(|_| inside) {
                    found.push((offset, cell, self.elements_of(slot, offset, most)));
                }
            }
        }
        found.sort_unstable_by_key(|(offset, ..)| *offset);
        found.dedup_by_key(|(offset, ..)| *offset);
        found.into_iter().map(|(_, cell, values)| (cell, values)).collect()
    }

    /// The call that a waiting activation began with.
    pub fn began_with(&self, state: State) -> Option<ComponentId> {
        self.frames(state).into_iter().find_map(|frame| match frame {
            Frame::Reply { component, .. } => Some(component),
            _ => None,
        })
    }

    /// The frames of a position, innermost first.
    fn frames(&self, state: State) -> Vec<Frame> {
        let below = |stack: &StackId| Some(self.stacks.get(*stack).0).filter(|below| below != stack);
        let stacks = std::iter::successors(Some(state.stack()), below);
        let frames = stacks.map(|stack| self.frame(stack));
        frames.take_while(|frame| !matches!(frame, Frame::Outside { .. } | Frame::Closed)).collect()
    }

    fn elements_of(&self, slot: SlotId, offset: u32, most: u64) -> Vec<Int> {
        let width = self.widths[slot.index()];
        let kind = &self.code.slots[slot.index()];
        let bits = |n: u64| match width {
            0 => 0,
            _ => self.store.get(offset as usize + size(n) * width as usize, width),
        };
        (0..kind.length.unwrap_or(1).min(most)).map(|n| self.domain.decode(kind, bits(n))).collect()
    }
}
