//! Equivalence of modules: tables over pairs of positions, one of each module, that were reached by the same moves.
//!
//! Modules are deterministic. So both are given each move of the environment's, and their answers are compared; the first that
//! differs ends a shortest play that tells the modules apart. All plays count: whether a module fails, ends the process, or
//! never moves again is a difference as well.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::int::Int;
use agon_base::intern::Interner;
use agon_core::module::independent::Spot;
use agon_core::module::play::Move as Played;
use agon_core::module::{Allowed, Function, Module, Sort};
use agon_games::arena::{ComponentId, Role};
use agon_games::machine::{Globals, Machine, Nested, Offer, OfferData, OfferKind, Stacked, State};
use agon_games::moves::{Label, Move};
use agon_games::strategy::{Strategy, Turn};
use agon_games::values::Exact;
use rustc_hash::FxHashMap;

use super::Compiled;
use super::tabulate::{Arrival, Figures, Made, Run, Runs, tabulate};
use crate::search::{Observer, Progress};
use crate::verdict::Reason;

/// What a comparison of two modules comes to.
#[derive(Clone, Debug)]
pub enum Compared {
    /// They have the same plays.
    Equivalent,
    /// After these moves of the environment's, as each of them has them, they do not do the same.
    Different([Vec<Played>; 2]),
    /// It could not be found out.
    Unknown(Reason),
}

/// Why two modules cannot be compared, if they cannot: their exports must be the same, and imports of one name have one type
/// and may do the same.
pub fn comparable(left: &Module, right: &Module) -> Result<(), String> {
    let exports = |module: &Module| -> BTreeMap<String, String> {
        let exported = module.procedures().filter(|(_, procedure)| procedure.exported);
        let shown = exported.map(|(_, procedure)| {
            (procedure.name.to_string(), module.show_sort(&Sort::Function(procedure.signature)))
        });
        shown.collect()
    };
    let imports = |module: &Module| -> BTreeMap<String, String> {
        let shown = module.imports().map(|(_, import)| (import.name.to_string(), module.show_import(import)));
        shown.collect()
    };
    let (ours, theirs) = (exports(left), exports(right));
    for (name, sort) in &ours {
        match theirs.get(name) {
            None => return Err(format!("`{name}` is exported by the first only")),
            Some(other) if other != sort => {
                return Err(format!("`{name}` is `{sort}` in the first and `{other}` in the second"));
            }
            Some(_) => {}
        }
    }
    if let Some(name) = theirs.keys().find(|name| !ours.contains_key(*name)) {
        return Err(format!("`{name}` is exported by the second only"));
    }
    let theirs = imports(right);
    let differs =
        imports(left).into_iter().find(|(name, sort)| theirs.get(name).is_some_and(|other| other != sort));
    // Names of the environment's own functions have types by their numbers.
    let names = |module: &Module| -> Vec<String> {
        module.named_types().map(|id| module.show_sort(&Sort::Function(id))).collect()
    };
    match differs {
        None if names(left) != names(right) => {
            Err("they use names of functions of different types, or in another order".into())
        }
        Some((name, sort)) => {
            Err(format!("the import `{name}` is `{sort}` in the first and `{}` in the second", theirs[&name]))
        }
        None if left.chooses() || right.chooses() => {
            Err("modules that leave an order of evaluation open are not compared".into())
        }
        None if left.threads > 1 || right.threads > 1 => Err("modules with threads are not compared".into()),
        None => Ok(()),
    }
}

