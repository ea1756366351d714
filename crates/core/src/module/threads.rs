//! Threads: an environment that is in a module several times at once, and threads that a module begins.
//!
//! The module's cells are shared. Each thread of the environment has its own stack of activations; it calls one procedure at a
//! time, and may call again while one of its imports is called. One access to a cell of the module is atomic, and so is one use
//! of a lock; between two of them other threads may run. Memory is sequentially consistent. Cells that stand in no text belong to the
//! access that follows: whether an object lives is found out together with the access to it.
//!
//! A module that begins threads has an environment with one thread, which is thread 0. The others are numbered as they are begun.
//! To the module, the number of a thread is one more.
//!
//! Everything here takes modules whose statements make one access at most ([`Module::with_single_accesses`]). A mutex holds the
//! number of the thread that owns it, from 1; 0 is nobody.

mod lives;
pub mod offers;
pub mod races;
pub mod reach;
pub mod replay;
pub mod scheduled;
pub mod search;

use std::collections::BTreeSet;

use agon_base::int::Int;

use super::evaluate::Fault;
use super::play::Move;
use super::run::{Caller, Frame, Position, Reply, places};
use super::{
    Base, Callee, CellId, Expression, Failure, Function, Liveness, LocalId, Module, Place, ProcedureId,
    Statement, Store,
};
use crate::checks::{Check, Kind};
use agon_base::source::Span;
pub use lives::{Life, MOST_BEGUN, Section};

/// What all threads share.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Shared {
    /// What the module's cells hold.
    pub globals: Store,
    /// The private procedures whose names the environment was given.
    pub escaped: BTreeSet<ProcedureId>,
    /// The threads of a module that begins some, by their numbers; none before it does.
    pub lives: Vec<Life>,
    /// The thread that runs alone, if one does.
    pub alone: Option<Section>,
}

/// A thread of the environment or of the module: its activations, outermost first.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Thread {
    /// The activations.
    pub frames: Vec<Frame>,
    /// Whether it never does anything again.
    pub stuck: bool,
}

/// What a thread does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// The environment is to move in it.
    Environment,
    /// Something that no other thread can see.
    Silent,
    /// It makes an access to a cell of the module, or begins or ends a thread.
    Access,
    /// It takes this mutex.
    Lock(CellId, u64, Span),
    /// It takes a place of this semaphore.
    Grab(CellId, u64),
    /// It gives a place of this semaphore back.
    Release(CellId, u64),
    /// It waits for the end of this thread.
    Join(usize, Span),
    /// The module moves: it calls the environment, returns to it, or ends the program.
    Move,
    /// Nothing ever again.
    Nothing,
}

/// What came of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stepped {
    /// The thread goes on.
    On,
    /// The thread goes on, and another one begins, which has the next number.
    Begins(Thread),
    /// The module has moved, and the environment is to move in the thread.
    Moves(Move),
    /// The module has failed.
    Fails(Failure),
    /// The module has ended the whole program.
    Exits(Int),
    /// It took too many steps, or a number became too large.
    Exhausted,
}

impl Thread {
    /// How many calls by the environment are open.
    pub fn nesting(&self) -> usize {
        self.frames.iter().filter(|frame| frame.caller == Caller::Environment).count()
    }

    /// The function of the environment's that the thread waits for.
    pub fn waits_for(&self) -> Option<Function> {
        self.frames.last()?.waits_for
    }

    /// What the thread does next. That does not depend on what is shared.
    pub fn next(&self, module: &Module) -> Next {
        if self.stuck {
            return Next::Nothing;
        }
        let Some(frame) = self.frames.last().filter(|frame| frame.waits_for.is_none()) else {
            return Next::Environment;
        };
        let (statement, span) = &module.procedure(frame.procedure).body[frame.at];
        // An index that is out of bounds fails, and nobody else sees that.
        let used = |place: Place| match (place.base, self.element(module, place, *span)) {
            (Base::Module(cell), Some(element)) => Some((cell, element)),
            _ => None,
        };
        match statement {
            Statement::Lock(place) => {
                used(*place).map_or(Next::Silent, |(cell, element)| Next::Lock(cell, element, *span))
            }
            Statement::Grab(place) => {
                used(*place).map_or(Next::Silent, |(cell, element)| Next::Grab(cell, element))
            }
            Statement::Release(place) => {
                used(*place).map_or(Next::Silent, |(cell, element)| Next::Release(cell, element))
            }
            Statement::Diverge => Next::Nothing,
            Statement::Exit(_) | Statement::Call(Callee::Import(_), ..) => Next::Move,
            Statement::Return(_) if frame.caller == Caller::Environment => Next::Move,
            Statement::Return(_) if frame.caller == Caller::Elsewhere => Next::Access,
            Statement::Join(thread, _) => {
                let number =
                    self.alone().value(module, *thread).ok().and_then(|number| lives::thread(&number));
                number.map_or(Next::Access, |thread| Next::Join(thread, *span))
            }
            Statement::Begin(..) | Statement::Detach(_) | Statement::Leave(_) | Statement::Atomic(_) => {
                Next::Access
            }
            Statement::Call(Callee::Value(value, _), ..) => {
                match self.alone().value(module, *value).ok().and_then(|value| module.function(&value)) {
                    Some(Function::Import(_) | Function::Foreign(_)) => Next::Move,
                    Some(Function::Procedure(_)) | None => Next::Silent,
                }
            }
            other => match other.written().is_some() || module.read_by(other).is_some() {
                true => Next::Access,
                false => Next::Silent,
            },
        }
    }

