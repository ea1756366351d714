//! The portfolio: which engine answers, and why that one.

mod decomposition;
mod each;
mod plan;
mod race;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use agon_base::budget::{Budget, Stop};
use agon_base::growth::unless_full;
use agon_base::source::Span;
use agon_core::checks::Watch;
use agon_core::term::Mode;
use agon_witness::verify::Subject;

use crate::interval::Intervals;
use crate::modules::random;
use crate::partition::Partitions;
use crate::predicate::{self, Scheme};
use crate::question::watching;
use crate::refine;
use crate::refine::assume::{Method, NAME};
use crate::search::Observer;
use crate::shorten::shortened;
use crate::task::Task;
use crate::verdict::{Reason, Report, Verdict};
use crate::{concurrent, explicit, horn};
pub use decomposition::{against, assume};
pub use each::answer_each;
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
    /// Horn clauses, which another program solves.
    Horn,
    /// Random environments of modules. It proves nothing.
    Random,
    /// One part of the program is checked with what is assumed of the other, which is learnt.
    AssumeGuarantee(Method),
}

impl Engine {
    /// All of them that need no other program, in the order in which they are offered.
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
        let all = Engine::ALL.iter().copied().chain([Engine::Horn, Engine::Random]);
        all.into_iter().find(|engine| engine.name() == name)
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
            Engine::Horn => horn::NAME,
            Engine::Random => random::NAME,
        }
    }
}

/// Answers a question with an engine. A play that was found is made shorter, if the question wants that.
pub fn answer(engine: Engine, task: Task<'_>, observe: &mut Observer<'_>) -> Report {
    let Task { subject, question, .. } = task;
    if question.check.is_some_and(|check| subject.judgement.watch != Watch::Only(check)) {
        // Whatever the engine, it sees a program in which nothing else aborts.
        let judgement = watching(subject, question);
        let subject = Subject { judgement: &judgement, ..subject };
        return answer(engine, Task { subject, ..task }, observe);
    }
    shortened(task, ask(engine, task, observe))
}

/// Asks an engine.
fn ask(engine: Engine, task: Task<'_>, observe: &mut Observer<'_>) -> Report {
    let run = || match engine {
        Engine::Explicit if task.subject.judgement.mode == Mode::Concurrent => {
            concurrent::check(task, observe)
        }
        Engine::Explicit => explicit::check(task, observe),
        Engine::Interval => refine::check(&Intervals::of_terms(task.question.order), task, observe),
        Engine::Partition { semi_terminating } => {
            refine::check(&Partitions { semi_terminating }, task, observe)
        }
        Engine::Predicate(scheme) => predicate::check(scheme, task, observe),
        Engine::AssumeGuarantee(method) => decomposition::decomposed(method, task, observe),
        Engine::Horn => horn::check_term(task),
        Engine::Random => {
            let what = "the engine `random` takes modules only".to_string();
            let span = Span::default();
            Report::new(Verdict::Unknown(Reason::NoEngine { what, span }), random::NAME)
        }
        Engine::Auto => {
            let ask = |engine, budget: &Budget, observe: &mut Observer<'_>| {
                ask(engine, Task { budget, ..task }, observe)
            };
            race(&Plan::new(task.subject), task.budget, &ask, observe).most_informative()
        }
    };
    let report = unless_full(run)
        .unwrap_or_else(|stop| Report::new(Verdict::Unknown(Reason::Stop(stop)), engine.name()));
    task.effort.solvers.judge(report)
}

/// Asks an engine of a plan, within a budget.
type Ask<'a, P, E> = dyn Fn(Engine, &Budget, &mut Observer<'_>) -> Report<P, E> + Sync + 'a;

/// Asks one engine.
fn attempt<P, E>(
    attempt: &Try,
    ask: &Ask<'_, P, E>,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Reports<P, E> {
    let engine = attempt.engine;
    match catch_unwind(AssertUnwindSafe(|| ask(engine, budget, observe))) {
        Ok(report) => {
            let because = Some(attempt.why.clone());
            Reports { reports: vec![Report { because, ..report }], panics: Vec::new() }
        }
        Err(panic) => Reports { reports: Vec::new(), panics: vec![(engine.name(), panic)] },
    }
}

/// Asks engines about a module, the likeliest first, each with the reason why it is asked.
pub(crate) fn in_turn<P: Clone + Send, E: Clone + Send>(
    tries: impl IntoIterator<Item = (Engine, String)>,
    budget: &Budget,
    ask: &Ask<'_, P, E>,
    observe: &mut Observer<'_>,
) -> Report<P, E> {
    let tries = tries.into_iter().map(|(engine, why)| Try { engine, why }).collect();
    race(&Plan { tries, alone: false }, budget, ask, observe).most_informative()
}

