//! Reading: from a text to a typed term or to a module, or to what is wrong with it.

use std::collections::HashSet;

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::{Span, line_column};
use agon_core::environment::Environment;
use agon_core::language::{Closed, Language};
use agon_core::module::Module;
use agon_core::term::{Judgement, Name};

use crate::elaborate::{elaborate, module};
use crate::parse::parse;
use crate::token::{Token, tokenize};
use crate::tree::Program;
use crate::{annotate, environment};

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
        self.text.get(span.start as usize..span.end as usize)
    }

    fn line(&self, offset: u32) -> usize {
        line_column(&self.text, offset).0
    }

    fn names(&self) -> HashSet<Name> {
        let text = &self.text;
        let tokens = tokenize(text, &mut Vec::new()).into_iter();
        let names = tokens.filter(|(token, _)| *token == Token::Name);
        names.map(|(_, span)| Name::from(&text[span.start as usize..span.end as usize])).collect()
    }

    fn close(&self, environment: &Environment) -> Closed {
        environment::close(self, environment)
    }

    fn annotate(&self, scopes: &[(String, Span)]) -> Option<String> {
        annotate::annotate(self, scopes)
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

/// Reads a module, with other values for some of its constants. Nothing if the text is no module, but a term.
pub fn read_module(
    text: &str,
    overrides: &[(String, Int)],
) -> Option<Result<ModuleReading, Vec<Diagnostic>>> {
    let (program, diagnostics) = parse(text);
    program.module.as_ref()?;
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Some(Err(diagnostics));
    }
    Some(match module(&program, overrides) {
        (Some(module), warnings) => {
            let document = Document { text: text.to_string(), program, overrides: overrides.to_vec() };
            Ok(ModuleReading { document, module, warnings })
        }
        (None, diagnostics) => Err(diagnostics),
    })
}

/// Reads a term in context, with other values for some of its constants.
pub fn read(text: &str, overrides: &[(String, Int)]) -> Result<Reading, Vec<Diagnostic>> {
    let (program, diagnostics) = parse(text);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    if let Some(items) = &program.module {
        let (module, mut diagnostics) = module(&program, overrides);
        if module.is_some() {
            let message = "this is a module, and no engine of this version can run modules";
            diagnostics.push(Diagnostic::error(Code::NoEngine, message, items.span, "a module"));
        }
        return Err(diagnostics);
    }
    match elaborate(&program, overrides) {
        (Some(judgement), warnings) => {
            let document = Document { text: text.to_string(), program, overrides: overrides.to_vec() };
            Ok(Reading { document, judgement, warnings })
        }
        (None, diagnostics) => Err(diagnostics),
    }
}
