//! Checks: can any environment bring a move about?

use agon_base::diagnostic::Diagnostic;
use agon_check::component;
use agon_check::concurrent::deadlock;
use agon_check::refine::Effort;
use agon_check::refine::assume::Assumed;
use agon_check::verdict::{Report, Verdict};
use agon_core::split::Reach;
use agon_core::term::Mode;
use serde_json::Value;

use super::reading::open;
use super::telling::{Watch, cost};
use super::{DEADLOCK, Failure, How, MOST_DRAWN, MOST_MOVES, Program, Tell, Within};
use crate::choices::{self, EngineOptions, OrderName};
use crate::render::answer::{blamed, headline, why_for};
use crate::render::{assumption, json, model, store};
use crate::workbench::graph::drawn;

pub(super) fn check(
    program: &Program,
    target: &str,
    how: &How,
    Within { budget, reader, started }: Within<'_>,
    tell: &mut Tell<'_>,
) -> Result<Value, Failure> {
    let session = open(program)?;
    let part = how.part.as_deref().filter(|part| !part.is_empty());
    let options = EngineOptions {
        semi_terminating: false,
        predicates: how.predicates,
        learner: how.learner,
        component: part.is_some(),
    };
    let engine = choices::engine(&how.engine, options)?;
    let stuck = target == DEADLOCK;
    let said = |diagnostic: Diagnostic| Failure {
        message: diagnostic.message.clone(),
        diagnostics: json::diagnostics(&session.source, &[diagnostic])["diagnostics"].clone(),
    };
    let order = how.order.order(1);
    let mut question = session.question(if stuck { "abort" } else { target }, order).map_err(said)?;
    question.shorten = how.order == OrderName::Shortest;
    if let Some(part) = part {
        component::named(&session.judgement, part, Reach::Used)?;
        question.component = Some(part.into());
    }
    let effort =
        Effort { certify: how.certify.into(), iterations: how.iterations.max(1), ..Effort::default() };
    let mut watch = Watch::new(tell, started);
    let mut report = match stuck {
        true if session.judgement.mode == Mode::Sequential => {
            return Err("only concurrent programs get stuck in a deadlock; this one is sequential".into());
        }
        true => deadlock(session.subject(), &question, budget, &mut |notice| watch.notice(notice)),
        false => session.check(&question, engine, &effort, budget, &mut |notice| watch.notice(notice)),
    };
    let whole = shortened(&mut report);
    let mut value = json::answer(&session, target, &report, cost(started));
    // Its iterations were told one by one.
    value.as_object_mut().map(|answer| answer.remove("refinements"));
    value["headline"] = match (stuck, &report.verdict) {
        (true, Verdict::Safe) => "no run gets stuck".into(),
        (true, Verdict::Unsafe(..)) => {
            "a run gets stuck: after this the program can neither move nor be helped".into()
        }
        (_, Verdict::Unknown(reason)) => why_for(&session, reason, reader).into(),
        _ => headline(&session, &question, &report).into(),
    };
    if let Verdict::Unknown(_) = &report.verdict {
        value["reason"] = value["headline"].clone();
    }
    if let (Some(whole), Some(said)) = (whole, value["headline"].as_str()) {
        value["headline"] =
            format!("{said}, by {whole} moves, of which the first {MOST_MOVES} are here").into();
    }
    if let Some(assumed) = &report.assumed {
        tell_assumption(&mut value, assumed);
    }
    if let Verdict::Unsafe(play, _) = &report.verdict {
        store::add(&mut value, &session, play, budget);
    }
    if let Verdict::Unknown(reason) = &report.verdict {
        let list: Vec<Diagnostic> = blamed(reason).into_iter().collect();
        value["diagnostics"] = json::diagnostics(&session.source, &list)["diagnostics"].clone();
    }
    Ok(value)
}

/// Leaves out the end of a play that is too long to be told; gives how long it was.
fn shortened(report: &mut Report) -> Option<usize> {
    let Verdict::Unsafe(play, _) = &mut report.verdict else { return None };
    let whole = play.moves.len();
    if whole <= MOST_MOVES {
        return None;
    }
    play.truncate(MOST_MOVES);
    Some(whole)
}

/// Adds what is assumed of a part as somebody reads it, and as it is drawn.
fn tell_assumption(value: &mut Value, assumed: &Assumed) {
    // Edges are drawn, not read.
    value["assumption"].as_object_mut().map(|data| data.remove("edges"));
    value["assumption"]["text"] = assumption::below(assumed, true).trim().into();
    if let Some(learnt) = &assumed.assumption {
        let written = model::lettered(learnt.drawn(&assumed.interface));
        value["assumption"]["graph"] = drawn(&written, None, MOST_DRAWN);
    }
}
