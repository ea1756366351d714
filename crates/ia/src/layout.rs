//! The standard layout of a text: as the printer writes it, with comments and blank lines back in their places.

use std::collections::BTreeMap;

use agon_base::diagnostic::Diagnostic;
use agon_base::source::Span;

use crate::parse::parse;
use crate::print::{print, print_around};
use crate::token::{Token, tokenize};

/// How often a text is laid out at most, until that changes nothing.
const ROUNDS: usize = 8;

/// A text in the standard layout. Nothing is given for a text with syntax errors, nor where a comment would get lost.
pub fn layout(text: &str) -> Option<String> {
    let mut laid_out = once(text)?;
    // A comment within a statement moves to where there is room for it, and the statement may then be short enough for one line.
    for _ in 0..ROUNDS {
        let again = once(&laid_out)?;
        if again == laid_out {
            return Some(laid_out);
        }
        laid_out = again;
    }
    None
}

fn once(text: &str) -> Option<String> {
    let (program, diagnostics) = parse(text);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return None;
    }
    let comments = comments(text);
    let laid_out = put_back(text, &comments, &print_around(&program, &within(text, &comments)))?;
    // Nobody's program is changed by mistake.
    let (again, diagnostics) = parse(&laid_out);
    let words = |text: &str, list: &[Span]| -> Vec<String> {
        list.iter().map(|span| text[range(*span)].trim_end().to_string()).collect()
    };
    let same = !diagnostics.iter().any(Diagnostic::is_error)
        && print(&again) == print(&program)
        && words(&laid_out, &self::comments(&laid_out)) == words(text, &comments);
    same.then_some(laid_out)
}

fn range(span: Span) -> std::ops::Range<usize> {
    span.range()
}

/// Where comments count as standing: one behind the first brace of a block, or before the last, stands at the word beside it, and so
/// within the statements of the block.
fn within(text: &str, comments: &[Span]) -> Vec<Span> {
    let tokens = tokens(text);
    let place = |comment: &Span| {
        let next = tokens.partition_point(|(_, span)| span.start < comment.start);
        let (before, after) = (next.checked_sub(1).map(|last| tokens[last]), tokens.get(next).copied());
        match (before, after) {
            (Some((Token::LeftBrace, _)), Some((_, word))) => word,
            (Some((_, word)), Some((Token::RightBrace, _))) => word,
            _ => *comment,
        }
    };
    let mut places: Vec<Span> = comments.iter().map(place).collect();
    places.sort_unstable_by_key(|span| span.start);
    places
}

fn tokens(text: &str) -> Vec<(Token, Span)> {
    let mut tokens = tokenize(text, &mut Vec::new());
    tokens.pop();
    tokens
}

/// The comments of a text, which stand between its tokens.
fn comments(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let tokens = tokens(text);
    let starts = std::iter::once(0).chain(tokens.iter().map(|(_, span)| span.end as usize));
    let ends = tokens.iter().map(|(_, span)| span.start as usize).chain([text.len()]);
    for (start, end) in starts.zip(ends) {
        let mut at = start;
        while let Some(slash) = text[at..end].find('/') {
            let from = at + slash;
            let rest = &text[from..end];
            let length = match rest.as_bytes().get(1) {
                Some(b'/') => rest.find('\n').unwrap_or(rest.len()),
                _ => rest.find("*/").map_or(rest.len(), |close| close + 2),
            };
            found.push(Span::new(from, from + length));
            at = from + length;
        }
    }
    found
}

/// The words that the printer keeps, one by one; it is free in the signs between them and in how types are written.
fn landmarks(text: &str) -> Vec<(&str, Span)> {
    let word = |(token, span): (Token, Span)| {
        let word = &text[range(span)];
        let begins = word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let free = matches!(token, Token::Not | Token::Mod | Token::Exp | Token::Goto);
        let word = if token == Token::Nat { "int" } else { word };
        (begins && !free).then_some((word, span))
    };
    tokens(text).into_iter().filter_map(word).collect()
}

/// What is put around a line of the printed text.
#[derive(Default)]
struct Beside<'a> {
    /// Comments, each with a blank line above it or not.
    above: Vec<(&'a str, bool)>,
    behind: Option<&'a str>,
}

/// A text, and the words and comments in it.
struct Written<'a> {
    text: &'a str,
    words: &'a [(&'a str, Span)],
    comments: &'a [Span],
}

