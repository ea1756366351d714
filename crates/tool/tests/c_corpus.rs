//! The C files of the corpus, by the engine that `agon check` takes: the verdicts are those that the files claim, and environments
//! that it writes fail when gcc compiles them, and end where the fault is mended.
//!
//! ```text
//! cargo test -p agon --test c_corpus p03
//! ```
//!
//! Without gcc the tests are ignored. `-- --ignored itself` compares all files with themselves. What the `//!` lines claim is described in `crates/c/src/claims.rs`.

#[allow(dead_code, reason = "the tests of the reader use the rest")]
#[path = "../../c/tests/claims/mod.rs"]
mod claims;
#[allow(dead_code, reason = "the tests of the reader use the rest")]
#[path = "../../c/tests/gcc/mod.rs"]
mod gcc;
#[allow(dead_code, reason = "the tests of the reader use the rest")]
#[path = "../../c/tests/sources/mod.rs"]
mod sources;

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use agon_c::claims::{Case, Expected};
use claims::{File, corpus};
use gcc::{Folder, compile};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

/// What ends a program that waits for ever.
const WATCH: &str =
    "#include <unistd.h>\n__attribute__((constructor)) static void watch(void) { alarm(2); }\n";

/// The option for several threads of the environment.
const THREADS: &str = "--threads-of-environment";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let missing = !gcc::installed() && std::env::var_os("AGON_INSIST").is_none();
    let mut trials = Vec::new();
    for file in corpus() {
        for case in file.claims.cases.clone() {
            let words: String =
                case.options.iter().chain(&case.target).map(|word| format!("::{word}")).collect();
            let name = format!("check::{}{words}", file.name);
            let ignored = missing || file.claims.skips("auto");
            let file = file.clone();
            trials.push(Trial::test(name, move || as_claimed(&file, &case)).with_ignored_flag(ignored));
        }
        let trial = Trial::test(format!("itself::{}", file.name), {
            let file = file.clone();
            move || equal_to_itself(&file)
        });
        // All of them take a minute and a half.
        let ignored = missing || !file.name.starts_with("versions/");
        trials.push(trial.with_ignored_flag(ignored));
        for (options, twin) in file.claims.twins.clone() {
            let name = format!("twins::{}::{twin}", file.name);
            let file = file.clone();
            let trial = Trial::test(name, move || same_as_twin(&file, &options, &twin));
            trials.push(trial.with_ignored_flag(missing));
        }
        for (word, other, options) in file.claims.relations.clone() {
            let words: String = options.iter().map(|option| format!("::{option}")).collect();
            let name = format!("{word}::{}::{other}{words}", file.name);
            let ignored = missing || file.claims.skips("equiv");
            let file = file.clone();
            let trial = Trial::test(name, move || related(&file, &word, &other, &options));
            trials.push(trial.with_ignored_flag(ignored));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The files of the module.
fn files(file: &File) -> Vec<PathBuf> {
    match file.claims.files.as_slice() {
        [] => vec![file.path.clone()],
        files => files.iter().map(|name| file.path.with_file_name(name)).collect(),
    }
}

/// What a subcommand says first, and all that it says.
fn agon(subcommand: &str, files: &[PathBuf], options: &[String]) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
    command.arg(subcommand).args(files).args(options).args(["--time-limit", "60"]);
    let output = command.output().expect("agon can be run");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let first = said.split_whitespace().next().unwrap_or("nothing").to_string();
    (first, said + &String::from_utf8_lossy(&output.stderr))
}

/// The verdict is the claimed one. An environment that is written fails, and with the fault mended it ends.
fn as_claimed(file: &File, case: &Case) -> Result<(), Failed> {
    let folder = Folder::new();
    let environment = folder.path().join("env.c");
    let mut options = case.options.clone();
    options.extend(case.target.iter().flat_map(|target| ["--target".to_string(), target.clone()]));
    if case.target.is_none() {
        options.extend(["--environment".to_string(), environment.display().to_string()]);
    }
    let (first, said) = agon("check", &files(file), &options);
    let expected = match &case.verdict {
        Expected::Safe(_) => "SAFE",
        Expected::Unsafe(_) => "UNSAFE",
        Expected::Unknown => "UNKNOWN",
        Expected::Refused(code) => {
            return if said.contains(code.as_str()) { Ok(()) } else { Err(said.into()) };
        }
    };
    if first != expected {
        return Err(format!("{first}, expected {expected}\n{said}").into());
    }
    let up_to =
        said.strip_prefix("SAFE  up to ").and_then(|rest| rest.split_once(": ")).map(|(words, _)| words);
    if let Expected::Safe(claimed) = &case.verdict
        && claimed.as_deref() != up_to
    {
        return Err(format!("up to {up_to:?}, expected {claimed:?}\n{said}").into());
    }
    // What the preprocessor is not told makes no other program, except that others may call from several threads.
    let threads: Vec<String> = match case.options.iter().position(|option| option == THREADS) {
        Some(at) => case.options[at..at + 2].to_vec(),
        None => vec![],
    };
    let preprocessor = case.options.iter().all(|option| option.starts_with("-D") || threads.contains(option));
    let silent = file.claims.skips("gcc")
        || said.contains("order of evaluation")
        || said.contains("not used again")
        || said.contains("cannot force every access")
        || !environment.exists();
    if expected == "SAFE" || case.target.is_some() || !preprocessor || silent {
        return Ok(());
    }
    compile(&folder, "env.c", "env.o", &["-Wall", "-Wextra", "-Werror", "-pthread", "-c"])?;
    if runs(file, &folder, &case.options)? {
        return Err("gcc's program does not fail".into());
    }
    let fixed = [vec!["-DFIXED".to_string()], threads].concat();
    let mended =
        file.claims.cases.iter().any(|case| case.options == fixed && case.verdict == Expected::Safe(None));
    match !mended || runs(file, &folder, &fixed)? {
        true => Ok(()),
        false => Err("gcc's program fails with the fault mended".into()),
    }
}

/// Compiles the module with `env.o`, the environment, in the folder. Whether the program ends normally.
fn runs(file: &File, folder: &Folder, options: &[String]) -> Result<bool, Failed> {
    folder.write("watch.c", WATCH);
    let files: Vec<String> = files(file).iter().map(|path| path.display().to_string()).collect();
    let sanitizers = "-fsanitize=bounds-strict,shift-exponent,integer-divide-by-zero,address,null";
    let pairs = "-fsanitize=pointer-compare,pointer-subtract,pointer-overflow";
    let mut flags =
        vec!["-w", "-fwrapv", "-pthread", sanitizers, pairs, "-fno-sanitize-recover=all", "env.o"];
    let defined = options.iter().filter(|option| option.starts_with("-D"));
    flags.extend(defined.chain(&files).map(String::as_str));
    compile(folder, "watch.c", "program", &flags)?;
    let settings = "detect_leaks=0:detect_stack_use_after_return=1:detect_invalid_pointer_pairs=2";
    let output = Command::new(folder.path().join("program")).env("ASAN_OPTIONS", settings).output()?;
    Ok(output.status.success())
}

/// The verdict about a module, and the names of the moves of its play, without what a compiler chooses.
fn verdict_and_play(files: &[PathBuf], options: &[String]) -> Result<(String, Vec<String>), Failed> {
    let options = [options, &["--format".to_string(), "json".to_string()]].concat();
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
    command.args(["check", "-q", "--time-limit", "60"]).args(files).args(&options);
    let answer: Value = serde_json::from_slice(&command.output()?.stdout)?;
    let verdict = answer["verdict"].as_str().ok_or("there is no verdict")?.to_string();
    let mut moves = Vec::new();
    let mut steps = answer["play"].as_array().into_iter().flatten().filter_map(|step| step["move"].as_str());
    while let Some(made) = steps.next() {
        // What is given may have another type in C.
        let name = made.split(['(', ' ']).next().unwrap_or(made);
        match name.starts_with("order.") || name.starts_with("reuse.") {
            true => _ = steps.next(),
            false => moves.push(name.to_string()),
        }
    }
    Ok((verdict, moves))
}

/// A module in agon's own language has the verdict of its twin in C, and a play with the same moves.
fn same_as_twin(file: &File, options: &[String], twin: &str) -> Result<(), Failed> {
    let mut options = options.to_vec();
    if twin.starts_with("threads/") {
        options.extend([THREADS.to_string(), "2".to_string()]);
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let ours = verdict_and_play(&files(file), &options)?;
    let theirs = verdict_and_play(&[root.join(twin)], &[])?;
    let played = ours.0 != "unsafe" || !ours.1.is_empty();
    if ours == theirs && played { Ok(()) } else { Err(format!("{ours:?}, its twin {theirs:?}").into()) }
}

/// A file is equivalent to itself, unless it is refused.
fn equal_to_itself(file: &File) -> Result<(), Failed> {
    if !file.claims.files.is_empty() {
        return Ok(());
    }
    let mut options = file.claims.cases.first().map(|case| case.options.clone()).unwrap_or_default();
    // Comparisons have options of their own.
    options.retain(|option| option.starts_with("-D"));
    let (first, said) = agon("equiv", &[file.path.clone(), file.path.clone()], &options);
    let refused = first == "nothing" && said.contains("error[");
    if first == "EQUIVALENT" || refused { Ok(()) } else { Err(said.into()) }
}

/// A comparison with another file of the folder has the claimed verdict. The environment of a difference ends abnormally with one of
/// the files, and not with the other one.
fn related(file: &File, word: &str, other: &str, options: &[String]) -> Result<(), Failed> {
    let folder = Folder::new();
    let path = folder.path().join("env.c").display().to_string();
    let options = [options, &["--environment".to_string(), path]].concat();
    let both = [file.path.clone(), file.path.with_file_name(other)];
    let (first, said) = agon("equiv", &both, &options);
    if first != word.to_uppercase() {
        return Err(format!("{word}\n{said}").into());
    }
    if first != "INEQUIVALENT" || file.claims.skips("gcc") || said.contains("ends the process") {
        return Ok(());
    }
    let defined: Vec<&str> =
        options.iter().map(String::as_str).filter(|option| option.starts_with("-D")).collect();
    let mut aborts = 0;
    compile(&folder, "env.c", "env.o", &["-Wall", "-Wextra", "-Werror", "-fno-builtin", "-c"])?;
    folder.write("watch.c", WATCH);
    for path in both {
        let path = path.display().to_string();
        // What a version does that has no meaning is seen by the sanitizers.
        let flags =
            ["-w", "-fwrapv", "-fno-builtin", "-pthread", "-fsanitize=address,undefined", "env.o", &path];
        let flags = [&flags, &defined[..]].concat();
        compile(&folder, "watch.c", "program", &flags)?;
        let output = Command::new(folder.path().join("program"))
            .env("ASAN_OPTIONS", "abort_on_error=1:detect_leaks=0")
            .env("UBSAN_OPTIONS", "halt_on_error=1:abort_on_error=1")
            .output()?;
        // A program that waits for ever is ended by the alarm.
        aborts += usize::from(!matches!(output.status.signal(), None | Some(14)));
    }
    if aborts == 1 { Ok(()) } else { Err(format!("{aborts} of the programs abort\n{said}").into()) }
}
