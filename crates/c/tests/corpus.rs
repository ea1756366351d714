//! The C files of the corpus: gcc confirms what they claim, and the references say it as well.
//!
//! ```text
//! cargo test -p agon-c --test corpus p03          one file
//! cargo test -p agon-c --test corpus gcc::        what gcc confirms
//! ```
//!
//! Without gcc the tests are ignored.

mod claims;
mod confirm;
mod gcc;
mod sources;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use agon_base::diagnostic::Diagnostic;
use agon_base::int::Int;
use agon_base::source::Source;
use agon_c::claims::{Case, Expected};
use agon_c::options::{Evaluation, Options, PrivateData};
use agon_c::read::read;
use agon_c::types::DataModel;
use agon_core::module::Module;
use agon_core::module::eval::replay;
use agon_core::module::inputs::Inputs;
use agon_core::module::play::Play;
use agon_core::module::stacks::{Bounds, Found, search};
use agon_core::module::tables::{Answer, tabulate};
use agon_core::module::threads::{self, offers::Giving};
use claims::{File, corpus};
use confirm::Ended;
use libtest_mimic::{Arguments, Failed, Trial};

/// At most so many positions are visited for one module.
const MOST: usize = 400_000;
/// The tables have at most so many members.
const MEMBERS: usize = 2_000;
const STEPS: u64 = 100_000;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let missing = !gcc::installed() && std::env::var_os("AGON_INSIST").is_none();
    let mut trials = Vec::new();
    for file in corpus() {
        for case in file.claims.cases.clone() {
            let name: String = case.options.iter().map(|option| format!("::{option}")).collect();
            let name = format!(
                "{}{name}{}",
                file.name,
                case.target.iter().map(|t| format!("::{t}")).collect::<String>()
            );
            let play = file.claims.cases.iter().find_map(|case| match &case.verdict {
                Expected::Unsafe(Some(play)) => Some(play.clone()),
                _ => None,
            });
            if let Some(play) = play.filter(|_| confirms(&file, &case)) {
                let (file, case) = (file.clone(), case.clone());
                let trial = Trial::test(format!("gcc::{name}"), move || confirmed(&file, &case, &play));
                trials.push(trial.with_ignored_flag(missing));
            }
            let skips = file.claims.skips("references");
            let file = file.clone();
            let trial = Trial::test(format!("references::{name}"), move || as_claimed(&file, &case));
            trials.push(trial.with_ignored_flag(missing || skips));
        }
    }
    trials.push(Trial::test("twins", twins));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Every module in `.ia` has a twin in C, and every twin is there.
fn twins() -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut modules = BTreeSet::new();
    for folder in ["modules", "threads"] {
        for entry in std::fs::read_dir(root.join(folder))? {
            modules.insert(format!("{folder}/{}", entry?.file_name().to_string_lossy()));
        }
    }
    let twins = corpus().into_iter().flat_map(|file| file.claims.twins);
    let named: BTreeSet<String> = twins.map(|(_, twin)| twin).collect();
    match modules.symmetric_difference(&named).collect::<Vec<_>>().as_slice() {
        [] => Ok(()),
        left => Err(format!("without a twin: {left:?}").into()),
    }
}

/// Whether gcc can confirm a claim.
fn confirms(file: &File, case: &Case) -> bool {
    let preprocessor = case.options.iter().all(|option| option.starts_with("-D"));
    let known = matches!(case.verdict, Expected::Safe(_) | Expected::Unsafe(Some(_)));
    preprocessor && known && case.target.is_none() && !file.claims.skips("gcc")
}

/// A program with the claimed play fails as claimed; where the file claims to be safe, the same program ends.
fn confirmed(file: &File, case: &Case, play: &str) -> Result<(), Failed> {
    let text = confirm::environment(file, play);
    let expected = if let Expected::Safe(_) = case.verdict { Ended::Normally } else { Ended::Failed };
    match confirm::run(&text, &case.options) {
        ended if ended == expected => Ok(()),
        ended => Err(format!("{ended:?}\n{text}").into()),
    }
}

/// The options of a case, as the reader takes them.
fn options(words: &[String]) -> Result<Options, String> {
    let library = words.iter().any(|word| word == "--library");
    let mut options = Options { library, ..Options::default() };
    let mut words = words.iter().filter(|word| !word.starts_with("-D") && *word != "--library");
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("`{word}` has no value"))?;
        set(&mut options, word, value).ok_or_else(|| format!("`{word} {value}` is not known"))?;
    }
    Ok(options)
}

/// Sets an option.
fn set(options: &mut Options, word: &str, value: &str) -> Option<()> {
    let list = |text: &str| text.split(',').map(String::from).collect::<Vec<_>>();
    match (word, value) {
        ("--check", "overflow") => options.checks.overflow = true,
        ("--check", "race") => options.checks.race = true,
        ("--check", "unsigned-overflow") => options.checks.unsigned_overflow = true,
        ("--leaf", _) => options.leaf.push(value.into()),
        ("--fails", _) => options.fails.push(value.into()),
        ("--entry", _) => options.entry.push(value.into()),
        ("--private", _) => options.private.push(value.into()),
        ("--private-data", "all") => options.private_data = PrivateData::All,
        ("--private-data", _) => options.private_data = PrivateData::Named(list(value)),
        ("--evaluation", "left") => options.evaluation = Evaluation::Left,
        ("--evaluation", "calls-first") => options.evaluation = Evaluation::CallsFirst,
        ("--data-model", "ilp32") => options.data_model = DataModel::Ilp32,
        ("--exposed", "volatile") => options.exposed = true,
        ("--threads-of-environment", _) => options.threads = value.parse().ok()?,
        ("--may-call", _) => {
            let (import, callees) = value.split_once('=')?;
            options.may_call.push((import.into(), list(callees)));
        }
        ("--returns", _) => {
            let (import, range) = value.split_once('=')?;
            let (low, high) = range.split_once("..")?;
            options.returns.push((import.into(), Int::parse(low)?, Int::parse(high)?));
        }
        _ => return None,
    }
    Some(())
}

