//! Modules that are told apart: an environment that aborts with one of two modules, and not with the other.
//!
//! The modules play alike up to the last move. The environment makes its moves in order. If a module fails, nothing more is needed.
//! Otherwise the environment aborts if the last move is that of the one module, and diverges whatever else happens: the last call
//! that it has made is compared with what it returns, or the function that is called compares its arguments.

use agon_base::budget::Stop;
use agon_base::int::Int;
use agon_base::refused::Refused;
use agon_core::eval::Patience;
use agon_core::language::{Closed, ModuleLanguage};
use agon_core::module::environment::{Environment, OUTSIDE, Part, Step, Steps, compose};
use agon_core::module::eval::Exit;
use agon_core::module::play::{Move, Play};
use agon_core::module::{Function, Module, ProcedureId, Sort};

use super::{Staging, part, run_closed};
use crate::names::Names;

/// A module that makes no move in this many steps is taken to make none. A search has found that it makes none.
pub const SILENT: u64 = 200_000;

/// A module, its text, and what it plays.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// The module.
    pub module: &'a Module,
    /// Its text.
    pub language: &'a dyn ModuleLanguage,
    /// Its play. The two plays differ in the module's last move, or one has none.
    pub play: &'a Play,
}

/// An environment that tells two modules apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Apart {
    /// With which of the two it aborts: 0 or 1. If that one ends the process and no environment can abort, with which it ends.
    pub with: usize,
    /// The environment as each of them sees it; functions have other numbers.
    pub environments: [Environment; 2],
    /// That module in the environment.
    pub closed: Closed,
}

