//! The compiler of modules: each procedure is compiled once, statement by statement.
//!
//! The scope of a body is the cells of the module, then those of the activation. A call puts its arguments on the store and
//! then runs the callee on the same stack. Calls of imports wait for the environment. So do, for the engine, calls of
//! procedures that may call themselves: these are summarised.

mod expressions;

use std::collections::BTreeSet;
use std::sync::Arc;

use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::{Check, Kind};
use agon_core::module::{
    Base, Callee, CellId as ModuleCellId, CellKind, ExpressionId, Function, Label, Liveness, LocalId, Module,
    Place, ProcedureId, SignatureId, Sort, Statement,
};
use agon_core::term::Operator;
use agon_core::types::Data;

use crate::arena::{Arena, ComponentId, Role, Roles, data_of};
use crate::machine::assemble::Assembler;
use crate::machine::code::{
    Cell, Code, Formula, FormulaStep, Index, Instruction, ModuleCode, Pc, ProcedureCode, SlotId,
};
use crate::values::{CellId, Shape, Slot};

/// Compiles a module, which has this arena.
pub fn compile_module(module: &Arc<Module>, arena: &Arena, roles: Roles) -> Code {
    let mentioned = module.mentioned();
    let private = |id: &ProcedureId| !module.procedure(*id).exported;
    let mut compiler = Compiler {
        module,
        out: Assembler::new(Code::default(), arena),
        roles,
        recursive: module.cut_at(),
        escapable: mentioned.into_iter().filter(private).collect(),
        linked: Vec::new(),
        names: Vec::new(),
        cells: Vec::new(),
        procedures: Vec::new(),
        live: Liveness::of(module),
    };
    compiler.declare_cells();
    for (id, _) in module.procedures() {
        compiler.declare(id);
    }
    for (id, _) in module.procedures() {
        compiler.body(id);
        compiler.openings(id);
    }
    compiler.out.code.watch = module.watch;
    let Compiler { out, roles, escapable, linked, names, cells, procedures, .. } = compiler;
    let mut code = out.code;
    code.module = Some(Arc::new(ModuleCode {
        module: module.clone(),
        roles,
        escapable,
        linked,
        names,
        cells,
        procedures,
    }));
    code
}

struct Compiler<'a> {
    module: &'a Module,
    out: Assembler,
    roles: Roles,
    recursive: BTreeSet<ProcedureId>,
    escapable: Vec<ProcedureId>,
    linked: Vec<(ComponentId, CellId)>,
    names: Vec<CellId>,
    cells: Vec<(SlotId, Vec<Int>)>,
    procedures: Vec<ProcedureCode>,
    live: Liveness,
}

/// Jumps to statements that are not written yet.
type Pending = Vec<(Pc, Label)>;

