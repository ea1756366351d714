//! Two concurrent programs, side by side: on the fly, and when all their positions are known, over fewer states.
//!
//! All positions of both programs are explored. When they are known, silent steps that take nothing away are taken at
//! once, bisimilar positions of both programs become one state, and the product is walked over these. In the meantime
//! the product is walked over the positions as they are: a difference after few moves is found however many positions
//! there are. That walk may take a small share of the work, so it delays the exploration little.

use std::sync::{Arc, Mutex, PoisonError};

use agon_base::budget::{Budget, Stop};
use agon_base::id::number;
use agon_base::intern::Interner;
use agon_games::arena::Arena;
use agon_games::automaton::confluence::{Graph, SILENT};
use agon_games::automaton::subsets::Choices;
use agon_games::machine::explore::Figures;
use agon_games::machine::{Code, Strands};
use agon_games::model::positions;
use agon_games::moves::ThreadMove;
use agon_games::play::Play;
use agon_games::possible::PossibleStates;
use agon_witness::verify::Subject;

use super::determined::{COMPLETE, Determined, States, pair};
use super::unfolding::{Alphabet, Unfolding};
use super::{Product, Unknown, Walked};
use crate::equiv::{Relation, Side};
use crate::search::{Notice, Observer, Progress};
use crate::verdict::Reason;

/// The walk on the fly begins when the exploration has seen this many transitions.
const FIRST: u64 = 1 << 12;
/// From then on it may look at one transition for this many that the exploration sees.
const SHARE: u64 = 8;

/// Compares two concurrent programs: a shortest complete play that only one of them has.
pub(crate) fn compare(
    subjects: [Subject<'_>; 2],
    relation: Relation,
    budget: &Budget,
    observe: &mut Observer<'_>,
    progress: &mut Progress,
) -> Result<Option<(Side, Play)>, Unknown> {
    let programs = [Program::new(Side::Left, subjects[0])?, Program::new(Side::Right, subjects[1])?];
    let on_the_fly = Mutex::new(OnTheFly::new(&programs, relation, budget)?);
    let watcher = Mutex::new(&mut *observe);
    let mut graphs: [Graph; 2] = Default::default();
    let mut moves: [Interner<ThreadMove>; 2] = Default::default();
    for program in &programs {
        let before = *progress;
        let watch = |figures: Figures| {
            let transitions = before.transitions + figures.transitions;
            if figures.memory > 0 {
                let Figures { memory, .. } = figures;
                let states = before.states + figures.positions;
                let mut observe = watcher.lock().unwrap_or_else(PoisonError::into_inner);
                (*observe)(Progress { states, transitions, memory, iteration: 0 }.into());
            }
            let most = transitions.saturating_sub(FIRST) / SHARE;
            let has_ended = on_the_fly.try_lock().is_ok_and(|mut walk| walk.advance(most));
            if has_ended { Err(Stop::Cancelled) } else { Ok(()) }
        };
        let mut strands = program.strands();
        let largest = budget.most_entries(120);
        let explored =
            positions(&mut strands, budget.threads, largest, budget, &watch).and_then(|(graph, visited)| {
                Ok((graph.collapsed(&[1], budget)?.0, visited, graph.transitions()))
            });
        match explored {
            Ok((graph, visited, transitions)) => {
                progress.states += visited;
                progress.transitions += transitions as u64;
                graphs[program.side as usize] = graph;
                moves[program.side as usize] = strands.take_letters();
            }
            Err(why) => {
                drop((strands, graphs));
                let walk = on_the_fly.into_inner().unwrap_or_else(PoisonError::into_inner);
                return walk.finish(Unknown::of(program.side, why), &programs, progress, observe);
            }
        }
    }
    drop(on_the_fly);
    let alphabet = Alphabet::sorted([&programs[0].arena, &programs[1].arena], moves);
    let whole = Whole::new(&graphs, &alphabet, budget)?;
    drop(graphs);
    let mut product = Product::new(pair(whole, arenas(&programs))?, relation);
    let explored = *progress;
    let walked = product.advance(u64::MAX, budget, &mut |notice| {
        if let Notice::Progress(walked) = notice {
            let transitions = explored.transitions + walked.transitions;
            observe(Progress { states: explored.states, transitions, ..walked }.into());
        }
    })?;
    Ok(told(walked, &alphabet, &programs, budget))
}

/// A program, compiled.
struct Program {
    side: Side,
    code: Arc<Code>,
    arena: Arc<Arena>,
}

impl Program {
    fn new(side: Side, subject: Subject<'_>) -> Result<Program, Unknown> {
        let code = subject.code().map_err(|refusal| Unknown::of(side, refusal))?;
        Ok(Program { side, code, arena: Arc::new(subject.arena.clone()) })
    }

    fn strands(&self) -> Strands {
        Strands::new(self.code.clone(), self.arena.clone(), true)
    }

    /// A play with the places in the program that its moves come from, as far as they are found.
    fn play(&self, moves: impl Iterator<Item = ThreadMove>, budget: &Budget) -> Play {
        let mut strands = self.strands();
        let mut play = Play::default();
        let mut here = PossibleStates::start(&mut strands, budget).ok();
        for m in moves {
            let successor = here.as_ref().and_then(|here| here.moves.get(&m)).cloned();
            play.push_threaded(m, successor.as_ref().and_then(|successor| successor.span));
            here =
                successor.and_then(|successor| PossibleStates::after(&successor, &mut strands, budget).ok());
        }
        play
    }
}

fn arenas(programs: &[Program; 2]) -> [Arc<Arena>; 2] {
    [programs[0].arena.clone(), programs[1].arena.clone()]
}

/// The play of a difference.
fn told(
    walked: Walked<u32>,
    alphabet: &Alphabet,
    programs: &[Program; 2],
    budget: &Budget,
) -> Option<(Side, Play)> {
    let Walked::Differs(side, steps) = walked else { return None };
    let moves = steps.iter().filter_map(|(_, letter)| alphabet.move_of(side, *letter));
    Some((side, programs[side as usize].play(moves, budget)))
}

/// The walk over positions as they are found.
struct OnTheFly<'a> {
    product: Product<Determined<Unfolding<'a>>>,
    ended: Option<Result<Walked<u32>, Unknown>>,
    budget: &'a Budget,
}

