//! Modules that are told apart: an environment that aborts with one of two modules, and not with the other.
//!
//! The modules play alike up to the last move. The environment makes its moves in order. If a module fails, nothing more is needed.
//! Otherwise the environment aborts if the last move is that of the one module, and diverges whatever else happens: the last call
//! that it has made is compared with what it returns, or the function that is called compares its arguments.
//!
//! If only complete plays count, the play of the one module goes on where the other one makes another move, until no call is open.
//! The environment looks at the move where they part in the same way, and diverges if it is another one; it aborts when the play
//! is complete.

use agon_base::budget::Stop;
use agon_base::int::Int;
use agon_base::refused::Refused;
use agon_core::eval::Patience;
use agon_core::language::{Closed, ModuleLanguage};
use agon_core::module::environment::{Environment, OUTSIDE, Step, compose};
use agon_core::module::eval::Exit;
use agon_core::module::play::{Move, Play};
use agon_core::module::{Datum, Function, Module, Sort};

use super::{Staging, run_closed};
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
    /// Its play. The two plays differ in the module's last move, or one has none. If only complete plays count, one of them goes on.
    pub play: &'a Play,
}

/// How two modules leave an element of shared data, or a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Left {
    /// The name of the data.
    pub name: String,
    /// The index of an element.
    pub index: Option<Int>,
    /// What each of them has left there.
    pub values: [Int; 2],
    /// What the environment must have written there before, since one of them leaves it as it is.
    pub before: Option<Int>,
}

/// What is known of a difference beside the plays.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'a> {
    /// What both modules have handed out: numbers of the first, and of the second.
    pub pairs: &'a [(Int, Int)],
    /// The shared data that they have not left alike, if that is the difference.
    pub data: Option<&'a Left>,
    /// Whose play is complete, if only complete plays count.
    pub complete: Option<Complete>,
}

