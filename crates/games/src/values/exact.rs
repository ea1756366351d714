//! Exact integers: every operation has one outcome.

use agon_base::id::halves;
use agon_base::int::Int;
use agon_core::term::{Operator, Unary};
use agon_core::types::Data;

use super::{Answers, Arithmetic, Arrays, Cells, Choices, Outcome, Shape, Slot, Target, Truth};
use crate::arena::{Arena, ComponentId};
use agon_base::intern::Interner;

/// Exact integers.
#[derive(Clone, Default, Debug)]
pub struct Exact {
    /// Numbers that do not fit into a cell of their own.
    large: Interner<Int>,
}

/// No number of a run has more bits than this.
const LARGEST_NUMBER: u64 = 1 << 20;

/// The bits of a cell for all integers: a small number doubled, or the place of a large one, doubled plus 1.
const UNBOUNDED: u32 = 64;

impl Arithmetic for Exact {
    type Value = Int;

    fn number(&mut self, n: &Int) -> Int {
        n.clone()
    }

    fn unary(&mut self, operator: Unary, a: &Int) -> Outcome<Int> {
        Outcome::One(operator.apply(a))
    }

    fn binary(&mut self, operator: Operator, a: &Int, b: &Int) -> Outcome<Int> {
        // Two numbers of 64 bits give none that is too large.
        let large = a.to_i64().is_none() || b.to_i64().is_none();
        if large && operator.bits(a.bits(), b.bits()) > LARGEST_NUMBER {
            return Outcome::TooLarge;
        }
        operator.apply(a, b).map_or(Outcome::Fails, Outcome::One)
    }

    fn wrap(&mut self, data: &Data, a: &Int) -> Outcome<Int> {
        Outcome::One(data.wrap(a))
    }

    fn truth(&mut self, a: &Int) -> Truth {
        if a.is_zero() { Truth::False } else { Truth::True }
    }

    fn exactly(&self, a: &Int) -> Option<Int> {
        Some(a.clone())
    }
}

impl Cells for Exact {
    fn width(&self, slot: &Slot) -> u32 {
        let last = match &slot.shape {
            Shape::Data(data) => data.size().map(|size| size.sub(&Int::ONE)),
            Shape::Range(low, high) => Some(high.sub(low)),
            Shape::Places { places, .. } => Some(Int::from(*places)),
        };
        let bits = last.and_then(|last| u32::try_from(last.bits()).ok());
        bits.filter(|bits| *bits <= 64).unwrap_or(UNBOUNDED)
    }

    fn cells(&self, slot: &Slot) -> u64 {
        slot.length.unwrap_or(1)
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
            _ => self.large.get(halves(bits >> 1).1).clone(),
        }
    }

    fn held(&mut self, a: &Int) -> Int {
        a.clone()
    }
}

impl Arrays for Exact {
    type Element = u64;

    fn element(&mut self, _: &Slot, length: u64, at: &Int) -> Outcome<u64> {
        match at.to_u64() {
            Some(index) if index < length => Outcome::One(index),
            _ => Outcome::Fails,
        }
    }

    fn checked(&mut self, length: u64, at: &Int) -> Outcome<Int> {
        if at.to_u64().is_some_and(|index| index < length) {
            Outcome::One(at.clone())
        } else {
            Outcome::Fails
        }
    }

    fn reach(element: &u64) -> (u64, u64) {
        (*element, *element)
    }

    fn join(&mut self, _: &u64, _: u64, a: &Int, _: &Int) -> Int {
        a.clone()
    }

    fn found(&mut self, _: &u64, a: Int) -> Int {
        a
    }

    fn target(&mut self, element: &u64) -> Target {
        Target::Cell(*element)
    }

    fn blend(&mut self, _: &Slot, bits: u64, _: &u64, _: u64, _: &Int) -> u64 {
        bits
    }
}

impl Answers for Exact {
    fn last_answer(&self, arena: &Arena, component: ComponentId) -> Option<u64> {
        arena.range(component).and_then(|(low, high)| high.sub(&low).to_u64())
    }

    fn answer(&self, arena: &Arena, component: ComponentId, code: u64) -> Int {
        arena.value(component, code)
    }

    fn indices(&self, _: ComponentId, length: u64) -> u64 {
        length
    }

    fn index(&self, _: ComponentId, code: u64) -> Int {
        Int::from(code)
    }
}

impl Choices for Exact {
    fn marker(&self) -> Option<Int> {
        None
    }

    fn pick(&mut self, _: usize, _: bool) -> bool {
        true
    }

    fn end_path(&mut self, begun: bool) -> bool {
        begun
    }
}
