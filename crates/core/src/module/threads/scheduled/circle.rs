//! Circles of threads that wait for each other, found by the module: each thread that comes to a lock writes down what it waits for.

use std::collections::BTreeMap;

use agon_base::int::Int;
use agon_base::source::Span;

use super::{Body, Writer, thread_sort};
use crate::checks::{Check, Kind};
use crate::module::{
    Base, Callee, Cell, CellId, CellKind, ExpressionId, Label, LocalId, Place, Procedure, ProcedureId,
    Signature, Sort, Statement,
};
use crate::term::Operator;
use crate::types::Data;

/// What was added to a module that finds circles.
pub(super) struct Circle {
    /// What each thread waits for; 0 is nothing.
    waits: Vec<CellId>,
    /// What a thread has come to, and which thread: both are 0 unless the procedure runs.
    asks: CellId,
    who: CellId,
    /// Writes down what the thread waits for, and fails if that closes a circle.
    procedure: ProcedureId,
    /// The numbers of what threads wait for.
    numbers: Vec<Wait>,
}

/// The elements of a mutex that threads wait for, where a deadlock counts or where it does not.
struct Wait {
    mutex: CellId,
    counts: bool,
    /// The number of the first element, and how many there are.
    first: u64,
    length: u64,
}

impl Circle {
    /// The cells that were added.
    pub(super) fn cells(&self) -> impl Iterator<Item = CellId> + '_ {
        self.waits.iter().copied().chain([self.asks, self.who])
    }
}

