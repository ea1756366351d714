//! Relations between the cells of a module at the beginning of a stretch of a play and at its end.
//!
//! An activation is such a stretch, and so is a turn of the environment's. Where predicates speak of both ends, an activation begins
//! with a constant for what each cell holds; these constants stay what they are until it ends. Two stretches that follow each
//! other are put together: what the cells hold in between is a third set of constants, which are forgotten.

use std::rc::Rc;

use agon_games::arena::ComponentId;
use agon_games::machine::{Globals, State};
use agon_games::symbolic::Value;
use agon_solve::Term;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Engine;
use super::runs::Known;
use crate::predicate::forget::Kept;
use crate::predicate::space::{Next, Position, Psi};

/// What a truth speaks of.
#[derive(Clone, Copy, Default)]
pub(super) struct About {
    /// What cells of the module hold.
    now: bool,
    /// What they held at the beginning.
    entry: bool,
    /// Something of the activation.
    activation: bool,
}

/// Values on their way, after cells of the module were written to.
#[derive(Default)]
pub(super) struct OnTheirWay {
    /// The places that hold something else now.
    values: Vec<(u32, Value)>,
    /// What constants have become.
    becomes: FxHashMap<Term, Term>,
    /// That values on their way are what cells held.
    were: Vec<Term>,
}

