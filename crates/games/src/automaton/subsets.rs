//! The subset construction, one subset at a time: the successors of a subset are found when they are asked for.
//!
//! A subset stands for all states that the letters read so far may have led to. It is closed under silent edges, but
//! leaves out states whose edges are all silent: whatever they lead to is in the subset.

use agon_base::explore::Numbered;
use agon_base::intern::Sequences;

use super::confluence::SILENT;

/// A graph with choices and silent edges, some of whose states accept.
pub trait Choices {
    /// Why the edges of a state cannot be given.
    type Stop;

    /// The edges of a state: letters and targets, sorted, so silent edges are first.
    fn edges(&mut self, state: u32) -> Result<&[(u32, u32)], Self::Stop>;

    /// Whether words that end in this state are accepted.
    fn accepts(&self, state: u32) -> bool;
}

impl Numbered for Subsets {
    fn count(&self) -> usize {
        self.all.len()
    }
}

/// The subsets that were found so far, by number.
#[derive(Default)]
pub struct Subsets {
    all: Sequences,
    /// When each state was last put into a subset.
    seen: Vec<u32>,
    now: u32,
    /// For each letter its targets, and the letters that have some; both are empty between two calls.
    targets: Vec<Vec<u32>>,
    used: Vec<u32>,
    looked: u64,
}

impl Subsets {
    /// The subset of a state.
    pub fn start<G: Choices>(&mut self, graph: &mut G, state: u32) -> Result<u32, G::Stop> {
        let mut states = vec![state];
        self.close(graph, &mut states)?;
        Ok(self.all.intern(&states))
    }

    /// The successors of a subset: letters, in order, with one subset for each.
    pub fn successors<G: Choices>(
        &mut self,
        graph: &mut G,
        subset: u32,
        found: &mut Vec<(u32, u32)>,
    ) -> Result<(), G::Stop> {
        for n in 0..self.all.get(subset).len() {
            let edges = graph.edges(self.all.get(subset)[n])?;
            self.looked += edges.len() as u64;
            for (letter, to) in edges.iter().skip_while(|(letter, _)| *letter == SILENT) {
                if self.targets.len() <= *letter as usize {
                    self.targets.resize_with(*letter as usize + 1, Vec::new);
                }
                let targets = &mut self.targets[*letter as usize];
                if targets.is_empty() {
                    self.used.push(*letter);
                }
                targets.push(*to);
            }
        }
        let mut used = std::mem::take(&mut self.used);
        used.sort_unstable();
        for letter in used.drain(..) {
            let mut states = std::mem::take(&mut self.targets[letter as usize]);
            self.close(graph, &mut states)?;
            found.push((letter, self.all.intern(&states)));
            states.clear();
            self.targets[letter as usize] = states;
        }
        self.used = used;
        Ok(())
    }

    /// The states of a subset, in order.
    pub fn states(&self, subset: u32) -> &[u32] {
        self.all.get(subset)
    }

    /// How many edges were looked at.
    pub fn looked(&self) -> u64 {
        self.looked
    }

    /// The memory that they take, in bytes.
    pub fn memory(&self) -> usize {
        self.all.memory() + self.seen.capacity() * size_of::<u32>()
    }

    /// Adds all states that silent edges lead to, and drops those whose edges are all silent.
    fn close<G: Choices>(&mut self, graph: &mut G, states: &mut Vec<u32>) -> Result<(), G::Stop> {
        self.now += 1;
        let (seen, now) = (&mut self.seen, self.now);
        let mut is_new = |state: u32| {
            if seen.len() <= state as usize {
                seen.resize(state as usize + 1, 0);
            }
            std::mem::replace(&mut seen[state as usize], now) != now
        };
        states.retain(|state| is_new(*state));
        let (mut at, mut kept) = (0, 0);
        while at < states.len() {
            let state = states[at];
            let edges = graph.edges(state)?;
            self.looked += 1;
            let silent = edges.iter().take_while(|(letter, _)| *letter == SILENT);
            states.extend(silent.map(|(_, to)| *to).filter(|to| is_new(*to)));
            let is_heard = edges.last().is_some_and(|(letter, _)| *letter != SILENT);
            if is_heard || graph.accepts(state) {
                states[kept] = state;
                kept += 1;
            }
            at += 1;
        }
        states.truncate(kept);
        states.sort_unstable();
        Ok(())
    }
}
