//! Tabulation: what may happen between two moves of a pending call is found once, for all calls around it.
//!
//! A nested call does not see its callers. So the environment's *turn*, which begins when a function of its own is called, needs
//! only the cells of the module at its beginning and what may be called meanwhile, and so does an *activation*. The tables say which cells a turn can come to,
//! where an activation can wait, and with which cells it can end. They are filled in the order of the lengths of plays
//! [Reps, Horwitz, Sagiv 1995; weighted pushdown systems], so the first failure is the end of a shortest play.

use std::hash::Hash;
use std::rc::Rc;

use agon_base::budget::Stop;
use agon_base::explore::{Exploration, NodeId, Order};
use agon_base::intern::Interner;
use agon_core::module::Allowed;
use agon_games::arena::ComponentId;
use agon_games::machine::State;
use rustc_hash::FxHashMap;

use super::rows::is_safe;

/// What a run of the module comes to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Arrival<V, S = State> {
    /// The activation waits for the environment.
    Waits(S),
    /// It waits for a procedure that is summarised, called with these arguments.
    Calls(S, ComponentId, Box<[V]>),
    /// It is over, with a value if it has one.
    Returns(S, Option<V>),
    /// The module fails.
    Fails,
}

/// A run of the module, from what begins it to its end.
#[derive(Clone, Debug)]
pub struct Run<V, L, S = State> {
    /// What it comes to.
    pub end: Arrival<V, S>,
    /// What it costs, beside the move that begins it.
    pub extra: u64,
    /// How it is made again.
    pub link: L,
}

/// Runs that were made.
pub type Made<R> = Rc<[Run<<R as Runs>::Value, <R as Runs>::Link, <R as Runs>::State>]>;

/// Runs of a module, cut at the activation.
pub trait Runs {
    /// Values.
    type Value: Clone + Eq + Hash;
    /// How a run is made again.
    type Link: Clone;
    /// Positions: an activation that waits, or none, and what the cells of the module hold.
    type State: Copy + Eq + Hash;
    /// What the cells of the module hold.
    type Globals: Copy + Eq + Hash;

    /// The position before the first move.
    fn start(&mut self) -> Self::State;
    /// What the cells of the module hold at a position: where a turn of the environment's or a call begins, or where a call has ended
    /// that was made at a turn with other cells.
    fn globals(&mut self, turn: Option<Self::Globals>, at: Self::State) -> Self::Globals;
    /// What the cells hold at a turn, as a call begins with it: what is known of the turn so far is left out.
    fn entry(&mut self, now: Self::Globals) -> Self::Globals {
        now
    }
    /// The same activation, with the cells of the module as they are at the end of a turn.
    fn with_globals(&mut self, at: Self::State, globals: Self::Globals) -> Self::State;
    /// What the environment may call while an activation waits for it; nothing if it may call nothing.
    fn allowed(&mut self, at: Self::State) -> Option<Allowed>;
    /// The runs that begin with a call of the environment's, at a turn at which it may call this.
    fn called(&mut self, globals: Self::Globals, allowed: Allowed) -> Result<Made<Self>, Stop>;
    /// The runs that begin with an answer of the environment's to an activation.
    fn answered(&mut self, at: Self::State) -> Result<Made<Self>, Stop>;
    /// The runs of a procedure that is summarised, from its call.
    fn entered(
        &mut self,
        globals: Self::Globals,
        component: ComponentId,
        arguments: &[Self::Value],
    ) -> Result<Made<Self>, Stop>;
    /// The runs from the end of such a procedure, with its value.
    fn resumed(&mut self, at: Self::State, value: Option<&Self::Value>) -> Result<Made<Self>, Stop>;
    /// A run was used; an error ends the search.
    fn watch(&mut self, figures: Figures) -> Result<(), Stop>;
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// The members of the tables.
    pub members: usize,
    /// The edges between them.
    pub edges: u64,
    /// The memory of the tables, in bytes.
    pub memory: usize,
}

/// Who began an activation.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Caller<V> {
    /// The environment, at a turn at which it may call this.
    Environment(Allowed),
    /// The module: a procedure that is summarised, with arguments.
    Module(ComponentId, Box<[V]>),
}

/// What an activation began with: the cells of the module, and who began it.
pub type Origin<R> = (<R as Runs>::Globals, Caller<<R as Runs>::Value>);

agon_base::id! {
    /// An [`Origin`].
    OriginId;
}

