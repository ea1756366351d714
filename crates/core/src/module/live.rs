//! Which locals of an activation still count: those whose value may be read before it is written again.
//!
//! Activations that differ in other locals only do the same from there on.

use std::collections::BTreeSet;

use super::run::Position;
use super::{Base, Expression, LocalId, Module, Place, Procedure, ProcedureId, Statement};

/// For each statement of each procedure, the locals that count before it, and those that count while it waits, if it is a call.
#[derive(Clone, Debug)]
pub struct Liveness(Vec<[Sets; 2]>);

type Sets = Vec<BTreeSet<LocalId>>;

impl Liveness {
    /// What counts in a module.
    pub fn of(module: &Module) -> Liveness {
        Liveness(module.procedures().map(|(_, procedure)| counting(module, procedure)).collect())
    }

    /// The locals that count while an activation waits at a statement.
    pub fn at(&self, procedure: ProcedureId, at: usize) -> &BTreeSet<LocalId> {
        &self.0[procedure.index()][1][at]
    }

    /// The locals that count before a statement runs.
    pub fn before(&self, procedure: ProcedureId, at: usize) -> &BTreeSet<LocalId> {
        &self.0[procedure.index()][0][at]
    }
}

impl Position {
    /// Forgets what the open activations do not need any more.
    pub fn forget_dead(&mut self, liveness: &Liveness) {
        for frame in &mut self.frames {
            let live = liveness.at(frame.procedure, frame.at);
            frame.locals.retain(|local| live.contains(&LocalId(local)));
        }
    }
}

fn counting(module: &Module, procedure: &Procedure) -> [Sets; 2] {
    let body = &procedure.body;
    // Before each statement, and while it runs: behind it, without what it writes.
    let mut before: Sets = vec![BTreeSet::new(); body.len()];
    let mut during = before.clone();
    loop {
        let mut changed = false;
        for (at, (statement, _)) in body.iter().enumerate().rev() {
            let then = successors(statement, at).filter_map(|to| before.get(to)).flatten();
            let mut live: BTreeSet<LocalId> = then.copied().collect();
            if let Some(written) = written(procedure, statement) {
                live.remove(&written);
            }
            during[at] = live.clone();
            statement.each_expression(|root| {
                for id in module.within(root) {
                    if let Expression::Load(Place { base: Base::Local(local), .. }) = module.expression(id) {
                        live.insert(*local);
                    }
                }
            });
            changed |= before[at] != live;
            before[at] = live;
        }
        if !changed {
            return [before, during];
        }
    }
}

/// The local that a statement writes to as a whole.
fn written(procedure: &Procedure, statement: &Statement) -> Option<LocalId> {
    match statement {
        Statement::Set(Place { base: Base::Local(id), index: None }, _)
        | Statement::Fill(Base::Local(id), _)
        | Statement::Call(_, _, Some(id))
        | Statement::Begin(_, _, id, _)
        | Statement::Join(_, Some(id))
        | Statement::Itself(id)
        | Statement::TryLock(_, id) => Some(*id).filter(|id| {
            matches!(statement, Statement::Fill(..)) || procedure.locals[id.index()].length.is_none()
        }),
        _ => None,
    }
}

/// The places that may come next.
pub(super) fn successors(statement: &Statement, at: usize) -> impl Iterator<Item = usize> {
    let [first, second] = match statement {
        Statement::Branch(_, yes, no) => [Some(yes.index()), Some(no.index())],
        Statement::Jump(to) => [Some(to.index()), None],
        Statement::Return(_)
        | Statement::Fail(_)
        | Statement::Exit(_)
        | Statement::Leave(_)
        | Statement::Diverge => [None, None],
        _ => [Some(at + 1), None],
    };
    first.into_iter().chain(second)
}
