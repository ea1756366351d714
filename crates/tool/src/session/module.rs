//! A module that has been read and typed, and the questions about it.

use agon_base::budget::Budget;
use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::source::{Source, Span};
use agon_c::read::{SharedImport, ThreadedEnvironment};
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
use agon_core::checks::{BoundId, Kind};
use agon_core::language::ModuleLanguage;
use agon_core::module::target::Target;
use agon_core::module::{CellId, Function, Module, Share};
use agon_ia::tree::Program;

use super::assumed::{self, Assumed, Of};
use super::guarded;
use std::time::Instant;

/// How deep calls by the environment are nested in each of several threads, if nothing is said.
pub const NESTING: usize = 3;

/// A module that has been read and typed.
pub struct ModuleSession {
    /// Its text.
    pub source: Source,
    /// The language that it is written in.
    written: Written,
    /// What it means.
    pub module: Module,
    /// Warnings about it.
    pub warnings: Vec<Diagnostic>,
    /// What its language assumes of the environment and of the machine.
    assumed: Vec<String>,
    /// What is assumed of the environment besides.
    given: Vec<Assumed>,
    /// What it calls at most, in words, if that is less than it may.
    kept: Option<String>,
}

/// What a function of a play stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role<'a> {
    /// A function.
    Function,
    /// A choice of the compiler's: the order of evaluation.
    Order,
    /// A choice of the system's: whether the address of an object that has died comes again.
    Reuse,
    /// A function of the C library whose result the system chooses.
    System(&'a str),
    /// The module reads this object, which the environment may have changed.
    Asks(&'a str),
    /// The module writes a function to this object, where the environment finds it; if versions are compared, any value.
    Tells(&'a str),
    /// An object of the module dies to which the environment has a pointer.
    Dies,
}

/// A module as it was written.
enum Written {
    Ia(agon_ia::read::Document),
    C(Box<agon_c::read::Document>),
}

impl ModuleSession {
    /// A module in agon's own language.
    pub fn of_ia(source: Source, reading: agon_ia::read::ModuleReading) -> ModuleSession {
        let agon_ia::read::ModuleReading { document, module, warnings } = reading;
        ModuleSession {
            source,
            written: Written::Ia(document),
            module,
            warnings,
            assumed: Vec::new(),
            given: Vec::new(),
            kept: None,
        }
    }

    /// A module in C.
    pub fn of_c(reading: agon_c::read::Reading) -> ModuleSession {
        let agon_c::read::Reading { document, module, warnings, assumptions } = reading;
        let source = document.source.clone();
        ModuleSession {
            source,
            written: Written::C(Box::new(document)),
            module,
            warnings,
            assumed: assumptions,
            given: Vec::new(),
            kept: None,
        }
    }

    /// Assumes something of its environment.
    pub fn assume(&mut self, all: &[Assumed]) {
        let words = assumed::of_module(self, all);
        self.assumed.extend(words);
        self.given.extend_from_slice(all);
    }

    /// The same module with fewer objects alive at once: with one, with two, and so on.
    pub fn with_fewer_objects(&self) -> impl Iterator<Item = ModuleSession> + '_ {
        let objects = match &self.written {
            Written::C(document) => document.objects().unwrap_or(1),
            Written::Ia(_) => 1,
        };
        (1..objects).filter_map(|objects| match &self.written {
            Written::C(document) => document.with_objects(objects).map(|fewer| {
                let mut fewer = ModuleSession::of_c(fewer);
                let exported = self.module.procedures().filter(|(_, procedure)| procedure.exported);
                let exported: Vec<String> = exported.map(|(_, known)| known.name.to_string()).collect();
                fewer.module.keep_exports(&exported);
                fewer.assume(&self.given);
                fewer.kept.clone_from(&self.kept);
                fewer
            }),
            Written::Ia(_) => None,
        })
    }

    /// What it means.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Its tree, if it is written in agon's own language.
    pub fn program(&self) -> Option<&Program> {
        match &self.written {
            Written::Ia(document) => Some(&document.program),
            Written::C(_) => None,
        }
    }

    /// Whether it is written in C.
    pub fn is_c(&self) -> bool {
        matches!(self.written, Written::C(_))
    }

    /// Whether it is a closed program, which runs once: its environment only gives values.
    pub fn is_closed(&self) -> bool {
        matches!(&self.written, Written::C(document) if document.closed)
    }

    /// The place of its items.
    pub fn items(&self) -> Span {
        match &self.written {
            Written::Ia(document) => document.items(),
            Written::C(_) => Span::default(),
        }
    }

    /// The module as it was written.
    pub fn language(&self) -> &dyn ModuleLanguage {
        match &self.written {
            Written::Ia(document) => document,
            Written::C(document) => &**document,
        }
    }

    /// The environment of a play with several threads, as a file; nothing if the language has none.
    pub fn threaded_environment(&self, checked: &Checked) -> Option<ThreadedEnvironment> {
        let Written::C(document) = &self.written else { return None };
        match &checked.threaded.as_ref()?.report.verdict {
            agon_check::verdict::Verdict::Unsafe(played, _) => document.close_threads(&self.module, played),
            _ => None,
        }
    }

    /// What a function of a play stands for.
    pub fn role(&self, function: Option<Function>) -> Role<'_> {
        let Some(Function::Import(import)) = function else { return Role::Function };
        if self.module.import(import).choice {
            let reuse = matches!(&self.written, Written::C(document) if document.reuse == Some(import));
            let import = self.module.import(import);
            return match reuse {
                true => Role::Reuse,
                false if import.is_order() => Role::Order,
                false => Role::System(&import.name),
            };
        }
        if self.module.share_of(import) == Some(Share::Ends) {
            return Role::Dies;
        }
        let shared = self.shared().iter().find(|shared| shared.import == import);
        match shared {
            Some(SharedImport { shown, tells: false, .. }) => Role::Asks(shown),
            Some(SharedImport { place, .. }) => Role::Tells(place),
            None => Role::Function,
        }
    }

    /// Whether a cell is one of the text, not one that stands for what is known.
    pub fn is_written(&self, cell: CellId) -> bool {
        !self.module.is_hidden(cell)
    }

    fn shared(&self) -> &[SharedImport] {
        match &self.written {
            Written::Ia(_) => &[],
            Written::C(document) => &document.shared,
        }
    }

    /// What every verdict about the module assumes.
    pub fn assumptions(&self, bounds: Option<Bounds>) -> Vec<String> {
        let of_environment = match self.is_closed() {
            true => Vec::new(),
            false => library::assumptions(&self.module, bounds),
        };
        // A range that was asked for is said as it was written.
        let said = |line: &String| {
            self.given.iter().any(|given| match &given.of {
                Of::Answers(name) => line.starts_with(&format!("{name} returns a number from ")),
                Of::Calls(_) => false,
            })
        };
        let of_environment = of_environment.into_iter().filter(|line| !said(line));
        of_environment.chain(self.assumed.iter().cloned()).collect()
    }

    /// What was asked to be assumed of the environment, in words.
    pub fn given(&self) -> Vec<String> {
        self.kept.iter().cloned().chain(self.given.iter().map(|given| given.words.clone())).collect()
    }

    /// Lets the environment call these exports only.
    pub fn keep_exports(&mut self, names: &[String]) {
        self.module.keep_exports(names);
        self.kept = Some(format!("the environment calls nothing but {}", names.join(", ")));
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

    /// The bounds of a search with several threads, if the environment has several or the module begins some. Of more threads than can be looked at, some
    /// are; the verdict says how many.
    pub fn bounds(&self, nesting: usize) -> Option<Bounds> {
        if self.module().begins_threads() {
            return Some(Bounds { threads: 1, nesting: 1 });
        }
        let threads = self.module().threads.min(MOST_THREADS) as usize;
        (threads > 1).then_some(Bounds { threads, nesting })
    }

    /// Answers questions. Where a module is safe, the bounds of its model that it may meet are part of the answer.
    pub fn check_all(
        &self,
        questions: &[Question],
        engine: Engine,
        bounds: Option<Bounds>,
        effort: &RefinementOptions,
        budget: &Budget,
        observe: &mut Observer<'_>,
    ) -> Vec<Checked> {
        let mut ask = |question: &Question| self.check_one(question, engine, bounds, effort, budget, observe);
        let mut checked: Vec<Checked> = questions.iter().map(&mut ask).collect();
        let safe: Vec<&mut Checked> = checked.iter_mut().filter(|checked| is_safe(checked)).collect();
        if !safe.is_empty() {
            let met = self.met_bounds(ask);
            let gap = met.iter().find(|(bound, _)| self.module().is_gap(*bound));
            for checked in safe {
                match gap {
                    Some((_, words)) => checked.leave_open(&Reason::Unsupported(words.clone())),
                    None => checked.up_to = met.iter().map(|(_, words)| words.clone()).collect(),
                }
            }
        }
        checked
    }

    /// Answers a question for one thread and, if the environment has several and one is not enough, for several.
    fn check_one(
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
                up_to: Vec::new(),
            };
        };
        let language = self.language();
        let task = Task { module: self.module(), language, question, effort, budget };
        if self.module().begins_threads() {
            let sequential = Report::new(Verdict::Unknown(library::own_threads()), ENGINE);
            let takes = matches!(engine, Engine::Auto | Engine::Explicit);
            let report = match takes.then(|| guarded(|| threads::check(engine, task, bounds, observe))) {
                Some(Ok(report)) => report,
                Some(Err(reason)) => {
                    threads::Report::new(agon_check::verdict::Verdict::Unknown(reason), ENGINE)
                }
                None => threads::Report::new(
                    agon_check::verdict::Verdict::Unknown(library::own_threads()),
                    engine.name(),
                ),
            };
            return Checked { sequential, threaded: Some(Threaded { bounds, report }), up_to: Vec::new() };
        }
        // One thread may take half of the time.
        let now = Instant::now();
        let deadline = budget.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / 2);
        let half = Budget { deadline, ..budget.clone() };
        let sequential = self.check(question, engine, effort, &half, observe);
        if let Verdict::Unsafe(..) = sequential.verdict {
            return Checked { sequential, threaded: None, up_to: Vec::new() };
        }
        let report = guarded(|| threads::check(engine, task, bounds, observe)).unwrap_or_else(|reason| {
            threads::Report::new(agon_check::verdict::Verdict::Unknown(reason), ENGINE)
        });
        Checked { sequential, threaded: Some(Threaded { bounds, report }), up_to: Vec::new() }
    }

    /// The bounds of the model that the module may meet, with their words.
    fn met_bounds(&self, mut ask: impl FnMut(&Question) -> Checked) -> Vec<(BoundId, String)> {
        let met = self
            .module()
            .bounds()
            .filter(|(bound, _)| !is_safe(&ask(&Question::FailsAs(Kind::Bound(*bound)))));
        met.map(|(bound, words)| (bound, words.to_string())).collect()
    }

    /// Builds the model.
    pub fn model(&self, budget: &Budget, observe: &mut Observer<'_>) -> Result<Model, Reason> {
        if self.module().begins_threads() {
            return Err(library::own_threads());
        }
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
        let language = self.language();
        let task = Task { module: self.module(), language, question, effort, budget };
        guarded(|| library::check(engine, task, observe))
            .unwrap_or_else(|reason| Report::new(Verdict::Unknown(reason), engine.name()))
    }
}