/// Whether two modules have the same plays. The figures count pairs.
pub fn compare(
    left: &Compiled,
    right: &Compiled,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> (Compared, Figures) {
    let side = |compiled: &Compiled| {
        Stacked(Machine::new(compiled.code.clone(), compiled.arena.clone(), Exact::default()))
    };
    let mut runs = PairRuns {
        compiled: [left, right],
        sides: [side(left), side(right)],
        states: Interner::default(),
        known: FxHashMap::default(),
        few: FxHashMap::default(),
        incomplete: None,
        unclear: None,
        budget,
        observe,
    };
    let found = tabulate(&mut runs);
    match (found, runs.unclear.take()) {
        (Err(stop), None) => (Compared::Unknown(Reason::Stop(stop)), Figures::default()),
        (Err(_), Some(why)) => (Compared::Unknown(why), Figures::default()),
        (Ok(found), _) => {
            let compared = match (found.failure, runs.incomplete) {
                (Some(links), _) => {
                    let moves = |side: usize| links.iter().map(|link| link[side].clone()).collect();
                    Compared::Different([moves(0), moves(1)])
                }
                (None, Some(component)) => Compared::Unknown(Reason::Stop(Stop::Unbounded(component))),
                (None, None) => Compared::Equivalent,
            };
            (compared, found.figures)
        }
    }
}

/// What a module does after a move, as far as the environment sees it. Functions are named, not numbered.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Seen {
    Calls(String, Vec<Given>),
    Returns(Option<Given>),
    Fails,
    Exits(Int),
    /// It never moves again.
    Nothing,
}

/// A value as both modules would write it.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Given {
    Number(Int),
    Null,
    Named(String),
    Foreign(u64),
}

struct PairRuns<'a, 'b> {
    compiled: [&'a Compiled; 2],
    sides: [Stacked<Exact>; 2],
    states: Interner<(State, State)>,
    known: FxHashMap<(u32, Option<Allowed>), Made<Self>>,
    /// The values that are tried for a component of the first module, if not all are.
    few: FxHashMap<ComponentId, Option<Rc<[Int]>>>,
    /// A component for which not enough values are tried.
    incomplete: Option<ComponentId>,
    /// Why the search cannot go on, if not for a limit.
    unclear: Option<Reason>,
    budget: &'a Budget,
    observe: &'a mut Observer<'b>,
}

/// No more values than this are tried for one input.
const MOST_VALUES: u64 = 1 << 10;
/// No more moves than this are tried at one position.
const MOST_MOVES: usize = 1 << 16;
/// If there are more values, these are tried: small numbers, and -1.
const SMALL: [i64; 5] = [0, 1, 2, 3, -1];
/// The budget is checked once in this many edges.
const PATIENCE: u64 = 1 << 8;

impl PairRuns<'_, '_> {
    fn pair(&mut self, states: (State, State)) -> u32 {
        self.states.intern(states)
    }

    /// The values that the environment gives in a component of the first module.
    fn values(&mut self, id: ComponentId) -> Vec<Int> {
        let [left, right] = self.compiled;
        let Some(data) = left.arena.data(id).cloned() else { return vec![Int::ZERO] };
        if let Some(size) = left.arena.count(id).filter(|size| *size <= MOST_VALUES) {
            return (0..size).map(|code| left.arena.value(id, code)).collect();
        }
        let few = self.few.entry(id).or_insert_with(|| {
            let theirs = right.spot(right.same(left, id)?)?;
            let ours = left.module.independence().few(left.spot(id)?)?;
            let few = ours.both(&right.module.independence().few(theirs)?);
            let values: Rc<[Int]> = few.values(&data).into_iter().collect();
            (values.len() as u64 <= MOST_VALUES).then_some(values)
        });
        match few {
            Some(values) => values.to_vec(),
            None => {
                self.incomplete.get_or_insert(id);
                let small = SMALL.into_iter().map(Int::from);
                small.filter(|n| left.arena.code(id, n).is_some()).collect()
            }
        }
    }

