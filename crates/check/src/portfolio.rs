//! The portfolio: which engine answers, and why that one.

mod halves;
mod plan;
mod race;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

use agon_lang::tree::Mode;
use agon_witness::verify::Subject;

use crate::budget::{Budget, Limit};
use crate::interval::Intervals;
use crate::partition::Partitions;
use crate::predicate::{self, Scheme};
use crate::question::Question;
use crate::refine::assume::{Method, NAME};
use crate::refine::{self, Effort};
use crate::search::Observer;
use crate::verdict::{Reason, Report, Verdict};
use crate::{concurrent, explicit};
pub use halves::{against, assume};
use plan::{Plan, Try};
use race::race;

/// The engines that can be asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// Whichever fits.
    Auto,
    /// The precise one.
    Explicit,
    /// Intervals, for large finite types.
    Interval,
    /// Partitions of the integers.
    Partition {
        /// Whether it is to end for every unsafe program, rather than look at shortest counterexamples.
        semi_terminating: bool,
    },
    /// Predicates.
    Predicate(Scheme),
    /// One part of the program is checked with what is assumed of the other, which is learnt.
    AssumeGuarantee(Method),
}

impl Engine {
    /// All of them, in the order in which they are offered.
    pub const ALL: &'static [Engine] = &[
        Engine::Auto,
        Engine::Explicit,
        Engine::Interval,
        Engine::Partition { semi_terminating: false },
        Engine::Predicate(Scheme::Minimal),
        Engine::AssumeGuarantee(Method::Tree),
    ];

    /// The engine of a name.
    pub fn named(name: &str) -> Option<Engine> {
        Engine::ALL.iter().copied().find(|engine| engine.name() == name)
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Explicit => "explicit",
            Engine::Interval => "interval",
            Engine::Partition { .. } => "partition",
            Engine::Predicate(_) => predicate::NAME,
            Engine::AssumeGuarantee(_) => NAME,
        }
    }
}

/// Answers a question with an engine.
pub fn answer(
    engine: Engine,
    effort: &Effort,
    subject: Subject<'_>,
    question: &Question,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Report {
    let report = match engine {
        Engine::Explicit if subject.judgement.mode == Mode::Concurrent => {
            concurrent::check(subject, question, budget, observe)
        }
        Engine::Explicit => explicit::check(subject, question, budget, observe),
        Engine::Interval => {
            let intervals = Intervals { order: question.order };
            refine::check(&intervals, effort, subject, question, budget, observe)
        }
        Engine::Partition { semi_terminating } => {
            refine::check(&Partitions { semi_terminating }, effort, subject, question, budget, observe)
        }
        Engine::Predicate(scheme) => predicate::check(scheme, effort, subject, question, budget, observe),
        Engine::AssumeGuarantee(method) => halves::halved(method, effort, subject, question, budget, observe),
        Engine::Auto => choose(Asking { effort, subject, question }, budget, observe),
    };
    effort.solvers.judge(report)
}

/// What is asked.
#[derive(Clone, Copy)]
struct Asking<'a> {
    effort: &'a Effort,
    subject: Subject<'a>,
    question: &'a Question,
}

impl Asking<'_> {
    /// Asks engines one after the other until one is conclusive. Those that gave up `before`, and would again, are left
    /// out.
    fn one_by_one(
        self,
        tries: &[Try],
        before: Vec<GaveUp>,
        budget: &Budget,
        observe: &mut Observer<'_>,
    ) -> Told {
        let mut told = Told::default();
        for attempt in tries {
            let engine = attempt.engine;
            let mut gave_up = before.iter().copied().chain(told.gave_up());
            if gave_up.any(|other| other.engine == engine.name() && other.for_good) {
                continue;
            }
            let deadline = attempt.time.and_then(|time| Instant::now().checked_add(time));
            let own = Budget {
                transitions: least(attempt.transitions, budget.transitions),
                deadline: least(deadline, budget.deadline),
                ..budget.clone()
            };
            let report = catch_unwind(AssertUnwindSafe(|| {
                answer(engine, self.effort, self.subject, self.question, &own, observe)
            }));
            match report {
                Ok(report) => told.add(Report { because: Some(attempt.why.clone()), ..report }),
                Err(panic) => told.panics.push((engine.name(), panic)),
            }
            if told.is_final() || budget.exceeded(0).is_some() {
                break;
            }
        }
        told
    }
}

/// The smaller of two limits.
fn least<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
    a.into_iter().chain(b).min()
}

