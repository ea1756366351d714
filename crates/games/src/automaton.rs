//! Automata: sets of plays, made finite.

mod build;
mod minimize;

use std::hash::Hash;

pub use build::Builder;

/// A deterministic automaton with no sink: where a letter has no edge, nothing follows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton<L> {
    /// The letters of the edges.
    pub letters: Vec<L>,
    /// For each state its edges, by letter and target, sorted.
    pub edges: Vec<Vec<(u32, u32)>>,
    /// Which states are accepting.
    pub accepting: Vec<bool>,
    /// The state it starts in. An automaton of no words has one state.
    pub initial: u32,
}

impl<L: Clone + Ord + Hash> Automaton<L> {
    /// How many states there are.
    pub fn states(&self) -> usize {
        self.edges.len()
    }

    /// How many transitions there are.
    pub fn transitions(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// The state after a letter.
    pub fn after(&self, state: u32, letter: &L) -> Option<u32> {
        let edges = &self.edges[state as usize];
        edges.iter().find(|(l, _)| self.letters[*l as usize] == *letter).map(|(_, to)| *to)
    }

    /// The same automaton with each letter put through `f`, which must keep different letters different.
    pub fn relabel<M: Clone + Ord + Hash>(&self, f: impl Fn(&L) -> M) -> Automaton<M> {
        let letters = self.letters.iter().map(f).collect();
        Automaton {
            letters,
            edges: self.edges.clone(),
            accepting: self.accepting.clone(),
            initial: self.initial,
        }
        .canonical()
    }

    /// The minimal automaton of the same words, its states numbered from the initial one breadth first, its
    /// letters sorted: automata of the same words become equal.
    pub fn minimal(&self) -> Automaton<L> {
        minimize::minimize(&self.trimmed()).canonical()
    }

    /// Without the states that no accepted word passes.
    fn trimmed(&self) -> Automaton<L> {
        let n = self.states();
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); n];
        for (from, edges) in self.edges.iter().enumerate() {
            for (_, to) in edges {
                before[*to as usize].push(from as u32);
            }
        }
        let mut useful = self.accepting.clone();
        let mut waiting: Vec<u32> = (0..n as u32).filter(|state| useful[*state as usize]).collect();
        while let Some(state) = waiting.pop() {
            for from in &before[state as usize] {
                if !std::mem::replace(&mut useful[*from as usize], true) {
                    waiting.push(*from);
                }
            }
        }
        let mut edges = self.edges.clone();
        for edges in &mut edges {
            edges.retain(|(_, to)| useful[*to as usize]);
        }
        Automaton {
            letters: self.letters.clone(),
            edges,
            accepting: self.accepting.clone(),
            initial: self.initial,
        }
        .canonical()
    }

    /// Only what is reachable, numbered breadth first by sorted letters.
    fn canonical(&self) -> Automaton<L> {
        let mut rank: Vec<u32> = (0..self.letters.len() as u32).collect();
        rank.sort_by_key(|letter| &self.letters[*letter as usize]);
        let mut place = vec![0u32; rank.len()];
        for (n, letter) in rank.iter().enumerate() {
            place[*letter as usize] = n as u32;
        }
        let mut number = vec![u32::MAX; self.states()];
        let mut order = vec![self.initial];
        number[self.initial as usize] = 0;
        let mut edges: Vec<Vec<(u32, u32)>> = Vec::new();
        let mut next = 0;
        while next < order.len() {
            let mut out: Vec<_> =
                self.edges[order[next] as usize].iter().map(|(l, to)| (place[*l as usize], *to)).collect();
            out.sort_unstable();
            for (_, to) in &mut out {
                if number[*to as usize] == u32::MAX {
                    number[*to as usize] = order.len() as u32;
                    order.push(*to);
                }
                *to = number[*to as usize];
            }
            edges.push(out);
            next += 1;
        }
        // Letters that no edge bears are forgotten.
        let mut used = vec![u32::MAX; rank.len()];
        for (letter, _) in edges.iter().flatten() {
            used[*letter as usize] = 0;
        }
        let mut letters = Vec::new();
        for (n, letter) in rank.iter().enumerate() {
            if used[n] == 0 {
                used[n] = letters.len() as u32;
                letters.push(self.letters[*letter as usize].clone());
            }
        }
        for (letter, _) in edges.iter_mut().flatten() {
            *letter = used[*letter as usize];
        }
        let accepting = order.iter().map(|state| self.accepting[*state as usize]).collect();
        Automaton { letters, edges, accepting, initial: 0 }
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
                        automaton.edges[s].iter().map(|(l, to)| (*l, class[*to as usize])).collect();
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
