//! Source texts, and places in them.

/// A program's text with the name it goes by in messages.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file's name, or `<stdin>`.
    pub name: String,
    /// The text.
    pub text: String,
}

impl Source {
    /// A text with a name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source { name: name.into(), text: text.into() }
    }

    /// The line and column, both from 1, of a byte offset; columns count characters.
    pub fn line_column(&self, offset: u32) -> (usize, usize) {
        line_column(&self.text, offset)
    }

    /// The text in a span, on one line, cut to a length that fits a message.
    pub fn excerpt(&self, span: Span) -> String {
        excerpt(&self.text, span)
    }
}

/// The line and column, both from 1, of a byte offset; columns count characters.
pub fn line_column(text: &str, offset: u32) -> (usize, usize) {
    let offset = (offset as usize).min(text.len());
    let before = &text.as_bytes()[..offset];
    let line = before.iter().filter(|b| **b == b'\n').count() + 1;
    let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
    (line, column)
}

/// The text in a span, on one line, cut to a length that fits a message.
pub fn excerpt(text: &str, span: Span) -> String {
    on_one_line(text.get(span.start as usize..span.end as usize).unwrap_or(""))
}

/// A text on one line, cut to a length that fits a message.
pub fn on_one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(48) {
        Some((cut, _)) => format!("{} …", &line[..cut]),
        None => line,
    }
}

/// A range of bytes in a source text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to `end`.
    pub fn new(start: usize, end: usize) -> Span {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span { start: clamp(start), end: clamp(end) }
    }

    /// The least span that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}