/// What engines said.
#[derive(Default)]
struct Told {
    /// The last report of each.
    reports: Vec<Report>,
    /// Those that broke down: mistakes of ours.
    panics: Vec<(&'static str, Box<dyn Any + Send>)>,
}

/// An engine that gave up.
#[derive(Clone, Copy)]
struct GaveUp {
    engine: &'static str,
    /// Whether it would do so again, even if it were given more.
    for_good: bool,
}

impl Told {
    fn add(&mut self, report: Report) {
        self.reports.retain(|other| other.engine != report.engine);
        self.reports.push(report);
    }

    fn extend(&mut self, other: Told) {
        other.reports.into_iter().for_each(|report| self.add(report));
        self.panics.extend(other.panics);
    }

    /// Whether nothing that another engine could say matters any more.
    fn is_final(&self) -> bool {
        self.reports.iter().any(|report| {
            matches!(
                report.verdict,
                Verdict::Safe
                    | Verdict::Unsafe(..)
                    | Verdict::Unknown(Reason::Solver(agon_solve::Reason::Difference(_)))
            )
        })
    }

    fn gave_up(&self) -> Vec<GaveUp> {
        let mut all: Vec<_> =
            self.panics.iter().map(|(engine, _)| GaveUp { engine, for_good: true }).collect();
        all.extend(self.reports.iter().map(|report| GaveUp {
            engine: report.engine,
            for_good: !matches!(
                report.verdict,
                Verdict::Unknown(Reason::Limit(Limit::Transitions | Limit::Time))
            ),
        }));
        all
    }

    /// The report that says most. A mistake of ours is not hidden, unless another engine knows.
    fn most_telling(mut self) -> Report {
        if !self.is_final()
            && let Some((_, panic)) = self.panics.pop()
        {
            resume_unwind(panic);
        }
        let safe = self.reports.iter().any(|report| matches!(report.verdict, Verdict::Safe));
        let unsafe_ = self.reports.iter().any(|report| matches!(report.verdict, Verdict::Unsafe(..)));
        debug_assert!(!(safe && unsafe_), "two engines contradict each other");
        let first = self.reports.into_iter().min_by_key(|report| rank(&report.verdict));
        first.unwrap_or_else(|| Report::new(Verdict::Unknown(Reason::Limit(Limit::Cancelled)), "auto"))
    }
}

/// The less, the more a verdict says. A play was confirmed by the interpreter; and of several reasons the best is
/// the one that something can be done about.
fn rank(verdict: &Verdict) -> u8 {
    let reason = match verdict {
        Verdict::Unsafe(..) => return 0,
        Verdict::Safe => return 1,
        Verdict::Unknown(reason) => reason,
    };
    match reason {
        Reason::Solver(agon_solve::Reason::Difference(_)) => 2,
        Reason::Unverified(_) => 3,
        Reason::Unconfirmed(_) => 4,
        Reason::Limit(Limit::Cancelled) => 5,
        Reason::Limit(Limit::Time) => 6,
        Reason::Limit(Limit::Memory) => 7,
        Reason::Solver(agon_solve::Reason::Broken(_) | agon_solve::Reason::WrongModel(_)) => 8,
        Reason::Iterations(_) => 9,
        Reason::Solver(_) => 10,
        Reason::Predicates => 11,
        Reason::TooLargeToReplay => 12,
        Reason::Limit(Limit::Number) => 13,
        Reason::Limit(Limit::Store) => 14,
        Reason::Unbounded(_) => 15,
        Reason::Limit(Limit::Transitions) => 16,
        Reason::Ambiguous => 17,
        Reason::Reenters => 18,
        Reason::NoEngine { .. } | Reason::NoComponent(_) => 19,
    }
}

/// Chooses by what the program contains. An engine that was given little to try makes room for the next, and where it
/// is worth it two are asked at the same time.
fn choose(asking: Asking<'_>, budget: &Budget, observe: &mut Observer<'_>) -> Report {
    let plan = Plan::new(asking.subject);
    let mut told = asking.one_by_one(&plan.head, Vec::new(), budget, observe);
    if !told.is_final() && budget.exceeded(0).is_none() {
        let rest = match budget.threads.most > 1 && plan.worth_it {
            true => {
                let predicates = std::slice::from_ref(&plan.predicates);
                let lines = match plan.predicates_first {
                    true => [predicates, &plan.staged],
                    false => [&plan.staged, predicates],
                };
                race(asking, lines, &told, budget, observe)
            }
            false => asking.one_by_one(&plan.one_by_one(), told.gave_up(), budget, observe),
        };
        told.extend(rest);
    }
    told.most_telling()
}
