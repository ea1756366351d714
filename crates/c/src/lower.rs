//! Lowering: from a C program to a module of cells and procedures.
//!
//! Expressions of the core have no effects. So what an expression does becomes statements, and what is left of it is its value.

mod access;
mod calls;
mod expressions;
mod first_use;
mod places;
mod regions;
mod sorts;
mod statements;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agon_base::diagnostic::Diagnostic;
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::Kind;
use agon_core::module::{
    Base, Callee, Calls, Cell, CellId, CellKind, Expression, ExpressionId, Function as CoreFunction, Import,
    ImportId, Label, Local, LocalId, Module, Procedure, ProcedureId, SignatureId, Sort, Statement,
};

use access::SharedCell;
pub use access::SharedImport;
pub(crate) use access::is_shared;

use crate::effects::Effects;
use crate::options::Options;
use crate::tree::{
    Expr, ExprKind, Function, FunctionId, LabelId, Linkage, ObjectId, Program, Stmt, StmtKind, VariableId,
};
use crate::types::{FunctionType, Type};
use agon_core::types::Data;

/// A module, and what the objects and functions of the program became.
pub struct Lowered {
    /// The module.
    pub module: Module,
    /// The functions, by their ids; nothing for those that are not used.
    pub functions: Vec<Option<CoreFunction>>,
    /// The types of functions that signatures come from.
    pub signatures: Vec<(SignatureId, FunctionType)>,
    /// The imports that stand for what is done to shared objects.
    pub shared: Vec<SharedImport>,
}

/// Lowers a program.
pub fn lower(program: &Program, options: &Options) -> Result<Lowered, Vec<Diagnostic>> {
    let mut lowering = Lowering {
        program,
        options,
        effects: Arc::new(Effects::new(program, options)),
        module: Module::default(),
        objects: vec![],
        signatures: vec![],
        functions: vec![None; program.functions.len()],
        inner: vec![None; program.functions.len()],
        shared: BTreeMap::new(),
        shared_imports: vec![],
        body: Body::default(),
        diagnostics: vec![],
    };
    lowering.module.threads = options.threads.max(1);
    lowering.declare_functions();
    lowering.declare_objects();
    lowering.share_objects();
    for (id, _) in program.functions() {
        lowering.define(id);
    }
    match lowering.diagnostics.is_empty() {
        true => {
            let Lowering { module, functions, signatures, shared_imports: shared, .. } = lowering;
            Ok(Lowered { module, functions, signatures, shared })
        }
        false => Err(lowering.diagnostics),
    }
}

struct Lowering<'a> {
    program: &'a Program,
    options: &'a Options,
    effects: Arc<Effects>,
    module: Module,
    /// The cells of each object, one for each scalar.
    objects: Vec<Vec<CellId>>,
    signatures: Vec<(SignatureId, FunctionType)>,
    functions: Vec<Option<CoreFunction>>,
    /// What functions call that the environment calls as well: the same without what is done when the environment is to move.
    inner: Vec<Option<CoreFunction>>,
    shared: BTreeMap<CellId, SharedCell>,
    shared_imports: Vec<SharedImport>,
    body: Body,
    diagnostics: Vec<Diagnostic>,
}

/// The body that is being lowered.
#[derive(Default)]
struct Body {
    locals: Vec<Local>,
    statements: Vec<(Statement, Span)>,
    /// The cells of each variable, one for each scalar.
    variables: Vec<Vec<LocalId>>,
    types: Vec<Type>,
    result: Option<Sort>,
    /// Where the labels of the function are.
    labels: Vec<Option<Label>>,
    /// Jumps to labels that are not known yet.
    wanted: Vec<(usize, LabelId)>,
    /// Jumps out of the innermost loops and switches, outermost first.
    breaks: Vec<Vec<Hole>>,
    continues: Vec<Vec<Hole>>,
    kept: regions::Kept,
    /// The bits of locals that may be read before they are written.
    bits: BTreeMap<LocalId, LocalId>,
    /// Whether the environment is to move after the body.
    yields: bool,
}

/// A jump whose place is not known yet: the statement, and which of its labels.
type Hole = (usize, bool);

