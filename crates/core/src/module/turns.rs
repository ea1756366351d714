//! Turns: what the environment may do while it is to move.
//!
//! While no call by the module is open, the environment may call whatever it knows. While the module waits for an import, the
//! import says what may be called before it returns, what it may return, and whether it returns at all. Only the innermost
//! open import counts: what an import calls may call other imports, and those say what they may do themselves.

use agon_base::int::Int;
use agon_base::source::Span;

use super::{Function, Import, ImportId, Module, ProcedureId, Signature, SignatureId, Sort};
use crate::term::Name;
use crate::types::Data;

/// What the environment may call before it returns from an import.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Calls {
    /// Every procedure that it knows.
    #[default]
    Any,
    /// No procedure.
    Nothing,
    /// These procedures, as far as it knows them.
    Only(Vec<ProcedureId>),
}

/// What the environment may call at its turn: everything that it knows, or what an import allows. Turns in which the same may
/// be called are equal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Allowed(Option<ImportId>);

impl Calls {
    /// Whether a procedure may be called, if the environment knows it.
    fn allow(&self, id: ProcedureId) -> bool {
        match self {
            Calls::Any => true,
            Calls::Nothing => false,
            Calls::Only(ids) => ids.contains(&id),
        }
    }
}

/// What a choice between orders of evaluation is called.
pub const ORDER: &str = "order";

impl Import {
    /// A function that may call everything, and may return everything.
    pub fn new(name: Name, signature: SignatureId, span: Span) -> Import {
        Import { name, signature, span, returns: None, calls: Calls::Any, ends: false, choice: false }
    }

    /// Whether it is a choice of an order of evaluation.
    pub fn is_order(&self) -> bool {
        self.choice && self.name.starts_with(ORDER)
    }

    /// Whether it may return a value that is one of its type.
    pub fn may_return(&self, value: Option<&Int>) -> bool {
        let inside =
            |value: &Int| self.returns.as_ref().is_none_or(|(low, high)| low <= value && value <= high);
        !self.ends && value.is_none_or(inside)
    }
}

impl Module {
    /// A choice between a number of branches, which count from 0, as an import. Its result is the branch that is taken.
    pub fn choice(&mut self, what: &str, ways: u64) -> ImportId {
        let name = format!("{what}.{ways}");
        let result = Some(Sort::Data(Data::Mod(Int::from(ways))));
        let signature = self.add_signature(Signature { parameters: vec![], result });
        let known = self.imports().find(|(_, import)| import.choice && *import.name == *name);
        if let Some((id, _)) = known {
            return id;
        }
        let returns = Some((Int::ZERO, Int::from(ways).sub(&Int::ONE)));
        let choice = Import::new(name.into(), signature, Span::default());
        self.add_import(Import { returns, calls: Calls::Nothing, choice: true, ..choice })
    }

    /// Says anew what an import may do.
    pub fn restrict(&mut self, id: ImportId, returns: Option<(Int, Int)>, calls: Calls, ends: bool) {
        let import = &mut self.imports[id.index()];
        (import.returns, import.calls, import.ends) = (returns, calls, ends);
    }

    /// What the environment may call while the module waits for a function of the environment's, or for nothing.
    pub fn allowed(&self, open: Option<Function>) -> Allowed {
        let Some(Function::Import(id)) = open else { return Allowed::default() };
        let calls = &self.import(id).calls;
        match calls {
            Calls::Any => Allowed::default(),
            _ => Allowed(self.imports().find(|(_, import)| import.calls == *calls).map(|(id, _)| id)),
        }
    }

    /// Whether the environment may call a procedure at such a turn, if it knows it.
    pub fn allows(&self, Allowed(import): Allowed, id: ProcedureId) -> bool {
        import.is_none_or(|import| self.import(import).calls.allow(id))
    }

    /// Whether the environment may call anything at such a turn.
    pub fn allows_calls(&self, Allowed(import): Allowed) -> bool {
        let calls = import.map(|import| &self.import(import).calls);
        calls.is_none_or(|calls| match calls {
            Calls::Any => true,
            Calls::Nothing => false,
            Calls::Only(ids) => !ids.is_empty(),
        })
    }

    /// Whether the environment may answer a call of one of its functions like this, if it has such a value.
    pub fn may_answer(&self, function: Function, value: Option<&Int>) -> bool {
        match function {
            Function::Import(id) => {
                let assumed = self.assumed_answer(id).zip(value);
                self.import(id).may_return(value)
                    && assumed.is_none_or(|(condition, value)| condition.holds(std::slice::from_ref(value)))
            }
            Function::Procedure(_) | Function::Foreign(_) => true,
        }
    }

    /// Whether the module leaves a choice open.
    pub fn chooses(&self) -> bool {
        self.imports().any(|(_, import)| import.choice)
    }
}
