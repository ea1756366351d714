//! Numbers that depend on each other by maximum, sum and product, and the least numbers that do.

use std::collections::BTreeSet;

use crate::term::TermId;

/// No bound is greater than this.
pub(super) const GREATEST: u64 = u16::MAX as u64;

agon_base::id! {
    /// A number of the graph.
    pub(super) Node;
    /// An [`Event`] of a [`Solution`].
    pub(super) EventId;
}

/// What a number is made of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    /// It is given.
    Fixed(u64),
    /// An occurrence of a variable: one.
    Use,
    /// A bound: the greatest of what flows into it.
    Bound,
    /// One after the other.
    Max(Node, Node),
    /// At the same time.
    Sum(Node, Node),
    /// The second, as often as the first says.
    Product(Node, Node),
}

/// The numbers and what they depend on.
#[derive(Default)]
pub(super) struct Graph {
    rules: Vec<Rule>,
    places: Vec<TermId>,
    /// What flows into a bound, and the term that makes it so.
    inflows: Vec<Vec<(Node, TermId)>>,
}

/// Why a number grew. The events on which it rests came before it, so explanations end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) node: Node,
    /// What it grew to.
    pub(super) value: u64,
    /// The events that its operands rest on; of a bound, what flowed in is the first. What is 0 has none.
    pub(super) operands: [Option<EventId>; 2],
    /// The term that is responsible.
    pub(super) place: TermId,
}

/// The numbers that were found, and why.
pub(super) struct Solution {
    values: Vec<u64>,
    latest: Vec<Option<EventId>>,
    pub(super) events: Vec<Event>,
}

/// A bound that no number is great enough for.
pub(super) struct Excess {
    pub(super) solution: Solution,
    /// How it grew beyond the greatest, or beyond itself.
    pub(super) event: EventId,
    /// Whether it grows because it grows.
    pub(super) endless: bool,
}

impl Graph {
    pub(super) fn add(&mut self, rule: Rule, place: TermId) -> Node {
        let node = Node::new(self.rules.len());
        self.rules.push(rule);
        self.places.push(place);
        self.inflows.push(Vec::new());
        node
    }

    /// The second, a bound, is at least the first.
    pub(super) fn flow(&mut self, from: Node, to: Node, place: TermId) {
        // What is fixed is the environment's, and the program never writes to where the environment reads.
        debug_assert!(matches!(self.rule(to), Rule::Bound), "only bounds are inferred");
        self.inflows[to.index()].push((from, place));
    }

    pub(super) fn rule(&self, node: Node) -> Rule {
        self.rules[node.index()]
    }

    /// The least solution. Numbers start at 0 and grow; operands mostly come before what is made of them, so
    /// going through them in order, again and again where something changed, takes few rounds.
    pub(super) fn solve(&self) -> Result<Solution, Excess> {
        let users = self.users();
        let count = self.rules.len();
        let mut solution = Solution { values: vec![0; count], latest: vec![None; count], events: Vec::new() };
        let mut growths = vec![0u32; count];
        let mut pending: BTreeSet<Node> = (0..count).map(Node::new).collect();
        let mut next = Node(0);
        while let Some(node) = pending.range(next..).next().or(pending.first()).copied() {
            pending.remove(&node);
            next = Node(node.0 + 1);
            let event = self.evaluate(node, &solution);
            if event.value <= solution.value(node) {
                continue;
            }
            let number = EventId::new(solution.events.len());
            solution.events.push(event);
            solution.values[node.index()] = event.value;
            solution.latest[node.index()] = Some(number);
            if let Rule::Bound = self.rule(node) {
                let growths = &mut growths[node.index()];
                *growths += 1;
                // Looking back takes a while, so it is done the more rarely the longer nothing was found.
                let looks_back = *growths >= 4 && growths.is_power_of_two();
                let endless = looks_back && self.rests_on_itself(&solution, number);
                if endless || event.value > GREATEST {
                    return Err(Excess { solution, event: number, endless });
                }
            }
            pending.extend(&users[node.index()]);
        }
        Ok(solution)
    }

    fn users(&self) -> Vec<Vec<Node>> {
        let mut users = vec![Vec::new(); self.rules.len()];
        for (number, rule) in self.rules.iter().enumerate() {
            let node = Node::new(number);
            if let Rule::Max(a, b) | Rule::Sum(a, b) | Rule::Product(a, b) = rule {
                users[a.index()].push(node);
                users[b.index()].push(node);
            }
            for (from, _) in &self.inflows[number] {
                users[from.index()].push(node);
            }
        }
        users
    }

