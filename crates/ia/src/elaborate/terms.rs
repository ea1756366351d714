//! The typing rules, one arm per construct.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_base::spelling::closest;
use agon_core::term::{Cause, Construct, Name, Operator, TermId, Unary};
use agon_core::types::{Data, Type};

use super::scope::Found;
use super::{ENOUGH, Elaborator};
use crate::token::is_keyword;
use crate::tree::{Binary, DeclareKind, Node, NodeId};

impl Elaborator<'_> {
    pub(super) fn term(&mut self, id: NodeId) -> TermId {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.term_here(id))
    }

    fn term_here(&mut self, id: NodeId) -> TermId {
        let program = self.program;
        let span = program.tree.span(id);
        match program.tree.node(id) {
            // Lists are read in modules only.
            Node::Missing | Node::List(_) => self.broken(span),
            Node::Name(name) => self.name(name, span),
            Node::Number(n) => self.add(Construct::Number(n.clone()), Type::Exp(Data::Int), span),
            Node::Truth(b) => self.add(Construct::Number(Int::truth(*b)), Type::Exp(Data::Bool), span),
            Node::Skip => self.add(Construct::Skip, Type::Com, span),
            Node::Abort => self.add(Construct::Abort(Cause::Abort), Type::Never, span),
            Node::Diverge => self.add(Construct::Diverge, Type::Never, span),
            Node::Negate(inner) => self.unary(Unary::Negate, *inner, Data::Int, span),
            Node::Not(inner) => self.unary(Unary::Not, *inner, Data::Bool, span),
            Node::Deref(inner) => self.dereference(*inner, span),
            Node::Binary(operator, left, right) => self.binary(*operator, *left, *right, span),
            Node::Apply(head, arguments) => self.apply(*head, arguments, span),
            Node::Index(array, index) => self.index(*array, *index, span),
            Node::Assign(left, right) => self.assign(*left, *right, span),
            Node::Sequence(parts) => self.sequence(parts),
            Node::Parallel(parts) => self.parallel(parts, span),
            Node::If(guard, yes, no) => self.conditional(*guard, *yes, *no, span),
            Node::While(guard, body) => {
                let guard = self.term(*guard);
                let guard = self.value(guard, "a loop's condition");
                let body = self.command(*body, "a loop's body");
                self.add(Construct::While(guard, body), Type::Com, span)
            }
            Node::New { data, variable, body } => {
                self.variables(data, std::slice::from_ref(variable), *body, span)
            }
            Node::Declare { kind: DeclareKind::Data(data), variables, body } => {
                self.variables(data, variables, *body, span)
            }
            Node::Declare { kind: DeclareKind::Sem(places), variables, body } => {
                self.semaphores(*places, variables, *body, span)
            }
            Node::Let { ident, parameters, result, definition, body } => {
                self.definition(ident, parameters, result.as_ref(), *definition, *body, span)
            }
            Node::Fun(parameters, body) => self.function(parameters, None, *body, span).0,
            Node::Copies { ident, from, to, body } => self.copies(ident, *from, *to, *body, span),
            Node::Break(label, body) => self.labelled(label, *body, span, Construct::Break),
            Node::Continue(label, body) => self.labelled(label, *body, span, Construct::Continue),
            Node::Goto(label) => self.goto(label, span),
            Node::WithPredicate(predicate, body) => {
                let predicate = self.term(*predicate);
                let predicate = self.value(predicate, "a predicate");
                let body = self.term(*body);
                let ty = self.terms.ty(body).clone();
                self.add(Construct::WithPredicate(predicate, body), ty, span)
            }
            Node::BeginPredicate(predicate) => self.predicate(*predicate, span, Construct::BeginPredicate),
            Node::EndPredicate(predicate) => self.predicate(*predicate, span, Construct::EndPredicate),
            Node::Assert(condition) => {
                let condition = self.term(*condition);
                let condition = self.value(condition, "an assertion");
                let holds = self.add(Construct::Skip, Type::Com, span);
                let fails = self.add(Construct::Abort(Cause::Assertion), Type::Never, span);
                self.add(Construct::If(condition, holds, fails), Type::Com, span)
            }
            Node::Grab(semaphore) => self.semaphore(*semaphore, span, Construct::Grab),
            Node::Release(semaphore) => self.semaphore(*semaphore, span, Construct::Release),
        }
    }

    pub(super) fn command(&mut self, id: NodeId, why: &str) -> TermId {
        let term = self.term(id);
        self.convert(term, &Type::Com, why)
    }

    fn name(&mut self, name: &Name, span: Span) -> TermId {
        let var = match self.scope.find(name) {
            Found::Variable(var) => var,
            Found::Outer(var) => {
                let told = self.diagnostics.iter().any(|told| {
                    told.code == Code::ShadowedDefinition
                        && told.secondary.iter().any(|(span, _)| *span == self.terms.variable(var).span)
                });
                let warning = Diagnostic::warning(
                    Code::ShadowedDefinition,
                    format!("this `{name}` is the outer one, not the one that is being defined"),
                    span,
                    "refers to an outer declaration",
                )
                .also(self.terms.variable(var).span, "the outer one")
                .help("definitions are not recursive; give one of them another name");
                if !told {
                    self.report(warning);
                }
                var
            }
            Found::Itself if self.constants.get(name).is_some() => return self.constant_named(name, span),
            Found::Itself => {
                self.report(
                    Diagnostic::error(
                        Code::Recursion,
                        format!("the definition of `{name}` mentions itself"),
                        span,
                        "recursive use",
                    )
                    .note(
                        "a definition stands for its text; only procedures of a `module` may call themselves",
                    )
                    .help("use a loop: `while … do …`, or `cont l . …` with `goto l`"),
                );
                return self.broken(span);
            }
            Found::Nothing if self.constants.get(name).is_some() => return self.constant_named(name, span),
            Found::Nothing => return self.unknown(name, span),
        };
        let ty = self.terms.variable(var).ty.clone();
        self.add(Construct::Variable(var), ty, span)
    }

    fn constant_named(&mut self, name: &Name, span: Span) -> TermId {
        let value = self.constants.get(name).cloned().unwrap_or_default();
        self.add(Construct::Number(value), Type::Exp(Data::Int), span)
    }

    fn unknown(&mut self, name: &Name, span: Span) -> TermId {
        // Looking for a name that is like it takes a while.
        if self.diagnostics.len() >= ENOUGH {
            return self.broken(span);
        }
        let short: String = name.chars().take(40).collect();
        let mut diagnostic = Diagnostic::error(
            Code::UnknownName,
            format!("nothing here is called `{short}`"),
            span,
            "not declared",
        );
        let lower = name.to_lowercase();
        diagnostic.help = Some(match closest(name, self.scope.names().map(|name| &**name)) {
            None if *lower != **name && is_keyword(&lower) => format!("case counts: write `{lower}`"),
            Some(like) => format!("there is `{like}`; or declare `{short} : type` in the context"),
            None => format!("declare it in the context: `{short} : type, … |- …`"),
        });
        self.report(diagnostic);
        self.broken(span)
    }

    fn unary(&mut self, operator: Unary, inner: NodeId, data: Data, span: Span) -> TermId {
        let inner = self.term(inner);
        let inner = self.value(inner, "the operand");
        self.add(Construct::Unary(operator, inner), Type::Exp(data), span)
    }

    fn dereference(&mut self, inner: NodeId, span: Span) -> TermId {
        let inner = self.term(inner);
        match self.terms.ty(inner).clone() {
            Type::Var(data) => self.add(Construct::Read(inner), Type::Exp(data), span),
            Type::Never => inner,
            ty => {
                let mut diagnostic = Diagnostic::error(
                    Code::Mismatch,
                    format!("`!` reads a variable, but this is of type `{ty}`"),
                    self.terms.span(inner),
                    format!("`{ty}`, expected a variable"),
                );
                if let Type::Exp(_) = ty {
                    diagnostic.help =
                        Some("an expression is evaluated as it stands; for negation, write `not`".into());
                }
                self.report(diagnostic);
                self.broken(span)
            }
        }
    }

    fn binary(&mut self, operator: Binary, left: NodeId, right: NodeId, span: Span) -> TermId {
        let left = self.term(left);
        let left = self.value(left, "the left operand");
        let right = self.term(right);
        let right = self.value(right, "the right operand");
        let operator = match operator {
            Binary::And => {
                let right = self.truth(right);
                let no = self.add(Construct::Number(Int::ZERO), Type::Exp(Data::Bool), span);
                return self.add(Construct::If(left, right, no), Type::Exp(Data::Bool), span);
            }
            Binary::Or => {
                let right = self.truth(right);
                let yes = self.add(Construct::Number(Int::ONE), Type::Exp(Data::Bool), span);
                return self.add(Construct::If(left, yes, right), Type::Exp(Data::Bool), span);
            }
            _ => operator.operator(),
        };
        let data = if operator.is_truth() { Data::Bool } else { Data::Int };
        self.add(Construct::Binary(operator, left, right), Type::Exp(data), span)
    }

    /// A value as 0 or 1.
    fn truth(&mut self, term: TermId) -> TermId {
        if matches!(self.terms.ty(term), Type::Exp(data) if data.fits(&Data::Bool)) {
            return term;
        }
        let span = self.terms.span(term);
        let zero = self.add(Construct::Number(Int::ZERO), Type::Exp(Data::Bool), span);
        self.add(Construct::Binary(Operator::NotEqual, term, zero), Type::Exp(Data::Bool), span)
    }

    fn apply(&mut self, head: NodeId, arguments: &[NodeId], span: Span) -> TermId {
        let head_span = self.program.tree.span(head);
        let mut function = self.term(head);
        for (n, argument) in arguments.iter().enumerate() {
            match self.terms.ty(function).clone() {
                Type::Fun(parameter, result) => {
                    let argument = self.term(*argument);
                    let argument = self.convert(argument, &parameter.ty, &format!("argument {}", n + 1));
                    let span = head_span.to(self.terms.span(argument)).to(span);
                    function = self.add(Construct::Apply(function, argument), (*result).clone(), span);
                }
                // What never gives control back never looks at its arguments.
                Type::Never => {
                    self.term(*argument);
                }
                ty => {
                    self.term(*argument);
                    self.not_a_function(head, ty, n, *argument);
                    function = self.broken(span);
                }
            }
        }
        function
    }

    fn not_a_function(&mut self, head: NodeId, ty: Type, given: usize, argument: NodeId) {
        let tree = &self.program.tree;
        let (message, label) = match given {
            0 => (format!("this is of type `{ty}` and takes no arguments"), "not a procedure".into()),
            1 => ("this takes one argument, but is given more".into(), "takes one argument".into()),
            n => (format!("this takes {n} arguments, but is given more"), format!("takes {n} arguments")),
        };
        self.report(
            Diagnostic::error(Code::NotAFunction, message, tree.span(head), label)
                .also(tree.span(argument), "given this argument")
                .help("if two statements were meant, separate them with `;`"),
        );
    }

    fn index(&mut self, array: NodeId, index: NodeId, span: Span) -> TermId {
        let array = self.term(array);
        let index = self.term(index);
        let index = self.value(index, "an index");
        match self.terms.ty(array).clone() {
            Type::Array(data, _) => self.add(Construct::Index(array, index), Type::Var(data), span),
            // The index is evaluated first.
            Type::Never => {
                let skip = self.add(Construct::Skip, Type::Com, span);
                let index = self.add(Construct::If(index, skip, skip), Type::Com, span);
                self.add(Construct::Sequence(index, array), Type::Never, span)
            }
            ty => {
                self.report(
                    Diagnostic::error(
                        Code::NotAnArray,
                        format!("only arrays have elements, but this is of type `{ty}`"),
                        self.terms.span(array),
                        format!("`{ty}`, expected an array"),
                    )
                    .help("an array is declared `new int a[10] in …`, or `a : var int[10]` in the context"),
                );
                self.broken(span)
            }
        }
    }

    fn assign(&mut self, left: NodeId, right: NodeId, span: Span) -> TermId {
        let left = self.term(left);
        let right = self.term(right);
        match self.terms.ty(left).clone() {
            Type::Var(data) => {
                let right = self.convert(right, &Type::Exp(data), "the value assigned");
                self.add(Construct::Assign(left, right), Type::Com, span)
            }
            // Nothing is written, but the value is evaluated first.
            Type::Never => {
                let right = self.value(right, "the value assigned");
                let skip = self.add(Construct::Skip, Type::Com, span);
                let right = self.add(Construct::If(right, skip, skip), Type::Com, span);
                self.add(Construct::Sequence(right, left), Type::Never, span)
            }
            ty => {
                let mut diagnostic = Diagnostic::error(
                    Code::NotAVariable,
                    format!("only variables can be assigned to, but this is of type `{ty}`"),
                    self.terms.span(left),
                    format!("`{ty}`, expected a variable"),
                );
                diagnostic.help = match ty {
                    Type::Exp(_) => match self.terms.construct(left) {
                        Construct::Variable(_) => Some(
                            "to be written to, it must be a variable: `x : var int`, or `new int x in …`"
                                .into(),
                        ),
                        Construct::If(..) => Some(
                            "a conditional is a variable if both of its branches are, of the same data"
                                .into(),
                        ),
                        _ => None,
                    },
                    Type::Array(..) => Some("say which element: `a[i] := …`".into()),
                    _ => None,
                };
                self.report(diagnostic);
                self.broken(span)
            }
        }
    }

    fn sequence(&mut self, parts: &[NodeId]) -> TermId {
        let (last, before) = parts.split_last().expect("a sequence has parts");
        let before: Vec<_> =
            before.iter().map(|part| self.command(*part, "what stands before `;`")).collect();
        let mut term = self.term(*last);
        for first in before.into_iter().rev() {
            let span = self.terms.span(first).to(self.terms.span(term));
            let ty = self.terms.ty(term).clone();
            term = self.add(Construct::Sequence(first, term), ty, span);
        }
        term
    }

    fn parallel(&mut self, parts: &[NodeId], span: Span) -> TermId {
        self.concurrent(span, "`||`");
        let parts: Vec<_> = parts.iter().map(|part| self.command(*part, "a thread")).collect();
        self.side_by_side(parts, span)
    }

    pub(super) fn side_by_side(&mut self, parts: Vec<TermId>, span: Span) -> TermId {
        parts
            .into_iter()
            .rev()
            .reduce(|right, left| self.add(Construct::Parallel(left, right), Type::Com, span))
            .unwrap_or_else(|| self.add(Construct::Skip, Type::Com, span))
    }

    fn conditional(&mut self, guard: NodeId, yes: NodeId, no: Option<NodeId>, span: Span) -> TermId {
        let guard = self.term(guard);
        let guard = self.value(guard, "a condition");
        let Some(no) = no else {
            let yes = self.command(yes, "a conditional without `else`");
            let no = self.add(Construct::Skip, Type::Com, span);
            return self.add(Construct::If(guard, yes, no), Type::Com, span);
        };
        let (yes, no) = (self.term(yes), self.term(no));
        let (yes, no, ty) = self.join(yes, no, span);
        self.add(Construct::If(guard, yes, no), ty, span)
    }

    fn predicate(&mut self, predicate: NodeId, span: Span, construct: fn(TermId) -> Construct) -> TermId {
        let predicate = self.term(predicate);
        let predicate = self.value(predicate, "a predicate");
        self.add(construct(predicate), Type::Com, span)
    }

    fn semaphore(&mut self, semaphore: NodeId, span: Span, construct: fn(TermId) -> Construct) -> TermId {
        self.concurrent(span, "a semaphore");
        let semaphore = self.term(semaphore);
        match self.terms.ty(semaphore).clone() {
            Type::Sem(_) | Type::Never => self.add(construct(semaphore), Type::Com, span),
            ty => {
                self.report(
                    Diagnostic::error(
                        Code::Mismatch,
                        format!("only semaphores are grabbed and released, but this is of type `{ty}`"),
                        self.terms.span(semaphore),
                        format!("`{ty}`, expected a semaphore"),
                    )
                    .help("a semaphore is declared `sem s; …`"),
                );
                self.broken(span)
            }
        }
    }
}
