//! Modules: can any environment make a module fail, whatever it calls, in any order, and while it is called itself?
//!
//! The engines are those of [`crate::modules`]. What they find is confirmed by an interpreter that knows nothing of them. An
//! environment with several threads is another question: [`threads`].

mod complete;
mod only;
pub mod threads;

use agon_base::budget::{Budget, Stop};
use agon_core::checks::{BoundId, Check, Kind, Watch};
use agon_core::eval::Patience;
use agon_core::language::ModuleLanguage;
use agon_core::module::alike::alike;
use agon_core::module::eval::{Exit, Outcome, Played, play_within};
use agon_core::module::play::{Move, Play};
use agon_core::module::target::Target;
use agon_core::module::{Calls, Import, Module};
use agon_core::types::Data;
use agon_witness::library::apart::{Apart, Complete, Known, Left, SILENT, Side, tell_apart};
use agon_witness::library::{Evidence, Goal, verify};

use crate::equiv::{self, Plays, Proof};
use crate::horn::second_opinion;
use crate::modules::pairs::{self, Compared, Different, comparable};
use crate::modules::tabulate::Figures;
use crate::modules::threads::Bounds;
use crate::modules::{Compiled, answer, of_slice};
use crate::portfolio::Engine;
use crate::product::relations::{self, ModulesFound};
use crate::refine::RefinementOptions;
use crate::search::{Observer, Progress};
use crate::solvers::Solvers;
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
    /// Whether it can fail at a check of this kind.
    FailsAs(Kind),
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

/// Whether an engine takes modules.
pub fn takes(engine: Engine) -> bool {
    matches!(
        engine,
        Engine::Auto
            | Engine::Explicit
            | Engine::Interval
            | Engine::Predicate(_)
            | Engine::Horn
            | Engine::Random
    )
}

/// What every verdict about a module assumes, in words: about one thread, or about several within bounds.
pub fn assumptions(module: &Module, bounds: Option<Bounds>) -> Vec<String> {
    let exports = module.procedures().filter(|(_, procedure)| procedure.exported);
    let exports: Vec<&str> = exports.map(|(_, procedure)| &*procedure.name).collect();
    let functions: Vec<&Import> =
        module.imports().map(|(_, import)| import).filter(|import| !import.choice).collect();
    let names = |which: &dyn Fn(&Import) -> bool| -> Vec<&str> {
        functions.iter().filter(|import| which(import)).map(|import| &*import.name).collect()
    };
    let mut callees = names(&|import| import.calls == Calls::Any);
    if module.outside().count() > module.imports().count() {
        callees.push("a function that it has given");
    }
    let mut list = match bounds.filter(|bounds| bounds.threads > 1) {
        None => vec!["the environment has one thread".to_string()],
        Some(Bounds { threads, nesting }) => vec![
            format!("the environment has at most {threads} threads"),
            format!("in each thread, at most {nesting} calls by the environment are open at once"),
            "memory is sequentially consistent".into(),
        ],
    };
    list.push("nobody but the module touches its cells".into());
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
    }
    for import in &functions {
        if let Calls::Only(ids) = &import.calls {
            let called: Vec<&str> = ids.iter().map(|id| &*module.procedure(*id).name).collect();
            let (name, called) = (&import.name, called.join(", "));
            list.push(format!("before it returns from {name}, the environment calls nothing but {called}"));
        }
        if let Some((low, high)) = &import.returns {
            list.push(format!("{} returns a number from {low} to {high}", import.name));
        }
    }
    let leaves = names(&|import| import.calls == Calls::Nothing);
    if !leaves.is_empty() {
        let leaves = leaves.join(" or ");
        list.push(format!("before it returns from {leaves}, the environment calls nothing"));
    }
    let ends = names(&|import| import.ends);
    if !ends.is_empty() {
        list.push(format!("the environment never returns from {}", ends.join(" or ")));
    }
    if module.imports().any(|(_, import)| import.is_order()) {
        list.push("where the language leaves an order of evaluation open, every order is tried".into());
    }
    if module.outside().count() > 0 {
        list.push(
            "the environment returns from a call or never does; it does not jump over calls of the module"
                .into(),
        );
    }
    list.push("there is room for every stack of calls".into());
    list
}

/// Why what takes one thread cannot be done with a module that begins threads itself.
pub fn own_threads() -> Reason {
    Reason::Unsupported("a module that begins threads itself, by an engine for one thread,".into())
}

