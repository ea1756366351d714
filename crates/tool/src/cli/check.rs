//! `agon check`: can any environment bring a move about?

mod list;
mod module;
mod property;
pub(super) mod reported;

use std::path::PathBuf;
use std::time::Instant;

use agon_base::budget::Budget;
use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::id::size;
use agon_base::source::Source;
use agon_c::options::Evaluation;
use agon_check::component;
use agon_check::modules::threads::MOST_THREADS;
use agon_check::portfolio::{self, Engine};
use agon_check::question::{Order, Question};
use agon_check::refine::{ITERATIONS, RefinementOptions};
use agon_check::verdict::{Reason, Report, Verdict};
use agon_core::split::Reach;
use agon_core::term::Mode;
use agon_witness::verify::Evidence;
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::assuming::Assuming;
use super::cache::{self, Caching, Key};
use super::input::{How, NoProgram};
use super::limits::{ProgressLine, budget};
use super::output::{counted, recorded, remark, say};
use super::solvers::Asked;
use super::watch::Watching;
use super::{Common, Format, Status, c, guard, input};
use crate::atomic;
use crate::c::Settings;
use crate::choices::{self, CertifyName, EngineOptions, LearnerName, OrderName, SchemeName};
use crate::render::json::{self, Cost};
use crate::render::module::assumed;
use crate::render::report::Entry;
use crate::render::{answer, checks, diagnostics, specification, store};
use crate::session::{Opened, Session, guarded};
use crate::shape::answer::Answer;
use crate::shape::diagnostic::Diagnostics;
use crate::svcomp::property::Property;
use crate::system::peak_memory;
use reported::{Answered, Reported, Said, errors, wrong};

#[derive(Args, Clone, Debug)]
pub(super) struct Options {
    /// The programs; `-` is standard input. All C files together are one program.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The engine.
    #[arg(long, value_enum, default_value_t = EngineName::Auto)]
    engine: EngineName,
    /// The move to look for, such as `oflo.run` or `true`. May be given several times; each has a verdict of its own.
    #[arg(long, value_name = "MOVE", default_value = "abort", allow_hyphen_values = true)]
    target: Vec<String>,
    /// Give a verdict for each `assert`, `abort`, index and division of the program.
    #[arg(long, conflicts_with_all = ["target", "deadlock", "against"])]
    all: bool,
    /// The search order. The default is depth first, and a play is shortened before it is shown.
    #[arg(long, value_enum)]
    order: Option<OrderName>,
    /// The seed of a random order.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Let `--engine partition` choose counterexamples so that it terminates for every unsafe program.
    #[arg(long)]
    semi_terminating: bool,
    /// How counterexamples over approximated data are shown to be genuine.
    #[arg(long, value_enum, default_value_t = CertifyName::Values)]
    certify: CertifyName,
    #[command(flatten)]
    asked: Asked,
    /// The initial predicates of `--engine predicate`, and their scopes.
    #[arg(long, value_enum, default_value_t = SchemeName::Minimal)]
    predicates: SchemeName,
    /// The part of the program that is checked on its own: a definition, or `f.1` for an argument of `f`.
    #[arg(long, value_name = "NAME")]
    component: Option<String>,
    /// Check the program against an assumption that `agon assume --format json` wrote; `-` is standard input.
    #[arg(long, value_name = "ASSUMPTION", conflicts_with_all = ["component", "target", "deadlock", "engine"])]
    against: Option<PathBuf>,
    /// How the assumption about it is learnt.
    #[arg(long, value_enum, default_value_t = LearnerName::Tree)]
    learner: LearnerName,
    /// Stop after N refinements of approximated data.
    #[arg(long, value_name = "N", default_value_t = ITERATIONS as u64, value_parser = clap::value_parser!(u64).range(1..))]
    iterations: u64,
    /// Do not reduce interleavings of concurrent programs.
    #[arg(long)]
    no_reduction: bool,
    /// Do not leave out what no check of a module depends on.
    #[arg(long)]
    no_slicing: bool,
    /// Look for deadlocks of a concurrent program instead of a move.
    #[arg(long, conflicts_with = "target")]
    deadlock: bool,
    /// Let the environment of a module have at most N threads. The default is the number in `module{N}`, or 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_THREADS))]
    threads_of_environment: Option<u64>,
    /// With several threads: at most N calls by the environment are open at once in each. The default is 3.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    nesting: Option<u16>,
    /// Print the question in another form instead of answering it.
    #[arg(long, value_enum, value_name = "FORM", conflicts_with_all = ["all", "property"])]
    emit: Option<Emitted>,
    #[command(flatten)]
    assuming: Assuming,
    /// Write the program, closed by an environment that reaches the target, to a file; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    environment: Option<PathBuf>,
    /// Compile the C files together with the environment by this compiler, run the whole, and say what it does.
    #[arg(long, value_name = "COMPILER", help_heading = c::HEADING)]
    confirm: Option<String>,
    /// Check a property of SV-COMP that is stated in a file. The last line of the answer is `true`, `false(…)` or `unknown`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["target", "all", "deadlock", "against", "component"], help_heading = c::HEADING)]
    property: Option<PathBuf>,
    /// Write a witness of the answer about the property, in SV-COMP's format 2.0.
    #[arg(long, value_name = "FILE", requires = "property", help_heading = c::HEADING)]
    witness: Option<PathBuf>,
    #[command(flatten)]
    reported: Reported,
    #[command(flatten)]
    caching: Caching,
    #[command(flatten)]
    watching: Watching,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    c: c::Arguments,
}

