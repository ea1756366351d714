//! First use: which locals need a bit that says whether they were written.
//!
//! A body is lowered with a bit for every local that might be read too early. Where the bit is set on all ways to a read, the
//! check is not needed. Locals whose checks all go need no bit, and the body is lowered again without theirs.

use std::collections::{BTreeMap, BTreeSet};

use agon_core::checks::Kind;
use agon_core::module::{Base, Expression, Label, LocalId, Module, Statement};

/// The bits that are set for certain before a statement.
type Certain = BTreeSet<LocalId>;

/// The bits, among those given, that some check needs.
pub(super) fn needed(
    module: &Module,
    body: &[(Statement, agon_base::source::Span)],
    bits: &BTreeSet<LocalId>,
) -> BTreeSet<LocalId> {
    let certain = certain(module, body, bits);
    let mut needed = BTreeSet::new();
    // A copied bit is needed if the copy is.
    let mut copies: Vec<(LocalId, LocalId)> = Vec::new();
    for ((statement, _), before) in body.iter().zip(&certain) {
        match statement {
            Statement::Assert(condition, Kind::Uninitialised | Kind::Bound(_)) => {
                let bit = loaded(module, *condition).filter(|bit| bits.contains(bit));
                needed.extend(bit.filter(|bit| before.as_ref().is_some_and(|before| !before.contains(bit))));
            }
            Statement::Set(place, value) => {
                if let (Base::Local(to), Some(from)) = (place.base, loaded(module, *value)) {
                    copies.push((to, from));
                }
            }
            _ => {}
        }
    }
    loop {
        let more: Vec<LocalId> = copies
            .iter()
            .filter(|(to, from)| needed.contains(to) && bits.contains(from) && !needed.contains(from))
            .map(|(_, from)| *from)
            .collect();
        if more.is_empty() {
            return needed;
        }
        needed.extend(more);
    }
}

fn loaded(module: &Module, value: agon_core::module::ExpressionId) -> Option<LocalId> {
    match module.expression(value) {
        Expression::Load(place) => match place.base {
            Base::Local(local) => Some(local),
            Base::Module(_) => None,
        },
        _ => None,
    }
}

/// For each statement the bits that are set on all ways to it; nothing if there is no way.
fn certain(
    module: &Module,
    body: &[(Statement, agon_base::source::Span)],
    bits: &BTreeSet<LocalId>,
) -> Vec<Option<Certain>> {
    let mut before: Vec<Option<Certain>> = vec![None; body.len()];
    let mut waiting: BTreeMap<usize, Certain> = BTreeMap::from([(0, Certain::new())]);
    while let Some((at, arriving)) = waiting.pop_first() {
        let Some((statement, _)) = body.get(at) else { continue };
        let met = match &before[at] {
            Some(known) => known.intersection(&arriving).copied().collect(),
            None => arriving,
        };
        if before[at].as_ref() == Some(&met) {
            continue;
        }
        before[at] = Some(met.clone());
        let mut after = met;
        match statement {
            Statement::Set(place, value) => {
                if let Base::Local(bit) = place.base
                    && bits.contains(&bit)
                    && place.index.is_none()
                {
                    let set = module.constant(*value).is_some_and(|value| !value.is_zero());
                    let copied = loaded(module, *value).is_some_and(|from| after.contains(&from));
                    if set || copied {
                        after.insert(bit)
                    } else {
                        after.remove(&bit)
                    };
                }
            }
            Statement::Fill(Base::Local(bit), value) if bits.contains(bit) => {
                let set = module.constant(*value).is_some_and(|value| !value.is_zero());
                if set {
                    after.insert(*bit)
                } else {
                    after.remove(bit)
                };
            }
            _ => {}
        }
        let mut go = |to: usize| {
            let joined = match waiting.remove(&to) {
                Some(known) => known.intersection(&after).copied().collect(),
                None => after.clone(),
            };
            waiting.insert(to, joined);
        };
        match statement {
            Statement::Branch(_, Label(yes), Label(no)) => {
                go(*yes as usize);
                go(*no as usize);
            }
            Statement::Jump(Label(to)) => go(*to as usize),
            Statement::Return(_)
            | Statement::Fail(_)
            | Statement::Exit(_)
            | Statement::Leave(_)
            | Statement::Diverge => {}
            _ => go(at + 1),
        }
    }
    before
}
