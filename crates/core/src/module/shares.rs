//! Shares: data that the environment and a module both see, and the imports that stand for what is done to it.
//!
//! Such an import is no function. Where a module asks, the environment says what it has written there; where a module tells, the
//! environment can read it from now on. Nobody sees that a module asks. So two modules are compared by what they have told when the
//! environment is to move, and not by what they have asked for.

use agon_base::int::Int;

use super::{ImportId, Module, Sort, next};
use crate::term::Name;

agon_base::id! {
    /// Data that is shared.
    pub DataId;
}

/// A cell or array that the environment and the module both see.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedData {
    /// Its name.
    pub name: Name,
    /// What it holds.
    pub sort: Sort,
    /// The number of elements, of an array.
    pub length: Option<u64>,
    /// What it holds at first, as [`super::Cell::initial`] says it; nothing if the environment says so.
    pub initial: Option<Vec<Int>>,
}

/// What an import stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    /// It asks what data holds; its argument is the index of an element. Data that never changes is asked for `once`.
    Asks {
        /// The data.
        data: DataId,
        /// Whether the environment gives the same answer for ever.
        once: bool,
    },
    /// It tells what data holds: the index of an element, and the value.
    Tells(DataId),
    /// It tells that the object of an address has died: the environment does not use the address any more.
    Ends,
}

/// What one cell, or one element of an array, of shared data holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Datum {
    /// The data.
    pub data: DataId,
    /// The index of an element.
    pub index: Option<Int>,
    /// What it holds.
    pub value: Int,
}

/// Addresses of an object that the environment knows by words: what it holds if that never changes, or its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fixed {
    first: u64,
    end: u64,
    words: Name,
    /// Whether the environment may give them.
    given: bool,
}

impl Module {
    /// Adds data that is shared.
    pub fn add_data(&mut self, data: SharedData) -> DataId {
        self.data.push(data);
        DataId(next(&self.data) - 1)
    }

    /// Says what an import stands for.
    pub fn share(&mut self, import: ImportId, share: Share) {
        self.shares.insert(import, share);
    }

    /// What an import stands for, if it is no function.
    pub fn share_of(&self, import: ImportId) -> Option<Share> {
        self.shares.get(&import).copied()
    }

    /// Data that is shared.
    pub fn data(&self, id: DataId) -> &SharedData {
        &self.data[id.index()]
    }

    /// All data that is shared.
    pub fn all_data(&self) -> impl Iterator<Item = (DataId, &SharedData)> {
        (0..).map(DataId).zip(&self.data)
    }

    /// The data of a name.
    pub fn data_named(&self, name: &str) -> Option<DataId> {
        self.all_data().find(|(_, data)| *data.name == *name).map(|(id, _)| id)
    }

    /// The environment knows the addresses from the first one up to an end by words, and gives them, or does not.
    pub fn fix_addresses(&mut self, first: u64, end: u64, words: Name, given: bool) {
        self.fixed.push(Fixed { first, end, words, given });
    }

    /// The addresses that the environment knows by words and may give.
    pub fn fixed_and_given(&self) -> impl Iterator<Item = u64> {
        self.fixed.iter().filter(|fixed| fixed.given).flat_map(|fixed| fixed.first..fixed.end)
    }

    /// The words by which the environment knows an address, and how far it is behind the first one with these words.
    pub fn fixed_address(&self, n: u64) -> Option<(&Name, u64)> {
        let known = self.fixed.iter().find(|fixed| fixed.first <= n && n < fixed.end)?;
        Some((&known.words, n - known.first))
    }

    /// The address that the environment knows by words, so far behind the first one.
    pub fn address_of(&self, words: &str, behind: u64) -> Option<u64> {
        let known =
            self.fixed.iter().filter(|fixed| *fixed.words == *words).map(|fixed| fixed.first + behind);
        known.into_iter().next()
    }
}
