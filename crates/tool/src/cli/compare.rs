//! `agon equiv` and `agon approx`: two programs against the same environments.

use std::path::PathBuf;
use std::time::Instant;

use agon_base::budget::Budget;
use agon_base::diagnostic::{Code, Diagnostic};
use agon_c::options::Evaluation;
use agon_check::equiv::{self, Compared, Comparison, Engine, Relation, Side};
use agon_check::library::Comparison as ModuleComparison;
use agon_check::search::Progress;
use agon_check::verdict::Reason;
use agon_witness::library::apart::Apart;
use clap::{Args, ValueEnum};

use super::check::write_environment;
use super::input::How;
use super::limits::{ProgressLine, budget};
use super::output::{counted, remark, say};
use super::solvers::Asked;
use super::{Common, Format, Status, Written, c, guard, input};
use crate::render::{answer, comparison};
use crate::session::module::{ModuleSession, ModulesCompared, compare as compare_modules};
use crate::session::{Opened, compare_with};
use crate::shape::{self, Version};

/// The functions that end a process as a failing assertion does.
const ABORTS: [&str; 3] = ["abort", "__builtin_abort", "__builtin_trap"];

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The first program.
    #[arg(value_name = "FILE")]
    left: PathBuf,
    /// The second program.
    #[arg(value_name = "FILE")]
    right: PathBuf,
    /// Where the programs differ, write the one that has the play, closed by the environment, to a file; `-` is
    /// standard output.
    #[arg(long, value_name = "FILE")]
    environment: Option<PathBuf>,
    /// How programs are compared: `explicit` tries one number after the other, `product` looks for relations between what
    /// both hold, and `auto` begins with the one and goes on with the other.
    #[arg(long, value_name = "ENGINE", value_enum, default_value_t = By::Auto)]
    engine: By,
    #[command(flatten)]
    asked: Asked,
    #[command(flatten)]
    written: Written,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    c: c::Arguments,
}

/// An engine by its name.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum By {
    Auto,
    Explicit,
    Product,
}

impl By {
    fn engine(self) -> Engine {
        match self {
            By::Auto => Engine::Auto,
            By::Explicit => Engine::Explicit,
            By::Product => Engine::Product,
        }
    }
}

pub(super) fn run(options: &Options, relation: Relation) -> Status {
    let (common, format) = (&options.common, options.written.format);
    let started = Instant::now();
    let budget = budget(common, started);
    let names = [&options.left, &options.right].map(|file| file.display().to_string());
    guard::last_words(Status::Undecided, move |limit| {
        say(&match format {
            Format::Json => {
                let compared = comparison::unanswered(names, answer::limit(limit));
                shape::pretty(&shape::comparison::Comparison { version: Version, seconds: None, compared })
            }
            Format::Text => format!("UNKNOWN  {}\n", answer::limit(limit)),
        })
    });
    let mut settings = options.c.settings(common, Evaluation::CallsFirst, None);
    // A process that aborts ends as one does whose assertion fails, so no environment tells the two apart.
    settings.options.fails.extend(ABORTS.map(String::from));
    let how = How { common, c: &settings, budget: &budget, format };
    let [left, right] =
        [&options.left, &options.right].map(|file| input::open_any(std::slice::from_ref(file), how));
    let (left, right) = match (left, right) {
        (Ok(Opened::Term(left)), Ok(Opened::Term(right))) => (left, right),
        (Ok(Opened::Module(left)), Ok(Opened::Module(right))) if relation == Relation::Equivalence => {
            return modules(options, [&left, &right], &budget, started);
        }
        (Ok(left), Ok(right)) => {
            let what = match (&left, &right) {
                (Opened::Module(_), Opened::Module(_)) => "modules are compared with `agon equiv`",
                _ => "one of them is a module",
            };
            let names = [&left, &right].map(|opened| opened.source().name.clone());
            let message = format!("{} and {} cannot be compared: {what}", names[0], names[1]);
            let diagnostic = Diagnostic::general(Code::Incomparable, message);
            input::print_diagnostics(left.source(), &[diagnostic], format);
            return Status::Wrong;
        }
        _ => return Status::Wrong,
    };
    let line = ProgressLine::new(started, common.quiet);
    // A missing solver is an error at once, whether or not it will be needed.
    let result = match options.asked.solvers() {
        Ok(solvers) => {
            let how = equiv::Options { relation, engine: options.engine.engine(), solvers };
            compare_with(&left, &right, &how, &budget, &mut |notice| line.show(notice))
        }
        Err(why) => {
            let reason = Reason::Solver(agon_solve::Reason::Broken(why));
            Ok(Compared {
                comparison: Comparison::Unknown(Side::Left, reason),
                engine: options.engine.engine(),
                proof: None,
                progress: Progress::default(),
            })
        }
    };
    line.end();
    let compared = match result {
        Ok(result) => result,
        Err(why) => {
            let mut diagnostic = Diagnostic::general(
                Code::Incomparable,
                format!("{} and {} cannot be compared: {why}", left.source.name, right.source.name),
            );
            if left.judgement.mode == right.judgement.mode {
                diagnostic = diagnostic.help(
                    "an identifier that only one of the programs mentions is fine; the others must have the same type",
                );
            }
            input::print_diagnostics(&left.source, &[diagnostic], format);
            return Status::Wrong;
        }
    };
    let Compared { comparison, progress, .. } = &compared;
    if let (Comparison::Differs(difference), Some(path)) = (comparison, &options.environment) {
        let owner = comparison::owner(difference, &left, &right);
        if let Some(distinction) = &difference.distinction
            && write_environment(path, &distinction.with.text, &owner.source, format).is_err()
        {
            return Status::Wrong;
        }
    }
    guard::answers();
    let status = match comparison {
        Comparison::Holds => Status::Holds,
        Comparison::Differs(_) => Status::DoesNotHold,
        Comparison::Unknown(_, reason) => Status::without_verdict(reason),
    };
    if format == Format::Json {
        let seconds = Some(started.elapsed().as_secs_f64());
        let stores = comparison::stores(comparison, &left, &right, &budget);
        let compared = comparison::data(&compared, relation, &left, &right, stores.as_deref());
        say(&shape::pretty(&shape::comparison::Comparison { version: Version, seconds, compared }));
        return status;
    }
    let stores = common.verbose.then(|| comparison::stores(comparison, &left, &right, &budget)).flatten();
    say(&comparison::text(&compared, relation, &left, &right, common.verbose, stores.as_deref()));
    if !common.quiet {
        let by_relations = compared.engine == Engine::Product;
        let unit = if by_relations { "question" } else { "transition" };
        remark(&format!(
            "{}, {}{}, {:.3} s\n",
            counted(progress.states as u64, comparison::unit(&left)),
            counted(progress.transitions, unit),
            if by_relations { " asked of the solver" } else { "" },
            started.elapsed().as_secs_f64()
        ));
    }
    status
}

