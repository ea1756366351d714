//! Confluence: silent steps that take nothing away are taken at once.
//!
//! A silent step s → t is confluent if whatever else s can do, t can do as well, and the two paths meet again by a
//! confluent step. Then s and t have the same plays, and t alone is looked at. The largest such set of steps is found
//! on the whole graph by throwing out those that are not confluent until none is left to throw out.

use std::hash::Hash;

use agon_base::budget::{Budget, Stop};
use agon_base::explore::breadth_first;
use agon_base::growth::full;
use agon_base::id::number;
use agon_base::intern::Interner;

use super::Automaton;
use super::build::Accepting;

/// A graph with letters on its edges; letter 0 is silent.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Letters and targets, those of each state sorted.
    edges: Vec<(u32, u32)>,
    /// Where the edges of each state begin.
    starts: Vec<u32>,
}

/// The budget is checked once in this many states.
const PATIENCE: u32 = 1 << 12;

/// The letter of silent edges.
pub const SILENT: u32 = 0;

impl Graph {
    /// Adds a state with its edges.
    pub fn state(&mut self, edges: impl IntoIterator<Item = (u32, u32)>) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        let start = self.edges.len();
        self.edges.extend(edges);
        self.edges[start..].sort_unstable();
        let mut kept = start;
        for n in start..self.edges.len() {
            if n == start || self.edges[n] != self.edges[kept - 1] {
                self.edges[kept] = self.edges[n];
                kept += 1;
            }
        }
        self.edges.truncate(kept);
        self.starts.push(u32::try_from(kept).unwrap_or_else(|_| full()));
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// How many edges there are.
    pub fn transitions(&self) -> usize {
        self.edges.len()
    }

    fn range(&self, state: u32) -> std::ops::Range<usize> {
        self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize
    }

    /// The edges of a state.
    pub fn edges(&self, state: u32) -> &[(u32, u32)] {
        &self.edges[self.range(state)]
    }

    /// For each state one with the same words, which it reaches by confluent silent steps, and those of its edges that
    /// are confluent are not needed there.
    pub fn representatives(&self, budget: &Budget) -> Result<Vec<u32>, Stop> {
        let confluent = self.confluent(budget)?;
        let next = |state: u32| {
            self.range(state)
                .take_while(|n| self.edges[*n].0 == SILENT)
                .find(|n| confluent[*n])
                .map(|n| self.edges[n].1)
        };
        const UNKNOWN: u32 = u32::MAX;
        let mut found = vec![UNKNOWN; self.states()];
        let mut on_path = vec![false; self.states()];
        let mut path = Vec::new();
        for state in 0..number(self.states()) {
            let mut at = state;
            let end = loop {
                if found[at as usize] != UNKNOWN {
                    break found[at as usize];
                }
                // On a circle, all are the same: the one where it is closed stands for them.
                if on_path[at as usize] {
                    break at;
                }
                on_path[at as usize] = true;
                path.push(at);
                match next(at) {
                    Some(to) => at = to,
                    None => break at,
                }
            };
            for passed in path.drain(..) {
                found[passed as usize] = end;
                on_path[passed as usize] = false;
            }
        }
        Ok(found)
    }

    /// The graph of the representatives that can be reached from some states, and the numbers of these in it; state 0
    /// keeps its number.
    pub fn collapsed(&self, initial: &[u32], budget: &Budget) -> Result<(Graph, Vec<u32>), Stop> {
        // Which edges are confluent, and of each state what stands for it, its number, and its place in the order.
        let bytes = self.transitions() + self.states() * (3 * size_of::<u32>() + 1);
        budget.check_room(bytes + self.transitions() * size_of::<(u32, u32)>())?;
        let representatives = self.representatives(budget)?;
        let mut numbers = vec![u32::MAX; self.states()];
        let mut order = vec![0];
        numbers[0] = 0;
        let mut number = |state: u32, order: &mut Vec<u32>| {
            let state = representatives[state as usize];
            if numbers[state as usize] == u32::MAX {
                numbers[state as usize] = number(order.len());
                order.push(state);
            }
            numbers[state as usize]
        };
        let initial = initial.iter().map(|state| number(*state, &mut order)).collect();
        let mut graph = Graph::default();
        breadth_first(&mut order, |order, next| {
            if next.is_multiple_of(PATIENCE) {
                budget.check()?;
            }
            let edges = self.edges(order[next as usize]).iter();
            let edges = edges.map(|(letter, to)| (*letter, number(*to, order)));
            graph.state(edges.filter(|edge| *edge != (SILENT, next)).collect::<Vec<_>>());
            Ok(())
        })?;
        Ok((graph, initial))
    }

    /// The deterministic automaton of the words that lead from a state to state 0. Letter n + 1 of the graph is the n-th of the letters.
    pub fn determinize<L: Clone + Ord + Hash>(
        &self,
        initial: u32,
        letters: Interner<L>,
        budget: &Budget,
    ) -> Result<Automaton<L>, Stop> {
        let mut accepting = vec![false; self.states()];
        accepting[0] = true;
        Accepting { graph: self, accepting }.determinize(initial, letters, usize::MAX, budget)
    }

    /// Which edges are confluent silent steps.
    fn confluent(&self, budget: &Budget) -> Result<Vec<bool>, Stop> {
        let mut confluent: Vec<bool> = self.edges.iter().map(|(letter, _)| *letter == SILENT).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for state in 0..number(self.states()) {
                if state.is_multiple_of(PATIENCE) {
                    budget.check()?;
                }
                for n in self.range(state) {
                    if confluent[n] && !self.commutes(state, n, &confluent) {
                        confluent[n] = false;
                        changed = true;
                    }
                }
            }
        }
        Ok(confluent)
    }

    /// Whether all other edges of a state meet those behind a silent one.
    fn commutes(&self, state: u32, silent: usize, confluent: &[bool]) -> bool {
        let to = self.edges[silent].1;
        let behind = self.edges(to);
        self.range(state).filter(|n| *n != silent).all(|n| {
            let (letter, other) = self.edges[n];
            if letter == SILENT && other == to {
                return true;
            }
            let first = behind.partition_point(|(known, _)| *known < letter);
            behind[first..].iter().take_while(|(known, _)| *known == letter).any(|(_, meets)| {
                *meets == other
                    || self
                        .range(other)
                        .take_while(|n| self.edges[*n].0 == SILENT)
                        .any(|n| confluent[n] && self.edges[n].1 == *meets)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diamond_is_confluent_and_a_choice_is_not() {
        // 0 does a, or steps silently to 1, which does a as well; both come to 3.
        let mut diamond = Graph::default();
        diamond.state([(SILENT, 1), (1, 2)]);
        diamond.state([(1, 3)]);
        diamond.state([(SILENT, 3)]);
        diamond.state([]);
        let found = |graph: &Graph| graph.representatives(&Budget::default()).expect("nobody interrupts");
        assert_eq!(found(&diamond), [1, 1, 3, 3]);
        // 0 does a, or gives it up for b.
        let mut choice = Graph::default();
        choice.state([(SILENT, 1), (1, 2)]);
        choice.state([(2, 2)]);
        choice.state([]);
        assert_eq!(found(&choice), [0, 1, 2]);
        // A circle.
        let mut circle = Graph::default();
        circle.state([(SILENT, 1)]);
        circle.state([(SILENT, 0), (1, 2)]);
        circle.state([]);
        let found = found(&circle);
        assert_eq!(found[0], found[1]);
    }
}
