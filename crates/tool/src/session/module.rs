//! A module that has been read and typed, and the questions about it.

use agon_base::budget::Budget;
use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::source::Source;
use agon_check::library::{self, Comparison, Question, Report, Task, Verdict};
use agon_check::modules::tabulate::Figures;
use agon_check::portfolio::Engine;
use agon_check::refine::RefinementOptions;
use agon_check::search::Observer;
use agon_core::module::Module;
use agon_core::module::target::Target;
use agon_ia::read::ModuleReading;

use super::guarded;

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

    /// Answers a question.
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
    guarded(|| library::compare([left.module(), right.module()], budget, observe))
        .unwrap_or_else(|reason| Ok((Comparison::Unknown(reason), Figures::default())))
}
