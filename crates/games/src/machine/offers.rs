//! What O may play: only the moves that are plausible where the machine waits [OTF, §3].

use agon_base::int::Int;
use agon_core::types::Type;

use crate::arena::{Arena, ComponentId, OWN};
use crate::moves::{Label, Move};
use crate::values::Domain;

/// A family of moves that differ in data only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer<V> {
    /// Where they are made.
    pub component: ComponentId,
    /// What they do.
    pub kind: OfferKind,
    /// The element, where the whole family is about one.
    pub element: Option<V>,
    /// The last of the family's moves, counted from 0; none if there is no last.
    pub last: Option<u64>,
}

/// The data of one of a family's moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfferData<V> {
    /// The element that it is about.
    pub element: Option<V>,
    /// The same, if O chooses it.
    pub index: Option<V>,
    /// The value that O gives.
    pub value: Option<V>,
    /// The values that O gives in a call of a module's procedure.
    pub arguments: Box<[V]>,
}

impl<V> Default for OfferData<V> {
    fn default() -> OfferData<V> {
        OfferData { element: None, index: None, value: None, arguments: Box::default() }
    }
}

/// What the moves of a family do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are those of the moves")]
pub enum OfferKind {
    Run,
    Ask,
    Read,
    Write,
    /// Reads an element of an array, which can be pointed to in this many ways.
    ReadElement(u64),
    /// Writes one.
    WriteElement(u64),
    Grab,
    Release,
    Done,
    Value,
    Ok,
    /// Calls a procedure of a module.
    Call,
}

impl OfferKind {
    /// Whether the moves of such a family ask for an answer.
    pub fn is_question(self) -> bool {
        !matches!(self, OfferKind::Done | OfferKind::Value | OfferKind::Ok)
    }
}

impl<V: Clone> Offer<V> {
    /// The data of one of the family's moves.
    pub fn parts<D: Domain<Value = V>>(&self, domain: &D, arena: &Arena, code: u64) -> OfferData<V> {
        let id = self.component;
        match self.kind {
            OfferKind::Run
            | OfferKind::Ask
            | OfferKind::Read
            | OfferKind::Grab
            | OfferKind::Release
            | OfferKind::Done
            | OfferKind::Ok => OfferData { element: self.element.clone(), ..OfferData::default() },
            OfferKind::Write | OfferKind::Value => {
                let value = Some(domain.answer(arena, id, code));
                OfferData { element: self.element.clone(), value, ..OfferData::default() }
            }
            OfferKind::ReadElement(_) => {
                let index = Some(domain.index(id, code));
                OfferData { element: index.clone(), index, ..OfferData::default() }
            }
            OfferKind::WriteElement(indices) => {
                let index = Some(domain.index(id, code % indices));
                let value = Some(domain.answer(arena, id, code / indices));
                OfferData { element: index.clone(), index, value, ..OfferData::default() }
            }
            OfferKind::Call => {
                let mut rest = code;
                let mut digit = |id: &ComponentId| {
                    let count = domain.last_answer(arena, *id).and_then(|last| last.checked_add(1));
                    let digit = count.map_or(rest, |count| rest % count);
                    rest = count.map_or(0, |count| rest / count);
                    domain.answer(arena, *id, digit)
                };
                let arguments = arena.component(id).arguments.iter().map(&mut digit).collect();
                OfferData { arguments, ..OfferData::default() }
            }
        }
    }

    /// One of the family's moves.
    pub fn at<D: Domain<Value = V>>(&self, domain: &D, arena: &Arena, code: u64) -> Move<V> {
        self.with(self.parts(domain, arena, code))
    }

    /// The move of the family with such data.
    pub fn with(&self, data: OfferData<V>) -> Move<V> {
        let OfferData { element, value, arguments, .. } = data;
        let label = match (self.kind, value) {
            (OfferKind::Call, _) => Label::Call(arguments),
            (OfferKind::Run, _) => Label::Run,
            (OfferKind::Ask, _) => Label::Ask,
            (OfferKind::Read | OfferKind::ReadElement(_), _) => Label::Read,
            (OfferKind::Write | OfferKind::WriteElement(_), Some(value)) => Label::Write(value),
            (OfferKind::Grab, _) => Label::Grab,
            (OfferKind::Release, _) => Label::Release,
            (OfferKind::Done, _) => Label::Done,
            (OfferKind::Value, Some(value)) => Label::Value(value),
            _ => Label::Ok,
        };
        Move { component: self.component, element, label }
    }
}

impl Offer<Int> {
    /// The place of a move in the family, if it is one of it.
    pub fn code_of(&self, m: &Move, arena: &Arena) -> Option<u64> {
        if m.component != self.component {
            return None;
        }
        let code = |n: &Int| arena.code(self.component, n);
        match (self.kind, &m.label) {
            (OfferKind::Run, Label::Run)
            | (OfferKind::Ask, Label::Ask)
            | (OfferKind::Read, Label::Read)
            | (OfferKind::Grab, Label::Grab)
            | (OfferKind::Release, Label::Release)
            | (OfferKind::Done, Label::Done) => Some(0),
            (OfferKind::Ok, Label::Ok) => (m.element == self.element).then_some(0),
            (OfferKind::Write, Label::Write(n)) => code(n),
            (OfferKind::Value, Label::Value(n)) if m.element == self.element => code(n),
            (OfferKind::ReadElement(_), Label::Read) => m.element.as_ref()?.to_u64(),
            (OfferKind::WriteElement(length), Label::Write(n)) => {
                code(n)?.checked_mul(length)?.checked_add(m.element.as_ref()?.to_u64()?)
            }
            _ => None,
        }
    }
}

/// The questions that open a component.
pub(super) fn questions<D: Domain>(domain: &D, arena: &Arena, id: ComponentId) -> Vec<Offer<D::Value>> {
    let offer = |kind, last| Offer { component: id, kind, element: None, last };
    match &arena.component(id).base {
        Type::Com => vec![offer(OfferKind::Run, Some(0))],
        Type::Exp(_) => vec![offer(OfferKind::Ask, Some(0))],
        Type::Var(_) => {
            vec![offer(OfferKind::Read, Some(0)), offer(OfferKind::Write, domain.last_answer(arena, id))]
        }
        Type::Array(_, length) => {
            // More moves than can be counted are more than can be tried.
            let indices = domain.indices(id, *length);
            let last = domain.last_answer(arena, id).map(|last| {
                let count = (u128::from(last) + 1) * u128::from(indices);
                u64::try_from(count - 1).unwrap_or(u64::MAX)
            });
            vec![
                offer(OfferKind::ReadElement(indices), Some(indices - 1)),
                offer(OfferKind::WriteElement(indices), last),
            ]
        }
        Type::Sem(_) => vec![offer(OfferKind::Grab, Some(0)), offer(OfferKind::Release, Some(0))],
        Type::Fun(..) | Type::Never => vec![],
    }
}

/// What O may play before anything was played.
pub(super) fn opening<D: Domain>(domain: &D, arena: &Arena) -> Vec<Offer<D::Value>> {
    questions(domain, arena, OWN)
}
