//! Programs as they are typed: their diagnostics, constants, targets and parts.

use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_base::source::Source;
use agon_check::component;
use agon_core::term::Mode;
use agon_core::types::{Data, Type};
use agon_ia::constant::Constants;
use agon_ia::parse::parse;

use super::DEADLOCK;
use crate::c::Settings;
use crate::c::preprocess::Preprocessing;
use crate::render::answer::blamed;
use crate::render::{diagnostics, json};
use crate::session::{Opened, Session};
use crate::shape::diagnostic::Diagnostic;
use crate::shape::event::{self as shape, Constant, Failure, Outline};
use crate::shape::request::{Language, Program};

fn source(program: &Program) -> Source {
    Source::new(program.name.clone().unwrap_or_else(|| "program".into()), program.text.clone())
}

/// The constants with other values than in the program. Those that the program does not have are ignored.
fn overrides(program: &Program) -> Result<Vec<(String, Int)>, String> {
    let names = || parse(&program.text).0.constants.into_iter().map(|constant| constant.ident.name);
    let names: Vec<_> = if program.define.is_empty() { Vec::new() } else { names().collect() };
    let known = |name: &str| names.iter().any(|known| **known == *name);
    let value = |(name, text): (&String, &String)| match Int::parse(text.trim()) {
        Some(n) => Ok((name.clone(), n)),
        None => Err(format!("`{text}` is not an integer, and `{name}` needs one")),
    };
    program.define.iter().filter(|(name, _)| known(name)).map(value).collect()
}

/// A program or a module.
pub(super) fn open_any(program: &Program, budget: &Budget) -> Result<Opened, Failure> {
    opened(program, budget)?.map_err(refused)
}

/// A program or a module, or what is wrong with it.
fn opened(
    program: &Program,
    budget: &Budget,
) -> Result<Result<Opened, (Source, Vec<agon_base::diagnostic::Diagnostic>)>, String> {
    Ok(match program.language {
        Language::Agon => Opened::open(source(program), overrides(program)?),
        Language::C => {
            // The page sends one text, and has no files beside it.
            let preprocessing = Preprocessing { alone: true, ..Preprocessing::default() };
            let settings = Settings { preprocessing, ..Settings::default() };
            Opened::open_c(&[source(program)], &settings, budget)
        }
    })
}

/// A program. A module is an error.
pub(super) fn open(program: &Program, budget: &Budget) -> Result<Session, Failure> {
    open_any(program, budget)?.term().map_err(refused)
}

fn refused((source, list): (Source, Vec<agon_base::diagnostic::Diagnostic>)) -> Failure {
    Failure {
        message: match &list[..] {
            [one] if one.code == agon_base::diagnostic::Code::NoEngine => one.message.clone(),
            [_] => "the program has an error".into(),
            list => format!("the program has {} errors", list.len()),
        },
        diagnostics: json::messages(&source, &list),
    }
}

/// The diagnostics of a program, and its constants, also if it has errors.
pub(super) fn read(program: &Program, budget: &Budget) -> Outline {
    let (tree, _) = parse(match program.language {
        Language::Agon => &program.text,
        Language::C => "",
    });
    let values = Constants::evaluate(&tree, &[], &mut Vec::new());
    let constants = tree.constants.iter().map(|constant| Constant {
        name: constant.ident.name.to_string(),
        value: values.get(&constant.ident.name).map(ToString::to_string),
    });
    let mut outline = Outline { constants: constants.collect(), ..Outline::default() };
    let (source, list) = match opened(program, budget) {
        Err(message) => {
            outline.diagnostics.push(Diagnostic { message, ..Diagnostic::default() });
            return outline;
        }
        Ok(Err((source, list))) => (source, list),
        Ok(Ok(Opened::Module(session))) => {
            outline.typed = true;
            outline.mode = Some(match session.module().threads {
                0 | 1 => shape::Mode::Sequential,
                _ => shape::Mode::Concurrent,
            });
            let imports = session.module().imports().filter(|(_, import)| !import.choice);
            let calls = imports.map(|(_, import)| format!("{}()", import.name));
            outline.targets = Some(std::iter::once("abort".to_string()).chain(calls).collect());
            outline.parts = Some(Vec::new());
            let list = session.warnings.clone();
            (session.source, list)
        }
        Ok(Ok(Opened::Term(session))) => {
            let mut list = session.warnings.clone();
            if let Err(refusal) = session.code() {
                list.extend(blamed(&refusal.into()));
            }
            outline.typed = true;
            outline.mode = Some(match session.judgement.mode {
                Mode::Sequential => shape::Mode::Sequential,
                Mode::Concurrent => shape::Mode::Concurrent,
            });
            outline.targets = Some(targets(&session));
            outline.parts = Some(component::names(&session.judgement));
            (session.source, list)
        }
    };
    outline.diagnostics = json::messages(&source, &list);
    outline.text = Some(anstream::adapter::strip_str(&diagnostics::render(&source, &list)).to_string());
    outline
}

/// P's moves that are offered as targets.
fn targets(session: &Session) -> Vec<String> {
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
    targets
}
