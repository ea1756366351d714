//! A module as a term: what it does at a bounded nesting, as a program of second order.
//!
//! All exports are arguments of a free `env`, and of every import. Inside an import they are one level lower; at the lowest level they
//! diverge. Parameters are read from free expressions `p…`, results of exports and arguments of imports are written to free
//! variables `r…` and `a…`. So the reference semantics of terms is one of modules as well.

use std::fmt::Write;

use agon_base::int::Int;
use agon_core::module::{
    Base, Callee, CellKind, Expression, ExpressionId, ImportId, LocalId, Module, Place, ProcedureId, Sort,
    Statement,
};
use agon_core::term::{Operator, Unary};
use agon_core::types::Data;

/// The text of a term that plays as a module does, with as many levels below the first. Nothing if the module has names of functions
/// or semaphores, calls itself, or ends the program.
pub fn unfold(module: &Module, levels: usize) -> Option<String> {
    let mut writer = Writer { module, activations: 0 };
    let exports = module.procedures().filter(|(_, procedure)| procedure.exported);
    let exports: Vec<ProcedureId> = exports.map(|(id, _)| id).collect();
    let commands = "com -> ".repeat(exports.len());
    let mut context = vec![format!("env : {commands}com")];
    for id in &exports {
        let signature = module.signature(module.procedure(*id).signature);
        for (n, sort) in signature.parameters.iter().enumerate() {
            context.push(format!("p{}_{n} : exp {}", id.0, data(sort)?));
        }
        if let Some(sort) = &signature.result {
            context.push(format!("r{} : var {}", id.0, data(sort)?));
        }
    }
    for (ImportId(id), import) in module.imports() {
        let signature = module.signature(import.signature);
        for (n, sort) in signature.parameters.iter().enumerate() {
            context.push(format!("a{id}_{n} : var {}", data(sort)?));
        }
        let result = match &signature.result {
            Some(sort) => format!("exp {}", data(sort)?),
            None => "com".into(),
        };
        context.push(format!("f{id} : {commands}{result}"));
    }
    let mut text = format!("{} |-\n", context.join(",\n"));
    for (id, cell) in module.cells() {
        let held = match &cell.kind {
            CellKind::Value(sort) => data(sort)?,
            CellKind::Mutex => Data::Mod(Int::from(2u64)),
            CellKind::Semaphore(_) => return None,
        };
        let length = cell.length.map_or(String::new(), |length| format!("[{length}]"));
        let _ = writeln!(text, "new {held} c{}{length} in", id.0);
        for element in 0..cell.length.unwrap_or(1) {
            let index = cell.length.map_or(String::new(), |_| format!("[{element}]"));
            let _ = writeln!(text, "c{}{index} := {};", id.0, number(&cell.first(element)));
        }
    }
    let arguments = writer.exports(&exports, levels)?;
    Some(format!("{text}env({})\n", arguments.join(", ")))
}

/// The type of data of a sort. Booleans are numbers here.
fn data(sort: &Sort) -> Option<Data> {
    match sort {
        Sort::Data(Data::Bool) => Some(Data::Mod(Int::from(2u64))),
        Sort::Data(data) | Sort::Address(data) => Some(data.clone()),
        Sort::Function(_) => None,
    }
}

fn number(n: &Int) -> String {
    if n.is_negative() { format!("({n})") } else { n.to_string() }
}

struct Writer<'a> {
    module: &'a Module,
    /// How many activations were written; each has cells of its own.
    activations: usize,
}

