//! Plays of several threads: a schedule is believed when the module follows it, and when an environment made from it, run with the
//! module by the same turns, comes to the same end.

use agon_base::refused::Refused;
use agon_core::eval::Patience;
use agon_core::language::{Closed, ModuleLanguage};
use agon_core::module::environment::OUTSIDE;
use agon_core::module::environment::threads::{Environment, Step, USES, compose};
use agon_core::module::play::{Move, Nested};
use agon_core::module::threads::replay::{Act, Done, Replayed, What, replay};
use agon_core::module::{Function, Module, ProcedureId};
use agon_core::term::Name;

use super::{Goal, own_functions, part};
use crate::names::Names;

/// What the interpreter has seen of a schedule, and the module in an environment made from it, if the language can say that.
pub type Confirmed = (Replayed, Option<Closed>);

/// Follows a schedule with a module of single accesses, with this many threads, in which no more calls by the environment are open
/// at once than the nesting. Then runs the environment made from it. A module that begins threads itself has no environment program.
pub fn verify(
    module: &Module,
    language: &dyn ModuleLanguage,
    within: (usize, usize),
    acts: &[Act],
    goal: &Goal,
    patience: Patience<'_>,
) -> Result<Confirmed, Refused> {
    let replayed = replay(module, within, acts, patience)?;
    match (goal, &replayed.failure, replayed.events.last().map(|event| &event.what)) {
        (Goal::Fails, Some(_), _) => {}
        (Goal::Fails, None, _) => return Err("the module does not fail".into()),
        (Goal::Calls(target), None, Some(What::Move(Move::Call(function, arguments))))
            if target.is(*function, arguments) => {}
        (Goal::Calls(_), ..) => return Err("the module does not make the call".into()),
    }
    let environment = environment(module, language, &replayed, goal);
    let Some(closed) = language.close_with_threads(module, &environment) else { return Ok((replayed, None)) };
    let (composed, starts) = compose(module, &environment);
    let schedule = schedule(&replayed, &starts, goal);
    let run = replay(&composed, (starts.len(), 1), &schedule, patience)
        .map_err(|why| format!("the closed module does not follow: {why}"))?;
    let same = match (&run.failure, &replayed.failure) {
        (Some(closed), Some(open)) => closed == open,
        (Some(closed), None) => closed.check.span == OUTSIDE,
        (None, _) => false,
    };
    match same {
        true => Ok((replayed, Some(closed))),
        false => Err(format!("the closed module ends otherwise: {:?}", run.failure).into()),
    }
}

/// The environment that makes the environment's moves, each in its thread, in their order.
pub fn environment(
    module: &Module,
    language: &dyn ModuleLanguage,
    replayed: &Replayed,
    goal: &Goal,
) -> Environment {
    let mut names = Names::of(language);
    let moves = replayed.moves();
    let imports = module.imports().map(|(id, import)| (Function::Import(id), import.name.clone()));
    let most = own_functions(module, moves.iter().map(|(_, played, nested)| (played, *nested)));
    let own = (1..=most).map(|n| (Function::Foreign(n), names.fresh(&format!("own{n}"))));
    let functions: Vec<(Function, Name)> = imports.chain(own.collect::<Vec<_>>()).collect();
    let parts = functions.iter().map(|(function, name)| part(module, *function, name, &mut names));
    let parts = parts.collect();
    let count = replayed.done.iter().map(|(thread, _)| thread + 1).max().unwrap_or(1);
    let threads = (1..=count).map(|n| (names.fresh(&format!("thread{n}")), Vec::new())).collect();
    let [turn, now, answer, open] = ["turn", "now", "answer", "open"].map(|name| names.fresh(name));
    let environment = Environment { turn, now, answer, open, threads, parts };
    let functions = functions.into_iter().map(|(function, _)| function).collect();
    let mut staging = Staging { functions, open: vec![Vec::new(); count], number: 0, environment };
    for (thread, played, nested) in &moves {
        staging.add(*thread, played, nested);
    }
    // A call by the module was looked for: its environment says that it was made.
    if let (Goal::Calls(_), Some((thread, Move::Call(function, _), _))) = (goal, moves.last()) {
        staging.step(*thread, Some(*function), Step::Abort);
    }
    staging.environment
}

/// An environment while it is made from a play.
struct Staging {
    functions: Vec<Function>,
    /// The functions of the environment's that are open in each thread.
    open: Vec<Vec<Function>>,
    /// The number of the last step.
    number: u64,
    environment: Environment,
}

impl Staging {
    /// Follows a move of a thread.
    fn add(&mut self, thread: usize, played: &Move, nested: &Nested) {
        match played {
            Move::Call(Function::Procedure(id), arguments) if nested.by_environment => {
                let inside = self.open[thread].last().copied();
                self.step(thread, inside, Step::Call(*id, arguments.clone()));
            }
            Move::Return(value) if nested.by_environment => {
                let inside = self.open[thread].pop();
                self.step(thread, inside, Step::Return(value.clone()));
            }
            Move::Call(function, _) => self.open[thread].push(*function),
            Move::Return(_) | Move::Fail | Move::Exit(_) => {}
        }
    }

    /// Adds a step of a function, or of what a thread begins with.
    fn step(&mut self, thread: usize, inside: Option<Function>, step: Step) {
        self.number += 1;
        let Environment { threads, parts, .. } = &mut self.environment;
        let part = self.functions.iter().position(|function| Some(*function) == inside);
        let steps = part.map_or(&mut threads[thread].1, |n| &mut parts[n].steps);
        steps.push((self.number, step));
    }
}

/// The schedule of a closed module that follows another one: what begins a thread comes before all that it does.
fn schedule(replayed: &Replayed, starts: &[ProcedureId], goal: &Goal) -> Vec<Act> {
    let mut begun = vec![false; starts.len()];
    let mut acts = Vec::new();
    let last = match goal {
        Goal::Calls(_) => replayed.done.last().map(|(thread, _)| (*thread, Done::Played)),
        Goal::Fails => None,
    };
    for (thread, done) in replayed.done.iter().copied().chain(last) {
        if !std::mem::replace(&mut begun[thread], true) {
            let played = Some(Move::Call(Function::Procedure(starts[thread]), Vec::new()));
            acts.push(Act { thread, played });
        }
        let uses = match done {
            Done::Played => USES,
            Done::Accessed => 1,
            // Nobody else sees that the module calls its environment, and returns to it.
            Done::Moved => 0,
        };
        acts.extend((0..uses).map(|_| Act { thread, played: None }));
    }
    acts
}
