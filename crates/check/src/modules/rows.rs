//! Proofs: one graph of waiting activations, whose nodes carry rows of origins.
//!
//! While an activation waits, the environment walks over the cells of the module as it does everywhere else: from some cells to
//! those with which a complete call from there can end. So a node is an activation together with the cells as they are now, and
//! an edge is an answer, or a complete call. A row says for a node with which cells its activation can have begun. Rows grow
//! by unions of words, until nothing changes. This is the same closure as that of the tables, without their pairs.

use agon_base::budget::Stop;
use agon_base::explore::{breadth_first, depth_first};
use agon_base::intern::Interner;
use agon_core::module::Allowed;

use super::tabulate::{Arrival, Caller, Figures, Origin, Run, Runs};

agon_base::id! {
    /// A position where an activation waits.
    NodeId;
    /// What an activation began with.
    OriginId;
    /// What an activation ended with.
    ExitId;
}

/// A set of origins.
#[derive(Clone, Default)]
struct Row(Vec<u64>);

impl Row {
    fn of(OriginId(origin): OriginId) -> Row {
        let mut words = vec![0; origin as usize / 64 + 1];
        words[origin as usize / 64] = 1 << (origin % 64);
        Row(words)
    }

    /// Adds what is new in another set, and gives it; nothing, if nothing is new.
    fn add(&mut self, other: &Row) -> Option<Row> {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let mut new = None;
        for (n, (known, added)) in self.0.iter_mut().zip(&other.0).enumerate() {
            let fresh = added & !*known;
            if fresh != 0 {
                *known |= fresh;
                new.get_or_insert_with(|| vec![0; other.0.len()])[n] = fresh;
            }
        }
        new.map(Row)
    }

    /// Adds another set.
    fn join(&mut self, other: &Row) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(known, added)| *known |= added);
    }

    fn iter(&self) -> impl Iterator<Item = OriginId> + '_ {
        (0..).zip(&self.0).flat_map(|(n, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(OriginId(64 * n + bit))
            })
        })
    }

    fn memory(&self) -> usize {
        8 * self.0.capacity()
    }
}

struct Node {
    row: Row,
    /// What was added to the row and not yet passed on.
    pending: Option<Row>,
    next: Vec<NodeId>,
    exits: Vec<ExitId>,
}

struct Graph<'a, R: Runs> {
    runs: &'a mut R,
    /// Where activations wait, and for whose end, if not for the environment.
    places: Interner<(R::State, Option<OriginId>), NodeId>,
    nodes: Vec<Node>,
    origins: Interner<Origin<R>, OriginId>,
    /// For each origin the exits that were found, and the nodes that wait for them.
    ends: Vec<Vec<ExitId>>,
    waiting: Vec<Vec<NodeId>>,
    exits: Interner<(R::State, Option<R::Value>), ExitId>,
    /// For each exit the origins that can end with it.
    ended: Vec<Row>,
    /// What was found and not yet followed.
    work: Vec<Work>,
    /// Nodes whose rows have grown.
    grown: Vec<NodeId>,
    figures: Figures,
}

/// What is to be done once.
enum Work {
    /// Activations of a new origin begin.
    Begin(OriginId),
    /// A new node is followed by answers, and by what was found of what it waits for.
    Open(NodeId),
    /// What a node waits for has ended: the environment has made a call, or a procedure is over.
    GoOn(NodeId, ExitId),
}

/// What ends a proof: a failure, or a reason why there is none.
enum Over {
    Fails,
    Stopped(Stop),
}

impl From<Stop> for Over {
    fn from(stop: Stop) -> Over {
        Over::Stopped(stop)
    }
}

/// Whether no play fails. The cells of the module say nothing of a turn's past here: [`Runs::entry`] is not asked.
pub fn is_safe<R: Runs>(runs: &mut R) -> Result<(bool, Figures), Stop> {
    let start = runs.start();
    let start = runs.globals(None, start);
    let mut graph = Graph {
        runs,
        places: Interner::default(),
        nodes: Vec::new(),
        origins: Interner::default(),
        ends: Vec::new(),
        waiting: Vec::new(),
        exits: Interner::default(),
        ended: Vec::new(),
        work: Vec::new(),
        grown: Vec::new(),
        figures: Figures::default(),
    };
    match graph.close(start) {
        Ok(()) => Ok((true, graph.figures)),
        Err(Over::Fails) => Ok((false, graph.figures)),
        Err(Over::Stopped(stop)) => Err(stop),
    }
}

