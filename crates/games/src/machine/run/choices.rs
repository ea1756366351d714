//! Formulas, and operations that may have several outcomes.

use agon_base::budget::Stop;

use super::{CLOSED, Control, Executed, Frame, Machine, Reaction, StackId, State};
use crate::arena::OWN;
use crate::machine::code::{Code, FormulaId, FormulaStep, Pc};
use crate::moves::{Label, Move};
use crate::strategy::{Origin, Outcomes, Step};
use crate::values::{Domain, Outcome, Truth};

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

    pub(super) fn abort(&self, pc: Pc) -> Executed<D::Value> {
        if !self.code.aborts(pc) {
            return Executed::Dead;
        }
        Executed::Visible(self.reaction(
            Move { component: OWN, element: None, label: Label::Abort },
            None,
            pc,
        ))
    }

    pub(super) fn reaction(&self, label: Move<D::Value>, next: Option<State>, pc: Pc) -> Reaction<D::Value> {
        let (choices, marker) = match self.control.trail {
            0 => (Box::default(), None),
            trail => self.forks.retrace(trail),
        };
        let how = Outcomes { certain: choices.is_empty(), choices, marker };
        Step { label, next, origin: Origin::Program(pc), how }
    }

    /// Takes one outcome into the accumulator, the others as alternatives.
    pub(super) fn take(&mut self, outcome: Outcome<D::Value>, pc: Pc) -> Executed<D::Value> {
        self.choose(outcome, pc, |machine, value| {
            machine.control.acc = value;
            Executed::Silent
        })
    }

    /// Goes on with the outcome; if there are several, each becomes an alternative, as far as `then` takes it.
    pub(super) fn choose<T>(
        &mut self,
        outcome: Outcome<T>,
        pc: Pc,
        mut then: impl FnMut(&mut Self, T) -> Executed<D::Value>,
    ) -> Executed<D::Value> {
        match outcome {
            Outcome::One(thing) => then(self, thing),
            Outcome::Fails => self.abort(pc),
            Outcome::TooLarge => Executed::TooLarge(Stop::Number),
            Outcome::Many(things) => {
                if let Some(n) = self.forks.scripted(things.len()) {
                    // Calls in which something is chosen are not remembered.
                    self.silent.open.clear();
                    self.pauses.rounds.operations += 1;
                    let thing = things.into_iter().nth(n);
                    if !self.domain.pick(n, thing.as_ref().is_some_and(Option::is_none)) {
                        return Executed::Dead;
                    }
                    return match thing {
                        Some(Some(thing)) => then(self, thing),
                        Some(None) => self.abort(pc),
                        None => Executed::Dead,
                    };
                }
                self.fork(things.into_iter().enumerate(), |machine, thing| match thing {
                    Some(thing) => then(machine, thing),
                    None => machine.abort(pc),
                })
            }
        }
    }

    /// Makes an alternative of each branch.
    pub(super) fn fork<T>(
        &mut self,
        ways: impl DoubleEndedIterator<Item = (usize, T)>,
        mut then: impl FnMut(&mut Self, T) -> Executed<D::Value>,
    ) -> Executed<D::Value> {
        let about = self.domain.marker();
        self.silent.open.clear();
        let control = self.control.clone();
        let store = self.store.clone();
        // The first branch is taken first: it is the last to be put aside.
        for (n, way) in ways.rev() {
            self.control = Control { trail: self.forks.chosen(control.trail, n, &about), ..control.clone() };
            self.store = store.clone();
            match then(self, way) {
                Executed::Silent => {
                    let Control { pc, scope, stack, height, .. } = self.control;
                    let cells = self.stores.fold(&mut self.store, height as usize);
                    let place = (pc, scope, stack, self.control.acc.clone(), cells);
                    if self.forks.taken.insert(place) {
                        self.forks.alternatives.push((self.control.clone(), self.store.clone()));
                    } else {
                        // If it was there before on this path, it may loop for ever.
                        self.forks.dead_end |= self.forks.looped;
                    }
                }
                Executed::Visible(reaction) => self.forks.found.push(reaction),
                Executed::Dead => self.forks.dead_end = true,
                Executed::Elsewhere | Executed::Finished => {}
                Executed::TooLarge(why) => return Executed::TooLarge(why),
            }
        }
        Executed::Elsewhere
    }

    /// Goes on if a formula is not 0; otherwise the environment did not make its last move.
    pub(super) fn assume(&mut self, formula: FormulaId, pc: Pc, code: &Code) -> Executed<D::Value> {
        let outcome = self.formula(formula, code);
        self.choose(outcome, pc, |machine, value| match machine.domain.truth(&value) {
            Truth::True => Executed::Silent,
            Truth::False => Executed::Dead,
            Truth::Either => {
                let both = Outcome::Many(vec![Some(true), Some(false)]);
                machine.choose(both, pc, |_, holds| if holds { Executed::Silent } else { Executed::Dead })
            }
        })
    }

    /// What a formula gives.
    #[inline]
    pub(super) fn formula(&mut self, id: FormulaId, code: &Code) -> Outcome<D::Value> {
        self.operands.clear();
        self.formula_from(&code.formulas[id.index()].steps, None, code)
    }

    /// What the rest of a formula gives: `last` is the last operand, those before it are in `operands`.
    fn formula_from(
        &mut self,
        mut rest: &[FormulaStep],
        mut last: Option<D::Value>,
        code: &Code,
    ) -> Outcome<D::Value> {
        while let [step, after @ ..] = rest {
            rest = after;
            let outcome = match step {
                FormulaStep::Number(n) => {
                    self.operands.extend(last.take());
                    Outcome::One(self.domain.number(n))
                }
                FormulaStep::Accumulator => {
                    self.operands.extend(last.take());
                    Outcome::One(self.control.acc.clone())
                }
                FormulaStep::Load(index) => {
                    self.operands.extend(last.take());
                    Outcome::One(self.load(self.scopes.get(self.control.scope, *index)))
                }
                FormulaStep::LoadElement(index) => {
                    let at = last.take().expect("an index comes first");
                    let array = self.scopes.get(self.control.scope, *index);
                    self.point(array, &at).then(|at| Outcome::One(self.load_element(array, &at)))
                }
                FormulaStep::Unary(operator) => {
                    let a = last.take().expect("an operand comes first");
                    self.domain.unary(*operator, &a)
                }
                FormulaStep::Binary(operator) => {
                    let b = last.take().expect("operands come first");
                    let a = self.operands.pop().expect("operands come first");
                    self.domain.binary(*operator, &a, &b)
                }
                FormulaStep::Wrap(data) => {
                    let a = last.take().expect("an operand comes first");
                    self.domain.wrap(&code.data[data.index()], &a)
                }
            };
            match outcome {
                Outcome::One(value) => last = Some(value),
                Outcome::Many(_) => {
                    // The rest of the formula is evaluated for each of them.
                    let before = std::mem::take(&mut self.operands);
                    return outcome.then(|value| {
                        self.operands.clone_from(&before);
                        self.formula_from(rest, Some(value), code)
                    });
                }
                stopped => return stopped,
            }
        }
        Outcome::One(last.expect("a formula has a value"))
    }
}
