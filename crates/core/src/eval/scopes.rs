//! Scopes: what names stand for where a term is evaluated.

use crate::term::{LabelId, TermId, VarId};

agon_base::id! {
    /// A scope: the place of its innermost entry, plus one.
    pub(super) Scope;
}

/// The scope of free identifiers.
pub(super) const ROOT: Scope = Scope(0);

struct Entry {
    /// No two entries share one, even if one takes the place of the other.
    serial: u64,
    name: Name,
    bound: Bound,
    outer: Scope,
    /// How many entries there are from here outwards.
    depth: u32,
    /// An entry further out, so that every other is reached in few steps: lengths of jumps are those of a skew-binary
    /// number.
    jump: Scope,
}

/// What an entry binds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    Variable(VarId),
    Label(LabelId),
}

impl Name {
    /// Whether it is a variable or a label, and its number.
    fn place(self) -> (usize, usize) {
        match self {
            Name::Variable(var) => (0, var.index()),
            Name::Label(label) => (1, label.index()),
        }
    }
}

/// What a name stands for.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    Free,
    /// A term to evaluate in a scope.
    Thunk(TermId, Scope),
    /// A cell, by its place.
    Cell(usize),
    /// An array, by the place of its first cell.
    Array(usize),
    /// A label, by the number of its run.
    Label(u64),
}

/// All scopes, as linked lists in one vector.
pub(super) struct Scopes {
    entries: Vec<Entry>,
    /// At which depth each variable is bound, and each label; 0 if it never was.
    depths: [Vec<u32>; 2],
    /// How many entries there ever were.
    serial: u64,
}

impl Scopes {
    /// The scopes of a program with this many variables, before anything is bound.
    pub(super) fn new(variables: usize) -> Scopes {
        Scopes { entries: vec![], depths: [vec![0; variables], vec![]], serial: 0 }
    }

    pub(super) fn bind(&mut self, outer: Scope, name: Name, bound: Bound) -> Scope {
        self.serial += 1;
        let depth = self.depth(outer) + 1;
        let near = self.jump(outer);
        let far = self.jump(near);
        let equal = self.depth(outer) - self.depth(near) == self.depth(near) - self.depth(far);
        let jump = if equal { far } else { outer };
        // A binder stands at one place of the program, so what it binds is always at the same depth.
        let (kind, number) = name.place();
        let depths = &mut self.depths[kind];
        if depths.len() <= number {
            depths.resize(number + 1, 0);
        }
        depths[number] = depth;
        self.entries.push(Entry { serial: self.serial, name, bound, outer, depth, jump });
        Scope::new(self.entries.len())
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Drops all entries but this many.
    pub(super) fn truncate(&mut self, most: usize) {
        self.entries.truncate(most);
    }

    /// What was bound, in order.
    pub(super) fn bound(&self) -> impl Iterator<Item = (Name, Bound)> {
        self.entries.iter().map(|entry| (entry.name, entry.bound))
    }

    /// The number of a scope, which no other scope has ever had; 0 if nothing is bound in it.
    pub(super) fn serial(&self, scope: Scope) -> u64 {
        self.innermost(scope).map_or(0, |entry| entry.serial)
    }

    /// The innermost entry of a scope.
    fn innermost(&self, scope: Scope) -> Option<&Entry> {
        scope.index().checked_sub(1).map(|at| &self.entries[at])
    }

    fn depth(&self, scope: Scope) -> u32 {
        self.innermost(scope).map_or(0, |entry| entry.depth)
    }

    fn jump(&self, scope: Scope) -> Scope {
        self.innermost(scope).map_or(ROOT, |entry| entry.jump)
    }

    pub(super) fn find(&self, mut scope: Scope, name: Name) -> Bound {
        let (kind, number) = name.place();
        let depth = self.depths[kind].get(number).copied().unwrap_or(0);
        while let Some(entry) = self.innermost(scope) {
            if entry.name == name {
                return entry.bound;
            }
            if entry.depth <= depth {
                break;
            }
            scope = if self.depth(entry.jump) >= depth { entry.jump } else { entry.outer };
        }
        // Elaboration resolved every name: what is not bound in the program is free.
        Bound::Free
    }
}
