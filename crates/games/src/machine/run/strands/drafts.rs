//! Positions of strands, taken apart and put together again.

use super::{Piece, PieceId, Strands};
use crate::machine::run::strands::cache::GONE;
use crate::machine::run::{Control, Frame, StackId, StrandId};
use crate::machine::store::Store;
use crate::values::Domain;

/// A position on its way to the next: what has changed.
pub(super) struct Draft<V> {
    /// Strands and their new controls; none if the strand is done.
    pub(super) changed: Vec<(StrandId, Option<Control<V>>)>,
    /// Strands whose cells were written by others.
    pub(super) written: Vec<StrandId>,
    /// Strands that rest only because something has run for long.
    pub(super) yielded: Vec<StrandId>,
}

impl<V> Default for Draft<V> {
    fn default() -> Draft<V> {
        Draft { changed: Vec::new(), written: Vec::new(), yielded: Vec::new() }
    }
}

impl<V> Draft<V> {
    pub(super) fn set(&mut self, strand: StrandId, control: Option<Control<V>>) {
        match self.changed.iter_mut().find(|(id, _)| *id == strand) {
            Some((_, known)) => *known = control,
            None => self.changed.push((strand, control)),
        }
    }
}

impl<D: Domain> Strands<D> {
    pub(super) fn rest(&self, id: u32) -> Control<D::Value> {
        let (pc, scope, stack, height, acc) = self.paused.get(id).clone();
        Control { pc, scope, stack, height, trail: 0, acc }
    }

    /// Takes a position apart: its strands, their cells at hand.
    pub(super) fn open(&mut self, position: &[PieceId]) {
        self.machine.threading.open.clear();
        self.machine.threading.dependencies.clear();
        self.position.clear();
        self.position.extend_from_slice(position);
        for id in position {
            let piece = *self.known.piece(*id);
            self.restore(piece);
            self.machine.threading.open.extend(piece.asked);
        }
    }

    /// Gives a strand the cells that it has in the position.
    fn restore(&mut self, piece: Piece) {
        let height = self.paused.get(piece.rest).3;
        self.room(piece.strand);
        let segment = &mut self.machine.threading.segments[piece.strand.index()];
        self.machine.stores.unfold(piece.segment, height as usize, segment);
    }

    pub(super) fn room(&mut self, strand: StrandId) {
        if self.machine.threading.segments.len() <= strand.index() {
            self.machine.threading.segments.resize_with(strand.index() + 1, Store::default);
        }
    }

    /// What a strand is in the position.
    fn piece_of(&self, strand: StrandId) -> Option<&Piece> {
        self.position.iter().map(|id| self.known.piece(*id)).find(|piece| piece.strand == strand)
    }

    /// The control of a strand on the way, if it is not done.
    pub(super) fn control(&self, draft: &Draft<D::Value>, strand: StrandId) -> Option<Control<D::Value>> {
        match draft.changed.iter().find(|(id, _)| *id == strand) {
            Some((_, control)) => control.clone(),
            None => self.piece_of(strand).map(|piece| self.rest(piece.rest)),
        }
    }

    /// The stack of a strand on the way.
    pub(super) fn stack(&self, draft: &Draft<D::Value>, strand: StrandId) -> Option<StackId> {
        match draft.changed.iter().find(|(id, _)| *id == strand) {
            Some((_, control)) => control.as_ref().map(|control| control.stack),
            None => self.piece_of(strand).map(|piece| self.paused.get(piece.rest).2),
        }
    }

    /// The piece of a paused strand.
    pub(super) fn piece(&mut self, strand: StrandId, control: Control<D::Value>, yielded: bool) -> PieceId {
        let Control { pc, scope, stack, height, acc, .. } = control;
        let segment =
            self.machine.stores.fold(&mut self.machine.threading.segments[strand.index()], height as usize);
        let rest = self.paused.intern((pc, scope, stack, height, acc));
        let (id, new) = self.pieces.insert((strand, rest, segment));
        if new {
            let asked = match self.machine.frame(stack) {
                Frame::Wait { question, .. } => {
                    let question = self.machine.questions.get(question);
                    Some((question.component, question.giver, question.thread))
                }
                _ => None,
            };
            let parent = self.paths.get(strand).0;
            let sibling = self.sibling(strand, (pc, scope, stack));
            let piece = Piece { strand, rest, segment, parent, yielded, asked, sibling };
            self.known.add(piece);
            self.add_twins(piece);
        }
        id
    }

    /// The cells are as they were again.
    pub(super) fn discard(&mut self, draft: &Draft<D::Value>) {
        for at in 0..self.position.len() {
            let piece = *self.known.piece(self.position[at]);
            if draft.written.contains(&piece.strand)
                || draft.changed.iter().any(|(id, _)| *id == piece.strand)
            {
                self.restore(piece);
            }
        }
    }

    /// What a draft makes of a position; the cells are as they were again.
    pub(super) fn close(&mut self, draft: Draft<D::Value>) -> Vec<(StrandId, PieceId)> {
        let mut changes = Vec::with_capacity(draft.changed.len() + draft.written.len());
        for strand in &draft.written {
            if draft.changed.iter().all(|(id, _)| id != strand)
                && let Some(piece) = self.piece_of(*strand)
            {
                let (control, yielded) = (self.rest(piece.rest), piece.yielded);
                changes.push((*strand, self.piece(*strand, control, yielded)));
            }
        }
        for (strand, control) in draft.changed {
            let yielded = draft.yielded.contains(&strand);
            let piece = control.map_or(GONE, |control| self.piece(strand, control, yielded));
            changes.push((strand, piece));
        }
        changes.sort_unstable();
        changes.dedup();
        for (strand, _) in &changes {
            if let Some(piece) = self.piece_of(*strand).copied() {
                self.restore(piece);
            }
        }
        changes
    }
}
