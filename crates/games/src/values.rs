//! The data domain: what a strategy's values are. The same machine runs over every domain.

use agon_base::int::Int;
use agon_core::term::{Operator, Unary};
use agon_core::types::Data;

use crate::arena::ComponentId;

/// Values and what can be done with them. Where an abstract domain cannot tell, it gives several outcomes.
pub trait Domain {
    /// A value.
    type Value: Clone + Eq + std::hash::Hash + std::fmt::Debug + Default;
    /// Where in an array an index points.
    type Element: Clone;

    /// The value of a number.
    fn number(&self, n: &Int) -> Self::Value;
    /// An operator of one operand.
    fn unary(&self, operator: Unary, a: &Self::Value) -> Outcome<Self::Value>;
    /// An operator of two operands.
    fn binary(&self, operator: Operator, a: &Self::Value, b: &Self::Value) -> Outcome<Self::Value>;
    /// A value brought into the range of a type.
    fn wrap(&self, data: &Data, a: &Self::Value) -> Outcome<Self::Value>;
    /// Which way a condition goes.
    fn truth(&self, a: &Self::Value) -> Truth;

    /// How many bits each cell of a slot takes.
    fn width(&self, slot: &Slot) -> u32;
    /// How many cells the slot's elements are kept in; 1 if it is no array.
    fn cells(&self, slot: &Slot) -> u64;
    /// A value as the bits of a cell.
    fn encode(&mut self, slot: &Slot, a: &Self::Value) -> Outcome<u64>;
    /// The value that the bits of a cell stand for.
    fn decode(&self, slot: &Slot, bits: u64) -> Self::Value;