fn is_safe(checked: &Checked) -> bool {
    matches!(checked.overall().verdict, agon_check::verdict::Verdict::Safe)
}

/// How two modules compare.
pub struct ModulesCompared {
    /// The verdict, and how it was found.
    pub found: library::ModulesCompared,
    /// If they are equivalent: the bounds of their models that they may meet, in words. They are equivalent up to them.
    pub up_to: Vec<String>,
}

/// Compares two modules.
pub fn compare(
    left: &ModuleSession,
    right: &ModuleSession,
    options: &agon_check::equiv::Options,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Result<ModulesCompared, String> {
    let same = has_same_words([left, right]);
    if !same {
        all_seen([left, right])?;
    }
    let languages = [left.language(), right.language()];
    let modules = [left.module(), right.module()];
    let mut found = guarded(|| library::compare(modules, languages, options, budget, observe))
        .unwrap_or_else(|reason| {
            Ok(library::ModulesCompared {
                comparison: Comparison::Unknown(reason),
                plays: options.plays,
                engine: options.engine,
                proof: None,
                alike: false,
                figures: Figures::default(),
            })
        })?;
    // The same text does the same beyond the bounds of the model as well.
    if same && found.alike {
        return Ok(ModulesCompared { found, up_to: Vec::new() });
    }
    if same {
        all_seen([left, right])?;
    }
    let up_to = bounds_met([left, right], &mut found, budget, observe);
    Ok(ModulesCompared { found, up_to })
}

/// Whether both are C files with the same text behind the preprocessor, but for layout and comments.
fn has_same_words(sessions: [&ModuleSession; 2]) -> bool {
    let [Written::C(left), Written::C(right)] = sessions.map(|session| &session.written) else {
        return false;
    };
    left.has_same_words(right)
}

/// Why plays do not show all that the environment sees of two modules, if they do not.
fn all_seen(sessions: [&ModuleSession; 2]) -> Result<(), String> {
    for session in sessions {
        if let Written::C(document) = &session.written
            && let Some(unseen) = document.unseen.first()
        {
            let name = &session.source.name;
            return Err(format!("the environment of {name} sees {unseen}, and plays do not show that"));
        }
    }
    Ok(())
}

/// The bounds of their models up to which two modules are equivalent, in words. Behind a gap of a model nothing is known.
fn bounds_met(
    sessions: [&ModuleSession; 2],
    found: &mut library::ModulesCompared,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Vec<String> {
    let mut up_to = Vec::new();
    if let Comparison::Holds = found.comparison {
        for session in sessions {
            let effort = RefinementOptions::default();
            let met = session.met_bounds(|question| {
                session.check_one(question, Engine::Auto, None, &effort, budget, observe)
            });
            for (bound, words) in met {
                if session.module().is_gap(bound) {
                    found.comparison = Comparison::Unknown(Reason::Unsupported(words));
                    return Vec::new();
                }
                up_to.push(words);
            }
        }
        up_to.dedup();
    }
    up_to
}

/// Checks a certificate of two modules, without a search.
pub fn recheck(
    left: &ModuleSession,
    right: &ModuleSession,
    certificate: &agon_check::equiv::Written,
    solvers: &agon_check::solvers::Solvers,
    budget: &Budget,
) -> Result<ModulesCompared, String> {
    all_seen([left, right])?;
    let modules = [left.module(), right.module()];
    let mut found =
        guarded(|| library::recheck(modules, certificate, solvers, budget)).unwrap_or_else(|reason| {
            Ok(library::ModulesCompared {
                comparison: Comparison::Unknown(reason),
                plays: certificate.plays,
                engine: agon_check::equiv::Engine::Product,
                proof: None,
                alike: false,
                figures: Figures::default(),
            })
        })?;
    let up_to = bounds_met([left, right], &mut found, budget, &mut |_| {});
    Ok(ModulesCompared { found, up_to })
}
