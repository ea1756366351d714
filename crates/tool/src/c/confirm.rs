//! Confirming: the system's C compiler compiles the library together with an environment, and the whole is run.
//!
//! The interpreter has confirmed every play already. This shows that the compiler's program does the same.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use agon_base::budget::Budget;
use agon_c::types::DataModel;

use super::Settings;
use super::commands;
use crate::run::{Done, Ended, run};

/// How long the compiler and the program may take.
const COMPILING: Duration = Duration::from_secs(60);
const RUNNING: Duration = Duration::from_secs(10);
/// The name of the environment in the folder where it is compiled.
const ENVIRONMENT: &str = "env.c";

/// What the compiler's program did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Confirmed {
    /// It failed; what it said.
    Fails(String),
    /// It ended with this status, which is no failure.
    Ends(i32),
    /// It did not end.
    Hangs,
    /// It could not be made or run; why.
    Not(String),
}

/// Compiles C files with an environment and runs the whole, in an empty folder. The compiler is given by its command line.
pub fn confirm(
    compiler: &str,
    files: &[PathBuf],
    environment: &str,
    settings: &Settings,
    budget: &Budget,
) -> Confirmed {
    confirmed(compiler, files, environment, settings, budget).unwrap_or_else(Confirmed::Not)
}

fn confirmed(
    compiler: &str,
    files: &[PathBuf],
    environment: &str,
    settings: &Settings,
    budget: &Budget,
) -> Result<Confirmed, String> {
    let folder = tempfile::Builder::new().prefix("agon-confirm-").tempdir();
    let folder = folder.map_err(|error| format!("no temporary folder can be made: {error}"))?;
    let wrong = |error: std::io::Error| error.to_string();
    std::fs::write(folder.path().join(ENVIRONMENT), environment).map_err(wrong)?;
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).map_err(wrong)?;
    let program = folder.path().join("program");
    let mut objects = Vec::new();
    for (n, file) in files.iter().enumerate() {
        let object = folder.path().join(format!("{n}.o"));
        let mut command = call(compiler, settings)?;
        command.args(library_options(file, settings)?).arg("-c").arg("-o").arg(&object).arg(path(file));
        made(&mut command, budget)?;
        objects.push(object);
    }
    let mut command = call(compiler, settings)?;
    command.arg("-o").arg(&program).args(&objects).arg(folder.path().join(ENVIRONMENT)).arg("-pthread");
    made(&mut command, budget)?;
    let mut command = Command::new(&program);
    command.current_dir(&empty).env("UBSAN_OPTIONS", "halt_on_error=1:print_stacktrace=0");
    let done = run(&mut command, RUNNING, budget).map_err(|error| format!("it cannot be run: {error}"))?;
    Ok(how(&done))
}

/// The compiler, with the checks that agon makes as well.
fn call(compiler: &str, settings: &Settings) -> Result<Command, String> {
    let words = shlex::split(compiler).filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| format!("`{compiler}` is no command"))?;
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    if settings.options.data_model == DataModel::Ilp32 {
        command.arg("-m32");
    }
    let mut checks = vec!["bounds", "integer-divide-by-zero", "shift", "null"];
    if settings.options.checks.overflow {
        checks.push("signed-integer-overflow");
    }
    let sanitizers = format!("-fsanitize={}", checks.join(","));
    command.args(["-g", "-w", &sanitizers, "-fno-sanitize-recover=all"]);
    // What is not checked wraps, as agon assumes.
    command.arg("-fwrapv");
    Ok(command)
}

/// The options with which a file of the library is preprocessed.
fn library_options(file: &Path, settings: &Settings) -> Result<Vec<String>, String> {
    let given = &settings.preprocessing;
    let mut options = commands::options(&file.display().to_string(), given.commands.as_deref())?;
    options.extend(given.folders.iter().flat_map(|folder| ["-I".into(), folder.display().to_string()]));
    options.extend(given.defined.iter().map(|defined| format!("-D{defined}")));
    options.extend(given.undefined.iter().map(|undefined| format!("-U{undefined}")));
    options.extend(given.first.iter().flat_map(|first| ["-include".into(), first.display().to_string()]));
    Ok(options)
}

/// A path that is no option.
fn path(file: &Path) -> PathBuf {
    if file.as_os_str().as_encoded_bytes().starts_with(b"-") {
        Path::new(".").join(file)
    } else {
        file.into()
    }
}

/// Runs the compiler.
fn made(command: &mut Command, budget: &Budget) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let done =
        run(command, COMPILING, budget).map_err(|error| format!("`{name}` cannot be started: {error}"))?;
    match done.ended {
        Ended::Status(0) => Ok(()),
        Ended::Late => Err(format!("`{name}` does not end")),
        Ended::Status(_) | Ended::Signal(_) => {
            let said = done.errors.lines().find(|line| line.contains("error")).unwrap_or("it says nothing");
            Err(format!("`{name}` fails: {said}"))
        }
    }
}

/// What a program did.
fn how(done: &Done) -> Confirmed {
    // An assertion and the sanitizers say where; the program's own output is of no interest.
    let said = done.errors.lines().find(|line| line.contains("Assertion") || line.contains("runtime error"));
    let said = said.unwrap_or("").trim().to_string();
    match done.ended {
        Ended::Late => Confirmed::Hangs,
        Ended::Signal(signal) if said.is_empty() => Confirmed::Fails(format!("signal {signal}")),
        Ended::Signal(_) => Confirmed::Fails(said),
        Ended::Status(status) if said.is_empty() => Confirmed::Ends(status),
        Ended::Status(_) => Confirmed::Fails(said),
    }
}
