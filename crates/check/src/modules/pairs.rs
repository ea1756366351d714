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
//!
//! If only complete plays count, each module goes on alone from a move that differs. That is a difference if it comes to where no call is
//! open, or ends there.

mod alike;
mod alone;
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
use agon_witness::library::apart::{Complete, Left};
use rustc_hash::FxHashMap;

use super::Compiled;
use super::tabulate::{Arrival, Figures, Made, Run, Runs, tabulate};
use crate::equiv::Plays;
use crate::search::{Observer, Progress};
use crate::verdict::Reason;
pub use alike::comparable;
use alike::{Given, Pairs};
use alone::{Together, Who};
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
    /// Which of them completes its play, if only complete plays count. The moves of the other one end where they part.
    pub complete: Option<Complete>,
}

/// Whether two modules have the same plays, all or the complete ones. The figures count pairs.
pub fn compare(
    left: &Compiled,
    right: &Compiled,
    plays: Plays,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> (Compared, Figures) {
    let side = |compiled: &Compiled| {
        Stacked(Machine::new(compiled.code.clone(), compiled.arena.clone(), Exact::default()))
    };
    let mut runs = PairRuns {
        compiled: [left, right],
        plays,
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
        let different = Different { moves: [vec![], vec![]], pairs, data: Some(data), complete: None };
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
    let parted = links.iter().enumerate().find_map(|(n, link)| link.end.clone().map(|end| (n, end)));
    let (mut pairs, mut data, mut complete) = (vec![], None, None);
    if let Some((n, end)) = parted {
        (pairs, data) = (end.pairs, end.data);
        let count = |with: usize| links[..=n].iter().map(|link| link.moves[with].len()).sum();
        complete = end.alone.map(|with| Complete { with, parted: count(with) });
    }
    Different { moves: [moves(0), moves(1)], pairs, data, complete }
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

impl Half {
    fn new(came: Came, played: Option<Played>) -> Half {
        Half { came, moves: played.into_iter().collect(), told: BTreeMap::new() }
    }
}

/// Both modules after a move of the environment's.
#[derive(Clone)]
struct Joint {
    halves: [Half; 2],
    common: Common,
    /// The module that goes on alone, if one does. The other one does nothing.
    alone: Option<usize>,
}

/// What began a run of both modules.
#[derive(Debug)]
struct Link {
    moves: [Vec<Played>; 2],
    /// How the modules part at its end, if they do.
    end: Option<Unlike>,
}

#[derive(Clone, Debug)]
struct Unlike {
    pairs: Vec<(Int, Int)>,
    data: Option<Left>,
    /// The module that goes on alone, if only complete plays count.
    alone: Option<usize>,
}

struct PairRuns<'a, 'b> {
    compiled: [&'a Compiled; 2],
    plays: Plays,
    sides: [Stacked<Exact>; 2],
    states: Interner<Together<State>>,
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
    /// The number of a position.
    fn numbered(&mut self, who: Who<State>, common: &Common) -> u32 {
        let common = self.commons.intern(common.clone());
        self.states.intern(Together { who, common, outermost: false })
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
            Outcome::Differ(Unlike { pairs, data, alone: None })
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

    /// What two modules come to after the same move, and how they part there; nothing follows if it cannot be said or if both end.
    fn arrivals(&mut self, joint: &mut Joint) -> Vec<Arrived> {
        if let Some(side) = joint.alone {
            return self.alone(joint, side).into_iter().map(|arrival| (arrival, None)).collect();
        }
        match [&joint.halves[0].came, &joint.halves[1].came] {
            [Came::Ends(first, left), Came::Ends(second, right)] => {
                let (first, second, states) = (first.clone(), second.clone(), [*left, *right]);
                let next = self.numbered(Who::Both(states), &joint.common);
                return vec![(Arrival::Returns(next, Some(Hidden::Ended([first, second]))), None)];
            }
            [Came::Ends(..), _] | [_, Came::Ends(..)] => {
                self.unclear.get_or_insert(OUT_OF_STEP);
                return vec![];
            }
            _ => {}
        }
        let (first, second) = match self.compared(joint) {
            Outcome::Differ(end) if self.plays == Plays::Complete => return self.parted(joint, &end),
            Outcome::Differ(end) => return vec![(Arrival::Fails, Some(end))],
            Outcome::Same(first, second) => (first, second),
            Outcome::Nothing => return vec![],
        };
        let (opens, left) = self.opens(0, &first);
        let (others, right) = self.opens(1, &second);
        if opens.len() != others.len() {
            self.unclear.get_or_insert(OUT_OF_STEP);
            return vec![];
        }
        let next = self.numbered(Who::Both([left, right]), &joint.common);
        let opens = opens.into_iter().zip(others);
        let opens: Vec<u32> =
            opens.map(|(one, other)| self.numbered(Who::Both([one, other]), &joint.common)).collect();
        vec![(opened(&opens).unwrap_or(Arrival::Returns(next, None)), None)]
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

/// What a run comes to, and how the modules part there.
type Arrived = (Arrival<Hidden, u32>, Option<Unlike>);

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
        let Together { who, common, .. } = *self.states.get(at);
        let common = self.commons.get(common).clone();
        let joints = match who {
            Who::Both(states) => {
                let cut = [self.cut(0, states[0]), self.cut(1, states[1])];
                self.joints([&cut[0], &cut[1]], states, calls, &common)?
            }
            Who::Alone(side, state) => {
                let cut = self.cut(side, state);
                self.joints_alone(side, &cut, state, calls, &common)?
            }
        };
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
            for data in self.all_data(0, offer, &common.pairs) {
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
                let first = self.from(0, at[0], calls.is_none(), n, data)?;
                let second = self.from(1, at[1], calls.is_none(), m, other)?;
                let halves = [Half::new(first, Some(ours)), Half::new(second, Some(theirs))];
                joints.extend(self.settled(Joint { halves, common: common.clone(), alone: None })?);
            }
        }
        Ok(joints)
    }

    /// The runs of both modules to where they have come to.
    fn runs(&mut self, joints: Vec<Joint>) -> Vec<Run<Hidden, <Self as Runs>::Link, u32>> {
        let mut runs = Vec::new();
        for mut joint in joints {
            for (arrival, end) in self.arrivals(&mut joint) {
                // Where no call is open, one more step says that a play is complete; where a module ends, it is complete at once.
                let ends = self.plays == Plays::Complete && arrival == Arrival::Fails;
                let moves = joint.halves.clone().map(|half| half.moves);
                runs.push(Run {
                    end: arrival,
                    extra: u64::from(ends),
                    link: Some(Arc::new(Link { moves, end })),
                });
            }
        }
        runs
    }
}

impl Runs for PairRuns<'_, '_> {
    type Value = Hidden;
    type Link = Option<Arc<Link>>;
    type State = u32;
    type Globals = Together<Globals>;

    fn start(&mut self) -> u32 {
        let who = Who::Both([self.sides[0].0.start(), self.sides[1].0.start()]);
        let common = self.commons.intern(self.first.clone());
        self.states.intern(Together { who, common, outermost: true })
    }

    fn globals(&mut self, turn: Option<Self::Globals>, at: u32) -> Self::Globals {
        let Together { who, common, outermost } = *self.states.get(at);
        let who = who.map(|side, state| self.sides[side].0.split(state).1);
        Together { who, common, outermost: outermost || turn.is_some_and(|turn| turn.outermost) }
    }

    /// Calls do not see what is around them, but where a module has gone on alone to a turn at which no call is open, its play is complete.
    fn entry(&mut self, now: Self::Globals) -> Self::Globals {
        Together { outermost: now.outermost && matches!(now.who, Who::Alone(..)), ..now }
    }

    fn with_globals(&mut self, at: u32, globals: Self::Globals) -> u32 {
        let before = self.states.get(at).who;
        let who = globals.who.map(|side, globals| {
            let machine = &mut self.sides[side].0;
            let (activation, _) = machine.split(before.of(side));
            machine.join(activation, globals)
        });
        self.states.intern(Together { who, common: globals.common, outermost: false })
    }

    fn allowed(&mut self, at: u32) -> Option<Allowed> {
        let (side, state) = self.states.get(at).who.leader();
        self.sides[side].0.allowed(state)
    }

    fn called(&mut self, globals: Self::Globals, allowed: Allowed) -> Result<Made<Self>, Stop> {
        if globals.outermost {
            return Ok([Run { end: Arrival::Fails, extra: 0, link: None }].into());
        }
        let who = globals.who.map(|side, globals| self.sides[side].0.join(None, globals));
        let at = self.states.intern(Together { who, common: globals.common, outermost: false });
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
        let Together { who, common, .. } = *self.states.get(at);
        let common = self.commons.get(common).clone();
        let mut halves = [Half::new(Came::Nothing, None), Half::new(Came::Nothing, None)];
        for (side, value) in [first, second].into_iter().enumerate() {
            if let Some(state) = who.has(side) {
                let cut = self.cut(side, state);
                let data = OfferData { value, ..OfferData::default() };
                halves[side].came = self.from(side, &cut, true, 0, data)?;
            }
        }
        let joints = self.settled(Joint { halves, common, alone: who.alone() })?;
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
