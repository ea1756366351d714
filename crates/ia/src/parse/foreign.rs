//! Words of other languages, and what is written here instead.

use super::Parser;
use crate::token::Token;
use crate::tree::{DataKind, Node, NodeId, TypeKind};

/// What a word of another language is taken for, after it was told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meant {
    Integer,
    Truth,
    Command,
    Byte,
    Word,
    Statement,
}

/// The words, what they are taken for, and what to write.
const WORDS: &[(&str, Meant, &str)] = &[
    ("Int", Meant::Integer, "case counts: the type of all integers is `int`"),
    ("Integer", Meant::Integer, "the type of all integers is `int`"),
    ("integer", Meant::Integer, "the type of all integers is `int`"),
    (
        "unsigned",
        Meant::Word,
        "unsigned integers are `u8`, `u16`, `u32` and `u64`, or `int%k` with the values 0 … k-1",
    ),
    ("signed", Meant::Word, "machine integers are `i8`, `i16`, `i32` and `i64`"),
    ("long", Meant::Word, "machine integers are `i8`, `i16`, `i32` and `i64`"),
    ("short", Meant::Word, "machine integers are `i8`, `i16`, `i32` and `i64`"),
    ("char", Meant::Byte, "there are no characters; a byte is `u8`"),
    ("byte", Meant::Byte, "a byte is `u8`"),
    ("float", Meant::Integer, "there are no fractions; the type of all integers is `int`"),
    ("double", Meant::Integer, "there are no fractions; the type of all integers is `int`"),
    ("Bool", Meant::Truth, "case counts: write `bool`"),
    ("boolean", Meant::Truth, "write `bool`"),
    ("Boolean", Meant::Truth, "write `bool`"),
    ("void", Meant::Command, "what gives no value is a command, of type `com`"),
    ("unit", Meant::Command, "what gives no value is a command, of type `com`"),
    ("Com", Meant::Command, "case counts: write `com`"),
    (
        "for",
        Meant::Statement,
        "a loop is written `while condition do statement`; `par i := 1..3 do statement` runs copies side by side",
    ),
    ("return", Meant::Statement, "a procedure gives what its last term gives: `{ …; x }`"),
    ("function", Meant::Statement, "a procedure is written `let f(x : int) = … in …`"),
    ("def", Meant::Statement, "a procedure is written `let f(x : int) = … in …`"),
];

impl Parser<'_> {
    /// The next word, if it is one of another language and nothing in the program is called so.
    pub(super) fn foreign(&mut self) -> Option<(Meant, &'static str)> {
        if self.peek() != Token::Name {
            return None;
        }
        let span = self.span();
        let word = &self.text[span.range()];
        let (word, meant, help) = *WORDS.iter().find(|(known, ..)| *known == word)?;
        let declared = match self.declared.get(word) {
            Some(declared) => *declared,
            None => {
                let declared = self.declares(word);
                self.declared.insert(word, declared);
                declared
            }
        };
        (!declared).then_some((meant, help))
    }

    /// Whether the program may declare a name, as far as words can tell.
    fn declares(&self, name: &str) -> bool {
        let is_name = |at: usize| {
            let (token, span) = self.tokens[at];
            token == Token::Name && &self.text[span.range()] == name
        };
        (0..self.tokens.len()).filter(|at| is_name(*at)).any(|at| {
            let before = at.checked_sub(1).map(|at| self.tokens[at].0);
            let declares = matches!(
                before,
                Some(
                    Token::Let
                        | Token::Const
                        | Token::Par
                        | Token::Fun
                        | Token::Comma
                        | Token::Sem
                        | Token::Bool
                        | Token::Int
                        | Token::Machine
                        | Token::Number
                        | Token::RightParen
                )
            );
            let after = self.tokens.get(at + 1).map(|(token, _)| *token);
            // `f(com) : com`, at the start of a context.
            let first = at <= 1 && after == Some(Token::LeftParen);
            declares || first || after == Some(Token::Colon)
        })
    }

    /// Whether a declaration starts here with a type of another language: `Int x := 1;`.
    pub(super) fn declares_foreign(&mut self) -> bool {
        let named = matches!(self.peek_after(1), Token::Name | Token::Int | Token::Machine);
        named && self.foreign().is_some_and(|(meant, _)| meant != Meant::Statement)
    }

    /// Reads a data type of another language, and tells so.
    pub(super) fn foreign_data(&mut self, help: &str, meant: Meant) -> DataKind {
        self.unexpected_with("expected a data type", Some(help));
        self.bump();
        // `unsigned int`, `long long int`.
        while meant == Meant::Word
            && (matches!(self.peek(), Token::Int | Token::Machine)
                || self.foreign().is_some_and(|(meant, _)| matches!(meant, Meant::Word | Meant::Byte)))
        {
            self.bump();
        }
        match meant {
            Meant::Truth => DataKind::Bool,
            Meant::Byte => DataKind::Machine { signed: false, bits: 8 },
            _ => DataKind::Int,
        }
    }

    /// Reads a type of another language, and tells so.
    pub(super) fn foreign_type(&mut self, help: &str, meant: Meant) -> TypeKind {
        if meant != Meant::Command {
            return TypeKind::Exp(self.data());
        }
        self.unexpected_with("expected a type", Some(help));
        self.bump();
        TypeKind::Com
    }

    /// Tells of a statement of another language, and passes over it.
    pub(super) fn foreign_statement(&mut self, help: &str) -> NodeId {
        self.unexpected_with("expected a statement", Some(help));
        let missing = self.missing();
        let mut open = 0usize;
        loop {
            match self.peek() {
                Token::LeftParen | Token::LeftBrace | Token::LeftBracket => open += 1,
                Token::RightParen | Token::RightBrace | Token::RightBracket if open == 0 => break,
                Token::RightParen | Token::RightBrace | Token::RightBracket => open -= 1,
                Token::Semicolon | Token::Else | Token::In | Token::Parallel if open == 0 => break,
                Token::End => break,
                _ => {}
            }
            self.bump();
        }
        missing
    }

    /// Tells of a number that goes on with letters, such as `0x10`, and passes over it.
    pub(super) fn foreign_number(&mut self) -> NodeId {
        let number = self.span();
        let letters = self.tokens[self.at + 1].1;
        let text = &self.text[number.start as usize..letters.end as usize];
        let radix = |prefix: [&str; 2], radix| {
            let digits = prefix.iter().find_map(|prefix| text.strip_prefix(prefix))?;
            u64::from_str_radix(digits, radix).ok()
        };
        let value = radix(["0x", "0X"], 16).or(radix(["0b", "0B"], 2)).or(radix(["0o", "0O"], 8));
        let help = match value {
            Some(value) => format!("numbers are decimal: write `{value}`"),
            None => "a number is a row of decimal digits; a name starts with a letter".into(),
        };
        // Both words are one mistake.
        self.tokens[self.at].1 = number.to(letters);
        self.unexpected_with("expected a decimal number", Some(&help));
        self.bump();
        self.bump();
        let span = number.to(letters);
        match value {
            Some(value) => self.tree.add(Node::Number(value.into()), span),
            None => self.tree.add(Node::Missing, span),
        }
    }

    /// Whether letters follow a number without a space: in no program does that mean anything.
    pub(super) fn at_foreign_number(&self) -> bool {
        let (token, span) = self.tokens[self.at];
        let after = self.tokens.get(self.at + 1);
        token == Token::Number
            && after.is_some_and(|(token, after)| *token == Token::Name && after.start == span.end)
    }
}
