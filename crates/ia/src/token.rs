//! Tokens: the words of the language.
#![allow(missing_docs, reason = "the variants are the words themselves")]

use logos::Logos;

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::source::Span;

/// A kind of word. The text of names and numbers is looked up in the source by span.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n\f\u{feff}]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
pub enum Token {
    #[regex(r"[A-Za-z_][A-Za-z0-9_']*")]
    Name,
    #[regex(r"[0-9]+")]
    Number,
    /// Consumed by hand, so that an unclosed one can be told from a closed one.
    #[token("/*")]
    Comment,

    #[token("const")]
    Const,
    #[token("sequential")]
    Sequential,
    #[token("concurrent")]
    Concurrent,
    #[token("com")]
    Com,
    #[token("exp")]
    Exp,
    #[token("var")]
    Var,
    #[token("sem")]
    Sem,
    #[token("bool")]
    Bool,
    #[token("int")]
    Int,
    #[token("nat")]
    Nat,
    #[regex("[iu](8|16|32|64)", priority = 20)]
    Machine,
    #[token("if")]
    If,
    #[token("then")]
    Then,
    #[token("else")]
    Else,
    #[token("while")]
    While,
    #[token("do")]
    Do,
    #[token("new")]
    New,
    #[token("in")]
    In,
    #[token("let")]
    Let,
    #[token("fun")]
    Fun,
    #[token("par")]
    Par,
    #[token("break")]
    Break,
    #[token("cont")]
    Cont,
    #[token("goto")]
    Goto,
    #[token("letp")]
    Letp,
    #[token("newp")]
    Newp,
    #[token("endp")]
    Endp,
    #[token("skip")]
    Skip,
    #[token("abort")]
    Abort,
    #[token("diverge")]
    Diverge,
    #[token("true")]
    True,
    #[token("false")]
    False,
    #[token("assert")]
    Assert,
    #[token("grab")]
    Grab,
    #[token("release")]
    Release,
    #[token("not")]
    Not,
    #[token("and")]
    And,
    #[token("or")]
    Or,
    #[token("mod")]
    Mod,

    #[token("|-")]
    #[token("⊢")]
    Turnstile,
    #[token("->")]
    #[token("→")]
    Arrow,
    #[token(":=")]
    Assign,
    #[token("||")]
    Parallel,
    #[token("==")]
    #[token("=")]
    Equal,
    #[token("<>")]
    #[token("!=")]
    NotEqual,
    #[token("<=")]
    LessEqual,
    #[token(">=")]
    GreaterEqual,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token("..")]
    DotDot,
    #[token(".")]
    Dot,
    #[token(":")]
    Colon,
    #[token(";")]
    Semicolon,
    #[token(",")]
    Comma,
    #[token("(")]
    LeftParen,
    #[token(")")]
    RightParen,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("$")]
    Dollar,
    #[token("&")]
    Ampersand,
    #[token("|")]
    Bar,
    #[token("!")]
    Bang,

    /// The end of the text.
    End,
}

/// A text in which names are written otherwise.
pub fn renamed(text: &str, names: &[(String, String)]) -> String {
    if names.is_empty() {
        return text.into();
    }
    let mut written = String::new();
    let mut copied = 0;
    for (token, span) in tokenize(text, &mut Vec::new()) {
        let word = text.get(span.range()).unwrap_or_default();
        if let (Token::Name, Some((_, new))) = (token, names.iter().find(|(old, _)| old == word)) {
            written += &text[copied..span.start as usize];
            written += new;
            copied = span.end as usize;
        }
    }
    written + &text[copied..]
}

impl Token {
    /// How the token is called in a message.
    pub fn describe(self) -> &'static str {
        use Token::*;
        match self {
            Name => "a name",
            Number => "a number",
            Comment => "a comment",
            Const => "`const`",
            Sequential => "`sequential`",
            Concurrent => "`concurrent`",
            Com => "`com`",
            Exp => "`exp`",
            Var => "`var`",
            Sem => "`sem`",
            Bool => "`bool`",
            Int => "`int`",
            Nat => "`nat`",
            Machine => "a machine integer type",
            If => "`if`",
            Then => "`then`",
            Else => "`else`",
            While => "`while`",
            Do => "`do`",
            New => "`new`",
            In => "`in`",
            Let => "`let`",
            Fun => "`fun`",
            Par => "`par`",
            Break => "`break`",
            Cont => "`cont`",
            Goto => "`goto`",
            Letp => "`letp`",
            Newp => "`newp`",
            Endp => "`endp`",
            Skip => "`skip`",
            Abort => "`abort`",
            Diverge => "`diverge`",
            True => "`true`",
            False => "`false`",
            Assert => "`assert`",
            Grab => "`grab`",
            Release => "`release`",
            Not => "`not`",
            And => "`and`",
            Or => "`or`",
            Mod => "`mod`",
            Turnstile => "`|-`",
            Arrow => "`->`",
            Assign => "`:=`",
            Parallel => "`||`",
            Equal => "`=`",
            NotEqual => "`<>`",
            LessEqual => "`<=`",
            GreaterEqual => "`>=`",
            Less => "`<`",
            Greater => "`>`",
            DotDot => "`..`",
            Dot => "`.`",
            Colon => "`:`",
            Semicolon => "`;`",
            Comma => "`,`",
            LeftParen => "`(`",
            RightParen => "`)`",
            LeftBracket => "`[`",
            RightBracket => "`]`",
            LeftBrace => "`{`",
            RightBrace => "`}`",
            Plus => "`+`",
            Minus => "`-`",
            Star => "`*`",
            Slash => "`/`",
            Percent => "`%`",
            Dollar => "`$`",
            Ampersand => "`&`",
            Bar => "`|`",
            Bang => "`!`",
            End => "the end of the program",
        }
    }
}

