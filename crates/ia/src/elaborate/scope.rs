//! Which names and labels are known where.

use std::collections::HashMap;

use agon_core::term::{LabelId, Name, VarId};

/// The names and labels in scope, innermost last.
#[derive(Default)]
pub(super) struct Scope {
    names: HashMap<Name, Vec<(usize, VarId)>>,
    labels: HashMap<Name, Vec<LabelId>>,
    /// How many names were ever entered and not left: the age of the next.
    age: usize,
    /// The definitions that are being read, with their age.
    defining: Vec<(Name, usize)>,
}

/// What a name stands for.
pub(super) enum Found {
    Variable(VarId),
    /// A variable of the same name as a definition that is being read, declared outside of it.
    Outer(VarId),
    /// The definition that is being read itself.
    Itself,
    Nothing,
}

impl Scope {
    pub(super) fn enter(&mut self, name: Name, var: VarId) {
        self.names.entry(name).or_default().push((self.age, var));
        self.age += 1;
    }

    pub(super) fn leave(&mut self, name: &Name) {
        if let Some(stack) = self.names.get_mut(name) {
            stack.pop();
        }
        self.age -= 1;
    }

    pub(super) fn enter_label(&mut self, name: Name, label: LabelId) {
        self.labels.entry(name).or_default().push(label);
    }

    pub(super) fn leave_label(&mut self, name: &Name) {
        if let Some(stack) = self.labels.get_mut(name) {
            stack.pop();
        }
    }

    pub(super) fn begin_definition(&mut self, name: Name) {
        self.defining.push((name, self.age));
    }

    pub(super) fn end_definition(&mut self) {
        self.defining.pop();
    }

    pub(super) fn find(&self, name: &Name) -> Found {
        let defining = self.defining.iter().rev().find(|(defined, _)| defined == name).map(|(_, age)| *age);
        match (self.names.get(name).and_then(|stack| stack.last()), defining) {
            (Some((age, var)), Some(defined)) if *age < defined => Found::Outer(*var),
            (Some((_, var)), _) => Found::Variable(*var),
            (None, Some(_)) => Found::Itself,
            (None, None) => Found::Nothing,
        }
    }

    pub(super) fn label(&self, name: &Name) -> Option<LabelId> {
        self.labels.get(name).and_then(|stack| stack.last()).copied()
    }

    /// All names in scope, in no order.
    pub(super) fn names(&self) -> impl Iterator<Item = &Name> {
        self.names.iter().filter(|(_, stack)| !stack.is_empty()).map(|(name, _)| name)
    }

    /// All labels in scope, in no order.
    pub(super) fn labels(&self) -> impl Iterator<Item = &Name> {
        self.labels.iter().filter(|(_, stack)| !stack.is_empty()).map(|(name, _)| name)
    }
}