/// A member of a table.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Item<V, S, G> {
    /// In a turn that began like this, the environment is to move with these cells.
    Turn(Begin<G>, G),
    /// An activation waits for the environment.
    Waits(OriginId, S),
    /// An activation waits for a procedure.
    Calls(OriginId, S, OriginId),
    /// An activation is over.
    Over(OriginId, S, Option<V>),
}

/// How a turn began: with the cells of the module, and what the environment may call.
type Begin<G> = (G, Allowed);

/// What leads to a member.
#[derive(Clone)]
enum By<L> {
    /// A turn begins.
    Begins,
    /// An activation begins with a run.
    Run(L),
    /// The environment has made a whole call, which ended at a node.
    Call(NodeId),
    /// The turn that has come to a node ends with an answer, and a run follows.
    Answer(NodeId, L),
    /// The environment, which may call nothing, answers at once, and a run follows.
    Leaf(L),
    /// A procedure ended at a node, and a run follows.
    Resume(NodeId, L),
}

struct Turn<S, G> {
    /// The length of the shortest play to it.
    begins: u64,
    members: Vec<(NodeId, G, u64)>,
    waiting: Vec<(NodeId, OriginId, S, u64)>,
}

impl<S, G> Turn<S, G> {
    fn new(begins: u64) -> Turn<S, G> {
        Turn { begins, members: Vec::new(), waiting: Vec::new() }
    }
}

struct Activation<V, S, G> {
    begins: u64,
    /// What goes on when it is over: turns, or activations of the module.
    turns: Vec<(NodeId, Begin<G>, G, u64)>,
    callers: Vec<(NodeId, OriginId, S, u64)>,
    over: Vec<(NodeId, S, Option<V>, u64)>,
}

impl<V, S, G> Default for Activation<V, S, G> {
    fn default() -> Activation<V, S, G> {
        Activation { begins: 0, turns: Vec::new(), callers: Vec::new(), over: Vec::new() }
    }
}

/// What a search comes to.
pub struct Found<L> {
    /// The runs of a shortest play that fails, in their order; none if no play does.
    pub failure: Option<Vec<L>>,
    /// How far it came.
    pub figures: Figures,
}

/// Looks for a shortest play that fails.
pub fn tabulate<R: Runs>(runs: &mut R) -> Result<Found<R::Link>, Stop> {
    search(runs, u64::MAX).map_err(|(stop, _)| stop)
}

/// Whether a play fails, and which. A shortest one is looked for first. If that takes more edges than `few`, a proof may take
/// fewer; only if there is none, the search goes to its end.
pub fn decide<R: Runs>(runs: &mut R, few: u64) -> Result<Found<R::Link>, Stop> {
    match search(runs, few) {
        Ok(found) => return Ok(found),
        Err((stop, false)) => return Err(stop),
        Err((_, true)) => {}
    }
    match is_safe(runs)? {
        (true, figures) => Ok(Found { failure: None, figures }),
        (false, _) => tabulate(runs),
    }
}

/// Looks for a shortest play that fails, with at most this many edges. If it was stopped, says whether there were more.
fn search<R: Runs>(runs: &mut R, most: u64) -> Result<Found<R::Link>, (Stop, bool)> {
    let start = runs.start();
    let globals = runs.globals(None, start);
    let begin = (globals, Allowed::default());
    let exploration = Exploration::new(Item::Turn(begin, globals), Order::Queue);
    let mut tables = Tables {
        runs,
        origins: Interner::default(),
        turns: FxHashMap::default(),
        activations: Vec::new(),
        figures: Figures::default(),
        most,
    };
    tables.turns.insert(begin, Turn::new(0));
    let found = tables.search(exploration);
    found.map_err(|stop| (stop, tables.figures.edges > most))
}

struct Tables<'a, R: Runs> {
    runs: &'a mut R,
    origins: Interner<Origin<R>, OriginId>,
    turns: FxHashMap<Begin<R::Globals>, TurnOf<R>>,
    /// By the number of the origin.
    activations: Vec<Activation<R::Value, R::State, R::Globals>>,
    figures: Figures,
    /// The search ends with more edges than this.
    most: u64,
}

type TurnOf<R> = Turn<<R as Runs>::State, <R as Runs>::Globals>;
type ItemOf<R> = Item<<R as Runs>::Value, <R as Runs>::State, <R as Runs>::Globals>;
type Search<R> = Exploration<ItemOf<R>, By<<R as Runs>::Link>>;