    /// The data of all moves of an offer of the first module.
    fn all_data(&mut self, offer: &Offer<Int>) -> Vec<OfferData<Int>> {
        match offer.kind {
            OfferKind::Call => {
                let components = self.compiled[0].arena.component(offer.component).arguments.clone();
                let mut all: Vec<Vec<Int>> = vec![vec![]];
                for id in components {
                    let values = self.values(id);
                    if all.len().saturating_mul(values.len()) > MOST_MOVES {
                        self.incomplete.get_or_insert(id);
                    }
                    let with = |before: &Vec<Int>| {
                        let before = before.clone();
                        values.iter().map(move |n| [before.clone(), vec![n.clone()]].concat())
                    };
                    all = all.iter().flat_map(with).take(MOST_MOVES).collect();
                }
                let data =
                    |arguments: Vec<Int>| OfferData { arguments: arguments.into(), ..OfferData::default() };
                all.into_iter().map(data).collect()
            }
            OfferKind::Value => {
                let element = offer.element.clone();
                let data = |n| OfferData { element: element.clone(), value: Some(n), ..OfferData::default() };
                self.values(offer.component).into_iter().map(data).collect()
            }
            _ => vec![OfferData { element: offer.element.clone(), ..OfferData::default() }],
        }
    }

    /// A value of the first module as the second has it; nothing, if it has none.
    fn translated(&self, id: ComponentId, n: &Int) -> Option<Int> {
        let [left, right] = self.compiled;
        match left.roles.sort(id) {
            Some(Sort::Function(_)) => match left.module.function(n) {
                None => Some(Int::ZERO),
                Some(function) => {
                    right.function_like(left, function).map(|function| right.module.number(function))
                }
            },
            _ => Some(n.clone()),
        }
    }

    /// The same offer of the second module, by its place, and the same data.
    fn second(
        &self,
        at: State,
        offer: &Offer<Int>,
        data: &OfferData<Int>,
    ) -> Option<(usize, OfferData<Int>)> {
        let right = &self.sides[1];
        let offers = right.0.offers(at);
        let n = match offer.kind {
            OfferKind::Call => {
                let same = self.compiled[1].same(self.compiled[0], offer.component)?;
                offers.iter().position(|other| other.component == same)?
            }
            _ => 0,
        };
        let arguments = &self.compiled[0].arena.component(offer.component).arguments;
        let arguments = arguments.iter().zip(&data.arguments);
        let arguments: Option<Box<[Int]>> = arguments.map(|(id, n)| self.translated(*id, n)).collect();
        let value = match &data.value {
            Some(n) => Some(self.translated(offer.component, n)?),
            None => None,
        };
        let element = offers.get(n)?.element.clone();
        Some((n, OfferData { element, index: None, value, arguments: arguments? }))
    }

    /// What a side does after a move, and where it is then.
    fn step(
        &mut self,
        side: usize,
        at: State,
        n: usize,
        data: OfferData<Int>,
    ) -> Result<(Seen, Option<State>), Stop> {
        let machine = &mut self.sides[side];
        let (waiting, globals) = machine.0.split(at);
        let outside = machine.0.join(None, globals);
        let inside = waiting.map(|_| at);
        let calls = machine.0.callable(outside).len();
        let n = if inside.is_some() { calls + n } else { n };
        let position = Nested::cut(inside, outside);
        let turn = Turn { thread: &[], played: Some((n, data)) };
        let steps = machine.steps(&position, turn, None, self.budget)?;
        let Some(step) = steps.into_iter().next() else { return Ok((Seen::Nothing, None)) };
        let next = match step.next {
            None => None,
            Some(next) => match next.innermost() {
                Some(state) => Some(state),
                None => {
                    let what = "a procedure calls itself around an import".into();
                    let span = agon_base::source::Span::default();
                    self.unclear = Some(Reason::NoEngine { what, span });
                    return Err(Stop::Cancelled);
                }
            },
        };
        let seen = self.compiled[side].seen(&step.label);
        if seen.is_none() {
            let what = "a private procedure is handed out".into();
            let span = agon_base::source::Span::default();
            self.unclear = Some(Reason::NoEngine { what, span });
        }
        Ok((seen.ok_or(Stop::Cancelled)?, next))
    }
}

impl Compiled {
    /// The component that is the same in another module.
    fn same(&self, other: &Compiled, id: ComponentId) -> Option<ComponentId> {
        let name = &other.arena.component(id).name;
        let kind = std::mem::discriminant(&other.roles.of(id));
        let mut all = self.roles.iter().filter(|(_, role)| std::mem::discriminant(role) == kind);
        match other.roles.of(id) {
            Role::Parameter(procedure, n) => {
                let whole = other.roles.component(Role::Procedure(procedure))?;
                let whole = self.same(other, whole)?;
                self.arena.component(whole).arguments.get(n as usize).copied()
            }
            Role::Named(signature) => {
                let shown = other.module.show_sort(&Sort::Function(signature));
                all.find(|(_, role)| {
                    matches!(role, Role::Named(signature) if self.module.show_sort(&Sort::Function(*signature)) == shown)
                })
                .map(|(id, _)| id)
            }
            _ => all.find(|(id, _)| self.arena.component(*id).name == *name).map(|(id, _)| id),
        }
    }