    /// What an index points to in an array of the program's own; out of bounds it fails.
    fn element(&self, slot: &Slot, length: u64, at: &Self::Value) -> Outcome<Self::Element>;
    /// The same index, checked, for an array that is not the program's own.
    fn checked(&self, length: u64, at: &Self::Value) -> Outcome<Self::Value>;
    /// The first and the last of the cells that it may point to.
    fn reach(element: &Self::Element) -> (u64, u64);
    /// Whether it points to one element that has a cell of its own.
    fn is_certain(element: &Self::Element) -> bool;
    /// A value that is one of two, read through an index: the second if it points to the n-th cell.
    fn join(&self, element: &Self::Element, n: u64, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// A value that was read through an index, given what the index was.
    fn found(&self, element: &Self::Element, a: Self::Value) -> Self::Value;
    /// The bits of the n-th cell, which may or may not have been written.
    fn blend(&mut self, slot: &Slot, bits: u64, element: &Self::Element, n: u64, a: &Self::Value) -> u64;
    /// Something is written to where an index points.
    fn pointed(&mut self, _: &Self::Element) {}

    /// The last of the values that the environment may give in a component, counted from 0; none if there is no last.
    fn last_answer(&self, component: ComponentId, data: &Data) -> Option<u64>;
    /// The value at a place in that order.
    fn answer(&self, component: ComponentId, data: &Data, code: u64) -> Self::Value;
    /// How many ways there are for the environment to point into an array.
    fn indices(&self, component: ComponentId, length: u64) -> u64;
    /// One of them.
    fn index(&self, component: ComponentId, code: u64) -> Self::Value;

    /// What the last undecided operation was undecided about [GC, §2: nd.a].
    fn marker(&self) -> Option<Self::Value>;
    /// Which of the outcomes of the last undecided operation a run that is told again takes.
    fn picked(&mut self, outcome: usize);
    /// That outcome is that the operation fails.
    fn failed(&mut self) {}
    /// Whether the run can go on that way.
    fn viable(&mut self) -> bool {
        true
    }
    /// One of the ways in which something may be done has come to its end, if it was begun: whether it counts.
    fn end_way(&mut self, begun: bool) -> bool {
        begun
    }
    /// Every cell takes at least so many bits, those of semaphores too.
    fn least_width(&self) -> u32 {
        0
    }
    /// A value as the control keeps it while a question is open.
    fn held(&self, a: &Self::Value) -> Self::Value {
        a.clone()
    }
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

/// A declaration of a cell or array, counted as they stand in the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CellId(pub u32);

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

/// Exact integers.
#[derive(Clone, Default, Debug)]
pub struct Exact {
    /// Numbers that do not fit into a cell of their own.
    large: agon_base::intern::Interner<Int>,
}

/// No number of a run has more bits than this.
const LARGEST_NUMBER: u64 = 1 << 20;

/// The bits of a cell for all integers: a small number doubled, or the place of a large one, doubled plus 1.
const UNBOUNDED: u32 = 64;

impl Domain for Exact {
    type Value = Int;
    type Element = u64;

    fn number(&self, n: &Int) -> Int {
        n.clone()
    }

    fn unary(&self, operator: Unary, a: &Int) -> Outcome<Int> {
        Outcome::One(operator.apply(a))
    }

    fn binary(&self, operator: Operator, a: &Int, b: &Int) -> Outcome<Int> {
        if operator == Operator::Multiply && a.bits() + b.bits() > LARGEST_NUMBER {
            return Outcome::TooLarge;
        }
        operator.apply(a, b).map_or(Outcome::Fails, Outcome::One)
    }

    fn wrap(&self, data: &Data, a: &Int) -> Outcome<Int> {
        Outcome::One(data.wrap(a))
    }

    fn truth(&self, a: &Int) -> Truth {
        if a.is_zero() { Truth::False } else { Truth::True }
    }

    fn width(&self, slot: &Slot) -> u32 {
        let last = match &slot.shape {
            Shape::Data(data) => data.size().map(|size| size.sub(&Int::ONE)),
            Shape::Range(low, high) => Some(high.sub(low)),
            Shape::Places { places, .. } => Some(Int::from(*places)),
        };
        match last.map(|last| last.bits()) {
            Some(bits) if bits <= 64 => bits as u32,
            _ => UNBOUNDED,
        }
    }

    fn encode(&mut self, slot: &Slot, a: &Int) -> Outcome<u64> {
        let code = match &slot.shape {
            Shape::Data(Data::Mod(_) | Data::Bool | Data::Machine { signed: false, .. }) => a.to_u64(),
            Shape::Data(data @ Data::Machine { .. }) => Some(data.code(a)),
            Shape::Range(low, high) if high.sub(low).bits() <= 64 => a.sub(low).to_u64(),
            _ => None,
        };
        Outcome::One(code.unwrap_or_else(|| match a.to_i64() {
            Some(n) if n.checked_mul(2).is_some() => (n as u64) << 1,
            _ => (u64::from(self.large.intern(a.clone())) << 1) | 1,
        }))
    }

    fn decode(&self, slot: &Slot, bits: u64) -> Int {
        match &slot.shape {
            Shape::Data(Data::Mod(_) | Data::Bool | Data::Machine { signed: false, .. }) => Int::from(bits),
            Shape::Data(Data::Machine { signed: true, bits: width }) => {
                // The sign bit is brought to the top and back.
                let unused = 64 - width;
                Int::from(((bits << unused) as i64) >> unused)
            }
            Shape::Range(low, high) if high.sub(low).bits() <= 64 => low.add(&Int::from(bits)),
            _ if bits & 1 == 0 => Int::from((bits as i64) >> 1),
            _ => self.large.get((bits >> 1) as u32).clone(),
        }
    }

    fn cells(&self, slot: &Slot) -> u64 {
        slot.length.unwrap_or(1)
    }

    fn element(&self, _: &Slot, length: u64, at: &Int) -> Outcome<u64> {
        match at.to_u64() {
            Some(index) if index < length => Outcome::One(index),
            _ => Outcome::Fails,
        }
    }

    fn checked(&self, length: u64, at: &Int) -> Outcome<Int> {
        if at.to_u64().is_some_and(|index| index < length) {
            Outcome::One(at.clone())
        } else {
            Outcome::Fails
        }
    }

    fn reach(element: &u64) -> (u64, u64) {
        (*element, *element)
    }

    fn is_certain(_: &u64) -> bool {
        true
    }

    fn join(&self, _: &u64, _: u64, a: &Int, _: &Int) -> Int {
        a.clone()
    }

    fn found(&self, _: &u64, a: Int) -> Int {
        a
    }

    fn blend(&mut self, _: &Slot, bits: u64, _: &u64, _: u64, _: &Int) -> u64 {
        bits
    }

    fn last_answer(&self, _: ComponentId, data: &Data) -> Option<u64> {
        data.size().and_then(|size| size.sub(&Int::ONE).to_u64())
    }

    fn answer(&self, _: ComponentId, data: &Data, code: u64) -> Int {
        data.value(code)
    }

    fn indices(&self, _: ComponentId, length: u64) -> u64 {
        length
    }

    fn index(&self, _: ComponentId, code: u64) -> Int {
        Int::from(code)
    }

    fn marker(&self) -> Option<Int> {
        None
    }

    fn picked(&mut self, _: usize) {}
}