/// What engines said.
struct Reports<P, E> {
    /// The report of each.
    reports: Vec<Report<P, E>>,
    /// Those that broke down: mistakes of ours.
    panics: Vec<(&'static str, Box<dyn Any + Send>)>,
}

impl<P, E> Default for Reports<P, E> {
    fn default() -> Reports<P, E> {
        Reports { reports: Vec::new(), panics: Vec::new() }
    }
}

impl<P: Clone, E: Clone> Reports<P, E> {
    fn extend(&mut self, other: Reports<P, E>) {
        self.reports.extend(other.reports);
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

    /// The report that says most. A mistake of ours is not hidden, unless another engine knows.
    fn most_informative(mut self) -> Report<P, E> {
        if !self.is_final()
            && let Some((_, panic)) = self.panics.pop()
        {
            resume_unwind(panic);
        }
        let safe = self.reports.iter().find(|report| matches!(report.verdict, Verdict::Safe));
        let unsafe_ = self.reports.iter().find(|report| matches!(report.verdict, Verdict::Unsafe(..)));
        if let (Some(safe), Some(unsafe_)) = (safe, unsafe_) {
            let why = format!(
                "two engines contradict each other: {} says SAFE, {} says UNSAFE",
                safe.engine, unsafe_.engine
            );
            return Report { verdict: Verdict::Unknown(Reason::Bug(why)), ..unsafe_.clone() };
        }
        let first = self.reports.into_iter().min_by_key(|report| rank(&report.verdict));
        first.unwrap_or_else(|| Report::new(Verdict::Unknown(Reason::Stop(Stop::Cancelled)), "auto"))
    }
}

/// The less, the more a verdict says. A play was confirmed by the interpreter; and of several reasons the best is
/// the one that something can be done about.
fn rank<P, E>(verdict: &Verdict<P, E>) -> u8 {
    let reason = match verdict {
        Verdict::Unsafe(..) => return 0,
        Verdict::Safe => return 1,
        Verdict::Unknown(reason) => reason,
    };
    match reason {
        Reason::Solver(agon_solve::Reason::Difference(_)) => 2,
        Reason::Bug(_) | Reason::Unverified(_) => 3,
        Reason::Unconfirmed(_) => 4,
        Reason::Stop(Stop::Cancelled) => 5,
        Reason::Stop(Stop::Time) => 6,
        Reason::Stop(Stop::Memory) => 7,
        Reason::Solver(agon_solve::Reason::Broken(_) | agon_solve::Reason::WrongModel(_)) => 8,
        Reason::Iterations(_) => 9,
        Reason::Solver(_) => 10,
        Reason::Predicates | Reason::Unshown(_) => 11,
        Reason::TooLargeToReplay => 12,
        Reason::Stop(Stop::Number) => 13,
        Reason::Stop(Stop::Store | Stop::Table) => 14,
        Reason::Stop(Stop::Unbounded(_)) => 15,
        Reason::Stop(Stop::Transitions) => 16,
        Reason::Ambiguous
        | Reason::Unproved { .. }
        | Reason::Partly { .. }
        | Reason::FewTried(_)
        | Reason::Refused(_)
        | Reason::Bound(_)
        | Reason::Undefined(_)
        | Reason::Unsupported(_) => 17,
        Reason::Reenters => 18,
        Reason::SomeValues(_)
        | Reason::NoEngine { .. }
        | Reason::NoComponent(_)
        | Reason::NoParts(_)
        | Reason::NoModel(_) => 19,
    }
}

#[cfg(test)]
mod tests {
    use agon_games::play::Play;

    use agon_witness::verify::Evidence;

    use super::*;

    #[test]
    fn engines_that_contradict_each_other_are_a_bug_in_either_order() {
        let safe = || Report::new(Verdict::Safe, "explicit");
        let unsafe_ = || Report::new(Verdict::Unsafe(Play::default(), Evidence::default()), "predicate");
        for reports in [[safe(), unsafe_()], [unsafe_(), safe()]] {
            let reports = Reports { reports: reports.into(), panics: Vec::new() };
            let Verdict::Unknown(reason) = reports.most_informative().verdict else {
                panic!("one is believed")
            };
            assert!(reason.is_bug());
            let said = "two engines contradict each other: explicit says SAFE, predicate says UNSAFE";
            assert!(matches!(reason, Reason::Bug(why) if why == said));
        }
    }
}
