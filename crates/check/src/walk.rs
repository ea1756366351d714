//! The walk through an abstract game: everything that was played is remembered until a refinement touches it.

use agon_base::budget::{Budget, Stop};
use agon_base::explore::{Exploration, Order};
use agon_base::id::{number, small};
use agon_base::intern::Interner;
use agon_base::random::Random;
use agon_games::abstracted::{Abstracted, Causes, Value, rank};
use agon_games::arena::ComponentId;
use agon_games::machine::{Machine, Offer, OfferData, OfferKind, Reaction, State};
use agon_games::moves::{Label, Move};
use agon_games::sites::PartRef;
use agon_games::strategy::Outcomes;
use rustc_hash::FxHashMap;

use crate::search::{Observer, Progress};
use crate::verdict::Reason;

/// A step that was made again, and what was undecided in it.
type Explained = (Reaction<Value>, Vec<Causes>);

/// The moves played so far in an abstract game, which only gets finer.
pub struct Walk {
    /// The machine that plays them.
    pub machine: Machine<Abstracted>,
    known: FxHashMap<Key, EdgeId>,
    edges: Vec<Edge>,
    /// The edges that looked at a part.
    by_part: FxHashMap<PartRef, Vec<EdgeId>>,
    /// How many moves the machine has played.
    pub played: u64,
    /// The parts of the arguments of calls, and the calls that are summarised, by number.
    calls: Interner<Call>,
}

/// A call of a procedure of a module.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Call {
    /// By the environment, with values of these parts.
    Played(Box<[u32]>),
    /// By the module, with these values.
    Entered(ComponentId, Box<[Value]>),
}

/// The place of an offer, where a call is summarised.
const ENTERED: u16 = u16::MAX;

/// A position, an offer, and the parts of the move's data.
type Key = (State, u16, (u32, u32));

agon_base::id! {
    /// An [`Edge`].
    pub(crate) EdgeId;
}

struct Edge {
    key: Key,
    reactions: Box<[Reaction<Value>]>,
}

/// Where a step of the game is kept, among those that were played. It is no step itself: [`Walk::reaction`] gives that.
#[derive(Clone, Copy, Debug)]
pub struct StepRef {
    /// The position before it.
    pub from: State,
    /// The offer that O takes.
    pub offer: u16,
    /// Which of its moves.
    pub code: u64,
    edge: EdgeId,
    /// Which of P's reactions follows; none where O's own move is the target.
    reaction: Option<u32>,
    /// Whether it comes to this however the undecided operations come out.
    pub certain: bool,
}

/// An edge, and which of its reactions.
pub(crate) type EdgePlace = (EdgeId, u32);

impl StepRef {
    /// Its place among the steps that were played. What was refined since is played as another one.
    pub(crate) fn place(&self) -> Option<EdgePlace> {
        self.reaction.map(|reaction| (self.edge, reaction))
    }

    /// The step, which is certain only if something else is certain too.
    pub fn certain_if(self, certain: bool) -> StepRef {
        StepRef { certain: self.certain && certain, ..self }
    }
}

/// A path to the target.
#[derive(Clone, Debug)]
pub struct Path {
    /// Its steps.
    pub steps: Vec<StepRef>,
}

impl Path {
    /// Whether the target is reached however the undecided operations come out [OTF, Prop. 7].
    pub fn is_certain(&self) -> bool {
        self.steps.iter().all(|step| step.certain)
    }
}

/// Which of several paths to the target is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Selection {
    /// The one with the fewest undecided steps, depth first.
    Precise,
    /// The same, in an order drawn from a seed.
    Shuffled(u64),
    /// A shortest one, unless one is certain [GC, App. A].
    Shortest,
    /// One whose first undecided operation is about the coarsest part [GC, §3 step 3].
    Coarsest,
}

/// How well an abstract move fits an exact one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// It is another one.
    Not,
    /// It may be that one.
    Perhaps,
    /// It is that one.
    Certain,
}

/// How well an abstract move fits an exact one.
pub fn fits(abstracted: &Move<Value>, exact: &Move) -> Fit {
    if abstracted.component != exact.component {
        return Fit::Not;
    }
    let value = |a: &Value, n: &agon_base::int::Int| match a.interval.as_point() {
        _ if !a.interval.contains(n) => Fit::Not,
        Some(_) => Fit::Certain,
        None => Fit::Perhaps,
    };
    let label = match (&abstracted.label, &exact.label) {
        (Label::Value(a), Label::Value(n)) | (Label::Write(a), Label::Write(n)) => value(a, n),
        (said, wanted) if said.says_what(wanted) => Fit::Certain,
        _ => Fit::Not,
    };
    let element = match (&abstracted.element, &exact.element) {
        (Some(a), Some(n)) => value(a, n),
        _ => Fit::Certain,
    };
    match (label, element) {
        (Fit::Not, _) | (_, Fit::Not) => Fit::Not,
        (Fit::Perhaps, _) | (_, Fit::Perhaps) => Fit::Perhaps,
        _ => Fit::Certain,
    }
}

/// The budget is checked once in this many moves.
const PATIENCE: u64 = 1 << 8;
/// Progress is reported once in this many.
const REPORT: u64 = 1 << 14;

