//! Verdicts about modules, as text and as data: plays are indented by nesting, and every verdict says what it assumes.

pub mod model;
mod threads;

use std::fmt::Write;

use agon_base::int::Int;
use agon_base::source::{Source, Span};
use agon_check::library::threads::Checked;
use agon_check::library::{Question, Report, Verdict};
use agon_check::portfolio::Engine;
use agon_check::predicate::Scheme;
use agon_check::verdict;
use agon_core::checks::Kind;
use agon_core::language::Closed;
use agon_core::module::eval::Mark;
use agon_core::module::play::{Move, Nested, Play};
use agon_core::module::{CellId, CellKind, Failure, Function, Module, Seen, Sort, Store};

use super::answer::{SHOWN, WIDEST, history, reason_for, shortened};
use super::checks;
use super::json::{self, Cost, place};
use super::reader::Reader;
use crate::session::module::{ModuleSession, Role};
use crate::shape;
use crate::shape::answer::{Answer, Cause, Confirmation, Finding, Giver, Read};
use crate::shape::play::{Cell, MoveKind, Player, Step};

/// The most elements of an array that are given as data, and the most changes that are listed in words.
const MOST: u64 = 64;
const MOST_CHANGES: usize = 8;

/// The verdict in a sentence.
fn headline(
    session: &ModuleSession,
    question: &Question,
    target: &str,
    report: &Report,
    reader: Reader,
) -> String {
    let nesting = "for any number of calls, in any order, nested to any depth";
    match (&report.verdict, question) {
        (Verdict::Unknown(reason), _) => reason_for(reason, reader),
        (Verdict::Safe, Question::Calls(_)) if session.is_closed() => {
            format!("no run of the program reaches `{target}`")
        }
        (Verdict::Safe, _) if session.is_closed() => "no run of the program fails".into(),
        (Verdict::Unsafe(..), Question::Calls(_)) if session.is_closed() => {
            format!("a run of the program reaches `{target}`")
        }
        (Verdict::Unsafe(..), _) if session.is_closed() => "a run of the program fails".into(),
        (Verdict::Safe, Question::Calls(_)) => format!("no environment reaches `{target}`, {nesting}"),
        (Verdict::Safe, _) => format!("no environment makes the module fail, {nesting}"),
        (Verdict::Unsafe(..), Question::Calls(_)) => format!("an environment reaches `{target}`"),
        (Verdict::Unsafe(..), _) => "an environment makes the module fail".into(),
    }
}

/// The verdict for all threads that the environment has, in a sentence.
pub fn headline_of(
    session: &ModuleSession,
    question: &Question,
    target: &str,
    checked: &Checked,
    reader: Reader,
) -> String {
    let holds = match &checked.threaded {
        Some(threaded) => threads::headline(session, question, target, threaded),
        None => headline(session, question, target, &checked.sequential, reader),
    };
    up_to(&checked.up_to) + &holds
}

/// The bounds that a verdict holds up to, as its beginning; nothing if there are none.
pub fn up_to(bounds: &[String]) -> String {
    match bounds {
        [] => String::new(),
        bounds => format!("up to {}: ", bounds.join(" and ")),
    }
}

/// The verdict as text.
pub fn answer(
    session: &ModuleSession,
    question: &Question,
    target: &str,
    checked: &Checked,
    whole: bool,
) -> String {
    if let Some(threaded) = &checked.threaded {
        return threads::answer(session, question, target, checked, threaded, whole);
    }
    let module = session.module();
    let report = &checked.sequential;
    let mut text = format!(
        "{}  {}\n",
        report.verdict.word(),
        headline_of(session, question, target, checked, Reader::Command)
    );
    if let (Verdict::Unsafe(..), 2..) = (&report.verdict, module.threads) {
        text += "        one thread is enough\n";
    }
    match &report.verdict {
        Verdict::Safe => {
            let imports = module.imports().filter(|(_, import)| !import.choice);
            let imports: Vec<&str> = imports.map(|(_, import)| &*import.name).collect();
            let given = match session.is_closed() {
                true if imports.is_empty() => "",
                true => "\n  inputs        ",
                false => {
                    let _ = writeln!(text, "\n  entry points  {}", exports(module));
                    "  imports       "
                }
            };
            if !imports.is_empty() {
                let _ = writeln!(text, "{given}{}", imports.join(", "));
            }
        }
        Verdict::Unsafe(play, evidence) => {
            if let Some(failure) = &evidence.failure {
                let place = checks::place(&session.source, failure.check.span);
                let _ = writeln!(text, "        {}  ({place})", cause(session, failure, &evidence.seen));
            }
            let _ = writeln!(text, "\n{}", moves(session, play, &evidence.marks, whole));
            match session.is_c() && !whole {
                true if session.is_closed() => {
                    text += "The interpreter has made this run; `--environment env.c` writes what the program is given in C.\n";
                }
                true => {
                    text += "The interpreter has run an environment that does it; `--environment env.c` writes it in C.\n";
                }
                false => {
                    text += "An environment that does it, run with the module by the interpreter:\n\n";
                    text += &indented(environment(&evidence.closed));
                }
            }
        }
        Verdict::Unknown(_) => {}
    }
    text += &assumed(session.assumptions(None));
    if let Some(refinement) = report.refinement().filter(|_| whole) {
        text += &history(refinement, report.engine == Engine::Predicate(Scheme::default()).name());
    }
    text
}

