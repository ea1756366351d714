//! Checks and models, which may take long: each in a thread of its own.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agon_base::budget::{Budget, Threads};
use agon_check::portfolio::Engine;
use agon_check::question::{Order, Question};
use agon_check::refine::RefinementOptions;
use agon_check::search::Notice;
use agon_check::verdict::Verdict;
use gen_lsp_types as lsp;
use lsp_server::{ErrorCode, RequestId, Response};
use serde::Serialize;
use serde_json::Value;

use super::document::{Document, Outcome};
use super::{Shared, diagnostics};
use crate::render::answer::{headline, reason_for, why_for};
use crate::render::json::{self, Cost};
use crate::render::module::model::Spelt;
use crate::render::reader::Reader;
use crate::render::{model, module, store};
use crate::session::model::Construction;
use crate::session::module::{ModuleSession, NESTING};
use crate::session::{Opened, Session};
use crate::shape::model::Picture;
use crate::shape::{self, Version};
use crate::system::{allocated, cores, free_memory, peak_memory};

/// The most states of a model that is drawn.
const MOST_DRAWN: usize = 150;
/// The time between two reports of progress.
const EVERY: Duration = Duration::from_millis(250);

/// What a run computes.
pub(super) enum Task {
    /// Whether a move can be reached.
    Check(String),
    /// The model.
    Model,
}

/// A run.
pub(super) struct Run {
    pub id: RequestId,
    pub token: String,
    pub uri: lsp::Uri,
    pub version: i32,
    pub session: Arc<Opened>,
    pub task: Task,
    pub flag: Arc<AtomicBool>,
}

/// Runs a task, and answers the request.
pub(super) fn run(shared: &Shared, run: Run) {
    let response = match catch_unwind(AssertUnwindSafe(|| compute(shared, &run))) {
        _ if run.flag.load(Ordering::Relaxed) => {
            let message = "the run was cancelled, or the text has changed".into();
            Response::new_err(run.id.clone(), ErrorCode::RequestCanceled as i32, message)
        }
        Ok(Ok(value)) => Response::new_ok(run.id.clone(), value),
        Ok(Err(why)) => Response::new_err(run.id.clone(), ErrorCode::RequestFailed as i32, why),
        Err(_) => {
            let message = "this run met a bug in agon; please report it".into();
            Response::new_err(run.id.clone(), ErrorCode::InternalError as i32, message)
        }
    };
    shared.send(response);
}

fn compute(shared: &Shared, run: &Run) -> Result<Value, String> {
    let started = Instant::now();
    let budget = Budget {
        deadline: started.checked_add(shared.time_limit),
        memory: free_memory(),
        allocated: allocated(),
        threads: Threads::new(cores()),
        cancelled: run.flag.clone(),
        ..Budget::default()
    };
    let mut progress = ProgressBar::begin(shared, run);
    let answer = match (&run.task, &*run.session) {
        (Task::Check(target), Opened::Term(session)) => {
            check(shared, run, session, target, &budget, started, &mut progress)
        }
        (Task::Check(target), Opened::Module(session)) => {
            check_module(shared, run, session, target, &budget, started, &mut progress)
        }
        (Task::Model, Opened::Term(session)) => build(shared, session, &budget),
        (Task::Model, Opened::Module(session)) => build_module(shared, session, &budget, &mut progress),
    };
    progress.end();
    answer
}

fn check(
    shared: &Shared,
    run: &Run,
    session: &Session,
    target: &str,
    budget: &Budget,
    started: Instant,
    progress: &mut ProgressBar<'_>,
) -> Result<Value, String> {
    let question = session.question(target, Order::Shortest).map_err(|diagnostic| diagnostic.message)?;
    let question = Question { shorten: true, ..question };
    let report =
        session.check(&question, Engine::Auto, &RefinementOptions::default(), budget, &mut |notice| {
            progress.show(notice)
        });
    let cost = Cost { seconds: started.elapsed().as_secs_f64(), peak_memory_mib: peak_memory() };
    let headline = match &report.verdict {
        Verdict::Unknown(reason) => why_for(session, reason, Reader::Editor),
        _ => headline(session, &question, &report),
    };
    say(shared, run, &report.verdict, &headline, |document| {
        diagnostics::verdict(document, &run.uri, session, &question, &report)
    })?;
    let stores = store::of_report(session, &report, budget);
    let mut finding = json::finding(session, target, &report, stores.as_deref());
    finding.reason = finding.reason.map(|_| headline);
    Ok(shape::value(&json::answer(&session.source, finding, cost)))
}

fn check_module(
    shared: &Shared,
    run: &Run,
    session: &ModuleSession,
    target: &str,
    budget: &Budget,
    started: Instant,
    progress: &mut ProgressBar<'_>,
) -> Result<Value, String> {
    let question = session.question(target).map_err(|diagnostic| diagnostic.message)?;
    let effort = RefinementOptions::default();
    let bounds = session.bounds(NESTING);
    let mut observe = |notice: Notice<'_>| progress.show(notice);
    let questions = std::slice::from_ref(&question);
    let checked = session.check_all(questions, Engine::Auto, bounds, &effort, budget, &mut observe).remove(0);
    let cost = Cost { seconds: started.elapsed().as_secs_f64(), peak_memory_mib: peak_memory() };
    let headline = module::headline_of(session, &question, target, &checked, Reader::Editor);
    say(shared, run, &checked.overall().verdict, &headline, |document| {
        diagnostics::module_verdict(document, &run.uri, session, &headline, &checked)
    })?;
    let mut finding = module::finding(session, target, &checked);
    finding.reason = finding.reason.map(|_| headline);
    Ok(shape::value(&json::answer(&session.source, finding, cost)))
}

