//! The lives of threads that a module begins, and threads that run alone.

use agon_base::int::Int;
use agon_base::source::Span;

use super::{Base, Expression, Fault, Next, Shared, Statement, Stepped, Thread};
use crate::checks::Kind;
use crate::module::run::Caller;
use crate::module::{Callee, Function, LocalId, Module, Place};

/// A module that has begun this many threads begins no more: a bound of the model.
pub const MOST_BEGUN: usize = 32;

/// What is known of a thread.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Life {
    /// It runs, and somebody may wait for its end.
    Runs,
    /// It runs, and nobody may wait for its end.
    Detached,
    /// It has ended with a value, and nobody has waited for that yet.
    Ended(Option<Int>),
    /// It has ended, and that is all.
    Over,
}

/// A thread that runs alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Section {
    /// The thread.
    pub thread: usize,
    /// How many atomic sections it is in.
    sections: u32,
    /// Whether its last access was to a cell that stands in no text.
    hidden: bool,
}

/// The thread that a number of the module's means.
pub(super) fn thread(number: &Int) -> Option<usize> {
    usize::try_from(number.to_u64()?).ok()?.checked_sub(1)
}

/// The number by which the module knows a thread.
fn number(thread: usize) -> Int {
    Int::from(thread as u64 + 1)
}

impl Shared {
    /// Whether a thread runs that others may wait for.
    pub(super) fn runs(&self, thread: usize) -> bool {
        self.lives.get(thread) == Some(&Life::Runs)
    }

    /// Whether a thread has ended.
    pub fn has_ended(&self, thread: usize) -> bool {
        matches!(self.lives.get(thread), Some(Life::Ended(_) | Life::Over))
    }

    /// Whether another thread runs alone.
    pub fn keeps_out(&self, thread: usize) -> bool {
        self.alone.is_some_and(|alone| alone.thread != thread)
    }

    /// Whether a thread makes its next access at once, since no other thread can do anything before.
    pub(super) fn goes_on_alone(&self, module: &Module, number: usize, thread: &Thread) -> bool {
        self.alone.is_some_and(|alone| alone.thread == number)
            && !module.watches_races()
            && thread.next(module) == Next::Access
            && !thread.begins(module)
    }

    /// A thread ends.
    pub(super) fn ends(&mut self, number: usize, thread: &mut Thread, value: Option<Int>) {
        *thread = Thread { frames: Vec::new(), stuck: true };
        self.alone = self.alone.filter(|alone| alone.thread != number);
        if self.lives.is_empty() {
            self.lives.push(Life::Runs);
        }
        if let Some(life) = self.lives.get_mut(number) {
            *life = if *life == Life::Detached { Life::Over } else { Life::Ended(value) };
        }
    }

    /// What a thread does to threads, if its next statement is about that.
    pub(super) fn live(
        &mut self,
        module: &Module,
        this: usize,
        thread: &mut Thread,
    ) -> Option<Result<Stepped, Fault>> {
        let frame = thread.frames.last()?;
        let (statement, _) = &module.procedure(frame.procedure).body[frame.at];
        let about = matches!(
            statement,
            Statement::Begin(..)
                | Statement::Join(..)
                | Statement::Detach(_)
                | Statement::Leave(_)
                | Statement::Itself(_)
                | Statement::Atomic(_)
        );
        about.then(|| self.live_on(module, this, thread, statement))
    }

