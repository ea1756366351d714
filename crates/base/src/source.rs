//! Source texts, and places in them.

use std::ops::Range;

/// A program's text with the name it goes by in messages. The text may be that of several files, one after the other.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file's name, or `<stdin>`. Of several files, the name of the first.
    pub name: String,
    /// The text.
    pub text: String,
    /// Where each further file begins, and its name.
    further: Vec<(u32, String)>,
}

/// A file of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct File<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its text.
    pub text: &'a str,
    /// Where it begins in the text of the source.
    pub start: u32,
}

impl Source {
    /// A text with a name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source { name: name.into(), text: text.into(), further: vec![] }
    }

    /// The texts of several files, each with its name. A span is a place in all of them, so it says which file it is in.
    pub fn joined(files: impl IntoIterator<Item = (String, String)>) -> Source {
        let mut files = files.into_iter();
        let (name, text) = files.next().unwrap_or_default();
        let mut source = Source::new(name, text);
        for (name, text) in files {
            // A place behind the last character of a file is not the first one of the next.
            source.text.push('\n');
            source.further.push((Span::new(source.text.len(), 0).start, name));
            source.text.push_str(&text);
        }
        source
    }

    /// The files, in order.
    pub fn files(&self) -> impl Iterator<Item = File<'_>> {
        (0..=self.further.len()).map(|number| self.nth(number))
    }

    /// The file that a byte is in.
    pub fn file(&self, offset: u32) -> File<'_> {
        self.nth(self.further.partition_point(|(start, _)| *start <= offset))
    }

    fn nth(&self, number: usize) -> File<'_> {
        let (start, name) = match number.checked_sub(1) {
            Some(further) => (self.further[further].0, &self.further[further].1),
            None => (0, &self.name),
        };
        let end = self.further.get(number).map_or(self.text.len(), |(next, _)| *next as usize - 1);
        File { name, text: self.text.get(start as usize..end).unwrap_or(""), start }
    }

    /// The line and column, both from 1, of a byte offset in its file; columns count characters.
    pub fn line_column(&self, offset: u32) -> (usize, usize) {
        let file = self.file(offset);
        line_column(file.text, offset - file.start)
    }

    /// The file, line and column of a byte offset.
    pub fn place(&self, offset: u32) -> (&str, usize, usize) {
        let (line, column) = self.line_column(offset);
        (self.file(offset).name, line, column)
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
    on_one_line(text.get(span.range()).unwrap_or(""))
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

    /// The same places, to index a text with.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The least span that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_several_files_says_which_one() {
        let files = [("a.c", "int a;\nint b;"), ("b.c", ""), ("c.c", "int c;\n")];
        let source = Source::joined(files.map(|(name, text)| (name.into(), text.into())));
        let files: Vec<(&str, &str)> = source.files().map(|file| (file.name, file.text)).collect();
        assert_eq!(files, [("a.c", "int a;\nint b;"), ("b.c", ""), ("c.c", "int c;\n")]);
        assert_eq!(source.place(7), ("a.c", 2, 1));
        assert_eq!(source.place(13), ("a.c", 2, 7), "the end of a file is in it");
        assert_eq!(source.place(14), ("b.c", 1, 1));
        assert_eq!(source.place(15), ("c.c", 1, 1));
        assert_eq!(source.place(22), ("c.c", 2, 1));
        assert_eq!(source.place(u32::MAX).0, "c.c");
    }
}
