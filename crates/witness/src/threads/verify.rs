//! Running an environment of a concurrent play with a program: some order of all their steps must come to the goal.

use agon_base::int::Int;
use agon_base::refused::Refused;
use agon_core::bounds::bounds;
use agon_core::environment::{Purpose, compose};
use agon_core::eval::{Exit, Patience};
use agon_core::language::Closed;
use agon_core::term::Judgement;
use agon_core::threads::{Threads, comes_to};
use agon_games::arena::OWN;
use agon_games::moves::{Label, ThreadMove};

use super::environment::{Staged, stage};
use crate::distinguish::Distinction;
use crate::replay::Goal;
use crate::verify::{Subject, is_reached};

/// Closes a program with the environment that a concurrent play needs, and runs it in all orders of its steps until one
/// comes to the end of the play; gives the closed program.
pub fn verify(subject: Subject<'_>, moves: &[ThreadMove], patience: Patience<'_>) -> Result<Closed, Refused> {
    let staged = stage(subject, subject, moves, Purpose::Lead)?;
    let goal = goal(moves)?;
    if !reached(&staged, subject.judgement, &goal, patience)? {
        return Err(format!("the closed program does not come to {goal:?}").into());
    }
    Ok(subject.language.close(&staged.environment))
}

/// From a complete play that one program has and the other has not, the environment that comes to its end with the one.
/// Says whether it was seen not to with the other.
pub fn distinguish(
    with: Subject<'_>,
    without: Subject<'_>,
    moves: &[ThreadMove],
    patience: Patience<'_>,
) -> Result<Distinction, Refused> {
    let goal = match goal(moves)? {
        // The environment looks at the value itself.
        Goal::Ends(_) => Goal::Ends(Int::ZERO),
        goal => goal,
    };
    let staged = stage(with, with, moves, Purpose::Tell)?;
    if !reached(&staged, with.judgement, &goal, patience)? {
        return Err("the environment does not bring the play about".into());
    }
    let other = stage(with, without, moves, Purpose::Tell)?;
    let shown = match reached(&other, without.judgement, &goal, patience) {
        Ok(reached) => !reached,
        Err(wrong @ Refused::Wrong(_)) => return Err(wrong),
        Err(_) => false,
    };
    Ok(Distinction { with: with.language.close(&staged.environment), shown })
}

/// What a play comes to.
fn goal(moves: &[ThreadMove]) -> Result<Goal, Refused> {
    let last = &moves.last().ok_or("the play is empty")?.m;
    Ok(match &last.label {
        Label::Abort => Goal::Abort,
        _ if moves.len() == 1 => Goal::Opened,
        Label::Value(n) if last.component == OWN => Goal::Ends(n.clone()),
        _ if last.component == OWN => Goal::Ends(Int::ZERO),
        _ => Goal::Reached,
    })
}

/// Whether some order of the steps of a program in an environment comes to a goal.
fn reached(
    staged: &Staged,
    program: &Judgement,
    goal: &Goal,
    patience: Patience<'_>,
) -> Result<bool, Refused> {
    // Opening the program is the environment's own doing.
    if *goal == Goal::Opened {
        return Ok(true);
    }
    let closed = compose(&staged.environment, program);
    let judgement = &closed.judgement;
    if let Err(diagnostics) = bounds(judgement) {
        let why = diagnostics.first().map_or("", |diagnostic| &diagnostic.message);
        return Err(format!("the environment does not keep to the bounds: {why}").into());
    }
    let threads = Threads::new(judgement)?;
    let wanted = |outcome: &Result<Int, Exit>| is_reached(&closed, goal, outcome);
    let passed = |var| staged.passed.contains(&judgement.terms.variable(var).name);
    Ok(comes_to(&threads, &passed, &wanted, patience)?)
}
