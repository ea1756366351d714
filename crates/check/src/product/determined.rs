//! Two programs with choices and silent steps, made deterministic while they are walked.
//!
//! A position is a subset of the states of a graph that holds both programs. Pairs are merged into classes as they are
//! reached, and a pair within one class is left out (Hopcroft and Karp): if its programs differ after some word, so
//! does one of the pairs that made them one class, and all of these were reached by no more moves.

use agon_base::explore::Numbered;
use agon_base::id::{halves, number};
use agon_games::automaton::subsets::{Choices, Subsets};

use super::{Choice, Sides, Unknown};
use crate::equiv::{Relation, Side};

/// The state of a graph in which the play is complete. No edge leaves it.
pub(super) const COMPLETE: u32 = 0;

/// A graph of the states of both programs.
pub(super) trait States: Choices<Stop = Unknown> {
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
}

impl<G: States> Determined<G> {
    pub(super) fn new(graph: G) -> Determined<G> {
        let subsets = Subsets::default();
        Determined { graph, subsets, known: Vec::new(), successors: Vec::new(), classes: Vec::new() }
    }

    /// The number that stands for the class of a subset.
    fn class(&mut self, subset: Option<u64>) -> u32 {
        let known = number(self.classes.len());
        self.classes.extend(known..=number(self.subsets.count()));
        let mut at = subset.map_or(0, |subset| 1 + halves(subset).1);
        while self.classes[at as usize] != at {
            let next = self.classes[at as usize];
            self.classes[at as usize] = self.classes[next as usize];
            at = next;
        }
        at
    }

    /// The successors of a subset, and how many edges were looked at to find them.
    fn successors(&mut self, subset: u32) -> Result<((usize, usize), u64), Unknown> {
        if self.known.len() <= subset as usize {
            self.known.resize(self.subsets.count(), None);
        }
        if let Some(known) = self.known[subset as usize] {
            return Ok((known, 1));
        }
        let (first, looked) = (self.successors.len(), self.subsets.looked());
        self.subsets.successors(&mut self.graph, subset, &mut self.successors)?;
        let found = (first, self.successors.len());
        self.known[subset as usize] = Some(found);
        Ok((found, self.subsets.looked() - looked))
    }
}

impl<G: States> Sides for Determined<G> {
    type Letter = u32;

    fn start(&mut self, side: Side) -> Result<u64, Unknown> {
        let start = self.graph.start(side);
        self.subsets.start(&mut self.graph, start).map(u64::from)
    }

    /// O's moves are among the letters, so O chooses nothing besides.
    fn last(&mut self, _: Side, _: u64, family: u16) -> Option<u64> {
        (family == 0).then_some(0)
    }

    fn steps(
        &mut self,
        _: Side,
        at: u64,
        _: Choice,
        found: &mut Vec<(u32, Option<u64>)>,
    ) -> Result<u64, Unknown> {
        let ((first, end), looked) = self.successors(halves(at).1)?;
        for (letter, to) in &self.successors[first..end] {
            match self.subsets.states(*to) {
                // Nothing that is seen can follow.
                [] => {}
                // Whether a play is complete shows in its last move, so nothing else is in the subset.
                [COMPLETE, ..] => found.push((*letter, None)),
                _ => found.push((*letter, Some(u64::from(*to)))),
            }
        }
        Ok(looked)
    }

    fn is_settled(&mut self, relation: Relation, left: Option<u64>, right: Option<u64>) -> bool {
        match relation {
            Relation::Equivalence => {
                let (left, right) = (self.class(left), self.class(right));
                self.classes[left as usize] = right;
                left == right
            }
            Relation::Approximation => {
                let states = |at: Option<u64>| at.map_or(&[][..], |at| self.subsets.states(halves(at).1));
                let right = states(right);
                states(left).iter().all(|state| right.binary_search(state).is_ok())
            }
        }
    }

    fn memory(&self) -> usize {
        self.graph.memory()
            + self.subsets.memory()
            + self.successors.capacity() * size_of::<(u32, u32)>()
            + self.known.capacity() * size_of::<Option<(usize, usize)>>()
            + self.classes.capacity() * size_of::<u32>()
    }
}
