//! The store: one packed bit vector, and a table in which equal ones have equal numbers.
//!
//! A vector of many words is kept as a tree of pairs, as in LTSmin's tree database: two stores that differ in
//! one word share all but the path to it. The working copy remembers the numbers of its subtrees, so that
//! storing it again, or turning it into another one, costs only what differs.

use agon_base::id::{halves, number, pair};
use agon_base::intern::Interner;

agon_base::id! {
    /// The number of a stored vector, or of a part of it, given how many bits it has.
    pub StoreId;
}

/// The number of zeros.
const ZERO: StoreId = StoreId(0);
/// Not a number: the subtree has changed.
const CHANGED: StoreId = StoreId::MAX;

/// A working copy. Bits that nobody has written are 0.
#[derive(Clone, Default, Debug)]
pub struct Store {
    words: Vec<u64>,
    /// The numbers of the words, of pairs of words, of pairs of pairs, …. What lies above a change is `CHANGED`.
    levels: Vec<Vec<StoreId>>,
    /// No word from here on has a bit set.
    used: usize,
}

impl Store {
    /// The bits from `offset`, at most 64 of them.
    pub fn get(&self, offset: usize, width: u32) -> u64 {
        if width == 0 {
            return 0;
        }
        let (word, bit) = (offset / 64, offset % 64);
        let low = self.words.get(word).copied().unwrap_or(0) >> bit;
        let bits = if bit + width as usize > 64 {
            low | (self.words.get(word + 1).copied().unwrap_or(0) << (64 - bit))
        } else {
            low
        };
        bits & mask(width)
    }

    /// Sets the bits from `offset`, at most 64 of them.
    pub fn set(&mut self, offset: usize, width: u32, bits: u64) {
        if width == 0 {
            return;
        }
        let (word, bit) = (offset / 64, offset % 64);
        self.update(word, mask(width) << bit, bits << bit);
        if bit + width as usize > 64 {
            self.update(word + 1, mask(width) >> (64 - bit), bits >> (64 - bit));
        }
    }

    /// Sets all bits from one place up to another to 0.
    pub fn clear(&mut self, from: usize, to: usize) {
        let mut at = from;
        while at < to && at / 64 < self.used {
            let width = number((64 - at % 64).min(to - at));
            self.set(at, width, 0);
            at += width as usize;
        }
    }

    fn update(&mut self, word: usize, mask: u64, bits: u64) {
        let before = self.words.get(word).copied().unwrap_or(0);
        let after = (before & !mask) | (bits & mask);
        if before != after {
            self.put(word, after);
        }
    }

    fn grow(&mut self, len: usize) {
        self.words.resize(len, 0);
        self.levels.resize_with(len.trailing_zeros() as usize + 1, Vec::new);
        for level in 0..self.levels.len() {
            for at in self.levels[level].len()..len >> level {
                // Words of zeros have the number 0, and so have trees of them.
                let zero = level == 0 || self.levels[level - 1][2 * at..2 * at + 2] == [ZERO, ZERO];
                self.levels[level].push(if zero { ZERO } else { CHANGED });
            }
        }
    }

    fn put(&mut self, word: usize, bits: u64) {
        if word >= self.words.len() {
            self.grow((word + 1).next_power_of_two());
        }
        self.words[word] = bits;
        self.used = self.used.max(word + 1);
        let mut at = word;
        for level in &mut self.levels {
            if level[at] == CHANGED {
                break;
            }
            level[at] = CHANGED;
            at /= 2;
        }
    }
}

fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// Where stores are kept.
#[derive(Clone, Debug)]
pub struct StoreTable {
    /// Words, and pairs of numbers; which of the two an entry is follows from its level.
    nodes: Interner<u64, StoreId>,
}

impl Default for StoreTable {
    fn default() -> StoreTable {
        let mut nodes = Interner::default();
        nodes.intern(0);
        StoreTable { nodes }
    }
}

/// How many levels the tree over this many bits has above its words.
fn depth(bits: usize) -> usize {
    bits.div_ceil(64).next_power_of_two().trailing_zeros() as usize
}

impl StoreTable {
    /// The number of a store of this many bits; all bits beyond are 0.
    pub fn fold(&mut self, store: &mut Store, bits: usize) -> StoreId {
        if bits <= 32 {
            return StoreId(halves(store.words.first().copied().unwrap_or(0)).1);
        }
        self.fold_node(store, depth(bits), 0)
    }

