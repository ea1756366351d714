//! The compiler: every term is compiled once, in one pass, so code is linear in the source.
//!
//! A term is compiled for how it is used: for its value, to be read, to be written, or to be *entered* with what
//! is asked of it, arguments, a read, a write, on the stack. Closures are entered; everything else is inline.

mod formulas;
mod module;
mod variables;

pub use module::compile_module;

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};

use agon_base::id::number;
use agon_base::int::Int;
use agon_base::refused::Refused;
use agon_base::source::Span;
use agon_core::checks::{Check, Kind, Watch};
use agon_core::term::{Construct, Judgement, LabelId, Mode, New, Operator, TermId, Terms, VarId};
use agon_core::types::{Data, Type};

use super::assemble::Assembler;
use super::code::{Cell, Closure, ClosureId, Code, Index, Instruction, Pc, SlotId};
use super::guarded::{Guarded, guarded};
use super::ranges::ranges;
use crate::arena::{Arena, ComponentId};
use crate::values::{CellId, Shape, Slot};

/// Compiles a sequential program.
pub fn compile(judgement: &Judgement, arena: &Arena) -> Result<Code, Refused> {
    judgement.sequential()?;
    compile_any(judgement, arena)
}

/// Compiles a program that may be concurrent. Then every instruction accesses at most one cell.
pub fn compile_any(judgement: &Judgement, arena: &Arena) -> Result<Code, Refused> {
    let threaded = judgement.mode == Mode::Concurrent;
    let code = Code { threaded, places: vec![None; judgement.terms.len()], ..Code::default() };
    let mut compiler = Compiler {
        terms: &judgement.terms,
        assembler: Assembler::new(code, arena),
        refusal: None,
        guarded: if threaded { guarded(judgement) } else { Guarded::default() },
        free: HashMap::new(),
        cells: HashMap::new(),
        ranges: ranges(&judgement.terms),
        scope: Scope::default(),
        waiting: Vec::new(),
        formulas: vec![None; judgement.terms.len()],
        watch: judgement.watch,
    };
    compiler.code.watch = judgement.watch;
    for (id, component) in arena.components() {
        if let (Some(var), None) = (component.variable, component.parent) {
            compiler.free.insert(var, id);
        }
    }
    compiler.code.entry = compiler.here();
    compiler.enter(judgement.body);
    while let Some((closure, term, scope)) = compiler.waiting.pop() {
        let entry = compiler.here();
        if let Closure::Code { entry: place, .. } = &mut compiler.code.closures[closure.index()] {
            *place = entry;
        }
        compiler.code.entries.insert(entry, judgement.terms.span(term));
        compiler.scope = scope;
        compiler.enter(term);
    }
    if let Some(refusal) = compiler.refusal {
        return Err(refusal);
    }
    Ok(compiler.assembler.code)
}

struct Compiler<'a> {
    terms: &'a Terms,
    assembler: Assembler,
    /// Something that a concurrent machine cannot play.
    refusal: Option<Refused>,
    guarded: Guarded,
    free: HashMap<VarId, ComponentId>,
    /// The variables that are cells or arrays of the program's own.
    cells: HashMap<VarId, SlotId>,
    /// For each term, between which numbers its value lies, where that is known.
    ranges: Vec<Option<(Int, Int)>>,
    scope: Scope,
    /// Closures whose code is still to be written, with the scope it will run in.
    waiting: Vec<(ClosureId, TermId, Scope)>,
    /// For each term whether it is a formula, once that was asked.
    formulas: Vec<Option<bool>>,
    /// Which checks count. Unless nobody asks, there is at most one in each instruction.
    watch: Watch,
}

impl Deref for Compiler<'_> {
    type Target = Assembler;

    fn deref(&self) -> &Assembler {
        &self.assembler
    }
}

impl DerefMut for Compiler<'_> {
    fn deref_mut(&mut self) -> &mut Assembler {
        &mut self.assembler
    }
}

