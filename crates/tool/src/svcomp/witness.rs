//! Witnesses in SV-COMP's format 2.0: what a run is given and where it violates the property, or that none does.

use std::collections::BTreeMap;
use std::fmt::Write;

use agon_base::source::{Source, Span};
use agon_c::types::DataModel;
use agon_check::library::Verdict;
use agon_core::checks::Kind;
use agon_core::module::eval::Mark;
use agon_core::module::play::{Move, Play};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::property::Property;
use crate::session::module::{ModuleSession, Role};

/// The types of entries.
pub const VIOLATION: &str = "violation_sequence";
pub const CORRECTNESS: &str = "invariant_set";

/// An entry of a witness file, which is a list of them.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Entry {
    pub entry_type: String,
    pub metadata: Metadata,
    #[serde(default)]
    pub content: Vec<Item>,
}

/// What an entry is about.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Metadata {
    pub format_version: String,
    pub uuid: String,
    pub creation_time: String,
    pub producer: Producer,
    pub task: Task,
}

/// The program that made a witness.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Producer {
    pub name: String,
    pub version: String,
}

/// A program and a property.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Task {
    pub input_files: Vec<String>,
    pub input_file_hashes: BTreeMap<String, String>,
    pub specification: String,
    pub data_model: String,
    pub language: String,
}

/// A segment of a run, or an invariant.
#[derive(Serialize, Deserialize, Clone, PartialEq, Default, Debug)]
pub struct Item {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<Vec<Way>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invariant: Option<Invariant>,
}

/// A waypoint, under its key.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Way {
    pub waypoint: Waypoint,
}

/// A place that a run comes to, or avoids.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Waypoint {
    #[serde(rename = "type")]
    pub kind: String,
    pub action: String,
    pub location: Location,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraint: Option<Constraint>,
}

/// A place in a file. Without a column it is the first suitable one of the line.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Location {
    pub file_name: String,
    pub line: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
}

/// What holds there.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    pub value: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

/// A condition that holds whenever a run comes to a place.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Invariant {
    #[serde(rename = "type")]
    pub kind: String,
    pub location: Location,
    pub value: String,
    pub format: String,
}

/// Reads the first entry of a witness file, or says what is wrong with the file.
pub fn read(text: &str) -> Result<Entry, String> {
    let entries: Vec<Entry> = serde_saphyr::from_str(text).map_err(|error| {
        let said = error.to_string();
        said.lines().next().unwrap_or_default().to_string()
    })?;
    let known = |entry: &Entry| matches!(entry.entry_type.as_str(), VIOLATION | CORRECTNESS);
    let found = entries.into_iter().find(known);
    found.ok_or_else(|| format!("it has no entry of the type `{VIOLATION}` or `{CORRECTNESS}`"))
}

/// The fingerprint of a file's text, as witnesses have it.
pub fn fingerprint(text: &[u8]) -> String {
    hexadecimal(&Sha256::digest(text))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The place of a byte in the sources.
pub fn location(source: &Source, offset: u32) -> Location {
    let (file, line, column) = source.place(offset);
    Location { file_name: file.into(), line, column: Some(column) }
}

/// The right parenthesis at the end of a call; its line if the call does not end in one.
pub fn end_of_call(source: &Source, call: Span) -> Location {
    let last = call.end.saturating_sub(1);
    let found = location(source, last);
    match source.text.as_bytes().get(last as usize) {
        Some(b')') => found,
        _ => Location { column: None, ..found },
    }
}

/// What a witness is about.
pub struct About<'a> {
    /// The files of the program with their texts.
    pub files: &'a [(String, Vec<u8>)],
    pub property: &'a Property,
    pub data_model: DataModel,
}

impl About<'_> {
    /// The witness of an answer; none if there is no answer.
    pub fn witness(&self, session: &ModuleSession, verdict: &Verdict) -> Option<String> {
        let (entry_type, content) = match verdict {
            Verdict::Safe => (CORRECTNESS, Vec::new()),
            Verdict::Unsafe(play, evidence) => {
                let failure = evidence.failure.as_ref()?;
                (VIOLATION, run(session, play, &evidence.marks, (failure.check.span, failure.check.kind)))
            }
            Verdict::Unknown(_) => return None,
        };
        let metadata = self.metadata(&content);
        let entry = Entry { entry_type: entry_type.into(), metadata, content };
        Some(serde_saphyr::to_string(&[entry]).expect("a witness is written to memory"))
    }

    fn metadata(&self, content: &[Item]) -> Metadata {
        let now = chrono::Utc::now();
        let hashes = self.files.iter().map(|(name, text)| (name.clone(), fingerprint(text)));
        let task = Task {
            input_files: self.files.iter().map(|(name, _)| name.clone()).collect(),
            input_file_hashes: hashes.collect(),
            specification: self.property.text.clone(),
            data_model: match self.data_model {
                DataModel::Lp64 => "LP64".into(),
                DataModel::Ilp32 => "ILP32".into(),
            },
            language: "C".into(),
        };
        Metadata {
            format_version: "2.0".into(),
            uuid: identifier(&format!("{now} {} {task:?} {content:?}", std::process::id())),
            creation_time: now.to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
            producer: Producer { name: "agon".into(), version: env!("CARGO_PKG_VERSION").into() },
            task,
        }
    }
}

/// A universally unique identifier of version 8, made of the fingerprint of a text.
fn identifier(text: &str) -> String {
    let mut bytes: Vec<u8> = Sha256::digest(text.as_bytes()).into_iter().take(16).collect();
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let all = hexadecimal(&bytes);
    [&all[..8], &all[8..12], &all[12..16], &all[16..20], &all[20..]].join("-")
}

/// A segment with the value of each call of a function that the program does not define, and one with the violation.
fn run(session: &ModuleSession, play: &Play, marks: &[Mark], (failed, kind): (Span, Kind)) -> Vec<Item> {
    let source = &session.source;
    let mut content = Vec::new();
    let follow = |kind: &str, location, constraint| Item {
        segment: Some(vec![Way {
            waypoint: Waypoint { kind: kind.into(), action: "follow".into(), location, constraint },
        }]),
        invariant: None,
    };
    for (n, (played, nested)) in play.0.iter().zip(play.nested()).enumerate() {
        let call = n.checked_sub(1).and_then(|call| marks.get(call)).and_then(|mark| mark.place);
        if let (Move::Return(Some(value)), true, Role::Function, Some(call)) =
            (played, nested.by_environment, session.role(nested.function), call)
        {
            let constraint =
                Constraint { value: format!("\\result == {value}"), format: Some("acsl_expression".into()) };
            content.push(follow("function_return", end_of_call(source, call), Some(constraint)));
        }
    }
    content.push(follow("target", target(source, failed, kind), None));
    content
}

/// Where a property is violated: the statement is a call of the error function, or somewhere in this line.
pub fn target(source: &Source, failed: Span, kind: Kind) -> Location {
    let found = location(source, failed.start);
    match kind {
        Kind::Abort => found,
        _ => Location { column: None, ..found },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_and_identifiers_have_their_forms() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(fingerprint(b""), empty);
        let id = identifier("a");
        assert_eq!(id.len(), 36);
        assert_eq!((&id[14..15], id.matches('-').count()), ("8", 4));
        assert!(matches!(&id[19..20], "8" | "9" | "a" | "b"));
        assert_ne!(id, identifier("b"));
    }
}
