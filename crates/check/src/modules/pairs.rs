//! Equivalence of modules: tables over pairs of positions, one of each module, that were reached by the same moves.
//!
//! Modules are deterministic. So both are given each move of the environment's, and their answers are compared; the first that
//! differs ends a shortest play that tells the modules apart. All plays count: whether a module fails, ends the process, or
//! never moves again is a difference as well.
//!
//! A procedure that calls itself around an import puts activations on a stack that nobody sees. Where both modules do so between the
//! same two moves, and both take them off between the same two, the stacks are in step, and their activations are paired. Where they
//! are not, that way is not followed, and the modules are not said to be equal.
//!
//! Objects and private procedures that are handed out have numbers of their own in each module. They are compared up to a bijection,
//! which grows with the play and is part of the pair. What the environment has written to data that it shares with the modules is found
//! out where one of them reads it; both read the same. What they have written there is part of their next move.

mod alike;
mod inputs;
mod shared;
mod unrolled;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::int::Int;
use agon_base::intern::Interner;
use agon_base::source::Span;
use agon_core::module::play::Move as Played;
use agon_core::module::{Allowed, ImportId};
use agon_games::arena::{ComponentId, OWN, Role};
use agon_games::machine::{Globals, Machine, Nested, OfferData, Stacked, State};
use agon_games::moves::{Label, Move};
use agon_games::strategy::{Strategy, Turn};
use agon_games::values::Exact;
use agon_witness::library::apart::Left;
use rustc_hash::FxHashMap;

use super::Compiled;
use super::tabulate::{Arrival, Figures, Made, Run, Runs, tabulate};
use crate::search::{Observer, Progress};
use crate::verdict::Reason;
pub use alike::comparable;
use alike::{Given, Pairs};
use inputs::Second;

/// What a comparison of two modules comes to.
#[derive(Clone, Debug)]
pub enum Compared {
    /// They have the same plays.
    Equivalent,
    /// After the same moves of the environment's they do not do the same.
    Different(Box<Different>),
    /// It could not be found out.
    Unknown(Reason),
}