/// Whether a word is one of the language's own, and so is no name.
pub fn is_keyword(word: &str) -> bool {
    let mut tokens = Token::lexer(word);
    let first = tokens.next();
    tokens.next().is_none()
        && word.starts_with(|c: char| c.is_ascii_alphabetic())
        && first.is_some_and(|token| token.is_ok_and(|token| token != Token::Name))
}

/// The text with what cannot be seen written out.
fn visible(text: &str) -> String {
    let invisible = |c: char| c.is_control() || (c.is_whitespace() && c != ' ');
    let show = |c: char| if invisible(c) { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(show).collect()
}

/// Splits a text into tokens; what is no word of the language becomes a diagnostic and is passed over.
/// The last token is always [`Token::End`].
pub fn tokenize(text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<(Token, Span)> {
    let mut tokens = Vec::new();
    let mut lexer = Token::lexer(text);
    // Neighbouring characters that no token begins with are one mistake, not many.
    let mut junk: Option<Span> = None;
    let mut flush = |junk: &mut Option<Span>| {
        if let Some(span) = junk.take() {
            let shown: String = text[span.range()].chars().take(12).collect();
            let mut diagnostic = Diagnostic::error(
                Code::UnknownCharacter,
                format!("`{}` is not part of the language", visible(&shown)),
                span,
                "not a word or a symbol of the language",
            );
            let hints = [
                ("#", "comments start with `//` or stand between `/*` and `*/`"),
                ("≠", "unequal is written `<>` or `!=`"),
                ("≤", "write `<=`"),
                ("≥", "write `>=`"),
                ("←", "assignment is written `:=`"),
                ("λ", "a procedure is written `fun x : type . term`"),
                ("∧", "write `and`, or `&` to evaluate both sides"),
                ("∨", "write `or`, or `|` to evaluate both sides"),
                ("¬", "write `not`"),
                ("~", "write `not`"),
                ("\"", "there are no strings; data are numbers and truth values"),
                ("'", "there are no characters; a name starts with a letter"),
            ];
            let hint = hints.iter().find(|(sign, _)| shown.starts_with(sign));
            diagnostic.help = hint.map(|(_, help)| (*help).to_string());
            diagnostics.push(diagnostic);
        }
    };
    let mut unclosed = None;
    while let Some(token) = lexer.next() {
        let range = lexer.span();
        let span = Span::new(range.start, range.end);
        match token {
            Ok(Token::Comment) => match lexer.remainder().find("*/") {
                Some(end) => lexer.bump(end + 2),
                None => {
                    unclosed = Some(span);
                    lexer.bump(lexer.remainder().len());
                }
            },
            Ok(token) => {
                flush(&mut junk);
                tokens.push((token, span));
            }
            // A string is one mistake.
            Err(()) if lexer.slice() == "\"" => {
                flush(&mut junk);
                let line = lexer.remainder().split('\n').next().unwrap_or("");
                if let Some(end) = line.find('"') {
                    lexer.bump(end + 1);
                }
                junk = Some(Span::new(range.start, lexer.span().end));
                flush(&mut junk);
            }
            Err(()) => match &mut junk {
                Some(before) if before.end == span.start => before.end = span.end,
                _ => {
                    flush(&mut junk);
                    junk = Some(span);
                }
            },
        }
    }
    flush(&mut junk);
    if let Some(span) = unclosed {
        diagnostics.push(
            Diagnostic::error(
                Code::UnclosedComment,
                "this comment is never closed",
                span,
                "the comment starts here",
            )
            .help("close it with `*/`"),
        );
    }
    tokens.push((Token::End, Span::new(text.len(), text.len())));
    tokens
}
