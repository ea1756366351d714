//! Mutexes of three kinds: the normal one, the recursive one, and the one that checks for errors.
//!
//! The normal one is a mutex of the core. A recursive one is a count. One that checks for errors is a mutex of the core, too, but is
//! looked at before it is used. Without threads, whoever uses a mutex that is taken has taken it. With several threads, a mutex of the
//! latter two kinds is one of the core, with cells for its owner and for how often it was taken. Only the owner finds its own
//! number there, whenever it looks, so it need not look and act at once. If the program gives kinds to mutexes by attributes, each
//! mutex has a cell for its kind, which is looked at where the mutex is used.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::Kind;
use agon_core::module::{
    Base, Cell, CellId, CellKind, Expression, ExpressionId, Label, LocalId, Place, Sort, Statement,
};
use agon_core::term::{Operator, Unary};
use agon_core::types::Data;

use super::Lowering;
use crate::library::Known;
use crate::tree::{Object, ObjectId, Place as TreePlace};
use crate::types::Type;

/// What functions of `pthread.h` give.
const EPERM: i64 = 1;
const EBUSY: i64 = 16;
const EDEADLK: i64 = 35;

/// A recursive mutex is taken at most this many times at once. That is a bound of the model.
const MOST_TIMES: i64 = 8;

/// The end of the path of the mutex of a `pthread_once_t`.
const ONCE: &str = ".agon_running";

/// The cells of a mutex that has an owner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owned {
    owner: CellId,
    times: CellId,
}

/// A kind of mutex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lock {
    Normal,
    Recursive,
    Checking,
    /// A cell says which of these it is.
    Given,
}

impl Lock {
    /// The kind that a number stands for in `pthread.h`.
    fn of(number: i64) -> Lock {
        match number {
            1 => Lock::Recursive,
            2 => Lock::Checking,
            _ => Lock::Normal,
        }
    }

