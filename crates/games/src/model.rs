//! The game model: the automaton of a program's complete plays, built through the machine.

use crate::automaton::confluence::{Graph, SILENT};
use crate::automaton::{Automaton, Builder, States};
use crate::intern::Interner;
use crate::machine::{Halt, Interrupted, Machine, State, Strands};
use crate::moves::{Move, ThreadMove};
use crate::values::Exact;

/// Why a model was not built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoModel {
    /// It was called off.
    Interrupted,
    /// The environment may answer infinitely many values in this component.
    Unbounded(crate::arena::ComponentId),
    /// It has more positions than allowed.
    TooLarge,
}

impl From<Interrupted> for NoModel {
    fn from(why: Interrupted) -> NoModel {
        match why {
            Interrupted::Asked => NoModel::Interrupted,
            Interrupted::StoreTooLarge | Interrupted::NumberTooLarge => NoModel::TooLarge,
        }
    }
}

/// The minimal automaton of the complete plays, and how many positions were visited to build it.
///
/// Over exact values P's answer is determined, so what the machine walks is deterministic already. It is minimised
/// over pairs of moves, O's and P's answer to it, and only then are the positions of P's turn put in between.
pub fn model(
    machine: &mut Machine<Exact>,
    largest: usize,
    interrupted: &mut dyn FnMut() -> bool,
) -> Result<(Automaton<Move>, usize), NoModel> {
    let mut letters: Interner<Move> = Interner::default();
    let mut pairs: Interner<(u32, u32)> = Interner::default();
    let mut positions: Interner<State> = Interner::default();
    // For each position, its pairs of moves and what follows.
    let mut edges: Vec<(u32, u32)> = Vec::new();
    let mut starts: Vec<u32> = vec![0];
    positions.intern(machine.start());
    let mut next = 0;
    let mut reactions = Vec::new();
    while (next as usize) < positions.len() {
        let state = *positions.get(next);
        for offer in machine.offers(state).iter() {
            let last = offer.last.ok_or(NoModel::Unbounded(offer.component))?;
            for code in 0..=last {
                reactions.clear();
                machine.play(state, offer, code, &mut reactions, interrupted)?;
                let Some(reaction) = reactions.pop() else { continue };
                let to = reaction.next.map_or(COMPLETE, |next| positions.intern(next));
                let question = letters.intern(offer.at(machine.domain(), machine.arena(), code));
                let answer = letters.intern(reaction.answer);
                edges.push((pairs.intern((question, answer)), to));
                if positions.len() + edges.len() > largest {
                    return Err(NoModel::TooLarge);
                }
            }
        }
        starts.push(u32::try_from(edges.len()).map_err(|_| NoModel::TooLarge)?);
        next += 1;
    }
    let visited = positions.len();
    drop(positions);
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
    Ok((with_answers(&states.automaton(1).minimal(), letters), visited))
}

/// Not a position: the play is complete.
const COMPLETE: u32 = u32::MAX;

/// The automaton over single moves of a minimal one over pairs of them. Where it is P's turn, all there is to know is
/// P's answer and what follows it, so positions that agree in that are one.
fn with_answers(pairs: &Automaton<(u32, u32)>, letters: Interner<Move>) -> Automaton<Move> {
    let mut answers: Interner<(u32, u32)> = Interner::default();
    let count = pairs.states() as u32;
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

/// Builds the model of a concurrent program. What nobody sees is left out, so the same play may come about in
/// several ways. With `reduce`, silent steps that take nothing away are taken at once, before the ways are put together.
pub fn concurrent_model(
    strands: &mut Strands,
    reduce: bool,
    largest: usize,
    interrupted: &mut dyn FnMut() -> bool,
) -> Result<ConcurrentModel, NoModel> {
    let mut letters: Interner<ThreadMove> = Interner::default();
    let mut graph = Graph::default();
    // State 0 is where the play is complete; position n is state n + 1.
    graph.state([]);
    let mut next = 0;
    let mut found = Vec::new();
    while next < strands.positions() {
        found.clear();
        strands.transitions(State(next as u64), &mut found, interrupted)?;
        let edges = found.drain(..).map(|transition| {
            let letter = transition.label.map_or(SILENT, |m| 1 + letters.intern(m));
            (letter, transition.next.map_or(0, |state| 1 + state.0 as u32))
        });
        graph.state(edges.collect::<Vec<_>>());
        if next + graph.transitions() > largest {
            return Err(NoModel::TooLarge);
        }
        next += 1;
    }
    let visited = strands.positions();
    if reduce {
        graph = graph.collapsed(1);
    }
    let mut builder = Builder::new();
    for _ in 0..graph.states() {
        builder.state();
    }
    builder.accept(0);
    let letters = letters.into_vec();
    for state in 0..graph.states() as u32 {
        for (letter, to) in graph.edges(state) {
            let letter = (*letter != SILENT).then(|| letters[*letter as usize - 1].clone());
            builder.edge(state, letter, *to);
        }
    }
    let left = builder.states();
    let Some(automaton) = builder.determinize_unless(1, interrupted) else {
        return Err(NoModel::Interrupted);
    };
    Ok(ConcurrentModel { automaton: automaton.minimal(), visited, left })
}

impl From<Halt> for NoModel {
    fn from(why: Halt) -> NoModel {
        match why {
            Halt::Interrupted(why) => why.into(),
            Halt::Unbounded(component) => NoModel::Unbounded(component),
        }
    }
}
