//! A module that has been read and typed, and the questions about it.

use agon_base::budget::Budget;
use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::source::Source;
use agon_check::library::threads::{self, Checked, Threaded};
use agon_check::library::{self, Comparison, Question, Report, Task, Verdict};
use agon_check::modules::Compiled;
use agon_check::modules::model::{Model, model};
use agon_check::modules::tabulate::Figures;
use agon_check::modules::threads::{Bounds, ENGINE, MOST_THREADS};
use agon_check::portfolio::Engine;
use agon_check::refine::RefinementOptions;
use agon_check::search::Observer;
use agon_check::verdict::Reason;
use agon_core::language::ModuleLanguage;
use agon_core::module::Module;
use agon_core::module::target::Target;
use agon_ia::read::ModuleReading;

use super::guarded;
use std::time::Instant;

/// How deep calls by the environment are nested in each of several threads, if nothing is said.
pub const NESTING: usize = 3;

/// A module that has been read and typed.
pub struct ModuleSession {
    /// Its text.
    pub source: Source,
    /// Its tree, and what it means.
    pub reading: ModuleReading,
}

impl ModuleSession {
    /// What it means.
    pub fn module(&self) -> &Module {
        &self.reading.module
    }

    /// The question whether the module can fail, or make a call, as it is written.
    pub fn question(&self, target: &str) -> Result<Question, Diagnostic> {
        if matches!(target, "abort" | "fail") {
            return Ok(Question::Fails);
        }
        Target::parse(self.module(), target).map(Question::Calls).map_err(|why| {
            let message = format!("`{target}` is not a move of this module: {why}");
            Diagnostic::general(Code::BadTarget, message)
                .help("a move of a module is written `fail`, or as a call of an import: `f()`, `f(3, _)`, …")
        })
    }

    /// A question for each check of the text.
    pub fn checks(&self) -> Vec<Question> {
        self.module().checks().into_iter().map(Question::FailsAt).collect()
    }

    /// The bounds of a search with several threads, if the environment has several. Of more threads than can be looked at, some
    /// are; the verdict says how many.
    pub fn bounds(&self, nesting: usize) -> Option<Bounds> {
        let threads = self.module().threads.min(MOST_THREADS) as usize;
        (threads > 1).then_some(Bounds { threads, nesting })
    }

    /// Answers a question for one thread and, if the environment has several and one is not enough, for several.
    pub fn check_all(
        &self,
        question: &Question,
        engine: Engine,
        bounds: Option<Bounds>,
        effort: &RefinementOptions,
        budget: &Budget,
        observe: &mut Observer<'_>,
    ) -> Checked {
        let Some(bounds) = bounds else {
            return Checked {
                sequential: self.check(question, engine, effort, budget, observe),
                threaded: None,
            };
        };
        // One thread may take half of the time.
        let now = Instant::now();
        let deadline = budget.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / 2);
        let half = Budget { deadline, ..budget.clone() };
        let sequential = self.check(question, engine, effort, &half, observe);
        if let Verdict::Unsafe(..) = sequential.verdict {
            return Checked { sequential, threaded: None };
        }
        let language = &self.reading.document;
        let task = Task { module: self.module(), language, question, effort, budget };
        let report = guarded(|| threads::check(task, bounds, observe)).unwrap_or_else(|reason| {
            threads::Report::new(agon_check::verdict::Verdict::Unknown(reason), ENGINE)
        });
        Checked { sequential, threaded: Some(Threaded { bounds, report }) }
    }

    /// Builds the model.
    pub fn model(&self, budget: &Budget, observe: &mut Observer<'_>) -> Result<Model, Reason> {
        guarded(|| model(&Compiled::new(self.module().clone()), budget, observe)).unwrap_or_else(Err)
    }

    /// Answers a question for one thread.
    pub fn check(
        &self,
        question: &Question,
        engine: Engine,
        effort: &RefinementOptions,
        budget: &Budget,
        observe: &mut Observer<'_>,
    ) -> Report {
        let language = &self.reading.document;
        let task = Task { module: self.module(), language, question, effort, budget };
        guarded(|| library::check(engine, task, observe))
            .unwrap_or_else(|reason| Report::new(Verdict::Unknown(reason), engine.name()))
    }
}

/// Compares two modules.
pub fn compare(
    left: &ModuleSession,
    right: &ModuleSession,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Result<(Comparison, Figures), String> {
    let languages: [&dyn ModuleLanguage; 2] = [&left.reading.document, &right.reading.document];
    guarded(|| library::compare([left.module(), right.module()], languages, budget, observe))
        .unwrap_or_else(|reason| Ok((Comparison::Unknown(reason), Figures::default())))
}