/// Where variables and labels are at run time.
#[derive(Clone, Default)]
struct Scope {
    places: HashMap<Captured, Index>,
    len: Index,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Captured {
    Variable(VarId),
    Label(LabelId),
}

impl Scope {
    fn push(&mut self, captured: Captured) {
        self.places.insert(captured, self.len);
        self.len.0 += 1;
    }

    fn pop(&mut self) {
        self.len.0 -= 1;
    }
}

impl Compiler<'_> {
    /// An instruction that may fail, and what it checks.
    fn emit_check(&mut self, instruction: Instruction, term: TermId) {
        let span = self.terms.span(term);
        let pc = self.emit(instruction, span);
        if let Some(check) = Check::of(self.terms, term) {
            self.code.failing.insert(pc, check);
            if check.kind != Kind::Assertion {
                self.code.deciding.push((pc, check));
            }
        }
    }

    /// A jump that skips a branch: where that is the failure of an assertion, it decides the assertion.
    fn emit_branch(&mut self, no: TermId, span: Span) -> Pc {
        let pc = self.emit(Instruction::JumpIfZero(Pc(0)), span);
        let check = Check::of(self.terms, no).filter(|check| check.kind == Kind::Assertion);
        self.code.deciding.extend(check.map(|check| (pc, check)));
        pc
    }

    /// The slot for a term's value while something else is evaluated.
    fn slot_of(&mut self, term: TermId) -> SlotId {
        let shape = match &self.ranges[term.index()] {
            Some((low, high)) => Shape::Range(low.clone(), high.clone()),
            None => Shape::Data(Data::Int),
        };
        self.slot(Slot { shape, length: None, cell: None })
    }

    fn place(&self, captured: Captured) -> Index {
        self.scope.places[&captured]
    }

