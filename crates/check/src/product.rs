//! The product of two programs: one walk over pairs of positions, which stops at the first difference.
//!
//! Both programs are played against the same O. As long as both make the same moves they are walked as a pair. Where
//! only one can make a move it is followed alone, because a difference only counts once a play is complete that one of
//! them has and the other has not. Breadth first, so a play that tells them apart is a shortest one.

pub(crate) mod concurrent;
mod determined;
pub(crate) mod relations;
pub(crate) mod sequential;
#[cfg(test)]
mod tests;
mod unfolding;

use agon_base::budget::{Budget, Stop};
use agon_base::intern::Interner;

use crate::equiv::{Relation, Side};
use crate::search::{Observer, Progress};
use crate::verdict::Reason;

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
}

/// A budget that ran out is due to neither program.
impl From<Stop> for Unknown {
    fn from(stop: Stop) -> Unknown {
        Unknown::of(Side::Left, stop)
    }
}

/// One of O's choices: a family of moves, and the number of a move in it.
pub(crate) type Choice = (u16, u64);

/// Two programs, each a deterministic strategy: after the same moves it is at one position.
pub(crate) trait Sides {
    /// What is seen of a step. Steps of both sides are the same if it is the same.
    type Letter: Ord;

    /// The position of a side before the first move.
    fn start(&mut self, side: Side) -> Result<u64, Unknown>;

    /// The number of the last move in a family that O may choose from at a position, if there is such a family.
    fn last(&mut self, side: Side, at: u64, family: u16) -> Option<u64>;

    /// The steps at a position that a choice of O's allows, sorted by letter, with the position after each; none if the
    /// play is complete. Gives the number of transitions that it looked at.
    fn steps(
        &mut self,
        side: Side,
        at: u64,
        choice: Choice,
        found: &mut Vec<(Self::Letter, Option<u64>)>,
    ) -> Result<u64, Unknown>;

    /// Whether a new pair can be left out: if its programs differ, pairs that were kept before show a difference that
    /// is no longer.
    fn is_settled(&mut self, relation: Relation, left: Option<u64>, right: Option<u64>) -> bool;

    /// The memory that the tables take, in bytes.
    fn memory(&self) -> usize;
}

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

/// A pair of positions, or one alone: the other program has left the play.
type Pair = (u64, u64);
const GONE: u64 = u64::MAX;

/// What a step makes of a side.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    /// It cannot make the step.
    Gone,
    /// The play is complete.
    Complete,
    At(u64),
}

/// A walk over pairs.
pub(crate) struct Product<S: Sides> {
    pub(crate) sides: S,
    relation: Relation,
    pairs: Interner<Pair>,
    /// For each pair the one from which it was first reached, and by which of O's choices.
    parents: Vec<(u32, Choice)>,
    next: u32,
    /// The choice of O's at the pair at hand that is tried next.
    choice: Choice,
    /// O's choices that were tried, and the transitions that were looked at for them.
    tried: u64,
    looked: u64,
    /// When the budget is looked at next, and when progress is reported.
    due: u64,
    report: u64,
    /// What both sides do at the pair at hand, and the pairs behind it.
    steps: [Vec<(S::Letter, Option<u64>)>; 2],
    behind: Vec<Pair>,
}

impl<S: Sides> Product<S> {
    /// A walk that begins where both programs begin.
    pub(crate) fn new(mut sides: S, relation: Relation) -> Result<Product<S>, Unknown> {
        let start = (sides.start(Side::Left)?, sides.start(Side::Right)?);
        let mut product = Product {
            sides,
            relation,
            pairs: Interner::default(),
            parents: Vec::new(),
            next: 0,
            choice: (0, 0),
            tried: 0,
            looked: 0,
            due: PATIENCE,
            report: REPORT,
            steps: [Vec::new(), Vec::new()],
            behind: Vec::new(),
        };
        product.reach(start, (0, (0, 0)));
        Ok(product)
    }

    /// The pairs that were reached, and O's choices that were tried.
    pub(crate) fn progress(&self) -> Progress {
        let memory =
            self.pairs.memory() + self.parents.capacity() * size_of::<(u32, Choice)>() + self.sides.memory();
        Progress { states: self.pairs.len(), transitions: self.tried, memory, iteration: 0 }
    }