/// What a question is printed as.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Emitted {
    /// Horn clauses in SMT-LIB 2, which have a solution if the program is safe.
    Horn,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum EngineName {
    Auto,
    Explicit,
    Interval,
    Partition,
    Predicate,
    AssumeGuarantee,
    Horn,
    Random,
}

impl Options {
    /// How C files are read.
    pub(super) fn c_settings(&self) -> Settings {
        self.c.settings(&self.common, Evaluation::Any, self.threads_of_environment)
    }

    /// What the verdict about a program depends on. Nothing if more is asked for than a verdict.
    fn key(&self, files: &[PathBuf]) -> Option<Key> {
        if self.environment.is_some()
            || self.confirm.is_some()
            || self.witness.is_some()
            || self.emit.is_some()
        {
            return None;
        }
        let mut plain = self.clone();
        (plain.files, plain.caching, plain.watching) = (Vec::new(), Caching::default(), Watching::default());
        plain.reported.forget_destination();
        (plain.common.time_limit, plain.common.memory_limit, plain.common.threads) = (None, None, None);
        let mut key = Key::new("check", &format!("{plain:?}"));
        key.program(files, &self.c_settings().preprocessing, &self.common)?;
        self.against.iter().chain(&self.property).try_for_each(|file| key.file(file))?;
        self.asked.external().for_each(|solver| key.solver(solver));
        Some(key)
    }
}

