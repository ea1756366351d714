//! Elaboration: from the tree to a typed term, with every conversion written out.

mod blocks;
mod convert;
mod module;
mod scope;
mod terms;
#[cfg(test)]
mod tests;
mod types;

use std::sync::Arc;

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::Watch;
use agon_core::term::{Construct, Judgement, Mode, TermId, Terms, VarId};
use agon_core::types::{Argument, Type};
use scope::{Found, Scope};

use crate::constant::Constants;
use crate::tree::{Items, Node, NodeId, Program};

pub use module::module;

/// Types a program that is no module. A program without errors has a judgement; warnings may come with it.
pub fn elaborate(program: &Program, overrides: &[(String, Int)]) -> (Option<Judgement>, Vec<Diagnostic>) {
    let mut elaborator = Elaborator::new(program, overrides);
    let judgement = elaborator.judgement();
    let diagnostics = elaborator.sorted();
    let refused = diagnostics.iter().any(Diagnostic::is_error);
    ((!refused).then_some(judgement), diagnostics)
}

/// At most this many diagnostics are shown at once.
const ENOUGH: usize = 50;

struct Elaborator<'a> {
    program: &'a Program,
    constants: Constants,
    terms: Terms,
    scope: Scope,
    diagnostics: Vec<Diagnostic>,
    /// Where the program first shows that it is concurrent, and by what.
    concurrency: Option<(Span, &'static str)>,
}

