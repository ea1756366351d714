//! Reading programs from files or from standard input.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agon_base::budget::Budget;
use agon_base::diagnostic::{self, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Source;
use agon_check::verdict::Reason;
use agon_games::machine::Code;
use walkdir::{DirEntry, WalkDir};

use super::output::remark;
use super::{Common, Format, Status};
use crate::c;
use crate::render::{answer, diagnostics, json};
use crate::session::{Opened, Session};
use crate::shape;
use crate::shape::diagnostic::Diagnostics;

/// The longest program, in bytes.
const LONGEST: usize = 1 << 30;

/// How programs are read.
#[derive(Clone, Copy)]
pub(super) struct How<'a> {
    pub(super) common: &'a Common,
    /// How C files are read.
    pub(super) c: &'a c::Settings,
    pub(super) budget: &'a Budget,
    /// The format of errors.
    pub(super) format: Format,
}

/// There is no program: the status, and what is wrong with the text. It was printed.
pub(super) struct NoProgram {
    pub(super) status: Status,
    pub(super) errors: Option<Diagnostics>,
}

impl From<Diagnostics> for NoProgram {
    fn from(errors: Diagnostics) -> NoProgram {
        NoProgram { status: Status::Wrong, errors: Some(errors) }
    }
}

impl From<Status> for NoProgram {
    fn from(status: Status) -> NoProgram {
        NoProgram { status, errors: None }
    }
}

/// The programs among some files: all C files are one, and each other file is one. In the order of their first files.
pub(super) fn programs(files: &[PathBuf]) -> Vec<Vec<PathBuf>> {
    let mut programs: Vec<Vec<PathBuf>> = Vec::new();
    for file in files {
        match programs.iter_mut().find(|program| c::is_c(file) && c::is_c(&program[0])) {
            Some(program) => program.push(file.clone()),
            None => programs.push(vec![file.clone()]),
        }
    }
    programs
}

/// The files among files and folders, and whether each was named itself. Of a folder these are the files with an ending, and those of
/// folders in it, unless they are hidden.
pub(super) fn found(paths: &[PathBuf], endings: &[&str]) -> Result<Vec<(PathBuf, bool)>, String> {
    let hidden =
        |entry: &DirEntry| entry.depth() > 0 && entry.file_name().as_encoded_bytes().starts_with(b".");
    let is_program =
        |path: &Path| path.extension().is_some_and(|end| endings.iter().any(|known| end == *known));
    let mut found: Vec<(PathBuf, bool)> = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push((path.clone(), true));
            continue;
        }
        let walk = WalkDir::new(path).follow_links(true).sort_by_file_name().into_iter();
        for entry in walk.filter_entry(|entry| !hidden(entry)) {
            let entry = entry.map_err(|error| format!("`{}` cannot be read: {error}", path.display()))?;
            if entry.file_type().is_file() && is_program(entry.path()) {
                let path = entry.path().strip_prefix(".").unwrap_or(entry.path());
                found.push((path.to_path_buf(), false));
            }
        }
    }
    if found.is_empty() {
        return Err(format!(
            "there is no file that ends in {}",
            endings.iter().map(|end| format!("`.{end}`")).collect::<Vec<_>>().join(" or ")
        ));
    }
    let mut seen = BTreeSet::new();
    found.retain(|(path, _)| seen.insert(path.clone()));
    Ok(found)
}

/// Reads, parses and types a program or a module, which is one file or several C files. Where that fails, prints why.
pub(super) fn open_any(files: &[PathBuf], how: How<'_>) -> Result<Opened, NoProgram> {
    open_renamed(files, &[], how)
}

/// The same, with other names for some: in a C file these are macros.
pub(super) fn open_renamed(
    files: &[PathBuf],
    names: &[(String, String)],
    how: How<'_>,
) -> Result<Opened, NoProgram> {
    let sources: Vec<Source> =
        files.iter().map(|file| read_or_tell(file, how.format)).collect::<Result<_, Diagnostics>>()?;
    let opened = match &sources[..] {
        [source] if !files.iter().any(|file| c::is_c(file)) => {
            let text = agon_ia::token::renamed(&source.text, names);
            Opened::open(Source::new(source.name.clone(), text), how.common.overrides()?)
        }
        sources => {
            let mut settings = how.c.clone();
            let macros = names.iter().map(|(old, new)| format!("{old}={new}"));
            settings.preprocessing.defined.extend(macros);
            Opened::open_c(sources, &settings, how.budget)
        }
    };
    Ok(warned(opened, how.common, how.format)?)
}

/// Reads, parses and types a program. A module is an error.
pub(super) fn open(path: &Path, common: &Common, format: Format) -> Option<Session> {
    opened(read_or_tell(path, format).ok()?, common.overrides().ok()?, common, format)
}

/// Parses and types a program that has been read.
pub(super) fn opened(
    source: Source,
    overrides: Vec<(String, Int)>,
    common: &Common,
    format: Format,
) -> Option<Session> {
    if c::is_c(Path::new(&source.name)) {
        let diagnostic = Diagnostic::general(
            diagnostic::Code::NoEngine,
            format!("`{}` is a C file, and what is asked for needs a term", source.name),
        )
        .help("`agon check`, `equiv`, `model`, `play` and `listing` take C files");
        print_diagnostics(&source, &[diagnostic], format);
        return None;
    }
    let term = warned(Opened::open(source, overrides), common, format).ok()?.term();
    term.map_err(|(source, list)| print_diagnostics(&source, &list, format)).ok()
}

/// Prints the warnings about a program, or its errors.
fn warned(
    opened: Result<Opened, (Source, Vec<Diagnostic>)>,
    common: &Common,
    format: Format,
) -> Result<Opened, Diagnostics> {
    match opened {
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
