//! Small steps: a module with an explicit stack of activations, run from one move of the environment to the module's answer.

use std::collections::BTreeSet;

use agon_base::int::Int;

use super::evaluate::{Element, Fault, Scene, fill, write};
use super::play::Move;
use super::{
    Base, Callee, ExpressionId, Failure, Function, Label, LocalId, Module, Place, Procedure, ProcedureId,
    Sort, Statement, Store,
};
use crate::checks::Kind;
use agon_base::source::Span;

/// Where a module is while the environment is to move.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Position {
    /// What the module's cells hold.
    pub globals: Store,
    /// The private procedures whose names the environment was given.
    pub escaped: BTreeSet<ProcedureId>,
    /// The activations that are open, outermost first.
    pub frames: Vec<Frame>,
}

/// An activation of a procedure.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Frame {
    /// The procedure.
    pub procedure: ProcedureId,
    /// The statement that comes next; a call that is open is still there.
    pub at: usize,
    /// What its cells hold.
    pub locals: Store,
    /// Who called it.
    pub caller: Caller,
    /// The function of the environment's that it waits for.
    pub waits_for: Option<Function>,
}

/// Who called a procedure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Caller {
    /// The environment.
    Environment,
    /// The activation below it on the stack.
    Below,
    /// An activation that is not on the stack: the stack was cut.
    Elsewhere,
}

/// What a module does when the environment has moved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// It moves, and the environment is to move again.
    Moves(Move),
    /// It calls a procedure at which the stack is cut.
    Calls(ProcedureId, Vec<Int>),
    /// The procedure that the stack was cut at is over, with its value.
    Ends(Option<Int>),
    /// It fails.
    Fails(Failure),
    /// It ends the whole program.
    Exits(Int),
    /// It never moves again.
    Diverges,
    /// It took more steps than it was given, or a number became too large.
    Exhausted,
}

impl Position {
    /// The function of the environment's that the module waits for, if a call by the module is open.
    pub fn waits_for(&self) -> Option<Function> {
        self.frames.last()?.waits_for
    }

    /// How many calls by the environment are open.
    pub fn nesting(&self) -> usize {
        self.frames.iter().filter(|frame| frame.caller == Caller::Environment).count()
    }

    /// The environment makes a legal move, and the module answers within this many steps.
    pub fn play(&mut self, module: &Module, played: &Move, steps: u64) -> Reply {
        self.play_cut(module, played, &BTreeSet::new(), steps)
    }

    /// The same, but the run stops where a procedure of a set is called by the module itself.
    pub fn play_cut(
        &mut self,
        module: &Module,
        played: &Move,
        cut: &BTreeSet<ProcedureId>,
        steps: u64,
    ) -> Reply {
        match played {
            Move::Call(Function::Procedure(id), arguments) => {
                self.enter(module, *id, arguments, Caller::Environment);
            }
            Move::Return(value) => self.resume(module, value.clone()),
            _ => return Reply::Diverges,
        }
        self.run(module, cut, steps)
    }

    /// Runs until the module moves, or a procedure of the set is called.
    pub fn run(&mut self, module: &Module, cut: &BTreeSet<ProcedureId>, steps: u64) -> Reply {
        for _ in 0..steps {
            match self.step(module, cut) {
                Ok(None) => {}
                Ok(Some(reply)) => return reply,
                Err(Fault::Fails(failure)) if module.watch.watches(failure.check) => {
                    return Reply::Fails(failure);
                }
                Err(Fault::Fails(_)) => return Reply::Diverges,
                Err(Fault::TooLarge) => return Reply::Exhausted,
            }
        }
        Reply::Exhausted
    }