    /// Walks on until this many transitions were looked at.
    pub(crate) fn advance(
        &mut self,
        most: u64,
        budget: &Budget,
        observe: &mut Observer<'_>,
    ) -> Result<Walked<S::Letter>, Unknown> {
        while (self.next as usize) < self.pairs.len() {
            let pair = *self.pairs.get(self.next);
            let (side, at) = if pair.0 == GONE { (Side::Right, pair.1) } else { (Side::Left, pair.0) };
            let (first, mut from) = self.choice;
            for family in first.. {
                let Some(last) = self.sides.last(side, at, family) else { break };
                for code in std::mem::take(&mut from)..=last {
                    if self.looked >= most {
                        self.choice = (family, code);
                        return Ok(Walked::Paused);
                    }
                    self.tried += 1;
                    if self.looked >= self.due {
                        self.due = self.looked + PATIENCE;
                        let progress = self.progress();
                        budget.check_with(progress.memory)?;
                        if self.looked >= self.report {
                            self.report = self.looked + REPORT;
                            observe(progress.into());
                        }
                    }
                    self.play(pair, (family, code))?;
                    if let Some((side, letter)) = self.follow((family, code)) {
                        return self.path(side, (family, code), letter);
                    }
                }
            }
            self.next += 1;
            self.choice = (0, 0);
        }
        Ok(Walked::Same)
    }

    /// Finds what both sides do at a pair.
    fn play(&mut self, (a, b): Pair, choice: Choice) -> Result<(), Unknown> {
        let Product { sides, steps: [left, right], looked, .. } = self;
        left.clear();
        right.clear();
        if a != GONE {
            *looked += sides.steps(Side::Left, a, choice, left)?;
        }
        if b != GONE {
            *looked += sides.steps(Side::Right, b, choice, right)?;
        }
        Ok(())
    }

    /// What the steps that were found make of both sides: those of the left one, then those of the right one alone. Each
    /// has the place of its letter.
    fn joint(&self) -> impl Iterator<Item = ((Side, usize), After, After)> {
        let [left, right] = &self.steps;
        let after = |steps: &[(S::Letter, Option<u64>)], letter: &S::Letter| {
            let found = steps.binary_search_by(|(other, _)| other.cmp(letter));
            found.map_or(After::Gone, |n| steps[n].1.map_or(After::Complete, After::At))
        };
        let of_left = left.iter().enumerate().map(move |(n, (letter, to))| {
            ((Side::Left, n), to.map_or(After::Complete, After::At), after(right, letter))
        });
        let of_right =
            right.iter().enumerate().filter(move |(_, (letter, _))| after(left, letter) == After::Gone);
        of_left.chain(
            of_right
                .map(|(n, (_, to))| ((Side::Right, n), After::Gone, to.map_or(After::Complete, After::At))),
        )
    }

    /// Reaches the pairs behind the steps that were found, unless one of them completes a play of one side alone.
    fn follow(&mut self, choice: Choice) -> Option<(Side, S::Letter)> {
        let mut behind = std::mem::take(&mut self.behind);
        let mut differs = None;
        for ((side, n), left, right) in self.joint() {
            match (pair(left, right), left, self.relation) {
                (Some(_), After::Gone, Relation::Approximation) => {}
                (Some(pair), ..) => behind.push(pair),
                (None, ..) if left == right => {}
                (None, After::Complete, _) | (None, _, Relation::Equivalence) => {
                    differs = Some((side, n));
                    break;
                }
                (None, _, Relation::Approximation) => {}
            }
        }
        behind.drain(..).for_each(|pair| self.reach(pair, (self.next, choice)));
        self.behind = behind;
        let (side, n) = differs?;
        Some((side, self.steps[side as usize].swap_remove(n).0))
    }

    fn reach(&mut self, pair: Pair, parent: (u32, Choice)) {
        let position = |at: u64| (at != GONE).then_some(at);
        if !self.sides.is_settled(self.relation, position(pair.0), position(pair.1))
            && self.pairs.insert(pair).1
        {
            self.parents.push(parent);
        }
    }

    /// The play from the start to the pair at hand, and one step beyond.
    fn path(&mut self, side: Side, choice: Choice, letter: S::Letter) -> Result<Walked<S::Letter>, Unknown> {
        let mut path = vec![(choice, letter)];
        let mut at = self.next;
        while at != 0 {
            let (parent, choice) = self.parents[at as usize];
            self.play(*self.pairs.get(parent), choice)?;
            let to = *self.pairs.get(at);
            let step = self.joint().find(|(_, left, right)| pair(*left, *right) == Some(to));
            let ((side, n), ..) = step.expect("a step that was made can be made again");
            path.push((choice, self.steps[side as usize].swap_remove(n).0));
            at = parent;
        }
        path.reverse();
        Ok(Walked::Differs(side, path))
    }
}

/// The pair behind a step, unless a play is complete.
fn pair(left: After, right: After) -> Option<Pair> {
    let position = |after| match after {
        After::Gone => Some(GONE),
        After::Complete => None,
        After::At(at) => Some(at),
    };
    Some((position(left)?, position(right)?))
}
