//! Plays of modules: a play is believed when the module plays it, and when an environment made from it, run with the module
//! by the interpreter, comes to the same end. Two modules are told apart by one environment: [`apart`]. Plays of
//! several threads: [`threads`].

pub mod apart;
pub mod threads;

use agon_base::int::Int;
use agon_core::eval::Patience;
use agon_core::language::{Closed, ModuleLanguage};
use agon_core::module::environment::{Environment, OUTSIDE, Part, Step, Steps, compose};
use agon_core::module::eval::{Client, Exit, Library, Mark, Outcome, Played, play_within};
use agon_core::module::play::{Move, Nested, Play};
use agon_core::module::target::Target;
use agon_core::module::{Datum, Failure, Function, Module, ProcedureId, Seen, Share, Sort};
use agon_core::term::Name;

use crate::names::Names;
use agon_base::refused::Refused;

/// What a play is to end with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// The module fails, at a check that it watches.
    Fails,
    /// The module makes a call.
    Calls(Target),
}

/// What the interpreter has seen of a play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// At each move.
    pub marks: Vec<Mark>,
    /// Why the module fails, if the play ends so.
    pub failure: Option<Failure>,
    /// What was read for the check that failed.
    pub seen: Vec<Seen>,
    /// The module in an environment made from the play, which was run.
    pub closed: Closed,
}

/// Replays a play and runs the environment made from it.
pub fn verify(
    module: &Module,
    language: &dyn ModuleLanguage,
    play: &Play,
    goal: &Goal,
    patience: Patience<'_>,
) -> Result<Evidence, Refused> {
    let played = replay(module, play, patience)?;
    let failure = match (&played.outcome, goal, play.0.last()) {
        (Outcome::Ended(Exit::Fails(failure)), Goal::Fails, Some(Move::Fail)) => Some(failure.clone()),
        (Outcome::Over, Goal::Calls(target), Some(Move::Call(function, arguments)))
            if target.is(*function, arguments) =>
        {
            None
        }
        _ => return Err("the play ends in another way".into()),
    };
    let environment = environment(module, language, play);
    let ended = run_closed(&compose(module, &environment), patience);
    let same = match (&ended, &failure) {
        (Some(Exit::Stopped(stop)), _) => return Err(Refused::Stop(*stop)),
        (Some(Exit::Fails(closed)), Some(open)) => closed == open,
        (Some(Exit::Fails(closed)), None) => closed.check.span == OUTSIDE,
        _ => false,
    };
    if !same {
        return Err(format!("the closed module ends otherwise: {ended:?}").into());
    }
    let closed = language.close_module(module, &environment);
    Ok(Evidence { marks: played.marks, failure, seen: played.seen, closed })
}

/// Plays the environment's part of a play; the module must play the rest.
pub fn replay(module: &Module, play: &Play, patience: Patience<'_>) -> Result<Played, Refused> {
    let played = play_within(module, play.of_environment().cloned(), patience);
    if let Outcome::Ended(Exit::Stopped(stop)) = played.outcome {
        return Err(Refused::Stop(stop));
    }
    let same = played.play.0.iter().zip(&play.0).take_while(|(a, b)| a == b).count();
    if same < play.0.len() {
        return Err(match &played.outcome {
            Outcome::Illegal(why) if same == played.play.0.len() => format!("move {}: {why}", same + 1),
            _ => format!("the module does not make move {}", same + 1),
        }
        .into());
    }
    Ok(played)
}

/// The environment that makes the environment's moves of a play, in order.
pub fn environment(module: &Module, language: &dyn ModuleLanguage, play: &Play) -> Environment {
    let mut names = Names::of(language);
    let mut staging = Staging::new(module, &mut names, play);
    play.0.iter().zip(play.nested()).for_each(|(played, nested)| staging.add(played, &nested));
    // A play that ends with a call by the module was looked for: its environment says that it was made.
    if let Some(Move::Call(function, _)) = play.0.last()
        && staging.open.last() == Some(function)
    {
        staging.step(Some(*function), Step::Abort);
    }
    staging.environment(&mut names)
}

/// An environment while it is made from a play.
struct Staging<'a> {
    module: &'a Module,
    functions: Vec<Function>,
    parts: Vec<Part>,
    opening: Steps,
    /// The functions of the environment's that are open.
    open: Vec<Function>,
    /// The calls by the environment that are open, by the numbers of their steps and the functions that made them.
    calls: Vec<(u64, Option<Function>)>,
    /// The number of the last step.
    number: u64,
    /// What the environment writes to shared data, each with the number of the step that it is written before.
    writes: Vec<(u64, Datum)>,
    /// What the module asks or tells of shared data.
    shares: Option<(Share, Vec<Int>)>,
    moves: Vec<Move>,
}

