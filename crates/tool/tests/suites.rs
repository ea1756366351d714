//! The suites of C programs with `main`, and of libraries that use pointers: a table of what `agon check` says about each task within
//! ten seconds.
//!
//! ```text
//! cargo test -p agon --test suites -- --ignored --nocapture
//! ```
//!
//! No answer may be wrong, and at least 85 % of the tasks must be decided.

#[allow(dead_code, reason = "the tests of the reader use the rest")]
#[path = "../../c/tests/claims/mod.rs"]
mod claims;
#[allow(dead_code, reason = "the tests of the reader use the rest")]
#[path = "../../c/tests/gcc/mod.rs"]
mod gcc;
#[allow(dead_code, reason = "the tests of the reader use the rest")]
#[path = "../../c/tests/sources/mod.rs"]
mod sources;

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Instant;

use agon_c::claims::{Case, Expected};
use claims::{File, corpus};

/// The folders of the corpus that are suites.
const SUITES: [&str; 6] = ["closed", "concurrent", "structures", "unions", "heap", "pointers"];
/// How many seconds each task has.
const SECONDS: &str = "10";

/// What was said about the tasks of a suite.
#[derive(Default)]
struct Row {
    right: usize,
    open: usize,
    wrong: usize,
    seconds: f64,
}

/// The first word of the answer, and the seconds that it took.
fn answer(file: &File, case: &Case) -> (String, f64) {
    let started = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
    command.arg("check").arg(&file.path).args(&case.options).args(["-q", "--time-limit", SECONDS]);
    let output = command.output().expect("agon can be run");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let first = said.split_whitespace().next().unwrap_or("nothing").to_string();
    (first, started.elapsed().as_secs_f64())
}

#[test]
#[ignore = "it takes minutes, and judges by the clock"]
fn tasks_are_decided_in_ten_seconds() {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    for file in corpus() {
        let Some(suite) = SUITES.into_iter().find(|suite| file.name.starts_with(&format!("{suite}/"))) else {
            continue;
        };
        for case in file.claims.cases.iter().filter(|case| case.target.is_none()) {
            let expected = match &case.verdict {
                Expected::Safe(_) => "SAFE",
                Expected::Unsafe(_) => "UNSAFE",
                Expected::Refused(_) | Expected::Unknown => continue,
            };
            let (said, seconds) = answer(&file, case);
            let row = rows.entry(suite).or_default();
            row.seconds += seconds;
            match said.as_str() {
                "UNKNOWN" => row.open += 1,
                said if said == expected => row.right += 1,
                _ => row.wrong += 1,
            }
            let name = format!("{} {}", file.name, case.options.join(" "));
            println!("{name:50} {expected:7} {said:8} {seconds:6.2} s");
        }
    }
    println!("\n{:12} {:>6} {:>6} {:>6} {:>6} {:>8}", "suite", "tasks", "right", "open", "wrong", "seconds");
    let mut all = Row::default();
    for (suite, row) in &rows {
        let Row { right, open, wrong, seconds } = row;
        println!("{suite:12} {:6} {right:6} {open:6} {wrong:6} {seconds:8.1}", right + open + wrong);
        all.right += right;
        all.open += open;
        all.wrong += wrong;
        all.seconds += seconds;
    }
    let tasks = all.right + all.open + all.wrong;
    println!("{:12} {tasks:6} {:6} {:6} {:6} {:8.1}", "all", all.right, all.open, all.wrong, all.seconds);
    assert_eq!(all.wrong, 0, "a verdict is wrong");
    assert!(tasks >= 150 && 100 * all.right >= 85 * tasks, "{} of {tasks} are decided", all.right);
}
