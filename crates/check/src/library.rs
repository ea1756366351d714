//! Modules: can any environment make a module fail, whatever it calls, in any order, and while it is called itself?
//!
//! The references of [`agon_core::module`] answer. They try every input one by one, so they prove nothing about a module that
//! asks its environment for more than [`FEW`] values at a place; there they still find plays with small inputs.

use agon_base::budget::{Budget, Stop};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::{Check, Watch};
use agon_core::eval::Patience;
use agon_core::language::ModuleLanguage;
use agon_core::module::inputs::Inputs;
use agon_core::module::play::{Move, Play};
use agon_core::module::stacks::{Bounds, search_within};
use agon_core::module::tables::{Answer, tabulate_within};
use agon_core::module::target::Target;
use agon_core::module::{Module, Signature, Sort};
use agon_witness::library::{Evidence, Goal, verify};
use agon_witness::replay::Refused;

use crate::portfolio::Engine;
use crate::refine::RefinementOptions;
use crate::search::Observer;
use crate::verdict::{self, Reason};

/// A report about a module.
pub type Report = verdict::Report<Play, Evidence>;
/// A verdict about a module.
pub type Verdict = verdict::Verdict<Play, Evidence>;

/// What is asked about a module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Question {
    /// Whether it can fail.
    #[default]
    Fails,
    /// Whether it can fail at a check.
    FailsAt(Check),
    /// Whether it can make a call.
    Calls(Target),
}

/// What is asked about which module, and what an engine may use to answer.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The module.
    pub module: &'a Module,
    /// The text that it comes from.
    pub language: &'a dyn ModuleLanguage,
    /// What is asked.
    pub question: &'a Question,
    /// How far refinement goes.
    pub effort: &'a RefinementOptions,
    /// What the answer may cost.
    pub budget: &'a Budget,
}

/// A place where the environment gives at most this many values is tried value by value.
pub const FEW: u64 = 64;
/// The tables have at most so many members.
const MEMBERS: usize = 1_000;
/// At most so many positions are visited.
const POSITIONS: usize = 20_000;
/// A module that takes more steps than this from one move to the next is not followed further.
const STEPS: u64 = 100_000;
/// How deep calls by the environment are nested while a play is looked for.
const NESTING: usize = 3;

/// Whether an engine takes modules.
pub fn takes(engine: Engine) -> bool {
    matches!(engine, Engine::Auto | Engine::Explicit)
}

/// What every verdict about a module assumes, in words.
pub fn assumptions(module: &Module) -> Vec<String> {
    let exports = module.procedures().filter(|(_, procedure)| procedure.exported);
    let exports: Vec<&str> = exports.map(|(_, procedure)| &*procedure.name).collect();
    let mut callees: Vec<&str> = module.imports().map(|(_, import)| &*import.name).collect();
    if module.outside().count() > callees.len() {
        callees.push("a function that it has given");
    }
    let threads = match module.threads {
        0 | 1 => "the environment has one thread".to_string(),
        n => format!("the environment has at most {n} threads"),
    };
    let mut list = vec![threads, "nobody but the module touches its cells".into()];
    let private = module.mentioned().into_iter().map(|id| module.procedure(id));
    let private: Vec<&str> =
        private.filter(|procedure| !procedure.exported).map(|procedure| &*procedure.name).collect();
    if !private.is_empty() {
        let names = private.join(", ");
        list.push(format!("the environment may call {names} as soon as it has been given the name"));
    }
    if !callees.is_empty() {
        let (callees, exports) = (callees.join(" or "), exports.join(", "));
        list.push(format!("before it returns from {callees}, the environment may call {exports}"));
        list.push(
            "the environment returns from a call or never does; it does not jump over calls of the module"
                .into(),
        );
    }
    list.push("there is room for every stack of calls".into());
    list
}

