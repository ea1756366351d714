//! What names stand for inside a body. Scopes outlive their blocks: an argument that is used by name keeps its own.

use std::collections::HashMap;

use agon_core::module::{CellId, ImportId, LocalId, ProcedureId};
use agon_core::term::Name;

use super::sorts::Passed;
use crate::tree::{NodeId, Parameter, TypeNode};

agon_base::id! {
    /// A scope: the place of its innermost entry, plus one. Outside of all entries are the items of the module.
    pub(super) Scope;
}

pub(super) const ROOT: Scope = Scope(0);

/// What a name stands for.
#[derive(Clone)]
pub(super) enum Bound<'a> {
    Cell(CellId),
    Local(LocalId),
    Import(ImportId),
    Procedure(ProcedureId),
    /// A definition, which stands for its text.
    Definition(Definition<'a>),
    /// An argument of a definition, which is evaluated at each use; and the type of the parameter.
    Argument(NodeId, Scope, Passed),
    /// A parameter that is a command, while a definition is typed that nobody uses.
    Command,
    /// The definition that is being read.
    Itself,
}

#[derive(Clone, Copy)]
pub(super) struct Definition<'a> {
    pub parameters: &'a [Parameter],
    pub result: Option<&'a TypeNode>,
    pub node: NodeId,
    /// The scope that it is read in.
    pub inside: Scope,
}

struct Entry<'a> {
    name: Name,
    what: What<'a>,
    outer: Scope,
}

enum What<'a> {
    Name(Bound<'a>),
    /// A label, by its number in the body.
    Label(usize),
}

#[derive(Default)]
pub(super) struct Scopes<'a> {
    items: HashMap<Name, Bound<'a>>,
    entries: Vec<Entry<'a>>,
}

impl<'a> Scopes<'a> {
    pub fn add_item(&mut self, name: &Name, bound: Bound<'a>) {
        self.items.insert(name.clone(), bound);
    }

    pub fn enter(&mut self, outer: Scope, name: &Name, bound: Bound<'a>) -> Scope {
        self.add(outer, name, What::Name(bound))
    }

    pub fn enter_label(&mut self, outer: Scope, name: &Name, label: usize) -> Scope {
        self.add(outer, name, What::Label(label))
    }

    fn add(&mut self, outer: Scope, name: &Name, what: What<'a>) -> Scope {
        self.entries.push(Entry { name: name.clone(), what, outer });
        Scope::new(self.entries.len())
    }

    fn entries(&self, mut scope: Scope) -> impl Iterator<Item = &Entry<'a>> {
        std::iter::from_fn(move || {
            let entry = self.entries.get(scope.index().checked_sub(1)?)?;
            scope = entry.outer;
            Some(entry)
        })
    }

    /// What a name stands for, and whether a definition of that name is being read inside of which it was not declared.
    pub fn find(&self, scope: Scope, name: &Name) -> (Option<Bound<'a>>, bool) {
        let mut itself = false;
        for entry in self.entries(scope).filter(|entry| entry.name == *name) {
            match &entry.what {
                What::Name(Bound::Itself) => itself = true,
                What::Name(bound) => return (Some(bound.clone()), itself),
                What::Label(_) => {}
            }
        }
        (self.items.get(name).cloned(), itself)
    }

    pub fn label(&self, scope: Scope, name: &Name) -> Option<usize> {
        self.entries(scope).filter(|entry| entry.name == *name).find_map(|entry| match entry.what {
            What::Label(label) => Some(label),
            What::Name(_) => None,
        })
    }

    /// All names in scope.
    pub fn names(&self, scope: Scope) -> impl Iterator<Item = &Name> {
        let local = self.entries(scope).filter(|entry| matches!(entry.what, What::Name(_)));
        local.map(|entry| &entry.name).chain(self.items.keys())
    }

    /// All labels in scope.
    pub fn labels(&self, scope: Scope) -> impl Iterator<Item = &Name> {
        let labels = self.entries(scope).filter(|entry| matches!(entry.what, What::Label(_)));
        labels.map(|entry| &entry.name)
    }
}
