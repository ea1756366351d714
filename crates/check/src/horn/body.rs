//! The bodies of procedures in clauses: paths from one relation to the next.

use std::collections::BTreeSet;

use agon_base::explore::depth_first;
use agon_base::int::Int;
use agon_base::refused::Refused;
use agon_base::source::Span;
use agon_core::checks::{Check, Kind};
use agon_core::module::{
    Base, Callee, ExpressionId, Function, Label, LocalId, Module, Place, ProcedureId, Signature, Sort,
    Statement,
};

use super::cells::{Cells, Held, Shape, all};
use super::clauses::{Writer, of_sort};
use super::path::{Path, Setting};
use super::terms::{Term, number};

impl Writer<'_> {
    pub(super) fn procedure(&mut self, id: ProcedureId) -> Result<(), Refused> {
        let body = &self.module.procedure(id).body;
        let cells = Cells::of_locals(&self.module.procedure(id).locals);
        let joins = joins(self.module, id);
        let mut path = self.begin(id, &cells);
        let premise = self.enters(id, &path.arguments.clone(), &path.entry.clone());
        path.premises.insert(0, premise);
        let mut written = BTreeSet::new();
        let mut begun = Vec::new();
        self.arrive(id, (&cells, &joins), (path, 0), &mut written, &mut begun);
        depth_first(begun, |waiting, (mut path, at)| {
            let Some((statement, span)) = body.get(at) else { return Ok(()) };
            for next in self.step(id, &cells, &mut path, (at, statement, *span))? {
                self.arrive(id, (&cells, &joins), next, &mut written, waiting);
            }
            Ok(())
        })
    }

    /// A path has come to a statement. If others meet it there, that is a relation, from which one path goes on for all of them.
    fn arrive(
        &mut self,
        id: ProcedureId,
        (cells, joins): (&Cells, &BTreeSet<usize>),
        (path, to): (Path, usize),
        written: &mut BTreeSet<usize>,
        waiting: &mut Vec<(Path, usize)>,
    ) {
        if path.is_impossible() {
            return;
        }
        if !joins.contains(&to) {
            waiting.push((path, to));
            return;
        }
        let head = self.comes(id, to, cells, &path);
        self.clauses.push(path.clause(&head));
        if written.insert(to) {
            waiting.push((self.resume(id, to, cells), to));
        }
    }

    /// A path that begins with a call.
    pub(super) fn begin(&mut self, id: ProcedureId, cells: &Cells) -> Path {
        let mut path = self.fresh(id);
        path.globals = path.entry.clone();
        path.locals = cells
            .variables
            .iter()
            .map(|variable| match variable.shape {
                Shape::Integer => Held::Value(Term::number(Int::ZERO)),
                Shape::Array => Held::Array(all(&Int::ZERO).into()),
            })
            .collect();
        for (n, argument) in path.arguments.clone().into_iter().enumerate() {
            path.locals[cells.extents[n].first] = argument;
        }
        path
    }

    /// A path with the arguments of a procedure, and the cells of the module when it was called.
    pub(super) fn fresh(&self, id: ProcedureId) -> Path {
        let mut path = Path::new();
        let Signature { parameters, .. } = self.module.signature(self.module.procedure(id).signature);
        for sort in parameters {
            let name = path.fresh(Shape::Integer);
            path.arguments.push(Held::Value(of_sort(&name, sort)));
        }
        let cells = &self.globals;
        path.entry = (0..cells.variables.len())
            .map(|n| match self.used[id.index()].contains(&n) {
                true => {
                    let name = path.fresh(cells.variables[n].shape);
                    cells.named(n, &name)
                }
                false => cells.named(n, "0"),
            })
            .collect();
        path
    }

    /// A path that begins at a statement.
    pub(super) fn resume(&mut self, id: ProcedureId, at: usize, cells: &Cells) -> Path {
        let mut path = self.fresh(id);
        path.globals = path.entry.clone();
        for n in self.used[id.index()].clone() {
            let name = path.fresh(self.globals.variables[n].shape);
            path.globals[n] = self.globals.named(n, &name);
        }
        let live: BTreeSet<usize> = self.live(id, at, cells).into_iter().collect();
        path.locals = (0..cells.variables.len())
            .map(|n| match live.contains(&n) {
                true => {
                    let name = path.fresh(cells.variables[n].shape);
                    cells.named(n, &name)
                }
                false => match cells.variables[n].shape {
                    Shape::Integer => Held::Value(Term::number(Int::ZERO)),
                    Shape::Array => Held::Array(all(&Int::ZERO).into()),
                },
            })
            .collect();
        let premise = self.comes(id, at, cells, &path);
        path.premises.push(premise);
        path
    }

    /// One statement on a path: where it goes on, and how.
    pub(super) fn step(
        &mut self,
        id: ProcedureId,
        cells: &Cells,
        path: &mut Path,
        (at, statement, span): (usize, &Statement, Span),
    ) -> Result<Vec<(Path, usize)>, Refused> {
        let module = self.module;
        let globals = self.globals.clone();
        let mut failures = Vec::new();
        let mut open = false;
        let setting = &mut Setting {
            module,
            globals: &globals,
            locals: cells,
            failures: &mut failures,
            open: &mut open,
        };
        let mut next = vec![at + 1];
        let mut forks = None;
        match statement {
            Statement::Set(place, value) => {
                let value = path.value(setting, *value);
                let index = path.index(setting, *place, span);
                path.store(setting, place.base, index.as_ref(), value);
            }
            Statement::Fill(base, value) => {
                let value = path.value(setting, *value);
                path.fill(setting, *base, value);
            }
            Statement::Branch(condition, yes, no) => {
                let condition = path.value(setting, *condition);
                let mut other = path.clone();
                path.suppose(condition.holds());
                other.suppose(condition.fails());
                forks = Some(vec![(other, no.index()), (path.clone(), yes.index())]);
            }
            Statement::Jump(to) => next = vec![to.index()],
            Statement::Return(value) => {
                let result = &module.signature(module.procedure(id).signature).result;
                let value = value.map(|value| path.value(setting, value));
                let value = match (value, result) {
                    (Some(value), Some(Sort::Data(data) | Sort::Address(data))) => {
                        Some(path.wrap(value, Some(data)))
                    }
                    (value, Some(_)) => value,
                    (_, None) => None,
                };
                let (arguments, entry, globals) =
                    (path.arguments.clone(), path.entry.clone(), path.globals.clone());
                let head = self.leaves(id, &arguments, &entry, value.as_ref(), &globals);
                self.clauses.push(path.clause(&head));
                next.clear();
            }
            Statement::Assert(condition, kind) => {
                let condition = path.value(setting, *condition);
                path.check(setting, (condition.holds(), condition.fails()), Check { span, kind: *kind });
            }
            Statement::Fail(kind) => {
                path.check(setting, ("false".into(), "true".into()), Check { span, kind: *kind });
                next.clear();
            }
            Statement::Exit(value) => {
                path.value(setting, *value);
                next.clear();
            }
            Statement::Diverge => next.clear(),
            Statement::Lock(place) => {
                let (index, held) = taken(path, setting, *place, span);
                path.check(setting, (held.fails(), held.holds()), Check { span, kind: Kind::Lock });
                path.store(setting, place.base, index.as_ref(), Term::number(Int::ONE));
            }
            Statement::TryLock(place, to) => {
                let (index, held) = taken(path, setting, *place, span);
                path.store(setting, place.base, index.as_ref(), Term::number(Int::ONE));
                path.store(setting, Base::Local(*to), None, Term::truth(&held.fails()));
            }
            Statement::Unlock(place) => {
                let (index, held) = taken(path, setting, *place, span);
                path.check(setting, (held.holds(), held.fails()), Check { span, kind: Kind::Unlock });
                path.store(setting, place.base, index.as_ref(), Term::number(Int::ZERO));
            }
            Statement::Grab(place) | Statement::Release(place) => {
                let (index, held) = taken(path, setting, *place, span);
                let text = held.int();
                let places = match place.base {
                    Base::Module(cell) => module.cell(cell).kind.places(),
                    Base::Local(_) => 1,
                };
                let (possible, after) = match statement {
                    Statement::Grab(_) => (format!("(< {text} {places})"), format!("(+ {text} 1)")),
                    _ => (format!("(> {text} 0)"), format!("(- {text} 1)")),
                };
                path.suppose(possible);
                path.store(setting, place.base, index.as_ref(), Term::integer(&after, None, None));
            }
            Statement::BeginPredicate(_) | Statement::EndPredicate(_) | Statement::Atomic(_) => {}
            Statement::Itself(to) => path.store(setting, Base::Local(*to), None, Term::number(Int::ONE)),
            // A module that begins threads is refused.
            Statement::Begin(..) | Statement::Join(..) | Statement::Detach(_) | Statement::Leave(_) => {
                next.clear()
            }
            Statement::Call(callee, arguments, to) => {
                forks = Some(self.call(cells, path, setting, (*callee, arguments, *to), (at, span)));
            }
        }
        self.clauses.append(&mut failures);
        self.open |= open;
        Ok(forks.unwrap_or_else(|| next.into_iter().map(|to| (path.clone(), to)).collect()))
    }

    /// A call, and all ways in which it may go on.
    pub(super) fn call(
        &mut self,
        cells: &Cells,
        path: &mut Path,
        setting: &mut Setting<'_>,
        (callee, arguments, to): (Callee, &[ExpressionId], Option<LocalId>),
        (at, span): (usize, Span),
    ) -> Vec<(Path, usize)> {
        let module = self.module;
        let named = match callee {
            Callee::Value(value, _) => {
                let value = path.value(setting, value);
                let value = path.short(value);
                path.check(setting, (value.holds(), value.fails()), Check { span, kind: Kind::Null });
                Some(value)
            }
            Callee::Procedure(_) | Callee::Import(_) => None,
        };
        let values: Vec<Term> = arguments
            .iter()
            .map(|argument| {
                let value = path.value(setting, *argument);
                path.short(value)
            })
            .collect();
        let is = |value: &Term, function: Function| {
            format!("(= {} {})", value.int(), number(&module.number(function)))
        };
        let mut ways: Vec<(Path, Option<Function>)> = Vec::new();
        match (callee, named) {
            (Callee::Procedure(id), _) => ways.push((path.clone(), Some(Function::Procedure(id)))),
            (Callee::Import(id), _) => ways.push((path.clone(), Some(Function::Import(id)))),
            (Callee::Value(_, signature), Some(value)) => {
                let own = module.nameable(signature).map(Function::Procedure);
                let imports = module.imports().filter(|(_, import)| import.signature == signature);
                let known: Vec<Function> = own.chain(imports.map(|(id, _)| Function::Import(id))).collect();
                for function in known {
                    let mut way = path.clone();
                    way.suppose(is(&value, function));
                    ways.push((way, Some(function)));
                }
                if let Some(first) = module.foreign(signature).next() {
                    let mut way = path.clone();
                    let least = module.number(Function::Foreign(1));
                    way.suppose(format!("(<= {} {})", number(&least), value.int()));
                    let _ = first;
                    ways.push((way, None));
                }
            }
            (Callee::Value(..), None) => {}
        }
        let signature = match callee {
            Callee::Procedure(id) => module.procedure(id).signature,
            Callee::Import(id) => module.import(id).signature,
            Callee::Value(_, signature) => signature,
        };
        let Signature { parameters, result } = module.signature(signature).clone();
        let mut forks = Vec::new();
        for (mut way, function) in ways {
            if way.is_impossible() {
                continue;
            }
            let values: Vec<Term> = values
                .iter()
                .zip(&parameters)
                .map(|(value, sort)| {
                    let data = match sort {
                        Sort::Data(data) | Sort::Address(data) => Some(data),
                        Sort::Function(_) => None,
                    };
                    let value = way.wrap(value.clone(), data);
                    way.short(value)
                })
                .collect();
            let value = match function {
                Some(Function::Procedure(id)) => Some(self.inside(&mut way, id, &values, result.as_ref())),
                _ => {
                    let import = match function {
                        Some(Function::Import(id)) => Some(id),
                        _ => None,
                    };
                    self.outside(&mut way, import, &values, (&parameters, result.as_ref()))
                }
            };
            let Some(value) = value else { continue };
            if let (Some(to), Some(value)) = (to, value) {
                let setting = Setting {
                    module,
                    globals: setting.globals,
                    locals: cells,
                    failures: &mut *setting.failures,
                    open: &mut *setting.open,
                };
                way.store(&setting, Base::Local(to), None, value);
            }
            forks.push((way, at + 1));
        }
        forks
    }

    /// A procedure of the module's own is called, and ends: its value.
    pub(super) fn inside(
        &mut self,
        path: &mut Path,
        id: ProcedureId,
        values: &[Term],
        result: Option<&Sort>,
    ) -> Option<Term> {
        let arguments: Vec<Held> = values.iter().cloned().map(Held::Value).collect();
        let head = self.enters(id, &arguments, &path.globals.clone());
        self.clauses.push(path.clause(&head));
        let before = path.globals.clone();
        for n in self.used[id.index()].clone() {
            let name = path.fresh(self.globals.variables[n].shape);
            path.globals[n] = self.globals.named(n, &name);
        }
        let value = result.map(|sort| {
            let name = path.fresh(Shape::Integer);
            of_sort(&name, sort)
        });
        let premise = self.leaves(id, &arguments, &before, value.as_ref(), &path.globals.clone());
        path.premises.push(premise);
        value
    }
}

