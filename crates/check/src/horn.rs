//! Horn clauses: a module as clauses over integers, and a program that solves them [Bjørner, Gurfinkel, McMillan, Rybalchenko 2015].
//!
//! A solution is an invariant of the tables of [`crate::modules`], so the module is safe. Without a solution some play fails, which
//! is then looked for by the other engines: a refutation is not replayed.

mod body;
mod cells;
mod clauses;
mod environment;
mod path;
mod terms;

pub use clauses::{Clauses, clauses};

use agon_base::budget::Budget;
use agon_core::module::Module;

use crate::modules::{Compiled, Found, answer};
use crate::portfolio::Engine;
use crate::refine::RefinementOptions;
use crate::search::Observer;
use crate::solvers::{Program, solving};
use crate::task::Task;
use crate::verdict::{Reason, Report, Verdict};

/// What the engine is called.
pub const NAME: &str = "horn";

/// What a program says about the clauses of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    /// They have a solution: no play fails.
    Safe,
    /// They have none: some play fails.
    Fails,
    /// The reason why there is no answer.
    Nothing(agon_solve::Reason),
}

/// Asks a program about a module.
pub fn ask(module: &Module, program: &Program, budget: &Budget) -> Result<Said, Reason> {
    let Clauses { text, open } = clauses(module)?;
    let said = program
        .connect()
        .and_then(|connection| agon_solve::horn::has_solution(connection, &text, &solving(budget)));
    Ok(match said {
        Ok(true) => Said::Safe,
        Ok(false) if open => Said::Nothing(agon_solve::Reason::Beyond("operations on single bits".into())),
        Ok(false) => Said::Fails,
        Err(reason) => Said::Nothing(reason),
    })
}

/// Whether a module can fail, by Horn clauses. If there are two programs, both are asked, and they must not differ.
pub fn check(
    compiled: &Compiled,
    effort: &RefinementOptions,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Found {
    let unknown = |reason| Report::new(Verdict::Unknown(reason), NAME);
    let Some(program) = effort.solvers.program() else {
        let why = "Horn clauses are solved by a program such as `z3`: `--solver z3`".to_string();
        return unknown(Reason::Solver(agon_solve::Reason::Broken(why)));
    };
    let said = match ask(&compiled.module, program, budget) {
        Ok(Said::Nothing(reason)) => return unknown(because(reason, budget)),
        Ok(said) => said,
        Err(reason) => return unknown(reason),
    };
    let because = Some(format!("{} has solved the module's Horn clauses", program.name));
    match said {
        Said::Safe => Report { because, ..Report::new(Verdict::Safe, NAME) },
        // The play is still to be found.
        _ => {
            let found = answer(Engine::Auto, compiled, effort, budget, observe);
            let verdict = match found.verdict {
                Verdict::Safe => Verdict::Unknown(Reason::Solver(agon_solve::Reason::Difference(format!(
                    "by the Horn clauses, {} says that the module fails, and {} says that it does not",
                    program.name, found.engine
                )))),
                Verdict::Unknown(_) => Verdict::Unknown(Reason::Unshown(program.name.clone())),
                found => found,
            };
            Report { verdict, engine: NAME, because, ..found }
        }
    }
}

/// Why there is no answer. That a program was too slow is a limit of ours, if time was limited.
fn because(reason: agon_solve::Reason, budget: &Budget) -> Reason {
    match budget.is_over() {
        Some(stop) => Reason::Stop(stop),
        None => Reason::Solver(reason),
    }
}

/// A verdict about a module that was found in another way, and what the second program says about its clauses: where both
/// answer, they agree, or there is no verdict.
pub fn second_opinion(module: &Module, found: Found, effort: &RefinementOptions, budget: &Budget) -> Found {
    let Some(program) = effort.solvers.second_program() else { return found };
    if matches!(found.verdict, Verdict::Unknown(_)) {
        return found;
    }
    let patience = effort.solvers.patience(budget);
    let said = match ask(module, program, &patience) {
        Ok(said) => said,
        Err(_) => return found,
    };
    let difference = |ours: &str, theirs: &str| {
        let engine = found.engine;
        let text = format!(
            "{engine} says that the module {ours}; by the Horn clauses, {} says that it {theirs}",
            program.name
        );
        Verdict::Unknown(Reason::Solver(agon_solve::Reason::Difference(text)))
    };
    let verdict = match (&found.verdict, &said) {
        (Verdict::Safe, Said::Fails) => difference("does not fail", "does"),
        (Verdict::Unsafe(..), Said::Safe) => difference("fails", "does not"),
        _ => return found,
    };
    Report { verdict, ..found }
}

/// The answer about a term: there are clauses of modules only.
pub fn check_term(task: Task<'_>) -> crate::verdict::Report {
    let judgement = task.subject.judgement;
    let what = "the engine `horn` takes modules and C files".to_string();
    let span = judgement.terms.span(judgement.body);
    Report::new(Verdict::Unknown(Reason::NoEngine { what, span }), NAME)
}
