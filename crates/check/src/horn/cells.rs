//! Cells in clauses: each cell is a variable, short arrays are one for each element, long ones are arrays of SMT-LIB.

use std::rc::Rc;

use agon_base::int::Int;
use agon_core::module::{Cell, CellKind, Local, Module, Sort};
use agon_core::types::Data;

use super::terms::{Term, number};

/// Arrays of at most this many elements are one variable for each.
const MOST_VARIABLES: u64 = 16;

/// What a variable of a clause is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Integer,
    Array,
}

impl Shape {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Shape::Integer => "Int",
            Shape::Array => "(Array Int Int)",
        }
    }
}

/// What a variable holds.
#[derive(Clone, Debug)]
pub(super) enum Held {
    Value(Term),
    Array(Rc<str>),
}

impl Held {
    /// As an argument of a relation.
    pub fn text(&self) -> String {
        match self {
            Held::Value(term) => term.int(),
            Held::Array(text) => text.to_string(),
        }
    }

    pub fn shape(&self) -> Shape {
        match self {
            Held::Value(_) => Shape::Integer,
            Held::Array(_) => Shape::Array,
        }
    }
}

/// Where the elements of a cell or array are among the variables.
#[derive(Clone, Debug)]
pub(super) struct Extent {
    /// The first variable.
    pub first: usize,
    /// How many elements there are.
    pub length: u64,
    /// Whether one variable holds all of them.
    pub whole: bool,
    /// The type that values are brought into, if there is one.
    pub data: Option<Data>,
}

/// A variable: its type, and the number that it always holds, if it does.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub shape: Shape,
    pub data: Option<Data>,
    pub constant: Option<Int>,
}

/// The cells of a module or of an activation, as variables.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    pub extents: Vec<Extent>,
    pub variables: Vec<Variable>,
}

impl Cells {
    /// The cells of a module.
    pub fn of_module(module: &Module) -> Cells {
        let mut cells = Cells::default();
        let fixed: std::collections::BTreeSet<_> = module.unwritten().collect();
        for (id, cell) in module.cells() {
            let data = match &cell.kind {
                CellKind::Value(Sort::Data(data) | Sort::Address(data)) => Some(data.clone()),
                CellKind::Value(Sort::Function(_)) => None,
                kind @ (CellKind::Mutex | CellKind::Semaphore(_)) => {
                    Some(Data::Mod(Int::from(kind.places()).add(&Int::ONE)))
                }
            };
            let constant = |n: u64| fixed.contains(&id).then(|| cell.first(n));
            cells.add(cell.length, data, constant);
        }
        cells
    }

    /// The cells of an activation.
    pub fn of_locals(locals: &[Local]) -> Cells {
        let mut cells = Cells::default();
        for local in locals {
            let data = match &local.sort {
                Sort::Data(data) | Sort::Address(data) => Some(data.clone()),
                Sort::Function(_) => None,
            };
            cells.add(local.length, data, |_| None);
        }
        cells
    }

    fn add(&mut self, length: Option<u64>, data: Option<Data>, constant: impl Fn(u64) -> Option<Int>) {
        let length = length.unwrap_or(1);
        let whole = length > MOST_VARIABLES;
        let first = self.variables.len();
        let shape = if whole { Shape::Array } else { Shape::Integer };
        for n in 0..if whole { 1 } else { length } {
            let constant = if whole { None } else { constant(n) };
            self.variables.push(Variable { shape, data: data.clone(), constant });
        }
        self.extents.push(Extent { first, length, whole, data });
    }

    /// What the variable of a number holds, if it is called like this.
    pub fn named(&self, n: usize, name: &str) -> Held {
        let Variable { shape, data, constant } = &self.variables[n];
        match (shape, constant, data) {
            (Shape::Array, ..) => Held::Array(name.into()),
            (_, Some(number), _) => Held::Value(Term::number(number.clone())),
            (_, None, Some(data)) => Held::Value(Term::of(name, data)),
            // The names of functions are not negative.
            (_, None, None) => Held::Value(Term::integer(name, Some(Int::ZERO), None)),
        }
    }

    /// Whether a variable is an argument of relations: it may hold more than one number.
    pub fn varies(&self, n: usize) -> bool {
        self.variables[n].constant.is_none()
    }
}

/// An array that holds one number everywhere but at the elements whose first numbers are others.
pub(super) fn array_of(cell: &Cell) -> Held {
    let last = cell.initial.last().cloned().unwrap_or(Int::ZERO);
    let mut text = all(&last);
    for (n, value) in cell.initial.iter().enumerate().filter(|(_, value)| **value != last) {
        text = format!("(store {text} {n} {})", number(value));
    }
    Held::Array(text.into())
}

/// An array that holds one number everywhere.
pub(super) fn all(n: &Int) -> String {
    format!("((as const (Array Int Int)) {})", number(n))
}
