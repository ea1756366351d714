//! The portfolio: which engine answers, and why that one.

use agon_games::arena::Arena;
use agon_games::machine::{Code, compile};
use agon_games::sites::{Site, Sites};
use agon_lang::int::Int;
use agon_witness::verify::Subject;

use crate::budget::{Budget, Limit};
use crate::explicit;
use crate::interval::Intervals;
use crate::partition::Partitions;
use crate::question::Question;
use crate::refine::{self, Effort};
use crate::search::Progress;
use crate::verdict::{Reason, Report, Verdict};

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
}

/// Types of more values than this are worth approximating.
const FEW_VALUES: u64 = 256;
/// A precise search of so many pairs of moves comes first where it may be enough.
const FIRST_LOOK: u64 = 200_000;

/// Answers a question with an engine.
pub fn answer(
    engine: Engine,
    effort: Effort,
    subject: Subject<'_>,
    question: &Question,
    budget: &Budget,
    observe: &mut dyn FnMut(Progress),
) -> Report {
    match engine {
        Engine::Explicit => explicit::check(subject, question, budget, observe),
        Engine::Interval => {
            let intervals = Intervals { order: question.order };
            refine::check(&intervals, effort, subject, question, budget, observe)
        }
        Engine::Partition { semi_terminating } => {
            refine::check(&Partitions { semi_terminating }, effort, subject, question, budget, observe)
        }
        Engine::Auto => choose(effort, subject, question, budget, observe),
    }
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

/// Chooses by the data of the program, and says why.
fn choose(
    effort: Effort,
    subject: Subject<'_>,
    question: &Question,
    budget: &Budget,
    observe: &mut dyn FnMut(Progress),
) -> Report {
    let because = |report: Report, why: String| Report { because: Some(why), ..report };
    let Ok(code) = compile(subject.judgement, subject.arena) else {
        return explicit::check(subject, question, budget, observe);
    };
    let (site, given) = match large(&code, subject.arena) {
        Large::None => {
            let report = explicit::check(subject, question, budget, observe);
            return because(report, format!("no type has more than {FEW_VALUES} values"));
        }
        Large::Given(site) => (site, true),
        Large::Own(site) => (site, false),
    };
    let what = match site.range.count() {
        None => format!("`{}` may be any integer", site.name),
        Some(count) => format!("`{}` has {count} values", site.name),
    };
    let engine = match site.range.count() {
        None => Engine::Partition { semi_terminating: true },
        Some(_) => Engine::Interval,
    };
    if !given {
        let first_look = Budget { transitions: Some(FIRST_LOOK), ..budget.clone() };
        let report = explicit::check(subject, question, &first_look, observe);
        if !matches!(report.verdict, Verdict::Unknown(Reason::Limit(Limit::Transitions))) {
            return because(report, format!("{what}, but a first look at exact numbers was enough"));
        }
    }
    let report = answer(engine, effort, subject, question, budget, observe);
    let gave_up = matches!(
        report.verdict,
        Verdict::Unknown(Reason::Iterations(_) | Reason::TooLargeToReplay | Reason::Limit(Limit::Store))
    );
    if gave_up {
        let precise = explicit::check(subject, question, budget, observe);
        if !matches!(precise.verdict, Verdict::Unknown(_)) {
            let why = format!("{what}, and after {} iterations exact numbers were tried", report.iterations);
            return because(precise, why);
        }
    }
    because(report, what)
}
