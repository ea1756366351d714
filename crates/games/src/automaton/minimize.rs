//! Minimisation by partition refinement, in time m log n for m transitions and n states.
//!
//! After Valmari, "Fast brief practical DFA minimization" (2012): blocks of states and bundles of transitions
//! refine each other, and each time only the smaller half of what was split is looked at again.

use std::hash::Hash;

use agon_base::budget::{Budget, Stop};
use agon_base::id::number;

use super::Automaton;

/// A partition of 0 … n-1 whose blocks split in time proportional to what is marked.
struct Partition {
    elements: Vec<u32>,
    place: Vec<u32>,
    block_of: Vec<u32>,
    first: Vec<u32>,
    end: Vec<u32>,
    marked: Vec<u32>,
    touched: Vec<u32>,
}

impl Partition {
    fn new(n: usize) -> Partition {
        let blocks = usize::from(n > 0);
        Partition {
            elements: (0..number(n)).collect(),
            place: (0..number(n)).collect(),
            block_of: vec![0; n],
            first: vec![0; blocks],
            end: vec![number(n); blocks],
            marked: vec![0; blocks],
            touched: Vec::new(),
        }
    }

    fn blocks(&self) -> usize {
        self.first.len()
    }

    fn mark(&mut self, element: u32) {
        let block = self.block_of[element as usize] as usize;
        let to = self.first[block] + self.marked[block];
        let at = self.place[element as usize];
        if at < to {
            return;
        }
        let other = self.elements[to as usize];
        self.elements.swap(at as usize, to as usize);
        self.place[element as usize] = to;
        self.place[other as usize] = at;
        if self.marked[block] == 0 {
            self.touched.push(number(block));
        }
        self.marked[block] += 1;
    }

    /// Splits every touched block into what is marked and what is not; the smaller part becomes the new block.
    fn split(&mut self) {
        let mut touched = std::mem::take(&mut self.touched);
        for block in touched.drain(..).rev() {
            let block = block as usize;
            let (first, end) = (self.first[block], self.end[block]);
            let middle = first + std::mem::take(&mut self.marked[block]);
            if middle == end {
                continue;
            }
            let new = number(self.first.len());
            let (from, to) = if middle - first <= end - middle {
                self.first[block] = middle;
                (first, middle)
            } else {
                self.end[block] = middle;
                (middle, end)
            };
            self.first.push(from);
            self.end.push(to);
            self.marked.push(0);
            for at in from..to {
                self.block_of[self.elements[at as usize] as usize] = new;
            }
        }
        self.touched = touched;
    }

    fn block(&self, block: usize) -> std::ops::Range<usize> {
        self.first[block] as usize..self.end[block] as usize
    }
}

/// The numbers of things sorted by a key below a bound, and where each key starts.
fn sorted<T>(things: &[T], bound: usize, key: impl Fn(&T) -> u32) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; bound + 1];
    for thing in things {
        starts[key(thing) as usize + 1] += 1;
    }
    for n in 0..bound {
        starts[n + 1] += starts[n];
    }
    let mut next = starts.clone();
    let mut numbers = vec![0u32; things.len()];
    for (n, thing) in (0..).zip(things) {
        let place = &mut next[key(thing) as usize];
        numbers[*place as usize] = n;
        *place += 1;
    }
    (numbers, starts)
}

/// The budget is checked once in this many blocks.
const PATIENCE: usize = 1 << 8;

/// The minimal automaton of the same words, of one whose states are all reachable and useful.
pub(super) fn minimize<L: Clone + Ord + Hash>(
    automaton: &Automaton<L>,
    budget: &Budget,
) -> Result<Automaton<L>, Stop> {
    let n = automaton.states();
    // Of each transition: itself, its place in a partition, and twice its place in an order. Of each state: its place.
    let bytes = automaton.transitions() * (3 + 3 + 1 + 1) * size_of::<u32>() + n * 10 * size_of::<u32>();
    budget.check_room(bytes)?;
    let transitions: Vec<(u32, u32, u32)> = (0..number(n))
        .flat_map(|from| automaton.edges(from).iter().map(move |(letter, to)| (from, *letter, *to)))
        .collect();
    let mut states = Partition::new(n);
    for state in (0..number(n)).filter(|state| automaton.accepting[*state as usize]) {
        states.mark(state);
    }
    states.split();

    // Bundles start as the transitions of one letter each.
    let mut bundles = Partition::new(transitions.len());
    let (by_letter, letters) = sorted(&transitions, automaton.letters.len(), |(_, letter, _)| *letter);
    for range in letters.windows(2) {
        for transition in &by_letter[range[0] as usize..range[1] as usize] {
            bundles.mark(*transition);
        }
        bundles.split();
    }
    drop(by_letter);

    let (incoming, into) = sorted(&transitions, n, |(_, _, to)| *to);

    let (mut block, mut bundle) = (1, 0);
    while bundle < bundles.blocks() {
        if bundle.is_multiple_of(PATIENCE) {
            budget.check()?;
        }
        for at in bundles.block(bundle) {
            states.mark(transitions[bundles.elements[at] as usize].0);
        }
        states.split();
        bundle += 1;
        while block < states.blocks() {
            if block.is_multiple_of(PATIENCE) {
                budget.check()?;
            }
            for at in states.block(block) {
                let state = states.elements[at] as usize;
                for transition in &incoming[into[state] as usize..into[state + 1] as usize] {
                    bundles.mark(*transition);
                }
            }
            bundles.split();
            block += 1;
        }
    }

    let mut edges = Vec::new();
    let mut starts = vec![0u32];
    let mut accepting = Vec::new();
    for block in 0..states.blocks() {
        let representative = states.elements[states.first[block] as usize];
        accepting.push(automaton.accepting[representative as usize]);
        let out = automaton.edges(representative).iter();
        edges.extend(out.map(|(letter, to)| (*letter, states.block_of[*to as usize])));
        starts.push(number(edges.len()));
    }
    let initial = states.block_of[automaton.initial as usize];
    Ok(Automaton { letters: automaton.letters.clone(), edges, starts, accepting, initial })
}
