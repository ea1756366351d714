//! Threads that a closed program begins.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::module::threads::MOST_BEGUN;
use agon_core::module::{Callee, ExpressionId, Function, Sort, Statement};
use agon_core::term::Operator;

use super::Lowering;
use crate::library::Known;
use crate::tree::{Argument, Expr, ExprKind};
use crate::types::Type;

type Lowered<T> = Result<T, Diagnostic>;

/// The beginning of the names of functions during which no other thread runs.
const ATOMIC: &str = "__VERIFIER_atomic_";

impl Lowering<'_> {
    /// Whether there may be several threads, of the environment or of the program.
    pub(super) fn several(&self) -> bool {
        self.options.threads > 1 || self.program.threads.begin
    }

    /// From here on no other thread runs, or they do again.
    pub(super) fn atomic(&mut self, begins: bool, span: Span) {
        if self.several() {
            self.emit(Statement::Atomic(begins), span);
        }
    }

    /// Whether no other thread runs while a function is called.
    pub(super) fn is_atomic(&self, name: &str) -> bool {
        self.main().is_some() && name.starts_with(ATOMIC)
    }

    /// A call of a function that is about threads.
    pub(super) fn thread_call(
        &mut self,
        (known, name): (Known, &str),
        arguments: &[Argument],
        ty: &Type,
        span: Span,
    ) -> Lowered<Option<ExpressionId>> {
        if self.main().is_none() {
            let message =
                format!("`{name}` cannot be called: a library with threads of its own is not supported");
            let diagnostic = Diagnostic::error(Code::LibraryFunction, message, span, "called here");
            return Err(
                diagnostic.help("`--threads-of-environment n` has a library called by several threads")
            );
        }
        match (known, arguments) {
            (
                Known::BeginThread,
                [Argument::Object(to), Argument::Value(start), Argument::Value(argument)],
            ) => {
                let callee = self.start_of(start)?;
                let value = self.value(argument)?;
                let sort = self.sort(&to.ty, span)?;
                let thread = self.local(None, sort, None, span);
                let bound = self.module.add_bound(format!("{MOST_BEGUN} threads"));
                self.emit(Statement::Begin(callee, vec![value], thread, bound), span);
                self.each(to, &mut |this, part| {
                    let (to, number) = (this.scalar(&part), this.read(thread, span));
                    this.store(to, number, span);
                    Ok(())
                })?;
            }
            (Known::JoinThread, [Argument::Value(thread), to @ ..]) => {
                let thread = self.value(thread)?;
                let given = match to {
                    [Argument::Object(to)] => {
                        let sort = self.sort(&to.ty, span)?;
                        Some((to, self.local(None, sort, None, span)))
                    }
                    _ => None,
                };
                self.emit(Statement::Join(thread, given.map(|(_, given)| given)), span);
                if let Some((to, given)) = given {
                    self.each(to, &mut |this, part| {
                        let (to, value) = (this.scalar(&part), this.read(given, span));
                        this.store(to, value, span);
                        Ok(())
                    })?;
                }
            }
            (Known::DetachThread, [Argument::Value(thread)]) => {
                let thread = self.value(thread)?;
                self.emit(Statement::Detach(thread), span);
            }
            (Known::EndThread, [Argument::Value(value)]) => {
                let value = self.value(value)?;
                let sort = self.pointer_sort(&Type::Void);
                let value = self.stable(value, sort, span);
                self.leave(span);
                self.emit(Statement::Leave(Some(value)), span);
                return Ok(None);
            }
            (Known::OwnThread, _) => {
                let sort = self.sort(ty, span)?;
                let thread = self.local(None, sort, None, span);
                self.emit(Statement::Itself(thread), span);
                return Ok(Some(self.read(thread, span)));
            }
            (Known::SameThread, [Argument::Value(a), Argument::Value(b)]) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                return Ok(Some(self.binary(Operator::Equal, a, b, span)));
            }
            // A wait may end without a signal: only the mutex counts.
            (Known::Wait, [_, Argument::Object(mutex)]) => {
                self.lock_at(Known::Unlock, mutex, None, span)?;
                self.lock_at(Known::Lock, mutex, None, span)?;
            }
            _ => _ = self.arguments(arguments)?,
        }
        Ok(Some(self.number(Int::ZERO, span)))
    }

    /// What a thread begins with.
    fn start_of(&mut self, start: &Expr) -> Lowered<Callee> {
        let direct = match &start.kind {
            ExprKind::Function(id) => self.functions[id.index()],
            _ => None,
        };
        if let Some(Function::Procedure(id)) = direct {
            return Ok(Callee::Procedure(id));
        }
        let Some(ty) = start.ty.pointed_function().cloned() else {
            let message = "a thread begins with a function";
            return Err(Diagnostic::error(Code::CType, message, start.span, "not a function"));
        };
        let signature = self.signature(&ty, start.span)?;
        let value = self.value(start)?;
        let sort: Sort = self.module.function_sort(signature);
        Ok(Callee::Value(self.stable(value, sort, start.span), signature))
    }
}
