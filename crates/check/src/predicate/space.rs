//! The abstract positions of a program, and how they follow each other.
//!
//! The machine runs over terms, from one place where it pauses or waits to the next. There the store is forgotten but
//! for what the predicates in scope say of it: every cell holds a constant of its own again, and Ψ is a list of truths
//! over these constants [PRED, §3].

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use agon_games::arena::{Arena, ComponentId};
use agon_games::intern::Interner;
use agon_games::interval::Interval;
use agon_games::machine::{Code, Layout, Machine, OfferData, Pausing, Reaction, State, Thrift, Told};
use agon_games::moves::{Label, Move};
use agon_games::symbolic::{Symbolic, Value};
use agon_games::values::CellId;
use agon_lang::int::Int;
use agon_lang::types::{Data, Type};
use agon_solve::{Sort, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::oracle::Oracle;
use super::predicates::{PredicateId, Predicates};
use super::scopes::Extent;
use crate::budget::{Budget, Limit};

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
    /// Whether valuations outlive their scopes until the next assignment [PRED, §4.3].
    pub preserving: bool,
}

/// What is true of the store, by number.
pub(super) type Psi = u32;

/// An abstract position: O's turn, or P has paused.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Position {
    pub state: State,
    pub psi: Psi,
    pub paused: bool,
}

/// One way to go on from a position, before anything is forgotten.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// The offer that O took, and its numbers; none where P went on.
    pub asked: Option<Asked>,
    /// What must be so.
    pub conditions: Vec<Term>,
    /// The move that P made, if it made one.
    pub answer: Option<Move<Value>>,
    pub end: End,
}

/// What O did.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub offer: usize,
    pub value: Option<Term>,
    pub index: Option<Term>,
    pub m: Move<Value>,
}

/// What a way leads to.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// What was looked for.
    Target,
    /// A position with these values in its store.
    Next { state: State, values: Vec<Term>, paused: bool, stored: bool },
}

/// What is kept at a place of the store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kept {
    /// A cell of a declaration.
    Cell(CellId),
    /// What O gave in a component: a number, or where to point.
    Given(ComponentId, bool),
    /// Some other value on its way.
    OnItsWay,
}

/// The abstract positions, and everything that they are made of.
pub(super) struct Space<'a> {
    pub machine: Machine<Symbolic>,
    pub oracle: Rc<RefCell<Oracle>>,
    pub predicates: Predicates,
    pub code: Arc<Code>,
    pub arena: Arc<Arena>,
    pub budget: &'a Budget,
    layouts: FxHashMap<u32, Arc<Layout>>,
    psis: Interner<Box<[Term]>>,
    /// The constant for a place of the store, by what is kept there.
    constants: FxHashMap<(Kept, u32), Term>,
    /// The places of these constants.
    places: FxHashMap<Term, (Kept, u32)>,
    inputs: FxHashMap<(ComponentId, bool), Term>,
    /// The numbers that were kept of cells.
    pub kept: FxHashMap<CellId, FxHashSet<Term>>,
    /// The most predicates that were alive at once.
    pub alive: usize,
}

