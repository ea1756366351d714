//! What the engine stands on: the machine that runs over terms, of a sequential program or of a concurrent one.

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::id::halves;
use agon_base::intern::{Interner, Sequences};
use agon_games::arena::ComponentId;
use agon_games::machine::{
    Layout, Machine, Offer, OfferData, OfferKind, Pausing, PieceId, State, StrandId, Strands, Told,
};
use agon_games::moves::Move;
use agon_games::strategy::{Origin, Step};
use agon_games::symbolic::Value;
use agon_solve::Term;
use rustc_hash::FxHashMap;

use super::oracle::Symbolic;
use super::space::{Next, Position};

/// What O may give in components: a number, or where to point.
pub(super) type Inputs = FxHashMap<(ComponentId, bool), Term>;

/// What O did.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub offer: usize,
    pub value: Option<Term>,
    pub index: Option<Term>,
    pub m: Move<Value>,
}

/// A step over terms, in one of the ways in which it can be made. Its label is P's move, if P makes one that is seen. A
/// move of O's is also a step by itself, without what follows.
pub(super) type SymbolicStep<S> = Step<Option<Move<Value>>, S, Guarded>;

/// How a step over terms is made.
#[derive(Clone, Debug)]
pub(super) struct Guarded {
    /// The strand in which it is made.
    pub strand: StrandId,
    /// What O does, if it does anything.
    pub asked: Option<Asked>,
    /// The threads of the move, if the program is concurrent.
    pub threads: Box<[u32]>,
    /// Whether it only goes on with what was begun before.
    pub goes_on: bool,
    /// What must be so.
    pub conditions: Vec<Term>,
    /// The procedure that is summarised whose activation makes the step, if one does.
    pub within: Option<ComponentId>,
}

/// Where a step over terms leads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached {
    pub state: State,
    /// Whether P has paused there.
    pub paused: bool,
    /// Whether the last thing before was an assignment.
    pub stored: bool,
}

/// The steps that were found, unless it was stopped.
type Found = Result<Vec<SymbolicStep<Reached>>, Stop>;

/// What runs over terms.
pub(super) enum Runner<'a> {
    /// A sequential program.
    Sequential,
    /// The strands of a concurrent program.
    Strands(&'a Strands<Symbolic>),
    /// A module.
    Module(&'a mut Machine<Symbolic>),
}

/// A machine over terms.
pub(super) trait SymbolicGame {
    fn domain(&self) -> &Symbolic;
    fn domain_mut(&mut self) -> &mut Symbolic;
    /// What is about to be done at a position, by number, as far as it does not depend on values.
    fn control(&mut self, state: State) -> u32;
    fn layout(&self, state: State) -> Layout;
    /// The values at a position, by their places.
    fn held(&mut self, state: State, layout: &Layout) -> Vec<(u32, Value)>;
    /// The position with other values.
    fn with_held(&mut self, state: State, held: &[(u32, Value)]) -> State;
    /// The run is to pause elsewhere from now on.
    fn set_pausing(&mut self, pausing: Pausing);
    fn memory(&self) -> usize;
    /// What runs.
    fn runner(&mut self) -> Runner<'_>;
    /// All steps at a position.
    fn steps(&mut self, position: Position, inputs: &Inputs, budget: &Budget) -> Found;
}

/// What O gives with an offer.
fn given(
    offer: &Offer<Value>,
    n: usize,
    arguments: &[ComponentId],
    inputs: &Inputs,
) -> (Asked, OfferData<Value>) {
    let gives = matches!(offer.kind, OfferKind::Value | OfferKind::Write | OfferKind::WriteElement(_));
    let points = matches!(offer.kind, OfferKind::ReadElement(_) | OfferKind::WriteElement(_));
    let value = gives.then(|| inputs[&(offer.component, false)]);
    let index = points.then(|| inputs[&(offer.component, true)]);
    let data = OfferData {
        element: index.map(Value::new).or(offer.element),
        index: index.map(Value::new),
        value: value.map(Value::new),
        arguments: arguments.iter().map(|component| Value::new(inputs[&(*component, false)])).collect(),
    };
    (Asked { offer: n, value, index, m: offer.with(data.clone()) }, data)
}

/// What must be so for the values in a move to be there at all.
fn guards(domain: &mut Symbolic, m: &Move<Value>) -> Vec<Term> {
    m.element.iter().chain(m.label.value()).filter_map(|value| domain.term(value).1).collect()
}

/// A move of O's by itself.
fn played(asked: Asked, strand: StrandId, threads: Box<[u32]>) -> SymbolicStep<Reached> {
    let conditions = Vec::new();
    let how = Guarded { strand, asked: Some(asked), threads, goes_on: false, conditions, within: None };
    Step { label: None, next: None, origin: Origin::Environment, how }
}

/// A sequential program, or a module with one thread.
pub(super) struct Sequential(pub Machine<Symbolic>);

impl SymbolicGame for Sequential {
    fn domain(&self) -> &Symbolic {
        self.0.domain()
    }

    fn domain_mut(&mut self) -> &mut Symbolic {
        self.0.domain_mut()
    }

    fn control(&mut self, state: State) -> u32 {
        self.0.control(state)
    }

    fn layout(&self, state: State) -> Layout {
        self.0.layout(state)
    }

    fn held(&mut self, state: State, _: &Layout) -> Vec<(u32, Value)> {
        match self.0.module() {
            Some(_) => self.0.places_at(state),
            None => (0..).zip(self.0.values_at(state)).collect(),
        }
    }

    fn with_held(&mut self, state: State, held: &[(u32, Value)]) -> State {
        match self.0.module() {
            Some(_) => self.0.with_places(state, held),
            None => {
                let values: Vec<Value> = held.iter().map(|(_, value)| *value).collect();
                self.0.with_values(state, &values)
            }
        }
    }

    fn set_pausing(&mut self, pausing: Pausing) {
        self.0.set_pausing(pausing);
    }

    fn memory(&self) -> usize {
        self.0.memory()
    }

    fn runner(&mut self) -> Runner<'_> {
        match self.0.module() {
            Some(_) => Runner::Module(&mut self.0),
            None => Runner::Sequential,
        }
    }

    fn steps(&mut self, position: Position, inputs: &Inputs, budget: &Budget) -> Found {
        let mut found = Vec::new();
        if position.next == Next::Paused {
            run_each(&mut self.0, position, None, &mut found, budget)?;
            return Ok(found);
        }
        let offers = self.0.offers(position.state);
        for (n, offer) in offers.iter().enumerate() {
            run_each(&mut self.0, position, Some((n, offer, inputs)), &mut found, budget)?;
        }
        // Of a module only what it does itself is looked for.
        if self.0.module().is_none() {
            let alone = |(n, offer)| played(given(offer, n, &[], inputs).0, StrandId(0), Box::default());
            found.extend((0..).zip(offers.iter()).map(alone));
        }
        Ok(found)
    }
}

