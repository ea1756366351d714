//! Possible states, by subset construction: all positions of a concurrent program that the moves seen so far may have led to.
//!
//! Who sees the moves alone does not know which silent steps were made in between. So a walk along a play is a walk
//! over sets of positions, each closed under silent steps.

use std::collections::BTreeMap;

use agon_base::budget::{Budget, Stop};
use agon_base::explore::breadth_first;
use agon_base::intern::Interner;
use agon_base::source::Span;

use crate::machine::{State, Strands};
use crate::moves::ThreadMove;
use crate::strategy::Step;

/// Where a program may be, and what can be seen next.
#[derive(Clone, Debug)]
pub struct PossibleStates {
    /// The moves that can be made next.
    pub moves: BTreeMap<ThreadMove, Successor>,
}

/// What a move leads to.
#[derive(Clone, Debug, Default)]
pub struct Successor {
    /// The place in the program that it comes from.
    pub span: Option<Span>,
    /// Where it leads, before any silent step; nowhere, if the play is complete then.
    to: Vec<State>,
}

impl Successor {
    /// Whether the play is complete after it.
    pub fn is_complete(&self) -> bool {
        self.to.is_empty()
    }
}

/// The memory limit is checked once in this many positions.
const PATIENCE: u32 = 1 << 6;

impl PossibleStates {
    /// Before the opening question.
    pub fn start(strands: &mut Strands, budget: &Budget) -> Result<PossibleStates, Stop> {
        PossibleStates::around(strands, &[strands.start()], budget)
    }

    /// After a move that can be made.
    pub fn after(
        successor: &Successor,
        strands: &mut Strands,
        budget: &Budget,
    ) -> Result<PossibleStates, Stop> {
        PossibleStates::around(strands, &successor.to, budget)
    }

    /// All that can be seen next from some positions, as far as silent steps are followed.
    fn around(strands: &mut Strands, from: &[State], budget: &Budget) -> Result<PossibleStates, Stop> {
        let mut positions: Interner<State> = Interner::default();
        from.iter().for_each(|state| {
            positions.intern(*state);
        });
        let mut moves: BTreeMap<ThreadMove, Successor> = BTreeMap::new();
        let mut found = Vec::new();
        breadth_first(&mut positions, |positions, next| {
            if next.is_multiple_of(PATIENCE) {
                budget.check_with(strands.memory())?;
            }
            found.clear();
            let state = *positions.get(next);
            strands.transitions(state, &mut found, budget)?;
            for step in found.drain(..) {
                let span = step.origin.span(strands.code());
                let Step { label, next, .. } = step;
                match label {
                    None => {
                        next.map(|state| positions.intern(state));
                    }
                    Some(m) => {
                        let successor = moves.entry(m).or_default();
                        successor.span = successor.span.or(span);
                        successor.to.extend(next);
                    }
                }
            }
            Ok::<(), Stop>(())
        })?;
        for successor in moves.values_mut() {
            successor.to.sort_unstable();
            successor.to.dedup();
        }
        Ok(PossibleStates { moves })
    }
}