/// One of two modules completes a play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Complete {
    /// The module: 0 or 1.
    pub with: usize,
    /// How many moves the environment has made in its play where the modules part.
    pub parted: usize,
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
pub fn tell_apart(sides: [Side<'_>; 2], known: Known<'_>, patience: Patience<'_>) -> Result<Apart, Refused> {
    let mut refused = Refused::from("neither module makes a last move");
    let which = match known.complete {
        Some(Complete { with, .. }) => vec![with],
        None => aborting(sides.map(|side| side.play), known),
    };
    for with in which {
        match with_one(sides, with, known, patience) {
            Ok(apart) => return Ok(apart),
            Err(why) => refused = why,
        }
    }
    Err(refused)
}

/// Where an environment looks at a move of the module's.
struct Look<'a> {
    /// The place of the move in the play.
    at: usize,
    /// The move that is looked for.
    sought: Option<&'a Move>,
    /// What shared data is to hold there.
    data: Option<(&'a Left, Int)>,
    /// Whether the play goes on.
    goes_on: bool,
}

/// An environment that aborts with one of two modules.
fn with_one(
    sides: [Side<'_>; 2],
    with: usize,
    known: Known<'_>,
    patience: Patience<'_>,
) -> Result<Apart, Refused> {
    let (one, other) = (sides[with], sides[1 - with]);
    let mut names = Names::of(one.language).and(other.language);
    let at = match known.complete {
        Some(Complete { parted, .. }) => (2 * parted).saturating_sub(1),
        None => last_move(one.play),
    };
    let goes_on = at < last_move(one.play);
    let sought = one.play.0.get(at);
    let translation =
        Translation { from: one.module, to: other.module, pairs: known.pairs, from_first: with == 0 };
    let upto = Play(one.play.0.iter().take(at + 1).cloned().collect());
    let there = sought.map(|sought| translation.last(sought, &upto)).transpose()?;
    let held = known.data.map(|left| (left, left.values[with].clone()));
    let held_there = match &held {
        Some((left, value)) => {
            let data = one.module.data_named(&left.name).ok_or_else(|| lacks(&left.name))?;
            Some((*left, translation.value(value, Some(&one.module.data(data).sort))?))
        }
        None => None,
    };
    let first = made(one, &mut names, Look { at, sought, data: held, goes_on })?;
    let there = there.flatten();
    let look = Look { at: last_move(other.play), sought: there.as_ref(), data: held_there, goes_on };
    let second = made(other, &mut names, look)?;
    let closed = one.language.close_module(one.module, &first);
    let mut environments = [first, second];
    if with == 1 {
        environments.reverse();
    }
    let apart = Apart { with, environments, closed };
    confirm(sides, &apart, patience)?;
    Ok(apart)
}

/// The modules with which an environment may abort, the likeliest first.
fn aborting(plays: [&Play; 2], known: Known<'_>) -> Vec<usize> {
    if known.data.is_some() {
        return vec![0, 1];
    }
    // The module's moves are every second one.
    let last = plays.map(|play| play.0.last().filter(|_| play.0.len() % 2 == 0));
    let find = |wanted: &dyn Fn(&Move) -> bool| -> Vec<usize> {
        (0..2).filter(|n| last[*n].is_some_and(wanted)).collect()
    };
    let fails = find(&|last| *last == Move::Fail);
    let moves = find(&|last| matches!(last, Move::Call(..) | Move::Return(_)));
    match (fails.first(), moves.is_empty()) {
        (Some(fails), _) => vec![*fails],
        (None, false) => moves,
        (None, true) => find(&|last| matches!(last, Move::Exit(_))).into_iter().take(1).collect(),
    }
}

/// The place of the module's last move in a play, which is every second one. There need not be one.
fn last_move(play: &Play) -> usize {
    play.0.len().checked_sub(1).map_or(0, |last| last | 1)
}

/// The environment that plays a play, and looks at one of the module's moves.
fn made(side: Side<'_>, names: &mut Names, look: Look<'_>) -> Result<Environment, Refused> {
    let Side { module, play, .. } = side;
    let Look { at, sought, data, goes_on } = look;
    let mut staging = Staging::new(module, names, play);
    let nested = play.nested();
    let mut moves = play.0.iter().zip(&nested);
    moves.by_ref().take(at).for_each(|(played, nested)| staging.add(played, nested));
    let datum = |left: &Left, value: &Int| -> Result<Datum, Refused> {
        let data = module.data_named(&left.name).ok_or_else(|| lacks(&left.name))?;
        Ok(Datum { data, index: left.index.clone(), value: value.clone() })
    };
    let mut looks_for = Vec::new();
    if let Some((left, value)) = &data {
        looks_for.push(datum(left, value)?);
        if let Some(before) = &left.before {
            staging.writes.push((staging.number, datum(left, before)?));
        }
    }
    let expected = match sought {
        Some(Move::Return(value)) => Some(value.clone()),
        _ => None,
    };
    if let Some((number, inside)) = staging.calls.last().copied() {
        let step = staging.steps(inside).iter_mut().find(|(known, _)| *known == number);
        if let Some((_, step)) = step
            && let Step::Call(id, values) = step
        {
            let (id, values) = (*id, values.clone());
            match (goes_on, expected) {
                (false, expected) => *step = Step::LastCall(id, values, expected),
                (true, Some(expected)) => *step = Step::CheckedCall(id, values, expected),
                (true, None) => {}
            }
        }
    }
    match sought {
        Some(Move::Call(function, values)) => {
            let values = values.clone();
            let step = if goes_on { Step::Check(values) } else { Step::AbortIf(values) };
            staging.step(Some(*function), step);
        }
        // Nothing was played: shared data is looked at as it is at first.
        None if play.0.is_empty() => staging.step(None, Step::AbortIf(vec![])),
        _ => {}
    }
    moves.for_each(|(played, nested)| staging.add(played, nested));
    // What the other module plays ends where they part.
    if goes_on && play.0.len() > at + 1 && matches!(play.0.last(), Some(Move::Return(_))) {
        staging.step(None, Step::Abort);
    }
    Ok(Environment { looks_for, ..staging.environment(names) })
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
        (Some(Exit::Fails(failure)), None | Some(Move::Call(..) | Move::Return(_))) => {
            failure.check.span == OUTSIDE
        }
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

/// One module's words for values, and another's.
struct Translation<'a> {
    from: &'a Module,
    to: &'a Module,
    /// What both have handed out.
    pairs: &'a [(Int, Int)],
    /// Whether the first numbers of the pairs are those that are translated.
    from_first: bool,
}

/// The number of what a module does not have.
const NOWHERE: i64 = -1;

impl Translation<'_> {
    /// The last move of a play, as the other module would make it; nothing if it cannot make it.
    fn last(&self, last: &Move, play: &Play) -> Result<Option<Move>, Refused> {
        let nested = play.nested();
        let function = nested.last().and_then(|nested| nested.function);
        let Some(signature) = function.map(|function| self.from.signature(self.from.type_of(function)))
        else {
            return Ok(Some(last.clone()));
        };
        Ok(Some(match last {
            Move::Return(Some(value)) => Move::Return(Some(self.value(value, signature.result.as_ref())?)),
            Move::Call(function, values) => {
                let Some(function) = self.function(*function) else { return Ok(None) };
                let sorts = signature.parameters.iter();
                let values = values.iter().zip(sorts).map(|(value, sort)| self.value(value, Some(sort)));
                Move::Call(function, values.collect::<Result<_, Refused>>()?)
            }
            other => other.clone(),
        }))
    }

    /// What the other module was given where this one was given a value of its own.
    fn paired(&self, value: &Int) -> Result<Int, Refused> {
        let numbers = self.pairs.iter().map(|(a, b)| if self.from_first { (a, b) } else { (b, a) });
        let mut same = numbers.filter(|(from, _)| *from == value);
        let (_, to) = same.next().ok_or("what is handed out was never handed out before")?;
        Ok(to.clone())
    }

    fn value(&self, value: &Int, sort: Option<&Sort>) -> Result<Int, Refused> {
        let last = self.from.last_address();
        match sort {
            Some(Sort::Function(_)) => match self.from.function(value) {
                None => Ok(Int::ZERO),
                Some(Function::Procedure(id)) if !self.from.procedure(id).exported => self.paired(value),
                Some(function) => Ok(self
                    .function(function)
                    .map_or(Int::from(NOWHERE), |function| self.to.number(function))),
            },
            Some(Sort::Address(_)) if !value.is_zero() => match value.to_u64().filter(|n| *n <= last) {
                None => Ok(value.sub(&Int::from(last)).add(&Int::from(self.to.last_address()))),
                Some(n) => match self.from.fixed_address(n) {
                    None => self.paired(value),
                    Some((words, behind)) => {
                        Ok(self.to.address_of(words, behind).map_or(Int::from(NOWHERE), Int::from))
                    }
                },
            },
            _ => Ok(value.clone()),
        }
    }

    /// The function of the other module that both know; nothing if it has none.
    fn function(&self, function: Function) -> Option<Function> {
        match function {
            Function::Foreign(n) => Some(Function::Foreign(n)),
            Function::Import(id) => {
                let name = &self.from.import(id).name;
                let same = self.to.imports().find(|(_, import)| import.name == *name);
                same.map(|(id, _)| Function::Import(id))
            }
            Function::Procedure(id) => {
                let name = &self.from.procedure(id).name;
                let mut exports = self.to.procedures().filter(|(_, procedure)| procedure.exported);
                let same = exports.find(|(_, procedure)| procedure.name == *name);
                same.map(|(id, _)| Function::Procedure(id))
            }
        }
    }
}

fn lacks(name: &str) -> Refused {
    format!("only one of the modules knows `{name}`").into()
}
