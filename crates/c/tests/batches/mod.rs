//! What gcc's programs do: many random programs are compiled at once, and each is run with its script in a process of its own.

mod opaque;

use std::fmt::Write as _;
use std::process::Command;

use opaque::{Constants, opaque};

use crate::gcc::{Folder, compile_within};
use crate::random::types::literal;
use crate::random::{Program, Signature, Step};

/// What a program did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ran {
    /// The moves of the program: calls of imports with their arguments, results of exports.
    pub moves: Vec<String>,
    /// Where it failed, if it did: the line, if that is known, and the message.
    pub failure: Option<(Option<usize>, String)>,
}

/// The failure of a program that gcc does not compile in time.
const SLOW: &str = "gcc takes too long";

impl Ran {
    fn slow() -> Ran {
        Ran { moves: vec![], failure: Some((None, SLOW.into())) }
    }

    /// Whether gcc did not compile it in time.
    pub fn is_slow(&self) -> bool {
        self.failure.as_ref().is_some_and(|(_, message)| message == SLOW)
    }
}

/// How a program is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Build {
    /// Without optimisation. Overflow wraps.
    Plain,
    /// Optimised. Overflow wraps.
    Optimised,
    /// Without optimisation, each operation as it is written. Overflow fails.
    Checked,
    /// Without optimisation. Wrong uses of memory fail; what is not set holds 0.
    Zeros,
    /// The same, but what is not set holds something else.
    Garbage,
    /// Optimised. Nothing fails; what is not set holds something else.
    OptimisedGarbage,
}

impl Build {
    fn flags(self) -> Vec<&'static str> {
        let flags: &[&str] = match self {
            Build::Plain => &["-O0", "-fwrapv"],
            Build::Optimised => &["-O2", "-fwrapv"],
            Build::Checked => &["-O0", "-fsanitize=signed-integer-overflow"],
            Build::Zeros => &["-ftrivial-auto-var-init=zero"],
            Build::Garbage => &["-ftrivial-auto-var-init=pattern"],
            Build::OptimisedGarbage => &["-O2", "-fwrapv", "-ftrivial-auto-var-init=pattern"],
        };
        let common: &[&str] = match self {
            Build::Plain | Build::Optimised | Build::Checked => &[NUMBERS, STOP],
            // Functions of the sanitizer that look at addresses compile faster than the same in place.
            Build::Zeros | Build::Garbage => &[
                "-O0",
                "-fwrapv",
                "-g1",
                NUMBERS,
                STOP,
                ADDRESSES,
                PAIRS,
                "--param=asan-instrumentation-with-call-threshold=0",
            ],
            Build::OptimisedGarbage => &[],
        };
        // Tables for unwinding are read where a sanitizer finds the line of a call of the library. Nothing else reads what is left out.
        let fast = ["-w", "-pipe", "-fno-ident", "-fcf-protection=none", "-fno-stack-protector"];
        [&fast, common, flags].concat()
    }

    /// The options of the address sanitizer when the program runs.
    fn settings(self) -> String {
        let fill = if self == Build::Zeros { 0 } else { 0xbe };
        format!(
            "detect_stack_use_after_return=1:detect_invalid_pointer_pairs=2:detect_leaks=0:malloc_fill_byte={fill}"
        )
    }
}

const NUMBERS: &str = "-fsanitize=bounds-strict,shift-exponent,integer-divide-by-zero";
const STOP: &str = "-fno-sanitize-recover=all";
/// Processor time of a program.
const SECONDS: u32 = 10;
const ADDRESSES: &str = "-fsanitize=address,null,pointer-overflow,return";
const PAIRS: &str = "-fsanitize=pointer-compare,pointer-subtract";

/// Compiles programs and runs each of them with its script.
pub fn run(programs: &[&Program], build: Build) -> Vec<Ran> {
    if programs.is_empty() {
        return vec![];
    }
    let folder = Folder::new();
    let mut constants = Constants::default();
    for program in programs {
        let name = format!("p{}.c", program.tag);
        match build {
            Build::Checked => folder.write(&name, &opaque(&program.text, true, &mut constants)),
            Build::Zeros | Build::Garbage => {
                folder.write(&name, &opaque(&program.text, false, &mut constants))
            }
            Build::Plain | Build::Optimised | Build::OptimisedGarbage => folder.write(&name, &program.text),
        };
    }
    folder.write("all.c", &(constants.definitions() + &driver(programs)));
    let seconds = 10 + programs.len() / 2;
    if let Err(why) = compile_within(seconds, &folder, ("all.c", "all"), &build.flags()) {
        assert!(why.contains("terminated program"), "gcc refuses a program: {why}");
        // One of the programs takes too long.
        return match programs {
            [_] => vec![Ran::slow()],
            _ => programs.iter().flat_map(|program| run(&[program], build)).collect(),
        };
    }
    let mut all = Command::new(folder.path().join("all"));
    all.env("ASAN_OPTIONS", build.settings());
    if build == Build::OptimisedGarbage {
        // glibc fills what `malloc` gives.
        all.env("MALLOC_PERTURB_", "65");
    }
    let output = all.output().expect("the program can be run");
    read(&String::from_utf8_lossy(&output.stdout), programs)
}

