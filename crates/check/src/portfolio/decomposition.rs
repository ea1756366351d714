//! A program in two halves: at which part, and over which data.

use agon_base::budget::{Budget, Stop};
use agon_core::split::Reach;
use agon_core::term::Mode;
use agon_games::contract::Specification;
use agon_games::sites::Sites;
use agon_witness::verify::Subject;

use crate::component;
use crate::interval::Intervals;
use crate::partition::Partitions;
use crate::refine::assume::{Lesson, Method, NAME};
use crate::refine::{self, Abstraction, Certify, RefinementOptions};
use crate::search::Observer;
use crate::task::Task;
use crate::verdict::{Reason, Report, Verdict};

/// Intervals may play this many moves of unbounded data, in each of this many iterations, before partitions are tried.
const FIRST_LOOK: u64 = 200_000;
const FIRST_ITERATIONS: usize = 50;
/// Why a concurrent program is not checked in two halves.
const CONCURRENT: &str = "parts of concurrent programs are not checked on their own";

/// Checks a program in two halves: at the part that was asked for, or at the best that can be taken.
pub(super) fn decomposed(method: Method, task: Task<'_>, observe: &mut Observer<'_>) -> Report {
    let Task { subject, question, .. } = task;
    let components = match &question.component {
        None => component::ranked(subject.judgement),
        Some(name) => match component::named(subject.judgement, name, Reach::Used) {
            Ok(component) => vec![component],
            Err(why) => return Report::new(Verdict::Unknown(Reason::NoComponent(why)), NAME),
        },
    };
    let mut last = None;
    for component in &components {
        let lesson = Lesson { component, method, weakest: false };
        let report =
            attempts(task, |abstraction, task| refine::check_component(abstraction, task, lesson, observe));
        // Another part may not be entered while it runs.
        if !matches!(report.verdict, Verdict::Unknown(Reason::Reenters)) {
            return report;
        }
        last = Some(report);
    }
    if question.component.is_some() || subject.judgement.mode == Mode::Concurrent {
        let none = || Report::new(Verdict::Unknown(Reason::NoComponent(CONCURRENT.into())), NAME);
        return last.unwrap_or_else(none);
    }
    let why = match components.len() {
        0 => "the program has no definition and no argument that can be checked on its own",
        _ => "every definition and argument of the program is entered while it runs",
    };
    let report = attempts(task, |abstraction, task| refine::check(abstraction, task, observe));
    Report { because: Some(format!("{why}, so it was checked as a whole")), ..report }
}

/// Checks a program at one of its parts, and learns an assumption about it.
pub fn assume(lesson: Lesson<'_>, task: Task<'_>, observe: &mut Observer<'_>) -> Report {
    refine::check_component(&*abstraction(task), task, lesson, observe)
}

/// Checks a program against what was assumed about a part.
pub fn against(
    specification: &Specification,
    task: Task<'_>,
    observe: &mut Observer<'_>,
) -> Result<Report, String> {
    refine::check_against(&*abstraction(task), task, specification, observe)
}

/// Intervals come first, since they find the numbers that matter at once; where data is unbounded they may do so for
/// ever, so partitions follow. With the paper's own test of counterexamples it is the paper's way, partitions alone.
fn attempts(task: Task<'_>, mut attempt: impl FnMut(&dyn Abstraction, Task<'_>) -> Report) -> Report {
    let Task { subject, question, effort, budget } = task;
    let intervals = Intervals::of_terms(question.order);
    if is_unbounded(subject) && effort.certify != Certify::Forced {
        let most = budget.transitions.map_or(FIRST_LOOK, |most| most.min(FIRST_LOOK));
        let iterations = effort.iterations.min(FIRST_ITERATIONS);
        let less = &RefinementOptions { iterations, ..effort.clone() };
        let own = &Budget { transitions: Some(most), ..budget.clone() };
        let report = attempt(&intervals, Task { effort: less, budget: own, ..task });
        let gave_up = matches!(
            report.verdict,
            Verdict::Unknown(Reason::Stop(Stop::Transitions) | Reason::Iterations(_))
        );
        let all =
            budget.transitions.is_some_and(|most| most <= FIRST_LOOK) || effort.iterations == iterations;
        if !gave_up || all || budget.is_exhausted() {
            return report;
        }
    }
    attempt(&*abstraction(task), task)
}

/// How data is approximated: by partitions, if some of it may be any integer.
fn abstraction(task: Task<'_>) -> Box<dyn Abstraction> {
    match is_unbounded(task.subject) {
        true => Box::new(Partitions { semi_terminating: true }),
        false => Box::new(Intervals::of_terms(task.question.order)),
    }
}

/// Whether some data of a program may be any integer.
fn is_unbounded(subject: Subject<'_>) -> bool {
    match subject.code() {
        Ok(code) => Sites::new(&code, subject.arena).iter().any(|(_, site)| site.range.count().is_none()),
        Err(_) => false,
    }
}
