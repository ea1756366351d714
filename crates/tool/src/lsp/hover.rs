//! Hovering: the type and the bounds of a name, or the meaning of a keyword.

use std::fmt::Write;

use agon_base::source::Span;
use agon_core::bounds::{Role, bounds};
use agon_core::module::CellKind;
use agon_core::term::{Terms, VarId};
use agon_ia::constant::Constants;
use agon_ia::names::{Declaration, DeclarationId, Kind};
use agon_ia::token::{Token, tokenize};

use super::document::Document;
use super::meaning::{item_meaning, meaning};
use crate::session::Session;
use crate::session::module::ModuleSession;

/// The text in Markdown, and the span that it describes.
pub fn hover(document: &Document, offset: u32) -> Option<(Span, String)> {
    if let Some((span, id)) = document.names.at(offset) {
        return Some((span, name(document, id)));
    }
    let tokens = tokenize(&document.text.text, &mut Vec::new());
    let after = tokens.partition_point(|(_, span)| span.start <= offset);
    let (token, span) = *tokens.get(after.checked_sub(1)?)?;
    if let (Token::Name, Some(_)) = (token, &document.program.module) {
        let word = &document.text.text[span.range()];
        return item_meaning(word).filter(|_| offset <= span.end).map(|text| (span, text.to_string()));
    }
    let mut text = meaning(token).filter(|_| offset <= span.end)?.to_string();
    if let Some(ty) = document.term().and_then(|session| type_at(&session.judgement.terms, span)) {
        let _ = write!(text, "\n\nHere it is part of a term of type `{ty}`.");
    }
    Some((span, text))
}

/// The type of the smallest term around a place.
fn type_at(terms: &Terms, place: Span) -> Option<String> {
    let around = (0..terms.len()).map(agon_core::term::TermId::new).filter(|id| {
        let span = terms.span(*id);
        span.start <= place.start && place.end <= span.end && span.end > span.start
    });
    // Of several terms with one span, the outermost is the one that was written.
    let smallest = around.min_by_key(|id| (terms.span(*id).end - terms.span(*id).start, u32::MAX - id.0))?;
    Some(terms.ty(smallest).to_string())
}

fn name(document: &Document, id: DeclarationId) -> String {
    let declaration = document.names.declaration(id);
    let (name, session) = (&declaration.ident.name, document.term());
    if let Some(text) = document.module().and_then(|module| in_module(module, declaration)) {
        return text;
    }
    let ty = session.and_then(|session| type_of(session, declaration.ident.span));
    let typed = |ty: Option<String>| ty.map_or_else(|| name.to_string(), |ty| format!("{name} : {ty}"));
    let (code, words) = match declaration.kind {
        Kind::Constant => {
            let overrides = session.map_or(&[][..], |session| &session.document.overrides);
            let constants = Constants::evaluate(&document.program, overrides, &mut Vec::new());
            let value = constants.get(name).map_or(String::new(), |value| format!(" = {value}"));
            (format!("const {name}{value}"), "A constant.")
        }
        Kind::Free => (
            typed(session.and_then(|session| bounded(session, name)).or(ty)),
            "A free identifier: the environment's, which may do anything that its type allows.",
        ),
        Kind::Cell => (typed(ty), "A local variable. No environment sees it."),
        Kind::Semaphore => (typed(ty), "A local semaphore."),
        Kind::Definition => (typed(ty), "A definition, evaluated each time it is used."),
        Kind::Parameter => (typed(ty), "A parameter: the argument is evaluated each time it is used."),
        Kind::Copy => (typed(ty), "The number of the copy."),
        Kind::Label => (format!("label {name}"), "A label to jump to."),
    };
    let mut text = format!("```agon\n{code}\n```\n{words}");
    if declaration.kind == Kind::Free {
        for line in session.map(|session| promises(session, name)).unwrap_or_default() {
            let _ = write!(text, "\n- {line}");
        }
    }
    text
}

/// What an item or a local of a module is.
fn in_module(session: &ModuleSession, declaration: &Declaration) -> Option<String> {
    let (module, place) = (session.module(), declaration.ident.span);
    let array = |length: Option<u64>| length.map_or(String::new(), |length| format!("[{length}]"));
    let import = module.imports().find(|(_, import)| import.span == place).map(|(_, import)| {
        let code = format!("import {}{}", import.name, module.show_signature(import.signature));
        (code, "An import: the environment supplies it, and may call exports before it returns.")
    });
    let procedure =
        module.procedures().find(|(_, procedure)| procedure.span == place).map(|(_, procedure)| {
            let (word, words) = match procedure.exported {
                true => ("export", "An export: the environment may call it whenever it has control."),
                false => {
                    ("let", "A private procedure. The environment may call it once it was given its name.")
                }
            };
            (format!("{word} {}{}", procedure.name, module.show_signature(procedure.signature)), words)
        });
    let cell = module.cells().find(|(_, cell)| cell.span == place).map(|(_, cell)| {
        let sort = match &cell.kind {
            CellKind::Value(sort) => module.show_sort(sort),
            CellKind::Mutex => "mutex".into(),
            CellKind::Semaphore(places) => format!("sem ${places}"),
        };
        (
            format!("{sort} {}{}", cell.name, array(cell.length)),
            "A cell of the module. No environment sees it.",
        )
    });
    let locals = module.procedures().flat_map(|(_, procedure)| &procedure.locals);
    let local = locals.into_iter().find(|local| local.span == place && local.name.is_some()).map(|local| {
        let code =
            format!("{} {}{}", module.show_sort(&local.sort), declaration.ident.name, array(local.length));
        (code, "A cell of the activation: each call has its own.")
    });
    let (code, words) = import.or(procedure).or(cell).or(local)?;
    Some(format!("```agon\n{code}\n```\n{words}"))
}

/// The type of the declaration at a place.
fn type_of(session: &Session, place: Span) -> Option<String> {
    let terms = &session.judgement.terms;
    let mut variables = (0..terms.variable_count()).map(|n| terms.variable(VarId::new(n)));
    variables.find(|variable| variable.span == place).map(|variable| variable.ty.to_string())
}

/// The type of a free identifier with all its bounds.
fn bounded(session: &Session, name: &str) -> Option<String> {
    let bounds = bounds(&session.judgement).ok()?;
    bounds.context.iter().find(|(free, _)| **free == *name).map(|(_, argument)| argument.to_string())
}

/// What is assumed and guaranteed about a free identifier.
fn promises(session: &Session, name: &str) -> Vec<String> {
    let Ok(bounds) = bounds(&session.judgement) else { return Vec::new() };
    let about = bounds.positions.iter().filter(|position| position.identifier.as_deref() == Some(name));
    about
        .map(|position| {
            let role = if position.role == Role::Assume { "assumed" } else { "guaranteed" };
            format!("{role}: {}", position.words())
        })
        .collect()
}
