//! A module as a listing: its cells, its imports and the statements of its procedures, each with its number.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter, Write};

use super::{
    Base, Callee, Calls, CellKind, Expression, ExpressionId, Function, Import, LocalId, Module, Place,
    Procedure, Signature, SignatureId, Sort, Statement,
};
use crate::term::{Operator, Unary};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (_, cell) in self.cells() {
            let length = cell.length.map_or(String::new(), |length| format!("[{length}]"));
            let show = |n| match &cell.kind {
                CellKind::Value(sort) => self.show_value(n, sort),
                CellKind::Mutex | CellKind::Semaphore(_) => n.to_string(),
            };
            let initial: Vec<String> = cell.initial.iter().map(show).collect();
            let kind = match &cell.kind {
                CellKind::Value(sort) => self.show_sort(sort),
                CellKind::Mutex => "mutex".into(),
                CellKind::Semaphore(places) => format!("sem ${places}"),
            };
            writeln!(f, "cell {}{length} : {kind} = {}", cell.name, initial.join(", "))?;
        }
        for (_, import) in self.imports() {
            writeln!(f, "import {}{}", import.name, self.show_import(import))?;
        }
        for (_, procedure) in self.procedures() {
            let word = if procedure.exported { "export" } else { "private" };
            writeln!(f, "{word} {}{}", procedure.name, self.show_signature(procedure.signature))?;
            for (n, (statement, _)) in procedure.body.iter().enumerate() {
                writeln!(f, "{n:5}  {}", Listing { module: self, procedure }.statement(statement))?;
            }
        }
        Ok(())
    }
}

impl Module {
    /// A type of functions as it is written behind a name.
    pub fn show_signature(&self, id: SignatureId) -> String {
        let Signature { parameters, result } = self.signature(id);
        let parameters: Vec<String> = parameters.iter().map(|sort| self.show_sort(sort)).collect();
        let result = result.as_ref().map_or("com".into(), |sort| self.show_sort(sort));
        format!("({}) : {result}", parameters.join(", "))
    }
}

impl Module {
    /// The type of an import as it is written behind its name, and what it does not do of what others may do.
    pub fn show_import(&self, import: &Import) -> String {
        let mut parts = vec![self.show_signature(import.signature)];
        parts.extend(self.show_restrictions(import));
        parts.join(", ")
    }

    /// What an import does not do of what others may do, each in words such as `calls nothing`.
    pub fn show_restrictions(&self, import: &Import) -> Vec<String> {
        let mut parts = Vec::new();
        if let Some((low, high)) = &import.returns {
            parts.push(format!("returns {low} to {high}"));
        }
        match &import.calls {
            Calls::Any => {}
            Calls::Nothing => parts.push("calls nothing".into()),
            Calls::Only(ids) => {
                let names: BTreeSet<&str> = ids.iter().map(|id| &*self.procedure(*id).name).collect();
                let names: Vec<&str> = names.into_iter().collect();
                parts.push(format!("calls only {}", names.join(", ")));
            }
        }
        if import.ends {
            parts.push("never returns".into());
        }
        parts
    }
}

struct Listing<'a> {
    module: &'a Module,
    procedure: &'a Procedure,
}