/// Runs a machine from a position on, after a move of O's if there is one, in every way.
fn run_each(
    machine: &mut Machine<Symbolic>,
    position: Position,
    asked: Option<(usize, &Offer<Value>, &Inputs)>,
    found: &mut Vec<SymbolicStep<Reached>>,
    budget: &Budget,
) -> Result<(), Stop> {
    machine.domain_mut().take_conditions();
    let asked = asked.map(|(n, offer, inputs)| {
        let arguments = match offer.kind {
            OfferKind::Call => machine.arena().component(offer.component).arguments.clone(),
            _ => Vec::new(),
        };
        (offer, given(offer, n, &arguments, inputs))
    });
    let whose = asked.as_ref().map(|(_, (asked, _))| asked.clone());
    let mut known = Vec::new();
    if let Some((offer, (_, data))) = &asked {
        let arguments = machine.arena().component(offer.component).arguments.clone();
        let given = arguments.iter().zip(&data.arguments);
        for (component, value) in given.chain(data.value.iter().map(|value| (&offer.component, value))) {
            let (term, _) = machine.domain_mut().term(value);
            known.extend(machine.is_known(position.state, *component, term));
        }
    }
    let within = machine.activation(position.state);
    let mut visit = |domain: &mut Symbolic, told: Told<Value>| {
        if let Some(mut step) = told_of(domain, told, within) {
            step.how.asked.clone_from(&whose);
            step.how.conditions.extend(&known);
            found.push(step);
        }
    };
    match asked {
        None => machine.resume_each(position.state, &mut visit, budget),
        Some((offer, (_, data))) => machine.play_each(position.state, offer, data, &mut visit, budget),
    }
}

/// The steps of a module after the call of a procedure that is summarised, with these arguments.
pub(super) fn entered(
    machine: &mut Machine<Symbolic>,
    state: State,
    (component, arguments): (ComponentId, &[Term]),
    budget: &Budget,
) -> Found {
    machine.domain_mut().take_conditions();
    let arguments: Vec<Value> = arguments.iter().map(|argument| Value::new(*argument)).collect();
    let mut found = Vec::new();
    let mut visit = |domain: &mut Symbolic, told: Told<Value>| {
        found.extend(told_of(domain, told, Some(component)));
    };
    machine.enter_each(state, (component, &arguments), &mut visit, budget)?;
    Ok(found)
}