/// What a C compiler's program does, in a line.
pub fn confirmation(confirmed: &Confirmation) -> String {
    let Confirmation { compiler, fails, message } = confirmed;
    match fails {
        true => format!("\nconfirmed by `{compiler}`: {message}\n"),
        false => format!("\nnot confirmed by `{compiler}`: {message}\n"),
    }
}

/// What a verdict assumes, one thing on each line.
pub fn assumed(assumptions: Vec<String>) -> String {
    if assumptions.is_empty() {
        return String::new();
    }
    let lines = assumptions.into_iter().map(|line| format!("  {line}\n"));
    format!("\nassumed:\n{}", lines.collect::<String>())
}

/// The part of a closed module that is the environment.
pub fn environment(closed: &Closed) -> &str {
    let text = &closed.text[closed.term..];
    text.split_once('\n').map_or(text, |(_, rest)| rest)
}

/// A program inside a text.
pub fn indented(program: &str) -> String {
    program.lines().map(|line| format!("  {}\n", shortened(line))).collect()
}

/// The names of the exports.
fn exports(module: &Module) -> String {
    let exports = module.procedures().filter(|(_, procedure)| procedure.exported);
    exports.map(|(_, procedure)| &*procedure.name).collect::<Vec<_>>().join(", ")
}

/// Why a module fails, in a line.
pub fn cause(session: &ModuleSession, failure: &Failure, seen: &[Seen]) -> String {
    let quoted = format!("`{}`", session.source.excerpt(failure.check.span));
    let what = match (failure.check.kind, &failure.index) {
        (Kind::Abort, _) => format!("{quoted} is reached"),
        (Kind::Assertion, _) => format!("{quoted} fails"),
        (Kind::Index, Some(index)) => format!("index {index} is out of bounds in {quoted}"),
        (Kind::Index, None) => format!("an index is out of bounds in {quoted}"),
        (Kind::Division, _) => format!("division by zero in {quoted}"),
        (Kind::Shift, _) => format!("{quoted} shifts by an amount that its type does not allow"),
        (Kind::Overflow, _) => format!("the result of {quoted} is not in the range of its type"),
        (Kind::Uninitialised, _) => format!("{quoted} is read before it was written"),
        (Kind::Null, _) => format!("{quoted} calls `null`"),
        (Kind::NullPointer, _) => format!("{quoted} follows a null pointer"),
        (Kind::Pointer, _) => format!("{quoted} leaves the object that its pointer points into"),
        (Kind::Dead, _) => format!("{quoted} uses an object that does not exist any more"),
        (Kind::Constant, _) => format!("{quoted} writes to what is constant"),
        (Kind::Overlap, _) => format!("{quoted} copies memory to a place that overlaps it"),
        (Kind::Free, _) => format!("{quoted} frees what is not allocated"),
        (Kind::Leak, _) => format!("{quoted} ends the program, and memory is not freed"),
        (Kind::Lock, _) => format!("{quoted} takes a mutex that its thread holds"),
        (Kind::Unlock, _) => format!("{quoted} frees a mutex that its thread does not hold"),
        (Kind::Bound(_), _) => format!("{quoted} meets a bound of the model"),
        (Kind::Deadlock, _) => {
            let mutexes = if session.module().begins_threads() { "" } else { "'s mutexes" };
            format!("{quoted} closes a circle of threads that wait for each other{mutexes}")
        }
        (Kind::Join, _) => format!("{quoted} waits for a thread that is not there to be waited for"),
        (Kind::Race, _) => format!("{quoted} and an access by another thread are in no order"),
    };
    let module = session.module();
    let values: Vec<String> = seen
        .iter()
        .map(|seen| format!("{} = {}", seen_name(seen), module.show_value(&seen.value, &seen.sort)))
        .collect();
    if values.is_empty() { what } else { format!("{what}: {}", values.join(", ")) }
}

