//! The moves of a sequential play with the threads that they would have in a concurrent program.

use agon_games::arena::{Arena, OWN};
use agon_games::moves::{Label, Move, ThreadMove};

/// Calls of the same identifier are numbered by their depth of nesting; each argument has one thread at a time.
pub fn threaded(arena: &Arena, moves: &[Move]) -> Vec<ThreadMove> {
    let mut open: Vec<ThreadMove> = Vec::new();
    let number = |m: &Move| {
        let threads = match open.iter().rposition(|question| question.m.component == m.component) {
            _ if m.label == Label::Abort => Box::default(),
            Some(question) if !m.label.is_question() => {
                open.drain(question..).next().map(|question| question.threads).unwrap_or_default()
            }
            _ => match (arena.component(m.component).parent, open.last()) {
                (None, _) if m.component == OWN => Box::default(),
                (None, _) => {
                    let calls = open.iter().filter(|question| question.m.component == m.component);
                    Box::from([calls.count() as u32 + 1])
                }
                (Some(_), call) => {
                    call.into_iter().flat_map(|call| call.threads.iter().copied()).chain([1]).collect()
                }
            },
        };
        let m = ThreadMove { m: m.clone(), threads };
        if m.m.label.is_question() {
            open.push(m.clone());
        }
        m
    };
    moves.iter().map(number).collect()
}
