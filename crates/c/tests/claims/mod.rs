//! The C files of the corpus. What they claim is described in `crates/c/src/claims.rs`.

use std::path::PathBuf;

use agon_c::claims::Claims;

use crate::sources::sources;

/// A C file of the corpus.
#[derive(Clone)]
pub struct File {
    /// Its path in the folder, without the extension.
    pub name: String,
    pub path: PathBuf,
    pub text: String,
    pub claims: Claims,
}

/// All C files of the corpus with what they claim.
pub fn corpus() -> Vec<File> {
    let file = |(name, path, text): (String, PathBuf, String)| {
        let claims = Claims::read(&text).unwrap_or_else(|why| panic!("{name}: {why}"));
        File { name, path, text, claims }
    };
    sources().into_iter().map(file).collect()
}
