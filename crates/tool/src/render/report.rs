//! Reports for other programs: what a run of `agon check` or `agon equiv` found in all its files, in the formats that build servers read.

pub mod claims;
pub mod github;
pub mod junit;
pub mod sarif;

use crate::render::module::up_to;
use crate::shape::answer::{Answer, Cause, CheckKind, Finding, Verdict};
use crate::shape::diagnostic::{Diagnostic, Diagnostics, Place};
use crate::shape::play::{Player, Step};

/// What was found in one file.
pub enum Entry {
    /// Verdicts.
    Answer(Box<Answer>),
    /// The file has errors, so there is no verdict.
    Errors(Diagnostics),
}

impl Entry {
    /// The file.
    fn file(&self) -> &str {
        match self {
            Entry::Answer(answer) => &answer.file,
            Entry::Errors(errors) => &errors.file,
        }
    }

    /// The verdicts.
    fn verdicts(&self) -> Vec<Item<'_>> {
        let Entry::Answer(answer) = self else { return Vec::new() };
        match &answer.checks {
            None => vec![Item { finding: &answer.finding, what: None, place: None, kind: None }],
            Some(checks) => checks
                .iter()
                .map(|check| Item {
                    finding: &check.finding,
                    what: check.what.as_deref(),
                    place: check.place.as_ref(),
                    kind: check.kind,
                })
                .collect(),
        }
    }

    /// Errors, and warnings beside a verdict.
    fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Entry::Answer(answer) => answer.warnings.as_deref().unwrap_or_default(),
            Entry::Errors(errors) => &errors.diagnostics,
        }
    }
}

/// A verdict about a target or a check.
struct Item<'a> {
    finding: &'a Finding,
    /// The text of the check.
    what: Option<&'a str>,
    /// The place of the check.
    place: Option<&'a Place>,
    /// The kind of check.
    kind: Option<CheckKind>,
}

/// A property that a program may violate: its identifier, its name, what it says.
struct Rule {
    id: &'static str,
    name: &'static str,
    says: &'static str,
}

const TARGET: Rule = Rule {
    id: "agon/target",
    name: "Target",
    says: "No environment brings about the move that is asked for.",
};
const ASSUMPTION: Rule = Rule {
    id: "agon/assumption",
    name: "Assumption",
    says: "The program makes no play that the assumption does not allow.",
};
const DEADLOCK: Rule = rule(CheckKind::Deadlock);
const EQUIVALENCE: Rule = Rule {
    id: "agon/equivalence",
    name: "Equivalence",
    says: "No environment tells the two versions of a program apart.",
};
const APPROXIMATION: Rule = Rule {
    id: "agon/approximation",
    name: "Approximation",
    says: "Every complete play of the first program is one of the second.",
};

/// The property behind a kind of check.
const fn rule(kind: CheckKind) -> Rule {
    let (id, name, says) = match kind {
        CheckKind::Abort => ("agon/abort", "Abort", "No environment makes the program abort."),
        CheckKind::Assertion => ("agon/assert", "Assertion", "Every assertion holds."),
        CheckKind::Index => ("agon/bounds", "Bounds", "Every index is within the bounds of its array."),
        CheckKind::Division => ("agon/division", "Division", "No divisor is zero."),
        CheckKind::Shift => ("agon/shift", "Shift", "Every shift is by less than the width of the type."),
        CheckKind::Overflow => ("agon/overflow", "Overflow", "No operation overflows its type."),
        CheckKind::Uninitialised => {
            ("agon/uninitialised", "Uninitialised", "Nothing is read before it is set.")
        }
        CheckKind::Null => ("agon/null", "Null", "No function is called through a null pointer."),
        CheckKind::NullPointer => ("agon/null-pointer", "NullPointer", "No null pointer is followed."),
        CheckKind::Pointer => ("agon/pointer", "Pointer", "Every pointer stays within its object."),
        CheckKind::Dead => ("agon/use-after-end", "UseAfterEnd", "No object is used after its life."),
        CheckKind::Constant => ("agon/constant", "Constant", "Nothing that is constant is written."),
        CheckKind::Overlap => ("agon/overlap", "Overlap", "Nothing is copied to a place that overlaps it."),
        CheckKind::Free => ("agon/free", "Free", "Only what is allocated is freed, and once."),
        CheckKind::Leak => ("agon/leak", "Leak", "All memory is freed when the program ends."),
        CheckKind::Lock => ("agon/self-deadlock", "SelfDeadlock", "No thread takes a mutex that it holds."),
        CheckKind::Unlock => ("agon/unlock", "Unlock", "No thread frees a mutex that it does not hold."),
        CheckKind::Deadlock => (
            "agon/deadlock",
            "Deadlock",
            "No threads wait for each other in a circle, and no run gets stuck.",
        ),
        CheckKind::Join => ("agon/join", "Join", "Every thread that is waited for is there, once."),
        CheckKind::Race => ("agon/data-race", "DataRace", "No two threads use one cell in no order."),
        CheckKind::Bound => ("agon/bound", "Bound", "No bound of the model is met."),
    };
    Rule { id, name, says }
}

