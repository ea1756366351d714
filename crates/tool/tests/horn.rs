//! Horn clauses, solved by Z3: a second reading of modules. Where it answers, it says what the corpus claims, and what the tables
//! say about random modules. Without Z3, these tests are ignored.
//!
//! ```text
//! cargo test -p agon --test horn
//! cargo test -p agon --test horn -- --ignored   # the C files as well
//! ```

#[allow(dead_code, reason = "the tests of the reader use the rest")]
#[path = "../../c/tests/claims/mod.rs"]
mod claims;
mod folder;
#[allow(dead_code, reason = "the tests of the reader use the rest")]
#[path = "../../c/tests/gcc/mod.rs"]
mod gcc;
mod requires;
#[allow(dead_code, reason = "the tests of solvers use the rest")]
mod solving;
#[allow(dead_code, reason = "the tests of the reader use the rest")]
#[path = "../../c/tests/sources/mod.rs"]
mod sources;
mod tree;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use agon::process;
use agon_base::budget::Budget;
use agon_c::claims::Expected;
use agon_check::horn::{Said, ask};
use agon_check::modules::{Compiled, FEW_EDGES, explicit};
use agon_check::solvers::Program;
use agon_check::verdict::Verdict;
use agon_core::module::Module;
use agon_core::module::sample::Variation;
use agon_ia::read::read_module;
use agon_ia::sample;
use folder::Folder;
use libtest_mimic::{Arguments, Failed, Trial};
use requires::{installed, trial};

