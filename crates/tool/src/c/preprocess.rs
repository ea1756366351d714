//! Preprocessing: the system's C compiler makes one text of a C file and its headers. The headers of the C library are agon's own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use agon_base::budget::Budget;
use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::source::{Source, Span};
use agon_c::headers::HEADERS;
use agon_c::read::Unit;
use agon_c::types::DataModel;
use tempfile::TempDir;

use super::commands;
use crate::run::{Ended, run};

/// How long the preprocessor may take for a file.
const PATIENCE: Duration = Duration::from_secs(60);
/// The folder that agon's own headers seem to be in.
const OWN: &str = "<agon>";
/// The most lines of the preprocessor's messages that are shown.
const MOST: usize = 12;

/// What the preprocessor is given.
#[derive(Clone, Default, Debug)]
pub struct Preprocessing {
    /// Folders of headers.
    pub folders: Vec<PathBuf>,
    /// Macros, as `NAME` or `NAME=TEXT`.
    pub defined: Vec<String>,
    /// Macros that are not defined.
    pub undefined: Vec<String>,
    /// Files that are read first.
    pub first: Vec<PathBuf>,
    /// A `compile_commands.json`, instead of the one that is beside the sources.
    pub commands: Option<PathBuf>,
    /// The files are preprocessed already, whatever they are called.
    pub done: bool,
    /// No file may be included but agon's headers.
    pub alone: bool,
    /// The sizes of types, which some predefined macros tell.
    pub data_model: DataModel,
}

impl Preprocessing {
    /// The options of the compiler for a file: those of its build, then those that were given.
    pub fn options(&self, file: &str) -> Result<Vec<OsString>, String> {
        let build = if self.alone { Vec::new() } else { commands::options(file, self.commands.as_deref())? };
        let mut options: Vec<OsString> = build.into_iter().map(OsString::from).collect();
        options.extend(self.folders.iter().flat_map(|folder| ["-I".into(), folder.clone().into_os_string()]));
        options.extend(self.defined.iter().map(|defined| format!("-D{defined}").into()));
        options.extend(self.undefined.iter().map(|undefined| format!("-U{undefined}").into()));
        options
            .extend(self.first.iter().flat_map(|first| ["-include".into(), first.clone().into_os_string()]));
        Ok(options)
    }
}

/// The text of a file that a preprocessed text names: a header of agon's, or any file if others may be included.
pub fn original(name: &str, alone: bool) -> Option<String> {
    match name.strip_prefix(OWN) {
        Some(header) => {
            let header = header.trim_start_matches('/');
            HEADERS.iter().find(|(known, _)| *known == header).map(|(_, text)| text.to_string())
        }
        None if alone => None,
        None => std::fs::read(name).ok().and_then(|bytes| String::from_utf8(bytes).ok()),
    }
}

/// Preprocesses files, each to a translation unit.
pub fn preprocess(
    files: &[Source],
    given: &Preprocessing,
    budget: &Budget,
) -> Result<Vec<Unit>, (Source, Vec<Diagnostic>)> {
    let is_done = |source: &Source| {
        let named = || Path::new(&source.name).extension().is_some_and(|end| end == "i");
        !given.alone && (given.done || named())
    };
    let headers = match files.iter().find(|source| !is_done(source)) {
        Some(first) => Some(headers().map_err(|error| {
            let message = format!("agon's headers cannot be written to a temporary folder: {error}");
            (first.clone(), vec![Diagnostic::general(Code::NoPreprocessor, message)])
        })?),
        None => None,
    };
    let mut units = Vec::new();
    for source in files {
        let text = match &headers {
            Some(headers) if !is_done(source) => one(source, given, headers.path(), budget)
                .map_err(|diagnostics| (source.clone(), diagnostics))?,
            _ => source.text.clone(),
        };
        units.push(Unit { name: source.name.clone(), text });
    }
    Ok(units)
}

/// Writes agon's headers to a temporary folder, which is removed when it is dropped.
fn headers() -> std::io::Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("agon-headers-").tempdir()?;
    for (name, text) in HEADERS {
        let path = folder.path().join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(folder)
}

/// The compiler: the one that the variable `CC` names, or `cc`.
fn compiler() -> Vec<String> {
    let named =
        std::env::var("CC").ok().and_then(|words| shlex::split(&words)).filter(|words| !words.is_empty());
    named.unwrap_or_else(|| vec!["cc".into()])
}

