//! The portfolio: which engine answers, and why that one.

use agon_games::arena::Arena;
use agon_games::machine::{Code, compile_any};
use agon_games::sites::{Site, Sites};
use agon_lang::int::Int;
use agon_lang::tree::Mode;
use agon_witness::verify::Subject;

use crate::budget::{Budget, Limit};
use crate::interval::Intervals;
use crate::partition::Partitions;
use crate::predicate::{self, Scheme};
use crate::question::Question;
use crate::refine::{self, Effort};
use crate::search::Observer;
use crate::verdict::{Reason, Report, Verdict};
use crate::{concurrent, explicit};

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
}

impl Engine {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Explicit => "explicit",
            Engine::Interval => "interval",
            Engine::Partition { .. } => "partition",
            Engine::Predicate(_) => predicate::NAME,
        }
    }
}

/// Types of more values than this are worth approximating.
const FEW_VALUES: u64 = 256;
/// A precise search of so many pairs of moves comes first where it may be enough.
const FIRST_LOOK: u64 = 200_000;
/// An engine that is likely to fit may try so many before another one has a go.
const LONG_LOOK: u64 = 2_000_000;

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
        Engine::Auto => choose(effort, subject, question, budget, observe),
    };
    effort.solvers.judge(report)
}

/// What a program's data looks like.
enum Large {
    /// Every type is small.
    None,
    /// The environment gives data of a large type, at this site.
    Given(Site),
    /// Only the program's own cells are large, this one among them.
    Own(Site),
}

fn large(code: &Code, arena: &Arena) -> Large {
    let sites = Sites::new(code, arena);
    let is_large = |site: &Site| {
        site.data.as_ref().is_some_and(|data| data.size().is_none_or(|size| size > Int::from(FEW_VALUES)))
    };
    let mut given: Vec<_> = arena.components().filter_map(|(id, _)| sites.of_component(id)).collect();
    let unbounded_first = |site: &Site| site.range.count().is_some();
    given.sort_by_key(|id| unbounded_first(sites.site(*id)));
    if let Some(id) = given.iter().find(|id| is_large(sites.site(**id))) {
        return Large::Given(sites.site(*id).clone());
    }
    let mut own: Vec<_> = sites.iter().map(|(_, site)| site).filter(|site| is_large(site)).collect();
    own.sort_by_key(|site| unbounded_first(site));
    own.first().map_or(Large::None, |site| Large::Own((*site).clone()))
}

/// Chooses by the data of the program, and says why. An engine that was given little to try makes room for the next.
fn choose(
    effort: &Effort,
    subject: Subject<'_>,
    question: &Question,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Report {
    let large = match compile_any(subject.judgement, subject.arena) {
        Ok(code) => large(&code, subject.arena),
        // The engine will say why it cannot.
        Err(_) => Large::None,
    };
    let size = |site: &Site| match site.range.count() {
        None => format!("`{}` may be any integer", site.name),
        Some(count) => format!("`{}` has {count} values", site.name),
    };
    let abstracting = |site: &Site| match site.range.count() {
        None => Engine::Partition { semi_terminating: true },
        Some(_) => Engine::Interval,
    };
    let stages = match &large {
        Large::None => {
            let few = format!("no type has more than {FEW_VALUES} values");
            vec![
                (Engine::Explicit, Some(LONG_LOOK), few.clone()),
                (Engine::Interval, Some(LONG_LOOK), format!("{few}, but there are too many positions")),
                (Engine::Explicit, None, few),
            ]
        }
        Large::Own(site) => {
            let size = size(site);
            vec![
                (Engine::Explicit, Some(FIRST_LOOK), format!("{size}, but few were needed")),
                (abstracting(site), Some(LONG_LOOK), size.clone()),
                (Engine::Explicit, None, format!("{size}, but no approximation was fine enough")),
            ]
        }
        Large::Given(site) => {
            let size = size(site);
            vec![
                (abstracting(site), Some(LONG_LOOK), size.clone()),
                (Engine::Explicit, Some(LONG_LOOK), format!("{size}, but no approximation was fine enough")),
                (abstracting(site), None, size),
            ]
        }
    };
    let mut told: Vec<Report> = Vec::new();
    for (engine, transitions, why) in stages {
        // What gave up for another reason than that it was to be quick will do so again.
        let again = told.iter().find(|report| report.engine == engine.name());
        if again.is_some_and(|report| {
            !matches!(report.verdict, Verdict::Unknown(Reason::Limit(Limit::Transitions)))
        }) {
            continue;
        }
        let budget = Budget { transitions, ..budget.clone() };
        let report = answer(engine, effort, subject, question, &budget, observe);
        let gave_up = matches!(
            report.verdict,
            Verdict::Unknown(
                Reason::Limit(Limit::Transitions | Limit::Store | Limit::Number)
                    | Reason::Iterations(_)
                    | Reason::TooLargeToReplay
                    | Reason::Unbounded(_)
                    | Reason::Solver(agon_solve::Reason::Broken(_) | agon_solve::Reason::WrongModel(_))
            )
        );
        told.push(Report { because: Some(why), ..report });
        if !gave_up {
            break;
        }
    }
    // Of several that gave up, the one that approximates says most about why.
    let decided = told.last().is_none_or(|report| {
        !matches!(
            report.verdict,
            Verdict::Unknown(
                Reason::Limit(Limit::Transitions)
                    | Reason::Iterations(_)
                    | Reason::Unbounded(_)
                    | Reason::Solver(_)
            )
        )
    });
    let most_telling = told.iter().position(|report| report.refinement.is_some() && !decided);
    let report = match most_telling {
        Some(n) => Some(told.swap_remove(n)),
        None => told.pop(),
    };
    report.unwrap_or_else(|| answer(Engine::Explicit, effort, subject, question, budget, observe))
}
