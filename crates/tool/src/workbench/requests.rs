//! What can be asked of the workbench, and how it is answered: events, one after the other, the answer last.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use agon_check::budget::Budget;
use agon_check::concurrent::deadlock;
use agon_check::equiv::{Relation, Side};
use agon_check::portfolio::Engine;
use agon_check::question::Order;
use agon_check::refine::{Certify, Effort};
use agon_check::search::Notice;
use agon_check::verdict::Verdict;
use agon_games::machine::compile_any;
use agon_games::play::Play;
use agon_lang::constant::Constants;
use agon_lang::diagnostic::Diagnostic;
use agon_lang::held::Held;
use agon_lang::int::Int;
use agon_lang::layout::layout;
use agon_lang::parse::parse;
use agon_lang::source::Source;
use agon_lang::tree::Mode;
use agon_lang::types::{Data, Type};
use serde::Deserialize;
use serde_json::{Value, json};

use super::graph::drawn;
use crate::render::answer::{blamed, headline, why};
use crate::render::json::{self, Cost};
use crate::render::{comparison, diagnostics};
use crate::seat::{Outcome, Refusal, Seat};
use crate::session::model::{NoModel, Way};
use crate::session::{Comparison, Session, compare};
use crate::system::peak_memory;

/// Models of at most so many states are drawn whole.
pub const MOST_DRAWN: usize = 3_000;
/// Of a longer counterexample only the beginning and the end are told while a check runs.
const LONGEST_PLAY: usize = 60;
/// So many splits are told of an iteration.
const MOST_SPLITS: usize = 60;
/// So many elements of an array are told.
const MOST_ELEMENTS: usize = 64;
/// What is written for runs that get stuck, where a move is expected.
const DEADLOCK: &str = "deadlock";
/// Progress is told this often.
const EVERY: Duration = Duration::from_millis(100);

/// A program as it was typed.
#[derive(Deserialize, Clone, Debug)]
pub struct Program {
    /// Its text.
    pub text: String,
    /// Constants that are given other values.
    #[serde(default)]
    pub define: BTreeMap<String, String>,
    /// What it is called.
    #[serde(default)]
    pub name: Option<String>,
}

/// What is asked.
#[derive(Deserialize, Clone, Debug)]
#[serde(tag = "ask", rename_all = "lowercase")]
pub enum Request {
    /// What is wrong with the program, and what is there to know of it.
    Read {
        /// The program.
        program: Program,
    },
    /// The program in the standard layout.
    Layout {
        /// The program.
        program: Program,
    },
    /// Can any environment bring a move about?
    Check {
        /// The program.
        program: Program,
        /// The move; or `deadlock`, for runs that get stuck.
        #[serde(default = "abort")]
        target: String,
        /// The engine.
        #[serde(default = "auto")]
        engine: String,
        /// In which order to look.
        #[serde(default)]
        order: OrderName,
        /// How counterexamples over approximated data are told from spurious ones.
        #[serde(default)]
        certify: CertifyName,
    },
    /// The model.
    Model {
        /// The program.
        program: Program,
        /// The state whose neighbourhood is to be seen.
        #[serde(default)]
        around: Option<u32>,
    },
    /// Are two programs equal in every environment?
    Compare {
        /// The first.
        left: Program,
        /// The second.
        right: Program,
        /// Whether only one direction is asked for.
        #[serde(default)]
        approximation: bool,
    },
    /// A play, made move by move, and what can be played next.
    Play {
        /// The program.
        program: Program,
        /// The moves; of a sequential program, P's are made by the program, and must be these.
        moves: Vec<String>,
    },
}

/// In which order to look.
#[derive(Deserialize, Clone, Copy, Default, Debug)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "as on the command line")]
pub enum OrderName {
    Fixed,
    Random,
    #[default]
    Shortest,
}

/// How counterexamples are certified.
#[derive(Deserialize, Clone, Copy, Default, Debug)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "as on the command line")]
pub enum CertifyName {
    Forced,
    #[default]
    Values,
    Solver,
}

fn abort() -> String {
    "abort".into()
}

fn auto() -> String {
    Engine::Auto.name().into()
}

/// Whoever is told what happens. The last event is an `answer`, or says that it `failed`.
pub type Tell<'a> = dyn FnMut(Value) + Send + 'a;

