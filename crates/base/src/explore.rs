//! Exploration: what can be reached is visited once.
//!
//! An [`Exploration`] visits positions `S`, the cheapest first, and knows the path to each: what leads from one to the
//! next, `E`. Where no path is needed, [`breadth_first`] and [`depth_first`] do with a table or a stack.

use std::collections::{BTreeMap, VecDeque};
use std::hash::Hash;
use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use crate::intern::{Interner, Sequences};
use crate::random::Random;

/// Things that are numbered from 0 in the order in which they were found. They are a queue of what is to be visited.
pub trait Numbered {
    /// How many there are.
    fn count(&self) -> usize;
}

impl<T> Numbered for Vec<T> {
    fn count(&self) -> usize {
        self.len()
    }
}

impl<T: Hash + Eq, I: From<u32> + Into<u32>> Numbered for Interner<T, I> {
    fn count(&self) -> usize {
        self.len()
    }
}

impl<W: Copy + Eq + Hash> Numbered for Sequences<W> {
    fn count(&self) -> usize {
        self.len()
    }
}

/// Visits all that was found, by number, in the order in which it was found. A visit may find more, or end the run.
pub fn breadth_first<F: Numbered, X>(
    found: &mut F,
    visit: impl FnMut(&mut F, u32) -> Result<(), X>,
) -> Result<(), X> {
    breadth_first_from(found, &mut 0, visit)
}

/// The same from a number on, which is counted up. If a visit ends the run, the next run begins with that visit.
pub fn breadth_first_from<F: Numbered, X>(
    found: &mut F,
    next: &mut u32,
    mut visit: impl FnMut(&mut F, u32) -> Result<(), X>,
) -> Result<(), X> {
    while (*next as usize) < found.count() {
        visit(found, *next)?;
        *next += 1;
    }
    Ok(())
}

/// Visits all that waits, the last first. A visit may add more, or end the run.
pub fn depth_first<T, X>(
    mut waiting: Vec<T>,
    mut visit: impl FnMut(&mut Vec<T>, T) -> Result<(), X>,
) -> Result<(), X> {
    while let Some(at) = waiting.pop() {
        visit(&mut waiting, at)?;
    }
    Ok(())
}

/// What ended a visit of everything, and what was left: the thing that was visited last, then all that waited.
pub type Ended<X, T> = Option<(X, Vec<T>)>;

/// Visits all that is found, the cheapest first, and of equal costs the one that has waited longest. A visit may find more, each with
/// its cost, or end the run.
pub fn by_cost<T, X, E>(
    start: T,
    mut visit: impl FnMut(usize, &T, &mut Vec<(usize, T)>) -> Result<ControlFlow<X>, E>,
) -> Result<Ended<X, T>, E> {
    let mut waiting = BTreeMap::from([(0, VecDeque::from([start]))]);
    let mut found = Vec::new();
    while let Some(mut first) = waiting.first_entry() {
        let cost = *first.key();
        let Some(at) = first.get_mut().pop_front() else {
            first.remove();
            continue;
        };
        if let ControlFlow::Break(end) = visit(cost, &at, &mut found)? {
            let left = std::iter::once(at).chain(waiting.into_values().flatten());
            return Ok(Some((end, left.collect())));
        }
        for (cost, next) in found.drain(..) {
            waiting.entry(cost).or_default().push_back(next);
        }
    }
    Ok(None)
}

/// Which of the positions of equal cost is visited first.
pub enum Order {
    /// The one that has waited longest.
    Queue,
    /// The one that was added last.
    Stack,
    /// The first successor of the position that was visited last.
    DepthFirst,
    /// One of its successors that is drawn.
    Drawn(Random),
}

crate::id! {
    /// A node in the tree of paths. All paths start at node 0.
    pub NodeId;
}

/// A position that waits for its visit, or a goal if there is none.
struct Waiting<S, E> {
    parent: NodeId,
    by: Option<E>,
    at: Option<S>,
}

/// A tree of paths, and what waits at its ends.
pub struct Exploration<S, E> {
    order: Order,
    visited: FxHashSet<S>,
    /// For each node the one before it, and what led from there.
    nodes: Vec<(NodeId, Option<E>)>,
    /// By cost.
    waiting: BTreeMap<u64, VecDeque<Waiting<S, E>>>,
    /// The successors of the position that is visited.
    added: Vec<(u64, Waiting<S, E>)>,
    /// The node of the position that is visited, and its cost.
    node: NodeId,
    cost: u64,
    /// Whether a position counts as visited when it is added. All have the same cost then.
    eager: bool,
    /// What leads from the position that is visited to a goal.
    reached: Option<E>,
}

impl<S: Clone + Eq + Hash, E: Clone> Exploration<S, E> {
    /// One that begins at a position, which costs nothing.
    pub fn new(start: S, order: Order) -> Exploration<S, E> {
        let start = Waiting { parent: NodeId(0), by: None, at: Some(start) };
        Exploration {
            order,
            visited: FxHashSet::default(),
            nodes: Vec::new(),
            waiting: BTreeMap::from([(0, VecDeque::from([start]))]),
            added: Vec::new(),
            node: NodeId(0),
            cost: 0,
            eager: false,
            reached: None,
        }
    }

    /// One in which nothing has a cost: breadth first.
    pub fn breadth_first(start: S) -> Exploration<S, E> {
        let visited = FxHashSet::from_iter([start.clone()]);
        Exploration { visited, eager: true, ..Exploration::new(start, Order::Queue) }
    }

