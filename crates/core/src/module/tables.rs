//! The naive tables: what can happen during one turn of the environment, and during one call, at any nesting.
//!
//! A nested call does not see who called, so neither table stores a stack. `Turn(G0)` has the states of the module's own cells
//! at which the environment may be to move after a call of its functions began in the state G0, that call still open. `Act(Ge)`
//! has the places at which a call that began in the state Ge waits, and the states in which it ends. Both keep the length of a
//! shortest play to each member, and are closed under the moves until nothing changes.

use std::collections::{BTreeMap, BTreeSet};

use super::inputs::Inputs;
use super::play::Move;
use super::run::{Frame, Position, Reply};
use super::{Module, ProcedureId, Store};

/// The state of a module while no call is open: its cells, and which private procedures have escaped.
type State = (Store, BTreeSet<ProcedureId>);

/// What is known of the calls that begin in one state: each waiting place, and each end, with the moves since the call began.
#[derive(Default, Clone, PartialEq)]
struct Calls {
    waiting: BTreeMap<(Vec<Frame>, State), usize>,
    ends: BTreeMap<State, usize>,
    fails: Option<usize>,
}

/// What the tables say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// No play fails, at any nesting.
    Safe,
    /// A shortest play that fails has so many moves.
    Fails(usize),
    /// The tables became too large, or a reply took too many steps.
    Unknown,
}

/// Fills the tables of a module: at most so many members in all, and so many steps for each reply.
pub fn tabulate(module: &Module, inputs: &Inputs, most: usize, steps: u64) -> Answer {
    let start = State::default();
    let mut turns: BTreeMap<State, BTreeMap<State, usize>> =
        BTreeMap::from([(start.clone(), BTreeMap::from([(start.clone(), 0)]))]);
    let mut calls: BTreeMap<State, Calls> = BTreeMap::new();
    loop {
        let before = (turns.clone(), calls.clone());
        for at in turns.values().flat_map(BTreeMap::keys) {
            if calls.contains_key(at) {
                continue;
            }
            let mut begun = Calls::default();
            for played in inputs.calls(module, &at.1) {
                if begun.note(module, at, &[], &played, (0, steps)).is_none() {
                    return Answer::Unknown;
                }
            }
            calls.insert(at.clone(), begun);
        }
        for begun in calls.values_mut() {
            for ((frames, at), length) in begun.waiting.clone() {
                let Some(function) = frames.last().and_then(|frame| frame.waits_for) else { continue };
                let turn = turns.entry(at.clone()).or_insert_with(|| BTreeMap::from([(at, 0)]));
                for (now, more) in turn.iter() {
                    for played in inputs.answers(module, &now.1, function) {
                        if begun.note(module, now, &frames, &played, (length + more, steps)).is_none() {
                            return Answer::Unknown;
                        }
                    }
                }
            }
        }
        for turn in turns.values_mut() {
            for (at, length) in turn.clone() {
                for (end, more) in calls.get(&at).into_iter().flat_map(|begun| &begun.ends) {
                    lower(turn, end.clone(), length + more);
                }
            }
        }
        let members = turns.values().map(BTreeMap::len).sum::<usize>();
        if members + calls.values().map(|begun| begun.waiting.len()).sum::<usize>() > most {
            return Answer::Unknown;
        }
        if before == (turns.clone(), calls.clone()) {
            return shortest(&turns, &calls);
        }
    }
}

impl Calls {
    /// What the module does after a move. Nothing if it took too many steps.
    fn note(
        &mut self,
        module: &Module,
        at: &State,
        frames: &[Frame],
        played: &Move,
        (length, steps): (usize, u64),
    ) -> Option<()> {
        let mut position = Position { globals: at.0.clone(), escaped: at.1.clone(), frames: frames.to_vec() };
        match position.play(module, played, steps) {
            Reply::Moves(Move::Call(..)) => {
                let state = (position.globals, position.escaped);
                lower(&mut self.waiting, (position.frames, state), length + 2);
            }
            Reply::Moves(_) => {
                lower(&mut self.ends, (position.globals, position.escaped), length + 2);
            }
            Reply::Fails(_) => {
                self.fails = Some(self.fails.map_or(length + 2, |known| known.min(length + 2)));
            }
            Reply::Exits(_) | Reply::Diverges => {}
            Reply::Exhausted => return None,
        }
        Some(())
    }
}

fn lower<K: Ord>(table: &mut BTreeMap<K, usize>, key: K, length: usize) {
    let known = table.entry(key).or_insert(length);
    *known = length.min(*known);
}

/// The length of a shortest play that fails: each call and each turn begins where another one has led.
fn shortest(turns: &BTreeMap<State, BTreeMap<State, usize>>, calls: &BTreeMap<State, Calls>) -> Answer {
    let mut turn_begins = BTreeMap::from([(State::default(), 0)]);
    let mut call_begins: BTreeMap<State, usize> = BTreeMap::new();
    loop {
        let before = (turn_begins.clone(), call_begins.clone());
        for (start, begins) in &before.0 {
            for (at, length) in turns.get(start).into_iter().flatten() {
                lower(&mut call_begins, at.clone(), begins + length);
            }
        }
        for (start, begins) in &before.1 {
            for ((_, at), length) in calls.get(start).into_iter().flat_map(|begun| &begun.waiting) {
                lower(&mut turn_begins, at.clone(), begins + length);
            }
        }
        if before == (turn_begins.clone(), call_begins.clone()) {
            break;
        }
    }
    let fails = |(start, begins): (&State, &usize)| Some(begins + calls.get(start)?.fails?);
    call_begins.iter().filter_map(fails).min().map_or(Answer::Safe, Answer::Fails)
}