/// Answers a question about a module whose environment has one thread.
pub fn check(engine: Engine, task: Task<'_>, observe: &mut Observer<'_>) -> Report {
    if task.module.begins_threads() {
        return Report::new(Verdict::Unknown(own_threads()), engine.name());
    }
    let (watched, goal) = watching(task.module, task.question);
    // Horn clauses are a reading of their own.
    let slicing = task.effort.slicing && engine != Engine::Horn;
    let found = of_slice(&watched, slicing, task.budget, |compiled| {
        answer(engine, compiled, task.effort, task.budget, observe)
    });
    let found = second_opinion(&watched, found, task.effort, task.budget);
    found.map(|verdict| match verdict {
        verdict::Verdict::Safe => Verdict::Safe,
        verdict::Verdict::Unknown(reason) => Verdict::Unknown(reason),
        verdict::Verdict::Unsafe(moves, ()) => {
            confirm(task, play_within(&watched, moves, Patience::within(task.budget)).play, &goal)
        }
    })
}

/// The module as a question sees it, and what its plays are to end with.
pub fn watching(module: &Module, question: &Question) -> (Module, Goal) {
    match question {
        Question::Fails => (module.clone(), Goal::Fails),
        Question::FailsAt(check) => (module.watching(Watch::Only(*check)), Goal::Fails),
        Question::Calls(target) => (module.reaching(target), Goal::Calls(target.clone())),
        Question::FailsAs(kind) => (module.watching(Watch::Kind(*kind)), Goal::Fails),
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
        play = play_within(&watched, moves, patience).play;
    }
    match verify(&watched, task.language, &play, goal, Patience::within(task.budget)) {
        Ok(evidence) => Verdict::Unsafe(play, evidence),
        Err(refused) => Verdict::Unknown(Reason::disbelieved(play.0.len(), refused)),
    }
}

/// The bound of a module's model that is met behind a play, in words.
fn bound_met(module: &Module, play: &Play, budget: &Budget) -> Option<String> {
    let met = |bound: BoundId| {
        let watched = module.watching(Watch::Kind(Kind::Bound(bound)));
        let moves = play.of_environment().cloned();
        let played = play_within(&watched, moves, Patience::within(budget));
        matches!(played.outcome, Outcome::Ended(Exit::Fails(failure)) if failure.check.kind == Kind::Bound(bound))
    };
    module.bounds().find(|(bound, _)| met(*bound)).map(|(_, words)| words.to_string())
}

/// What a comparison of two modules comes to.
#[derive(Clone, Debug)]
pub enum Comparison {
    /// They have the same plays.
    Holds,
    /// After the same moves of the environment's they do not do the same. The interpreter has played both plays.
    Differs(Box<Difference>),
    /// It could not be found out.
    Unknown(Reason),
}

/// A difference between two modules, confirmed.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The plays, which differ in the last move. If only complete plays count, one of them goes on until it is complete.
    pub plays: [Played; 2],
    /// The shared data that the modules have not left alike, if that is the difference.
    pub data: Option<Left>,
    /// An environment that tells the modules apart, run with both.
    pub apart: Apart,
    /// Whether they differ only if an import calls back: with imports that call nothing they were proved to be equivalent.
    pub only_by_reentry: bool,
    /// More about it, in words: which numbers of the environment's it needs, where the modules were proved to be equivalent without these;
    /// which module diverges; whether two calls are in another order.
    pub only: Vec<String>,
}

/// How two modules compare, and how that was found.
#[derive(Clone, Debug)]
pub struct ModulesCompared {
    /// The verdict.
    pub comparison: Comparison,
    /// The plays that count.
    pub plays: Plays,
    /// The engine that gave it.
    pub engine: equiv::Engine,
    /// Why they are equivalent, if that was found by relations.
    pub proof: Option<Box<Proof>>,
    /// Whether they are the same but for layout, comments and private names.
    pub alike: bool,
    /// How many pairs of positions there were; by relations, how many positions, and how many questions were asked.
    pub figures: Figures,
}

/// Modules with wide data are walked so far before relations are looked for.
const A_GLANCE: u64 = 1 << 15;
/// Other modules are walked so far.
const A_WALK: u64 = 1 << 20;
/// Data with more values than this is wide.
const WIDE: u64 = 1 << 12;

/// Whether a module has data with many values.
fn is_wide(compiled: &Compiled) -> bool {
    let many = |data: &Data| data.size().and_then(|size| size.to_u64()).is_none_or(|size| size > WIDE);
    compiled.code.cells().iter().any(|cell| many(&cell.data))
        || compiled.arena.components().any(|(_, component)| component.base.data().is_some_and(many))
}

