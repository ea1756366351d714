//! A session: a program that has been read and typed, and the questions about it.

pub mod assumed;
pub mod model;
pub mod module;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::refused::Refused;
use agon_base::source::Source;
use agon_check::equiv::{self, Compared, Comparison, Relation, Side};
use agon_check::portfolio::{self, Engine};
use agon_check::question::{Order, Question};
use agon_check::refine::RefinementOptions;
use agon_check::search::{Observer, Progress};
use agon_check::task::Task;
use agon_check::verdict::{Reason, Report, Verdict};
use agon_core::bounds::bounds;
use agon_core::eval::Patience;
use agon_core::held::Held;
use agon_core::term::{Judgement, Mode};
use agon_games::arena::Arena;
use agon_games::machine::{self, Compiled};
use agon_games::moves::ThreadMove;
use agon_games::play::Play;
use agon_ia::read::{Document, Read, Reading, is_no_term, read_any};
use agon_ia::tree::Program;
use agon_witness::trace::trace;
use agon_witness::verify::Subject;

use crate::c;
use assumed::{Assumed, Giving};
use module::ModuleSession;

/// A program in all its forms.
pub struct Session {
    /// Its text.
    pub source: Source,
    /// Its tree, and constants given from outside.
    pub document: Document,
    /// Its typed term.
    pub judgement: Judgement,
    /// Its arena.
    pub arena: Arena,
    /// Its code, as far as it was compiled.
    compiled: Compiled,
    /// Warnings about the program.
    pub warnings: Vec<Diagnostic>,
    /// What is assumed of its environment, in words.
    pub assumed: Vec<String>,
}

/// A text that has been read and typed: a term in context, or a module.
pub enum Opened {
    /// A term.
    Term(Box<Session>),
    /// A module.
    Module(Box<ModuleSession>),
}

impl Opened {
    /// Reads and types a text; returns all its errors, if it has some.
    pub fn open(source: Source, overrides: Vec<(String, Int)>) -> Result<Opened, (Source, Vec<Diagnostic>)> {
        match read_any(&source.text, &overrides) {
            Ok(Read::Term(reading)) => Ok(Opened::Term(Box::new(Session::of(source, *reading)?))),
            Ok(Read::Module(reading)) => Ok(Opened::Module(Box::new(ModuleSession::of_ia(source, *reading)))),
            Err(diagnostics) => Err((source, diagnostics)),
        }
    }

    /// Reads and types C files, which are one module; returns all their errors, if they have some.
    pub fn open_c(
        files: &[Source],
        settings: &c::Settings,
        budget: &Budget,
    ) -> Result<Opened, (Source, Vec<Diagnostic>)> {
        Ok(Opened::Module(Box::new(ModuleSession::of_c(c::open(files, settings, budget)?))))
    }

    /// The text.
    pub fn source(&self) -> &Source {
        match self {
            Opened::Term(session) => &session.source,
            Opened::Module(session) => &session.source,
        }
    }

    /// Its tree, if it is written in agon's own language.
    pub fn program(&self) -> Option<&Program> {
        match self {
            Opened::Term(session) => Some(&session.document.program),
            Opened::Module(session) => session.program(),
        }
    }

    /// Assumes something of its environment.
    pub fn assume(&mut self, all: &[Assumed]) {
        match self {
            Opened::Term(session) => session.assume(all),
            Opened::Module(session) => session.assume(all),
        }
    }

    /// The program, to whose environment assumptions apply.
    pub fn giving(&self) -> &dyn Giving {
        match self {
            Opened::Term(session) => &**session,
            Opened::Module(session) => &**session,
        }
    }

    /// Warnings about it.
    pub fn warnings(&self) -> &[Diagnostic] {
        match self {
            Opened::Term(session) => &session.warnings,
            Opened::Module(session) => &session.warnings,
        }
    }

    /// The term, where one is needed; otherwise what is wrong.
    pub fn term(self) -> Result<Session, (Source, Vec<Diagnostic>)> {
        match self {
            Opened::Term(session) => Ok(*session),
            Opened::Module(session) => {
                let diagnostics = vec![is_no_term(session.items())];
                Err((session.source, diagnostics))
            }
        }
    }
}

impl Session {
    /// Reads and types a program; returns all its errors, if it has some. A module is an error.
    pub fn open(source: Source, overrides: Vec<(String, Int)>) -> Result<Session, (Source, Vec<Diagnostic>)> {
        Opened::open(source, overrides)?.term()
    }

    /// A term that has been read.
    fn of(source: Source, reading: Reading) -> Result<Session, (Source, Vec<Diagnostic>)> {
        let Reading { document, judgement, warnings } = reading;
        // The game of a concurrent program needs bounds; that of a sequential program does not.
        if judgement.mode == Mode::Concurrent
            && let Err(diagnostics) = bounds(&judgement)
        {
            return Err((source, diagnostics));
        }
        let arena = Arena::new(&judgement);
        let compiled = Compiled::default();
        Ok(Session { source, document, judgement, arena, compiled, warnings, assumed: Vec::new() })
    }

