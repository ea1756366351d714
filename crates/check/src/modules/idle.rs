//! Calls that the environment need not make: they fail nowhere, and change no cell whose values are distinguished.
//!
//! While such a call waits for the environment, the environment may call what it may call anyway, with the same cells. So a play that
//! fails is still one if the call is left out and what was called meanwhile is called before.

use std::collections::BTreeSet;

use agon_core::module::{Base, Callee, CellId, Module, ProcedureId, Sort, Statement};

/// What a procedure does, with the procedures of the module that it calls.
#[derive(Clone, Debug, Default)]
struct Effects {
    /// The cells that it may write to.
    writes: BTreeSet<CellId>,
    /// Whether a check that counts may fail in it.
    fails: bool,
    /// Whether the environment may get to know a function by it.
    tells: bool,
}

/// What each procedure of a module does.
#[derive(Clone, Debug)]
pub(crate) struct Idle(Vec<Effects>);

impl Idle {
    /// What the procedures of a module do.
    pub fn new(module: &Module) -> Idle {
        let private = module.mentioned().into_iter().any(|id| !module.procedure(id).exported);
        let mut all: Vec<Effects> = module.procedures().map(|(id, _)| own(module, id, private)).collect();
        let calls: Vec<BTreeSet<ProcedureId>> =
            module.procedures().map(|(id, _)| module.callees(id)).collect();
        loop {
            let mut changed = false;
            for (n, callees) in calls.iter().enumerate() {
                for callee in callees {
                    let Effects { writes, fails, tells } = all[callee.index()].clone();
                    let own = &mut all[n];
                    let before = (own.writes.len(), own.fails, own.tells);
                    own.writes.extend(writes);
                    own.fails |= fails;
                    own.tells |= tells;
                    changed |= before != (own.writes.len(), own.fails, own.tells);
                }
            }
            if !changed {
                return Idle(all);
            }
        }
    }

    /// Whether a call of a procedure can be left out, if the values of these cells are distinguished.
    pub fn is_idle(&self, id: ProcedureId, told_apart: impl Fn(CellId) -> bool) -> bool {
        let Effects { writes, fails, tells } = &self.0[id.index()];
        !fails && !tells && !writes.iter().any(|cell| told_apart(*cell))
    }
}

/// What a procedure does itself.
fn own(module: &Module, id: ProcedureId, private: bool) -> Effects {
    let procedure = module.procedure(id);
    let is_name = |sort: &Sort| matches!(sort, Sort::Function(_));
    let signature = module.signature(procedure.signature);
    let mut effects = Effects { fails: module.has_watched_check(id), ..Effects::default() };
    effects.tells = private && signature.result.as_ref().is_some_and(is_name);
    for (statement, _) in &procedure.body {
        let base = match statement {
            Statement::Set(place, _)
            | Statement::Lock(place)
            | Statement::TryLock(place, _)
            | Statement::Unlock(place)
            | Statement::Grab(place)
            | Statement::Release(place) => Some(place.base),
            Statement::Fill(base, _) => Some(*base),
            Statement::Call(callee, ..) => {
                let called = match callee {
                    Callee::Procedure(_) => None,
                    Callee::Import(id) => Some(module.import(*id).signature),
                    Callee::Value(_, signature) => Some(*signature),
                };
                let names =
                    called.is_some_and(|called| module.signature(called).parameters.iter().any(is_name));
                effects.tells |= private && names;
                None
            }
            _ => None,
        };
        if let Some(Base::Module(cell)) = base {
            effects.writes.insert(cell);
        }
    }
    effects
}
