//! Verification: an answer of UNSAFE is believed when the program plays its play, and when the environment made
//! from the play, run with the program by the operational semantics, comes to what was promised.

use agon_base::int::Int;
use agon_core::eval::{Exit, Nobody, Patience, Request, run};
use agon_core::failure::Failure;
use agon_core::term::Judgement;
use agon_games::arena::Arena;
use agon_games::moves::Move;
use agon_ia::elaborate::elaborate;
use agon_ia::parse::parse;
use agon_ia::tree::Program;

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

/// What the interpreter has seen of a play.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Evidence {
    /// The program closed by an environment made from the play, which was run. There is none of a run that gets stuck, and
    /// where the orders of a concurrent program's steps were too many.
    pub closed: Option<Closed>,
    /// Why the program aborts, if the play ends so.
    pub failure: Option<Failure>,
}

/// Replays the play and runs the environment made from it.
pub fn verify(subject: Subject<'_>, moves: &[Move], patience: Patience<'_>) -> Result<Evidence, Refused> {
    let recording = replay(subject.judgement, subject.arena, moves, patience)?;
    let closed = close(subject, &recording);
    reaches(&closed, &recording.goal, patience)?;
    Ok(Evidence { closed: Some(closed), failure: recording.failure })
}

/// Runs a closed program; it must come to the goal.
pub fn reaches(closed: &Closed, goal: &Goal, patience: Patience<'_>) -> Result<(), Refused> {
    // Opening the program is the environment's own doing.
    if *goal == Goal::Opened || reached(closed, goal, patience)? {
        return Ok(());
    }
    Err(format!("the closed program does not come to {goal:?}").into())
}

/// Whether a closed program, when run, comes to a goal.
pub(crate) fn reached(closed: &Closed, goal: &Goal, patience: Patience<'_>) -> Result<bool, Refused> {
    let (judgement, outcome) = run_closed(closed, patience)?;
    let inside = |term| judgement.terms.span(term).start as usize >= closed.term;
    Ok(match (&outcome, goal) {
        (Ok(value), Goal::Ends(expected)) => {
            // Environments that look at the value themselves end as commands.
            value == expected || judgement.ty == agon_core::types::Type::Com
        }
        (Err(Exit::Abort(term)), Goal::Abort) => inside(*term),
        (Err(Exit::Abort(term)), Goal::Reached) => !inside(*term),
        _ => false,
    })
}

/// What a closed program comes to.
pub(crate) fn outcome(closed: &Closed, patience: Patience<'_>) -> Result<Result<Int, Exit>, Refused> {
    run_closed(closed, patience).map(|(_, outcome)| outcome)
}

/// The typed term of a closed program.
pub(crate) fn judged(closed: &Closed) -> Result<Judgement, Refused> {
    let (program, diagnostics) = parse(&closed.text);
    if let Some(diagnostic) = diagnostics.first() {
        return Err(format!("the environment does not parse: {}", diagnostic.message).into());
    }
    let (judgement, diagnostics) = elaborate(&program, &[]);
    judgement.ok_or_else(|| {
        let why = diagnostics.iter().find(|diagnostic| diagnostic.is_error());
        format!("the environment is ill-typed: {}", why.map_or("", |d| &d.message)).into()
    })
}

fn run_closed(closed: &Closed, patience: Patience<'_>) -> Result<(Judgement, Result<Int, Exit>), Refused> {
    let judgement = judged(closed)?;
    let outcome = run(&judgement, &mut Nobody, &Request::Run, patience);
    if outcome == Err(Exit::Exhausted) {
        return Err(Refused::OutOfPatience);
    }
    Ok((judgement, outcome))
}