fn seen_name(seen: &Seen) -> String {
    seen.element.map_or(seen.name.to_string(), |element| format!("{}[{element}]", seen.name))
}

/// A move as it is written, without its nesting.
pub fn written(module: &Module, played: &Move, nested: &Nested) -> String {
    let name = nested.function.map_or(String::new(), |function| module.show_function(function));
    match played {
        Move::Call(..) => format!("{name}({})", data(module, played, nested).join(", ")),
        Move::Return(Some(_)) => format!("ret {}", data(module, played, nested).join("")),
        Move::Return(None) => "ret".into(),
        Move::Fail => "fail".into(),
        Move::Exit(n) => format!("exit {n}"),
    }
}

/// The arguments of a call, or the value of a return.
fn data(module: &Module, played: &Move, nested: &Nested) -> Vec<String> {
    let signature = nested.function.map(|function| module.signature(module.type_of(function)));
    let Some(signature) = signature else { return Vec::new() };
    let show = |(value, sort): (&Int, &Sort)| module.show_value(value, sort);
    match played {
        Move::Call(_, values) => values.iter().zip(&signature.parameters).map(show).collect(),
        Move::Return(Some(value)) => signature.result.iter().map(|sort| show((value, sort))).collect(),
        Move::Exit(n) => vec![n.to_string()],
        Move::Return(None) | Move::Fail => Vec::new(),
    }
}

/// What a move does.
fn kind(played: &Move) -> MoveKind {
    match played {
        Move::Call(..) => MoveKind::Call,
        Move::Return(_) => MoveKind::Return,
        Move::Fail => MoveKind::Fail,
        Move::Exit(_) => MoveKind::Exit,
    }
}

/// A move in words.
fn words(session: &ModuleSession, played: &Move, nested: &Nested) -> String {
    let module = session.module();
    let value = || data(module, played, nested).pop().unwrap_or_default();
    match (session.role(nested.function), played) {
        (Role::Order, Move::Call(..)) => return "the compiler chooses an order of evaluation".into(),
        (Role::Order, _) => return format!("it chooses order {}", value()),
        (Role::System(name), Move::Call(..)) => return format!("the module calls {name}"),
        (Role::System(name), _) => return format!("{name} gives {}", value()),
        (Role::Reuse, Move::Call(..)) => return "an object dies".into(),
        (Role::Reuse, Move::Return(Some(held))) if held.is_zero() => {
            return "its address may be used again".into();
        }
        (Role::Reuse, _) => return "its address is not used again".into(),
        (Role::Asks(object), Move::Call(..)) => return format!("the module reads {object}"),
        (Role::Asks(object), _) => return format!("the environment has set {object} to {}", value()),
        (Role::Tells(object), Move::Call(..)) => return format!("the module sets {object} to {}", value()),
        (Role::Dies, Move::Call(..)) => return "an object dies that was handed out".into(),
        (Role::Tells(_) | Role::Dies | Role::Function, _) => {}
    }
    let name = nested.function.map_or(String::new(), |function| module.show_function(function));
    if session.is_closed() {
        return match played {
            Move::Call(..) if nested.by_environment => "the program starts".into(),
            Move::Call(..) => format!("the program calls {name}"),
            Move::Return(Some(_)) => format!("{name} gives {}", value()),
            Move::Return(None) => format!("{name} returns"),
            Move::Fail => "the program fails".into(),
            Move::Exit(_) => "the program ends".into(),
        };
    }
    let who = if nested.by_environment { "the environment" } else { "the module" };
    let is_choice = matches!(nested.function, Some(Function::Import(id)) if module.import(id).choice);
    match played {
        Move::Call(..) if is_choice => "the language leaves open how the module goes on".into(),
        Move::Return(_) if is_choice => {
            format!("it goes on in way {}", data(module, played, nested).join(""))
        }
        Move::Call(..) if nested.reenters => format!("{who} calls {name} while the module waits"),
        Move::Call(..) => format!("{who} calls {name}"),
        Move::Return(Some(_)) => format!("{name} returns {}", data(module, played, nested).join("")),
        Move::Return(None) => format!("{name} returns"),
        Move::Fail => "the module fails".into(),
        Move::Exit(_) => "the module ends the program".into(),
    }
}

