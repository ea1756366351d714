//! The values of positions over terms: they are read off, and others are put in their places.

use super::{PieceId, Strands};
use crate::machine::run::pauses::{Layout, Reaching, STRAND_BITS, address};
use crate::machine::run::{Control, StrandId};
use crate::symbolic::{Judge, Symbolic, Value, WIDTH};

/// The place of what a strand has just computed.
const COMPUTED: u32 = (1 << STRAND_BITS) - 1;

impl<J: Judge> Strands<Symbolic<J>> {
    /// The strands of a position.
    pub fn strands(&self, position: &[PieceId]) -> Vec<StrandId> {
        position.iter().map(|id| self.known.piece(*id).strand).collect()
    }

    /// Whether a strand of a position would go on by itself, unseen.
    pub fn has_yielded(&self, position: &[PieceId], strand: StrandId) -> bool {
        let mut pieces = position.iter().map(|id| self.known.piece(*id));
        pieces.any(|piece| piece.strand == strand && piece.yielded)
    }

    /// Which of the offers O may take in a strand of a position; nothing where it does not wait for O.
    pub fn playable(&mut self, position: &[PieceId], strand: StrandId) -> Option<Vec<usize>> {
        let offers = self.offers(position, strand)?;
        self.open(position);
        let asked = self.asked_below(strand, &offers);
        let may = |n: &usize| position.is_empty() || self.may_play(&offers[*n], &asked);
        Some((0..offers.len()).filter(may).collect())
    }

    /// What the strands of a position are about to do, as far as it does not depend on values.
    pub fn controls(&self, position: &[PieceId]) -> Vec<[u32; 5]> {
        let control = |id: &PieceId| {
            let piece = self.known.piece(*id);
            let (pc, scope, stack, height, _) = self.paused.get(piece.rest);
            [piece.strand.0, pc.0, scope.0, stack.0, *height]
        };
        position.iter().map(control).collect()
    }

    /// What the store holds at a position.
    pub fn layout(&self, position: &[PieceId]) -> Layout {
        let mut layout = Layout::default();
        let mut reaching = Reaching::default();
        for id in position {
            let (pc, scope, stack, ..) = *self.paused.get(self.known.piece(*id).rest);
            layout.pcs.push(pc);
            // Of a strand that only aborts, or makes silent steps for ever, the scope is none.
            if self.machine.code.instructions.get(pc.index()).is_some() && pc != crate::machine::code::ABORT {
                self.machine.gather(scope, &mut reaching);
            }
            self.machine.reach(stack, &mut layout, &mut reaching);
        }
        self.machine.lay_out(&mut layout, reaching);
        layout
    }

    /// All values of a position, with their places; those of semaphores are none.
    pub fn held(&mut self, position: &[PieceId], layout: &Layout) -> Vec<(u32, Value)> {
        self.open(position);
        let mut held = Vec::new();
        for id in position {
            let piece = *self.known.piece(*id);
            let (.., height, acc) = self.paused.get(piece.rest);
            let segment = &self.machine.threading.segments[piece.strand.index()];
            for at in 0..height / WIDTH {
                let place = address(piece.strand, at * WIDTH);
                let bits = segment.get((at * WIDTH) as usize, WIDTH);
                if !layout.semaphores.contains(&place) && self.machine.domain.is_kept(bits) {
                    held.push((place, self.machine.domain.kept(bits)));
                }
            }
            if *acc != Value::default() {
                held.push((address(piece.strand, 0) | COMPUTED, *acc));
            }
        }
        held.sort_unstable_by_key(|(at, _)| *at);
        held
    }

    /// Whether all values have places of their own.
    pub fn has_places(&self, position: &[PieceId]) -> bool {
        let mut controls = self.controls(position).into_iter();
        controls.all(|[strand, .., height]| height / WIDTH < COMPUTED && strand >> (32 - STRAND_BITS) == 0)
    }

    /// The position with other values.
    pub fn with_held(&mut self, position: &[PieceId], held: &[(u32, Value)]) -> Vec<PieceId> {
        self.open(position);
        let mut next = Vec::with_capacity(position.len());
        for id in position {
            let piece = *self.known.piece(*id);
            let mut control: Control<Value> = self.rest(piece.rest);
            let first = address(piece.strand, 0);
            let from = held.partition_point(|(at, _)| *at < first);
            for (at, value) in held[from..].iter().take_while(|(at, _)| *at <= first | COMPUTED) {
                if *at == first | COMPUTED {
                    control.acc = *value;
                    continue;
                }
                let bits = self.machine.domain.keep(value);
                let segment = &mut self.machine.threading.segments[piece.strand.index()];
                segment.set(((at - first) * WIDTH) as usize, WIDTH, bits);
            }
            next.push(self.piece(piece.strand, control, piece.yielded));
        }
        next
    }
}
