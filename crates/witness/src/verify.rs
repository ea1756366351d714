//! Verification: an answer of UNSAFE is believed when the program plays its play, and when the environment made
//! from the play, run with the program by the operational semantics, comes to what was promised.

use std::sync::Arc;

use agon_base::int::Int;
use agon_base::refused::Refused;
use agon_core::environment::{Composed, compose};
use agon_core::eval::{Exit, Nobody, Patience, Request, run};
use agon_core::failure::Failure;
use agon_core::language::{Closed, TermLanguage};
use agon_core::term::Judgement;
use agon_core::types::Type;
use agon_games::arena::Arena;
use agon_games::machine::{Code, Compiled};
use agon_games::moves::Move;

use crate::environment::environment;
use crate::replay::{Goal, replay};

/// A program in all its forms.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// As it was written.
    pub language: &'a dyn TermLanguage,
    /// Its typed term.
    pub judgement: &'a Judgement,
    /// Its arena.
    pub arena: &'a Arena,
    /// Its code, as far as it was compiled.
    pub compiled: &'a Compiled,
}

impl Subject<'_> {
    /// The code of the program, or why the machine cannot play it.
    pub fn code(&self) -> Result<Arc<Code>, Refused> {
        self.compiled.code(self.judgement, self.arena)
    }

    /// The same of a program that must be sequential.
    pub fn sequential_code(&self) -> Result<Arc<Code>, Refused> {
        self.judgement.sequential()?;
        self.code()
    }
}

/// A program that has all its forms.
pub struct Program<L> {
    /// As it was written.
    pub language: L,
    /// Its typed term.
    pub judgement: Judgement,
    /// Its arena.
    pub arena: Arena,
    /// Its code, as far as it was compiled.
    pub compiled: Compiled,
}

impl<L: TermLanguage> Program<L> {
    /// A program that nothing was asked about yet.
    pub fn new(language: L, judgement: Judgement) -> Program<L> {
        let arena = Arena::new(&judgement);
        Program { language, judgement, arena, compiled: Compiled::default() }
    }

    /// The program, to be asked about.
    pub fn subject(&self) -> Subject<'_> {
        let Program { language, judgement, arena, compiled } = self;
        Subject { language, judgement, arena, compiled }
    }
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
    let environment = environment(subject, &recording);
    // Opening the program is the environment's own doing.
    let goal = &recording.goal;
    if *goal != Goal::Opened && !reached(&compose(&environment, subject.judgement), goal, patience)? {
        return Err(format!("the closed program does not come to {goal:?}").into());
    }
    Ok(Evidence { closed: Some(subject.language.close(&environment)), failure: recording.failure })
}

/// Whether a closed program, when run, comes to a goal.
pub(crate) fn reached(closed: &Composed, goal: &Goal, patience: Patience<'_>) -> Result<bool, Refused> {
    Ok(is_reached(closed, goal, &outcome(closed, patience)?))
}

/// Whether an outcome of a closed program is a goal.
pub(crate) fn is_reached(closed: &Composed, goal: &Goal, outcome: &Result<Int, Exit>) -> bool {
    match (outcome, goal) {
        // Environments that look at the value themselves end as commands.
        (Ok(value), Goal::Ends(expected)) => value == expected || closed.judgement.ty == Type::Com,
        (Err(Exit::Abort(term)), Goal::Abort) => closed.is_own(*term),
        (Err(Exit::Abort(term)), Goal::Reached) => !closed.is_own(*term),
        _ => false,
    }
}

/// What a closed program comes to.
pub(crate) fn outcome(closed: &Composed, patience: Patience<'_>) -> Result<Result<Int, Exit>, Refused> {
    match run(&closed.judgement, &mut Nobody, &Request::Run, patience) {
        Err(Exit::Stop(stop)) => Err(stop.into()),
        outcome => Ok(outcome),
    }
}
