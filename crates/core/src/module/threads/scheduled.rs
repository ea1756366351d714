//! Scheduling that is written into a module: it says itself where other threads may run, who owns a mutex, and who waits for whom.
//!
//! Before each access and each move a thread calls a procedure that does nothing, a *pause*. A run stops there, and any thread
//! may run next. A mutex becomes a cell that holds the number of its owner. A thread that cannot take a mutex now diverges behind
//! the pause before it, so that step cannot be made. A thread that comes to a lock writes down what it waits for, and fails if
//! that closes a circle. All the rest is an ordinary module, which runs over any data.
//!
//! [`super::Shared`] is the reference: it knows threads, owners and circles without any of this.

mod circle;
mod groups;

use agon_base::explore::depth_first;
use agon_base::int::Int;
use agon_base::source::Span;

use crate::checks::{Check, Kind, Watch};
use crate::module::insert::moved;
use crate::module::live::successors;
use crate::module::{
    Base, Callee, CellId, CellKind, Expression, ExpressionId, Label, Local, LocalId, Module, Place,
    Procedure, ProcedureId, Signature, Sort, Statement, next,
};
use crate::term::Operator;
use crate::types::Data;
use circle::Circle;
use groups::Inside;

/// Where a thread pauses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pause {
    /// Before an access to a cell of the module.
    Access,
    /// Before a move; or before the end of a procedure that the environment may call, and that the module has called.
    Move,
    /// Where it may stay for ever, so that what it did before is not undone.
    Rest,
}

/// A module with its scheduling.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// The module. Its first procedures, its imports and its first cells have the ids that they had.
    pub module: Module,
    /// The procedures that are called where a thread pauses. They do nothing.
    pub pauses: [(Pause, ProcedureId); 3],
    /// The procedure that gives the number of the thread, from 1.
    pub itself: ProcedureId,
    /// The cells that hold numbers of threads.
    pub mutexes: Vec<CellId>,
    /// The cells that only the schedule depends on: mutexes, semaphores, and what threads wait for.
    pub exact: Vec<CellId>,
}

impl Module {
    /// The module with its scheduling, for this many threads of the environment. Its statements must make one access at most.
    /// Each has at most this many activations. Nothing, if the module begins threads itself, if races count, or if accesses that belong
    /// together are not found in the text.
    pub fn scheduled(&self, threads: usize, activations: usize) -> Option<Scheduled> {
        let refused = |statement: &Statement| {
            matches!(
                statement,
                Statement::Begin(..)
                    | Statement::Join(..)
                    | Statement::Detach(_)
                    | Statement::Leave(_)
                    | Statement::Atomic(_)
            )
        };
        let mut statements = self.procedures().flat_map(|(_, procedure)| &procedure.body);
        if self.watches_races() || statements.any(|(statement, _)| refused(statement)) {
            return None;
        }
        let mut writer = Writer::new(self, threads);
        // Every activation of every thread may keep names, and so does one that begins.
        writer.module.naming = (threads as u64).saturating_mul(activations as u64 + 1).saturating_add(1);
        for (id, _) in self.procedures() {
            writer.procedure(id)?;
        }
        Some(writer.finish())
    }
}

/// A module that is written, and what was added to it.
struct Writer<'a> {
    source: &'a Module,
    module: Module,
    pauses: [(Pause, ProcedureId); 3],
    itself: ProcedureId,
    circle: Option<Circle>,
    threads: usize,
    body: Body,
}

/// A body that is written. Labels are numbers of `places` until it is finished.
#[derive(Default)]
struct Body {
    locals: Vec<Local>,
    statements: Vec<(Statement, Span)>,
    places: Vec<Option<Label>>,
    /// The number of the thread, where it is needed.
    me: Option<LocalId>,
}

