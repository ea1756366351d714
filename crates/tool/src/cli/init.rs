//! `agon init`: a folder with an example, settings, a README and a workflow for GitHub Actions.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::Status;
use super::output::{remark, say};

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The folder, which is made if it is not there. The default is the current one. No file in it is changed.
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    /// A library in C. This is the default.
    #[arg(long)]
    c: bool,
    /// A module in agon's own language.
    #[arg(long, conflicts_with = "c")]
    ia: bool,
}

macro_rules! templates {
    ($language:literal: $($path:literal from $file:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../templates/", $language, "/", $file))),)*]
    };
}

/// The files of a project in C, by their paths.
const C: &[(&str, &str)] = templates! {
    "c":
    "agon.toml" from "agon.toml",
    "bucket.c" from "bucket.c",
    "README.md" from "README.md",
    ".github/workflows/agon.yml" from "agon.yml",
};

/// The files of a project in agon's own language.
const IA: &[(&str, &str)] = templates! {
    "ia":
    "agon.toml" from "agon.toml",
    "bucket.ia" from "bucket.ia",
    "eager.ia" from "eager.ia",
    "README.md" from "README.md",
    ".github/workflows/agon.yml" from "agon.yml",
};

pub(super) fn run(options: &Options) -> Status {
    let files = if options.ia { IA } else { C };
    let there: Vec<String> = (files.iter().map(|(path, _)| options.folder.join(path)))
        .filter(|path| path.symlink_metadata().is_ok())
        .map(|path| format!("`{}`", path.display()))
        .collect();
    if !there.is_empty() {
        let (is, it) = if there.len() == 1 { ("is", "it is") } else { ("are", "they are") };
        remark(&format!("error: {} {is} there already, and {it} not overwritten\n", there.join(", ")));
        return Status::Wrong;
    }
    for (path, text) in files {
        let path = options.folder.join(path);
        if let Err(error) = create(&path, text) {
            remark(&format!("error: `{}` cannot be written: {error}\n", path.display()));
            return Status::Wrong;
        }
        say(&format!("{}\n", path.strip_prefix(".").unwrap_or(&path).display()));
    }
    remark("The README says how to go on.\n");
    Status::Holds
}

/// Makes a file, and the folders that it is in. One that is there is an error.
fn create(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}
