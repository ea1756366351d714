//! Moves in words: who does what to whom.

use agon_base::int::Int;
use agon_core::bounds::ordinal;
use agon_core::term::{Construct, Judgement, Name};
use agon_core::types::Type;
use agon_games::arena::{Arena, ComponentId, OWN};
use agon_games::moves::{Label, Move};
use agon_games::play::Play;

use crate::session::Session;

/// A move of a play in words. An argument that O uses is quoted, if its place is known. Calls and threads are numbered
/// if the play has several at once.
pub fn words(session: &Session, play: &Play, n: usize) -> String {
    let arena = &session.arena;
    let m = &play.moves[n];
    let component = arena.component(m.component);
    let value = |n: &Int| component.base.data().map_or_else(|| n.to_string(), |data| data.show(n));
    if m.label == Label::Abort {
        return "the program aborts".into();
    }
    if m.component == OWN {
        return match &m.label {
            Label::Run => "the environment runs the program".into(),
            Label::Ask => "the environment asks for the program's value".into(),
            Label::Read => "the environment reads the program".into(),
            Label::Write(n) => format!("the environment writes {} to the program", value(n)),
            Label::Grab => "the environment grabs the program".into(),
            Label::Release => "the environment releases the program".into(),
            Label::Value(n) => format!("the program gives {}", value(n)),
            Label::Exit(n) => format!("the program ends the process with {n}"),
            Label::Done | Label::Ok | Label::Abort | Label::Call(_) => "the program is done".into(),
        };
    }
    let which = numbers(arena, play, n);
    if !m.label.is_question() {
        let what = element(arena, m, thing(session, m.component));
        return match &m.label {
            Label::Done if component.parent.is_none() => format!("{what} returns{which}"),
            Label::Value(n) if component.parent.is_none() && !matches!(component.base, Type::Exp(_)) => {
                format!("{what} holds {}{which}", value(n))
            }
            Label::Value(n) => format!("{what} gives {}{which}", value(n)),
            Label::Ok => match play.asked(n).map(|question| &play.moves[question].label) {
                Some(Label::Grab) => format!("{what} is grabbed{which}"),
                Some(Label::Release) => format!("{what} is released{which}"),
                _ => format!("the write to {what} is done{which}"),
            },
            _ => format!("{what} is done{which}"),
        };
    }
    let (who, what) = asking(session, m.component);
    let what = element(arena, m, what) + &which;
    let quoted = match (is_argument(arena, m.component), play.spans[n]) {
        (true, Some(span)) => format!(", `{}`", session.source.excerpt(span)),
        _ => String::new(),
    };
    match &m.label {
        _ if !component.arguments.is_empty() && !matches!(m.label, Label::Read | Label::Write(_)) => {
            format!("{who} calls {what}{quoted}")
        }
        Label::Run if component.parent.is_none() => format!("{who} calls {what}"),
        Label::Run => format!("{who} runs {what}{quoted}"),
        Label::Ask => format!("{who} asks for {what}{quoted}"),
        Label::Read => format!("{who} reads {what}{quoted}"),
        Label::Write(n) => format!("{who} writes {} to {what}{quoted}", value(n)),
        Label::Grab => format!("{who} grabs {what}{quoted}"),
        _ => format!("{who} releases {what}{quoted}"),
    }
}

/// Who asks a component, and the component from their point of view.
fn asking(session: &Session, id: ComponentId) -> (String, String) {
    let arena = &session.arena;
    match arena.component(id).parent {
        None => ("the program".into(), thing(session, id).replace("the program's", "its")),
        Some(parent) if is_argument(arena, id) => {
            (thing(session, parent), format!("its {} argument", ordinal(place(arena, id))))
        }
        Some(parent) => {
            let what = match arena.component(parent).arguments.len() {
                1 => "what it was passed".into(),
                _ => format!("the {} thing it was passed", ordinal(place(arena, id))),
            };
            (thing(session, parent), what)
        }
    }
}

