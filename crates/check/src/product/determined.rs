//! Two programs with choices and silent steps, made deterministic while they are walked.
//!
//! A position is a subset of the states of a graph that holds both programs. A letter is a move of either player. Pairs are merged into classes as they are
//! reached, and a pair within one class is left out (Hopcroft and Karp): if its programs differ after some word, so
//! does one of the pairs that made them one class, and all of these were reached by no more moves.

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::explore::Numbered;
use agon_base::id::{halves, number};
use agon_base::int::Int;
use agon_games::arena::Arena;
use agon_games::automaton::subsets::{Choices, Subsets};
use agon_games::machine::{Offer, State};
use agon_games::strategy::{Origin, Outcomes, Step, StepOf, Strategy, Thread, Turn};
use agon_games::values::Exact;

use super::Unknown;
use super::pair::{Deterministic, Pair, Programs};
use crate::equiv::{Relation, Side};

/// The state of a graph in which the play is complete. No edge leaves it.
pub(super) const COMPLETE: u32 = 0;

/// A graph of the states of both programs.
pub(super) trait States: Choices<Stop = Stop> {
    /// The state in which a program begins.
    fn start(&self, side: Side) -> u32;

    /// The memory that it takes, in bytes.
    fn memory(&self) -> usize;
}

/// Both programs, by subsets of states.
pub(super) struct Determined<G> {
    pub(super) graph: G,
    subsets: Subsets,
    /// For each subset where its successors are, once they are known.
    known: Vec<Option<(usize, usize)>>,
    successors: Vec<(u32, u32)>,
    /// For each subset another one of its class, or itself; the first stands for a program that has left the play.
    classes: Vec<u32>,
    /// How many edges were looked at.
    looked: u64,
}

/// Two concurrent programs as one strategy.
pub(super) fn pair<G: States>(graph: G, arenas: [Arc<Arena>; 2]) -> Result<Pair<Determined<G>>, Unknown> {
    let mut determined = Determined {
        graph,
        subsets: Subsets::default(),
        known: Vec::new(),
        successors: Vec::new(),
        classes: Vec::new(),
        looked: 0,
    };
    let mut start = |side: Side| {
        let Determined { graph, subsets, .. } = &mut determined;
        let subset = subsets.start(graph, graph.start(side)).map_err(|stop| Unknown::of(side, stop))?;
        Ok::<_, Unknown>(State(u64::from(subset)))
    };
    let starts = (start(Side::Left)?, start(Side::Right)?);
    Ok(Pair::new(Programs::One(determined), starts, arenas))
}

/// The subset that a position is.
fn subset(at: State) -> u32 {
    halves(at.0).1
}

impl<G: States> Determined<G> {
    /// The number that stands for the class of a subset.
    fn class(&mut self, at: Option<State>) -> u32 {
        let known = number(self.classes.len());
        self.classes.extend(known..=number(self.subsets.count()));
        let mut at = at.map_or(0, |at| 1 + subset(at));
        while self.classes[at as usize] != at {
            let next = self.classes[at as usize];
            self.classes[at as usize] = self.classes[next as usize];
            at = next;
        }
        at
    }

    /// Where the successors of a subset are.
    fn successors(&mut self, subset: u32) -> Result<(usize, usize), Stop> {
        if self.known.len() <= subset as usize {
            self.known.resize(self.subsets.count(), None);
        }
        if let Some(known) = self.known[subset as usize] {
            self.looked += 1;
            return Ok(known);
        }
        let (first, looked) = (self.successors.len(), self.subsets.looked());
        self.subsets.successors(&mut self.graph, subset, &mut self.successors)?;
        let found = (first, self.successors.len());
        self.known[subset as usize] = Some(found);
        self.looked += self.subsets.looked() - looked;
        Ok(found)
    }
}

impl<G: States> Strategy for Determined<G> {
    type Domain = Exact;
    type Position = State;
    type Label = u32;

    /// Where the left program begins.
    fn start(&self) -> State {
        State(0)
    }

    /// O's moves are among the letters.
    fn offers(&self, _: &State, _: &Thread) -> Option<Arc<[Offer<Int>]>> {
        None
    }

    fn steps_into(
        &mut self,
        at: &State,
        _: Turn<'_, Int>,
        _: Option<&[u32]>,
        _: &Budget,
        found: &mut Vec<StepOf<Self>>,
    ) -> Result<(), Stop> {
        let (first, end) = self.successors(subset(*at))?;
        for (label, to) in &self.successors[first..end] {
            let next = match self.subsets.states(*to) {
                // Nothing that is seen can follow.
                [] => continue,
                // Whether a play is complete shows in its last move, so nothing else is in the subset.
                [COMPLETE, ..] => None,
                _ => Some(State(u64::from(*to))),
            };
            let how = Outcomes { choices: Box::default(), marker: None, certain: true };
            found.push(Step { label: *label, next, origin: Origin::Environment, how });
        }
        Ok(())
    }
}

impl<G: States> Deterministic for Determined<G> {
    fn is_settled(&mut self, relation: Relation, left: Option<State>, right: Option<State>) -> bool {
        match relation {
            Relation::Equivalence => {
                let (left, right) = (self.class(left), self.class(right));
                self.classes[left as usize] = right;
                left == right
            }
            Relation::Approximation => {
                let states = |at: Option<State>| at.map_or(&[][..], |at| self.subsets.states(subset(at)));
                let right = states(right);
                states(left).iter().all(|state| right.binary_search(state).is_ok())
            }
        }
    }

    fn looked(&self) -> u64 {
        self.looked
    }

    fn memory(&self) -> usize {
        self.graph.memory()
            + self.subsets.memory()
            + self.successors.capacity() * size_of::<(u32, u32)>()
            + self.known.capacity() * size_of::<Option<(usize, usize)>>()
            + self.classes.capacity() * size_of::<u32>()
    }
}
