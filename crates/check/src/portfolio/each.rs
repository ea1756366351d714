//! Several questions about one program: first all of them in one precise search, then what is left, one by one.

use std::time::{Duration, Instant};

use agon_base::budget::{Budget, Stop};
use agon_base::growth::unless_full;
use agon_core::term::Mode;
use agon_witness::verify::Subject;

use super::{Engine, answer};
use crate::question::{Question, watching};
use crate::refine::RefinementOptions;
use crate::search::Observer;
use crate::shorten::shortened;
use crate::task::Task;
use crate::verdict::{Reason, Report, Verdict};
use crate::{concurrent, explicit};

/// The one search for all questions may try this many pairs of moves, where other engines can go on from there.
const FIRST_LOOK: u64 = 500_000;
/// Each question that is left has this much time at first, and twice as much in each round.
const FIRST_SHARE: Duration = Duration::from_secs(1);

/// Answers several questions with an engine. A question that takes long does not use up the time of the others: those
/// that one precise search does not answer take turns, for longer each time.
pub fn answer_each(
    engine: Engine,
    effort: &RefinementOptions,
    subject: Subject<'_>,
    questions: &[Question],
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Vec<Report> {
    let mut reports: Vec<Option<Report>> = vec![None; questions.len()];
    if matches!(engine, Engine::Auto | Engine::Explicit) {
        let together = match engine {
            Engine::Explicit => budget.clone(),
            _ => Budget {
                transitions: Some(budget.transitions.map_or(FIRST_LOOK, |n| n.min(FIRST_LOOK))),
                ..share(budget, 4)
            },
        };
        let search = match subject.judgement.mode {
            Mode::Concurrent => concurrent::check_each,
            Mode::Sequential => explicit::check_each,
        };
        let found = unless_full(|| search(subject, questions, &together, observe)).unwrap_or_else(|stop| {
            vec![Report::new(Verdict::Unknown(Reason::Stop(stop)), "explicit"); questions.len()]
        });
        for ((report, found), question) in reports.iter_mut().zip(found).zip(questions) {
            // What others may still find out is left to them.
            let is_final = engine == Engine::Explicit || !matches!(found.verdict, Verdict::Unknown(_));
            let judgement = watching(subject, question);
            let subject = Subject { judgement: &judgement, ..subject };
            let budget = &share(budget, questions.len());
            *report = is_final.then(|| shortened(Task { subject, question, effort, budget }, found));
        }
    }
    let mut open: Vec<usize> = (0..questions.len()).filter(|n| reports[*n].is_none()).collect();
    let mut time = FIRST_SHARE;
    while !open.is_empty() {
        let mut left = Vec::new();
        let count = open.len();
        for (k, n) in open.into_iter().enumerate() {
            // The last one has all the time that is left.
            let own = match count {
                1 => budget.clone(),
                _ => within(share(budget, count - k), time),
            };
            let task = Task { subject, question: &questions[n], effort, budget: &own };
            let report = answer(engine, task, observe);
            let in_vain = matches!(report.verdict, Verdict::Unknown(Reason::Stop(Stop::Time)));
            if in_vain && !budget.is_exhausted() && count > 1 {
                left.push(n);
            }
            reports[n] = Some(report);
        }
        open = left;
        time = time.saturating_mul(2);
    }
    reports.into_iter().flatten().collect()
}

/// A part of the time that is left.
fn share(budget: &Budget, of: usize) -> Budget {
    let now = Instant::now();
    let part = |deadline: Instant| {
        now + deadline.saturating_duration_since(now) / u32::try_from(of.max(1)).unwrap_or(u32::MAX)
    };
    Budget { deadline: budget.deadline.map(part), ..budget.clone() }
}

/// No more than this much time.
fn within(budget: Budget, time: Duration) -> Budget {
    let end = Instant::now().checked_add(time);
    let deadline = match (budget.deadline, end) {
        (Some(deadline), Some(end)) => Some(deadline.min(end)),
        (deadline, end) => deadline.or(end),
    };
    Budget { deadline, ..budget }
}
