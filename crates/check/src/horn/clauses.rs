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
use agon_core::module::{
    Allowed, Base, Callee, Expression, Function, ImportId, Liveness, Module, ProcedureId, Sort, Statement,
};
use agon_core::types::Data;

use super::cells::{Cells, Held, Shape, Variable};
use super::path::{FAILS, Path};
use super::terms::Term;

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

/// What is written so far.
pub(super) struct Writer<'a> {
    pub(super) module: &'a Module,
    pub(super) globals: Cells,
    /// The private procedures that the environment may be given, each with a variable behind the cells.
    pub(super) escapes: Vec<ProcedureId>,
    /// The variables that a procedure and its callees use, by its number.
    pub(super) used: Vec<BTreeSet<usize>>,
    /// The procedures that the module calls itself.
    pub(super) called: BTreeSet<ProcedureId>,
    pub(super) liveness: Liveness,
    pub(super) declared: BTreeMap<String, Vec<Shape>>,
    /// The turns that were begun, and what was written for them.
    pub(super) begun: BTreeMap<Allowed, usize>,
    pub(super) entered: BTreeSet<ProcedureId>,
    pub(super) clauses: Vec<String>,
    pub(super) open: bool,
}

impl<'a> Writer<'a> {
    pub(super) fn new(module: &'a Module) -> Writer<'a> {
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
    pub(super) fn varying(&self) -> BTreeSet<usize> {
        (0..self.globals.variables.len()).filter(|n| self.globals.varies(*n)).collect()
    }

    /// Whether the environment may call while it is called.
    pub(super) fn calls_back(&self, function: Option<ImportId>) -> bool {
        let allowed = self.module.allowed(function.map(Function::Import));
        self.module.allows_calls(allowed)
    }

    /// What each procedure uses, with what it calls.
    pub(super) fn uses(&self) -> Vec<BTreeSet<usize>> {
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
    pub(super) fn relation(&mut self, name: String, values: &[Held]) -> String {
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
    pub(super) fn seen(&self, id: ProcedureId, globals: &[Held]) -> Vec<Held> {
        self.used[id.index()].iter().map(|n| globals[*n].clone()).collect()
    }

    pub(super) fn name(&self, id: ProcedureId, what: impl std::fmt::Display) -> String {
        format!("{}#{}.{what}", self.module.procedure(id).name, id.index())
    }

    /// A procedure is called.
    pub(super) fn enters(&mut self, id: ProcedureId, arguments: &[Held], globals: &[Held]) -> String {
        self.entered.insert(id);
        let values: Vec<Held> = arguments.iter().cloned().chain(self.seen(id, globals)).collect();
        self.relation(self.name(id, "in"), &values)
    }

    /// A procedure ends. Only callers of the module's own, and those that get to know a function, see more than the cells.
    pub(super) fn leaves(
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
    pub(super) fn tells(&self, id: ProcedureId) -> bool {
        let result = &self.module.signature(self.module.procedure(id).signature).result;
        result.is_some() && (self.called.contains(&id) || matches!(result, Some(Sort::Function(_))))
    }

    /// A call has come to a statement.
    pub(super) fn comes(&mut self, id: ProcedureId, at: usize, cells: &Cells, path: &Path) -> String {
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
    pub(super) fn live(&self, id: ProcedureId, at: usize, cells: &Cells) -> Vec<usize> {
        let live = self.liveness.before(id, at);
        let all = live.iter().flat_map(|local| {
            let extent = &cells.extents[local.index()];
            let count = if extent.whole { 1 } else { usize::try_from(extent.length).unwrap_or(0) };
            extent.first..extent.first + count
        });
        all.collect()
    }

    pub(super) fn turn(&mut self, allowed: Allowed, from: &[Held], now: &[Held]) -> String {
        let next = self.begun.len();
        let number = *self.begun.entry(allowed).or_insert(next);
        let varying = self.varying();
        let pick = |held: &[Held]| varying.iter().map(|n| held[*n].clone()).collect::<Vec<_>>();
        let values = [pick(from), pick(now)].concat();
        self.relation(format!("turn.{number}"), &values)
    }

    pub(super) fn finish(self) -> Clauses {
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
pub(super) fn of_sort(name: &str, sort: &Sort) -> Term {
    match sort {
        Sort::Data(data) | Sort::Address(data) => Term::of(name, data),
        Sort::Function(_) => Term::integer(name, Some(Int::ZERO), None),
    }
}
