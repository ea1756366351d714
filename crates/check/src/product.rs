//! The product of two programs: one walk over pairs of positions, which stops at the first difference.
//!
//! Both programs are played against the same O, as one strategy ([`pair`]). As long as both make the same moves they are
//! walked as a pair. Where only one can make a move it is followed alone, because a difference only counts once a play is
//! complete that one of them has and the other has not. Breadth first, so a play that tells them apart is a shortest one.

pub(crate) mod concurrent;
mod determined;
pub(crate) mod pair;
pub(crate) mod relations;
pub(crate) mod sequential;
#[cfg(test)]
mod tests;
mod unfolding;

use agon_base::budget::{Budget, Stop};
use agon_base::explore::{Numbered, breadth_first_from};
use agon_base::int::Int;
use agon_base::intern::Interner;
use agon_games::arena::ComponentId;
use agon_games::machine::Offer;
use agon_games::strategy::{Step, StepOf, Strategy, Turn};

use crate::equiv::{Relation, Side};
use crate::search::{Observer, Progress};
use crate::verdict::Reason;
use pair::{By, Deterministic, Joint, Pair, Positions, leader};

/// Why a walk came to no end, and the program that it is due to.
#[derive(Debug)]
pub(crate) struct Unknown {
    pub(crate) side: Side,
    pub(crate) reason: Reason,
}

impl Unknown {
    pub(crate) fn of(side: Side, reason: impl Into<Reason>) -> Unknown {
        Unknown { side, reason: reason.into() }
    }

    /// The same, if another one says up to how many moves the programs do the same.
    pub(crate) fn partly(self, proved: &Unknown) -> Unknown {
        Unknown { reason: self.reason.partly(Some(&proved.reason)), ..self }
    }
}

/// A budget that ran out is due to neither program.
impl From<Stop> for Unknown {
    fn from(stop: Stop) -> Unknown {
        Unknown::of(Side::Left, stop)
    }
}

/// One of O's choices: a family of moves, and the number of a move in it.
pub(crate) type Choice = (u16, u64);

/// How far a walk has come.
pub(crate) enum Walked<L> {
    /// It has done as much as it was to do.
    Paused,
    /// There is no difference.
    Same,
    /// One side has a complete play that the other has not: O's choices, and what was seen.
    Differs(Side, Vec<(Choice, L)>),
}

impl<L> Walked<L> {
    /// Whether nothing is decided yet, given whether there is doubt where there is no difference.
    pub(crate) fn is_open(&self, doubt: impl FnOnce() -> bool) -> bool {
        match self {
            Walked::Paused => true,
            Walked::Same => doubt(),
            Walked::Differs(..) => false,
        }
    }
}

/// The budget is checked once in this many transitions.
const PATIENCE: u64 = 1 << 11;
/// Progress is reported once in this many transitions.
const REPORT: u64 = 1 << 17;
/// Of infinitely many answers one more than this are tried.
const A_FEW: u64 = 16;

/// A walk over the positions of a pair.
pub(crate) struct Product<S: Deterministic> {
    pub(crate) pair: Pair<S>,
    relation: Relation,
    positions: Interner<Positions>,
    /// For each position the one from which it was first reached, and by which of O's choices.
    parents: Vec<(u32, Choice)>,
    /// The position that is visited next, and the choice of O's there that is tried next.
    next: u32,
    choice: Choice,
    /// O's choices that were tried.
    tried: u64,
    /// When the budget is looked at next, and when progress is reported.
    due: u64,
    report: u64,
    /// A component in which O may answer any integer, of which a few were tried.
    unbounded: Option<(Side, ComponentId)>,
    /// The steps that the last choice of O's leads to.
    found: Vec<StepOf<Pair<S>>>,
}

impl<S: Deterministic> Numbered for Product<S> {
    fn count(&self) -> usize {
        self.positions.len()
    }
}

/// What a visit ends the walk with, if it does.
type Visited<L> = Result<Option<Walked<L>>, Unknown>;

impl<S: Deterministic> Product<S> {
    /// A walk that begins where both programs begin.
    pub(crate) fn new(pair: Pair<S>, relation: Relation) -> Product<S> {
        let start = pair.start();
        let mut product = Product {
            pair,
            relation,
            positions: Interner::default(),
            parents: Vec::new(),
            next: 0,
            choice: (0, 0),
            tried: 0,
            due: PATIENCE,
            report: REPORT,
            unbounded: None,
            found: Vec::new(),
        };
        product.reach(start, (0, (0, 0)));
        product
    }

    /// The pairs that were reached, and O's choices that were tried.
    pub(crate) fn progress(&self) -> Progress {
        let parents = self.parents.capacity() * size_of::<(u32, Choice)>();
        let memory = self.positions.memory() + parents + self.pair.memory();
        Progress { states: self.positions.len(), transitions: self.tried, memory, iteration: 0 }
    }

