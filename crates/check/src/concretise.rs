//! Concretising: looking for the numbers with which an abstract play can really be played.
//!
//! Branch and prune: the play is run over intervals that are kept as they are. If it must go as it should, any
//! numbers in them will do; if it cannot, none will; otherwise one of the environment's intervals that an undecided
//! operation came from is cut in two.

mod repeated;

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::explore::depth_first;
use agon_base::int::Int;
use agon_games::abstracted::{Abstracted, Causes, Keeping, Source, Value};
use agon_games::arena::{Arena, ComponentId};
use agon_games::interval::Interval;
use agon_games::machine::{Code, Machine, OfferData, State, Thrift};
use agon_games::moves::{Label, Move};
use agon_games::play::Play;
use agon_games::sites::Sites;
use agon_games::values::Exact;
use agon_solve::Solver;

use crate::feasible::{Feasible, feasible};
use crate::retell::retell;
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
}

impl Given {
    /// The data of the n-th move, which knows where it came from.
    pub(crate) fn data(&self, n: usize, element: Option<&Value>) -> OfferData<Value> {
        let with = |interval: &Option<Interval>, source| {
            interval.clone().map(|interval| {
                let causes = match interval.as_point() {
                    Some(_) => Causes::default(),
                    None => Causes::source(source),
                };
                Value { interval, blame: None, causes }
            })
        };
        let value = with(&self.value, Source::Answer(n as u32));
        let index = with(&self.index, Source::Index(n as u32));
        let element = index.clone().or_else(|| element.cloned());
        OfferData { element, index, value }
    }

    /// The data of the move with numbers near to zero; or, where the move is to be the target, with its numbers.
    pub(crate) fn exact(&self, element: Option<&Int>, target: Option<&Move>) -> OfferData<Int> {
        let number = |interval: &Option<Interval>| interval.as_ref().map(Interval::nearest_to_zero);
        let (value, index) = match target {
            Some(target) => (answered(target).cloned(), target.element.clone()),
            None => (number(&self.value), number(&self.index)),
        };
        let index = index.filter(|_| self.index.is_some());
        let element = index.clone().or_else(|| element.cloned());
        OfferData { element, index, value }
    }
}

/// A move of O's and what P is to answer.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The offer that O takes.
    pub offer: usize,
    /// Its numbers.
    pub given: Given,
    /// Where P answers, and with what kind of move; none where O's move is the last.
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

/// So many pairs of moves are played before giving up, or twice the play.
const MOST_PAIRS: usize = 20_000;
/// From a play over intervals no more than so many positions are followed at once.
const MOST_POSITIONS: usize = 16;
/// A run of P's may ask this often whether to go on.
const MOST_PATIENCE: u64 = 16;

/// What came of playing over intervals.
pub(crate) enum Attempt {
    /// It goes as it should, with any numbers.
    Certain,
    /// It never does: after so many moves the program does something else.
    Impossible { after: usize, instead: Option<String> },
    /// With some it may; this is what the undecided operations came from.
    Unsure(Vec<Causes>),
}

/// A play that is tried with one set of numbers after another.
pub(crate) trait Rehearsal {
    /// Plays over intervals.
    fn attempt(&mut self, given: &[Given]) -> Attempt;
    /// The play with numbers from the intervals, if it can be played.
    fn tell(&mut self, given: &[Given]) -> Option<Play>;
    /// Whether enough was tried.
    fn is_enough(&self) -> bool;
}

