//! What a strand does next: whether others see it, feel it, or must wait for it.

use super::{SPINNING, Strands};
use crate::machine::code::{FormulaStep, Index, Instruction, SlotId};
use crate::machine::run::access::asked;
use crate::machine::run::{Binding, Control, Frame};
use crate::values::{Domain, Shape};

/// What a strand does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// Something that nobody sees.
    Own,
    /// It touches another strand's cell.
    Shared,
    Visible,
    Fork,
    /// Nothing, for now or for ever.
    Nothing,
}

impl<D: Domain> Strands<D> {
    /// What the strand that runs does next. Whether it must wait is looked at only if it is to make that step `now`.
    pub(super) fn next(&mut self, now: bool) -> Next {
        let machine = &self.machine;
        let Control { pc, scope, stack, .. } = machine.control;
        if pc == SPINNING {
            return Next::Nothing;
        }
        let binding = |index: &Index| machine.scopes.get(scope, *index);
        let touches = |binding: Binding| match binding {
            Binding::Cell { slot, strand, .. }
                if strand != machine.threading.strand && !self.is_guarded(slot) =>
            {
                Next::Shared
            }
            _ => Next::Own,
        };
        match &machine.code.instructions[pc.index()] {
            Instruction::Evaluate(formula)
            | Instruction::BinaryRight(_, formula)
            | Instruction::BinaryLeft(_, formula) => {
                let steps = &machine.code.formulas[formula.index()].steps;
                let read = steps.iter().find_map(|step| match step {
                    FormulaStep::Load(index) | FormulaStep::LoadElement(index) => {
                        Some(touches(binding(index)))
                    }
                    _ => None,
                });
                read.unwrap_or(Next::Own)
            }
            Instruction::Store(index)
            | Instruction::LoadElement(index)
            | Instruction::StoreElement(index, _)
            | Instruction::StoreElementSaved(index, _) => touches(binding(index)),
            Instruction::Grab(index) => self.counting(binding(index), true, now),
            Instruction::Release(index) => self.counting(binding(index), false, now),
            Instruction::Enter(index) => {
                let binding = binding(index);
                match (asked(binding), binding) {
                    (Some(_), _) => Next::Visible,
                    (None, Binding::Cell { .. }) => match machine.frame(stack) {
                        Frame::Grab => self.counting(binding, true, now),
                        Frame::Release => self.counting(binding, false, now),
                        _ => touches(binding),
                    },
                    _ => Next::Own,
                }
            }
            Instruction::EnterFree(_)
            | Instruction::Call(..)
            | Instruction::Read(_)
            | Instruction::Write(_)
            | Instruction::ReadElement(_)
            | Instruction::WriteElement(..)
            | Instruction::Abort => Next::Visible,
            Instruction::Parallel(..) => Next::Fork,
            Instruction::Diverge => Next::Nothing,
            Instruction::Return => {
                let mut at = stack;
                while let Frame::WrapResult(_) = machine.frame(at) {
                    at = machine.stacks.get(at).0;
                }
                if matches!(machine.frame(at), Frame::Reply { .. }) { Next::Visible } else { Next::Own }
            }
            _ => Next::Own,
        }
    }

    fn is_guarded(&self, slot: SlotId) -> bool {
        let code = &self.machine.code;
        self.reduce && code.slots[slot.index()].cell.is_some_and(|cell| code.cells[cell.index()].guarded)
    }

    /// Grabbing waits while all places are taken, releasing while none is. To release a lock disturbs nobody.
    fn counting(&mut self, binding: Binding, grabs: bool, now: bool) -> Next {
        let Binding::Cell { slot, strand, .. } = binding else { return Next::Own };
        let Shape::Places { places, lock } = self.machine.code.slots[slot.index()].shape else {
            unreachable!("only semaphores are grabbed and released")
        };
        let own = strand == self.machine.threading.strand || (!grabs && lock && self.reduce);
        if !own && !now {
            return Next::Shared;
        }
        let taken = self.machine.taken(binding);
        let may = if grabs { taken < places } else { taken > 0 };
        match (may, own) {
            (false, _) => Next::Nothing,
            (true, true) => Next::Own,
            (true, false) => Next::Shared,
        }
    }
}