    fn deeper<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || f(self))
    }

    /// Code that puts the term's value into the accumulator and goes on behind it.
    fn value(&mut self, term: TermId) {
        let start = self.here();
        self.deeper(|compiler| compiler.value_here(term));
        self.code.places[term.index()] = Some((start, self.here()));
    }

    fn value_here(&mut self, term: TermId) {
        let terms = self.terms;
        let span = terms.span(term);
        if let Some(formula) = self.formula(term) {
            self.emit(Instruction::Evaluate(formula), span);
            return;
        }
        match terms.construct(term) {
            Construct::Number(_) => unreachable!("a number is a formula"),
            Construct::Skip | Construct::BeginPredicate(_) | Construct::EndPredicate(_) => {}
            Construct::Abort(_) if !self.watch.counts(terms, term) => {
                self.emit(Instruction::Diverge, span);
            }
            Construct::Abort(_) => self.emit_check(Instruction::Abort, term),
            Construct::Diverge => {
                self.emit(Instruction::Diverge, span);
            }
            Construct::Variable(var) => match self.free.get(var) {
                Some(component) => {
                    let call = Instruction::Call(*component, Box::new([]));
                    self.emit(call, span);
                }
                None => self.called(term, &[]),
            },
            Construct::Apply(..) => self.application(term),
            Construct::Let(var, definition, body) => self.bound(*var, *definition, *body),
            Construct::Unary(operator, a) => {
                self.value(*a);
                self.emit(Instruction::Unary(*operator), span);
            }
            Construct::Binary(operator, a, b) => self.binary(term, *operator, *a, *b),
            Construct::Wrap(data, a) => {
                let data = self.data(data);
                self.value(*a);
                self.emit(Instruction::Wrap(data), span);
            }
            Construct::Sequence(a, b) => {
                self.value(*a);
                // Behind what never gives control back, anything may stand.
                if *terms.ty(*a) != Type::Never {
                    self.value(*b);
                }
            }
            Construct::If(guard, yes, no) => self.branch(*guard, *yes, *no, Self::value),
            Construct::While(guard, body) => {
                let head = self.emit(Instruction::LoopHead, span);
                self.value(*guard);
                let exit = self.emit(Instruction::JumpIfZero(Pc(0)), span);
                self.value(*body);
                self.emit(Instruction::Jump(head), span);
                self.land(exit);
            }
            Construct::Assign(a, b) => {
                self.value(*b);
                let data = terms.ty(*a).data().cloned().unwrap_or(Data::Int);
                let slot = self.slot(Slot { shape: Shape::Data(data), length: None, cell: None });
                self.write(*a, slot, span);
            }
            Construct::Read(a) => self.read(*a, span),
            Construct::New(new) => {
                let slot = self.begin_cells(new, span);
                self.value(new.body);
                self.end_cells(slot, span);
            }
            Construct::Break(label, body) => self.labelled(*label, *body, false, span),
            Construct::Continue(label, body) => self.labelled(*label, *body, true, span),
            Construct::Goto(label) => {
                let place = self.place(Captured::Label(*label));
                self.emit(Instruction::Goto(place), span);
            }
            Construct::WithPredicate(_, body) => self.value(*body),
            Construct::WrapVariable(..) | Construct::Index(..) | Construct::Lambda(..) => {
                unreachable!("variables and procedures have no value")
            }
            Construct::Parallel(a, b) => {
                let (a, b) = (self.closure(*a), self.closure(*b));
                self.emit(Instruction::Parallel(a, b), span);
            }
            Construct::NewSemaphore(variable, places, taken, body) => {
                let slot = self.begin_semaphore(*variable, *places, *taken, span);
                self.value(*body);
                self.end_cells(slot, span);
            }
            Construct::Grab(a) => self.semaphore(*a, Instruction::Grab, Instruction::PushGrab, span),
            Construct::Release(a) => self.semaphore(*a, Instruction::Release, Instruction::PushRelease, span),
        }
    }

    fn branch(&mut self, guard: TermId, yes: TermId, no: TermId, compile: fn(&mut Self, TermId)) {
        let span = self.terms.span(guard);
        self.value(guard);
        let to_no = self.emit_branch(no, span);
        compile(self, yes);
        let to_end = self.emit(Instruction::Jump(Pc(0)), span);
        self.land(to_no);
        compile(self, no);
        self.land(to_end);
    }

    fn binary(&mut self, term: TermId, operator: Operator, a: TermId, b: TermId) {
        let span = self.terms.span(term);
        if matches!(self.terms.construct(a), Construct::Number(_))
            && let Some(formula) = self.formula(a)
        {
            self.value(b);
            self.emit_check(Instruction::BinaryLeft(operator, formula), term);
            return;
        }
        self.value(a);
        if let Some(formula) = self.formula(b) {
            self.emit_check(Instruction::BinaryRight(operator, formula), term);
            return;
        }
        let slot = self.slot_of(a);
        self.emit(Instruction::Save(slot), span);
        self.value(b);
        self.emit_check(Instruction::BinarySaved(operator, slot), term);
    }

    fn begin_cells(&mut self, new: &New, span: Span) -> SlotId {
        match new.initial {
            Some(initial) => self.value(initial),
            None => {
                let formula = self.constant(Int::ZERO, span);
                self.emit(Instruction::Evaluate(formula), span);
            }
        }
        let cell = CellId::new(self.code.cells.len());
        self.assembler.code.cells.push(Cell {
            name: self.terms.variable(new.variable).name.to_string(),
            variable: Some(new.variable),
            data: new.data.clone(),
            length: new.length,
            span,
            guarded: self.guarded.cells.contains(&new.variable),
        });
        let shape = Shape::Data(new.data.clone());
        let slot = self.slot(Slot { shape, length: new.length, cell: Some(cell) });
        self.code.unbounded_cells |= new.data == Data::Int;
        self.cells.insert(new.variable, slot);
        self.emit(Instruction::New(slot), span);
        self.scope.push(Captured::Variable(new.variable));
        slot
    }

    /// A semaphore is a cell that counts the places that are taken.
    fn begin_semaphore(&mut self, variable: VarId, places: u64, taken: u64, span: Span) -> SlotId {
        let lock = self.guarded.locks.contains(&variable);
        let slot = self.slot(Slot { shape: Shape::Places { places, lock }, length: None, cell: None });
        self.cells.insert(variable, slot);
        self.emit(Instruction::NewSemaphore(slot, taken), span);
        self.scope.push(Captured::Variable(variable));
        slot
    }

    /// Something is done to a semaphore: to one of the program's own at once, to others through the stack.
    fn semaphore(&mut self, term: TermId, own: fn(Index) -> Instruction, push: Instruction, span: Span) {
        if let Some(place) = self.own(term) {
            self.emit(own(place), span);
            return;
        }
        let back = self.emit(Instruction::PushReturn(Pc(0)), span);
        self.emit(push, span);
        self.enter(term);
        self.land(back);
    }

    fn end_cells(&mut self, slot: SlotId, span: Span) {
        self.emit(Instruction::Drop(slot), span);
        self.scope.pop();
    }

    fn bound(&mut self, var: VarId, definition: TermId, body: TermId) {
        let span = self.terms.span(definition);
        let closure = self.closure(definition);
        self.emit(Instruction::Bind(closure), span);
        self.scope.push(Captured::Variable(var));
        self.value(body);
        self.emit(Instruction::Unbind, span);
        self.scope.pop();
    }

    fn labelled(&mut self, label: LabelId, body: TermId, restarts: bool, span: Span) {
        let back = self.emit(Instruction::PushReturn(Pc(0)), span);
        let restart = restarts.then(|| Pc(self.here().0 + 1));
        self.emit(Instruction::BindLabel(restart), span);
        if restarts {
            self.emit(Instruction::LoopHead, span);
        }
        self.scope.push(Captured::Label(label));
        self.value(body);
        self.scope.pop();
        self.emit(Instruction::Return, span);
        self.land(back);
    }

    fn application(&mut self, term: TermId) {
        let span = self.terms.span(term);
        let (head, arguments) = self.terms.spine(term);
        if let Construct::Variable(var) = self.terms.construct(head)
            && let Some(component) = self.free.get(var).copied()
        {
            let arguments: Vec<_> = arguments.into_iter().map(|argument| self.closure(argument)).collect();
            self.emit(Instruction::Call(component, arguments.into()), span);
            return;
        }
        self.called(head, &arguments);
    }

    /// Enters a term with arguments and comes back.
    fn called(&mut self, head: TermId, arguments: &[TermId]) {
        let span = self.terms.span(head);
        let back = self.emit(Instruction::PushReturn(Pc(0)), span);
        self.push_arguments(arguments);
        self.enter(head);
        self.land(back);
    }

    fn push_arguments(&mut self, arguments: &[TermId]) {
        for argument in arguments.iter().rev() {
            let closure = self.closure(*argument);
            let span = self.terms.span(*argument);
            self.emit(Instruction::PushArgument(closure), span);
        }
    }

    /// A variable that is a cell or array of the program's own, by its place.
    fn own(&self, term: TermId) -> Option<Index> {
        match self.terms.construct(term) {
            Construct::Variable(var) if self.cells.contains_key(var) => {
                Some(self.place(Captured::Variable(*var)))
            }
            _ => None,
        }
    }

    fn free_component(&self, term: TermId) -> Option<ComponentId> {
        match self.terms.construct(term) {
            Construct::Variable(var) => self.free.get(var).copied(),
            _ => None,
        }
    }

    /// Code that gives the term what is asked of it on the stack, and goes back.
    fn enter(&mut self, term: TermId) {
        let start = self.here();
        self.deeper(|compiler| compiler.enter_here(term));
        self.code.places[term.index()] = Some((start, self.here()));
    }

    fn enter_here(&mut self, term: TermId) {
        let terms = self.terms;
        let span = terms.span(term);
        match terms.construct(term) {
            Construct::Variable(var) => {
                if let Some(component) = self.free.get(var).copied() {
                    self.emit(Instruction::EnterFree(component), span);
                    // This is the place where P is said to wait.
                    self.emit(Instruction::Return, span);
                    return;
                }
                let place = self.place(Captured::Variable(*var));
                self.emit(Instruction::Enter(place), span);
            }
            Construct::Lambda(var, body) => {
                self.emit(Instruction::BindArgument, span);
                self.scope.push(Captured::Variable(*var));
                self.enter(*body);
                self.scope.pop();
            }
            Construct::Apply(..) => {
                let (head, arguments) = self.terms.spine(term);
                self.push_arguments(&arguments);
                self.enter(head);
            }
            Construct::Let(var, definition, body) => {
                let closure = self.closure(*definition);
                self.emit(Instruction::Bind(closure), span);
                self.scope.push(Captured::Variable(*var));
                self.enter(*body);
                self.scope.pop();
            }
            Construct::Sequence(a, b) => {
                self.value(*a);
                self.enter(*b);
            }
            Construct::If(guard, yes, no) => {
                self.value(*guard);
                let to_no = self.emit_branch(*no, span);
                self.enter(*yes);
                self.land(to_no);
                self.enter(*no);
            }
            Construct::New(new) => {
                self.begin_cells(new, span);
                self.enter(new.body);
                self.scope.pop();
            }
            Construct::NewSemaphore(variable, places, taken, body) => {
                self.begin_semaphore(*variable, *places, *taken, span);
                self.enter(*body);
                self.scope.pop();
            }
            Construct::WithPredicate(_, body) => self.enter(*body),
            Construct::Index(array, index) => {
                let slot = self.slot_of(*index);
                self.value(*index);
                // An index is looked at before the array is.
                if let Type::Array(_, length) = terms.ty(*array) {
                    self.emit_check(Instruction::CheckIndex(*length), term);
                }
                self.emit(Instruction::PushElement(slot), span);
                self.enter(*array);
            }
            Construct::WrapVariable(data, a) => {
                let data = self.data(data);
                self.emit(Instruction::PushWrap(data), span);
                self.enter(*a);
            }
            _ => {
                self.value(term);
                self.emit(Instruction::Return, span);
            }
        }
    }

    /// What the term becomes where it is passed on; its code is written later.
    fn closure(&mut self, term: TermId) -> ClosureId {
        let closure = match self.terms.construct(term) {
            Construct::Variable(var) => match self.free.get(var) {
                Some(component) => Closure::Free(*component),
                None => Closure::Alias(self.place(Captured::Variable(*var))),
            },
            _ => {
                let captured = self.captured(term);
                if self.code.threaded
                    && captured.iter().any(|captured| matches!(captured, Captured::Label(_)))
                {
                    let what =
                        "a jump leaves a thread, an argument or a definition of this concurrent program";
                    let span = self.terms.span(term);
                    self.refusal.get_or_insert(Refused::Construct { what: what.into(), span });
                }
                let captures = captured.iter().map(|captured| self.place(*captured)).collect();
                let mut scope = Scope::default();
                for captured in captured {
                    scope.push(captured);
                }
                let id = ClosureId::new(self.code.closures.len());
                self.waiting.push((id, term, scope));
                Closure::Code { entry: Pc(0), captures }
            }
        };
        self.code.closures.push(closure);
        ClosureId(number(self.code.closures.len()) - 1)
    }

    /// The variables and labels of the scope that a term mentions, in order.
    fn captured(&self, term: TermId) -> Vec<Captured> {
        let mentioned = |term| match self.terms.construct(term) {
            Construct::Variable(var) => Some(Captured::Variable(*var)),
            Construct::Goto(label) => Some(Captured::Label(*label)),
            _ => None,
        };
        let mut found: Vec<Captured> = self.terms.within(term).filter_map(mentioned).collect();
        found.sort_unstable();
        found.dedup();
        // Binders inside the term are in no scope around it: no two binders share a variable.
        found.retain(|captured| self.scope.places.get(captured).is_some_and(|place| *place < self.scope.len));
        found
    }
}