impl Writer<'_> {
    /// Adds what finds circles; nothing, if there are none, or if none counts.
    pub(super) fn add_circle(&mut self) -> Option<Circle> {
        let source = self.source;
        let mut known: BTreeMap<(CellId, bool), Span> = BTreeMap::new();
        for (statement, span) in source.procedures().flat_map(|(_, procedure)| &procedure.body) {
            if let Statement::Lock(Place { base: Base::Module(id), .. }) = statement {
                let counts = source.watch.watches(Check { span: *span, kind: Kind::Deadlock });
                known.entry((*id, counts)).or_insert(*span);
            }
        }
        let length = |id: CellId| source.cell(id).length.unwrap_or(1);
        let mutexes: BTreeMap<CellId, u64> = known.keys().map(|(id, _)| (*id, length(*id))).collect();
        let span = known.iter().find(|((_, counts), _)| *counts).map(|(_, span)| *span)?;
        // A circle has two threads at least, and a mutex for each.
        if self.threads < 2 || mutexes.values().fold(0, |all: u64, n| all.saturating_add(*n)) < 2 {
            return None;
        }
        let mut first = 1u64;
        let mut numbers = Vec::new();
        for (mutex, counts) in known.into_keys() {
            numbers.push(Wait { mutex, counts, first, length: length(mutex) });
            first = first.saturating_add(length(mutex));
        }
        let waiting = Sort::Data(Data::Mod(Int::from(first)));
        let waits = (0..self.threads).map(|_| self.cell(waiting.clone())).collect();
        let (asks, who) = (self.cell(waiting.clone()), self.cell(thread_sort(self.threads)));
        let signature = self.module.add_signature(Signature { parameters: vec![], result: None });
        let procedure = self.module.add_procedure(Procedure {
            name: "circle".into(),
            signature,
            exported: false,
            locals: vec![],
            body: vec![],
            span: Span::default(),
        });
        let circle = Circle { waits, asks, who, procedure, numbers };
        self.find_circle(&circle, waiting, span);
        Some(circle)
    }

    fn cell(&mut self, sort: Sort) -> CellId {
        self.module.add_cell(Cell {
            name: "waits".into(),
            kind: CellKind::Value(sort),
            length: None,
            initial: vec![Int::ZERO],
            span: Span::default(),
        })
    }

    /// The thread waits for a mutex from here on.
    pub(super) fn waits_for(&mut self, place: Place, span: Span) {
        let Some(circle) = self.circle.take() else { return };
        let counts = self.source.watch.watches(Check { span, kind: Kind::Deadlock });
        let wait = circle
            .numbers
            .iter()
            .find(|wait| Base::Module(wait.mutex) == place.base && wait.counts == counts);
        if let Some(wait) = wait {
            let mut number = self.number(Int::from(wait.first), span);
            if let Some(index) = place.index {
                number = self.binary(Operator::Add, number, index, span);
            }
            let me = self.me(span);
            self.emit(Statement::Set(Base::Module(circle.asks).whole(), number), span);
            self.emit(Statement::Set(Base::Module(circle.who).whole(), me), span);
            self.emit(Statement::Call(Callee::Procedure(circle.procedure), vec![], None), span);
        }
        self.circle = Some(circle);
    }

    /// The thread has taken the mutex.
    pub(super) fn waits_no_more(&mut self, span: Span) {
        let Some(circle) = self.circle.take() else { return };
        let me = self.me(span);
        let nothing = self.number(Int::ZERO, span);
        let set = |writer: &mut Self, n: usize| {
            writer.emit(Statement::Set(Base::Module(circle.waits[n]).whole(), nothing), span);
        };
        self.for_thread(me, circle.waits.len(), span, set);
        self.circle = Some(circle);
    }

    /// Does something for the thread that has a number.
    fn for_thread(
        &mut self,
        number: ExpressionId,
        threads: usize,
        span: Span,
        act: impl Fn(&mut Self, usize),
    ) {
        let end = self.label();
        for n in 0..threads {
            let (yes, no) = (self.label(), self.label());
            let this = self.number(Int::from(n as u64 + 1), span);
            let is_this = self.binary(Operator::Equal, number, this, span);
            self.emit(Statement::Branch(is_this, yes, no), span);
            self.here(yes);
            act(self, n);
            self.emit(Statement::Jump(end), span);
            self.here(no);
        }
        self.here(end);
    }

    /// Writes the procedure that follows the owners from what a thread has come to.
    fn find_circle(&mut self, circle: &Circle, waiting: Sort, failing: Span) {
        let span = Span::default();
        self.body = Body::default();
        let (owner, wait) = (self.local(thread_sort(self.threads), span), self.local(waiting, span));
        let passed = self.local(Sort::Data(Data::Mod(Int::from(self.threads as u64 + 2))), span);
        let counts = self.local(Sort::Data(Data::Bool), span);
        let whole = |local: LocalId| Base::Local(local).whole();
        let set = |writer: &mut Self, local: LocalId, value: ExpressionId| {
            writer.emit(Statement::Set(whole(local), value), span);
        };
        let held = |writer: &mut Self, id: CellId| writer.load(Base::Module(id).whole(), span);
        let who = held(self, circle.who);
        let asks = held(self, circle.asks);
        self.for_thread(who, circle.waits.len(), span, |writer, n| {
            writer.emit(Statement::Set(Base::Module(circle.waits[n]).whole(), asks), span);
        });
        set(self, wait, asks);
        let (head, end) = (self.label(), self.label());
        self.here(head);
        self.find_owner(circle, (wait, owner, counts));
        let owner = self.load(whole(owner), span);
        let nobody = self.is_zero(owner, span);
        let taken = self.branch_to(nobody, end);
        self.here(taken);
        let itself = self.binary(Operator::Equal, owner, who, span);
        let (closed, other) = (self.label(), self.label());
        self.emit(Statement::Branch(itself, closed, other), span);
        self.here(other);
        // A circle of others is not this thread's.
        let before = self.load(whole(passed), span);
        let one = self.number(Int::ONE, span);
        let more = self.binary(Operator::Add, before, one, span);
        set(self, passed, more);
        let most = self.number(Int::from(self.threads as u64), span);
        let many = self.binary(Operator::Greater, before, most, span);
        let few = self.branch_to(many, end);
        self.here(few);
        self.for_thread(owner, circle.waits.len(), span, |writer, n| {
            let waits = held(writer, circle.waits[n]);
            set(writer, wait, waits);
        });
        let wait = self.load(whole(wait), span);
        self.emit(Statement::Branch(wait, head, end), span);
        self.here(closed);
        // A mutex of the thread's own is no circle: to take it twice is a failure by itself.
        let first = self.is_zero(before, span);
        let several = self.branch_to(first, end);
        self.here(several);
        let counts = self.load(whole(counts), span);
        let fails = self.label();
        self.emit(Statement::Branch(counts, fails, end), span);
        self.here(fails);
        self.emit(Statement::Fail(Kind::Deadlock), failing);
        self.here(end);
        let zero = self.number(Int::ZERO, span);
        for id in [circle.asks, circle.who] {
            self.emit(Statement::Set(Base::Module(id).whole(), zero), span);
        }
        self.emit(Statement::Return(None), span);
        let (locals, body) = self.finished();
        self.module.define(circle.procedure, locals, body);
    }

    /// Goes to a label if a condition holds; gives the label of what follows otherwise.
    fn branch_to(&mut self, condition: ExpressionId, to: Label) -> Label {
        let otherwise = self.label();
        self.emit(Statement::Branch(condition, to, otherwise), Span::default());
        otherwise
    }

    /// Finds the owner of what is waited for, and whether a deadlock counts there.
    fn find_owner(&mut self, circle: &Circle, (wait, owner, counts): (LocalId, LocalId, LocalId)) {
        let span = Span::default();
        let found = self.label();
        for Wait { mutex, counts: watched, first, length } in &circle.numbers {
            let (yes, no) = (self.label(), self.label());
            let number = self.load(Base::Local(wait).whole(), span);
            let end = self.number(Int::from(first.saturating_add(*length)), span);
            // Numbers below were looked at before.
            let is_this = self.binary(Operator::Less, number, end, span);
            self.emit(Statement::Branch(is_this, yes, no), span);
            self.here(yes);
            let index = self.source.cell(*mutex).length.map(|_| {
                let first = self.number(Int::from(*first), span);
                self.binary(Operator::Subtract, number, first, span)
            });
            let held = self.load(Place { base: Base::Module(*mutex), index }, span);
            self.emit(Statement::Set(Base::Local(owner).whole(), held), span);
            if *watched {
                let yes = self.number(Int::ONE, span);
                self.emit(Statement::Set(Base::Local(counts).whole(), yes), span);
            }
            self.emit(Statement::Jump(found), span);
            self.here(no);
        }
        self.here(found);
    }
}
