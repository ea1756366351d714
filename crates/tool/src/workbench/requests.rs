//! Answers to the requests of the workbench: a sequence of events, the answer last.

mod checking;
mod comparing;
mod playing;
mod progress;
mod reading;

use std::time::Instant;

use agon_base::budget::Budget;
use agon_check::equiv::Relation;
use agon_ia::layout::layout;

use crate::render::reader::Reader;
use crate::shape::event::{Answer, Event, EventKind, Failure, Text};
use crate::shape::request::{Language, Request};
use checking::check;
use comparing::{compared, model};
use playing::play;
use reading::read;

/// The most states of a model that is drawn whole.
pub const MOST_DRAWN: usize = 3_000;
/// The most moves of a play that is sent or made.
const MOST_MOVES: usize = 10_000;
/// The target that stands for deadlocks.
const DEADLOCK: &str = "deadlock";

/// The budget of an answer, its reader, and when the request came.
#[derive(Clone, Copy)]
struct Context<'a> {
    budget: &'a Budget,
    reader: Reader,
    started: Instant,
}

/// A receiver of events. The last event is `answer` or `failed`.
pub type Emit<'a> = dyn FnMut(Event) + Send + 'a;

/// Answers a request within a budget. A missing verdict comes with advice for its reader.
pub fn answer(request: &Request, budget: &Budget, reader: Reader, emit: &mut Emit<'_>) {
    let started = Instant::now();
    let answered = match request {
        Request::Read { program } => Ok(Answer::Read(read(program, budget))),
        Request::Layout { program } if program.language == Language::C => {
            Err(Failure::from("only agon's own language is laid out"))
        }
        Request::Layout { program } => match layout(&program.text) {
            Some(text) => Ok(Answer::Layout(Text { text })),
            None => Err(Failure::from("a text with errors in it has no layout")),
        },
        Request::Check { program, target, options } => {
            check(program, target, options, Context { budget, reader, started }, emit)
        }
        Request::Model { program, around } => model(program, *around, Context { budget, reader, started }),
        Request::Compare { left, right, approximation } => {
            let relation = if *approximation { Relation::Approximation } else { Relation::Equivalence };
            compared(left, right, relation, Context { budget, reader, started }, emit)
        }
        Request::Play { program, moves } => play(program, moves, Context { budget, reader, started }),
    };
    let kind = match answered {
        Ok(answer) => EventKind::Answer { seconds: started.elapsed().as_secs_f64(), answer },
        Err(failure) => EventKind::Failed(failure),
    };
    emit(kind.into());
}

/// The event of a request that failed.
pub fn failed(message: &str) -> Event {
    EventKind::Failed(message.into()).into()
}
