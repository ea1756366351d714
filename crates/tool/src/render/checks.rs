//! Lists of verdicts: one for each check of the text, or for each of several targets.

use std::fmt::Write;

use agon_base::budget::Budget;
use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::source::{Source, Span};
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
pub fn worst<P, E>(reports: &[agon_check::verdict::Report<P, E>]) -> Option<usize> {
    let weight = |report: &agon_check::verdict::Report<P, E>| match &report.verdict {
        Verdict::Safe => 0,
        Verdict::Unknown(reason) if !reason.is_bug() => 1,
        Verdict::Unsafe(..) => 2,
        Verdict::Unknown(_) => 3,
    };
    // The first of those with the greatest weight.
    (0..reports.len()).rev().max_by_key(|n| weight(&reports[*n]))
}

/// One verdict of a list.
pub struct Row {
    /// The place of the check, if it is one.
    pub place: Option<String>,
    /// The text of the check, or the move.
    pub what: String,
    /// The verdict in a word.
    pub word: &'static str,
    /// Whether it was shown that no play reaches the check.
    pub never_reached: bool,
    /// Why there is no verdict.
    pub reason: Option<String>,
    /// The whole answer, if the target can be reached.
    pub answer: Option<String>,
}

/// The list as text: a line for each verdict, then the plays.
pub fn text(
    session: &Session,
    questions: &[Question],
    reports: &[Report],
    verbose: bool,
    budget: &Budget,
) -> String {
    let row = |(question, report): (&Question, &Report)| Row {
        place: question.check.map(|check| place(&session.source, check.span)),
        what: what(session, question),
        word: report.verdict.word(),
        never_reached: is_never_reached(question, report),
        reason: match &report.verdict {
            Verdict::Unknown(reason) => Some(why(session, reason)),
            _ => None,
        },
        answer: match &report.verdict {
            Verdict::Unsafe(play, _) => {
                let stores = verbose.then(|| store::stores(session, play, budget)).flatten();
                Some(answer(session, question, report, verbose, stores.as_deref()))
            }
            _ => None,
        },
    };
    let rows: Vec<Row> = questions.iter().zip(reports).map(row).collect();
    let word = worst(reports).map_or("SAFE", |n| reports[n].verdict.word());
    listed(word, &rows)
}

/// A list of verdicts, of which this is the worst.
pub fn listed(word: &str, rows: &[Row]) -> String {
    let undecided = rows.iter().filter(|row| row.reason.is_some()).count();
    let fail = rows.iter().filter(|row| row.answer.is_some()).count();
    let (things, fails) = match rows.iter().all(|row| row.place.is_some()) {
        true => ("checks", "can fail"),
        false => ("targets", "can be reached"),
    };
    let total = rows.len();
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
    let said = |row: &Row| if row.never_reached { "never reached" } else { row.word };
    let places = rows.iter().flat_map(|row| &row.place).map(String::len).max().unwrap_or(0);
    let words = rows.iter().map(|row| said(row).len()).max().unwrap_or(0);
    if !rows.is_empty() {
        text.push('\n');
    }
    for row in rows {
        let place = row.place.as_deref().unwrap_or("");
        let place = if places == 0 { String::new() } else { format!("{place:>places$}  ") };
        let reason = row.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
        let _ = writeln!(text, "  {place}{:<words$}  {}{reason}", said(row), row.what);
    }
    for row in rows {
        if let Some(answer) = &row.answer {
            let place = row.place.as_ref().map_or(String::new(), |place| format!("{place}  "));
            let _ = write!(text, "\n{place}{}: {answer}", row.what);
        }
    }
    text
}

/// The line and the column of a place, behind the name of the file if it is not the first of several.
pub fn place(source: &Source, span: Span) -> String {
    let (file, line, column) = source.place(span.start);
    match file == source.name {
        true => format!("{line}:{column}"),
        false => format!("{file}:{line}:{column}"),
    }
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
    Answer { checks: Some(checks), ..json::answer(&session.source, finding, cost) }
}

