//! Equivalence of modules: tables over pairs of positions, one of each module, that were reached by the same moves.
//!
//! Modules are deterministic. So both are given each move of the environment's, and their answers are compared; the first that
//! differs ends a shortest play that tells the modules apart. All plays count: whether a module fails, ends the process, or
//! never moves again is a difference as well.
//!
//! A procedure that calls itself around an import puts activations on a stack that nobody sees. Where both modules do so between the
//! same two moves, and both take them off between the same two, the stacks are in step, and their activations are paired. Where they
//! are not, that way is not followed, and the modules are not said to be equal.

mod alike;

use std::rc::Rc;
use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::int::Int;
use agon_base::intern::Interner;
use agon_base::source::Span;
use agon_core::module::play::Move as Played;
use agon_core::module::{Allowed, Sort};
use agon_games::arena::{ComponentId, OWN};
use agon_games::machine::{Globals, Machine, Nested, Offer, OfferData, OfferKind, Stacked, State};
use agon_games::moves::Label;
use agon_games::strategy::{Strategy, Turn};
use agon_games::values::Exact;
use rustc_hash::FxHashMap;

use super::Compiled;
use super::tabulate::{Arrival, Figures, Made, Run, Runs, tabulate};
use crate::search::{Observer, Progress};
use crate::verdict::Reason;
use alike::Seen;
pub use alike::comparable;

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
    match tabulate(&mut runs) {
        Err(stop) => (Compared::Unknown(Reason::Stop(stop)), Figures::default()),
        Ok(found) => {
            let compared = match (found.failure, runs.unclear, runs.incomplete) {
                (Some(links), ..) => {
                    let moves = |side: usize| {
                        links.iter().flat_map(|link| link.iter().map(|asked| asked[side].clone())).collect()
                    };
                    Compared::Different([moves(0), moves(1)])
                }
                (None, Some(what), _) => {
                    Compared::Unknown(Reason::NoEngine { what: what.into(), span: Span::default() })
                }
                (None, None, Some(component)) => Compared::Unknown(Reason::Stop(Stop::Unbounded(component))),
                (None, None, None) => Compared::Equivalent,
            };
            (compared, found.figures)
        }
    }
}

/// What nobody sees of two modules that are in step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Hidden {
    /// Pairs of activations were put on the stacks, above the one that waits; outermost first.
    Opened(Box<[u32]>),
    /// The innermost activations have ended with these values.
    Ended([Option<Int>; 2]),
}

