//! Functions: procedures and imports of the module, and the bodies of procedures.

use std::collections::{BTreeMap, BTreeSet};

use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::module::{
    Base, Callee, Calls, Expression, Function as CoreFunction, Import, ImportId, Local, LocalId, Procedure,
    ProcedureId, SignatureId, Sort, Statement,
};
use agon_core::types::Data;

use super::handles::{has_pointers, takes_pointers};
use super::lost::Moment;
use super::{Body, Lowering, first_use};
use crate::effects::is_export;
use crate::memory::Life;
use crate::points::Owner;
use crate::tree::{Function, FunctionId, Item, Stmt, StmtKind, VariableId};
use crate::types::Type;

impl Lowering<'_> {
    /// `main`, if the program is closed.
    pub(super) fn main(&self) -> Option<FunctionId> {
        crate::closed::main(self.program, self.options)
    }

    /// Whether a call of a function is a failure.
    pub(super) fn fails(&self, name: &str) -> bool {
        self.options.fails.iter().any(|known| known == name)
            || crate::closed::fails(self.program, self.options, name)
    }

    /// Whether a function is the error function of a closed program. It fails, also where it is called through a pointer.
    pub(super) fn always_fails(&self, id: FunctionId) -> bool {
        crate::closed::fails(self.program, self.options, &self.program.function(id).name)
    }

    fn is_export(&self, id: FunctionId) -> bool {
        is_export(self.program, self.options, id)
    }

    /// Procedures first, then imports, so that names of functions have their numbers.
    pub(super) fn declare_functions(&mut self) {
        for (id, function) in self.program.functions() {
            let fails = self.always_fails(id) && self.effects.is_value(id);
            if function.body.is_none() && !fails {
                continue;
            }
            let signature = self.own_signature(&function.ty, function.span);
            let Some(signature) = self.report(signature) else { continue };
            let procedure = self.module.add_procedure(Procedure {
                name: self.name_of(&function.name).into(),
                signature,
                exported: self.is_export(id),
                locals: vec![],
                body: vec![],
                span: function.span,
            });
            self.functions[id.index()] = Some(CoreFunction::Procedure(procedure));
        }
        let shares = self
            .program
            .objects()
            .any(|(id, _)| self.is_shared(id) && self.effects.touches(Owner::Object(id)));
        for (id, function) in self.program.functions() {
            let gives = function.body.is_some() && matches!(function.ty.result, Type::Struct(_));
            if gives && self.is_called_by_environment(id) {
                let done = self.declare_told(id);
                self.report(done);
            }
            if gives && self.effects.is_called(id) {
                let done = self.declare_results(id);
                self.report(done);
            }
            let both = self.is_called_by_environment(id) && self.effects.is_called(id);
            let handles =
                has_pointers(self.program, &function.ty.result) || takes_pointers(self.program, &function.ty);
            if let (true, Some(CoreFunction::Procedure(outer))) =
                (both && (shares || gives || handles), self.functions[id.index()])
            {
                let inner = self.module.add_procedure(Procedure {
                    name: self.name_of(&format!("{}.body", function.name)).into(),
                    exported: false,
                    ..self.module.procedure(outer).clone()
                });
                self.inner[id.index()] = Some(CoreFunction::Procedure(inner));
            }
        }
        for (id, function) in self.program.functions() {
            let called = self.fails(&function.name) && !self.effects.is_value(id);
            if self.functions[id.index()].is_some() || function.body.is_some() || !function.used || called {
                continue;
            }
            if self.main().is_some() && function.ty.result.pointed_function().is_some() {
                let given = super::closed::function_given(&function.name, function.span);
                self.report::<()>(Err(given));
                continue;
            }
            let signature = self.signature(&function.ty, function.span);
            let Some(signature) = self.report(signature) else { continue };
            let import = self.import(function, signature);
            self.functions[id.index()] = Some(CoreFunction::Import(import));
        }
    }

    /// An import, with what is assumed of it.
    fn import(&mut self, function: &Function, signature: SignatureId) -> ImportId {
        let name = &function.name;
        let id = self.module.add_import(Import::new(name.as_str().into(), signature, function.span));
        let named = |name: &String| {
            let id = self.program.functions.iter().position(|function| function.name == *name)?;
            match self.functions[id] {
                Some(CoreFunction::Procedure(id)) => Some(id),
                _ => None,
            }
        };
        let only = self.options.may_call.iter().find(|(known, _)| known == name);
        let calls = match only {
            _ if self.options.leaf.contains(name) || self.main().is_some() => Calls::Nothing,
            Some((_, called)) => Calls::Only(called.iter().filter_map(named).collect()),
            None => Calls::Any,
        };
        let returns = self.options.returns.iter().find(|(known, ..)| known == name);
        let returns = returns.map(|(_, low, high)| (low.clone(), high.clone()));
        self.module.restrict(id, returns, calls, function.ends);
        id
    }

    /// A name that no other procedure has: two units may have private functions of one name.
    pub(super) fn name_of(&self, name: &str) -> String {
        let taken = |name: &str| self.module.procedures().any(|(_, procedure)| *procedure.name == *name);
        let others = (2..).map(|n| format!("{name}.{n}"));
        std::iter::once(name.to_string())
            .chain(others)
            .find(|name| !taken(name))
            .expect("there are enough names")
    }

    /// The body of a function, and of the procedure around it that the environment calls.
    pub(super) fn define(&mut self, id: FunctionId) {
        let function = self.program.function(id);
        if self.always_fails(id) {
            self.define_failing(id);
            return;
        }
        let (Some(body), Some(CoreFunction::Procedure(outer))) = (&function.body, self.functions[id.index()])
        else {
            return;
        };
        let inner = match self.inner[id.index()] {
            Some(CoreFunction::Procedure(inner)) => inner,
            _ => outer,
        };
        // What is never read too early needs no bit.
        let mut all = early(body);
        let declared = declarations(body).into_iter().map(|(id, ..)| id);
        let unions: BTreeSet<VariableId> =
            declared.filter(|id| self.program.has_union(&body.variables[id.index()].ty)).collect();
        all.extend(&unions);
        let mut bits = self.lower_body(id, inner, body, &all);
        if !all.is_empty() {
            let statements = &self.module.procedure(inner).body;
            let needed = first_use::needed(&self.module, statements, &bits.keys().copied().collect());
            bits.retain(|bit, variable| needed.contains(bit) || unions.contains(variable));
            let some: BTreeSet<VariableId> = bits.into_values().collect();
            self.lower_body(id, inner, body, &some);
        }
        if inner != outer {
            self.wrap(id, inner, outer, function.span);
        }
    }

    /// Lowers a body, with bits for some variables; gives the bits with their variables.
    fn lower_body(
        &mut self,
        id: FunctionId,
        procedure: ProcedureId,
        body: &crate::tree::Body,
        early: &BTreeSet<VariableId>,
    ) -> BTreeMap<LocalId, VariableId> {
        let mut bits = BTreeMap::new();
        self.body = Body { function: Some(id), labels: vec![None; body.labels], ..Body::default() };
        self.body.result = self.module.signature(self.module.procedure(procedure).signature).result.clone();
        self.body.yields =
            self.forgets() && self.inner[id.index()].is_none() && self.is_called_by_environment(id);
        let done = self.variables(body);
        if self.report(done).is_none() {
            return bits;
        }
        let outer = self.inner[id.index()].is_none() && self.is_called_by_environment(id);
        if outer {
            self.body.gives = Some(self.program.function(id).ty.result.clone());
            let parameters = self.parameters(body);
            self.arrive(id, &parameters, self.program.function(id).span);
        } else if let Some(flag) = self.own_call.filter(|_| self.effects.is_value(id)) {
            self.zero(Base::Module(flag), self.program.function(id).span);
        }
        self.enter(body.parameters, self.program.function(id).span);
        self.watch_blocks(body);
        for variable in early {
            if self.is_stored(variable.index()) {
                continue;
            }
            for local in self.locals(*variable).to_vec() {
                let Local { length, span, .. } = self.body.locals[local.index()].clone();
                let bit = self.local(None, Sort::Data(Data::Bool), length, span);
                self.body.bits.insert(local, bit);
                bits.insert(bit, *variable);
            }
        }
        if self.effects.is_recursive(Some(id)) {
            self.nothing_lost(Moment::Repeats, self.program.function(id).span);
        }
        for statement in &body.statements {
            self.statement(statement);
        }
        // `main` gives 0 at its end.
        match self.program.function(id).ty.result {
            Type::Void => self.returns(None, body.end),
            _ if self.program.function(id).name == "main" => {
                let zero = self.number(Int::ZERO, body.end);
                self.returns(Some(zero), body.end);
            }
            _ => self.gives_nothing(id, body.end),
        }
        let labels = std::mem::take(&mut self.body.labels);
        for (at, wanted) in std::mem::take(&mut self.body.wanted) {
            if let (Statement::Jump(to) | Statement::Branch(_, to, _), Some(label)) =
                (&mut self.body.statements[at].0, labels[wanted.index()])
            {
                *to = label;
            }
        }
        let Body { locals, statements, .. } = std::mem::take(&mut self.body);
        self.module.define(procedure, locals, statements);
        bits
    }

    /// Variables whose addresses are taken and whose blocks may end before the body have a bit that says whether they live.
    fn watch_blocks(&mut self, body: &crate::tree::Body) {
        let Some(function) = self.body.function else { return };
        for (id, _, outer) in declarations(body) {
            if !outer && self.memory.is_addressed(function, id) && self.memory.life(function, id) == Life::Own
            {
                let bit = self.local(None, Sort::Data(Data::Bool), None, body.variables[id.index()].span);
                self.body.alive.insert(id, bit);
            }
        }
    }

    /// The procedure that the environment calls instead of one that the module calls itself, too.
    fn wrap(&mut self, id: FunctionId, inner: ProcedureId, outer: ProcedureId, span: Span) {
        let signature = self.module.signature(self.module.procedure(outer).signature).clone();
        let ty = &self.program.function(id).ty;
        let gives = Some(ty.result.clone());
        self.body =
            Body { result: signature.result.clone(), yields: self.forgets(), gives, ..Body::default() };
        let mut values = Vec::new();
        let mut parameters = Vec::new();
        let scalars: Vec<Type> = ty.parameters.iter().flat_map(|ty| self.scalars(ty)).collect();
        for (sort, scalar) in signature.parameters.into_iter().zip(scalars) {
            let local = self.local(None, sort, None, span);
            values.push(self.read(local, span));
            parameters.push((local, scalar));
        }
        self.arrive(id, &parameters, span);
        let result = signature.result.map(|sort| self.local(None, sort, None, span));
        self.emit(Statement::Call(Callee::Procedure(inner), values, result), span);
        let cells = self.results.get(&id).cloned().unwrap_or_default();
        let given = cells.iter().map(|cell| self.add(Expression::Load(Base::Module(*cell).whole()), span));
        let given: Vec<_> = given.collect();
        self.tell_result(id, &given, span);
        self.forget_results(id, span);
        let value = result.map(|result| self.read(result, span));
        self.returns(value, span);
        let Body { locals, statements, .. } = std::mem::take(&mut self.body);
        self.module.define(outer, locals, statements);
    }

    /// Whether the environment may call a function: it is an export, or its name is a value.
    pub(super) fn is_called_by_environment(&self, id: FunctionId) -> bool {
        self.is_export(id) || self.memory.analysis.given().functions.contains(&id)
    }
}

