//! Random libraries in C, beside random clients that gcc compiles: if a client makes a library fail, agon does not say SAFE; if
//! agon says UNSAFE, the environment that it writes makes the library fail.
//!
//! ```text
//! cargo test -p agon --test c_libraries
//! cargo test -p agon --test c_libraries -- --ignored long                          # 2,000 libraries
//! AGON_SEEDS=4711..4712 cargo test -p agon --test c_libraries -- --ignored long    # one, with its text
//! ```
//!
//! Without gcc the tests are ignored.

#[allow(dead_code, reason = "the tests of the reader use the rest")]
#[path = "../../c/tests/gcc/mod.rs"]
mod gcc;
mod libraries;

use std::ops::Range;
use std::process::{Command, ExitCode};

use gcc::{Folder, compile};
use libraries::Text;
use libtest_mimic::{Arguments, Failed, Trial};

/// How many libraries the suite tries, and how many the long run.
const SHORT: u64 = 4;
const LONG: u64 = 2_000;
/// How many libraries a test of the long run tries.
const BATCH: u64 = 100;
/// How many runs a client makes.
const RUNS: &str = "100";

const FLAGS: [&str; 5] = [
    "-w",
    "-fwrapv",
    "-fsanitize=bounds-strict,shift-exponent,integer-divide-by-zero,address,null",
    "-fsanitize=pointer-compare,pointer-subtract,pointer-overflow",
    "-fno-sanitize-recover=all",
];

/// What ends a program that waits for ever.
const WATCH: &str =
    "#include <unistd.h>\n__attribute__((constructor)) static void watch(void) { alarm(10); }\n";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let missing = !gcc::installed() && std::env::var_os("AGON_INSIST").is_none();
    let seeds = match std::env::var("AGON_SEEDS") {
        Ok(text) => range(&text).unwrap_or_else(|| panic!("AGON_SEEDS is `{text}`, and not like `200..400`")),
        Err(_) => 0..LONG,
    };
    let mut trials = Vec::new();
    for first in (0..SHORT).step_by(SHORT as usize / 2) {
        let trial = Trial::test(format!("libraries::{first}"), move || all(first..first + SHORT / 2));
        trials.push(trial.with_ignored_flag(missing));
    }
    for first in seeds.clone().step_by(BATCH as usize) {
        let piece = first..seeds.end.min(first + BATCH);
        trials.push(Trial::test(format!("long::{first}"), move || all(piece)).with_ignored_flag(true));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A range of numbers.
fn range(text: &str) -> Option<Range<u64>> {
    let (first, end) = text.split_once("..")?;
    Some(first.parse().ok()?..end.parse().ok()?)
}

/// What was said about libraries, and how many clients failed.
#[derive(Default, Debug)]
struct Tally {
    safe: usize,
    faulty: usize,
    unknown: usize,
    refused: usize,
    clients: usize,
}

/// Tries the libraries of seeds.
fn all(seeds: Range<u64>) -> Result<(), Failed> {
    let (mut wrong, mut tally) = (Vec::new(), Tally::default());
    for seed in seeds.clone() {
        let text = Text::new(seed);
        if seeds.end - seeds.start == 1 {
            println!("{}\n{}", text.library, text.client);
        }
        if let Err(why) = one(&text, &mut tally) {
            wrong.push(format!("library {seed}: {why}\n{}", text.library));
        }
    }
    println!("libraries {seeds:?}: {tally:?}, {} different", wrong.len());
    if seeds.end - seeds.start >= BATCH && (tally.safe < 5 || tally.faulty < 5 || tally.refused > 0) {
        wrong.push(format!("too few libraries of a kind: {tally:?}"));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// Tries one library.
fn one(text: &Text, tally: &mut Tally) -> Result<(), String> {
    let folder = Folder::new();
    let library = folder.write("library.c", &text.library);
    folder.write("client.c", &text.client);
    folder.write("watch.c", WATCH);
    let native = fails(&folder, "client.c", &[RUNS])?;
    let environment = folder.path().join("env.c");
    let mut agon = Command::new(env!("CARGO_BIN_EXE_agon"));
    agon.arg("check").arg(&library).args(["--time-limit", "5", "-q", "--environment"]).arg(&environment);
    let output = agon.output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    tally.clients += usize::from(native.is_some());
    match (said.split_whitespace().next(), native) {
        (Some("SAFE"), Some(run)) if !said.starts_with("SAFE  up to") => {
            return Err(format!("agon says SAFE, but a client fails, {run}\n{said}"));
        }
        (Some("SAFE"), _) => tally.safe += 1,
        (Some("UNSAFE"), _) => {
            tally.faulty += 1;
            let silent = ["order of evaluation", "not used again", "cannot force every access"];
            if silent.iter().any(|words| said.contains(words)) || !environment.exists() {
                return Ok(());
            }
            if fails(&folder, "env.c", &[])?.is_none() {
                let written = std::fs::read_to_string(&environment).unwrap_or_default();
                return Err(format!("the environment that agon writes does not fail\n{said}\n{written}"));
            }
        }
        (Some("UNKNOWN"), _) => tally.unknown += 1,
        _ => {
            tally.refused += 1;
            return Err(format!("it is refused: {said}{}", String::from_utf8_lossy(&output.stderr)));
        }
    }
    Ok(())
}

/// Compiles the library with a client, and runs it. What it says, if it fails.
fn fails(folder: &Folder, client: &str, words: &[&str]) -> Result<Option<String>, String> {
    let flags: Vec<&str> = FLAGS.into_iter().chain(["library.c", "watch.c"]).collect();
    compile(folder, client, "program", &flags)?;
    let settings = "detect_leaks=0:detect_stack_use_after_return=1:detect_invalid_pointer_pairs=2";
    let mut program = Command::new(folder.path().join("program"));
    let output = program.args(words).env("ASAN_OPTIONS", settings).output().map_err(|why| why.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_string();
    Ok((!output.status.success()).then_some(said))
}
