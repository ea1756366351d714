//! The precise engine: exact values, every position visited once.

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::refused::Refused;
use agon_base::source::Span;
use agon_core::checks::{Check, Watch};
use agon_games::machine::Machine;
use agon_games::play::Play;
use agon_games::values::Exact;
use agon_witness::verify::Subject;
use rustc_hash::FxHashSet;

use crate::question::{Order, Question, watching, watching_each};
use crate::reconstruct::confirm;
use crate::search::{Observer, Progress, search_each};
use crate::task::Task;
use crate::verdict::{Account, Report, Verdict};

/// Answers a question about a program, precisely.
pub fn check(task: Task<'_>, observe: &mut Observer<'_>) -> Report {
    let reports = check_each(task.subject, std::slice::from_ref(task.question), task.budget, observe);
    reports.into_iter().next().expect("each question has an answer")
}

/// Answers several questions about a program, in one search.
pub fn check_each(
    subject: Subject<'_>,
    questions: &[Question],
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Vec<Report> {
    let watched = watching_each(subject, questions);
    let code = (Subject { judgement: &watched, ..subject }).sequential_code();
    let searched = code.map(|code| {
        let mut machine = Machine::new(code, Arc::new(subject.arena.clone()), Exact::default());
        let order = questions.first().map_or(Order::Fixed, |question| question.order);
        let (plays, ending, progress) = search_each(&mut machine, questions, order, budget, observe);
        let plays = plays.into_iter().map(|play| Some((play?, Vec::new()))).collect();
        let decided = watched.checks().into_iter().filter(|check| machine.has_decided(*check)).collect();
        Searched { plays, ending, progress, decided }
    });
    answers(subject, questions, searched, |subject, play| confirm(subject, play, budget))
}

/// What a search that visits everything has come to.
pub(crate) struct Searched {
    /// For each question the play that reaches its target, if there is one; and where the threads stand at its end, if they
    /// are stuck.
    pub(crate) plays: Vec<Option<(Play, Vec<Span>)>>,
    /// Whether everything was visited that had to be.
    pub(crate) ending: Result<(), Stop>,
    /// How far it has come.
    pub(crate) progress: Progress,
    /// The checks that were decided in some run.
    pub(crate) decided: FxHashSet<Check>,
}

/// The answers that follow from one search, if the plays that it has found are confirmed.
pub(crate) fn answers(
    subject: Subject<'_>,
    questions: &[Question],
    searched: Result<Searched, Refused>,
    confirm: impl Fn(Subject<'_>, Play) -> Verdict,
) -> Vec<Report> {
    let Searched { plays, ending, progress, decided } = match searched {
        Ok(searched) => searched,
        Err(refused) => {
            return vec![Report::new(Verdict::Unknown(refused.into()), "explicit"); questions.len()];
        }
    };
    let answer = |(question, found): (&Question, Option<(Play, Vec<Span>)>)| {
        let judgement = watching(subject, question);
        let subject = Subject { judgement: &judgement, ..subject };
        let (verdict, stuck) = match (found, ending) {
            (Some((play, stuck)), _) => (confirm(subject, play), stuck),
            (None, Ok(())) => (Verdict::Safe, Vec::new()),
            (None, Err(stop)) => (Verdict::Unknown(stop.into()), Vec::new()),
        };
        // The checks that a search of everything has never come to.
        let mut unreached = match (&verdict, judgement.watch) {
            (Verdict::Unsafe(..) | Verdict::Unknown(_), _) => Vec::new(),
            (Verdict::Safe, Watch::Only(check)) => vec![check],
            (Verdict::Safe, Watch::Kind(kind)) => {
                judgement.checks().into_iter().filter(|check| check.kind == kind).collect()
            }
            (Verdict::Safe, Watch::All | Watch::Each) => judgement.checks(),
        };
        unreached.retain(|check| !decided.contains(check));
        let Progress { states, transitions, .. } = progress;
        let account = Account::Explicit { stuck, unreached };
        Report { states, transitions, account, ..Report::new(verdict, "explicit") }
    };
    questions.iter().zip(plays).map(answer).collect()
}