/// Whether two modules have the same plays; or why they cannot be compared.
pub fn compare(
    modules: [&Module; 2],
    languages: [&dyn ModuleLanguage; 2],
    options: &equiv::Options,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Result<ModulesCompared, String> {
    // The same module: there is nothing to search, whatever it is.
    if alike(modules[0], modules[1]) {
        return Ok(ModulesCompared {
            comparison: Comparison::Holds,
            plays: options.plays,
            engine: equiv::Engine::Explicit,
            proof: None,
            alike: true,
            figures: Figures::default(),
        });
    }
    if modules.iter().any(|module| module.begins_threads()) {
        return Err("a module that begins threads itself cannot be compared".into());
    }
    comparable(modules[0], modules[1])?;
    let compiled = modules.map(|module| Compiled::new(module.clone()));
    let mut proof = None;
    let (compared, engine, figures) =
        search([&compiled[0], &compiled[1]], options, budget, observe, &mut proof);
    let mut comparison = confirmed(modules, languages, compared, budget);
    if let Comparison::Differs(difference) = &mut comparison
        && difference.plays.iter().any(|played| has_reentry(&played.play))
    {
        let soon = equiv::only::soon(budget);
        difference.only_by_reentry = are_equal_without_reentry(modules, options, &soon, observe);
    }
    if let Comparison::Differs(difference) = &mut comparison
        && modules.iter().all(|module| module.bounds().next().is_none())
    {
        difference.only = only::words(modules, difference, options, budget, observe);
        // The tables have compared all shorter plays, if all numbers were tried and all ways followed.
        let pair = [&compiled[0], &compiled[1]];
        if engine == equiv::Engine::Explicit && relations::fits(pair) && !pair.into_iter().any(is_wide) {
            let moves = difference.plays.iter().map(|played| played.play.of_environment().count()).max();
            difference.only.extend(moves.and_then(equiv::only::only_after));
        }
    }
    Ok(ModulesCompared { comparison, plays: options.plays, engine, proof, alike: false, figures })
}

/// Whether the environment calls a procedure in a play while it is called itself.
fn has_reentry(play: &Play) -> bool {
    let nested = |n: usize| Play(play.0[..n].to_vec()).open().iter().any(|(_, environment)| !environment);
    (0..play.0.len()).step_by(2).any(|n| matches!(play.0[n], Move::Call(..)) && nested(n))
}

/// Whether two modules are equivalent if no import calls anything. Up to bounds of a model this is not said.
fn are_equal_without_reentry(
    modules: [&Module; 2],
    options: &equiv::Options,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> bool {
    if modules.iter().any(|module| module.bounds().next().is_some()) {
        return false;
    }
    let compiled = modules.map(|module| {
        let mut module = module.clone();
        let imports: Vec<_> =
            module.imports().map(|(id, import)| (id, import.returns.clone(), import.ends)).collect();
        for (id, returns, ends) in imports {
            module.restrict(id, returns, Calls::Nothing, ends);
        }
        Compiled::new(module)
    });
    let (compared, ..) = search([&compiled[0], &compiled[1]], options, budget, observe, &mut None);
    matches!(compared, Compared::Equivalent)
}

/// Checks a certificate of two modules, without a search; or says why they cannot be compared.
pub fn recheck(
    modules: [&Module; 2],
    certificate: &equiv::Written,
    solvers: &Solvers,
    budget: &Budget,
) -> Result<ModulesCompared, String> {
    comparable(modules[0], modules[1])?;
    let compiled = modules.map(|module| Compiled::new(module.clone()));
    let checked = relations::recheck_modules([&compiled[0], &compiled[1]], certificate, solvers, budget);
    let (comparison, proof) = match checked {
        Ok(proof) => (Comparison::Holds, Some(proof)),
        Err(reason) => (Comparison::Unknown(reason), None),
    };
    let edges = proof.as_ref().map_or(0, |proof| proof.asked);
    let figures = Figures { members: certificate.positions.len(), edges, memory: 0 };
    let (plays, engine) = (certificate.plays, equiv::Engine::Product);
    Ok(ModulesCompared { comparison, plays, engine, proof, alike: false, figures })
}

/// Looks for a difference between two modules, or for a proof that there is none.
fn search(
    compiled: [&Compiled; 2],
    options: &equiv::Options,
    budget: &Budget,
    observe: &mut Observer<'_>,
    proof: &mut Option<Box<Proof>>,
) -> (Compared, equiv::Engine, Figures) {
    let [left, right] = compiled;
    let mut first = None;
    if options.engine != equiv::Engine::Product {
        let wide = compiled.iter().any(|compiled| is_wide(compiled));
        let most = match options.engine {
            equiv::Engine::Auto if relations::fits(compiled) => Some(if wide { A_GLANCE } else { A_WALK }),
            _ => None,
        };
        let few = match (most, budget.transitions) {
            (Some(most), Some(all)) => Some(most.min(all)),
            (most, all) => most.or(all),
        };
        let some = Budget { transitions: few, ..budget.clone() };
        let (compared, figures) = pairs::compare(left, right, options.plays, &some, observe);
        let compared = match compared {
            Compared::Unknown(Reason::Stop(Stop::Unbounded(_))) if most.is_none() => {
                let unfit = relations::unfit(compiled).map(String::from);
                Compared::Unknown(Reason::FewTried(unfit))
            }
            compared => compared,
        };
        if most.is_none() || !matches!(compared, Compared::Unknown(_)) {
            return (compared, equiv::Engine::Explicit, figures);
        }
        first = Some((compared, figures));
    }
    let mut progress = Progress::default();
    let found = relations::compare_modules(compiled, options, budget, observe, &mut progress);
    let by_relations = |compared| {
        let Progress { states, transitions, memory, .. } = progress;
        (compared, equiv::Engine::Product, Figures { members: states, edges: transitions, memory })
    };
    match (found, first) {
        (Ok(ModulesFound::Equivalent(why)), _) => {
            *proof = Some(why);
            by_relations(Compared::Equivalent)
        }
        (Ok(ModulesFound::Different(moves, side)), _) => {
            let different = Different { moves, pairs: Vec::new(), data: None, complete: None };
            by_relations(Compared::Different(Box::new(match options.plays {
                Plays::All => different,
                Plays::Complete => {
                    complete::parted(compiled.map(|compiled| &*compiled.module), different, side, budget)
                }
            })))
        }
        // The walk has more to try.
        (Err(unproved), Some((Compared::Unknown(Reason::Stop(Stop::Transitions)), _)))
            if budget.transitions.is_none_or(|most| most > A_WALK) && budget.check().is_ok() =>
        {
            let (compared, figures) = pairs::compare(left, right, options.plays, budget, observe);
            let compared = match compared {
                Compared::Unknown(Reason::Stop(Stop::Unbounded(_))) => Compared::Unknown(unproved),
                Compared::Unknown(reason) => Compared::Unknown(reason.partly(Some(&unproved))),
                compared => compared,
            };
            (compared, equiv::Engine::Explicit, figures)
        }
        (Err(reason), _) => by_relations(Compared::Unknown(reason)),
    }
}

/// A difference that was found, if the interpreter confirms it.
fn confirmed(
    modules: [&Module; 2],
    languages: [&dyn ModuleLanguage; 2],
    compared: Compared,
    budget: &Budget,
) -> Comparison {
    match compared {
        Compared::Equivalent => Comparison::Holds,
        Compared::Unknown(reason) => Comparison::Unknown(reason),
        Compared::Different(found) => {
            let [ours, theirs] = found.moves;
            let patience = Patience { steps: SILENT, ..Patience::within(budget) };
            let asked = [ours.len(), theirs.len()];
            let plays = [play_within(modules[0], ours, patience), play_within(modules[1], theirs, patience)];
            let stopped = |n: usize| match plays[n].outcome {
                Outcome::Ended(Exit::Stopped(stop)) => Some(stop),
                _ => None,
            };
            // One module may run for ever after the last move.
            let silent = |n: usize| {
                stopped(n) == Some(Stop::Transitions) && plays[n].play.of_environment().count() == asked[n]
            };
            let stopped = match [stopped(0), stopped(1)] {
                [None, None] => None,
                [Some(_), None] if silent(0) => None,
                [None, Some(_)] if silent(1) => None,
                [left, right] => left.or(right),
            };
            let illegal = plays.iter().find_map(|played| match &played.outcome {
                Outcome::Illegal(why) => Some(why.clone()),
                _ => None,
            });
            if let Some(stop) = stopped {
                return Comparison::Unknown(Reason::Stop(stop));
            }
            if let Some(Complete { with, .. }) = found.complete
                && !plays[with].play.is_complete()
            {
                return Comparison::Unknown(Reason::Unverified("the play is not complete".into()));
            }
            let met = |n: usize| bound_met(modules[n], &plays[n].play, budget);
            if let Some(bound) = met(0).or_else(|| met(1)) {
                return Comparison::Unknown(Reason::Bound(bound));
            }
            if let Some(why) = illegal {
                return Comparison::Unknown(Reason::Unverified(why));
            }
            let known = Known { pairs: &found.pairs, data: found.data.as_ref(), complete: found.complete };
            confirm_difference(modules, languages, plays, known, budget)
        }
    }
}

/// Has a difference confirmed: the interpreter has played both plays, and runs both modules with one environment.
fn confirm_difference(
    modules: [&Module; 2],
    languages: [&dyn ModuleLanguage; 2],
    plays: [Played; 2],
    known: Known<'_>,
    budget: &Budget,
) -> Comparison {
    let side = |n: usize| Side { module: modules[n], language: languages[n], play: &plays[n].play };
    match tell_apart([side(0), side(1)], known, Patience::within(budget)) {
        Ok(apart) => Comparison::Differs(Box::new(Difference {
            plays,
            data: known.data.cloned(),
            apart,
            only_by_reentry: false,
            only: Vec::new(),
        })),
        Err(refused) => Comparison::Unknown(Reason::disbelieved(plays[0].play.0.len(), refused)),
    }
}
