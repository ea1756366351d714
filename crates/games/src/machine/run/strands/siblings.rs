//! Interchangeable threads: those that O has opened in one argument of one question, where nobody asks for their numbers.
//!
//! A thread that runs, keeps no cells of its own and was given nothing by O is known by its control alone: another one of
//! the same argument could do the same in its place. Positions that differ only in which thread is which are one.

use agon_base::budget::{Budget, Stop};
use rustc_hash::FxHashMap;

use super::cache::{Piece, PieceId, Sibling};
use super::{Branch, SPINNING, Strands};
use crate::machine::code::{ABORT, Pc};
use crate::machine::explore::{Event, event as event_of};
use crate::machine::run::pauses::{Layout, Reaching};
use crate::machine::run::{Binding, Frame, ScopeId, StackId, StrandId};
use crate::machine::store::StoreId;
use crate::values::Domain;

impl<D: Domain> Strands<D> {
    /// The same without thread numbers, and with threads of one argument interchangeable.
    pub fn symmetric(mut self) -> Strands<D> {
        self.symmetric = self.reduce;
        self.unnumbered()
    }

    /// The place of a strand among the threads of an argument; whether it is free depends on its control.
    pub(super) fn sibling(
        &mut self,
        strand: StrandId,
        (pc, scope, stack): (Pc, ScopeId, StackId),
    ) -> Option<Sibling> {
        let (parent, Branch::Asked(component, thread)) = *self.paths.get(strand) else { return None };
        if !self.symmetric {
            return None;
        }
        let group = self.groups.intern((parent, component));
        let waits = matches!(self.machine.frame(stack), Frame::Wait { .. } | Frame::Join);
        let free = !waits && !self.names_itself(strand, pc, scope, stack);
        Some(Sibling { group, slot: thread - 1, free })
    }

    /// Whether anything that the control of a strand reaches is kept by that strand, or was given to it.
    fn names_itself(&self, strand: StrandId, pc: Pc, scope: ScopeId, stack: StackId) -> bool {
        // These will never do anything else, and have an instruction in place of the scope.
        if pc == ABORT || pc == SPINNING {
            return false;
        }
        let mut reaching = Reaching::default();
        self.machine.gather(scope, &mut reaching);
        self.machine.reach(stack, &mut Layout::default(), &mut reaching);
        let visited = self.machine.each_reached(reaching, |binding| match binding {
            Binding::Cell { strand: of, .. } | Binding::Given { strand: of, .. } if of == strand => Err(()),
            _ => Ok(()),
        });
        visited.is_err()
    }

    /// Adds how a new piece looks in the places of the other threads, and how these look in its place.
    pub(super) fn add_twins(&mut self, piece: Piece) {
        let Some(Sibling { group, slot, free }) = piece.sibling else { return };
        let shapes = self.shapes.entry(group).or_default();
        if shapes.slots <= slot {
            shapes.slots = slot + 1;
            for (rest, segment, yielded) in shapes.all.clone() {
                self.add_twin(Piece { rest, segment, yielded, asked: None, ..piece }, group, slot);
            }
        }
        let look = (piece.rest, piece.segment, piece.yielded);
        let shapes = self.shapes.entry(group).or_default();
        if free && !shapes.all.contains(&look) {
            shapes.all.push(look);
            for slot in 0..shapes.slots {
                let strand = self.known.threads_of(group)[slot as usize];
                self.add_twin(Piece { strand, ..piece }, group, slot);
            }
        }
    }

    fn add_twin(&mut self, piece: Piece, group: u32, slot: u32) {
        let (_, new) = self.pieces.insert((piece.strand, piece.rest, piece.segment));
        if new {
            self.known.add(Piece { sibling: Some(Sibling { group, slot, free: true }), ..piece });
        }
    }

    /// Tells again, with numbers, what happened without them. Threads that changed places are followed.
    pub fn reconstruct(&mut self, plain: &mut Strands<D>, events: &[Event]) -> Result<Vec<Event>, Stop> {
        let mut position = Vec::new();
        let mut plain_position = Vec::new();
        let mut next = Vec::new();
        // For each strand there, the one here that does the same.
        let mut here: FxHashMap<StrandId, StrandId> = FxHashMap::from_iter([(StrandId(0), StrandId(0))]);
        let mut told = Vec::new();
        for event in events {
            let strand = here.get(&event.how.strand).copied().unwrap_or(StrandId(0));
            let at = position.iter().position(|id| self.known.piece(*id).strand == strand).unwrap_or(0);
            let steps = self.find_out(&position, at, &Budget::default())?;
            let step = self.known.stretch(steps)[event.how.nth as usize];
            told.push(event_of(&step, strand, event.how.nth));
            self.known.after(&position, &step, &mut next);
            let before = std::mem::replace(&mut position, std::mem::take(&mut next));
            // What happened there, before any threads changed places.
            let there = |id: &PieceId| plain.known.piece(*id).strand;
            let at = plain_position.iter().position(|id| there(id) == event.how.strand).unwrap_or(0);
            let steps = plain.find_out(&plain_position, at, &Budget::default())?;
            let step = plain.known.stretch(steps)[event.how.nth as usize];
            plain.known.change(&plain_position, plain.known.changes_of(&step), &mut next);
            // A strand's parent has a lower number, so it is found first.
            for id in &next {
                let new = plain.known.piece(*id).strand;
                if here.contains_key(&new)
                    && plain_position.iter().any(|id| plain.known.piece(*id).strand == new)
                {
                    continue;
                }
                let same = match *plain.paths.get(new) {
                    (_, Branch::First) => StrandId(0),
                    (parent, Branch::Asked(component, _)) => {
                        let parent = here.get(&parent).copied().unwrap_or(StrandId(0));
                        let strand_of = |id: &PieceId| self.known.piece(*id).strand;
                        let is_new = |strand: &StrandId| {
                            matches!(*self.paths.get(*strand), (of, Branch::Asked(other, _)) if of == parent && other == component)
                                && before.iter().all(|id| strand_of(id) != *strand)
                        };
                        position.iter().map(strand_of).find(is_new).unwrap_or(StrandId(0))
                    }
                    (parent, branch) => {
                        let parent = here.get(&parent).copied().unwrap_or(StrandId(0));
                        self.paths.intern((parent, branch))
                    }
                };
                here.insert(new, same);
            }
            let moved = plain.known.exchange(&mut next);
            let exchanged: Vec<(StrandId, StrandId)> = moved
                .iter()
                .map(|(from, to)| (*to, here.get(from).copied().unwrap_or(StrandId(0))))
                .collect();
            here.extend(exchanged);
            std::mem::swap(&mut plain_position, &mut next);
        }
        Ok(told)
    }
}

/// How the interchangeable threads of an argument have looked so far.
#[derive(Default)]
pub(super) struct Shapes {
    slots: u32,
    all: Vec<(u32, StoreId, bool)>,
}