impl<R: Runs> Graph<'_, R> {
    fn close(&mut self, start: R::Globals) -> Result<(), Over> {
        self.origin((start, Caller::Environment(Allowed::default())));
        self.follow()?;
        let mut grown = std::mem::take(&mut self.grown);
        breadth_first(&mut grown, |grown, n| {
            self.pass(grown[n as usize])?;
            self.follow()?;
            grown.append(&mut self.grown);
            Ok(())
        })
    }

    /// Follows all that was found.
    fn follow(&mut self) -> Result<(), Over> {
        depth_first(std::mem::take(&mut self.work), |waiting, work| {
            match work {
                Work::Begin(origin) => self.begin(origin)?,
                Work::Open(node) => self.open(node)?,
                Work::GoOn(node, exit) => self.goes_on(node, exit)?,
            }
            waiting.append(&mut self.work);
            Ok(())
        })
    }

    fn edge(&mut self, row: usize) -> Result<(), Over> {
        self.figures.edges += 1;
        self.figures.memory += row;
        self.figures.members = self.nodes.len();
        Ok(self.runs.watch(self.figures)?)
    }

    /// The number of an origin.
    fn origin(&mut self, origin: Origin<R>) -> OriginId {
        let (id, new) = self.origins.insert(origin);
        if new {
            self.ends.push(Vec::new());
            self.waiting.push(Vec::new());
            self.work.push(Work::Begin(id));
        }
        id
    }

    fn begin(&mut self, id: OriginId) -> Result<(), Over> {
        let (globals, called) = self.origins.get(id).clone();
        let runs = match called {
            Caller::Environment(allowed) => self.runs.called(globals, allowed)?,
            Caller::Module(component, arguments) => self.runs.entered(globals, component, &arguments)?,
        };
        let (next, exits) = self.targets(&runs)?;
        let row = Row::of(id);
        for node in next {
            self.grow(node, &row)?;
        }
        for exit in exits {
            self.exit(exit, &row)?;
        }
        Ok(())
    }

    /// The nodes and exits that runs come to.
    fn targets(
        &mut self,
        runs: &[Run<R::Value, R::Link, R::State>],
    ) -> Result<(Vec<NodeId>, Vec<ExitId>), Over> {
        let (mut next, mut exits) = (Vec::new(), Vec::new());
        for run in runs {
            match &run.end {
                Arrival::Fails => return Err(Over::Fails),
                Arrival::Waits(at) => next.push(self.node(*at, None)),
                Arrival::Calls(at, component, arguments) => {
                    let globals = self.runs.globals(None, *at);
                    let callee = self.origin((globals, Caller::Module(*component, arguments.clone())));
                    next.push(self.node(*at, Some(callee)));
                }
                Arrival::Returns(at, value) => {
                    let (exit, new) = self.exits.insert((*at, value.clone()));
                    if new {
                        self.ended.push(Row::default());
                    }
                    exits.push(exit);
                }
            }
        }
        Ok((next, exits))
    }

    /// The node of a position.
    fn node(&mut self, at: R::State, callee: Option<OriginId>) -> NodeId {
        let (id, new) = self.places.insert((at, callee));
        if new {
            self.nodes.push(Node { row: Row::default(), pending: None, next: Vec::new(), exits: Vec::new() });
            self.work.push(Work::Open(id));
        }
        id
    }

    fn open(&mut self, id: NodeId) -> Result<(), Over> {
        let (at, callee) = *self.places.get(id);
        let waits_for = match callee {
            Some(callee) => callee,
            None => {
                let runs = self.runs.answered(at)?;
                self.link(id, &runs)?;
                let Some(allowed) = self.runs.allowed(at) else { return Ok(()) };
                let globals = self.runs.globals(None, at);
                self.origin((globals, Caller::Environment(allowed)))
            }
        };
        self.waiting[waits_for.index()].push(id);
        let ends = self.ends[waits_for.index()].iter();
        self.work.extend(ends.map(|exit| Work::GoOn(id, *exit)));
        Ok(())
    }

    /// Runs follow a node.
    fn link(&mut self, id: NodeId, runs: &[Run<R::Value, R::Link, R::State>]) -> Result<(), Over> {
        let (next, exits) = self.targets(runs)?;
        let row = self.nodes[id.index()].row.clone();
        for node in next {
            self.nodes[id.index()].next.push(node);
            self.grow(node, &row)?;
        }
        for exit in exits {
            self.nodes[id.index()].exits.push(exit);
            self.exit(exit, &row)?;
        }
        Ok(())
    }

    fn goes_on(&mut self, id: NodeId, exit: ExitId) -> Result<(), Over> {
        let (at, callee) = *self.places.get(id);
        let (ended, value) = self.exits.get(exit).clone();
        let globals = self.runs.globals(None, ended);
        let state = self.runs.with_globals(at, globals);
        match callee {
            Some(_) => {
                let runs = self.runs.resumed(state, value.as_ref())?;
                self.link(id, &runs)
            }
            None => {
                let node = self.node(state, None);
                let row = self.nodes[id.index()].row.clone();
                self.nodes[id.index()].next.push(node);
                self.grow(node, &row)
            }
        }
    }

    /// Activations with these origins come to a node.
    fn grow(&mut self, id: NodeId, row: &Row) -> Result<(), Over> {
        let node = &mut self.nodes[id.index()];
        let before = node.row.memory();
        let new = node.row.add(row);
        let more = node.row.memory() - before;
        if let Some(new) = new {
            match &mut node.pending {
                Some(pending) => pending.join(&new),
                None => {
                    node.pending = Some(new);
                    self.grown.push(id);
                }
            }
        }
        self.edge(more)
    }

    /// Activations with these origins end.
    fn exit(&mut self, exit: ExitId, row: &Row) -> Result<(), Over> {
        let Some(new) = self.ended[exit.index()].add(row) else { return Ok(()) };
        for origin in new.iter() {
            self.edge(size_of::<ExitId>())?;
            self.ends[origin.index()].push(exit);
            // The environment is to move again, if it was the caller.
            if let (_, caller @ Caller::Environment(_)) = self.origins.get(origin).clone() {
                let at = self.exits.get(exit).0;
                let globals = self.runs.globals(None, at);
                self.origin((globals, caller));
            }
            let waiting = self.waiting[origin.index()].iter();
            self.work.extend(waiting.map(|node| Work::GoOn(*node, exit)));
        }
        Ok(())
    }

    /// Passes on what was added to a row.
    fn pass(&mut self, id: NodeId) -> Result<(), Over> {
        let Some(row) = self.nodes[id.index()].pending.take() else { return Ok(()) };
        for n in 0..self.nodes[id.index()].next.len() {
            let node = self.nodes[id.index()].next[n];
            self.grow(node, &row)?;
        }
        for n in 0..self.nodes[id.index()].exits.len() {
            let exit = self.nodes[id.index()].exits[n];
            self.exit(exit, &row)?;
        }
        Ok(())
    }
}
