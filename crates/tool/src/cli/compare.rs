//! `agon equiv` and `agon approx`: two programs against the same environments.

mod names;
mod pairs;

use std::path::PathBuf;
use std::time::Instant;

use agon_base::budget::Budget;
use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::id::size;
use agon_c::options::Evaluation;
use agon_check::equiv::{self, ATTEMPTS, Compared, Comparison, Engine, Plays, Relation, Side};
use agon_check::library::{self, Comparison as ModuleComparison};
use agon_check::modules::tabulate::Figures;
use agon_check::search::Progress;
use agon_check::verdict::Reason;
use agon_witness::library::apart::Apart;
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::assuming::Assuming;
use super::cache::{self, Caching, Key};
use super::check::reported::{Report, Reported};
use super::check::write_environment;
use super::input::How;
use super::limits::{ProgressLine, budget};
use super::output::{counted, recorded, remark};
use super::solvers::Asked;
use super::watch::Watching;
use super::{Common, Status, c, certificate, guard, input};
use crate::render::module::assumed;
use crate::render::report::Entry;
use crate::render::{answer, comparison};
use crate::session::module::{
    ModuleSession, ModulesCompared, compare as compare_modules, recheck as recheck_modules,
};
use crate::session::{Opened, compare_with, recheck};
use pairs::{Pair, Told};

/// The functions that end a process as a failing assertion does.
const ABORTS: [&str; 3] = ["abort", "__builtin_abort", "__builtin_trap"];

#[derive(Args, Clone, Debug)]
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
    /// Compare modules and C files by complete plays: those in which every call is answered, or which the module ends. By
    /// default all plays count. Other programs are always compared by complete plays.
    #[arg(long)]
    complete: bool,
    /// The C files of a folder are one program.
    #[arg(long)]
    link: bool,
    /// Compare modules by what these exports do; the environment does not call the others.
    #[arg(long, value_name = "EXPORT", value_delimiter = ',')]
    only: Vec<String>,
    /// What the first program calls `OLD`, the second calls `NEW`.
    #[arg(long, value_name = "OLD=NEW", value_parser = names::rename, value_delimiter = ',')]
    rename: Vec<(String, String)>,
    /// Stop after N attempts to prove that the programs are equal.
    #[arg(long, value_name = "N", default_value_t = ATTEMPTS as u64, value_parser = clap::value_parser!(u64).range(1..))]
    iterations: u64,
    #[command(flatten)]
    assuming: Assuming,
    #[command(flatten)]
    asked: Asked,
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
    if let Some(status) = options.watching.run(&[&options.left, &options.right], options.c.folders()) {
        return status;
    }
    let folders = options.left.is_dir() && options.right.is_dir();
    let several = folders && !options.link;
    let report = match Report::new(&options.reported, several) {
        Ok(report) => report,
        Err(why) => {
            remark(&format!("error: {why}\n"));
            return Status::Wrong;
        }
    };
    let status = match (several, folders) {
        (true, _) => pairs::folders(options, &report, relation),
        (false, true) => match Pair::linked(options) {
            Ok(pair) => compare_or_find(options, (&pair, &report), relation),
            Err(why) => {
                remark(&format!("error: {why}\n"));
                Status::Wrong
            }
        },
        (false, false) if options.link => {
            remark("error: `--link` applies to two folders\n");
            Status::Wrong
        }
        (false, false) => compare_or_find(options, (&Pair::of(options), &report), relation),
    };
    guard::answers();
    report.finish();
    options.reported.status(status)
}

impl Options {
    /// The plays that count, of modules.
    fn plays(&self) -> Plays {
        if self.complete { Plays::Complete } else { Plays::All }
    }

    /// What the verdict about a pair depends on. Nothing if more is asked for than a verdict.
    fn key(&self, pair: &Pair, relation: Relation) -> Option<Key> {
        if pair.environment.is_some() || pair.certificate.is_some() || pair.recheck.is_some() {
            return None;
        }
        let mut plain = self.clone();
        (plain.left, plain.right, plain.caching) = (PathBuf::new(), PathBuf::new(), Caching::default());
        plain.watching = Watching::default();
        plain.reported.forget_destination();
        (plain.common.time_limit, plain.common.memory_limit, plain.common.threads) = (None, None, None);
        let mut key = Key::new(&format!("{relation:?}"), &format!("{plain:?}"));
        let given = self.c.settings(&self.common, Evaluation::CallsFirst, None).preprocessing;
        let mut renamed = given.clone();
        renamed.defined.extend(self.rename.iter().map(|(old, new)| format!("{old}={new}")));
        key.program(&pair.files[0], &renamed, &self.common)?;
        key.program(&pair.files[1], &given, &self.common)?;
        self.asked.external().for_each(|solver| key.solver(solver));
        Some(key)
    }
}

