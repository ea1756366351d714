//! Verdicts about modules whose environment has several threads: the play with its threads, and what they access.

use std::fmt::Write;

use agon_check::library::Question;
use agon_check::library::threads::{Checked, Threaded};
use agon_check::verdict::Verdict;
use agon_core::module::play::{Move, Nested};
use agon_core::module::threads::replay::{Event, How, Replayed, What};
use agon_core::module::{CellId, Module, Store};

use super::{
    assumed, caused, cells, columns, data, environment, held, indented, kind, line, place, reason_for, words,
    written,
};
use crate::render::answer::SHOWN;
use crate::render::reader::Reader;
use crate::render::{checks, json};
use crate::session::module::ModuleSession;
use crate::shape;
use crate::shape::answer::{Access, Finding};
use crate::shape::play::{Player, Step};

/// The verdict in a sentence.
pub(super) fn headline(
    session: &ModuleSession,
    question: &Question,
    target: &str,
    threaded: &Threaded,
) -> String {
    let bounds = threaded.bounds;
    if session.is_closed() {
        let does = match question {
            Question::Calls(_) => format!("reaches `{target}`"),
            Question::Fails | Question::FailsAt(_) | Question::FailsAs(_) => "fails".into(),
        };
        return match &threaded.report.verdict {
            Verdict::Safe => format!("no run of the program {does}, however its threads take turns"),
            Verdict::Unsafe(replayed, _) => {
                let threads = threads_of(replayed);
                let plural = if threads == 1 { "" } else { "s" };
                format!("a run of the program {does}, with {threads} thread{plural}")
            }
            Verdict::Unknown(reason) => reason_for(reason, Reader::Command),
        };
    }
    let within = format!("for at most {} threads and nesting {}", bounds.threads, bounds.nesting);
    let does = match question {
        Question::Calls(_) => format!("reaches `{target}`"),
        Question::Fails | Question::FailsAt(_) | Question::FailsAs(_) => "makes the module fail".into(),
    };
    match &threaded.report.verdict {
        Verdict::Safe => format!("{within}: no environment {does}"),
        Verdict::Unsafe(replayed, _) => {
            let threads = threads_of(replayed);
            let plural = if threads == 1 { "" } else { "s" };
            format!("an environment with {threads} thread{plural} {does}")
        }
        Verdict::Unknown(reason) => format!("{within}: {}", reason_for(reason, Reader::Command)),
    }
}

/// How many threads have done something.
fn threads_of(replayed: &Replayed) -> usize {
    replayed.events.iter().map(|event| event.thread + 1).max().unwrap_or(1)
}

/// The verdict for one thread, in a line.
fn beside(checked: &Checked) -> String {
    let sequential = &checked.sequential.verdict;
    let reason = match sequential {
        Verdict::Unknown(reason) => format!(": {}", reason_for(reason, Reader::Command)),
        Verdict::Safe | Verdict::Unsafe(..) => String::new(),
    };
    format!("        with one thread, nested to any depth: {}{reason}\n", sequential.word())
}

/// The verdict as text.
pub(super) fn answer(
    session: &ModuleSession,
    question: &Question,
    target: &str,
    checked: &Checked,
    threaded: &Threaded,
    whole: bool,
) -> String {
    let verdict = &threaded.report.verdict;
    let mut text = format!(
        "{}  {}\n",
        verdict.word(),
        super::headline_of(session, question, target, checked, Reader::Command)
    );
    if let Verdict::Unsafe(Replayed { failure: Some(failure), seen, .. }, _) = verdict {
        let at = checks::place(&session.source, failure.check.span);
        let _ = writeln!(text, "        {}  ({at})", super::cause(session, failure, seen));
    }
    if !session.is_closed() {
        text += &beside(checked);
    }
    if let Verdict::Unsafe(replayed, closed) = verdict {
        let _ = writeln!(text, "\n{}", events(session, replayed, whole));
        match (closed, session.threaded_environment(checked)) {
            (Some(closed), _) => {
                text +=
                    "An environment that does it, run with the module by the interpreter in this order:\n\n";
                text += &indented(environment(closed));
            }
            _ if session.is_closed() => text += "The interpreter has made this run.\n",
            (None, Some(written)) if written.forced => {
                text += "The interpreter has followed this schedule; `--environment env.c` writes an environment in C that forces it.\n";
            }
            (None, Some(_)) => {
                text += "The interpreter has followed this schedule; `--environment env.c` writes the environment in C, which cannot force every access.\n";
            }
            (None, None) => {
                text += "The interpreter has followed this schedule. No environment program is printed for several threads.\n";
            }
        }
    }
    text + &assumed(session.assumptions(Some(threaded.bounds)))
}

