//! The precise engine: exact values, every position visited once.

use std::sync::Arc;

use agon_base::budget::Budget;
use agon_games::machine::Machine;
use agon_games::play::Play;
use agon_games::values::Exact;
use agon_witness::verify::Subject;

use crate::question::{Order, Question, watching, watching_each};
use crate::reconstruct::confirm;
use crate::search::{Observer, Progress, search_each};
use crate::task::Task;
use crate::verdict::{Account, Reason, Report, Verdict, unreached};

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
    let code = match (Subject { judgement: &watched, ..subject }).sequential_code() {
        Ok(code) => code,
        Err(refusal) => {
            return vec![Report::new(Verdict::Unknown(refusal.into()), "explicit"); questions.len()];
        }
    };
    let mut machine = Machine::new(code, Arc::new(subject.arena.clone()), Exact::default());
    let order = questions.first().map_or(Order::Fixed, |question| question.order);
    let (plays, ending, progress) = search_each(&mut machine, questions, order, budget, observe);
    let answer = |(question, play): (&Question, Option<Play>)| {
        let judgement = watching(subject, question);
        let subject = Subject { judgement: &judgement, ..subject };
        let verdict = match (play, ending) {
            (Some(play), _) => confirm(subject, play, budget),
            (None, Ok(())) => Verdict::Safe,
            (None, Err(stop)) => Verdict::Unknown(Reason::Stop(stop)),
        };
        let unreached = unreached(&verdict, subject, |check| machine.has_decided(check));
        let Progress { states, transitions, .. } = progress;
        let account = Account::Explicit { stuck: Vec::new(), unreached };
        Report { states, transitions, account, ..Report::new(verdict, "explicit") }
    };
    questions.iter().zip(plays).map(answer).collect()
}