impl<'a> Staging<'a> {
    /// The functions that a play needs, none of which does anything yet.
    fn new(module: &'a Module, names: &mut Names, play: &Play) -> Staging<'a> {
        let imports = module.imports().map(|(id, import)| (Function::Import(id), import.name.clone()));
        let imports: Vec<_> = imports.collect();
        let own = (1..=own_functions(module, play.0.iter().zip(play.nested())))
            .map(|n| (Function::Foreign(n), names.fresh(&format!("own{n}"))))
            .collect();
        let functions: Vec<(Function, Name)> = [imports, own].concat();
        let parts = functions.iter().map(|(function, name)| part(module, *function, name, names));
        let parts = parts.collect();
        let functions = functions.into_iter().map(|(function, _)| function).collect();
        Staging {
            module,
            functions,
            parts,
            opening: vec![],
            open: vec![],
            calls: vec![],
            number: 0,
            writes: vec![],
            shares: None,
            moves: play.of_environment().cloned().collect(),
        }
    }

    /// Follows a move of the play.
    fn add(&mut self, played: &Move, nested: &Nested) {
        // What the module reads of shared data was written before the last step.
        if let Some((share, mut arguments)) = self.shares.take() {
            if let (Share::Asks { data, .. }, Move::Return(Some(value))) = (share, played) {
                let datum = Datum { data, index: arguments.pop(), value: value.clone() };
                self.writes.push((self.number, datum));
            }
            return;
        }
        if let (Move::Call(Function::Import(id), arguments), false) = (played, nested.by_environment)
            && let Some(share) = self.module.share_of(*id)
        {
            self.shares = Some((share, arguments.clone()));
            return;
        }
        match played {
            Move::Call(Function::Procedure(id), arguments) if nested.by_environment => {
                let inside = self.open.last().copied();
                self.step(inside, Step::Call(*id, arguments.clone()));
                self.calls.push((self.number, inside));
            }
            Move::Return(value) if nested.by_environment => {
                let inside = self.open.pop();
                self.step(inside, Step::Return(value.clone()));
            }
            Move::Call(function, _) => self.open.push(*function),
            Move::Return(_) => _ = self.calls.pop(),
            Move::Fail | Move::Exit(_) => {}
        }
    }

    /// Adds a step of a function, or of what starts everything.
    fn step(&mut self, inside: Option<Function>, step: Step) {
        self.number += 1;
        let number = self.number;
        self.steps(inside).push((number, step));
    }

    /// The steps of a function, or of what starts everything.
    fn steps(&mut self, inside: Option<Function>) -> &mut Steps {
        let part = self.functions.iter().position(|function| Some(*function) == inside);
        part.map_or(&mut self.opening, |n| &mut self.parts[n].steps)
    }

    fn environment(self, names: &mut Names) -> Environment {
        let Staging { parts, opening, writes, moves, .. } = self;
        let fresh = ["step", "answer", "open", "client"].map(|name| names.fresh(name));
        let [counter, answer, open, start] = fresh;
        let looks_for = vec![];
        Environment { counter, answer, open, start, opening, parts, writes, looks_for, moves }
    }
}

/// A function of the environment's that does nothing.
fn part<S>(module: &Module, function: Function, name: &Name, names: &mut Names) -> Part<S> {
    let signature = module.type_of(function);
    let count = module.signature(signature).parameters.len();
    let parameters = (0..count).map(|_| names.fresh("x")).collect();
    Part { name: name.clone(), signature, parameters, steps: vec![] }
}

/// How many functions of the environment's own a play needs: the largest number of one that it names.
fn own_functions<'a>(module: &Module, moves: impl IntoIterator<Item = (&'a Move, Nested)>) -> u64 {
    let mut most = 0;
    for (played, nested) in moves {
        let signature = nested.function.map(|function| module.signature(module.type_of(function)));
        let Some(signature) = signature else { continue };
        let values: Vec<(&Int, &Sort)> = match played {
            Move::Call(_, values) => values.iter().zip(&signature.parameters).collect(),
            Move::Return(Some(value)) => signature.result.iter().map(|sort| (value, sort)).collect(),
            _ => vec![],
        };
        let named = values.into_iter().filter(|(_, sort)| matches!(sort, Sort::Function(_)));
        let named = named.filter_map(|(value, _)| module.function(value));
        for function in named.chain(nested.function) {
            if let Function::Foreign(n) = function {
                most = most.max(n);
            }
        }
    }
    most
}

/// How a closed module ends.
pub fn run_closed(closed: &Module, patience: Patience<'_>) -> Option<Exit> {
    let start = closed.procedures().find(|(_, procedure)| procedure.exported);
    let start = start.map_or(ProcedureId(0), |(id, _)| id);
    Library::within(closed, patience).call(&mut Nobody, start, &[]).err()
}

/// The environment of a closed module, which has no imports: it is never called.
struct Nobody;

impl Client for Nobody {
    fn called(&mut self, _: &mut Library<'_>, _: Function, _: &[Int]) -> Result<Option<Int>, Exit> {
        Err(Exit::Client)
    }
}