/// Looks for numbers with which a play can be played: these, or some of them.
pub(crate) fn rehearse(rehearsal: &mut dyn Rehearsal, given: Vec<Given>, budget: &Budget) -> Concrete {
    let mut first_failure = None;
    let mut unclear = false;
    let tried = depth_first(vec![given], |waiting, given| {
        budget.check().map_err(Concrete::Stopped)?;
        if rehearsal.is_enough() {
            return Err(Concrete::Unclear);
        }
        match rehearsal.attempt(&given) {
            Attempt::Certain => match rehearsal.tell(&given) {
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
                None => match rehearsal.tell(&given) {
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

struct Concretising<'a> {
    skeleton: &'a Skeleton,
    intervals: Machine<Abstracted>,
    exact: Machine<Exact>,
    budget: &'a Budget,
    pairs_left: usize,
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
    let thrift = Thrift { forget: true, ..Thrift::default() };
    let given = skeleton.pairs.iter().map(|pair| pair.given.clone()).collect();
    let mut concretising = Concretising {
        skeleton,
        intervals: Machine::new(code.clone(), arena.clone(), domain).with_thrift(thrift),
        exact: Machine::new(code.clone(), arena.clone(), Exact::default()),
        budget,
        pairs_left: MOST_PAIRS.max(2 * skeleton.pairs.len()),
    };
    let concrete = rehearse(&mut concretising, given, budget);
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

impl Rehearsal for Concretising<'_> {
    fn is_enough(&self) -> bool {
        self.pairs_left == 0
    }

    fn attempt(&mut self, given: &[Given]) -> Attempt {
        let pairs = &self.skeleton.pairs;
        let mut positions = vec![self.intervals.start()];
        let mut certain = true;
        let mut doubts = Vec::new();
        for (n, pair) in pairs.iter().enumerate() {
            self.pairs_left = self.pairs_left.saturating_sub(1);
            let mut next: Vec<State> = Vec::new();
            let mut instead = None;
            let mut reached = false;
            for state in positions {
                let offers = self.intervals.offers(state);
                let Some(offer) = offers.get(pair.offer) else { continue };
                if pair.answer.is_none() {
                    // O's own move is the target: O plays it.
                    reached = true;
                    continue;
                }
                let data = given[n].data(n, offer.element.as_ref());
                let mut reactions = Vec::new();
                let budget = &self.budget.with_patience(MOST_PATIENCE);
                self.intervals.domain_mut().take_pending();
                let played = self.intervals.play_with(state, offer, data, None, &mut reactions, budget);
                let pending = self.intervals.domain_mut().take_pending();
                if played.is_err() {
                    return Attempt::Unsure(doubts);
                }
                let mut sure = false;
                for reaction in &reactions {
                    let Move { component, label, .. } = &reaction.label;
                    let as_it_should = pair
                        .answer
                        .as_ref()
                        .is_some_and(|(at, said)| at == component && said.says_what(label));
                    let fit = fits(&reaction.label, &self.skeleton.target);
                    let is_last = n + 1 == pairs.len();
                    if !as_it_should || (is_last && fit == Fit::Not) {
                        instead.get_or_insert(reaction.label.clone());
                        continue;
                    }
                    sure |= reaction.how.certain && !(is_last && fit == Fit::Perhaps);
                    if is_last && fit == Fit::Perhaps {
                        doubts.extend(answered(&reaction.label).map(|value| value.causes.clone()));
                    }
                    reached |= is_last;
                    if let Some(state) = reaction.next
                        && !next.contains(&state)
                    {
                        next.push(state);
                    }
                }
                certain &= sure;
                if !sure {
                    doubts.extend(pending);
                }
            }
            let is_last = n + 1 == pairs.len();
            if (is_last && !reached) || (!is_last && next.is_empty()) {
                let show = |m: &Move<Value>| {
                    self.intervals.arena().show_with(m, |_, value| value.interval.to_string())
                };
                return Attempt::Impossible { after: 2 * n + 1, instead: instead.as_ref().map(show) };
            }
            if next.len() > MOST_POSITIONS {
                return Attempt::Unsure(doubts);
            }
            positions = next;
        }
        if certain { Attempt::Certain } else { Attempt::Unsure(doubts) }
    }

    fn tell(&mut self, given: &[Given]) -> Option<Play> {
        let pairs = &self.skeleton.pairs;
        self.pairs_left = self.pairs_left.saturating_sub(pairs.len());
        let offers: Vec<usize> = pairs.iter().map(|pair| pair.offer).collect();
        let by_o = pairs.last().is_some_and(|pair| pair.answer.is_none());
        tell(&mut self.exact, &self.skeleton.target, &offers, by_o, given, self.budget)
    }
}

/// The play in which O takes these offers with numbers from the intervals, if its last move is the target then; that may
/// be O's own.
pub(crate) fn tell(
    exact: &mut Machine<Exact>,
    target: &Move,
    offers: &[usize],
    by_o: bool,
    given: &[Given],
    budget: &Budget,
) -> Option<Play> {
    let mut play = Play::default();
    let mut state = exact.start();
    for (n, (offer, given)) in offers.iter().zip(given).enumerate() {
        let all = exact.offers(state);
        let offer = all.get(*offer)?;
        let is_last = n + 1 == offers.len();
        // Where O's own move is the target, it is made as it is asked for.
        let wanted = (is_last && by_o).then_some(target);
        let data = given.exact(offer.element.as_ref(), wanted);
        if wanted.is_some() {
            let span = exact.argument_span(state, offer);
            let asked = offer.with(data);
            return (asked == *target).then(|| {
                play.push(asked, span);
                play
            });
        }
        let reaction = retell(exact, &mut play, state, offer, data, budget).ok()??;
        if is_last {
            return (reaction.label == *target).then_some(play);
        }
        state = reaction.next?;
    }
    None
}

/// The value that a move gives.
pub(crate) fn answered<V>(m: &Move<V>) -> Option<&V> {
    match &m.label {
        Label::Value(value) | Label::Write(value) => Some(value),
        _ => None,
    }
}

/// The numbers with one of the intervals that are to blame cut in two; the half nearer to zero first.
fn halves(given: &[Given], doubts: &[Causes]) -> Option<(Vec<Given>, Vec<Given>)> {
    for cause in doubts.iter().flat_map(|causes| causes.iter()) {
        let (n, index) = match cause.source {
            Source::Answer(n) => (n as usize, false),
            Source::Index(n) => (n as usize, true),
            Source::Part(_) => continue,
        };
        let interval = if index { &given[n].index } else { &given[n].value };
        let Some((one, other)) = interval.as_ref().and_then(|interval| cut(interval, &cause.cuts)) else {
            continue;
        };
        let with = |half| {
            let mut given = given.to_vec();
            *(if index { &mut given[n].index } else { &mut given[n].value }) = Some(half);
            given
        };
        return Some((with(one), with(other)));
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
