//! The parser: recursive descent over tokens, which never fails; it gives a tree and diagnostics.

mod foreign;
mod items;
mod terms;
#[cfg(test)]
mod tests;
mod types;

use std::collections::HashMap;
use std::sync::Arc;

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::source::Span;
use agon_core::term::Mode;

use crate::token::{Token, tokenize};
use crate::tree::{Binding, Constant, Ident, Node, NodeId, Program, Tree};

/// How deeply terms and types may be nested.
pub const DEEPEST: usize = 20_000;

/// How many arguments a procedure may have.
pub const MOST_ARGUMENTS: usize = 1_000;

/// The parser gives up after this many syntax errors.
const ENOUGH_ERRORS: usize = 20;

/// Reads a program. What cannot be read has a diagnostic and is left out of the tree.
pub fn parse(text: &str) -> (Program, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let tokens = tokenize(text, &mut diagnostics);
    let empty = tokens.len() == 1 && diagnostics.is_empty();
    let mut parser = Parser {
        text,
        tokens,
        at: 0,
        depth: 0,
        type_depth: 0,
        quiet_until: 0,
        declared: HashMap::new(),
        in_module: false,
        tree: Tree::default(),
        diagnostics,
    };
    if empty {
        parser.diagnostics.push(
            Diagnostic::general(Code::EmptyProgram, "there is no program here")
                .help("a program is a term in a context, such as `f : com -> com |- f(skip)`"),
        );
    }
    let program = if empty {
        let body = parser.tree.add(Node::Missing, Span::default());
        Program { constants: vec![], mode: None, context: vec![], body, module: None, tree: Tree::default() }
    } else {
        parser.program()
    };
    let Parser { tree, mut diagnostics, .. } = parser;
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary.as_ref().map_or(0, |(span, _)| span.start));
    (Program { tree, ..program }, diagnostics)
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: usize,
    type_depth: usize,
    /// Errors before this token are consequences of one already told.
    quiet_until: usize,
    /// Which words of other languages the program may declare as names.
    declared: HashMap<&'static str, bool>,
    /// Whether `module` was read: there, calls may have no arguments, and functions have names.
    in_module: bool,
    tree: Tree,
    diagnostics: Vec<Diagnostic>,
}