impl Compiler<'_> {
    fn index_of(&self, base: Base) -> Index {
        let place = match base {
            Base::Module(id) => self.escapable.len() + id.index(),
            Base::Local(id) => self.cells.len() + id.index(),
        };
        Index::new(place)
    }

    /// The slot of a cell that can be named.
    fn cell(&mut self, name: &str, data: Data, length: Option<u64>, span: Span) -> (SlotId, CellId) {
        let id = CellId(u32::try_from(self.out.code.cells.len()).expect("cells have 32 bits"));
        self.out.code.unbounded_cells |= data == Data::Int;
        let shape = Shape::Data(data.clone());
        let name = name.to_string();
        self.out.code.cells.push(Cell { name, variable: None, data, length, span, guarded: false });
        (self.out.slot(Slot { shape, length, cell: Some(id) }), id)
    }

    fn declare_cells(&mut self) {
        let module = self.module;
        let bit =
            self.out.slot(Slot { shape: Shape::Places { places: 1, lock: false }, length: None, cell: None });
        self.cells.extend(self.escapable.iter().map(|_| (bit, vec![Int::ZERO])));
        for (id, cell) in module.cells() {
            let data = self.data_of_cell(id);
            let (slot, id) = self.cell(&cell.name, data, cell.length, cell.span);
            if matches!(cell.kind, CellKind::Value(Sort::Function(_))) {
                self.names.push(id);
            }
            self.cells.push((slot, cell.initial.clone()));
        }
    }

    fn data_of_cell(&self, id: ModuleCellId) -> Data {
        match &self.module.cell(id).kind {
            CellKind::Value(sort) => data_of(self.module, sort),
            CellKind::Mutex => Data::Bool,
            CellKind::Semaphore(places) => Data::Mod(Int::from(*places).add(&Int::ONE)),
        }
    }

    fn data_at(&self, procedure: ProcedureId, base: Base) -> Data {
        match base {
            Base::Module(id) => self.data_of_cell(id),
            Base::Local(id) => {
                data_of(self.module, &self.module.procedure(procedure).locals[id.index()].sort)
            }
        }
    }

    /// The cells of a procedure's activations. Intermediate results are kept as they are; all others can be named.
    fn declare(&mut self, id: ProcedureId) {
        let module = self.module;
        let procedure = module.procedure(id);
        let parameters = module.signature(procedure.signature).parameters.len();
        let mut code = ProcedureCode::default();
        for (n, local) in procedure.locals.iter().enumerate() {
            let data = data_of(module, &local.sort);
            let value = self.out.value_slot(data.clone());
            let slot = match (&local.name, local.length) {
                (None, None) if n >= parameters => value,
                (name, length) => {
                    let (slot, cell) = self.cell(name.as_deref().unwrap_or("_"), data, length, local.span);
                    if matches!(local.sort, Sort::Function(_)) {
                        self.names.push(cell);
                    }
                    let role = Role::Parameter(id, u32::try_from(n).unwrap_or(u32::MAX));
                    self.linked.extend(self.roles.component(role).map(|component| (component, cell)));
                    slot
                }
            };
            if n < parameters {
                code.parameters.push((value, slot));
            } else {
                code.locals.push(slot);
            }
        }
        code.callees = module.callees(id).into_iter().filter(|id| !self.recursive.contains(id)).collect();
        self.procedures.push(code);
    }

    /// Where calls from outside begin.
    fn openings(&mut self, id: ProcedureId) {
        let procedure = self.module.procedure(id);
        let span = procedure.span;
        if let Some(condition) = self.module.assumed_call(id) {
            let first = self.cells.len();
            let formula = self.out.condition(condition, &|n| FormulaStep::Load(Index::new(first + n)));
            let entry = self.procedures[id.index()].entry;
            self.procedures[id.index()].assumed = Some(self.out.emit(Instruction::Assume(formula), span));
            self.out.emit(Instruction::Jump(entry), span);
        }
        let call = match self.procedures[id.index()].assumed {
            Some(_) => Instruction::OpenProcedure(id),
            None => Instruction::CallProcedure(id),
        };
        self.procedures[id.index()].opened = self.out.emit(call, span);
        if let Some(sort @ Sort::Function(_)) = &self.module.signature(procedure.signature).result {
            let slot = self.out.value_slot(data_of(self.module, sort));
            for (bit, number) in self.escapes(sort) {
                self.out.emit(Instruction::Save(slot), span);
                self.escape(bit, number, span);
                self.out.emit(Instruction::Restore(slot), span);
            }
        }
        self.out.emit(Instruction::Return, span);
        let Some(component) = self.roles.component(Role::Summarised(id)) else { return };
        self.procedures[id.index()].summarised = Some(self.out.emit(Instruction::CallProcedure(id), span));
        // The value of a summary is one of a cell of its own, so that there are few of them over approximated data.
        if let Some(sort) = &self.module.signature(procedure.signature).result {
            let (slot, cell) = self.cell(&procedure.name, data_of(self.module, sort), None, span);
            self.linked.push((component, cell));
            if matches!(sort, Sort::Function(_)) {
                self.names.push(cell);
            }
            self.out.emit(Instruction::New(slot), span);
            let load = FormulaStep::Load(self.index_of(Base::Local(LocalId(0))));
            let load =
                self.out.add_formula(Formula { steps: vec![load], spans: vec![span], checks: Vec::new() });
            self.out.emit(Instruction::Evaluate(load), span);
            self.procedures[id.index()].locals.push(slot);
        }
        self.out.emit(Instruction::Return, span);
    }

    /// The private procedures that a value of a sort may name: the places of their bits, and their numbers.
    fn escapes(&self, sort: &Sort) -> Vec<(Index, Int)> {
        let Sort::Function(signature) = sort else { return Vec::new() };
        let named = (0..).map(Index).zip(&self.escapable);
        named
            .filter(|(_, id)| self.module.procedure(**id).signature == *signature)
            .map(|(bit, id)| (bit, self.module.number(Function::Procedure(*id))))
            .collect()
    }

    /// The procedure escapes if acc is its number.
    fn escape(&mut self, bit: Index, number: Int, span: Span) {
        let number = self.out.constant(number, span);
        self.out.emit(Instruction::BinaryRight(Operator::Equal, number), span);
        let skip = self.out.emit(Instruction::JumpIfZero(Pc(0)), span);
        self.out.emit(Instruction::Escape(bit), span);
        self.out.land(skip);
    }

    fn body(&mut self, id: ProcedureId) {
        let module = self.module;
        let procedure = module.procedure(id);
        let code = &mut self.procedures[id.index()];
        code.entry = self.out.here();
        let locals = code.locals.clone();
        if !locals.is_empty() {
            let zero = self.out.constant(Int::ZERO, procedure.span);
            self.out.emit(Instruction::Evaluate(zero), procedure.span);
            for slot in locals {
                self.out.emit(Instruction::New(slot), procedure.span);
            }
        }
        let body = &procedure.body;
        let mut heads = vec![false; body.len()];
        for (at, (statement, _)) in body.iter().enumerate() {
            let (first, second) = match statement {
                Statement::Branch(_, yes, no) => (Some(yes), Some(no)),
                Statement::Jump(to) => (Some(to), None),
                _ => (None, None),
            };
            for to in first.into_iter().chain(second).filter(|to| to.index() <= at) {
                heads[to.index()] = true;
            }
        }
        let mut places = Vec::with_capacity(body.len());
        let mut pending = Pending::new();
        for (at, (statement, span)) in body.iter().enumerate() {
            places.push(self.out.here());
            if heads[at] {
                self.out.emit(Instruction::LoopHead, *span);
            }
            self.statement((id, at), statement, *span, &mut pending);
        }
        for (jump, to) in pending {
            self.out.aim(jump, places[to.index()]);
        }
    }

    fn statement(
        &mut self,
        (id, at): (ProcedureId, usize),
        statement: &Statement,
        span: Span,
        pending: &mut Pending,
    ) {
        match statement {
            Statement::Set(place, value) => {
                self.evaluate(*value, span);
                let data = self.data_at(id, place.base);
                self.wrap(*value, id, &data, span);
                self.store(*place, span);
            }
            Statement::Fill(base, value) => {
                self.evaluate(*value, span);
                let data = self.data_at(id, *base);
                self.wrap(*value, id, &data, span);
                let index = self.index_of(*base);
                self.out.emit(Instruction::Fill(index), span);
            }
            Statement::Branch(condition, yes, no) => {
                self.evaluate(*condition, span);
                pending.push((self.out.emit(Instruction::JumpIfZero(Pc(0)), span), *no));
                if yes.index() != at + 1 {
                    pending.push((self.out.emit(Instruction::Jump(Pc(0)), span), *yes));
                }
            }
            Statement::Jump(to) => pending.push((self.out.emit(Instruction::Jump(Pc(0)), span), *to)),
            Statement::Call(callee, arguments, to) => self.call((id, at), *callee, arguments, *to, span),
            Statement::Return(value) => {
                if let Some(value) = value {
                    let result = &self.module.signature(self.module.procedure(id).signature).result;
                    self.evaluate(*value, span);
                    if let Some(sort) = result {
                        self.wrap(*value, id, &data_of(self.module, sort), span);
                    }
                }
                self.out.emit(Instruction::Return, span);
            }
            Statement::Assert(condition, kind) => {
                self.evaluate(*condition, span);
                self.fail_if_zero(*kind, span);
            }
            Statement::Fail(kind) => self.fail(*kind, span),
            Statement::Exit(value) => {
                self.evaluate(*value, span);
                self.out.emit(Instruction::Exit, span);
            }
            Statement::Diverge => _ = self.out.emit(Instruction::Diverge, span),
            Statement::Lock(place) => {
                self.evaluate_free(*place, span);
                self.fail_if_zero(Kind::Lock, span);
                self.number(Int::ONE, span);
                self.store(*place, span);
            }
            Statement::TryLock(place, to) => {
                self.evaluate_free(*place, span);
                self.store(Base::Local(*to).whole(), span);
                self.number(Int::ONE, span);
                self.store(*place, span);
            }
            Statement::Unlock(place) => {
                self.load(*place, &[], span);
                self.fail_if_zero(Kind::Unlock, span);
                self.number(Int::ZERO, span);
                self.store(*place, span);
            }
            Statement::Grab(place) => {
                let places = match place.base {
                    Base::Module(id) => self.module.cell(id).kind.places(),
                    Base::Local(_) => 1,
                };
                let free = [FormulaStep::Number(Int::from(places)), FormulaStep::Binary(Operator::Less)];
                self.load(*place, &free, span);
                self.wait_for(*place, Operator::Add, span);
            }
            Statement::Release(place) => {
                self.load(*place, &[], span);
                self.wait_for(*place, Operator::Subtract, span);
            }
            // The machine has one thread: nobody else is there to be kept out.
            Statement::Atomic(_) => {}
            // It has the first number.
            Statement::Itself(to) => {
                self.number(Int::ONE, span);
                self.store(Base::Local(*to).whole(), span);
            }
            // Modules with threads of their own are run by `agon_core::module::threads`.
            Statement::Begin(..) | Statement::Join(..) | Statement::Detach(_) | Statement::Leave(_) => {
                _ = self.out.emit(Instruction::Diverge, span)
            }
            Statement::BeginPredicate(_) | Statement::EndPredicate(_) => {}
        }
    }

    /// Changes a semaphore by one place if acc is not 0. Otherwise nobody will ever do so first: there is one thread.
    fn wait_for(&mut self, place: Place, operator: Operator, span: Span) {
        let zero = self.out.emit(Instruction::JumpIfZero(Pc(0)), span);
        let change = [FormulaStep::Number(Int::ONE), FormulaStep::Binary(operator)];
        self.load(place, &change, span);
        self.store(place, span);
        let end = self.out.emit(Instruction::Jump(Pc(0)), span);
        self.out.land(zero);
        self.out.emit(Instruction::Diverge, span);
        self.out.land(end);
    }

    fn call(
        &mut self,
        (id, at): (ProcedureId, usize),
        callee: Callee,
        arguments: &[ExpressionId],
        to: Option<LocalId>,
        span: Span,
    ) {
        match callee {
            Callee::Procedure(callee) => {
                self.call_function((id, at), Function::Procedure(callee), (None, arguments), to, span)
            }
            Callee::Import(import) => {
                self.call_function((id, at), Function::Import(import), (None, arguments), to, span);
            }
            Callee::Value(value, signature) => {
                self.evaluate(value, span);
                self.fail_if_zero(Kind::Null, span);
                let mut ends = Vec::new();
                let own = self.module.nameable(signature).map(Function::Procedure);
                let of_type = |import: &Function| self.module.type_of(*import) == signature;
                let imports = self.module.imports().map(|(id, _)| Function::Import(id)).filter(of_type);
                for function in own.chain(imports).collect::<Vec<_>>() {
                    let number = self.module.number(function);
                    self.evaluate(value, span);
                    let number = self.out.constant(number, span);
                    self.out.emit(Instruction::BinaryRight(Operator::Equal, number), span);
                    let skip = self.out.emit(Instruction::JumpIfZero(Pc(0)), span);
                    self.call_function((id, at), function, (None, arguments), to, span);
                    ends.push(self.out.emit(Instruction::Jump(Pc(0)), span));
                    self.out.land(skip);
                }
                // What is left is a name of the environment's own.
                let foreign = Function::Foreign(1);
                self.call_function((id, at), foreign, (Some((value, signature)), arguments), to, span);
                ends.into_iter().for_each(|end| self.out.land(end));
            }
        }
    }

    /// Calls a function; one of the environment's own is named by a value.
    fn call_function(
        &mut self,
        (id, at): (ProcedureId, usize),
        function: Function,
        (named, arguments): (Option<(ExpressionId, SignatureId)>, &[ExpressionId]),
        to: Option<LocalId>,
        span: Span,
    ) {
        let module = self.module;
        let signature = named.map_or_else(|| module.type_of(function), |(_, signature)| signature);
        let leaves = !matches!(function, Function::Procedure(_));
        let name = named.map(|(value, _)| {
            let slot = self.out.value_slot(data_of(module, &Sort::Function(signature)));
            self.evaluate(value, span);
            self.out.emit(Instruction::Save(slot), span);
            slot
        });
        let mut slots = Vec::new();
        for (argument, sort) in arguments.iter().zip(&module.signature(signature).parameters) {
            let data = data_of(module, sort);
            let slot = self.out.value_slot(data.clone());
            self.evaluate(*argument, span);
            self.wrap(*argument, id, &data, span);
            self.out.emit(Instruction::Save(slot), span);
            slots.push(slot);
            for (bit, number) in self.escapes(sort).into_iter().filter(|_| leaves) {
                self.evaluate(*argument, span);
                self.escape(bit, number, span);
            }
        }
        let saved = &mut self.procedures[id.index()].saved;
        *saved = (*saved).max(u32::try_from(slots.len()).unwrap_or(u32::MAX).saturating_add(1));
        let live = self.live.at(id, at);
        let locals = &module.procedure(id).locals;
        let dead = (0..).map(LocalId).take(locals.len()).filter(|local| !live.contains(local));
        for local in dead.collect::<Vec<_>>() {
            let index = self.index_of(Base::Local(local));
            self.out.emit(Instruction::Forget(index), span);
        }
        let role = match function {
            Function::Procedure(callee) if self.recursive.contains(&callee) => Some(Role::Summarised(callee)),
            Function::Procedure(_) => None,
            Function::Import(import) => Some(Role::Import(import)),
            Function::Foreign(_) => Some(Role::Named(signature)),
        };
        match (role.and_then(|role| self.roles.component(role)), function) {
            (Some(component), _) => {
                self.out.emit(Instruction::CallOut(component, name, slots.into()), span);
            }
            (None, Function::Procedure(callee)) => {
                self.out.emit(Instruction::CallProcedure(callee), span);
            }
            (None, _) => unreachable!("everything that is called has a component"),
        }
        if let Some(to) = to {
            self.store(Base::Local(to).whole(), span);
        }
    }

    fn number(&mut self, n: Int, span: Span) {
        let formula = self.out.constant(n, span);
        self.out.emit(Instruction::Evaluate(formula), span);
    }

    fn fail(&mut self, kind: Kind, span: Span) {
        let pc = self.out.emit(Instruction::Abort, span);
        self.out.code.failing.insert(pc, Check { span, kind });
    }

    fn fail_if_zero(&mut self, kind: Kind, span: Span) {
        let zero = self.out.emit(Instruction::JumpIfZero(Pc(0)), span);
        self.out.code.deciding.push((zero, Check { span, kind }));
        let end = self.out.emit(Instruction::Jump(Pc(0)), span);
        self.out.land(zero);
        self.fail(kind, span);
        self.out.land(end);
    }
}