    /// The thread with cells of the module that nobody reads.
    fn alone(&self) -> Position {
        Position { frames: self.frames.last().cloned().into_iter().collect(), ..Position::default() }
    }

    /// The element that a place is, whose index reads no cell of the module.
    fn element(&self, module: &Module, place: Place, span: Span) -> Option<u64> {
        match place.index {
            None => Some(0),
            Some(_) => self.alone().locked(module, place, span).ok().map(|((_, element), _)| element),
        }
    }

    /// Forgets what the activations do not need any more.
    pub fn forget_dead(&mut self, liveness: &Liveness) {
        for (n, frame) in self.frames.iter_mut().rev().enumerate() {
            let live = match n == 0 && frame.waits_for.is_none() {
                true => liveness.before(frame.procedure, frame.at),
                false => liveness.at(frame.procedure, frame.at),
            };
            frame.locals.retain(|local| live.contains(&LocalId(local)));
        }
    }
}

impl Shared {
    /// The thread that owns a mutex, from 0.
    pub fn owner(&self, module: &Module, mutex: CellId, element: u64) -> Option<usize> {
        let number = self.globals.held(module, mutex, element).to_u64()?;
        usize::try_from(number).ok()?.checked_sub(1)
    }

    /// Whether a thread that does this next cannot do it now.
    pub fn blocks(&self, module: &Module, thread: usize, next: Next) -> bool {
        match next {
            _ if self.keeps_out(thread) => true,
            Next::Environment | Next::Nothing => true,
            Next::Join(other, _) => self.runs(other),
            Next::Silent | Next::Access | Next::Move => false,
            Next::Lock(mutex, element, _) => {
                self.owner(module, mutex, element).is_some_and(|owner| owner != thread)
            }
            Next::Grab(semaphore, element) => {
                let taken = self.globals.held(module, semaphore, element);
                taken >= Int::from(places(module, Base::Module(semaphore).whole()))
            }
            Next::Release(semaphore, element) => self.globals.held(module, semaphore, element).is_zero(),
        }
    }

    /// The environment makes a legal move in a thread.
    pub fn play(&mut self, module: &Module, thread: &mut Thread, played: &Move) {
        self.with(thread, |position| match played {
            Move::Call(Function::Procedure(id), arguments) => {
                position.enter(module, *id, arguments, Caller::Environment);
            }
            Move::Return(value) => position.resume(module, value.clone()),
            Move::Call(..) | Move::Fail | Move::Exit(_) => {}
        });
    }

    /// A thread that nothing blocks, with its number from 0, does what it does next.
    pub fn step(&mut self, module: &Module, number: usize, thread: &mut Thread) -> Stepped {
        let hidden = thread.uses_hidden(module);
        let stepped = match self.live(module, number, thread) {
            Some(Ok(stepped)) => Ok(stepped),
            Some(Err(fault)) => Err(fault),
            None => self.with(thread, |position| step(module, number, position)).map(|reply| match reply {
                None => Stepped::On,
                Some(Reply::Moves(reply)) => Stepped::Moves(reply),
                Some(Reply::Exits(n)) => Stepped::Exits(n),
                Some(Reply::Ends(value)) => {
                    self.ends(number, thread, value);
                    Stepped::On
                }
                Some(_) => {
                    *thread = Thread { frames: Vec::new(), stuck: true };
                    Stepped::On
                }
            }),
        };
        match hidden {
            Some(hidden) => self.groups(module, number, thread, hidden),
            None => self.ends_group(module, number, thread),
        }
        match stepped {
            Ok(stepped) => stepped,
            Err(Fault::Fails(failure)) if module.watch.watches(failure.check) => Stepped::Fails(failure),
            Err(Fault::TooLarge) => Stepped::Exhausted,
            // Where a check that does not count fails, the thread diverges.
            Err(Fault::Fails(_)) => {
                *thread = Thread { frames: Vec::new(), stuck: true };
                Stepped::On
            }
        }
    }