/// What happens, one thing on each line: thread, player, move or access, place.
fn events(session: &ModuleSession, replayed: &Replayed, whole: bool) -> String {
    let module = session.module();
    let hidden = match replayed.events.len() {
        len if whole || len <= SHOWN => 0..0,
        len => SHOWN / 2..len - SHOWN / 2,
    };
    let mut moves = replayed.moves().into_iter();
    let mut depths = Vec::new();
    let mut before = Store::default();
    let mut rows: Vec<[String; 4]> = Vec::new();
    for (n, event) in replayed.events.iter().enumerate() {
        depths.resize(depths.len().max(event.thread + 1), 0);
        let row = match &event.what {
            What::Move(_) => {
                let Some((_, played, nested)) = moves.next() else { continue };
                depths[event.thread] = nested.depth + 1;
                let player = if nested.by_environment { "E" } else { "L" };
                let reentry = if nested.reenters { "   re-entry" } else { "" };
                let indent = "  ".repeat(nested.depth);
                format!("{indent}{player}  {}{reentry}", written(module, &played, &nested))
            }
            What::Access(how, cell, element) => {
                let indent = "  ".repeat(depths[event.thread]);
                format!("{indent}   {}", access(module, *how, (*cell, *element), &before, &event.store))
            }
            What::Begins(..) | What::Joins(_) | What::Ends => {
                format!("{}   {}", "  ".repeat(depths[event.thread]), thread_words(&event.what))
            }
        };
        before.clone_from(&event.store);
        if hidden.contains(&n) {
            if n == hidden.start {
                let row = format!("… {} more; --verbose shows them all …", hidden.len());
                rows.push([String::new(), String::new(), row, String::new()]);
            }
            continue;
        }
        let at = event.place.map_or(String::new(), |span| line(&session.source, span));
        rows.push([" ".into(), format!("{}", event.thread + 1), row, at]);
    }
    columns(&rows)
}

/// What a thread does to threads, in words.
fn thread_words(what: &What) -> String {
    match what {
        What::Begins(thread, _) => format!("begins thread {}", thread + 1),
        What::Joins(thread) => format!("waits for the end of thread {}", thread + 1),
        What::Ends => "ends".into(),
        What::Move(_) | What::Access(..) => String::new(),
    }
}

/// An access in words, from the store before it and the store behind it.
fn access(
    module: &Module,
    how: How,
    (cell, element): (CellId, u64),
    before: &Store,
    store: &Store,
) -> String {
    let name = element_name(module, cell, element);
    let value = || held(module, store, cell, element);
    match how {
        How::Reads => format!("reads {name} = {}", value()),
        How::Writes => format!("writes {name} = {}", value()),
        How::Locks => format!("locks {name}"),
        How::Tries if before == store => format!("tries {name}, which is held"),
        How::Tries => format!("tries {name}, and takes it"),
        How::Unlocks => format!("unlocks {name}"),
        How::Grabs => format!("grabs {name}"),
        How::Releases => format!("releases {name}"),
    }
}

