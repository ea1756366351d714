//! The standard layout of a text: as the printer writes it, with the comments back in their places.

use std::collections::BTreeMap;

use agon_base::diagnostic::Diagnostic;
use agon_base::source::Span;

use crate::parse::parse;
use crate::print::print;
use crate::token::{Token, tokenize};

/// A text in the standard layout. Nothing is given for a text with syntax errors, nor where a comment would get lost.
pub fn layout(text: &str) -> Option<String> {
    let (program, diagnostics) = parse(text);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return None;
    }
    let printed = print(&program);
    let comments = comments(text);
    let laid_out = match comments.is_empty() {
        true => printed.clone(),
        false => put_back(text, &comments, &printed)?,
    };
    // Nobody's program is changed by mistake.
    let (again, diagnostics) = parse(&laid_out);
    let words = |text: &str, list: &[Span]| -> Vec<String> {
        list.iter().map(|span| text[range(*span)].trim_end().to_string()).collect()
    };
    let same = diagnostics.is_empty()
        && print(&again) == printed
        && words(&laid_out, &self::comments(&laid_out)) == words(text, &comments);
    same.then_some(laid_out)
}

fn range(span: Span) -> std::ops::Range<usize> {
    span.range()
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
    above: Vec<&'a str>,
    behind: Option<&'a str>,
}

fn put_back(text: &str, comments: &[Span], printed: &str) -> Option<String> {
    let (before, after) = (landmarks(text), landmarks(printed));
    let words = |list: &[(&str, Span)]| list.iter().map(|(word, _)| word.to_string()).collect::<Vec<_>>();
    if words(&before) != words(&after) {
        return None;
    }
    let lines: Vec<&str> = printed.lines().collect();
    let starts: Vec<usize> =
        std::iter::once(0).chain(printed.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let line = |word: &Span| starts.partition_point(|start| *start <= word.start as usize) - 1;
    let mut beside: BTreeMap<usize, Beside<'_>> = BTreeMap::new();
    for span in comments {
        let comment = text[range(*span)].trim_end();
        let next = before.partition_point(|(_, word)| word.start < span.start);
        let starts_line =
            text[..span.start as usize].rsplit('\n').next().is_none_or(|rest| rest.trim().is_empty());
        let behind = next.checked_sub(1).filter(|_| !starts_line).map(|last| line(&after[last].1));
        let above = after.get(next).map_or(lines.len(), |(_, word)| line(word));
        match behind {
            // Behind a line there is room for one; and order is kept.
            Some(at) if beside.range(at..).all(|(n, there)| *n == at && there.behind.is_none()) => {
                beside.entry(at).or_default().behind = Some(comment);
            }
            // Above a line with a word in it, so that the next time it stands there again.
            _ => {
                let last =
                    beside.last_key_value().map_or(0, |(n, there)| n + usize::from(there.behind.is_some()));
                let first = starts.get(above.max(last)).copied().unwrap_or(printed.len());
                let room = after.get(after.partition_point(|(_, word)| (word.start as usize) < first));
                let room = room.map(|(_, word)| line(word));
                beside.entry(room.unwrap_or(lines.len())).or_default().above.push(comment);
            }
        }
    }
    let mut out = String::new();
    for n in 0..=lines.len() {
        let content = lines.get(n).copied();
        let there = beside.remove(&n).unwrap_or_default();
        let indent: String = content.unwrap_or("").chars().take_while(|c| *c == ' ').collect();
        for comment in there.above {
            out += &format!("{indent}{comment}\n");
        }
        if let Some(content) = content {
            out += content;
            if let Some(comment) = there.behind {
                out += &format!("  {comment}");
            }
            out.push('\n');
        }
    }
    Some(out)
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
