//! Building automata: first with choices and silent steps, then without.

use std::hash::Hash;

use super::{Automaton, States};
use crate::intern::Interner;

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
        self.determinize_unless(initial, &mut || false).expect("nobody interrupts")
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.accepting.len()
    }

    /// The same; nothing if it is called off.
    pub fn determinize_unless(
        &self,
        initial: u32,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Option<Automaton<L>> {
        let flat = Flat::new(self);
        let mut subsets: Interner<Box<[u32]>> = Interner::default();
        let mut seen = vec![u32::MAX; self.states()];
        let mut now = 0;
        // For each letter where it leads, and the letters that lead anywhere.
        let mut targets: Vec<Vec<u32>> = vec![Vec::new(); self.letters.len()];
        let mut used = Vec::new();
        subsets.intern(flat.closed(&mut vec![initial], &mut seen, now));
        let mut states: States<L> = States { letters: self.letters.clone(), ..States::default() };
        let mut next = 0u32;
        while (next as usize) < subsets.len() {
            if next.is_multiple_of(64) && interrupted() {
                return None;
            }
            let subset = subsets.get(next);
            for state in subset.iter() {
                for (letter, to) in flat.edges.of(*state) {
                    if targets[*letter as usize].is_empty() {
                        used.push(*letter);
                    }
                    targets[*letter as usize].push(*to);
                }
            }
            let accepting = subset.iter().any(|state| self.accepting[*state as usize]);
            used.sort_unstable();
            for letter in used.drain(..) {
                now += 1;
                let group = &mut targets[letter as usize];
                let to = subsets.intern(flat.closed(group, &mut seen, now));
                group.clear();
                states.edges.push((letter, to));
            }
            states.end_state(accepting);
            next += 1;
        }
        Some(states.automaton(0))
    }
}

/// Lists, one behind the other.
struct Lists<T> {
    all: Vec<T>,
    starts: Vec<u32>,
}

impl<T: Clone> Lists<T> {
    fn new(lists: &[Vec<T>]) -> Lists<T> {
        let mut starts = vec![0];
        let mut all = Vec::new();
        for list in lists {
            all.extend_from_slice(list);
            starts.push(u32::try_from(all.len()).expect("fewer than 2^32 edges"));
        }
        Lists { all, starts }
    }

    fn of(&self, state: u32) -> &[T] {
        &self.all[self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize]
    }
}

/// What is needed of an automaton to make it deterministic, close together.
struct Flat {
    edges: Lists<(u32, u32)>,
    silent: Lists<u32>,
    /// Whether a state does more than lead on silently.
    lasting: Vec<bool>,
}

impl Flat {
    fn new<L>(builder: &Builder<L>) -> Flat {
        let lasting = builder
            .edges
            .iter()
            .zip(&builder.accepting)
            .map(|(edges, accepting)| !edges.is_empty() || *accepting);
        Flat {
            edges: Lists::new(&builder.edges),
            silent: Lists::new(&builder.silent),
            lasting: lasting.collect(),
        }
    }

    /// All that can be reached silently, without what only leads on silently. `seen` says when a state was last seen.
    fn closed(&self, states: &mut Vec<u32>, seen: &mut [u32], now: u32) -> Box<[u32]> {
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
        states.retain(|state| self.lasting[*state as usize]);
        states.sort_unstable();
        states.as_slice().into()
    }
}
