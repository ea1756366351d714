//! Confirming: the system's C compiler compiles the library together with an environment, and the whole is run.
//!
//! The interpreter has confirmed every play already. This shows that the compiler's program does the same.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use agon_base::budget::Budget;
use agon_c::types::DataModel;

use super::Settings;
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

/// A library that is compiled with an environment.
pub struct Build<'a> {
    /// The command line of the compiler.
    pub compiler: &'a str,
    /// The files of the library.
    pub files: &'a [PathBuf],
    /// How they are read.
    pub settings: &'a Settings,
    /// What compiling and running may cost.
    pub budget: &'a Budget,
}

impl Build<'_> {
    /// Compiles the library with an environment and runs the whole, in an empty folder.
    pub fn confirm(&self, environment: &str) -> Confirmed {
        self.confirmed(environment).unwrap_or_else(Confirmed::Not)
    }

    fn confirmed(&self, environment: &str) -> Result<Confirmed, String> {
        let folder = tempfile::Builder::new().prefix("agon-confirm-").tempdir();
        let folder = folder.map_err(|error| format!("no temporary folder can be made: {error}"))?;
        let wrong = |error: std::io::Error| error.to_string();
        std::fs::write(folder.path().join(ENVIRONMENT), environment).map_err(wrong)?;
        let empty = folder.path().join("empty");
        std::fs::create_dir(&empty).map_err(wrong)?;
        // The libraries of the sanitizers may be missing.
        let program = self.program(folder.path(), true).or_else(|_| self.program(folder.path(), false))?;
        let mut command = Command::new(&program);
        command.current_dir(&empty).env("UBSAN_OPTIONS", "halt_on_error=1:print_stacktrace=0");
        command.env("ASAN_OPTIONS", "detect_stack_use_after_return=1:detect_leaks=0");
        let done = run(&mut command, RUNNING, self.budget);
        Ok(how(&done.map_err(|error| format!("the program cannot be run: {error}"))?))
    }

    /// Makes the program in a folder, with or without sanitizers.
    fn program(&self, folder: &Path, sanitized: bool) -> Result<PathBuf, String> {
        let mut objects = Vec::new();
        for (n, file) in self.files.iter().enumerate() {
            let object = folder.join(format!("{n}.o"));
            let mut command = self.call(sanitized)?;
            command.args(self.settings.preprocessing.options(&file.display().to_string())?);
            self.make(command.arg("-c").arg("-o").arg(&object).arg(path(file)))?;
            objects.push(object);
        }
        let program = folder.join("program");
        let mut command = self.call(sanitized)?;
        command.arg("-o").arg(&program).args(&objects).arg(folder.join(ENVIRONMENT)).arg("-pthread");
        self.make(&mut command)?;
        Ok(program)
    }

    /// The compiler, with the checks that agon makes as well.
    fn call(&self, sanitized: bool) -> Result<Command, String> {
        let words = shlex::split(self.compiler).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| format!("`{}` is no command", self.compiler))?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        if self.settings.options.data_model == DataModel::Ilp32 {
            command.arg("-m32");
        }
        let overflow = self.settings.options.checks.overflow;
        if sanitized {
            let mut checks = vec!["address", "bounds", "integer-divide-by-zero", "shift", "null"];
            checks.extend(overflow.then_some("signed-integer-overflow"));
            command.arg(format!("-fsanitize={}", checks.join(","))).arg("-fno-sanitize-recover=all");
        }
        if !overflow {
            // It wraps, as agon assumes.
            command.arg("-fwrapv");
        }
        command.args(["-g", "-w"]);
        Ok(command)
    }

    /// Runs the compiler.
    fn make(&self, command: &mut Command) -> Result<(), String> {
        let name = command.get_program().to_string_lossy().into_owned();
        let done = run(command, COMPILING, self.budget)
            .map_err(|error| format!("`{name}` cannot be started: {error}"))?;
        match done.ended {
            Ended::Status(0) => Ok(()),
            Ended::Late => Err(format!("`{name}` does not end")),
            Ended::Status(_) | Ended::Signal(_) => {
                let said =
                    done.errors.lines().find(|line| line.contains("error")).unwrap_or("it says nothing");
                Err(format!("`{name}` fails: {said}"))
            }
        }
    }
}

/// A path that is no option.
fn path(file: &Path) -> PathBuf {
    if file.as_os_str().as_encoded_bytes().starts_with(b"-") {
        Path::new(".").join(file)
    } else {
        file.into()
    }
}

/// What a program did.
fn how(done: &Done) -> Confirmed {
    // An assertion and the sanitizers say where; the program's own output is of no interest.
    let said = done.errors.lines().find_map(|line| {
        // Addresses and numbers of processes differ from run to run.
        let address = line.split_once("ERROR: AddressSanitizer: ").map(|(_, what)| what);
        let address = address.and_then(|what| what.split([':', '(']).next()?.split(" on ").next());
        let told = line.contains("Assertion") || line.contains("runtime error");
        address
            .map(|what| format!("AddressSanitizer: {what}"))
            .or_else(|| told.then(|| line.trim().to_string()))
    });
    let said = said.unwrap_or_default();
    match done.ended {
        Ended::Late => Confirmed::Hangs,
        Ended::Signal(signal) if said.is_empty() => Confirmed::Fails(format!("signal {signal}")),
        Ended::Signal(_) => Confirmed::Fails(said),
        Ended::Status(status) if said.is_empty() => Confirmed::Ends(status),
        Ended::Status(_) => Confirmed::Fails(said),
    }
}
