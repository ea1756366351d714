//! SARIF 2.1.0: results with their places and plays, for viewers and for code scanning.
//!
//! An UNSAFE verdict is a result that fails, with the play as a code flow: a thread flow for each thread, a location for each
//! move. An UNKNOWN verdict is a result that is open. A SAFE verdict is a note about the run, since readers of results take
//! each of them for an alert; so are the assumptions of a verdict. The errors of a file are errors of the run.

mod flow;
mod log;

use std::collections::BTreeMap;

use super::{Entry, Item, Rule, uri, word};
use crate::shape;
use crate::shape::answer::Verdict;
use crate::shape::diagnostic::{Diagnostic, Place, Severity};
use log::{
    ArtifactLocation, Descriptor, Driver, Invocation, Location, Log, Message, Notification, PhysicalLocation,
    Region, Reported, Run, Tool,
};

/// The report as JSON.
pub fn text(entries: &[Entry]) -> String {
    shape::pretty(&log(entries))
}

/// The report as data.
fn log(entries: &[Entry]) -> Log {
    let mut rules = Rules::default();
    let mut results = Vec::new();
    let mut notifications = Vec::new();
    for entry in entries {
        let file = entry.file();
        for item in entry.verdicts() {
            let assumptions = item.finding.assumptions.iter().flatten();
            let assumed = assumptions.map(|line| format!("assumed: {line}"));
            match item.finding.verdict {
                Verdict::Safe => {
                    let safe = format!("{}  {}", word(item.finding), item.message());
                    let notes = [safe].into_iter().chain(assumed);
                    notifications.extend(notes.map(|text| note(file, item.place, text)));
                }
                Verdict::Unsafe | Verdict::Unknown => {
                    results.push(result(file, &item, &mut rules));
                    notifications.extend(assumed.map(|text| note(file, item.place, text)));
                }
            }
        }
        for diagnostic in entry.diagnostics() {
            match diagnostic.severity {
                Severity::Warning => results.push(warning(file, diagnostic, &mut rules)),
                Severity::Error => notifications.push(error(file, diagnostic)),
            }
        }
    }
    let successful = entries.iter().all(|entry| matches!(entry, Entry::Answer(_)));
    Log::of(Run {
        tool: Tool { driver: Driver { name: "agon", version: env!("CARGO_PKG_VERSION"), rules: rules.list } },
        invocations: [Invocation {
            execution_successful: successful,
            tool_execution_notifications: notifications,
        }],
        column_kind: "unicodeCodePoints",
        results,
    })
}

/// The rules that results refer to by their index.
#[derive(Default)]
struct Rules {
    list: Vec<Descriptor>,
}

impl Rules {
    /// The index of a rule.
    fn index(&mut self, id: &str, name: &str, says: &str) -> usize {
        self.list.iter().position(|rule| rule.id == id).unwrap_or_else(|| {
            let name = (!name.is_empty()).then(|| name.to_string());
            self.list.push(Descriptor { id: id.into(), name, short_description: Message::of(says) });
            self.list.len() - 1
        })
    }
}

/// A verdict that is not SAFE.
fn result(file: &str, item: &Item<'_>, rules: &mut Rules) -> Reported {
    let Rule { id, name, says } = item.rule();
    let finding = item.finding;
    let is_unsafe = finding.verdict == Verdict::Unsafe;
    let function = finding.play.last().and_then(|step| step.name.as_deref()).unwrap_or("");
    let what = finding.cause.as_ref().map_or(item.name(), |cause| &cause.text);
    let stuck = finding.stuck.iter().flatten().enumerate();
    Reported {
        rule_id: id.into(),
        rule_index: rules.index(id, name, says),
        kind: if is_unsafe { "fail" } else { "open" },
        level: if is_unsafe { "error" } else { "none" },
        message: Message::of(item.message()),
        locations: vec![located(file, item.place())],
        related_locations: stuck
            .map(|(n, place)| Location {
                id: Some(n),
                message: Some(Message::of("a thread is stuck here")),
                ..located(file, Some(place))
            })
            .collect(),
        code_flows: flow::code_flows(file, finding),
        // The same failure in the next version of the file, whatever its line and its values are.
        partial_fingerprints: BTreeMap::from([("agon/v1", format!("{id} {function} {what}"))]),
    }
}

/// A warning about the program.
fn warning(file: &str, diagnostic: &Diagnostic, rules: &mut Rules) -> Reported {
    let id = diagnostic.code.clone().unwrap_or_default();
    Reported {
        rule_index: rules.index(&id, "", &diagnostic.message),
        rule_id: id,
        kind: "fail",
        level: "warning",
        message: Message::of(&*diagnostic.message),
        locations: vec![located(file, diagnostic.place.as_ref())],
        related_locations: Vec::new(),
        code_flows: Vec::new(),
        partial_fingerprints: BTreeMap::new(),
    }
}

/// An error in a file.
fn error(file: &str, diagnostic: &Diagnostic) -> Notification {
    let help = diagnostic.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
    let code = diagnostic.code.as_ref().map_or(String::new(), |code| format!("{code}: "));
    Notification {
        level: "error",
        message: Message::of(format!("{code}{}{help}", diagnostic.message)),
        locations: vec![located(file, diagnostic.place.as_ref())],
    }
}

/// A remark about a verdict.
fn note(file: &str, place: Option<&Place>, text: String) -> Notification {
    Notification { level: "note", message: Message::of(text), locations: vec![located(file, place)] }
}

/// A place in a file, or the whole file.
fn located(file: &str, place: Option<&Place>) -> Location {
    let file = place.and_then(|place| place.file.as_deref()).unwrap_or(file);
    Location {
        id: None,
        message: None,
        physical_location: PhysicalLocation {
            artifact_location: ArtifactLocation { uri: uri(file) },
            region: place.map(|place| Region {
                start_line: place.line,
                start_column: place.column,
                end_line: place.end_line,
                end_column: place.end_column,
            }),
        },
    }
}
