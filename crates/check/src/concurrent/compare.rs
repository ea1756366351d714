//! Comparing concurrent programs: by their minimal automata, and a shortest complete play that only one has.

use std::collections::VecDeque;
use std::sync::Arc;

use agon_base::budget::Budget;
use agon_base::intern::Interner;
use agon_games::arena::Arena;
use agon_games::automaton::Automaton;
use agon_games::machine::{Strands, compile_any};
use agon_games::model::{Building, ConcurrentModel, concurrent_model};
use agon_games::moves::ThreadMove;
use agon_games::play::Play;
use agon_games::whereabouts::Whereabouts;
use agon_witness::verify::Subject;

use crate::equiv::{Relation, Side};
use crate::search::Progress;
use crate::verdict::Reason;

/// How a comparison ended.
pub enum Ending {
    /// The relation holds.
    Holds,
    /// One side has this complete play, and the other has not.
    Differs(Side, Play),
    /// It could not be found out, because of one of them.
    Unknown(Side, Reason),
}

/// The minimal automaton of a concurrent program, its letters as they are written, with numbers.
fn automaton(
    subject: Subject<'_>,
    budget: &Budget,
    progress: &mut Progress,
) -> Result<Automaton<(String, ThreadMove)>, Reason> {
    let code = compile_any(subject.judgement, subject.arena)?;
    let mut strands = Strands::new(Arc::new(code), Arc::new(subject.arena.clone()), true);
    let largest = budget.most_entries(120);
    let building = Building { reduce: true, threads: budget.threads, largest, budget };
    let built = concurrent_model(&mut strands, building);
    let ConcurrentModel { automaton: model, visited, .. } = built?;
    progress.states += visited;
    progress.transitions += model.transitions() as u64;
    Ok(model.relabel(|m| (written(subject.arena, m), m.clone())))
}

/// A move as it is written, its values as numbers: a `bool` of one program may be an `int%2` of the other.
fn written(arena: &Arena, ThreadMove { m, threads }: &ThreadMove) -> String {
    format!("{}@{threads:?}", arena.show_with(m, |_, n| n.to_string()))
}

/// Compares two concurrent programs.
pub fn compare(
    left: Subject<'_>,
    right: Subject<'_>,
    relation: Relation,
    budget: &Budget,
) -> (Ending, Progress) {
    let mut progress = Progress::default();
    let mut automata = Vec::new();
    for (side, subject) in [(Side::Left, left), (Side::Right, right)] {
        match automaton(subject, budget, &mut progress) {
            Ok(automaton) => automata.push(automaton),
            Err(reason) => return (Ending::Unknown(side, reason), progress),
        }
    }
    let ending = match difference(&automata[0], &automata[1], relation) {
        None => Ending::Holds,
        Some((side, moves)) => {
            let subject = if side == Side::Left { left } else { right };
            Ending::Differs(side, told(subject, moves, budget))
        }
    };
    (ending, progress)
}

/// A play with the places in the program that its moves come from, as far as they are found.
fn told(subject: Subject<'_>, moves: Vec<ThreadMove>, budget: &Budget) -> Play {
    let mut play = Play::default();
    let mut strands = compile_any(subject.judgement, subject.arena)
        .ok()
        .map(|code| Strands::new(Arc::new(code), Arc::new(subject.arena.clone()), true));
    let mut here = strands.as_mut().and_then(|strands| Whereabouts::start(strands, budget).ok());
    for m in moves {
        let ahead = here.as_ref().and_then(|here| here.moves.get(&m)).cloned();
        play.push_threaded(m, ahead.as_ref().and_then(|ahead| ahead.span));
        here = match (strands.as_mut(), ahead) {
            (Some(strands), Some(ahead)) => Whereabouts::after(&ahead, strands, budget).ok(),
            _ => None,
        };
    }
    play
}

/// A shortest word that only one of two minimal automata has. Every state of theirs leads on to a complete play.
fn difference(
    left: &Automaton<(String, ThreadMove)>,
    right: &Automaton<(String, ThreadMove)>,
    relation: Relation,
) -> Option<(Side, Vec<ThreadMove>)> {
    /// Where one of them has no such play any more.
    const NOWHERE: u32 = u32::MAX;
    let mut pairs: Interner<(u32, u32)> = Interner::default();
    let mut parents: Vec<(u32, ThreadMove)> = Vec::new();
    let start = (
        if left.states() == 0 { NOWHERE } else { left.initial },
        if right.states() == 0 { NOWHERE } else { right.initial },
    );
    pairs.intern(start);
    let accepts =
        |automaton: &Automaton<_>, state: u32| state != NOWHERE && automaton.accepting[state as usize];
    let mut waiting = VecDeque::from([0u32]);
    while let Some(id) = waiting.pop_front() {
        let (a, b) = *pairs.get(id);
        let side = match (accepts(left, a), accepts(right, b), relation) {
            (true, false, _) => Some(Side::Left),
            (false, true, Relation::Equivalence) => Some(Side::Right),
            _ => None,
        };
        if let Some(side) = side {
            let mut moves = Vec::new();
            let mut at = id;
            while at != 0 {
                let (parent, m) = &parents[at as usize - 1];
                moves.push(m.clone());
                at = *parent;
            }
            moves.reverse();
            return Some((side, moves));
        }
        let mut next: Vec<(u32, u32, ThreadMove)> = Vec::new();
        if a != NOWHERE {
            for (letter, to) in left.edges(a) {
                let (name, m) = &left.letters[*letter as usize];
                let other = after(right, b, name).unwrap_or(NOWHERE);
                next.push((*to, other, m.clone()));
            }
        }
        if b != NOWHERE && relation == Relation::Equivalence {
            for (letter, to) in right.edges(b) {
                let (name, m) = &right.letters[*letter as usize];
                if after(left, a, name).is_none() {
                    next.push((NOWHERE, *to, m.clone()));
                }
            }
        }
        for (a, b, m) in next {
            let (to, new) = pairs.insert((a, b));
            if new {
                parents.push((id, m));
                waiting.push_back(to);
            }
        }
    }
    None
}

fn after(automaton: &Automaton<(String, ThreadMove)>, state: u32, name: &str) -> Option<u32> {
    if state as usize >= automaton.states() {
        return None;
    }
    let edges = automaton.edges(state).iter();
    edges.into_iter().find(|(letter, _)| automaton.letters[*letter as usize].0 == name).map(|(_, to)| *to)
}
