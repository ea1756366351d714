//! A module as Horn clauses over integers: relations for the turns of the environment, for calls, and for places of bodies.
//!
//! A nested call does not see its callers. So `turn(g0, g)` says that the environment may be to move with the cells g after it was
//! called with the cells g0; `p.in(ā, g)` that a procedure is called, and `p.out(ā, g0, v, g)` that it ends; `p.n(ā, g0, g, l̄)` that a
//! call of it has come to its statement n. A procedure that calls nobody back is about the cells that it uses, and no others.
//! The clauses are made from the module, not from its code, so they are a second reading of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use agon_base::int::Int;
use agon_base::refused::Refused;
use agon_base::source::Span;
use agon_core::checks::{Check, Kind};
use agon_core::module::{
    Allowed, Base, Callee, Expression, Function, ImportId, Label, Liveness, LocalId, Module, Place,
    ProcedureId, Signature, Sort, Statement,
};
use agon_core::types::Data;

use super::cells::{Cells, Held, Shape, Variable, array_of};
use super::path::{FAILS, Path, Setting};
use super::terms::{Term, number};

/// Clauses that have a solution if and only if no play fails.
#[derive(Clone, Debug)]
pub struct Clauses {
    /// The clauses as SMT-LIB, with the question.
    pub text: String,
    /// Whether a value was left open for which there are no words. Then a solution is still a proof, but without one nothing is known.
    pub open: bool,
}

/// The clauses of a module.
pub fn clauses(module: &Module) -> Result<Clauses, Refused> {
    if module.threads > 1 || module.begins_threads() {
        let what = "Horn clauses are for one thread".into();
        return Err(Refused::Construct { what, span: Span::default() });
    }
    let mut writer = Writer::new(module);
    writer.turns();
    let mut waiting: Vec<ProcedureId> = Vec::new();
    let mut written = BTreeSet::new();
    // The turns enter exports; what they call follows.
    loop {
        waiting.extend(writer.entered.difference(&written).copied());
        let Some(id) = waiting.pop() else { break };
        if written.insert(id) {
            writer.procedure(id)?;
        }
    }
    Ok(writer.finish())
}

struct Writer<'a> {
    module: &'a Module,
    globals: Cells,
    /// The private procedures that the environment may be given, each with a variable behind the cells.
    escapes: Vec<ProcedureId>,
    /// The variables that a procedure and its callees use, by its number.
    used: Vec<BTreeSet<usize>>,
    /// The procedures that the module calls itself.
    called: BTreeSet<ProcedureId>,
    liveness: Liveness,
    declared: BTreeMap<String, Vec<Shape>>,
    /// The turns that were begun, and what was written for them.
    begun: BTreeMap<Allowed, usize>,
    entered: BTreeSet<ProcedureId>,
    clauses: Vec<String>,
    open: bool,
}

