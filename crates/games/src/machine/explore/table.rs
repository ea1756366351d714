//! The positions that were reached, each once: a table of sequences of numbers that is made for speed.
//!
//! A walk spends most of its time waiting for memory. A slot of the table says with half of its bits which positions it
//! cannot be, so a miss costs one look into memory, and a hit two. Positions are put in by batches, and the slots of some
//! of them are looked at together before any of them is needed: then the waiting times overlap.

use agon_base::budget::Stop;
use agon_base::growth::Growth;
use agon_base::id::{halves, number, pair};

use super::Place;
use crate::machine::run::PieceId;

/// The positions that follow from others, on their way into the table.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) items: Vec<Item>,
    words: Vec<PieceId>,
}

/// One of them.
#[derive(Clone, Copy)]
pub(super) struct Item {
    hash: u64,
    /// Whence.
    pub(super) from: Place,
    /// By which letter.
    pub(super) letter: Option<u32>,
    start: u32,
    end: u32,
}

/// Multiplies and folds, two numbers at a time: fast, and good enough for numbers that are small and dense.
#[expect(clippy::cast_possible_truncation, reason = "both halves of the product are used")]
pub(super) fn hash(words: &[PieceId]) -> u64 {
    let (pairs, last) = words.as_chunks::<2>();
    let pairs = pairs.iter().map(|[low, high]| pair(high.0, low.0));
    pairs.chain(last.iter().map(|last| u64::from(last.0))).fold(0x9e37_79b9_7f4a_7c15, |hash: u64, word| {
        let product = u128::from(hash ^ word) * 0xd6e8_feb8_6659_fd93_u128;
        (product as u64) ^ ((product >> 64) as u64)
    })
}

impl Batch {
    pub(super) fn push(&mut self, hash: u64, from: Place, letter: Option<u32>, words: &[PieceId]) {
        let start = number(self.words.len());
        self.words.extend_from_slice(words);
        self.items.push(Item { hash, from, letter, start, end: number(self.words.len()) });
    }

    pub(super) fn clear(&mut self) {
        self.items.clear();
        self.words.clear();
    }

    fn words(&self, item: &Item) -> &[PieceId] {
        &self.words[item.start as usize..item.end as usize]
    }
}

/// The end of a sequence.
const LAST: u32 = 1 << 31;
/// The one number of the sequence of none.
const NONE: u32 = u32::MAX;
/// How many numbers stand before a sequence: from where it was reached, and how many were reached before.
const HEAD: usize = 2;
/// How many positions are looked for together.
pub(super) const TOGETHER: usize = 32;

/// A table of positions.
pub(super) struct Table {
    /// Half of a hash, and one more than where the record begins; 0 if the slot is free.
    slots: Vec<u64>,
    records: Vec<u32>,
    len: usize,
    growth: Growth,
    /// No record begins behind this place.
    last: u32,
}