/// The index of an element that a call asks for or tells, if it has this many arguments.
fn index(call: &Move, with: usize) -> String {
    match call {
        Move::Call(_, arguments) if arguments.len() == with => format!("[{}]", arguments[0]),
        _ => String::new(),
    }
}

/// The moves of a play, one on each line, indented by nesting: player, move, re-entry, place, and the cells that changed.
pub fn moves(session: &ModuleSession, play: &Play, marks: &[Mark], whole: bool) -> String {
    let module = session.module();
    let mut rows: Vec<[String; 4]> = Vec::new();
    let empty = Store::default();
    // What the cells held at the last line.
    let mut before = &empty;
    // The last call of a closed program.
    let mut asked = String::new();
    let hidden = match play.0.len() {
        len if whole || len <= SHOWN => 0..0,
        len => SHOWN / 2..len - SHOWN / 2,
    };
    for (n, (played, nested)) in play.0.iter().zip(play.nested()).enumerate() {
        if hidden.contains(&n) {
            if n == hidden.start {
                let row = format!("  … {} moves; --verbose shows them all …", hidden.len());
                rows.push([row, String::new(), String::new(), String::new()]);
            }
            continue;
        }
        let value = || data(module, played, &nested).pop().unwrap_or_default();
        let of_call = n.checked_sub(1).and_then(|call| marks.get(call));
        let row = match (session.role(nested.function), played) {
            (Role::Function, _) if session.is_closed() => match played {
                // A line for each value that the program is given.
                Move::Call(..) => {
                    asked = written(module, played, &nested);
                    continue;
                }
                Move::Return(None) => asked.clone(),
                Move::Return(Some(_)) => format!("{asked} = {}", value()),
                Move::Fail | Move::Exit(_) => written(module, played, &nested),
            },
            (Role::Function, _) => {
                let player = if nested.by_environment { "E" } else { "L" };
                format!("{player}  {}", written(module, played, &nested))
            }
            // One line for what a call and its return stand for.
            (Role::Order | Role::Asks(_) | Role::Reuse | Role::System(_), Move::Call(..))
            | (Role::Tells(_), Move::Return(_))
            | (Role::Dies, _) => continue,
            (Role::Reuse, Move::Return(Some(held))) if held.is_zero() => continue,
            (Role::System(name), _) => format!("·  {name} gives {}", value()),
            (Role::Reuse, _) => "·  the address of the dead object is not used again".into(),
            (Role::Order, _) => format!("·  order {} of evaluation", value()),
            (Role::Asks(object), _) => {
                let player = if session.is_closed() { "" } else { "E  " };
                let index = n.checked_sub(1).map_or(String::new(), |call| index(&play.0[call], 1));
                format!("{player}{object}{index} = {}", value())
            }
            (Role::Tells(object), _) => format!("L  {object}{} = {}", index(played, 2), value()),
        };
        let depth = if session.is_closed() { 1 } else { nested.depth + 1 };
        let row = format!("{}{row}", "  ".repeat(depth));
        let reentry = if nested.reenters { "re-entry" } else { "" };
        let mark = marks.get(n);
        let of_call = of_call.filter(|_| session.is_closed() && matches!(played, Move::Return(_)));
        let place = of_call.or(mark).and_then(|mark| mark.place);
        let place = place.map_or(String::new(), |span| line(&session.source, span));
        let changes = mark.map_or(String::new(), |mark| changes(session, before, &mark.store));
        before = mark.map_or(before, |mark| &mark.store);
        let changes = if changes.is_empty() { changes } else { format!("| {changes}") };
        rows.push([row, reentry.into(), place, changes]);
    }
    columns(&rows)
}

