//! What a thread may still do, whatever the others do.
//!
//! A thread that makes an access which no other thread can come to be in conflict with need not wait for the others: in every order
//! of steps that access can be made first. So the others' steps are left out for once. This is a partial order reduction by
//! persistent sets [Godefroid 1996]; who uses it sees to it that no thread is left out for ever.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::{Base, Callee, CellId, Expression, Next, Place, Shared, Statement, Thread};
use crate::module::{Module, ProcedureId};

/// What may be done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reach {
    /// The cells that may be read.
    reads: BTreeSet<CellId>,
    /// The cells that may be written, and locks that may be used.
    writes: BTreeSet<CellId>,
    /// The mutexes that may be tried.
    tries: BTreeSet<CellId>,
    /// Whether a thread may be begun.
    begins: bool,
    /// Whether the end of a thread may be waited for.
    joins: bool,
}

/// What threads may still do, from each place.
pub struct Reaching<'a> {
    module: &'a Module,
    /// What whole procedures do, with those that they call.
    procedures: Vec<Reach>,
    /// What is done from a statement on.
    places: RefCell<BTreeMap<(ProcedureId, usize), Rc<Reach>>>,
}

impl Reach {
    fn include(&mut self, other: &Reach) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.tries.extend(&other.tries);
        self.begins |= other.begins;
        self.joins |= other.joins;
    }

    /// What one statement does itself.
    fn of(module: &Module, statement: &Statement) -> Reach {
        let mut reach = Reach::default();
        statement.each_expression(|root| {
            for id in module.within(root) {
                if let Expression::Load(Place { base: Base::Module(cell), .. }) = module.expression(id) {
                    reach.reads.insert(*cell);
                }
            }
        });
        if let Some(Place { base: Base::Module(cell), .. }) = statement.written() {
            match statement {
                Statement::TryLock(..) => _ = reach.tries.insert(cell),
                _ => _ = reach.writes.insert(cell),
            }
        }
        reach.begins = matches!(statement, Statement::Begin(..));
        reach.joins = matches!(statement, Statement::Join(..) | Statement::Detach(_));
        reach
    }

    fn uses(&self, cell: CellId) -> bool {
        self.reads.contains(&cell) || self.writes(cell)
    }

    fn writes(&self, cell: CellId) -> bool {
        self.writes.contains(&cell) || self.tries.contains(&cell)
    }
}

impl<'a> Reaching<'a> {
    /// Finds what the procedures of a module do.
    pub fn new(module: &'a Module) -> Reaching<'a> {
        let mut procedures: Vec<Reach> = module
            .procedures()
            .map(|(_, procedure)| {
                let mut reach = Reach::default();
                procedure.body.iter().for_each(|(statement, _)| reach.include(&Reach::of(module, statement)));
                reach
            })
            .collect();
        loop {
            let mut changed = false;
            for (id, _) in module.procedures() {
                let mut reach = procedures[id.index()].clone();
                module.callees(id).into_iter().for_each(|callee| reach.include(&procedures[callee.index()]));
                changed |= reach != procedures[id.index()];
                procedures[id.index()] = reach;
            }
            if !changed {
                return Reaching { module, procedures, places: RefCell::default() };
            }
        }
    }

    /// What a thread may still do.
    pub fn of(&self, thread: &Thread) -> Rc<Reach> {
        let last = thread.frames.len().saturating_sub(1);
        let from = |(n, frame): (usize, &super::Frame)| {
            // Below the last one, activations wait for a call to end.
            let at = if n == last { frame.at } else { frame.at + 1 };
            self.from(frame.procedure, at)
        };
        let mut parts = thread.frames.iter().enumerate().map(from);
        match (parts.next(), thread.frames.len()) {
            (Some(one), 1) => one,
            (first, _) => {
                let mut reach = Reach::default();
                first.into_iter().chain(parts).for_each(|part| reach.include(&part));
                Rc::new(reach)
            }
        }
    }

    fn from(&self, id: ProcedureId, at: usize) -> Rc<Reach> {
        if let Some(known) = self.places.borrow().get(&(id, at)) {
            return known.clone();
        }
        let body = &self.module.procedure(id).body;
        let mut reach = Reach::default();
        let mut seen = BTreeSet::new();
        let mut waiting = vec![at];
        while let Some(at) = waiting.pop() {
            let Some((statement, _)) = body.get(at).filter(|_| seen.insert(at)) else { continue };
            reach.include(&Reach::of(self.module, statement));
            match statement {
                Statement::Call(callee, ..) | Statement::Begin(callee, ..) => match callee {
                    Callee::Procedure(id) => reach.include(&self.procedures[id.index()]),
                    Callee::Value(_, signature) => {
                        for id in self.module.nameable(*signature) {
                            reach.include(&self.procedures[id.index()]);
                        }
                    }
                    Callee::Import(_) => {}
                },
                _ => {}
            }
            match statement {
                Statement::Branch(_, yes, no) => waiting.extend([yes.index(), no.index()]),
                Statement::Jump(to) => waiting.push(to.index()),
                _ => waiting.push(at + 1),
            }
        }
        let reach = Rc::new(reach);
        self.places.borrow_mut().insert((id, at), reach.clone());
        reach
    }

    /// Whether a thread can do what it does next before all others: nothing blocks it, and whatever the others do, it comes to the same.
    pub fn goes_first(
        &self,
        shared: &Shared,
        number: usize,
        thread: &Thread,
        mut others: impl Iterator<Item = Rc<Reach>>,
    ) -> bool {
        let next = thread.next(self.module);
        if shared.blocks(self.module, number, next) {
            return false;
        }
        let Some(statement) = thread.statement(self.module) else { return false };
        match (next, statement) {
            (Next::Join(..), _) => others.all(|other| !other.joins),
            (Next::Access, Statement::Begin(..)) => others.all(|other| !other.begins),
            (Next::Access, Statement::Return(_) | Statement::Leave(_)) => true,
            (Next::Access, Statement::Unlock(Place { base: Base::Module(cell), .. })) => {
                others.all(|other| !other.tries.contains(cell))
            }
            (
                Next::Access,
                Statement::Set(..) | Statement::Fill(..) | Statement::Branch(..) | Statement::Assert(..),
            ) => {
                let Reach { reads, writes, .. } = Reach::of(self.module, statement);
                let hidden = reads.iter().chain(&writes).any(|cell| self.module.is_hidden(*cell));
                !hidden
                    && others.all(|other| {
                        !reads.iter().any(|cell| other.writes(*cell))
                            && !writes.iter().any(|cell| other.uses(*cell))
                    })
            }
            _ => false,
        }
    }
}