/// Compares two modules.
fn modules(options: &Options, sessions: [&ModuleSession; 2], budget: &Budget, started: Instant) -> Status {
    let (common, format) = (&options.common, options.written.format);
    let line = ProgressLine::new(started, common.quiet);
    // A difference with few objects is soon found, and is one with more objects as well.
    let fewer = sessions[0].with_fewer_objects().zip(sessions[1].with_fewer_objects());
    for (left, right) in fewer {
        let result = compare_modules(&left, &right, budget, &mut |notice| line.show(notice));
        if let Ok(compared @ ModulesCompared { comparison: ModuleComparison::Differs(_), .. }) = result {
            line.end();
            return answered(options, [&left, &right], &compared, started);
        }
    }
    let result = compare_modules(sessions[0], sessions[1], budget, &mut |notice| line.show(notice));
    line.end();
    let [left, right] = sessions.map(|session| &session.source.name);
    let compared = match result {
        Ok(result) => result,
        Err(why) => {
            let message = format!("{left} and {right} cannot be compared: {why}");
            let diagnostic = Diagnostic::general(Code::Incomparable, message);
            input::print_diagnostics(&sessions[0].source, &[diagnostic], format);
            return Status::Wrong;
        }
    };
    answered(options, sessions, &compared, started)
}

/// Prints how two modules compare.
fn answered(
    options: &Options,
    sessions: [&ModuleSession; 2],
    compared: &ModulesCompared,
    started: Instant,
) -> Status {
    let (common, format) = (&options.common, options.written.format);
    if let (ModuleComparison::Differs(difference), Some(path)) = (&compared.comparison, &options.environment)
    {
        let Apart { with, closed, .. } = &difference.apart;
        if write_environment(path, &closed.text, &sessions[*with].source, format).is_err() {
            return Status::Wrong;
        }
    }
    guard::answers();
    let figures = compared.figures;
    let status = match &compared.comparison {
        ModuleComparison::Holds => Status::Holds,
        ModuleComparison::Differs(_) => Status::DoesNotHold,
        ModuleComparison::Unknown(reason) => Status::without_verdict(reason),
    };
    let seconds = started.elapsed().as_secs_f64();
    if format == Format::Json {
        let compared = comparison::of_modules(compared, sessions);
        say(&shape::pretty(&shape::comparison::Comparison {
            version: Version,
            seconds: Some(seconds),
            compared,
        }));
        return status;
    }
    say(&comparison::text_of_modules(compared, sessions, common.verbose));
    if !common.quiet {
        let (pairs, edges) = (counted(figures.members as u64, "pair"), counted(figures.edges, "transition"));
        remark(&format!("{pairs}, {edges}, {seconds:.3} s\n"));
    }
    status
}