impl<'a> OnTheFly<'a> {
    fn new(programs: &[Program; 2], relation: Relation, budget: &'a Budget) -> Result<OnTheFly<'a>, Unknown> {
        let unfolding = Unfolding::new([programs[0].strands(), programs[1].strands()], budget);
        let product = Product::new(pair(unfolding, arenas(programs))?, relation);
        Ok(OnTheFly { product, ended: None, budget })
    }

    /// Walks on until this many transitions were looked at. Whether it has come to an end.
    fn advance(&mut self, most: u64) -> bool {
        if self.ended.is_none() {
            match self.product.advance(most, self.budget, &mut |_| {}) {
                Ok(Walked::Paused) => {}
                ended => self.ended = Some(ended),
            }
        }
        self.ended.is_some()
    }

    /// What it has come to, where the exploration has ended early. If memory ran out, it goes on alone.
    fn finish(
        mut self,
        why: Unknown,
        programs: &[Program; 2],
        progress: &mut Progress,
        observe: &mut Observer<'_>,
    ) -> Result<Option<(Side, Play)>, Unknown> {
        if self.ended.is_none() && matches!(why.reason, Reason::Stop(Stop::Memory)) {
            self.ended = Some(self.product.advance(u64::MAX, self.budget, observe));
        }
        let unfolding = &self.product.pair.side(Side::Left).graph;
        (progress.states, progress.transitions) = unfolding.size();
        let walked = self.ended.unwrap_or(Err(why))?;
        Ok(told(walked, &unfolding.alphabet, programs, self.budget))
    }
}

/// Compares two concurrent programs by the walk on the fly alone.
#[cfg(test)]
pub(super) fn compare_on_the_fly(
    subjects: [Subject<'_>; 2],
    relation: Relation,
    budget: &Budget,
) -> Result<Option<(Side, Play)>, Unknown> {
    let programs = [Program::new(Side::Left, subjects[0])?, Program::new(Side::Right, subjects[1])?];
    let mut walk = OnTheFly::new(&programs, relation, budget)?;
    assert!(walk.advance(u64::MAX));
    walk.finish(Stop::Cancelled.into(), &programs, &mut Progress::default(), &mut |_| {})
}

/// All states of two programs, bisimilar ones made one.
struct Whole<'a> {
    graph: Graph,
    starts: [u32; 2],
    budget: &'a Budget,
    asked: u32,
}

impl<'a> Whole<'a> {
    /// Joins two graphs in which state 0 is where plays are complete, and state 1 the start.
    fn new(graphs: &[Graph; 2], alphabet: &Alphabet, budget: &'a Budget) -> Result<Whole<'a>, Unknown> {
        let mut joint = Graph::default();
        joint.state([]);
        let mut starts = [1, 1];
        for (side, graph) in graphs.iter().enumerate() {
            // State 0 is shared.
            let shift = number(joint.states()) - 1;
            starts[side] += shift;
            let letter = |letter| if letter == SILENT { SILENT } else { alphabet.of_move(side, letter - 1) };
            let target = |to| if to == COMPLETE { COMPLETE } else { to + shift };
            for state in 1..number(graph.states()) {
                joint.state(graph.edges(state).iter().map(|edge| (letter(edge.0), target(edge.1))));
            }
        }
        // Where bisimilar states are one, more silent steps take nothing away.
        loop {
            let (quotient, block) = joint.quotient(budget)?;
            starts = starts.map(|start| block[start as usize]);
            let (graph, initial) = quotient.collapsed(&starts, budget)?;
            starts = [initial[0], initial[1]];
            if graph.states() == quotient.states() {
                return Ok(Whole { graph, starts, budget, asked: 0 });
            }
            joint = graph;
        }
    }
}

impl Choices for Whole<'_> {
    type Stop = Stop;

    fn edges(&mut self, state: u32) -> Result<&[(u32, u32)], Stop> {
        self.asked = self.asked.wrapping_add(1);
        if self.asked.is_multiple_of(1 << 14) {
            self.budget.check()?;
        }
        Ok(self.graph.edges(state))
    }

    fn accepts(&self, state: u32) -> bool {
        state == COMPLETE
    }
}

impl States for Whole<'_> {
    fn start(&self, side: Side) -> u32 {
        self.starts[side as usize]
    }

    fn memory(&self) -> usize {
        self.graph.transitions() * size_of::<(u32, u32)>() + self.graph.states() * size_of::<u32>()
    }
}
