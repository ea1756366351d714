//! What can be asked of the workbench, and how it is answered: events, one after the other, the answer last.

mod checking;
mod comparing;
mod playing;
mod reading;
mod telling;

use std::collections::BTreeMap;
use std::time::Instant;

use agon_base::budget::Budget;
use agon_check::equiv::Relation;
use agon_check::portfolio::Engine;
use agon_check::refine::ITERATIONS;
use agon_ia::layout::layout;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::choices::{CertifyName, LearnerName, OrderName, SchemeName};
use crate::render::reader::Reader;
use checking::check;
use comparing::{compared, model};
use playing::play;
use reading::read;

/// Models of at most so many states are drawn whole.
pub const MOST_DRAWN: usize = 3_000;
/// Longer plays are told by their beginnings, and not made.
const MOST_MOVES: usize = 10_000;
/// What is written for runs that get stuck, where a move is expected.
const DEADLOCK: &str = "deadlock";

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
        /// How it is done.
        #[serde(flatten)]
        how: How,
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

/// How a check is done; what is not said is as on the command line, but for the order.
#[derive(Deserialize, Clone, Debug)]
#[serde(default)]
pub struct How {
    /// The engine.
    engine: String,
    /// In which order to look.
    order: OrderName,
    /// How counterexamples over approximated data are told from spurious ones.
    certify: CertifyName,
    /// Which predicates there are at first.
    predicates: SchemeName,
    /// How assumptions are learnt.
    learner: LearnerName,
    /// The part of the program that is checked on its own.
    part: Option<String>,
    /// The most refinements of approximated data.
    iterations: usize,
}

impl Default for How {
    fn default() -> How {
        How {
            engine: Engine::Auto.name().into(),
            order: OrderName::Shortest,
            certify: CertifyName::default(),
            predicates: SchemeName::default(),
            learner: LearnerName::default(),
            part: None,
            iterations: ITERATIONS,
        }
    }
}

fn abort() -> String {
    "abort".into()
}

/// What an answer may cost, who reads it, and since when it is looked for.
#[derive(Clone, Copy)]
struct Within<'a> {
    budget: &'a Budget,
    reader: Reader,
    started: Instant,
}

/// Whoever is told what happens. The last event is an `answer`, or says that it `failed`.
pub type Tell<'a> = dyn FnMut(Value) + Send + 'a;

/// Answers a request within a budget; a missing verdict comes with what its reader can do.
pub fn answer(request: &Request, budget: &Budget, reader: Reader, tell: &mut Tell<'_>) {
    let started = Instant::now();
    let answered = match request {
        Request::Read { program } => Ok(read(program)),
        Request::Layout { program } => match layout(&program.text) {
            Some(text) => Ok(json!({ "text": text })),
            None => Err(Failure::from("a text with errors in it has no layout")),
        },
        Request::Check { program, target, how } => {
            check(program, target, how, Within { budget, reader, started }, tell)
        }
        Request::Model { program, around } => model(program, *around, Within { budget, reader, started }),
        Request::Compare { left, right, approximation } => {
            let relation = if *approximation { Relation::Approximation } else { Relation::Equivalence };
            compared(left, right, relation, Within { budget, reader, started }, tell)
        }
        Request::Play { program, moves } => play(program, moves, Within { budget, reader, started }),
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
