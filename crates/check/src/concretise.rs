//! Concretising: looking for the numbers with which an abstract play can really be played.
//!
//! Branch and prune: the play is run over intervals that are kept as they are. If it must go as it should, any
//! numbers in them will do; if it cannot, none will; otherwise one of the environment's intervals that an undecided
//! operation came from is cut in two.

mod repeated;

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::explore::depth_first;
use agon_base::id::number;
use agon_base::int::Int;
use agon_games::abstracted::{Abstracted, Causes, Keeping, Source, Value};
use agon_games::arena::{Arena, ComponentId};
use agon_games::interval::Interval;
use agon_games::machine::{CallMemo, Code, Machine, OfferData, Stacked, Strands, Threaded};
use agon_games::moves::{Label, Move};
use agon_games::play::Play;
use agon_games::sites::Sites;
use agon_games::strategy::{Played, Recorded, Thread, Turn};
use agon_games::values::Exact;
use agon_solve::Solver;

use crate::feasible::{Feasible, feasible};
use crate::walk::{Fit, fits};

pub(crate) use repeated::repeated;

/// The visible part of an abstract play: what O does with which numbers, and what P is to answer.
#[derive(Clone, Debug)]
pub struct Skeleton {
    /// The pairs of moves.
    pub pairs: Vec<Pair>,
    /// What the last move is to be.
    pub target: Move,
}

/// The numbers of a move of O's.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Those that O may give.
    pub value: Option<Interval>,
    /// Where O may point.
    pub index: Option<Interval>,
    /// Those that O may give in a call of a module's procedure.
    pub arguments: Box<[Interval]>,
}

impl From<OfferData<Value>> for Given {
    fn from(data: OfferData<Value>) -> Given {
        let interval = |value: Value| value.interval;
        let arguments = data.arguments.into_iter().map(interval).collect();
        Given { value: data.value.map(interval), index: data.index.map(interval), arguments }
    }
}

impl Given {
    /// A value and an index.
    pub(crate) fn pair(value: Option<Interval>, index: Option<Interval>) -> Given {
        Given { value, index, arguments: Box::default() }
    }

    /// The data of the n-th move, which knows where it came from.
    pub(crate) fn data(&self, n: usize, element: Option<&Value>) -> OfferData<Value> {
        let with = |interval: &Interval, source| {
            let causes = match interval.as_point() {
                Some(_) => Causes::default(),
                None => Causes::source(source),
            };
            Value { interval: interval.clone(), blame: None, causes }
        };
        let n = number(n);
        let value = self.value.as_ref().map(|value| with(value, Source::Answer(n)));
        let index = self.index.as_ref().map(|index| with(index, Source::Index(n)));
        let element = index.clone().or_else(|| element.cloned());
        let arguments = (0..).zip(&self.arguments);
        let arguments = arguments.map(|(k, interval)| with(interval, Source::Argument(n, k))).collect();
        OfferData { element, index, value, arguments }
    }

    /// The data of the move with numbers near to zero; or, where the move is to be the target, with its numbers.
    pub(crate) fn exact(&self, element: Option<&Int>, target: Option<&Move>) -> OfferData<Int> {
        let number = |interval: &Option<Interval>| interval.as_ref().map(Interval::nearest_to_zero);
        let (value, index) = match target {
            Some(target) => (target.label.value().cloned(), target.element.clone()),
            None => (number(&self.value), number(&self.index)),
        };
        let index = index.filter(|_| self.index.is_some());
        let element = index.clone().or_else(|| element.cloned());
        let arguments = self.arguments.iter().map(Interval::nearest_to_zero).collect();
        OfferData { element, index, value, arguments }
    }

    /// The numbers of one kind, to be narrowed.
    fn of(&mut self, which: Which) -> Option<&mut Interval> {
        match which {
            Which::Value => self.value.as_mut(),
            Which::Index => self.index.as_mut(),
            Which::Argument(k) => self.arguments.get_mut(k as usize),
        }
    }
}

/// One kind of numbers of a move.
#[derive(Clone, Copy)]
enum Which {
    Value,
    Index,
    Argument(u32),
}

