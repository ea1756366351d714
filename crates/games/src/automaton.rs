//! Automata: sets of plays, made finite.

mod bisimilar;
mod build;
pub mod confluence;
mod minimize;
pub mod subsets;

use agon_base::id::number;
use std::convert::Infallible;
use std::hash::Hash;

use agon_base::budget::{Budget, Stop};
use agon_base::explore::{breadth_first, depth_first};
use agon_base::growth::full;
use agon_base::intern::Interner;

pub use build::Builder;

/// A deterministic automaton with no sink: where a letter has no edge, nothing follows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton<L> {
    /// The letters of the edges.
    pub letters: Vec<L>,
    /// All edges, by letter and target, state after state.
    edges: Vec<(u32, u32)>,
    /// Where the edges of each state start; one more than there are states.
    starts: Vec<u32>,
    /// Which states are accepting.
    pub accepting: Vec<bool>,
    /// The state it starts in. An automaton of no words has one state.
    pub initial: u32,
}

/// An automaton that is given state by state, from 0.
#[derive(Clone, Debug)]
pub struct States<L> {
    letters: Interner<L>,
    edges: Vec<(u32, u32)>,
    starts: Vec<u32>,
    accepting: Vec<bool>,
}

impl<L: Clone + Ord + Hash> Default for States<L> {
    fn default() -> States<L> {
        States { letters: Interner::default(), edges: vec![], starts: vec![0], accepting: vec![] }
    }
}

impl<L: Clone + Ord + Hash> States<L> {
    /// An automaton over letters that have their numbers already.
    pub fn with_letters(letters: Interner<L>) -> States<L> {
        States { letters, ..States::default() }
    }

    /// An edge of the state that is being given, by the number of its letter.
    pub fn lettered_edge(&mut self, letter: u32, to: u32) {
        self.edges.push((letter, to));
    }

    /// An edge of the state that is being given. The letters of a state's edges must differ.
    pub fn edge(&mut self, letter: L, to: u32) {
        let letter = self.letters.intern(letter);
        self.edges.push((letter, to));
    }

    /// That was the state; gives its number.
    pub fn end_state(&mut self, accepting: bool) -> u32 {
        let start = *self.starts.last().unwrap_or(&0) as usize;
        self.edges[start..].sort_unstable();
        self.starts.push(u32::try_from(self.edges.len()).unwrap_or_else(|_| full()));
        self.accepting.push(accepting);
        number(self.accepting.len()) - 1
    }

    /// The automaton, which starts in a state.
    pub fn automaton(self, initial: u32) -> Automaton<L> {
        let letters = self.letters.into_vec();
        Automaton { letters, edges: self.edges, starts: self.starts, accepting: self.accepting, initial }
    }
}

impl<L: Clone + Ord + Hash> Automaton<L> {
    /// How many states there are.
    pub fn states(&self) -> usize {
        self.accepting.len()
    }

    /// How many transitions there are.
    pub fn transitions(&self) -> usize {
        self.edges.len()
    }

    /// The edges of a state, by letter and target.
    pub fn edges(&self, state: u32) -> &[(u32, u32)] {
        let state = state as usize;
        &self.edges[self.starts[state] as usize..self.starts[state + 1] as usize]
    }

    /// The state after a letter.
    pub fn after(&self, state: u32, letter: &L) -> Option<u32> {
        self.edges(state).iter().find(|(l, _)| self.letters[*l as usize] == *letter).map(|(_, to)| *to)
    }

    /// The same automaton with each letter written by `f`; states, edges and the order of letters stay as they are.
    pub fn spelt<M>(self, f: impl Fn(&L) -> M) -> Automaton<M> {
        let letters = self.letters.iter().map(f).collect();
        let Automaton { edges, starts, accepting, initial, .. } = self;
        Automaton { letters, edges, starts, accepting, initial }
    }

