//! The naive tables: what can happen during one turn of the environment, and during one call, at any nesting.
//!
//! A nested call does not see who called, so no table stores a stack. `Turn(G0, A)` has the states of the module's own cells
//! at which the environment may be to move after a call of its functions began in the state G0, that call still open, where A is what
//! the environment may call meanwhile. `Act(o)` is about calls with the origin o: a call by the environment, of what it may call at
//! its turn, that began in a state, or a call by the module of a procedure that may call itself, with its arguments. It has the places at which such a call waits, and the states in which it ends. All keep
//! the length of a shortest play to each member, and are closed under the moves until nothing changes.

use std::collections::{BTreeMap, BTreeSet};

use agon_base::budget::Budget;
use agon_base::int::Int;

use super::inputs::Inputs;
use super::play::Move;
use super::run::{Caller, Frame, Position, Reply};
use super::{Allowed, Liveness, Module, ProcedureId, Store};

/// The state of a module apart from its activations: its cells, and which private procedures have escaped.
type State = (Store, BTreeSet<ProcedureId>);

/// A procedure with its arguments.
type Called = (ProcedureId, Vec<Int>);

/// Who calls: the environment, at a turn with what it may call, or the module, one procedure.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    Environment(Allowed),
    Module(Called),
}

/// Where calls begin.
type Origin = (By, State);

/// Where a turn of the environment's begins, and what it may call.
type Begin = (Allowed, State);

/// What is known of the calls of one origin, each member with the moves since the call began.
#[derive(Default, Clone, PartialEq)]
struct Calls {
    /// Activations that wait for a function of the environment's.
    outside: BTreeMap<(Vec<Frame>, State), usize>,
    /// Activations that wait for a procedure that may call itself. The environment cannot move there.
    inside: BTreeMap<(Vec<Frame>, Called, State), usize>,
    /// How the calls end. The environment's calls are all one, so their values do not count.
    ends: BTreeMap<(State, Option<Int>), usize>,
    fails: Option<usize>,
}

/// What the tables say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// No play fails, at any nesting.
    Safe,
    /// A shortest play that fails has this many moves.
    Fails(usize),
    /// The tables became too large, or a reply took too many steps.
    Unknown,
}

type Turns = BTreeMap<Begin, BTreeMap<State, usize>>;

struct Tables<'a> {
    module: &'a Module,
    inputs: &'a Inputs,
    /// The procedures that may call themselves: there the stack is cut.
    cut: BTreeSet<ProcedureId>,
    liveness: Liveness,
    steps: u64,
    budget: &'a Budget,
    turns: Turns,
    calls: BTreeMap<Origin, Calls>,
}

/// Fills the tables of a module: at most this many members in all, and this many steps for each reply.
pub fn tabulate(module: &Module, inputs: &Inputs, most: usize, steps: u64) -> Answer {
    tabulate_within(module, inputs, most, steps, &Budget::default())
}

/// The same within a budget; there is no answer if it is exhausted.
pub fn tabulate_within(module: &Module, inputs: &Inputs, most: usize, steps: u64, budget: &Budget) -> Answer {
    let start = State::default();
    let mut tables = Tables {
        module,
        inputs,
        cut: module.recursive(),
        liveness: Liveness::of(module),
        steps,
        budget,
        turns: Turns::from([((Allowed::default(), start.clone()), BTreeMap::from([(start, 0)]))]),
        calls: BTreeMap::new(),
    };
    loop {
        let before = (tables.turns.clone(), tables.calls.clone());
        if tables.round().is_none() {
            return Answer::Unknown;
        }
        let members = |calls: &Calls| calls.outside.len() + calls.inside.len();
        let size = tables.turns.values().map(BTreeMap::len).sum::<usize>();
        if size + tables.calls.values().map(members).sum::<usize>() > most {
            return Answer::Unknown;
        }
        if before.0 == tables.turns && before.1 == tables.calls {
            return tables.shortest();
        }
    }
}

