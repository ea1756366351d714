//! Reading: from a text to a typed term or to a module, or to what is wrong with it.

use std::collections::HashSet;

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::{Span, line_column};
use agon_core::environment::Environment;
use agon_core::language::{Closed, Language, ModuleLanguage, TermLanguage};
use agon_core::module::Module;
use agon_core::module::environment::{Environment as Client, threads};
use agon_core::term::{Judgement, Name};

use crate::elaborate::{elaborate, module};
use crate::parse::parse;
use crate::token::{Token, tokenize};
use crate::tree::Program;
use crate::{annotate, client, environment};

/// A program as it was written.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its text.
    pub text: String,
    /// Its tree.
    pub program: Program,
    /// Constants given from outside.
    pub overrides: Vec<(String, Int)>,
}

impl Language for Document {
    fn text(&self, span: Span) -> Option<&str> {
        self.text.get(span.range())
    }

    fn line(&self, offset: u32) -> usize {
        line_column(&self.text, offset).0
    }

    fn names(&self) -> HashSet<Name> {
        let text = &self.text;
        let tokens = tokenize(text, &mut Vec::new()).into_iter();
        let names = tokens.filter(|(token, _)| *token == Token::Name);
        names.map(|(_, span)| Name::from(&text[span.range()])).collect()
    }
}

impl TermLanguage for Document {
    fn close(&self, environment: &Environment) -> Closed {
        environment::close(self, environment)
    }

    fn annotate(&self, scopes: &[(String, Span)]) -> Option<String> {
        annotate::annotate(self, scopes)
    }
}

impl ModuleLanguage for Document {
    fn close_module(&self, module: &Module, environment: &Client) -> Closed {
        client::close(self, module, environment)
    }

    fn close_with_threads(&self, module: &Module, environment: &threads::Environment) -> Option<Closed> {
        Some(client::close_with_threads(self, module, environment))
    }
}

/// A text that is a program.
#[derive(Clone, Debug)]
pub struct Reading {
    /// What was written.
    pub document: Document,
    /// What it means.
    pub judgement: Judgement,
    /// What the reader may want to know.
    pub warnings: Vec<Diagnostic>,
}

/// A text that is a module.
#[derive(Clone, Debug)]
pub struct ModuleReading {
    /// What was written.
    pub document: Document,
    /// What it means.
    pub module: Module,
    /// What the reader may want to know.
    pub warnings: Vec<Diagnostic>,
}

/// A text that can be read: a term in context, or a module.
#[derive(Clone, Debug)]
pub enum Read {
    /// A term in context.
    Term(Box<Reading>),
    /// A module.
    Module(Box<ModuleReading>),
}

/// Reads a term in context or a module, with other values for some of its constants.
pub fn read_any(text: &str, overrides: &[(String, Int)]) -> Result<Read, Vec<Diagnostic>> {
    let (program, diagnostics) = parse(text);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    let document = |program| Document { text: text.to_string(), program, overrides: overrides.to_vec() };
    if program.module.is_some() {
        return match module(&program, overrides) {
            (Some(module), warnings) => {
                Ok(Read::Module(Box::new(ModuleReading { document: document(program), module, warnings })))
            }
            (None, diagnostics) => Err(diagnostics),
        };
    }
    match elaborate(&program, overrides) {
        (Some(judgement), warnings) => {
            Ok(Read::Term(Box::new(Reading { document: document(program), judgement, warnings })))
        }
        (None, diagnostics) => Err(diagnostics),
    }
}

/// Reads a module. Nothing if the text is a term.
pub fn read_module(
    text: &str,
    overrides: &[(String, Int)],
) -> Option<Result<ModuleReading, Vec<Diagnostic>>> {
    match read_any(text, overrides) {
        Ok(Read::Module(reading)) => Some(Ok(*reading)),
        Ok(Read::Term(_)) => None,
        Err(diagnostics) => parse(text).0.module.map(|_| Err(diagnostics)),
    }
}

/// Reads a term in context.
pub fn read(text: &str, overrides: &[(String, Int)]) -> Result<Reading, Vec<Diagnostic>> {
    match read_any(text, overrides)? {
        Read::Term(reading) => Ok(*reading),
        Read::Module(reading) => Err(vec![is_no_term(reading.document.items())]),
    }
}

impl Document {
    /// The place of a module's items.
    pub fn items(&self) -> Span {
        self.program.module.as_ref().map_or(Span::default(), |items| items.span)
    }
}

/// What is said of a module where a term is needed.
pub fn is_no_term(items: Span) -> Diagnostic {
    Diagnostic::error(
        Code::NoEngine,
        "this is a module, and what is asked for needs a term",
        items,
        "a module",
    )
    .help("`agon check`, `equiv`, `model`, `play`, `print` and `listing` take modules")
}