/// A component in words: `f`, an argument that the program passes to `f`, an argument that `f` passes to that argument,
/// and so on.
fn thing(session: &Session, id: ComponentId) -> String {
    let arena = &session.arena;
    let component = arena.component(id);
    let Some(parent) = component.parent else { return named(session, id) };
    let nth = ordinal(place(arena, id));
    let Some(giver) = arena.component(parent).parent.filter(|_| !is_argument(arena, id)) else {
        return format!("the {nth} argument of {}", thing(session, parent));
    };
    let what = match arena.component(parent).arguments.len() {
        1 => "what".into(),
        _ => format!("the {nth} thing that"),
    };
    format!("{what} {} passed to its {} argument", thing(session, giver), ordinal(place(arena, parent)))
}

/// A free identifier, or an argument of a program that is a procedure: by the name of the parameter, if it has one.
fn named(session: &Session, id: ComponentId) -> String {
    let arena = &session.arena;
    let own = &arena.component(OWN).arguments;
    let Some(n) = own.iter().position(|own| *own == id) else {
        return arena.component(id).name.clone();
    };
    let names: Vec<_> = (0..own.len()).map(|n| parameter(&session.judgement, n)).collect();
    let clear = |name: &Name| {
        let others = names.iter().flatten().filter(|other| *other == name).count();
        others == 1 && !arena.components().any(|(_, component)| *component.name == **name)
    };
    match names[n].as_ref().filter(|name| clear(name)) {
        Some(name) => name.to_string(),
        None => format!("the program's {} argument", ordinal(n + 1)),
    }
}

/// The name of a parameter of the program, if it is written as `fun …`.
fn parameter(judgement: &Judgement, n: usize) -> Option<Name> {
    let terms = &judgement.terms;
    let mut at = judgement.body;
    for _ in &judgement.arguments {
        let Construct::Apply(procedure, _) = terms.construct(at) else { return None };
        at = *procedure;
    }
    for _ in 0..n {
        let Construct::Lambda(_, body) = terms.construct(at) else { return None };
        at = *body;
    }
    let Construct::Lambda(variable, _) = terms.construct(at) else { return None };
    Some(terms.variable(*variable).name.clone())
}

/// Whether the component is an argument that the program passed to the environment.
fn is_argument(arena: &Arena, id: ComponentId) -> bool {
    path(arena, id).len().is_multiple_of(2)
}

/// The index of an argument, counted from 1.
fn place(arena: &Arena, id: ComponentId) -> usize {
    let parent = arena.component(id).parent;
    let siblings = parent.map(|parent| &arena.component(parent).arguments);
    siblings.and_then(|list| list.iter().position(|sibling| *sibling == id)).unwrap_or(0) + 1
}

/// The components from the free identifier down to this one.
fn path(arena: &Arena, id: ComponentId) -> Vec<ComponentId> {
    let mut path: Vec<_> = std::iter::successors(Some(id), |id| arena.component(*id).parent).collect();
    path.reverse();
    path
}

/// The call and the thread of a move, if the play has several at once. The program makes calls; what the environment runs
/// of the program is a thread.
fn numbers(arena: &Arena, play: &Play, n: usize) -> String {
    let Some(threads) = play.threads.get(n) else { return String::new() };
    let mut list = Vec::new();
    for (depth, id) in path(arena, play.moves[n].component).into_iter().enumerate() {
        let several = |m: &Move, threads: &[u32]| {
            path(arena, m.component).get(depth) == Some(&id) && threads.get(depth).is_some_and(|n| *n > 1)
        };
        if play.moves.iter().zip(&play.threads).any(|(m, threads)| several(m, threads)) {
            let word = if depth.is_multiple_of(2) { "call" } else { "thread" };
            list.extend(threads.get(depth).map(|number| format!("{word} {number}")));
        }
    }
    if list.is_empty() { String::new() } else { format!(" ({})", list.join(", ")) }
}

/// A component, or an element of it.
fn element(arena: &Arena, m: &Move, what: String) -> String {
    match (&m.element, arena.component(m.component).parent) {
        (Some(i), None) => format!("{what}[{i}]"),
        (Some(i), Some(_)) => format!("element {i} of {what}"),
        (None, _) => what,
    }
}