impl<R: Runs> Tables<'_, R> {
    fn search(&mut self, mut exploration: Search<R>) -> Result<Found<R::Link>, Stop> {
        let path = exploration.run(|exploration, item| {
            self.figures.members = exploration.visited();
            match item {
                Item::Turn(from, at) => self.turn(exploration, from, at),
                Item::Waits(origin, at) => self.waits(exploration, origin, at),
                Item::Calls(origin, at, callee) => self.calls(exploration, origin, at, callee),
                Item::Over(origin, at, value) => self.over(exploration, origin, at, value),
            }
        })?;
        let failure = path.map(|path| {
            let mut links = Vec::new();
            for by in &path {
                expand(&exploration, by, &mut links);
            }
            links
        });
        Ok(Found { failure, figures: self.figures })
    }

    fn edge(&mut self, exploration: &Search<R>) -> Result<(), Stop> {
        self.figures.edges += 1;
        if self.figures.edges > self.most {
            return Err(Stop::Transitions);
        }
        self.figures.memory = exploration.memory() + exploration.visited() * size_of::<ItemOf<R>>();
        self.runs.watch(self.figures)
    }

    /// The number of an origin, and whether it is new.
    fn origin(&mut self, origin: Origin<R>) -> (OriginId, bool) {
        let (id, new) = self.origins.insert(origin);
        if new {
            self.activations.push(Activation::default());
        }
        (id, new)
    }

    /// What follows runs of an activation.
    fn follow(
        &mut self,
        exploration: &mut Search<R>,
        (from, cost, origin): (NodeId, u64, OriginId),
        runs: &[Run<R::Value, R::Link, R::State>],
        by: impl Fn(R::Link) -> By<R::Link>,
    ) -> Result<(), Stop> {
        for run in runs {
            self.edge(exploration)?;
            let item = match &run.end {
                Arrival::Fails => None,
                Arrival::Waits(at) => Some(Item::Waits(origin, *at)),
                Arrival::Returns(at, value) => Some(Item::Over(origin, *at, value.clone())),
                Arrival::Calls(at, component, arguments) => {
                    let globals = self.runs.globals(None, *at);
                    let called = Caller::Module(*component, arguments.clone());
                    let (callee, _) = self.origin((globals, called));
                    Some(Item::Calls(origin, *at, callee))
                }
            };
            exploration.add(from, cost + run.extra, by(run.link.clone()), item);
        }
        Ok(())
    }

    fn turn(
        &mut self,
        exploration: &mut Search<R>,
        from: Begin<R::Globals>,
        at: R::Globals,
    ) -> Result<(), Stop> {
        let (node, cost) = (exploration.node(), exploration.cost());
        let entry = self.runs.entry(at);
        let (origin, new) = self.origin((entry, Caller::Environment(from.1)));
        if new {
            self.activations[origin.index()].begins = cost;
            let runs = self.runs.called(entry, from.1)?;
            self.follow(exploration, (node, cost + 1, origin), &runs, By::Run)?;
        }
        let activation = &mut self.activations[origin.index()];
        activation.turns.push((node, from, at, cost));
        let begins = activation.begins;
        for n in 0..activation.over.len() {
            let (over, state, _, ended) = self.activations[origin.index()].over[n];
            self.edge(exploration)?;
            let item = Item::Turn(from, self.runs.globals(Some(at), state));
            exploration.add(node, cost + (ended - begins), By::Call(over), Some(item));
        }
        let turn = self.turns.entry(from).or_insert_with(|| Turn::new(cost));
        turn.members.push((node, at, cost));
        let begins = turn.begins;
        for n in 0..turn.waiting.len() {
            let (waits, origin, state, began) = self.turns[&from].waiting[n];
            self.answer(exploration, (waits, origin, state), (node, at), began + (cost - begins))?;
        }
        Ok(())
    }

    /// A turn that has come to a node ends with an answer to an activation.
    fn answer(
        &mut self,
        exploration: &mut Search<R>,
        (waits, origin, state): (NodeId, OriginId, R::State),
        (turn, at): (NodeId, R::Globals),
        cost: u64,
    ) -> Result<(), Stop> {
        let state = self.runs.with_globals(state, at);
        let runs = self.runs.answered(state)?;
        self.follow(exploration, (waits, cost + 1, origin), &runs, |link| By::Answer(turn, link))
    }

    fn waits(&mut self, exploration: &mut Search<R>, origin: OriginId, at: R::State) -> Result<(), Stop> {
        let (node, cost) = (exploration.node(), exploration.cost());
        let Some(allowed) = self.runs.allowed(at) else {
            let runs = self.runs.answered(at)?;
            return self.follow(exploration, (node, cost + 1, origin), &runs, By::Leaf);
        };
        let globals = self.runs.globals(None, at);
        let begin = (globals, allowed);
        let turn = self.turns.entry(begin).or_insert_with(|| {
            exploration.add(node, cost, By::Begins, Some(Item::Turn(begin, globals)));
            Turn::new(cost)
        });
        turn.waiting.push((node, origin, at, cost));
        let begins = turn.begins;
        for n in 0..turn.members.len() {
            let (member, now, came) = self.turns[&begin].members[n];
            self.answer(exploration, (node, origin, at), (member, now), cost + (came - begins))?;
        }
        Ok(())
    }

    fn calls(
        &mut self,
        exploration: &mut Search<R>,
        origin: OriginId,
        at: R::State,
        callee: OriginId,
    ) -> Result<(), Stop> {
        let (node, cost) = (exploration.node(), exploration.cost());
        let activation = &mut self.activations[callee.index()];
        if activation.callers.is_empty() {
            activation.begins = cost;
            let (globals, called) = self.origins.get(callee).clone();
            if let Caller::Module(component, arguments) = called {
                let runs = self.runs.entered(globals, component, &arguments)?;
                self.follow(exploration, (node, cost, callee), &runs, By::Run)?;
            }
        }
        let activation = &mut self.activations[callee.index()];
        activation.callers.push((node, origin, at, cost));
        let begins = activation.begins;
        for n in 0..activation.over.len() {
            let (over, state, value, ended) = self.activations[callee.index()].over[n].clone();
            self.resume(exploration, (node, origin, at), (over, state, value), cost + (ended - begins))?;
        }
        Ok(())
    }

    /// A procedure has ended at a node, and its caller goes on.
    fn resume(
        &mut self,
        exploration: &mut Search<R>,
        (caller, origin, at): (NodeId, OriginId, R::State),
        (over, ended, value): (NodeId, R::State, Option<R::Value>),
        cost: u64,
    ) -> Result<(), Stop> {
        let globals = self.runs.globals(None, ended);
        let state = self.runs.with_globals(at, globals);
        let runs = self.runs.resumed(state, value.as_ref())?;
        self.follow(exploration, (caller, cost, origin), &runs, |link| By::Resume(over, link))
    }

    fn over(
        &mut self,
        exploration: &mut Search<R>,
        origin: OriginId,
        at: R::State,
        value: Option<R::Value>,
    ) -> Result<(), Stop> {
        let (node, cost) = (exploration.node(), exploration.cost());
        let activation = &mut self.activations[origin.index()];
        activation.over.push((node, at, value.clone(), cost));
        let begins = activation.begins;
        let (turns, callers) = (activation.turns.clone(), activation.callers.clone());
        for (turn, from, now, began) in turns {
            self.edge(exploration)?;
            let item = Item::Turn(from, self.runs.globals(Some(now), at));
            exploration.add(turn, began + (cost - begins), By::Call(node), Some(item));
        }
        for (caller, origin, state, began) in callers {
            let ended = (node, at, value.clone());
            self.resume(exploration, (caller, origin, state), ended, began + (cost - begins))?;
        }
        Ok(())
    }
}

/// Adds the runs of a step of the tables.
fn expand<I: Clone + Eq + Hash, L: Clone>(
    exploration: &Exploration<I, By<L>>,
    by: &By<L>,
    links: &mut Vec<L>,
) {
    match by {
        By::Begins => {}
        By::Run(link) | By::Leaf(link) => links.push(link.clone()),
        By::Call(over) => since(exploration, *over, links),
        By::Answer(node, link) | By::Resume(node, link) => {
            since(exploration, *node, links);
            links.push(link.clone());
        }
    }
}

/// Adds the runs since the activation or the turn of a node began.
fn since<I: Clone + Eq + Hash, L: Clone>(
    exploration: &Exploration<I, By<L>>,
    node: NodeId,
    links: &mut Vec<L>,
) {
    stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || {
        let mut steps = Vec::new();
        let mut at = node;
        while let Some((before, by)) = exploration.before(at) {
            steps.push(by);
            if matches!(by, By::Begins | By::Run(_)) {
                break;
            }
            at = before;
        }
        for by in steps.into_iter().rev() {
            expand(exploration, by, links);
        }
    });
}
