//! Expressions: their values in a store and an activation, and why they have none.

use agon_base::int::Int;
use agon_base::source::Span;

use super::{Base, Cell, Expression, ExpressionId, Module, Place, Procedure, Store};
use crate::checks::{Check, Kind};

/// Results that may have more bits than this are not computed.
const LARGEST: u64 = 1 << 21;

/// Why a module fails: the check, and the index that is out of bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// What is checked, and where that stands.
    pub check: Check,
    /// The index that is out of bounds, of [`Kind::Index`].
    pub index: Option<Int>,
}

/// Why an expression has no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The module fails.
    Fails(Failure),
    /// A number has more bits than are computed with.
    TooLarge,
}

impl Fault {
    /// The failure of a check.
    pub(super) fn of(kind: Kind, span: Span) -> Fault {
        Fault::Fails(Failure { check: Check { span, kind }, index: None })
    }
}

/// What expressions are evaluated in.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub module: &'a Module,
    pub procedure: &'a Procedure,
    pub globals: &'a Store,
    pub locals: &'a Store,
}

/// An element of a cell or array.
pub(super) type Element = (Base, u64);

impl Scene<'_> {
    pub fn value(&self, id: ExpressionId) -> Result<Int, Fault> {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.value_here(id))
    }

    fn value_here(&self, id: ExpressionId) -> Result<Int, Fault> {
        let module = self.module;
        Ok(match module.expression(id) {
            Expression::Number(n) => n.clone(),
            Expression::Function(function) => module.number(*function),
            Expression::Load(place) => {
                let (base, element) = self.element(*place, module.span(id))?;
                self.load(base, element)
            }
            Expression::Unary(operator, a) => operator.apply(&self.value(*a)?),
            Expression::Binary(operator, a, b) => {
                let (a, b) = (self.value(*a)?, self.value(*b)?);
                if operator.bits(a.bits(), b.bits()) > LARGEST {
                    return Err(Fault::TooLarge);
                }
                operator.apply(&a, &b).ok_or_else(|| Fault::of(Kind::Division, module.span(id)))?
            }
            Expression::Wrap(data, a) => data.wrap(&self.value(*a)?),
        })
    }

    /// The element that a place is; an index out of bounds is a failure.
    pub fn element(&self, place: Place, span: Span) -> Result<Element, Fault> {
        let Some(index) = place.index else { return Ok((place.base, 0)) };
        let index = self.value(index)?;
        let length = self.module.length_of(self.procedure, place.base).unwrap_or(1);
        match index.to_u64().filter(|index| *index < length) {
            Some(element) => Ok((place.base, element)),
            None => {
                Err(Fault::Fails(Failure { check: Check { span, kind: Kind::Index }, index: Some(index) }))
            }
        }
    }

    pub fn load(&self, base: Base, element: u64) -> Int {
        match base {
            Base::Local(id) => self.locals.get(id.0, element).cloned().unwrap_or(Int::ZERO),
            Base::Module(id) => {
                let first = || self.module.cell(id).first(element);
                self.globals.get(id.0, element).cloned().unwrap_or_else(first)
            }
        }
    }
}

impl Module {
    /// The value of an expression that reads no cell and does not fail.
    pub fn constant(&self, id: ExpressionId) -> Option<Int> {
        let value =
            |id: &ExpressionId| stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.constant(*id));
        Some(match self.expression(id) {
            Expression::Number(n) => n.clone(),
            Expression::Function(function) => self.number(*function),
            Expression::Load(_) => return None,
            Expression::Unary(operator, a) => operator.apply(&value(a)?),
            Expression::Binary(operator, a, b) => operator.apply(&value(a)?, &value(b)?)?,
            Expression::Wrap(data, a) => data.wrap(&value(a)?),
        })
    }
}

impl Cell {
    /// What an element holds at first.
    pub fn first(&self, element: u64) -> Int {
        let at = usize::try_from(element).ok();
        let value = at.and_then(|at| self.initial.get(at)).or(self.initial.last());
        value.cloned().unwrap_or(Int::ZERO)
    }
}

/// Writes to an element, in range.
pub(super) fn write(
    module: &Module,
    procedure: &Procedure,
    globals: &mut Store,
    locals: &mut Store,
    (base, element): Element,
    value: Int,
) {
    let value = module.sort_of(procedure, base).map_or(value.clone(), |sort| module.wrap(&value, sort));
    match base {
        Base::Local(id) => locals.set(id.0, element, &Int::ZERO, value),
        Base::Module(id) => globals.set(id.0, element, &module.cell(id).first(element), value),
    }
}

/// Arrays of more elements than this are not filled with anything but what they held at first.
const LARGEST_FILL: u64 = 1 << 20;

/// Writes to all elements of an array, in range.
pub(super) fn fill(
    module: &Module,
    procedure: &Procedure,
    globals: &mut Store,
    locals: &mut Store,
    base: Base,
    value: Int,
) -> Result<(), Fault> {
    let length = module.length_of(procedure, base).unwrap_or(1);
    if let (Base::Local(id), true) = (base, value.is_zero()) {
        locals.retain(|local| local != id.0);
        return Ok(());
    }
    if length > LARGEST_FILL {
        return Err(Fault::TooLarge);
    }
    (0..length).for_each(|n| write(module, procedure, globals, locals, (base, n), value.clone()));
    Ok(())
}
