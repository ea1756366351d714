//! Deciding a property of a closed program.
//!
//! A failure that the property does not state is either an end that C defines, as that of an assertion, or behaviour that C leaves
//! undefined. A program holds a property only if none of its runs is undefined.

use agon_check::library::threads::{self, Checked, Threaded};
use agon_check::library::{Question, Report, Verdict};
use agon_check::verdict::Reason;
use agon_core::checks::Kind;

use super::property::Property;
use crate::render::checks::fails_by;
use crate::session::module::ModuleSession;

/// A property that was decided, or not.
pub struct Decided {
    /// The question that decided it.
    pub question: Question,
    /// The report about that.
    pub checked: Checked,
    /// The answer in SV-COMP's words.
    pub answer: String,
}

/// Asks whether a program has a property. `ask` answers a question; the first one may take a part of the time only.
pub fn decide(
    session: &ModuleSession,
    property: &Property,
    mut ask: impl FnMut(&Question, bool) -> Checked,
) -> Decided {
    let unknown = |reason: Reason| Decided {
        question: Question::Fails,
        checked: Checked {
            sequential: Report::new(Verdict::Unknown(reason), "auto"),
            threaded: None,
            up_to: Vec::new(),
        },
        answer: "unknown".into(),
    };
    if !property.is_supported() {
        return unknown(Reason::Unsupported("this property".into()));
    }
    let all = ask(&Question::Fails, true);
    let failed = failed(&all);
    let decided = |question, checked, answer: &str| Decided { question, checked, answer: answer.into() };
    if let Some(name) = failed.and_then(|kind| property.violated(kind)) {
        return decided(Question::Fails, all, &format!("false({name})"));
    }
    if is_safe(&all) {
        return decided(Question::Fails, all, "true");
    }
    // Something else fails, or there is no verdict: what the property states is asked for alone.
    let mut kinds: Vec<Kind> = session.module().checks().into_iter().map(|check| check.kind).collect();
    kinds.extend(property.is_about_races().then_some(Kind::Race));
    kinds.sort_unstable();
    kinds.dedup();
    let allocates = kinds.contains(&Kind::Leak);
    let (stated, others): (Vec<Kind>, Vec<Kind>) =
        kinds.into_iter().partition(|kind| property.violated(*kind).is_some());
    let mut open = None;
    for kind in stated {
        let question = Question::FailsAs(kind);
        let checked = ask(&question, false);
        match (checked.failure(), property.violated(kind)) {
            (Some(_), Some(name)) => return decided(question, checked, &format!("false({name})")),
            _ if is_safe(&checked) => {}
            _ => open = Some((question, checked)),
        }
    }
    if let Some((question, checked)) = open {
        return decided(question, checked, "unknown");
    }
    // A run that ends where something fails was not asked whether it has lost memory.
    let loses = property.is_about_lost_memory() && allocates;
    let ends = |kind: Kind| loses && is_defined(kind) && kind != Kind::Leak;
    if let Some(kind) = failed.filter(|kind| ends(*kind)) {
        return unknown(Reason::Undefined(fails_by(kind).into()));
    }
    // Whether a run is undefined.
    for kind in others.into_iter().filter(|kind| !is_defined(*kind) || ends(*kind)) {
        if failed == Some(kind) || !is_safe(&ask(&Question::FailsAs(kind), false)) {
            return unknown(Reason::Undefined(fails_by(kind).into()));
        }
    }
    // No run violates it, and none is undefined; some may end otherwise.
    let sequential = Report::new(Verdict::Safe, all.sequential.engine);
    let threaded = all.threaded.map(|threaded| Threaded {
        report: threads::Report::new(agon_check::verdict::Verdict::Safe, threaded.report.engine),
        ..threaded
    });
    decided(Question::Fails, Checked { sequential, threaded, up_to: Vec::new() }, "true")
}

/// Whether C says how a program ends where a check of this kind fails.
fn is_defined(kind: Kind) -> bool {
    // A thread that waits for ever does nothing wrong in terms of C, and neither does a program that keeps its memory.
    matches!(kind, Kind::Abort | Kind::Assertion | Kind::Deadlock | Kind::Lock | Kind::Leak)
}

/// Whether the answer is SAFE without any bound.
fn is_safe(checked: &Checked) -> bool {
    matches!(checked.overall().verdict, agon_check::verdict::Verdict::Safe) && checked.up_to.is_empty()
}

/// The kind of the check that fails, if one does.
fn failed(checked: &Checked) -> Option<Kind> {
    checked.failure().map(|failure| failure.check.kind)
}