/// Shows a verdict in the editor, unless the text has changed.
fn say<P, E>(
    shared: &Shared,
    run: &Run,
    verdict: &Verdict<P, E>,
    headline: &str,
    diagnostic: impl FnOnce(&Document) -> Option<lsp::Diagnostic>,
) -> Result<(), String> {
    {
        let mut documents = shared.documents();
        let document = documents.get_mut(&run.uri).filter(|document| document.version == run.version);
        let Some(document) = document else { return Err("the text has changed".into()) };
        let diagnostic = diagnostic(document);
        document.verdict = Some(Outcome { word: verdict.word().into(), diagnostic });
    }
    shared.publish(&run.uri);
    if shared.refreshes {
        let id = RequestId::from(format!("{}-refresh", run.token));
        shared.ask::<lsp::CodeLensRefreshRequest>(id, ());
    }
    let kind = match verdict {
        Verdict::Safe => lsp::MessageType::Info,
        _ => lsp::MessageType::Warning,
    };
    let message = format!("{}  {headline}", verdict.word());
    shared.notify::<lsp::ShowMessageNotification>(lsp::ShowMessageParams { kind, message });
    Ok(())
}

fn build(shared: &Shared, session: &Session, budget: &Budget) -> Result<Value, String> {
    let built = session.model(Construction::Positions, true, budget);
    let built = built.map_err(|reason| why_for(session, &reason, Reader::Editor))?;
    let (states, transitions) = (built.written.states(), built.written.transitions());
    drawn(shared, states, transitions, &|svg| model::svg(svg, &built.written))
}

fn build_module(
    shared: &Shared,
    session: &ModuleSession,
    budget: &Budget,
    progress: &mut ProgressBar<'_>,
) -> Result<Value, String> {
    let model = session.model(budget, &mut |notice| progress.show(notice));
    let model = model.map_err(|reason| reason_for(&reason, Reader::Editor))?;
    let spelt = Spelt::new(session, &model);
    drawn(shared, spelt.states(), model.edges.len(), &|svg| spelt.svg(svg))
}

/// Says how large a model is, and draws it unless it is too large.
fn drawn(
    shared: &Shared,
    states: usize,
    transitions: usize,
    draw: &dyn Fn(&mut dyn Write) -> std::io::Result<()>,
) -> Result<Value, String> {
    let mut svg = Vec::new();
    if states <= MOST_DRAWN {
        draw(&mut svg).map_err(|error| error.to_string())?;
    }
    let message = format!("The model has {states} states and {transitions} transitions.");
    let kind = lsp::MessageType::Info;
    shared.notify::<lsp::ShowMessageNotification>(lsp::ShowMessageParams { kind, message });
    let svg = (!svg.is_empty()).then(|| String::from_utf8_lossy(&svg).into_owned());
    Ok(shape::value(&Picture { version: Version, states, transitions, svg }))
}

/// The progress of a run, for clients that show it.
struct ProgressBar<'a> {
    shared: &'a Shared,
    token: Option<&'a str>,
    last: Instant,
}

impl<'a> ProgressBar<'a> {
    fn begin(shared: &'a Shared, run: &'a Run) -> ProgressBar<'a> {
        let token = shared.shows_progress.then_some(run.token.as_str());
        let bar = ProgressBar { shared, token, last: Instant::now() };
        if let Some(token) = token {
            let id = RequestId::from(format!("{token}-progress"));
            let params = lsp::WorkDoneProgressCreateParams { token: token.to_string().into() };
            shared.ask::<lsp::WorkDoneProgressCreateRequest>(id, params);
        }
        bar.say(&lsp::WorkDoneProgressBegin {
            title: match run.task {
                Task::Check(_) => "agon check".into(),
                Task::Model => "agon model".into(),
            },
            cancellable: Some(true),
            ..Default::default()
        });
        bar
    }

    fn show(&mut self, notice: Notice<'_>) {
        let Notice::Progress(progress) = notice else { return };
        if self.last.elapsed() < EVERY {
            return;
        }
        self.last = Instant::now();
        let iteration = if progress.iteration > 0 {
            format!("iteration {}, ", progress.iteration)
        } else {
            String::new()
        };
        self.say(&lsp::WorkDoneProgressReport {
            message: Some(format!("{iteration}{} states", progress.states)),
            cancellable: Some(true),
            percentage: None,
        });
    }

    fn end(&self) {
        self.say(&lsp::WorkDoneProgressEnd::default());
    }

    fn say(&self, said: &impl Serialize) {
        let Some(token) = self.token else { return };
        let (token, value) = (token.to_string().into(), shape::value(said));
        self.shared.notify::<lsp::ProgressNotification>(lsp::ProgressParams { token, value });
    }
}
