//! Building automata: first with choices and silent steps, then without.

use std::hash::Hash;

use agon_base::budget::{Budget, Stop};
use agon_base::growth::full;
use agon_base::intern::{Interner, Sequences};

use super::confluence::{Graph, SILENT};
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

    /// A new state.
    pub fn state(&mut self) -> u32 {
        self.edges.push(Vec::new());
        self.silent.push(Vec::new());
        self.accepting.push(false);
        self.edges.len() as u32 - 1
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

    /// The same, with at most so many states.
    pub fn determinize_within(
        &self,
        initial: u32,
        most: usize,
        budget: &Budget,
    ) -> Result<Automaton<L>, Stop> {
        let edges: usize = self.edges.iter().map(Vec::len).sum();
        let silent: usize = self.silent.iter().map(Vec::len).sum();
        let bytes = edges * size_of::<(u32, u32)>() + (silent + self.states() * 4) * size_of::<u32>();
        budget.check_room(bytes)?;
        Flat::new(self).determinize(initial, self.letters.clone(), most, budget)
    }

    /// The same of an automaton that accepts in every state. Bisimilar states are made one first, which leaves fewer
    /// subsets.
    pub fn determinize_prefixes(
        &self,
        initial: u32,
        most: usize,
        budget: &Budget,
    ) -> Result<Automaton<L>, Stop> {
        let mut graph = Graph::default();
        // State 0 of a graph is where words end. These end anywhere.
        graph.state([]);
        for (edges, silent) in self.edges.iter().zip(&self.silent) {
            let heard = edges.iter().map(|(letter, to)| (letter + 1, to + 1));
            graph.state(heard.chain(silent.iter().map(|to| (SILENT, to + 1))));
        }
        let (graph, initial) = graph.quotient(initial + 1, budget)?;
        let accepting = vec![true; graph.states()];
        Flat::of(&graph, &accepting).determinize(initial, self.letters.clone(), most, budget)
    }
}

/// Every so many states of subsets somebody is asked whether to stop.
const PATIENCE: usize = 1 << 14;

/// Lists, one behind the other.
struct Lists<T> {
    all: Vec<T>,
    starts: Vec<u32>,
}

impl<T> Lists<T> {
    fn new(lists: impl Iterator<Item = impl Iterator<Item = T>>) -> Lists<T> {
        let mut starts = vec![0];
        let mut all = Vec::new();
        for list in lists {
            all.extend(list);
            starts.push(u32::try_from(all.len()).unwrap_or_else(|_| full()));
        }
        Lists { all, starts }
    }

    fn of(&self, state: u32) -> &[T] {
        &self.all[self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize]
    }
}

/// What is needed of an automaton to make it deterministic, close together.
pub(super) struct Flat<'a> {
    edges: Lists<(u32, u32)>,
    silent: Lists<u32>,
    accepting: &'a [bool],
}

impl<'a> Flat<'a> {
    fn new<L>(builder: &'a Builder<L>) -> Flat<'a> {
        Flat {
            edges: Lists::new(builder.edges.iter().map(|list| list.iter().copied())),
            silent: Lists::new(builder.silent.iter().map(|list| list.iter().copied())),
            accepting: &builder.accepting,
        }
    }

    /// That of a graph, with the states in which words end.
    pub(super) fn of(graph: &Graph, accepting: &'a [bool]) -> Flat<'a> {
        let states = 0..graph.states() as u32;
        let heard = |state| graph.edges(state).iter().filter(|(letter, _)| *letter != SILENT);
        let unheard = |state| graph.edges(state).iter().take_while(|(letter, _)| *letter == SILENT);
        Flat {
            edges: Lists::new(states.clone().map(|state| heard(state).map(|(letter, to)| (letter - 1, *to)))),
            silent: Lists::new(states.map(|state| unheard(state).map(|(_, to)| *to))),
            accepting,
        }
    }

    /// The deterministic automaton of the same words, by the subset construction over what is reachable, with at
    /// most so many states.
    pub(super) fn determinize<L: Clone + Ord + Hash>(
        &self,
        initial: u32,
        letters: Interner<L>,
        most: usize,
        budget: &Budget,
    ) -> Result<Automaton<L>, Stop> {
        // A state that does nothing but lead on silently need not be kept in a subset.
        let lasting: Vec<bool> = self
            .accepting
            .iter()
            .enumerate()
            .map(|(state, accepting)| *accepting || !self.edges.of(state as u32).is_empty())
            .collect();
        let mut subsets = Sequences::default();
        let mut seen = vec![u32::MAX; self.accepting.len()];
        let mut now = 0;
        // For each letter where it leads, and the letters that lead anywhere.
        let mut targets: Vec<Vec<u32>> = vec![Vec::new(); letters.len()];
        let mut used = Vec::new();
        let mut first = vec![initial];
        self.close(&mut first, &mut seen, now, &lasting);
        subsets.intern(&first);
        let mut states: States<L> = States { letters, ..States::default() };
        let mut next = 0u32;
        let mut looked = 0;
        while (next as usize) < subsets.len() {
            let subset = subsets.get(next);
            // Subsets may be as large as the automaton.
            looked += subset.len();
            if next.is_multiple_of(64) || looked > PATIENCE {
                looked = 0;
                budget.check()?;
                if subsets.len() > most {
                    return Err(Stop::Table);
                }
            }
            let mut accepting = false;
            for state in subset {
                accepting |= self.accepting[*state as usize];
                for (letter, to) in self.edges.of(*state) {
                    if targets[*letter as usize].is_empty() {
                        used.push(*letter);
                    }
                    targets[*letter as usize].push(*to);
                }
            }
            used.sort_unstable();
            for letter in used.drain(..) {
                now += 1;
                let group = &mut targets[letter as usize];
                self.close(group, &mut seen, now, &lasting);
                states.edges.push((letter, subsets.intern(group)));
                group.clear();
            }
            states.end_state(accepting);
            next += 1;
        }
        Ok(states.automaton(0))
    }

    /// Adds all that can be reached silently, without what only leads on silently. `seen` says when a state was last
    /// seen.
    fn close(&self, states: &mut Vec<u32>, seen: &mut [u32], now: u32, lasting: &[bool]) {
        states.retain(|state| std::mem::replace(&mut seen[*state as usize], now) != now);
        let mut next = 0;
        while next < states.len() {
            for to in self.silent.of(states[next]) {
                if std::mem::replace(&mut seen[*to as usize], now) != now {
                    states.push(*to);
                }
            }
            next += 1;
        }
        states.retain(|state| lasting[*state as usize]);
        states.sort_unstable();
    }
}