impl Item<'_> {
    /// The property that is asked about.
    fn rule(&self) -> Rule {
        let kind = self.finding.cause.as_ref().map(|cause| cause.kind).or(self.kind);
        match (kind, self.finding.target.as_str()) {
            (Some(kind), _) => rule(kind),
            (None, "deadlock") => DEADLOCK,
            (None, "assumption") => ASSUMPTION,
            (None, "equivalence") => EQUIVALENCE,
            (None, "approximation") => APPROXIMATION,
            (None, "abort" | "fail") => rule(CheckKind::Abort),
            (None, _) => TARGET,
        }
    }

    /// What is asked about, in a few words.
    fn name(&self) -> &str {
        self.what.unwrap_or(&self.finding.target)
    }

    /// The verdict in a sentence.
    fn message(&self) -> String {
        let target = &self.finding.target;
        match (self.finding.verdict, &self.finding.cause) {
            (Verdict::Unknown, _) => self.finding.reason.clone().unwrap_or_default(),
            (Verdict::Unsafe, Some(cause)) => cause.message.clone(),
            (Verdict::Unsafe, None) => match target.as_str() {
                "deadlock" => "a run deadlocks".into(),
                "assumption" => "the program makes a play that the assumption does not allow".into(),
                "equivalence" | "approximation" => self.finding.reason.clone().unwrap_or_default(),
                "abort" | "fail" => "an environment makes it fail".into(),
                _ => format!("an environment reaches `{target}`"),
            },
            (Verdict::Safe, _) => {
                let holds = match (self.what, target.as_str()) {
                    (Some(what), _) => format!("`{what}` cannot fail"),
                    (None, "deadlock") => "no run deadlocks".into(),
                    (None, "assumption") => "the program satisfies the assumption".into(),
                    (None, "equivalence") => "no environment tells the two versions apart".into(),
                    (None, "approximation") => "every complete play of the first is one of the second".into(),
                    (None, "abort" | "fail") => "no environment makes it fail".into(),
                    (None, _) => format!("no environment reaches `{target}`"),
                };
                up_to(self.finding.up_to.as_deref().unwrap_or_default()) + &holds
            }
        }
    }

    /// Where the program is wrong: where it fails, or where it makes its last move.
    fn place(&self) -> Option<&Place> {
        let failed = self.finding.cause.as_ref().map(|cause: &Cause| &cause.place);
        let last = || self.finding.play.iter().rev().find_map(|step| step.place.as_ref());
        failed.or(self.place).or_else(last)
    }
}

/// The verdict as it is written in text.
fn word(finding: &Finding) -> &'static str {
    match (finding.verdict, finding.target.as_str()) {
        (Verdict::Safe, "equivalence") => "EQUIVALENT",
        (Verdict::Unsafe, "equivalence") => "INEQUIVALENT",
        (Verdict::Safe, "approximation") => "APPROXIMATES",
        (Verdict::Unsafe, "approximation") => "DOES NOT APPROXIMATE",
        (Verdict::Safe, _) => "SAFE",
        (Verdict::Unsafe, _) => "UNSAFE",
        (Verdict::Unknown, _) => "UNKNOWN",
    }
}

/// A play as text, a line for each move, indented by nesting.
fn play(file: &str, steps: &[Step]) -> String {
    let line = |step: &Step| {
        let indent = "  ".repeat(step.depth.unwrap_or(0));
        let player = match step.player {
            Player::O => "environment",
            Player::P => "program    ",
            Player::Hidden => "           ",
        };
        let thread = step.thread.map_or(String::new(), |thread| format!("thread {thread}  "));
        let place = step.place.as_ref().map_or(String::new(), |place| {
            format!("  ({}:{}:{})", place.file.as_deref().unwrap_or(file), place.line, place.column)
        });
        format!("{thread}{player}  {indent}{}{place}\n", step.made)
    };
    steps.iter().map(line).collect()
}

/// The path of a file as a reference: an absolute path with its scheme, a relative path as it is.
pub fn uri(path: &str) -> String {
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.into() };
    let path = path.strip_prefix("./").unwrap_or(&path);
    let mut written = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                written.push(char::from(byte));
            }
            _ => written += &format!("%{byte:02X}"),
        }
    }
    if path.starts_with('/') { format!("file://{written}") } else { written }
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_are_references() {
        assert_eq!(uri("src/lib.c"), "src/lib.c");
        assert_eq!(uri("./a b.c"), "a%20b.c");
        assert_eq!(uri("/tmp/ä:1.c"), "file:///tmp/%C3%A4%3A1.c");
        assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
    }
}