/// The step that a run has made, if it has made one.
fn told_of(
    domain: &mut Symbolic,
    told: Told<Value>,
    within: Option<ComponentId>,
) -> Option<SymbolicStep<Reached>> {
    let mut conditions = domain.take_conditions();
    let (label, next, origin, paused, stored) = match told {
        Told::Nothing => return None,
        Told::Paused(Step { next, origin, .. }, stored) => (None, next, origin, true, stored),
        Told::Move(Step { label, next, origin, .. }, stored) => (Some(label), next, origin, false, stored),
    };
    conditions.extend(label.iter().flat_map(|answer| guards(domain, answer)));
    let next = next.map(|state| Reached { state, paused, stored });
    let (asked, threads) = (None, Box::default());
    let how = Guarded { strand: StrandId(0), asked, threads, goes_on: false, conditions, within };
    Some(Step { label, next, origin, how })
}

/// A concurrent program. Its positions are numbered as they are found.
pub(super) struct Threads {
    pub strands: Strands<Symbolic>,
    positions: Sequences<PieceId>,
    controls: Interner<Vec<[u32; 5]>>,
}

impl Threads {
    pub(super) fn new(strands: Strands<Symbolic>) -> Threads {
        let mut positions = Sequences::new();
        positions.intern(&[]);
        Threads { strands, positions, controls: Interner::default() }
    }

    fn at(&self, state: State) -> Arc<[PieceId]> {
        self.positions.get(halves(state.0).1).into()
    }

    /// The number of a position.
    pub(super) fn number(&mut self, position: &[PieceId]) -> State {
        State(u64::from(self.positions.intern(position)))
    }
}

impl SymbolicGame for Threads {
    fn domain(&self) -> &Symbolic {
        self.strands.domain()
    }

    fn domain_mut(&mut self) -> &mut Symbolic {
        self.strands.domain_mut()
    }

    fn control(&mut self, state: State) -> u32 {
        self.controls.intern(self.strands.controls(&self.at(state)))
    }

    fn layout(&self, state: State) -> Layout {
        self.strands.layout(&self.at(state))
    }

    fn held(&mut self, state: State, layout: &Layout) -> Vec<(u32, Value)> {
        let position = self.at(state);
        self.strands.held(&position, layout)
    }

    fn with_held(&mut self, state: State, held: &[(u32, Value)]) -> State {
        let position = self.at(state);
        let next = self.strands.with_held(&position, held);
        self.number(&next)
    }

    fn set_pausing(&mut self, _: Pausing) {}

    fn runner(&mut self) -> Runner<'_> {
        Runner::Strands(&self.strands)
    }

    fn memory(&self) -> usize {
        self.strands.memory() + self.positions.memory()
    }

    fn steps(&mut self, position: Position, inputs: &Inputs, budget: &Budget) -> Found {
        let here = self.at(position.state);
        let mut found = Vec::new();
        let mut strands = self.strands.strands(&here);
        if here.is_empty() {
            strands.push(StrandId(0));
        }
        for strand in strands {
            let mut plays = vec![None];
            if let (Some(playable), Some(offers)) =
                (self.strands.playable(&here, strand), self.strands.offers(&here, strand))
            {
                plays = playable.into_iter().map(|n| Some((n, given(&offers[n], n, &[], inputs)))).collect();
            }
            let goes_on = self.strands.has_yielded(&here, strand);
            for play in plays {
                self.strands.domain_mut().take_conditions();
                self.strands.domain_mut().take_ways();
                let (asked, data) = match play {
                    Some((n, (asked, data))) => (Some(asked), Some((n, data))),
                    None => (None, None),
                };
                let performed = self.strands.perform(&here, strand, data, None, budget)?;
                let conditions = self.strands.domain_mut().take_ways();
                if let (Some(asked), Some(step)) = (&asked, performed.first()) {
                    let threads = step.label.as_ref().map_or(Box::default(), |label| label.threads.clone());
                    found.push(played(asked.clone(), strand, threads));
                }
                for (Step { label, next, origin, .. }, mut conditions) in
                    performed.into_iter().zip(conditions)
                {
                    conditions
                        .extend(label.iter().flat_map(|label| guards(self.strands.domain_mut(), &label.m)));
                    if next.as_ref().is_some_and(|next| !self.strands.has_places(next)) {
                        return Err(Stop::Store);
                    }
                    let next =
                        next.map(|next| Reached { state: self.number(&next), paused: false, stored: false });
                    let (m, threads) =
                        label.map_or((None, Box::default()), |label| (Some(label.m), label.threads));
                    let label = m.filter(|_| asked.is_none());
                    let goes_on = goes_on && label.is_none() && asked.is_none();
                    let asked = asked.clone();
                    let how = Guarded { strand, asked, threads, goes_on, conditions, within: None };
                    found.push(Step { label, next, origin, how });
                }
            }
        }
        Ok(found)
    }
}