/// Answers a question about a module.
pub fn check(_: Engine, task: Task<'_>, _: &mut Observer<'_>) -> Report {
    if task.module.threads > 1 {
        let what = "the environment has several threads".into();
        return unknown(Reason::NoEngine { what, span: Span::default() });
    }
    let (watched, goal) = watching(task.module, task.question);
    let (inputs, wide) = inputs(task.module);
    let bounds = Bounds { inputs, nesting: NESTING, activations: 64, steps: STEPS, forget_dead: true };
    let found = search_within(&watched, &bounds, POSITIONS, task.budget);
    let states = found.as_ref().map_or(POSITIONS, |found| found.positions);
    let verdict = match found.and_then(|found| found.failure) {
        Some((play, _)) => confirm(task, play, &goal),
        None => match (wide, tabulate_within(&watched, &bounds.inputs, MEMBERS, STEPS, task.budget)) {
            (None, Answer::Safe) => Verdict::Safe,
            (Some((what, span)), Answer::Safe) => Verdict::Unknown(Reason::NoEngine { what, span }),
            _ => Verdict::Unknown(Reason::Stop(task.budget.check().err().unwrap_or(Stop::Transitions))),
        },
    };
    Report { states, ..Report::new(verdict, "explicit") }
}

fn unknown(reason: Reason) -> Report {
    Report::new(Verdict::Unknown(reason), "explicit")
}

/// The module as a question sees it, and what its plays are to end with.
pub fn watching(module: &Module, question: &Question) -> (Module, Goal) {
    match question {
        Question::Fails => (module.clone(), Goal::Fails),
        Question::FailsAt(check) => (module.watching(Watch::Only(*check)), Goal::Fails),
        Question::Calls(target) => (module.reaching(target), Goal::Calls(target.clone())),
    }
}

/// Has a play of the watched module, which ends with `fail`, confirmed by the interpreter, which knows nothing of the search.
pub fn confirm(task: Task<'_>, mut play: Play, goal: &Goal) -> Verdict {
    let (watched, _) = match goal {
        Goal::Fails => watching(task.module, task.question),
        Goal::Calls(_) => (task.module.clone(), Goal::Fails),
    };
    // The call that was looked for stands where the watched module fails.
    if let (Goal::Calls(_), Some(Move::Fail)) = (goal, play.0.last()) {
        play.0.pop();
        let patience = Patience::within(task.budget);
        let moves = play.of_environment().cloned();
        play = agon_core::module::eval::play_within(&watched, moves, patience).play;
    }
    match verify(&watched, task.language, &play, goal, Patience::within(task.budget)) {
        Ok(evidence) => Verdict::Unsafe(play, evidence),
        Err(Refused::Wrong(why)) => Verdict::Unknown(Reason::Unverified(why)),
        Err(Refused::OutOfPatience) => Verdict::Unknown(Reason::Unconfirmed(play.0.len())),
    }
}

/// All inputs, if they are few everywhere; otherwise small ones, and a place where there are more.
fn inputs(module: &Module) -> (Inputs, Option<(String, Span)>) {
    let mut wide = None;
    let mut most = Int::ZERO;
    let mut look = |sort: &Sort, what: &str, span: Span| {
        let size = match sort {
            Sort::Data(data) => data.size(),
            // A function of its own that the environment gives is one of infinitely many.
            Sort::Function(_) => None,
        };
        match size.filter(|size| *size <= Int::from(FEW)) {
            Some(size) => most = most.clone().max(size),
            None => {
                let sort = module.show_sort(sort);
                wide.get_or_insert((format!("{what} may be any value of type `{sort}`"), span));
            }
        }
    };
    let mentioned = module.mentioned();
    for (id, procedure) in module.procedures() {
        let Signature { parameters, .. } = module.signature(procedure.signature);
        let reachable = procedure.exported || mentioned.contains(&id);
        for sort in parameters.iter().filter(|_| reachable) {
            look(sort, &format!("an argument of `{}`", procedure.name), procedure.span);
        }
    }
    for (_, import) in module.imports() {
        if let Some(sort) = &module.signature(import.signature).result {
            look(sort, &format!("the result of `{}`", import.name), import.span);
        }
    }
    for signature in module.outside() {
        if let Some(sort) = &signature.result {
            look(sort, "the result of a function that the environment gives", Span::default());
        }
    }
    let to = most.to_u64().map_or(3, |size| i64::try_from(size).unwrap_or(3).max(4) - 1);
    (Inputs::range(-1, to, 2), wide)
}
