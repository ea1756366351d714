//! Positions of several words, kept one behind the other; equal ones have equal numbers.

use hashbrown::HashTable;

/// A table of sequences of words.
#[derive(Clone, Debug)]
pub(super) struct Positions {
    words: Vec<u64>,
    /// Where each begins, and where the last ends.
    starts: Vec<u64>,
    table: HashTable<u32>,
}

/// Multiplies and folds, word by word: fast, and good enough for numbers that are small and dense.
fn hash(words: &[u64]) -> u64 {
    words.iter().fold(0x9e37_79b9_7f4a_7c15, |hash: u64, word| {
        let product = u128::from(hash ^ word) * 0xd6e8_feb8_6659_fd93_u128;
        (product as u64) ^ ((product >> 64) as u64)
    })
}

impl Positions {
    /// The empty sequence is 0.
    pub(super) fn new() -> Positions {
        let mut positions = Positions { words: Vec::new(), starts: vec![0], table: HashTable::new() };
        positions.intern(&[]);
        positions
    }

    pub(super) fn get(&self, id: u32) -> &[u64] {
        &self.words[self.starts[id as usize] as usize..self.starts[id as usize + 1] as usize]
    }

    pub(super) fn intern(&mut self, words: &[u64]) -> u32 {
        let Positions { words: all, starts, table } = self;
        let get = |id: &u32| &all[starts[*id as usize] as usize..starts[*id as usize + 1] as usize];
        match table.entry(hash(words), |id| get(id) == words, |id| hash(get(id))) {
            hashbrown::hash_table::Entry::Occupied(found) => *found.get(),
            hashbrown::hash_table::Entry::Vacant(free) => {
                let id = u32::try_from(starts.len() - 1).expect("fewer than 2^32 positions");
                free.insert(id);
                all.extend_from_slice(words);
                starts.push(all.len() as u64);
                id
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn memory(&self) -> usize {
        (self.words.capacity() + self.starts.capacity()) * size_of::<u64>() + self.table.allocation_size()
    }
}