impl<'a> Writer<'a> {
    fn new(module: &'a Module) -> Writer<'a> {
        let mut globals = Cells::of_module(module);
        let mentioned = module.mentioned().into_iter();
        let escapes: Vec<ProcedureId> = mentioned.filter(|id| !module.procedure(*id).exported).collect();
        for _ in &escapes {
            let bit = Variable { shape: Shape::Integer, data: Some(Data::Bool), constant: None };
            globals.variables.push(bit);
        }
        let called = module.procedures().flat_map(|(id, _)| module.callees(id)).collect();
        let mut writer = Writer {
            module,
            globals,
            escapes,
            used: Vec::new(),
            called,
            liveness: Liveness::of(module),
            declared: BTreeMap::new(),
            begun: BTreeMap::new(),
            entered: BTreeSet::new(),
            clauses: Vec::new(),
            open: false,
        };
        writer.used = writer.uses();
        writer
    }

    /// The variables that may hold more than one number.
    fn varying(&self) -> BTreeSet<usize> {
        (0..self.globals.variables.len()).filter(|n| self.globals.varies(*n)).collect()
    }

    /// Whether the environment may call while it is called.
    fn calls_back(&self, function: Option<ImportId>) -> bool {
        let allowed = self.module.allowed(function.map(Function::Import));
        self.module.allows_calls(allowed)
    }

    /// What each procedure uses, with what it calls.
    fn uses(&self) -> Vec<BTreeSet<usize>> {
        let all = self.varying();
        let bits = self.globals.variables.len() - self.escapes.len()..self.globals.variables.len();
        let mut uses: Vec<BTreeSet<usize>> = Vec::new();
        for (_, procedure) in self.module.procedures() {
            let mut used: BTreeSet<usize> = bits.clone().collect();
            for (statement, _) in &procedure.body {
                let mut bases = Vec::new();
                statement.each_expression(|root| {
                    bases.extend(self.module.within(root).filter_map(
                        |id| match self.module.expression(id) {
                            Expression::Load(place) => Some(place.base),
                            _ => None,
                        },
                    ));
                });
                match statement {
                    Statement::Set(place, _)
                    | Statement::Lock(place)
                    | Statement::TryLock(place, _)
                    | Statement::Unlock(place)
                    | Statement::Grab(place)
                    | Statement::Release(place) => bases.push(place.base),
                    Statement::Fill(base, _) => bases.push(*base),
                    Statement::Call(Callee::Import(id), ..) if self.calls_back(Some(*id)) => {
                        used.extend(&all);
                    }
                    Statement::Call(Callee::Value(..), ..) => used.extend(&all),
                    _ => {}
                }
                for base in bases {
                    let Base::Module(cell) = base else { continue };
                    let extent = &self.globals.extents[cell.index()];
                    let count = if extent.whole { 1 } else { usize::try_from(extent.length).unwrap_or(0) };
                    used.extend((extent.first..extent.first + count).filter(|n| all.contains(n)));
                }
            }
            uses.push(used);
        }
        loop {
            let mut changed = false;
            for (id, _) in self.module.procedures() {
                for callee in self.module.callees(id) {
                    let more: Vec<usize> =
                        uses[callee.index()].difference(&uses[id.index()]).copied().collect();
                    changed |= !more.is_empty();
                    uses[id.index()].extend(more);
                }
            }
            if !changed {
                return uses;
            }
        }
    }

    /// A relation of these values.
    fn relation(&mut self, name: String, values: &[Held]) -> String {
        self.declared.entry(name.clone()).or_insert_with(|| values.iter().map(Held::shape).collect());
        match values {
            [] => format!("|{name}|"),
            _ => {
                let values: Vec<String> = values.iter().map(Held::text).collect();
                format!("(|{name}| {})", values.join(" "))
            }
        }
    }

    /// What relations of a procedure say of the module's cells.
    fn seen(&self, id: ProcedureId, globals: &[Held]) -> Vec<Held> {
        self.used[id.index()].iter().map(|n| globals[*n].clone()).collect()
    }

    fn name(&self, id: ProcedureId, what: impl std::fmt::Display) -> String {
        format!("{}#{}.{what}", self.module.procedure(id).name, id.index())
    }

    /// A procedure is called.
    fn enters(&mut self, id: ProcedureId, arguments: &[Held], globals: &[Held]) -> String {
        self.entered.insert(id);
        let values: Vec<Held> = arguments.iter().cloned().chain(self.seen(id, globals)).collect();
        self.relation(self.name(id, "in"), &values)
    }

    /// A procedure ends. Only callers of the module's own, and those that get to know a function, see more than the cells.
    fn leaves(
        &mut self,
        id: ProcedureId,
        arguments: &[Held],
        entry: &[Held],
        result: Option<&Term>,
        globals: &[Held],
    ) -> String {
        let mut values = Vec::new();
        if self.called.contains(&id) {
            values.extend(arguments.iter().cloned());
        }
        values.extend(self.seen(id, entry));
        values.extend(result.filter(|_| self.tells(id)).map(|term| Held::Value(term.clone())));
        values.extend(self.seen(id, globals));
        self.relation(self.name(id, "out"), &values)
    }

    /// Whether the result of a procedure matters to anybody.
    fn tells(&self, id: ProcedureId) -> bool {
        let result = &self.module.signature(self.module.procedure(id).signature).result;
        result.is_some() && (self.called.contains(&id) || matches!(result, Some(Sort::Function(_))))
    }

    /// A call has come to a statement.
    fn comes(&mut self, id: ProcedureId, at: usize, cells: &Cells, path: &Path) -> String {
        let mut values = Vec::new();
        if self.called.contains(&id) {
            values.extend(path.arguments.iter().cloned());
        }
        values.extend(self.seen(id, &path.entry));
        values.extend(self.seen(id, &path.globals));
        for n in self.live(id, at, cells) {
            values.push(path.locals[n].clone());
        }
        self.relation(self.name(id, at), &values)
    }

    /// The variables of an activation that still count before a statement.
    fn live(&self, id: ProcedureId, at: usize, cells: &Cells) -> Vec<usize> {
        let live = self.liveness.before(id, at);
        let all = live.iter().flat_map(|LocalId(local)| {
            let extent = &cells.extents[*local as usize];
            let count = if extent.whole { 1 } else { usize::try_from(extent.length).unwrap_or(0) };
            extent.first..extent.first + count
        });
        all.collect()
    }

    fn turn(&mut self, allowed: Allowed, from: &[Held], now: &[Held]) -> String {
        let next = self.begun.len();
        let number = *self.begun.entry(allowed).or_insert(next);
        let varying = self.varying();
        let pick = |held: &[Held]| varying.iter().map(|n| held[*n].clone()).collect::<Vec<_>>();
        let values = [pick(from), pick(now)].concat();
        self.relation(format!("turn.{number}"), &values)
    }

    /// The clauses of the environment: the start, and what it may call at each turn. Turns that the bodies begin are of the same kinds.
    fn turns(&mut self) {
        let mut start = Path::new();
        for (id, cell) in self.module.cells() {
            let extent = self.globals.extents[id.index()].clone();
            match extent.whole {
                true => {
                    let held = array_of(cell);
                    start.globals.push(held);
                }
                false => {
                    start.globals.extend((0..extent.length).map(|n| Held::Value(Term::number(cell.first(n)))))
                }
            }
        }
        // What a cell holds at first that the environment may look at is known to it only by calls.
        start.globals.extend(self.escapes.iter().map(|_| Held::Value(Term::number(Int::ZERO))));
        let globals = start.globals.clone();
        let head = self.turn(Allowed::default(), &globals, &globals);
        self.clauses.push(start.clause(&head));
        let mut kinds = BTreeSet::from([Allowed::default()]);
        let imports = self.module.imports().map(|(id, _)| self.module.allowed(Some(Function::Import(id))));
        kinds.extend(imports.filter(|allowed| self.module.allows_calls(*allowed)));
        for allowed in kinds {
            for (id, procedure) in self.module.procedures() {
                let escape = self.escapes.iter().position(|escape| *escape == id);
                if (procedure.exported || escape.is_some()) && self.module.allows(allowed, id) {
                    self.offer(allowed, id, escape);
                }
            }
        }
    }

    /// At a turn the environment calls a procedure, which may end.
    fn offer(&mut self, allowed: Allowed, id: ProcedureId, escape: Option<usize>) {
        let mut path = Path::new();
        path.entry = path.fresh_cells(&self.globals.clone());
        path.globals = path.fresh_cells(&self.globals.clone());
        let premise = self.turn(allowed, &path.entry.clone(), &path.globals.clone());
        path.premises.push(premise);
        if let Some(n) = escape {
            let bit = self.bit(&path.globals, n).int();
            path.suppose(format!("(= {bit} 1)"));
        }
        let Signature { parameters, result } =
            self.module.signature(self.module.procedure(id).signature).clone();
        let arguments: Vec<Held> =
            parameters.iter().map(|sort| Held::Value(self.given(&mut path, sort, None))).collect();
        let head = self.enters(id, &arguments, &path.globals.clone());
        self.clauses.push(path.clause(&head));
        let before = path.globals.clone();
        for n in self.used[id.index()].clone() {
            let name = path.fresh(self.globals.variables[n].shape);
            path.globals[n] = self.globals.named(n, &name);
        }
        let value = result.as_ref().filter(|_| self.tells(id)).map(|sort| {
            let name = path.fresh(Shape::Integer);
            of_sort(&name, sort)
        });
        let premise = self.leaves(id, &arguments, &before, value.as_ref(), &path.globals.clone());
        path.premises.push(premise);
        if let (Some(value), Some(sort)) = (value, &result) {
            self.escape(&mut path, &value, sort);
        }
        let head = self.turn(allowed, &path.entry.clone(), &path.globals.clone());
        self.clauses.push(path.clause(&head));
    }

    /// The variable that says whether a private procedure was given to the environment.
    fn bit(&self, globals: &[Held], n: usize) -> Term {
        let first = self.globals.variables.len() - self.escapes.len();
        match &globals[first + n] {
            Held::Value(term) => term.clone(),
            Held::Array(_) => Term::number(Int::ZERO),
        }
    }

    /// The environment gets to know a value.
    fn escape(&self, path: &mut Path, value: &Term, sort: &Sort) {
        let Sort::Function(_) = sort else { return };
        let first = self.globals.variables.len() - self.escapes.len();
        for (n, id) in self.escapes.iter().enumerate() {
            let own = number(&self.module.number(Function::Procedure(*id)));
            let bit = self.bit(&path.globals, n);
            let text = format!("(ite (= {} {own}) 1 {})", value.int(), bit.int());
            let known = path.short(Term::of(&text, &Data::Bool));
            path.globals[first + n] = Held::Value(known);
        }
    }

    /// A value of a sort that the environment gives, between two numbers if only these are returned.
    fn given(&self, path: &mut Path, sort: &Sort, returns: Option<&(Int, Int)>) -> Term {
        let name = path.fresh(Shape::Integer);
        let signature = match sort {
            Sort::Data(data) | Sort::Address(data) => {
                let (low, high) = match returns {
                    Some((low, high)) => (Some(low.clone()), Some(high.clone())),
                    None => data.range().unzip(),
                };
                low.iter().for_each(|low| path.suppose(format!("(<= {} {name})", number(low))));
                high.iter().for_each(|high| path.suppose(format!("(<= {name} {})", number(high))));
                return Term::integer(&name, low, high);
            }
            Sort::Function(signature) => *signature,
        };
        let module = self.module;
        let is = |function: Function| format!("(= {name} {})", number(&module.number(function)));
        let mut ways = vec![format!("(= {name} 0)")];
        for (id, procedure) in module.procedures().filter(|(_, one)| one.signature == signature) {
            let own = is(Function::Procedure(id));
            match self.escapes.iter().position(|escape| *escape == id) {
                _ if procedure.exported => ways.push(own),
                Some(n) => ways.push(format!("(and {own} (= {} 1))", self.bit(&path.globals, n).int())),
                None => {}
            }
        }
        let imports = module.imports().filter(|(_, import)| import.signature == signature);
        ways.extend(imports.map(|(id, _)| is(Function::Import(id))));
        if let Some(first) = module.foreign(signature).next() {
            let kinds = module.named_types().count().max(1);
            let first = number(&module.number(first));
            let place = path.fresh(Shape::Integer);
            ways.push(format!("(and (<= 0 {place}) (= {name} (+ {first} (* {kinds} {place}))))"));
        }
        path.suppose(format!("(or {})", ways.join(" ")));
        Term::integer(&name, Some(Int::ZERO), None)
    }

    fn procedure(&mut self, id: ProcedureId) -> Result<(), Refused> {
        let body = &self.module.procedure(id).body;
        let cells = Cells::of_locals(&self.module.procedure(id).locals);
        let joins = joins(self.module, id);
        let mut path = self.begin(id, &cells);
        let premise = self.enters(id, &path.arguments.clone(), &path.entry.clone());
        path.premises.insert(0, premise);
        let mut written = BTreeSet::new();
        let mut waiting = Vec::new();
        let mut next = match joins.contains(&0) {
            true => {
                let head = self.comes(id, 0, &cells, &path);
                self.clauses.push(path.clause(&head));
                waiting.push(0);
                None
            }
            false => Some((path, 0)),
        };
        let mut forks: Vec<(Path, usize)> = Vec::new();
        loop {
            while let Some((mut path, at)) = next.take().or_else(|| forks.pop()) {
                let Some((statement, span)) = body.get(at) else { continue };
                for (path, to) in self.step(id, &cells, &mut path, (at, statement, *span))? {
                    if path.is_impossible() {
                        continue;
                    }
                    if joins.contains(&to) {
                        let head = self.comes(id, to, &cells, &path);
                        self.clauses.push(path.clause(&head));
                        waiting.push(to);
                    } else {
                        forks.push((path, to));
                    }
                }
            }
            let Some(at) = waiting.pop() else { return Ok(()) };
            if written.insert(at) {
                let path = self.resume(id, at, &cells);
                next = Some((path, at));
            }
        }
    }

    /// A path that begins with a call.
    fn begin(&mut self, id: ProcedureId, cells: &Cells) -> Path {
        let mut path = self.fresh(id);
        path.globals = path.entry.clone();
        path.locals = cells
            .variables
            .iter()
            .map(|variable| match variable.shape {
                Shape::Integer => Held::Value(Term::number(Int::ZERO)),
                Shape::Array => Held::Array(super::cells::all(&Int::ZERO).into()),
            })
            .collect();
        for (n, argument) in path.arguments.clone().into_iter().enumerate() {
            path.locals[cells.extents[n].first] = argument;
        }
        path
    }

    /// A path with the arguments of a procedure, and the cells of the module when it was called.
    fn fresh(&self, id: ProcedureId) -> Path {
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
    fn resume(&mut self, id: ProcedureId, at: usize, cells: &Cells) -> Path {
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
                    Shape::Array => Held::Array(super::cells::all(&Int::ZERO).into()),
                },
            })
            .collect();
        let premise = self.comes(id, at, cells, &path);
        path.premises.push(premise);
        path
    }

    /// One statement on a path: where it goes on, and how.
    fn step(
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
            // A module that begins threads is refused.
            Statement::Begin(..)
            | Statement::Join(..)
            | Statement::Detach(_)
            | Statement::Leave(_)
            | Statement::Itself(_) => next.clear(),
            Statement::Call(callee, arguments, to) => {
                forks = Some(self.call(cells, path, setting, (*callee, arguments, *to), (at, span)));
            }
        }
        self.clauses.append(&mut failures);
        self.open |= open;
        Ok(forks.unwrap_or_else(|| next.into_iter().map(|to| (path.clone(), to)).collect()))
    }

    /// A call, and all ways in which it may go on.
    fn call(
        &mut self,
        cells: &Cells,
        path: &mut Path,
        setting: &mut Setting<'_>,
        (callee, arguments, to): (Callee, &[agon_core::module::ExpressionId], Option<LocalId>),
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
    fn inside(
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

    /// A function of the environment's is called: its value, if it returns.
    fn outside(
        &mut self,
        path: &mut Path,
        import: Option<ImportId>,
        values: &[Term],
        (parameters, result): (&[Sort], Option<&Sort>),
    ) -> Option<Option<Term>> {
        for (value, sort) in values.iter().zip(parameters) {
            self.escape(path, value, sort);
        }
        let allowed = self.module.allowed(import.map(Function::Import));
        if self.module.allows_calls(allowed) {
            let before = path.globals.clone();
            let head = self.turn(allowed, &before, &before);
            self.clauses.push(path.clause(&head));
            path.globals = path.fresh_cells(&self.globals.clone());
            let premise = self.turn(allowed, &before, &path.globals.clone());
            path.premises.push(premise);
        }
        let import = import.map(|id| self.module.import(id));
        if import.is_some_and(|import| import.ends) {
            return None;
        }
        let returns = import.and_then(|import| import.returns.as_ref());
        Some(result.map(|sort| self.given(path, sort, returns)))
    }

    fn finish(self) -> Clauses {
        let mut text = String::from("(set-logic HORN)\n");
        let _ = writeln!(text, "(declare-fun {FAILS} () Bool)");
        for (name, shapes) in &self.declared {
            let words: Vec<&str> = shapes.iter().map(|shape| shape.word()).collect();
            let _ = writeln!(text, "(declare-fun |{name}| ({}) Bool)", words.join(" "));
        }
        self.clauses.iter().for_each(|clause| text.push_str(clause));
        let _ = writeln!(text, "(assert (=> {FAILS} false))\n(check-sat)");
        Clauses { text, open: self.open }
    }
}

/// A name for a value of a sort.
fn of_sort(name: &str, sort: &Sort) -> Term {
    match sort {
        Sort::Data(data) | Sort::Address(data) => Term::of(name, data),
        Sort::Function(_) => Term::integer(name, Some(Int::ZERO), None),
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
        let mut to = |Label(label): &Label| before[*label as usize] += 1;
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
