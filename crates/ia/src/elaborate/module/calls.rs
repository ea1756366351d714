//! Calls: of procedures and imports, of what a value names, of definitions, and of mutexes' own operations.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::source::Span;
use agon_core::module::{Base, Callee, CellKind, ExpressionId, Place, SignatureId, Sort, Statement};
use agon_core::term::Name;
use agon_core::types::Data;

use super::Lowering;
use super::commands::Want;
use super::scope::{Bound, Definition, Scope};
use super::sorts::{Known, Passed, Value};
use crate::tree::{Node, NodeId};

impl<'a> Lowering<'a> {
    pub(super) fn apply(
        &mut self,
        head: NodeId,
        arguments: &'a [NodeId],
        scope: Scope,
        want: &Want,
        span: Span,
    ) -> Value {
        let head_span = self.base.program.tree.span(head);
        if let Node::Name(name) = self.base.program.tree.node(head) {
            match self.scopes.find(scope, name) {
                (Some(Bound::Procedure(id)), _) => {
                    let signature = self.module.procedure(id).signature;
                    return self.call(Callee::Procedure(id), signature, (name, arguments), scope, want, span);
                }
                (Some(Bound::Import(id)), _) => {
                    let signature = self.module.import(id).signature;
                    return self.call(Callee::Import(id), signature, (name, arguments), scope, want, span);
                }
                (Some(Bound::Definition(definition)), _) => {
                    self.found(name, scope, head_span);
                    return self.unfold(name, definition, arguments, scope, want, span);
                }
                (None, false) if matches!(&**name, "lock" | "unlock" | "trylock") => {
                    return self.mutex(name, arguments, scope, want, span);
                }
                _ => {}
            }
        }
        let mut callee = [self.value(head, scope)];
        let signature = match &callee[0].known {
            Known::Sort(Sort::Function(signature)) => *signature,
            known => {
                if *known != Known::Any {
                    let ty = self.show(known);
                    let message = format!("this is of type `{ty}` and takes no arguments");
                    let diagnostic =
                        Diagnostic::error(Code::NotAFunction, message, head_span, "not a procedure");
                    let help = "if two statements were meant, separate them with `;`";
                    self.base.report(diagnostic.help(help));
                }
                return self.nothing(span);
            }
        };
        let name: Name = "this function".into();
        let Some(sorts) = self.parameters(&name, signature, arguments.len(), span) else {
            return self.nothing(span);
        };
        let values =
            self.kept(&mut callee, |lowering| lowering.converted(arguments, sorts, scope, "the argument"));
        self.called(Callee::Value(callee[0].id, signature), signature, values, want, span)
    }

