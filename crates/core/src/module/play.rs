//! Plays of a module: nested calls and returns, as data and as text.
//!
//! The environment and the module move in turn, the environment first. A `ret` answers the last call that is open. Plays are
//! written `take() · now() · refill(0) · ret · ret -1 · fail`.

use agon_base::int::Int;

use super::{Function, Module, Signature, Sort};

/// One move of either side.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Move {
    /// A call: the environment calls a procedure of the module, the module calls an import or a function of the environment's.
    Call(Function, Vec<Int>),
    /// The last call that is open returns, with a value if it gives one.
    Return(Option<Int>),
    /// The module fails.
    Fail,
    /// The module ends the whole program.
    Exit(Int),
}

/// A play: the environment's moves are the first, the third and so on.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Play(pub Vec<Move>);

/// Where a move of a play stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Nested {
    /// How many calls are open around the call that it is, or answers. A failure is as deep as the call that does not return.
    pub depth: usize,
    /// The function that is called, or that returns or fails.
    pub function: Option<Function>,
    /// Whether it is the environment's.
    pub by_environment: bool,
    /// Whether the environment calls the module while the module waits for it.
    pub reenters: bool,
}

impl Play {
    /// The environment's moves.
    pub fn of_environment(&self) -> impl Iterator<Item = &Move> {
        self.0.iter().step_by(2)
    }

    /// The calls that are open after the play, outermost first, each with whether the environment made it.
    pub fn open(&self) -> Vec<(Function, bool)> {
        let mut open = Vec::new();
        for (n, played) in self.0.iter().enumerate() {
            match played {
                Move::Call(function, _) => open.push((*function, n % 2 == 0)),
                Move::Return(_) => _ = open.pop(),
                Move::Fail | Move::Exit(_) => {}
            }
        }
        open
    }

    /// Whether every call is answered, or the module has ended the play.
    pub fn is_complete(&self) -> bool {
        matches!(self.0.last(), Some(Move::Fail | Move::Exit(_))) || self.open().is_empty()
    }

    /// Where each move stands: how deep it is nested, and in which call.
    pub fn nested(&self) -> Vec<Nested> {
        let mut open: Vec<Function> = Vec::new();
        let mut list = Vec::new();
        for (n, played) in self.0.iter().enumerate() {
            let by_environment = n % 2 == 0;
            let (depth, function) = match played {
                Move::Call(function, _) => {
                    open.push(*function);
                    (open.len() - 1, Some(*function))
                }
                Move::Return(_) => {
                    let function = open.pop();
                    (open.len(), function)
                }
                Move::Fail | Move::Exit(_) => (open.len().saturating_sub(1), open.last().copied()),
            };
            let reenters = by_environment && depth > 0 && matches!(played, Move::Call(..));
            list.push(Nested { depth, function, by_environment, reenters });
        }
        list
    }

    /// The text of a play.
    pub fn show(&self, module: &Module) -> String {
        let mut open: Vec<&Signature> = Vec::new();
        let mut words = Vec::new();
        for played in &self.0 {
            words.push(match played {
                Move::Call(function, arguments) => {
                    let signature = module.signature(module.type_of(*function));
                    open.push(signature);
                    let arguments = arguments
                        .iter()
                        .enumerate()
                        .map(|(n, value)| show(module, value, signature.parameters.get(n)));
                    format!(
                        "{}({})",
                        module.show_function(*function),
                        arguments.collect::<Vec<_>>().join(", ")
                    )
                }
                Move::Return(value) => {
                    let sort = open.pop().and_then(|signature| signature.result.as_ref());
                    match value {
                        Some(value) => format!("ret {}", show(module, value, sort)),
                        None => "ret".into(),
                    }
                }
                Move::Fail => "fail".into(),
                Move::Exit(n) => format!("exit {n}"),
            });
        }
        words.join(" · ")
    }

    /// The play that a text writes down, or what is wrong with the text.
    pub fn parse(module: &Module, text: &str) -> Result<Play, String> {
        let mut open: Vec<&Signature> = Vec::new();
        let mut moves = Vec::new();
        for word in text.split('·').map(str::trim).filter(|word| !word.is_empty()) {
            moves.push(match word.split_once('(') {
                Some((name, rest)) => {
                    let function = module
                        .named(name.trim())
                        .ok_or_else(|| format!("the module has nothing that is called `{}`", name.trim()))?;
                    let signature = module.signature(module.type_of(function));
                    let inner = rest.strip_suffix(')').ok_or_else(|| format!("`{word}` has no `)`"))?;
                    let given: Vec<&str> = match inner.trim() {
                        "" => vec![],
                        inner => inner.split(',').map(str::trim).collect(),
                    };
                    if given.len() != signature.parameters.len() {
                        return Err(format!(
                            "`{}` has {} arguments, not {}",
                            name.trim(),
                            signature.parameters.len(),
                            given.len()
                        ));
                    }
                    let arguments = given.iter().zip(&signature.parameters);
                    let arguments: Result<_, _> =
                        arguments.map(|(text, sort)| module.parse_value(text, sort)).collect();
                    open.push(signature);
                    Move::Call(function, arguments?)
                }
                None => match word
                    .split_once(' ')
                    .map_or((word, None), |(word, rest)| (word, Some(rest.trim())))
                {
                    ("fail", None) => Move::Fail,
                    ("exit", Some(n)) => {
                        Move::Exit(Int::parse(n).ok_or_else(|| format!("`{n}` is no number"))?)
                    }
                    ("ret", value) => {
                        let signature = open.pop().ok_or("nothing is open that could return")?;
                        Move::Return(match (value, &signature.result) {
                            (Some(value), Some(sort)) => Some(module.parse_value(value, sort)?),
                            (None, None) => None,
                            (Some(value), None) => return Err(format!("`ret {value}` answers a command")),
                            (None, Some(_)) => return Err("`ret` has no value here".into()),
                        })
                    }
                    _ => return Err(format!("`{word}` is no move")),
                },
            });
        }
        Ok(Play(moves))
    }
}

fn show(module: &Module, value: &Int, sort: Option<&Sort>) -> String {
    sort.map_or_else(|| value.to_string(), |sort| module.show_value(value, sort))
}

impl Module {
    /// The function of a name, as plays write it.
    pub fn named(&self, name: &str) -> Option<Function> {
        if let Some(n) = name.strip_prefix('@') {
            return n.parse::<u32>().ok().filter(|n| *n > 0).map(|n| Function::Foreign(n.into()));
        }
        let own = self.procedures().find(|(_, procedure)| *procedure.name == *name);
        let own = own.map(|(id, _)| Function::Procedure(id));
        let import = || self.imports().find(|(_, import)| *import.name == *name);
        own.or_else(|| import().map(|(id, _)| Function::Import(id)))
    }

    /// The value of a sort that a text writes down, or what is wrong with the text.
    pub fn parse_value(&self, text: &str, sort: &Sort) -> Result<Int, String> {
        let value = match sort {
            Sort::Function(_) if text == "null" => Some(Int::ZERO),
            Sort::Function(_) => self.named(text).map(|function| self.number(function)),
            Sort::Address(_) if text == "null" => Some(Int::ZERO),
            Sort::Address(_) => self.address_named(text).or_else(|| Int::parse(text)),
            Sort::Data(_) => match text {
                "true" => Some(Int::ONE),
                "false" => Some(Int::ZERO),
                text => Int::parse(text),
            },
        };
        value.ok_or_else(|| format!("`{text}` is no value of type `{}`", self.show_sort(sort)))
    }
}
