//! Positions of strands, taken apart and put together again.

use agon_lang::int::Int;

use super::{Entry, Strands};
use crate::machine::run::{Control, Frame, StackId, State, StrandId};
use crate::machine::store::Store;

/// A position on its way to the next: what has changed.
#[derive(Default)]
pub(super) struct Draft {
    /// Strands and their new controls; none if the strand is done.
    pub(super) changed: Vec<(StrandId, Option<Control<Int>>)>,
    /// Strands whose cells were written by others.
    pub(super) written: Vec<StrandId>,
}

impl Draft {
    pub(super) fn set(&mut self, strand: StrandId, control: Option<Control<Int>>) {
        match self.changed.iter_mut().find(|(id, _)| *id == strand) {
            Some((_, known)) => *known = control,
            None => self.changed.push((strand, control)),
        }
    }
}

impl Strands {
    pub(super) fn rest(&self, id: u32) -> Control<Int> {
        let (pc, scope, stack, height, acc) = self.rests.get(id).clone();
        Control { pc, scope, stack, height, trail: 0, acc }
    }

    /// Takes a position apart: its strands, their cells at hand.
    pub(super) fn open(&mut self, state: State) {
        let words = self.positions.get(state.0 as u32);
        self.entries.clear();
        self.machine.open.clear();
        if let [structure, words @ ..] = words {
            let strands = self.structures.get(*structure as u32);
            for (strand, word) in strands.iter().zip(words) {
                self.entries.push(Entry {
                    strand: *strand,
                    rest: (word >> 32) as u32,
                    segment: *word as u32,
                });
            }
        }
        for at in 0..self.entries.len() {
            let entry = self.entries[at];
            self.restore(entry);
            let stack = self.rests.get(entry.rest).2;
            if let Frame::Wait { question, .. } = self.machine.frame(stack) {
                let question = self.machine.questions.get(question);
                self.machine.open.push((question.component, question.giver, question.thread));
            }
        }
    }

    /// Gives a strand the cells that it has in the position.
    pub(super) fn restore(&mut self, entry: Entry) {
        let height = self.rests.get(entry.rest).3;
        self.room(entry.strand);
        let segment = &mut self.machine.segments[entry.strand as usize];
        self.machine.stores.unfold(entry.segment, height as usize, segment);
    }

    pub(super) fn room(&mut self, strand: StrandId) {
        if self.machine.segments.len() <= strand as usize {
            self.machine.segments.resize_with(strand as usize + 1, Store::default);
        }
    }

    /// Where a strand is in the position.
    fn entry(&self, strand: StrandId) -> Option<Entry> {
        self.entries.iter().find(|entry| entry.strand == strand).copied()
    }

    /// The control of a strand on the way, if it is not done.
    pub(super) fn control(&self, draft: &Draft, strand: StrandId) -> Option<Control<Int>> {
        match draft.changed.iter().find(|(id, _)| *id == strand) {
            Some((_, control)) => control.clone(),
            None => self.entry(strand).map(|entry| self.rest(entry.rest)),
        }
    }

    /// The stack of a strand on the way.
    pub(super) fn stack(&self, draft: &Draft, strand: StrandId) -> Option<StackId> {
        match draft.changed.iter().find(|(id, _)| *id == strand) {
            Some((_, control)) => control.as_ref().map(|control| control.stack),
            None => self.entry(strand).map(|entry| self.rests.get(entry.rest).2),
        }
    }

    /// The word that stands for a strand that rests.
    fn word(&mut self, strand: StrandId, control: Control<Int>) -> u64 {
        let Control { pc, scope, stack, height, acc, .. } = control;
        let segment = self.machine.stores.fold(&mut self.machine.segments[strand as usize], height as usize);
        let rest = self.rests.intern((pc, scope, stack, height, acc));
        (u64::from(rest) << 32) | u64::from(segment)
    }

    /// The cells are as they were again.
    pub(super) fn discard(&mut self, draft: &Draft) {
        for at in 0..self.entries.len() {
            let entry = self.entries[at];
            if draft.written.contains(&entry.strand)
                || draft.changed.iter().any(|(id, _)| *id == entry.strand)
            {
                self.restore(entry);
            }
        }
    }

    /// The number of the position that a draft makes of this one; the cells are as they were again.
    pub(super) fn close(&mut self, mut draft: Draft) -> State {
        let mut strands: Vec<(StrandId, u64)> = Vec::with_capacity(self.entries.len() + 2);
        for at in 0..self.entries.len() {
            let entry = self.entries[at];
            let changed = draft.changed.iter().position(|(id, _)| *id == entry.strand);
            match changed.map(|n| draft.changed.swap_remove(n).1) {
                None if draft.written.contains(&entry.strand) => {
                    let control = self.rest(entry.rest);
                    strands.push((entry.strand, self.word(entry.strand, control)));
                    self.restore(entry);
                }
                None => {
                    strands.push((entry.strand, (u64::from(entry.rest) << 32) | u64::from(entry.segment)));
                }
                Some(control) => {
                    if let Some(control) = control {
                        strands.push((entry.strand, self.word(entry.strand, control)));
                    }
                    self.restore(entry);
                }
            }
        }
        let grown = strands.len();
        for (strand, control) in draft.changed {
            if let Some(control) = control {
                strands.push((strand, self.word(strand, control)));
            }
        }
        if strands.len() > grown {
            strands.sort_unstable_by_key(|(strand, _)| *strand);
        }
        let structure: Box<[StrandId]> = strands.iter().map(|(strand, _)| *strand).collect();
        let structure = self.structures.intern(structure);
        self.words.clear();
        self.words.push(u64::from(structure));
        self.words.extend(strands.iter().map(|(_, word)| *word));
        State(u64::from(self.positions.intern(&self.words)))
    }
}
