//! Checks: can any environment reach a move?

use agon_base::diagnostic::Diagnostic;
use agon_check::component;
use agon_check::concurrent::deadlock;
use agon_check::library;
use agon_check::refine::RefinementOptions;
use agon_check::refine::assume::Assumed;
use agon_check::search::Notice;
use agon_check::task::Task;
use agon_check::verdict::{Report, Verdict};
use agon_core::split::Reach;
use agon_core::term::Mode;
use agon_games::contract;

use super::progress::Reporter;
use super::reading::open_any;
use super::{Context, DEADLOCK, Emit, MOST_DRAWN, MOST_MOVES};
use crate::choices::{self, EngineOptions, OrderName};
use crate::render::answer::{blamed, headline, why_for};
use crate::render::{assumption, json, model, module, store};
use crate::session::module::{ModuleSession, NESTING};
use crate::session::{Opened, Session};
use crate::shape::assumption::Assumption;
use crate::shape::event::{Answer, Checked, Failure};
use crate::shape::request::{CheckOptions, Program};
use crate::system::peak_memory;
use crate::workbench::graph::drawn;

pub(super) fn check(
    program: &Program,
    target: &str,
    options: &CheckOptions,
    context: Context<'_>,
    emit: &mut Emit<'_>,
) -> Result<Answer, Failure> {
    match open_any(program, context.budget)? {
        Opened::Term(session) => check_term(&session, target, options, context, emit),
        Opened::Module(session) => check_module(&session, target, options, context, emit),
    }
}

fn check_module(
    session: &ModuleSession,
    target: &str,
    options: &CheckOptions,
    Context { budget, reader, started }: Context<'_>,
    emit: &mut Emit<'_>,
) -> Result<Answer, Failure> {
    let engine_options = EngineOptions {
        semi_terminating: false,
        predicates: options.predicates,
        learner: options.learner,
        component: options.part.as_deref().is_some_and(|part| !part.is_empty()),
    };
    let engine = choices::engine(&options.engine, engine_options)?;
    if !library::takes(engine) {
        return Err(format!("the engine {} does not take modules, and this is one", engine.name()).into());
    }
    let said = |diagnostic: Diagnostic| Failure {
        message: diagnostic.message.clone(),
        diagnostics: json::messages(&session.source, &[diagnostic]),
    };
    let question = session.question(target).map_err(said)?;
    let effort = RefinementOptions {
        certify: options.certify.into(),
        iterations: options.iterations.max(1),
        ..RefinementOptions::default()
    };
    let mut reporter = Reporter::new(emit, started);
    let bounds = session.bounds(NESTING);
    let mut observe = |notice: Notice<'_>| reporter.notice(notice);
    let questions = std::slice::from_ref(&question);
    let checked = session.check_all(questions, engine, bounds, &effort, budget, &mut observe).remove(0);
    let headline = module::headline_of(session, &question, target, &checked, reader);
    let mut finding = module::finding(session, target, &checked);
    // The iterations were sent one by one.
    finding.refinements = None;
    finding.play.truncate(MOST_MOVES);
    let mut diagnostics = None;
    if let Verdict::Unknown(reason) = &checked.overall().verdict {
        let list: Vec<Diagnostic> = blamed(reason).into_iter().collect();
        diagnostics = Some(json::messages(&session.source, &list));
        finding.reason = Some(headline.clone());
    }
    let (file, peak_memory_mib) = (session.source.name.clone(), peak_memory());
    Ok(Answer::Check(Box::new(Checked { headline, file, peak_memory_mib, finding, diagnostics })))
}

fn check_term(
    session: &Session,
    target: &str,
    options: &CheckOptions,
    Context { budget, reader, started }: Context<'_>,
    emit: &mut Emit<'_>,
) -> Result<Answer, Failure> {
    let part = options.part.as_deref().filter(|part| !part.is_empty());
    let engine_options = EngineOptions {
        semi_terminating: false,
        predicates: options.predicates,
        learner: options.learner,
        component: part.is_some(),
    };
    let engine = choices::engine(&options.engine, engine_options)?;
    let stuck = target == DEADLOCK;
    let said = |diagnostic: Diagnostic| Failure {
        message: diagnostic.message.clone(),
        diagnostics: json::messages(&session.source, &[diagnostic]),
    };
    let order = options.order.order(1);
    let mut question = session.question(if stuck { "abort" } else { target }, order).map_err(said)?;
    question.shorten = options.order == OrderName::Shortest;
    if let Some(part) = part {
        component::named(&session.judgement, part, Reach::Used)?;
        question.component = Some(part.into());
    }
    let effort = RefinementOptions {
        certify: options.certify.into(),
        iterations: options.iterations.max(1),
        ..RefinementOptions::default()
    };
    let mut reporter = Reporter::new(emit, started);
    let mut report = match stuck {
        true if session.judgement.mode == Mode::Sequential => {
            return Err("only concurrent programs get stuck in a deadlock; this one is sequential".into());
        }
        true => {
            deadlock(Task::new(session.subject(), &question, budget), &mut |notice| reporter.notice(notice))
        }
        false => session.check(&question, engine, &effort, budget, &mut |notice| reporter.notice(notice)),
    };
    let whole = shortened(&mut report);
    let stores = store::of_report(session, &report, budget);
    let mut finding = json::finding(session, target, &report, stores.as_deref());
    // The iterations were sent one by one.
    finding.refinements = None;
    let mut headline = match (stuck, &report.verdict) {
        (true, Verdict::Safe) => "no run deadlocks".into(),
        (true, Verdict::Unsafe(..)) => {
            "a run deadlocks: after this play the program cannot move, whatever the environment does".into()
        }
        (_, Verdict::Unknown(reason)) => why_for(session, reason, reader),
        _ => headline(session, &question, &report),
    };
    let mut diagnostics = None;
    if let Verdict::Unknown(reason) = &report.verdict {
        let list: Vec<Diagnostic> = blamed(reason).into_iter().collect();
        diagnostics = Some(json::messages(&session.source, &list));
        finding.reason = Some(headline.clone());
    }
    if let Some(whole) = whole {
        headline += &format!(", by {whole} moves, of which the first {MOST_MOVES} are here");
    }
    finding.assumption = report.assumed().map(assumed);
    let (file, peak_memory_mib) = (session.source.name.clone(), peak_memory());
    Ok(Answer::Check(Box::new(Checked { headline, file, peak_memory_mib, finding, diagnostics })))
}

/// Cuts a play that is too long to be sent; returns its length before.
fn shortened(report: &mut Report) -> Option<usize> {
    let Verdict::Unsafe(play, _) = &mut report.verdict else { return None };
    let whole = play.moves.len();
    if whole <= MOST_MOVES {
        return None;
    }
    play.truncate(MOST_MOVES);
    Some(whole)
}

/// The assumption about a part, as text and as a graph.
fn assumed(assumed: &Assumed) -> Assumption {
    let draw = |learnt: &contract::Assumption| {
        drawn(&model::lettered(learnt.drawn(&assumed.interface)), None, MOST_DRAWN)
    };
    Assumption {
        // The graph has the edges.
        edges: None,
        text: Some(assumption::below(assumed, true).trim().into()),
        graph: assumed.assumption.as_ref().map(draw),
        ..assumption::data(assumed)
    }
}
