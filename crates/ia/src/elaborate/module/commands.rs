//! Terms inside a body: each is lowered for what is wanted of it.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_base::spelling::closest;
use agon_core::checks::Kind;
use agon_core::module::{Base, ExpressionId, Label, Place, Sort, Statement};
use agon_core::types::Data;

use super::scope::{Bound, Definition, Scope};
use super::sorts::{Known, Value};
use super::{Hole, Lowering, Target};
use crate::tree::{DataNode, Declarator, DeclareKind, Ident, Node, NodeId};

/// What is wanted of a term.
pub(super) enum Want {
    /// That it is run: it must be a command, for this reason.
    Run(&'static str),
    /// Its value.
    Value,
    /// That a value is written to it. The value is stable.
    Write(Value),
}

impl<'a> Lowering<'a> {
    pub(super) fn command(&mut self, id: NodeId, scope: Scope, why: &'static str) {
        self.term(id, scope, &Want::Run(why));
    }

    pub(super) fn term(&mut self, id: NodeId, scope: Scope, want: &Want) -> Value {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.term_here(id, scope, want))
    }

    fn term_here(&mut self, id: NodeId, scope: Scope, want: &Want) -> Value {
        let tree = &self.base.program.tree;
        let span = tree.span(id);
        if self.body.too_large {
            return self.nothing(span);
        }
        match tree.node(id) {
            Node::Missing => self.nothing(span),
            Node::Name(name) => self.name(name, scope, want, span),
            Node::Apply(head, arguments) => self.apply(*head, arguments, scope, want, span),
            Node::Index(..) => match self.element(id, scope) {
                Some((place, sort)) => self.at_place(place, sort, want, span),
                None => self.nothing(span),
            },
            Node::Sequence(parts) => {
                let (last, before) = parts.split_last().expect("a sequence has parts");
                for part in before {
                    self.command(*part, scope, "what stands before `;`");
                }
                self.term(*last, scope, want)
            }
            Node::If(guard, yes, no) => self.conditional((*guard, *yes, *no), scope, want, span),
            Node::New { data, variable, body } => {
                let scope = self.variables(data, std::slice::from_ref(variable), scope);
                self.term(*body, scope, want)
            }
            Node::Declare { kind: DeclareKind::Data(data), variables, body } => {
                let scope = self.variables(data, variables, scope);
                self.term(*body, scope, want)
            }
            Node::Declare { kind: DeclareKind::Sem(_), variables, .. } => {
                let span = variables.first().map_or(span, |variable| variable.ident.span);
                self.refuse("semaphores inside a procedure", span, "declare it as an item of the module")
            }
            Node::Let { ident, parameters, result, definition, body } => {
                let inside = self.scopes.enter(scope, &ident.name, Bound::Itself);
                let definition =
                    Definition { parameters, result: result.as_ref(), node: *definition, inside };
                let scope = self.scopes.enter(scope, &ident.name, Bound::Definition(definition));
                let value = self.term(*body, scope, want);
                self.unused(definition);
                value
            }
            Node::WithPredicate(predicate, body) => {
                let known = self.predicate(*predicate, scope);
                let begin = |id| Statement::BeginPredicate(id);
                known.map(|id| self.emit(begin(id), span));
                let value = self.term(*body, scope, want);
                known.map(|id| self.emit(Statement::EndPredicate(id), span));
                value
            }
            Node::Abort => self.never(Statement::Fail(Kind::Abort), span),
            Node::Diverge => self.never(Statement::Diverge, span),
            Node::Goto(label) => self.goto(label, scope, span),
            Node::Fun(..) => {
                let help = "define it as an item of the module, or with `let` inside the procedure";
                self.refuse("procedures without a name", span, help)
            }
            Node::Parallel(_) | Node::Copies { .. } => {
                let help = "the threads are those of the environment: `module{2}` has two";
                self.refuse("threads of its own", span, help)
            }
            Node::Number(_)
            | Node::Truth(_)
            | Node::Negate(_)
            | Node::Not(_)
            | Node::Deref(_)
            | Node::Binary(..)
            | Node::List(_) => {
                let value = self.operation(id, scope);
                self.done(value, want)
            }
            Node::Skip
            | Node::Assign(..)
            | Node::While(..)
            | Node::Break(..)
            | Node::Continue(..)
            | Node::BeginPredicate(_)
            | Node::EndPredicate(_)
            | Node::Assert(_)
            | Node::Grab(_)
            | Node::Release(_) => {
                self.run(id, scope, span);
                self.gives_nothing(want, span)
            }
        }
    }