/// Answers a request within a budget.
pub fn answer(request: &Request, budget: &Budget, tell: &mut Tell<'_>) {
    let started = Instant::now();
    let answered = match request {
        Request::Read { program } => Ok(read(program)),
        Request::Layout { program } => match layout(&program.text) {
            Some(text) => Ok(json!({ "text": text })),
            None => Err(Failure::from("a text with errors in it has no layout")),
        },
        Request::Check { program, target, engine, order, certify } => {
            let how = How { engine, order: *order, certify: *certify, deadlock: target == DEADLOCK };
            check(program, target, how, budget, started, tell)
        }
        Request::Model { program, around } => model(program, *around, budget, started),
        Request::Compare { left, right, approximation } => {
            let relation = if *approximation { Relation::Approximation } else { Relation::Equivalence };
            compared(left, right, relation, budget, started, tell)
        }
        Request::Play { program, moves } => play(program, moves, budget),
    };
    tell(match answered {
        Ok(mut value) => {
            value["event"] = "answer".into();
            value["seconds"] = started.elapsed().as_secs_f64().into();
            value
        }
        Err(failure) => failure.event(),
    });
}

/// Why there is no answer.
struct Failure {
    message: String,
    diagnostics: Value,
}

impl Failure {
    /// As an event.
    fn event(self) -> Value {
        json!({ "event": "failed", "message": self.message, "diagnostics": self.diagnostics })
    }
}

impl<T: Into<String>> From<T> for Failure {
    fn from(message: T) -> Failure {
        Failure { message: message.into(), diagnostics: json!([]) }
    }
}

/// Something went wrong that is not the request's fault.
pub fn failed(message: &str) -> Value {
    Failure::from(message).event()
}

fn source(program: &Program) -> Source {
    Source::new(program.name.clone().unwrap_or_else(|| "program".into()), program.text.clone())
}

/// The constants that are given other values; those that the program does not have are somebody else's.
fn overrides(program: &Program) -> Result<Vec<(String, Int)>, String> {
    let (tree, _) = parse(&program.text);
    let known = |name: &str| tree.constants.iter().any(|constant| *constant.ident.name == *name);
    let value = |(name, text): (&String, &String)| match Int::parse(text.trim()) {
        Some(n) => Ok((name.clone(), n)),
        None => Err(format!("`{text}` is not an integer, and `{name}` needs one")),
    };
    program.define.iter().filter(|(name, _)| known(name)).map(value).collect()
}

fn open(program: &Program) -> Result<Session, Failure> {
    Session::open(source(program), overrides(program)?).map_err(|(source, list)| Failure {
        message: match list.len() {
            1 => "the program has an error".into(),
            n => format!("the program has {n} errors"),
        },
        diagnostics: json::diagnostics(&source, &list)["diagnostics"].clone(),
    })
}

/// What is wrong with a program; and, whatever is wrong, its constants.
fn read(program: &Program) -> Value {
    let (tree, _) = parse(&program.text);
    let values = Constants::evaluate(&tree, &[], &mut Vec::new());
    let constants = tree.constants.iter().map(|constant| {
        let value = values.get(&constant.ident.name).map(ToString::to_string);
        json!({ "name": &*constant.ident.name, "value": value })
    });
    let mut value = json!({ "constants": constants.collect::<Value>(), "typed": false });
    let (source, list) = match overrides(program).map(|overrides| Session::open(source(program), overrides)) {
        Err(why) => {
            value["diagnostics"] = json!([{ "severity": "error", "message": why, "notes": [] }]);
            return value;
        }
        Ok(Err((source, list))) => (source, list),
        Ok(Ok(session)) => {
            let mut list = session.warnings.clone();
            if let Err(refusal) = compile_any(&session.judgement, &session.arena) {
                list.extend(blamed(&refusal.into()));
            }
            value["typed"] = true.into();
            value["mode"] = match session.judgement.mode {
                Mode::Sequential => "sequential",
                Mode::Concurrent => "concurrent",
            }
            .into();
            value["targets"] = targets(&session);
            (session.source, list)
        }
    };
    value["diagnostics"] = json::diagnostics(&source, &list)["diagnostics"].clone();
    value["text"] = anstream::adapter::strip_str(&diagnostics::render(&source, &list)).to_string().into();
    value
}

/// Moves of P's that may be worth looking for.
fn targets(session: &Session) -> Value {
    let mut targets = vec!["abort".to_string()];
    for (_, component) in session.arena.components() {
        let name = &component.name;
        let runs = component.parent.is_none() && !name.is_empty();
        match &component.base {
            Type::Com if runs => targets.push(format!("{name}.run")),
            Type::Com if name.is_empty() => targets.push("done".into()),
            Type::Exp(Data::Bool) if name.is_empty() => targets.extend(["true".into(), "false".into()]),
            _ => {}
        }
    }
    if session.judgement.mode == Mode::Concurrent {
        targets.push(DEADLOCK.into());
    }
    targets.into()
}

struct How<'a> {
    engine: &'a str,
    order: OrderName,
    certify: CertifyName,
    deadlock: bool,
}