impl<'a> Space<'a> {
    pub(super) fn new(
        code: Arc<Code>,
        arena: Arc<Arena>,
        oracle: Oracle,
        pausing: Pausing,
        budget: &'a Budget,
    ) -> Space<'a> {
        let thrift = Thrift { remember_after: u64::MAX, forget: true };
        let oracle = Rc::new(RefCell::new(oracle));
        let mut domain = Symbolic::default();
        domain.forgetful = true;
        domain.set_judge(oracle.clone());
        let machine =
            Machine::new(code.clone(), arena.clone(), domain).with_thrift(thrift).with_pausing(pausing);
        let mut psis = Interner::default();
        psis.intern(Box::default());
        Space {
            machine,
            oracle,
            predicates: Predicates::default(),
            code,
            arena,
            budget,
            layouts: FxHashMap::default(),
            psis,
            constants: FxHashMap::default(),
            places: FxHashMap::default(),
            inputs: FxHashMap::default(),
            kept: FxHashMap::default(),
            alive: 0,
        }
    }

    pub(super) fn terms(&mut self) -> &mut Terms {
        self.machine.domain_mut().terms()
    }

    pub(super) fn start(&self) -> Position {
        Position { state: self.machine.start(), psi: 0, paused: false }
    }

    /// What is true at a position.
    pub(super) fn psi(&self, psi: Psi) -> &[Term] {
        self.psis.get(psi)
    }

    pub(super) fn layout(&mut self, state: State) -> Arc<Layout> {
        let control = self.machine.control(state);
        if let Some(known) = self.layouts.get(&control) {
            return known.clone();
        }
        let layout = self.machine.layout(state);
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
        let claims = self.machine.domain_mut().within(constant, Some(&low), Some(&high));
        self.oracle.borrow_mut().bound(constant, Interval::between(low, high), claims);
    }

    fn constant_at(&mut self, kept: Kept, at: u32) -> Term {
        if let Some(known) = self.constants.get(&(kept, at)) {
            return *known;
        }
        let constant = self.terms().constant(format!("{kept:?} at {at}"), Sort::Int);
        match kept {
            Kept::Cell(cell) => {
                let data = self.code.cells()[cell.0 as usize].data.clone();
                self.within(constant, &data);
            }
            Kept::Given(component, index) => self.limit_input(constant, component, index),
            Kept::OnItsWay => {}
        }
        self.constants.insert((kept, at), constant);
        self.places.insert(constant, (kept, at));
        constant
    }

    /// What O may give in a component: a number, or where to point.
    fn input(&mut self, component: ComponentId, index: bool) -> Term {
        if let Some(known) = self.inputs.get(&(component, index)) {
            return *known;
        }
        let what = if index { "index" } else { "value" };
        let constant = self.terms().constant(format!("{what} {}", component.0), Sort::Int);
        self.limit_input(constant, component, index);
        self.inputs.insert((component, index), constant);
        constant
    }

    /// Says of a constant that O may give it.
    pub(super) fn limit_input(&mut self, constant: Term, component: ComponentId, index: bool) {
        let arena = self.arena.clone();
        match (&arena.component(component).base, index) {
            (Type::Array(_, length), true) => {
                let last = Int::from(*length).sub(&Int::ONE);
                let claims = self.machine.domain_mut().within(constant, Some(&Int::ZERO), Some(&last));
                self.oracle.borrow_mut().bound(constant, Interval::between(Int::ZERO, last), claims);
            }
            (base, _) => {
                let data = base.data().cloned().unwrap_or(Data::Int);
                self.within(constant, &data);
            }
        }
    }

    /// What a value is, as a term. Its conditions are known already.
    fn term(&self, value: &Value) -> Term {
        self.machine.domain().term(value).0
    }

    /// All ways to go on from a position, each known to be possible.
    pub(super) fn ways(&mut self, position: Position, target: &Move) -> Result<Vec<Way>, Limit> {
        if position.paused {
            return self.ways_of(position, None, target);
        }
        let mut found = Vec::new();
        let offers = self.machine.offers(position.state);
        for (n, offer) in offers.iter().enumerate() {
            use agon_games::machine::OfferKind::{ReadElement, Value as Answer, Write, WriteElement};
            let value = matches!(offer.kind, Answer | Write | WriteElement(_))
                .then(|| self.input(offer.component, false));
            let index = matches!(offer.kind, ReadElement(_) | WriteElement(_))
                .then(|| self.input(offer.component, true));
            let data = OfferData {
                element: index.map(Value::new).or(offer.element),
                index: index.map(Value::new),
                value: value.map(Value::new),
            };
            let asked = Asked { offer: n, value, index, m: offer.with(data) };
            if let Some(conditions) = self.meets(&asked.m, target) {
                // O's own move is what was looked for.
                let base = self.psi(position.psi).to_vec();
                let terms = self.machine.domain_mut().terms();
                if self.oracle.borrow_mut().may(terms, &base, &conditions) {
                    let end = End::Target;
                    found.push(Way { asked: Some(asked.clone()), conditions, answer: None, end });
                }
            }
            found.extend(self.ways_of(position, Some(asked), target)?);
        }
        Ok(found)
    }

    fn ways_of(
        &mut self,
        position: Position,
        asked: Option<Asked>,
        target: &Move,
    ) -> Result<Vec<Way>, Limit> {
        self.oracle.borrow_mut().begin(self.psis.get(position.psi));
        self.machine.domain_mut().take_conditions();
        let mut told = Vec::new();
        let mut visit = |domain: &mut Symbolic, now: Told<Value>| {
            let conditions = domain.take_conditions();
            if !matches!(now, Told::Nothing) {
                told.push((now, conditions));
            }
        };
        let budget = self.budget;
        let interrupted = &mut || budget.exceeded(0).is_some();
        let run = match &asked {
            None => self.machine.resume_each(position.state, &mut visit, interrupted),
            Some(asked) => {
                let offer = self.machine.offers(position.state)[asked.offer].clone();
                let index = asked.index.map(Value::new);
                let data =
                    OfferData { element: index.or(offer.element), index, value: asked.value.map(Value::new) };
                self.machine.play_each(position.state, &offer, data, &mut visit, interrupted)
            }
        };
        run.map_err(|why| budget.stopped(why))?;
        let base = self.psi(position.psi).to_vec();
        let mut found = Vec::new();
        for (told, conditions) in told {
            if let Some(limit) = budget.exceeded(0) {
                return Err(limit);
            }
            let possible = |space: &mut Self, conditions: &[Term]| {
                let terms = space.machine.domain_mut().terms();
                space.oracle.borrow_mut().may(terms, &base, conditions)
            };
            // What was judged on the way was not all that must be so.
            if !possible(self, &conditions) {
                continue;
            }
            let (next, paused, stored, answer) = match told {
                Told::Nothing => continue,
                Told::Paused(state, stored) => (Some(state), true, stored, None),
                Told::Move(Reaction { answer, next, .. }, stored) => {
                    if let Some(more) = self.meets(&answer, target) {
                        let conditions: Vec<Term> = conditions.iter().copied().chain(more).collect();
                        if possible(self, &conditions) {
                            let (asked, answer) = (asked.clone(), Some(answer.clone()));
                            found.push(Way { asked, conditions, answer, end: End::Target });
                        }
                    }
                    (next, false, stored, Some(answer))
                }
            };
            let Some(state) = next else { continue };
            let len = self.layout(state).len;
            let values = self.machine.values_at(state, len);
            let values = values.iter().map(|value| self.term(value)).collect();
            let end = End::Next { state, values, paused, stored };
            found.push(Way { asked: asked.clone(), conditions, answer, end });
        }
        Ok(found)
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
            let (term, guard) = self.machine.domain().term(&value);
            let terms = self.terms();
            let number = terms.int(n);
            claims.push(terms.equal(term, number));
            claims.extend(guard);
        }
        Some(claims)
    }

    /// The positions that a way leads to, after what is not kept was forgotten.
    pub(super) fn after(&mut self, psi: Psi, way: &Way, precision: &Precision) -> Vec<Position> {
        let End::Next { state, values, paused, stored } = &way.end else { return Vec::new() };
        let layout = self.layout(*state);
        let control = self.machine.control(*state);
        let constants = self.forgotten(&layout, values, precision);
        let mut truths = self.truths(&layout, control, values, &constants, precision);
        if precision.preserving && !stored {
            self.preserved(psi, values, &constants, &mut truths);
        }
        truths.retain(|(_, after)| self.machine.domain_mut().terms().literal(*after).is_none());
        self.alive = self.alive.max(truths.len());
        let mut base = self.psi(psi).to_vec();
        base.extend(&way.conditions);
        let valuations = self.valuations(&base, &truths);
        let values: Vec<Value> = constants.into_iter().map(Value::new).collect();
        let state = self.machine.with_values(*state, &values);
        let position = |psi| Position { state, psi, paused: *paused };
        valuations.into_iter().map(|valuation| position(self.psis.intern(valuation))).collect()
    }

    /// What the store holds when it was forgotten: constants, but for the numbers that are kept, and for values on their
    /// way, which stay terms over cells where they can.
    fn forgotten(&mut self, layout: &Layout, values: &[Term], precision: &Precision) -> Vec<Term> {
        let mut cells: Vec<Option<CellId>> = vec![None; values.len()];
        for place in &layout.cells {
            (place.at..place.at + place.len).for_each(|at| cells[at as usize] = Some(place.cell));
        }
        let mut same: FxHashMap<Term, Term> = FxHashMap::default();
        let mut after = Vec::with_capacity(values.len());
        for (at, value) in values.iter().enumerate() {
            let is_number = self.terms().literal(*value).is_some();
            let term = match cells[at] {
                Some(cell) if is_number && precision.exact.contains(&cell) => {
                    self.kept.entry(cell).or_default().insert(*value);
                    *value
                }
                Some(cell) => {
                    let constant = self.constant_at(Kept::Cell(cell), at as u32);
                    same.entry(*value).or_insert(constant);
                    constant
                }
                None => *value,
            };
            after.push(term);
        }
        for (at, value) in values.iter().enumerate() {
            if cells[at].is_some() || self.terms().literal(*value).is_some() {
                continue;
            }
            let rewritten = self.terms().substitute(*value, &same);
            let own: FxHashSet<Term> = same.values().copied().collect();
            let expressed = self.terms().constants(rewritten).iter().all(|constant| own.contains(constant));
            let given = self.inputs.iter().find(|(_, input)| *input == value).map(|(what, _)| *what);
            let before = self.places.get(value).copied();
            after[at] = match (expressed, given, before) {
                (true, ..) => rewritten,
                (_, Some((component, index)), _) => {
                    self.constant_at(Kept::Given(component, index), at as u32)
                }
                // What was on its way here still is.
                (_, _, Some((kept, place))) if place as usize == at && !matches!(kept, Kept::Cell(_)) => {
                    *value
                }
                _ => self.constant_at(Kept::OnItsWay, at as u32),
            };
        }
        after
    }

    /// The predicates that are to be known, over what the store held and over what it holds.
    fn truths(
        &mut self,
        layout: &Layout,
        control: u32,
        before: &[Term],
        after: &[Term],
        precision: &Precision,
    ) -> Vec<(Term, Term)> {
        let mut live: Vec<PredicateId> = precision.everywhere.clone();
        live.extend(precision.at.get(&control).into_iter().flatten());
        live.extend(
            precision.scoped.iter().filter(|(_, extent)| extent.holds(&layout.pcs)).map(|(id, _)| *id),
        );
        live.sort_unstable();
        live.dedup();
        let mut truths = Vec::new();
        let terms = self.machine.domain_mut().terms();
        for id in live {
            let then = self.predicates.over(terms, id, layout, &|_, at| before[at as usize]);
            let now = self.predicates.over(terms, id, layout, &|_, at| after[at as usize]);
            truths.extend(then.into_iter().zip(now));
        }
        truths
    }

    /// What was true, and is still, since nothing was assigned.
    fn preserved(&mut self, psi: Psi, before: &[Term], after: &[Term], truths: &mut Vec<(Term, Term)>) {
        for truth in self.psi(psi).to_vec() {
            let constants = self.oracle.borrow_mut().constants(self.machine.domain_mut().terms(), truth);
            let unchanged = constants.iter().all(|constant| {
                let at = self.places.get(constant).map(|(_, at)| *at as usize);
                at.is_some_and(|at| before.get(at) == Some(constant) && after.get(at) == Some(constant))
            });
            if unchanged && !truths.iter().any(|(_, known)| *known == truth) {
                let not = self.terms().not(truth);
                if !truths.iter().any(|(_, known)| *known == not) {
                    truths.push((truth, truth));
                }
            }
        }
    }

    /// The ways in which truths can come out, one after the other: what they are made from, and what they become.
    fn valuations(&mut self, base: &[Term], truths: &[(Term, Term)]) -> Vec<Box<[Term]>> {
        let mut found = Vec::new();
        let mut waiting: Vec<(usize, Vec<Term>, Vec<Term>)> = vec![(0, base.to_vec(), Vec::new())];
        let mut oracle = self.oracle.borrow_mut();
        let terms = self.machine.domain_mut().terms();
        while let Some((n, mut base, mut chosen)) = waiting.pop() {
            let Some((before, after)) = truths.get(n) else {
                chosen.sort_unstable();
                chosen.dedup();
                found.push(chosen.into());
                continue;
            };
            let (not_before, not_after) = (terms.not(*before), terms.not(*after));
            let is_known = |base: &[Term], term: Term| base.contains(&term);
            let yes = !is_known(&base, not_before)
                && (is_known(&base, *before) || oracle.may(terms, &base, &[*before]));
            let no = !yes || (!is_known(&base, *before) && oracle.may(terms, &base, &[not_before]));
            if yes && no {
                let (mut other, mut others) = (base.clone(), chosen.clone());
                other.push(not_before);
                others.push(not_after);
                waiting.push((n + 1, other, others));
            }
            base.push(if yes { *before } else { not_before });
            chosen.push(if yes { *after } else { not_after });
            waiting.push((n + 1, base, chosen));
        }
        found
    }

    /// The truth that a predicate is at a position, once for each time that its cells are alive.
    pub(super) fn here(&mut self, id: PredicateId, state: State) -> Vec<Term> {
        let layout = self.layout(state);
        let values = self.machine.values_at(state, layout.len);
        let values: Vec<Term> = values.iter().map(|value| self.term(value)).collect();
        let terms = self.machine.domain_mut().terms();
        self.predicates.over(terms, id, &layout, &|_, at| values[at as usize])
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
        let oracle = self.oracle.borrow();
        let range = oracle.range_of(constant)?;
        Some((range.low()?.clone(), range.high()?.clone()))
    }

    /// The values of the store at a position.
    pub(super) fn values(&mut self, state: State) -> Vec<Term> {
        let len = self.layout(state).len;
        let values = self.machine.values_at(state, len);
        values.iter().map(|value| self.term(value)).collect()
    }
}
