//! The game model: the automaton of a program's complete plays, built through the machine.

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, States};
use crate::machine::{Interrupted, Machine, State};
use crate::moves::Move;
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
            Interrupted::StoreTooLarge => NoModel::TooLarge,
        }
    }
}

/// The minimal automaton of the complete plays, and how many positions were visited to build it.
///
/// Over exact values P's answer is determined, so what the machine walks is deterministic already.
pub fn model(
    machine: &mut Machine<Exact>,
    largest: usize,
    interrupted: &mut dyn FnMut() -> bool,
) -> Result<(Automaton<Move>, usize), NoModel> {
    let mut states: States<Move> = States::default();
    // State 0 is where the play is complete. The positions where it is O's turn follow, each with the positions
    // of P's turn that its moves lead to behind it; their numbers are known when they are visited.
    let complete = states.end_state(true);
    let mut numbers: FxHashMap<State, u32> = FxHashMap::default();
    let mut order = vec![machine.start()];
    numbers.insert(machine.start(), 0);
    // For each position where it is O's turn: O's moves, P's answers, and what follows, by number.
    let mut rows: Vec<(u32, Move, Move, Option<u32>)> = Vec::new();
    let mut next = 0;
    let mut reactions = Vec::new();
    while next < order.len() {
        let state = order[next];
        for offer in machine.offers(state).iter() {
            let last = offer.last.ok_or(NoModel::Unbounded(offer.component))?;
            for code in 0..=last {
                reactions.clear();
                machine.play(state, offer, code, &mut reactions, interrupted)?;
                let Some(reaction) = reactions.pop() else { continue };
                let asked = offer.at(machine.domain(), machine.arena(), code);
                let to = reaction.next.map(|next| {
                    *numbers.entry(next).or_insert_with(|| {
                        order.push(next);
                        order.len() as u32 - 1
                    })
                });
                rows.push((next as u32, asked, reaction.answer, to));
                if order.len() + rows.len() > largest {
                    return Err(NoModel::TooLarge);
                }
            }
        }
        next += 1;
    }
    drop(numbers);
    let positions = order.len();
    // First all positions of P's turn, each with its one answer; then those of O's turn.
    let answered = 1 + rows.len() as u32;
    for (_, _, answer, to) in &rows {
        states.edge(answer.clone(), to.map_or(complete, |to| answered + to));
        states.end_state(false);
    }
    let mut row = 0;
    for position in 0..positions as u32 {
        while row < rows.len() && rows[row].0 == position {
            states.edge(rows[row].1.clone(), 1 + row as u32);
            row += 1;
        }
        states.end_state(false);
    }
    drop(rows);
    Ok((states.automaton(answered).minimal(), positions))
}