pub(super) fn run(options: &Options) -> Status {
    let paths: Vec<&PathBuf> =
        options.files.iter().chain(&options.against).chain(&options.property).collect();
    if let Some(status) = options.watching.run(&paths, options.c.folders()) {
        return status;
    }
    let name = options.engine.to_possible_value().map_or(String::new(), |value| value.get_name().to_string());
    let engine_options = EngineOptions {
        semi_terminating: options.semi_terminating,
        predicates: options.predicates,
        learner: options.learner,
        component: options.component.is_some(),
    };
    let engine = match choices::engine(&name, engine_options) {
        Ok(engine) => engine,
        Err(why) => {
            remark(&format!("error: {why}\n"));
            return Status::Wrong;
        }
    };
    let property = match options.property.as_deref().map(property::read).transpose() {
        Ok(property) => property,
        Err(why) => {
            remark(&format!("error: {why}\n"));
            return Status::Wrong;
        }
    };
    let programs = input::programs(&options.files);
    let report = match reported::Report::new(&options.reported, programs.len() > 1) {
        Ok(report) => report,
        Err(why) => {
            remark(&format!("error: {why}\n"));
            return Status::Wrong;
        }
    };
    let mut status = Status::Holds;
    for files in &programs {
        let first = &files[0];
        let name = if first.as_os_str() == "-" { "<stdin>".into() } else { first.display().to_string() };
        let (so_far, target, as_data) =
            (report.clone(), options.target[0].clone(), options.reported.as_data());
        let named = name.clone();
        // The last line, where a property is asked about.
        let unknown = if property.is_some() { "unknown\n" } else { "" };
        guard::last_words(options.reported.status(Status::Undecided), move |limit| match as_data {
            true => {
                let last = json::unanswered(&named, &target, engine.name(), answer::limit(limit));
                so_far.add(Entry::Answer(Box::new(last)));
                so_far.finish();
            }
            false => {
                so_far.say(&named, &format!("UNKNOWN  {}\n{unknown}", answer::limit(limit)));
                so_far.finish();
            }
        });
        match check_or_find(options, files, engine, property.as_ref()) {
            Ok(Answered { status: own, said, remarks }) => {
                status = status.and(own);
                match said {
                    Said::Data(answer) => report.add(Entry::Answer(answer)),
                    Said::Text(text) => {
                        guard::answers();
                        report.say(&name, &text);
                    }
                }
                remark(&remarks);
            }
            Err(NoProgram { status: own, errors }) => {
                status = status.and(own);
                if !unknown.is_empty() && !as_data {
                    report.say(&name, unknown);
                }
                errors.into_iter().for_each(|errors| report.add(Entry::Errors(errors)));
            }
        }
    }
    guard::answers();
    report.finish();
    options.reported.status(status)
}

/// What is kept of an answer.
#[derive(Serialize, Deserialize)]
struct Kept {
    status: u8,
    text: Option<String>,
    answer: Option<Box<Answer>>,
    /// What was written to standard error before the answer and behind it.
    remarks: [String; 2],
}

/// Checks one program, unless the verdict is known.
fn check_or_find(
    options: &Options,
    files: &[PathBuf],
    engine: Engine,
    property: Option<&Property>,
) -> Result<Answered, NoProgram> {
    let Some(place) = options.caching.place(&options.common, || options.key(files)) else {
        return check(options, files, engine, property);
    };
    if let Some(Kept { status, text, answer, remarks: [before, remarks] }) = place.find()
        && let Some(status) = cache::status(status)
        && let Some(said) = match answer {
            Some(answer) => Some(Said::Data(Box::new(Answer { cached: Some(true), ..*answer }))),
            None => text.map(|text| Said::Text(text + cache::NOTE)),
        }
    {
        remark(&before);
        return Ok(Answered { status, said, remarks });
    }
    let (answered, before) = recorded(|| check(options, files, engine, property));
    if let Ok(Answered { status, said, remarks }) = &answered {
        let (text, answer) = match said {
            Said::Text(text) => (Some(text.clone()), None),
            Said::Data(answer) => (None, Some(answer.clone())),
        };
        place
            .keep(*status, &Kept { status: status.code(), text, answer, remarks: [before, remarks.clone()] });
    }
    answered
}

