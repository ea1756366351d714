//! Verification: an answer of UNSAFE is believed when the program plays its play, and when the environment made
//! from the play, run with the program by the operational semantics, comes to what was promised.

use agon_games::arena::Arena;
use agon_games::moves::Move;
use agon_lang::elaborate::elaborate;
use agon_lang::eval::{Exit, Nobody, Patience, Request, run};
use agon_lang::int::Int;
use agon_lang::parse::parse;
use agon_lang::term::Judgement;
use agon_lang::tree::Program;

use crate::environment::{Closed, close};
use crate::replay::{Goal, Refused, replay};

/// A program in all its forms.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// Its text.
    pub source: &'a str,
    /// Its tree.
    pub program: &'a Program,
    /// Constants given from outside.
    pub overrides: &'a [(String, Int)],
    /// Its typed term.
    pub judgement: &'a Judgement,
    /// Its arena.
    pub arena: &'a Arena,
}

/// Replays the play and runs the environment made from it; gives the closed program that was run.
pub fn verify(subject: Subject<'_>, moves: &[Move], patience: Patience<'_>) -> Result<Closed, Refused> {
    let Subject { source, program, overrides, judgement, arena } = subject;
    let recording = replay(judgement, arena, moves, patience)?;
    let closed = close(source, program, overrides, judgement, arena, &recording);
    reaches(&closed, &recording.goal, patience)?;
    Ok(closed)
}

/// Runs a closed program; it must come to the goal.
pub fn reaches(closed: &Closed, goal: &Goal, patience: Patience<'_>) -> Result<(), Refused> {
    let (program, diagnostics) = parse(&closed.text);
    if let Some(diagnostic) = diagnostics.first() {
        return Err(format!("the environment does not parse: {}", diagnostic.message).into());
    }
    let (judgement, diagnostics) = elaborate(&program, &[]);
    let Some(judgement) = judgement else {
        let why = diagnostics.iter().find(|diagnostic| diagnostic.is_error());
        return Err(format!("the environment is ill-typed: {}", why.map_or("", |d| &d.message)).into());
    };
    // Opening the program is the environment's own doing.
    if *goal == Goal::Opened {
        return Ok(());
    }
    let outcome = run(&judgement, &mut Nobody, &Request::Run, patience);
    if outcome == Err(Exit::Exhausted) {
        return Err(Refused::OutOfPatience);
    }
    let reached = match (&outcome, goal) {
        (Ok(value), Goal::Ends(expected)) => value == expected,
        (Err(Exit::Abort(term)), Goal::Abort) => judgement.terms.span(*term).start as usize >= closed.term,
        (Err(Exit::Abort(term)), Goal::Reached) => (judgement.terms.span(*term).start as usize) < closed.term,
        _ => false,
    };
    if reached {
        Ok(())
    } else {
        Err(format!("the closed program came to {outcome:?}, not to {goal:?}").into())
    }
}
