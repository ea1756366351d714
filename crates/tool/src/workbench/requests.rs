//! What can be asked of the workbench, and how it is answered: events, one after the other, the answer last.

mod checking;
mod comparing;
mod playing;
mod reading;
mod telling;

use std::time::Instant;

use agon_base::budget::Budget;
use agon_check::equiv::Relation;
use agon_ia::layout::layout;

use crate::render::reader::Reader;
use crate::shape::event::{Answer, Event, EventKind, Failure, Text};
use crate::shape::request::Request;
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

/// What an answer may cost, who reads it, and since when it is looked for.
#[derive(Clone, Copy)]
struct Within<'a> {
    budget: &'a Budget,
    reader: Reader,
    started: Instant,
}

/// Whoever is told what happens. The last event is an `answer`, or says that it `failed`.
pub type Tell<'a> = dyn FnMut(Event) + Send + 'a;

/// Answers a request within a budget; a missing verdict comes with what its reader can do.
pub fn answer(request: &Request, budget: &Budget, reader: Reader, tell: &mut Tell<'_>) {
    let started = Instant::now();
    let answered = match request {
        Request::Read { program } => Ok(Answer::Read(read(program))),
        Request::Layout { program } => match layout(&program.text) {
            Some(text) => Ok(Answer::Layout(Text { text })),
            None => Err(Failure::from("a text with errors in it has no layout")),
        },
        Request::Check { program, target, options } => {
            check(program, target, options, Within { budget, reader, started }, tell)
        }
        Request::Model { program, around } => model(program, *around, Within { budget, reader, started }),
        Request::Compare { left, right, approximation } => {
            let relation = if *approximation { Relation::Approximation } else { Relation::Equivalence };
            compared(left, right, relation, Within { budget, reader, started }, tell)
        }
        Request::Play { program, moves } => play(program, moves, Within { budget, reader, started }),
    };
    let kind = match answered {
        Ok(answer) => EventKind::Answer { seconds: started.elapsed().as_secs_f64(), answer },
        Err(failure) => EventKind::Failed(failure),
    };
    tell(kind.into());
}

/// Something went wrong that is not the request's fault.
pub fn failed(message: &str) -> Event {
    EventKind::Failed(message.into()).into()
}
