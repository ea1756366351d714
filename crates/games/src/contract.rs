//! Contracts: what a part of a program and the rest of it say to each other [AG, §5.1].
//!
//! The rest has a free identifier, the *hole*, where the part was. What the rest asks of the hole, and what it answers in
//! the hole's arguments, are moves of O's to the part; what the part answers and asks there are moves of O's to the
//! rest. All other moves of the part are between it and the environment. A *letter* is a move of O's to the part and the
//! part's move after it, with parts of partitions for numbers.

mod assumption;
mod decomposition;
mod rules;
mod specification;

pub use assumption::Assumption;
pub use decomposition::{Decomposition, Half};
pub use rules::{Position, Rules, hit};
pub use specification::{Place, Specification};

use std::sync::Arc;

use agon_core::split::Split;
use agon_core::types::Type;

use crate::abstracted::Value;
use crate::arena::{Arena, ComponentId, OWN};
use crate::interval::Interval;
use crate::machine::{Offer, OfferKind};
use crate::moves::{Label, Move};
use crate::sites::{Site, Sites};

/// A move with the numbers that it may be about.
pub type Said = Move<Interval>;

/// A move of O's to the part, and the part's move after it. Both are moves of the part's own game. Answers do not say at
/// which element.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Letter {
    /// O's.
    pub o: Said,
    /// P's.
    pub p: Said,
}

/// Where the games of the part and of the rest are one.
#[derive(Clone, Debug)]
pub struct Interface {
    /// The arena of the rest.
    pub rest: Arc<Arena>,
    /// The arena of the part.
    pub part: Arc<Arena>,
    /// The hole, in the rest.
    pub hole: ComponentId,
    /// For each component of the part, the one of the rest that is the same.
    outward: Vec<Option<ComponentId>>,
    /// The other way round.
    inward: Vec<Option<ComponentId>>,
    /// Whether the rest may jump out of the hole while the part waits for it.
    pub rest_jumps: bool,
    /// Whether the part may jump out of calls of its own.
    pub part_jumps: bool,
}

impl Interface {
    /// The interface of a program that was split.
    pub fn new(split: &Split) -> Interface {
        let (rest, part) = (Arena::new(&split.rest), Arena::new(&split.part));
        let hole = rest.of_variable(split.hole).expect("the rest has a hole");
        let mut outward = vec![None; part.components().count()];
        let mut inward = vec![None; rest.components().count()];
        let mut join = |inside: ComponentId, outside: ComponentId| {
            outward[inside.index()] = Some(outside);
            inward[outside.index()] = Some(inside);
        };
        join(OWN, hole);
        for (var, argument) in split.given.iter().zip(&rest.component(hole).arguments) {
            join(part.of_variable(*var).expect("the part has what it is given"), *argument);
        }
        let Split { rest_jumps, part_jumps, .. } = *split;
        Interface {
            rest: Arc::new(rest),
            part: Arc::new(part),
            hole,
            outward,
            inward,
            rest_jumps,
            part_jumps,
        }
    }

    /// The component of the rest that a component of the part is; none if it is the environment's.
    pub fn outside(&self, component: ComponentId) -> Option<ComponentId> {
        self.outward[component.index()]
    }

    /// The component of the part that a component of the rest is; none if it is the environment's.
    pub fn inside(&self, component: ComponentId) -> Option<ComponentId> {
        self.inward[component.index()]
    }

    /// What the part is given, in the rest.
    pub fn given(&self) -> &[ComponentId] {
        &self.rest.component(self.hole).arguments
    }

    /// What a move of the rest's is to the part, if it is one: it may be several things.
    pub fn to_part(&self, m: &Move<Value>, part: &Sites) -> Option<Vec<Said>> {
        let component = self.inside(m.component).filter(|_| m.label != Label::Abort)?;
        let value = part.of_component(component).map(|id| part.site(id));
        let index = part.of_component_index(component).map(|id| part.site(id));
        Some(self.glued(component, m, value, index))
    }