    fn call(
        &mut self,
        callee: Callee,
        signature: SignatureId,
        (name, arguments): (&Name, &'a [NodeId]),
        scope: Scope,
        want: &Want,
        span: Span,
    ) -> Value {
        let Some(sorts) = self.parameters(&format!("`{name}`"), signature, arguments.len(), span) else {
            return self.nothing(span);
        };
        let values = self.converted(arguments, sorts, scope, "the argument");
        self.called(callee, signature, values, want, span)
    }

    /// The sorts of the parameters, if there are as many as arguments are given.
    fn parameters(&mut self, what: &str, id: SignatureId, given: usize, span: Span) -> Option<Vec<Sort>> {
        let sorts = self.module.signature(id).parameters.clone();
        if sorts.len() == given {
            return Some(sorts);
        }
        self.wrong_count(what, sorts.len(), given, span);
        None
    }

    fn wrong_count(&mut self, what: &str, takes: usize, given: usize, span: Span) {
        let takes = match takes {
            0 => "no arguments".to_string(),
            1 => "one argument".to_string(),
            n => format!("{n} arguments"),
        };
        let message = format!("{what} takes {takes}, but is given {given}");
        let label = format!("takes {takes}");
        self.base.report(Diagnostic::error(Code::ArgumentCount, message, span, label));
    }

    /// Values of these sorts, evaluated once, left to right.
    pub(super) fn converted(
        &mut self,
        nodes: &[NodeId],
        sorts: Vec<Sort>,
        scope: Scope,
        why: &str,
    ) -> Vec<ExpressionId> {
        let mut values: Vec<Value> = Vec::new();
        for (node, sort) in nodes.iter().zip(sorts) {
            let value = self.kept(&mut values, |lowering| {
                let value = lowering.value(*node, scope);
                Value { id: lowering.convert(value, &sort, why), known: Known::Sort(sort) }
            });
            values.push(value);
        }
        values.into_iter().map(|value| value.id).collect()
    }

    fn called(
        &mut self,
        callee: Callee,
        signature: SignatureId,
        arguments: Vec<ExpressionId>,
        want: &Want,
        span: Span,
    ) -> Value {
        let Some(sort) = self.module.signature(signature).result.clone() else {
            self.emit(Statement::Call(callee, arguments, None), span);
            return self.gives_nothing(want, span);
        };
        let result = self.local(None, sort.clone(), None, span);
        self.emit(Statement::Call(callee, arguments, Some(result)), span);
        let value = Value { id: self.load(result, span), known: Known::Sort(sort) };
        self.done(value, want)
    }

    /// The text of a definition, in its own scope, with arguments that are evaluated where they are used.
    pub(super) fn unfold(
        &mut self,
        name: &Name,
        definition: Definition<'a>,
        arguments: &[NodeId],
        scope: Scope,
        want: &Want,
        span: Span,
    ) -> Value {
        self.unfolded.insert(definition.node);
        if definition.parameters.len() != arguments.len() {
            self.wrong_count(&format!("`{name}`"), definition.parameters.len(), arguments.len(), span);
            return self.nothing(span);
        }
        let mut within = definition.inside;
        for (parameter, argument) in definition.parameters.iter().zip(arguments) {
            let mut passed = self.passed(&parameter.argument.ty);
            if matches!(passed, Passed::Variable(_)) && !self.is_variable(*argument, scope) {
                passed = Passed::Nothing;
                let span = self.base.program.tree.span(*argument);
                let message = format!("the argument `{}` must be a variable", parameter.ident.name);
                self.base.report(Diagnostic::error(Code::Mismatch, message, span, "expected a variable"));
            }
            within =
                self.scopes.enter(within, &parameter.ident.name, Bound::Argument(*argument, scope, passed));
        }
        match definition.result {
            Some(ty) => {
                let passed = self.passed(ty);
                self.through(&passed, definition.node, within, want, span)
            }
            None => self.term(definition.node, within, want),
        }
    }

    /// A definition that nobody uses is typed all the same, and then forgotten.
    pub(super) fn unused(&mut self, definition: Definition<'a>) {
        if !self.unfolded.insert(definition.node) || self.body.too_large {
            return;
        }
        let (statements, locals) = (self.body.statements.len(), self.body.locals.len());
        let mut scope = definition.inside;
        for parameter in definition.parameters {
            let span = parameter.ident.span;
            let bound = match self.passed(&parameter.argument.ty) {
                Passed::Command => Bound::Command,
                Passed::Value(sort) | Passed::Variable(sort) => {
                    Bound::Local(self.local(None, sort, None, span))
                }
                Passed::Array(sort, length) => Bound::Local(self.local(None, sort, Some(length), span)),
                Passed::Nothing => Bound::Argument(definition.node, definition.inside, Passed::Nothing),
            };
            scope = self.scopes.enter(scope, &parameter.ident.name, bound);
        }
        let passed = definition.result.map(|ty| self.passed(ty));
        let is_command = match &passed {
            Some(passed) => matches!(passed, Passed::Command),
            None => self.is_command(definition.node, scope, &mut 1_000),
        };
        let want = if is_command { Want::Run("what is defined") } else { Want::Value };
        let span = self.base.program.tree.span(definition.node);
        match passed {
            Some(passed) => self.through(&passed, definition.node, scope, &want, span),
            None => self.term(definition.node, scope, &want),
        };
        self.body.statements.truncate(statements);
        self.body.locals.truncate(locals);
    }

    /// Whether a term is a command, as far as its text tells. What is too large to tell is taken for a value.
    fn is_command(&self, id: NodeId, scope: Scope, rest: &mut usize) -> bool {
        let Some(fewer) = rest.checked_sub(1) else { return false };
        *rest = fewer;
        let mut inner = |id: NodeId, scope: Scope| self.is_command(id, scope, rest);
        match self.base.program.tree.node(id) {
            Node::Skip
            | Node::Assign(..)
            | Node::While(..)
            | Node::Break(..)
            | Node::Continue(..)
            | Node::BeginPredicate(_)
            | Node::EndPredicate(_)
            | Node::Assert(_)
            | Node::Grab(_)
            | Node::Release(_)
            | Node::If(_, _, None) => true,
            Node::Sequence(parts) => parts.last().is_some_and(|last| inner(*last, scope)),
            Node::If(_, yes, Some(no)) => inner(*yes, scope) || inner(*no, scope),
            Node::New { body, .. } | Node::Declare { body, .. } | Node::WithPredicate(_, body) => {
                inner(*body, scope)
            }
            Node::Let { body, .. } => inner(*body, scope),
            Node::Name(name) => match self.scopes.find(scope, name).0 {
                Some(Bound::Command | Bound::Argument(_, _, Passed::Command)) => true,
                Some(Bound::Definition(definition)) => inner(definition.node, definition.inside),
                _ => false,
            },
            Node::Apply(head, _) => match self.base.program.tree.node(*head) {
                Node::Name(name) => match self.scopes.find(scope, name).0 {
                    Some(Bound::Procedure(id)) => {
                        self.module.signature(self.module.procedure(id).signature).result.is_none()
                    }
                    Some(Bound::Import(id)) => {
                        self.module.signature(self.module.import(id).signature).result.is_none()
                    }
                    Some(Bound::Definition(definition)) => inner(definition.node, definition.inside),
                    None => matches!(&**name, "lock" | "unlock"),
                    _ => false,
                },
                _ => false,
            },
            _ => false,
        }
    }

    /// `lock(m)`, `unlock(m)`, `trylock(m)`.
    fn mutex(&mut self, name: &Name, arguments: &[NodeId], scope: Scope, want: &Want, span: Span) -> Value {
        let [mutex] = arguments else {
            self.wrong_count(&format!("`{name}`"), 1, arguments.len(), span);
            return self.nothing(span);
        };
        let Some(place) = self.lock(*mutex, scope, |kind| *kind == CellKind::Mutex, "a mutex", "mutex m;")
        else {
            return self.nothing(span);
        };
        match &**name {
            "trylock" => {
                let result = self.local(None, Sort::Data(Data::Bool), None, span);
                self.emit(Statement::TryLock(place, result), span);
                let id = self.load(result, span);
                self.done(Value { id, known: Known::Sort(Sort::Data(Data::Bool)) }, want)
            }
            "lock" => {
                self.emit(Statement::Lock(place), span);
                self.gives_nothing(want, span)
            }
            _ => {
                self.emit(Statement::Unlock(place), span);
                self.gives_nothing(want, span)
            }
        }
    }

    pub(super) fn semaphore(&mut self, id: NodeId, scope: Scope) -> Option<Place> {
        self.lock(id, scope, |kind| matches!(kind, CellKind::Semaphore(_)), "a semaphore", "sem s;")
    }

    /// The mutex or the semaphore that a name stands for.
    fn lock(
        &mut self,
        id: NodeId,
        scope: Scope,
        fits: fn(&CellKind) -> bool,
        what: &str,
        declared: &str,
    ) -> Option<Place> {
        let span = self.base.program.tree.span(id);
        let found = match self.base.program.tree.node(id) {
            Node::Name(name) => self.scopes.find(scope, name).0,
            _ => None,
        };
        if let Some(Bound::Cell(cell)) = found
            && fits(&self.module.cell(cell).kind)
        {
            return Some(Base::Module(cell).whole());
        }
        let message = format!("this must be the name of {what}");
        let diagnostic = Diagnostic::error(Code::Mismatch, message, span, format!("expected {what}"));
        self.base.report(diagnostic.help(format!("it is declared as an item of the module: `{declared}`")));
        None
    }
}