/// A step: a move of O's and what P is to answer, or a step of a thread.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The thread.
    pub thread: Box<Thread>,
    /// The offer that O takes, if O does something.
    pub offer: Option<usize>,
    /// Its numbers.
    pub given: Given,
    /// The last move that is to be seen of it: where, and of what kind. There is none where a thread's step is silent, and
    /// where O's move is the last of a sequential play.
    pub answer: Option<(ComponentId, Label<Value>)>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub enum Concrete {
    /// The play over exact numbers.
    Found(Play),
    /// It cannot be played: this is what the program does instead, and where.
    Spurious {
        /// After how many moves.
        after: usize,
        /// What P does there, as it is written; none if it never moves again.
        instead: Option<String>,
    },
    /// It cannot be played: a solver says so.
    Infeasible,
    /// Something ran out.
    Stopped(Stop),
    /// No numbers were found, but there may be some.
    Unclear,
}

/// The search gives up after this many pairs of moves, or after twice the play.
pub(crate) const MOST_PAIRS: usize = 20_000;
/// At most this many positions are followed at once over intervals.
const MOST_POSITIONS: usize = 16;
/// A run of P's may ask this often whether to go on.
const MOST_PATIENCE: u64 = 16;
/// A run of P's that was asked to stop counts as this many pairs of moves.
const LONG_RUN: usize = 4_096;

/// What came of playing over intervals.
pub(crate) enum Attempt {
    /// It goes as it should, with any numbers.
    Certain,
    /// It never does: after this many moves the program does something else.
    Impossible { after: usize, instead: Option<String> },
    /// With some it may; this is what the undecided operations came from.
    Unsure(Vec<Causes>),
}

/// A strategy over intervals that says what undecided operations came from.
pub(crate) trait Undecided: Played<Domain = Abstracted> {
    /// Takes what the undecided operations came from since the last time.
    fn take_undecided(&mut self) -> Vec<Causes>;
}

impl Undecided for Stacked<Abstracted> {
    fn take_undecided(&mut self) -> Vec<Causes> {
        self.0.domain_mut().take_pending()
    }
}

impl Undecided for Threaded<Abstracted> {
    fn take_undecided(&mut self) -> Vec<Causes> {
        self.domain_mut().take_pending()
    }
}

impl Undecided for Machine<Abstracted> {
    fn take_undecided(&mut self) -> Vec<Causes> {
        self.domain_mut().take_pending()
    }
}

impl Undecided for Strands<Abstracted> {
    fn take_undecided(&mut self) -> Vec<Causes> {
        // Outcomes are tried one by one, so all that was pending has been chosen.
        self.domain_mut().take_pending();
        self.domain_mut().take_doubts()
    }
}

/// A play that is tried with one set of numbers after another.
pub(crate) struct Concretising<'a, A, E> {
    pub(crate) skeleton: &'a Skeleton,
    /// The program over intervals, and over numbers.
    pub(crate) intervals: A,
    pub(crate) exact: E,
    pub(crate) budget: &'a Budget,
    /// How many steps may still be made.
    pub(crate) steps_left: usize,
}