impl Tables<'_> {
    /// Adds what follows from what is there in one step. Nothing if a reply took too many steps.
    fn round(&mut self) -> Option<()> {
        let members = self.turns.iter().flat_map(|((allowed, _), turn)| turn.keys().map(|at| (*allowed, at)));
        let turns: BTreeSet<Begin> = members.map(|(allowed, at)| (allowed, at.clone())).collect();
        for (allowed, at) in turns {
            self.begin((By::Environment(allowed), at))?;
        }
        let inside = self.calls.values().flat_map(|calls| calls.inside.keys());
        let origins: BTreeSet<Origin> =
            inside.map(|(_, called, at)| (By::Module(called.clone()), at.clone())).collect();
        for origin in origins {
            self.begin(origin)?;
        }
        for (origin, mut calls) in self.calls.clone() {
            for ((frames, at), length) in calls.outside.clone() {
                let Some(function) = frames.last().and_then(|frame| frame.waits_for) else { continue };
                let begin = (self.module.allowed(Some(function)), at.clone());
                let turn = self.turns.entry(begin).or_insert_with(|| BTreeMap::from([(at, 0)]));
                for (now, more) in turn.clone() {
                    for played in self.inputs.answers(self.module, &now.1, function) {
                        let mut position = position(&now, &frames);
                        let reply = position.play_cut(self.module, &played, &self.cut, self.steps);
                        self.note(&mut calls, position, reply, length + more + 1)?;
                    }
                }
            }
            for ((frames, called, at), length) in calls.inside.clone() {
                let ends = self.calls.get(&(By::Module(called), at)).map(|inner| inner.ends.clone());
                for ((now, value), more) in ends.into_iter().flatten() {
                    let mut position = position(&now, &frames);
                    position.resume(self.module, value);
                    let reply = position.run(self.module, &self.cut, self.steps);
                    self.note(&mut calls, position, reply, length + more)?;
                }
            }
            self.calls.insert(origin, calls);
        }
        for ((allowed, _), turn) in &mut self.turns {
            for (at, length) in turn.clone() {
                let calls = self.calls.get(&(By::Environment(*allowed), at));
                for ((end, _), more) in calls.into_iter().flat_map(|calls| &calls.ends) {
                    lower(turn, end.clone(), length + more);
                }
            }
        }
        Some(())
    }

    /// Calls from an origin, unless they are known.
    fn begin(&mut self, origin: Origin) -> Option<()> {
        if self.calls.contains_key(&origin) {
            return Some(());
        }
        let mut calls = Calls::default();
        let at = &origin.1;
        match &origin.0 {
            By::Environment(allowed) => {
                for played in self.inputs.calls(self.module, &at.1, *allowed) {
                    let mut position = position(at, &[]);
                    let reply = position.play_cut(self.module, &played, &self.cut, self.steps);
                    self.note(&mut calls, position, reply, 1)?;
                }
            }
            By::Module((id, arguments)) => {
                let mut position = position(at, &[]);
                position.enter(self.module, *id, arguments, Caller::Elsewhere);
                let reply = position.run(self.module, &self.cut, self.steps);
                self.note(&mut calls, position, reply, 0)?;
            }
        }
        self.calls.insert(origin, calls);
        Some(())
    }

    /// Notes what the module does after this many moves since the call began. Nothing if the budget is exhausted.
    fn note(&self, calls: &mut Calls, mut position: Position, reply: Reply, before: usize) -> Option<()> {
        self.budget.check().ok()?;
        position.forget_dead(&self.liveness);
        let Position { globals, escaped, frames } = position;
        let state = (globals, escaped);
        // What the module does inside is no move.
        let length = match &reply {
            Reply::Calls(..) | Reply::Ends(_) => before,
            _ => before + 1,
        };
        match reply {
            Reply::Moves(Move::Call(..)) => lower(&mut calls.outside, (frames, state), length),
            Reply::Moves(_) => lower(&mut calls.ends, (state, None), length),
            Reply::Calls(id, arguments) => {
                lower(&mut calls.inside, (frames, (id, arguments), state), length);
            }
            Reply::Ends(value) => lower(&mut calls.ends, (state, value), length),
            Reply::Fails(_) => calls.fails = Some(calls.fails.map_or(length, |known| known.min(length))),
            Reply::Exits(_) | Reply::Diverges => {}
            Reply::Exhausted => return None,
        }
        Some(())
    }
}

fn position(at: &State, frames: &[Frame]) -> Position {
    Position { globals: at.0.clone(), escaped: at.1.clone(), frames: frames.to_vec() }
}

fn lower<K: Ord>(table: &mut BTreeMap<K, usize>, key: K, length: usize) {
    let known = table.entry(key).or_insert(length);
    *known = length.min(*known);
}

impl Tables<'_> {
    /// The length of a shortest play that fails: each call and each turn begins where another one has led.
    fn shortest(&self) -> Answer {
        let mut turn_begins: BTreeMap<Begin, usize> = BTreeMap::from([(Begin::default(), 0)]);
        let mut call_begins: BTreeMap<Origin, usize> = BTreeMap::new();
        loop {
            let before = (turn_begins.clone(), call_begins.clone());
            for (start, begins) in &before.0 {
                for (at, length) in self.turns.get(start).into_iter().flatten() {
                    lower(&mut call_begins, (By::Environment(start.0), at.clone()), begins + length);
                }
            }
            for (origin, begins) in &before.1 {
                let Some(known) = self.calls.get(origin) else { continue };
                for ((frames, at), length) in &known.outside {
                    let function = frames.last().and_then(|frame| frame.waits_for);
                    lower(&mut turn_begins, (self.module.allowed(function), at.clone()), begins + length);
                }
                for ((_, called, at), length) in &known.inside {
                    lower(&mut call_begins, (By::Module(called.clone()), at.clone()), begins + length);
                }
            }
            if before == (turn_begins.clone(), call_begins.clone()) {
                break;
            }
        }
        let fails = |(origin, begins): (&Origin, &usize)| Some(begins + self.calls.get(origin)?.fails?);
        call_begins.iter().filter_map(fails).min().map_or(Answer::Safe, Answer::Fails)
    }
}
