//! Closed programs: what calls `main`.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::Kind;
use agon_core::module::{
    Base, Callee, Expression, Function, LocalId, Place, Procedure, ProcedureId, Signature, Statement,
};

use super::lost::Moment;
use super::{Body, Lowering};
use crate::tree::FunctionId;

/// The procedure that calls `main`, by the name that it has in real programs.
const START: &str = "_start";

/// What a closed program does not define could give or hold a pointer to any function.
pub(super) fn function_given(name: &str, span: Span) -> Diagnostic {
    let message = format!("`{name}` is not defined, so it may be a pointer to any function, or give one");
    let diagnostic = Diagnostic::error(Code::NotInC, message, span, "declared here");
    diagnostic.help("define it, or take the program for a library with `--library`")
}

impl Lowering<'_> {
    /// Adds what the environment calls instead of `main`: it calls `main`, and ends the program with what `main` gives. So `main` is
    /// called once, and nothing follows.
    pub(super) fn start(&mut self, id: FunctionId) {
        let Some(Function::Procedure(main)) = self.functions[id.index()] else { return };
        let unread = self.unread(id, main);
        if self.report(unread).is_none() {
            return;
        }
        let span = self.program.function(id).span;
        let Signature { parameters, result } =
            self.module.signature(self.module.procedure(main).signature).clone();
        self.body = Body::default();
        self.lost_among_threads(span);
        let values = parameters.iter().map(|_| self.number(Int::ZERO, span)).collect();
        let given = result.map(|sort| self.local(None, sort, None, span));
        self.emit(Statement::Call(Callee::Procedure(main), values, given), span);
        let status = match given {
            Some(given) => self.read(given, span),
            None => self.number(Int::ZERO, span),
        };
        self.no_leak(span);
        self.nothing_lost(Moment::Returned, span);
        self.emit(Statement::Exit(status), span);
        let Body { locals, statements: body, .. } = std::mem::take(&mut self.body);
        let signature = self.module.add_signature(Signature { parameters: vec![], result: None });
        let name = self.name_of(START).into();
        self.module.add_procedure(Procedure { name, signature, exported: true, locals, body, span });
    }

    /// The error function does nothing but fail.
    pub(super) fn define_failing(&mut self, id: FunctionId) {
        let Some(Function::Procedure(procedure)) = self.functions[id.index()] else { return };
        let span = self.program.function(id).span;
        let signature = self.module.signature(self.module.procedure(procedure).signature).clone();
        self.body = Body::default();
        for sort in signature.parameters {
            self.local(None, sort, None, span);
        }
        self.emit(Statement::Fail(Kind::Abort), span);
        let Body { locals, statements, .. } = std::mem::take(&mut self.body);
        self.module.define(procedure, locals, statements);
    }

    /// The arguments of `main` are those of the command line. A program that reads them is refused.
    fn unread(&self, id: FunctionId, main: ProcedureId) -> Result<(), Diagnostic> {
        let parameters = self.program.function(id).ty.parameters.len();
        let is_argument = |local: LocalId| local.index() < parameters;
        for (statement, span) in &self.module.procedure(main).body {
            let mut read = false;
            statement.each_expression(|root| {
                read |= self.module.within(root).any(|id| {
                    matches!(self.module.expression(id), Expression::Load(Place { base: Base::Local(local), .. }) if is_argument(*local))
                });
            });
            if read {
                let message = "`main` reads its arguments, which are those of a command line";
                let diagnostic = Diagnostic::error(Code::WholeProgram, message, *span, "read here");
                return Err(
                    diagnostic.help("ask for a value with a function that is declared and not defined")
                );
            }
        }
        Ok(())
    }
}
