//! Names, elements and assignments.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::source::Span;
use agon_base::spelling::closest;
use agon_core::module::{Base, CellKind, Expression, Function, Place, Sort, Statement};
use agon_core::term::Name;
use agon_core::types::Data;

use super::Lowering;
use super::commands::Want;
use super::scope::{Bound, Scope};
use super::sorts::{Known, Passed, Value};
use crate::tree::{Node, NodeId};

impl<'a> Lowering<'a> {
    pub(super) fn name(&mut self, name: &Name, scope: Scope, want: &Want, span: Span) -> Value {
        match self.found(name, scope, span) {
            Some(Bound::Cell(id)) => {
                let cell = self.module.cell(id);
                match (&cell.kind, cell.length) {
                    (CellKind::Value(sort), None) => {
                        let sort = sort.clone();
                        self.at_place(Base::Module(id).whole(), sort, want, span)
                    }
                    (CellKind::Value(_), Some(_)) => {
                        self.not_a_value("an array", "say which element: `a[i]`", span)
                    }
                    (CellKind::Mutex, _) => {
                        self.not_a_value("a mutex", "`lock(m)`, `trylock(m)` and `unlock(m)` use it", span)
                    }
                    (CellKind::Semaphore(_), _) => {
                        self.not_a_value("a semaphore", "`grab(s)` and `release(s)` use it", span)
                    }
                }
            }
            Some(Bound::Local(id)) => {
                let local = &self.body.locals[id.index()];
                match local.length {
                    None => {
                        let sort = local.sort.clone();
                        self.at_place(Base::Local(id).whole(), sort, want, span)
                    }
                    Some(_) => self.not_a_value("an array", "say which element: `a[i]`", span),
                }
            }
            Some(Bound::Procedure(id)) => {
                let signature = self.module.procedure(id).signature;
                self.function(Function::Procedure(id), Sort::Function(signature), want, span)
            }
            Some(Bound::Import(id)) => {
                let signature = self.module.import(id).signature;
                self.function(Function::Import(id), Sort::Function(signature), want, span)
            }
            Some(Bound::Definition(definition)) => self.unfold(name, definition, &[], scope, want, span),
            Some(Bound::Argument(node, outside, passed)) => self.through(&passed, node, outside, want, span),
            Some(Bound::Command) => self.gives_nothing(want, span),
            Some(Bound::Itself) => self.nothing(span),
            None => match self.base.constants.get(name).cloned() {
                Some(n) => {
                    let value = self.data(Expression::Number(n), Data::Int, span);
                    self.done(value, want)
                }
                None if &**name == "null" => {
                    let id = self.number(agon_base::int::Int::ZERO, span);
                    self.done(Value { id, known: Known::Null }, want)
                }
                None => self.unknown(name, scope, span),
            },
        }
    }

