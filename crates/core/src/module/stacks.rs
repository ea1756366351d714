//! The reference for searches: breadth first over explicit stacks, with finite inputs and a bound on the nesting.

use agon_base::budget::Budget;
use agon_base::explore::Exploration;

use super::inputs::Inputs;
use super::play::{Move, Play};
use super::run::{Position, Reply};
use super::{Failure, Liveness, Module};

/// How far a search goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// What the environment may give.
    pub inputs: Inputs,
    /// At most this many calls by the environment are open at once.
    pub nesting: usize,
    /// At most this many activations are open while the environment is to move, those of private procedures included.
    pub activations: usize,
    /// A module that takes more steps than this from one move to the next is taken to diverge.
    pub steps: u64,
    /// Whether positions that differ only in what no activation needs any more are one.
    pub forget_dead: bool,
}

/// What a search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// A shortest play that fails, and why it fails.
    pub failure: Option<(Play, Failure)>,
    /// How many positions were visited.
    pub positions: usize,
    /// Whether some reply did not come within the steps, or had more activations open. What comes behind it was not tried.
    pub cut: bool,
}

/// Looks for a shortest play that fails; nothing if there are more positions than this.
pub fn search(module: &Module, bounds: &Bounds, most: usize) -> Option<Found> {
    search_within(module, bounds, most, &Budget::default())
}

/// The same within a budget; nothing if it is exhausted.
pub fn search_within(module: &Module, bounds: &Bounds, most: usize, budget: &Budget) -> Option<Found> {
    let mut exploration: Exploration<Position, (Move, Option<Move>)> =
        Exploration::breadth_first(Position::default());
    let liveness = bounds.forget_dead.then(|| Liveness::of(module));
    let mut failed = None;
    let mut cut = false;
    let path = exploration.run(|exploration, at| {
        if exploration.visited() > most || budget.is_exhausted() {
            return Err(());
        }
        for played in offers(module, bounds, &at) {
            let mut next = at.clone();
            match next.play(module, &played, bounds.steps) {
                Reply::Moves(_) if next.frames.len() > bounds.activations => cut = true,
                Reply::Moves(reply) => {
                    liveness.iter().for_each(|liveness| next.forget_dead(liveness));
                    exploration.add(exploration.node(), 0, (played, Some(reply)), Some(next));
                }
                Reply::Fails(failure) => {
                    failed = Some(failure);
                    exploration.reach((played, Some(Move::Fail)));
                    break;
                }
                // No stack is cut here.
                Reply::Exits(_) | Reply::Diverges | Reply::Calls(..) | Reply::Ends(_) => {}
                Reply::Exhausted => cut = true,
            }
        }
        Ok(())
    });
    let play =
        path.ok()?.map(|path| Play(path.into_iter().flat_map(|(o, p)| [Some(o), p]).flatten().collect()));
    Some(Found { failure: play.zip(failed), positions: exploration.visited(), cut })
}

/// All plays of at most this many moves that end with a move of the module's.
pub fn plays(module: &Module, bounds: &Bounds, length: usize) -> Vec<Play> {
    let mut found = Vec::new();
    let mut waiting = vec![(Vec::new(), Position::default())];
    while let Some((before, at)) = waiting.pop() {
        if before.len() + 2 > length {
            continue;
        }
        for played in offers(module, bounds, &at) {
            let mut next = at.clone();
            let reply = match next.play(module, &played, bounds.steps) {
                Reply::Moves(reply) => reply,
                Reply::Fails(_) => Move::Fail,
                Reply::Exits(n) => Move::Exit(n),
                Reply::Diverges | Reply::Exhausted | Reply::Calls(..) | Reply::Ends(_) => continue,
            };
            let ends = matches!(reply, Move::Fail | Move::Exit(_));
            let play = [&before[..], &[played, reply]].concat();
            found.push(Play(play.clone()));
            if !ends && next.frames.len() <= bounds.activations {
                waiting.push((play, next));
            }
        }
    }
    found.sort();
    found
}

/// What the environment may play at a position.
pub fn offers(module: &Module, bounds: &Bounds, at: &Position) -> Vec<Move> {
    let mut offers = Vec::new();
    if let Some(function) = at.waits_for() {
        offers.extend(bounds.inputs.answers(module, &at.escaped, function));
    }
    if at.nesting() < bounds.nesting {
        let turn = module.allowed(at.waits_for());
        offers.extend(bounds.inputs.calls(module, &at.escaped, turn));
    }
    offers
}
