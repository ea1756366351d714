//! Lists of verdicts: one for each check of the text, or for each of several targets.

use std::fmt::Write;

use agon_base::budget::Budget;
use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::source::Span;
use agon_check::question::Question;
use agon_check::verdict::{Report, Verdict};
use agon_core::checks::{Check, Kind};
use agon_games::moves::{Label, ThreadMove};

use super::answer::{answer, why};
use super::json::{self, Cost};
use super::store;
use crate::session::Session;
use crate::shape::answer::{self as shape, Answer, CheckKind};

/// The move that a question is about, as it is written.
pub fn target(session: &Session, question: &Question) -> String {
    let threads = question.threads.clone();
    session.arena.show_threaded(&ThreadMove { m: question.target.clone(), threads })
}

/// What a question is about: the text of a check, or a move.
fn what(session: &Session, question: &Question) -> String {
    match question.check {
        Some(check) => session.source.excerpt(check.span),
        None => target(session, question),
    }
}

/// Whether it was shown that no play reaches a check. Of an `abort` this is the verdict itself, so it is not reported.
fn is_never_reached(question: &Question, report: &Report) -> bool {
    let is_vacuous = |check: Check| check.kind != Kind::Abort && report.unreached().contains(&check);
    matches!(report.verdict, Verdict::Safe) && question.check.is_some_and(is_vacuous)
}

/// The index of the worst report, if there is any: bug, UNSAFE, UNKNOWN, SAFE.
pub fn worst(reports: &[Report]) -> Option<usize> {
    let weight = |report: &Report| match &report.verdict {
        Verdict::Safe => 0,
        Verdict::Unknown(reason) if !reason.is_bug() => 1,
        Verdict::Unsafe(..) => 2,
        Verdict::Unknown(_) => 3,
    };
    // The first of those with the greatest weight.
    (0..reports.len()).rev().max_by_key(|n| weight(&reports[*n]))
}

/// The list as text: a line for each verdict, then the plays.
pub fn text(
    session: &Session,
    questions: &[Question],
    reports: &[Report],
    verbose: bool,
    budget: &Budget,
) -> String {
    let count = |is: fn(&Verdict) -> bool| reports.iter().filter(|report| is(&report.verdict)).count();
    let fail = count(|verdict| matches!(verdict, Verdict::Unsafe(..)));
    let undecided = count(|verdict| matches!(verdict, Verdict::Unknown(_)));
    let of_checks = questions.iter().all(|question| question.check.is_some());
    let (things, fails) = match of_checks {
        true => ("checks", "can fail"),
        false => ("targets", "can be reached"),
    };
    let total = questions.len();
    let word = worst(reports).map_or("SAFE", |n| reports[n].verdict.word());
    let mut text = match (total, fail) {
        (0, _) => "SAFE  the program has no `assert`, `abort`, index or division".into(),
        (1, 0) if undecided == 0 => format!("{word}  the only check cannot fail"),
        (1, 1) => format!("{word}  the only check can fail"),
        (_, 0) if undecided == 0 => format!("{word}  none of {total} {things} {fails}"),
        (_, 0) => format!("{word}  {undecided} of {total} {things} could not be decided"),
        _ if undecided == 0 => format!("{word}  {fail} of {total} {things} {fails}"),
        _ => format!("{word}  {fail} of {total} {things} {fails}, {undecided} could not be decided"),
    };
    text.push('\n');
    let rows: Vec<(String, &str, String)> = (questions.iter().zip(reports))
        .map(|(question, report)| {
            let word = match is_never_reached(question, report) {
                true => "never reached",
                false => report.verdict.word(),
            };
            let mut what = what(session, question);
            if let Verdict::Unknown(reason) = &report.verdict {
                let _ = write!(what, ": {}", why(session, reason));
            }
            (question.check.map_or(String::new(), |check| place(session, check.span)), word, what)
        })
        .collect();
    let wide = |column: fn(&(String, &str, String)) -> usize| rows.iter().map(column).max().unwrap_or(0);
    let (places, words) = (wide(|row| row.0.len()), wide(|row| row.1.len()));
    if !rows.is_empty() {
        text.push('\n');
    }
    for (place, word, what) in &rows {
        let place = if places == 0 { String::new() } else { format!("{place:>places$}  ") };
        let _ = writeln!(text, "  {place}{word:<words$}  {what}");
    }
    for (question, report) in questions.iter().zip(reports) {
        if let Verdict::Unsafe(play, _) = &report.verdict {
            let stores = verbose.then(|| store::stores(session, play, budget)).flatten();
            let place =
                question.check.map_or(String::new(), |check| format!("{}  ", place(session, check.span)));
            let _ = write!(text, "\n{place}{}: ", what(session, question));
            text += &answer(session, question, report, verbose, stores.as_deref());
        }
    }
    text
}

fn place(session: &Session, span: Span) -> String {
    let (line, column) = session.source.line_column(span.start);
    format!("{line}:{column}")
}

/// The list as data: the worst answer, with all of them as `checks`.
pub fn data(
    session: &Session,
    questions: &[Question],
    reports: &[Report],
    cost: Cost,
    budget: &Budget,
) -> Answer {
    let one = |(question, report): (&Question, &Report)| {
        let stores = store::of_report(session, report, budget);
        shape::Check {
            finding: json::finding(session, &target(session, question), report, stores.as_deref()),
            what: question.check.map(|check| session.source.excerpt(check.span)),
            kind: question.check.map(|check| kind(check.kind)),
            place: question.check.map(|check| json::place(&session.source, check.span)),
            reached: is_never_reached(question, report).then_some(false),
        }
    };
    let checks: Vec<shape::Check> = questions.iter().zip(reports).map(one).collect();
    let finding = match worst(reports) {
        Some(n) => checks[n].finding.clone(),
        None => json::finding(session, "abort", &Report::new(Verdict::Safe, "explicit"), None),
    };
    Answer { checks: Some(checks), ..json::answer(session, finding, cost) }
}

fn kind(kind: Kind) -> CheckKind {
    match kind {
        Kind::Abort => CheckKind::Abort,
        Kind::Assertion => CheckKind::Assertion,
        Kind::Index => CheckKind::Index,
        Kind::Division => CheckKind::Division,
        Kind::Null => CheckKind::Null,
        Kind::Lock => CheckKind::Lock,
        Kind::Unlock => CheckKind::Unlock,
    }
}

/// A warning for each check that holds only because no play reaches it. A check inside of another one is left out.
pub fn unreached(question: &Question, report: &Report) -> Vec<Diagnostic> {
    if question.target.label != Label::Abort || question.check.is_some() {
        return Vec::new();
    }
    let mut around: Option<Span> = None;
    let mut warnings = Vec::new();
    for check in report.unreached().iter().filter(|check| check.kind != Kind::Abort) {
        if around.is_some_and(|outer| outer.start <= check.span.start && check.span.end <= outer.end) {
            continue;
        }
        around = Some(check.span);
        let (message, note) = match check.kind {
            Kind::Assertion => ("no play reaches this assertion", "it holds whatever its condition is"),
            Kind::Index => ("no play reaches this index", "it is in bounds whatever its value is"),
            Kind::Abort | Kind::Division => {
                ("no play reaches this division", "it has a result whatever the divisor is")
            }
            Kind::Null => ("no play reaches this call", "it calls a function whatever the value is"),
            Kind::Lock | Kind::Unlock => ("no play reaches this mutex", "it is used well whoever holds it"),
        };
        warnings.push(Diagnostic::warning(Code::Unreached, message, check.span, "never reached").note(note));
    }
    warnings
}