    /// What a name stands for. Inside its own definition a name stands for something outside.
    pub(super) fn found(&mut self, name: &Name, scope: Scope, span: Span) -> Option<Bound<'a>> {
        let (found, itself) = self.scopes.find(scope, name);
        match found {
            Some(found) => {
                if itself {
                    let message =
                        format!("this `{name}` is the outer one, not the one that is being defined");
                    let label = "refers to an outer declaration";
                    let warning = Diagnostic::warning(Code::ShadowedDefinition, message, span, label);
                    let help =
                        "definitions inside a procedure are not recursive; give one of them another name";
                    self.base.report(warning.help(help));
                }
                Some(found)
            }
            None if itself && self.base.constants.get(name).is_none() => {
                let diagnostic = Diagnostic::error(
                    Code::Recursion,
                    format!("the definition of `{name}` mentions itself"),
                    span,
                    "recursive use",
                );
                self.base.report(
                    diagnostic
                        .note("a definition inside a procedure stands for its text")
                        .help(format!("make it a procedure of the module: `let {name}(…) = …;` as an item")),
                );
                Some(Bound::Itself)
            }
            None => None,
        }
    }

    fn unknown(&mut self, name: &Name, scope: Scope, span: Span) -> Value {
        let short: String = name.chars().take(40).collect();
        let message = format!("nothing here is called `{short}`");
        let help = match closest(name, self.scopes.names(scope).map(|name| &**name)) {
            Some(like) => format!("there is `{like}`"),
            None => "declare it as an item of the module: a cell, an import or a procedure".into(),
        };
        self.base.report(Diagnostic::error(Code::UnknownName, message, span, "not declared").help(help));
        self.nothing(span)
    }

    pub(super) fn not_a_value(&mut self, what: &str, help: &str, span: Span) -> Value {
        let message = format!("{what} is no value");
        self.base.report(Diagnostic::error(Code::Mismatch, message, span, what.to_string()).help(help));
        self.nothing(span)
    }

    /// The name of a function.
    fn function(&mut self, function: Function, sort: Sort, want: &Want, span: Span) -> Value {
        if let Want::Run(_) = want {
            let name = self.module.show_function(function);
            let message = format!("`{name}` alone is the name of a function, and no command");
            let diagnostic = Diagnostic::error(Code::Mismatch, message, span, "not called");
            self.base.report(diagnostic.help(format!("a call has parentheses: `{name}(…)`")));
            return self.nothing(span);
        }
        let id = self.expression(Expression::Function(function), span);
        self.done(Value { id, known: Known::Sort(sort) }, want)
    }

    /// A cell or an element is read or written to.
    pub(super) fn at_place(&mut self, place: Place, sort: Sort, want: &Want, span: Span) -> Value {
        match want {
            Want::Write(value) => {
                let value = self.convert(value.clone(), &sort, "the value assigned");
                self.emit(Statement::Set(place, value), span);
                self.nothing(span)
            }
            Want::Value | Want::Run(_) => {
                let id = self.expression(Expression::Load(place), span);
                self.done(Value { id, known: Known::Sort(sort) }, want)
            }
        }
    }

    /// An element of an array, and its sort.
    pub(super) fn element(&mut self, id: NodeId, scope: Scope) -> Option<(Place, Sort)> {
        let Node::Index(array, index) = self.base.program.tree.node(id) else { return None };
        let base = self.array(*array, scope);
        let index = self.value(*index, scope);
        let index = self.as_data(index, "an index");
        let (base, sort) = base?;
        Some((Place { base, index: Some(index.id) }, sort))
    }

    /// The array that a term is, and the sort of its elements.
    fn array(&mut self, id: NodeId, scope: Scope) -> Option<(Base, Sort)> {
        let span = self.base.program.tree.span(id);
        let found = match self.base.program.tree.node(id) {
            Node::Missing => return None,
            Node::Name(name) => self.found(name, scope, span),
            _ => None,
        };
        match found {
            Some(Bound::Cell(id)) => {
                if let (CellKind::Value(sort), Some(_)) =
                    (&self.module.cell(id).kind, self.module.cell(id).length)
                {
                    return Some((Base::Module(id), sort.clone()));
                }
            }
            Some(Bound::Local(id)) => {
                let local = &self.body.locals[id.index()];
                if local.length.is_some() {
                    return Some((Base::Local(id), local.sort.clone()));
                }
            }
            Some(Bound::Argument(node, outside, Passed::Array(sort, length))) => {
                let (base, given) = self.array(node, outside)?;
                let given_length = match base {
                    Base::Module(id) => self.module.cell(id).length,
                    Base::Local(id) => self.body.locals[id.index()].length,
                };
                let same = match (&sort, &given) {
                    (Sort::Data(a), Sort::Data(b)) => a.same_values(b),
                    (a, b) => a == b,
                };
                if same && given_length == Some(length) {
                    return Some((base, given));
                }
                let message = format!(
                    "this argument must be an array of {length} elements of type `{}`",
                    self.module.show_sort(&sort)
                );
                let span = self.base.program.tree.span(node);
                self.base.report(Diagnostic::error(Code::Mismatch, message, span, "another array"));
                return None;
            }
            Some(Bound::Definition(definition)) if definition.parameters.is_empty() => {
                self.unfolded.insert(definition.node);
                return stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
                    self.array(definition.node, definition.inside)
                });
            }
            Some(Bound::Itself) => return None,
            _ => {}
        }
        let diagnostic =
            Diagnostic::error(Code::NotAnArray, "only arrays have elements", span, "expected an array");
        self.base.report(diagnostic.help("an array is declared `int%4 a[10];`"));
        None
    }

    /// The value is evaluated first, then the place, then it is written.
    pub(super) fn assign(&mut self, left: NodeId, right: NodeId, scope: Scope) {
        let span = self.base.program.tree.span(left);
        let mut value = [self.value(right, scope)];
        if let Node::Index(..) = self.base.program.tree.node(left) {
            let element = self.kept(&mut value, |lowering| lowering.element(left, scope));
            if let Some((place, sort)) = element {
                let [value] = value;
                self.at_place(place, sort, &Want::Write(value), span);
            }
            return;
        }
        let [mut value] = value;
        let direct = match self.base.program.tree.node(left) {
            Node::Name(name) => {
                matches!(self.scopes.find(scope, name).0, Some(Bound::Cell(_) | Bound::Local(_)))
            }
            _ => false,
        };
        if !direct && !self.is_stable(value.id) {
            let sort = match &value.known {
                Known::Sort(sort) => sort.clone(),
                Known::Null | Known::Any => Sort::Data(Data::Int),
            };
            let local = self.local(None, sort, None, span);
            self.emit(Statement::Set(Base::Local(local).whole(), value.id), span);
            value.id = self.load(local, span);
        }
        self.term(left, scope, &Want::Write(value));
    }

    /// A term through the type of a parameter or of a definition.
    pub(super) fn through(
        &mut self,
        passed: &Passed,
        node: NodeId,
        scope: Scope,
        want: &Want,
        span: Span,
    ) -> Value {
        match (passed, want) {
            (Passed::Nothing, _) => self.nothing(span),
            (Passed::Command, Want::Run(why)) => {
                self.command(node, scope, why);
                self.nothing(span)
            }
            (Passed::Command, _) => self.gives_nothing(want, span),
            (Passed::Array(..), _) => self.not_a_value("an array", "say which element: `a[i]`", span),
            (Passed::Variable(sort), Want::Write(value)) => {
                let id = self.convert(value.clone(), sort, "the value assigned");
                let value = Value { id, known: Known::Sort(sort.clone()) };
                self.term(node, scope, &Want::Write(value))
            }
            (Passed::Value(sort) | Passed::Variable(sort), _) => {
                let value = self.value(node, scope);
                let id = self.convert(value, sort, "this value");
                self.done(Value { id, known: Known::Sort(sort.clone()) }, want)
            }
        }
    }

    /// Whether a term is a variable, as far as its text tells. What is too large to tell is taken for one.
    pub(super) fn is_variable(&self, id: NodeId, scope: Scope) -> bool {
        self.may_be_variable(id, scope, &mut 1_000)
    }

    fn may_be_variable(&self, id: NodeId, scope: Scope, rest: &mut usize) -> bool {
        let Some(fewer) = rest.checked_sub(1) else { return true };
        *rest = fewer;
        let mut inner = |id: NodeId, scope: Scope| self.may_be_variable(id, scope, rest);
        match self.base.program.tree.node(id) {
            Node::Missing | Node::Index(..) | Node::Abort | Node::Diverge | Node::Goto(_) => true,
            Node::Name(name) => match self.scopes.find(scope, name).0 {
                Some(Bound::Cell(id)) => {
                    let cell = self.module.cell(id);
                    cell.length.is_none() && matches!(cell.kind, CellKind::Value(_))
                }
                Some(Bound::Local(id)) => self.body.locals[id.index()].length.is_none(),
                Some(Bound::Argument(_, _, passed)) => {
                    matches!(passed, Passed::Variable(_) | Passed::Nothing)
                }
                Some(Bound::Definition(definition)) => inner(definition.node, definition.inside),
                _ => false,
            },
            Node::Sequence(parts) => parts.last().is_some_and(|last| inner(*last, scope)),
            Node::If(_, yes, Some(no)) => inner(*yes, scope) && inner(*no, scope),
            _ => false,
        }
    }
}
