//! Plays as code flows: a thread flow for each thread, a location for each move and each access to a cell.

use std::collections::BTreeMap;

use super::located;
use super::log::{CodeFlow, Location, Message, ThreadFlow, ThreadFlowLocation};
use crate::shape::answer::{Access, Finding};
use crate::shape::diagnostic::Place;
use crate::shape::play::{Cell, MoveKind, Player, Step};

/// The play of a verdict, if it has one.
pub fn code_flows(file: &str, finding: &Finding) -> Vec<CodeFlow> {
    let mut threads: BTreeMap<usize, Vec<ThreadFlowLocation>> = BTreeMap::new();
    let mut order = 0;
    let mut cells = BTreeMap::new();
    for (n, step) in finding.play.iter().enumerate() {
        let state = changed(&mut cells, step);
        order += 1;
        threads.entry(step.thread.unwrap_or(1)).or_default().push(ThreadFlowLocation {
            location: said(file, place(&finding.play, n), &format!("{}: {}", step.made, step.reading)),
            nesting_level: step.depth.unwrap_or(0),
            execution_order: order,
            kinds: kinds(step),
            state,
        });
        let depth = step.depth.unwrap_or(0) + 1;
        for access in finding.accesses.iter().flatten().filter(|access| access.behind == n + 1) {
            order += 1;
            threads.entry(access.thread).or_default().push(accessed(file, access, depth, order));
        }
    }
    if threads.is_empty() {
        return Vec::new();
    }
    let thread_flows =
        threads.into_iter().map(|(thread, locations)| ThreadFlow { id: thread.to_string(), locations });
    vec![CodeFlow { thread_flows: thread_flows.collect() }]
}

/// The place of a move. A move without a place is where the call was made that it answers: at the last move that is nested as
/// deep.
fn place(play: &[Step], n: usize) -> Option<&Place> {
    let alike = |step: &&Step| step.depth == play[n].depth && step.thread == play[n].thread;
    play[n].place.as_ref().or_else(|| play[..n].iter().rev().find(alike)?.place.as_ref())
}

fn said(file: &str, place: Option<&Place>, text: &str) -> Location {
    Location { message: Some(Message::of(text)), ..located(file, place) }
}

/// What a move does and who makes it. `danger` is the standard's word for where things go wrong.
fn kinds(step: &Step) -> Vec<&'static str> {
    let kind = step.kind.map(|kind| match kind {
        MoveKind::Call => "call",
        MoveKind::Return => "return",
        MoveKind::Fail => "danger",
        MoveKind::Exit => "exit",
    });
    let player = match step.player {
        Player::O => Some("environment"),
        Player::P => Some("library"),
        Player::Hidden => None,
    };
    kind.into_iter().chain(player).collect()
}

fn accessed(file: &str, access: &Access, depth: usize, order: usize) -> ThreadFlowLocation {
    ThreadFlowLocation {
        location: said(file, access.place.as_ref(), &access.reading),
        nesting_level: depth,
        execution_order: order,
        kinds: vec!["memory", "library"],
        state: BTreeMap::from([(access.name.clone(), Message::of(&*access.value))]),
    }
}

/// The cells that a move changed, and what they hold.
fn changed(before: &mut BTreeMap<String, String>, step: &Step) -> BTreeMap<String, Message> {
    let mut changes = BTreeMap::new();
    for cell in step.store.iter().flatten() {
        let now = match cell {
            Cell::Variable { name, value } => vec![(name.clone(), value)],
            Cell::Array { name, elements, .. } => {
                elements.iter().enumerate().map(|(i, value)| (format!("{name}[{i}]"), value)).collect()
            }
        };
        for (name, value) in now {
            if before.get(&name) != Some(value) {
                before.insert(name.clone(), value.clone());
                changes.insert(name, Message::of(value));
            }
        }
    }
    changes
}
