//! The game model: the automaton of a program's complete plays, built through the machine.

use agon_base::budget::{Budget, Stop, Threads};
use agon_base::explore::breadth_first;
use agon_base::id::number;
use agon_base::intern::Interner;

use crate::automaton::confluence::{Graph, SILENT};
use crate::automaton::{Automaton, States};
use crate::machine::explore::{Event, Figures, Here, Place, Visitor, Walk, explore};
use crate::machine::{Machine, State, Strands};
use crate::moves::{Move, ThreadMove};
use crate::strategy::Order;
use crate::values::Exact;

/// The minimal automaton of the complete plays, and how many positions were visited to build it.
///
/// Over exact values P's answer is determined, so what the machine walks is deterministic already. It is minimised
/// over pairs of moves, O's and P's answer to it, and only then are the positions of P's turn put in between.
pub fn model(
    machine: &mut Machine<Exact>,
    largest: usize,
    budget: &Budget,
) -> Result<(Automaton<Move>, usize), Stop> {
    let mut letters: Interner<Move> = Interner::default();
    let mut pairs: Interner<(u32, u32)> = Interner::default();
    let mut positions: Interner<State> = Interner::default();
    // For each position, its pairs of moves and what follows.
    let mut edges: Vec<(u32, u32)> = Vec::new();
    let mut starts: Vec<u32> = vec![0];
    positions.intern(machine.start());
    let mut reactions = Vec::new();
    let mut played = 0u64;
    breadth_first(&mut positions, |positions, next| {
        let state = *positions.get(next);
        for offer in machine.offers(state).iter() {
            let last = offer.last.ok_or(Stop::Unbounded(offer.component))?;
            for code in 0..=last {
                played += 1;
                if played.is_multiple_of(PATIENCE) {
                    budget.check()?;
                }
                reactions.clear();
                machine.play(state, offer, code, &mut reactions, budget)?;
                let Some(reaction) = reactions.pop() else { continue };
                let to = reaction.next.map_or(COMPLETE, |next| positions.intern(next));
                let question = letters.intern(offer.at(machine.domain(), machine.arena(), code));
                let answer = letters.intern(reaction.label);
                edges.push((pairs.intern((question, answer)), to));
                if positions.len() + edges.len() > largest {
                    return Err(Stop::Memory);
                }
            }
        }
        starts.push(u32::try_from(edges.len()).map_err(|_| Stop::Table)?);
        Ok(())
    })?;
    let visited = positions.len();
    drop(positions);
    budget.check_room(edges.len() * size_of::<(u32, u32)>() + visited * size_of::<u32>())?;
    // State 0 is where the play is complete.
    let mut states = States::with_letters(pairs);
    states.end_state(true);
    for position in 0..visited {
        for (pair, to) in &edges[starts[position] as usize..starts[position + 1] as usize] {
            states.lettered_edge(*pair, if *to == COMPLETE { 0 } else { 1 + to });
        }
        states.end_state(false);
    }
    drop((edges, starts));
    let minimal = states.automaton(1).minimal_within(budget)?;
    budget.check_room(minimal.bytes_to_copy() * 3)?;
    Ok((with_answers(&minimal, letters), visited))
}

/// The budget is checked once in this many pairs of moves.
const PATIENCE: u64 = 1 << 10;

/// Not a position: the play is complete.
const COMPLETE: u32 = u32::MAX;

/// The automaton over single moves of a minimal one over pairs of them. Where it is P's turn, all there is to know is
/// P's answer and what follows it, so positions that agree in that are one.
fn with_answers(pairs: &Automaton<(u32, u32)>, letters: Interner<Move>) -> Automaton<Move> {
    let mut answers: Interner<(u32, u32)> = Interner::default();
    let count = number(pairs.states());
    let mut states = States::with_letters(letters);
    for state in 0..count {
        for (pair, to) in pairs.edges(state) {
            let (question, answer) = pairs.letters[*pair as usize];
            states.lettered_edge(question, count + answers.intern((answer, *to)));
        }
        states.end_state(pairs.accepting[state as usize]);
    }
    for (answer, to) in answers.into_vec() {
        states.lettered_edge(answer, to);
        states.end_state(false);
    }
    states.automaton(pairs.initial).canonical()
}

/// The model of a concurrent program.
pub struct ConcurrentModel {
    /// The minimal automaton of its complete plays.
    pub automaton: Automaton<ThreadMove>,
    /// How many positions were visited.
    pub visited: usize,
    /// How many of them were left when silent steps that take nothing away had been taken.
    pub left: usize,
}