impl Parser<'_> {
    fn peek(&self) -> Token {
        self.tokens[self.at].0
    }

    fn peek_after(&self, n: usize) -> Token {
        self.tokens.get(self.at + n).map_or(Token::End, |(token, _)| *token)
    }

    /// The token just read.
    fn before(&self) -> Option<Token> {
        self.at.checked_sub(1).map(|at| self.tokens[at].0)
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// The span from a token up to the one just read.
    fn span_from(&self, start: Span) -> Span {
        match self.at.checked_sub(1) {
            Some(last) if self.tokens[last].1.end >= start.end => start.to(self.tokens[last].1),
            _ => start,
        }
    }

    fn bump(&mut self) -> Span {
        let span = self.span();
        if self.peek() != Token::End {
            self.at += 1;
        }
        span
    }

    fn eat(&mut self, token: Token) -> bool {
        let found = self.peek() == token;
        if found {
            self.bump();
        }
        found
    }

    /// Reads a token that must be there; a missing one is reported once and costs nothing.
    fn expect(&mut self, token: Token, why: &str) -> bool {
        let found = self.eat(token);
        if !found {
            let space = if why.is_empty() { "" } else { " " };
            self.unexpected(&format!("expected {}{space}{why}", token.describe()));
        }
        found
    }

    /// Reads a token that closes what was opened at a place.
    fn expect_close(&mut self, open: Span, close: Token, why: &str) {
        if self.peek() != close && self.at >= self.quiet_until {
            self.expect(close, why);
            if let Some(diagnostic) = self.diagnostics.last_mut() {
                diagnostic.secondary.push((open, "opened here".into()));
            }
            return;
        }
        self.eat(close);
    }

    fn unexpected(&mut self, expected: &str) {
        self.unexpected_with(expected, None);
    }

    fn unexpected_with(&mut self, expected: &str, help: Option<&str>) {
        if self.at < self.quiet_until {
            return;
        }
        self.quiet_until = self.at + 1;
        let span = self.span();
        // What stands before it is no word of the language, and that was told.
        let before = self.at.checked_sub(1).map_or(0, |at| self.tokens[at].1.end);
        let junk = |told: &Diagnostic| {
            let at = told.primary.as_ref().map(|(at, _)| *at);
            told.code == Code::UnknownCharacter
                && at.is_some_and(|at| before <= at.start && at.end <= span.start)
        };
        if self.diagnostics.iter().any(junk) {
            return;
        }
        let found = match self.peek() {
            Token::Name | Token::Number | Token::Machine => {
                let text: String = self.text[span.range()].chars().take(40).collect();
                format!("`{text}`")
            }
            token => token.describe().to_string(),
        };
        let mut diagnostic =
            Diagnostic::error(Code::UnexpectedToken, format!("{expected}, found {found}"), span, expected);
        diagnostic.help = help.map(str::to_string);
        self.diagnostics.push(diagnostic);
        if self.diagnostics.len() >= ENOUGH_ERRORS {
            self.give_up();
        }
    }

    /// Reads nothing more.
    fn give_up(&mut self) {
        self.at = self.tokens.len() - 1;
        self.quiet_until = usize::MAX;
    }

    /// Runs a rule one level deeper, on a stack that grows; past [`DEEPEST`] it reads nothing more.
    fn deeper<T>(&mut self, rule: impl FnOnce(&mut Self) -> T, too_deep: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= DEEPEST {
            if self.quiet_until != usize::MAX {
                let span = self.span();
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::TooDeep,
                        format!("this is nested more than {DEEPEST} levels deep"),
                        span,
                        "too deep from here on",
                    )
                    .help("name inner parts with `let`"),
                );
            }
            self.give_up();
            return too_deep(self);
        }
        self.depth += 1;
        let result = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || rule(self));
        self.depth -= 1;
        result
    }

    /// Tells that there are too many arguments; they are then passed over.
    fn too_many(&mut self, count: usize) -> bool {
        if count == MOST_ARGUMENTS {
            let span = self.span();
            let message = format!("a procedure has at most {MOST_ARGUMENTS} arguments");
            self.diagnostics.push(Diagnostic::error(Code::TooDeep, message, span, "one too many"));
            self.give_up();
        }
        count >= MOST_ARGUMENTS
    }

    fn missing(&mut self) -> NodeId {
        let span = self.span();
        self.tree.add(Node::Missing, span)
    }

    fn ident(&mut self, why: &str) -> Ident {
        let span = self.span();
        if self.peek() == Token::Name {
            self.bump();
            return Ident { name: Arc::from(&self.text[span.range()]), span };
        }
        let help = (self.peek() != Token::End && !self.peek().describe().starts_with("a "))
            .then(|| format!("{} is a word of the language and cannot be a name", self.peek().describe()))
            .filter(|_| self.text[span.range()].starts_with(char::is_alphabetic));
        self.unexpected_with(&format!("expected a name {why}"), help.as_deref());
        if help.is_some() {
            self.bump();
        }
        Ident { name: Arc::from("?"), span }
    }

    fn program(&mut self) -> Program {
        let mut constants = Vec::new();
        while self.eat(Token::Const) {
            let ident = self.ident("for the constant");
            self.expect(Token::Equal, "after the constant's name");
            let value = self.constant();
            self.expect(Token::Semicolon, "after a constant");
            constants.push(Constant { ident, value });
        }
        let mode = match self.peek() {
            Token::Sequential => Some((Mode::Sequential, self.bump())),
            Token::Concurrent => Some((Mode::Concurrent, self.bump())),
            _ => None,
        };
        if self.at_module(&constants) {
            let module = Some(self.items());
            let body = self.missing();
            return Program { constants, mode, context: vec![], body, module, tree: Tree::default() };
        }
        let context = self.context(&constants);
        let body = self.term();
        if self.peek() != Token::End {
            self.leftover();
        }
        Program { constants, mode, context, body, module: None, tree: Tree::default() }
    }

    /// Tells what stands behind the program, and reads on behind it to find more mistakes.
    fn leftover(&mut self) {
        while self.peek() != Token::End {
            let help = match self.peek() {
                Token::RightParen | Token::RightBrace | Token::RightBracket => Some("nothing is open here"),
                Token::Turnstile => Some("a context is written `name : type, … |-` in front of the term"),
                _ => None,
            };
            self.unexpected_with("expected `;` or the end of the program", help);
            self.bump();
            if !matches!(self.peek(), Token::End) {
                let before = self.at;
                self.term();
                if self.at == before {
                    self.bump();
                }
            }
        }
    }

    /// Whether a binding `name : …` or `name(…) : …` starts here, or one whose type was forgotten: a program that
    /// starts with a name that is no constant means nothing else.
    fn at_binding(&self, constants: &[Constant]) -> bool {
        if self.peek() != Token::Name {
            return false;
        }
        let span = self.span();
        let name = &self.text[span.range()];
        let unknown = || constants.iter().all(|constant| *constant.ident.name != *name);
        let ends = |token: Token| matches!(token, Token::Comma | Token::Turnstile) && unknown();
        match self.peek_after(1) {
            Token::Colon => true,
            token if ends(token) => true,
            Token::LeftParen if self.starts_type(2) => true,
            Token::LeftParen => {
                let mut open = 0usize;
                let mut n = 1;
                loop {
                    match self.peek_after(n) {
                        Token::LeftParen => open += 1,
                        Token::RightParen => {
                            open -= 1;
                            if open == 0 {
                                let after = self.peek_after(n + 1);
                                return after == Token::Colon || ends(after);
                            }
                        }
                        Token::End => return false,
                        _ => {}
                    }
                    n += 1;
                }
            }
            _ => false,
        }
    }

    /// Whether a type stands this many tokens further on, and nothing else can.
    fn starts_type(&self, n: usize) -> bool {
        let token = self.peek_after(n);
        matches!(token, Token::Com | Token::Exp | Token::Var) || types::starts_data(token)
    }

    fn context(&mut self, constants: &[Constant]) -> Vec<Binding> {
        let mut context = Vec::new();
        if self.eat(Token::Turnstile) {
            return context;
        }
        if !self.at_binding(constants) {
            return context;
        }
        loop {
            let before = self.at;
            context.push(self.binding());
            if self.eat(Token::Comma) {
                continue;
            }
            if self.eat(Token::Turnstile) {
                return context;
            }
            self.unexpected("expected `,` or `|-` after a free identifier");
            // The comma may be what is missing.
            if !(self.at_binding(constants) && self.at > before) {
                break;
            }
        }
        // Read on behind the turnstile, if there is one before the next statement.
        let turnstile = self.tokens[self.at..].iter().position(|(token, _)| *token == Token::Turnstile);
        if let Some(n) = turnstile {
            self.at += n + 1;
        }
        context
    }
}
