//! Runs of a module, each written down with the move that is seen of it.

use std::collections::BTreeMap;

use agon_base::budget::{Budget, Stop};
use agon_base::id::number;
use agon_base::int::Int;
use agon_base::intern::Interner;
use agon_base::source::Span;
use agon_core::module::play::Move;
use agon_core::module::{Allowed, Function};
use agon_games::arena::ComponentId;
use agon_games::machine::{Globals, Offer, Reaction, State, Waiting};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Given, Reply};
use crate::modules::Compiled;
use crate::modules::exact::{ExactRuns, end_of};
use crate::modules::tabulate::{Arrival, Figures, Made, Run, Runs};

/// If the environment may give more values than this in one move, there is no model.
const MOST_VALUES: u64 = 1 << 16;
/// The budget is checked once in this many runs.
const PATIENCE: u64 = 1 << 10;

/// What a run comes to.
#[derive(Clone)]
enum Raw {
    /// Something that is seen, or the end of the activation.
    Seen(Reply<Waiting, Globals>),
    /// A procedure that is summarised is called where an activation waits.
    Calls(State, ComponentId, Box<[Int]>),
}

/// Moves of the environment's, and what follows each.
type Answers = Vec<(Move, Raw)>;

/// A call that is summarised: the cells of the module, the procedure and the arguments.
type Call = (Globals, ComponentId, Box<[Int]>);

/// The runs of a module, which are written down.
pub(super) struct Recorded<'a, 'b> {
    pub(super) runs: ExactRuns<'a, 'b>,
    compiled: &'a Compiled,
    /// The positions at which the environment was to move, and what follows each of its moves, by the places of the offers.
    positions: Interner<State>,
    played: Vec<BTreeMap<usize, (Answers, Made<Self>)>>,
    /// What follows the end of a procedure that is summarised.
    returns: Interner<(State, Option<Int>)>,
    resumed: Vec<Raw>,
    /// What follows the call of one.
    entered: FxHashMap<Call, Raw>,
    /// What activations wait for, and where they called it.
    waits: FxHashMap<Waiting, (Function, Option<Span>)>,
    budget: &'a Budget,
}

/// The edges of a module's model before equal states are made one. The first store is that before the first move.
pub(super) struct Resolved {
    pub(super) stores: Interner<Globals>,
    pub(super) activations: Interner<Waiting>,
    /// For each activation what it waits for, where it called that, and a position at which it waits.
    pub(super) waits: Vec<(Function, Option<Span>, State)>,
    pub(super) edges: Vec<RawEdge>,
}

/// An edge, with the numbers of activations and stores.
pub(super) struct RawEdge {
    pub(super) waits: Option<u32>,
    pub(super) store: u32,
    pub(super) given: Given,
    pub(super) reply: Reply<u32, u32>,
}

impl<'a, 'b> Recorded<'a, 'b> {
    /// No run yet.
    pub(super) fn new(runs: ExactRuns<'a, 'b>, compiled: &'a Compiled, budget: &'a Budget) -> Self {
        Recorded {
            runs,
            compiled,
            positions: Interner::default(),
            played: Vec::new(),
            returns: Interner::default(),
            resumed: Vec::new(),
            entered: FxHashMap::default(),
            waits: FxHashMap::default(),
            budget,
        }
    }

    /// Writes down what a run comes to, and says how the search goes on, if it does.
    fn note(&mut self, reaction: Option<Reaction<Int>>) -> (Raw, Option<Run<Int, ()>>) {
        let Some(reaction) = reaction else { return (Raw::Seen(Reply::Diverges), None) };
        let label = reaction.label.clone();
        let silent = self.compiled.is_silent(label.component);
        let span = reaction.origin.span(self.runs.machine.code());
        let seen = self.compiled.as_played(&label).expect("it is a move of a module");
        let end = end_of(&self.compiled.roles, reaction);
        let raw = match &end {
            None | Some(Arrival::Fails) => Reply::Stops(seen),
            Some(Arrival::Waits(at) | Arrival::Calls(at, ..)) => {
                let (waiting, globals) = self.runs.machine.split(*at);
                let name = label.element.as_ref();
                let function = self.compiled.roles.function(&self.compiled.module, label.component, name);
                if let (Some(waiting), Some(function)) = (waiting, function) {
                    self.waits.insert(waiting, (function, span));
                }
                if let Some(Arrival::Calls(at, component, arguments)) = end {
                    let run = Arrival::Calls(at, component, arguments.clone());
                    return (
                        Raw::Calls(at, component, arguments),
                        Some(Run { end: run, extra: 0, link: () }),
                    );
                }
                Reply::Moves(seen, waiting.into_iter().collect(), globals)
            }
            Some(Arrival::Returns(at, _)) => {
                let (_, globals) = self.runs.machine.split(*at);
                match seen {
                    Move::Return(value) if silent => Reply::Ends(value, globals),
                    seen => Reply::Moves(seen, Vec::new(), globals),
                }
            }
        };
        let end = end.filter(|end| !matches!(end, Arrival::Fails));
        (Raw::Seen(raw), end.map(|end| Run { end, extra: 0, link: () }))
    }

