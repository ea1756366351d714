//! Diagnostics as text.

use agon_base::diagnostic::{Diagnostic, Severity};
use agon_base::source::{File, Source, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// The longest line that is shown. The place of a longer one is given by line and column only.
const LONGEST_LINE: usize = 2_000;

/// Renders diagnostics about a source text.
pub fn render(source: &Source, diagnostics: &[Diagnostic]) -> String {
    let renderer = Renderer::styled();
    let mut text = String::new();
    for diagnostic in diagnostics {
        text.push_str(&renderer.render(&[group(source, diagnostic)]));
        text.push('\n');
    }
    text
}

fn group<'a>(source: &'a Source, diagnostic: &'a Diagnostic) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code.number());
    let showable =
        diagnostic.primary.iter().chain(&diagnostic.secondary).all(|(span, _)| fits(source, *span));
    let mut group = match &diagnostic.primary {
        Some((span, label)) if showable => {
            let file = source.file(span.start);
            let here = |span: Span| source.file(span.start) == file;
            let mut snippet = snippet(file)
                .annotation(AnnotationKind::Primary.span(range(file, *span)).label(label.as_str()));
            let (near, far): (Vec<_>, Vec<_>) =
                diagnostic.secondary.iter().partition(|(span, _)| here(*span));
            for (span, label) in near {
                snippet = snippet
                    .annotation(AnnotationKind::Context.span(range(file, *span)).label(label.as_str()));
            }
            let mut group = title.element(snippet);
            for (span, label) in far {
                let file = source.file(span.start);
                let annotation = AnnotationKind::Context.span(range(file, *span)).label(label.as_str());
                group = group.element(self::snippet(file).annotation(annotation));
            }
            group
        }
        Some((span, _)) => {
            let (file, line, column) = source.place(span.start);
            title.element(Level::NOTE.message(format!("at {file}:{line}:{column}")))
        }
        None if diagnostic.message.contains(&source.name) => Group::with_title(title),
        None => title.element(Level::NOTE.message(format!("in {}", source.name))),
    };
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    group
}

/// Whether the lines of a span are short enough to be shown.
fn fits(source: &Source, span: Span) -> bool {
    let text = source.text.as_bytes();
    let (start, end) = ((span.start as usize).min(text.len()), (span.end as usize).min(text.len()));
    let line_start = text[..start].iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    let line_end = text[end..].iter().position(|b| *b == b'\n').map_or(text.len(), |at| end + at);
    line_end - line_start <= LONGEST_LINE
}

fn snippet(file: File<'_>) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
    Snippet::source(file.text).path(file.name)
}

/// A span as the renderer wants it: on character boundaries, within the text of its file.
fn range(file: File<'_>, span: Span) -> std::ops::Range<usize> {
    let len = file.text.len();
    let within = |offset: u32| (offset.saturating_sub(file.start) as usize).min(len);
    let mut start = within(span.start);
    let mut end = within(span.end).max(start);
    while !file.text.is_char_boundary(start) {
        start -= 1;
    }
    while !file.text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}