impl Walk {
    /// A walk that has not begun.
    pub fn new(machine: Machine<Abstracted>) -> Walk {
        Walk {
            machine,
            known: FxHashMap::default(),
            edges: Vec::new(),
            by_part: FxHashMap::default(),
            played: 0,
            calls: Interner::default(),
        }
    }

    /// The step in which O's own move is the target.
    pub fn last_step(from: State, n: usize, code: u64, certain: bool) -> StepRef {
        StepRef { from, offer: small(n), code, edge: EdgeId(0), reaction: None, certain }
    }

    /// The reaction of a step, if it has one.
    pub fn reaction(&self, step: &StepRef) -> Option<&Reaction<Value>> {
        step.reaction.map(|n| &self.edges[step.edge.index()].reactions[n as usize])
    }

    /// The offer that a step takes, and the data of its move.
    pub fn asked(&self, step: &StepRef) -> (Offer<Value>, OfferData<Value>) {
        asked(&self.machine, step.from, step)
    }

    /// Makes a step again, in a machine that keeps causes: what P does, and what was undecided. Nothing, where O's own
    /// move is the target.
    pub fn again(
        &self,
        causes: &mut Machine<Abstracted>,
        state: State,
        step: &StepRef,
        budget: &Budget,
    ) -> Result<Option<Explained>, Reason> {
        let Some(told) = self.reaction(step) else { return Ok(None) };
        let (offer, data) = asked(causes, state, step);
        let mut reactions = Vec::new();
        causes.play_with(state, &offer, data, Some(&told.how.choices), &mut reactions, budget)?;
        let Some(reaction) = reactions.pop() else {
            return Err(Reason::Unverified("a play cannot be told again".into()));
        };
        let undecided = causes.domain_mut().take_doubts();
        let how = Outcomes { certain: told.how.certain, ..reaction.how };
        Ok(Some((Reaction { how, ..reaction }, undecided)))
    }

    /// Splits parts; whatever looked at one of them is forgotten.
    pub fn refine(&mut self, parts: &[PartRef], refine: impl FnOnce(&mut Abstracted)) {
        for part in parts {
            for id in self.by_part.remove(part).unwrap_or_default() {
                let edge = &mut self.edges[id.index()];
                // The place may have been played again since, as another edge.
                if self.known.get(&edge.key) == Some(&id) {
                    self.known.remove(&edge.key);
                }
                edge.reactions = Box::default();
            }
        }
        self.machine.refine(refine);
    }

    /// The steps that begin with a move of O's, one for each reaction of P's.
    pub fn steps(
        &mut self,
        state: State,
        (n, offer, code): (usize, &Offer<Value>, u64),
        budget: &Budget,
    ) -> Result<impl Iterator<Item = (StepRef, &Reaction<Value>)>, Stop> {
        let data = match offer.kind {
            OfferKind::Call => (self.calls.intern(self.parts(offer, code)), 0),
            _ => self.machine.domain().stable(offer, code),
        };
        let edge = self.edge((state, small(n), data), |machine, reactions| {
            machine.play(state, offer, code, reactions, budget)
        })?;
        Ok(self.steps_of(edge, code))
    }

    /// The steps that begin with the call of a procedure that is summarised.
    pub fn entered_steps(
        &mut self,
        state: State,
        (component, arguments): (ComponentId, &[Value]),
        budget: &Budget,
    ) -> Result<impl Iterator<Item = (StepRef, &Reaction<Value>)>, Stop> {
        let call = self.calls.intern(Call::Entered(component, arguments.into()));
        let edge = self.edge((state, ENTERED, (call, 0)), |machine, reactions| {
            machine.enter_summarised(state, (component, arguments), None, reactions, budget)
        })?;
        Ok(self.steps_of(edge, 0))
    }

    fn steps_of(&self, edge: EdgeId, code: u64) -> impl Iterator<Item = (StepRef, &Reaction<Value>)> {
        let Edge { key: (from, offer, _), reactions } = &self.edges[edge.index()];
        reactions.iter().enumerate().map(move |(m, reaction)| {
            let reacts = Some(number(m));
            let certain = reaction.how.certain;
            (StepRef { from: *from, offer: *offer, code, edge, reaction: reacts, certain }, reaction)
        })
    }

    /// The edge of a key, which is made for the first time if it is not known.
    fn edge(
        &mut self,
        key: Key,
        make: impl FnOnce(&mut Machine<Abstracted>, &mut Vec<Reaction<Value>>) -> Result<(), Stop>,
    ) -> Result<EdgeId, Stop> {
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        self.played += 1;
        let mut reactions = Vec::new();
        self.machine.domain_mut().take_touched();
        make(&mut self.machine, &mut reactions)?;
        let id = EdgeId::new(self.edges.len());
        for part in self.machine.domain_mut().take_touched() {
            self.by_part.entry(part).or_default().push(id);
        }
        self.edges.push(Edge { key, reactions: reactions.into() });
        self.known.insert(key, id);
        Ok(id)
    }