impl<A: Undecided, E: Recorded> Concretising<'_, A, E> {
    /// Looks for numbers with which the play can be played.
    pub(crate) fn run(&mut self) -> Concrete {
        let given: Vec<Given> = self.skeleton.pairs.iter().map(|pair| pair.given.clone()).collect();
        let budget = self.budget;
        let mut first_failure = None;
        let mut unclear = false;
        let tried = depth_first(vec![given], |waiting, given| {
            budget.check().map_err(Concrete::Stopped)?;
            if self.steps_left == 0 {
                return Err(Concrete::Unclear);
            }
            match self.attempt(&given) {
                Attempt::Certain => match self.tell(&given) {
                    Some(play) => return Err(Concrete::Found(play)),
                    None => unclear = true,
                },
                Attempt::Impossible { after, instead } => {
                    first_failure.get_or_insert(Concrete::Spurious { after, instead });
                }
                Attempt::Unsure(doubts) => match halves(&given, &doubts) {
                    Some((one, other)) => {
                        waiting.push(other);
                        waiting.push(one);
                    }
                    None => match self.tell(&given) {
                        Some(play) => return Err(Concrete::Found(play)),
                        None => unclear = true,
                    },
                },
            }
            Ok(())
        });
        match (tried.and_then(|()| budget.check().map_err(Concrete::Stopped)), first_failure) {
            (Err(early), _) => early,
            (Ok(()), Some(failure)) if !unclear => failure,
            _ => Concrete::Unclear,
        }
    }

    /// Plays over intervals.
    fn attempt(&mut self, given: &[Given]) -> Attempt {
        let Skeleton { pairs, target } = self.skeleton;
        let mut positions = vec![self.intervals.start()];
        let mut certain = true;
        let mut doubts = Vec::new();
        // The moves before the step at hand.
        let mut moves = 0;
        for (n, pair) in pairs.iter().enumerate() {
            self.steps_left = self.steps_left.saturating_sub(1);
            let is_last = n + 1 == pairs.len();
            let mut next: Vec<A::Position> = Vec::new();
            let mut instead = None;
            let mut reached = false;
            for at in positions {
                let offers = self.intervals.offers(&at, &pair.thread);
                let played = match pair.offer.map(|n| offers.as_ref().and_then(|offers| offers.get(n))) {
                    None => None,
                    Some(None) => continue,
                    Some(Some(_)) if A::ANSWERS && pair.answer.is_none() => {
                        // O's own move is the target: O plays it.
                        reached = true;
                        continue;
                    }
                    Some(Some(offer)) => pair.offer.zip(Some(given[n].data(n, offer.element.as_ref()))),
                };
                self.intervals.take_undecided();
                let turn = Turn { thread: &pair.thread, played };
                let budget = &self.budget.with_patience(MOST_PATIENCE);
                let Ok(steps) = self.intervals.steps(&at, turn, None, budget) else {
                    self.steps_left = self.steps_left.saturating_sub(LONG_RUN);
                    return Attempt::Unsure(doubts);
                };
                let undecided = self.intervals.take_undecided();
                let mut sure = false;
                for step in steps {
                    let seen = A::seen(&step.label);
                    let as_it_should = match (&pair.answer, seen) {
                        (Some((at, said)), Some(m)) => *at == m.component && said.says_what(&m.label),
                        (None, None) => true,
                        _ => false,
                    };
                    let fit = seen.map_or(Fit::Not, |m| fits(m, target));
                    if !as_it_should || (is_last && fit == Fit::Not) {
                        instead = instead.or_else(|| seen.cloned());
                        continue;
                    }
                    let perhaps = is_last && fit == Fit::Perhaps;
                    sure |= step.how.certain && !perhaps;
                    if perhaps {
                        let value = seen.and_then(|m| m.label.value());
                        doubts.extend(value.map(|value| value.causes.clone()));
                    }
                    reached |= is_last;
                    if let Some(after) = step.next
                        && !next.contains(&after)
                    {
                        next.push(after);
                    }
                }
                certain &= sure;
                if !sure {
                    doubts.extend(undecided);
                }
            }
            if (is_last && !reached) || (!is_last && next.is_empty()) {
                let show = |m: &Move<Value>| {
                    self.intervals.arena().show_with(m, |_, value| value.interval.to_string())
                };
                let after = moves + usize::from(A::ANSWERS);
                return Attempt::Impossible { after, instead: instead.as_ref().map(show) };
            }
            if next.len() > MOST_POSITIONS {
                return Attempt::Unsure(doubts);
            }
            moves += if A::ANSWERS { 2 } else { usize::from(pair.answer.is_some()) };
            positions = next;
        }
        if certain { Attempt::Certain } else { Attempt::Unsure(doubts) }
    }

    /// The play with numbers from the intervals, if it can be played.
    pub(crate) fn tell(&mut self, given: &[Given]) -> Option<Play> {
        let Skeleton { pairs, target } = self.skeleton;
        self.steps_left = self.steps_left.saturating_sub(pairs.len());
        tell(&mut self.exact, target, pairs.iter().zip(given), self.budget)
    }
}

/// Looks for numbers with which the play can be played.
pub fn concretise(
    code: &Arc<Code>,
    arena: &Arc<Arena>,
    sites: &Sites,
    skeleton: &Skeleton,
    solver: Option<&mut dyn Solver>,
    budget: &Budget,
) -> Concrete {
    let domain = Abstracted::new(sites.clone(), Keeping::Intervals, Interval::binary);
    let memo = CallMemo { forget: true, ..CallMemo::default() };
    let mut concretising = Concretising {
        skeleton,
        intervals: Machine::new(code.clone(), arena.clone(), domain).with_call_memo(memo),
        exact: Machine::new(code.clone(), arena.clone(), Exact::default()),
        budget,
        steps_left: MOST_PAIRS.max(2 * skeleton.pairs.len()),
    };
    let concrete = concretising.run();
    let Some(solver) = solver else { return concrete };
    if matches!(concrete, Concrete::Found(_) | Concrete::Stopped(_)) {
        return concrete;
    }
    match feasible(code, arena, skeleton, solver, budget) {
        Feasible::With(given) => concretising.tell(&given).map_or(concrete, Concrete::Found),
        Feasible::Not => match concrete {
            Concrete::Spurious { .. } => concrete,
            _ => Concrete::Infeasible,
        },
        Feasible::Unknown => concrete,
    }
}

