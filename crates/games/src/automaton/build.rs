//! Building automata: first with choices and silent steps, then without.

use std::convert::Infallible;
use std::hash::Hash;

use agon_base::budget::{Budget, Stop};
use agon_base::explore::{Numbered, breadth_first};
use agon_base::id::number;
use agon_base::intern::Interner;

use super::confluence::{Graph, SILENT};
use super::subsets::{Choices, Subsets};
use super::{Automaton, States};

/// An automaton under construction: several edges may bear one letter, and some bear none.
#[derive(Clone, Debug)]
pub struct Builder<L> {
    letters: Interner<L>,
    edges: Vec<Vec<(u32, u32)>>,
    silent: Vec<Vec<u32>>,
    accepting: Vec<bool>,
}

impl<L: Clone + Ord + Hash> Default for Builder<L> {
    fn default() -> Builder<L> {
        Builder::new()
    }
}

impl<L: Clone + Ord + Hash> Builder<L> {
    /// An automaton of no states.
    pub fn new() -> Builder<L> {
        Builder { letters: Interner::default(), edges: vec![], silent: vec![], accepting: vec![] }
    }

    /// An automaton without edges that has the states of another.
    pub fn like<M>(automaton: &Automaton<M>) -> Builder<L> {
        let accepting = automaton.accepting.clone();
        let states = accepting.len();
        let (edges, silent) = (vec![vec![]; states], vec![vec![]; states]);
        Builder { letters: Interner::default(), edges, silent, accepting }
    }

    /// A new state.
    pub fn state(&mut self) -> u32 {
        self.edges.push(Vec::new());
        self.silent.push(Vec::new());
        self.accepting.push(false);
        number(self.edges.len()) - 1
    }

    /// A new edge, silent if it bears no letter.
    pub fn edge(&mut self, from: u32, letter: Option<L>, to: u32) {
        match letter {
            Some(letter) => {
                let letter = self.letters.intern(letter);
                self.edges[from as usize].push((letter, to));
            }
            None => self.silent[from as usize].push(to),
        }
    }

    /// Words that end in this state are accepted.
    pub fn accept(&mut self, state: u32) {
        self.accepting[state as usize] = true;
    }

    /// The deterministic automaton of the same words, by the subset construction over what is reachable.
    pub fn determinize(&self, initial: u32) -> Automaton<L> {
        self.determinize_within(initial, usize::MAX, &Budget::default()).expect("nothing is limited")
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.accepting.len()
    }

    /// The same, with at most this many states.
    pub fn determinize_within(
        &self,
        initial: u32,
        most: usize,
        budget: &Budget,
    ) -> Result<Automaton<L>, Stop> {
        let edges: usize = self.edges.iter().map(Vec::len).sum();
        let silent: usize = self.silent.iter().map(Vec::len).sum();
        budget
            .check_room((edges + silent) * size_of::<(u32, u32)>() + self.states() * 3 * size_of::<u32>())?;
        let accepting: Vec<bool> = [false].into_iter().chain(self.accepting.iter().copied()).collect();
        let letters = self.letters.clone();
        Accepting { graph: &self.graph(), accepting }.determinize(initial + 1, letters, most, budget)
    }

    /// The same of an automaton that accepts in every state. Bisimilar states are made one first, which leaves fewer
    /// subsets.
    pub fn determinize_prefixes(
        &self,
        initial: u32,
        most: usize,
        budget: &Budget,
    ) -> Result<Automaton<L>, Stop> {
        let (graph, block) = self.graph().quotient(budget)?;
        let accepting = vec![true; graph.states()];
        let initial = block[initial as usize + 1];
        Accepting { graph: &graph, accepting }.determinize(initial, self.letters.clone(), most, budget)
    }

    /// The graph of the edges: each number of a letter and of a state is one higher there. No edge leads to state 0.
    fn graph(&self) -> Graph {
        let mut graph = Graph::default();
        graph.state([]);
        for (edges, silent) in self.edges.iter().zip(&self.silent) {
            let heard = edges.iter().map(|(letter, to)| (letter + 1, to + 1));
            graph.state(heard.chain(silent.iter().map(|to| (SILENT, to + 1))));
        }
        graph
    }
}

/// The budget is checked once in this many edges.
const PATIENCE: u64 = 1 << 14;

/// A graph, and which of its states accept.
pub(super) struct Accepting<'a> {
    pub(super) graph: &'a Graph,
    pub(super) accepting: Vec<bool>,
}

impl Choices for Accepting<'_> {
    type Stop = Infallible;

    fn edges(&mut self, state: u32) -> Result<&[(u32, u32)], Infallible> {
        Ok(self.graph.edges(state))
    }

    fn accepts(&self, state: u32) -> bool {
        self.accepting[state as usize]
    }
}

impl Accepting<'_> {
    /// The deterministic automaton of the same words, by the subset construction over what is reachable, with at most
    /// this many states. Letter n + 1 of the graph is the n-th of the letters.
    pub(super) fn determinize<L: Clone + Ord + Hash>(
        mut self,
        initial: u32,
        letters: Interner<L>,
        most: usize,
        budget: &Budget,
    ) -> Result<Automaton<L>, Stop> {
        let mut subsets = Subsets::default();
        let Ok(_) = subsets.start(&mut self, initial);
        let mut states = States::with_letters(letters);
        let mut found = Vec::new();
        let mut looked = 0;
        breadth_first(&mut subsets, |subsets, next| {
            // Subsets may be as large as the graph.
            if next.is_multiple_of(64) || subsets.looked() > looked + PATIENCE {
                looked = subsets.looked();
                budget.check()?;
                if subsets.count() > most {
                    return Err(Stop::Table);
                }
            }
            let Ok(()) = subsets.successors(&mut self, next, &mut found);
            found.drain(..).for_each(|(letter, to)| states.lettered_edge(letter - 1, to));
            states.end_state(subsets.states(next).iter().any(|state| self.accepts(*state)));
            Ok(())
        })?;
        Ok(states.automaton(0))
    }
}
