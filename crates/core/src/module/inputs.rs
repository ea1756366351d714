//! Inputs: finite sets of what the environment may play, for references that try all of it.

use std::collections::BTreeSet;

use agon_base::int::Int;

use super::play::Move;
use super::{Allowed, Function, Module, ProcedureId, Signature, Sort};
use crate::types::Data;

/// What the environment may give.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inputs {
    /// The numbers, as far as a type contains them. Of `bool` there are always both.
    pub numbers: Vec<Int>,
    /// How many functions of its own the environment has, of each type.
    pub functions: usize,
}

impl Inputs {
    /// All numbers from one to another, and this many functions of the environment's own of each type.
    pub fn range(from: i64, to: i64, functions: usize) -> Inputs {
        Inputs { numbers: (from..=to).map(Int::from).collect(), functions }
    }

    /// The values that the environment may give where a sort is asked for. Of the module's own functions it has the exports, and
    /// the private ones that have escaped.
    pub fn values(&self, module: &Module, escaped: &BTreeSet<ProcedureId>, sort: &Sort) -> Vec<Int> {
        match sort {
            Sort::Data(Data::Bool) => vec![Int::ZERO, Int::ONE],
            Sort::Data(data) | Sort::Address(data) => {
                self.numbers.iter().filter(|n| data.wrap(n) == **n).cloned().collect()
            }
            Sort::Function(signature) => {
                let own = callable(module, escaped).map(Function::Procedure);
                let imports = module.imports().map(|(id, _)| Function::Import(id));
                let known = own.chain(imports).filter(|known| module.type_of(*known) == *signature);
                let all = known.chain(module.foreign(*signature).take(self.functions));
                std::iter::once(Int::ZERO).chain(all.map(|function| module.number(function))).collect()
            }
        }
    }

    /// All calls that the environment may make at a turn.
    pub fn calls(&self, module: &Module, escaped: &BTreeSet<ProcedureId>, turn: Allowed) -> Vec<Move> {
        let call = |procedure: ProcedureId| {
            let Signature { parameters, .. } = module.signature(module.procedure(procedure).signature);
            let mut all = vec![vec![]];
            for sort in parameters {
                let values = self.values(module, escaped, sort);
                let with = |before: &Vec<Int>| {
                    values
                        .iter()
                        .map(|value| [before.clone(), vec![value.clone()]].concat())
                        .collect::<Vec<_>>()
                };
                all = all.iter().flat_map(with).collect();
            }
            let may = move |arguments: &Vec<Int>| module.may_give(procedure, arguments);
            all.into_iter()
                .filter(may)
                .map(move |arguments| Move::Call(Function::Procedure(procedure), arguments))
        };
        callable(module, escaped).filter(|id| module.allows(turn, *id)).flat_map(call).collect()
    }

    /// All answers that the environment may give to a call of a function.
    pub fn answers(&self, module: &Module, escaped: &BTreeSet<ProcedureId>, function: Function) -> Vec<Move> {
        let values = match &module.signature(module.type_of(function)).result {
            None => vec![None],
            Some(sort) => self.values(module, escaped, sort).into_iter().map(Some).collect(),
        };
        let may = |value: &Option<Int>| module.may_answer(function, value.as_ref());
        values.into_iter().filter(may).map(Move::Return).collect()
    }
}

/// The procedures that the environment may call.
fn callable<'a>(
    module: &'a Module,
    escaped: &'a BTreeSet<ProcedureId>,
) -> impl Iterator<Item = ProcedureId> + 'a {
    let all = module.procedures();
    all.filter(|(id, procedure)| procedure.exported || escaped.contains(id)).map(|(id, _)| id)
}
