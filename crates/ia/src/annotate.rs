//! A program with the scopes of its predicates written into it.

use agon_base::source::Span;

use crate::print::print;
use crate::read::{Document, read};

/// The program with predicates in their scopes, as `letp` says it; scopes that overlap are said with `newp` and `endp`.
pub(crate) fn annotate(document: &Document, scopes: &[(String, Span)]) -> Option<String> {
    let source = &document.text;
    let mut spans: Vec<(usize, usize, &str)> =
        scopes.iter().map(|(shown, span)| (span.start as usize, span.end as usize, shown.as_str())).collect();
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
    // What is known only where the variables have other names cannot be written.
    read(&text, &document.overrides).ok().map(|reading| print(&reading.document.program))
}
