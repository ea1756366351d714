//! A program with the scopes of its predicates written into it.

use agon_base::diagnostic::Diagnostic;
use agon_ia::elaborate::elaborate;
use agon_ia::parse::parse;
use agon_ia::print::print;
use agon_witness::verify::Subject;

use super::scopes::Extent;

/// The program with predicates in their scopes, as `letp` says it; scopes that overlap are said with `newp` and `endp`.
pub(super) fn annotate(subject: Subject<'_>, scopes: &[(String, Extent)]) -> Option<String> {
    let source = subject.source;
    let mut spans: Vec<(usize, usize, &str)> = scopes
        .iter()
        .map(|(shown, extent)| (extent.span.start as usize, extent.span.end as usize, shown.as_str()))
        .collect();
    // Outer ones first.
    spans.sort_by_key(|(start, end, _)| (*start, std::cmp::Reverse(*end)));
    spans.dedup();
    let overlaps = |n: usize| {
        let (start, end, _) = spans[n];
        spans[..n].iter().any(|(first, last, _)| *first < start && start < *last && *last < end)
    };
    // What is put in: where; ends before beginnings; of several beginnings the outer first, of ends the inner.
    let mut put: Vec<(usize, u8, usize, String)> = Vec::new();
    for (n, (start, end, shown)) in spans.iter().enumerate() {
        let (before, after) = match overlaps(n) {
            true => (format!("newp ({shown}); "), format!("; endp ({shown})")),
            false => (format!("{{ letp ({shown}) in "), " }".into()),
        };
        put.push((*start, 1, n, before));
        put.push((*end, 0, spans.len() - n, after));
    }
    put.sort();
    let mut text = String::new();
    let mut at = 0;
    for (place, _, _, what) in put {
        text += source.get(at..place)?;
        text += &what;
        at = place;
    }
    text += source.get(at..)?;
    let (program, diagnostics) = parse(&text);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return None;
    }
    // What is known only where the variables have other names cannot be written.
    elaborate(&program, subject.overrides).0.map(|_| print(&program))
}