    fn fold_node(&mut self, store: &mut Store, level: usize, at: usize) -> StoreId {
        let Some(known) = store.levels.get(level).and_then(|level| level.get(at)).copied() else {
            // Above what was ever written: a left spine over zeros.
            if at > 0 || store.levels.is_empty() {
                return ZERO;
            }
            let left = self.fold_node(store, level - 1, 0);
            return self.pair(left, ZERO);
        };
        if known != CHANGED {
            return known;
        }
        let key = if level == 0 {
            store.words[at]
        } else {
            let left = self.fold_node(store, level - 1, 2 * at);
            let right = self.fold_node(store, level - 1, 2 * at + 1);
            pair(left.0, right.0)
        };
        let id = self.nodes.intern(key);
        store.levels[level][at] = id;
        id
    }

    /// Turns a working copy into the store of that number and of this many bits.
    pub fn unfold(&self, id: StoreId, bits: usize, store: &mut Store) {
        let words = if bits == 0 { 0 } else { 1 << depth(bits) };
        for word in words..store.used {
            if store.words[word] != 0 {
                store.put(word, 0);
            }
        }
        store.used = store.used.min(words);
        if bits <= 32 {
            store.update(0, u64::MAX, u64::from(id.0));
            return;
        }
        self.unfold_node(id, depth(bits), 0, store);
    }

    fn unfold_node(&self, id: StoreId, level: usize, at: usize, store: &mut Store) {
        let known = store.levels.get(level).and_then(|level| level.get(at)).copied();
        let beyond = known.is_none() && (at > 0 || store.levels.is_empty());
        if known == Some(id) || (beyond && id == ZERO) {
            return;
        }
        let key = *self.nodes.get(id);
        if level == 0 {
            store.put(at, key);
        } else {
            let (left, right) = halves(key);
            self.unfold_node(StoreId(left), level - 1, 2 * at, store);
            self.unfold_node(StoreId(right), level - 1, 2 * at + 1, store);
        }
        if let Some(known) = store.levels.get_mut(level).and_then(|level| level.get_mut(at)) {
            *known = id;
        }
    }

    /// The numbers of both halves of a store, each of a power of two of words.
    pub fn halves(&self, id: StoreId) -> (StoreId, StoreId) {
        let (first, second) = halves(*self.nodes.get(id));
        (StoreId(first), StoreId(second))
    }

    /// The store of which these are the halves.
    pub fn pair(&mut self, first: StoreId, second: StoreId) -> StoreId {
        self.nodes.intern(pair(first.0, second.0))
    }

    /// A bit of a half.
    pub fn bit(&self, mut half: StoreId, bits: usize, at: usize) -> bool {
        let mut words = bits / 64;
        let mut word = at / 64;
        while words > 1 {
            words /= 2;
            let (first, second) = self.halves(half);
            half = if word < words { first } else { second };
            word %= words;
        }
        *self.nodes.get(half) >> (at % 64) & 1 == 1
    }

    /// The memory that the table takes, in bytes.
    pub fn memory(&self) -> usize {
        self.nodes.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The naive twin: vectors of bits, kept whole.
    #[test]
    fn folding_and_unfolding_agree_with_whole_vectors() {
        let mut random = 1u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % below
        };
        let mut table = StoreTable::default();
        let mut store = Store::default();
        let mut seen: Vec<(usize, StoreId, Vec<bool>)> = Vec::new();
        let mut bits = vec![false; 700];
        for round in 0..4000 {
            let size = [20, 33, 64, 65, 200, 700][next(6) as usize];
            if round % 3 == 0 && !seen.is_empty() {
                let (size, id, whole) = &seen[next(seen.len() as u64) as usize];
                table.unfold(*id, *size, &mut store);
                bits = whole.clone();
            }
            if next(40) == 0 {
                store = Store::default();
                bits.fill(false);
            }
            for _ in 0..next(4) {
                let width = next(65) as u32;
                let below = if next(2) == 0 { 40 } else { 700 - 64 };
                let offset = next(below) as usize;
                let value = next(u64::MAX >> 33) | (next(1 << 31) << 31);
                store.set(offset, width, value & mask(width));
                for i in 0..width as usize {
                    bits[offset + i] = value >> i & 1 == 1;
                }
                let read = store.get(offset, width);
                assert_eq!(read, value & mask(width));
            }
            store.clear(size, 700);
            bits[size..].fill(false);
            let id = table.fold(&mut store, size);
            for (other_size, other, whole) in &seen {
                if *other_size == size {
                    assert_eq!(*other == id, *whole == bits, "round {round}");
                }
            }
            seen.push((size, id, bits.clone()));
        }
    }
}
