//! The instructions, one arm each.

use agon_core::types::Type;

use super::{Answer, Binding, Control, Executed, Frame, Machine};
use crate::machine::code::{Code, Instruction};
use crate::moves::Label;
use crate::values::{Domain, Outcome, Truth};

impl<D: Domain> Machine<D> {
    pub(super) fn step(&mut self, code: &Code) -> Executed<D::Value> {
        let pc = self.control.pc;
        self.control.pc.0 += 1;
        self.passed[pc.index()] = true;
        match &code.instructions[pc.index()] {
            Instruction::Evaluate(formula) => {
                let outcome = self.formula(*formula, code);
                return self.take(outcome, pc);
            }
            Instruction::Unary(operator) => {
                let outcome = self.domain.unary(*operator, &self.control.acc);
                return self.take(outcome, pc);
            }
            Instruction::BinaryRight(operator, formula) => {
                let right = self.formula(*formula, code);
                let outcome = right.then(|right| self.domain.binary(*operator, &self.control.acc, &right));
                return self.take(outcome, pc);
            }
            Instruction::BinaryLeft(operator, formula) => {
                let left = self.formula(*formula, code);
                let outcome = left.then(|left| self.domain.binary(*operator, &left, &self.control.acc));
                return self.take(outcome, pc);
            }
            Instruction::BinarySaved(operator, slot) => {
                let left = self.restore(*slot);
                let outcome = self.domain.binary(*operator, &left, &self.control.acc);
                return self.take(outcome, pc);
            }
            Instruction::Wrap(data) => {
                let outcome = self.domain.wrap(&code.data[data.index()], &self.control.acc);
                return self.take(outcome, pc);
            }
            Instruction::Save(slot) => {
                let acc = self.control.acc.clone();
                self.save_exactly(*slot, &acc);
            }
            Instruction::Restore(slot) => self.control.acc = self.restore(*slot),
            Instruction::Jump(to) => self.control.pc = *to,
            Instruction::JumpIfZero(to) => match self.domain.truth(&self.control.acc) {
                Truth::True => {}
                Truth::False => self.control.pc = *to,
                Truth::Either => {
                    let ways = [self.control.pc, *to];
                    let outcome = Outcome::Many(ways.into_iter().map(Some).collect());
                    self.branched(*to, code);
                    return self.choose(outcome, pc, |machine, pc| {
                        machine.control.pc = pc;
                        Executed::Silent
                    });
                }
            },
            Instruction::LoopHead if self.pauses_round(pc, code) => {}
            Instruction::LoopHead => return self.loop_head(),
            Instruction::New(slot) => return self.new_cells(*slot, code, pc),
            Instruction::Drop(slot) => {
                self.set_height(self.control.height - self.size(*slot));
                self.control.scope = self.scopes.outer(self.control.scope);
            }
            Instruction::Store(index) => {
                let acc = self.control.acc.clone();
                let cell = self.scopes.get(self.control.scope, *index);
                return self.store_cell(cell, &acc, pc, |_| Executed::Silent);
            }
            Instruction::LoadElement(index) => {
                let array = self.scopes.get(self.control.scope, *index);
                let at = self.control.acc.clone();
                let outcome = self.point(array, &at).then(|at| Outcome::One(self.load_element(array, &at)));
                return self.take(outcome, pc);
            }
            Instruction::StoreElement(index, formula) => {
                let at = self.formula(*formula, code);
                let array = self.scopes.get(self.control.scope, *index);
                let acc = self.control.acc.clone();
                return self.choose(at, pc, |machine, at| {
                    machine.store_element(array, &at, &acc, pc, |_| Executed::Silent)
                });
            }
            Instruction::StoreElementSaved(index, slot) => {
                let value = self.restore(*slot);
                let at = self.control.acc.clone();
                let array = self.scopes.get(self.control.scope, *index);
                return self.store_element(array, &at, &value, pc, |_| Executed::Silent);
            }
            Instruction::Bind(closure) => {
                let binding = self.closure(*closure, code);
                self.control.scope = self.scopes.extend(self.control.scope, binding);
            }
            Instruction::Unbind => self.control.scope = self.scopes.outer(self.control.scope),
            Instruction::BindArgument => {
                let Frame::Argument(binding) = self.pop() else {
                    unreachable!("a procedure has an argument")
                };
                self.control.scope = self.scopes.extend(self.control.scope, binding);
            }
            Instruction::PushReturn(to) => {
                let Control { scope, height, .. } = self.control;
                self.push(Frame::Return { pc: *to, scope, height });
            }
            Instruction::PushArgument(closure) => {
                let binding = self.closure(*closure, code);
                self.push(Frame::Argument(binding));
            }
            Instruction::PushRead => self.push(Frame::Read),
            Instruction::PushWrite(slot) => {
                let acc = self.control.acc.clone();
                let offset = self.save_exactly(*slot, &acc);
                self.push(Frame::Write { slot: *slot, offset });
            }
            Instruction::CheckIndex(length) => {
                let outcome = self.domain.checked(*length, &self.control.acc);
                return self.take(outcome, pc);
            }
            Instruction::PushElement(slot) => {
                let acc = self.control.acc.clone();
                let offset = self.save_exactly(*slot, &acc);
                self.push(Frame::Element { slot: *slot, offset });
            }
            Instruction::PushWrap(data) => self.push(Frame::Wrap(*data)),
            Instruction::Enter(index) => {
                let binding = self.scopes.get(self.control.scope, *index);
                return self.enter_from(binding, pc);
            }
            Instruction::EnterFree(component) => return self.enter_from(Binding::Free(*component), pc),
            Instruction::Return => return self.come_back(pc),
            Instruction::Call(component, closures) => {
                let arguments = closures.iter().map(|closure| self.closure(*closure, code)).collect();
                let (answer, label) = match self.arena.component(*component).base {
                    Type::Com => (Answer::Done, Label::Run),
                    _ => (Answer::Value, Label::Ask),
                };
                return self.wait((*component, None), None, answer, label, arguments, pc);
            }
            Instruction::Read(component) => {
                return self.wait((*component, None), None, Answer::Value, Label::Read, Box::new([]), pc);
            }
            Instruction::Write(component) => {
                let value = self.control.acc.clone();
                return self.wait(
                    (*component, None),
                    None,
                    Answer::Ok,
                    Label::Write(value),
                    Box::new([]),
                    pc,
                );
            }
            Instruction::ReadElement(component) => {
                let at = self.control.acc.clone();
                return self.free_element(*component, &at, pc, |machine, at| {
                    machine.wait((*component, None), Some(at), Answer::Value, Label::Read, Box::new([]), pc)
                });
            }
            Instruction::WriteElement(component, slot) => {
                let value = self.restore(*slot);
                let at = self.control.acc.clone();
                return self.free_element(*component, &at, pc, |machine, at| {
                    let label = Label::Write(value.clone());
                    machine.wait((*component, None), Some(at), Answer::Ok, label, Box::new([]), pc)
                });
            }
            Instruction::BindLabel(restart) => {
                let label = Binding::Label { stack: self.control.stack, restart: *restart };
                self.control.scope = self.scopes.extend(self.control.scope, label);
            }
            Instruction::Goto(index) => {
                let label = self.scopes.get(self.control.scope, *index);
                let Binding::Label { stack, restart } = label else { unreachable!("jumps go to labels") };
                // The calls that the jump leaves give no result.
                self.silent.open.clear();
                self.ambiguous |= self.leaves_nested_question(stack);
                self.control.stack = stack;
                match (restart, self.frame(stack)) {
                    (Some(pc), Frame::Return { scope, height, .. }) => {
                        self.set_height(height);
                        self.control.scope = self.scopes.extend(scope, label);
                        self.control.pc = pc;
                    }
                    _ => return self.come_back(pc),
                }
            }
            Instruction::Parallel(..) => self.push(Frame::Join),
            Instruction::NewSemaphore(slot, taken) => self.new_semaphore(*slot, *taken),
            Instruction::Grab(index) => self.count(self.scopes.get(self.control.scope, *index), true),
            Instruction::Release(index) => self.count(self.scopes.get(self.control.scope, *index), false),
            Instruction::PushGrab => self.push(Frame::Grab),
            Instruction::PushRelease => self.push(Frame::Release),
            Instruction::Abort => return self.abort(pc),
            Instruction::Diverge => return Executed::Dead,
            Instruction::CallOut(component, name, slots) => {
                return self.call_out(*component, *name, slots, pc);
            }
            Instruction::CallProcedure(id) => return self.call_procedure(*id, false, pc),
            Instruction::OpenProcedure(id) => return self.call_procedure(*id, true, pc),
            Instruction::Assume(formula) => return self.assume(*formula, pc, code),
            Instruction::Escape(bit) => self.escape(*bit),
            Instruction::Forget(index) => self.forget(*index),
            Instruction::Fill(index) => return self.fill(*index, code, pc),
            Instruction::Exit => return self.exit(pc),
        }
        Executed::Silent
    }
}
