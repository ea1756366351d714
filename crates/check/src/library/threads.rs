//! Questions about modules whose environment has several threads: within bounds, beside the verdict for one thread.

use agon_core::eval::Patience;
use agon_core::module::play::Move;
use agon_core::module::threads::replay::{Act, Replayed, What, replay};
use agon_core::module::{Failure, Module};

use super::{Question, Task};
use crate::modules::threads::{self, Bounds};
use crate::search::Observer;
use crate::verdict::{self, Reason};

/// A verdict for several threads. A play that fails is what the interpreter saw when it followed the schedule.
pub type Report = verdict::Report<Replayed, ()>;

/// What is known of a module with several threads.
#[derive(Clone, Debug)]
pub struct Threaded {
    /// The bounds.
    pub bounds: Bounds,
    /// The verdict within them.
    pub report: Report,
}

/// What is known of a module.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The verdict for an environment with one thread, nested to any depth. A module that begins threads itself has none.
    pub sequential: super::Report,
    /// The verdict for several threads, if the environment has several and one is not enough to make the module fail, or if the
    /// module begins threads itself.
    pub threaded: Option<Threaded>,
    /// If the module is safe: the bounds of its model that it may meet, in words. It is safe up to them.
    pub up_to: Vec<String>,
}

impl Checked {
    /// The verdict for all threads that the environment has, and its figures.
    pub fn overall(&self) -> verdict::Report<(), ()> {
        fn bare<P, E>(verdict: verdict::Verdict<P, E>) -> verdict::Verdict<(), ()> {
            match verdict {
                verdict::Verdict::Safe => verdict::Verdict::Safe,
                verdict::Verdict::Unsafe(..) => verdict::Verdict::Unsafe((), ()),
                verdict::Verdict::Unknown(reason) => verdict::Verdict::Unknown(reason),
            }
        }
        match &self.threaded {
            Some(threaded) => threaded.report.clone().map(bare),
            None => self.sequential.clone().map(bare),
        }
    }

    /// Why the module fails, if it does.
    pub fn failure(&self) -> Option<&Failure> {
        if let Some(Threaded {
            report: Report { verdict: verdict::Verdict::Unsafe(replayed, ()), .. }, ..
        }) = &self.threaded
        {
            return replayed.failure.as_ref();
        }
        match &self.sequential.verdict {
            verdict::Verdict::Unsafe(_, evidence) => evidence.failure.as_ref(),
            verdict::Verdict::Safe | verdict::Verdict::Unknown(_) => None,
        }
    }
}

/// Answers a question about a module for several threads.
pub fn check(task: Task<'_>, bounds: Bounds, observe: &mut Observer<'_>) -> Report {
    let module = task.module.with_single_accesses();
    let watched = super::watching(&module, task.question).0;
    let found = threads::check(&watched, bounds, task.budget, observe);
    found.map(|verdict| match verdict {
        verdict::Verdict::Safe => verdict::Verdict::Safe,
        verdict::Verdict::Unknown(reason) => verdict::Verdict::Unknown(reason),
        verdict::Verdict::Unsafe(acts, ()) => match confirm(task, &module, &watched, bounds, acts) {
            Ok(replayed) => verdict::Verdict::Unsafe(replayed, ()),
            Err(why) => verdict::Verdict::Unknown(Reason::Unverified(why)),
        },
    })
}

/// Has the interpreter follow a schedule, which is to end as the question asks.
fn confirm(
    task: Task<'_>,
    module: &Module,
    watched: &Module,
    bounds: Bounds,
    mut acts: Vec<Act>,
) -> Result<Replayed, String> {
    let within = (bounds.threads, bounds.nesting);
    let patience = Patience::within(task.budget);
    let Question::Calls(target) = task.question else {
        let replayed = replay(watched, within, &acts, patience)?;
        return match replayed.failure {
            Some(_) => Ok(replayed),
            None => Err("the module does not fail".into()),
        };
    };
    // Where the watched module fails, the module itself makes the call.
    let thread = acts.last().map_or(0, |act| act.thread);
    acts.push(Act { thread, played: None });
    let replayed = replay(&module.watching(watched.watch), within, &acts, patience)?;
    match replayed.events.last().map(|event| &event.what) {
        Some(What::Move(Move::Call(function, arguments))) if target.is(*function, arguments) => Ok(replayed),
        _ => Err("the module does not make the call".into()),
    }
}