    /// A thread goes on as long as it runs alone and nothing blocks it; then it does what nobody else can see. Where races are
    /// looked for, each access is a step of its own.
    pub fn run_on(&mut self, module: &Module, number: usize, thread: &mut Thread, steps: u64) -> Stepped {
        let mut taken = 0;
        loop {
            match self.settle(module, number, thread, steps) {
                Stepped::On => {}
                ended => return ended,
            }
            if !self.goes_on_alone(module, number, thread) {
                return Stepped::On;
            }
            taken += 1;
            if taken > steps {
                return Stepped::Exhausted;
            }
            match self.step(module, number, thread) {
                Stepped::On => {}
                ended => return ended,
            }
        }
    }

    /// A thread does what nobody else can see, until it makes an access or a move.
    pub fn settle(&mut self, module: &Module, number: usize, thread: &mut Thread, steps: u64) -> Stepped {
        // Such steps depend on the thread alone, so one that comes back to where it was never ends.
        let mut before = thread.clone();
        let mut wait = 1;
        for n in 1..=steps {
            if thread.next(module) != Next::Silent {
                return Stepped::On;
            }
            match self.step(module, number, thread) {
                Stepped::On => {}
                ended => return ended,
            }
            if *thread == before {
                *thread = Thread { frames: Vec::new(), stuck: true };
                self.ends_group(module, number, thread);
                return Stepped::On;
            }
            if n == wait {
                (before, wait) = (thread.clone(), 2 * wait);
            }
        }
        Stepped::Exhausted
    }

    /// Does something with the position that a thread and the shared cells are.
    fn with<T>(&mut self, thread: &mut Thread, act: impl FnOnce(&mut Position) -> T) -> T {
        let (globals, escaped) = (std::mem::take(&mut self.globals), std::mem::take(&mut self.escaped));
        let mut position = Position { globals, escaped, frames: std::mem::take(&mut thread.frames) };
        let result = act(&mut position);
        let Position { globals, escaped, frames } = position;
        (self.globals, self.escaped, thread.frames) = (globals, escaped, frames);
        result
    }
}

/// One statement. Mutexes have owners here.
fn step(module: &Module, number: usize, position: &mut Position) -> Result<Option<Reply>, Fault> {
    let Some(frame) = position.frames.last() else { return Ok(Some(Reply::Diverges)) };
    let procedure = module.procedure(frame.procedure);
    let (statement, span) = &procedure.body[frame.at];
    let (Statement::Lock(place) | Statement::TryLock(place, _) | Statement::Unlock(place)) = statement else {
        return position.step(module, &BTreeSet::new());
    };
    let own = Int::from(number as u64 + 1);
    let (element, owner) = position.locked(module, *place, *span)?;
    match statement {
        Statement::Lock(_) if !owner.is_zero() => return Err(Fault::of(Kind::Lock, *span)),
        Statement::Unlock(_) if owner != own => return Err(Fault::of(Kind::Unlock, *span)),
        Statement::Unlock(_) => position.write(module, procedure, element, Int::ZERO),
        Statement::TryLock(_, to) => {
            let free = owner.is_zero();
            let taken = (Base::Local(*to), 0);
            position.write(module, procedure, taken, Int::truth(free));
            if free {
                position.write(module, procedure, element, own);
            }
        }
        _ => position.write(module, procedure, element, own),
    }
    if let Some(frame) = position.frames.last_mut() {
        frame.at += 1;
    }
    Ok(None)
}

/// The failure of a deadlock that a thread closes: it waits for a mutex whose owner waits for a mutex, or for the end of a thread
/// that does, and so on, back to the thread; or a thread waits for a mutex whose owner has ended. Other threads may still run. Of the
/// checks of all threads of the circle one that counts is given.
pub fn deadlock(
    module: &Module,
    shared: &Shared,
    next: impl Fn(usize) -> Next,
    from: usize,
) -> Option<Failure> {
    let starts = match shared.has_ended(from) {
        true => 0..shared.lives.len(),
        false => from..from + 1,
    };
    let checks = starts.into_iter().find_map(|from| circle(module, shared, &next, from))?;
    let check = checks.into_iter().find(|check| module.watch.watches(*check))?;
    Some(Failure { check, index: None })
}

/// The checks of the threads that wait for each other, if the first one waits for itself in the end, or for ever.
fn circle(
    module: &Module,
    shared: &Shared,
    next: &impl Fn(usize) -> Next,
    from: usize,
) -> Option<Vec<Check>> {
    let mut circle = vec![from];
    let mut checks = Vec::new();
    loop {
        let at = *circle.last()?;
        let (other, span) = match next(at) {
            Next::Lock(mutex, element, span) => {
                let owner = shared.owner(module, mutex, element).filter(|owner| *owner != at)?;
                if shared.has_ended(owner) {
                    checks.push(Check { span, kind: Kind::Deadlock });
                    return Some(checks);
                }
                (owner, span)
            }
            Next::Join(other, span) if shared.runs(other) => (other, span),
            _ => return None,
        };
        checks.push(Check { span, kind: Kind::Deadlock });
        match other {
            other if other == from => return Some(checks),
            other if circle.contains(&other) => return None,
            other => circle.push(other),
        }
    }
}