    fn evaluate(&self, node: Node, solution: &Solution) -> Event {
        let both = |a: Node, b: Node| [solution.latest(a), solution.latest(b)];
        let (x, y) = match self.rule(node) {
            Rule::Max(a, b) | Rule::Sum(a, b) | Rule::Product(a, b) => (solution.value(a), solution.value(b)),
            _ => (0, 0),
        };
        let (value, operands) = match self.rule(node) {
            Rule::Fixed(n) => (n, [None; 2]),
            Rule::Use => (1, [None; 2]),
            Rule::Max(a, b) => (x.max(y), both(a, b)),
            Rule::Sum(a, b) => (x.saturating_add(y), both(a, b)),
            Rule::Product(a, b) => (x.saturating_mul(y), both(a, b)),
            Rule::Bound => {
                let inflows = &self.inflows[node.index()];
                // The first of the greatest, so that what is said does not depend on the order of the steps.
                let greatest = inflows.iter().rev().max_by_key(|(from, _)| solution.value(*from));
                let Some((from, place)) = greatest else {
                    return Event { node, value: 0, operands: [None; 2], place: self.places[node.index()] };
                };
                let operands = [solution.latest(*from), None];
                return Event { node, value: solution.value(*from), operands, place: *place };
            }
        };
        Event { node, value, operands, place: self.places[node.index()] }
    }

    /// The operand on which an event rests most; each that is returned really has a part in it.
    pub(super) fn origin(&self, solution: &Solution, event: EventId) -> Option<EventId> {
        let [first, second] = solution.events[event.index()].operands;
        let value = |event: Option<EventId>| event.map_or(0, |event| solution.events[event.index()].value);
        if value(second) > value(first) { second } else { first }
    }

    /// Whether a number grew because it had grown before. Then it grows for ever: on the way from the one growth
    /// to the other there are only sums, and products with what is not 0, so the same way makes every greater
    /// number grow by as much at least.
    fn rests_on_itself(&self, solution: &Solution, event: EventId) -> bool {
        let node = solution.events[event.index()].node;
        let mut at = event;
        while let Some(before) = self.origin(solution, at) {
            if solution.events[before.index()].node == node {
                return true;
            }
            at = before;
        }
        false
    }
}

impl Solution {
    pub(super) fn value(&self, node: Node) -> u64 {
        self.values[node.index()]
    }

    /// How a number came to be what it is; nothing if it is 0.
    pub(super) fn latest(&self, node: Node) -> Option<EventId> {
        self.latest[node.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: TermId = TermId(0);

    #[test]
    fn what_depends_on_itself_without_growing_has_a_least_solution() {
        let mut graph = Graph::default();
        let three = graph.add(Rule::Fixed(3), HERE);
        let (a, b) = (graph.add(Rule::Bound, HERE), graph.add(Rule::Bound, HERE));
        graph.flow(a, b, HERE);
        graph.flow(b, a, HERE);
        graph.flow(three, a, HERE);
        let solution = graph.solve().ok().expect("there is one");
        assert_eq!((solution.value(a), solution.value(b)), (3, 3));
    }

    #[test]
    fn what_grows_by_itself_is_noticed_long_before_the_greatest() {
        let mut graph = Graph::default();
        let one = graph.add(Rule::Use, HERE);
        let ring: Vec<_> = (0..1_000).map(|_| graph.add(Rule::Bound, HERE)).collect();
        let more = graph.add(Rule::Sum(ring[999], one), HERE);
        for pair in ring.windows(2) {
            graph.flow(pair[0], pair[1], HERE);
        }
        graph.flow(more, ring[0], HERE);
        let excess = graph.solve().err().expect("there is none");
        assert!(excess.endless);
        assert!(excess.solution.events.len() < 10_000);
    }

    #[test]
    fn nothing_times_something_is_nothing() {
        let mut graph = Graph::default();
        let one = graph.add(Rule::Use, HERE);
        let a = graph.add(Rule::Bound, HERE);
        let product = graph.add(Rule::Product(a, one), HERE);
        let more = graph.add(Rule::Sum(product, product), HERE);
        graph.flow(more, a, HERE);
        assert_eq!(graph.solve().ok().expect("there is one").value(a), 0);
    }
}
