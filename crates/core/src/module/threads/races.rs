//! Races: two threads are about to use one cell, and one of them is about to write it.
//!
//! If two accesses are not ordered by locks and by the beginnings and ends of threads, some run comes to where both are next. An
//! access that waits for another thread's atomic section to end is next as well.

use super::{Base, Expression, Shared, Statement, Thread};
use crate::checks::{Check, Kind, Watch};
use crate::module::{CellId, CellKind, Failure, Module, Place};
use agon_base::source::Span;

/// An access to a cell of the module's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    cell: CellId,
    /// The element; nothing for all of them.
    element: Option<u64>,
    writes: bool,
    span: Span,
}

impl Thread {
    /// The access that comes next, if one does.
    pub fn access(&self, module: &Module) -> Option<Access> {
        if self.stuck || self.waits_for().is_some() {
            return None;
        }
        let frame = self.frames.last()?;
        let (statement, span) = &module.procedure(frame.procedure).body[frame.at];
        let (place, writes, span) = match statement {
            Statement::Set(place @ Place { base: Base::Module(_), .. }, _) => (*place, true, *span),
            Statement::Fill(base @ Base::Module(_), _) => (base.whole(), true, *span),
            _ => {
                let id = module.read_by(statement)?;
                let Expression::Load(place) = module.expression(id) else { return None };
                (*place, false, module.span(id))
            }
        };
        let Base::Module(cell) = place.base else { return None };
        let values = matches!(module.cell(cell).kind, CellKind::Value(_));
        let counts = values && !module.is_hidden(cell);
        let element = match statement {
            Statement::Fill(..) => None,
            _ => Some(self.element(module, place, span)?),
        };
        counts.then_some(Access { cell, element, writes, span })
    }
}

impl Module {
    /// Whether races are looked for.
    pub fn watches_races(&self) -> bool {
        match self.watch {
            Watch::All | Watch::Each => self.races,
            Watch::Only(check) => check.kind == Kind::Race,
            Watch::Kind(kind) => kind == Kind::Race,
        }
    }
}

impl Access {
    /// Whether one of both accesses changes what the other one uses.
    fn conflicts(self, other: Access) -> bool {
        let same = self.cell == other.cell
            && (self.element.is_none() || other.element.is_none() || self.element == other.element);
        same && (self.writes || other.writes)
    }
}

/// The failure of a race between the next access of a thread and that of another one.
pub fn race(
    module: &Module,
    shared: &Shared,
    access: impl Fn(usize) -> Option<Access>,
    threads: usize,
    from: usize,
) -> Option<Failure> {
    let own = access(from).filter(|_| module.watches_races())?;
    let others = (0..threads).filter(|other| *other != from && !shared.has_ended(*other));
    let other = others.filter_map(access).find(|other| own.conflicts(*other))?;
    let at = |span| Check { span, kind: Kind::Race };
    let check =
        [own, other].map(|access| at(access.span)).into_iter().find(|check| module.watch.watches(*check))?;
    Some(Failure { check, index: None })
}
