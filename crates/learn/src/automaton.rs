//! Deterministic automata, as they are learnt.

use std::collections::{BTreeMap, HashMap, VecDeque};

use agon_base::id::number;

use crate::teacher::Letter;

/// A deterministic automaton whose first state is the initial one. Where a letter has no transition, no word goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton<L> {
    /// The states; none, if not even the empty word is accepted and nothing follows.
    pub states: Vec<State<L>>,
}

/// A state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State<L> {
    /// Whether a word may end here.
    pub accepting: bool,
    /// Where letters lead.
    pub edges: BTreeMap<L, u32>,
}

impl<L> Default for Automaton<L> {
    fn default() -> Automaton<L> {
        Automaton { states: Vec::new() }
    }
}

/// A state of each of two automata, while they have one.
type Pair = (Option<u32>, Option<u32>);

impl<L: Letter> Automaton<L> {
    /// The state before the first letter.
    pub fn start(&self) -> Option<u32> {
        (!self.states.is_empty()).then_some(0)
    }

    /// Where a letter leads.
    pub fn step(&self, state: u32, letter: &L) -> Option<u32> {
        self.states[state as usize].edges.get(letter).copied()
    }

    /// Where a word leads.
    pub fn run(&self, word: &[L]) -> Option<u32> {
        word.iter().try_fold(self.start()?, |state, letter| self.step(state, letter))
    }

    /// Whether a word is accepted.
    pub fn accepts(&self, word: &[L]) -> bool {
        self.run(word).is_some_and(|state| self.states[state as usize].accepting)
    }

    /// How many transitions there are.
    pub fn transitions(&self) -> usize {
        self.states.iter().map(|state| state.edges.len()).sum()
    }

    /// The same automaton with its states in the order in which they are found from the start; others are left out.
    pub fn canonical(&self) -> Automaton<L> {
        let mut places: HashMap<u32, u32> = HashMap::new();
        let mut order: Vec<u32> = self.start().into_iter().collect();
        places.extend(order.iter().map(|state| (*state, 0)));
        let mut next = 0;
        while let Some(state) = order.get(next).copied() {
            for to in self.states[state as usize].edges.values() {
                if !places.contains_key(to) {
                    places.insert(*to, number(order.len()));
                    order.push(*to);
                }
            }
            next += 1;
        }
        let states = order.iter().map(|state| {
            let State { accepting, edges } = &self.states[*state as usize];
            let edges = edges.iter().map(|(letter, to)| (letter.clone(), places[to])).collect();
            State { accepting: *accepting, edges }
        });
        Automaton { states: states.collect() }
    }

    /// A shortest word that one of two automata accepts and the other does not.
    pub fn difference(&self, other: &Automaton<L>) -> Option<Vec<L>> {
        let accepts = |automaton: &Automaton<L>, state: Option<u32>| {
            state.is_some_and(|state| automaton.states[state as usize].accepting)
        };
        let start = (self.start(), other.start());
        // For each pair of states the one before it, and the letter in between.
        let mut from: HashMap<Pair, Option<(usize, L)>> = HashMap::from([(start, None)]);
        let mut pairs = vec![start];
        let mut waiting = VecDeque::from([0]);
        while let Some(n) = waiting.pop_front() {
            let (a, b) = pairs[n];
            if accepts(self, a) != accepts(other, b) {
                let mut word = Vec::new();
                let mut at = n;
                while let Some((before, letter)) = &from[&pairs[at]] {
                    word.push(letter.clone());
                    at = *before;
                }
                word.reverse();
                return Some(word);
            }
            let edges = |automaton: &Automaton<L>, state: Option<u32>| {
                let edges = state.map(|state| automaton.states[state as usize].edges.keys().cloned());
                edges.into_iter().flatten().collect::<Vec<L>>()
            };
            let mut letters = edges(self, a);
            letters.extend(edges(other, b));
            letters.sort();
            letters.dedup();
            for letter in letters {
                let next = (
                    a.and_then(|state| self.step(state, &letter)),
                    b.and_then(|state| other.step(state, &letter)),
                );
                if next == (None, None) || from.contains_key(&next) {
                    continue;
                }
                from.insert(next, Some((n, letter)));
                waiting.push_back(pairs.len());
                pairs.push(next);
            }
        }
        None
    }
}
