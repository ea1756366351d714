//! The C files of the corpus, and what the reader gets of them: preprocessed by gcc with the headers of the reader's own.

use std::path::{Path, PathBuf};
use std::process::Command;

use agon_c::headers::HEADERS;
use agon_c::read::Unit;

use crate::gcc::Folder;

/// All C files of the corpus: the path in the folder without the extension, the whole path, and the text.
pub fn sources() -> Vec<(String, PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("there are C files") {
            let path = entry.expect("a file").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "c") {
                found.push(path);
            }
        }
    }
    found.sort();
    let file = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("the corpus can be read");
        let inside = path.strip_prefix(&root).expect("it is in the folder").with_extension("");
        (inside.display().to_string(), path, text)
    };
    found.into_iter().map(file).collect()
}

/// The headers in a folder.
pub fn headers(folder: &Folder) {
    for (name, text) in HEADERS {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder can be made");
        std::fs::write(path, text).expect("a header can be written");
    }
}

/// A file after preprocessing. Of the options those of the preprocessor count.
pub fn prepared(path: &Path, options: &[String]) -> Unit {
    let name = path.display().to_string();
    let folder = Folder::new();
    headers(&folder);
    let mut gcc = Command::new("gcc");
    gcc.args(["-E", "-nostdinc", "-isystem"]).arg(folder.path());
    gcc.args(
        options.iter().filter(|option| ["-D", "-U", "-I"].iter().any(|start| option.starts_with(start))),
    );
    let output = gcc.arg(path).output().expect("gcc can be run");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    Unit { name, text: String::from_utf8(output.stdout).expect("the corpus is UTF-8") }
}