/// Preprocesses one file.
fn one(
    source: &Source,
    given: &Preprocessing,
    headers: &Path,
    budget: &Budget,
) -> Result<String, Vec<Diagnostic>> {
    let compiler = compiler();
    let wrong = |message: String| Diagnostic::general(Code::NoPreprocessor, message);
    let mut command = Command::new(&compiler[0]);
    command.args(&compiler[1..]).args(["-E", "-nostdinc", "-isystem"]).arg(headers);
    if given.data_model == DataModel::Ilp32 {
        command.arg("-m32");
    }
    command.args(given.options(&source.name).map_err(|why| vec![wrong(why)])?);
    let copy = copy(source, headers, given.alone)
        .map_err(|error| vec![wrong(format!("a copy cannot be written: {error}"))])?;
    match &copy {
        Some(copy) if given.alone => _ = command.arg(copy),
        Some(copy) => {
            let folder = Path::new(&source.name).parent().filter(|folder| !folder.as_os_str().is_empty());
            command.arg("-iquote").arg(folder.unwrap_or(Path::new("."))).arg(copy);
        }
        // A name that begins with `-` is a file, too.
        None if source.name.starts_with('-') => _ = command.arg(format!("./{}", source.name)),
        None => _ = command.arg(&source.name),
    }
    let renamed = |text: &str| match &copy {
        Some(copy) => text.replace(&copy.display().to_string(), &source.name),
        None => text.into(),
    };
    let done = run(&mut command, PATIENCE, budget).map_err(|error| {
        vec![wrong(format!("`{}` cannot be started: {error}", compiler[0])).help(
            "install a C compiler, name one in the variable `CC`, or give a file that is preprocessed: `.i`",
        )]
    })?;
    match done.ended {
        Ended::Status(0) => {}
        Ended::Late => return Err(vec![wrong(format!("`{}` does not end", compiler[0]))]),
        Ended::Status(_) | Ended::Signal(_) => {
            return Err(messages(source, &compiler[0], &renamed(&done.errors)));
        }
    }
    let text = String::from_utf8(done.output)
        .map_err(|_| vec![wrong(format!("`{}`, preprocessed, is not UTF-8", source.name))])?;
    let text = renamed(&text).replace(&format!("\"{}/", headers.display()), &format!("\"{OWN}/"));
    match given.alone {
        true => alone(source, &text).map(|()| text),
        false => Ok(text),
    }
}

/// Refuses a text that includes files of the system.
fn alone(source: &Source, text: &str) -> Result<(), Vec<Diagnostic>> {
    let name = |line: &str| line.strip_prefix("# ")?.split('"').nth(1).map(String::from);
    let own = |name: &String| *name == source.name || name.starts_with('<');
    match text.lines().filter_map(name).find(|name| !own(name)) {
        None => Ok(()),
        Some(_) => {
            let message = "a file is included that is no header of the C library";
            Err(vec![
                Diagnostic::general(Code::NoPreprocessor, message).help("write what is needed into the text"),
            ])
        }
    }
}

/// A copy of a text that is not in its file: an editor or the page has it.
fn copy(source: &Source, folder: &Path, alone: bool) -> std::io::Result<Option<PathBuf>> {
    if !alone && std::fs::read(&source.name).is_ok_and(|saved| saved == source.text.as_bytes()) {
        return Ok(None);
    }
    let folder = folder.join("copy");
    std::fs::create_dir_all(&folder)?;
    let copy = folder.join("copy.c");
    std::fs::write(&copy, &source.text)?;
    Ok(Some(copy))
}

/// The preprocessor's messages about a file.
fn messages(source: &Source, compiler: &str, said: &str) -> Vec<Diagnostic> {
    let wrong = said.lines().find_map(|line| {
        let (place, message) = line.split_once(": error: ").or_else(|| line.split_once(": fatal error: "))?;
        let mut numbers = place.strip_prefix(source.name.as_str())?.trim_start_matches(':').split(':');
        let line: usize = numbers.next()?.parse().ok()?;
        let column: usize = numbers.next().map_or(Some(1), |column| column.parse().ok())?;
        let start: usize = source.text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
        let length = source.text[start..].lines().next().map_or(0, str::len);
        let from = start + column.saturating_sub(1).min(length);
        Some((message, Span::new(from, start + length)))
    });
    let diagnostic = match wrong {
        Some((message, span)) => {
            let missing = message.contains("No such file") || message.contains("file not found");
            let diagnostic =
                Diagnostic::error(Code::NoPreprocessor, message, span, "found by the preprocessor");
            match missing {
                true => {
                    let names: Vec<&str> = HEADERS.iter().map(|(name, _)| *name).collect();
                    diagnostic
                        .note(format!("agon has headers of its own: {}", names.join(", ")))
                        .help("`-I FOLDER` names a folder with headers")
                }
                false => diagnostic,
            }
        }
        None => {
            Diagnostic::general(Code::NoPreprocessor, format!("`{compiler} -E` fails for `{}`", source.name))
        }
    };
    match wrong {
        Some(_) => vec![diagnostic],
        None => vec![said.lines().take(MOST).fold(diagnostic, |diagnostic, line| diagnostic.note(line))],
    }
}
