//! The abstract positions of a program, and how they follow each other.
//!
//! The machine runs over terms, from one place where it pauses or waits to the next. There the store is forgotten but
//! for what the predicates in scope say of it: every cell holds a constant of its own again, and Ψ is a list of literals
//! over these constants [PRED, §3].

mod valuations;

use std::rc::Rc;
use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::int::Int;
use agon_base::intern::Interner;
use agon_core::types::{Data, Type};
use agon_games::arena::{Arena, ComponentId};
use agon_games::interval::Interval;
use agon_games::machine::{Code, Layout, State};
use agon_games::moves::{Label, Move};
use agon_games::strategy::Step;
use agon_games::symbolic::{Forgetting, Value, operators};
use agon_games::values::CellId;
use agon_solve::{Sort, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::forget::{Held, Kept};
use super::oracle::{Oracle, Symbolic};
use super::predicates::{PredicateId, Predicates, Where};
use super::scopes::Extent;
use super::symbolic::{Guarded, Reached, Runner, SymbolicGame, SymbolicStep, entered};
use crate::question::Question;

/// What is kept of the store, and where.
#[derive(Clone, Default)]
pub(super) struct Precision {
    /// Predicates in their scopes.
    pub scoped: Vec<(PredicateId, Extent)>,
    /// Predicates at places of the game.
    pub at: FxHashMap<u32, Vec<PredicateId>>,
    /// Predicates wherever their cells are alive.
    pub everywhere: Vec<PredicateId>,
    /// Cells that keep their numbers.
    pub exact: FxHashSet<CellId>,
    /// Whether some predicates speak of what cells of a module held when the activation began.
    pub relational: bool,
}

impl Precision {
    /// The predicates that are to be known at a position.
    pub(super) fn live(&self, control: u32, layout: &Layout) -> Box<[PredicateId]> {
        let mut live: Vec<PredicateId> = self.everywhere.clone();
        live.extend(self.at.get(&control).into_iter().flatten());
        live.extend(self.scoped.iter().filter(|(_, extent)| extent.holds(&layout.pcs)).map(|(id, _)| *id));
        live.sort_unstable();
        live.dedup();
        live.into()
    }
}

agon_base::id! {
    /// What is true of the store.
    pub(super) Psi;
}

/// An abstract position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Position {
    pub state: State,
    pub psi: Psi,
    pub next: Next,
}

/// What comes next at a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Next {
    /// O's turn; or a procedure that is summarised ends, for which an activation of a module waits.
    Answer,
    /// P has paused, and goes on.
    Paused,
    /// A procedure that is summarised begins.
    Begins(ComponentId),
}

/// A step from a position, before anything is forgotten: where it leads, with these values in the store. It leads nowhere
/// if it is what was looked for. Each has a number.
pub(super) type Branch = (u32, SymbolicStep<(Reached, Held)>);

/// A branch, what was true before it, and the predicates behind it.
type LedFrom = (u32, Psi, Box<[PredicateId]>);

/// The positions that a branch led to, and how many predicates were known there.
type LedTo = (Vec<Position>, usize);

/// The abstract positions, and everything that they are made of.
pub(super) struct Space<'a> {
    pub game: Box<dyn SymbolicGame>,
    pub predicates: Predicates,
    pub code: Arc<Code>,
    pub arena: Arc<Arena>,
    pub budget: &'a Budget,
    layouts: FxHashMap<u32, Arc<Layout>>,
    psis: Interner<Box<[Term]>, Psi>,
    /// The constant for a place of the store, by what is kept there.
    pub(super) constants: FxHashMap<(Kept, u32), Term>,
    /// The places of these constants.
    pub(super) places: FxHashMap<Term, (Kept, u32)>,
    pub(super) inputs: FxHashMap<(ComponentId, bool), Term>,
    /// How many branches were found.
    branches: u32,
    /// What branches led to before: from what was true, and with which predicates.
    led_to: FxHashMap<LedFrom, Rc<LedTo>>,
    possible: FxHashMap<(u32, Psi), bool>,
    /// The numbers that were kept of cells.
    pub kept: FxHashMap<CellId, FxHashSet<Term>>,
    /// The most predicates that were alive at once.
    pub alive: usize,
}