impl Writer<'_> {
    /// What the environment may run at a level.
    fn exports(&mut self, exports: &[ProcedureId], level: usize) -> Option<Vec<String>> {
        exports.iter().map(|id| self.export(exports, *id, level)).collect()
    }

    fn export(&mut self, exports: &[ProcedureId], id: ProcedureId, level: usize) -> Option<String> {
        let signature = self.module.signature(self.module.procedure(id).signature);
        let parameters = (0..signature.parameters.len()).map(|n| format!("p{}_{n}", id.0)).collect();
        let result = signature.result.as_ref().map(|_| format!("r{}", id.0));
        self.activation(exports, (id, parameters), result, level, &mut vec![])
    }

    /// An activation of a procedure, with the values of its parameters; the result goes to a variable.
    fn activation(
        &mut self,
        exports: &[ProcedureId],
        (id, values): (ProcedureId, Vec<String>),
        result: Option<String>,
        level: usize,
        open: &mut Vec<ProcedureId>,
    ) -> Option<String> {
        if open.contains(&id) {
            return None;
        }
        open.push(id);
        self.activations += 1;
        let own = self.activations;
        let procedure = self.module.procedure(id);
        let given = self.module.signature(procedure.signature).result.as_ref();
        let mut text = String::from("{ ");
        for (n, local) in procedure.locals.iter().enumerate() {
            let length = local.length.map_or(String::new(), |length| format!("[{length}]"));
            let _ = write!(text, "new {} l{own}_{n}{length} in ", data(&local.sort)?);
        }
        for (n, value) in values.iter().enumerate() {
            let _ = write!(text, "l{own}_{n} := {value}; ");
        }
        if let Some(sort) = given {
            let _ = write!(text, "new {} v{own} in ", data(sort)?);
        }
        let count = procedure.body.len();
        let _ = write!(text, "new int%{} pc{own} in while pc{own} < {count} do {{ ", count + 1);
        for (n, (statement, _)) in procedure.body.iter().enumerate() {
            let done = self.statement(exports, own, (id, n), statement, level, open)?;
            let _ = write!(text, "if pc{own} = {n} then {{ {done} }} else ");
        }
        text += "diverge }";
        if let (Some(_), Some(to)) = (given, result) {
            let _ = write!(text, "; {to} := v{own}");
        }
        open.pop();
        Some(text + " }")
    }

    fn statement(
        &mut self,
        exports: &[ProcedureId],
        own: usize,
        (id, at): (ProcedureId, usize),
        statement: &Statement,
        level: usize,
        open: &mut Vec<ProcedureId>,
    ) -> Option<String> {
        let next = format!("pc{own} := {}", at + 1);
        Some(match statement {
            Statement::Set(place, value) => {
                format!("{} := {}; {next}", self.place(own, *place)?, self.value(own, *value)?)
            }
            Statement::Branch(condition, yes, no) => format!(
                "if {} then pc{own} := {} else pc{own} := {}",
                self.value(own, *condition)?,
                yes.0,
                no.0
            ),
            Statement::Jump(to) => format!("pc{own} := {}", to.0),
            Statement::Return(value) => {
                let end = format!("pc{own} := {}", self.module.procedure(id).body.len());
                match value {
                    Some(value) => format!("v{own} := {}; {end}", self.value(own, *value)?),
                    None => end,
                }
            }
            Statement::Assert(condition, _) => format!("assert({}); {next}", self.value(own, *condition)?),
            Statement::Fail(_) => "abort".into(),
            Statement::Diverge => "diverge".into(),
            Statement::Call(callee, arguments, to) => {
                let values: Option<Vec<String>> =
                    arguments.iter().map(|argument| self.value(own, *argument)).collect();
                let values = values?;
                let to = to.map(|LocalId(n)| format!("l{own}_{n}"));
                let call = match callee {
                    Callee::Procedure(callee) => {
                        self.activation(exports, (*callee, values), to, level, open)?
                    }
                    Callee::Import(callee) => self.import(exports, *callee, &values, to, level)?,
                    Callee::Value(..) => return None,
                };
                format!("{call}; {next}")
            }
            Statement::Lock(place) => {
                let place = self.place(own, *place)?;
                format!("if {place} then abort else {place} := 1; {next}")
            }
            Statement::Unlock(place) => {
                let place = self.place(own, *place)?;
                format!("if {place} then {place} := 0 else abort; {next}")
            }
            Statement::TryLock(place, LocalId(to)) => {
                let place = self.place(own, *place)?;
                format!("l{own}_{to} := not {place}; {place} := 1; {next}")
            }
            Statement::Atomic(_) | Statement::BeginPredicate(_) | Statement::EndPredicate(_) => next,
            Statement::Fill(..)
            | Statement::Exit(_)
            | Statement::Grab(_)
            | Statement::Release(_)
            | Statement::Begin(..)
            | Statement::Join(..)
            | Statement::Detach(_)
            | Statement::Leave(_)
            | Statement::Itself(_) => return None,
        })
    }

    /// A call of an import, in which the exports can be run one level lower.
    fn import(
        &mut self,
        exports: &[ProcedureId],
        ImportId(id): ImportId,
        values: &[String],
        to: Option<String>,
        level: usize,
    ) -> Option<String> {
        let arguments = match level.checked_sub(1) {
            Some(below) => self.exports(exports, below)?,
            None => vec!["diverge".to_string(); exports.len()],
        };
        let mut text = String::new();
        for (n, value) in values.iter().enumerate() {
            let _ = write!(text, "a{id}_{n} := {value}; ");
        }
        let call = format!("f{id}({})", arguments.join(", "));
        let result = self.module.signature(self.module.import(ImportId(id)).signature).result.as_ref();
        Some(match (result, to) {
            (None, _) => format!("{text}{call}"),
            (Some(_), Some(to)) => format!("{text}{to} := {call}"),
            (Some(sort), None) => format!("{text}{{ new {} unused in unused := {call} }}", data(sort)?),
        })
    }

    fn place(&self, own: usize, place: Place) -> Option<String> {
        let name = match place.base {
            Base::Module(id) => format!("c{}", id.0),
            Base::Local(LocalId(n)) => format!("l{own}_{n}"),
        };
        Some(match place.index {
            None => name,
            Some(index) => format!("{name}[{}]", self.value(own, index)?),
        })
    }

    fn value(&self, own: usize, id: ExpressionId) -> Option<String> {
        Some(match self.module.expression(id) {
            Expression::Number(n) => number(n),
            Expression::Function(_) => return None,
            Expression::Load(place) => self.place(own, *place)?,
            Expression::Unary(Unary::Negate, a) => format!("(-{})", self.value(own, *a)?),
            Expression::Unary(Unary::Not, a) => format!("(not {})", self.value(own, *a)?),
            Expression::Unary(Unary::Complement, _) => return None,
            Expression::Binary(operator, a, b) => {
                let symbol = match operator {
                    Operator::Add => "+",
                    Operator::Subtract => "-",
                    Operator::Multiply => "*",
                    Operator::Divide => "/",
                    Operator::Modulo => "mod",
                    Operator::Equal => "=",
                    Operator::NotEqual => "<>",
                    Operator::Less => "<",
                    Operator::LessEqual => "<=",
                    Operator::Greater => ">",
                    Operator::GreaterEqual => ">=",
                    Operator::Both => "&",
                    Operator::Either => "|",
                    Operator::Quotient
                    | Operator::Remainder
                    | Operator::BitAnd
                    | Operator::BitOr
                    | Operator::BitXor
                    | Operator::ShiftLeft
                    | Operator::ShiftRight => return None,
                };
                format!("({} {symbol} {})", self.value(own, *a)?, self.value(own, *b)?)
            }
            Expression::Wrap(wrapped, a) => {
                let wrapped = data(&Sort::Data(wrapped.clone()))?;
                format!("(new {wrapped} w in w := {}; w)", self.value(own, *a)?)
            }
        })
    }
}
