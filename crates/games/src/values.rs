//! The data domain: what a strategy's values are. The same machine runs over every domain.

use agon_base::int::Int;
use agon_core::term::{Operator, Unary};
use agon_core::types::Data;
pub use exact::Exact;

use crate::arena::{Arena, ComponentId};

mod exact;

/// Values and operators. Where a domain cannot tell, an operation has several outcomes.
pub trait Arithmetic {
    /// A value.
    type Value: Clone + Eq + std::hash::Hash + std::fmt::Debug + Default;

    /// The value of a number.
    fn number(&mut self, n: &Int) -> Self::Value;
    /// An operator of one operand.
    fn unary(&mut self, operator: Unary, a: &Self::Value) -> Outcome<Self::Value>;
    /// An operator of two operands.
    fn binary(&mut self, operator: Operator, a: &Self::Value, b: &Self::Value) -> Outcome<Self::Value>;
    /// A value brought into the range of a type.
    fn wrap(&mut self, data: &Data, a: &Self::Value) -> Outcome<Self::Value>;
    /// Which way a condition goes.
    fn truth(&mut self, a: &Self::Value) -> Truth;
    /// The number that a value is, if it can be no other.
    fn exactly(&self, a: &Self::Value) -> Option<Int>;
}

/// Values kept in cells.
pub trait Cells: Arithmetic {
    /// How many bits each cell of a slot takes.
    fn width(&self, slot: &Slot) -> u32;
    /// How many cells the slot's elements are kept in; 1 if it is no array.
    fn cells(&self, slot: &Slot) -> u64;
    /// A value as the bits of a cell.
    fn encode(&mut self, slot: &Slot, a: &Self::Value) -> Outcome<u64>;
    /// The value that the bits of a cell stand for.
    fn decode(&self, slot: &Slot, bits: u64) -> Self::Value;
    /// A value as the control keeps it while a question is open.
    fn held(&mut self, a: &Self::Value) -> Self::Value;
}

/// Values read and written through an index.
pub trait Arrays: Cells {
    /// Where in an array an index points.
    type Element: Clone;

    /// What an index points to in an array of the program's own; out of bounds it fails.
    fn element(&mut self, slot: &Slot, length: u64, at: &Self::Value) -> Outcome<Self::Element>;
    /// The same index, checked, for an array that is not the program's own.
    fn checked(&mut self, length: u64, at: &Self::Value) -> Outcome<Self::Value>;
    /// The first and the last of the cells that may be read.
    fn reach(element: &Self::Element) -> (u64, u64);
    /// A value that is one of two, read through an index: the second if it points to the n-th cell.
    fn join(&mut self, element: &Self::Element, n: u64, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// A value that was read through an index, given what the index was.
    fn found(&mut self, element: &Self::Element, a: Self::Value) -> Self::Value;
    /// The cells that a write through an index concerns. The run goes on under the condition that it points there.
    fn target(&mut self, element: &Self::Element) -> Target;
    /// The bits of the n-th cell, which may or may not have been written.
    fn blend(&mut self, slot: &Slot, bits: u64, element: &Self::Element, n: u64, a: &Self::Value) -> u64;
}

/// Values that the environment gives.
pub trait Answers: Arithmetic {
    /// The last of the values that the environment may give in a component, counted from 0; none if there is no last.
    fn last_answer(&self, arena: &Arena, component: ComponentId) -> Option<u64>;
    /// The value at a place in that order.
    fn answer(&self, arena: &Arena, component: ComponentId, code: u64) -> Self::Value;
    /// How many ways there are for the environment to point into an array.
    fn indices(&self, component: ComponentId, length: u64) -> u64;
    /// One of them.
    fn index(&self, component: ComponentId, code: u64) -> Self::Value;
}

/// Undecided operations: a run takes one of their outcomes.
pub trait Choices: Arithmetic {
    /// What the last undecided operation was undecided about [GC, §2: nd.a].
    fn marker(&self) -> Option<Self::Value>;
    /// The run takes this outcome of the last undecided operation, which may be that it fails. Whether it can go on.
    fn pick(&mut self, outcome: usize, fails: bool) -> bool;
    /// A path through the undecided operations has come to its end, if it was begun: whether it is feasible.
    fn end_path(&mut self, begun: bool) -> bool;
}

/// All that a machine needs of its values.
pub trait Domain: Arrays + Answers + Choices {}

impl<D: Arrays + Answers + Choices> Domain for D {}

/// The cells that a write concerns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// This one, which is written for sure.
    Cell(u64),
    /// Any from the first to the last.
    Any(u64, u64),
}

/// What an operation may give.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome<T> {
    /// One thing.
    One(T),
    /// Nothing: the program aborts.
    Fails,
    /// Something too large to go on with.
    TooLarge,
    /// One of several things, or nothing.
    Many(Vec<Option<T>>),
}

impl<T> Outcome<T> {
    /// Goes on with whatever it gives.
    pub fn then<U>(self, mut f: impl FnMut(T) -> Outcome<U>) -> Outcome<U> {
        match self {
            Outcome::One(thing) => f(thing),
            Outcome::Fails => Outcome::Fails,
            Outcome::TooLarge => Outcome::TooLarge,
            Outcome::Many(things) => {
                let mut all = Vec::new();
                for thing in things {
                    match thing.map_or(Outcome::Fails, &mut f) {
                        Outcome::One(thing) => all.push(Some(thing)),
                        Outcome::Fails => all.push(None),
                        Outcome::TooLarge => return Outcome::TooLarge,
                        Outcome::Many(several) => all.extend(several),
                    }
                }
                Outcome::Many(all)
            }
        }
    }
}

/// Which way a condition goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Truth {
    True,
    False,
    Either,
}

/// What is kept in cells of one kind.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Slot {
    /// Which values.
    pub shape: Shape,
    /// The number of elements, of an array.
    pub length: Option<u64>,
    /// The declaration, if the program can name what is kept; none for values on their way.
    pub cell: Option<CellId>,
}

agon_base::id! {
    /// A declaration of a cell or array, counted as they stand in the program.
    pub CellId;
}

/// Which values a cell keeps.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// Those of a type.
    Data(Data),
    /// Those of a range, for intermediate results.
    Range(Int, Int),
    /// How many places of a semaphore are taken: counted by the machine, whatever the domain.
    Places {
        /// How many there are.
        places: u64,
        /// Whether it is a lock, whose release disturbs nobody.
        lock: bool,
    },
}

impl Slot {
    /// The bits that the counter of a semaphore takes, if the slot is one.
    pub fn counter_bits(&self) -> Option<u32> {
        match self.shape {
            Shape::Places { places, .. } => Some(u64::BITS - places.leading_zeros()),
            _ => None,
        }
    }
}