fn element_name(module: &Module, cell: CellId, element: u64) -> String {
    let declared = module.cell(cell);
    declared.length.map_or(declared.name.to_string(), |_| format!("{}[{element}]", declared.name))
}

/// A report about a target as data.
pub(super) fn finding(
    session: &ModuleSession,
    target: &str,
    checked: &Checked,
    threaded: &Threaded,
) -> Finding {
    let Threaded { bounds, report } = threaded;
    let mut finding = Finding {
        iterations: report.iterations,
        states: report.states,
        transitions: report.transitions,
        threads: Some(shape::answer::Threads {
            most: bounds.threads,
            nesting: bounds.nesting,
            sequential: match &checked.sequential.verdict {
                Verdict::Safe => shape::answer::Verdict::Safe,
                Verdict::Unsafe(..) => shape::answer::Verdict::Unsafe,
                Verdict::Unknown(_) => shape::answer::Verdict::Unknown,
            },
        }),
        assumptions: Some(session.assumptions(Some(*bounds))),
        ..json::undecided(target, report.engine)
    };
    match &report.verdict {
        Verdict::Safe => finding.verdict = shape::answer::Verdict::Safe,
        Verdict::Unknown(reason) => finding.reason = Some(reason_for(reason, Reader::Command)),
        Verdict::Unsafe(replayed, closed) => {
            finding.verdict = shape::answer::Verdict::Unsafe;
            finding.play = steps(session, replayed);
            finding.accesses = Some(accesses(session, replayed));
            finding.environment = closed.as_ref().map(|closed| environment(closed).into());
            finding.cause = replayed.failure.as_ref().map(|failure| caused(session, failure, &replayed.seen));
        }
    }
    finding
}

/// The moves as data.
fn steps(session: &ModuleSession, replayed: &Replayed) -> Vec<Step> {
    let module = session.module();
    let made = replayed.events.iter().filter(|event| matches!(event.what, What::Move(_)));
    let step = |((thread, played, nested), event): ((usize, Move, Nested), &Event)| Step {
        player: if nested.by_environment { Player::O } else { Player::P },
        made: written(module, &played, &nested),
        reading: format!("thread {}: {}", thread + 1, words(session, &played, &nested)),
        thread: Some(thread + 1),
        depth: Some(nested.depth),
        kind: Some(kind(&played)),
        name: nested.function.map(|function| module.show_function(function)),
        data: Some(data(module, &played, &nested)),
        reentry: nested.reenters.then_some(true),
        place: event.place.map(|span| place(&session.source, span)),
        store: Some(cells(session, &event.store)),
    };
    replayed.moves().into_iter().zip(made).map(step).collect()
}

/// The accesses as data.
fn accesses(session: &ModuleSession, replayed: &Replayed) -> Vec<Access> {
    let module = session.module();
    let mut behind = 0;
    let mut before = Store::default();
    let mut list = Vec::new();
    for event in &replayed.events {
        match &event.what {
            What::Move(_) => behind += 1,
            What::Access(how, cell, element) => list.push(Access {
                thread: event.thread + 1,
                behind,
                reading: access(module, *how, (*cell, *element), &before, &event.store),
                name: element_name(module, *cell, *element),
                value: held(module, &event.store, *cell, *element),
                place: event.place.map(|span| place(&session.source, span)),
            }),
            What::Begins(thread, _) | What::Joins(thread) => list.push(Access {
                thread: event.thread + 1,
                behind,
                reading: thread_words(&event.what),
                name: format!("thread {}", thread + 1),
                value: String::new(),
                place: event.place.map(|span| place(&session.source, span)),
            }),
            What::Ends => list.push(Access {
                thread: event.thread + 1,
                behind,
                reading: thread_words(&event.what),
                name: format!("thread {}", event.thread + 1),
                value: String::new(),
                place: event.place.map(|span| place(&session.source, span)),
            }),
        }
        before.clone_from(&event.store);
    }
    list
}
