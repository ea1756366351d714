//! C files: the texts that agon-c reads, and what agon-c writes, run by the system's C compiler.

pub mod commands;
pub mod confirm;
pub mod preprocess;

use std::path::Path;

use agon_base::budget::Budget;
use agon_base::diagnostic::Diagnostic;
use agon_base::source::Source;
use agon_c::options::Options;
use agon_c::read::{Reading, read};

use preprocess::{Preprocessing, original, preprocess};

/// How C files are read.
#[derive(Clone, Default, Debug)]
pub struct Settings {
    /// What the preprocessor is given.
    pub preprocessing: Preprocessing,
    /// What is assumed and what is checked.
    pub options: Options,
}

/// Whether a file is written in C, by its name.
pub fn is_c(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "c" || end == "i")
}

/// Reads C files as one module.
pub fn open(
    files: &[Source],
    settings: &Settings,
    budget: &Budget,
) -> Result<Reading, (Source, Vec<Diagnostic>)> {
    let units = preprocess(files, &settings.preprocessing, budget)?;
    let alone = settings.preprocessing.alone;
    // The text of a file may be newer than the file: an editor has it.
    let text = |name: &str| {
        files
            .iter()
            .find(|file| file.name == name)
            .map(|file| file.text.clone())
            .or_else(|| original(name, alone))
    };
    read(&units, &text, &settings.options)
}
