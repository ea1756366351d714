//! Calls about locks that are written as other expressions: kinds of mutexes, and what is done once.
//!
//! A `pthread_once_t` is a mutex and whether the routine has run. The mutex is held while it runs: others wait, and a call from
//! inside the routine waits for itself. The kind in the attributes of a mutex is a number, which `pthread_mutex_init` is given.
//! An argument that is needed twice is evaluated once, and kept in a variable.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use lang_c::ast::CallExpression;

use super::expressions::after;
use super::functions::{behind, is_number};
use super::operators::{mistyped, number};
use super::{Checked, Translator};
use crate::library::Known;
use crate::tree::{Argument, Callee, Expr, ExprKind, Place, PlaceKind};
use crate::types::Type;

/// What `pthread_mutexattr_settype` gives for a kind that there is not.
const EINVAL: i64 = 22;
/// The kinds of mutexes: normal, recursive, checking, and one that is like the normal one.
const KINDS: u64 = 4;

impl Translator<'_> {
    /// A call of a function that becomes another expression; nothing if it is none of them.
    pub(super) fn lock_call(
        &mut self,
        name: &str,
        node: &CallExpression,
        span: Span,
    ) -> Checked<Option<Expr>> {
        let count = match name {
            "pthread_once" | "pthread_mutex_init" | "pthread_mutexattr_settype" | "pthread_cond_wait" => 2,
            "pthread_mutexattr_init" | "pthread_mutexattr_destroy" => 1,
            _ => return Ok(None),
        };
        if node.arguments.len() != count {
            let message = format!("`{name}` takes {count} arguments");
            return Err(mistyped(message, span, "another number of arguments"));
        }
        let call = match name {
            "pthread_mutex_init" => self.mutex_init(name, node, span),
            "pthread_cond_wait" => self.wait(name, node, span),
            "pthread_once" => self.once(name, node, span),
            _ => self.set_kind(name, node, span),
        };
        call.map(Some)
    }

    /// The kind in attributes is set.
    fn set_kind(&mut self, name: &str, node: &CallExpression, span: Span) -> Checked<Expr> {
        let first = self.value(&node.arguments[0])?;
        let zero = number(Int::ZERO, self.int(), span);
        let mut value = zero.clone();
        if name == "pthread_mutexattr_settype" {
            value = self.value(&node.arguments[1])?;
            let ExprKind::Number(chosen) = &value.kind else {
                return Err(cannot(name, "the kind must be a constant", span));
            };
            if chosen.to_u64().is_none_or(|chosen| chosen >= KINDS) {
                let first = self.converted(first, &Type::Void, true)?;
                return Ok(after(first, number(Int::from(EINVAL), self.int(), span)));
            }
        }
        let kind = self.kind_of(name, first, span)?;
        let ty = kind.ty.clone();
        let value = self.converted(value, &ty, false)?;
        let set = Expr { kind: ExprKind::Assign(kind, Box::new(value)), ty, span };
        Ok(after(set, zero))
    }

    /// A value that is needed more than once: what sets it first, if it could change, and what gives it.
    fn kept(&mut self, value: Expr) -> (Option<Expr>, Expr) {
        if is_fixed(&value) {
            return (None, value);
        }
        let (ty, span) = (value.ty.clone(), value.span);
        let id = self.temporary(&ty, span);
        let place = Place { kind: PlaceKind::Variable(id), ty: ty.clone(), span };
        let read = Expr { kind: ExprKind::Load(place.clone()), ty: ty.clone(), span };
        (Some(Expr { kind: ExprKind::Assign(place, Box::new(value)), ty, span }), read)
    }

    /// A wait for a condition: the mutex is unlocked and locked again.
    fn wait(&mut self, name: &str, node: &CallExpression, span: Span) -> Checked<Expr> {
        let condition = self.object(&node.arguments[0])?;
        let mutex = self.value(&node.arguments[1])?;
        let (first, mutex) = self.kept(mutex);
        let place = behind(mutex);
        if place.ty != Type::Mutex {
            return Err(cannot(name, "it takes a pointer to `pthread_mutex_t` of agon's `pthread.h`", span));
        }
        let arguments = vec![condition, Argument::Object(place)];
        let kind = ExprKind::Library(Known::Wait, name.to_string(), arguments);
        let call = Expr { kind, ty: self.int(), span };
        Ok(first.into_iter().fold(call, |call, first| after(first, call)))
    }

    /// The kind in the attributes of a mutex.
    fn kind_of(&self, name: &str, attributes: Expr, span: Span) -> Checked<Place> {
        let place = behind(attributes);
        match self.named_member(&place, 0, "kind") {
            Some(kind) if kind.ty == self.int() => Ok(kind),
            _ => Err(cannot(name, "it takes a pointer to `pthread_mutexattr_t` of agon's `pthread.h`", span)),
        }
    }

    /// A member of a structure, if it has this name.
    fn named_member(&self, place: &Place, at: usize, name: &str) -> Option<Place> {
        let Type::Struct(id) = &place.ty else { return None };
        let members = self.program.structs[id.0 as usize].members.as_ref()?;
        let member = members.get(at).filter(|member| member.name.as_deref() == Some(name))?;
        let kind = PlaceKind::Member(Box::new(place.clone()), at);
        Some(Place { kind, ty: member.ty.clone(), span: place.span })
    }

    /// A mutex is made, perhaps of a kind that attributes say.
    fn mutex_init(&mut self, name: &str, node: &CallExpression, span: Span) -> Checked<Expr> {
        let place = behind(self.value(&node.arguments[0])?);
        if place.ty != Type::Mutex {
            return Err(cannot(name, "it takes a pointer to `pthread_mutex_t` of agon's `pthread.h`", span));
        }
        let mutex = Argument::Object(place);
        let attributes = self.value(&node.arguments[1])?;
        let normal = number(Int::ZERO, self.int(), span);
        let (mut first, mut kind) = (None, normal.clone());
        if !is_null(&attributes) {
            self.program.kinds_are_given = true;
            let given = matches!(attributes.kind, ExprKind::Address(_));
            let (set, attributes) = self.kept(attributes);
            first = set;
            let place = self.kind_of(name, attributes.clone(), span)?;
            kind = self.load(place)?;
            if !given {
                let condition = self.truth(attributes);
                let ty = self.int();
                let either = ExprKind::Conditional(Box::new(condition), Box::new(kind), Box::new(normal));
                kind = Expr { kind: either, ty, span };
            }
        }
        self.program.kinds_are_reset = true;
        let kind = ExprKind::Library(Known::MutexInit, name.to_string(), vec![mutex, Argument::Value(kind)]);
        let call = Expr { kind, ty: self.int(), span };
        Ok(first.into_iter().fold(call, |call, first| after(first, call)))
    }

    /// Something is done once: `lock, done ? 0 : (routine(), done = 1), unlock, 0`.
    fn once(&mut self, name: &str, node: &CallExpression, span: Span) -> Checked<Expr> {
        let control = self.value(&node.arguments[0])?;
        let routine = self.value(&node.arguments[1])?;
        let ((set_control, control), (set_routine, routine)) = (self.kept(control), self.kept(routine));
        let place = behind(control);
        let parts = (self.named_member(&place, 0, "agon_running"), self.named_member(&place, 1, "agon_done"));
        let (Some(mutex), Some(done)) = parts else {
            return Err(cannot(name, "it takes a pointer to `pthread_once_t` of agon's `pthread.h`", span));
        };
        let Some(ty) = routine.ty.pointed_function().cloned() else {
            return Err(mistyped("what is done once is a function", span, "not a function"));
        };
        if !ty.parameters.is_empty() || ty.result != Type::Void {
            return Err(mistyped("what is done once takes and gives nothing", span, "another type"));
        }
        let (int, zero) = (self.int(), number(Int::ZERO, self.int(), span));
        let library = |known, name: &str| {
            let arguments = vec![Argument::Object(mutex.clone())];
            Expr { kind: ExprKind::Library(known, name.into(), arguments), ty: int.clone(), span }
        };
        let (lock, unlock) = (library(Known::Lock, name), library(Known::Unlock, name));
        let callee = match routine.kind {
            ExprKind::Function(id) => Callee::Function(id),
            _ => Callee::Pointer(Box::new(routine)),
        };
        let call = Expr { kind: ExprKind::Call(callee, vec![]), ty: Type::Void, span };
        let one = number(Int::ONE, int.clone(), span);
        let set = Expr { kind: ExprKind::Assign(done.clone(), Box::new(one)), ty: int.clone(), span };
        let (condition, first) = (self.truth(self.load(done)?), after(call, after(set, zero.clone())));
        let kind = ExprKind::Conditional(Box::new(condition), Box::new(zero.clone()), Box::new(first));
        let body = Expr { kind, ty: int, span };
        let call = after(lock, after(body, after(unlock, zero)));
        Ok([set_routine, set_control].into_iter().flatten().fold(call, |call, first| after(first, call)))
    }
}

fn cannot(name: &str, why: &str, span: Span) -> Diagnostic {
    let message = format!("this call of `{name}` cannot be carried out: {why}");
    Diagnostic::error(Code::LibraryFunction, message, span, "called here")
}

/// Whether an argument is a null pointer.
fn is_null(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Convert(inner) => is_null(inner),
        _ => is_number(value),
    }
}

/// Whether a value is always the same, and evaluating it does nothing.
fn is_fixed(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Number(_) | ExprKind::Function(_) => true,
        ExprKind::Address(place) => is_fixed_place(place),
        ExprKind::Convert(inner) => is_fixed(inner),
        _ => false,
    }
}

/// Whether a place is always the same.
fn is_fixed_place(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Object(_) | PlaceKind::Variable(_) => true,
        PlaceKind::Member(inner, _) => is_fixed_place(inner),
        PlaceKind::Element(inner, index) => is_fixed_place(inner) && is_fixed(index),
        PlaceKind::Target(pointer) => is_fixed(pointer),
    }
}
