//! The contents of the program's cells at each move of a play, in words and as data.

use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_check::verdict::{Report, Verdict};
use agon_core::held::Held;
use agon_core::types::Type;
use agon_games::play::Play;

use crate::session::Session;
use crate::shape::play::Cell;

/// The most elements of an array that are given as data.
const MOST_ELEMENTS: u64 = 64;
/// The most changed elements that are listed in words.
const MOST_CHANGES: usize = 8;
/// The most moves for which cells are given.
const MOST_MOVES: usize = 10_000;

/// The contents of cells at each move; nothing, if the budget does not suffice.
pub fn stores(session: &Session, play: &Play, budget: &Budget) -> Option<Vec<Vec<Held>>> {
    if play.moves.len() <= MOST_MOVES {
        return session.store_trace(play, budget);
    }
    let mut beginning = play.clone();
    beginning.truncate(MOST_MOVES);
    session.store_trace(&beginning, budget)
}

/// The same for the play of a report, if it has one.
pub fn of_report(session: &Session, report: &Report, budget: &Budget) -> Option<Vec<Vec<Held>>> {
    match &report.verdict {
        Verdict::Unsafe(play, _) => stores(session, play, budget),
        Verdict::Safe | Verdict::Unknown(_) => None,
    }
}

/// The contents of cells as data.
pub fn cells(session: &Session, held: &[Held]) -> Vec<Cell> {
    held.iter().map(|held| cell(session, held)).collect()
}

fn cell(session: &Session, held: &Held) -> Cell {
    let variable = session.judgement.terms.variable(held.variable);
    let (name, show) = (variable.name.to_string(), shown(session, held));
    let Type::Array(_, length) = variable.ty else {
        return Cell::Variable { name, value: show(held.get(0)) };
    };
    let elements = (0..length.min(MOST_ELEMENTS)).map(|i| show(held.get(i))).collect();
    Cell::Array { name, elements, length }
}

/// How the values of a cell are written.
fn shown<'a>(session: &'a Session, held: &Held) -> impl Fn(&Int) -> String + 'a {
    let data = session.judgement.terms.variable(held.variable).ty.data();
    move |n| data.map_or_else(|| n.to_string(), |data| data.show(n))
}

/// The changes between two moves: new cells, and cells with another value.
pub fn changes(session: &Session, before: &[Held], now: &[Held]) -> String {
    let mut list = Vec::new();
    for (n, held) in now.iter().enumerate() {
        let name = &session.judgement.terms.variable(held.variable).name;
        let show = shown(session, held);
        // A variable may occur several times, if its declaration was entered again.
        let same = |other: &&Held| other.variable == held.variable;
        let earlier = now[..n].iter().filter(same).count();
        let length = match session.judgement.terms.variable(held.variable).ty {
            Type::Array(_, length) => Some(length),
            _ => None,
        };
        match before.iter().filter(same).nth(earlier) {
            Some(old) if old == held => {}
            None if length.is_some() => {
                let elements: Vec<String> =
                    (0..length.unwrap_or(0).min(MOST_CHANGES as u64)).map(|i| show(held.get(i))).collect();
                let more = if length > Some(MOST_CHANGES as u64) { " …" } else { "" };
                list.push(format!("{name} = [{}{more}]", elements.join(" ")));
            }
            Some(old) if length.is_some() => {
                let mut elements: Vec<u64> = old.others.keys().chain(held.others.keys()).copied().collect();
                elements.sort_unstable();
                elements.dedup();
                elements.retain(|i| old.get(*i) != held.get(*i));
                let changed = elements.iter().take(MOST_CHANGES);
                list.extend(changed.map(|i| format!("{name}[{i}] = {}", show(held.get(*i)))));
                if elements.len() > MOST_CHANGES {
                    list.push("…".into());
                }
            }
            _ => list.push(format!("{name} = {}", show(held.get(0)))),
        }
    }
    list.join(", ")
}