    /// A construct that is a command.
    fn run(&mut self, id: NodeId, scope: Scope, span: Span) {
        match self.base.program.tree.node(id) {
            Node::Assign(left, right) => self.assign(*left, *right, scope),
            Node::While(guard, body) => {
                let head = self.here();
                let (yes, no) = self.branch(*guard, scope);
                self.patch(&yes);
                self.command(*body, scope, "a loop's body");
                self.emit(Statement::Jump(head), span);
                self.patch(&no);
            }
            Node::Break(label, body) | Node::Continue(label, body) => {
                let again = matches!(self.base.program.tree.node(id), Node::Continue(..));
                let target = if again { Target::Start(self.here()) } else { Target::End(vec![]) };
                let number = self.body.labels.len();
                self.body.labels.push(target);
                let scope = self.scopes.enter_label(scope, &label.name, number);
                self.command(*body, scope, "what a label stands before");
                if let Target::End(jumps) = &mut self.body.labels[number] {
                    let holes: Vec<Hole> = std::mem::take(jumps).into_iter().map(|at| (at, true)).collect();
                    self.patch(&holes);
                }
            }
            Node::BeginPredicate(predicate) | Node::EndPredicate(predicate) => {
                let begins = matches!(self.base.program.tree.node(id), Node::BeginPredicate(_));
                if let Some(id) = self.predicate(*predicate, scope) {
                    let statement =
                        if begins { Statement::BeginPredicate(id) } else { Statement::EndPredicate(id) };
                    self.emit(statement, span);
                }
            }
            Node::Assert(condition) => {
                let value = self.value(*condition, scope);
                let value = self.as_data(value, "an assertion");
                self.emit(Statement::Assert(value.id, Kind::Assertion), span);
            }
            Node::Grab(semaphore) | Node::Release(semaphore) => {
                let grab = matches!(self.base.program.tree.node(id), Node::Grab(_));
                if let Some(place) = self.semaphore(*semaphore, scope) {
                    self.emit(if grab { Statement::Grab(place) } else { Statement::Release(place) }, span);
                }
            }
            _ => {}
        }
    }

    fn never(&mut self, statement: Statement, span: Span) -> Value {
        self.emit(statement, span);
        self.nothing(span)
    }

    /// A value where it is wanted; it is neither a command nor a variable.
    pub(super) fn done(&mut self, value: Value, want: &Want) -> Value {
        let span = self.module.span(value.id);
        match (want, &value.known) {
            (Want::Value, _) | (_, Known::Any) => value,
            (Want::Run(why), known) => {
                let ty = self.show(known);
                let diagnostic = Diagnostic::error(
                    Code::Mismatch,
                    format!("{why} must be of type `com`, but this is of type `{ty}`"),
                    span,
                    format!("`{ty}`, expected `com`"),
                );
                let help = "a value alone is not a command; assign it, or use it in a condition";
                self.base.report(diagnostic.help(help));
                self.nothing(span)
            }
            (Want::Write(_), known) => {
                let ty = self.show(known);
                self.base.report(Diagnostic::error(
                    Code::NotAVariable,
                    format!("only variables can be assigned to, but this is of type `{ty}`"),
                    span,
                    format!("`{ty}`, expected a variable"),
                ));
                self.nothing(span)
            }
        }
    }

    /// A command was lowered: it gives no value and cannot be written to.
    pub(super) fn gives_nothing(&mut self, want: &Want, span: Span) -> Value {
        let diagnostic = match want {
            Want::Run(_) => return self.nothing(span),
            Want::Value => Diagnostic::error(
                Code::Mismatch,
                "a value is needed here, but this is of type `com`",
                span,
                "`com`, expected a value",
            )
            .help("a command gives no value; end it with one: `{ …; value }`"),
            Want::Write(_) => Diagnostic::error(
                Code::NotAVariable,
                "only variables can be assigned to, but this is of type `com`",
                span,
                "`com`, expected a variable",
            ),
        };
        self.base.report(diagnostic);
        self.nothing(span)
    }