    /// A move of the part's as letters say it: it may be several things.
    pub fn from_part(&self, m: &Move<Value>, rest: &Sites) -> Vec<Said> {
        let outside = self.outside(m.component);
        let value = outside.and_then(|id| rest.of_component(id)).map(|id| rest.site(id));
        let index = outside.and_then(|id| rest.of_component_index(id)).map(|id| rest.site(id));
        self.glued(m.component, m, value, index)
    }

    /// A move of O's that the part was offered, as letters say it.
    pub fn offered(&self, m: &Move<Value>) -> Said {
        let plain = |value: &Value| value.interval.clone();
        let element = m.element.as_ref().filter(|_| m.label.is_question()).map(plain);
        Move { component: m.component, element, label: m.label.map(plain) }
    }

    /// The parts that the numbers of a move meet.
    fn glued(
        &self,
        component: ComponentId,
        m: &Move<Value>,
        value: Option<&Site>,
        index: Option<&Site>,
    ) -> Vec<Said> {
        let base = &self.part.component(component).base;
        let met = |site: Option<&Site>, all: Interval, value: &Value| match site {
            None => vec![all],
            Some(site) => {
                let (first, last) = site.meets(&value.interval);
                (first..=last).map(|n| site.part(site.nth(n as u64)).clone()).collect()
            }
        };
        let labels: Vec<Label<Interval>> = match &m.label {
            Label::Value(value_) => met(value, whole(base), value_).into_iter().map(Label::Value).collect(),
            Label::Write(value_) => met(value, whole(base), value_).into_iter().map(Label::Write).collect(),
            other => vec![other.map(|value| value.interval.clone())],
        };
        let elements = match m.element.as_ref().filter(|_| m.label.is_question()) {
            Some(element) => met(index, indices(base), element).into_iter().map(Some).collect(),
            None => vec![None],
        };
        let both = elements.iter().flat_map(|element| {
            labels.iter().map(|label| Move { component, element: element.clone(), label: label.clone() })
        });
        both.collect()
    }

    /// The move of O's to the rest that a move of the part's is: which of the offers, and which of its moves. None if
    /// the rest is not offered it.
    pub fn to_rest(&self, said: &Said, offers: &[Offer<Value>], rest: &Sites) -> Option<(usize, u64)> {
        let component = self.outside(said.component)?;
        let place =
            |site: Option<&Site>, interval: &Interval| site.map_or(0, |site| site.meets(interval).0 as u64);
        let value = |interval| place(rest.of_component(component).map(|id| rest.site(id)), interval);
        let index = || {
            let site = rest.of_component_index(component).map(|id| rest.site(id));
            said.element.as_ref().map_or(0, |interval| place(site, interval))
        };
        offers.iter().enumerate().find_map(|(n, offer)| {
            if offer.component != component {
                return None;
            }
            let code = match (offer.kind, &said.label) {
                (OfferKind::Run, Label::Run)
                | (OfferKind::Ask, Label::Ask)
                | (OfferKind::Read, Label::Read)
                | (OfferKind::Done, Label::Done)
                | (OfferKind::Ok, Label::Ok) => 0,
                (OfferKind::Write, Label::Write(v)) | (OfferKind::Value, Label::Value(v)) => value(v),
                (OfferKind::ReadElement(_), Label::Read) => index(),
                (OfferKind::WriteElement(indices), Label::Write(v)) => value(v) * indices + index(),
                _ => return None,
            };
            Some((n, code))
        })
    }

    /// A letter as it is written.
    pub fn show(&self, letter: &Letter) -> String {
        format!("{} · {}", self.show_said(&letter.o), self.show_said(&letter.p))
    }

    /// A move of the part's game as it is written.
    pub fn show_said(&self, said: &Said) -> String {
        self.part.show_with(said, |data, interval| match (data, interval.as_point()) {
            (Some(data), Some(n)) => data.show(n),
            _ => interval.to_string(),
        })
    }
}

/// All numbers of a base type.
fn whole(base: &Type) -> Interval {
    base.data().map_or_else(Interval::all, Interval::of)
}

/// All indices of an array.
fn indices(base: &Type) -> Interval {
    let last = match base {
        Type::Array(_, length) => length.saturating_sub(1),
        _ => 0,
    };
    Interval::between(agon_base::int::Int::ZERO, agon_base::int::Int::from(last))
}
