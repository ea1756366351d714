//! Stores: what the cells of a module or of an activation hold.

use std::collections::{BTreeMap, BTreeSet};

use agon_base::int::Int;

use super::{CellId, Module};

/// What cells hold, by the number of the cell and that of the element. A cell that is not listed holds what it held at first,
/// so equal stores are equal as data, and long arrays cost nothing until they are written to.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Store(BTreeMap<(u32, u64), Int>);

impl Store {
    /// What an element of a cell of a module's holds.
    pub fn held(&self, module: &Module, cell: CellId, element: u64) -> Int {
        self.get(cell.0, element).cloned().unwrap_or_else(|| module.cell(cell).first(element))
    }

    /// The elements of a module's cells that hold something else than in another store, in order.
    pub fn changes(&self, before: &Store) -> Vec<(CellId, u64)> {
        let all: BTreeSet<_> = self.0.keys().chain(before.0.keys()).collect();
        let changed = all.into_iter().filter(|key| self.0.get(key) != before.0.get(key));
        changed.map(|(cell, element)| (CellId(*cell), *element)).collect()
    }

    /// What a cell holds, if it is not what it held at first.
    pub(super) fn get(&self, cell: u32, element: u64) -> Option<&Int> {
        self.0.get(&(cell, element))
    }

    /// The elements that hold something else than they held at first: the number of the cell, that of the element, and what it holds.
    pub(super) fn elements(&self) -> impl Iterator<Item = (u32, u64, &Int)> {
        self.0.iter().map(|((cell, element), value)| (*cell, *element, value))
    }

    /// The elements that hold something else than they held at first: the number of the cell, and what it holds.
    pub(super) fn entries(&self) -> impl Iterator<Item = (u32, &Int)> {
        self.0.iter().map(|((cell, _), value)| (*cell, value))
    }

    /// The other cells hold what they held at first.
    pub(super) fn retain(&mut self, keeps: impl Fn(u32) -> bool) {
        self.0.retain(|(cell, _), _| keeps(*cell));
    }

    /// Writes to a cell that held this at first.
    pub(super) fn set(&mut self, cell: u32, element: u64, first: &Int, value: Int) {
        match *first == value {
            true => self.0.remove(&(cell, element)),
            false => self.0.insert((cell, element), value),
        };
    }
}
