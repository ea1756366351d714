//! Single accesses: the same module, in which no statement touches the module's cells twice.
//!
//! Between two accesses other threads may run. So an expression that reads two cells of the module becomes two reads into
//! locals, in the order in which they are evaluated, and then the rest. Checks keep their places.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Base, Callee, CellId, CellKind, Expression, ExpressionId, Label, Local, LocalId, Module, Place,
    Procedure, ProcedureId, Sort, Statement, next,
};
use crate::checks::Kind;
use crate::types::Data;
use agon_base::source::Span;

impl Module {
    /// The same module, in which each statement reads or writes at most one cell of the module, and calls, returns and ends of
    /// the program read none. An array that is filled counts as one cell.
    pub fn with_single_accesses(&self) -> Module {
        let mut module = self.clone();
        for n in 0..module.procedures.len() {
            let id = ProcedureId(u32::try_from(n).expect("ids are numbers of 32 bits"));
            let Procedure { locals, body, .. } = module.procedure(id).clone();
            let mut writer = Writer { module, procedure: id, locals, body: Vec::new() };
            let mut begins = Vec::with_capacity(body.len());
            for (statement, span) in &body {
                begins.push(Label(next(&writer.body)));
                let statement = match writer.is_single(statement) {
                    true => statement.clone(),
                    false => writer.separated(statement, *span),
                };
                writer.body.push((statement, *span));
            }
            for (statement, _) in &mut writer.body {
                match statement {
                    Statement::Branch(_, yes, no) => {
                        (*yes, *no) = (begins[yes.index()], begins[no.index()]);
                    }
                    Statement::Jump(to) => *to = begins[to.index()],
                    _ => {}
                }
            }
            let Writer { locals, body, .. } = writer;
            module = writer.module;
            module.define(id, locals, body);
        }
        module
    }

    /// The cells of values that no statement writes to: they hold at all times what they hold at first.
    pub fn unwritten(&self) -> impl Iterator<Item = CellId> + '_ {
        let statements = self.procedures().flat_map(|(_, procedure)| &procedure.body);
        let written = statements.filter_map(|(statement, _)| statement.written());
        let written: BTreeSet<CellId> = written
            .filter_map(|place| match place.base {
                Base::Module(id) => Some(id),
                Base::Local(_) => None,
            })
            .collect();
        let values = self.cells().filter(|(_, cell)| matches!(cell.kind, CellKind::Value(_)));
        values.map(|(id, _)| id).filter(move |id| !written.contains(id))
    }

    /// For each cell of the module the exports that may write to it, themselves or by procedures that they call by name.
    pub fn writers(&self) -> BTreeMap<CellId, Vec<ProcedureId>> {
        let mut written: BTreeMap<ProcedureId, BTreeSet<CellId>> = BTreeMap::new();
        let mut called: BTreeMap<ProcedureId, BTreeSet<ProcedureId>> = BTreeMap::new();
        for (id, procedure) in self.procedures() {
            let (written, called) = (written.entry(id).or_default(), called.entry(id).or_default());
            for (statement, _) in &procedure.body {
                if let Some(Place { base: Base::Module(cell), .. }) = statement.written() {
                    written.insert(cell);
                }
                if let Statement::Call(Callee::Procedure(to), ..) = statement {
                    called.insert(*to);
                }
            }
        }
        let mut grows = true;
        while grows {
            grows = false;
            for (id, called) in &called {
                let more: BTreeSet<CellId> = called.iter().flat_map(|to| written[to].clone()).collect();
                let before = written[id].len();
                written.entry(*id).or_default().extend(more);
                grows |= written[id].len() > before;
            }
        }
        let mut writers: BTreeMap<CellId, Vec<ProcedureId>> = BTreeMap::new();
        for (id, _) in self.procedures().filter(|(_, procedure)| procedure.exported) {
            for cell in &written[&id] {
                writers.entry(*cell).or_default().push(id);
            }
        }
        writers
    }

    /// The places of the module's cells that an expression reads, as expressions, in the order of the text.
    fn module_loads(&self, root: ExpressionId) -> impl Iterator<Item = ExpressionId> + '_ {
        let reads = |id: &ExpressionId| {
            matches!(self.expression(*id), Expression::Load(Place { base: Base::Module(_), .. }))
        };
        self.within(root).filter(reads)
    }

    /// The one read of a module's cell that a statement makes, if it makes one.
    pub(super) fn read_by(&self, statement: &Statement) -> Option<ExpressionId> {
        let mut found = None;
        statement.each_expression(|root| found = found.or_else(|| self.module_loads(root).next()));
        found
    }

    /// Whether an expression may fail.
    pub(super) fn may_fail(&self, root: ExpressionId) -> bool {
        self.within(root).any(|id| match self.expression(id) {
            Expression::Load(place) => place.index.is_some(),
            Expression::Binary(operator, ..) => operator.divides(),
            _ => false,
        })
    }
}

impl Statement {
    /// The place of the module's that a statement writes to, or whose lock it uses.
    pub(super) fn written(&self) -> Option<Place> {
        let place = match self {
            Statement::Set(place, _)
            | Statement::Lock(place)
            | Statement::TryLock(place, _)
            | Statement::Unlock(place)
            | Statement::Grab(place)
            | Statement::Release(place) => *place,
            Statement::Fill(base, _) => base.whole(),
            _ => return None,
        };
        matches!(place.base, Base::Module(_)).then_some(place)
    }
}

/// A body that is written anew.
struct Writer {
    module: Module,
    procedure: ProcedureId,
    locals: Vec<Local>,
    body: Vec<(Statement, Span)>,
}

