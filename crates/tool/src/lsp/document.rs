//! An open document: its text, its parsed and typed forms, and the last verdict about it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agon_base::budget::Budget;
use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::{Source, Span};
use agon_ia::names::{Names, names};
use agon_ia::parse::parse;
use agon_ia::tree::Program;
use gen_lsp_types as lsp;

use super::text::Text;
use crate::cli::c_settings;
use crate::render::answer;
use crate::session::module::ModuleSession;
use crate::session::{Opened, Session};

/// How long a C file may be preprocessed while it is typed.
const PATIENCE: Duration = Duration::from_secs(10);

/// A document.
pub struct Document {
    /// Its text.
    pub text: Text,
    /// The version number of the client.
    pub version: i32,
    /// Whether it is written in C. Then it has no tree and no names.
    pub is_c: bool,
    /// Its syntax tree, also if it has errors.
    pub program: Program,
    /// Its names.
    pub names: Names,
    /// The typed program or module, if it has no errors.
    pub session: Option<Arc<Opened>>,
    /// Its diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// The last verdict about this text.
    pub verdict: Option<Outcome>,
    /// The flag that stops the current run.
    running: Option<Arc<AtomicBool>>,
}

/// The outcome of a check.
pub struct Outcome {
    /// The verdict in a word, for the code lens.
    pub word: String,
    /// The verdict as a diagnostic in the text.
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
        let (session, diagnostics) = match Opened::open(source, overrides) {
            Err((_, diagnostics)) => (None, diagnostics),
            Ok(session) => {
                let mut diagnostics = session.warnings().to_vec();
                if let Opened::Term(term) = &session
                    && let Err(refusal) = term.code()
                {
                    diagnostics.extend(answer::blamed(&refusal.into()));
                }
                (Some(Arc::new(session)), diagnostics)
            }
        };
        let names = names(&program);
        let text = Text::new(text);
        Document {
            is_c: false,
            text,
            version,
            program,
            names,
            session,
            diagnostics,
            verdict: None,
            running: None,
        }
    }

    /// Reads a C file. What a C compiler would say is left to the server for C that runs beside this one.
    pub fn read_c(path: &Path, text: String, version: i32) -> Document {
        let source = Source::new(path.display().to_string(), text.clone());
        let opened = match c_settings(path) {
            Ok(settings) => {
                let budget = Budget { deadline: Some(Instant::now() + PATIENCE), ..Budget::default() };
                Opened::open_c(&[source], &settings, &budget)
            }
            Err(why) => Err((source, vec![Diagnostic::general(Code::NoPreprocessor, why)])),
        };
        let (session, diagnostics) = match opened {
            Err((source, diagnostics)) => {
                let own = |diagnostic: &Diagnostic| {
                    let here = |(span, _): &(Span, String)| *source.file(span.start).name == *source.name;
                    !is_said_by_compilers(diagnostic.code) && diagnostic.primary.as_ref().is_some_and(here)
                };
                (None, diagnostics.into_iter().filter(own).collect())
            }
            Ok(session) => (Some(Arc::new(session)), Vec::new()),
        };
        let (program, _) = parse("");
        let (text, names) = (Text::new(text), names(&program));
        Document {
            is_c: true,
            text,
            version,
            program,
            names,
            session,
            diagnostics,
            verdict: None,
            running: None,
        }
    }

    /// The typed program, if it is a term without errors.
    pub fn term(&self) -> Option<&Session> {
        match self.session.as_deref() {
            Some(Opened::Term(session)) => Some(session),
            _ => None,
        }
    }

    /// The typed module, if it is one without errors.
    pub fn module(&self) -> Option<&ModuleSession> {
        match self.session.as_deref() {
            Some(Opened::Module(session)) => Some(session),
            _ => None,
        }
    }

    /// Begins a run: stops the one before, and returns a flag that stops the new one.
    pub fn begin(&mut self) -> Arc<AtomicBool> {
        self.stop();
        self.running.insert(Arc::default()).clone()
    }

    /// Stops the current run.
    pub fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.store(true, Ordering::Relaxed);
        }
    }
}

/// Whether any C compiler says the same.
fn is_said_by_compilers(code: Code) -> bool {
    matches!(
        code,
        Code::CSyntax | Code::NoPreprocessor | Code::CType | Code::CName | Code::CLinkage | Code::CConstant
    )
}

impl Drop for Document {
    fn drop(&mut self) {
        self.stop();
    }
}
