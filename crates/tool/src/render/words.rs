//! Moves in words: who does what to whom.

use agon_games::arena::{Arena, Component, OWN};
use agon_games::moves::{Label, Move, Player};
use agon_lang::bounds::ordinal;
use agon_lang::int::Int;
use agon_lang::source::{Source, Span};
use agon_lang::types::Type;

/// A move in words. The excerpt of an argument that O uses is quoted, where its place is known.
pub fn words(arena: &Arena, source: &Source, m: &Move, span: Option<Span>) -> String {
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
            Label::Done | Label::Ok | Label::Abort => "the program is done".into(),
        };
    }
    match component.parent {
        None => {
            let name = named(arena, component) + &element(m);
            match &m.label {
                Label::Run => format!("the program calls {name}"),
                Label::Done => format!("{name} returns"),
                Label::Ask if component.arguments.is_empty() => format!("the program asks for {name}"),
                Label::Ask => format!("the program calls {name}"),
                Label::Value(n) if matches!(component.base, Type::Exp(_)) => {
                    format!("{name} gives {}", value(n))
                }
                Label::Value(n) => format!("{name} holds {}", value(n)),
                Label::Read => format!("the program reads {name}"),
                Label::Write(n) => format!("the program writes {} to {name}", value(n)),
                Label::Grab => format!("the program grabs {name}"),
                Label::Release => format!("the program releases {name}"),
                Label::Ok if matches!(component.base, Type::Sem(_)) => {
                    format!("{name} is grabbed or released")
                }
                Label::Ok | Label::Abort => format!("the write to {name} is done"),
            }
        }
        Some(parent) => {
            let caller = named(arena, arena.component(parent));
            let place = arena.component(parent).arguments.iter().position(|id| *id == m.component);
            let which = ordinal(place.unwrap_or(0) + 1) + " argument" + &element_of(m);
            let quoted = match (arena.player(m), span) {
                (Player::O, Some(span)) => format!(", `{}`", source.excerpt(span)),
                _ => String::new(),
            };
            match &m.label {
                Label::Run => format!("{caller} runs its {which}{quoted}"),
                Label::Ask => format!("{caller} asks for its {which}{quoted}"),
                Label::Read => format!("{caller} reads its {which}{quoted}"),
                Label::Write(n) => format!("{caller} writes {} to its {which}{quoted}", value(n)),
                Label::Done => format!("the {which} of {caller} is done"),
                Label::Value(n) => format!("the {which} of {caller} gives {}", value(n)),
                Label::Grab => format!("{caller} grabs its {which}{quoted}"),
                Label::Release => format!("{caller} releases its {which}{quoted}"),
                Label::Ok if matches!(component.base, Type::Sem(_)) => {
                    format!("the {which} of {caller} is grabbed or released")
                }
                Label::Ok | Label::Abort => format!("the write to the {which} of {caller} is done"),
            }
        }
    }
}

fn named(arena: &Arena, component: &Component) -> String {
    let own =
        arena.component(OWN).arguments.iter().position(|id| arena.component(*id).name == component.name);
    match own {
        Some(n) => format!("the program's {} argument", ordinal(n + 1)),
        None => component.name.clone(),
    }
}

fn element(m: &Move) -> String {
    m.element.as_ref().map_or(String::new(), |i| format!("[{i}]"))
}

fn element_of(m: &Move) -> String {
    m.element.as_ref().map_or(String::new(), |i| format!(" at {i}"))
}