impl<'a> Elaborator<'a> {
    fn new(program: &'a Program, overrides: &[(String, Int)]) -> Elaborator<'a> {
        let mut diagnostics = Vec::new();
        let constants = Constants::evaluate(program, overrides, &mut diagnostics);
        let (terms, scope) = (Terms::default(), Scope::default());
        Elaborator { program, constants, terms, scope, diagnostics, concurrency: None }
    }

    /// What is wrong with the program, in the order of the text.
    fn sorted(self) -> Vec<Diagnostic> {
        let mut diagnostics = self.diagnostics;
        diagnostics.sort_by_key(|diagnostic| diagnostic.primary.as_ref().map_or(0, |(span, _)| span.start));
        diagnostics
    }

    fn judgement(&mut self) -> Judgement {
        let mut context: Vec<VarId> = Vec::new();
        for binding in &self.program.context {
            let ident = &binding.ident;
            let Argument { ty, bound } = self.argument(&binding.argument);
            // Nothing but the context is in scope yet.
            if let Found::Variable(first) = self.scope.find(&ident.name) {
                let first = self.terms.variable(first).span;
                self.report(
                    Diagnostic::error(
                        Code::DuplicateName,
                        format!("`{}` stands twice in the context", ident.name),
                        ident.span,
                        "declared again here",
                    )
                    .also(first, "first declared here"),
                );
            }
            let var = self.terms.add_variable(ident.name.clone(), ty, ident.span);
            self.terms.claim(var, bound);
            self.scope.enter(ident.name.clone(), var);
            context.push(var);
        }
        let term = self.term(self.program.body);
        self.forgotten_argument(self.program.body, term);
        let (body, arguments, ty) = self.applied(term);
        self.check_mode(&context, &ty);
        let mode = match (self.program.mode, self.concurrency) {
            (Some((mode, _)), _) => mode,
            (None, Some(_)) => Mode::Concurrent,
            (None, None) => Mode::Sequential,
        };
        Judgement {
            terms: std::mem::take(&mut self.terms),
            mode,
            context,
            arguments,
            ty,
            body,
            concurrency: self.concurrency.map(|(span, _)| span),
            watch: Watch::All,
        }
    }

    /// Warns where the program is a procedure because an application lacks arguments. A procedure that is written with
    /// `fun`, or that is a name, is meant to be one.
    fn forgotten_argument(&mut self, node: NodeId, term: TermId) {
        let ty = self.terms.ty(term).settled();
        let (missing, _) = ty.uncurry();
        if missing.is_empty() {
            return;
        }
        let tree = &self.program.tree;
        let mut waiting = vec![node];
        while let Some(id) = waiting.pop() {
            match tree.node(id) {
                Node::Sequence(parts) => waiting.extend(parts.last()),
                Node::If(_, yes, no) => waiting.extend(no.iter().chain([yes])),
                Node::New { body, .. } | Node::Declare { body, .. } | Node::Let { body, .. } => {
                    waiting.push(*body)
                }
                Node::WithPredicate(_, body) => waiting.push(*body),
                Node::Apply(_, given) => {
                    let (given, all) = (given.len(), given.len() + missing.len());
                    let message = match missing.len() {
                        1 => format!("the program is a procedure: {given} of {all} arguments are given"),
                        _ => format!("the program is a procedure: only {given} of {all} arguments are given"),
                    };
                    let parameters: Vec<String> = missing
                        .iter()
                        .enumerate()
                        .map(|(n, parameter)| format!("x{} : {parameter}", n + 1))
                        .collect();
                    let warning = Diagnostic::warning(
                        Code::MissingArgument,
                        message,
                        tree.span(id),
                        format!("this has type `{ty}`"),
                    )
                    .note("the environment opens the program and gives it what is missing")
                    .help(format!(
                        "give all arguments; if a procedure is meant, write `fun {} . …`",
                        parameters.join(", ")
                    ));
                    self.report(warning);
                    return;
                }
                _ => {}
            }
        }
    }

    /// A program that is a procedure is applied to free identifiers called `1`, `2`, ….
    fn applied(&mut self, term: TermId) -> (TermId, Vec<VarId>, Type) {
        let span = self.terms.span(term);
        // A program that never gives control back is a command that does not.
        let ty = self.terms.ty(term).settled();
        let (parameters, base) = ty.uncurry();
        if !matches!(base, Type::Com | Type::Exp(_) | Type::Var(_)) {
            let message = format!("the program has type `{ty}`, which no environment can open");
            self.report(
                Diagnostic::error(Code::NotAProgram, message, span, format!("this has type `{ty}`"))
                    .help("a program is a command, an expression, a variable, or a procedure that gives one"),
            );
        }
        let mut body = term;
        let mut arguments = Vec::new();
        for (n, parameter) in parameters.iter().enumerate() {
            let var = self.terms.add_variable(Arc::from((n + 1).to_string()), parameter.ty.clone(), span);
            arguments.push(var);
            let argument = self.add(Construct::Variable(var), parameter.ty.clone(), span);
            let Type::Fun(_, result) = self.terms.ty(body).clone() else { break };
            body = self.add(Construct::Apply(body, argument), (*result).clone(), span);
        }
        (body, arguments, ty.clone())
    }

    fn check_mode(&mut self, context: &[VarId], ty: &Type) {
        let declared = self.program.mode;
        if let (Some((Mode::Sequential, declaration)), Some((span, what))) = (declared, self.concurrency) {
            self.report(
                Diagnostic::error(
                    Code::SequentialConflict,
                    format!("{what} in a program that is declared sequential"),
                    span,
                    format!("{what} makes a program concurrent"),
                )
                .also(declaration, "declared sequential here")
                .help("declare the program `concurrent`, or say nothing"),
            );
        }
        let concurrent = self.concurrency.is_some() || matches!(declared, Some((Mode::Concurrent, _)));
        if concurrent {
            return;
        }
        for var in context {
            let variable = self.terms.variable(*var);
            let order = variable.ty.order();
            if order > 1 {
                let diagnostic = Diagnostic::error(
                    Code::OrderTooHigh,
                    format!(
                        "the free identifier `{}` is of order {order}; a sequential program's may be of order 1 at most",
                        variable.name
                    ),
                    variable.span,
                    format!("has type `{}`: an argument of it is itself a procedure", variable.ty),
                )
                .help("declare the program `concurrent`, where free identifiers may have any order");
                self.report(diagnostic);
            }
        }
        if ty.order() > 2 {
            let span = self.program.tree.span(self.program.body);
            self.report(
                Diagnostic::error(
                    Code::OrderTooHigh,
                    format!(
                        "the program is of order {}; a sequential one may be of order 2 at most",
                        ty.order()
                    ),
                    span,
                    format!("has type `{ty}`"),
                )
                .help("declare the program `concurrent`, where terms may have any order"),
            );
        }
    }

    /// How many threads the environment of a module has.
    fn threads(&mut self, items: &Items) -> u64 {
        let rule = "the number of threads of the environment is out of range";
        let threads = items.threads.map_or(1, |threads| self.count(threads, 1, rule));
        match self.program.mode {
            Some((Mode::Sequential, declared)) if threads > 1 => {
                let message = "several threads in a module that is declared sequential";
                let diagnostic =
                    Diagnostic::error(Code::SequentialConflict, message, items.span, "it says so here");
                self.report(diagnostic.also(declared, "declared sequential here"));
            }
            Some((Mode::Concurrent, declared)) if items.threads.is_none() => {
                let message = "a concurrent module says how many threads its environment has";
                let diagnostic = Diagnostic::error(Code::NotInModules, message, declared, "declared here");
                self.report(diagnostic.help("write `module{2}` for two threads"));
            }
            _ => {}
        }
        threads
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        // A mistake in a shared part is reported once. More messages than this at a time are of no use.
        if self.diagnostics.len() < ENOUGH && !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    fn add(&mut self, construct: Construct, ty: Type, span: Span) -> TermId {
        self.terms.add(construct, ty, span)
    }

    /// A term for what could not be understood: it fits everywhere.
    fn broken(&mut self, span: Span) -> TermId {
        self.add(Construct::Diverge, Type::Never, span)
    }

    fn concurrent(&mut self, span: Span, what: &'static str) {
        self.concurrency.get_or_insert((span, what));
    }
}