    /// The edges of all that was written down, without the calls that nobody sees.
    pub(super) fn resolved(&mut self) -> Result<Resolved, Stop> {
        let mut resolved = Resolved {
            stores: Interner::default(),
            activations: Interner::default(),
            waits: Vec::new(),
            edges: Vec::new(),
        };
        let start = self.runs.start();
        let start = self.runs.globals(None, start);
        resolved.stores.intern(start);
        let mut resolver = Resolver { recorded: self, outcomes: FxHashMap::default() };
        for n in 0..resolver.recorded.played.len() {
            resolver.recorded.budget.check()?;
            let at = *resolver.recorded.positions.get(number(n));
            let answers = std::mem::take(&mut resolver.recorded.played[n]);
            for (played, raw) in answers.into_values().flat_map(|(answers, _)| answers) {
                let reply = resolver.reply(raw)?;
                resolver.recorded.add(&mut resolved, at, Given::Moves(played), reply);
            }
        }
        let mut ends = Vec::new();
        for n in 0..resolver.recorded.resumed.len() {
            let (at, value) = resolver.recorded.returns.get(number(n)).clone();
            let raw = resolver.recorded.resumed[n].clone();
            ends.push((at, value, resolver.reply(raw)?));
        }
        // Where a call returned before anything was seen, nothing waits for it.
        let mut seen: FxHashSet<Waiting> = resolved.activations.as_slice().iter().copied().collect();
        let mut over: FxHashSet<(Globals, Option<Int>)> = FxHashSet::default();
        for reply in ends.iter().map(|(_, _, reply)| reply) {
            match reply {
                Reply::Moves(_, opens, _) => seen.extend(opens),
                Reply::Ends(value, globals) => _ = over.insert((*globals, value.clone())),
                Reply::Stops(_) | Reply::Diverges => {}
            }
        }
        for edge in &resolved.edges {
            if let Reply::Ends(value, store) = &edge.reply {
                over.insert((*resolved.stores.get(*store), value.clone()));
            }
        }
        for (at, value, reply) in ends {
            let (waiting, globals) = self.runs.machine.split(at);
            if waiting.is_some_and(|waiting| seen.contains(&waiting))
                && over.contains(&(globals, value.clone()))
            {
                self.add(&mut resolved, at, Given::Ended(value), reply);
            }
        }
        Ok(resolved)
    }

    /// Adds an edge.
    fn add(&mut self, resolved: &mut Resolved, at: State, given: Given, reply: Reply<Waiting, Globals>) {
        let (waiting, globals) = self.runs.machine.split(at);
        let mut number = |waiting: Waiting, globals: Globals| {
            let (id, new) = resolved.activations.insert(waiting);
            if new {
                let (function, span) = self.waits[&waiting];
                resolved.waits.push((function, span, self.runs.machine.join(Some(waiting), globals)));
            }
            id
        };
        let waits = waiting.map(|waiting| number(waiting, globals));
        let store = resolved.stores.intern(globals);
        let reply = match reply {
            Reply::Moves(played, opens, globals) => {
                let opens = opens.into_iter().map(|waiting| number(waiting, globals)).collect();
                Reply::Moves(played, opens, resolved.stores.intern(globals))
            }
            Reply::Ends(value, globals) => Reply::Ends(value, resolved.stores.intern(globals)),
            Reply::Stops(played) => Reply::Stops(played),
            Reply::Diverges => Reply::Diverges,
        };
        resolved.edges.push(RawEdge { waits, store, given, reply });
    }
}

impl Recorded<'_, '_> {
    /// The runs that begin with a move of the environment's: a call of what is allowed, or an answer.
    fn played(&mut self, at: State, calls: Option<Allowed>) -> Result<Made<Self>, Stop> {
        let (id, new) = self.positions.insert(at);
        if new {
            self.played.push(BTreeMap::new());
        }
        let (mut runs, mut seen) = (Vec::new(), FxHashSet::default());
        for (n, offer) in self.runs.machine.offers(at).iter().enumerate() {
            if calls.is_some_and(|allowed| !self.runs.machine.allows(allowed, offer.component)) {
                continue;
            }
            if !self.played[id as usize].contains_key(&n) {
                let made = self.each(at, offer)?;
                self.played[id as usize].insert(n, made);
            }
            let (_, made) = &self.played[id as usize][&n];
            runs.extend(made.iter().filter(|run| seen.insert(run.end.clone())).cloned());
        }
        Ok(runs.into())
    }

