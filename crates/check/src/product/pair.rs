//! A pair of strategies, which is a strategy: both are played against the same O.
//!
//! A position of the pair is a position of each, or of one alone where the other has left the play. A label says who makes
//! the step. The play is complete if it is complete for who makes the last step.

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::int::Int;
use agon_games::arena::Arena;
use agon_games::machine::{Offer, OfferData, State};
use agon_games::strategy::{Step, StepOf, Strategy, Thread, Turn};
use agon_games::values::Exact;

use crate::equiv::{Relation, Side};

/// A deterministic strategy: after the same moves it is at one position. Its steps are sorted by their labels.
pub(crate) trait Deterministic: Strategy<Domain = Exact, Position = State, Label: Ord> {
    /// Whether a new pair of positions of this strategy can be left out: if these differ, pairs that were kept before show
    /// a difference that is no longer.
    fn is_settled(&mut self, relation: Relation, left: Option<State>, right: Option<State>) -> bool;

    /// How many transitions were looked at so far.
    fn looked(&self) -> u64;

    /// The memory that the tables take, in bytes.
    fn memory(&self) -> usize;
}

/// Two programs, as one strategy.
pub(crate) struct Pair<S: Strategy> {
    programs: Programs<S>,
    starts: Positions,
    arenas: [Arc<Arena>; 2],
    domain: Exact,
    /// The side that was asked last.
    pub(super) asked: Side,
    /// The steps of each side, and those of the right one alone.
    steps: [Vec<StepOf<S>>; 2],
    alone: Vec<StepOf<S>>,
}

/// The strategies of two programs.
pub(crate) enum Programs<S> {
    /// One for each.
    Two([S; 2]),
    /// One whose positions are those of both.
    One(S),
}

impl<S> Programs<S> {
    pub(super) fn of(&self, side: Side) -> &S {
        match self {
            Programs::Two(both) => &both[side as usize],
            Programs::One(shared) => shared,
        }
    }

    pub(super) fn of_mut(&mut self, side: Side) -> &mut S {
        match self {
            Programs::Two(both) => &mut both[side as usize],
            Programs::One(shared) => shared,
        }
    }

    /// All strategies, each once.
    fn each(&self) -> &[S] {
        match self {
            Programs::Two(both) => both,
            Programs::One(shared) => std::slice::from_ref(shared),
        }
    }
}

/// The positions of the left and the right program; one that has left the play is [`GONE`].
pub(crate) type Positions = (State, State);
/// No position: the program has left the play.
pub(super) const GONE: State = State(u64::MAX);

/// Who makes a step of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum By {
    Both,
    Only(Side),
}

/// What is seen of a step of a pair.
pub(crate) struct Joint<L> {
    pub by: By,
    pub label: L,
}

/// The side whose offers O chooses from, and its position.
pub(super) fn leader((left, right): Positions) -> (Side, State) {
    if left == GONE { (Side::Right, right) } else { (Side::Left, left) }
}

impl<S: Deterministic> Pair<S> {
    pub(crate) fn new(programs: Programs<S>, starts: Positions, arenas: [Arc<Arena>; 2]) -> Pair<S> {
        let (steps, alone) = Default::default();
        Pair { programs, starts, arenas, domain: Exact::default(), asked: Side::Left, steps, alone }
    }

    /// The strategy of a side.
    pub(crate) fn side(&self, side: Side) -> &S {
        self.programs.of(side)
    }

    /// The strategy of a side, to be played.
    pub(crate) fn side_mut(&mut self, side: Side) -> &mut S {
        self.programs.of_mut(side)
    }

    /// The data of one of O's moves.
    pub(super) fn data(&self, side: Side, offer: &Offer<Int>, code: u64) -> OfferData<Int> {
        offer.parts(&self.domain, &self.arenas[side as usize], code)
    }

    /// Whether a new pair can be left out.
    pub(super) fn is_settled(&mut self, relation: Relation, (left, right): Positions) -> bool {
        let position = |at: State| (at != GONE).then_some(at);
        match &mut self.programs {
            Programs::One(shared) => shared.is_settled(relation, position(left), position(right)),
            Programs::Two(_) => false,
        }
    }

    pub(super) fn looked(&self) -> u64 {
        self.programs.each().iter().map(S::looked).sum()
    }

    pub(super) fn memory(&self) -> usize {
        self.programs.each().iter().map(S::memory).sum()
    }
}

impl<S: Deterministic> Strategy for Pair<S> {
    type Domain = Exact;
    type Position = Positions;
    type Label = Joint<S::Label>;

    fn start(&self) -> Positions {
        self.starts
    }

    fn offers(&self, at: &Positions, thread: &Thread) -> Option<Arc<[Offer<Int>]>> {
        let (side, at) = leader(*at);
        self.side(side).offers(&at, thread)
    }

    /// Those that the left program makes, alone or with the other, then those that the right one makes alone.
    fn steps_into(
        &mut self,
        at: &Positions,
        turn: Turn<'_, Int>,
        script: Option<&[u32]>,
        budget: &Budget,
        found: &mut Vec<StepOf<Self>>,
    ) -> Result<(), Stop> {
        let Pair { programs, steps: [left, right], alone, asked, .. } = self;
        for (side, at, steps) in [(Side::Left, at.0, &mut *left), (Side::Right, at.1, &mut *right)] {
            steps.clear();
            if at != GONE {
                *asked = side;
                programs.of_mut(side).steps_into(&at, turn.clone(), script, budget, steps)?;
            }
        }
        alone.clear();
        let mut others = right.drain(..).peekable();
        for Step { label, next, origin, how } in left.drain(..) {
            while let Some(before) = others.next_if(|other| other.label < label) {
                alone.push(before);
            }
            let (by, next) = match others.next_if(|other| other.label == label) {
                // The label says whether the play is complete, so it is for both or for none.
                Some(other) => (By::Both, next.zip(other.next)),
                None => (By::Only(Side::Left), next.map(|next| (next, GONE))),
            };
            found.push(Step { label: Joint { by, label }, next, origin, how });
        }
        alone.extend(others);
        found.extend(alone.drain(..).map(|Step { label, next, origin, how }| {
            let label = Joint { by: By::Only(Side::Right), label };
            Step { label, next: next.map(|next| (GONE, next)), origin, how }
        }));
        Ok(())
    }
}