    /// Visits positions until a goal is reached, or is the next thing that waits; gives the path to it. A visit adds what
    /// follows.
    pub fn run<X>(
        &mut self,
        mut visit: impl FnMut(&mut Exploration<S, E>, S) -> Result<(), X>,
    ) -> Result<Option<Vec<E>>, X> {
        while let Some(Waiting { parent, by, at }) = self.next() {
            let Some(at) = at else { return Ok(Some(self.path(parent, by))) };
            if !self.eager && !self.visited.insert(at.clone()) {
                continue;
            }
            self.node = NodeId::new(self.nodes.len());
            self.nodes.push((parent, by));
            visit(self, at)?;
            if let Some(by) = self.reached.take() {
                return Ok(Some(self.path(self.node, Some(by))));
            }
            self.settle();
        }
        Ok(None)
    }

    /// How many positions were visited; breadth first, those that wait are counted as well.
    pub fn visited(&self) -> usize {
        self.visited.len()
    }

    /// The memory that the tree takes, in bytes; what its steps own elsewhere is not counted.
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<(NodeId, Option<E>)>()
    }

    /// The cost of the position that is visited.
    pub fn cost(&self) -> u64 {
        self.cost
    }

    /// The node of the position that is visited.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// The node before a node, and what led from there; nothing, if the paths begin there.
    pub fn before(&self, node: NodeId) -> Option<(NodeId, &E)> {
        let (before, by) = &self.nodes[node.index()];
        by.as_ref().map(|by| (*before, by))
    }

    /// Adds a node behind the position that is visited, at which nothing waits.
    pub fn pass(&mut self, by: E) -> NodeId {
        let node = NodeId::new(self.nodes.len());
        self.nodes.push((self.node, Some(by)));
        node
    }

    /// Adds what follows a node: a position, or a goal.
    pub fn add(&mut self, from: NodeId, cost: u64, by: E, at: Option<S>) {
        let is_new = match &at {
            Some(at) if self.eager => self.visited.insert(at.clone()),
            Some(at) => !self.visited.contains(at),
            None => true,
        };
        if is_new {
            self.added.push((cost, Waiting { parent: from, by: Some(by), at }));
        }
    }

    /// The position that is visited leads to a goal, at once.
    pub fn reach(&mut self, by: E) {
        self.reached = Some(by);
    }

    fn next(&mut self) -> Option<Waiting<S, E>> {
        while let Some(mut cheapest) = self.waiting.first_entry() {
            let cost = *cheapest.key();
            let queue = cheapest.get_mut();
            let next = match self.order {
                Order::Queue => queue.pop_front(),
                Order::Stack | Order::DepthFirst | Order::Drawn(_) => queue.pop_back(),
            };
            if next.is_some() {
                self.cost = cost;
                return next;
            }
            cheapest.remove();
        }
        None
    }

    /// Puts the successors where they wait.
    fn settle(&mut self) {
        let added = &mut self.added;
        match &mut self.order {
            Order::Queue | Order::Stack => {}
            // What is put on a stack first is taken last.
            Order::DepthFirst => added.reverse(),
            Order::Drawn(random) => (1..added.len()).for_each(|n| added.swap(n, random.below(n + 1))),
        }
        for (cost, waiting) in added.drain(..) {
            self.waiting.entry(cost).or_default().push_back(waiting);
        }
    }

    fn path(&self, parent: NodeId, last: Option<E>) -> Vec<E> {
        let mut path: Vec<E> = last.into_iter().collect();
        let mut at = parent;
        while let (before, Some(by)) = &self.nodes[at.index()] {
            path.push(by.clone());
            at = *before;
        }
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers below 100, from each to its double and to one more. What is odd costs more.
    fn path_to(goal: u32, order: Order) -> (Vec<char>, usize) {
        let mut exploration = Exploration::new(1u32, order);
        let path = exploration.run(|exploration, n| {
            for (by, next) in [('d', 2 * n), ('i', n + 1)] {
                let at = (next != goal).then_some(next);
                if next < 100 {
                    exploration.add(exploration.node(), exploration.cost() + u64::from(next % 2), by, at);
                }
            }
            Ok::<(), ()>(())
        });
        (path.ok().flatten().expect("every number is reached"), exploration.visited())
    }

    #[test]
    fn the_cheapest_path_is_found_in_every_order() {
        let shortest = path_to(11, Order::Queue).0;
        assert_eq!(shortest.iter().collect::<String>(), "ddidi");
        for order in [Order::Stack, Order::DepthFirst, Order::Drawn(Random::new(7))] {
            let (path, visited) = path_to(11, order);
            let value = path.iter().fold(1, |n, by| if *by == 'd' { 2 * n } else { n + 1 });
            assert!(value == 11 && visited > 3, "{path:?}");
        }
    }

    #[test]
    fn what_cannot_be_reached_is_not_found_and_a_visit_may_end_the_run() {
        let mut exploration = Exploration::new(0u32, Order::Queue);
        let path = exploration.run(|exploration, n| {
            exploration.add(exploration.node(), 0, (), Some((n + 1) % 5));
            Ok::<(), ()>(())
        });
        assert_eq!((path, exploration.visited()), (Ok(None), 5));
        let mut exploration = Exploration::<u32, ()>::new(0, Order::Stack);
        assert_eq!(exploration.run(|_, n| Err(n)), Err(0));
    }
}