/// Diagnostics with their places.
fn shown(source: &Source, diagnostics: &[Diagnostic]) -> Vec<String> {
    let place = |found: &Diagnostic| found.primary.as_ref().map(|(span, _)| source.place(span.start));
    diagnostics.iter().map(|found| format!("{:?} {}", place(found), found.message)).collect()
}

/// What the references say about a file is what it claims.
fn as_claimed(file: &File, case: &Case) -> Result<(), Failed> {
    let folder = file.path.parent().expect("a file is in a folder");
    let files = match file.claims.files.as_slice() {
        [] => vec![file.path.clone()],
        files => files.iter().map(|name| folder.join(name)).collect(),
    };
    let units: Vec<_> = files.iter().map(|path| sources::prepared(path, &case.options)).collect();
    let original = |name: &str| std::fs::read_to_string(name).ok();
    let options = options(&case.options)?;
    match (read(&units, &original, &options), &case.verdict) {
        (Err((_, diagnostics)), Expected::Refused(code)) => {
            let codes: Vec<String> = diagnostics.iter().map(|found| found.code.to_string()).collect();
            if codes.contains(code) { Ok(()) } else { Err(format!("{codes:?}").into()) }
        }
        (Err((source, diagnostics)), _) => {
            Err(format!("it is refused: {:#?}", shown(&source, &diagnostics)).into())
        }
        (Ok(_), Expected::Refused(_)) => Err("it is read".into()),
        (Ok(reading), verdict) => {
            reading.module.validate().map_err(|why| format!("{why:?}"))?;
            if reading.module.threads > 1 || reading.module.begins_threads() {
                return Ok(threads_say(&reading.module, case)?);
            }
            let inputs = file.claims.inputs(&case.options).ok_or("it says no inputs")?;
            let moves = file.claims.moves.filter(|_| case.options.is_empty());
            Ok(says(&reading.module, inputs, verdict, moves)?)
        }
    }
}

/// What the reference for threads says about failures is what is claimed.
fn threads_say(module: &Module, case: &Case) -> Result<(), String> {
    if case.target.is_some() {
        return Ok(());
    }
    let nesting = if module.begins_threads() { 1 } else { 2 };
    let giving = Giving { most: 4, nesting, activations: 5 };
    let threads = module.threads as usize;
    let found = threads::search::search(&module.with_single_accesses(), threads, giving, MOST);
    let found = found.ok_or("there are too many configurations")?;
    match (&found.failure, &case.verdict) {
        (None, Expected::Safe(_) | Expected::Unknown) | (Some(_), Expected::Unsafe(_)) => Ok(()),
        (failure, verdict) => Err(format!("{failure:?}, expected {verdict:?}")),
    }
}

/// The bounds of a search.
fn bounds(text: &str) -> Result<Bounds, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [range, "functions", functions, "nesting", nesting, rest @ ..] = words.as_slice() else {
        return Err(format!("`{text}` says no inputs"));
    };
    let number = |text: &str| text.parse::<i64>().map_err(|_| format!("`{text}` is no number"));
    let (from, to) = range.split_once("..").ok_or("no range")?;
    let inputs = Inputs::range(number(from)?, number(to)?, number(functions)? as usize);
    let activations = if let ["activations", most] = rest { number(most)? as usize } else { 64 };
    let nesting = number(nesting)? as usize;
    Ok(Bounds { inputs, nesting, activations, steps: STEPS, forget_dead: false })
}

/// A play without the choices of an order of evaluation.
fn without_choices(play: &str) -> String {
    let mut words = play.split(" · ");
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        match word.starts_with("order.") || word.starts_with("reuse.") {
            true => _ = words.next(),
            false => kept.push(word),
        }
    }
    kept.join(" · ")
}

fn says(module: &Module, inputs: &str, verdict: &Expected, claimed: Option<usize>) -> Result<(), String> {
    let bounds = bounds(inputs)?;
    let Found { failure, cut, .. } = search(module, &bounds, MOST).ok_or("there are too many positions")?;
    if cut != inputs.contains("activations") {
        return Err(format!("something is cut off: {cut}"));
    }
    let answer = tabulate(module, &bounds.inputs, MEMBERS, STEPS);
    let Some((play, _)) = failure else {
        return match (verdict, answer) {
            (Expected::Safe(_) | Expected::Unknown, Answer::Safe | Answer::Unknown) => Ok(()),
            (verdict, answer) => Err(format!("no play fails, tables {answer:?}, expected {verdict:?}")),
        };
    };
    let shown = play.show(module);
    let visible = without_choices(&shown);
    let expected = match verdict {
        Expected::Unsafe(Some(play)) => *play == visible,
        Expected::Unsafe(None) => claimed.is_none_or(|moves| moves == visible.split(" · ").count() / 2),
        _ => false,
    };
    if !expected {
        return Err(format!("`{shown}`, expected {verdict:?}, {claimed:?} moves"));
    }
    if Play::parse(module, &shown).as_ref() != Ok(&play) {
        return Err(format!("`{shown}` is read as another play"));
    }
    replay(module, &play, STEPS).map_err(|(at, why)| format!("`{shown}` is refused at {at}: {why}"))?;
    match answer {
        Answer::Unknown => Ok(()),
        Answer::Fails(length) if length == play.0.len() => Ok(()),
        answer => Err(format!("`{shown}`, but the tables say {answer:?}")),
    }
}
