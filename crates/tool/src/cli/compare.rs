//! `agon equiv` and `agon approx`: two programs against the same environments.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use agon_base::budget::Budget;
use agon_base::diagnostic::{Code, Diagnostic};
use agon_c::options::Evaluation;
use agon_check::equiv::{self, Compared, Comparison, Engine, Relation, Side};
use agon_check::library::{self, Comparison as ModuleComparison};
use agon_check::modules::tabulate::Figures;
use agon_check::search::Progress;
use agon_check::verdict::Reason;
use agon_witness::library::apart::Apart;
use clap::{Args, ValueEnum};

use super::check::write_environment;
use super::input::How;
use super::limits::{ProgressLine, budget};
use super::output::{counted, remark, say};
use super::solvers::Asked;
use super::{Common, Format, Status, Written, c, certificate, guard, input};
use crate::render::{answer, comparison};
use crate::session::module::{
    ModuleSession, ModulesCompared, compare as compare_modules, recheck as recheck_modules,
};
use crate::session::{Opened, compare_with, recheck};
use crate::shape::{self, Version};

/// The functions that end a process as a failing assertion does.
const ABORTS: [&str; 3] = ["abort", "__builtin_abort", "__builtin_trap"];

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The first program, or a folder of programs.
    #[arg(value_name = "FILE")]
    left: PathBuf,
    /// The second program, or a folder: files of the same name are compared.
    #[arg(value_name = "FILE")]
    right: PathBuf,
    /// Where the programs differ, write the one that has the play, closed by the environment, to a file; `-` is
    /// standard output. Of folders, this is a folder, and files have the names of the programs.
    #[arg(long, value_name = "FILE")]
    environment: Option<PathBuf>,
    /// Where the programs are equal, write why to a file, so that `--recheck` can check it; `-` is standard output.
    #[arg(long, value_name = "FILE", conflicts_with = "recheck")]
    certificate: Option<PathBuf>,
    /// Check a certificate instead of searching.
    #[arg(long, value_name = "FILE")]
    recheck: Option<PathBuf>,
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

/// Two files that are compared, and what is written of them where.
struct Pair {
    files: [PathBuf; 2],
    environment: Option<PathBuf>,
    certificate: Option<PathBuf>,
    recheck: Option<PathBuf>,
    /// Whether there are others.
    among: bool,
}

impl Pair {
    /// The answer as JSON: on one line, if there are others.
    fn json(among: bool, seconds: Option<f64>, compared: shape::comparison::Compared) -> String {
        let answer = shape::comparison::Comparison { version: Version, seconds, compared };
        if among { shape::line(&answer) } else { shape::pretty(&answer) }
    }
}

pub(super) fn run(options: &Options, relation: Relation) -> Status {
    if options.left.is_dir() && options.right.is_dir() {
        return folders(options, relation);
    }
    let pair = Pair {
        files: [options.left.clone(), options.right.clone()],
        environment: options.environment.clone(),
        certificate: options.certificate.clone(),
        recheck: options.recheck.clone(),
        among: false,
    };
    run_pair(options, &pair, relation)
}

/// The programs of a folder, by their names.
fn programs(folder: &Path) -> Result<BTreeSet<String>, String> {
    let listed = std::fs::read_dir(folder).map_err(|error| format!("`{}`: {error}", folder.display()))?;
    let is_program = |name: &String| [".ia", ".c", ".i"].iter().any(|end| name.ends_with(end));
    let names = listed.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(names.filter(is_program).collect())
}

/// Compares the programs of two folders, by their names. One that is gone is a difference.
fn folders(options: &Options, relation: Relation) -> Status {
    let [old, new] = match (programs(&options.left), programs(&options.right)) {
        (Ok(old), Ok(new)) => [old, new],
        (Err(why), _) | (_, Err(why)) => {
            remark(&format!("error: {why}\n"));
            return Status::Wrong;
        }
    };
    let format = options.written.format;
    let mut status = Status::Holds;
    for name in old.union(&new) {
        let files = [options.left.join(name), options.right.join(name)];
        let shown = files.each_ref().map(|file| file.display().to_string());
        if !new.contains(name) {
            status = status.and(Status::DoesNotHold);
            let gone = format!("{} is gone", shown[0]);
            say(&match format {
                Format::Json => Pair::json(true, None, comparison::gone(shown, gone)),
                Format::Text => format!("{name}: INEQUIVALENT  {gone}\n"),
            });
            continue;
        }
        if !old.contains(name) {
            remark(&format!("{} is new\n", shown[1]));
            continue;
        }
        let within = |folder: &Option<PathBuf>, end: &str| {
            folder.as_ref().map(|folder| folder.join(format!("{name}{end}")))
        };
        let pair = Pair {
            files,
            environment: within(&options.environment, ""),
            certificate: within(&options.certificate, ".json"),
            recheck: within(&options.recheck, ".json"),
            among: true,
        };
        if format == Format::Text {
            say(&format!("{name}: "));
        }
        status = status.and(run_pair(options, &pair, relation));
    }
    status
}