    fn scene<'a>(&'a self, module: &'a Module, frame: &'a Frame) -> Scene<'a> {
        let procedure = module.procedure(frame.procedure);
        Scene { module, procedure, globals: &self.globals, locals: &frame.locals }
    }

    /// A procedure is called: its activation becomes the innermost.
    pub fn enter(&mut self, module: &Module, procedure: ProcedureId, arguments: &[Int], caller: Caller) {
        let mut frame = Frame { procedure, at: 0, locals: Store::default(), caller, waits_for: None };
        for (n, value) in (0..).zip(arguments) {
            let to = (Base::Local(LocalId(n)), 0);
            let body = module.procedure(procedure);
            write(module, body, &mut self.globals, &mut frame.locals, to, value.clone());
        }
        self.frames.push(frame);
    }

    /// The call at which the innermost activation waits is over.
    pub fn resume(&mut self, module: &Module, value: Option<Int>) {
        let Some(frame) = self.frames.last_mut() else { return };
        let procedure = module.procedure(frame.procedure);
        if let (Statement::Call(_, _, Some(to)), Some(value)) = (&procedure.body[frame.at].0, value) {
            write(module, procedure, &mut self.globals, &mut frame.locals, (Base::Local(*to), 0), value);
        }
        frame.at += 1;
        frame.waits_for = None;
    }

    /// One statement; a reply if the module moves.
    pub(super) fn step(
        &mut self,
        module: &Module,
        cut: &BTreeSet<ProcedureId>,
    ) -> Result<Option<Reply>, Fault> {
        let Some(top) = self.frames.last().map(|frame| (frame.procedure, frame.at)) else {
            return Ok(Some(Reply::Diverges));
        };
        let procedure = module.procedure(top.0);
        let (statement, span) = &procedure.body[top.1];
        let mut next = Label(u32::try_from(top.1 + 1).expect("labels are numbers of 32 bits"));
        match statement {
            Statement::Set(place, value) => {
                let value = self.value(module, *value)?;
                let element = self.top(module).element(*place, *span)?;
                self.write(module, procedure, element, value);
            }
            Statement::Fill(base, value) => {
                let value = self.value(module, *value)?;
                if let Some(frame) = self.frames.last_mut() {
                    fill(module, procedure, &mut self.globals, &mut frame.locals, *base, value)?;
                }
            }
            Statement::Branch(condition, yes, no) => {
                next = if self.value(module, *condition)?.is_zero() { *no } else { *yes };
            }
            Statement::Jump(to) => next = *to,
            Statement::Call(callee, arguments, _) => {
                let function = match *callee {
                    Callee::Procedure(id) => Function::Procedure(id),
                    Callee::Import(id) => Function::Import(id),
                    Callee::Value(value, _) => {
                        let value = self.value(module, value)?;
                        module.function(&value).ok_or_else(|| Fault::of(Kind::Null, *span))?
                    }
                };
                let mut values = Vec::new();
                let parameters = &module.signature(module.type_of(function)).parameters;
                for (argument, sort) in arguments.iter().zip(parameters) {
                    values.push(module.wrap(&self.value(module, *argument)?, sort));
                }
                if let Function::Procedure(id) = function {
                    if cut.contains(&id) {
                        return Ok(Some(Reply::Calls(id, values)));
                    }
                    self.enter(module, id, &values, Caller::Below);
                    return Ok(None);
                }
                for (value, sort) in values.iter().zip(parameters) {
                    self.escape(module, value, sort);
                }
                if let Some(frame) = self.frames.last_mut() {
                    frame.waits_for = Some(function);
                }
                return Ok(Some(Reply::Moves(Move::Call(function, values))));
            }
            Statement::Return(value) => {
                let result = &module.signature(procedure.signature).result;
                let value = match (value, result) {
                    (Some(value), Some(sort)) => Some(module.wrap(&self.value(module, *value)?, sort)),
                    _ => None,
                };
                match self.frames.pop().map(|frame| frame.caller) {
                    Some(Caller::Environment) => {}
                    Some(Caller::Below) => {
                        self.resume(module, value);
                        return Ok(None);
                    }
                    Some(Caller::Elsewhere) | None => return Ok(Some(Reply::Ends(value))),
                }
                if let (Some(value), Some(sort)) = (&value, result) {
                    self.escape(module, value, sort);
                }
                return Ok(Some(Reply::Moves(Move::Return(value))));
            }
            Statement::Assert(condition, kind) => {
                if self.value(module, *condition)?.is_zero() {
                    return Err(Fault::of(*kind, *span));
                }
            }
            Statement::Fail(kind) => return Err(Fault::of(*kind, *span)),
            Statement::Exit(value) => return Ok(Some(Reply::Exits(self.value(module, *value)?))),
            Statement::Diverge => return Ok(Some(Reply::Diverges)),
            Statement::Lock(place) => {
                let (element, held) = self.locked(module, *place, *span)?;
                if !held.is_zero() {
                    return Err(Fault::of(Kind::Lock, *span));
                }
                self.write(module, procedure, element, Int::ONE);
            }
            Statement::TryLock(place, to) => {
                let (element, held) = self.locked(module, *place, *span)?;
                self.write(module, procedure, element, Int::ONE);
                self.write(module, procedure, (Base::Local(*to), 0), Int::truth(held.is_zero()));
            }
            Statement::Unlock(place) => {
                let (element, held) = self.locked(module, *place, *span)?;
                if held.is_zero() {
                    return Err(Fault::of(Kind::Unlock, *span));
                }
                self.write(module, procedure, element, Int::ZERO);
            }
            Statement::Grab(place) => {
                let (element, taken) = self.locked(module, *place, *span)?;
                if taken >= Int::from(places(module, *place)) {
                    return Ok(Some(Reply::Diverges));
                }
                self.write(module, procedure, element, taken.add(&Int::ONE));
            }
            Statement::Release(place) => {
                let (element, taken) = self.locked(module, *place, *span)?;
                if taken.is_zero() {
                    return Ok(Some(Reply::Diverges));
                }
                self.write(module, procedure, element, taken.sub(&Int::ONE));
            }
            // One thread alone: nobody else is there to be kept out, and threads of the module's own are those of
            // `module::threads`.
            Statement::Atomic(_) => {}
            Statement::Itself(to) => self.write(module, procedure, (Base::Local(*to), 0), Int::ONE),
            Statement::Begin(..) | Statement::Join(..) | Statement::Detach(_) | Statement::Leave(_) => {
                return Ok(Some(Reply::Diverges));
            }
            Statement::BeginPredicate(_) | Statement::EndPredicate(_) => {}
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.at = next.index();
        }
        Ok(None)
    }

    pub(super) fn top<'a>(&'a self, module: &'a Module) -> Scene<'a> {
        self.scene(module, self.frames.last().expect("an activation is open while a statement runs"))
    }

    pub(super) fn value(&self, module: &Module, id: ExpressionId) -> Result<Int, Fault> {
        self.top(module).value(id)
    }

    pub(super) fn locked(&self, module: &Module, place: Place, span: Span) -> Result<(Element, Int), Fault> {
        let scene = self.top(module);
        let element = scene.element(place, span)?;
        Ok((element, scene.load(element.0, element.1)))
    }

    pub(super) fn write(&mut self, module: &Module, procedure: &Procedure, to: Element, value: Int) {
        if let Some(frame) = self.frames.last_mut() {
            write(module, procedure, &mut self.globals, &mut frame.locals, to, value);
        }
    }

    /// The environment gets to know a value. A private procedure that it names can be called from then on.
    fn escape(&mut self, module: &Module, value: &Int, sort: &Sort) {
        if let Some(id) = module.escapes(value, sort) {
            self.escaped.insert(id);
        }
    }
}

/// How many places a semaphore has.
pub(super) fn places(module: &Module, place: Place) -> u64 {
    match place.base {
        Base::Module(id) => module.cell(id).kind.places(),
        Base::Local(_) => 1,
    }
}
