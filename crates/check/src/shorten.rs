//! Shortening: a play that was found is replaced by a shorter one, if one is found with little effort.
//!
//! The play that was found is confirmed already, and is kept where nothing shorter is found in time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use agon_base::budget::Budget;
use agon_base::growth::unless_full;
use agon_base::int::Int;
use agon_core::term::Mode;
use agon_games::machine::{Machine, Reaction, State};
use agon_games::moves::Move;
use agon_games::play::Play;
use agon_games::values::Exact;
use agon_witness::verify::Subject;
use rustc_hash::FxHashSet;

use crate::concurrent::{self, Goal};
use crate::question::Question;
use crate::reconstruct::{confirm, reconstruct};
use crate::search::{Reach, shorter};
use crate::task::Task;
use crate::verdict::{Report, Verdict};

/// A search for a shorter play tries this many transitions. The same program has the same play each time.
const TRANSITIONS: u64 = 1 << 14;
/// What goes along the play that was found tries this many.
const ALONG: u64 = 1 << 19;
/// A program that does not come back to its environment is not waited for any longer than this.
const LONGEST: Duration = Duration::from_secs(2);

/// A small part of a budget.
pub(crate) fn little(budget: &Budget) -> Budget {
    let deadline = Instant::now().checked_add(LONGEST);
    Budget {
        deadline: budget.deadline.into_iter().chain(deadline).min(),
        transitions: Some(budget.transitions.unwrap_or(TRANSITIONS).min(TRANSITIONS)),
        ..budget.clone()
    }
}

/// The same answer, with a shorter play if the question wants that and one is found.
pub(crate) fn shortened(task: Task<'_>, report: Report) -> Report {
    let Task { subject, question, budget, .. } = task;
    let Verdict::Unsafe(play, _) = &report.verdict else { return report };
    if !question.shorten {
        return report;
    }
    let look = || match subject.judgement.mode {
        Mode::Concurrent => concurrent::shorter(Goal::Target, task, &report).map(|report| report.verdict),
        Mode::Sequential => found(subject, question, play, budget).map(|play| confirm(subject, play, budget)),
    };
    // A table that is full leaves the play as it is.
    match unless_full(look) {
        Ok(Some(verdict @ Verdict::Unsafe(..))) => Report { verdict, ..report },
        _ => report,
    }
}

/// A shorter play of a sequential program. It is looked for breadth first: everywhere; then with the moves that O makes in the
/// play; then also at the positions of the play alone. Last, moves are left out.
fn found(subject: Subject<'_>, question: &Question, play: &Play, budget: &Budget) -> Option<Play> {
    let code = subject.code().ok()?;
    let machine = Machine::new(code, Arc::new(subject.arena.clone()), Exact::default());
    let little = little(budget);
    let along = Budget { transitions: Some(ALONG), ..little.clone() };
    let mut cutting = Cutting::new(machine, question, play, &along)?;
    let pairs = cutting.moves.len();
    let moves: FxHashSet<Move> = cutting.moves.iter().map(|(m, _)| m.clone()).collect();
    let positions: FxHashSet<State> = cutting.moves.iter().map(|(_, state)| *state).collect();
    let mut look = |reach, budget| shorter(&mut cutting.machine, question, pairs, reach, budget);
    let anywhere = look(None, &little);
    if let Ok(Some(play)) = anywhere {
        return Some(play);
    }
    let by_its_moves = look(Some(Reach { moves: moves.clone(), positions: None }), &little);
    match (anywhere, by_its_moves) {
        (_, Ok(Some(play))) => return Some(play),
        // Everything shorter was tried.
        (Ok(None), _) | (_, Ok(None)) => return None,
        _ => {}
    }
    if let Ok(Some(shorter)) = look(Some(Reach { moves, positions: Some(positions) }), &along) {
        cutting = Cutting::new(cutting.machine, question, &shorter, &along)?;
    }
    cutting.cut();
    cutting.play().filter(|shorter| shorter.moves.len() < play.moves.len())
}

/// A play from which moves of O's are left out, as long as the target is reached all the same.
struct Cutting<'a> {
    machine: Machine<Exact>,
    question: &'a Question,
    budget: &'a Budget,
    /// O's moves, and the position before each.
    moves: Vec<(Move, State)>,
    transitions: u64,
}

impl<'a> Cutting<'a> {
    fn new(
        machine: Machine<Exact>,
        question: &'a Question,
        play: &Play,
        budget: &'a Budget,
    ) -> Option<Cutting<'a>> {
        let mut cutting = Cutting { machine, question, budget, moves: Vec::new(), transitions: 0 };
        let start = cutting.machine.start();
        let by_o: Vec<Move> = play.moves.iter().step_by(2).cloned().collect();
        cutting.moves = cutting.follow(start, by_o.iter())?;
        Some(cutting)
    }

    /// Leaves out ever fewer moves at a time: half of them, a quarter, and so on to single ones.
    fn cut(&mut self) {
        let mut size = self.moves.len() / 2;
        while size > 0 {
            let mut at = 0;
            while at + size < self.moves.len() {
                if self.is_over() {
                    return;
                }
                let state = self.moves[at].1;
                let rest: Vec<Move> = self.moves[at + size..].iter().map(|(m, _)| m.clone()).collect();
                match self.follow(state, rest.iter()) {
                    Some(rest) => {
                        self.moves.truncate(at);
                        self.moves.extend(rest);
                    }
                    None => at += size,
                }
            }
            size /= 2;
        }
    }

    fn is_over(&self) -> bool {
        self.budget.is_exhausted() || self.budget.transitions.is_some_and(|most| self.transitions > most)
    }

    /// O's moves from a position until the target is reached, with the positions before each; nothing if it is not reached.
    fn follow<'m>(
        &mut self,
        mut state: State,
        moves: impl Iterator<Item = &'m Move>,
    ) -> Option<Vec<(Move, State)>> {
        let mut made = Vec::new();
        for m in moves {
            made.push((m.clone(), state));
            if *m == self.question.target {
                return Some(made);
            }
            let reaction = self.react(state, m)?;
            if reaction.label == self.question.target {
                return Some(made);
            }
            state = reaction.next?;
        }
        None
    }

    /// What P does after a move of O's, if O may make it.
    fn react(&mut self, state: State, m: &Move) -> Option<Reaction<Int>> {
        self.transitions += 1;
        let offers = self.machine.offers(state);
        let (offer, code) =
            offers.iter().find_map(|offer| Some((offer, offer.code_of(m, self.machine.arena())?)))?;
        let mut reactions = Vec::new();
        let budget = self.budget;
        self.machine.play(state, offer, code, &mut reactions, budget).ok()?;
        reactions.pop()
    }

    /// The play that is left.
    fn play(&mut self) -> Option<Play> {
        let mut play = Play::default();
        for (m, state) in &self.moves {
            let offers = self.machine.offers(*state);
            let (offer, code) =
                offers.iter().find_map(|offer| Some((offer, offer.code_of(m, self.machine.arena())?)))?;
            if *m == self.question.target {
                play.push(m.clone(), self.machine.argument_span(*state, offer));
                break;
            }
            let data = offer.parts(self.machine.domain(), self.machine.arena(), code);
            reconstruct(&mut self.machine, &mut play, *state, offer, data, self.budget).ok()??;
        }
        Some(play)
    }
}