/// What is kept of a comparison.
#[derive(Serialize, Deserialize)]
struct Kept {
    status: u8,
    said: Told,
    /// What was written to standard error.
    remarks: String,
}

/// Compares two programs, unless the verdict is known.
fn compare_or_find(options: &Options, (pair, report): (&Pair, &Report), relation: Relation) -> Status {
    let Some(place) = options.caching.place(&options.common, || options.key(pair, relation)) else {
        return run_pair(options, (pair, report), relation);
    };
    if let Some(Kept { status, said, remarks }) = place.find()
        && let Some(status) = cache::status(status)
    {
        pair.repeat((report, options.reported.format), said);
        remark(&remarks);
        return status;
    }
    let (status, remarks) = recorded(|| run_pair(options, (pair, report), relation));
    if let Some(said) = pair.told() {
        place.keep(status, &Kept { status: status.code(), said, remarks });
    }
    status
}

/// Compares two programs.
fn run_pair(options: &Options, (pair, report): (&Pair, &Report), relation: Relation) -> Status {
    let (common, format) = (&options.common, options.reported.errors());
    let started = Instant::now();
    let budget = budget(common, started);
    let (last, all, as_data) = (pair.clone(), report.clone(), options.reported.format);
    guard::last_words(options.reported.status(Status::Undecided), move |limit| {
        let compared = comparison::unanswered(last.names(), answer::limit(limit));
        last.answer((&all, as_data), None, compared, || format!("UNKNOWN  {}\n", answer::limit(limit)));
        all.finish();
    });
    let mut settings = options.c.settings(common, Evaluation::CallsFirst, None);
    // A process that aborts ends as one does whose assertion fails, so no environment tells the two apart.
    settings.options.fails.extend(ABORTS.map(String::from));
    let how = How { common, c: &settings, budget: &budget, format };
    let left = input::open_renamed(&pair.files[0], &options.rename, how);
    let right = input::open_any(&pair.files[1], how);
    let (mut left, mut right) = match (left, right) {
        (Ok(left), Ok(right)) => (left, right),
        (left, right) => {
            let errors = [left.err(), right.err()].into_iter().flatten();
            errors.filter_map(|none| none.errors).for_each(|errors| report.add(Entry::Errors(errors)));
            return Status::Wrong;
        }
    };
    if let Err(why) = names::keep(&options.only, [&mut left, &mut right]) {
        remark(&format!("error: {why}\n"));
        return Status::Wrong;
    }
    match options.assuming.read(&options.c, &[&left, &right]) {
        Ok(given) => [&mut left, &mut right].into_iter().for_each(|opened| opened.assume(&given)),
        Err((source, list)) => {
            input::print_diagnostics(&source, &list, format);
            return Status::Wrong;
        }
    }
    let (left, right) = match (left, right) {
        (Opened::Term(left), Opened::Term(right)) => (left, right),
        (Opened::Module(left), Opened::Module(right)) if relation == Relation::Equivalence => {
            return modules((options, pair, report), [&left, &right], &budget, started);
        }
        (left, right) => {
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
    };
    let line = ProgressLine::new(started, common.quiet);
    let written = match &pair.recheck {
        None => None,
        Some(path) => match certificate::read(path, (relation, Plays::All), &left.source, format) {
            Ok(written) => Some(written),
            Err(()) => return Status::Wrong,
        },
    };
    // A missing solver is an error at once, whether or not it will be needed.
    let result = match options.asked.solvers() {
        Ok(solvers) => match written {
            Some(written) => recheck(&left, &right, &written, &solvers, &budget),
            None => by_engines((options, pair), &|engine| {
                let attempts = size(options.iterations);
                let plays = options.plays();
                let how = equiv::Options { relation, plays, engine, solvers: solvers.clone(), attempts };
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
    let seconds = Some(started.elapsed().as_secs_f64());
    let as_data = options.reported.as_data();
    let stores =
        (as_data || common.verbose).then(|| comparison::stores(comparison, &left, &right, &budget)).flatten();
    let data = comparison::data(&compared, relation, &left, &right, stores.as_deref());
    pair.answer((report, options.reported.format), seconds, data, || {
        let text = comparison::text(&compared, relation, &left, &right, common.verbose, stores.as_deref());
        text + &assumed(left.assumed.clone())
    });
    if !common.quiet && !as_data {
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
    (options, pair, report): (&Options, &Pair, &Report),
    sessions: [&ModuleSession; 2],
    budget: &Budget,
    started: Instant,
) -> Status {
    let (common, format) = (&options.common, options.reported.errors());
    let line = ProgressLine::new(started, common.quiet);
    let solvers = match options.asked.solvers() {
        Ok(solvers) => solvers,
        Err(why) => {
            let reason = Reason::Solver(agon_solve::Reason::Broken(why));
            let found = library::ModulesCompared {
                comparison: ModuleComparison::Unknown(reason),
                plays: options.plays(),
                engine: options.engine.engine(),
                proof: None,
                alike: false,
                figures: Figures::default(),
            };
            let compared = ModulesCompared { found, up_to: Vec::new() };
            return answered((options, pair, report), sessions, &compared, started);
        }
    };
    if let Some(path) = &pair.recheck {
        let source = &sessions[0].source;
        let Ok(written) = certificate::read(path, (Relation::Equivalence, options.plays()), source, format)
        else {
            return Status::Wrong;
        };
        let checked = recheck_modules(sessions[0], sessions[1], &written, &solvers, budget);
        line.end();
        return told((options, pair, report), sessions, checked, started);
    }
    let how = |engine| equiv::Options {
        relation: Relation::Equivalence,
        plays: options.plays(),
        engine,
        solvers: solvers.clone(),
        attempts: size(options.iterations),
    };
    // A difference with few objects is soon found, and is one with more objects as well.
    let fewer = sessions[0].with_fewer_objects().zip(sessions[1].with_fewer_objects());
    for (left, right) in fewer {
        let how = how(options.engine.engine());
        let result = compare_modules(&left, &right, &how, budget, &mut |notice| line.show(notice));
        let differ =
            |compared: &ModulesCompared| matches!(compared.found.comparison, ModuleComparison::Differs(_));
        if let Some(compared) = result.ok().filter(differ) {
            line.end();
            return answered((options, pair, report), [&left, &right], &compared, started);
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
    told((options, pair, report), sessions, result, started)
}

/// Prints how two modules compare, or why they cannot be compared.
fn told(
    (options, pair, report): (&Options, &Pair, &Report),
    sessions: [&ModuleSession; 2],
    result: Result<ModulesCompared, String>,
    started: Instant,
) -> Status {
    let format = options.reported.errors();
    let [left, right] = sessions.map(|session| &session.source.name);
    let compared = match result {
        Ok(result) => result,
        Err(why) => {
            let message = format!("{left} and {right} cannot be compared: {why}");
            let mut diagnostic = Diagnostic::general(Code::Incomparable, message);
            diagnostic.help = names::proposed(sessions.map(ModuleSession::module));
            let errors = input::print_diagnostics(&sessions[0].source, &[diagnostic], format);
            report.add(Entry::Errors(errors));
            return Status::Wrong;
        }
    };
    answered((options, pair, report), sessions, &compared, started)
}

/// Prints how two modules compare.
fn answered(
    (options, pair, report): (&Options, &Pair, &Report),
    sessions: [&ModuleSession; 2],
    compared: &ModulesCompared,
    started: Instant,
) -> Status {
    let (common, format) = (&options.common, options.reported.errors());
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
    let data = comparison::of_modules(compared, sessions);
    pair.answer((report, options.reported.format), Some(seconds), data, || {
        let text = comparison::text_of_modules(compared, sessions, common.verbose);
        text + &assumed(sessions[0].given())
    });
    if !common.quiet && !options.reported.as_data() {
        let (pair, edge, whose) = match compared.found.engine {
            Engine::Product => ("position", "question", " asked of the solver"),
            _ => ("pair", "transition", ""),
        };
        let (pairs, edges) = (counted(figures.members as u64, pair), counted(figures.edges, edge));
        remark(&format!("{pairs}, {edges}{whose}, {seconds:.3} s\n"));
    }
    status
}
