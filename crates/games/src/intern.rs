//! Interning: equal things get equal numbers.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// A table of distinct things, numbered from 0 in the order in which they came.
#[derive(Clone, Debug)]
pub struct Interner<T> {
    things: Vec<T>,
    table: HashTable<u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Interner<T> {
        Interner { things: Vec::new(), table: HashTable::new() }
    }
}

impl<T: Hash + Eq> Interner<T> {
    /// The number of a thing, and whether it is new.
    pub fn insert(&mut self, thing: T) -> (u32, bool) {
        let things = &self.things;
        let hash = FxBuildHasher.hash_one(&thing);
        let entry = self.table.entry(
            hash,
            |id| things[*id as usize] == thing,
            |id| FxBuildHasher.hash_one(&things[*id as usize]),
        );
        match entry {
            hashbrown::hash_table::Entry::Occupied(found) => (*found.get(), false),
            hashbrown::hash_table::Entry::Vacant(free) => {
                let id = u32::try_from(self.things.len()).expect("fewer than 2^32 things are interned");
                free.insert(id);
                self.things.push(thing);
                (id, true)
            }
        }
    }

    /// The number of a thing.
    pub fn intern(&mut self, thing: T) -> u32 {
        self.insert(thing).0
    }

    /// The thing of a number.
    pub fn get(&self, id: u32) -> &T {
        &self.things[id as usize]
    }

    /// How many things there are.
    pub fn len(&self) -> usize {
        self.things.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.things.is_empty()
    }

    /// All things, in order.
    pub fn into_vec(self) -> Vec<T> {
        self.things
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.things.clear();
        self.table.clear();
    }

    /// The memory that the table takes, in bytes; what the things own elsewhere is not counted.
    pub fn memory(&self) -> usize {
        self.things.capacity() * size_of::<T>() + self.table.allocation_size()
    }
}
