//! Formulas, and operations that may have several outcomes.

use super::{CLOSED, Control, Frame, Machine, Reaction, StackId, Step};
use crate::arena::OWN;
use crate::machine::code::{Code, FormulaId, FormulaStep, Pc};
use crate::moves::{Label, Move};
use crate::values::{Domain, Outcome};

impl<D: Domain> Machine<D> {
    /// Whether a jump to a stack leaves a question of O's while another at the same component waits below: an answer
    /// there, as moves are written, no longer tells which of the two it answers.
    pub(super) fn leaves_nested_question(&self, to: StackId) -> bool {
        let mut left = Vec::new();
        let mut stack = self.control.stack;
        while stack != to && stack != CLOSED {
            if let Frame::Reply { component, .. } = self.frame(stack) {
                left.push(component);
            }
            stack = self.stacks.get(stack).0;
        }
        while !left.is_empty() && stack != CLOSED {
            if let Frame::Reply { component, .. } = self.frame(stack)
                && left.contains(&component)
            {
                return true;
            }
            stack = self.stacks.get(stack).0;
        }
        false
    }

    pub(super) fn abort(&self, pc: Pc) -> Step<D::Value> {
        let answer = Move { component: OWN, element: None, label: Label::Abort };
        Step::Visible(Reaction { answer, next: None, pc })
    }

    /// Takes one outcome into the accumulator, the others as alternatives.
    pub(super) fn take(&mut self, outcome: Outcome<D::Value>, pc: Pc) -> Step<D::Value> {
        self.choose(outcome, pc, |machine, value| {
            machine.control.acc = value;
            Step::Silent
        })
    }

    /// Goes on with one outcome; what remains of the others is run later from where each leads.
    pub(super) fn choose<T>(
        &mut self,
        outcome: Outcome<T>,
        pc: Pc,
        mut then: impl FnMut(&mut Self, T) -> Step<D::Value>,
    ) -> Step<D::Value> {
        match outcome {
            Outcome::One(thing) => then(self, thing),
            Outcome::Fails => self.abort(pc),
            Outcome::TooLarge => Step::TooLarge,
            Outcome::Many(things) => {
                let (control, store) = (self.control.clone(), self.store.clone());
                let mut first = None;
                for thing in things.into_iter().rev() {
                    self.control = control.clone();
                    self.store = store.clone();
                    let step = match thing {
                        Some(thing) => then(self, thing),
                        None => self.abort(pc),
                    };
                    match step {
                        Step::Silent => {
                            let other = self.control.clone();
                            self.fork(other);
                        }
                        visible => first = Some(visible),
                    }
                }
                match first {
                    Some(step) => step,
                    None => match self.alternatives.pop() {
                        Some((control, store)) => {
                            self.control = control;
                            self.store = store;
                            Step::Silent
                        }
                        None => Step::Dead,
                    },
                }
            }
        }
    }

    pub(super) fn fork(&mut self, control: Control<D::Value>) {
        self.forked = true;
        self.silent.open.clear();
        self.alternatives.push((control, self.store.clone()));
    }

    /// Evaluates a formula onto the operands; where it cannot, says what the machine does instead.
    pub(super) fn formula(&mut self, id: FormulaId, code: &Code) -> Result<(), Step<D::Value>> {
        let formula = &code.formulas[id.0 as usize];
        for step in &formula.steps {
            let outcome = match step {
                FormulaStep::Number(n) => Outcome::One(self.domain.number(n)),
                FormulaStep::Load(index) => {
                    Outcome::One(self.load(self.scopes.get(self.control.scope, *index), 0))
                }
                FormulaStep::LoadElement(index) => {
                    let at = self.operands.pop().expect("an index comes first");
                    let array = self.scopes.get(self.control.scope, *index);
                    match self.domain.element(self.length(array), &at) {
                        Outcome::One(at) => Outcome::One(self.load(array, at)),
                        Outcome::Fails => Outcome::Fails,
                        Outcome::TooLarge => Outcome::TooLarge,
                        Outcome::Many(several) => Outcome::Many(
                            several.into_iter().map(|at| at.map(|at| self.load(array, at))).collect(),
                        ),
                    }
                }
                FormulaStep::Unary(operator) => {
                    let a = self.operands.pop().expect("an operand comes first");
                    self.domain.unary(*operator, &a)
                }
                FormulaStep::Binary(operator) => {
                    let b = self.operands.pop().expect("operands come first");
                    let a = self.operands.pop().expect("operands come first");
                    self.domain.binary(*operator, &a, &b)
                }
                FormulaStep::Wrap(data) => {
                    let a = self.operands.pop().expect("an operand comes first");
                    self.domain.wrap(&code.data[data.0 as usize], &a)
                }
            };
            match outcome {
                Outcome::One(value) => self.operands.push(value),
                Outcome::Fails => {
                    self.operands.clear();
                    return Err(self.abort(self.control.pc - 1));
                }
                Outcome::TooLarge => {
                    self.operands.clear();
                    return Err(Step::TooLarge);
                }
                Outcome::Many(_) => unreachable!("this version's domains are deterministic"),
            }
        }
        Ok(())
    }
}
