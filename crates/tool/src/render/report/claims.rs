//! What `agon test` found, as text and as JUnit's XML.

use std::fmt::Write;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::junit::xml;
use crate::shape::tests::{Outcome, TestResult, Tests};

/// A line for a claim; below it what was found instead, and the command that finds it.
pub fn line(result: &TestResult) -> String {
    let word = match result.outcome {
        Outcome::Holds => "holds",
        Outcome::Wrong => "WRONG",
        Outcome::Undecided => "UNKNOWN",
        Outcome::Error => "ERROR",
        Outcome::Skipped => "skipped",
    };
    let mut text = format!("{word:<8} {}", result.file);
    if !result.claim.is_empty() {
        let _ = write!(text, "  {}", result.claim);
    }
    text.push('\n');
    if let Some(message) = &result.message {
        let _ = writeln!(text, "         {message}");
        if !result.command.is_empty() {
            let words = result.command.iter().map(String::as_str);
            let _ = writeln!(text, "         agon {}", quoted(words));
        }
    }
    text
}

/// A command as it is typed in a shell.
fn quoted<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let quoted = |word: &'a str| shlex::try_quote(word).map_or(word.to_string(), |word| word.into_owned());
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// All results in one line.
pub fn summary(tests: &Tests) -> String {
    let count = |outcome: Outcome| tests.results.iter().filter(|result| result.outcome == outcome).count();
    let claims = tests.results.len();
    let mut text =
        format!("{claims} claim{}: {} hold", if claims == 1 { "" } else { "s" }, count(Outcome::Holds));
    for (outcome, word) in [
        (Outcome::Wrong, "wrong"),
        (Outcome::Undecided, "undecided"),
        (Outcome::Error, "with errors"),
        (Outcome::Skipped, "skipped"),
    ] {
        if count(outcome) > 0 {
            let _ = write!(text, ", {} {word}", count(outcome));
        }
    }
    match tests.results.iter().filter(|result| result.cached == Some(true)).count() {
        0 => {}
        n => _ = write!(text, "; {n} from the cache"),
    }
    match tests.without_claims.len() {
        0 => {}
        1 => text += "; 1 file claims nothing",
        n => _ = write!(text, "; {n} files claim nothing"),
    }
    text + "\n"
}

/// JUnit's XML: a suite for each file, a test for each claim.
pub fn junit(tests: &Tests) -> String {
    let mut report = Report::new("agon");
    for results in tests.results.chunk_by(|one, next| one.file == next.file) {
        let mut suite = TestSuite::new(results[0].file.as_str());
        for result in results {
            let mut status = match result.outcome {
                Outcome::Holds => TestCaseStatus::success(),
                Outcome::Skipped => TestCaseStatus::skipped(),
                Outcome::Wrong => TestCaseStatus::non_success(NonSuccessKind::Failure),
                Outcome::Undecided | Outcome::Error => TestCaseStatus::non_success(NonSuccessKind::Error),
            };
            match result.outcome {
                Outcome::Wrong => _ = status.set_type("wrong"),
                Outcome::Undecided => _ = status.set_type("unknown"),
                Outcome::Error => _ = status.set_type("error"),
                Outcome::Holds | Outcome::Skipped => {}
            }
            if let Some(message) = &result.message {
                status.set_message(message.as_str());
                status.set_description(line(result));
            }
            let name = if result.claim.is_empty() { "claims" } else { result.claim.as_str() };
            let mut case = TestCase::new(name, status);
            case.set_classname(result.file.as_str());
            if let Some(seconds) =
                result.seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            {
                case.set_time(seconds);
            }
            suite.add_test_case(case);
        }
        report.add_test_suite(suite);
    }
    xml(&report)
}
