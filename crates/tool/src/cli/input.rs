//! Reading programs from files or from standard input.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use agon_base::diagnostic::{self, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Source;
use agon_check::verdict::Reason;
use agon_games::machine::Code;

use super::output::remark;
use super::{Common, Format, Status};
use crate::render::{answer, diagnostics, json};
use crate::session::{Opened, Session};
use crate::shape;
use crate::shape::diagnostic::Diagnostics;

/// The longest program, in bytes.
const LONGEST: usize = 1 << 30;

/// Reads, parses and types a program or a module. Where that fails, prints the diagnostics and returns them as data.
pub(super) fn open_any(path: &Path, common: &Common, format: Format) -> Result<Opened, Diagnostics> {
    opened_any(read_or_tell(path, format)?, common.define.clone(), common, format)
}

/// Reads, parses and types a program. A module is an error.
pub(super) fn open(path: &Path, common: &Common, format: Format) -> Option<Session> {
    opened(read_or_tell(path, format).ok()?, common.define.clone(), common, format)
}

/// Parses and types a program that has been read.
pub(super) fn opened(
    source: Source,
    overrides: Vec<(String, Int)>,
    common: &Common,
    format: Format,
) -> Option<Session> {
    let term = opened_any(source, overrides, common, format).ok()?.term();
    term.map_err(|(source, list)| print_diagnostics(&source, &list, format)).ok()
}

fn opened_any(
    source: Source,
    overrides: Vec<(String, Int)>,
    common: &Common,
    format: Format,
) -> Result<Opened, Diagnostics> {
    match Opened::open(source, overrides) {
        Ok(opened) => {
            if !opened.warnings().is_empty() && !common.quiet {
                remark(&diagnostics::render(opened.source(), opened.warnings()));
            }
            Ok(opened)
        }
        Err((source, list)) => Err(print_diagnostics(&source, &list, format)),
    }
}

/// Compiles a program for the machine; prints why, if that fails.
pub(super) fn compiled(session: &Session) -> Result<Arc<Code>, Status> {
    session.code().map_err(|refusal| {
        let reason = Reason::from(refusal);
        if let Some(diagnostic) = answer::blamed(&reason) {
            print_diagnostics(&session.source, &[diagnostic], Format::Text);
        }
        Status::Undecided
    })
}

/// Prints diagnostics, and returns them as data.
pub(super) fn print_diagnostics(source: &Source, list: &[Diagnostic], format: Format) -> Diagnostics {
    let data = json::diagnostics(source, list);
    match format {
        Format::Text => remark(&diagnostics::render(source, list)),
        Format::Json => remark(&shape::line(&data)),
    }
    data
}

/// Reads the text of a program; prints why, if that fails.
pub(super) fn read_or_tell(path: &Path, format: Format) -> Result<Source, Diagnostics> {
    read(path).map_err(|(source, diagnostic)| print_diagnostics(&source, &[diagnostic], format))
}

fn read(path: &Path) -> Result<Source, (Source, Diagnostic)> {
    let stdin = path.as_os_str() == "-";
    let name = if stdin { "<stdin>".into() } else { path.display().to_string() };
    let mut bytes = Vec::new();
    let limit = LONGEST as u64 + 1;
    let result = if stdin {
        std::io::stdin().take(limit).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    let nothing = Source::new(name.clone(), "");
    if let Err(error) = result {
        let diagnostic =
            Diagnostic::general(diagnostic::Code::Unreadable, format!("`{name}` cannot be read: {error}"));
        return Err((nothing, diagnostic));
    }
    if bytes.len() > LONGEST {
        let diagnostic =
            Diagnostic::general(diagnostic::Code::Unreadable, format!("`{name}` is longer than 1 GiB"));
        return Err((nothing, diagnostic));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(name, text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let diagnostic = Diagnostic::general(
                diagnostic::Code::NotText,
                format!("`{name}` is not a text: byte {at} is not UTF-8"),
            )
            .help("programs are written in UTF-8");
            Err((nothing, diagnostic))
        }
    }
}
