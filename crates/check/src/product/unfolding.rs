//! The positions of two concurrent programs, found as they are asked for.

use agon_base::budget::{Budget, Stop};
use agon_base::growth::full;
use agon_base::id::number;
use agon_base::intern::Interner;
use agon_games::arena::Arena;
use agon_games::automaton::confluence::SILENT;
use agon_games::automaton::subsets::Choices;
use agon_games::machine::{State, Strands};
use agon_games::moves::ThreadMove;
use agon_games::strategy::Step;

use super::determined::{COMPLETE, States};
use crate::equiv::Side;

/// The moves of two programs as one alphabet: moves that are written alike are one letter. A value counts as a number,
/// since a `bool` of one program may be an `int%2` of the other. Letters begin behind [`SILENT`].
#[derive(Default)]
pub(super) struct Alphabet {
    names: Interner<String>,
    moves: [Interner<ThreadMove>; 2],
    letters: [Vec<u32>; 2],
}

impl Alphabet {
    /// An alphabet in which letters are sorted as they are written.
    pub(super) fn sorted(arenas: [&Arena; 2], moves: [Interner<ThreadMove>; 2]) -> Alphabet {
        let of_side = |side: usize| moves[side].as_slice().iter().map(move |m| name(arenas[side], m));
        let mut names: Vec<String> = of_side(0).chain(of_side(1)).collect();
        names.sort_unstable();
        let mut alphabet = Alphabet::default();
        names.into_iter().for_each(|name| {
            alphabet.names.intern(name);
        });
        for (side, moves) in moves.into_iter().enumerate() {
            for m in moves.into_vec() {
                alphabet.letter(side, arenas[side], m);
            }
        }
        alphabet
    }

    /// The letter of a move.
    fn letter(&mut self, side: usize, arena: &Arena, m: ThreadMove) -> u32 {
        let (n, new) = self.moves[side].insert(m);
        if new {
            let name = name(arena, self.moves[side].get(n));
            self.letters[side].push(SILENT + 1 + self.names.intern(name));
        }
        self.letters[side][n as usize]
    }

    /// The letter of a program's n-th move.
    pub(super) fn of_move(&self, side: usize, n: u32) -> u32 {
        self.letters[side][n as usize]
    }

    /// The move of a program that a letter stands for.
    pub(super) fn move_of(&self, side: Side, letter: u32) -> Option<ThreadMove> {
        let n = self.letters[side as usize].iter().position(|other| *other == letter)?;
        Some(self.moves[side as usize].get(number(n)).clone())
    }
}

/// A move as it is written.
pub(super) fn name(arena: &Arena, ThreadMove { m, threads }: &ThreadMove) -> String {
    format!("{}@{threads:?}", arena.show_with(m, |_, n| n.to_string()))
}

/// Two programs, as far as they were looked at. The n-th position of the left one is state 2n + 1, that of the right one
/// state 2n + 2.
pub(super) struct Unfolding<'a> {
    strands: [Strands; 2],
    pub(super) alphabet: Alphabet,
    /// For each state where its edges are, once they are known.
    known: Vec<Option<(usize, usize)>>,
    edges: Vec<(u32, u32)>,
    found: Vec<Step<Option<ThreadMove>, State>>,
    budget: &'a Budget,
}

/// The memory limit is checked once in this many states.
const PATIENCE: usize = 1 << 6;

impl<'a> Unfolding<'a> {
    pub(super) fn new(strands: [Strands; 2], budget: &'a Budget) -> Unfolding<'a> {
        let alphabet = Alphabet::default();
        Unfolding {
            strands,
            alphabet,
            known: vec![Some((0, 0))],
            edges: Vec::new(),
            found: Vec::new(),
            budget,
        }
    }

    /// How many positions were found, and how many transitions between them.
    pub(super) fn size(&self) -> (usize, u64) {
        (self.strands.iter().map(Strands::positions).sum(), self.edges.len() as u64)
    }

    /// Finds the edges of a state.
    fn unfold(&mut self, state: u32) -> Result<(usize, usize), Stop> {
        let (at, side) = ((state - 1) / 2, (state - 1) % 2);
        let strands = &mut self.strands[side as usize];
        strands.transitions(State(u64::from(at)), &mut self.found, self.budget)?;
        let first = self.edges.len();
        for Step { label, next, .. } in self.found.drain(..) {
            let letter = label.map_or(SILENT, |m| self.alphabet.letter(side as usize, strands.arena(), m));
            let to = next.map_or(u64::from(COMPLETE), |State(to)| 1 + 2 * to + u64::from(side));
            self.edges.push((letter, u32::try_from(to).unwrap_or_else(|_| full())));
        }
        self.edges[first..].sort_unstable();
        Ok((first, self.edges.len()))
    }
}

impl Choices for Unfolding<'_> {
    type Stop = Stop;

    fn edges(&mut self, state: u32) -> Result<&[(u32, u32)], Stop> {
        if self.known.len() <= state as usize {
            self.known.resize(state as usize + 1, None);
        }
        let (first, end) = match self.known[state as usize] {
            Some(known) => known,
            None => {
                let found = self.unfold(state)?;
                self.known[state as usize] = Some(found);
                if found.0.is_multiple_of(PATIENCE) {
                    self.budget.check_with(self.memory())?;
                }
                found
            }
        };
        Ok(&self.edges[first..end])
    }

    fn accepts(&self, state: u32) -> bool {
        state == COMPLETE
    }
}

impl States for Unfolding<'_> {
    fn start(&self, side: Side) -> u32 {
        1 + side as u32
    }

    fn memory(&self) -> usize {
        self.strands.iter().map(Strands::memory).sum::<usize>()
            + self.edges.capacity() * size_of::<(u32, u32)>()
            + self.known.capacity() * size_of::<Option<(usize, usize)>>()
    }
}