/// Compares two programs.
fn run_pair(options: &Options, pair: &Pair, relation: Relation) -> Status {
    let (common, format) = (&options.common, options.written.format);
    let started = Instant::now();
    let budget = budget(common, started);
    let names = pair.files.each_ref().map(|file| file.display().to_string());
    let among = pair.among;
    guard::last_words(Status::Undecided, move |limit| {
        say(&match format {
            Format::Json => Pair::json(among, None, comparison::unanswered(names, answer::limit(limit))),
            Format::Text => format!("UNKNOWN  {}\n", answer::limit(limit)),
        })
    });
    let mut settings = options.c.settings(common, Evaluation::CallsFirst, None);
    // A process that aborts ends as one does whose assertion fails, so no environment tells the two apart.
    settings.options.fails.extend(ABORTS.map(String::from));
    let how = How { common, c: &settings, budget: &budget, format };
    let [left, right] = pair.files.each_ref().map(|file| input::open_any(std::slice::from_ref(file), how));
    let (left, right) = match (left, right) {
        (Ok(Opened::Term(left)), Ok(Opened::Term(right))) => (left, right),
        (Ok(Opened::Module(left)), Ok(Opened::Module(right))) if relation == Relation::Equivalence => {
            return modules((options, pair), [&left, &right], &budget, started);
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
    let written = match &pair.recheck {
        None => None,
        Some(path) => match certificate::read(path, relation, &left.source, format) {
            Ok(written) => Some(written),
            Err(()) => return Status::Wrong,
        },
    };
    // A missing solver is an error at once, whether or not it will be needed.
    let result = match options.asked.solvers() {
        Ok(solvers) => match written {
            Some(written) => recheck(&left, &right, &written, &solvers, &budget),
            None => by_engines((options, pair), &|engine| {
                let how = equiv::Options { relation, engine, solvers: solvers.clone() };
                let compared = compare_with(&left, &right, &how, &budget, &mut |notice| line.show(notice));
                compared.map(|compared| (matches!(compared.comparison, Comparison::Unknown(..)), compared))
            }),
        },
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
    if let (Comparison::Differs(difference), Some(path)) = (comparison, &pair.environment) {
        let owner = comparison::owner(difference, &left, &right);
        if let Some(distinction) = &difference.distinction
            && write_environment(path, &distinction.with.text, &owner.source, format).is_err()
        {
            return Status::Wrong;
        }
    }
    if matches!(comparison, Comparison::Holds) {
        let files = [left.source.name.clone(), right.source.name.clone()];
        let proof = compared.proof.as_deref();
        if certificate::write(pair.certificate.as_deref(), files, proof, &left.source, format).is_err() {
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
        say(&Pair::json(pair.among, seconds, compared));
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

/// Compares by the engine that was asked for. A certificate is made of relations, so these are looked for first if one is wanted.
fn by_engines<T>(
    (options, pair): (&Options, &Pair),
    compare: &dyn Fn(Engine) -> Result<(bool, T), String>,
) -> Result<T, String> {
    let engine = options.engine.engine();
    if pair.certificate.is_some() && engine == Engine::Auto {
        let (undecided, compared) = compare(Engine::Product)?;
        if !undecided {
            return Ok(compared);
        }
    }
    compare(engine).map(|(_, compared)| compared)
}

/// Compares two modules.
fn modules(
    (options, pair): (&Options, &Pair),
    sessions: [&ModuleSession; 2],
    budget: &Budget,
    started: Instant,
) -> Status {
    let (common, format) = (&options.common, options.written.format);
    let line = ProgressLine::new(started, common.quiet);
    let solvers = match options.asked.solvers() {
        Ok(solvers) => solvers,
        Err(why) => {
            let reason = Reason::Solver(agon_solve::Reason::Broken(why));
            let found = library::ModulesCompared {
                comparison: ModuleComparison::Unknown(reason),
                engine: options.engine.engine(),
                proof: None,
                figures: Figures::default(),
            };
            let compared = ModulesCompared { found, up_to: Vec::new() };
            return answered((options, pair), sessions, &compared, started);
        }
    };
    if let Some(path) = &pair.recheck {
        let source = &sessions[0].source;
        let Ok(written) = certificate::read(path, Relation::Equivalence, source, format) else {
            return Status::Wrong;
        };
        let checked = recheck_modules(sessions[0], sessions[1], &written, &solvers, budget);
        line.end();
        return told((options, pair), sessions, checked, started);
    }
    let how = |engine| equiv::Options { relation: Relation::Equivalence, engine, solvers: solvers.clone() };
    // A difference with few objects is soon found, and is one with more objects as well.
    let fewer = sessions[0].with_fewer_objects().zip(sessions[1].with_fewer_objects());
    for (left, right) in fewer {
        let how = how(options.engine.engine());
        let result = compare_modules(&left, &right, &how, budget, &mut |notice| line.show(notice));
        let differ =
            |compared: &ModulesCompared| matches!(compared.found.comparison, ModuleComparison::Differs(_));
        if let Some(compared) = result.ok().filter(differ) {
            line.end();
            return answered((options, pair), [&left, &right], &compared, started);
        }
    }
    let result = by_engines((options, pair), &|engine| {
        let (how, [left, right]) = (how(engine), sessions);
        let compared = compare_modules(left, right, &how, budget, &mut |notice| line.show(notice));
        let undecided =
            |compared: &ModulesCompared| matches!(compared.found.comparison, ModuleComparison::Unknown(_));
        compared.map(|compared| (undecided(&compared), compared))
    });
    line.end();
    told((options, pair), sessions, result, started)
}

/// Prints how two modules compare, or why they cannot be compared.
fn told(
    (options, pair): (&Options, &Pair),
    sessions: [&ModuleSession; 2],
    result: Result<ModulesCompared, String>,
    started: Instant,
) -> Status {
    let format = options.written.format;
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
    answered((options, pair), sessions, &compared, started)
}

/// Prints how two modules compare.
fn answered(
    (options, pair): (&Options, &Pair),
    sessions: [&ModuleSession; 2],
    compared: &ModulesCompared,
    started: Instant,
) -> Status {
    let (common, format) = (&options.common, options.written.format);
    if let (ModuleComparison::Differs(difference), Some(path)) =
        (&compared.found.comparison, &pair.environment)
    {
        let Apart { with, closed, .. } = &difference.apart;
        if write_environment(path, &closed.text, &sessions[*with].source, format).is_err() {
            return Status::Wrong;
        }
    }
    if matches!(compared.found.comparison, ModuleComparison::Holds) {
        let files = sessions.map(|session| session.source.name.clone());
        let proof = compared.found.proof.as_deref();
        let (path, source) = (pair.certificate.as_deref(), &sessions[0].source);
        if certificate::write(path, files, proof, source, format).is_err() {
            return Status::Wrong;
        }
    }
    guard::answers();
    let figures = compared.found.figures;
    let status = match &compared.found.comparison {
        ModuleComparison::Holds => Status::Holds,
        ModuleComparison::Differs(_) => Status::DoesNotHold,
        ModuleComparison::Unknown(reason) => Status::without_verdict(reason),
    };
    let seconds = started.elapsed().as_secs_f64();
    if format == Format::Json {
        let compared = comparison::of_modules(compared, sessions);
        say(&Pair::json(pair.among, Some(seconds), compared));
        return status;
    }
    say(&comparison::text_of_modules(compared, sessions, common.verbose));
    if !common.quiet {
        let (pair, edge, whose) = match compared.found.engine {
            Engine::Product => ("position", "question", " asked of the solver"),
            _ => ("pair", "transition", ""),
        };
        let (pairs, edges) = (counted(figures.members as u64, pair), counted(figures.edges, edge));
        remark(&format!("{pairs}, {edges}{whose}, {seconds:.3} s\n"));
    }
    status
}