/// Makes an environment that tells two modules apart, and runs both with it.
pub fn tell_apart(sides: [Side<'_>; 2], patience: Patience<'_>) -> Result<Apart, Refused> {
    let with = aborting(sides.map(|side| side.play)).ok_or("neither module makes a last move")?;
    let (one, other) = (sides[with], sides[1 - with]);
    let mut names = Names::of(one.language).and(other.language);
    let first = made(one.module, &mut names, one.play);
    let second = Translation { from: one.module, to: other.module }.environment(&first, &mut names)?;
    let closed = one.language.close_module(one.module, &first);
    let mut environments = [first, second];
    if with == 1 {
        environments.reverse();
    }
    let apart = Apart { with, environments, closed };
    confirm(sides, &apart, patience)?;
    Ok(apart)
}

/// The module with which an environment can abort.
fn aborting(plays: [&Play; 2]) -> Option<usize> {
    // The module's moves are every second one.
    let last = plays.map(|play| play.0.last().filter(|_| play.0.len() % 2 == 0));
    let find = |wanted: &dyn Fn(&Move) -> bool| last.iter().position(|last| last.is_some_and(wanted));
    let fails = find(&|last| *last == Move::Fail);
    let moves = || find(&|last| matches!(last, Move::Call(..) | Move::Return(_)));
    fails.or_else(moves).or_else(|| find(&|last| matches!(last, Move::Exit(_))))
}

/// The environment that plays a play and looks for its last move.
fn made(module: &Module, names: &mut Names, play: &Play) -> Environment {
    let mut staging = Staging::new(module, names, play);
    let nested = play.nested();
    let (last, before) = play.0.split_last().map_or((None, &[][..]), |(last, before)| (Some(last), before));
    before.iter().zip(&nested).for_each(|(played, nested)| staging.add(played, nested));
    let expected = match last {
        Some(Move::Return(value)) => Some(value.clone()),
        _ => None,
    };
    if let Some((number, inside)) = staging.calls.last().copied() {
        let step = staging.steps(inside).iter_mut().find(|(known, _)| *known == number);
        if let Some((_, step)) = step
            && let Step::Call(id, values) = step
        {
            *step = Step::LastCall(*id, std::mem::take(values), expected);
        }
    }
    if let Some(Move::Call(function, values)) = last {
        staging.step(Some(*function), Step::AbortIf(values.clone()));
    }
    staging.environment(names)
}

/// Whether an environment aborts with the module that it is to abort with, and not with the other.
pub fn confirm(sides: [Side<'_>; 2], apart: &Apart, patience: Patience<'_>) -> Result<(), Refused> {
    let run = |n: usize, patience| run_closed(&compose(sides[n].module, &apart.environments[n]), patience);
    // The other module may run for ever instead; it need not be waited for long.
    let short = Patience { steps: patience.steps.min(SILENT), ..patience };
    let (ended, other) = (run(apart.with, patience), run(1 - apart.with, short));
    match (&ended, &other) {
        (Some(Exit::Stopped(stop)), _) => return Err(Refused::Stop(*stop)),
        (_, Some(Exit::Stopped(stop))) if *stop != Stop::Transitions => return Err(Refused::Stop(*stop)),
        _ => {}
    }
    let last = sides[apart.with].play.0.last();
    let as_told = match (&ended, last) {
        (Some(Exit::Fails(failure)), Some(Move::Fail)) => failure.check.span != OUTSIDE,
        (Some(Exit::Fails(failure)), Some(Move::Call(..) | Move::Return(_))) => failure.check.span == OUTSIDE,
        (Some(Exit::Exits(n)), Some(Move::Exit(expected))) => n == expected,
        _ => false,
    };
    let alike = match (&ended, &other) {
        (Some(Exit::Exits(n)), Some(Exit::Exits(other))) => n == other,
        (_, other) => matches!(other, Some(Exit::Fails(_))),
    };
    match (as_told, alike) {
        (true, false) => Ok(()),
        _ => Err(format!("the closed modules end with {ended:?} and {other:?}").into()),
    }
}

/// One module's words for functions, and another's.
struct Translation<'a> {
    from: &'a Module,
    to: &'a Module,
}

impl Translation<'_> {
    /// The same environment, for the other module. What only that one imports is never called.
    fn environment(&self, environment: &Environment, names: &mut Names) -> Result<Environment, Refused> {
        let imports = self.from.imports().count();
        let mut parts: Vec<Part> = Vec::new();
        for (id, import) in self.to.imports() {
            let known = environment.parts[..imports].iter().find(|part| part.name == import.name);
            parts.push(match known {
                Some(known) => self.part(known, Function::Import(id))?,
                None => part(self.to, Function::Import(id), &import.name, names),
            });
        }
        for (n, own) in (1..).zip(&environment.parts[imports..]) {
            parts.push(self.part(own, Function::Foreign(n))?);
        }
        Ok(Environment { opening: self.steps(&environment.opening, None)?, parts, ..environment.clone() })
    }

    fn part(&self, part: &Part, function: Function) -> Result<Part, Refused> {
        let steps = self.steps(&part.steps, Some(part))?;
        Ok(Part { signature: self.to.type_of(function), steps, ..part.clone() })
    }

    fn steps(&self, steps: &Steps, part: Option<&Part>) -> Result<Steps, Refused> {
        let signature = part.map(|part| self.from.signature(part.signature));
        let step = |step: &Step| -> Result<Step, Refused> {
            Ok(match step {
                Step::Call(id, values) => {
                    let (id, values) = self.call(*id, values)?;
                    Step::Call(id, values)
                }
                Step::LastCall(id, values, expected) => {
                    let result = &self.from.signature(self.from.procedure(*id).signature).result;
                    let expected = match expected {
                        Some(Some(value)) => Some(Some(self.value(value, result.as_ref())?)),
                        other => other.clone(),
                    };
                    let (id, values) = self.call(*id, values)?;
                    Step::LastCall(id, values, expected)
                }
                Step::Return(Some(value)) => {
                    let result = signature.and_then(|signature| signature.result.as_ref());
                    Step::Return(Some(self.value(value, result)?))
                }
                Step::AbortIf(values) => {
                    let sorts = signature.into_iter().flat_map(|signature| &signature.parameters);
                    let values = values.iter().zip(sorts).map(|(value, sort)| self.value(value, Some(sort)));
                    Step::AbortIf(values.collect::<Result<_, Refused>>()?)
                }
                Step::Return(None) => Step::Return(None),
                Step::Abort => Step::Abort,
            })
        };
        steps.iter().map(|(number, known)| Ok((*number, step(known)?))).collect()
    }

    fn call(&self, id: ProcedureId, values: &[Int]) -> Result<(ProcedureId, Vec<Int>), Refused> {
        let procedure = self.from.procedure(id);
        let sorts = &self.from.signature(procedure.signature).parameters;
        let values = values.iter().zip(sorts).map(|(value, sort)| self.value(value, Some(sort)));
        Ok((self.exported(id)?, values.collect::<Result<_, Refused>>()?))
    }

    fn value(&self, value: &Int, sort: Option<&Sort>) -> Result<Int, Refused> {
        let Some(Sort::Function(_)) = sort else { return Ok(value.clone()) };
        let function = match self.from.function(value) {
            None => return Ok(Int::ZERO),
            Some(Function::Foreign(n)) => Function::Foreign(n),
            Some(Function::Procedure(id)) => Function::Procedure(self.exported(id)?),
            Some(Function::Import(id)) => {
                let name = &self.from.import(id).name;
                let same = self.to.imports().find(|(_, import)| import.name == *name);
                Function::Import(same.ok_or_else(|| lacks(name))?.0)
            }
        };
        Ok(self.to.number(function))
    }

    fn exported(&self, id: ProcedureId) -> Result<ProcedureId, Refused> {
        let name = &self.from.procedure(id).name;
        let mut exports = self.to.procedures().filter(|(_, procedure)| procedure.exported);
        Ok(exports.find(|(_, procedure)| procedure.name == *name).ok_or_else(|| lacks(name))?.0)
    }
}

fn lacks(name: &str) -> Refused {
    format!("only one of the modules knows `{name}`").into()
}
