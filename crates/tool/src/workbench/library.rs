//! The programs on the page's menu: the corpus and the examples, which are embedded, and those of a folder.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use agon_check::portfolio::Engine;
use agon_check::refine::ITERATIONS;
use rust_embed::Embed;

use super::worker::Allowance;
use crate::shape::event::About;

#[derive(Embed)]
#[folder = "embedded/corpus/"]
struct Corpus;

#[derive(Embed)]
#[folder = "embedded/examples/"]
struct Examples;

/// The longest program on the menu, in bytes.
const LONGEST: u64 = 1 << 20;
/// The most programs of a folder.
const MOST: usize = 1_000;
/// The greatest depth of folders in the folder.
const DEEPEST: usize = 6;

/// Whether a file is a program, by its name.
fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "ia" || extension == "c")
}

/// The programs on the menu.
pub struct Library {
    /// The canonical path of the folder that is served, if there is one.
    folder: Option<PathBuf>,
}

impl Library {
    /// The embedded programs, and those of a folder.
    pub fn new(folder: Option<&Path>) -> std::io::Result<Library> {
        let folder = folder.map(|folder| {
            let folder = folder.canonicalize()?;
            std::fs::read_dir(&folder)?;
            Ok::<_, std::io::Error>(folder)
        });
        Ok(Library { folder: folder.transpose()? })
    }

    /// The names of all programs, those of the folder first.
    pub fn names(&self) -> Vec<String> {
        let own = self.scanned().into_iter().map(|(name, _)| name);
        let examples = Examples::iter().map(|name| format!("examples/{name}"));
        let corpus = Corpus::iter().map(|name| format!("corpus/{name}"));
        // The folders have headers and pages, too.
        let mut embedded: Vec<_> =
            examples.chain(corpus).filter(|name| is_program(Path::new(name))).collect();
        embedded.sort_unstable_by_key(|name| (!name.starts_with("examples/"), name.clone()));
        own.chain(embedded).collect()
    }

    /// The text of a program on the menu. Other names have no text, even if they are paths of files.
    pub fn text(&self, name: &str) -> Option<String> {
        if let Some((_, path)) = self.scanned().into_iter().find(|(own, _)| own == name) {
            let mut text = String::new();
            File::open(path).ok()?.take(LONGEST).read_to_string(&mut text).ok()?;
            return Some(text);
        }
        let file = match name.split_once('/').filter(|(_, name)| is_program(Path::new(name)))? {
            ("examples", name) => Examples::get(name)?,
            ("corpus", name) => Corpus::get(name)?,
            _ => return None,
        };
        String::from_utf8(file.data.into_owned()).ok()
    }

    /// The names and the paths of the programs of the folder.
    fn scanned(&self) -> Vec<(String, PathBuf)> {
        let Some(root) = &self.folder else { return Vec::new() };
        let mut found = Vec::new();
        let mut waiting = vec![(root.clone(), 0)];
        while let Some((folder, depth)) = waiting.pop() {
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                // A symbolic link must point to a file in the folder.
                let Ok(path) = entry.path().canonicalize() else { continue };
                let Ok(inside) = path.strip_prefix(root) else { continue };
                let Ok(kind) = entry.file_type() else { continue };
                let hidden = entry.file_name().to_string_lossy().starts_with('.');
                if kind.is_dir() && depth < DEEPEST && !hidden {
                    waiting.push((path, depth + 1));
                } else if path.is_file()
                    && is_program(&path)
                    && path.metadata().is_ok_and(|data| data.len() <= LONGEST)
                    && found.len() < MOST
                {
                    found.push((format!("./{}", inside.display()), path.clone()));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The data that the page asks for at its start.
pub fn about(library: &Library, allowance: Allowance) -> About {
    About {
        version: env!("CARGO_PKG_VERSION").into(),
        engines: Engine::ALL.iter().map(|engine| engine.name().into()).collect(),
        programs: library.names(),
        time_limit: allowance.time.as_secs_f64(),
        memory_limit: allowance.memory >> 20,
        iterations: ITERATIONS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_outside_is_a_program() {
        let root = std::env::temp_dir().join(format!("agon-library-{}", std::process::id()));
        let folder = root.join("served");
        std::fs::create_dir_all(folder.join("below")).expect("a folder can be made");
        std::fs::write(root.join("secret.ia"), "abort").expect("a file can be written");
        std::fs::write(folder.join("own.ia"), "skip").expect("a file can be written");
        std::fs::write(folder.join("below/deep.ia"), "skip").expect("a file can be written");
        std::fs::write(folder.join("notes.txt"), "skip").expect("a file can be written");
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.join("secret.ia"), folder.join("link.ia"))
            .expect("a link can be made");
        #[cfg(unix)]
        std::os::unix::fs::symlink(&root, folder.join("up")).expect("a link can be made");
        let library = Library::new(Some(&folder)).expect("the folder is there");
        let own: Vec<_> = library.names().into_iter().filter(|name| name.starts_with("./")).collect();
        assert_eq!(own, ["./below/deep.ia", "./own.ia"]);
        assert_eq!(library.text("./own.ia").as_deref(), Some("skip"));
        for name in [
            "./../secret.ia",
            "./link.ia",
            "./up/secret.ia",
            "../secret.ia",
            "/etc/passwd",
            "corpus/../README.md",
            "./notes.txt",
        ] {
            assert_eq!(library.text(name), None, "{name}");
        }
        assert!(library.text("examples/counter.ia").is_some());
        assert!(library.names().iter().filter_map(|name| library.text(name)).count() > 100);
        std::fs::remove_dir_all(root).expect("what was made can be removed");
    }
}
