//! Words of C, as far as places and depths are found by them: names and numbers, literals, and single signs.

/// The words of a text, each with where it begins and ends. Comments are left out.
pub fn words(text: &str) -> Words<'_> {
    Words { text, at: 0 }
}

/// The words of a text.
#[derive(Clone, Debug)]
pub struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl Words<'_> {
    fn starts(&self, with: &str) -> bool {
        self.text[self.at..].starts_with(with)
    }

    /// Goes past what a rule holds for.
    fn skip(&mut self, rule: impl Fn(char) -> bool) {
        let rest = &self.text[self.at..];
        self.at += rest.find(|c| !rule(c)).unwrap_or(rest.len());
    }

    /// Goes past the next place of a text, or to the end.
    fn past(&mut self, end: &str) {
        let rest = &self.text[self.at..];
        self.at += rest.find(end).map_or(rest.len(), |found| found + end.len());
    }

    /// Goes past a literal that a quote has begun, which ends at the same quote or at the end of the line.
    fn literal(&mut self, quote: char) {
        let mut escaped = false;
        for (n, c) in self.text[self.at..].char_indices().skip(1) {
            match c {
                '\n' => {
                    self.at += n;
                    return;
                }
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                c if c == quote => {
                    self.at += n + 1;
                    return;
                }
                _ => {}
            }
        }
        self.at = self.text.len();
    }
}

impl Iterator for Words<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        loop {
            self.skip(char::is_whitespace);
            if self.starts("/*") {
                self.at += 2;
                self.past("*/");
            } else if self.starts("//") {
                self.past("\n");
            } else {
                break;
            }
        }
        let start = self.at;
        let first = self.text[start..].chars().next()?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        match first {
            '"' | '\'' => self.literal(first),
            c if is_word(c) => self.skip(is_word),
            c => self.at += c.len_utf8(),
        }
        Some((start, self.at))
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_leave_comments_out() {
        let text = "a[i] += \"x\\\"y\" /* no */ + 0x1f; // end\n'\\'' é \"open";
        let found: Vec<&str> = words(text).map(|(start, end)| &text[start..end]).collect();
        let wanted = ["a", "[", "i", "]", "+", "=", "\"x\\\"y\"", "+", "0x1f", ";", "'\\''", "é", "\"open"];
        assert_eq!(found, wanted);
    }
}