impl Listing<'_> {
    fn statement(&self, statement: &Statement) -> String {
        let value = |id: &ExpressionId| self.value(*id);
        match statement {
            Statement::Set(place, id) => format!("{} := {}", self.place(*place), value(id)),
            Statement::Fill(base, id) => format!("{}[*] := {}", self.base(*base), value(id)),
            Statement::Branch(id, yes, no) => format!("if {} go to {} else {}", value(id), yes.0, no.0),
            Statement::Jump(to) => format!("go to {}", to.0),
            Statement::Call(callee, arguments, to) => {
                let to = to.map_or(String::new(), |to| format!("{} := ", self.base(Base::Local(to))));
                format!("{to}call {}", self.call(*callee, arguments))
            }
            Statement::Begin(callee, arguments, to, _) => {
                format!("{} := begin {}", self.base(Base::Local(*to)), self.call(*callee, arguments))
            }
            Statement::Join(id, to) => {
                let to = to.map_or(String::new(), |to| format!("{} := ", self.base(Base::Local(to))));
                format!("{to}join {}", value(id))
            }
            Statement::Detach(id) => format!("detach {}", value(id)),
            Statement::Leave(None) => "leave".into(),
            Statement::Leave(Some(id)) => format!("leave {}", value(id)),
            Statement::Itself(to) => format!("{} := itself", self.base(Base::Local(*to))),
            Statement::Atomic(true) => "begin atomic".into(),
            Statement::Atomic(false) => "end atomic".into(),
            Statement::Return(None) => "return".into(),
            Statement::Return(Some(id)) => format!("return {}", value(id)),
            Statement::Assert(id, _) => format!("assert {}", value(id)),
            Statement::Fail(_) => "fail".into(),
            Statement::Exit(id) => format!("exit {}", value(id)),
            Statement::Diverge => "diverge".into(),
            Statement::Lock(place) => format!("lock {}", self.place(*place)),
            Statement::TryLock(place, to) => {
                format!("{} := trylock {}", self.base(Base::Local(*to)), self.place(*place))
            }
            Statement::Unlock(place) => format!("unlock {}", self.place(*place)),
            Statement::Grab(place) => format!("grab {}", self.place(*place)),
            Statement::Release(place) => format!("release {}", self.place(*place)),
            Statement::BeginPredicate(id) => format!("begin predicate {}", value(id)),
            Statement::EndPredicate(id) => format!("end predicate {}", value(id)),
        }
    }

    fn call(&self, callee: Callee, arguments: &[ExpressionId]) -> String {
        let name = match callee {
            Callee::Procedure(id) => self.module.show_function(Function::Procedure(id)),
            Callee::Import(id) => self.module.show_function(Function::Import(id)),
            Callee::Value(id, _) => format!("*{}", self.value(id)),
        };
        let arguments: Vec<String> = arguments.iter().map(|id| self.value(*id)).collect();
        format!("{name}({})", arguments.join(", "))
    }

    fn base(&self, base: Base) -> String {
        match base {
            Base::Module(id) => self.module.cell(id).name.to_string(),
            Base::Local(LocalId(n)) => match &self.procedure.locals[n as usize].name {
                Some(name) => format!("{name}.{n}"),
                None => format!("t.{n}"),
            },
        }
    }

    fn place(&self, place: Place) -> String {
        let mut text = self.base(place.base);
        if let Some(index) = place.index {
            let _ = write!(text, "[{}]", self.value(index));
        }
        text
    }

    fn value(&self, id: ExpressionId) -> String {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || match self.module.expression(id) {
            Expression::Number(n) => n.to_string(),
            Expression::Function(function) => self.module.show_function(*function),
            Expression::Load(place) => self.place(*place),
            Expression::Unary(Unary::Negate, a) => format!("(- {})", self.value(*a)),
            Expression::Unary(Unary::Not, a) => format!("(not {})", self.value(*a)),
            Expression::Unary(Unary::Complement, a) => format!("(~ {})", self.value(*a)),
            Expression::Binary(operator, a, b) => {
                format!("({} {} {})", self.value(*a), symbol(*operator), self.value(*b))
            }
            Expression::Wrap(data, a) => {
                format!("{}({})", self.module.show_sort(&Sort::Data(data.clone())), self.value(*a))
            }
        })
    }
}

fn symbol(operator: Operator) -> &'static str {
    match operator {
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::Modulo => "mod",
        Operator::Quotient => "quot",
        Operator::Remainder => "rem",
        Operator::BitAnd => "bitand",
        Operator::BitOr => "bitor",
        Operator::BitXor => "bitxor",
        Operator::ShiftLeft => "<<",
        Operator::ShiftRight => ">>",
        Operator::Equal => "=",
        Operator::NotEqual => "<>",
        Operator::Less => "<",
        Operator::LessEqual => "<=",
        Operator::Greater => ">",
        Operator::GreaterEqual => ">=",
        Operator::Both => "&",
        Operator::Either => "|",
    }
}
