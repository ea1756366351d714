//! `agon check` of a module: can any environment make it fail, whatever it calls, and while it is called itself?

use std::path::PathBuf;
use std::time::Instant;

use agon_base::budget::Budget;
use agon_base::id::size;
use agon_base::refused::Refused;
use agon_check::horn;
use agon_check::library::threads::Checked;
use agon_check::library::{self, Question, Report, Verdict};
use agon_check::modules::threads::Bounds;
use agon_check::portfolio::Engine;
use agon_check::question::Order;
use agon_check::refine::RefinementOptions;
use agon_check::verdict::{self, Reason};
use agon_core::checks::Kind;
use agon_core::module::play::Nested;

use super::property::{self, Asking};
use super::reported::{Answered, Said, errors, wrong};
use super::{Emitted, Options, figures, write_environment};
use crate::c::Settings;
use crate::c::confirm::{Build, Confirmed};
use crate::choices::OrderName;
use crate::cli::Status;
use crate::cli::input::NoProgram;
use crate::cli::limits::ProgressLine;
use crate::cli::output::remark;
use crate::render::json::{self, Cost};
use crate::render::{answer, checks, diagnostics, module as render};
use crate::session::module::{ModuleSession, NESTING, Role};
use crate::shape::answer::{Confirmation, Finding};
use crate::svcomp::property::Property;
use crate::system::peak_memory;

/// Checks a module.
pub(super) fn check(
    options: &Options,
    mut session: ModuleSession,
    (files, settings): (&[PathBuf], &Settings),
    (engine, property): (Engine, Option<&Property>),
    budget: &Budget,
    started: Instant,
) -> Result<Answered, NoProgram> {
    if let Some(threads) = options.threads_of_environment {
        session.module.threads = threads;
    }
    if let Some(option) = unsuited(options, engine) {
        return Err(wrong(&format!("`{option}` does not apply to modules, and this is one")));
    }
    let bounds = session.bounds(options.nesting.map_or(NESTING, usize::from));
    if options.nesting.is_some() && bounds.is_none() {
        return Err(wrong(
            "`--nesting` applies to several threads; with one thread calls are nested to any depth",
        ));
    }
    if property.is_some() && !session.is_closed() {
        return Err(wrong("`--property` applies to programs with `main`, and this is a library"));
    }
    if let Some(Emitted::Horn) = options.emit {
        return emitted(options, &session);
    }
    let mut last = String::new();
    let line = ProgressLine::new(started, options.common.quiet);
    let (session, questions, checked) = match (property, options.asked.solvers()) {
        (Some(property), Ok(solvers)) => {
            let iterations = size(options.iterations);
            let effort = RefinementOptions {
                certify: options.certify.into(),
                iterations,
                solvers,
                slicing: !options.no_slicing,
                ..RefinementOptions::default()
            };
            let ask = Asking { session: &session, engine, effort: &effort, budget };
            let decided = ask.decide(property, &mut |notice| line.show(notice));
            last = format!("{}\n", decided.answer);
            (session, vec![(decided.question, "abort".into())], vec![decided.checked])
        }
        _ => with_more_objects(options, session, budget, |session, questions, budget| {
            asked(options, session, questions, engine, bounds, budget, &line)
        })?,
    };
    let session = &session;
    line.end();
    let cost = Cost { seconds: started.elapsed().as_secs_f64(), peak_memory_mib: peak_memory() };
    let status = status(options, session, &checked)?;
    let status = if last == "unknown\n" { Status::Undecided.and(status) } else { status };
    if let (Some(path), Some(property)) = (&options.witness, property) {
        // The format has no place for the turns that threads take.
        let threaded = checked[0].threaded.as_ref().map(|threaded| match threaded.report.verdict {
            verdict::Verdict::Safe => Verdict::Safe,
            _ => Verdict::Unknown(library::own_threads()),
        });
        let verdict = threaded.as_ref().unwrap_or(&checked[0].sequential.verdict);
        property::write_witness(path, session, (files, settings), property, &last, verdict)
            .map_err(|why| wrong(&why))?;
    }
    let reports: Vec<_> = checked.iter().map(Checked::overall).collect();
    let answered: Vec<render::Answered<'_>> = questions
        .iter()
        .zip(&checked)
        .map(|((question, target), checked)| (question, target.as_str(), checked))
        .collect();
    let compiler = options.confirm.as_deref();
    let build = compiler.map(|compiler| Build { compiler, files, settings, budget });
    let confirmed = confirmed(session, build, &checked);
    let worst = checks::worst(&reports);
    let single = match &answered[..] {
        [one] if !options.all => Some(one),
        _ => None,
    };
    if options.reported.as_data() {
        let answer = match single {
            Some((_, target, checked)) => {
                let finding = Finding { confirmed, ..render::finding(session, target, checked) };
                json::answer(&session.source, finding, cost)
            }
            None => render::listed(session, &answered, worst, cost),
        };
        return Ok(Answered::data(status, answer));
    }
    let whole = options.common.verbose;
    let text = match single {
        Some((question, target, checked)) => render::answer(session, question, target, checked, whole),
        None => {
            let word = worst.map_or("SAFE", |n| reports[n].verdict.word());
            render::list(session, &answered, word, whole)
        }
    };
    let confirmed = confirmed.as_ref().map_or(String::new(), render::confirmation);
    let said = Said::Text(text + &confirmed + &last);
    let remarks = match (worst, options.common.quiet) {
        (Some(n), false) => figures(&reports[n], cost, Order::Shortest, whole),
        _ => String::new(),
    };
    Ok(Answered { status, said, remarks })
}