    /// Walks on until this many transitions were looked at.
    pub(crate) fn advance(
        &mut self,
        most: u64,
        budget: &Budget,
        observe: &mut Observer<'_>,
    ) -> Result<Walked<S::Label>, Unknown> {
        let mut next = self.next;
        let ended = breadth_first_from(self, &mut next, |product, at| {
            match product.visit(at, most, budget, observe) {
                Ok(None) => Ok(()),
                ended => Err(ended),
            }
        });
        self.next = next;
        match ended {
            Ok(()) => Ok(Walked::Same),
            Err(ended) => ended.map(|walked| walked.unwrap_or(Walked::Same)),
        }
    }

    /// Tries O's choices at a position, from the one that is due.
    fn visit(&mut self, n: u32, most: u64, budget: &Budget, observe: &mut Observer<'_>) -> Visited<S::Label> {
        let at = *self.positions.get(n);
        let offers = self.pair.offers(&at, &[]);
        let (first, mut from) = self.choice;
        for family in first.. {
            let Some(last) = self.last(at, offers.as_deref(), family) else { break };
            for code in std::mem::take(&mut from)..=last {
                let looked = self.pair.looked();
                if looked >= most {
                    self.choice = (family, code);
                    return Ok(Some(Walked::Paused));
                }
                self.tried += 1;
                if looked >= self.due {
                    self.due = looked + PATIENCE;
                    let progress = self.progress();
                    budget.check_with(progress.memory)?;
                    if looked >= self.report {
                        self.report = looked + REPORT;
                        observe(progress.into());
                    }
                }
                self.play(at, offers.as_deref(), (family, code), budget)?;
                if let Some((side, label)) = self.follow(n, (family, code)) {
                    return self.path(n, side, (family, code), label, budget).map(Some);
                }
            }
        }
        self.choice = (0, 0);
        Ok(None)
    }

    /// The number of the last move in a family that O may choose from, if there is such a family. Where O's moves are among
    /// the labels, O chooses nothing besides.
    fn last(&mut self, at: Positions, offers: Option<&[Offer<Int>]>, family: u16) -> Option<u64> {
        let Some(offers) = offers else { return (family == 0).then_some(0) };
        let offer = offers.get(usize::from(family))?;
        if offer.last.is_none() {
            self.unbounded = Some((leader(at).0, offer.component));
        }
        Some(offer.last.unwrap_or(A_FEW))
    }

    /// Finds the steps that a choice of O's leads to.
    fn play(
        &mut self,
        at: Positions,
        offers: Option<&[Offer<Int>]>,
        (family, code): Choice,
        budget: &Budget,
    ) -> Result<(), Unknown> {
        let n = usize::from(family);
        let played = offers.map(|offers| (n, self.pair.data(leader(at).0, &offers[n], code)));
        self.found.clear();
        let turn = Turn { thread: &[], played };
        let played = self.pair.steps_into(&at, turn, None, budget, &mut self.found);
        played.map_err(|stop| Unknown::of(self.pair.asked, stop))
    }

    /// Reaches the positions after the steps that were found, unless one of them completes a play of one side alone.
    fn follow(&mut self, from: u32, choice: Choice) -> Option<(Side, S::Label)> {
        let mut found = std::mem::take(&mut self.found);
        let mut differs = None;
        for Step { label: Joint { by, label }, next, .. } in found.drain(..) {
            match (next, by, self.relation) {
                (_, By::Only(Side::Right), Relation::Approximation) | (None, By::Both, _) => {}
                (Some(next), ..) => self.reach(next, (from, choice)),
                (None, By::Only(side), _) => {
                    differs = Some((side, label));
                    break;
                }
            }
        }
        self.found = found;
        differs
    }

    fn reach(&mut self, at: Positions, parent: (u32, Choice)) {
        if !self.pair.is_settled(self.relation, at) && self.positions.insert(at).1 {
            self.parents.push(parent);
        }
    }

    /// The play from the start to a position, and one step beyond.
    fn path(
        &mut self,
        mut at: u32,
        side: Side,
        choice: Choice,
        label: S::Label,
        budget: &Budget,
    ) -> Result<Walked<S::Label>, Unknown> {
        let mut path = vec![(choice, label)];
        while at != 0 {
            let (parent, choice) = self.parents[at as usize];
            let from = *self.positions.get(parent);
            let offers = self.pair.offers(&from, &[]);
            self.play(from, offers.as_deref(), choice, budget)?;
            let to = *self.positions.get(at);
            let step = self.found.drain(..).find(|step| step.next == Some(to));
            let step = step.expect("a step that was made can be made again");
            path.push((choice, step.label.label));
            at = parent;
        }
        path.reverse();
        Ok(Walked::Differs(side, path))
    }
}
