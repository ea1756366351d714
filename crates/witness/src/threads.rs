//! Plays of concurrent programs: replayed by the small-step semantics, which knows nothing of games, and made into
//! environments, which it runs with the program.

mod environment;
mod questions;
mod verify;

use std::collections::{HashMap, HashSet};

use agon_base::budget::{Budget, Stop};
use agon_base::explore::breadth_first;
use agon_base::intern::Interner;
use agon_base::refused::Refused;
use agon_core::eval::Patience;
use agon_core::failure::Failure;
use agon_core::held::Held;
use agon_core::term::Judgement;
use agon_core::threads::{Event, EventKind, Place, Run, Step, Threads, fails, trace};
use agon_games::arena::{Arena, ComponentId};
use agon_games::moves::{Label, ThreadMove};

pub use verify::{distinguish, verify};

/// At most this many configurations are visited for one play.
const MOST: u64 = 200_000;

/// Whether the program can play these moves in this order.
pub fn can_play(
    judgement: &Judgement,
    arena: &Arena,
    moves: &[ThreadMove],
    budget: &Budget,
) -> Result<bool, Refused> {
    Ok(played(judgement, arena, moves, budget)?.is_some())
}

/// The same: nothing if it cannot; and why it aborts, if that is the last move.
pub fn played(
    judgement: &Judgement,
    arena: &Arena,
    moves: &[ThreadMove],
    budget: &Budget,
) -> Result<Option<Option<Failure>>, Refused> {
    if !moves.iter().all(|played| arena.permits(&played.m)) {
        return Ok(None);
    }
    let threads = Threads::new(judgement)?;
    let patience = Patience { steps: MOST, budget: Some(budget) };
    Ok(fails(&threads, &events(arena, moves), patience)?.ok())
}

/// What the cells of some run that plays these moves hold when each of them is made.
pub(crate) fn traced(
    judgement: &Judgement,
    arena: &Arena,
    moves: &[ThreadMove],
    patience: Patience<'_>,
) -> Result<Vec<Vec<Held>>, Refused> {
    let threads = Threads::new(judgement)?;
    let patience = Patience { steps: patience.steps.min(MOST), ..patience };
    let runs = trace(&threads, &events(arena, moves), patience)?.ok_or("no run plays this")?;
    Ok(runs.iter().map(Run::held).collect())
}

/// The moves as the small-step semantics makes them.
fn events(arena: &Arena, moves: &[ThreadMove]) -> Vec<Event> {
    // What an answer of a semaphore answers.
    let mut asked: HashMap<(ComponentId, Box<[u32]>), Label> = HashMap::new();
    let mut events = Vec::new();
    for ThreadMove { m, threads } in moves {
        if m.label.is_question() {
            asked.insert((m.component, threads.clone()), m.label.clone());
        }
        let kind = match &m.label {
            Label::Run => EventKind::Run,
            Label::Done => EventKind::Done,
            Label::Ask => EventKind::Ask,
            Label::Value(n) => EventKind::Value(n.clone()),
            Label::Read => EventKind::Read,
            Label::Write(n) => EventKind::Write(n.clone()),
            Label::Grab => EventKind::Grab,
            Label::Release => EventKind::Release,
            Label::Ok => match asked.get(&(m.component, threads.clone())) {
                Some(Label::Grab) => EventKind::Grabbed,
                Some(Label::Release) => EventKind::Released,
                _ => EventKind::Ok,
            },
            Label::Abort => EventKind::Abort,
            Label::Call(_) | Label::Exit(_) => unreachable!("only modules make such moves"),
        };
        let mut path = Vec::new();
        let mut at = Some(m.component);
        while let Some(id) = at {
            let component = arena.component(id);
            let step = match (component.parent, component.variable) {
                (Some(parent), _) => {
                    let n = arena.component(parent).arguments.iter().position(|argument| *argument == id);
                    Some(Step::Argument(n.unwrap_or(0)))
                }
                (None, Some(variable)) => Some(Step::Free(variable)),
                (None, None) => None,
            };
            path.extend(step);
            at = component.parent;
        }
        path.reverse();
        let place = Place(path.into_iter().zip(threads.iter().copied()).collect());
        events.push(Event { place, element: m.element.clone(), kind });
    }
    events
}

/// Whether the program can play these moves and then come to where it makes no move and no step of its own.
pub fn can_get_stuck(
    judgement: &Judgement,
    arena: &Arena,
    moves: &[ThreadMove],
    budget: &Budget,
) -> Result<bool, Refused> {
    let threads = Threads::new(judgement)?;
    let mut patience = Patience { steps: MOST, budget: Some(budget) };
    let mut runs = HashSet::from([threads.start()]);
    for event in events(arena, moves) {
        let reached = closed(&threads, runs, &mut patience)?;
        runs = HashSet::new();
        for run in &reached {
            let made = threads.moves(run).into_iter().filter(|(made, _)| *made == event);
            runs.extend(made.map(|(_, next)| next));
            runs.extend(threads.answer(run, &event));
        }
    }
    let reached = closed(&threads, runs, &mut patience)?;
    Ok(reached.iter().any(|run| {
        !threads.is_complete(run) && threads.silent(run).is_empty() && threads.moves(run).is_empty()
    }))
}

/// The configurations that are reached by silent steps, these included.
fn closed(
    threads: &Threads<'_>,
    runs: HashSet<Run>,
    patience: &mut Patience<'_>,
) -> Result<Vec<Run>, Refused> {
    let mut reached = Interner::default();
    runs.into_iter().for_each(|run| {
        reached.intern(run);
    });
    breadth_first(&mut reached, |reached, next| {
        patience.step(64)?;
        for next in threads.silent(reached.get(next)) {
            reached.intern(next);
        }
        Ok::<(), Stop>(())
    })?;
    Ok(reached.into_vec())
}
