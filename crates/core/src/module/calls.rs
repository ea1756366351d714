//! Who calls whom, and who may call itself.

use std::collections::BTreeSet;

use super::{Callee, Function, Module, ProcedureId, Signature, SignatureId, Sort, Statement};

impl Module {
    /// The procedures of the module that a procedure may call itself, not by the environment, or that threads which it begins call. A call by name may be one of every
    /// procedure of that type whose name is a value somewhere, or which the environment may give: exports.
    pub fn callees(&self, id: ProcedureId) -> BTreeSet<ProcedureId> {
        let mut found = BTreeSet::new();
        for (statement, _) in &self.procedure(id).body {
            match statement {
                Statement::Call(Callee::Procedure(callee), ..)
                | Statement::Begin(Callee::Procedure(callee), ..) => _ = found.insert(*callee),
                Statement::Call(Callee::Value(_, signature), ..)
                | Statement::Begin(Callee::Value(_, signature), ..) => {
                    found.extend(self.nameable(*signature));
                }
                _ => {}
            }
        }
        found
    }

    /// The procedures of a type that a value may name.
    pub fn nameable(&self, signature: SignatureId) -> impl Iterator<Item = ProcedureId> + '_ {
        let mentioned = self.mentioned();
        let of_type = self.procedures().filter(move |(_, procedure)| procedure.signature == signature);
        let given = self.asks_for(signature);
        of_type
            .filter(move |(id, procedure)| mentioned.contains(id) || (procedure.exported && given))
            .map(|(id, _)| id)
    }

    /// The procedures whose names stand in the module as values, or are held by a cell at first.
    pub fn mentioned(&self) -> BTreeSet<ProcedureId> {
        let own = |function: Option<Function>| match function {
            Some(Function::Procedure(id)) => Some(id),
            _ => None,
        };
        let written = self.functions().filter_map(|function| own(Some(function)));
        let held = self.cells().flat_map(|(_, cell)| match &cell.kind {
            super::CellKind::Value(Sort::Function(_)) => cell.initial.as_slice(),
            _ => &[],
        });
        written.chain(held.filter_map(|value| own(self.function(value)))).collect()
    }

    /// Whether the environment is asked for functions of a type: as an argument of a procedure, or as the result of a function of
    /// its own.
    fn asks_for(&self, signature: SignatureId) -> bool {
        let sort = Sort::Function(signature);
        let arguments =
            self.procedures().flat_map(|(_, procedure)| &self.signature(procedure.signature).parameters);
        let results = self.outside().filter_map(|Signature { result, .. }| result.as_ref());
        arguments.chain(results).any(|given| *given == sort)
    }

    /// The types of imports, and of functions that values name.
    pub fn outside(&self) -> impl Iterator<Item = &Signature> {
        let imports = self.imports().map(|(_, import)| import.signature);
        imports.chain(self.named.iter().copied()).map(|id| self.signature(id))
    }

    /// The procedures that may be called again while they run, without the environment: those on a cycle of calls.
    pub fn recursive(&self) -> BTreeSet<ProcedureId> {
        let reached = |start: ProcedureId| {
            let mut reached = BTreeSet::new();
            let mut waiting = vec![start];
            while let Some(id) = waiting.pop() {
                waiting.extend(self.callees(id).into_iter().filter(|callee| reached.insert(*callee)));
            }
            reached
        };
        self.procedures().map(|(id, _)| id).filter(|id| reached(*id).contains(id)).collect()
    }

    /// The procedures whose calls by the module are summarised: those that may call themselves, and those that were chosen.
    pub fn cut_at(&self) -> BTreeSet<ProcedureId> {
        self.recursive().union(&self.summarised).copied().collect()
    }

    /// The procedures with branches that the module calls and that never call anybody outside of it, not even by the
    /// procedures that they call. What they do is a function of their arguments and of the cells.
    pub fn silent(&self) -> BTreeSet<ProcedureId> {
        let calls_out = |id: ProcedureId| {
            let outside = |statement: &Statement| {
                matches!(statement, Statement::Call(Callee::Import(_) | Callee::Value(..), ..))
            };
            self.procedure(id).body.iter().any(|(statement, _)| outside(statement))
        };
        let mut loud: BTreeSet<ProcedureId> =
            self.procedures().map(|(id, _)| id).filter(|id| calls_out(*id)).collect();
        loop {
            let louder = |id: &ProcedureId| {
                !loud.contains(id) && self.callees(*id).iter().any(|callee| loud.contains(callee))
            };
            let more: Vec<ProcedureId> = self.procedures().map(|(id, _)| id).filter(louder).collect();
            if more.is_empty() {
                break;
            }
            loud.extend(more);
        }
        let called: BTreeSet<ProcedureId> = self.procedures().flat_map(|(id, _)| self.callees(id)).collect();
        let branches = |id: &ProcedureId| {
            self.procedure(*id).body.iter().any(|(statement, _)| matches!(statement, Statement::Branch(..)))
        };
        called.into_iter().filter(|id| !loud.contains(id) && branches(id)).collect()
    }
}
