//! Code that reads variables and writes them: the program's own cells at once, free ones by a move, others through the
//! stack.

use agon_base::source::Span;
use agon_core::term::{Construct, TermId};
use agon_core::types::Data;

use super::Compiler;
use crate::machine::code::{Instruction, Pc, SlotId};
use crate::values::{Shape, Slot};

impl Compiler<'_> {
    /// Code that reads the term, a variable, into the accumulator.
    pub(super) fn read(&mut self, term: TermId, span: Span) {
        self.deeper(|compiler| compiler.read_here(term, span));
    }

    fn read_here(&mut self, term: TermId, span: Span) {
        let terms = self.terms;
        if let Some(component) = self.free_component(term) {
            self.emit(Instruction::Read(component), span);
            return;
        }
        match terms.construct(term) {
            Construct::Index(array, index) => {
                if let Some(place) = self.own(*array) {
                    self.value(*index);
                    self.emit_check(Instruction::LoadElement(place), term);
                    return;
                }
                if let Some(component) = self.free_component(*array) {
                    self.value(*index);
                    self.emit_check(Instruction::ReadElement(component), term);
                    return;
                }
            }
            Construct::If(guard, yes, no) => {
                return self.branch(*guard, *yes, *no, |compiler, term| {
                    let span = compiler.terms.span(term);
                    compiler.read(term, span);
                });
            }
            Construct::Sequence(a, b) => {
                self.value(*a);
                return self.read(*b, span);
            }
            Construct::WrapVariable(data, a) => {
                let data = self.data(data);
                self.read(*a, span);
                self.emit(Instruction::Wrap(data), span);
                return;
            }
            _ => {}
        }
        let back = self.emit(Instruction::PushReturn(Pc(0)), span);
        self.emit(Instruction::PushRead, span);
        self.enter(term);
        self.land(back);
    }

    /// Code that writes the accumulator to the term, a variable. The slot keeps the value where it must wait.
    pub(super) fn write(&mut self, term: TermId, slot: SlotId, span: Span) {
        self.deeper(|compiler| compiler.write_here(term, slot, span));
    }

    fn write_here(&mut self, term: TermId, slot: SlotId, span: Span) {
        let terms = self.terms;
        if let Some(place) = self.own(term) {
            self.emit(Instruction::Store(place), span);
            return;
        }
        if let Some(component) = self.free_component(term) {
            self.emit(Instruction::Write(component), span);
            return;
        }
        match terms.construct(term) {
            Construct::Index(array, index) => {
                let own = self.own(*array);
                if let Some(place) = own
                    && !(self.code.threaded && self.loads(*index) > 0)
                    && let Some(formula) = self.formula(*index)
                {
                    self.emit_check(Instruction::StoreElement(place, formula), term);
                    return;
                }
                let component = self.free_component(*array);
                if own.is_some() || component.is_some() {
                    self.emit(Instruction::Save(slot), span);
                    self.value(*index);
                    let write = match (own, component) {
                        (Some(place), _) => Instruction::StoreElementSaved(place, slot),
                        (_, Some(component)) => Instruction::WriteElement(component, slot),
                        _ => unreachable!("one of them is there"),
                    };
                    self.emit_check(write, term);
                    return;
                }
            }
            Construct::Sequence(a, b) => {
                self.emit(Instruction::Save(slot), span);
                self.value(*a);
                self.emit(Instruction::Restore(slot), span);
                return self.write(*b, slot, span);
            }
            Construct::If(guard, yes, no) => {
                self.emit(Instruction::Save(slot), span);
                self.value(*guard);
                let to_no = self.emit(Instruction::JumpIfZero(Pc(0)), span);
                self.emit(Instruction::Restore(slot), span);
                self.write(*yes, slot, span);
                let to_end = self.emit(Instruction::Jump(Pc(0)), span);
                self.land(to_no);
                self.emit(Instruction::Restore(slot), span);
                self.write(*no, slot, span);
                self.land(to_end);
                return;
            }
            Construct::WrapVariable(_, a) => {
                // Assignments convert to the type of their left side; a further one may be needed on the way.
                let data = terms.ty(*a).data().cloned().unwrap_or(Data::Int);
                let slot = self.slot(Slot { shape: Shape::Data(data.clone()), length: None, cell: None });
                let data = self.data(&data);
                self.emit(Instruction::Wrap(data), span);
                return self.write(*a, slot, span);
            }
            _ => {}
        }
        let back = self.emit(Instruction::PushReturn(Pc(0)), span);
        self.emit(Instruction::PushWrite(slot), span);
        self.enter(term);
        self.land(back);
    }
}
