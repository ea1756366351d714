//! Going into variables with what is asked of them, and coming back with an answer.

use agon_core::types::Type;

use super::{Answer, Binding, Executed, Frame, Machine, Pausing, ScopeId, StrandId};
use crate::arena::{ComponentId, OWN};
use crate::machine::code::{Closure, ClosureId, Code, DataId, ENTER_FIRST, Pc, RETURN};
use crate::moves::{Label, Move};
use crate::values::{Domain, Outcome, Shape};

impl<D: Domain> Machine<D> {
    pub(super) fn closure(&mut self, id: ClosureId, code: &Code) -> Binding {
        match &code.closures[id.index()] {
            Closure::Alias(index) => self.scopes.get(self.control.scope, *index),
            Closure::Free(component) => Binding::Free(*component),
            Closure::Code { entry, captures } => Binding::Closure {
                entry: *entry,
                scope: self.scopes.capture(self.control.scope, id, captures),
            },
        }
    }

    pub(super) fn enter_from(&mut self, binding: Binding, pc: Pc) -> Executed<D::Value> {
        match binding {
            Binding::Closure { entry, scope } => {
                self.control.pc = entry;
                self.control.scope = scope;
                if self.silent.steps > self.memo.remember_after {
                    return self.remembered(entry, scope, pc);
                }
                Executed::Silent
            }
            Binding::Cell { .. } | Binding::Free(_) | Binding::Given { .. } => self.access(binding, pc),
            Binding::Label { .. } => unreachable!("labels are jumped to"),
        }
    }

    pub(super) fn enter(&mut self, binding: Binding) {
        match binding {
            Binding::Closure { entry, scope } => {
                self.control.pc = entry;
                self.control.scope = scope;
            }
            // An argument that is a variable as it is: accessed by the first step of the run.
            other => {
                self.control.scope = self.scopes.extend(ScopeId(0), other);
                self.control.pc = ENTER_FIRST;
            }
        }
    }

    /// The value in the accumulator goes to the frame that waits for it.
    pub(super) fn come_back(&mut self, pc: Pc) -> Executed<D::Value> {
        loop {
            self.remember();
            match self.pop() {
                Frame::Return { pc, scope, height } => {
                    self.set_height(height);
                    self.control.pc = pc;
                    self.control.scope = scope;
                    return Executed::Silent;
                }
                Frame::WrapResult(data) => {
                    match self.domain.wrap(&self.code.data[data.index()], &self.control.acc) {
                        Outcome::One(value) => self.control.acc = value,
                        other => {
                            self.control.pc = RETURN;
                            return self.take(other, pc);
                        }
                    }
                }
                Frame::Reply { component, element, height, answer } => {
                    // At the end of a play nobody looks at the store any more.
                    if component != OWN {
                        self.set_height(height);
                    }
                    let label = match answer {
                        Answer::Done => Label::Done,
                        Answer::Ok => Label::Ok,
                        Answer::Value => Label::Value(self.control.acc.clone()),
                    };
                    let element = element.map(|id| self.elements.get(id).clone());
                    let answer = Move { component, element, label };
                    let next = (component != OWN).then(|| self.state());
                    return Executed::Visible(self.reaction(answer, next, pc));
                }
                // A branch of `||` has nobody to give a value to.
                Frame::Closed => return Executed::Finished,
                other => unreachable!("a value came back to {other:?}"),
            }
        }
    }

    /// A cell or a free identifier is given what is asked of it on the stack.
    pub(super) fn access(&mut self, binding: Binding, pc: Pc) -> Executed<D::Value> {
        let mut element = None;
        let mut wraps = Vec::new();
        let mut arguments = Vec::new();
        loop {
            match self.frame(self.control.stack) {
                Frame::Argument(argument) => {
                    self.pop();
                    arguments.push(argument);
                }
                Frame::Element { slot, offset } => {
                    self.pop();
                    element = Some(self.saved(slot, offset));
                }
                Frame::Wrap(data) => {
                    self.pop();
                    wraps.push(data);
                }
                Frame::Read => {
                    self.pop();
                    return self.read_access(binding, element, &wraps, arguments.into(), pc);
                }
                Frame::Write { slot, offset } => {
                    self.pop();
                    let mut value = Outcome::One(self.saved(slot, offset));
                    // From the outside in, as it crosses each type.
                    for data in wraps.iter().rev() {
                        value = value.then(|value| self.domain.wrap(&self.code.data[data.index()], &value));
                    }
                    value = value.then(|value| self.in_range(binding, value));
                    let arguments: Box<[Binding]> = arguments.into();
                    return self.choose(value, pc, |machine, value| {
                        machine.write_access(binding, element.clone(), &value, arguments.clone(), pc)
                    });
                }
                frame @ (Frame::Grab | Frame::Release) => {
                    self.pop();
                    let label = if frame == Frame::Grab { Label::Grab } else { Label::Release };
                    return match asked(binding) {
                        Some(free) => {
                            self.wait_to_return(&arguments, pc);
                            self.wait(free, None, Answer::Ok, label, arguments.into(), pc)
                        }
                        None => {
                            self.count(binding, frame == Frame::Grab);
                            self.back_soon(pc)
                        }
                    };
                }
                _ => {
                    let free = asked(binding).expect("a cell is read or written");
                    let (answer, label) = match self.arena.component(free.0).base {
                        Type::Com => (Answer::Done, Label::Run),
                        _ => (Answer::Value, Label::Ask),
                    };
                    self.wait_to_return(&arguments, pc);
                    return self.wait(free, None, answer, label, arguments.into(), pc);
                }
            }
        }
    }