/// What the compiled programs wrote, one after the other.
fn read(text: &str, programs: &[&Program]) -> Vec<Ran> {
    let mut all: Vec<Ran> = Vec::new();
    for line in text.lines() {
        if line == "@" {
            all.push(Ran { moves: vec![], failure: None });
            continue;
        }
        let ran = all.last_mut().expect("the first line says that a program begins");
        if let Some(played) = line.strip_prefix("> ") {
            ran.moves.push(played.into());
        } else if let Some(signal) = line.strip_prefix("= ").filter(|signal| *signal != "0") {
            ran.failure.get_or_insert((None, format!("signal {signal}")));
        } else if let Some((place, message)) = line.split_once(": runtime error: ") {
            let number = place.split(':').nth(1).and_then(|line| line.parse().ok());
            ran.failure = Some((number, message.into()));
        } else if let Some((_, message)) = line.split_once("AddressSanitizer: ") {
            let message = message.split([':', '(']).next().unwrap_or(message);
            let message = message.split(" on address").next().unwrap_or(message).trim();
            // Where something lies differs from build to build; near 0 it is a null pointer.
            let message = match message.split_once(" 0x") {
                Some((before, address)) if !address.starts_with("0000000000") => before,
                _ => message,
            };
            ran.failure.get_or_insert((None, message.into()));
        } else if let Some((None, _)) = ran.failure
            && let Some(number) = frame(line)
        {
            ran.failure = ran.failure.take().map(|(_, message)| (Some(number), message));
        }
    }
    assert_eq!(all.len(), programs.len(), "{text}");
    all
}

/// The line of a program that a frame of a stack names.
fn frame(line: &str) -> Option<usize> {
    let (_, place) = line.trim_start().strip_prefix('#')?.rsplit_once("/p")?;
    let (tag, rest) = place.split_once(".c:")?;
    tag.parse::<u64>().ok()?;
    rest.split(':').next()?.parse().ok()
}

/// A program that runs all programs with their scripts.
fn driver(programs: &[&Program]) -> String {
    let mut text = String::from(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <signal.h>\n#include <unistd.h>\n#include <sys/resource.h>\n#include <sys/wait.h>\n",
    );
    for program in programs {
        let tag = program.tag;
        let _ = writeln!(text, "#include \"p{tag}.c\"\nstatic int step_{tag};");
        let _ = writeln!(
            text,
            "static unsigned long long env_{tag}(int open) {{\n for (;;) switch (step_{tag}++) {{"
        );
        for (n, step) in program.script.0.iter().enumerate() {
            let _ = match step {
                Step::Return(value) => writeln!(text, " case {n}: if (open) return {value}ULL; break;"),
                Step::Call(export, values) => {
                    let export = &program.exports[*export];
                    let values =
                        export.parameters.iter().zip(values).map(|(ty, value)| literal(ty.convert(*value)));
                    writeln!(text, " case {n}: {} break;", call(export, &values.collect::<Vec<_>>()))
                }
            };
        }
        let _ = writeln!(text, " default: step_{tag}--; return 0;\n }}\n}}");
        for import in &program.imports {
            let names: Vec<String> = (0..import.parameters.len()).map(|n| format!("p{n}")).collect();
            let _ = write!(text, "{} {{ {}", import.declaration(), print(&import.name, &names));
            let _ = match import.result {
                Some(ty) => writeln!(text, " return ({})env_{tag}(1); }}", ty.name),
                None => writeln!(text, " env_{tag}(1); }}"),
            };
        }
        let dump = program.exports.last().expect("a program has an export that dumps its data");
        let _ = writeln!(text, "static void main_{tag}(void) {{ env_{tag}(0); {} }}", call(dump, &[]));
    }
    let mains: Vec<String> = programs.iter().map(|program| format!("main_{}", program.tag)).collect();
    let _ = write!(
        text,
        "static void (*const mains[])(void) = {{ {} }};
int main(void) {{
 setvbuf(stdout, NULL, _IOLBF, 1 << 16);
 dup2(1, 2);
 for (int n = 0; n < {}; n++) {{
  puts(\"@\");
  int status = 0, child = fork();
  if (child == 0) {{ setrlimit(RLIMIT_CPU, &(struct rlimit){{ {SECONDS}, {SECONDS} }}); mains[n](); fflush(stdout); _exit(0); }}
  waitpid(child, &status, 0);
  printf(\"= %d\\n\", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
 }}
 return 0;
}}
",
        mains.join(", "),
        mains.len()
    );
    text
}

/// A statement that prints a move.
fn print(name: &str, values: &[String]) -> String {
    let formats = " %llu".repeat(values.len());
    let values: String = values.iter().map(|value| format!(", (unsigned long long)({value})")).collect();
    format!("printf(\"> {name}{formats}\\n\"{values});")
}

/// A statement that calls an export and prints what it gives.
fn call(export: &Signature, values: &[String]) -> String {
    let called = format!("{}({})", export.name, values.join(", "));
    match export.result {
        Some(_) => print(&format!("ret {}", export.name), &[called]),
        None => format!("{called}; {}", print(&format!("ret {}", export.name), &[])),
    }
}
