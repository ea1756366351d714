//! Verdicts that are kept in a folder: by the content of everything that they depend on, so one that is found is the one that a new
//! search would give.
//!
//! The key has agon's own program, all options, the limits, the text of every file that is read and the solver. Of a C file these are
//! the text that the preprocessor makes of it and the headers that it names. The limits are in every key: an answer that is decided may
//! have parts that are not, or say up to which bound it holds.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Instant, UNIX_EPOCH};

use agon_base::budget::Budget;
use agon_base::source::Source;
use clap::Args;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::limits::own_budget;
use super::output::remark;
use super::{Common, Status, guard};
use crate::atomic;
use crate::c::is_c;
use crate::c::preprocess::{Preprocessing, original, preprocess};
use crate::shape;
use crate::system::peak_memory;

/// What an answer from the cache ends with.
pub(super) const NOTE: &str = "\nFrom the cache.\n";

#[derive(Args, Clone, Default, Debug)]
pub(super) struct Caching {
    /// Keep verdicts in this folder, and take them from there as long as nothing has changed that they depend on.
    #[arg(long, value_name = "FOLDER")]
    cache: Option<PathBuf>,
}

/// What a verdict depends on.
pub(super) struct Key {
    hash: Sha256,
}

impl Key {
    /// The key of a question, by the command and all of its options but the limits.
    pub(super) fn new(command: &str, options: &str) -> Key {
        let mut key = Key { hash: Sha256::new() };
        key.part(env!("CARGO_PKG_VERSION").as_bytes());
        if let Some(own) = std::env::current_exe().ok().and_then(|path| stamp(&path)) {
            key.part(own.as_bytes());
        }
        key.part(command.as_bytes());
        key.part(options.as_bytes());
        key
    }

    /// Adds something. Its length is added as well, so that no two lists of parts are alike.
    fn part(&mut self, bytes: &[u8]) {
        self.hash.update((bytes.len() as u64).to_le_bytes());
        self.hash.update(bytes);
    }

    /// Adds the text of a file. Nothing if it cannot be read.
    pub(super) fn file(&mut self, path: &Path) -> Option<()> {
        self.part(path.as_os_str().as_encoded_bytes());
        // Standard input can be read once.
        let text = if path.as_os_str() == "-" { None } else { std::fs::read(path).ok() };
        self.part(&text?);
        Some(())
    }

    /// Adds a program: one file of agon's own language, or several C files. Nothing if it cannot be read.
    pub(super) fn program(
        &mut self,
        files: &[PathBuf],
        given: &Preprocessing,
        common: &Common,
    ) -> Option<()> {
        files.iter().try_for_each(|file| self.file(file))?;
        if !files.iter().any(|file| is_c(file)) {
            return Some(());
        }
        let budget: Budget = own_budget(common, Instant::now());
        let source = |file: &PathBuf| {
            Some(Source::new(file.display().to_string(), std::fs::read_to_string(file).ok()?))
        };
        let sources: Vec<Source> = files.iter().map(source).collect::<Option<_>>()?;
        let mut named = BTreeSet::new();
        for unit in preprocess(&sources, given, &budget).ok()? {
            self.part(unit.text.as_bytes());
            // Messages show the lines of headers.
            let marks = unit.text.lines().filter_map(|line| line.strip_prefix("# ")?.split('"').nth(1));
            named.extend(marks.filter(|name| !name.starts_with('<')).map(String::from));
        }
        for name in named {
            self.part(name.as_bytes());
            self.part(original(&name, false).unwrap_or_default().as_bytes());
        }
        Some(())
    }

    /// Adds a solver by its command line, and by what is known of the program.
    pub(super) fn solver(&mut self, command: &str) {
        self.part(command.as_bytes());
        let program = shlex::split(command).and_then(|words| words.into_iter().next()).unwrap_or_default();
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let candidates = match program.contains('/') {
            true => vec![PathBuf::from(&program)],
            false => std::env::split_paths(&folders).map(|folder| folder.join(&program)).collect(),
        };
        if let Some(known) = candidates.iter().find_map(|path| stamp(path)) {
            self.part(known.as_bytes());
        }
    }
}

/// What changes when a program is replaced by another one; nothing if there is no such file.
fn stamp(path: &Path) -> Option<String> {
    let data = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let changed = data.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Some(format!("{path:?} {} {changed:?}", data.len()))
}

/// Where a verdict is kept.
pub(super) struct Place {
    path: PathBuf,
    /// The most memory, if no limit was given.
    free: Option<usize>,
}

/// An entry: data as JSON, and its checksum.
#[derive(Serialize, Deserialize)]
struct Entry {
    sum: String,
    kept: String,
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Caching {
    /// The place of a verdict. Nothing without a cache, or if the key cannot be made: something is wrong then, and is told where it is
    /// noticed.
    pub(super) fn place(&self, common: &Common, key: impl FnOnce() -> Option<Key>) -> Option<Place> {
        let folder = self.cache.as_ref()?;
        let mut key = key()?;
        key.part(
            format!("{:?} {:?} {:?}", common.time_limit, common.memory_limit, common.threads).as_bytes(),
        );
        let free =
            if common.memory_limit.is_some() { None } else { own_budget(common, Instant::now()).memory };
        let name = hexadecimal(&key.hash.finalize());
        Some(Place { path: folder.join(&name[..2]).join(format!("{}.json", &name[2..])), free })
    }
}

impl Place {
    /// The verdict that is kept. A damaged entry is none.
    pub(super) fn find<T: DeserializeOwned>(&self) -> Option<T> {
        let entry: Entry = serde_json::from_slice(&std::fs::read(&self.path).ok()?).ok()?;
        let sum = hexadecimal(&Sha256::digest(entry.kept.as_bytes()));
        if sum == entry.sum { serde_json::from_str(&entry.kept).ok() } else { None }
    }

    /// Keeps a verdict with its status. An error is not kept, nor is what a command said that was interrupted, nor UNKNOWN if the
    /// machine had too little memory.
    pub(super) fn keep(&self, status: Status, kept: &impl Serialize) {
        let short = || {
            let peak = peak_memory().unwrap_or(0.0) * (1u64 << 20) as f64;
            self.free.is_some_and(|free| peak > free as f64 / 2.0)
        };
        let whole = match status {
            Status::Holds | Status::DoesNotHold => true,
            Status::Undecided => !short(),
            Status::Wrong | Status::Broken => false,
        };
        if !whole || guard::cancelled().load(Ordering::Relaxed) {
            return;
        }
        let kept = shape::line(kept);
        let entry = shape::line(&Entry { sum: hexadecimal(&Sha256::digest(kept.as_bytes())), kept });
        let path = &self.path;
        let written = match path.parent() {
            Some(folder) => {
                std::fs::create_dir_all(folder).and_then(|()| atomic::write(path, entry.as_bytes()))
            }
            None => Ok(()),
        };
        if let Err(error) = written {
            remark(&format!("warning: the verdict cannot be kept in `{}`: {error}\n", path.display()));
        }
    }
}

/// The status of a verdict that was kept.
pub(super) fn status(code: u8) -> Option<Status> {
    [Status::Holds, Status::DoesNotHold, Status::Undecided].into_iter().find(|status| status.code() == code)
}
