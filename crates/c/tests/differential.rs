//! Random C programs, and every operator on every pair of types: our interpreter does what gcc's programs do.
//!
//! ```text
//! cargo test -p agon-c --test differential
//! cargo test --release -p agon-c --test differential -- --ignored long
//! ```
//!
//! The reference is gcc with its sanitizers, without optimisation and with it. Without gcc the tests are ignored.

mod batches;
mod gcc;
mod memory;
mod ours;
mod random;
mod tables;

use std::process::ExitCode;

use agon_base::int::Int;
use agon_c::options::{Checks, Options};
use agon_c::read::{Unit, read};
use agon_core::module::eval::{Client, Exit, Library};
use agon_core::module::{Function, Module};
use batches::{Build, Ran};
use libtest_mimic::{Arguments, Failed, Trial};
use random::Program;
use random::types::{Type, int, raw};

/// How many programs are compiled at once.
const BATCH: u64 = 50;
/// How many programs a test of the long run tries.
const LONG_BATCH: usize = 1_000;
/// How many programs the suite tries, and how many the long run.
const SHORT: u64 = 200;
const LONG: u64 = 20_000;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let missing = !gcc::installed() && std::env::var_os("AGON_INSIST").is_none();
    let mut trials = Vec::new();
    let kinds =
        [("programs", batch as fn(u64) -> Result<(), Failed>), ("orders", orders), ("pointers", pointers)];
    for (name, run) in kinds {
        for first in (0..SHORT).step_by(BATCH as usize) {
            let trial = Trial::test(format!("{name}::{first}"), move || run(first));
            trials.push(trial.with_ignored_flag(missing));
        }
        for first in (SHORT..LONG).step_by(LONG_BATCH) {
            let all = (first..LONG.min(first + LONG_BATCH as u64)).step_by(BATCH as usize);
            let trial = Trial::test(format!("long-{name}::{first}"), move || each(all, run));
            trials.push(trial.with_ignored_flag(true));
        }
    }
    for (name, body) in tables::BODIES {
        let trial = Trial::test(format!("operators::{name}"), move || operators(name, body));
        trials.push(trial.with_ignored_flag(missing));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Batches one after the other; what is wrong with all of them.
fn each(firsts: impl Iterator<Item = u64>, run: fn(u64) -> Result<(), Failed>) -> Result<(), Failed> {
    let failed = |first| run(first).err().and_then(|failed| failed.message().map(String::from));
    let wrong: Vec<String> = firsts.filter_map(failed).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// Whether signed overflow fails.
fn checking(overflow: bool) -> Options {
    Options { checks: Checks { overflow, ..Checks::default() }, ..Options::default() }
}

/// What is different, if anything is.
fn difference(ours: &Ran, theirs: &Ran) -> Option<String> {
    let at = ours.moves.iter().zip(&theirs.moves).position(|(ours, theirs)| ours != theirs);
    if let Some(at) = at {
        return Some(format!("move {at}: `{}`, but gcc's `{}`", ours.moves[at], theirs.moves[at]));
    }
    let same = match (&ours.failure, &theirs.failure) {
        (None, None) => true,
        (Some((line, kind)), Some((place, message))) => {
            (place.is_none() || line == place) && ours::is_about(message, kind)
        }
        _ => false,
    };
    let same = same && ours.moves.len() == theirs.moves.len();
    (!same).then(|| format!("{:?}, but gcc's {:?}", ours.failure, theirs.failure))
}

/// A batch of random programs.
fn batch(first: u64) -> Result<(), Failed> {
    let programs: Vec<Program> = (first..first + BATCH).map(Program::new).collect();
    let mut wrong = Vec::new();
    let mut compare = |programs: &[Program], build: Build| {
        for (program, theirs) in programs.iter().zip(batches::run(programs, build)) {
            let ours = ours::run(program, &checking(build == Build::Checked));
            // Optimised programs do not always notice that they fail.
            if build == Build::Optimised && ours.failure.is_some() {
                continue;
            }
            if let Some(what) = difference(&ours, &theirs) {
                wrong.push(format!("program {}, {build:?}: {what}\n{}", program.tag, program.text));
            }
        }
    };
    compare(&programs, Build::Plain);
    compare(&programs, Build::Optimised);
    let wide: Vec<Program> = programs.into_iter().filter(|program| program.wide).collect();
    compare(&wide, Build::Checked);
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// A batch of programs in which the order of evaluation matters: what gcc's do is among what ours may do.
fn orders(first: u64) -> Result<(), Failed> {
    let programs: Vec<Program> = (first..first + BATCH).map(Program::tangled).collect();
    let theirs = batches::run(&programs, Build::Plain);
    let (mut wrong, mut refused, mut open) = (Vec::new(), 0, 0);
    for (program, theirs) in programs.iter().zip(theirs) {
        let unit = Unit { name: format!("p{}.c", program.tag), text: program.text.clone() };
        let Ok(reading) = read(&[unit], &|_| Some(program.text.clone()), &Options::default()) else {
            refused += 1;
            continue;
        };
        let Some(ours) = ours::all_runs(program, &reading.module, 4_000) else { continue };
        open += usize::from(ours.iter().any(|run| *run != ours[0]));
        if !ours.iter().any(|ours| difference(ours, &theirs).is_none()) {
            let (tag, ways) = (program.tag, ours.len());
            wrong.push(format!("program {tag}: none of {ways}: {theirs:?}\n{}", program.text));
        }
    }
    println!("{refused} refused, {open} with several results");
    if refused > programs.len() / 2 || open < programs.len() / 10 {
        wrong.push(format!("{refused} of {} are refused, {open} have several results", programs.len()));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// A batch of programs with pointers.
fn pointers(first: u64) -> Result<(), Failed> {
    let programs: Vec<Program> = (first..first + BATCH).map(Program::pointed).collect();
    let (mut wrong, tally) = memory::compare(&programs);
    println!("{tally:?}");
    if tally.clean < programs.len() / 4 || tally.failed < programs.len() / 25 {
        wrong.push(format!("too few programs of a kind: {tally:?}"));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// An environment that is never called.
struct Nobody;

impl Client for Nobody {
    fn called(&mut self, _: &mut Library<'_>, _: Function, _: &[Int]) -> Result<Option<Int>, Exit> {
        Err(Exit::Client)
    }
}

/// What our functions give for all pairs of limits; nothing where they fail.
fn table(module: &Module) -> Vec<Vec<Option<u64>>> {
    let row = |(n, (a, b)): (usize, (Type, Type))| {
        let function = ours::procedure(module, &format!("f{n}"));
        let mut library = Library::new(module, u64::MAX);
        let mut row = Vec::new();
        for (x, y) in a.limits().into_iter().flat_map(|x| b.limits().into_iter().map(move |y| (x, y))) {
            row.push(match library.call(&mut Nobody, function, &[int(x), int(y)]) {
                Ok(value) => value.as_ref().map(raw),
                Err(Exit::Fails(_)) => None,
                Err(other) => panic!("{other:?}"),
            });
        }
        row
    };
    tables::pairs().into_iter().enumerate().map(row).collect()
}

/// An operator on all pairs of types, and on constants.
fn operators(name: &str, body: &str) -> Result<(), Failed> {
    let text = tables::functions(body);
    let mut wrong = Vec::new();
    let mut values = Vec::new();
    for (overflow, flags) in tables::BUILDS {
        let mut theirs = tables::run(&text, flags);
        if let Some((_, operation)) =
            tables::NARROWED.iter().find(|(narrowed, _)| overflow && *narrowed == name)
        {
            let exact = tables::run(&tables::functions(operation), flags);
            for (value, exact) in theirs.iter_mut().flatten().zip(exact.iter().flatten()) {
                *value = value.filter(|_| exact.is_some());
            }
        }
        let options = checking(overflow);
        let ours = table(&ours::module(name, &text, &options).module);
        for (((a, b), ours), theirs) in tables::pairs().into_iter().zip(&ours).zip(&theirs) {
            let limits = a.limits().into_iter().flat_map(|x| b.limits().into_iter().map(move |y| (x, y)));
            for (((x, y), ours), theirs) in
                limits.zip(ours).zip(theirs).filter(|((_, ours), theirs)| ours != theirs)
            {
                let (a, b) = (a.name, b.name);
                wrong.push(format!("({a}){x}, ({b}){y}: {ours:?}, gcc's {theirs:?} {flags:?}"));
            }
        }
        values = theirs;
    }
    if let Some(text) = tables::constants(name, body, &values) {
        let reading = ours::module(name, &text, &Options::default());
        let mut library = Library::new(&reading.module, u64::MAX);
        for (n, row) in values.iter().enumerate() {
            let function = ours::procedure(&reading.module, &format!("c{n}"));
            for (i, theirs) in row.iter().flatten().enumerate() {
                let ours = library.call(&mut Nobody, function, &[Int::from(i as u64)]);
                if ours != Ok(Some(Int::from(*theirs))) {
                    wrong.push(format!("constant {i} of c{n}: {ours:?}, gcc's {theirs}"));
                }
            }
        }
    }
    let shown: Vec<&str> = wrong.iter().take(40).map(String::as_str).collect();
    match wrong.len() {
        0 => Ok(()),
        n => Err(format!("`{body}`: {n} differences\n{}", shown.join("\n")).into()),
    }
}