fn check(
    program: &Program,
    target: &str,
    how: How<'_>,
    budget: &Budget,
    started: Instant,
    tell: &mut Tell<'_>,
) -> Result<Value, Failure> {
    let session = open(program)?;
    let engine = Engine::named(how.engine).ok_or_else(|| format!("there is no engine `{}`", how.engine))?;
    let order = match how.order {
        OrderName::Fixed => Order::Fixed,
        OrderName::Random => Order::Random(1),
        OrderName::Shortest => Order::Shortest,
    };
    let certify = match how.certify {
        CertifyName::Forced => Certify::Forced,
        CertifyName::Values => Certify::Values,
        CertifyName::Solver => Certify::Solver,
    };
    let said = |diagnostic: Diagnostic| Failure {
        message: diagnostic.message.clone(),
        diagnostics: json::diagnostics(&session.source, &[diagnostic])["diagnostics"].clone(),
    };
    let question = session.question(if how.deadlock { "abort" } else { target }, order).map_err(said)?;
    let effort = Effort { certify, ..Effort::default() };
    let mut watch = Watch { tell, started, last: started, iterations: BTreeMap::new() };
    let report = match how.deadlock {
        true if session.judgement.mode == Mode::Sequential => {
            return Err("only concurrent programs get stuck in a deadlock; this one is sequential".into());
        }
        true => deadlock(session.subject(), &question, budget, &mut |notice| watch.notice(notice)),
        false => session.check(&question, engine, &effort, budget, &mut |notice| watch.notice(notice)),
    };
    let mut value = json::answer(&session, target, &report, cost(started));
    // Its iterations were told one by one.
    value.as_object_mut().map(|answer| answer.remove("refinements"));
    value["headline"] = match (how.deadlock, &report.verdict) {
        (true, Verdict::Safe) => "no run gets stuck".into(),
        (true, Verdict::Unsafe(..)) => {
            "a run gets stuck: after this the program can neither move nor be helped".into()
        }
        _ => headline(&session, &question, &report).into(),
    };
    if let Verdict::Unsafe(play, _) = &report.verdict {
        tell_secrets(&mut value, &session, play, budget);
    }
    if let Verdict::Unknown(reason) = &report.verdict {
        let list: Vec<Diagnostic> = blamed(reason).into_iter().collect();
        value["diagnostics"] = json::diagnostics(&session.source, &list)["diagnostics"].clone();
    }
    Ok(value)
}

fn cost(started: Instant) -> Cost {
    Cost { seconds: started.elapsed().as_secs_f64(), peak_memory_mib: peak_memory() }
}

/// Adds what the cells hold to the moves of a play.
fn tell_secrets(value: &mut Value, session: &Session, play: &Play, budget: &Budget) {
    let Some(secrets) = session.secrets(play, budget) else { return };
    let Some(moves) = value["play"].as_array_mut() else { return };
    for (m, held) in moves.iter_mut().zip(secrets) {
        m["store"] = held.iter().map(|held| cell(session, held)).collect();
    }
}

fn cell(session: &Session, held: &Held) -> Value {
    let variable = session.judgement.terms.variable(held.variable);
    let show = |n: &Int| variable.ty.data().map_or_else(|| n.to_string(), |data| data.show(n));
    let Type::Array(_, length) = &variable.ty else {
        return json!({ "name": &*variable.name, "value": show(held.get(0)) });
    };
    let shown = usize::try_from(*length).map_or(MOST_ELEMENTS, |length| length.min(MOST_ELEMENTS));
    let elements: Vec<String> = (0..shown as u64).map(|i| show(held.get(i))).collect();
    json!({ "name": &*variable.name, "elements": elements, "length": length })
}

/// Tells how a search is going.
struct Watch<'a, 'b> {
    tell: &'a mut Tell<'b>,
    started: Instant,
    last: Instant,
    iterations: BTreeMap<&'static str, usize>,
}

impl Watch<'_, '_> {
    fn notice(&mut self, notice: Notice<'_>) {
        match notice {
            Notice::Progress(progress) => {
                if self.last.elapsed() < EVERY {
                    return;
                }
                self.last = Instant::now();
                (self.tell)(json!({
                    "event": "progress",
                    "states": progress.states,
                    "transitions": progress.transitions,
                    "memory_mib": progress.memory as f64 / f64::from(1 << 20),
                    "iteration": progress.iteration,
                    "seconds": self.started.elapsed().as_secs_f64(),
                }));
            }
            Notice::Iteration(engine, iteration, moves) => {
                // Two engines may look at the same time; each counts its own.
                let number = self.iterations.entry(engine).or_default();
                *number += 1;
                let number = *number;
                let predicates = matches!(Engine::named(engine), Some(Engine::Predicate(_)));
                let mut value = json::iteration(iteration, moves, predicates);
                if let Some(play) = value["play"].as_array_mut().filter(|play| play.len() > LONGEST_PLAY) {
                    let hidden = play.len() - LONGEST_PLAY;
                    let left = json!({ "player": "", "move": format!("… {hidden} moves …") });
                    play.splice(LONGEST_PLAY / 2..LONGEST_PLAY / 2 + hidden, [left]);
                }
                if let Some(splits) = value["splits"].as_array_mut() {
                    splits.truncate(MOST_SPLITS);
                }
                value["more_splits"] = iteration.splits.len().saturating_sub(MOST_SPLITS).into();
                value["event"] = "iteration".into();
                value["number"] = number.into();
                value["engine"] = engine.into();
                (self.tell)(value);
            }
        }
    }
}