    /// Where what the environment gives in a component goes.
    fn spot(&self, id: ComponentId) -> Option<Spot> {
        match self.roles.of(id) {
            Role::Parameter(procedure, n) => Some(Spot::Local(procedure, agon_core::module::LocalId(n))),
            Role::Import(id) => Some(Spot::Answer(id)),
            _ => None,
        }
    }

    /// The function of this module that is the same as one of another; private ones are none.
    fn function_like(&self, other: &Compiled, function: Function) -> Option<Function> {
        let name = other.module.show_function(function);
        match function {
            Function::Foreign(n) => Some(Function::Foreign(n)),
            Function::Import(_) => {
                let mut all = self.module.imports();
                all.find(|(_, import)| *import.name == *name).map(|(id, _)| Function::Import(id))
            }
            Function::Procedure(_) => {
                let mut all = self.module.procedures().filter(|(_, procedure)| procedure.exported);
                all.find(|(_, procedure)| *procedure.name == *name).map(|(id, _)| Function::Procedure(id))
            }
        }
    }

    /// A value as every module would write it; nothing, if it names a private procedure.
    fn given(&self, sort: &Sort, n: &Int) -> Option<Given> {
        match sort {
            Sort::Data(_) => Some(Given::Number(n.clone())),
            Sort::Function(_) => match self.module.function(n) {
                None => Some(Given::Null),
                Some(Function::Foreign(n)) => Some(Given::Foreign(n)),
                Some(Function::Procedure(id)) if !self.module.procedure(id).exported => None,
                Some(function) => Some(Given::Named(self.module.show_function(function))),
            },
        }
    }