/// Checks one program.
fn check(
    options: &Options,
    files: &[PathBuf],
    engine: Engine,
    property: Option<&Property>,
) -> Result<Answered, NoProgram> {
    let common = &options.common;
    let started = Instant::now();
    let budget = budget(common, started);
    let mut settings = options.c_settings();
    settings.options.checks.overflow |= property.is_some_and(Property::is_about_overflow);
    settings.options.checks.race |= property.is_some_and(Property::is_about_races);
    settings.options.checks.lost |= property.is_some_and(Property::is_about_lost_memory);
    settings.options.checks.leak |= property.is_some_and(Property::is_about_leaks);
    let how = How { common, c: &settings, budget: &budget, format: options.reported.errors() };
    let mut opened = input::open_any(files, how)?;
    let given = options.assuming.read(&options.c, &[&opened]);
    opened.assume(&given.map_err(|(source, list)| errors(&source, &list, &options.reported))?);
    let session = match opened {
        Opened::Term(session) => *session,
        Opened::Module(session) => {
            let c = (files, &settings);
            return module::check(options, *session, c, (engine, property), &budget, started);
        }
    };
    if property.is_some() {
        return Err(wrong("`--property` applies to C programs with `main`, and this is none"));
    }
    if options.no_slicing {
        return Err(wrong("`--no-slicing` applies to modules, and this is none"));
    }
    if options.threads_of_environment.is_some() || options.nesting.is_some() {
        return Err(wrong("`--threads-of-environment` and `--nesting` apply to modules, and this is none"));
    }
    let order = options.order.map_or(Order::Fixed, |name| name.order(options.seed));
    let mut questions = Vec::new();
    for target in &options.target {
        let question = session
            .question(target, order)
            .map_err(|diagnostic| errors(&session.source, &[diagnostic], &options.reported))?;
        let (reduce, shorten) = (!options.no_reduction, options.order.is_none());
        questions.push(Question { reduce, shorten, component: options.component.clone(), ..question });
    }
    let question = questions[0].clone();
    if let Some(name) = &options.component
        && let Err(why) = component::named(&session.judgement, name, Reach::Used)
    {
        return Err(wrong(&why.to_string()));
    }
    if options.all {
        let checks = session.judgement.checks().into_iter();
        questions = checks.map(|check| Question { check: Some(check), ..question.clone() }).collect();
    }
    if options.all || questions.len() > 1 {
        return list::list(options, &session, &questions, engine, &budget, started);
    }
    let line = ProgressLine::new(started, common.quiet);
    let certify = options.certify.into();
    if options.deadlock && session.judgement.mode == Mode::Sequential {
        line.end();
        return Err(wrong("only concurrent programs get stuck in a deadlock; this one is sequential"));
    }
    if let Some(path) = &options.against {
        let effort = RefinementOptions {
            certify,
            iterations: size(options.iterations),
            ..RefinementOptions::default()
        };
        let report = against(path, &session, &question, &effort, &budget).map_err(|why| {
            line.end();
            wrong(&why)
        })?;
        line.end();
        return Ok(report_against(options, &session, &report, started));
    }
    let report = match options.deadlock {
        true => session.deadlock(&question, &budget, &mut |notice| line.show(notice)),
        // A missing solver is an error at once, whether or not it will be needed.
        false => match options.asked.solvers() {
            Ok(solvers) => {
                let effort = RefinementOptions {
                    certify,
                    iterations: size(options.iterations),
                    solvers,
                    ..RefinementOptions::default()
                };
                session.check(&question, engine, &effort, &budget, &mut |notice| line.show(notice))
            }
            Err(why) => {
                Report::new(Verdict::Unknown(Reason::Solver(agon_solve::Reason::Broken(why))), engine.name())
            }
        },
    };
    line.end();
    let cost = Cost { seconds: started.elapsed().as_secs_f64(), peak_memory_mib: peak_memory() };
    let status = match &report.verdict {
        Verdict::Safe => Status::Holds,
        Verdict::Unsafe(_, Evidence { closed, .. }) => {
            if options.environment.is_some() && closed.is_none() {
                remark(match options.deadlock {
                    true => "no environment is written for a deadlock\n",
                    false => "no environment is written: none was seen to do it in time\n",
                });
            }
            if let (Some(path), Some(closed)) = (&options.environment, closed) {
                write_environment(path, &closed.text, &session.source, options.reported.errors())?;
            }
            Status::DoesNotHold
        }
        Verdict::Unknown(reason) => {
            if let (Some(diagnostic), false, false) =
                (answer::blamed(reason), options.reported.as_data(), common.quiet)
            {
                remark(&diagnostics::render(&session.source, &[diagnostic]));
            }
            Status::without_verdict(reason)
        }
    };
    if options.reported.as_data() {
        let target = if options.deadlock { "deadlock" } else { &options.target[0] };
        let stores = store::of_report(&session, &report, &budget);
        let finding = json::finding(&session, target, &report, stores.as_deref());
        let warnings = if options.deadlock { Vec::new() } else { checks::unreached(&question, &report) };
        let warnings = Some(json::messages(&session.source, &warnings)).filter(|list| !list.is_empty());
        let answer = Answer { warnings, ..json::answer(&session.source, finding, cost) };
        return Ok(Answered::data(status, answer));
    }
    let stores = common.verbose.then(|| store::of_report(&session, &report, &budget)).flatten();
    let text = match options.deadlock {
        true => answer::deadlock(&session, &report, common.verbose, stores.as_deref()),
        false => answer::answer(&session, &question, &report, common.verbose, stores.as_deref()),
    };
    let text = text + &assumed(session.assumed.clone());
    let mut remarks = String::new();
    if !common.quiet {
        if !options.deadlock {
            remarks += &diagnostics::render(&session.source, &checks::unreached(&question, &report));
        }
        remarks += &figures(&report, cost, order, common.verbose);
    }
    Ok(Answered { status, said: Said::Text(text), remarks })
}

