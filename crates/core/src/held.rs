//! What the cells of a running program hold.

use std::collections::BTreeMap;

use agon_base::int::Int;

use crate::term::VarId;

/// What a cell, an array, or a semaphore holds; of a semaphore, how many of its places are taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    /// The variable that it was declared as.
    pub variable: VarId,
    /// What every element holds that is not listed; a cell has one element.
    pub rest: Int,
    /// The elements that hold something else.
    pub others: BTreeMap<u64, Int>,
}

impl Held {
    /// What an element holds.
    pub fn get(&self, element: u64) -> &Int {
        self.others.get(&element).unwrap_or(&self.rest)
    }
}