    /// The cell of a mutex. Without threads, that of one that the environment may use is a number: how often it is taken.
    pub fn cell(self, several: bool, shared: bool) -> CellKind {
        match self {
            Lock::Recursive if shared && !several => {
                CellKind::Value(Sort::Data(Data::Mod(Int::from(MOST_TIMES + 1))))
            }
            Lock::Normal | Lock::Checking if shared && !several => CellKind::Value(Sort::Data(Data::Bool)),
            Lock::Normal | Lock::Checking => CellKind::Mutex,
            Lock::Recursive | Lock::Given if several => CellKind::Mutex,
            Lock::Recursive | Lock::Given => {
                CellKind::Value(Sort::Data(Data::Machine { signed: false, bits: 8 }))
            }
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
        let kinds = self.initial_kinds(object, leaf);
        let first = kinds.first().copied().unwrap_or(0);
        if kinds.iter().any(|kind| *kind != first) || (first != 0 && kinds.len() as u64 != count) {
            return refused("an array of mutexes of several kinds is not supported");
        }
        Ok(if self.kinds_are_given() { Lock::Given } else { Lock::of(first) })
    }

    /// The kinds that initialisers say for the mutexes of an object that have one path.
    pub(super) fn initial_kinds(&self, object: &Object, leaf: usize) -> Vec<i64> {
        let items = object.initial.iter().filter(|item| item.leaf == leaf);
        items.map(|item| self.initial(&item.value).to_i64().unwrap_or(0)).collect()
    }

    /// Whether a mutex may change its kind.
    fn kinds_are_given(&self) -> bool {
        let special = |object: &Object| {
            let leaves = self.program.leaves(&object.ty);
            let mut mutexes = leaves.iter().enumerate().filter(|(_, leaf)| leaf.ty == Type::Mutex);
            mutexes.any(|(n, _)| self.initial_kinds(object, n).iter().any(|kind| *kind != 0))
        };
        self.program.kinds_are_given
            || self.program.kinds_are_reset && self.program.objects.iter().any(special)
    }

    /// Whether the state of a mutex is asked for where the module uses it: the environment may have locked or unlocked it.
    pub(super) fn shares_lock(&mut self, id: ObjectId, path: &str) -> Result<bool, Diagnostic> {
        let object = self.program.object(id);
        let name = format!("{}{path}", object.name);
        let refused = if path.ends_with(ONCE) {
            Some("a `pthread_once_t` that the environment may use is not supported")
        } else if self.kinds_are_given() {
            Some("beside attributes of mutexes, a mutex that the environment may lock is not supported")
        } else {
            let message = "with several threads, a mutex that the environment may lock is not supported";
            self.several().then_some(message)
        };
        if let Some(message) = refused {
            let diagnostic = Diagnostic::error(Code::NotInC, message, object.span, "has external linkage");
            let private = format!("make `{name}` `static`, or say `--private-data {}`", object.name);
            return Err(diagnostic.help(private));
        }
        if self.options.compared {
            self.unseen.insert(format!("whether the mutex `{name}` is locked"));
        }
        Ok(!self.options.compared)
    }

    /// A mutex whose kind is given has a cell for it. At first it is of the kind that its initialiser says.
    pub(super) fn declare_kind(&mut self, mutex: CellId, lock: Lock, first: Int) {
        if lock != Lock::Given {
            return;
        }
        let Cell { name, length, span, .. } = self.module.cell(mutex).clone();
        let sort = Sort::Data(Data::Mod(Int::from(4i64)));
        let kind = self.hidden_cell(format!("{name} is of a kind"), sort, length, span);
        self.module.initialise(kind, vec![first]);
        self.kinds.insert(mutex, kind);
    }

    /// What the cell of a mutex holds that is no object with static storage, and its kind: a number, 1 if it is taken.
    pub(super) fn stored_lock(&self, span: Span) -> Result<(Sort, Lock), Diagnostic> {
        let lock = if self.kinds_are_given() { Lock::Given } else { Lock::Normal };
        match lock.cell(self.several(), true) {
            CellKind::Value(sort) => Ok((sort, lock)),
            CellKind::Mutex | CellKind::Semaphore(_) => {
                let message = "with several threads, a mutex in allocated memory is not supported";
                let diagnostic = Diagnostic::error(Code::NotInC, message, span, "has a mutex");
                Err(diagnostic.help("make objects with mutexes `static`, or check with one thread"))
            }
        }
    }

    /// With several threads, a mutex that is not of the normal kind has an owner, and is taken a number of times.
    pub(super) fn declare_owner(&mut self, mutex: CellId, lock: Lock) {
        if lock == Lock::Normal || !self.several() {
            return;
        }
        let Cell { name, length, span, .. } = self.module.cell(mutex).clone();
        let mut cell = |what: &str, bits| {
            let sort = Sort::Data(Data::Machine { signed: false, bits });
            self.hidden_cell(format!("{name} {what}"), sort, length, span)
        };
        let owned = Owned { owner: cell("is owned", 16), times: cell("is taken", 8) };
        self.owned.insert(mutex, owned);
    }

    /// A use of the mutex that a place denotes, whichever it is; a kind is what it gets if it is made.
    pub(super) fn lock_at(
        &mut self,
        known: Known,
        place: &TreePlace,
        kind: Option<ExpressionId>,
        span: Span,
    ) -> Result<ExpressionId, Diagnostic> {
        if self.choices(place) == 1 {
            let part = self.part(place)?;
            let mutex = self.scalar(&part);
            let status = self.lock(known, mutex, span);
            kind.into_iter().for_each(|kind| self.set_kind(mutex, kind, span));
            return Ok(status);
        }
        let result = self.local(None, Sort::Data(Data::Machine { signed: true, bits: 32 }), None, span);
        self.each(place, &mut |this, part| {
            let mutex = this.scalar(&part);
            let status = this.lock(known, mutex, span);
            kind.into_iter().for_each(|kind| this.set_kind(mutex, kind, span));
            this.emit(Statement::Set(Base::Local(result).whole(), status), span);
            Ok(())
        })?;
        Ok(self.read(result, span))
    }

    /// A use of a mutex; gives the result of the call.
    pub(super) fn lock(&mut self, known: Known, mutex: Place, span: Span) -> ExpressionId {
        // A mutex in allocated memory is made before it is used.
        if let Some(bit) = self.set_bit(mutex.base) {
            let made = Place { base: bit, index: mutex.index };
            if known == Known::MutexInit {
                let yes = self.number(Int::ONE, span);
                self.emit(Statement::Set(made, yes), span);
            } else {
                let made = self.add(Expression::Load(made), span);
                self.emit(Statement::Assert(made, Kind::Uninitialised), span);
            }
        }
        let kind = match mutex.base {
            Base::Module(cell) => self.locks.get(&cell).copied().unwrap_or(Lock::Normal),
            Base::Local(_) => Lock::Normal,
        };
        if let Base::Module(cell) = mutex.base
            && let Some(given) = self.kinds.get(&cell).copied()
            && known != Known::MutexInit
        {
            return self.given_lock(known, mutex, given, span);
        }
        if let Base::Module(cell) = mutex.base
            && let Some(owned) = self.owned.get(&cell).copied()
            && known != Known::MutexInit
        {
            return self.owned_lock(known, kind, mutex, owned, span);
        }
        if let Base::Module(cell) = mutex.base
            && let CellKind::Value(_) = self.module.cell(cell).kind
        {
            // What the environment may use is asked for; from here on it is known.
            self.fetch(mutex, span);
            if kind != Lock::Recursive {
                return self.shared_lock(known, kind, mutex, span);
            }
        }
        self.lock_as(known, kind, mutex, span)
    }

    /// A mutex gets a kind.
    pub(super) fn set_kind(&mut self, mutex: Place, kind: ExpressionId, span: Span) {
        if let Base::Module(cell) = mutex.base
            && let Some(given) = self.kinds.get(&cell).copied()
        {
            let to = Place { base: Base::Module(given), index: mutex.index };
            self.emit(Statement::Set(to, kind), span);
        }
    }

    /// A use of a mutex whose kind a cell says.
    fn given_lock(&mut self, known: Known, mutex: Place, given: CellId, span: Span) -> ExpressionId {
        let index = mutex.index.map(|index| {
            let sort = Sort::Data(Data::Machine { signed: false, bits: 64 });
            let kept = self.kept(index, sort, span);
            self.read(kept, span)
        });
        let mutex = Place { index, ..mutex };
        let result = self.local(None, Sort::Data(Data::Machine { signed: true, bits: 32 }), None, span);
        let mut ends = Vec::new();
        for kind in [Lock::Recursive, Lock::Checking, Lock::Normal] {
            let mut other = None;
            if kind != Lock::Normal {
                let number = if kind == Lock::Recursive { 1 } else { 2 };
                let is =
                    self.compared(Operator::Equal, Place { base: Base::Module(given), index }, number, span);
                let here = self.here();
                other = Some(self.emit(Statement::Branch(is, Label(here.0 + 1), here), span));
            }
            let owned = match mutex.base {
                Base::Module(cell) => self.owned.get(&cell).copied(),
                Base::Local(_) => None,
            };
            let status = match (owned, kind) {
                (Some(owned), _) => self.owned_lock(known, kind, mutex, owned, span),
                (None, Lock::Recursive) => self.lock_as(known, kind, mutex, span),
                (None, _) => self.shared_lock(known, kind, mutex, span),
            };
            self.emit(Statement::Set(Base::Local(result).whole(), status), span);
            ends.push(self.jump(span));
            self.patch(&other.map(|at| (at, false)).into_iter().collect::<Vec<_>>());
        }
        self.patch(&ends);
        self.read(result, span)
    }

    /// A use of a mutex of a kind; gives the result of the call.
    fn lock_as(&mut self, known: Known, kind: Lock, mutex: Place, span: Span) -> ExpressionId {
        match (known, kind) {
            (Known::MutexInit, Lock::Recursive | Lock::Given) if !self.several() => {
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
            (Known::Lock, Lock::Normal | Lock::Given) => {
                self.emit(Statement::Lock(mutex), span);
                self.number(Int::ZERO, span)
            }
            (_, Lock::Normal | Lock::Given) => {
                self.emit(Statement::Unlock(mutex), span);
                self.number(Int::ZERO, span)
            }
        }
    }

    /// A use of a mutex that is a number, 1 if it is taken; gives the result of the call.
    fn shared_lock(&mut self, known: Known, kind: Lock, mutex: Place, span: Span) -> ExpressionId {
        let held = self.compared(Operator::NotEqual, mutex, 0, span);
        let free = self.compared(Operator::Equal, mutex, 0, span);
        let status = match (known, kind) {
            (Known::MutexInit, _) | (Known::Lock, Lock::Normal) => {
                self.emit(Statement::Assert(free, Kind::Lock), span);
                None
            }
            (Known::Lock, _) => Some((held, EDEADLK)),
            (Known::TryLock, _) => Some((held, EBUSY)),
            (_, Lock::Checking) => Some((free, EPERM)),
            _ => {
                self.emit(Statement::Assert(held, Kind::Unlock), span);
                None
            }
        };
        let result = self.local(None, Sort::Data(Data::Machine { signed: true, bits: 32 }), None, span);
        let status = match status {
            Some((refused, status)) => {
                let status = self.number(Int::from(status), span);
                self.binary(Operator::Multiply, refused, status, span)
            }
            None => self.number(Int::ZERO, span),
        };
        self.emit(Statement::Set(Base::Local(result).whole(), status), span);
        let taken = self.number(Int::from(i64::from(matches!(known, Known::Lock | Known::TryLock))), span);
        self.emit(Statement::Set(mutex, taken), span);
        self.read(result, span)
    }

    /// A use of a mutex that has an owner; gives the result of the call.
    fn owned_lock(
        &mut self,
        known: Known,
        kind: Lock,
        mutex: Place,
        Owned { owner, times }: Owned,
        span: Span,
    ) -> ExpressionId {
        // Others may change what the index is computed from.
        let index = mutex.index.map(|index| {
            let sort = Sort::Data(Data::Machine { signed: false, bits: 64 });
            let kept = self.kept(index, sort, span);
            self.read(kept, span)
        });
        let [mutex, owner, times] =
            [mutex.base, Base::Module(owner), Base::Module(times)].map(|base| Place { base, index });
        let itself = self.local(None, Sort::Data(Data::Machine { signed: false, bits: 16 }), None, span);
        self.emit(Statement::Itself(itself), span);
        let result = self.local(None, Sort::Data(Data::Machine { signed: true, bits: 32 }), None, span);
        self.gives(result, 0, span);
        let held = self.add(Expression::Load(owner), span);
        let number = self.read(itself, span);
        let own = self.binary(Operator::Equal, held, number, span);
        let here = self.here();
        let other = self.emit(Statement::Branch(own, Label(here.0 + 1), here), span);
        match (known, kind) {
            (Known::Lock | Known::TryLock, Lock::Recursive) => {
                let room = self.compared(Operator::Less, times, MOST_TIMES, span);
                let bound = self.module.add_bound(format!("{MOST_TIMES} locks of a recursive mutex at once"));
                self.emit(Statement::Assert(room, Kind::Bound(bound)), span);
                self.counted(Operator::Add, times, span);
            }
            // It waits for itself.
            (Known::Lock, Lock::Normal) => _ = self.emit(Statement::Lock(mutex), span),
            (Known::Lock, _) => self.gives(result, EDEADLK, span),
            (Known::TryLock, _) => self.gives(result, EBUSY, span),
            _ => {
                self.counted(Operator::Subtract, times, span);
                let more = self.compared(Operator::Greater, times, 0, span);
                let here = self.here();
                let last = self.emit(Statement::Branch(more, here, Label(here.0 + 1)), span);
                let nobody = self.number(Int::ZERO, span);
                self.emit(Statement::Set(owner, nobody), span);
                self.emit(Statement::Unlock(mutex), span);
                self.patch(&[(last, true)]);
            }
        }
        let end = self.jump(span);
        self.patch(&[(other, false)]);
        let mut ends = vec![end];
        match known {
            Known::Lock => _ = self.emit(Statement::Lock(mutex), span),
            Known::TryLock => {
                let free = self.tried(mutex, span);
                let here = self.here();
                let taken = self.emit(Statement::Branch(free, here, Label(here.0 + 1)), span);
                self.gives(result, EBUSY, span);
                ends.push(self.jump(span));
                self.patch(&[(taken, true)]);
            }
            _ if kind == Lock::Checking => {
                self.gives(result, EPERM, span);
                ends.push(self.jump(span));
            }
            _ => {
                self.emit(Statement::Fail(Kind::Unlock), span);
            }
        }
        if matches!(known, Known::Lock | Known::TryLock) {
            let number = self.read(itself, span);
            self.emit(Statement::Set(owner, number), span);
            let once = self.number(Int::ONE, span);
            self.emit(Statement::Set(times, once), span);
        }
        self.patch(&ends);
        self.read(result, span)
    }

    fn gives(&mut self, result: LocalId, status: i64, span: Span) {
        let status = self.number(Int::from(status), span);
        self.emit(Statement::Set(Base::Local(result).whole(), status), span);
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