/// A place as the name of its file, without folders, and its line.
fn line(source: &Source, span: Span) -> String {
    let (file, line, _) = source.place(span.start);
    format!("{}:{line}", file.rsplit('/').next().unwrap_or(file))
}

/// Rows in columns. An empty column takes no room, and cells that are too wide do not widen theirs.
fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let length = |text: &str| text.chars().count();
    let widths: Vec<usize> = (0..N)
        .map(|n| rows.iter().map(|row| length(&row[n])).filter(|n| *n <= WIDEST).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in rows {
        let used = row.iter().zip(&widths).filter(|(_, width)| **width > 0);
        let line: Vec<String> = used.map(|(cell, width)| format!("{cell:width$}")).collect();
        let _ = writeln!(text, "{}", line.join("   ").trim_end());
    }
    text
}

/// The cells that changed, in words.
pub fn changes(session: &ModuleSession, before: &Store, now: &Store) -> String {
    let module = session.module();
    let changed = now.changes(before);
    let changed: Vec<_> = changed.into_iter().filter(|(cell, _)| session.is_written(*cell)).collect();
    let mut list: Vec<String> = (changed.iter().take(MOST_CHANGES))
        .map(|(cell, element)| {
            let name = module.element_name(*cell, *element);
            format!("{name} = {}", held(module, now, *cell, *element))
        })
        .collect();
    if changed.len() > MOST_CHANGES {
        list.push("…".into());
    }
    list.join(", ")
}

/// What an element of a cell holds, as it is written.
fn held(module: &Module, store: &Store, cell: CellId, element: u64) -> String {
    let value = store.held(module, cell, element);
    match &module.cell(cell).kind {
        CellKind::Value(sort) => module.show_value(&value, sort),
        CellKind::Mutex if value.is_zero() => "free".into(),
        CellKind::Mutex => "locked".into(),
        CellKind::Semaphore(_) => value.to_string(),
    }
}

/// The moves of a play as data.
pub fn steps(session: &ModuleSession, play: &Play, marks: &[Mark]) -> Vec<Step> {
    let module = session.module();
    let step = |(n, (played, nested)): (usize, (&Move, Nested))| Step {
        player: if nested.by_environment { Player::O } else { Player::P },
        made: written(module, played, &nested),
        reading: words(session, played, &nested),
        thread: None,
        depth: Some(nested.depth),
        kind: Some(kind(played)),
        name: nested.function.map(|function| module.show_function(function)),
        data: Some(data(module, played, &nested)),
        reentry: nested.reenters.then_some(true),
        place: marks.get(n).and_then(|mark| mark.place).map(|span| place(&session.source, span)),
        store: marks.get(n).map(|mark| cells(session, &mark.store)),
    };
    play.0.iter().zip(play.nested()).enumerate().map(step).collect()
}

/// The contents of a module's cells as data.
fn cells(session: &ModuleSession, store: &Store) -> Vec<Cell> {
    let module = session.module();
    let cell = |(id, cell): (CellId, &agon_core::module::Cell)| {
        let name = cell.name.to_string();
        match cell.length {
            None => Cell::Variable { name, value: held(module, store, id, 0) },
            Some(length) => {
                let elements = (0..length.min(MOST)).map(|i| held(module, store, id, i)).collect();
                Cell::Array { name, elements, length }
            }
        }
    };
    module.cells().filter(|(id, _)| session.is_written(*id)).map(cell).collect()
}

/// A report about a target as data.
pub fn finding(session: &ModuleSession, target: &str, checked: &Checked) -> Finding {
    let up_to = (!checked.up_to.is_empty()).then(|| checked.up_to.clone());
    if let Some(threaded) = &checked.threaded {
        return Finding { up_to, ..threads::finding(session, target, checked, threaded) };
    }
    let report = &checked.sequential;
    let mut finding = Finding {
        up_to,
        iterations: report.iterations,
        states: report.states,
        transitions: report.transitions,
        solver_failure: report.solver_failure.as_ref().map(ToString::to_string),
        chosen_because: report.because.clone(),
        assumptions: Some(session.assumptions(None)),
        ..json::undecided(target, report.engine)
    };
    json::refined(&mut finding, report);
    match &report.verdict {
        Verdict::Safe => finding.verdict = shape::answer::Verdict::Safe,
        Verdict::Unknown(reason) => finding.reason = Some(reason_for(reason, Reader::Command)),
        Verdict::Unsafe(play, evidence) => {
            finding.verdict = shape::answer::Verdict::Unsafe;
            finding.play = steps(session, play, &evidence.marks);
            finding.cause = evidence.failure.as_ref().map(|failure| caused(session, failure, &evidence.seen));
            finding.environment = Some(environment(&evidence.closed).into());
        }
    }
    finding
}

