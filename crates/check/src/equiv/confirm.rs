//! Confirming a difference: one program plays the play, the other does not, and an environment tells them apart.

use agon_base::budget::Budget;
use agon_base::refused::Refused;
use agon_core::eval::Patience;
use agon_games::moves::{Move, ThreadMove};
use agon_games::play::Play;
use agon_witness::distinguish::{Distinction, distinguish};
use agon_witness::threads::{self, can_play};
use agon_witness::verify::Subject;

use super::translated;
use crate::concurrent::patience;

/// Has a difference of sequential programs confirmed by the interpreter.
pub(super) fn sequential(
    [with, without]: [Subject<'_>; 2],
    play: &Play,
    budget: &Budget,
) -> Result<Option<Distinction>, Refused> {
    // A program that lacks one of the components lacks the play.
    let others: Option<Vec<Move>> =
        play.moves.iter().map(|m| translated(m, with.arena, without.arena)).collect();
    distinguish(with, without, &play.moves, others.as_deref(), Patience::within(budget)).map(Some)
}

/// Has a difference of concurrent programs confirmed by small steps. There may be no environment, if their steps have
/// too many orders.
pub(super) fn concurrent(
    [with, without]: [Subject<'_>; 2],
    play: &Play,
    budget: &Budget,
) -> Result<Option<Distinction>, Refused> {
    let moves: Vec<ThreadMove> = play.threaded().collect();
    let in_other = |ThreadMove { m, threads }: &ThreadMove| {
        Some(ThreadMove { m: translated(m, with.arena, without.arena)?, threads: threads.clone() })
    };
    let others: Option<Vec<ThreadMove>> = moves.iter().map(in_other).collect();
    let plays = |subject: Subject<'_>, moves: &[ThreadMove]| {
        can_play(subject.judgement, subject.arena, moves, budget)
    };
    if !plays(with, &moves)? {
        return Err("neither program plays it".into());
    }
    if others.map_or(Ok(false), |others| plays(without, &others))? {
        return Err("both programs play it".into());
    }
    match threads::distinguish(with, without, &moves, patience(budget)) {
        Err(wrong @ Refused::Wrong(_)) => Err(wrong),
        told => Ok(told.ok()),
    }
}
