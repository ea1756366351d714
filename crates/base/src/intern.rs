//! Interning: equal things get equal numbers.

use std::hash::{BuildHasher, Hash};
use std::marker::PhantomData;

use crate::growth::{Growth, full};
use crate::id::number;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// A table of distinct things, numbered from 0 in the order in which they came. A number is an id `I`.
#[derive(Clone, Debug)]
pub struct Interner<T, I = u32> {
    things: Vec<T>,
    table: HashTable<u32>,
    growth: Growth,
    /// The most things.
    most: u32,
    ids: PhantomData<I>,
}

impl<T, I> Default for Interner<T, I> {
    fn default() -> Interner<T, I> {
        Interner::with_room(u32::MAX)
    }
}

impl<T, I> Interner<T, I> {
    /// A table that is full with this many things: one more ends the run with [`Stop::Table`](crate::budget::Stop::Table).
    pub fn with_room(most: u32) -> Interner<T, I> {
        let growth = Growth::default();
        Interner { things: Vec::new(), table: HashTable::new(), growth, most, ids: PhantomData }
    }
}

impl<T: Hash + Eq, I: From<u32> + Into<u32>> Interner<T, I> {
    /// The number of a thing, and whether it is new.
    pub fn insert(&mut self, thing: T) -> (I, bool) {
        let things = &self.things;
        let hash = FxBuildHasher.hash_one(&thing);
        let entry = self.table.entry(
            hash,
            |id| things[*id as usize] == thing,
            |id| FxBuildHasher.hash_one(&things[*id as usize]),
        );
        match entry {
            hashbrown::hash_table::Entry::Occupied(found) => (I::from(*found.get()), false),
            hashbrown::hash_table::Entry::Vacant(free) => {
                let id = u32::try_from(self.things.len()).unwrap_or(u32::MAX);
                if id >= self.most {
                    full();
                }
                free.insert(id);
                self.things.push(thing);
                self.growth.watch(self.table.len(), self.table.capacity(), self.table.allocation_size());
                (I::from(id), true)
            }
        }
    }

    /// The number of a thing.
    pub fn intern(&mut self, thing: T) -> I {
        self.insert(thing).0
    }

    /// The number of a thing that is in the table.
    pub fn find(&self, thing: &T) -> Option<I> {
        let found = self.table.find(FxBuildHasher.hash_one(thing), |id| self.things[*id as usize] == *thing);
        found.copied().map(I::from)
    }

    /// The thing of a number.
    pub fn get(&self, id: I) -> &T {
        let id: u32 = id.into();
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

    /// All things so far, in order.
    pub fn as_slice(&self) -> &[T] {
        &self.things
    }

    /// All things, in order.
    pub fn into_vec(self) -> Vec<T> {
        self.things
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.things.clear();
        self.table.clear();
        self.growth = Growth::default();
    }

    /// The memory that the table takes, in bytes; what the things own elsewhere is not counted.
    pub fn memory(&self) -> usize {
        self.things.capacity() * size_of::<T>() + self.table.allocation_size()
    }
}

/// Sequences of words `W`, kept one behind the other; equal ones have equal numbers.
#[derive(Clone, Debug)]
pub struct Sequences<W = u32> {
    words: Vec<W>,
    /// Where each begins, and where the last ends.
    starts: Vec<usize>,
    table: HashTable<u32>,
    growth: Growth,
}

impl<W> Default for Sequences<W> {
    fn default() -> Sequences<W> {
        Sequences { words: Vec::new(), starts: vec![0], table: HashTable::new(), growth: Growth::default() }
    }
}

impl<W: Copy + Eq + Hash> Sequences<W> {
    /// The empty sequence is 0.
    pub fn new() -> Sequences<W> {
        let mut positions = Sequences::default();
        positions.intern(&[]);
        positions
    }

    /// The sequence of a number.
    pub fn get(&self, id: u32) -> &[W] {
        &self.words[self.starts[id as usize]..self.starts[id as usize + 1]]
    }

    /// The number of a sequence.
    pub fn intern(&mut self, words: &[W]) -> u32 {
        self.insert(words).0
    }

    /// The number of a sequence, and whether it is new.
    pub fn insert(&mut self, words: &[W]) -> (u32, bool) {
        let Sequences { words: all, starts, table, growth } = self;
        let hash = |words: &[W]| FxBuildHasher.hash_one(words);
        let get = |id: &u32| &all[starts[*id as usize]..starts[*id as usize + 1]];
        match table.entry(hash(words), |id| get(id) == words, |id| hash(get(id))) {
            hashbrown::hash_table::Entry::Occupied(found) => (*found.get(), false),
            hashbrown::hash_table::Entry::Vacant(free) => {
                let id = number(starts.len() - 1);
                free.insert(id);
                all.extend_from_slice(words);
                starts.push(all.len());
                growth.watch(table.len(), table.capacity(), table.allocation_size());
                (id, true)
            }
        }
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.words.clear();
        self.starts.truncate(1);
        self.table.clear();
        self.growth = Growth::default();
    }

    /// How many sequences there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The memory that they take, in bytes.
    pub fn memory(&self) -> usize {
        self.words.capacity() * size_of::<W>()
            + self.starts.capacity() * size_of::<usize>()
            + self.table.allocation_size()
    }
}

#[cfg(test)]
mod tests {
    use crate::budget::Stop;
    use crate::growth::unless_full;

    use super::*;

    #[test]
    fn a_full_table_ends_the_run_and_still_finds_what_it_has() {
        let mut table = Interner::with_room(3);
        let numbers: Vec<u32> = [5, 7, 5, 9].map(|thing| table.intern(thing)).into();
        assert_eq!(numbers, [0, 1, 0, 2]);
        assert_eq!(unless_full(|| table.intern(7)), Ok(1));
        assert_eq!(unless_full(|| table.intern(11)), Err(Stop::Table));
    }
}