/// What a module comes to after a move.
enum Came {
    /// It moves, and activations wait there, outermost first; none, if it has returned. After the last move there are no cells.
    Moves(Seen, Vec<State>, Option<State>),
    /// The activation that the stack was cut at has ended with a value.
    Ends(Option<Int>, State),
    /// What it hands out cannot be compared.
    Unclear(&'static str),
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
    /// Why some ways were not followed.
    unclear: Option<&'static str>,
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

    /// What a side does after a move.
    fn step(&mut self, side: usize, at: State, n: usize, data: OfferData<Int>) -> Result<Came, Stop> {
        let machine = &mut self.sides[side];
        let (waiting, globals) = machine.0.split(at);
        let outside = machine.0.join(None, globals);
        let inside = waiting.map(|_| at);
        let calls = machine.0.callable(outside).len();
        let n = if inside.is_some() { calls + n } else { n };
        let position = Nested::cut(inside, outside);
        let turn = Turn { thread: &[], played: Some((n, data)) };
        let steps = machine.steps(&position, turn, None, self.budget)?;
        let Some(step) = steps.into_iter().next() else {
            return Ok(Came::Moves(Seen::Nothing, Vec::new(), None));
        };
        let next = step.next;
        if let (true, Some(next)) = (self.compiled[side].is_silent(step.label.component), &next) {
            let value = match step.label.label {
                Label::Value(value) => Some(value),
                _ => None,
            };
            return Ok(Came::Ends(value, next.innermost()));
        }
        let Some(seen) = self.compiled[side].seen(&step.label) else {
            return Ok(Came::Unclear("a private procedure is handed out"));
        };
        let Some(next) = next else { return Ok(Came::Moves(seen, Vec::new(), None)) };
        let machine = &mut self.sides[side].0;
        let (innermost, globals) = machine.split(next.innermost());
        let waiting = next.below().iter().copied().chain(innermost);
        let opens = waiting.map(|waiting| machine.join(Some(waiting), globals)).collect();
        Ok(Came::Moves(seen, opens, Some(machine.join(None, globals))))
    }

    /// What two modules come to after the same move; nothing follows, if it cannot be said or if both end.
    fn both(&mut self, ours: Came, theirs: Came) -> Option<Arrival<Hidden, u32>> {
        match (ours, theirs) {
            (Came::Unclear(what), _) | (_, Came::Unclear(what)) => {
                self.unclear.get_or_insert(what);
                None
            }
            (Came::Ends(first, left), Came::Ends(second, right)) => {
                let next = self.pair((left, right));
                Some(Arrival::Returns(next, Some(Hidden::Ended([first, second]))))
            }
            (Came::Moves(ours, opens, left), Came::Moves(theirs, others, right)) => {
                match ours.is(&theirs) {
                    Some(true) => {}
                    Some(false) => return Some(Arrival::Fails),
                    None => {
                        self.unclear.get_or_insert(OTHER_ADDRESSES);
                        return None;
                    }
                }
                if opens.len() != others.len() {
                    self.unclear.get_or_insert(OUT_OF_STEP);
                    return None;
                }
                let next = self.pair((left?, right?));
                let opens: Vec<u32> = opens.into_iter().zip(others).map(|pair| self.pair(pair)).collect();
                Some(opened(&opens).unwrap_or(Arrival::Returns(next, None)))
            }
            (Came::Ends(..), Came::Moves(..)) | (Came::Moves(..), Came::Ends(..)) => {
                self.unclear.get_or_insert(OUT_OF_STEP);
                None
            }
        }
    }
}

/// Why modules cannot be compared that hand out objects in another order.
const OTHER_ADDRESSES: &str =
    "the modules hand out pointers to different objects, which may stand for each other";

/// Why modules cannot be compared whose stacks are not in step.
const OUT_OF_STEP: &str =
    "a procedure calls itself around an import, and not in both modules at the same time";

/// Pairs of activations wait, outermost first; nothing, if there are none.
fn opened(pairs: &[u32]) -> Option<Arrival<Hidden, u32>> {
    match pairs {
        [] => None,
        [one] => Some(Arrival::Waits(*one)),
        [one, rest @ ..] => Some(Arrival::Calls(*one, OWN, [Hidden::Opened(rest.into())].into())),
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
        let mut runs: Vec<Run<Hidden, <Self as Runs>::Link, u32>> = Vec::new();
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
                let ours = self.step(0, left, n, data)?;
                let theirs = self.step(1, right, m, other)?;
                let Some(end) = self.both(ours, theirs) else { continue };
                if !ends.contains(&end) {
                    ends.push(end.clone());
                    runs.push(Run { end, extra: 0, link: Some(Arc::new(asked)) });
                }
            }
        }
        let runs: Made<Self> = runs.into();
        self.known.insert((at, calls), runs.clone());
        Ok(runs)
    }
}

impl Runs for PairRuns<'_, '_> {
    type Value = Hidden;
    type Link = Option<Arc<[Played; 2]>>;
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

    fn entered(
        &mut self,
        _: (Globals, Globals),
        _: ComponentId,
        arguments: &[Hidden],
    ) -> Result<Made<Self>, Stop> {
        let pairs: &[u32] = match arguments {
            [Hidden::Opened(pairs)] => pairs,
            other => unreachable!("{other:?} was not put on the stacks"),
        };
        Ok(opened(pairs).map(|end| Run { end, extra: 0, link: None }).into_iter().collect())
    }

    fn resumed(&mut self, at: u32, value: Option<&Hidden>) -> Result<Made<Self>, Stop> {
        let Some(Hidden::Ended([first, second])) = value.cloned() else {
            unreachable!("{value:?} does not end an activation")
        };
        let (left, right) = *self.states.get(at);
        let data = |value| OfferData { value, ..OfferData::default() };
        let ours = self.step(0, left, 0, data(first))?;
        let theirs = self.step(1, right, 0, data(second))?;
        let end = self.both(ours, theirs);
        Ok(end.map(|end| Run { end, extra: 0, link: None }).into_iter().collect())
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