/// A difference between two modules that was found.
#[derive(Clone, Debug)]
pub struct Different {
    /// The moves of the environment's, as each of them has them.
    pub moves: [Vec<Played>; 2],
    /// What they have handed out: numbers of the first, and of the second.
    pub pairs: Vec<(Int, Int)>,
    /// The shared data that they have not left alike, if that is the difference.
    pub data: Option<Left>,
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
        commons: Interner::default(),
        known: FxHashMap::default(),
        few: FxHashMap::default(),
        incomplete: None,
        unclear: None,
        first: Common::default(),
        budget,
        observe,
    };
    if let Some(data) = runs.at_first() {
        let pairs = runs.first.pairs.clone().into_pairs().collect();
        let different = Different { moves: [vec![], vec![]], pairs, data: Some(data) };
        return (Compared::Different(Box::new(different)), Figures::default());
    }
    let soon = if runs.recurs() { runs.unrolled() } else { Ok(None) };
    match soon {
        Err(stop) => return (Compared::Unknown(Reason::Stop(stop)), Figures::default()),
        Ok(Some(different)) => return (Compared::Different(Box::new(different)), Figures::default()),
        // What was left out on the way is met again.
        Ok(None) => (runs.incomplete, runs.unclear) = (None, None),
    }
    match tabulate(&mut runs) {
        Err(stop) => (Compared::Unknown(Reason::Stop(stop)), Figures::default()),
        Ok(found) => {
            let compared = match (found.failure, runs.unclear, runs.incomplete) {
                (Some(links), ..) => {
                    Compared::Different(Box::new(difference(links.iter().flatten().map(|link| &**link))))
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

/// The difference that some runs of both modules lead to.
fn difference<'l>(links: impl Iterator<Item = &'l Link>) -> Different {
    let links: Vec<&Link> = links.collect();
    let moves = |side: usize| links.iter().flat_map(|link| link.moves[side].clone()).collect();
    let last = links.last().and_then(|link| link.end.clone());
    let (pairs, data) = last.map_or((vec![], None), |end| (end.pairs, end.data));
    Different { moves: [moves(0), moves(1)], pairs, data }
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
#[derive(Clone)]
enum Came {
    /// It moves, and activations wait there; none, if that was the last move.
    Moves(Move, Option<Nested>),
    /// It asks for shared data or tells what that holds, with these arguments.
    Shares(ImportId, Vec<Int>, Nested),
    /// The activation that the stack was cut at has ended with a value.
    Ends(Option<Int>, State),
    /// It never moves again.
    Nothing,
}

/// A cell of shared data, or an element of an array.
type Datum = (String, Option<Int>);

/// What both modules have in common with the environment, beside their cells. Numbers are those of the first module.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
struct Common {
    /// What they have handed out.
    pairs: Pairs,
    /// What the environment has written to shared data, as far as one of them has looked since the environment was to move.
    asked: BTreeMap<Datum, Given>,
    /// What shared data holds that never changes, as far as one of them has looked.
    once: BTreeMap<Datum, Given>,
}

/// One of two modules after a move of the environment's.
#[derive(Clone)]
struct Half {
    came: Came,
    /// The moves of the environment's: the one that began this, and answers of shared data.
    moves: Vec<Played>,
    /// What it has told of shared data.
    told: BTreeMap<Datum, (Int, Given)>,
}

/// Both modules after a move of the environment's.
#[derive(Clone)]
struct Joint {
    halves: [Half; 2],
    common: Common,
}

/// What began a run of both modules.
#[derive(Debug)]
struct Link {
    moves: [Vec<Played>; 2],
    /// How the run ends, if that is a difference.
    end: Option<Unlike>,
}

#[derive(Clone, Debug)]
struct Unlike {
    pairs: Vec<(Int, Int)>,
    data: Option<Left>,
}

struct PairRuns<'a, 'b> {
    compiled: [&'a Compiled; 2],
    sides: [Stacked<Exact>; 2],
    states: Interner<(State, State, u32)>,
    commons: Interner<Common>,
    known: FxHashMap<(u32, Option<Allowed>), Made<Self>>,
    /// The values that are tried for a component of a module, if not all are.
    few: FxHashMap<(usize, ComponentId), Option<Rc<[Int]>>>,
    /// A component for which not enough values are tried.
    incomplete: Option<ComponentId>,
    /// Why some ways were not followed.
    unclear: Option<&'static str>,
    /// What both modules have in common with the environment at first.
    first: Common,
    budget: &'a Budget,
    observe: &'a mut Observer<'b>,
}

/// The budget is checked once in this many edges.
const PATIENCE: u64 = 1 << 8;

impl PairRuns<'_, '_> {
    fn pair(&mut self, states: (State, State), common: &Common) -> u32 {
        let common = self.commons.intern(common.clone());
        self.states.intern((states.0, states.1, common))
    }

    /// A position that is cut at the activation.
    fn cut(&mut self, side: usize, at: State) -> Nested {
        let machine = &mut self.sides[side].0;
        let (waiting, globals) = machine.split(at);
        Nested::cut(waiting.map(|_| at), machine.join(None, globals))
    }

    /// What a side does after the n-th of the answers, or of the calls, at a position.
    fn from(
        &mut self,
        side: usize,
        at: &Nested,
        answers: bool,
        n: usize,
        data: OfferData<Int>,
    ) -> Result<Came, Stop> {
        let calls = if answers { self.sides[side].0.callable(at.innermost()).len() } else { 0 };
        self.step(side, at, calls + n, data)
    }

    /// What a side does after the n-th of all moves at a position.
    fn step(&mut self, side: usize, at: &Nested, n: usize, data: OfferData<Int>) -> Result<Came, Stop> {
        let turn = Turn { thread: &[], played: Some((n, data)) };
        let steps = self.sides[side].steps(at, turn, None, self.budget)?;
        let Some(step) = steps.into_iter().next() else { return Ok(Came::Nothing) };
        let compiled = self.compiled[side];
        Ok(match (step.next, &step.label.label) {
            (Some(next), label) if compiled.is_silent(step.label.component) => {
                let value = match label {
                    Label::Value(value) => Some(value.clone()),
                    _ => None,
                };
                Came::Ends(value, next.innermost())
            }
            (Some(next), Label::Call(arguments)) => match compiled.roles.of(step.label.component) {
                Role::Import(id) if compiled.module.share_of(id).is_some() => {
                    Came::Shares(id, arguments.to_vec(), next)
                }
                _ => Came::Moves(step.label, Some(next)),
            },
            (next, _) => Came::Moves(step.label, next),
        })
    }

    /// Whether two modules that have moved have done the same. Then what they were asked for by each other is forgotten.
    fn compared(&mut self, joint: &mut Joint) -> Outcome {
        let [ours, theirs] = [&joint.halves[0].came, &joint.halves[1].came].map(Came::clone);
        let differ = |joint: &Joint, data| {
            let pairs = joint.common.pairs.clone().into_pairs().collect();
            Outcome::Differ(Unlike { pairs, data })
        };
        let ((ours, first), (theirs, second)) = match (ours, theirs) {
            (Came::Moves(ours, first), Came::Moves(theirs, second)) => ((ours, first), (theirs, second)),
            (Came::Nothing, Came::Nothing) => return Outcome::Nothing,
            _ => return differ(joint, None),
        };
        let [left, right] = self.compiled;
        let (Some(ours), Some(theirs)) = (left.seen(&ours), right.seen(&theirs)) else {
            return Outcome::Nothing;
        };
        if !ours.is(&theirs, &mut joint.common.pairs) {
            return differ(joint, None);
        }
        if let Some(data) = self.left(joint) {
            return differ(joint, Some(data));
        }
        joint.common.asked.clear();
        match (first, second) {
            (Some(first), Some(second)) => Outcome::Same(first, second),
            _ => Outcome::Nothing,
        }
    }

    /// What two modules come to after the same move, and how they differ there; nothing follows if it cannot be said or if both end.
    fn both(&mut self, joint: &mut Joint) -> Option<(Arrival<Hidden, u32>, Option<Unlike>)> {
        match [&joint.halves[0].came, &joint.halves[1].came] {
            [Came::Ends(first, left), Came::Ends(second, right)] => {
                let (first, second, states) = (first.clone(), second.clone(), (*left, *right));
                let next = self.pair(states, &joint.common);
                return Some((Arrival::Returns(next, Some(Hidden::Ended([first, second]))), None));
            }
            [Came::Ends(..), _] | [_, Came::Ends(..)] => {
                self.unclear.get_or_insert(OUT_OF_STEP);
                return None;
            }
            _ => {}
        }
        let (first, second) = match self.compared(joint) {
            Outcome::Differ(end) => return Some((Arrival::Fails, Some(end))),
            Outcome::Same(first, second) => (first, second),
            Outcome::Nothing => return None,
        };
        let (opens, left) = self.opens(0, &first);
        let (others, right) = self.opens(1, &second);
        if opens.len() != others.len() {
            self.unclear.get_or_insert(OUT_OF_STEP);
            return None;
        }
        let next = self.pair((left, right), &joint.common);
        let opens: Vec<u32> =
            opens.into_iter().zip(others).map(|pair| self.pair(pair, &joint.common)).collect();
        Some((opened(&opens).unwrap_or(Arrival::Returns(next, None)), None))
    }

    /// The cells of the module at a position, without an activation.
    fn outside(&mut self, side: usize, at: &Nested) -> State {
        let machine = &mut self.sides[side].0;
        let (_, globals) = machine.split(at.innermost());
        machine.join(None, globals)
    }

    /// The activations that wait at a position, outermost first, and the cells alone.
    fn opens(&mut self, side: usize, at: &Nested) -> (Vec<State>, State) {
        let machine = &mut self.sides[side].0;
        let (innermost, globals) = machine.split(at.innermost());
        let waiting: Vec<_> = at.below().iter().copied().chain(innermost).collect();
        let opens = waiting.into_iter().map(|waiting| machine.join(Some(waiting), globals)).collect();
        (opens, machine.join(None, globals))
    }
}

/// Whether two modules have done the same.
enum Outcome {
    /// They have, and wait there.
    Same(Nested, Nested),
    /// They have not.
    Differ(Unlike),
    /// They have, and nothing follows.
    Nothing,
}

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
        let (left, right, common) = *self.states.get(at);
        let common = self.commons.get(common).clone();
        let cut = [self.cut(0, left), self.cut(1, right)];
        let joints = self.joints([&cut[0], &cut[1]], [left, right], calls, &common)?;
        let mut ends = Vec::new();
        let mut runs = self.runs(joints);
        runs.retain(|run| {
            let new = !ends.contains(&run.end);
            ends.push(run.end.clone());
            new
        });
        let runs: Made<Self> = runs.into();
        self.known.insert((at, calls), runs.clone());
        Ok(runs)
    }

    /// Both modules after each move of the environment's that is offered at a pair of states: calls of what is allowed, or answers.
    fn joints(
        &mut self,
        at: [&Nested; 2],
        [left, right]: [State; 2],
        calls: Option<Allowed>,
        common: &Common,
    ) -> Result<Vec<Joint>, Stop> {
        let offers = self.sides[0].0.offers(left);
        let mut joints = Vec::new();
        for (n, offer) in offers.iter().enumerate() {
            if calls.is_some_and(|allowed| !self.sides[0].0.allows(allowed, offer.component)) {
                continue;
            }
            for data in self.all_data(offer, &common.pairs) {
                if !self.sides[0].0.knows(left, offer, &data) {
                    continue;
                }
                let (m, other) = match self.second(right, offer, &data, &common.pairs) {
                    Second::Is(same) => same,
                    Second::NotGiven => continue,
                    Second::Unknown => {
                        self.incomplete.get_or_insert(offer.component);
                        continue;
                    }
                };
                self.budget.check()?;
                let theirs = self.sides[1].0.offers(right).get(m).map(|offer| offer.with(other.clone()));
                let ours = self.compiled[0].as_played(&offer.with(data.clone()));
                let theirs = theirs.and_then(|theirs| self.compiled[1].as_played(&theirs));
                let Some((ours, theirs)) = ours.zip(theirs) else { continue };
                let half = |came, played| Half { came, moves: vec![played], told: BTreeMap::new() };
                let first = self.from(0, at[0], calls.is_none(), n, data)?;
                let second = self.from(1, at[1], calls.is_none(), m, other)?;
                let halves = [half(first, ours), half(second, theirs)];
                joints.extend(self.settled(Joint { halves, common: common.clone() })?);
            }
        }
        Ok(joints)
    }

    /// The runs of both modules to where they have come to.
    fn runs(&mut self, joints: Vec<Joint>) -> Vec<Run<Hidden, <Self as Runs>::Link, u32>> {
        let mut runs = Vec::new();
        for mut joint in joints {
            let Some((arrival, end)) = self.both(&mut joint) else { continue };
            let moves = joint.halves.map(|half| half.moves);
            runs.push(Run { end: arrival, extra: 0, link: Some(Arc::new(Link { moves, end })) });
        }
        runs
    }
}

impl Runs for PairRuns<'_, '_> {
    type Value = Hidden;
    type Link = Option<Arc<Link>>;
    type State = u32;
    type Globals = (Globals, Globals, u32);

    fn start(&mut self) -> u32 {
        let states = (self.sides[0].0.start(), self.sides[1].0.start());
        let first = self.first.clone();
        self.pair(states, &first)
    }

    fn globals(&mut self, _: Option<Self::Globals>, at: u32) -> Self::Globals {
        let (left, right, common) = *self.states.get(at);
        (self.sides[0].0.split(left).1, self.sides[1].0.split(right).1, common)
    }

    fn with_globals(&mut self, at: u32, (left, right, common): Self::Globals) -> u32 {
        let (first, second, _) = *self.states.get(at);
        let [one, other] = &mut self.sides;
        let (first, second) = (one.0.split(first).0, other.0.split(second).0);
        self.states.intern((one.0.join(first, left), other.0.join(second, right), common))
    }

    fn allowed(&mut self, at: u32) -> Option<Allowed> {
        let (left, ..) = *self.states.get(at);
        self.sides[0].0.allowed(left)
    }

    fn called(&mut self, (left, right, common): Self::Globals, allowed: Allowed) -> Result<Made<Self>, Stop> {
        let [one, other] = &mut self.sides;
        let at = self.states.intern((one.0.join(None, left), other.0.join(None, right), common));
        self.played(at, Some(allowed))
    }

    fn answered(&mut self, at: u32) -> Result<Made<Self>, Stop> {
        self.played(at, None)
    }

    fn entered(
        &mut self,
        _: Self::Globals,
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
        let (left, right, common) = *self.states.get(at);
        let common = self.commons.get(common).clone();
        let cut = [self.cut(0, left), self.cut(1, right)];
        let data = |value| OfferData { value, ..OfferData::default() };
        let half = |came| Half { came, moves: vec![], told: BTreeMap::new() };
        let ours = self.from(0, &cut[0], true, 0, data(first))?;
        let theirs = self.from(1, &cut[1], true, 0, data(second))?;
        let joints = self.settled(Joint { halves: [half(ours), half(theirs)], common })?;
        Ok(self.runs(joints).into())
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
