//! JUnit's XML: a suite of tests for each file, a test for each verdict.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{Entry, play};
use crate::shape::answer::Verdict;

/// The report as XML. UNSAFE is a failure; UNKNOWN, and a file with errors, is an error.
pub fn text(entries: &[Entry]) -> String {
    let mut report = Report::new("agon");
    report.add_test_suites(entries.iter().map(suite));
    xml(&report)
}

/// A report as XML.
pub(super) fn xml(report: &Report) -> String {
    let xml = report.to_string().expect("a report is written to memory");
    if xml.ends_with('\n') { xml } else { xml + "\n" }
}

/// The tests of a file.
fn suite(entry: &Entry) -> TestSuite {
    let mut suite = TestSuite::new(entry.file());
    if let Entry::Answer(answer) = entry
        && let Some(seconds) = answer.seconds
    {
        suite.set_time(Duration::from_secs_f64(seconds));
    }
    for item in entry.verdicts() {
        let rule = item.rule();
        let status = match item.finding.verdict {
            Verdict::Safe => TestCaseStatus::success(),
            Verdict::Unsafe => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_type(rule.id).set_message(item.message());
                status.set_description(play(entry.file(), &item.finding.play));
                status
            }
            Verdict::Unknown => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
                status.set_type("unknown").set_message(item.message());
                status
            }
        };
        let name = match item.place {
            Some(place) => format!("{}:{} {}", place.line, place.column, item.name()),
            None => item.name().into(),
        };
        let mut case = TestCase::new(name, status);
        case.set_classname(entry.file());
        if let Some(assumptions) = &item.finding.assumptions {
            let bounds =
                item.finding.up_to.as_ref().map_or(String::new(), |_| format!("{}\n", item.message()));
            case.set_system_out(format!("{bounds}assumed:\n{}", assumptions.join("\n")));
        }
        suite.add_test_case(case);
    }
    if let Entry::Errors(errors) = entry {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        let message = errors.diagnostics.first().map_or(String::new(), |first| first.message.clone());
        status.set_type("unreadable").set_message(message);
        let line = |diagnostic: &crate::shape::diagnostic::Diagnostic| {
            let place = diagnostic.place.as_ref().map_or(String::new(), |place| {
                let file = place.file.as_deref().unwrap_or(&errors.file);
                format!("{file}:{}:{}: ", place.line, place.column)
            });
            let code = diagnostic.code.as_deref().unwrap_or("");
            format!("{place}{code} {}\n", diagnostic.message)
        };
        status.set_description(errors.diagnostics.iter().map(line).collect::<String>());
        let mut case = TestCase::new("read", status);
        case.set_classname(entry.file());
        suite.add_test_case(case);
    }
    suite
}