    /// The parts of the arguments of a call.
    fn parts(&self, offer: &Offer<Value>, code: u64) -> Call {
        let sites = &self.machine.domain().sites;
        let mut rest = code;
        let part = |id: &ComponentId| {
            let site = sites.site(sites.of_component(*id)?);
            let digit = rest % site.count() as u64;
            rest /= site.count() as u64;
            Some(site.nth(digit))
        };
        let arguments = &self.machine.arena().component(offer.component).arguments;
        Call::Played(arguments.iter().filter_map(part).collect())
    }

    /// The place of a value among those that may be given in a component.
    pub fn code_of(&self, component: ComponentId, value: &Value) -> u64 {
        let sites = &self.machine.domain().sites;
        sites.of_component(component).map_or(0, |id| sites.site(id).meets(&value.interval).0 as u64)
    }

    /// The memory that the tables take, in bytes.
    pub fn memory(&self) -> usize {
        self.machine.memory()
            + self.machine.domain().memory()
            + self.edges.capacity() * (size_of::<Edge>() + size_of::<Reaction<Value>>())
            + self.known.capacity() * size_of::<(Key, EdgeId)>()
    }

    /// A path to the target, if there is one. Records how far the search has come.
    pub fn candidate(
        &mut self,
        target: &Move,
        selection: Selection,
        budget: &Budget,
        progress: &mut Progress,
        observe: &mut Observer<'_>,
    ) -> Result<Option<Path>, Stop> {
        let begun = *progress;
        if selection == Selection::Shortest {
            // A path that is certain needs no refinement, however long it is [GC, §3 step 1].
            let found = self.search(target, (selection, true), budget, progress, observe)?;
            if found.is_some() {
                return Ok(found);
            }
            *progress = begun;
        }
        self.search(target, (selection, false), budget, progress, observe)
    }

    fn search(
        &mut self,
        target: &Move,
        (selection, certain_only): (Selection, bool),
        budget: &Budget,
        progress: &mut Progress,
        observe: &mut Observer<'_>,
    ) -> Result<Option<Path>, Stop> {
        let order = match selection {
            Selection::Precise => Order::DepthFirst,
            Selection::Shuffled(seed) => Order::Drawn(Random::new(seed)),
            Selection::Shortest | Selection::Coarsest => Order::Queue,
        };
        let mut exploration: Exploration<State, StepRef> = Exploration::new(self.machine.start(), order);
        let path = exploration.run(|exploration, state| {
            let (node, cost) = (exploration.node(), exploration.cost());
            let offers = self.machine.offers(state);
            for (n, offer) in offers.iter().enumerate() {
                for code in 0..=offer.last.unwrap_or(0) {
                    progress.transitions += 1;
                    if progress.transitions.is_multiple_of(PATIENCE) {
                        progress.states = exploration.visited();
                        progress.memory = self.memory() + exploration.memory();
                        progress.check(budget)?;
                        if progress.transitions.is_multiple_of(REPORT) {
                            observe((*progress).into());
                        }
                    }
                    if offer.component == target.component {
                        let asked = offer.at(self.machine.domain(), self.machine.arena(), code);
                        if fits(&asked, target) != Fit::Not {
                            // O can play any of the numbers, this one as well; but the element may be P's choice.
                            let sure =
                                offer.element.as_ref().is_none_or(|at| at.interval.as_point().is_some());
                            if sure || !certain_only {
                                let about = offer.element.as_ref().filter(|_| !sure);
                                let cost = next_key(selection, cost, sure, about);
                                exploration.add(node, cost, Walk::last_step(state, n, code, sure), None);
                            }
                            if sure {
                                continue;
                            }
                        }
                    }
                    for (step, reaction) in self.steps(state, (n, offer, code), budget)? {
                        let fit = fits(&reaction.label, target);
                        let next = match (fit, reaction.next) {
                            (Fit::Not, None) => continue,
                            (Fit::Not, next) => next,
                            _ => None,
                        };
                        let certain = reaction.how.certain && fit != Fit::Perhaps;
                        if certain || !certain_only {
                            let cost = next_key(selection, cost, certain, reaction.how.marker.as_ref());
                            exploration.add(node, cost, StepRef { certain, ..step }, next);
                        }
                    }
                }
            }
            Ok(())
        })?;
        progress.states = exploration.visited();
        Ok(path.map(|steps| Path { steps }))
    }
}

/// The offer that a step takes at a position, and the data of its move.
fn asked(machine: &Machine<Abstracted>, state: State, step: &StepRef) -> (Offer<Value>, OfferData<Value>) {
    let offer = machine.offers(state)[usize::from(step.offer)].clone();
    let data = offer.parts(machine.domain(), machine.arena(), step.code);
    (offer, data)
}

/// The place of what follows a position in the order of the search.
pub(crate) fn next_key(selection: Selection, key: u64, sure: bool, about: Option<&Value>) -> u64 {
    match selection {
        Selection::Precise | Selection::Shuffled(_) => key + u64::from(!sure),
        Selection::Shortest => key + 1,
        Selection::Coarsest if key > 0 || sure => key,
        Selection::Coarsest => 1 + about.map_or(0, |about| rank(&about.interval)),
    }
}
