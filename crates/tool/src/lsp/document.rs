//! An open document: its text, what can be read off it, and the last verdict about it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agon_base::diagnostic::Diagnostic;
use agon_base::int::Int;
use agon_base::source::Source;
use agon_games::machine::compile_any;
use agon_ia::names::{Names, names};
use agon_ia::parse::parse;
use agon_ia::tree::Program;
use gen_lsp_types as lsp;

use super::text::Text;
use crate::render::answer;
use crate::session::Session;

/// A document.
pub struct Document {
    /// Its text.
    pub text: Text,
    /// As the client counts.
    pub version: i32,
    /// Its tree, whatever is wrong with it.
    pub program: Program,
    /// Its names.
    pub names: Names,
    /// The program, if nothing is wrong with it.
    pub session: Option<Arc<Session>>,
    /// What is to be said about it.
    pub diagnostics: Vec<Diagnostic>,
    /// What was last found out about this text.
    pub verdict: Option<Found>,
    /// Set to stop what is being found out.
    running: Option<Arc<AtomicBool>>,
}

/// What was found out.
pub struct Found {
    /// In a word, for the lens.
    pub word: String,
    /// As it is told in the text.
    pub diagnostic: Option<lsp::Diagnostic>,
}

impl Document {
    /// Reads a document.
    pub fn read(name: &str, text: String, version: i32, define: &[(String, Int)]) -> Document {
        let source = Source::new(name, text.clone());
        let (program, _) = parse(&text);
        let known = |(name, _): &(String, Int)| {
            program.constants.iter().any(|constant| *constant.ident.name == **name)
        };
        let overrides = define.iter().filter(|pair| known(pair)).cloned().collect();
        let (session, diagnostics) = match Session::open(source, overrides) {
            Err((_, diagnostics)) => (None, diagnostics),
            Ok(session) => {
                let mut diagnostics = session.warnings.clone();
                if let Err(refusal) = compile_any(&session.judgement, &session.arena) {
                    diagnostics.extend(answer::blamed(&refusal.into()));
                }
                (Some(Arc::new(session)), diagnostics)
            }
        };
        let names = names(&program);
        let text = Text::new(text);
        Document { text, version, program, names, session, diagnostics, verdict: None, running: None }
    }

    /// Something is to be found out about it: a flag that stops it. What was being found out before is stopped.
    pub fn begin(&mut self) -> Arc<AtomicBool> {
        self.stop();
        self.running.insert(Arc::default()).clone()
    }

    /// Stops what is being found out.
    pub fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for Document {
    fn drop(&mut self) {
        self.stop();
    }
}