    /// What follows each move of an offer, and the runs that are different.
    fn each(&mut self, at: State, offer: &Offer<Int>) -> Result<(Answers, Made<Self>), Stop> {
        let (mut noted, mut runs, mut seen) = (Vec::new(), Vec::new(), FxHashSet::default());
        let mut reactions = Vec::new();
        let last = offer.last.filter(|last| *last < MOST_VALUES);
        for code in 0..=last.ok_or(Stop::Unbounded(offer.component))? {
            self.runs.made += 1;
            if self.runs.made.is_multiple_of(PATIENCE) {
                self.budget.check()?;
            }
            let machine = &mut self.runs.machine;
            let data = offer.parts(machine.domain(), machine.arena(), code);
            if !machine.knows(at, offer, &data) {
                continue;
            }
            machine.play_with(at, offer, data.clone(), None, &mut reactions, self.budget)?;
            let (raw, run) = self.note(reactions.pop());
            let played = self.compiled.as_played(&offer.with(data)).expect("it is a move of a module");
            noted.push((played, raw));
            runs.extend(run.filter(|run| seen.insert(run.end.clone())));
        }
        Ok((noted, runs.into()))
    }
}

impl Runs for Recorded<'_, '_> {
    type Value = Int;
    type Link = ();
    type State = State;
    type Globals = Globals;

    fn start(&mut self) -> State {
        self.runs.start()
    }

    fn globals(&mut self, turn: Option<Globals>, at: State) -> Globals {
        self.runs.globals(turn, at)
    }

    fn with_globals(&mut self, at: State, globals: Globals) -> State {
        self.runs.with_globals(at, globals)
    }

    fn allowed(&mut self, at: State) -> Option<Allowed> {
        self.runs.allowed(at)
    }

    fn called(&mut self, globals: Globals, allowed: Allowed) -> Result<Made<Self>, Stop> {
        let at = self.runs.machine.join(None, globals);
        self.played(at, Some(allowed))
    }

    fn answered(&mut self, at: State) -> Result<Made<Self>, Stop> {
        self.played(at, None)
    }

    fn entered(
        &mut self,
        globals: Globals,
        component: ComponentId,
        arguments: &[Int],
    ) -> Result<Made<Self>, Stop> {
        let reaction = self.runs.enter(globals, component, arguments)?.pop();
        let (raw, run) = self.note(reaction);
        self.entered.insert((globals, component, arguments.into()), raw);
        Ok(run.into_iter().collect())
    }

    fn resumed(&mut self, at: State, value: Option<&Int>) -> Result<Made<Self>, Stop> {
        let reaction = self.runs.resume(at, value)?.pop();
        let (raw, run) = self.note(reaction);
        if self.returns.insert((at, value.cloned())).1 {
            self.resumed.push(raw);
        }
        Ok(run.into_iter().collect())
    }

    fn watch(&mut self, figures: Figures) -> Result<(), Stop> {
        self.runs.watch(figures)
    }
}

/// Makes calls that nobody sees part of the runs around them.
struct Resolver<'r, 'a, 'b> {
    recorded: &'r mut Recorded<'a, 'b>,
    /// What calls come to; nothing is known of those that are not over.
    outcomes: FxHashMap<Call, Option<Reply<Waiting, Globals>>>,
}

impl Resolver<'_, '_, '_> {
    /// What a run comes to that is seen, or that ends the activation.
    fn reply(&mut self, mut raw: Raw) -> Result<Reply<Waiting, Globals>, Stop> {
        let mut passed = FxHashSet::default();
        loop {
            let (at, component, arguments) = match raw {
                Raw::Seen(reply) => return Ok(reply),
                Raw::Calls(at, component, arguments) => (at, component, arguments),
            };
            self.recorded.budget.check()?;
            // The same call at the same position: this goes on for ever.
            if !passed.insert((at, component, arguments.clone())) {
                return Ok(Reply::Diverges);
            }
            let (waiting, globals) = self.recorded.runs.machine.split(at);
            match self.outcome((globals, component, arguments))? {
                Reply::Moves(played, opens, globals) => {
                    let opens = waiting.into_iter().chain(opens).collect();
                    return Ok(Reply::Moves(played, opens, globals));
                }
                Reply::Ends(value, globals) => {
                    let at = self.recorded.runs.with_globals(at, globals);
                    let known = self.recorded.returns.find(&(at, value)).expect("its end was followed");
                    raw = self.recorded.resumed[known as usize].clone();
                }
                reply @ (Reply::Stops(_) | Reply::Diverges) => return Ok(reply),
            }
        }
    }

    /// What a call of a procedure that is summarised comes to. One that needs its own outcome first never ends.
    fn outcome(&mut self, call: Call) -> Result<Reply<Waiting, Globals>, Stop> {
        if let Some(known) = self.outcomes.get(&call) {
            return Ok(known.clone().unwrap_or(Reply::Diverges));
        }
        let raw = self.recorded.entered.get(&call).expect("its call was followed").clone();
        self.outcomes.insert(call.clone(), None);
        let reply = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.reply(raw))?;
        self.outcomes.insert(call, Some(reply.clone()));
        Ok(reply)
    }
}
