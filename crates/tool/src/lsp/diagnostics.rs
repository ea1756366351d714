//! Diagnostics and verdicts as editors show them.

use agon_base::diagnostic::{Diagnostic, Severity};
use agon_base::source::Span;
use agon_check::library;
use agon_check::library::threads::{Checked, Threaded};
use agon_check::question::Question;
use agon_check::verdict::{Report, Verdict};
use agon_core::module::eval::Mark;
use agon_games::play::Play;
use agon_witness::verify::Evidence;
use gen_lsp_types as lsp;

use super::document::Document;
use super::text::Text;
use crate::play_session::player;
use crate::render::answer::headline;
use crate::render::words::words;
use crate::render::{cause, module, report};
use crate::session::Session;
use crate::session::module::ModuleSession;
use crate::shape::play::Step;

/// The most moves of a play that are sent to the editor.
const MOST_MOVES: usize = 200;

/// All diagnostics of a document.
pub fn all(document: &Document, uri: &lsp::Uri) -> Vec<lsp::Diagnostic> {
    let verdict = document.verdict.as_ref().and_then(|found| found.diagnostic.clone());
    document.diagnostics.iter().map(|said| diagnostic(&document.text, uri, said)).chain(verdict).collect()
}

fn diagnostic(text: &Text, uri: &lsp::Uri, said: &Diagnostic) -> lsp::Diagnostic {
    let (span, label) = said.primary.clone().unwrap_or_default();
    let mut message = said.message.clone();
    if !label.is_empty() && label != said.message {
        message += &format!("\n{label}");
    }
    said.notes.iter().for_each(|note| message += &format!("\nnote: {note}"));
    said.help.iter().for_each(|help| message += &format!("\nhelp: {help}"));
    lsp::Diagnostic {
        range: text.range(span),
        severity: Some(match said.severity {
            Severity::Error => lsp::DiagnosticSeverity::Error,
            Severity::Warning => lsp::DiagnosticSeverity::Warning,
        }),
        code: Some(said.code.number().to_string().into()),
        source: Some("agon".into()),
        message: message.into(),
        related_information: Some(
            said.secondary.iter().map(|(span, label)| related(text, uri, *span, label.clone())).collect(),
        ),
        ..lsp::Diagnostic::default()
    }
}

/// A place of a module: in the document, or in another file.
fn located(document: &Document, uri: &lsp::Uri, session: &ModuleSession, span: Span) -> lsp::Location {
    let file = session.source.file(span.start);
    if file.name == session.source.name {
        return lsp::Location { uri: uri.clone(), range: document.text.range(span) };
    }
    let here = Span { start: span.start - file.start, end: span.end.saturating_sub(file.start) };
    let path =
        std::path::absolute(file.name).map_or_else(|_| file.name.into(), |path| path.display().to_string());
    lsp::Location { uri: report::uri(&path).as_str().into(), range: Text::new(file.text.into()).range(here) }
}

/// The place of a verdict in the document: at its start, if the module fails in another file.
fn range(document: &Document, session: &ModuleSession, span: Span) -> lsp::Range {
    match session.source.file(span.start).name == session.source.name {
        true => document.text.range(span),
        false => document.text.range(Span::default()),
    }
}

fn related(text: &Text, uri: &lsp::Uri, span: Span, message: String) -> lsp::DiagnosticRelatedInformation {
    let location = lsp::Location { uri: uri.clone(), range: text.range(span) };
    lsp::DiagnosticRelatedInformation { location, message }
}

