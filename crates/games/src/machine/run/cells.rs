//! Cells and saved values on the store.

use agon_base::id::{number, size};
use agon_base::int::Int;
use agon_core::types::Type;

use super::pauses::Pause;
use super::strands::Dependency;
use super::{Binding, Executed, Machine, StrandId};
use crate::arena::ComponentId;
use crate::machine::code::{Code, Pc, SlotId};
use crate::machine::store::Store;
use crate::values::{Domain, Outcome, Target};

/// Where an element of an array is kept, whose first one is kept at an offset.
fn element(offset: u32, n: u64, width: u32) -> u32 {
    offset + number(size(n)) * width
}

impl<D: Domain> Machine<D> {
    pub(super) fn size(&self, slot: SlotId) -> u32 {
        let cells = self.domain.cells(&self.code.slots[slot.index()]);
        let bits = u64::from(self.widths[slot.index()]) * cells;
        u32::try_from(bits).expect("larger arrays are not made")
    }

    pub(super) fn set_height(&mut self, height: u32) {
        self.store.clear(height as usize, self.control.height as usize);
        self.control.height = height;
    }

    /// Puts a value on the store until it is needed.
    pub(super) fn save_exactly(&mut self, slot: SlotId, value: &D::Value) -> u32 {
        let offset = self.control.height;
        let width = self.widths[slot.index()];
        match self.domain.encode(&self.code.slots[slot.index()], value) {
            Outcome::One(bits) => self.store.set(offset as usize, width, bits),
            other => unreachable!("a value on its way is kept as it is, not {other:?}"),
        }
        self.control.height += width;
        offset
    }

    /// Takes the topmost value from the store.
    pub(super) fn restore(&mut self, slot: SlotId) -> D::Value {
        let height = self.control.height - self.widths[slot.index()];
        let value = self.saved(slot, height);
        self.set_height(height);
        value
    }

    pub(super) fn saved(&self, slot: SlotId, offset: u32) -> D::Value {
        let bits = self.store.get(offset as usize, self.widths[slot.index()]);
        self.domain.decode(&self.code.slots[slot.index()], bits)
    }

    /// The cells of a strand, to be written.
    pub(super) fn cells_of(&mut self, strand: StrandId) -> &mut Store {
        if strand == self.threading.strand {
            return &mut self.store;
        }
        self.threading.look(Dependency::Strand(strand));
        if !self.threading.written.contains(&strand) {
            self.threading.written.push(strand);
        }
        &mut self.threading.segments[strand.index()]
    }

    fn kept(&mut self, strand: StrandId, slot: SlotId, offset: u32) -> D::Value {
        let bits = self.bits(strand, slot, offset);
        self.domain.decode(&self.code.slots[slot.index()], bits)
    }

    /// The numbers that cells of the running strand are known to hold, each with its place.
    pub(super) fn numbers_in(&self, slot: SlotId, offset: u32) -> Vec<(u32, Int)> {
        let width = self.widths[slot.index()];
        let kind = &self.code.slots[slot.index()];
        let cells = if width == 0 { 0 } else { self.domain.cells(kind) };
        let number = |n: u64| {
            let at = element(offset, n, width);
            let bits = self.store.get(at as usize, width);
            let number = match kind.counter_bits() {
                Some(_) => Some(Int::from(bits)),
                None => self.domain.exactly(&self.domain.decode(kind, bits)),
            };
            number.map(|number| (at, number))
        };
        (0..cells).filter_map(number).collect()
    }

    fn bits(&mut self, strand: StrandId, slot: SlotId, offset: u32) -> u64 {
        let width = self.widths[slot.index()];
        if strand == self.threading.strand {
            return self.store.get(offset as usize, width);
        }
        self.threading.look(Dependency::Strand(strand));
        self.threading.segments[strand.index()].get(offset as usize, width)
    }

    /// How many places of a semaphore are taken.
    pub(super) fn taken(&mut self, cell: Binding) -> u64 {
        let Binding::Cell { slot, strand, offset } = cell else { unreachable!("semaphores are cells") };
        self.bits(strand, slot, offset)
    }

    /// One place of a semaphore more, or one less, is taken.
    pub(super) fn count(&mut self, cell: Binding, grabs: bool) {
        let Binding::Cell { slot, strand, offset } = cell else { unreachable!("semaphores are cells") };
        let width = self.widths[slot.index()];
        let store = self.cells_of(strand);
        let taken = store.get(offset as usize, width);
        store.set(offset as usize, width, if grabs { taken + 1 } else { taken - 1 });
    }

    pub(super) fn new_cells(&mut self, slot: SlotId, code: &Code, pc: Pc) -> Executed<D::Value> {
        self.new_cells_then(slot, code, pc, &mut |_| Executed::Silent)
    }

