//! The game model: the automaton of a program's complete plays, built through the machine.

use crate::automaton::{Automaton, Builder};
use crate::machine::{Interrupted, Machine, Reaction, State};
use crate::moves::Move;
use crate::values::Exact;
use rustc_hash::FxHashMap;

/// Why a model was not built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoModel {
    /// It was called off.
    Interrupted,
    /// The environment may answer infinitely many values.
    Unbounded,
    /// It has more states than allowed.
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

/// The minimal automaton of the complete plays, explored exhaustively.
pub fn model(
    machine: &mut Machine<Exact>,
    largest: usize,
    interrupted: &mut dyn FnMut() -> bool,
) -> Result<Automaton<Move>, NoModel> {
    let mut builder: Builder<Move> = Builder::new();
    let mut numbers: FxHashMap<State, u32> = FxHashMap::default();
    let initial = builder.state();
    let complete = builder.state();
    builder.accept(complete);
    let mut waiting = vec![(machine.start(), initial)];
    numbers.insert(machine.start(), initial);
    let mut reactions: Vec<Reaction<_>> = Vec::new();
    while let Some((state, number)) = waiting.pop() {
        for offer in machine.offers(state).iter() {
            let last = offer.last.ok_or(NoModel::Unbounded)?;
            for code in 0..=last {
                reactions.clear();
                machine.play(state, offer, code, &mut reactions, interrupted)?;
                if reactions.is_empty() {
                    continue;
                }
                let asked = offer.at(machine.domain(), machine.arena(), code);
                let between = builder.state();
                if between as usize > largest {
                    return Err(NoModel::TooLarge);
                }
                builder.edge(number, Some(asked), between);
                for reaction in reactions.drain(..) {
                    let to = match reaction.next {
                        None => complete,
                        Some(next) => *numbers.entry(next).or_insert_with(|| {
                            let number = builder.state();
                            waiting.push((next, number));
                            number
                        }),
                    };
                    builder.edge(between, Some(reaction.answer), to);
                }
            }
        }
    }
    Ok(builder.determinize(initial).minimal())
}