impl Table {
    /// A table in which no record begins behind a place.
    pub(super) fn new(last: u32) -> Table {
        let last = last.min(u32::MAX - 1);
        Table { slots: vec![0; 1 << 8], records: Vec::new(), len: 0, growth: Growth::default(), last }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Where to look first. Only the half of the hash that the slots keep is used, so that they can be moved.
    fn slot(&self, hash: u64) -> usize {
        ((hash >> 32) as usize * self.slots.len()) >> 32
    }

    fn reserve(&mut self, more: usize) {
        // At most five of eight slots are taken.
        let capacity = self.slots.len() / 8 * 5;
        self.growth.watch(self.len, capacity, self.slots.len() * size_of::<u64>());
        if (self.len + more) * 8 <= self.slots.len() * 5 {
            return;
        }
        let size = ((self.len + more) * 2).next_power_of_two();
        debug_assert!(size <= 1 << 32, "records take several of the 2^32 places");
        let old = std::mem::replace(&mut self.slots, vec![0; size]);
        for slot in old.into_iter().filter(|slot| *slot != 0) {
            let mut at = self.slot(slot);
            while self.slots[at] != 0 {
                at = (at + 1) % self.slots.len();
            }
            self.slots[at] = slot;
        }
    }

    fn is_at(&self, record: usize, words: &[PieceId]) -> bool {
        let kept = &self.records[record + HEAD..];
        match words {
            [] => kept[0] == NONE,
            [others @ .., last] => {
                kept.len() > others.len()
                    && kept[others.len()] == last.0 | LAST
                    && kept.iter().zip(others).all(|(kept, word)| *kept == word.0)
            }
        }
    }

    /// Where a position is, and whether it is new.
    pub(super) fn insert(&mut self, hash: u64, words: &[PieceId], from: Place) -> Result<(u32, bool), Stop> {
        self.reserve(1);
        let mut at = self.slot(hash);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                break;
            }
            let record = halves(slot).1 - 1;
            if (slot ^ hash) >> 32 == 0 && self.is_at(record as usize, words) {
                return Ok((record, false));
            }
            at = (at + 1) % self.slots.len();
        }
        let record = u32::try_from(self.records.len())
            .ok()
            .filter(|record| *record <= self.last)
            .ok_or(Stop::Table)?;
        self.slots[at] = (hash >> 32 << 32) | (u64::from(record) + 1);
        self.records.extend([from.0, number(self.len)]);
        match words {
            [] => self.records.push(NONE),
            [others @ .., last] => {
                self.records.extend(others.iter().map(|word| word.0));
                self.records.push(last.0 | LAST);
            }
        }
        self.len += 1;
        Ok((record, true))
    }

    /// Puts in all of a batch.
    pub(super) fn insert_all(
        &mut self,
        batch: &Batch,
        mut each: impl FnMut(&Item, u32, bool),
    ) -> Result<(), Stop> {
        self.reserve(batch.items.len());
        for items in batch.items.chunks(TOGETHER) {
            // Nothing is done with what is seen here, but then it is near.
            let mut near = [0; TOGETHER];
            for (item, near) in items.iter().zip(&mut near) {
                *near = self.slots[self.slot(item.hash)];
            }
            let mut sum = 0u32;
            for (item, slot) in items.iter().zip(near) {
                if slot != 0 && (slot ^ item.hash) >> 32 == 0 {
                    sum = sum.wrapping_add(self.records[halves(slot).1 as usize - 1]);
                }
            }
            std::hint::black_box(sum);
            for item in items {
                let (record, new) = self.insert(item.hash, batch.words(item), item.from)?;
                each(item, record, new);
            }
        }
        Ok(())
    }

    /// From where a position was reached first.
    pub(super) fn parent(&self, record: u32) -> Place {
        Place(self.records[record as usize])
    }

    /// How many were reached before it.
    pub(super) fn number(&self, record: u32) -> u32 {
        self.records[record as usize + 1]
    }

    pub(super) fn words(&self, record: u32, words: &mut Vec<PieceId>) {
        words.clear();
        for word in &self.records[record as usize + HEAD..] {
            if *word == NONE {
                return;
            }
            words.push(PieceId(word & !LAST));
            if word & LAST != 0 {
                return;
            }
        }
    }

    pub(super) fn memory(&self) -> usize {
        self.slots.capacity() * size_of::<u64>() + self.records.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use agon_base::random::Random;

    use super::*;

    #[test]
    fn a_table_agrees_with_a_map() {
        let mut random = Random::new(7);
        let mut table = Table::new(u32::MAX);
        let mut map: HashMap<Vec<PieceId>, u32> = HashMap::new();
        for _ in 0..2_000 {
            let mut batch = Batch::default();
            let mut sequences = Vec::new();
            for _ in 0..random.below(40) {
                let words: Vec<PieceId> =
                    (0..random.below(4)).map(|_| PieceId::new(random.below(12))).collect();
                // Few different hashes, so that they must be told apart by more than that.
                batch.push(hash(&words) & 0xffff_0000_0000_0000, Place(5), None, &words);
                sequences.push(words);
            }
            let mut sequences = sequences.into_iter();
            let kept = table.insert_all(&batch, |_, record, new| {
                let words = sequences.next().expect("as many as were put in");
                assert_eq!(new, !map.contains_key(&words));
                assert_eq!(*map.entry(words).or_insert(record), record);
            });
            kept.expect("there is room for all of them");
        }
        assert_eq!(table.len(), map.len());
        let mut words = Vec::new();
        for (sequence, record) in map {
            table.words(record, &mut words);
            assert_eq!(words, sequence);
            assert_eq!(table.parent(record), Place(5));
        }
    }
}