impl Writer {
    fn is_single(&self, statement: &Statement) -> bool {
        let mut reads = 0;
        statement.each_expression(|root| reads += self.module.module_loads(root).count());
        let moves = matches!(
            statement,
            Statement::Call(..)
                | Statement::Return(_)
                | Statement::Exit(_)
                | Statement::Begin(..)
                | Statement::Join(..)
                | Statement::Detach(_)
                | Statement::Leave(_)
        );
        reads + usize::from(moves || statement.written().is_some()) <= 1
    }

    fn reads(&self, id: ExpressionId) -> bool {
        self.module.module_loads(id).next().is_some()
    }

    /// A statement that reads nothing of the module's any more: what it reads is read before it.
    fn separated(&mut self, statement: &Statement, span: Span) -> Statement {
        match statement {
            Statement::Set(place, value) => {
                let value = self.before(*value, place.index.is_some_and(|index| self.reads(index)));
                Statement::Set(self.indexed(*place), value)
            }
            Statement::Fill(base, value) => Statement::Fill(*base, self.local(*value)),
            Statement::Branch(condition, yes, no) => Statement::Branch(self.local(*condition), *yes, *no),
            Statement::Assert(condition, kind) => Statement::Assert(self.local(*condition), *kind),
            Statement::Exit(value) => Statement::Exit(self.local(*value)),
            Statement::Return(value) => Statement::Return(value.map(|value| self.local(value))),
            Statement::Call(callee, arguments, to) => {
                let (callee, values) = self.called(*callee, arguments, span);
                Statement::Call(callee, values, *to)
            }
            Statement::Begin(callee, arguments, to, bound) => {
                let (callee, values) = self.called(*callee, arguments, span);
                Statement::Begin(callee, values, *to, *bound)
            }
            Statement::Join(thread, to) => Statement::Join(self.local(*thread), *to),
            Statement::Detach(thread) => Statement::Detach(self.local(*thread)),
            Statement::Leave(value) => Statement::Leave(value.map(|value| self.local(value))),
            Statement::Lock(place) => Statement::Lock(self.indexed(*place)),
            Statement::TryLock(place, to) => Statement::TryLock(self.indexed(*place), *to),
            Statement::Unlock(place) => Statement::Unlock(self.indexed(*place)),
            Statement::Grab(place) => Statement::Grab(self.indexed(*place)),
            Statement::Release(place) => Statement::Release(self.indexed(*place)),
            Statement::Jump(_)
            | Statement::Fail(_)
            | Statement::Diverge
            | Statement::Itself(_)
            | Statement::Atomic(_)
            | Statement::BeginPredicate(_)
            | Statement::EndPredicate(_) => statement.clone(),
        }
    }

    /// What is called with which arguments, without reads of the module's cells.
    fn called(
        &mut self,
        callee: Callee,
        arguments: &[ExpressionId],
        span: Span,
    ) -> (Callee, Vec<ExpressionId>) {
        let callee = match callee {
            Callee::Value(value, signature) => {
                let value = self.before(value, arguments.iter().any(|id| self.reads(*id)));
                // `null` is found out before the arguments are evaluated.
                self.body.push((Statement::Assert(value, Kind::Null), span));
                Callee::Value(value, signature)
            }
            known => known,
        };
        let mut values = Vec::with_capacity(arguments.len());
        for (n, argument) in arguments.iter().enumerate() {
            let reads_later = arguments[n + 1..].iter().any(|id| self.reads(*id));
            values.push(self.before(*argument, reads_later));
        }
        (callee, values)
    }

    fn indexed(&mut self, place: Place) -> Place {
        Place { base: place.base, index: place.index.map(|index| self.local(index)) }
    }

    /// An expression of locals that is evaluated before something else, which may read cells of the module.
    fn before(&mut self, id: ExpressionId, reads_later: bool) -> ExpressionId {
        let value = self.local(id);
        match reads_later && self.module.may_fail(value) {
            // It fails before anything else is read.
            true => self.kept(value, Sort::Data(Data::Int), None),
            false => value,
        }
    }

    /// The same expression over locals: what it reads of the module's cells is read before.
    fn local(&mut self, id: ExpressionId) -> ExpressionId {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.local_here(id))
    }

    fn local_here(&mut self, id: ExpressionId) -> ExpressionId {
        if !self.reads(id) {
            return id;
        }
        let span = self.module.span(id);
        let expression = match self.module.expression(id).clone() {
            Expression::Load(place) => {
                let load = Expression::Load(self.indexed(place));
                let Base::Module(cell) = place.base else { return self.module.add(load, span) };
                let declared = self.module.procedure(self.procedure);
                let sort = self.module.sort_of(declared, place.base).cloned();
                let cell = self.module.cell(cell);
                let name = cell.length.is_none().then(|| cell.name.clone());
                let load = self.module.add(load, span);
                return self.kept(load, sort.unwrap_or(Sort::Data(Data::Int)), name);
            }
            Expression::Unary(operator, a) => Expression::Unary(operator, self.local(a)),
            Expression::Binary(operator, a, b) => {
                let reads_later = self.reads(b);
                let a = self.before(a, reads_later);
                Expression::Binary(operator, a, self.local(b))
            }
            Expression::Wrap(data, a) => Expression::Wrap(data, self.local(a)),
            constant => constant,
        };
        self.module.add(expression, span)
    }

    /// Evaluates an expression into a new local, which has the name of what is read.
    fn kept(&mut self, value: ExpressionId, sort: Sort, name: Option<crate::term::Name>) -> ExpressionId {
        let span = self.module.span(value);
        let local = LocalId(next(&self.locals));
        self.locals.push(Local { name, sort, length: None, span });
        self.body.push((Statement::Set(Base::Local(local).whole(), value), span));
        self.module.add(Expression::Load(Base::Local(local).whole()), span)
    }
}