    /// The same automaton with each letter put through `f`, which must keep different letters different.
    pub fn relabel<M: Clone + Ord + Hash>(&self, f: impl Fn(&L) -> M) -> Automaton<M> {
        let letters = self.letters.iter().map(f).collect();
        Automaton {
            letters,
            edges: self.edges.clone(),
            starts: self.starts.clone(),
            accepting: self.accepting.clone(),
            initial: self.initial,
        }
        .canonical()
    }

    /// The minimal automaton of the same words, its states numbered from the initial one breadth first, its
    /// letters sorted: automata of the same words become equal.
    pub fn minimal(&self) -> Automaton<L> {
        self.minimal_within(&Budget::default()).expect("nothing is limited")
    }

    /// The same, within a budget.
    pub fn minimal_within(&self, budget: &Budget) -> Result<Automaton<L>, Stop> {
        budget.check_room(self.bytes_to_copy())?;
        let minimal = minimize::minimize(&self.trimmed(), budget)?;
        budget.check_room(minimal.bytes_to_copy())?;
        Ok(minimal.canonical())
    }

    /// What a copy with other numbers takes while it is made, in bytes.
    pub(crate) fn bytes_to_copy(&self) -> usize {
        let transitions = self.transitions() * (size_of::<(u32, u32)>() + size_of::<u32>());
        transitions + self.states() * 4 * size_of::<u32>()
    }

    /// The transitions into each state, as a table like that of the edges: sources, and where they start.
    fn sources(&self) -> (Vec<u32>, Vec<u32>) {
        let mut starts = vec![0u32; self.states() + 1];
        for (_, to) in &self.edges {
            starts[*to as usize + 1] += 1;
        }
        for state in 0..self.states() {
            starts[state + 1] += starts[state];
        }
        let mut next = starts.clone();
        let mut sources = vec![0u32; self.edges.len()];
        for from in 0..number(self.states()) {
            for (_, to) in self.edges(from) {
                sources[next[*to as usize] as usize] = from;
                next[*to as usize] += 1;
            }
        }
        (sources, starts)
    }

    /// Without the states that no accepted word passes.
    fn trimmed(&self) -> Automaton<L> {
        let (sources, starts) = self.sources();
        let mut useful = self.accepting.clone();
        let waiting: Vec<u32> = (0..number(self.states())).filter(|state| useful[*state as usize]).collect();
        let Ok(()) = depth_first(waiting, |waiting, state| {
            let state = state as usize;
            for from in &sources[starts[state] as usize..starts[state + 1] as usize] {
                if !std::mem::replace(&mut useful[*from as usize], true) {
                    waiting.push(*from);
                }
            }
            Ok::<(), Infallible>(())
        });
        drop((sources, starts));
        self.renumbered(|_, to| useful[to as usize])
    }

    /// Only what is reachable, numbered breadth first by sorted letters.
    pub fn canonical(&self) -> Automaton<L> {
        self.renumbered(|_, _| true)
    }

