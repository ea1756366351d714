//! Bisimilar states of a graph are one, before anything else is done with them.
//!
//! Blocks of states are split until all states of a block have the same edges to blocks; silent edges within a block
//! count for nothing, since they lead to where the same can be done. Only states one of whose edges leads to what was
//! split off in the last round are looked at again, and of what was split the largest part is never called new.

use agon_base::budget::{Budget, Stop};
use agon_base::id::number;
use agon_base::intern::Sequences;

use super::confluence::{Graph, SILENT};

/// The budget is checked once in this many states.
const PATIENCE: usize = 1 << 12;

/// For each state the number of its block; State 0 is in block 0, alone.
fn blocks(graph: &Graph, budget: &Budget) -> Result<(Vec<u32>, usize), Stop> {
    let states = graph.states();
    // The incoming edges; of each state its block, its place among those to look at, and what it is found to be.
    budget.check_room((graph.transitions() + states * 7) * size_of::<u32>())?;
    let (into, from) = incoming(graph);
    let mut block = vec![1u32; states];
    block[0] = 0;
    let mut sizes = vec![1, states - 1];
    let mut dirty: Vec<u32> = (1..number(states)).collect();
    let mut marked = vec![false; states];
    let mut signatures = Sequences::default();
    let mut signature: Vec<(u32, u32)> = Vec::new();
    let mut words = Vec::new();
    let mut found: Vec<(u32, u32, u32)> = Vec::new();
    let mut moved: Vec<u32> = Vec::new();
    while !dirty.is_empty() {
        signatures.clear();
        found.clear();
        for (n, state) in dirty.drain(..).enumerate() {
            if n.is_multiple_of(PATIENCE) {
                budget.check()?;
            }
            let own = block[state as usize];
            marked[state as usize] = false;
            signature.clear();
            let edges = graph.edges(state).iter().map(|(letter, to)| (*letter, block[*to as usize]));
            signature.extend(edges.filter(|edge| *edge != (SILENT, own)));
            signature.sort_unstable();
            signature.dedup();
            words.clear();
            words.extend(signature.iter().flat_map(|(letter, to)| [*letter, *to]));
            found.push((own, signatures.intern(&words), state));
        }
        found.sort_unstable();
        for of_block in found.chunk_by(|a, b| a.0 == b.0) {
            let old = of_block[0].0;
            let groups = || of_block.chunk_by(|a, b| a.1 == b.1);
            // Those that were not looked at stay what they are; if all were, the largest group does.
            let all = of_block.len() == sizes[old as usize];
            let stays =
                if all { groups().max_by_key(|group| group.len()).map(|group| group[0].1) } else { None };
            for group in groups().filter(|group| Some(group[0].1) != stays) {
                let new = number(sizes.len());
                sizes.push(group.len());
                sizes[old as usize] -= group.len();
                for (.., state) in group {
                    block[*state as usize] = new;
                    moved.push(*state);
                }
            }
        }
        for state in moved.drain(..) {
            let before = &from[into[state as usize] as usize..into[state as usize + 1] as usize];
            for state in before.iter().chain([&state]) {
                if *state != 0 && !std::mem::replace(&mut marked[*state as usize], true) {
                    dirty.push(*state);
                }
            }
        }
    }
    Ok((block, sizes.len()))
}

/// The states from which edges lead into each.
fn incoming(graph: &Graph) -> (Vec<u32>, Vec<u32>) {
    let states = graph.states();
    let mut into = vec![0u32; states + 1];
    let edges =
        || (0..number(states)).flat_map(|state| graph.edges(state).iter().map(move |edge| (state, edge.1)));
    edges().for_each(|(_, to)| into[to as usize + 1] += 1);
    (0..states).for_each(|n| into[n + 1] += into[n]);
    let mut next = into.clone();
    let mut from = vec![0; graph.transitions()];
    for (state, to) in edges() {
        from[next[to as usize] as usize] = state;
        next[to as usize] += 1;
    }
    (into, from)
}

impl Graph {
    /// The graph in which bisimilar states are one, and the number of each state in it. State 0, where words end, keeps
    /// its number.
    pub fn quotient(&self, budget: &Budget) -> Result<(Graph, Vec<u32>), Stop> {
        let (block, count) = blocks(self, budget)?;
        let mut members = vec![u32::MAX; count];
        (0..number(self.states())).for_each(|state| members[block[state as usize] as usize] = state);
        let mut graph = Graph::default();
        for (number, member) in (0..).zip(members) {
            let edges = self.edges(member).iter().map(|(letter, to)| (*letter, block[*to as usize]));
            graph.state(edges.filter(|edge| *edge != (SILENT, number)));
        }
        Ok((graph, block))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bisimilar_states_are_one_and_others_are_not() {
        let mut graph = Graph::default();
        graph.state([]);
        // 1 and 2 do a and end, 2 after a silent step to 1; 3 does a or b; 4 silently gives up b.
        graph.state([(1, 0)]);
        graph.state([(SILENT, 1), (1, 0)]);
        graph.state([(1, 0), (2, 0)]);
        graph.state([(SILENT, 1), (1, 0), (2, 0)]);
        // A circle that does a on its way, and its double.
        graph.state([(1, 6)]);
        graph.state([(1, 5)]);
        graph.state([(1, 7)]);
        let (block, count) = blocks(&graph, &Budget::default()).expect("nobody interrupts");
        assert_eq!(block[1], block[2]);
        assert_ne!(block[3], block[4]);
        assert_eq!(block[5], block[7]);
        assert_eq!((block[0], count), (0, 5));
        let (quotient, block) = graph.quotient(&Budget::default()).expect("nobody interrupts");
        assert_eq!(quotient.edges(block[2]), [(1, 0)]);
    }
}