/// Why there are no clauses, in words.
fn why(refused: &Refused) -> String {
    match refused {
        Refused::Wrong(why) => why.clone(),
        Refused::Construct { what, .. } => what.clone(),
        Refused::Stop(stop) => format!("{stop:?}"),
    }
}

/// The first question as Horn clauses.
fn emitted(options: &Options, session: &ModuleSession) -> Result<Answered, NoProgram> {
    let questions = questions(options, session)?;
    let Some((question, _)) = questions.first() else { return Err(wrong("there is nothing to ask")) };
    let (watched, _) = library::watching(session.module(), question);
    let clauses = horn::clauses(&watched).map_err(|refused| wrong(&why(&refused)))?;
    let remarks = match clauses.open {
        true => {
            "some operations on bits are left open: a solution is a proof, and without one nothing is known\n"
        }
        false => "",
    };
    Ok(Answered { status: Status::Holds, said: Said::Text(clauses.text), remarks: remarks.into() })
}

/// The questions about a module, and their answers.
type Asked = (ModuleSession, Vec<(Question, String)>, Vec<Checked>);

/// Asks about a module with few objects first. What fails with few fails with more; a proof that meets the bound is kept while more
/// are tried, each time with half of the time that is left.
fn with_more_objects(
    options: &Options,
    session: ModuleSession,
    budget: &Budget,
    ask: impl Fn(&ModuleSession, &[(Question, String)], &Budget) -> Vec<Checked>,
) -> Result<Asked, NoProgram> {
    let mut proved: Option<Asked> = None;
    // Each check by itself may need more objects than another one.
    for mut fewer in session.with_fewer_objects().take_while(|_| !options.all) {
        fewer.module.threads = session.module.threads;
        let questions = questions(options, &fewer)?;
        let now = Instant::now();
        let deadline = budget.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / 2);
        let checked = ask(&fewer, &questions, &Budget { deadline, ..budget.clone() });
        let undecided = |checked: &Checked| matches!(checked.overall().verdict, verdict::Verdict::Unknown(_));
        if checked.iter().any(undecided) {
            break;
        }
        let bounded = checked.iter().any(|checked| !checked.up_to.is_empty());
        let failed =
            checked.iter().any(|checked| !matches!(checked.overall().verdict, verdict::Verdict::Safe));
        proved = Some((fewer, questions, checked));
        if failed || !bounded {
            return Ok(proved.expect("it was just proved"));
        }
    }
    let questions = questions(options, &session)?;
    // A proof that is there already is said in time: what the last attempt has built must be taken down before.
    let now = Instant::now();
    let part = |deadline: Instant| match proved.is_some() {
        true => now + deadline.saturating_duration_since(now) * 4 / 5,
        false => deadline,
    };
    let deadline = budget.deadline.map(part);
    let checked = ask(&session, &questions, &Budget { deadline, ..budget.clone() });
    let decided =
        checked.iter().all(|checked| !matches!(checked.overall().verdict, verdict::Verdict::Unknown(_)));
    match proved {
        Some(proved) if !decided => Ok(proved),
        _ => Ok((session, questions, checked)),
    }
}

/// Answers the questions about a module.
fn asked(
    options: &Options,
    session: &ModuleSession,
    questions: &[(Question, String)],
    engine: Engine,
    bounds: Option<Bounds>,
    budget: &Budget,
    line: &ProgressLine,
) -> Vec<Checked> {
    match options.asked.solvers() {
        Ok(solvers) => {
            let iterations = size(options.iterations);
            let effort = RefinementOptions {
                certify: options.certify.into(),
                iterations,
                solvers,
                slicing: !options.no_slicing,
                ..RefinementOptions::default()
            };
            let asked: Vec<Question> = questions.iter().map(|(question, _)| question.clone()).collect();
            session.check_all(&asked, engine, bounds, &effort, budget, &mut |notice| line.show(notice))
        }
        Err(why) => {
            let reason = Reason::Solver(agon_solve::Reason::Broken(why));
            let none = || Report::new(Verdict::Unknown(reason.clone()), engine.name());
            questions
                .iter()
                .map(|_| Checked { sequential: none(), threaded: None, up_to: Vec::new() })
                .collect()
        }
    }
}