fn model(
    program: &Program,
    around: Option<u32>,
    budget: &Budget,
    started: Instant,
) -> Result<Value, Failure> {
    let session = open(program)?;
    let model = session.model(Way::Positions, true, budget).map_err(|reason| match reason {
        NoModel::Reason(reason) => why(&session, &reason),
        NoModel::Parts(why) => why.into(),
    })?;
    let mut value = drawn(&model.written, around, MOST_DRAWN);
    value["peak_memory_mib"] = cost(started).peak_memory_mib.into();
    value["most_drawn"] = MOST_DRAWN.into();
    Ok(value)
}

fn compared(
    left: &Program,
    right: &Program,
    relation: Relation,
    budget: &Budget,
    started: Instant,
    tell: &mut Tell<'_>,
) -> Result<Value, Failure> {
    let aside =
        |side: &str, failure: Failure| Failure { message: format!("{side}: {}", failure.message), ..failure };
    let left = open(left).map_err(|failure| aside("the first program", failure))?;
    let right = open(right).map_err(|failure| aside("the second program", failure))?;
    let mut watch = Watch { tell, started, last: started, iterations: BTreeMap::new() };
    let (comparison, progress) =
        compare(&left, &right, relation, budget, &mut |notice| watch.notice(notice))?;
    let mut value = comparison::data(&comparison, relation, &left, &right, progress, cost(started));
    value["headline"] = match (&comparison, relation) {
        (Comparison::Holds, Relation::Equivalence) => "no environment tells the two programs apart".into(),
        (Comparison::Holds, Relation::Approximation) => {
            "every complete play of the first is one of the second".into()
        }
        (Comparison::Differs(difference), _) => match difference.side {
            Side::Left => "the first has this play, the second has not".into(),
            Side::Right => "the second has this play, the first has not".into(),
        },
        (Comparison::Unknown(side, reason), _) => why(comparison::pick(*side, &left, &right), reason).into(),
    };
    if let Comparison::Differs(difference) = &comparison {
        let owner = comparison::owner(difference, &left, &right);
        tell_secrets(&mut value, owner, &difference.play, budget);
        value["side"] = if difference.side == Side::Left { "left" } else { "right" }.into();
    }
    Ok(value)
}

fn play(program: &Program, moves: &[String], budget: &Budget) -> Result<Value, Failure> {
    let session = open(program)?;
    let mut seat = Seat::take(&session, budget).map_err(|reason| why(&session, &reason))?;
    let mut outcome = Outcome::GoesOn;
    let mut stopped = None;
    while outcome == Outcome::GoesOn && seat.play().moves.len() < moves.len() {
        let made = seat.play().moves.len();
        match seat.make(&moves[made], budget) {
            Ok(next) => outcome = next,
            Err(Refusal::Wrong(why)) => {
                stopped = Some(format!("move {}: {why}", made + 1));
                break;
            }
            Err(Refusal::Unknown(reason)) => {
                stopped = Some(why(&session, &reason));
                break;
            }
        }
        let answered = seat.play().threaded().zip(moves).skip(made + 1).find_map(|(m, wanted)| {
            let shown = session.arena.show_threaded(&m);
            (shown != *wanted).then(|| format!("the program plays {shown}, and not {wanted}"))
        });
        if answered.is_some() {
            stopped = answered;
            break;
        }
    }
    let mut value = json!({ "play": json::play(&session, seat.play()), "choices": [] });
    tell_secrets(&mut value, &session, seat.play(), budget);
    value["outcome"] = match outcome {
        Outcome::GoesOn => "open",
        Outcome::Complete => "complete",
        Outcome::Diverges => "diverges",
    }
    .into();
    if outcome == Outcome::GoesOn {
        let choice = |choice: crate::seat::Choice| {
            let place = choice.span.map(|span| json::place(&session.source, span));
            json!({
                "player": format!("{:?}", choice.player),
                "first": choice.first,
                "last": choice.last,
                "endless": choice.endless,
                "place": place,
            })
        };
        value["choices"] = seat.choices().into_iter().map(choice).collect();
    }
    value["stopped"] = stopped.into();
    Ok(value)
}