/// The diagnostic of an UNSAFE verdict: its play, move by move.
pub fn verdict(
    document: &Document,
    uri: &lsp::Uri,
    session: &Session,
    question: &Question,
    report: &Report,
) -> Option<lsp::Diagnostic> {
    let Verdict::Unsafe(play, Evidence { closed, failure }) = &report.verdict else { return None };
    let body = session.document.program.tree.span(session.document.program.body);
    let last = play.spans.iter().rev().copied().flatten().next();
    let failed = failure.as_ref().map(|failure| cause::span(session, failure));
    let place = failed.or(last).unwrap_or(body);
    let mut message = format!("UNSAFE  {}", headline(session, question, report));
    if let Some(failure) = failure {
        message += &format!("\n{}", cause::words(session, failure));
    }
    if let Some(closed) = closed {
        let environment: Vec<_> =
            closed.text[..closed.term].lines().filter(|line| !line.starts_with("//")).collect();
        message += &format!("\n\n{}", environment.join("\n"));
    }
    Some(lsp::Diagnostic {
        range: document.text.range(place),
        severity: Some(lsp::DiagnosticSeverity::Error),
        source: Some("agon check".into()),
        message: message.trim_end().to_string().into(),
        related_information: Some(moves(document, uri, session, play)),
        ..lsp::Diagnostic::default()
    })
}

/// The diagnostic of an UNSAFE verdict about a module: its play, move by move.
pub fn module_verdict(
    document: &Document,
    uri: &lsp::Uri,
    session: &ModuleSession,
    headline: &str,
    checked: &Checked,
) -> Option<lsp::Diagnostic> {
    if let Some(Threaded { report, .. }) = &checked.threaded {
        let Verdict::Unsafe(replayed, closed) = &report.verdict else { return None };
        let failure = replayed.failure.as_ref()?;
        let mut message = format!("UNSAFE  {headline}\n{}", module::cause(session, failure, &replayed.seen));
        if let Some(closed) = closed {
            message += &format!("\n\n{}", module::environment(closed));
        }
        return Some(lsp::Diagnostic {
            range: range(document, session, failure.check.span),
            severity: Some(lsp::DiagnosticSeverity::Error),
            source: Some("agon check".into()),
            message: message.trim_end().to_string().into(),
            ..lsp::Diagnostic::default()
        });
    }
    let library::Verdict::Unsafe(play, evidence) = &checked.sequential.verdict else { return None };
    let start = session.items();
    let failed = evidence.failure.as_ref().map(|failure| failure.check.span);
    let last = evidence.marks.iter().rev().find_map(|mark| mark.place);
    let place = failed.or(last).unwrap_or(start);
    let mut message = format!("UNSAFE  {headline}");
    if let Some(failure) = &evidence.failure {
        message += &format!("\n{}", module::cause(session, failure, &evidence.seen));
    }
    message += &format!("\n\n{}", module::environment(&evidence.closed));
    let one = |(n, (step, mark)): (usize, (Step, &Mark))| {
        let said = format!("{}. {:?} {}: {}", n + 1, step.player, step.made, step.reading);
        let location = located(document, uri, session, mark.place.unwrap_or(start));
        lsp::DiagnosticRelatedInformation { location, message: said }
    };
    let steps = module::steps(session, play, &evidence.marks).into_iter().zip(&evidence.marks);
    Some(lsp::Diagnostic {
        range: range(document, session, place),
        severity: Some(lsp::DiagnosticSeverity::Error),
        source: Some("agon check".into()),
        message: message.trim_end().to_string().into(),
        related_information: Some(steps.enumerate().take(MOST_MOVES).map(one).collect()),
        ..lsp::Diagnostic::default()
    })
}

/// The moves of a play, each at its place in the text.
fn moves(
    document: &Document,
    uri: &lsp::Uri,
    session: &Session,
    play: &Play,
) -> Vec<lsp::DiagnosticRelatedInformation> {
    let body = session.document.program.tree.span(session.document.program.body);
    let one = |(n, m)| {
        let said = format!(
            "{}. {:?} {}: {}",
            n + 1,
            player(&session.arena, &m),
            session.arena.show_threaded(&m),
            words(session, play, n)
        );
        related(&document.text, uri, play.spans[n].unwrap_or(body), said)
    };
    play.threaded().enumerate().take(MOST_MOVES).map(one).collect()
}