/// How the model of a concurrent program is built.
#[derive(Clone, Copy)]
pub struct Building<'a> {
    /// Whether silent steps that take nothing away are taken at once, before the ways are put together.
    pub reduce: bool,
    /// In how many threads.
    pub threads: Threads,
    /// The most positions and transitions.
    pub largest: usize,
    /// What it may cost.
    pub budget: &'a Budget,
}

/// Builds the model of a concurrent program. What nobody sees is left out, so the same play may come about in
/// several ways.
pub fn concurrent_model(strands: &mut Strands, building: Building<'_>) -> Result<ConcurrentModel, Stop> {
    let Building { reduce, threads, largest, budget } = building;
    let (mut graph, visited) = positions(strands, threads, largest, budget, &|_| Ok(()))?;
    let mut initial = 1;
    if reduce {
        let (collapsed, starts) = graph.collapsed(&[initial], budget)?;
        drop(graph);
        let (quotient, block) = collapsed.quotient(budget)?;
        (graph, initial) = (quotient, block[starts[0] as usize]);
    }
    let left = graph.states();
    let letters = strands.take_letters();
    let automaton = graph.determinize(initial, letters, budget)?;
    drop(graph);
    let automaton = automaton.minimal_within(budget)?;
    Ok(ConcurrentModel { automaton, visited, left })
}

/// The graph of all positions of a concurrent program, and how many there are. State 0 is where the play is complete,
/// state 1 the start; letter n + 1 is the n-th of the strands' letters.
pub fn positions(
    strands: &mut Strands,
    threads: Threads,
    largest: usize,
    budget: &Budget,
    watch: &(dyn Fn(Figures) -> Result<(), Stop> + Sync),
) -> Result<(Graph, usize), Stop> {
    let fits = |figures: Figures| match figures.positions as u64 + figures.transitions > largest as u64 {
        true => Err(Stop::Memory),
        false => Ok(()),
    };
    let watch = |figures: Figures| fits(figures).and_then(|()| watch(figures));
    let walk = Walk { order: Order::Shortest, threads, last_place: Place::MAX, budget, watch: &watch };
    let walked = explore(strands, walk, Edges::default);
    fits(walked.figures)?;
    walked.found?;
    let visited = walked.figures.positions;
    let edges: usize = walked.visitors.iter().map(|edges| edges.all.len() + edges.completed.len()).sum();
    // The edges by number, in order, and as a graph.
    budget.check_room(edges * 7 * size_of::<u32>() + visited * 3 * size_of::<u32>())?;
    Ok((graph(walked.visitors, visited, walked.space.numbers()), visited))
}

/// The edges between positions.
#[derive(Default)]
struct Edges {
    /// Whence, by which letter, and where to.
    all: Vec<(Place, u32, Place)>,
    /// By which letters plays are completed.
    completed: Vec<(Place, u32)>,
}

impl Visitor<Exact> for Edges {
    type Found = std::convert::Infallible;

    fn visit(
        &mut self,
        here: &mut Here<'_, '_, Exact>,
        events: &[Event],
    ) -> Result<Option<Self::Found>, Stop> {
        let complete = events.iter().filter(|event| event.is_complete());
        self.completed.extend(complete.map(|event| (here.place, letter(event.label))));
        Ok(None)
    }

    fn arrive(&mut self, from: Place, by: Option<u32>, to: Place) {
        self.all.push((from, letter(by), to));
    }
}

fn letter(letter: Option<u32>) -> u32 {
    letter.map_or(SILENT, |letter| 1 + letter)
}

/// The graph of all positions. State 0 is where the play is complete; position n is state n + 1.
fn graph(visitors: Vec<Edges>, positions: usize, number: impl Fn(Place) -> u32) -> Graph {
    let mut starts = vec![0u32; positions + 1];
    let mut edges: Vec<(u32, u32, u32)> = Vec::new();
    for Edges { all, completed } in visitors {
        edges.extend(all.into_iter().map(|(from, letter, to)| (number(from), letter, 1 + number(to))));
        edges.extend(completed.into_iter().map(|(from, letter)| (number(from), letter, 0)));
    }
    edges.iter().for_each(|(from, ..)| starts[*from as usize + 1] += 1);
    (0..positions).for_each(|n| starts[n + 1] += starts[n]);
    let mut sorted = vec![(0, 0); edges.len()];
    let mut next = starts.clone();
    for (from, letter, to) in edges {
        let place = &mut next[from as usize];
        sorted[*place as usize] = (letter, to);
        *place += 1;
    }
    let mut graph = Graph::default();
    graph.state([]);
    for range in starts.windows(2) {
        graph.state(sorted[range[0] as usize..range[1] as usize].iter().copied());
    }
    graph
}