/// Checks a program against an assumption that is in a file.
fn against(
    path: &std::path::Path,
    session: &Session,
    question: &Question,
    effort: &RefinementOptions,
    budget: &Budget,
) -> Result<Report, String> {
    let text = match path.as_os_str() == "-" {
        true => std::io::read_to_string(std::io::stdin()),
        false => std::fs::read_to_string(path),
    };
    let text = text.map_err(|error| format!("`{}` cannot be read: {error}", path.display()))?;
    let specification = specification::read(&text)
        .map_err(|why| format!("`{}` is not an assumption that agon can read: {why}", path.display()))?;
    let run = || portfolio::against(&specification, session.task(question, effort, budget), &mut |_| {});
    guarded(run).unwrap_or_else(|reason| Ok(Report::new(Verdict::Unknown(reason), "assume-guarantee")))
}

/// Reports whether a program satisfies an assumption.
fn report_against(options: &Options, session: &Session, report: &Report, started: Instant) -> Answered {
    let cost = Cost { seconds: started.elapsed().as_secs_f64(), peak_memory_mib: peak_memory() };
    let status = match &report.verdict {
        Verdict::Safe => Status::Holds,
        Verdict::Unsafe(..) => Status::DoesNotHold,
        Verdict::Unknown(reason) => Status::without_verdict(reason),
    };
    if options.reported.as_data() {
        let finding = json::finding(session, "assumption", report, None);
        return Answered::data(status, json::answer(&session.source, finding, cost));
    }
    let text = answer::against(session, report, options.common.verbose);
    let said = Said::Text(text + &assumed(session.assumed.clone()));
    let remarks = match options.common.quiet {
        true => String::new(),
        false => {
            let report = Report { because: None, ..report.clone() };
            figures(&report, cost, Order::Fixed, options.common.verbose)
        }
    };
    Answered { status, said, remarks }
}

pub(super) fn write_environment(
    path: &std::path::Path,
    text: &str,
    source: &Source,
    format: Format,
) -> Result<(), Diagnostics> {
    if path.as_os_str() == "-" {
        say(text);
        return Ok(());
    }
    atomic::write(path, text.as_bytes()).map_err(|error| {
        let message = format!("`{}` cannot be written: {error}", path.display());
        input::print_diagnostics(source, &[Diagnostic::general(Code::Unreadable, message)], format)
    })
}

fn figures<P, E>(
    report: &agon_check::verdict::Report<P, E>,
    cost: Cost,
    order: Order,
    verbose: bool,
) -> String {
    let mut text = format!(
        "{}, {}, {:.3} s",
        counted(report.states as u64, "state"),
        counted(report.transitions, "transition"),
        cost.seconds
    );
    if let Some(mib) = cost.peak_memory_mib {
        text += &format!(", {mib:.0} MiB");
    }
    if let Order::Random(seed) = order {
        text += &format!(", seed {seed}");
    }
    if report.refinement().is_some() {
        text = format!("{}, {text}", counted(report.iterations as u64, "iteration"));
    }
    if let (Some(predicated), true) = (report.predicated(), verbose) {
        text += &format!(", {} asked of the solver", counted(predicated.asked, "question"));
    }
    match &report.because {
        Some(why) => text += &format!("\nengine {}: {why}", report.engine),
        None if verbose => text += &format!(", engine {}", report.engine),
        None => {}
    }
    text + "\n"
}