    pub(super) fn new_cells_then(
        &mut self,
        slot: SlotId,
        code: &Code,
        pc: Pc,
        then: &mut dyn FnMut(&mut Self) -> Executed<D::Value>,
    ) -> Executed<D::Value> {
        let offset = self.control.height;
        let width = self.widths[slot.index()];
        let cells = if width == 0 { 0 } else { self.domain.cells(&code.slots[slot.index()]) };
        if let Err(stop) =
            self.has_room(u64::from(offset).saturating_add(u64::from(width).saturating_mul(cells)))
        {
            return Executed::TooLarge(stop);
        }
        let acc = self.control.acc.clone();
        let outcome = self.domain.encode(&code.slots[slot.index()], &acc);
        let taken = self.size(slot);
        self.choose(outcome, pc, |machine, bits| {
            if bits != 0 {
                for n in 0..size(cells) {
                    machine.store.set(offset as usize + n * width as usize, width, bits);
                }
            }
            machine.control.height = offset + taken;
            let cell = Binding::Cell { slot, strand: machine.threading.strand, offset };
            machine.control.scope = machine.scopes.extend(machine.control.scope, cell);
            then(machine)
        })
    }

    pub(super) fn new_semaphore(&mut self, slot: SlotId, taken: u64) {
        let offset = self.control.height;
        let width = self.widths[slot.index()];
        self.store.set(offset as usize, width, taken);
        self.control.height = offset + width;
        let cell = Binding::Cell { slot, strand: self.threading.strand, offset };
        self.control.scope = self.scopes.extend(self.control.scope, cell);
    }

    /// What an index points to in an array.
    pub(super) fn point(&mut self, array: Binding, at: &D::Value) -> Outcome<D::Element> {
        let Binding::Cell { slot, .. } = array else { unreachable!("an array is made of cells") };
        let slot = &self.code.slots[slot.index()];
        self.domain.element(slot, slot.length.unwrap_or(1), at)
    }

    pub(super) fn load(&mut self, cell: Binding) -> D::Value {
        let Binding::Cell { slot, strand, offset } = cell else { unreachable!("cells are loaded") };
        self.kept(strand, slot, offset)
    }

    pub(super) fn load_element(&mut self, array: Binding, at: &D::Element) -> D::Value {
        let Binding::Cell { slot, strand, offset } = array else { unreachable!("cells are loaded") };
        let width = self.widths[slot.index()];
        let (first, last) = if width == 0 { (0, 0) } else { D::reach(at) };
        let place = |n: u64| element(offset, n, width);
        let mut value = self.kept(strand, slot, place(first));
        for n in first + 1..=last {
            let other = self.kept(strand, slot, place(n));
            value = self.domain.join(at, n, &value, &other);
        }
        self.domain.found(at, value)
    }

    pub(super) fn store_cell(
        &mut self,
        cell: Binding,
        value: &D::Value,
        pc: Pc,
        mut then: impl FnMut(&mut Self) -> Executed<D::Value>,
    ) -> Executed<D::Value> {
        let Binding::Cell { slot, strand, offset } = cell else { unreachable!("cells are stored to") };
        let width = self.widths[slot.index()];
        let outcome = self.domain.encode(&self.code.slots[slot.index()], value);
        self.choose(outcome, pc, |machine, bits| {
            machine.cells_of(strand).set(offset as usize, width, bits);
            machine.pause_at(Pause::Store);
            then(machine)
        })
    }

    pub(super) fn store_element(
        &mut self,
        array: Binding,
        at: &D::Value,
        value: &D::Value,
        pc: Pc,
        mut then: impl FnMut(&mut Self) -> Executed<D::Value>,
    ) -> Executed<D::Value> {
        let Binding::Cell { slot, strand, offset } = array else { unreachable!("cells are stored to") };
        let outcome = self.point(array, at);
        self.choose(outcome, pc, |machine, at| {
            let width = machine.widths[slot.index()];
            let (first, last) = match machine.domain.target(&at) {
                Target::Cell(n) => {
                    let element = Binding::Cell { slot, strand, offset: element(offset, n, width) };
                    return machine.store_cell(element, value, pc, &mut then);
                }
                Target::Any(..) if width == 0 => (0, 0),
                Target::Any(first, last) => (first, last),
            };
            let code = machine.code.clone();
            for n in first..=last {
                let place = element(offset, n, width) as usize;
                let before = machine.cells_of(strand).get(place, width);
                let after = machine.domain.blend(&code.slots[slot.index()], before, &at, n, value);
                machine.cells_of(strand).set(place, width, after);
            }
            machine.pause_at(Pause::Store);
            then(machine)
        })
    }

    /// Goes on with an index into an array that is not the program's own, unless it is out of bounds.
    pub(super) fn free_element(
        &mut self,
        component: ComponentId,
        at: &D::Value,
        pc: Pc,
        then: impl FnMut(&mut Self, D::Value) -> Executed<D::Value>,
    ) -> Executed<D::Value> {
        let Type::Array(_, length) = self.arena.component(component).base else {
            unreachable!("only arrays are indexed")
        };
        let outcome = self.domain.checked(length, at);
        self.choose(outcome, pc, then)
    }
}
