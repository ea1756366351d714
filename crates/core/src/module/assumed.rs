//! What is assumed of the numbers that the environment gives to a module: answers of imports, and arguments of calls.
//!
//! A move that does not fulfil the assumption is none that the environment may make. What the module gives to its own procedures
//! is not concerned.

use std::collections::BTreeMap;
use std::sync::Arc;

use agon_base::int::Int;

use super::{ImportId, Module, ProcedureId, Sort};
use crate::condition::Condition;

/// What is assumed of what the environment gives.
#[derive(Clone, Debug, Default)]
pub(super) struct Assumed {
    /// Of what imports return.
    answers: BTreeMap<ImportId, Arc<Condition>>,
    /// Of the arguments of procedures that the environment calls.
    calls: BTreeMap<ProcedureId, Arc<Condition>>,
    /// Between which numbers an argument lies then, where there are such and they are not all of its type.
    ranges: BTreeMap<(ProcedureId, usize), (Int, Int)>,
}

/// What must hold in addition to what is known.
fn joined(known: Option<Arc<Condition>>, condition: Condition) -> Arc<Condition> {
    Arc::new(match known {
        Some(known) => known.as_ref().clone().and(condition),
        None => condition,
    })
}

/// The numbers of a sort that lie between the ends of a condition, if these are fewer and can be counted.
fn narrowed(
    sort: &Sort,
    known: Option<&(Int, Int)>,
    (low, high): (Option<Int>, Option<Int>),
) -> Option<(Int, Int)> {
    let Sort::Data(data) = sort else { return None };
    let of_type = data.range();
    let (least, most) = known.or(of_type.as_ref()).cloned().unzip();
    let range = (low.into_iter().chain(least).max()?, high.into_iter().chain(most).min()?);
    (Some(&range) != of_type.as_ref() && range.0 <= range.1).then_some(range)
}

impl Module {
    /// Assumes something of what an import returns: the condition is about its only number.
    pub fn assume_answer(&mut self, id: ImportId, condition: Condition) {
        let (ends, exact) = condition.ends(0);
        if let Some(sort) = &self.signature(self.import(id).signature).result.clone() {
            let range = narrowed(sort, self.import(id).returns.as_ref(), ends);
            let all_said = exact && range.is_some();
            let import = &mut self.imports[id.index()];
            import.returns = range.or(import.returns.take());
            if all_said {
                return;
            }
        }
        let known = self.assumed.answers.remove(&id);
        self.assumed.answers.insert(id, joined(known, condition));
    }

    /// Assumes something of the arguments of a procedure where the environment calls it: the condition is about these.
    pub fn assume_call(&mut self, id: ProcedureId, condition: Condition) {
        let parameters = self.signature(self.procedure(id).signature).parameters.clone();
        for (n, sort) in parameters.iter().enumerate() {
            let known = self.assumed.ranges.get(&(id, n));
            if let Some(range) = narrowed(sort, known, condition.ends(n).0) {
                self.assumed.ranges.insert((id, n), range);
            }
        }
        let known = self.assumed.calls.remove(&id);
        self.assumed.calls.insert(id, joined(known, condition));
    }

    /// What is assumed of what an import returns, besides its range.
    pub fn assumed_answer(&self, id: ImportId) -> Option<&Arc<Condition>> {
        self.assumed.answers.get(&id)
    }

    /// What is assumed of the arguments of a procedure where the environment calls it.
    pub fn assumed_call(&self, id: ProcedureId) -> Option<&Arc<Condition>> {
        self.assumed.calls.get(&id)
    }

    /// Between which numbers the environment gives an argument, if these are not all of its type.
    pub fn assumed_range(&self, id: ProcedureId, parameter: usize) -> Option<&(Int, Int)> {
        self.assumed.ranges.get(&(id, parameter))
    }

    /// The procedures of whose arguments something is assumed.
    pub(super) fn assumed_calls(&self) -> impl Iterator<Item = (ProcedureId, &Condition)> {
        self.assumed.calls.iter().map(|(id, condition)| (*id, &**condition))
    }

    /// The imports of whose answers something is assumed that is not just a range.
    pub(super) fn assumed_answers(&self) -> impl Iterator<Item = (ImportId, &Condition)> {
        self.assumed.answers.iter().map(|(id, condition)| (*id, &**condition))
    }

    /// Whether the environment may call a procedure with these arguments, if it knows both.
    pub fn may_give(&self, id: ProcedureId, arguments: &[Int]) -> bool {
        self.assumed_call(id).is_none_or(|condition| condition.holds(arguments))
    }
}