/// What a C compiler's program does with the environment of the first play, if that was asked for.
fn confirmed(session: &ModuleSession, build: Option<Build<'_>>, checked: &[Checked]) -> Option<Confirmation> {
    let build = build?;
    if let Some(environment) = checked.iter().find_map(|checked| session.threaded_environment(checked)) {
        let (fails, mut message) = told(build.confirm(&environment.text));
        if !fails && !environment.forced {
            message += "; the order of accesses in this play cannot be forced";
        }
        return Some(Confirmation { compiler: build.compiler.into(), fails, message });
    }
    let (play, evidence) = checked.iter().find_map(|checked| match &checked.sequential.verdict {
        Verdict::Unsafe(play, evidence) => Some((play, evidence)),
        Verdict::Safe | Verdict::Unknown(_) => None,
    })?;
    let (fails, mut message): (bool, String) = match build.confirm(&evidence.closed.text) {
        // A mutex that the thread holds already is waited for without end.
        Confirmed::Hangs
            if evidence.failure.as_ref().is_some_and(|failure| failure.check.kind == Kind::Lock) =>
        {
            (true, "the program waits for a mutex that it holds".into())
        }
        confirmed => told(confirmed),
    };
    let chosen = |nested: Nested| session.role(nested.function) == Role::Order;
    if !fails && play.nested().into_iter().any(chosen) {
        message += "; the play rests on an order of evaluation, and this compiler may choose another";
    }
    Some(Confirmation { compiler: build.compiler.into(), fails, message })
}

/// What a compiler's program did: whether it failed, and in words.
fn told(confirmed: Confirmed) -> (bool, String) {
    match confirmed {
        Confirmed::Fails(what) => (true, format!("the program fails: {what}")),
        Confirmed::Ends(status) => {
            (false, format!("the program does not fail, and ends with status {status}"))
        }
        Confirmed::Hangs => (false, "the program does not end".into()),
        Confirmed::Not(why) => (false, why),
    }
}

/// An option that says something about terms only, if one was given.
fn unsuited(options: &Options, engine: Engine) -> Option<String> {
    let given = |option: &str, given: bool| given.then(|| option.to_string());
    let order = options.order.filter(|order| *order != OrderName::Shortest);
    given("--order", order.is_some())
        .or_else(|| given("--component", options.component.is_some()))
        .or_else(|| given("--against", options.against.is_some()))
        .or_else(|| given("--deadlock", options.deadlock))
        .or_else(|| given("--no-reduction", options.no_reduction))
        .or_else(|| given(&format!("--engine {}", engine.name()), !library::takes(engine)))
}

/// What is asked, each with its target as it was written.
fn questions(options: &Options, session: &ModuleSession) -> Result<Vec<(Question, String)>, NoProgram> {
    if options.all {
        return Ok(session.checks().into_iter().map(|question| (question, "abort".into())).collect());
    }
    let question = |target: &String| match session.question(target) {
        Ok(question) => Ok((question, target.clone())),
        Err(diagnostic) => Err(errors(&session.source, &[diagnostic], &options.reported)),
    };
    options.target.iter().map(question).collect()
}

/// The worst status. The environment of the first play is written, if one is asked for.
fn status(options: &Options, session: &ModuleSession, checked: &[Checked]) -> Result<Status, NoProgram> {
    let mut status = Status::Holds;
    let mut environment = options.environment.as_ref();
    for checked in checked {
        status = status.and(match checked.overall().verdict {
            verdict::Verdict::Safe => Status::Holds,
            verdict::Verdict::Unsafe((), ()) => {
                if let Some(path) = environment.take() {
                    let threaded = session.threaded_environment(checked);
                    let written = checked.closed().map(|closed| &closed.text);
                    match written.or(threaded.as_ref().map(|written| &written.text)) {
                        Some(text) => {
                            write_environment(path, text, &session.source, options.reported.errors())?;
                        }
                        None => remark("no environment is written for this play with several threads\n"),
                    }
                }
                Status::DoesNotHold
            }
            verdict::Verdict::Unknown(reason) => {
                if let (Some(diagnostic), false, false) =
                    (answer::blamed(&reason), options.reported.as_data(), options.common.quiet)
                {
                    remark(&diagnostics::render(&session.source, &[diagnostic]));
                }
                Status::without_verdict(&reason)
            }
        });
    }
    Ok(status)
}
