//! The precise engine: exact values, every position visited once.

use std::sync::Arc;

use agon_games::machine::{Machine, compile};
use agon_games::values::Exact;
use agon_witness::verify::Subject;

use crate::budget::Budget;
use crate::question::Question;
use crate::retell::confirm;
use crate::search::{Ending, Observer, Progress, search};
use crate::verdict::{Reason, Report, Verdict};

/// Answers a question about a program, precisely.
pub fn check(
    subject: Subject<'_>,
    question: &Question,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Report {
    let report = |verdict, progress: Progress| Report {
        states: progress.states,
        transitions: progress.transitions,
        ..Report::new(verdict, "explicit")
    };
    let code = match compile(subject.judgement, subject.arena) {
        Ok(code) => code,
        Err(refusal) => {
            return report(Verdict::Unknown(refusal.into()), Progress::default());
        }
    };
    let mut machine = Machine::new(Arc::new(code), Arc::new(subject.arena.clone()), Exact::default());
    let (ending, progress) = search(&mut machine, question, budget, observe);
    let verdict = match ending {
        Ending::Exhausted => Verdict::Safe,
        Ending::Unbounded(component) => Verdict::Unknown(Reason::Unbounded(component)),
        Ending::Stopped(limit) => Verdict::Unknown(Reason::Limit(limit)),
        Ending::Reached(play) => confirm(subject, play, budget),
    };
    report(verdict, progress)
}