impl<'a> Writer<'a> {
    fn new(source: &'a Module, threads: usize) -> Writer<'a> {
        let mut module = source.clone();
        let span = Span::default();
        let number = thread_sort(threads);
        let silent = module.add_signature(Signature { parameters: vec![], result: None });
        let asks = module.add_signature(Signature { parameters: vec![], result: Some(number.clone()) });
        let add = |module: &mut Module, name: &str, signature, body| {
            let id = module.add_procedure(Procedure {
                name: name.into(),
                signature,
                exported: false,
                locals: vec![],
                body,
                span,
            });
            module.summarised.insert(id);
            id
        };
        let returns = || vec![(Statement::Return(None), span)];
        let mut pause = |kind, name| (kind, add(&mut module, name, silent, returns()));
        let pauses = [
            pause(Pause::Access, "before an access"),
            pause(Pause::Move, "before a move"),
            pause(Pause::Rest, "rest"),
        ];
        let one = module.add(Expression::Number(Int::ONE), span);
        let itself = add(&mut module, "itself", asks, vec![(Statement::Return(Some(one)), span)]);
        for n in 0..source.cells.len() {
            let places = match &source.cells[n].kind {
                CellKind::Value(_) => continue,
                CellKind::Mutex => threads as u64,
                CellKind::Semaphore(places) => *places,
            };
            module.cells[n].kind = CellKind::Value(Sort::Data(Data::Mod(Int::from(places).add(&Int::ONE))));
        }
        let mut writer =
            Writer { source, module, pauses, itself, circle: None, threads, body: Body::default() };
        writer.circle = writer.add_circle();
        writer
    }

    fn finish(self) -> Scheduled {
        let of = |holds: fn(&CellKind) -> bool| {
            let cells = self.source.cells().filter(move |(_, cell)| holds(&cell.kind));
            cells.map(|(id, _)| id)
        };
        let mutexes: Vec<CellId> = of(|kind| matches!(kind, CellKind::Mutex)).collect();
        let semaphores = of(|kind| matches!(kind, CellKind::Semaphore(_)));
        let waits = self.circle.iter().flat_map(Circle::cells);
        let exact = mutexes.iter().copied().chain(semaphores).chain(waits).collect();
        let Writer { mut module, source, pauses, itself, .. } = self;
        module.unnamed += next(&module.procedures) - next(&source.procedures);
        Scheduled { module, pauses, itself, mutexes, exact }
    }

    /// Writes a procedure of the source anew.
    fn procedure(&mut self, id: ProcedureId) -> Option<()> {
        let source = self.source;
        let procedure = source.procedure(id);
        let callable = procedure.exported || source.mentioned().contains(&id);
        let grouped = groups::grouped(source, id, callable)?;
        let pauses: Vec<Option<Pause>> = procedure
            .body
            .iter()
            .zip(&grouped)
            .map(|((statement, span), inside)| match inside {
                Inside::Access => None,
                Inside::No | Inside::Silent => self.pauses_before(statement, *span, callable),
            })
            .collect();
        self.body = Body {
            locals: procedure.locals.clone(),
            statements: Vec::new(),
            places: vec![None; procedure.body.len()],
            me: None,
        };
        let uses_owner = |statement: &Statement| {
            matches!(statement, Statement::Lock(_) | Statement::TryLock(..) | Statement::Unlock(_))
        };
        if procedure.body.iter().any(|(statement, _)| uses_owner(statement)) {
            let me = self.local(thread_sort(self.threads), procedure.span);
            self.emit(Statement::Call(Callee::Procedure(self.itself), vec![], Some(me)), procedure.span);
            self.body.me = Some(me);
        }
        for (at, (statement, span)) in procedure.body.iter().enumerate() {
            self.here(Label(u32::try_from(at).ok()?));
            let pause = match pauses[at] {
                None if comes_back(&procedure.body, &pauses, at) => match grouped[at] {
                    Inside::No => Some(Pause::Rest),
                    Inside::Silent | Inside::Access => return None,
                },
                pause => pause,
            };
            self.statement(statement, *span, pause);
        }
        let (locals, body) = self.finished();
        self.module.define(id, locals, body);
        Some(())
    }

    /// Where a thread pauses before a statement, if it does.
    fn pauses_before(&self, statement: &Statement, span: Span, callable: bool) -> Option<Pause> {
        let module = self.source;
        match statement {
            // What a name calls may be a procedure of the module's; then nobody sees the pause.
            Statement::Call(Callee::Import(_) | Callee::Value(..), ..) | Statement::Exit(_) => {
                Some(Pause::Move)
            }
            Statement::Return(_) if callable => Some(Pause::Move),
            Statement::Diverge => Some(Pause::Rest),
            Statement::Fail(kind) if !module.watch.watches(Check { span, kind: *kind }) => Some(Pause::Rest),
            other if other.written().is_some() || module.read_by(other).is_some() => Some(Pause::Access),
            other if module.may_diverge(other) => Some(Pause::Rest),
            _ => None,
        }
    }

    fn statement(&mut self, statement: &Statement, span: Span, pause: Option<Pause>) {
        match statement {
            Statement::Lock(place) => return self.lock(*place, span),
            Statement::TryLock(place, to) => return self.try_lock(*place, *to, span),
            Statement::Unlock(place) => return self.unlock(*place, span),
            Statement::Grab(place) => return self.change(*place, Operator::Add, span),
            Statement::Release(place) => return self.change(*place, Operator::Subtract, span),
            _ => {}
        }
        if let Some(pause) = pause {
            self.pause(pause, span);
        }
        match statement {
            // Where a check that does not count fails, the thread stays for ever.
            Statement::Assert(condition, kind) if !self.source.watch.watches(Check { span, kind: *kind }) => {
                let (stays, goes_on) = (self.label(), self.label());
                self.emit(Statement::Branch(*condition, goes_on, stays), span);
                self.here(stays);
                self.pause(Pause::Rest, span);
                self.emit(Statement::Diverge, span);
                self.here(goes_on);
            }
            Statement::Itself(to) => {
                self.emit(Statement::Call(Callee::Procedure(self.itself), vec![], Some(*to)), span);
            }
            other => self.emit(other.clone(), span),
        }
    }

    /// Takes a mutex: its owner becomes the thread. Another owner keeps the thread waiting.
    fn lock(&mut self, place: Place, span: Span) {
        let me = self.me(span);
        self.checked(place, span);
        self.waits_for(place, span);
        self.pause(Pause::Access, span);
        let (free, taken, own, waits) = (self.label(), self.label(), self.label(), self.label());
        let owner = self.load(place, span);
        let is_free = self.is_zero(owner, span);
        self.emit(Statement::Branch(is_free, free, taken), span);
        self.here(taken);
        let is_own = self.binary(Operator::Equal, owner, me, span);
        self.emit(Statement::Branch(is_own, own, waits), span);
        self.here(own);
        self.emit(Statement::Fail(Kind::Lock), span);
        self.here(waits);
        self.emit(Statement::Diverge, span);
        self.here(free);
        self.emit(Statement::Set(place, me), span);
        self.waits_no_more(span);
    }

    fn try_lock(&mut self, place: Place, to: LocalId, span: Span) {
        let me = self.me(span);
        self.pause(Pause::Access, span);
        let (free, taken, end) = (self.label(), self.label(), self.label());
        let owner = self.load(place, span);
        let is_free = self.is_zero(owner, span);
        self.emit(Statement::Branch(is_free, free, taken), span);
        for (case, truth) in [(taken, Int::ZERO), (free, Int::ONE)] {
            self.here(case);
            if case == free {
                self.emit(Statement::Set(place, me), span);
            }
            let truth = self.number(truth, span);
            self.emit(Statement::Set(Base::Local(to).whole(), truth), span);
            if case == taken {
                self.emit(Statement::Jump(end), span);
            }
        }
        self.here(end);
    }

    fn unlock(&mut self, place: Place, span: Span) {
        let me = self.me(span);
        self.pause(Pause::Access, span);
        let (own, other) = (self.label(), self.label());
        let owner = self.load(place, span);
        let is_own = self.binary(Operator::Equal, owner, me, span);
        self.emit(Statement::Branch(is_own, own, other), span);
        self.here(other);
        self.emit(Statement::Fail(Kind::Unlock), span);
        self.here(own);
        let nobody = self.number(Int::ZERO, span);
        self.emit(Statement::Set(place, nobody), span);
    }

    /// Takes a place of a semaphore or gives one back. If that cannot be, the thread waits.
    fn change(&mut self, place: Place, by: Operator, span: Span) {
        self.checked(place, span);
        self.pause(Pause::Access, span);
        let (can, waits) = (self.label(), self.label());
        let taken = self.load(place, span);
        let possible = match (by, place.base) {
            (Operator::Add, Base::Module(id)) => {
                let places = self.number(Int::from(self.source.cell(id).kind.places()), span);
                self.binary(Operator::Less, taken, places, span)
            }
            _ => taken,
        };
        self.emit(Statement::Branch(possible, can, waits), span);
        self.here(waits);
        self.emit(Statement::Diverge, span);
        self.here(can);
        let one = self.number(Int::ONE, span);
        let changed = self.binary(by, taken, one, span);
        self.emit(Statement::Set(place, changed), span);
    }

    /// An index that is out of bounds fails before the pause: nobody else sees that.
    fn checked(&mut self, place: Place, span: Span) {
        if place.index.is_some() {
            if !matches!(self.source.watch, Watch::All | Watch::Each) {
                self.pause(Pause::Rest, span);
            }
            let value = self.load(place, span);
            let held = self.local(Sort::Data(Data::Int), span);
            self.emit(Statement::Set(Base::Local(held).whole(), value), span);
        }
    }

    fn pause(&mut self, pause: Pause, span: Span) {
        let known = self.pauses.iter().find(|(known, _)| *known == pause);
        let id = known.map_or(self.pauses[0].1, |(_, id)| *id);
        self.emit(Statement::Call(Callee::Procedure(id), vec![], None), span);
    }

    /// The number of the thread.
    fn me(&mut self, span: Span) -> ExpressionId {
        let me = self.body.me.unwrap_or_default();
        self.load(Base::Local(me).whole(), span)
    }

    fn local(&mut self, sort: Sort, span: Span) -> LocalId {
        self.body.locals.push(Local { name: None, sort, length: None, span });
        LocalId(next(&self.body.locals) - 1)
    }

    fn emit(&mut self, statement: Statement, span: Span) {
        self.body.statements.push((statement, span));
    }

    /// A label for a place that comes later.
    fn label(&mut self) -> Label {
        self.body.places.push(None);
        Label(next(&self.body.places) - 1)
    }

    /// The place of a label is here.
    fn here(&mut self, label: Label) {
        self.body.places[label.index()] = Some(Label(next(&self.body.statements)));
    }

    /// The body that was written, with labels that are places.
    fn finished(&mut self) -> (Vec<Local>, Vec<(Statement, Span)>) {
        let Body { locals, mut statements, places, .. } = std::mem::take(&mut self.body);
        for (statement, _) in &mut statements {
            moved(statement, |label| places[label.index()].unwrap_or_default());
        }
        (locals, statements)
    }

    fn load(&mut self, place: Place, span: Span) -> ExpressionId {
        self.module.add(Expression::Load(place), span)
    }

    fn number(&mut self, n: Int, span: Span) -> ExpressionId {
        self.module.add(Expression::Number(n), span)
    }

    fn binary(&mut self, operator: Operator, a: ExpressionId, b: ExpressionId, span: Span) -> ExpressionId {
        self.module.add(Expression::Binary(operator, a, b), span)
    }

    fn is_zero(&mut self, a: ExpressionId, span: Span) -> ExpressionId {
        let zero = self.number(Int::ZERO, span);
        self.binary(Operator::Equal, a, zero, span)
    }
}

/// The sort of the numbers of threads; 0 is nobody.
fn thread_sort(threads: usize) -> Sort {
    Sort::Data(Data::Mod(Int::from(threads as u64 + 1)))
}

impl Module {
    /// Whether a check of an expression may fail that does not count, so that the thread diverges there.
    fn may_diverge(&self, statement: &Statement) -> bool {
        let mut may = matches!(statement, Statement::Set(Place { index: Some(_), .. }, _));
        statement.each_expression(|root| may |= self.may_fail(root));
        may && !matches!(self.watch, Watch::All | Watch::Each)
    }
}

/// Whether a statement is a target of a jump back from which a run comes to it again without a pause.
fn comes_back(body: &[(Statement, Span)], pauses: &[Option<Pause>], head: usize) -> bool {
    let back = |(at, (statement, _)): (usize, &(Statement, Span))| {
        at >= head && successors(statement, at).any(|to| to == head)
    };
    if !body.iter().enumerate().any(back) {
        return false;
    }
    let mut reached = vec![false; body.len()];
    depth_first(vec![head], |waiting, at| {
        for to in successors(&body[at].0, at) {
            if to == head {
                return Err(());
            }
            if pauses[to].is_none() && !std::mem::replace(&mut reached[to], true) {
                waiting.push(to);
            }
        }
        Ok(())
    })
    .is_err()
}