/// A module that does not fail.
const SAFE: &str = "module\nu8 n;\nexport add() = { n := n + 1; assert(n >= 0) };\n";
/// A module that fails: a byte wraps.
const WRAPS: &str = "module\nu8 n := 253;\nexport add() = { n := n + 1; assert(n > 0) };\n";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let there = installed("z3");
    let mut trials = vec![
        trial("random_modules_have_the_verdicts_of_the_tables", there, || random(0..60)),
        trial("long::random_modules_have_the_verdicts_of_the_tables", there, || random(0..2_000))
            .with_ignored_flag(true),
        trial("a_byte_wraps", there, a_byte_wraps),
        trial("clauses_are_printed", true, clauses_are_printed),
        trial("who_differs_gives_no_verdict", true, who_differs_gives_no_verdict),
        trial("without_a_program_there_is_no_answer", true, without_a_program_there_is_no_answer),
    ];
    let missing = !there && std::env::var_os("AGON_INSIST").is_none();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/modules");
    for path in tree::files(&root, "ia") {
        let text = std::fs::read_to_string(&path).expect("the corpus can be read");
        let Some(claim) = ["safe", "unsafe"].into_iter().find(|word| {
            text.lines()
                .filter_map(|line| line.strip_prefix("//! "))
                .any(|line| line == *word || line.starts_with(&format!("{word}:")))
        }) else {
            continue;
        };
        let name = format!("modules::{}", path.file_stem().unwrap_or_default().to_string_lossy());
        let test = move || agrees(&[path], &[], &claim.to_uppercase());
        trials.push(Trial::test(name, test).with_ignored_flag(missing));
    }
    for file in claims::corpus() {
        for case in file.claims.cases.clone() {
            let threads = case.options.iter().any(|option| option.contains("thread"));
            if case.target.is_some() || threads || !file.claims.files.is_empty() {
                continue;
            }
            let claim = match case.verdict {
                Expected::Safe(_) => "SAFE",
                Expected::Unsafe(_) => "UNSAFE",
                Expected::Refused(_) | Expected::Unknown => continue,
            };
            let words: String = case.options.iter().map(|word| format!("::{word}")).collect();
            let name = format!("long::c::{}{words}", file.name);
            let path = file.path.clone();
            let test = move || agrees(&[path], &case.options, claim);
            trials.push(Trial::test(name, test).with_ignored_flag(true));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// What `agon check` says about files by Horn clauses is what is claimed, if it says anything.
fn agrees(files: &[PathBuf], options: &[String], claim: &str) -> Result<(), Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
    command.arg("check").args(files).args(options);
    let output = command.args(["--engine", "horn", "--solver", "z3", "--time-limit", "4"]).output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    match said.split_whitespace().next() {
        Some(word) if word == claim || word == "UNKNOWN" => Ok(()),
        _ => Err(format!("claimed {claim}, said {said}{errors}").into()),
    }
}

fn read(text: &str) -> Module {
    match read_module(text, &[]) {
        Some(Ok(reading)) => reading.module,
        other => panic!("it is a module: {text}\n{other:#?}"),
    }
}

/// What Z3 says about a module in time.
fn z3(module: &Module, seconds: u64) -> Said {
    let program = Program::new("z3", || process::start("z3"));
    let deadline = Some(Instant::now() + Duration::from_secs(seconds));
    ask(module, &program, &Budget { deadline, ..Budget::default() }).expect("it is for one thread")
}

/// Random modules, with operators on bits in some, over data that the tables try completely.
fn random(seeds: std::ops::Range<u64>) {
    let (mut safe, mut fail) = (0, 0);
    for seed in seeds {
        let text = sample::module(seed, 3 + (seed % 7) as usize);
        let mut module = read(&text);
        if seed % 3 == 0 {
            Variation::new(seed).operators(&mut module);
        }
        let budget = Budget { transitions: Some(100_000), ..Budget::default() };
        let tables = explicit(&Compiled::new(module.clone()), FEW_EDGES, &budget, &mut |_| {});
        match (tables.verdict, z3(&module, 1)) {
            (Verdict::Safe, Said::Safe) => safe += 1,
            (Verdict::Unsafe(..), Said::Fails) => fail += 1,
            (_, Said::Nothing(_)) | (Verdict::Unknown(_), _) => {}
            (verdict, said) => panic!("seed {seed}: {} and {said:?}\n{text}", verdict.word()),
        }
    }
    assert!(safe > 5 && fail > 5, "{safe} safe, {fail} fail");
}

fn a_byte_wraps() {
    assert_eq!(z3(&read(SAFE), 60), Said::Safe);
    assert_eq!(z3(&read(WRAPS), 60), Said::Fails);
    let folder = Folder::new("wraps");
    let (said, status) = folder.check_by("horn", WRAPS, &["--solver", "z3"]);
    assert!(status == 1 && said.starts_with("UNSAFE"), "{said}");
}

fn clauses_are_printed() {
    let folder = Folder::new("emit");
    let (said, status) = folder.check_by("auto", WRAPS, &["--emit", "horn"]);
    assert!(status == 0 && said.starts_with("(set-logic HORN)"), "{said}");
    assert!(said.contains("(ite (> ") || said.contains("(mod "), "the byte wraps: {said}");
    assert!(said.trim_end().ends_with("(check-sat)"), "{said}");
}

/// A program that says what is not so: there is no verdict.
fn who_differs_gives_no_verdict() {
    let folder = Folder::new("differs");
    let says = |word: &str| {
        let script = format!("while read line; do case $line in *check-sat*) echo {word};; esac; done\n");
        folder.script("sh", &script)
    };
    for (module, word) in [(SAFE, "unsat"), (WRAPS, "sat")] {
        let (said, status) = folder.check_by("explicit", module, &["--solver-check", &says(word)]);
        assert!(status != 0 && status != 1 && said.starts_with("UNKNOWN"), "{status} {said}");
    }
    let (said, status) = folder.check_by("horn", SAFE, &["--solver", &says("unsat")]);
    assert!(status != 0 && status != 1 && said.starts_with("UNKNOWN"), "{status} {said}");
    let (said, status) = folder.check_by("explicit", SAFE, &["--solver-check", &says("sat")]);
    assert!(status == 0 && said.starts_with("SAFE"), "{said}");
    let (said, status) = folder.check_by("explicit", WRAPS, &["--solver-check", &says("unknown")]);
    assert!(status == 1 && said.starts_with("UNSAFE"), "{said}");
}

fn without_a_program_there_is_no_answer() {
    let folder = Folder::new("nobody");
    let (said, status) = folder.check_by("horn", SAFE, &[]);
    assert!(status != 0 && status != 1 && said.contains("--solver z3"), "{said}");
}