    /// What the environment sees of a move; nothing, if it is given a private procedure.
    fn seen(&self, m: &Move) -> Option<Seen> {
        Some(match &m.label {
            Label::Abort => Seen::Fails,
            Label::Exit(n) => Seen::Exits(n.clone()),
            Label::Call(arguments) => {
                let function = self.roles.function(&self.module, m.component, m.element.as_ref())?;
                let signature = self.module.signature(self.module.type_of(function));
                let given = signature.parameters.iter().zip(arguments).map(|(sort, n)| self.given(sort, n));
                Seen::Calls(self.module.show_function(function), given.collect::<Option<_>>()?)
            }
            Label::Value(n) => Seen::Returns(Some(self.given(self.roles.sort(m.component)?, n)?)),
            _ => Seen::Returns(None),
        })
    }
}

impl PairRuns<'_, '_> {
    /// The runs that begin with a move of the environment's: a call of what is allowed, or an answer.
    fn played(&mut self, at: u32, calls: Option<Allowed>) -> Result<Made<Self>, Stop> {
        if let Some(known) = self.known.get(&(at, calls)) {
            return Ok(known.clone());
        }
        let (left, right) = *self.states.get(at);
        let offers = self.sides[0].0.offers(left);
        let mut runs: Vec<Run<(), Arc<[Played; 2]>, u32>> = Vec::new();
        let mut ends = Vec::new();
        for (n, offer) in offers.iter().enumerate() {
            if calls.is_some_and(|allowed| !self.sides[0].0.allows(allowed, offer.component)) {
                continue;
            }
            for data in self.all_data(offer) {
                if !self.sides[0].0.knows(left, offer, &data) {
                    continue;
                }
                let Some((m, other)) = self.second(right, offer, &data) else {
                    // The second module has no name for what is given.
                    self.incomplete.get_or_insert(offer.component);
                    continue;
                };
                self.budget.check()?;
                let theirs = self.sides[1].0.offers(right).get(m).map(|offer| offer.with(other.clone()));
                let ours = self.compiled[0].as_played(&offer.with(data.clone()));
                let theirs = theirs.and_then(|theirs| self.compiled[1].as_played(&theirs));
                let Some(asked) = ours.zip(theirs).map(|(ours, theirs)| [ours, theirs]) else { continue };
                let (ours, first) = self.step(0, left, n, data)?;
                let (theirs, second) = self.step(1, right, m, other)?;
                let end = match (ours == theirs, first, second) {
                    (false, ..) => Arrival::Fails,
                    (true, Some(first), Some(second)) => {
                        let next = self.pair((first, second));
                        if matches!(ours, Seen::Calls(..)) {
                            Arrival::Waits(next)
                        } else {
                            Arrival::Returns(next, None)
                        }
                    }
                    (true, ..) => continue,
                };
                if !ends.contains(&end) {
                    ends.push(end.clone());
                    runs.push(Run { end, extra: 0, link: Arc::new(asked) });
                }
            }
        }
        let runs: Made<Self> = runs.into();
        self.known.insert((at, calls), runs.clone());
        Ok(runs)
    }
}

impl Runs for PairRuns<'_, '_> {
    type Value = ();
    type Link = Arc<[Played; 2]>;
    type State = u32;
    type Globals = (Globals, Globals);

    fn start(&mut self) -> u32 {
        let states = (self.sides[0].0.start(), self.sides[1].0.start());
        self.pair(states)
    }

    fn globals(&mut self, _: Option<(Globals, Globals)>, at: u32) -> (Globals, Globals) {
        let (left, right) = *self.states.get(at);
        (self.sides[0].0.split(left).1, self.sides[1].0.split(right).1)
    }

    fn with_globals(&mut self, at: u32, (left, right): (Globals, Globals)) -> u32 {
        let (first, second) = *self.states.get(at);
        let [one, other] = &mut self.sides;
        let (first, second) = (one.0.split(first).0, other.0.split(second).0);
        let states = (one.0.join(first, left), other.0.join(second, right));
        self.pair(states)
    }

    fn allowed(&mut self, at: u32) -> Option<Allowed> {
        let (left, _) = *self.states.get(at);
        self.sides[0].0.allowed(left)
    }

    fn called(&mut self, (left, right): (Globals, Globals), allowed: Allowed) -> Result<Made<Self>, Stop> {
        let states = (self.sides[0].0.join(None, left), self.sides[1].0.join(None, right));
        let at = self.pair(states);
        self.played(at, Some(allowed))
    }

    fn answered(&mut self, at: u32) -> Result<Made<Self>, Stop> {
        self.played(at, None)
    }

    fn entered(&mut self, _: (Globals, Globals), _: ComponentId, _: &[()]) -> Result<Made<Self>, Stop> {
        unreachable!("calls of procedures by the module are made at once")
    }

    fn resumed(&mut self, _: u32, _: Option<&()>) -> Result<Made<Self>, Stop> {
        unreachable!("calls of procedures by the module are made at once")
    }

    fn watch(&mut self, figures: Figures) -> Result<(), Stop> {
        if figures.edges.is_multiple_of(PATIENCE) {
            let memory = figures.memory + self.sides.iter().map(|side| side.0.memory()).sum::<usize>();
            self.budget.check_with(memory)?;
            if self.budget.transitions.is_some_and(|most| figures.edges > most) {
                return Err(Stop::Transitions);
            }
            let Figures { members, edges, .. } = figures;
            (self.observe)(
                Progress { states: members, transitions: edges, memory, ..Progress::default() }.into(),
            );
        }
        Ok(())
    }
}
