//! Reading: from a text to a typed term, or to what is wrong with it.

use agon_base::diagnostic::Diagnostic;
use agon_base::int::Int;
use agon_core::term::Judgement;

use crate::elaborate::elaborate;
use crate::parse::parse;
use crate::tree::Program;

/// A text that is a program.
#[derive(Clone, Debug)]
pub struct Reading {
    /// What was written.
    pub program: Program,
    /// What it means.
    pub judgement: Judgement,
    /// What the reader may want to know.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a program, with other values for some of its constants.
pub fn read(text: &str, overrides: &[(String, Int)]) -> Result<Reading, Vec<Diagnostic>> {
    let (program, diagnostics) = parse(text);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    match elaborate(&program, overrides) {
        (Some(judgement), warnings) => Ok(Reading { program, judgement, warnings }),
        (None, diagnostics) => Err(diagnostics),
    }
}
