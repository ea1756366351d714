//! Places in a text as editors count them: lines from 0, and columns in units of UTF-16.

use agon_base::id::number;
use agon_base::source::Span;
use gen_lsp_types::{Position, Range};

/// A text with the places of its lines.
pub struct Text {
    /// The text.
    pub text: String,
    /// Where each line starts.
    starts: Vec<usize>,
}

impl Text {
    /// Finds the lines of a text.
    pub fn new(text: String) -> Text {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Text { text, starts }
    }

    /// The byte at a position, or the nearest one, if there is no such position.
    pub fn offset(&self, position: Position) -> u32 {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line).copied() else { return number(self.text.len()) };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let mut units = 0;
        let mut offset = start;
        for c in self.text[start..end].chars() {
            if units >= position.character as usize || c == '\n' || c == '\r' {
                break;
            }
            units += c.len_utf16();
            offset += c.len_utf8();
        }
        number(offset)
    }

    /// The position of a byte.
    pub fn position(&self, offset: u32) -> Position {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let units: usize = self.text[self.starts[line]..offset].chars().map(char::len_utf16).sum();
        Position { line: number(line), character: number(units) }
    }

    /// The range of a span.
    pub fn range(&self, span: Span) -> Range {
        Range { start: self.position(span.start), end: self.position(span.end) }
    }

    /// The range of the whole text.
    pub fn whole(&self) -> Range {
        self.range(Span::new(0, self.text.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_units_of_utf16() {
        let text = Text::new("a ⊢ 𝔸b\nsecond\r\nthird".into());
        for (offset, line, character) in [(0, 0, 0), (2, 0, 2), (6, 0, 4), (10, 0, 6), (12, 1, 0), (20, 2, 0)]
        {
            let position = Position { line, character };
            assert_eq!(text.position(offset), position);
            assert_eq!(text.offset(position), offset);
        }
        assert_eq!(text.offset(Position { line: 1, character: 99 }), 18, "the end of the line");
        assert_eq!(text.offset(Position { line: 9, character: 0 }), 25, "the end of the text");
    }
}