/// The variables that might be read before they are written: those without an initial value and, where jumps may lead past
/// declarations, all.
pub(super) fn early(body: &crate::tree::Body) -> BTreeSet<VariableId> {
    let declared = declarations(body).into_iter();
    declared.filter(|(_, set, _)| !set || body.labels > 0).map(|(id, ..)| id).collect()
}

/// The variables that a body declares: whether an initial value sets all of them, and whether their block is the body itself.
pub(super) fn declarations(body: &crate::tree::Body) -> Vec<(VariableId, bool, bool)> {
    let mut found = Vec::new();
    let mut waiting: Vec<(&Stmt, bool)> = body.statements.iter().map(|statement| (statement, true)).collect();
    while let Some((statement, outer)) = waiting.pop() {
        match &statement.kind {
            StmtKind::Declare(id, items) => {
                // A structure may be copied though some of its members were never written.
                let scalar = |item: &Item| !matches!(item.value.ty, Type::Struct(_));
                let set = items.as_ref().is_some_and(|items| items.iter().all(scalar));
                found.push((*id, set, outer));
            }
            StmtKind::Block(inner) => waiting.extend(inner.iter().map(|inner| (inner, false))),
            StmtKind::If(_, yes, no) => {
                waiting.extend([Some(yes), no.as_ref()].into_iter().flatten().map(|inner| (&**inner, false)));
            }
            StmtKind::While(_, inner, _) | StmtKind::Do(inner, _) | StmtKind::Switch(_, _, _, inner) => {
                waiting.push((inner, false));
            }
            _ => {}
        }
    }
    found
}