    /// What comes next, after an answer, is to give it on.
    pub(super) fn wait_to_return(&mut self, arguments: &[Binding], pc: Pc) {
        self.control.pc = match self.pauses.pausing {
            Pausing::Never => RETURN,
            _ => self.return_behind(pc),
        };
        self.control.scope = ScopeId(0);
        // Arguments may use all cells there are. Without them, nothing is needed any more for the answer.
        if !arguments.is_empty() {
            return;
        }
        let height = match self.frame(self.control.stack) {
            Frame::Return { height, .. } | Frame::Reply { height, .. } => height,
            _ => self.control.height,
        };
        self.set_height(height);
    }

    pub(super) fn read_access(
        &mut self,
        binding: Binding,
        element: Option<D::Value>,
        wraps: &[DataId],
        arguments: Box<[Binding]>,
        pc: Pc,
    ) -> Executed<D::Value> {
        // The last to be applied goes first on the stack.
        for data in wraps.iter().rev() {
            self.push(Frame::WrapResult(*data));
        }
        match (asked(binding), element) {
            (Some(free), None) => {
                self.wait_to_return(&arguments, pc);
                self.wait(free, None, Answer::Value, Label::Read, arguments, pc)
            }
            (Some(free), Some(at)) => {
                self.wait_to_return(&arguments, pc);
                self.free_element(free.0, &at, pc, |machine, at| {
                    machine.wait(free, Some(at), Answer::Value, Label::Read, arguments.clone(), pc)
                })
            }
            (None, None) => {
                self.control.acc = self.load(binding);
                self.back_soon(pc)
            }
            (None, Some(at)) => {
                let outcome = self.point(binding, &at);
                self.choose(outcome, pc, |machine, at| {
                    machine.control.acc = machine.load_element(binding, &at);
                    machine.back_soon(pc)
                })
            }
        }
    }

    pub(super) fn write_access(
        &mut self,
        binding: Binding,
        element: Option<D::Value>,
        value: &D::Value,
        arguments: Box<[Binding]>,
        pc: Pc,
    ) -> Executed<D::Value> {
        match (asked(binding), element) {
            (Some(free), None) => {
                self.wait_to_return(&arguments, pc);
                self.wait(free, None, Answer::Ok, Label::Write(value.clone()), arguments, pc)
            }
            (Some(free), Some(at)) => {
                self.wait_to_return(&arguments, pc);
                self.free_element(free.0, &at, pc, |machine, at| {
                    let label = Label::Write(value.clone());
                    machine.wait(free, Some(at), Answer::Ok, label, arguments.clone(), pc)
                })
            }
            (None, None) => self.store_cell(binding, value, pc, |machine| machine.back_soon(pc)),
            (None, Some(at)) => self.store_element(binding, &at, value, pc, |machine| machine.back_soon(pc)),
        }
    }

    /// Goes back; in a concurrent program by a step of its own, since others may move in between.
    fn back_soon(&mut self, pc: Pc) -> Executed<D::Value> {
        if self.code.threaded {
            self.control.pc = RETURN;
            self.control.scope = ScopeId(0);
            return Executed::Silent;
        }
        self.come_back(pc)
    }

    /// A value brought in range of what it is written to.
    fn in_range(&mut self, binding: Binding, value: D::Value) -> Outcome<D::Value> {
        let data = match binding {
            Binding::Cell { slot, .. } => match &self.code.slots[slot.index()].shape {
                Shape::Data(data) => Some(data),
                Shape::Range(..) | Shape::Places { .. } => None,
            },
            Binding::Free(component) | Binding::Given { component, .. } => self.arena.data(component),
            _ => None,
        };
        match data {
            Some(data) => self.domain.wrap(data, &value),
            None => Outcome::One(value),
        }
    }
}

/// The component that a free identifier, or one that O gave, is asked in, and the strand in which O gave it.
pub(super) fn asked(binding: Binding) -> Option<(ComponentId, Option<StrandId>)> {
    match binding {
        Binding::Free(component) => Some((component, None)),
        Binding::Given { component, strand } => Some((component, Some(strand))),
        _ => None,
    }
}
