//! Questions about modules whose environment has several threads: within bounds, beside the verdict for one thread.

use agon_core::eval::Patience;
use agon_core::language::Closed;
use agon_core::module::threads::replay::{Act, Replayed};
use agon_core::module::{Failure, Module};
use agon_witness::library::Goal;
use agon_witness::library::threads::verify;

use super::Task;
use crate::modules::threads::{self, Bounds};
use crate::portfolio::Engine;
use crate::search::Observer;
use crate::verdict::{self, Reason};

/// A verdict for several threads. A play that fails is what the interpreter saw when it followed the schedule; with it comes the
/// module in an environment made from it, which was run, if the language can say that.
pub type Report = verdict::Report<Replayed, Option<Closed>>;

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
    /// Nothing is known, for a reason.
    pub fn leave_open(&mut self, reason: &Reason) {
        self.sequential.verdict = super::Verdict::Unknown(reason.clone());
        if let Some(threaded) = &mut self.threaded {
            threaded.report.verdict = verdict::Verdict::Unknown(reason.clone());
        }
    }

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

    /// The module in an environment that makes it fail, if it fails and the language can say that.
    pub fn closed(&self) -> Option<&Closed> {
        match (&self.threaded, &self.sequential.verdict) {
            (
                Some(Threaded {
                    report: Report { verdict: verdict::Verdict::Unsafe(_, closed), .. }, ..
                }),
                _,
            ) => closed.as_ref(),
            (Some(_), _) => None,
            (None, verdict::Verdict::Unsafe(_, evidence)) => Some(&evidence.closed),
            (None, verdict::Verdict::Safe | verdict::Verdict::Unknown(_)) => None,
        }
    }

    /// Why the module fails, if it does.
    pub fn failure(&self) -> Option<&Failure> {
        if let Some(Threaded {
            report: Report { verdict: verdict::Verdict::Unsafe(replayed, _), .. }, ..
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
pub fn check(engine: Engine, task: Task<'_>, bounds: Bounds, observe: &mut Observer<'_>) -> Report {
    let module = task.module.with_single_accesses();
    let (watched, goal) = super::watching(&module, task.question);
    let found = threads::check(engine, &watched, bounds, task.effort, task.budget, observe);
    found.map(|verdict| match verdict {
        verdict::Verdict::Safe => verdict::Verdict::Safe,
        verdict::Verdict::Unknown(reason) => verdict::Verdict::Unknown(reason),
        verdict::Verdict::Unsafe(acts, ()) => confirm(task, (&module, watched), bounds, acts, &goal),
    })
}

/// Has a schedule of the watched module, in which it fails, confirmed by the interpreter, which knows nothing of the search.
fn confirm(
    task: Task<'_>,
    (module, mut watched): (&Module, Module),
    bounds: Bounds,
    mut acts: Vec<Act>,
    goal: &Goal,
) -> verdict::Verdict<Replayed, Option<Closed>> {
    // Where the watched module fails, the module itself makes the call.
    if let Goal::Calls(_) = goal {
        let thread = acts.last().map_or(0, |act| act.thread);
        acts.push(Act { thread, played: None });
        watched = module.watching(watched.watch);
    }
    let within = (bounds.threads, bounds.nesting);
    match verify(&watched, task.language, within, &acts, goal, Patience::within(task.budget)) {
        Ok((replayed, closed)) => verdict::Verdict::Unsafe(replayed, closed),
        Err(refused) => verdict::Verdict::Unknown(Reason::disbelieved(acts.len(), refused)),
    }
}
