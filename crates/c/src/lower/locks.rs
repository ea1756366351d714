//! Mutexes of three kinds: the normal one, the recursive one, and the one that checks for errors.
//!
//! The normal one is a mutex of the core. A recursive one is a count. One that checks for errors is a mutex of the core, too, but is
//! looked at before it is used. Without threads, whoever uses a mutex that is taken has taken it.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::Kind;
use agon_core::module::{Base, CellKind, Expression, ExpressionId, Place, Sort, Statement};
use agon_core::term::{Operator, Unary};
use agon_core::types::Data;

use super::Lowering;
use crate::library::Known;
use crate::tree::Object;

/// What functions of `pthread.h` give.
const EPERM: i64 = 1;
const EBUSY: i64 = 16;
const EDEADLK: i64 = 35;

/// A recursive mutex is taken at most this many times at once. That is a bound of the model.
const MOST_TIMES: i64 = 8;

/// A kind of mutex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lock {
    Normal,
    Recursive,
    Checking,
}

impl Lock {
    /// The cell of a mutex.
    pub fn cell(self) -> CellKind {
        match self {
            Lock::Normal | Lock::Checking => CellKind::Mutex,
            Lock::Recursive => CellKind::Value(Sort::Data(Data::Machine { signed: false, bits: 8 })),
        }
    }
}

impl Lowering<'_> {
    /// The kind of the mutexes of an object that have one path.
    pub(super) fn lock_of(&self, object: &Object, leaf: usize, count: u64) -> Result<Lock, Diagnostic> {
        let refused = |what: &str| {
            let diagnostic = Diagnostic::error(Code::NotInC, what, object.span, "not supported");
            Err(diagnostic.help("use mutexes of the normal kind"))
        };
        let kinds: Vec<i64> = object
            .initial
            .iter()
            .filter(|item| item.leaf == leaf)
            .map(|item| self.initial(&item.value).to_i64().unwrap_or(0))
            .collect();
        let first = kinds.first().copied().unwrap_or(0);
        if kinds.iter().any(|kind| *kind != first) || (first != 0 && kinds.len() as u64 != count) {
            return refused("an array of mutexes of several kinds is not supported");
        }
        let lock = match first {
            0 | 3 => return Ok(Lock::Normal),
            1 => Lock::Recursive,
            _ => Lock::Checking,
        };
        match self.several() {
            true => refused("with several threads, only mutexes of the normal kind are supported"),
            false => Ok(lock),
        }
    }

    /// A use of a mutex; gives the result of the call.
    pub(super) fn lock(&mut self, known: Known, mutex: Place, span: Span) -> ExpressionId {
        let kind = match mutex.base {
            Base::Module(cell) => self.locks.get(&cell).copied().unwrap_or(Lock::Normal),
            Base::Local(_) => Lock::Normal,
        };
        match (known, kind) {
            (Known::MutexInit, Lock::Recursive) => {
                let free = self.compared(Operator::Equal, mutex, 0, span);
                self.emit(Statement::Assert(free, Kind::Lock), span);
                self.number(Int::ZERO, span)
            }
            (Known::MutexInit, _) => {
                let free = self.tried(mutex, span);
                self.emit(Statement::Assert(free, Kind::Lock), span);
                self.emit(Statement::Unlock(mutex), span);
                self.number(Int::ZERO, span)
            }
            (Known::Lock | Known::TryLock, Lock::Recursive) => {
                let room = self.compared(Operator::Less, mutex, MOST_TIMES, span);
                let bound = self.module.add_bound(format!("{MOST_TIMES} locks of a recursive mutex at once"));
                self.emit(Statement::Assert(room, Kind::Bound(bound)), span);
                self.counted(Operator::Add, mutex, span);
                self.number(Int::ZERO, span)
            }
            (Known::Lock, Lock::Checking) => self.unless(mutex, EDEADLK, span),
            (Known::TryLock, _) => self.unless(mutex, EBUSY, span),
            (Known::Lock, Lock::Normal) => {
                self.emit(Statement::Lock(mutex), span);
                self.number(Int::ZERO, span)
            }
            (_, Lock::Recursive) => {
                let held = self.compared(Operator::Greater, mutex, 0, span);
                self.emit(Statement::Assert(held, Kind::Unlock), span);
                self.counted(Operator::Subtract, mutex, span);
                self.number(Int::ZERO, span)
            }
            (_, Lock::Checking) => {
                let refused = self.tried(mutex, span);
                self.emit(Statement::Unlock(mutex), span);
                let status = self.number(Int::from(EPERM), span);
                self.binary(Operator::Multiply, refused, status, span)
            }
            (_, Lock::Normal) => {
                self.emit(Statement::Unlock(mutex), span);
                self.number(Int::ZERO, span)
            }
        }
    }

    /// Takes a mutex if it is free, and says whether it was.
    fn tried(&mut self, mutex: Place, span: Span) -> ExpressionId {
        let free = self.local(None, Sort::Data(Data::Bool), None, span);
        self.emit(Statement::TryLock(mutex, free), span);
        self.read(free, span)
    }

    /// Takes a mutex; gives a status if it is taken already.
    fn unless(&mut self, mutex: Place, status: i64, span: Span) -> ExpressionId {
        let free = self.tried(mutex, span);
        let taken = self.add(Expression::Unary(Unary::Not, free), span);
        let status = self.number(Int::from(status), span);
        self.binary(Operator::Multiply, taken, status, span)
    }

    fn compared(&mut self, operator: Operator, count: Place, number: i64, span: Span) -> ExpressionId {
        let count = self.add(Expression::Load(count), span);
        let number = self.number(Int::from(number), span);
        self.binary(operator, count, number, span)
    }

    fn counted(&mut self, operator: Operator, count: Place, span: Span) {
        let changed = self.compared(operator, count, 1, span);
        self.emit(Statement::Set(count, changed), span);
    }
}
