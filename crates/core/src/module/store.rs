//! Stores: what the cells of a module or of an activation hold.

use std::collections::BTreeMap;

use agon_base::int::Int;

/// What cells hold, by the number of the cell and that of the element. A cell that is not listed holds what it held at first,
/// so equal stores are equal as data, and long arrays cost nothing until they are written to.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Store(BTreeMap<(u32, u64), Int>);

impl Store {
    /// What a cell holds, if it is not what it held at first.
    pub(super) fn get(&self, cell: u32, element: u64) -> Option<&Int> {
        self.0.get(&(cell, element))
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