impl Lowering<'_> {
    fn report<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(diagnostic) => {
                if !self.diagnostics.contains(&diagnostic) {
                    self.diagnostics.push(diagnostic);
                }
                None
            }
        }
    }

    fn is_export(&self, id: FunctionId) -> bool {
        let function = self.program.function(id);
        let entry = &self.options.entry;
        function.body.is_some()
            && function.linkage == Linkage::External
            && (entry.is_empty() || entry.contains(&function.name))
            && !self.options.private.contains(&function.name)
    }

    /// Procedures first, then imports, so that names of functions have their numbers.
    fn declare_functions(&mut self) {
        for (id, function) in self.program.functions() {
            if function.body.is_none() {
                continue;
            }
            let signature = self.signature(&function.ty, function.span);
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
        let shares = self.program.objects().any(|(id, _)| self.is_shared(id) && self.effects.touches(id));
        for (id, function) in self.program.functions() {
            let both = self.is_called_by_environment(id) && self.effects.is_called(id);
            if let (true, Some(CoreFunction::Procedure(outer))) = (shares && both, self.functions[id.index()])
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
            if function.body.is_some() || !function.used {
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
            _ if self.options.leaf.contains(name) => Calls::Nothing,
            Some((_, called)) => Calls::Only(called.iter().filter_map(named).collect()),
            None => Calls::Any,
        };
        let returns = self.options.returns.iter().find(|(known, ..)| known == name);
        let returns = returns.map(|(_, low, high)| (low.clone(), high.clone()));
        self.module.restrict(id, returns, calls, function.ends);
        id
    }

    /// A name that no other procedure has: two units may have private functions of one name.
    fn name_of(&self, name: &str) -> String {
        let taken = |name: &str| self.module.procedures().any(|(_, procedure)| *procedure.name == *name);
        let others = (2..).map(|n| format!("{name}.{n}"));
        std::iter::once(name.to_string())
            .chain(others)
            .find(|name| !taken(name))
            .expect("there are enough names")
    }

    fn declare_objects(&mut self) {
        for (_, object) in self.program.objects() {
            let mut cells = Vec::new();
            for leaf in self.program.leaves(&object.ty) {
                let kind = match &leaf.ty {
                    Type::Mutex => Ok(CellKind::Mutex),
                    ty => self.sort(ty, object.span).map(CellKind::Value),
                };
                let Some(kind) = self.report(kind) else { continue };
                cells.push(self.module.add_cell(Cell {
                    name: format!("{}{}", object.name, leaf.path).into(),
                    kind,
                    length: leaf.array.then_some(leaf.count.max(1)),
                    initial: vec![Int::ZERO],
                    span: object.span,
                }));
            }
            self.objects.push(cells);
        }
        for (id, object) in self.program.objects() {
            let leaves = self.program.leaves(&object.ty);
            let mut values: Vec<Vec<Int>> = vec![vec![]; leaves.len()];
            for item in &object.initial {
                let value = self.initial(&item.value);
                let row = usize::try_from(item.row).unwrap_or(usize::MAX);
                let list = &mut values[item.leaf];
                if list.len() <= row {
                    list.resize(row + 1, Int::ZERO);
                }
                list[row] = value;
            }
            for (n, mut list) in values.into_iter().enumerate() {
                // What follows the last value is as the last value; here it is 0.
                if (list.len() as u64) < leaves[n].count {
                    list.push(Int::ZERO);
                }
                while list.len() > 1 && list[list.len() - 1] == list[list.len() - 2] {
                    list.pop();
                }
                if let Some(cell) = self.objects[id.index()].get(n) {
                    self.module.initialise(*cell, list);
                }
            }
        }
    }

    fn share_objects(&mut self) {
        for (id, object) in self.program.objects() {
            if !self.is_shared(id) {
                continue;
            }
            if self.effects.touches(id) {
                let done = self.share(id);
                self.report(done);
            }
            // What the environment can read it can call.
            for function in object.initial.iter().filter_map(|item| named(&item.value)) {
                if let Some(CoreFunction::Procedure(id)) = self.functions[function.index()] {
                    self.module.export(id);
                }
            }
        }
    }

    /// What a constant initialiser is worth.
    fn initial(&self, value: &Expr) -> Int {
        match &value.kind {
            ExprKind::Number(n) => n.clone(),
            ExprKind::Text(n) => Int::from(*n),
            ExprKind::Function(id) => {
                self.functions[id.index()].map_or(Int::ZERO, |function| self.module.number(function))
            }
            ExprKind::Convert(inner) => self.initial(inner),
            _ => Int::ZERO,
        }
    }

    /// The body of a function, and of the procedure around it that the environment calls.
    fn define(&mut self, id: FunctionId) {
        let function = self.program.function(id);
        let (Some(body), Some(CoreFunction::Procedure(outer))) = (&function.body, self.functions[id.index()])
        else {
            return;
        };
        let inner = match self.inner[id.index()] {
            Some(CoreFunction::Procedure(inner)) => inner,
            _ => outer,
        };
        // What is never read too early needs no bit.
        let all = early(body);
        let mut bits = self.lower_body(id, inner, body, &all);
        if !all.is_empty() {
            let statements = &self.module.procedure(inner).body;
            let needed = first_use::needed(&self.module, statements, &bits.keys().copied().collect());
            bits.retain(|bit, _| needed.contains(bit));
            let some: BTreeSet<VariableId> = bits.into_values().collect();
            self.lower_body(id, inner, body, &some);
        }
        if inner != outer {
            self.wrap(inner, outer, function.span);
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
        self.body = Body { labels: vec![None; body.labels], ..Body::default() };
        self.body.result = self.module.signature(self.module.procedure(procedure).signature).result.clone();
        self.body.yields =
            self.forgets() && self.inner[id.index()].is_none() && self.is_called_by_environment(id);
        let done = self.variables(body);
        if self.report(done).is_none() {
            return bits;
        }
        for variable in early {
            for local in self.locals(*variable).to_vec() {
                let Local { length, span, .. } = self.body.locals[local.index()].clone();
                let bit = self.local(None, Sort::Data(Data::Bool), length, span);
                self.body.bits.insert(local, bit);
                bits.insert(bit, *variable);
            }
        }
        for statement in &body.statements {
            self.statement(statement);
        }
        // A function that gives a value and ends without one has nothing to give.
        match self.body.result {
            None => self.returns(None, body.end),
            Some(_) => _ = self.emit(Statement::Fail(Kind::Uninitialised), body.end),
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

    /// The procedure that the environment calls instead of one that the module calls itself, too.
    fn wrap(&mut self, inner: ProcedureId, outer: ProcedureId, span: Span) {
        let signature = self.module.signature(self.module.procedure(outer).signature).clone();
        self.body = Body { result: signature.result.clone(), yields: true, ..Body::default() };
        let mut values = Vec::new();
        for sort in signature.parameters {
            let local = self.local(None, sort, None, span);
            values.push(self.read(local, span));
        }
        let result = signature.result.map(|sort| self.local(None, sort, None, span));
        self.emit(Statement::Call(Callee::Procedure(inner), values, result), span);
        let value = result.map(|result| self.read(result, span));
        self.returns(value, span);
        let Body { locals, statements, .. } = std::mem::take(&mut self.body);
        self.module.define(outer, locals, statements);
    }

    /// Whether the environment may call a function: it is an export, or its name is a value.
    fn is_called_by_environment(&self, id: FunctionId) -> bool {
        self.is_export(id) || self.effects.is_value(id)
    }

    fn local(&mut self, name: Option<String>, sort: Sort, length: Option<u64>, span: Span) -> LocalId {
        let id = LocalId(u32::try_from(self.body.locals.len()).expect("a source text is shorter than 4 GiB"));
        self.body.locals.push(Local { name: name.map(Into::into), sort, length, span });
        id
    }

    /// Adds a statement, and gives its place.
    fn emit(&mut self, statement: Statement, span: Span) -> usize {
        self.body.statements.push((statement, span));
        self.body.statements.len() - 1
    }

    fn here(&self) -> Label {
        Label(u32::try_from(self.body.statements.len()).expect("a source text is shorter than 4 GiB"))
    }

    /// The jumps lead here.
    fn patch(&mut self, holes: &[Hole]) {
        let here = self.here();
        for (at, which) in holes {
            match (&mut self.body.statements[*at].0, which) {
                (Statement::Branch(_, to, _), true) | (Statement::Branch(_, _, to), false) => *to = here,
                (Statement::Jump(to), _) => *to = here,
                _ => {}
            }
        }
    }

    fn jump(&mut self, span: Span) -> Hole {
        (self.emit(Statement::Jump(Label(0)), span), true)
    }

    fn add(&mut self, expression: Expression, span: Span) -> ExpressionId {
        self.module.add(expression, span)
    }

    fn number(&mut self, n: Int, span: Span) -> ExpressionId {
        self.add(Expression::Number(n), span)
    }

    /// A value is kept in a cell of its own.
    fn kept(&mut self, value: ExpressionId, sort: Sort, span: Span) -> LocalId {
        let local = self.local(None, sort, None, span);
        self.emit(Statement::Set(Base::Local(local).whole(), value), span);
        local
    }

    fn read(&mut self, local: LocalId, span: Span) -> ExpressionId {
        self.add(Expression::Load(Base::Local(local).whole()), span)
    }

    fn cells(&self, id: ObjectId) -> &[CellId] {
        &self.objects[id.index()]
    }

    fn locals(&self, id: VariableId) -> &[LocalId] {
        &self.body.variables[id.index()]
    }
}

/// The function that a constant names.
fn named(value: &Expr) -> Option<FunctionId> {
    match &value.kind {
        ExprKind::Function(id) => Some(*id),
        ExprKind::Convert(inner) => named(inner),
        _ => None,
    }
}

/// The variables that might be read before they are written: those without an initial value and, where jumps may lead past
/// declarations, all.
fn early(body: &crate::tree::Body) -> BTreeSet<VariableId> {
    let mut found = BTreeSet::new();
    let mut waiting: Vec<&Stmt> = body.statements.iter().collect();
    while let Some(statement) = waiting.pop() {
        match &statement.kind {
            StmtKind::Declare(id, items) if items.is_none() || body.labels > 0 => _ = found.insert(*id),
            StmtKind::Block(inner) => waiting.extend(inner),
            StmtKind::If(_, yes, no) => {
                waiting.extend([Some(yes), no.as_ref()].into_iter().flatten().map(|s| &**s))
            }
            StmtKind::While(_, inner, _) | StmtKind::Do(inner, _) | StmtKind::Switch(_, _, _, inner) => {
                waiting.push(inner);
            }
            _ => {}
        }
    }
    found
}
