//! Random C programs, and every operator on every pair of types: our interpreter does what gcc's programs do.
//!
//! ```text
//! cargo test -p agon-c --test differential
//! cargo test -p agon-c --test differential -- --ignored long                                # 20,000 programs of each kind
//! AGON_SEEDS=4000..6000 cargo test -p agon-c --test differential -- --ignored long-pointers   # some of them
//! AGON_SEEDS=4711..4712 cargo test -p agon-c --test differential -- --ignored long-pointers   # one, with its text
//! ```
//!
//! The reference is gcc with its sanitizers, without optimisation and with it. Without gcc the tests are ignored.

mod batches;
mod gcc;
mod memory;
mod ours;
mod random;
mod tables;
mod tally;

use std::ops::Range;
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
use tally::Tally;

/// How many programs are compiled at once.
const BATCH: u64 = 50;
/// How many programs a test of the long run tries.
const LONG_BATCH: usize = 1_000;
/// How many programs the suite tries, and how many the long run.
const SHORT: u64 = 100;
const LONG: u64 = 20_000;

/// Compares programs; gives what is different, and what to say about all of them.
type Compare = fn(&[Program]) -> (Vec<String>, Tally);

/// A kind of programs: its name, the program of a seed, and how it is compared.
type Sort = (&'static str, fn(u64) -> Program, Compare);

const SORTS: [Sort; 3] = [
    ("programs", Program::new, numbers),
    ("orders", Program::tangled, orders),
    ("pointers", Program::pointed, memory::compare),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let missing = !gcc::installed() && std::env::var_os("AGON_INSIST").is_none();
    let seeds = match std::env::var("AGON_SEEDS") {
        Ok(text) => range(&text).unwrap_or_else(|| panic!("AGON_SEEDS is `{text}`, and not like `200..400`")),
        Err(_) => 0..LONG,
    };
    let mut trials = Vec::new();
    for sort in SORTS {
        let name = sort.0;
        for first in (0..SHORT).step_by(BATCH as usize) {
            let trial = Trial::test(format!("{name}::{first}"), move || run(sort, first..first + BATCH));
            trials.push(trial.with_ignored_flag(missing));
        }
        for first in seeds.clone().step_by(LONG_BATCH) {
            let piece = first..seeds.end.min(first + LONG_BATCH as u64);
            let trial = Trial::test(format!("long-{name}::{first}"), move || run(sort, piece));
            trials.push(trial.with_ignored_flag(true));
        }
    }
    for (name, body) in tables::BODIES {
        let trial = Trial::test(format!("operators::{name}"), move || operators(name, body));
        trials.push(trial.with_ignored_flag(missing));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A range of numbers.
fn range(text: &str) -> Option<Range<u64>> {
    let (first, end) = text.split_once("..")?;
    Some(first.parse().ok()?..end.parse().ok()?)
}

/// Compares the programs of seeds, a batch at a time; what is different in all of them.
fn run((name, program, compare): Sort, seeds: Range<u64>) -> Result<(), Failed> {
    let (mut wrong, mut all) = (Vec::new(), Tally::default());
    for first in seeds.clone().step_by(BATCH as usize) {
        let end = seeds.end.min(first + BATCH);
        let programs: Vec<Program> = (first..end).map(program).collect();
        if seeds.end - seeds.start == 1 {
            println!("{}", programs[0].text);
        }
        let (found, tally) = compare(&programs);
        println!("{name} {first}..{end}: {tally}, {} different", found.len());
        all = all + tally;
        wrong.extend(found);
    }
    let count = usize::try_from(seeds.end - seeds.start).expect("it is small");
    if count >= BATCH as usize && !all.is_typical() {
        wrong.push(format!("too few programs of a kind: {all}"));
    }
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

/// Random programs: their numbers, and where they fail.
///
/// All are built such that overflow fails. If nothing fails there, nothing overflows: wrapping changes nothing, and the optimised build is
/// compared. The build that wraps without optimisation is for programs that fail in some way, with or without wrapping.
fn numbers(programs: &[Program]) -> (Vec<String>, Tally) {
    let ours = |overflow| -> Vec<Ran> {
        programs.iter().map(|program| ours::run(program, &checking(overflow))).collect()
    };
    let (wraps, checks) = (ours(false), ours(true));
    let all: Vec<usize> = (0..programs.len()).collect();
    let built = |build, chosen: &[usize]| -> Vec<(usize, Ran)> {
        let chosen_programs: Vec<&Program> = chosen.iter().map(|n| &programs[*n]).collect();
        chosen.iter().copied().zip(batches::run(&chosen_programs, build)).collect()
    };
    let checked = built(Build::Checked, &all);
    let fails = |n: &usize| {
        let runs = [&wraps[*n], &checks[*n], &checked[*n].1];
        runs.into_iter().any(|run| run.failure.is_some())
    };
    let plain = built(Build::Plain, &all.iter().copied().filter(fails).collect::<Vec<_>>());
    // Optimised programs do not always notice that they fail.
    let ends = |n: &usize| wraps[*n].failure.is_none();
    let optimised = built(Build::Optimised, &all.iter().copied().filter(ends).collect::<Vec<_>>());
    let mut wrong = Vec::new();
    let (mut different, mut left) = (vec![false; programs.len()], vec![false; programs.len()]);
    for (build, ours, theirs) in [
        (Build::Checked, &checks, checked),
        (Build::Plain, &wraps, plain),
        (Build::Optimised, &wraps, optimised),
    ] {
        for (n, theirs) in theirs {
            if theirs.is_slow() {
                left[n] = true;
            } else if let Some(what) = difference(&ours[n], &theirs) {
                wrong.push(format!("program {}, {build:?}: {what}\n{}", programs[n].tag, programs[n].text));
                different[n] = true;
            }
        }
    }
    let mut tally = Tally { programs: programs.len(), ..Tally::default() };
    for n in all.into_iter().filter(|n| !different[*n]) {
        match (&wraps[n].failure, &checks[n].failure) {
            _ if left[n] => tally.left += 1,
            (None, None) => tally.clean += 1,
            _ => tally.special += 1,
        }
    }
    (wrong, tally)
}

/// Programs in which the order of evaluation matters: what gcc's do is among what ours may do.
fn orders(programs: &[Program]) -> (Vec<String>, Tally) {
    let all: Vec<&Program> = programs.iter().collect();
    let theirs = batches::run(&all, Build::Plain);
    let (mut wrong, mut tally) = (Vec::new(), Tally::default());
    for (program, theirs) in programs.iter().zip(theirs) {
        tally.programs += 1;
        let unit = Unit { name: format!("p{}.c", program.tag), text: program.text.clone() };
        let Ok(reading) = read(&[unit], &|_| Some(program.text.clone()), &Options::default()) else {
            tally.left += 1;
            continue;
        };
        let Some(ours) = ours::all_runs(program, &reading.module, 4_000) else {
            tally.left += 1;
            continue;
        };
        if !ours.iter().any(|ours| difference(ours, &theirs).is_none()) {
            let (tag, ways) = (program.tag, ours.len());
            wrong.push(format!("program {tag}: none of {ways}: {theirs:?}\n{}", program.text));
        } else if ours.iter().any(|run| *run != ours[0]) {
            tally.special += 1;
        } else {
            tally.clean += 1;
        }
    }
    (wrong, tally)
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