/// A kind of check as data.
pub fn kind(kind: Kind) -> CheckKind {
    match kind {
        Kind::Abort => CheckKind::Abort,
        Kind::Assertion => CheckKind::Assertion,
        Kind::Index => CheckKind::Index,
        Kind::Division => CheckKind::Division,
        Kind::Shift => CheckKind::Shift,
        Kind::Overflow => CheckKind::Overflow,
        Kind::Uninitialised => CheckKind::Uninitialised,
        Kind::Null => CheckKind::Null,
        Kind::NullPointer => CheckKind::NullPointer,
        Kind::Pointer => CheckKind::Pointer,
        Kind::Dead => CheckKind::Dead,
        Kind::Constant => CheckKind::Constant,
        Kind::Overlap => CheckKind::Overlap,
        Kind::Free => CheckKind::Free,
        Kind::Leak => CheckKind::Leak,
        Kind::Lock => CheckKind::Lock,
        Kind::Unlock => CheckKind::Unlock,
        Kind::Deadlock => CheckKind::Deadlock,
        Kind::Join => CheckKind::Join,
        Kind::Race => CheckKind::Race,
        Kind::Bound(_) => CheckKind::Bound,
    }
}

/// What happens where a check of a kind fails, in words.
pub fn fails_by(kind: Kind) -> &'static str {
    match kind {
        Kind::Abort => "a call that is a failure",
        Kind::Assertion => "an assertion that fails",
        Kind::Index => "an index out of bounds",
        Kind::Division => "a division by zero",
        Kind::Shift => "a shift by too much",
        Kind::Overflow => "an overflow",
        Kind::Uninitialised => "a read of something that was never set",
        Kind::Null => "a call through a null pointer",
        Kind::NullPointer => "a null pointer that is followed",
        Kind::Pointer => "a pointer that leaves its object",
        Kind::Dead => "a use of an object that does not exist any more",
        Kind::Constant => "a write to something that is constant",
        Kind::Overlap => "a copy of memory to itself",
        Kind::Free => "a wrong call of `free`",
        Kind::Leak => "memory that is not freed",
        Kind::Lock | Kind::Unlock => "a wrong use of a mutex",
        Kind::Deadlock => "threads that wait for each other",
        Kind::Join => "a wait for a thread that is not there",
        Kind::Race => "a data race",
        Kind::Bound(_) => "a bound that is met",
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
            Kind::Shift => ("no play reaches this shift", "its amount is allowed whatever it is"),
            Kind::Overflow => {
                ("no play reaches this operation", "it fits its type whatever the operands are")
            }
            Kind::Uninitialised => ("no play reaches this use", "it reads nothing that was not written"),
            Kind::Null => ("no play reaches this call", "it calls a function whatever the value is"),
            Kind::NullPointer | Kind::Pointer | Kind::Dead => {
                ("no play reaches this use of a pointer", "it is allowed whatever the pointer is")
            }
            Kind::Constant => ("no play reaches this assignment", "it changes nothing that is constant"),
            Kind::Overlap => ("no play reaches this call", "it copies nothing to itself"),
            Kind::Free => ("no play reaches this call", "it frees what may be freed"),
            Kind::Leak => ("no play reaches this end", "all memory was freed there"),
            Kind::Lock | Kind::Unlock | Kind::Deadlock => {
                ("no play reaches this mutex", "it is used well whichever thread holds it")
            }
            Kind::Join => ("no play reaches this thread's end", "the thread is there whichever it is"),
            Kind::Race => ("no play reaches this access", "no other thread accesses the cell then"),
            Kind::Bound(_) => ("no play reaches this bound", "it is not met"),
        };
        warnings.push(Diagnostic::warning(Code::Unreached, message, check.span, "never reached").note(note));
    }
    warnings
}
