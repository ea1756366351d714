//! Calls by a module as targets: the module that fails just where it would make such a call.

use agon_base::int::Int;
use agon_base::spelling::closest;

use super::insert::{Around, inserted};
use super::{Callee, Expression, ExpressionId, Function, Label, Module, Statement};
use crate::checks::{Check, Kind, Watch};
use crate::term::Operator;
use agon_base::source::Span;

/// A call that a module may make to its environment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// The function: an import, or a function of the environment's own.
    pub function: Function,
    /// Its arguments; those that are not given may be anything.
    pub arguments: Vec<Option<Int>>,
}

impl Target {
    /// The target that a text writes down, such as `now()`, `put(_, 3)`; or what is wrong with the text.
    pub fn parse(module: &Module, text: &str) -> Result<Target, String> {
        let (name, rest) = text.split_once('(').ok_or("a call of an import has parentheses, `f()`")?;
        let name = name.trim();
        let inner = rest.trim_end().strip_suffix(')').ok_or("`)` is missing")?;
        let function = module.named(name).ok_or_else(|| {
            let imports = module.imports().map(|(_, import)| &*import.name);
            let like = closest(name, imports).map(|like| format!(" (did you mean `{like}({inner})`?)"));
            format!("nothing is called `{name}`{}", like.unwrap_or_default())
        })?;
        if let Function::Procedure(_) = function {
            return Err(format!("`{name}` is a procedure of the module, which the environment calls"));
        }
        let parameters = &module.signature(module.type_of(function)).parameters;
        let given: Vec<&str> = match inner.trim() {
            "" => vec![],
            inner => inner.split(',').map(str::trim).collect(),
        };
        if !given.is_empty() && given.len() != parameters.len() {
            return Err(format!("`{name}` has {} arguments, not {}", parameters.len(), given.len()));
        }
        let value = |(n, sort)| match given.get(n) {
            None | Some(&"_") => Ok(None),
            Some(text) => match module.parse_value(text, sort)? {
                value if module.fits(&value, sort) => Ok(Some(value)),
                _ => Err(format!("`{text}` is no value of type `{}`", module.show_sort(sort))),
            },
        };
        let arguments = parameters.iter().enumerate().map(value).collect::<Result<_, String>>()?;
        Ok(Target { function, arguments })
    }

    /// Whether a call is the target.
    pub fn is(&self, function: Function, arguments: &[Int]) -> bool {
        let same = |(given, value): (&Option<Int>, &Int)| given.as_ref().is_none_or(|given| given == value);
        function == self.function && self.arguments.iter().zip(arguments).all(same)
    }
}

/// The check that stands for a target.
const CHECK: Check = Check { span: super::environment::OUTSIDE, kind: Kind::Abort };

impl Module {
    /// The module that fails where this one makes a call of a target, and diverges where this one fails.
    pub fn reaching(&self, target: &Target) -> Module {
        let mut module = self.clone();
        module.watch = Watch::Only(CHECK);
        for n in 0..module.procedures.len() {
            let body = std::mem::take(&mut module.procedures[n].body);
            let around = body.iter().map(|(statement, span)| Around {
                before: match module.test(target, statement, *span) {
                    Some(test) => {
                        vec![Statement::Branch(test, Label(1), Label(2)), Statement::Fail(CHECK.kind)]
                    }
                    None => vec![],
                },
                after: vec![],
            });
            let around = around.collect();
            module.procedures[n].body = inserted(body, around, CHECK.span);
        }
        module
    }

    /// An expression that is true if a statement makes a call of a target; nothing if it never does.
    fn test(&mut self, target: &Target, statement: &Statement, span: Span) -> Option<ExpressionId> {
        let Statement::Call(callee, arguments, _) = statement else { return None };
        let is_one = self.add(Expression::Number(Int::ONE), span);
        let mut test = match *callee {
            Callee::Procedure(_) => return None,
            Callee::Import(id) if target.function == Function::Import(id) => is_one,
            Callee::Import(_) => return None,
            Callee::Value(value, _) => {
                let name = self.add(Expression::Number(self.number(target.function)), span);
                self.add(Expression::Binary(Operator::Equal, value, name), span)
            }
        };
        let parameters = self.signature(self.type_of(target.function)).parameters.clone();
        if parameters.len() != arguments.len() {
            return None;
        }
        for ((given, argument), sort) in target.arguments.iter().zip(arguments).zip(&parameters) {
            let Some(given) = given else { continue };
            let argument = match sort {
                super::Sort::Data(data) | super::Sort::Address(data) => {
                    self.add(Expression::Wrap(data.clone(), *argument), span)
                }
                super::Sort::Function(_) => *argument,
            };
            let given = self.add(Expression::Number(given.clone()), span);
            let same = self.add(Expression::Binary(Operator::Equal, argument, given), span);
            test = self.add(Expression::Binary(Operator::Both, test, same), span);
        }
        Some(test)
    }
}