    /// Only what is reachable by the edges that are kept, numbered breadth first by sorted letters.
    fn renumbered(&self, keep: impl Fn(u32, u32) -> bool) -> Automaton<L> {
        let mut rank: Vec<u32> = (0..number(self.letters.len())).collect();
        rank.sort_by_key(|letter| &self.letters[*letter as usize]);
        let mut place = vec![0u32; rank.len()];
        for (n, letter) in rank.iter().enumerate() {
            place[*letter as usize] = number(n);
        }
        let mut numbers = vec![u32::MAX; self.states()];
        let mut order = vec![self.initial];
        numbers[self.initial as usize] = 0;
        let mut edges: Vec<(u32, u32)> = Vec::with_capacity(self.edges.len());
        let mut starts = vec![0u32];
        let Ok(()) = breadth_first(&mut order, |order, next| {
            let from = edges.len();
            let kept = self.edges(order[next as usize]).iter().filter(|(letter, to)| keep(*letter, *to));
            edges.extend(kept.map(|(letter, to)| (place[*letter as usize], *to)));
            edges[from..].sort_unstable();
            for (_, to) in &mut edges[from..] {
                if numbers[*to as usize] == u32::MAX {
                    numbers[*to as usize] = number(order.len());
                    order.push(*to);
                }
                *to = numbers[*to as usize];
            }
            starts.push(number(edges.len()));
            Ok::<(), Infallible>(())
        });
        // Letters that no edge bears are forgotten.
        let mut used = vec![u32::MAX; rank.len()];
        for (letter, _) in &edges {
            used[*letter as usize] = 0;
        }
        let mut letters = Vec::new();
        for (n, letter) in rank.iter().enumerate() {
            if used[n] == 0 {
                used[n] = number(letters.len());
                letters.push(self.letters[*letter as usize].clone());
            }
        }
        for (letter, _) in &mut edges {
            *letter = used[*letter as usize];
        }
        let accepting = order.iter().map(|state| self.accepting[*state as usize]).collect();
        Automaton { letters, edges, starts, accepting, initial: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimal_automata_of_the_same_words_are_equal() {
        // (ab)* written twice: once with a detour over equal states, once without; and a dead end in the first.
        let mut first = Builder::new();
        let states: Vec<u32> = (0..5).map(|_| first.state()).collect();
        first.edge(states[0], Some('a'), states[1]);
        first.edge(states[1], Some('b'), states[2]);
        first.edge(states[2], Some('a'), states[3]);
        first.edge(states[3], Some('b'), states[0]);
        first.edge(states[0], Some('c'), states[4]);
        first.accept(states[0]);
        first.accept(states[2]);
        let mut second = Builder::new();
        let (x, y, z) = (second.state(), second.state(), second.state());
        second.edge(x, Some('a'), y);
        second.edge(y, Some('b'), z);
        second.edge(z, None, x);
        second.accept(x);
        let (first, second) = (first.determinize(states[0]).minimal(), second.determinize(x).minimal());
        assert_eq!(first, second);
        assert_eq!((first.states(), first.transitions()), (2, 2));
    }

    /// The naive twin of the minimizer: refine by signatures until nothing changes.
    fn naive_classes(automaton: &Automaton<u8>) -> usize {
        let mut class: Vec<usize> =
            automaton.accepting.iter().map(|accepting| usize::from(*accepting)).collect();
        loop {
            let signatures: Vec<_> = (0..automaton.states())
                .map(|s| {
                    let mut out: Vec<_> =
                        automaton.edges(s as u32).iter().map(|(l, to)| (*l, class[*to as usize])).collect();
                    out.sort_unstable();
                    (class[s], out)
                })
                .collect();
            let mut known: Vec<_> = signatures.clone();
            known.sort();
            known.dedup();
            let refined: Vec<usize> =
                signatures.iter().map(|signature| known.binary_search(signature).unwrap_or(0)).collect();
            let count = |classes: &[usize]| {
                let mut classes = classes.to_vec();
                classes.sort_unstable();
                classes.dedup();
                classes.len()
            };
            if count(&refined) == count(&class) {
                return count(&class);
            }
            class = refined;
        }
    }

    #[test]
    fn the_fast_minimizer_agrees_with_the_naive_one() {
        let mut random = 7u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % below
        };
        for _ in 0..500 {
            let n = 1 + next(12) as u32;
            let mut builder = Builder::new();
            for _ in 0..n {
                builder.state();
            }
            for _ in 0..next(30) {
                let letter = next(3) as u8;
                builder.edge(next(n.into()) as u32, Some(letter), next(n.into()) as u32);
            }
            for _ in 0..next(4) {
                builder.accept(next(n.into()) as u32);
            }
            let automaton = builder.determinize(0).trimmed();
            let minimal = automaton.minimal();
            assert_eq!(minimal.states(), naive_classes(&automaton), "{automaton:?}");
            assert_eq!(minimal.minimal(), minimal);
        }
    }
}
