//! Scopes: which variable stands for what, by content.

use rustc_hash::FxHashMap;

use super::{Binding, ScopeId};
use crate::arena::OWN;
use crate::machine::code::{ClosureId, Index};
use agon_base::intern::Interner;

/// All scopes, by content: each is another one and one more variable. Short ones are also kept flat.
pub(super) struct Scopes {
    table: Interner<(ScopeId, Binding), ScopeId>,
    shapes: Vec<ScopeShape>,
    captured: FxHashMap<(ScopeId, ClosureId), ScopeId>,
}

struct ScopeShape {
    len: u32,
    /// The first variables of the scope; all of them if it is short.
    flat: std::sync::Arc<[Binding]>,
}

/// Longer scopes are walked.
const SHORT: usize = 64;

impl Scopes {
    /// The scope of no variables is 0.
    pub(super) fn new() -> Scopes {
        let mut table = Interner::default();
        table.intern((ScopeId(0), Binding::Free(OWN)));
        let shapes = vec![ScopeShape { len: 0, flat: [].into() }];
        Scopes { table, shapes, captured: FxHashMap::default() }
    }

    pub(super) fn extend(&mut self, scope: ScopeId, binding: Binding) -> ScopeId {
        let (id, new) = self.table.insert((scope, binding));
        if new {
            let outer = &self.shapes[scope.index()];
            let flat = if outer.flat.len() == outer.len as usize && outer.flat.len() < SHORT {
                outer.flat.iter().copied().chain([binding]).collect()
            } else {
                outer.flat.clone()
            };
            self.shapes.push(ScopeShape { len: outer.len + 1, flat });
        }
        id
    }

    /// The scope without its innermost variable.
    pub(super) fn outer(&self, scope: ScopeId) -> ScopeId {
        self.table.get(scope).0
    }

    pub(super) fn capture(&mut self, scope: ScopeId, closure: ClosureId, captures: &[Index]) -> ScopeId {
        if let Some(known) = self.captured.get(&(scope, closure)) {
            return *known;
        }
        let mut id = ScopeId(0);
        for index in captures {
            id = self.extend(id, self.get(scope, *index));
        }
        self.captured.insert((scope, closure), id);
        id
    }

    pub(super) fn get(&self, mut scope: ScopeId, index: Index) -> Binding {
        let shape = &self.shapes[scope.index()];
        if let Some(binding) = shape.flat.get(index.index()) {
            return *binding;
        }
        while self.shapes[scope.index()].len > index.0 + 1 {
            scope = self.table.get(scope).0;
        }
        self.table.get(scope).1
    }

    /// How many variables a scope has.
    pub(super) fn len(&self, scope: ScopeId) -> u32 {
        self.shapes[scope.index()].len
    }

    pub(super) fn memory(&self) -> usize {
        self.table.memory() + self.shapes.len() * (size_of::<ScopeShape>() + SHORT * size_of::<Binding>() / 2)
    }
}
