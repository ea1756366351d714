//! Whereabouts: all positions of a concurrent program that the moves seen so far may have led to.
//!
//! Who sees the moves alone does not know which silent steps were made in between. So a walk along a play is a walk
//! over sets of positions, each closed under silent steps.

use std::collections::BTreeMap;

use agon_lang::source::Span;

use crate::intern::Interner;
use crate::machine::{Halt, State, Strands, Transition};
use crate::moves::ThreadMove;

/// Where a program may be, and what can be seen next.
#[derive(Clone, Debug)]
pub struct Whereabouts {
    /// The moves that can be made next.
    pub moves: BTreeMap<ThreadMove, Ahead>,
}

/// What a move leads to.
#[derive(Clone, Debug, Default)]
pub struct Ahead {
    /// The place in the program that it comes from.
    pub span: Option<Span>,
    /// Where it leads, before any silent step; nowhere, if the play is complete then.
    to: Vec<State>,
}

impl Ahead {
    /// Whether the play is complete after it.
    pub fn is_complete(&self) -> bool {
        self.to.is_empty()
    }
}

/// Why it is not known where a program may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lost {
    /// The machine stopped.
    Halted(Halt),
    /// Silent steps lead to more positions than allowed.
    TooMany,
}

impl Whereabouts {
    /// Before the opening question.
    pub fn start(strands: &mut Strands, most: usize) -> Result<Whereabouts, Lost> {
        Whereabouts::around(strands, &[strands.start()], most)
    }

    /// After a move that can be made.
    pub fn after(ahead: &Ahead, strands: &mut Strands, most: usize) -> Result<Whereabouts, Lost> {
        Whereabouts::around(strands, &ahead.to, most)
    }

    /// All that can be seen next from some positions, of which silent steps may reach at most so many more.
    fn around(strands: &mut Strands, from: &[State], most: usize) -> Result<Whereabouts, Lost> {
        let mut positions: Interner<State> = Interner::default();
        from.iter().for_each(|state| {
            positions.intern(*state);
        });
        let mut moves: BTreeMap<ThreadMove, Ahead> = BTreeMap::new();
        let mut found = Vec::new();
        let mut next = 0;
        while (next as usize) < positions.len() {
            if positions.len() > most {
                return Err(Lost::TooMany);
            }
            found.clear();
            strands.transitions(*positions.get(next), &mut found, &mut || false).map_err(Lost::Halted)?;
            next += 1;
            for transition in found.drain(..) {
                let span = transition.span(strands.code());
                let Transition { label, next, .. } = transition;
                match label {
                    None => {
                        next.map(|state| positions.intern(state));
                    }
                    Some(m) => {
                        let ahead = moves.entry(m).or_default();
                        ahead.span = ahead.span.or(span);
                        ahead.to.extend(next);
                    }
                }
            }
        }
        for ahead in moves.values_mut() {
            ahead.to.sort_unstable();
            ahead.to.dedup();
        }
        Ok(Whereabouts { moves })
    }
}