impl Written<'_> {
    /// Whether what starts here begins a line, and there is a blank line between it and what comes before.
    fn is_apart(&self, start: u32) -> bool {
        let line = self.text[..start as usize].rfind('\n').map_or(0, |at| at + 1);
        let word = self.words[..self.words.partition_point(|(_, span)| span.start < start)].last();
        let comment = self.comments[..self.comments.partition_point(|span| span.start < start)].last();
        let before = word.map(|(_, span)| span.end).into_iter().chain(comment.map(|span| span.end)).max();
        let from = before.unwrap_or(0) as usize;
        // The first line of the gap is the rest of another one, and the last is the beginning of this one.
        let gap: Vec<&str> = self.text.get(from..line).unwrap_or_default().split('\n').collect();
        gap.iter().take(gap.len() - 1).skip(1).any(|line| line.trim().is_empty())
    }
}

/// Puts comments and blank lines back, by the words that they stand between.
fn put_back(text: &str, comments: &[Span], printed: &str) -> Option<String> {
    let (before, after) = (landmarks(text), landmarks(printed));
    let words = |list: &[(&str, Span)]| list.iter().map(|(word, _)| word.to_string()).collect::<Vec<_>>();
    if words(&before) != words(&after) {
        return None;
    }
    let written = Written { text, words: &before, comments };
    let lines: Vec<&str> = printed.lines().collect();
    let starts: Vec<usize> =
        std::iter::once(0).chain(printed.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let line = |at: u32| starts.partition_point(|start| *start <= at as usize) - 1;
    let (closing, closing_printed) = (closers(text), closers(printed));
    let mut beside: BTreeMap<usize, Beside<'_>> = BTreeMap::new();
    for span in comments {
        let comment = text[range(*span)].trim_end();
        let next = before.partition_point(|(_, word)| word.start < span.start);
        let starts_line =
            text[..span.start as usize].rsplit('\n').next().is_none_or(|rest| rest.trim().is_empty());
        let last_word = next.checked_sub(1);
        let above = after.get(next).map_or(lines.len(), |(_, word)| line(word.start));
        // The ends of blocks between the word before the comment and the comment, and those behind the same word in the printed text.
        let passed = last_word.map_or(0, |last| between(&closing, before[last].1.end, span.start).len());
        let ends = last_word.map_or(&[][..], |last| {
            let next_word = after.get(next).map_or(u32::MAX, |(_, word)| word.start);
            between(&closing_printed, after[last].1.end, next_word)
        });
        let behind = last_word.filter(|_| !starts_line).map(|last| {
            let end = passed.checked_sub(1).and_then(|last_end| ends.get(last_end));
            line(end.copied().unwrap_or(after[last].1.start))
        });
        // The end of a block that the comment stands in, if that is on a line of its own.
        let still = between(&closing, span.end, before.get(next).map_or(u32::MAX, |(_, word)| word.start));
        let end_of_block = ends
            .get(passed)
            .map(|end| line(*end))
            .filter(|at| starts_line && !still.is_empty() && lines[*at].trim_start().starts_with('}'));
        match (behind, end_of_block) {
            // Behind a line there is room for one; and order is kept.
            (Some(at), _) if beside.range(at..).all(|(n, there)| *n == at && there.behind.is_none()) => {
                beside.entry(at).or_default().behind = Some(comment);
            }
            (_, Some(at)) if beside.range(at + 1..).next().is_none() => {
                beside.entry(at).or_default().above.push((comment, written.is_apart(span.start)));
            }
            // Above a line with a word in it, so that the next time it stands there again.
            _ => {
                let last =
                    beside.last_key_value().map_or(0, |(n, there)| n + usize::from(there.behind.is_some()));
                let first = starts.get(above.max(last)).copied().unwrap_or(printed.len());
                let room = after.get(after.partition_point(|(_, word)| (word.start as usize) < first));
                let room = room.map_or(lines.len(), |(_, word)| line(word.start));
                beside.entry(room).or_default().above.push((comment, written.is_apart(span.start)));
            }
        }
    }
    let mut out = String::new();
    let separate = |out: &mut String, apart: bool| {
        if apart && !out.is_empty() && !out.ends_with("{\n") && !out.ends_with("(\n") {
            out.push('\n');
        }
    };
    let mut words = 0;
    for n in 0..=lines.len() {
        let content = lines.get(n).copied();
        let there = beside.remove(&n).unwrap_or_default();
        let indent = content.map_or(0, |content| content.len() - content.trim_start().len());
        let closes = content.is_some_and(|content| content.trim_start().starts_with('}'));
        let indent = " ".repeat(indent + if closes { 2 } else { 0 });
        for (comment, apart) in there.above {
            separate(&mut out, apart);
            out += &format!("{indent}{comment}\n");
        }
        if let Some(content) = content {
            let end = starts.get(n + 1).copied().unwrap_or(printed.len());
            let first = words;
            while after.get(words).is_some_and(|(_, word)| (word.start as usize) < end) {
                words += 1;
            }
            separate(&mut out, first < words && written.is_apart(before[first].1.start));
            out += content;
            if let Some(comment) = there.behind {
                out += &format!("  {comment}");
            }
            out.push('\n');
        }
    }
    Some(out)
}

/// Where the closing braces of a text stand.
fn closers(text: &str) -> Vec<u32> {
    let closing = tokens(text).into_iter().filter(|(token, _)| *token == Token::RightBrace);
    closing.map(|(_, span)| span.start).collect()
}

/// Those of some places that are between two others.
fn between(places: &[u32], from: u32, to: u32) -> &[u32] {
    let first = places.partition_point(|place| *place < from);
    let last = places.partition_point(|place| *place < to);
    &places[first..last.max(first)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::sequential;
    use agon_base::random::Random;

    #[test]
    fn comments_stay_beside_what_they_speak_of() {
        let text = "// first\nconst   n = 2; // how many\nf : com -> com   // called\n|- /* here */ f (\n// deep\nskip)\n// last";
        assert_eq!(
            layout(text).as_deref(),
            Some(
                "// first\nconst n = 2;  // how many\nf : com -> com |-  // called\n/* here */\n// deep\nf(skip)\n// last\n"
            )
        );
        assert_eq!(layout("f(").as_deref(), None);
        let module =
            "module // a\nimport f( ) :com; export g ( ) : com={f( );f()}// b\n; // c\nlet h()=skip;";
        assert_eq!(
            layout(module).as_deref(),
            Some(
                "module  // a\nimport f() : com;\nexport g() : com = { f(); f() };  // b\n// c\nlet h() = skip;\n"
            )
        );
    }

    #[track_caller]
    fn laid_out(text: &str, wanted: &str) {
        assert_eq!(layout(text).as_deref(), Some(wanted));
    }

    #[test]
    fn comments_stay_in_their_blocks() {
        laid_out(
            "module export f() = {\n// first\nskip; // behind\nskip\n// last\n}; // outside\n",
            "module\nexport f() = {\n  // first\n  skip;  // behind\n  skip\n  // last\n};  // outside\n",
        );
        laid_out(
            "if a then {\n  skip; skip // why\n} else skip",
            "if a then {\n  skip;\n  skip  // why\n}\nelse skip\n",
        );
    }

    #[test]
    fn blank_lines_stay_and_are_single() {
        laid_out(
            "// a\n\n\nconst n = 1;\n\nmodule\n\n// b\nint x;\nexport f() = {\n\n  skip;\n\n  skip; skip; skip; skip; skip; skip; skip; skip; skip; skip; skip; skip; skip; skip; skip; skip; skip; skip; skip; skip; skip; skip; skip; skip; skip\n\n};\n\n",
            &format!(
                "// a\n\nconst n = 1;\n\nmodule\n\n// b\nint x;\nexport f() = {{\n  skip;\n\n{}  skip\n}};\n",
                "  skip;\n".repeat(24)
            ),
        );
    }

    #[test]
    fn branches_and_bodies_hang() {
        let long = "something_with_a_long_name(1, 2, 3)";
        laid_out(
            &format!(
                "let f = if a then {long} else if b then {long} else {long} in while a do if b then {{ {long}; {long}; {long} }}"
            ),
            &format!(
                "let f =\n  if a then {long}\n  else if b then {long}\n  else {long} in\nwhile a do\n  if b then {{\n    {long};\n    {long};\n    {long}\n  }}\n"
            ),
        );
        laid_out(
            &format!(
                "f : com,g(com, int) : com |- assert({long} = 1 and {long} = 2 and {long} = 3); f({{skip; {long}}}, {long}, {long})"
            ),
            &format!(
                "f : com, g(com, int) : com |-\nassert({long} = 1\n  and {long} = 2\n  and {long} = 3);\nf(\n  {{ skip; {long} }},\n  {long},\n  {long}\n)\n"
            ),
        );
    }

    /// Wherever comments stand, none gets lost, and a second time changes nothing.
    #[test]
    fn no_comment_gets_lost() {
        let mut kept = 0;
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let mut text = String::new();
            for line in sequential(seed, 20).lines() {
                for word in line.split(' ') {
                    if random.one_in(9) {
                        text += if random.one_in(2) { "/* a */ " } else { "\n// b\n" };
                    }
                    text += word;
                    text.push(' ');
                }
                text += if random.one_in(3) { "// c\n" } else { "\n" };
            }
            let Some(once) = layout(&text) else { continue };
            assert_eq!(comments(&once).len(), comments(&text).len());
            assert_eq!(layout(&once).as_deref(), Some(once.as_str()), "of\n{text}");
            kept += 1;
        }
        assert!(kept > 250, "{kept}");
    }
}