    fn conditional(
        &mut self,
        (guard, yes, no): (NodeId, NodeId, Option<NodeId>),
        scope: Scope,
        want: &Want,
        span: Span,
    ) -> Value {
        let (holds, fails) = self.branch(guard, scope);
        self.patch(&holds);
        let Some(no) = no else {
            self.command(yes, scope, "a conditional without `else`");
            self.patch(&fails);
            return self.gives_nothing(want, span);
        };
        let Want::Value = want else {
            self.term(yes, scope, want);
            let over = self.emit(Statement::Jump(Label(0)), span);
            self.patch(&fails);
            self.term(no, scope, want);
            self.patch(&[(over, true)]);
            return self.nothing(span);
        };
        let result = self.local(None, Sort::Data(Data::Int), None, span);
        let first = self.value(yes, scope);
        self.emit(Statement::Set(Base::Local(result).whole(), first.id), span);
        let over = self.emit(Statement::Jump(Label(0)), span);
        self.patch(&fails);
        let second = self.value(no, scope);
        self.emit(Statement::Set(Base::Local(result).whole(), second.id), span);
        self.patch(&[(over, true)]);
        let known = self.join(&first, &second, span, "the branches");
        if let Known::Sort(sort) = &known {
            self.body.locals[result.index()].sort = sort.clone();
        }
        Value { id: self.load(result, span), known }
    }

    /// New cells and arrays of the activation, each in scope of the initial values behind it.
    fn variables(&mut self, data: &'a DataNode, variables: &'a [Declarator], outer: Scope) -> Scope {
        let sort = self.sort(data);
        let mut scope = outer;
        for Declarator { ident, length, initial } in variables {
            let length = length.map(|length| self.base.length(length));
            let values: Vec<ExpressionId> = match initial.map(|id| (id, self.base.program.tree.node(id))) {
                None => vec![self.number(Int::ZERO, ident.span)],
                Some((id, Node::List(values))) => {
                    if values.len() as u64 != length.unwrap_or(1) {
                        let message = format!("`{}` needs as many values as it has elements", ident.name);
                        let span = self.base.program.tree.span(id);
                        let label = format!("{} values", values.len());
                        self.base.report(Diagnostic::error(Code::Mismatch, message, span, label));
                    }
                    self.converted(values, vec![sort.clone(); values.len()], scope, "the initial value")
                }
                Some((id, _)) => {
                    let value = self.value(id, scope);
                    vec![self.convert(value, &sort, "the initial value")]
                }
            };
            let local = self.local(Some(ident.name.clone()), sort.clone(), length, ident.span);
            let base = Base::Local(local);
            match (&values[..], length) {
                ([value], None) => _ = self.emit(Statement::Set(base.whole(), *value), ident.span),
                ([value], Some(_)) => _ = self.emit(Statement::Fill(base, *value), ident.span),
                (values, _) => {
                    for (n, value) in values.iter().copied().enumerate() {
                        let index = Some(self.number(Int::from(n as u64), ident.span));
                        self.emit(Statement::Set(Place { base, index }, value), ident.span);
                    }
                }
            }
            scope = self.scopes.enter(scope, &ident.name, Bound::Local(local));
        }
        scope
    }

    fn goto(&mut self, label: &Ident, scope: Scope, span: Span) -> Value {
        let Some(number) = self.scopes.label(scope, &label.name) else {
            let diagnostic = Diagnostic::error(
                Code::UnknownLabel,
                format!("no enclosing `break` or `cont` declares the label `{}`", label.name),
                label.span,
                "no such label here",
            );
            let like = closest(&label.name, self.scopes.labels(scope).map(|name| &**name));
            let help = match like {
                Some(like) => format!("there is the label `{like}`"),
                None => format!(
                    "declare it: `break {0} . …` ends at a jump, `cont {0} . …` starts again",
                    label.name
                ),
            };
            self.base.report(diagnostic.help(help));
            return self.nothing(span);
        };
        let to = match &self.body.labels[number] {
            Target::Start(label) => *label,
            Target::End(_) => Label(0),
        };
        let at = self.emit(Statement::Jump(to), span);
        if let Target::End(jumps) = &mut self.body.labels[number] {
            jumps.push(at);
        }
        self.nothing(span)
    }

    /// A predicate of the abstraction. One that calls something is ignored.
    fn predicate(&mut self, predicate: NodeId, scope: Scope) -> Option<ExpressionId> {
        let before = self.body.statements.len();
        let value = self.value(predicate, scope);
        let value = self.as_data(value, "a predicate");
        let plain = self.body.statements.len() == before;
        self.body.statements.truncate(before);
        plain.then_some(value.id)
    }
}