    /// Assumes something of its environment.
    pub fn assume(&mut self, all: &[Assumed]) {
        assumed::of_term(self, all);
        self.assumed.extend(all.iter().map(|assumed| assumed.words.clone()));
        self.arena = Arena::new(&self.judgement);
        self.compiled = Compiled::default();
    }

    /// The question whether a move, as it is written, can be reached.
    pub fn question(&self, target: &str, order: Order) -> Result<Question, Diagnostic> {
        let read = self.arena.parse_threaded(target).and_then(|m| {
            match m.threads.is_empty() || self.judgement.mode == Mode::Concurrent {
                true => Ok(m),
                false => Err("moves of a sequential program have no threads".into()),
            }
        });
        match read {
            Ok(ThreadMove { m, threads }) => Ok(Question { threads, order, ..Question::new(m) }),
            Err(why) => Err(Diagnostic::general(
                Code::BadTarget,
                format!("`{target}` is not a move of this program: {why}"),
            )
            .help(
                "a move is written `abort`, `done`, `5`, `f.run`, `f.1.run`, `x.write(5)`, `a[3].read`, …",
            )),
        }
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
        let run = || portfolio::answer(engine, self.task(question, effort, budget), observe);
        guarded(run).unwrap_or_else(|reason| Report::new(Verdict::Unknown(reason), engine.name()))
    }

    /// Looks for deadlocks.
    pub fn deadlock(&self, question: &Question, budget: &Budget, observe: &mut Observer<'_>) -> Report {
        let run = || agon_check::concurrent::deadlock(Task::new(self.subject(), question, budget), observe);
        guarded(run).unwrap_or_else(|reason| Report::new(Verdict::Unknown(reason), "explicit"))
    }

    /// Answers several questions. One precise search answers as many of them as it can.
    pub fn check_each(
        &self,
        questions: &[Question],
        engine: Engine,
        effort: &RefinementOptions,
        budget: &Budget,
        observe: &mut Observer<'_>,
    ) -> Vec<Report> {
        let run = || portfolio::answer_each(engine, effort, self.subject(), questions, budget, observe);
        guarded(run).unwrap_or_else(|reason| {
            vec![Report::new(Verdict::Unknown(reason), engine.name()); questions.len()]
        })
    }

    /// The contents of the program's local cells at each move of a play, if the budget suffices to reconstruct them.
    pub fn store_trace(&self, play: &Play, budget: &Budget) -> Option<Vec<Vec<Held>>> {
        let patience = Patience::within(budget);
        trace(&self.judgement, &self.arena, play, patience).ok()
    }

    /// Its code, or why the machine cannot play it.
    pub fn code(&self) -> Result<Arc<machine::Code>, Refused> {
        self.compiled.code(&self.judgement, &self.arena)
    }

    /// A question about the program, for an engine.
    pub fn task<'a>(
        &'a self,
        question: &'a Question,
        effort: &'a RefinementOptions,
        budget: &'a Budget,
    ) -> Task<'a> {
        Task { subject: self.subject(), question, effort, budget }
    }

    /// The program as its witnesses see it.
    pub fn subject(&self) -> Subject<'_> {
        Subject {
            language: &self.document,
            judgement: &self.judgement,
            arena: &self.arena,
            compiled: &self.compiled,
        }
    }
}

/// Runs something; a panic becomes a reason.
pub fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, Reason> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| panicked(&*panic))
}

/// The reason behind a panic: a table was full, or agon has a bug.
pub fn panicked(panic: &(dyn Any + Send)) -> Reason {
    if let Some(stop) = panic.downcast_ref::<Stop>() {
        return Reason::Stop(*stop);
    }
    let said = panic.downcast_ref::<&str>().copied();
    let said = said.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Reason::Bug(said.unwrap_or("a panic without a message").into())
}

/// Compares two programs; returns the reason, if they cannot be compared.
pub fn compare(
    left: &Session,
    right: &Session,
    relation: Relation,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Result<(Comparison, Progress), String> {
    let compared = compare_with(left, right, &equiv::Options::new(relation), budget, observe)?;
    Ok((compared.comparison, compared.progress))
}

/// The same, by an engine and with solvers of choice.
pub fn compare_with(
    left: &Session,
    right: &Session,
    options: &equiv::Options,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Result<Compared, String> {
    guarded(|| equiv::compare_with(left.subject(), right.subject(), options, budget, observe)).unwrap_or_else(
        |reason| {
            Ok(Compared {
                comparison: Comparison::Unknown(Side::Left, reason),
                engine: options.engine,
                proof: None,
                progress: Progress::default(),
            })
        },
    )
}

/// Checks a certificate of two programs, without a search.
pub fn recheck(
    left: &Session,
    right: &Session,
    certificate: &equiv::Written,
    solvers: &agon_check::solvers::Solvers,
    budget: &Budget,
) -> Result<Compared, String> {
    guarded(|| equiv::recheck(left.subject(), right.subject(), certificate, solvers, budget)).unwrap_or_else(
        |reason| {
            Ok(Compared {
                comparison: Comparison::Unknown(Side::Left, reason),
                engine: equiv::Engine::Product,
                proof: None,
                progress: Progress::default(),
            })
        },
    )
}
