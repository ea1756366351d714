//! The waist: a strategy says which steps may be made at a position. All machines have one type of step.
//!
//! The machine of sequential programs is a strategy, and so are the strands of concurrent ones, each over any domain. A pair
//! of strategies is a strategy, too; engines have such pairs.
//! What only some of them can do is a trait of its own.
//!
//! Code is immutable and shared. All that a machine writes to belongs to it, and the machine to who asks it for steps.

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::Check;

use crate::arena::Arena;
use crate::machine::{Branch, Code, Offer, OfferData, Pc};
use crate::moves::Move;
use crate::play::Play;
use crate::values::{Arithmetic, Domain};

/// The values of a strategy's data.
pub type ValueOf<S> = <<S as Strategy>::Domain as Arithmetic>::Value;

/// A step of a strategy.
pub type StepOf<S> = Step<<S as Strategy>::Label, <S as Strategy>::Position, Outcomes<ValueOf<S>>>;

/// A thread, by the way to it in the tree of threads. A sequential program has only the first.
pub type Thread = [Branch];

/// What makes a step: a thread of P goes on, or O plays an offer where a thread waits for it.
#[derive(Clone, Debug)]
pub struct Turn<'a, V> {
    /// The thread.
    pub thread: &'a Thread,
    /// The offer that O plays, and the data of its move; none where P goes on.
    pub played: Option<(usize, OfferData<V>)>,
}

/// What a program plays: the steps that may be made at each position of its game.
pub trait Strategy {
    /// The domain of its data.
    type Domain: Domain;
    /// Its positions.
    type Position: Clone + PartialEq;
    /// What is seen of a step.
    type Label;

    /// The position before the first move.
    fn start(&self) -> Self::Position;

    /// What O may play at a position where a thread waits for it; nothing, if it does not wait.
    fn offers(&self, at: &Self::Position, thread: &Thread) -> Option<Arc<[Offer<ValueOf<Self>>]>>;

    /// Adds the steps that a turn may lead to: in all ways in which undecided operations may come out, or only in that of a
    /// script.
    fn steps_into(
        &mut self,
        at: &Self::Position,
        turn: Turn<'_, ValueOf<Self>>,
        script: Option<&[u32]>,
        budget: &Budget,
        found: &mut Vec<StepOf<Self>>,
    ) -> Result<(), Stop>;

    /// The same steps, by themselves.
    fn steps(
        &mut self,
        at: &Self::Position,
        turn: Turn<'_, ValueOf<Self>>,
        script: Option<&[u32]>,
        budget: &Budget,
    ) -> Result<Vec<StepOf<Self>>, Stop> {
        let mut found = Vec::new();
        self.steps_into(at, turn, script, budget, &mut found)?;
        Ok(found)
    }
}

/// A strategy of one program, whose labels are moves of its arena.
pub trait Played: Strategy {
    /// Whether a step that O begins ends with P's answer. Otherwise the answer is a step of its own.
    const ANSWERS: bool;

    /// The last move that is seen of a step.
    fn seen(label: &Self::Label) -> Option<&Move<ValueOf<Self>>>;

    /// The arena of the game.
    fn arena(&self) -> &Arena;
}

/// A strategy over exact numbers, whose steps can be written down.
pub trait Recorded: Played<Domain: Arithmetic<Value = Int>> {
    /// Adds the moves of a step to a play, with the places that they come from: O's, if it played an offer, and what
    /// follows, if anything does.
    fn record(
        &self,
        at: &Self::Position,
        played: Option<(usize, Move)>,
        step: Option<&StepOf<Self>>,
        play: &mut Play,
    );
}

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

impl<V: Clone> Outcomes<V> {
    /// How the operations of a step came out that is one after the other.
    pub fn then(&self, next: Outcomes<V>) -> Outcomes<V> {
        let Outcomes { choices, marker, certain } = next;
        Outcomes {
            choices: match self.choices.is_empty() {
                true => choices,
                false => [&*self.choices, &*choices].concat().into(),
            },
            marker: self.marker.clone().or(marker),
            certain: self.certain && certain,
        }
    }
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
