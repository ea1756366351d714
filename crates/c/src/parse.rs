//! Parsing: lang-c, with a limit for how deep a text is nested.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::source::Span;
use lang_c::ast::TranslationUnit;
use lang_c::driver::{Config, parse_preprocessed};

use crate::token::words;

/// Brackets are nested at most this deep.
const MOST_BRACKETS: usize = 256;
/// At most this many words follow each other without `;`, `,` or a brace.
const MOST_WORDS: usize = 10_000;
/// A function has at most this many of the words that nest what follows them.
const MOST_BRANCHES: usize = 4_000;

/// The stack on which texts within these limits are parsed, translated and forgotten.
pub const STACK: usize = 512 << 20;

/// Parses a preprocessed text. `place` maps a part of it to a span.
pub fn parse(text: &str, place: impl Fn(usize, usize) -> Span) -> Result<TranslationUnit, Diagnostic> {
    if let Some((start, end)) = too_deep(text) {
        let message = "the text is nested too deep, or an expression is too long";
        let diagnostic =
            Diagnostic::error(Code::TooDeep, message, place(start, end), "too deep from here on");
        return Err(diagnostic.help("make functions or statements of its parts"));
    }
    if let Some((start, end)) = attribute_before_tag(text) {
        let message = "an attribute between `struct`, `union` or `enum` and what is declared is not read";
        let diagnostic = Diagnostic::error(Code::NotInC, message, place(start, end), "an attribute");
        return Err(diagnostic.help("write it behind the closing brace"));
    }
    let error = match parse_preprocessed(&Config::with_gcc(), text.to_string()) {
        Ok(parsed) => return Ok(parsed.unit),
        Err(error) => error,
    };
    let mut at = error.offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let next = words(&text[at..]).next().map(|(start, end)| (at + start, at + end));
    let (start, end) = next.or_else(|| words(text).last()).unwrap_or((0, 0));
    let found = match next {
        Some((start, end)) => format!("`{}`", &text[start..end]),
        None => "the end of the file".into(),
    };
    let message = format!("{found} does not fit here");
    let diagnostic = Diagnostic::error(Code::CSyntax, message, place(start, end), "not expected here");
    Err(diagnostic.help("the file is read as C11 with GNU extensions, but without `a ?: b`, computed `goto` and a `;` between functions"))
}

/// An attribute that stands where the parser takes it for something else.
fn attribute_before_tag(text: &str) -> Option<(usize, usize)> {
    let mut before = "";
    words(text).find(|(start, end)| {
        let word = &text[*start..*end];
        let last = std::mem::replace(&mut before, word);
        matches!(last, "struct" | "union" | "enum") && word.starts_with("__attribute")
    })
}

/// The first word at which a text is nested too deep for the parser.
fn too_deep(text: &str) -> Option<(usize, usize)> {
    let (mut brackets, mut braces, mut run, mut branches) = (0usize, 0usize, 0, 0);
    for (start, end) in words(text) {
        run += 1;
        match &text[start..end] {
            "(" | "[" => brackets += 1,
            ")" | "]" => brackets = brackets.saturating_sub(1),
            "{" => {
                braces += 1;
                run = 0;
            }
            "}" => {
                braces = braces.saturating_sub(1);
                run = 0;
                if braces == 0 {
                    branches = 0;
                }
            }
            ";" => (run, brackets) = (0, if braces == 0 { 0 } else { brackets }),
            "," => run = 0,
            "else" | "?" => branches += 1,
            _ => {}
        }
        if brackets + braces > MOST_BRACKETS || run > MOST_WORDS || branches > MOST_BRANCHES {
            return Some((start, end));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Option<Code> {
        let parsed = stacker::grow(STACK, || parse(text, Span::new).map(drop));
        parsed.err().map(|diagnostic| diagnostic.code)
    }

    #[test]
    fn what_is_nested_too_deep_is_refused_and_no_more() {
        let nested = |before: &str, n: usize, after: &str| {
            format!("int f(void) {{ return {}1{}; }}", before.repeat(n), after.repeat(n))
        };
        assert_eq!(code(&nested("(", 200, ")")), None);
        assert_eq!(code(&nested("(", 300, ")")), Some(Code::TooDeep));
        assert_eq!(code(&nested("(", 1_000_000, "")), Some(Code::TooDeep));
        assert_eq!(code(&nested("- ", 9_000, "")), None);
        assert_eq!(code(&nested("- ", 20_000, "")), Some(Code::TooDeep));
        assert_eq!(code(&nested("1 + ", 4_000, "")), None);
        let branches = "if (f()) g(); else ".repeat(3_000);
        assert_eq!(code(&format!("void f(void) {{ {branches} g(); }}")), None);
        let branches = "if (f()) g(); else ".repeat(30_000);
        assert_eq!(code(&format!("void f(void) {{ {branches} g(); }}")), Some(Code::TooDeep));
    }

    #[test]
    fn a_syntax_error_has_a_place() {
        let text = "int f(void) { return 1 +; }";
        let diagnostic = parse(text, Span::new).expect_err("it is wrong");
        assert_eq!(diagnostic.code, Code::CSyntax);
        let (span, _) = diagnostic.primary.expect("it has a place");
        assert_eq!(&text[span.start as usize..span.end as usize], ";");
        assert_eq!(code("int f(void) {"), Some(Code::CSyntax));
    }
}