    fn live_on(
        &mut self,
        module: &Module,
        this: usize,
        thread: &mut Thread,
        statement: &Statement,
    ) -> Result<Stepped, Fault> {
        let span = thread.place(module).unwrap_or_default();
        let value = |shared: &mut Shared, thread: &mut Thread, id| {
            shared.with(thread, |position| position.value(module, id))
        };
        let mut begins = None;
        match statement {
            Statement::Begin(callee, arguments, to, bound) => {
                let called = match *callee {
                    Callee::Procedure(id) => Some(Function::Procedure(id)),
                    Callee::Import(id) => Some(Function::Import(id)),
                    Callee::Value(id, _) => module.function(&value(self, thread, id)?),
                };
                let Some(Function::Procedure(procedure)) = called else {
                    return Err(Fault::of(Kind::Null, span));
                };
                let parameters = &module.signature(module.procedure(procedure).signature).parameters;
                let mut values = Vec::with_capacity(arguments.len());
                for (argument, sort) in arguments.iter().zip(parameters) {
                    values.push(module.wrap(&value(self, thread, *argument)?, sort));
                }
                if self.lives.is_empty() {
                    self.lives.push(Life::Runs);
                }
                if self.lives.len() > MOST_BEGUN {
                    return Err(Fault::of(Kind::Bound(*bound), span));
                }
                let mut begun = Thread::default();
                self.with(&mut begun, |position| {
                    position.enter(module, procedure, &values, Caller::Elsewhere);
                });
                self.store(module, thread, *to, number(self.lives.len()));
                self.lives.push(Life::Runs);
                begins = Some(begun);
            }
            Statement::Join(id, to) => {
                let other = super::lives::thread(&value(self, thread, *id)?);
                match other.and_then(|other| self.lives.get_mut(other)) {
                    Some(life @ Life::Ended(_)) => {
                        if let (Life::Ended(Some(value)), Some(to)) =
                            (std::mem::replace(life, Life::Over), to)
                        {
                            self.store(module, thread, *to, value);
                        }
                    }
                    _ => return Err(Fault::of(Kind::Join, span)),
                }
            }
            Statement::Detach(id) => {
                let other = super::lives::thread(&value(self, thread, *id)?);
                match other.and_then(|other| self.lives.get_mut(other)) {
                    Some(life @ Life::Ended(_)) => *life = Life::Over,
                    Some(life @ Life::Runs) => *life = Life::Detached,
                    _ => return Err(Fault::of(Kind::Join, span)),
                }
            }
            Statement::Leave(id) => {
                let value = id.map(|id| value(self, thread, id)).transpose()?;
                self.ends(this, thread, value);
                return Ok(Stepped::On);
            }
            Statement::Itself(to) => self.store(module, thread, *to, number(this)),
            Statement::Atomic(true) => {
                let alone = self.alone.get_or_insert(Section { thread: this, sections: 0, hidden: false });
                alone.sections += 1;
            }
            // An end without a beginning is no end.
            Statement::Atomic(false) => {
                if let Some(alone) = &mut self.alone {
                    alone.sections = alone.sections.saturating_sub(1);
                }
                self.alone = self.alone.filter(|alone| alone.sections > 0 || alone.hidden);
            }
            _ => {}
        }
        if let Some(frame) = thread.frames.last_mut() {
            frame.at += 1;
        }
        Ok(begins.map_or(Stepped::On, Stepped::Begins))
    }

    fn store(&mut self, module: &Module, thread: &mut Thread, to: LocalId, value: Int) {
        let Some(procedure) = thread.frames.last().map(|frame| module.procedure(frame.procedure)) else {
            return;
        };
        self.with(thread, |position| position.write(module, procedure, (Base::Local(to), 0), value));
    }

    /// If a thread has come to where it may wait, or does nothing any more, others run again.
    pub(super) fn ends_group(&mut self, module: &Module, this: usize, thread: &Thread) {
        if self.alone.is_some_and(|alone| alone.thread == this && alone.hidden) {
            self.groups(module, this, thread, true);
        }
    }

    /// A thread has made an access. Those to cells that stand in no text belong to the one that follows, unless that may wait.
    pub(super) fn groups(&mut self, module: &Module, this: usize, thread: &Thread, hidden: bool) {
        let goes_on = matches!(thread.next(module), Next::Silent | Next::Access);
        let hidden = hidden && goes_on;
        match &mut self.alone {
            Some(alone) if alone.thread == this => alone.hidden = hidden,
            Some(_) => {}
            None if hidden => self.alone = Some(Section { thread: this, sections: 0, hidden }),
            None => {}
        }
        self.alone = self.alone.filter(|alone| alone.sections > 0 || alone.hidden);
    }
}

impl Thread {
    /// Where the next statement stands.
    pub(super) fn place(&self, module: &Module) -> Option<Span> {
        let frame = self.frames.last()?;
        Some(module.procedure(frame.procedure).body[frame.at].1)
    }

    /// Whether the next statement ends the activation that the thread began with.
    pub(super) fn ends(&self, module: &Module) -> bool {
        let returns = self.statement(module).is_some_and(|next| matches!(next, Statement::Return(_)));
        returns && self.frames.last().is_some_and(|frame| frame.caller == Caller::Elsewhere)
    }

    /// Whether the next statement begins a thread.
    pub(super) fn begins(&self, module: &Module) -> bool {
        self.statement(module).is_some_and(|statement| matches!(statement, Statement::Begin(..)))
    }

    /// The statement that comes next.
    pub(super) fn statement<'a>(&self, module: &'a Module) -> Option<&'a Statement> {
        let frame = self.frames.last()?;
        Some(&module.procedure(frame.procedure).body[frame.at].0)
    }

    /// If the module has cells that stand in no text and the next statement makes an access: whether that is to such a cell.
    pub(super) fn uses_hidden(&self, module: &Module) -> Option<bool> {
        if !module.hides() {
            return None;
        }
        let statement = self.statement(module)?;
        let read = || match module.expression(module.read_by(statement)?) {
            Expression::Load(place) => Some(*place),
            _ => None,
        };
        match statement.written().or_else(read) {
            Some(Place { base: Base::Module(cell), .. }) => Some(module.is_hidden(cell)),
            // Behind a check that is not about cells the group is still open.
            _ => match self.next(module) {
                Next::Silent => None,
                _ => Some(false),
            },
        }
    }
}