impl Engine<'_> {
    fn about(&mut self, truth: Term) -> About {
        if let Some(known) = self.about.get(&truth) {
            return *known;
        }
        let mut about = About::default();
        for constant in self.space.terms().constants(truth) {
            match self.space.place(constant) {
                Some((Kept::Cell(_), at)) if self.machine().is_of_module(at) => about.now = true,
                Some((Kept::Entry(_), _)) => about.entry = true,
                _ => about.activation = true,
            }
        }
        self.about.insert(truth, about);
        about
    }

    fn restricted(&mut self, psi: Psi, keeps: impl Fn(About) -> bool) -> Psi {
        let mut literals = self.space.psi(psi).to_vec();
        literals.retain(|truth| keeps(self.about(*truth)));
        self.space.intern(literals)
    }

    /// What of a truth is over what cells of the module hold.
    pub(super) fn of_module(&mut self, psi: Psi) -> Psi {
        self.restricted(psi, |about| !about.entry && !about.activation)
    }

    /// What of a truth is over what cells of the module hold and held.
    pub(super) fn of_stretch(&mut self, psi: Psi) -> Psi {
        self.restricted(psi, |about| !about.activation)
    }

    /// Where an activation begins: if predicates relate both ends, the cells of the module hold the constants of the beginning.
    pub(super) fn entered(&mut self, begin: Position) -> Position {
        if !self.precision.relational {
            return begin;
        }
        let mut literals = Vec::new();
        for truth in self.space.psi(begin.psi).to_vec() {
            literals.push(self.renamed(truth, |kept| match kept {
                Kept::Cell(cell) => Some(Kept::Entry(cell)),
                _ => None,
            }));
        }
        let layout = self.space.layout(begin.state);
        let held = self.space.held(begin.state);
        let mut values = Vec::new();
        for place in &layout.cells {
            if self.precision.exact.contains(&place.cell) {
                continue;
            }
            for at in place.at..place.at + place.len {
                let Some(term) = held.get(at) else { continue };
                let constant = self.space.constant_at(Kept::Entry(place.cell), at);
                // Before the first move the cells hold numbers.
                if self.space.terms().literal(term).is_some() {
                    literals.push(self.space.terms().equal(constant, term));
                }
                values.push((at, Value::new(constant)));
            }
        }
        let state = self.space.game.with_held(begin.state, &values);
        Position { state, psi: self.space.intern(literals), next: begin.next }
    }

    /// What is known where a procedure that is summarised begins: of the cells of the module, and of what it is called with.
    pub(super) fn passed_on(&mut self, at: Position, component: ComponentId) -> Known {
        let mut literals = self.space.psi(at.psi).to_vec();
        literals.retain(|truth| {
            let constants = self.space.terms().constants(*truth);
            constants.into_iter().all(|constant| match self.space.place(constant) {
                Some((Kept::Cell(_), at)) => self.machine().is_of_module(at),
                Some((Kept::Passed(other), _)) => other == component,
                _ => false,
            })
        });
        let (passed, arguments) = (Kept::Passed(component), Kept::Argument(component));
        let passed = self.space.arguments(passed, component);
        let arguments = self.space.arguments(arguments, component);
        let with: FxHashMap<Term, Term> = passed.into_iter().zip(arguments).collect();
        for literal in &mut literals {
            *literal = self.space.terms().substitute(*literal, &with);
        }
        let psi = self.space.intern(literals);
        Known { globals: self.machine().split(at.state).1, psi, untouched: true }
    }

    /// What is known where a procedure that is summarised ends: of the cells of the module, of what it was called with, and of
    /// what it returns.
    pub(super) fn returned(&mut self, at: Position) -> Known {
        let mut literals = self.space.psi(at.psi).to_vec();
        literals.retain(|truth| {
            let constants = self.space.terms().constants(*truth);
            constants.into_iter().all(|constant| match self.space.place(constant) {
                Some((Kept::Cell(_), at)) => self.machine().is_of_module(at),
                Some((kept, _)) => matches!(kept, Kept::Entry(_) | Kept::Argument(_) | Kept::Result(_)),
                None => false,
            })
        });
        let psi = self.space.intern(literals);
        Known { globals: self.machine().split(at.state).1, psi, untouched: true }
    }

    /// Where an activation goes on after a procedure that is summarised. What the activation and the procedure knew is all true
    /// there, of what cells held before and hold now.
    pub(super) fn gone_on(&mut self, at: Position, ended: Known) -> Position {
        let (state, literals) = self.after_others(at, ended.globals);
        let Some(component) = self.machine().waits_for(at.state) else { return at };
        let mut all = Vec::new();
        for truth in literals {
            all.push(self.renamed(truth, |kept| match kept {
                Kept::Cell(cell) => Some(Kept::Between(cell)),
                _ => None,
            }));
        }
        let arguments = self.space.arguments(Kept::Argument(component), component);
        let passed = self.space.arguments(Kept::Passed(component), component);
        let mut with: FxHashMap<Term, Term> = arguments.into_iter().zip(passed).collect();
        if let Some(input) = self.space.inputs.get(&(component, false)).copied() {
            with.insert(self.space.constant_at(Kept::Result(component), 0), input);
        }
        for truth in self.space.psi(ended.psi).to_vec() {
            let truth = self.renamed(truth, |kept| match kept {
                Kept::Entry(cell) => Some(Kept::Between(cell)),
                _ => None,
            });
            all.push(self.space.terms().substitute(truth, &with));
        }
        Position { state, psi: self.space.intern(all), next: Next::Answer }
    }

    /// A truth over other constants.
    fn renamed(&mut self, truth: Term, becomes: impl Fn(Kept) -> Option<Kept>) -> Term {
        let mut with = FxHashMap::default();
        for constant in self.space.terms().constants(truth) {
            if let Some((kept, at)) = self.space.place(constant)
                && let Some(kept) = becomes(kept).filter(|_| self.machine().is_of_module(at))
            {
                with.insert(constant, self.space.constant_at(kept, at));
            }
        }
        self.space.terms().substitute(truth, &with)
    }

    /// Where an activation goes on after a turn in which the environment has made calls. What it had read of the module's cells
    /// stays what it was.
    pub(super) fn resumed(&mut self, at: Position, (globals, turn): (Globals, Psi)) -> Position {
        let (state, literals) = self.after_others(at, globals);
        let psi = self.space.intern(literals);
        Position { state, psi: self.composed(psi, turn, state), next: Next::Answer }
    }

    /// Where an activation waits, after others have written to the cells of the module; and what it knew then, of what these cells
    /// held before.
    fn after_others(&mut self, at: Position, globals: Globals) -> (State, Vec<Term>) {
        let way = self.on_their_way(at.state);
        let machine = self.machine();
        let (waiting, _) = machine.split(at.state);
        let state = machine.join(waiting, globals);
        let mut literals = self.space.psi(at.psi).to_vec();
        if way.values.is_empty() {
            return (state, literals);
        }
        for literal in &mut literals {
            *literal = self.space.terms().substitute(*literal, &way.becomes);
        }
        literals.extend(&way.were);
        (self.space.game.with_held(state, &way.values), literals)
    }

    /// The values on their way at a position where an activation waits, after cells of the module were written to.
    fn on_their_way(&mut self, state: State) -> Rc<OnTheirWay> {
        if let Some(known) = self.ways.get(&state) {
            return known.clone();
        }
        let held = self.space.held(state);
        let machine = self.machine();
        let places = held.iter().map(|(at, _)| at).filter(|at| machine.is_of_module(*at));
        let module: FxHashSet<u32> = places.collect();
        let written = |at: u32| module.contains(&at);
        let forgotten = self.space.forgotten_but(state, &held, &self.precision, written);
        let mut way = OnTheirWay::default();
        for (at, term) in forgotten.held.iter() {
            if !module.contains(&at) && held.get(at) != Some(term) {
                way.values.push((at, Value::new(term)));
            }
        }
        for (now, was) in forgotten.were {
            match self.space.place(was) {
                Some((Kept::Cell(_), at)) if module.contains(&at) => {
                    way.were.push(self.space.terms().equal(now, was))
                }
                Some((Kept::Given(..) | Kept::Stale(_) | Kept::Lost, _)) => {
                    way.becomes.insert(was, now);
                }
                _ => {}
            }
        }
        let way = Rc::new(way);
        self.ways.insert(state, way.clone());
        way
    }

    /// What is true after two stretches at whose end this is the state. The second is a turn of the environment's, or a call in
    /// one. What is neither true nor false then is not known.
    pub(super) fn composed(&mut self, first: Psi, second: Psi, state: State) -> Psi {
        let key = (first, second, state);
        if let Some(known) = self.composed.get(&key) {
            return *known;
        }
        let mut literals = Vec::new();
        let mut base = Vec::new();
        for truth in self.space.psi(first).to_vec() {
            if !self.about(truth).now {
                literals.push(truth);
            }
            base.push(self.renamed(truth, |kept| match kept {
                Kept::Cell(cell) => Some(Kept::Between(cell)),
                _ => None,
            }));
        }
        for truth in self.space.psi(second).to_vec() {
            if !self.about(truth).entry {
                literals.push(truth);
            }
            base.push(self.renamed(truth, |kept| match kept {
                Kept::Entry(cell) => Some(Kept::Between(cell)),
                _ => None,
            }));
        }
        if self.precision.relational {
            let (control, layout) = (self.space.game.control(state), self.space.layout(state));
            let mut truths = self.space.psi(first).to_vec();
            for id in self.precision.live(control, &layout) {
                truths.extend(self.space.here(id, state));
            }
            for truth in truths {
                let about = self.about(truth);
                if !about.now || !(about.entry || about.activation) {
                    continue;
                }
                let not = self.space.terms().not(truth);
                if !self.space.may(&base, &[not]) {
                    literals.push(truth);
                } else if !self.space.may(&base, &[truth]) {
                    literals.push(not);
                }
            }
        }
        let psi = self.space.intern(literals);
        self.composed.insert(key, psi);
        psi
    }
}