/// Why a module fails, as data.
fn caused(session: &ModuleSession, failure: &Failure, seen: &[Seen]) -> Cause {
    let read = |seen: &Seen| Read {
        name: seen_name(seen),
        values: vec![session.module().show_value(&seen.value, &seen.sort)],
        by: Giver::Program,
    };
    Cause {
        kind: checks::kind(failure.check.kind),
        message: cause(session, failure, seen),
        text: session.source.excerpt(failure.check.span),
        place: place(&session.source, failure.check.span),
        values: seen.iter().map(read).collect(),
        condition: None,
        index: failure.index.as_ref().map(ToString::to_string),
        array: None,
        length: None,
    }
}

/// What a question is about: the text of a check, or a move.
fn what(session: &ModuleSession, question: &Question, target: &str) -> String {
    match question {
        // A `lock` has two checks.
        Question::FailsAt(check) if check.kind == Kind::Deadlock => {
            format!("{}, deadlock", session.source.excerpt(check.span))
        }
        Question::FailsAt(check) => session.source.excerpt(check.span),
        Question::Fails | Question::Calls(_) | Question::FailsAs(_) => target.into(),
    }
}

/// A question, as it was written, and the report about it.
pub type Answered<'a> = (&'a Question, &'a str, &'a Checked);

/// A list of verdicts as text.
pub fn list(session: &ModuleSession, answered: &[Answered<'_>], word: &str, whole: bool) -> String {
    let row = |(question, target, checked): &Answered<'_>| checks::Row {
        place: match question {
            Question::FailsAt(check) => Some(checks::place(&session.source, check.span)),
            Question::Fails | Question::Calls(_) | Question::FailsAs(_) => None,
        },
        what: what(session, question, target),
        word: checked.overall().verdict.word(),
        never_reached: false,
        reason: match checked.overall().verdict {
            verdict::Verdict::Unknown(reason) => Some(reason_for(&reason, Reader::Command)),
            _ => None,
        },
        answer: match checked.overall().verdict {
            verdict::Verdict::Unsafe(..) => Some(answer(session, question, target, checked, whole)),
            _ => None,
        },
    };
    let rows: Vec<checks::Row> = answered.iter().map(row).collect();
    let mut text = checks::listed(word, &rows);
    if let Some((_, _, checked)) = answered.iter().find(|(_, _, checked)| !checked.up_to.is_empty()) {
        let _ = writeln!(text, "\nSAFE is meant up to {}.", checked.up_to.join(" and "));
    }
    if rows.iter().all(|row| row.answer.is_none()) {
        let bounds = answered.iter().find_map(|(_, _, checked)| checked.threaded.as_ref());
        text += &assumed(session.assumptions(bounds.map(|threaded| threaded.bounds)));
    }
    text
}

/// A list of verdicts as data: the worst, with all of them as `checks`.
pub fn listed(
    session: &ModuleSession,
    answered: &[Answered<'_>],
    worst: Option<usize>,
    cost: Cost,
) -> Answer {
    let one = |(question, target, checked): &Answered<'_>| {
        let check = match question {
            Question::FailsAt(check) => Some(check),
            Question::Fails | Question::Calls(_) | Question::FailsAs(_) => None,
        };
        shape::answer::Check {
            finding: finding(session, target, checked),
            what: check.map(|check| session.source.excerpt(check.span)),
            kind: check.map(|check| checks::kind(check.kind)),
            place: check.map(|check| place(&session.source, check.span)),
            reached: None,
        }
    };
    let all: Vec<shape::answer::Check> = answered.iter().map(one).collect();
    let finding = match worst {
        Some(n) => all[n].finding.clone(),
        None => {
            let sequential = Report::new(Verdict::Safe, "explicit");
            finding(session, "fail", &Checked { sequential, threaded: None, up_to: Vec::new() })
        }
    };
    Answer { checks: Some(all), ..json::answer(&session.source, finding, cost) }
}