impl<'a> Space<'a> {
    pub(super) fn new(
        setting: (Arc<Code>, Arc<Arena>),
        oracle: Oracle,
        budget: &'a Budget,
        game: impl FnOnce(Symbolic) -> Box<dyn SymbolicGame>,
    ) -> Space<'a> {
        let (code, arena) = setting;
        let mut psis = Interner::default();
        psis.intern(Box::default());
        let mut space = Space {
            game: game(Symbolic::new(oracle, Forgetting::Terms)),
            predicates: Predicates::default(),
            code,
            arena: arena.clone(),
            budget,
            layouts: FxHashMap::default(),
            psis,
            constants: FxHashMap::default(),
            places: FxHashMap::default(),
            inputs: FxHashMap::default(),
            branches: 0,
            led_to: FxHashMap::default(),
            possible: FxHashMap::default(),
            kept: FxHashMap::default(),
            alive: 0,
        };
        for (id, component) in arena.components() {
            if component.base.data().is_some() {
                space.add_input(id, false);
            }
            if matches!(component.base, Type::Array(..)) {
                space.add_input(id, true);
            }
        }
        space
    }

    pub(super) fn terms(&mut self) -> &mut Terms {
        self.game.domain_mut().terms()
    }

    /// The solver, as it is asked.
    pub(super) fn oracle(&mut self) -> &mut Oracle {
        self.judge().1
    }

    /// The solver, with the terms that it is asked about.
    pub(super) fn judge(&mut self) -> (&mut Terms, &mut Oracle) {
        self.game.domain_mut().judge_mut()
    }

    pub(super) fn start(&mut self) -> Position {
        let state = match self.game.runner() {
            Runner::Module(machine) => machine.start(),
            Runner::Sequential | Runner::Strands(_) => State(0),
        };
        Position { state, psi: Psi(0), next: Next::Answer }
    }

    /// The number of what is true.
    pub(super) fn intern(&mut self, mut literals: Vec<Term>) -> Psi {
        literals.sort_unstable();
        literals.dedup();
        self.psis.intern(literals.into())
    }

    /// What is true at a position.
    pub(super) fn psi(&self, psi: Psi) -> &[Term] {
        self.psis.get(psi)
    }

    pub(super) fn layout(&mut self, state: State) -> Arc<Layout> {
        let control = self.game.control(state);
        if let Some(known) = self.layouts.get(&control) {
            return known.clone();
        }
        let layout = Arc::new(self.game.layout(state));
        self.layouts.insert(control, layout.clone());
        layout
    }

    /// The place of the store that a constant stands for, and the cell there.
    pub(super) fn place(&self, constant: Term) -> Option<(Kept, u32)> {
        self.places.get(&constant).copied()
    }

    /// Says of a constant that it is within the range of a type.
    pub(super) fn within(&mut self, constant: Term, data: &Data) {
        let Some((low, high)) = data.range() else { return };
        let claims = operators::within(self.terms(), constant, Some(&low), Some(&high));
        self.oracle().bound(constant, Interval::between(low, high), claims);
    }

    pub(super) fn constant_at(&mut self, kept: Kept, at: u32) -> Term {
        if let Some(known) = self.constants.get(&(kept, at)) {
            return *known;
        }
        let constant = self.terms().constant(format!("{kept:?} at {at}"), Sort::Int);
        match kept {
            Kept::Cell(cell) | Kept::Stale(cell) | Kept::Entry(cell) | Kept::Between(cell) => {
                let data = self.code.cells()[cell.index()].data.clone();
                self.within(constant, &data);
            }
            Kept::Given(component, index) => self.limit_input(constant, component, index),
            Kept::Result(component) => self.limit_input(constant, component, false),
            Kept::Argument(component) | Kept::Passed(component) => {
                if let Some(cell) = self.code.parameters(component).get(at as usize) {
                    let data = self.code.cells()[cell.0 as usize].data.clone();
                    self.within(constant, &data);
                }
            }
            Kept::Lost => {}
        }
        self.constants.insert((kept, at), constant);
        self.places.insert(constant, (kept, at));
        constant
    }

    /// Makes a constant for what O may give in a component: a number, or where to point.
    fn add_input(&mut self, component: ComponentId, index: bool) {
        let what = if index { "index" } else { "value" };
        let constant = self.terms().constant(format!("{what} {}", component.0), Sort::Int);
        self.limit_input(constant, component, index);
        self.inputs.insert((component, index), constant);
    }

    /// Says of a constant that O may give it.
    pub(super) fn limit_input(&mut self, constant: Term, component: ComponentId, index: bool) {
        let arena = self.arena.clone();
        match (&arena.component(component).base, index) {
            (Type::Array(_, length), true) => {
                let last = Int::from(*length).sub(&Int::ONE);
                let claims = operators::within(self.terms(), constant, Some(&Int::ZERO), Some(&last));
                self.oracle().bound(constant, Interval::between(Int::ZERO, last), claims);
            }
            _ => {
                let Some((low, high)) = arena.range(component) else { return };
                let claims = operators::within(self.terms(), constant, Some(&low), Some(&high));
                self.oracle().bound(constant, Interval::between(low, high), claims);
            }
        }
    }

    /// All branches at a position, each known to be possible.
    pub(super) fn branches(&mut self, position: Position, question: &Question) -> Result<Vec<Branch>, Stop> {
        let base = self.psi(position.psi).to_vec();
        self.oracle().begin(&base);
        let budget = self.budget;
        let steps = self.steps(position)?;
        let mut found: Vec<Branch> = Vec::new();
        for Step { label, next, origin, mut how } in steps {
            budget.check()?;
            // Here the values are, and what must be so for some of them to be what they are.
            let next = next.map(|reached| (reached, self.held_with(reached.state, &mut how.conditions)));
            // What O plays is played before P does anything, and told by itself.
            let played = how.asked.as_ref().map(|asked| &asked.m).filter(|_| next.is_none());
            let right = question.threads.is_empty() || *how.threads == *question.threads;
            if let Some(m) = label.as_ref().or(played).filter(|_| right).cloned()
                && let Some(more) = self.meets(&m, &question.target)
            {
                let conditions: Vec<Term> = how.conditions.iter().copied().chain(more).collect();
                if self.may(&base, &conditions) {
                    let how = Guarded { conditions, ..how.clone() };
                    let target = Step { label: label.clone(), next: None, origin, how };
                    found.push((self.next_number(), target));
                }
            }
            // What was judged on the way was not all that must be so.
            if next.is_some() && self.may(&base, &how.conditions) {
                found.push((self.next_number(), Step { label, next, origin, how }));
            }
        }
        Ok(found)
    }

    fn steps(&mut self, position: Position) -> Result<Vec<SymbolicStep<Reached>>, Stop> {
        let Next::Begins(component) = position.next else {
            return self.game.steps(position, &self.inputs, self.budget);
        };
        let arguments = self.arguments(Kept::Argument(component), component);
        match self.game.runner() {
            Runner::Module(machine) => entered(machine, position.state, (component, &arguments), self.budget),
            Runner::Sequential | Runner::Strands(_) => Ok(Vec::new()),
        }
    }

    /// The constants for the arguments of a procedure that is summarised.
    pub(super) fn arguments(&mut self, kept: Kept, component: ComponentId) -> Vec<Term> {
        let parameters = self.code.parameters(component);
        (0..).zip(parameters).map(|(n, _)| self.constant_at(kept, n)).collect()
    }

    fn next_number(&mut self) -> u32 {
        self.branches += 1;
        self.branches
    }

    /// Forgets where branches led: other numbers are kept now.
    pub(super) fn forget(&mut self) {
        self.led_to.clear();
        self.kept.clear();
    }

    /// Whether a branch can be taken from where something is true.
    pub(super) fn is_possible(&mut self, psi: Psi, (number, step): &Branch) -> bool {
        if let Some(known) = self.possible.get(&(*number, psi)) {
            return *known;
        }
        let base = self.psi(psi).to_vec();
        let possible = self.may(&base, &step.how.conditions);
        self.possible.insert((*number, psi), possible);
        possible
    }

    /// Whether something may be true where others are that can be true.
    pub(super) fn may(&mut self, base: &[Term], new: &[Term]) -> bool {
        let (terms, oracle) = self.judge();
        oracle.may(terms, base, new)
    }

    /// The values at a position, and what must be so for them to be what they are.
    fn held_with(&mut self, state: State, conditions: &mut Vec<Term>) -> Held {
        let layout = self.layout(state);
        let values = self.game.held(state, &layout);
        let term = |(at, value): (u32, Value)| {
            let (term, guard) = self.game.domain_mut().term(&value);
            conditions.extend(guard);
            (at, term)
        };
        Held(values.into_iter().map(term).collect())
    }

    /// The values at a position.
    pub(super) fn held(&mut self, state: State) -> Held {
        self.held_with(state, &mut Vec::new())
    }

    /// What must be so for a move to be the target; nothing if it cannot be.
    fn meets(&mut self, m: &Move<Value>, target: &Move) -> Option<Vec<Term>> {
        if m.component != target.component {
            return None;
        }
        let mut pairs = Vec::new();
        match (&m.label, &target.label) {
            (Label::Value(value), Label::Value(n)) | (Label::Write(value), Label::Write(n)) => {
                pairs.push((*value, n.clone()));
            }
            (said, wanted) if said.says_what(wanted) => {}
            _ => return None,
        }
        if let (Some(at), Some(n)) = (m.element, &target.element) {
            pairs.push((at, n.clone()));
        }
        let mut claims = Vec::new();
        for (value, n) in pairs {
            let (term, guard) = self.game.domain_mut().term(&value);
            let terms = self.terms();
            let number = terms.int(n);
            claims.push(terms.equal(term, number));
            claims.extend(guard);
        }
        Some(claims)
    }

    /// The truth that a predicate is at a position, once for each time that its cells are alive.
    pub(super) fn here(&mut self, id: PredicateId, state: State) -> Vec<Term> {
        let layout = self.layout(state);
        let held = self.held(state);
        let constants = &self.constants;
        let terms = self.game.domain_mut().terms();
        self.predicates.over(terms, id, &layout, &|spot| match spot {
            Where::At(at) => held.get(at),
            Where::Entry(cell, at) => constants.get(&(Kept::Entry(cell), at)).copied(),
            Where::OnItsWay(..) => None,
        })
    }

    /// Whether a term is what O gives.
    pub(super) fn is_input(&self, term: Term) -> bool {
        self.inputs.values().any(|input| *input == term)
    }

    /// What O gives, of what a term depends on.
    pub(super) fn inputs_of(&mut self, term: Term) -> Vec<Term> {
        let mut constants = self.terms().constants(term);
        constants.retain(|constant| self.is_input(*constant));
        constants
    }

    /// Whether a term depends on what O gives.
    pub(super) fn is_given(&mut self, term: Term) -> bool {
        !self.inputs_of(term).is_empty()
    }

    /// Between which numbers a constant lies, if it does.
    pub(super) fn range_of(&self, constant: Term) -> Option<(Int, Int)> {
        let range = self.game.domain().judge().range_of(constant)?;
        Some((range.low()?.clone(), range.high()?.clone()))
    }
}
