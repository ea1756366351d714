//! The precise engine: exact values, every position visited once.

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_core::checks::Watch;
use agon_games::machine::{Machine, compile};
use agon_games::play::Play;
use agon_games::values::Exact;
use agon_witness::verify::Subject;

use crate::question::{Order, Question, watching};
use crate::retell::confirm;
use crate::search::{Observer, Progress, search, search_each};
use crate::verdict::{Reason, Report, Verdict, unreached};

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
    let verdict = verdict(subject, ending, budget);
    let unreached = unreached(&verdict, subject, |check| machine.has_decided(check));
    Report { unreached, ..report(verdict, progress) }
}

/// Answers several questions about a program, in one search.
pub fn check_each(
    subject: Subject<'_>,
    questions: &[Question],
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Vec<Report> {
    let judgement = subject.judgement.watching(Watch::Each);
    let code = match compile(&judgement, subject.arena) {
        Ok(code) => code,
        Err(refusal) => {
            let report = Report::new(Verdict::Unknown(refusal.into()), "explicit");
            return vec![report; questions.len()];
        }
    };
    let mut machine = Machine::new(Arc::new(code), Arc::new(subject.arena.clone()), Exact::default());
    let order = questions.first().map_or(Order::Fixed, |question| question.order);
    let (plays, ending, progress) = search_each(&mut machine, questions, order, budget, observe);
    let answer = |(question, play): (&Question, Option<Play>)| {
        let judgement = watching(subject, question);
        let subject = Subject { judgement: &judgement, ..subject };
        let verdict = verdict(subject, play.map_or(ending.map(|()| None), |play| Ok(Some(play))), budget);
        let unreached = unreached(&verdict, subject, |check| machine.has_decided(check));
        let Progress { states, transitions, .. } = progress;
        Report { states, transitions, unreached, ..Report::new(verdict, "explicit") }
    };
    questions.iter().zip(plays).map(answer).collect()
}

fn verdict(subject: Subject<'_>, ending: Result<Option<Play>, Stop>, budget: &Budget) -> Verdict {
    match ending {
        Ok(None) => Verdict::Safe,
        Err(stop) => Verdict::Unknown(Reason::Stop(stop)),
        Ok(Some(play)) => confirm(subject, play, budget),
    }
}