/// The play in which these steps are made, O with numbers from the intervals, if its last move is the target then.
pub(crate) fn tell<'a, E: Recorded>(
    exact: &mut E,
    target: &Move,
    steps: impl ExactSizeIterator<Item = (&'a Pair, &'a Given)>,
    budget: &Budget,
) -> Option<Play> {
    let mut play = Play::default();
    let mut at = exact.start();
    let count = steps.len();
    for (n, (pair, given)) in steps.enumerate() {
        let is_last = n + 1 == count;
        let by_o = E::ANSWERS && pair.answer.is_none();
        let (mut asked, mut played) = (None, None);
        if let Some(n) = pair.offer {
            let offers = exact.offers(&at, &pair.thread)?;
            let offer = offers.get(n)?;
            // Where O's own move is the target, it is made as it is asked for.
            let wanted = (is_last && (by_o || !E::ANSWERS)).then_some(target);
            let wanted = wanted.filter(|target| target.component == offer.component);
            let data = given.exact(offer.element.as_ref(), wanted);
            asked = Some((n, offer.with(data.clone())));
            played = Some((n, data));
        }
        if is_last && by_o {
            let is_target = asked.as_ref().is_some_and(|(_, asked)| asked == target);
            exact.record(&at, asked, None, &mut play);
            return is_target.then_some(play);
        }
        let turn = Turn { thread: &pair.thread, played };
        let step = exact.steps(&at, turn, None, budget).ok()?.into_iter().next()?;
        exact.record(&at, asked, Some(&step), &mut play);
        if is_last {
            return (E::seen(&step.label) == Some(target)).then_some(play);
        }
        at = step.next?;
    }
    None
}

/// The numbers with one of the intervals that are to blame cut in two; the half nearer to zero first.
fn halves(given: &[Given], doubts: &[Causes]) -> Option<(Vec<Given>, Vec<Given>)> {
    for cause in doubts.iter().flat_map(|causes| causes.iter()) {
        let (n, which) = match cause.source {
            Source::Answer(n) => (n, Which::Value),
            Source::Index(n) => (n, Which::Index),
            Source::Argument(n, k) => (n, Which::Argument(k)),
            Source::Part(_) => continue,
        };
        let with = |half| {
            let mut given = given.to_vec();
            if let Some(interval) = given[n as usize].of(which) {
                *interval = half;
            }
            given
        };
        let interval = given[n as usize].clone().of(which).cloned();
        if let Some((one, other)) = interval.and_then(|interval| cut(&interval, &cause.cuts)) {
            return Some((with(one), with(other)));
        }
    }
    None
}

/// Cuts an interval in two, at one of the numbers if that can be, otherwise in the middle.
fn cut(interval: &Interval, cuts: &[Int]) -> Option<(Interval, Interval)> {
    if interval.as_point().is_some() {
        return None;
    }
    let wide = |n: &Int| n.mul(&Int::from(2i64)).add(&Int::ONE);
    let before = cuts.iter().find(|n| interval.contains(n) && interval.low() != Some(n)).cloned();
    let before = before.unwrap_or_else(|| match (interval.low(), interval.high()) {
        (None, None) => Int::ZERO,
        (Some(low), None) if low.is_negative() => Int::ZERO,
        (Some(low), None) => wide(low),
        (None, Some(high)) if *high >= Int::ZERO => Int::ZERO,
        (None, Some(high)) => wide(high),
        _ => interval.middle().unwrap_or_default().add(&Int::ONE),
    });
    let below = Interval::new(interval.low().cloned(), Some(before.sub(&Int::ONE)))?;
    let above = Interval::new(Some(before), interval.high().cloned())?;
    let size = |n: Int| if n.is_negative() { n.neg() } else { n };
    if size(above.nearest_to_zero()) < size(below.nearest_to_zero()) {
        Some((above, below))
    } else {
        Some((below, above))
    }
}