/// What a lock or a semaphore holds, and its index.
fn taken(path: &mut Path, setting: &mut Setting<'_>, place: Place, span: Span) -> (Option<Term>, Term) {
    let index = path.index(setting, place, span);
    let held = path.load(setting, place.base, index.as_ref());
    (index, held)
}

/// The statements that have a relation of their own: those that more than one other comes before, and those behind calls by name.
fn joins(module: &Module, id: ProcedureId) -> BTreeSet<usize> {
    let body = &module.procedure(id).body;
    let mut before = vec![0u32; body.len() + 1];
    before[0] = 1;
    let mut joins = BTreeSet::new();
    for (at, (statement, _)) in body.iter().enumerate() {
        let mut to = |label: &Label| before[label.index()] += 1;
        match statement {
            Statement::Branch(_, yes, no) => {
                to(yes);
                to(no);
            }
            Statement::Jump(label) => to(label),
            Statement::Return(_) | Statement::Fail(_) | Statement::Exit(_) | Statement::Diverge => {}
            Statement::Call(Callee::Value(..), ..) => _ = joins.insert(at + 1),
            _ => before[at + 1] += 1,
        }
    }
    joins.extend((0..body.len()).filter(|at| before[*at] > 1));
    joins.retain(|at| *at < body.len());
    joins
}
