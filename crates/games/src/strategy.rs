//! The waist: one step of a game, whichever machine makes it and whatever its data.

use agon_base::source::Span;
use agon_core::checks::Check;

use crate::machine::{Code, Pc};

/// One step of a game: what is seen of it, and where it leads.
///
/// The label is a move, or perhaps one where steps may be silent. A machine says in `how` what it needs to make the
/// step again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step<L, S, H = ()> {
    /// What is seen of it.
    pub label: L,
    /// The position after it; none if the play is complete.
    pub next: Option<S>,
    /// Where in the program it comes from.
    pub origin: Origin,
    /// How it came about.
    pub how: H,
}

impl<L, S, H> Step<L, S, H> {
    /// Whether the play is complete after it.
    pub fn is_complete(&self) -> bool {
        self.next.is_none()
    }
}

/// Where in the program a step comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// P ran this instruction.
    Program(Pc),
    /// O asks for the argument whose code begins here.
    Argument(Pc),
    /// O opens the play, answers, or asks for what has no code.
    Environment,
}

impl Origin {
    /// The instruction, if P ran one.
    pub fn pc(self) -> Option<Pc> {
        match self {
            Origin::Program(pc) => Some(pc),
            Origin::Argument(_) | Origin::Environment => None,
        }
    }

    /// The check that fails there, if checks were compiled apart from each other.
    pub fn check(self, code: &Code) -> Option<Check> {
        self.pc().and_then(|pc| code.check(pc))
    }

    /// The place in the text of the program.
    pub fn span(self, code: &Code) -> Option<Span> {
        match self {
            Origin::Program(pc) => Some(code.span(pc)).filter(|span| *span != Span::default()),
            Origin::Argument(entry) => code.argument(entry),
            Origin::Environment => None,
        }
    }
}

/// How the operations of a step came out that the data did not decide.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcomes<V> {
    /// Which outcome each of them had; none over exact values.
    pub choices: Box<[u32]>,
    /// What the first of them was undecided about.
    pub marker: Option<V>,
    /// Whether every run from such a position comes to this.
    pub certain: bool,
}

/// The order in which positions are visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Depth first: arguments in their order, then the answer; each with its first value before any second.
    Fixed,
    /// Depth first, in an order drawn from a seed.
    Random(u64),
    /// Breadth first: the play that is found is one of the shortest.
    Shortest,
}
