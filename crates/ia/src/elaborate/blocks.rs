//! Blocks: declarations of variables, semaphores, definitions and labels within terms.

use std::sync::Arc;

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_base::spelling::closest;
use agon_core::term::{Construct, New, TermId, VarId};
use agon_core::types::{Argument, Data, Type};

use super::Elaborator;
use crate::tree::{DataNode, Declarator, Ident, NodeId, Parameter, TypeNode};

/// More copies of one command than this are a slip of the pen.
const MOST_COPIES: u64 = 1 << 12;

impl Elaborator<'_> {
    /// New cells and arrays, each in scope of the initial values behind it.
    pub(super) fn variables(
        &mut self,
        data: &DataNode,
        variables: &[Declarator],
        body: NodeId,
        span: Span,
    ) -> TermId {
        let data = self.data(data);
        let mut declared = Vec::new();
        for variable in variables {
            let length = variable.length.map(|length| self.length(length));
            let initial = variable.initial.map(|initial| {
                let initial = self.term(initial);
                self.convert(initial, &Type::Exp(data.clone()), "the initial value")
            });
            let ty = match length {
                Some(length) => Type::Array(data.clone(), length),
                None => Type::Var(data.clone()),
            };
            let ident = &variable.ident;
            let var = self.terms.add_variable(ident.name.clone(), ty, ident.span);
            self.scope.enter(ident.name.clone(), var);
            declared.push((var, length, initial));
        }
        let mut body = self.term(body);
        for (ident, (variable, length, initial)) in variables.iter().zip(declared).rev() {
            self.scope.leave(&ident.ident.name);
            let ty = self.terms.ty(body).clone();
            let new = New { variable, data: data.clone(), length, initial, body };
            body = self.add(Construct::New(new), ty, span);
        }
        body
    }

    pub(super) fn semaphores(
        &mut self,
        places: Option<NodeId>,
        variables: &[Declarator],
        body: NodeId,
        span: Span,
    ) -> TermId {
        self.concurrent(span, "a semaphore");
        let places = self.places(places);
        let mut declared = Vec::new();
        for variable in variables {
            let taken = variable.initial.map_or(0, |taken| {
                self.count(taken, 0, "the number of places taken at the start is at least 0")
            });
            let ident = &variable.ident;
            if taken > places {
                self.report(Diagnostic::error(
                    Code::TypeTooLarge,
                    format!(
                        "{taken} places of `{}` are taken at the start, but it has only {places}",
                        ident.name
                    ),
                    ident.span,
                    "more places taken than there are",
                ));
            }
            let var = self.terms.add_variable(ident.name.clone(), Type::Sem(places), ident.span);
            self.scope.enter(ident.name.clone(), var);
            declared.push((var, taken));
        }
        let mut body = self.term(body);
        for (ident, (var, taken)) in variables.iter().zip(declared).rev() {
            self.scope.leave(&ident.ident.name);
            let ty = self.terms.ty(body).clone();
            body = self.add(Construct::NewSemaphore(var, places, taken, body), ty, span);
        }
        body
    }

    pub(super) fn definition(
        &mut self,
        ident: &Ident,
        parameters: &[Parameter],
        result: Option<&TypeNode>,
        definition: NodeId,
        body: NodeId,
        span: Span,
    ) -> TermId {
        self.scope.begin_definition(ident.name.clone());
        let (definition, ty) =
            self.function(parameters, result, definition, self.program.tree.span(definition));
        self.scope.end_definition();
        let var = self.terms.add_variable(ident.name.clone(), ty, ident.span);
        self.scope.enter(ident.name.clone(), var);
        let body = self.term(body);
        self.scope.leave(&ident.name);
        let ty = self.terms.ty(body).clone();
        self.add(Construct::Let(var, definition, body), ty, span)
    }

    /// A procedure with any number of parameters, none included; and its type, as it is declared.
    pub(super) fn function(
        &mut self,
        parameters: &[Parameter],
        result: Option<&TypeNode>,
        body: NodeId,
        span: Span,
    ) -> (TermId, Type) {
        let mut declared: Vec<(VarId, Argument)> = Vec::new();
        for (n, parameter) in parameters.iter().enumerate() {
            let ident = &parameter.ident;
            if let Some(first) = parameters[..n].iter().find(|before| before.ident.name == ident.name) {
                self.report(
                    Diagnostic::error(
                        Code::DuplicateName,
                        format!("two parameters are called `{}`", ident.name),
                        ident.span,
                        "declared again here",
                    )
                    .also(first.ident.span, "first declared here"),
                );
            }
            let argument = self.argument(&parameter.argument);
            let var = self.terms.add_variable(ident.name.clone(), argument.ty.clone(), ident.span);
            self.terms.claim(var, argument.bound);
            self.scope.enter(ident.name.clone(), var);
            declared.push((var, argument));
        }
        let result = result.map(|result| self.ty(result));
        let mut body = self.term(body);
        // A declared type is the type, whatever the body's own is. The body may take more arguments and give fewer
        // values than its type says, and callers must not make use of that: they convert to the declared type.
        let mut ty = match result {
            Some(result) => {
                body = self.convert(body, &result, "what is defined");
                // What never returns is of whatever type it is declared to be.
                if *self.terms.ty(body) == Type::Never && result != Type::Never {
                    let span = self.terms.span(body);
                    let skip = self.add(Construct::Skip, Type::Com, span);
                    body = self.add(Construct::Sequence(skip, body), result.clone(), span);
                }
                result
            }
            None => self.terms.ty(body).clone(),
        };
        for (parameter, (var, argument)) in parameters.iter().zip(declared).rev() {
            self.scope.leave(&parameter.ident.name);
            ty = Type::fun(argument, ty);
            body = self.add(Construct::Lambda(var, body), ty.clone(), span);
        }
        (body, ty)
    }

    /// `par i := a..b do M` is `let copy(i) = M in copy(a) || … || copy(b)`.
    pub(super) fn copies(
        &mut self,
        ident: &Ident,
        from: NodeId,
        to: NodeId,
        body: NodeId,
        span: Span,
    ) -> TermId {
        self.concurrent(span, "`par`");
        let (from, to) = (self.constant(from), self.constant(to));
        let var = self.terms.add_variable(ident.name.clone(), Type::Exp(Data::Int), ident.span);
        self.scope.enter(ident.name.clone(), var);
        let body = self.command(body, "what is copied");
        self.scope.leave(&ident.name);
        let argument = Argument { ty: Type::Exp(Data::Int), bound: None };
        let ty = Type::fun(argument, Type::Com);
        let lambda = self.add(Construct::Lambda(var, body), ty.clone(), span);
        let count = to.sub(&from).add(&Int::ONE);
        if count > Int::from(MOST_COPIES) {
            self.report(Diagnostic::error(
                Code::TypeTooLarge,
                format!("at most {MOST_COPIES} copies run in parallel"),
                span,
                format!("from {from} to {to}"),
            ));
            return self.broken(span);
        }
        let copy = self.terms.add_variable(Arc::from("copy"), ty.clone(), span);
        let mut threads = Vec::new();
        for n in 0..count.to_u64().unwrap_or(0) {
            let number = from.add(&Int::from(n));
            let argument = self.add(Construct::Number(number), Type::Exp(Data::Int), span);
            let head = self.add(Construct::Variable(copy), ty.clone(), span);
            threads.push(self.add(Construct::Apply(head, argument), Type::Com, span));
        }
        let threads = self.side_by_side(threads, span);
        self.add(Construct::Let(copy, lambda, threads), Type::Com, span)
    }

    pub(super) fn labelled(
        &mut self,
        label: &Ident,
        body: NodeId,
        span: Span,
        construct: fn(agon_core::term::LabelId, TermId) -> Construct,
    ) -> TermId {
        let id = self.terms.add_label(label.name.clone());
        self.scope.enter_label(label.name.clone(), id);
        let body = self.command(body, "what a label stands before");
        self.scope.leave_label(&label.name);
        self.add(construct(id, body), Type::Com, span)
    }

    pub(super) fn goto(&mut self, label: &Ident, span: Span) -> TermId {
        match self.scope.label(&label.name) {
            Some(id) => self.add(Construct::Goto(id), Type::Never, span),
            None => {
                let mut diagnostic = Diagnostic::error(
                    Code::UnknownLabel,
                    format!("no enclosing `break` or `cont` declares the label `{}`", label.name),
                    label.span,
                    "no such label here",
                );
                diagnostic.help = Some(match closest(&label.name, self.scope.labels().map(|name| &**name)) {
                    Some(like) => format!("there is the label `{like}`"),
                    None => format!(
                        "declare it: `break {0} . …` ends at a jump, `cont {0} . …` starts again",
                        label.name
                    ),
                });
                self.report(diagnostic);
                self.broken(span)
            }
        }
    }
}
