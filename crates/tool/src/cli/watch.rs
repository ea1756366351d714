//! `--watch`: asks again whenever a file changes that the answer may depend on.
//!
//! Each answer is that of an `agon` of its own. If a file changes before it has one, that one is ended.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use clap::Args;
use walkdir::WalkDir;

use super::Status;
use super::output::remark;
use crate::c::is_c;

/// How often files are looked at.
const LOOK: Duration = Duration::from_millis(200);
/// How long a process may take to end by itself.
const GRACE: Duration = Duration::from_secs(1);
/// The variable that tells a process that it is watched already.
const WATCHED: &str = "AGON_WATCHED";
/// The endings of files that an answer may depend on.
const ENDINGS: [&str; 6] = ["ia", "c", "i", "h", "toml", "json"];

#[derive(Args, Clone, Default, Debug)]
pub(super) struct Watching {
    /// Ask again whenever a file changes: a program, a header, or the settings. An interrupt ends it.
    #[arg(long)]
    watch: bool,
}

/// What is known of each file, to see whether it has changed.
type Files = BTreeMap<PathBuf, (u64, Option<SystemTime>)>;

impl Watching {
    /// Asks again and again, if that is wanted, until it is interrupted. `headers` are folders with headers.
    pub(super) fn run(&self, paths: &[&PathBuf], headers: &[PathBuf]) -> Option<Status> {
        if !self.watch || std::env::var_os(WATCHED).is_some() {
            return None;
        }
        if paths.iter().any(|path| path.as_os_str() == "-") {
            remark("error: `--watch` needs files, and standard input is none\n");
            return Some(Status::Wrong);
        }
        Some(match again_and_again(paths, headers) {
            Ok(never) => match never {},
            Err(error) => {
                remark(&format!("error: agon cannot be started: {error}\n"));
                Status::Wrong
            }
        })
    }
}

/// Nothing: what is watched ends when it is interrupted.
enum Never {}

fn again_and_again(paths: &[&PathBuf], headers: &[PathBuf]) -> std::io::Result<Never> {
    let mut before = files(paths, headers);
    loop {
        let mut child = Some(start()?);
        let changed = loop {
            std::thread::sleep(LOOK);
            if let Some(running) = &mut child
                && running.try_wait()?.is_some()
            {
                child = None;
                remark("Waiting for a change.\n");
            }
            let now = files(paths, headers);
            if now != before {
                let changed = difference(&before, &now);
                before = now;
                break changed;
            }
        };
        if let Some(running) = child {
            end(running);
        }
        remark(&format!("\n{} has changed.\n", changed.display()));
    }
}

/// Starts the same command once.
fn start() -> std::io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(std::env::args_os().skip(1)).env(WATCHED, "1").stdin(Stdio::null()).spawn()
}

/// Ends a process, and what it has started.
fn end(mut child: Child) {
    #[cfg(unix)]
    {
        use nix::sys::signal::{Signal, kill};
        use nix::unistd::Pid;
        if let Ok(number) = i32::try_from(child.id()) {
            // The second signal means: do not wait.
            let _ = kill(Pid::from_raw(number), Signal::SIGTERM);
            let _ = kill(Pid::from_raw(number), Signal::SIGTERM);
        }
    }
    let until = Instant::now() + GRACE;
    while cfg!(unix) && Instant::now() < until {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The first file that is not as it was.
fn difference(before: &Files, now: &Files) -> PathBuf {
    let changed = now.iter().find(|(path, known)| before.get(*path) != Some(known));
    let gone = || before.keys().find(|path| !now.contains_key(*path));
    changed.map(|(path, _)| path).or_else(gone).cloned().unwrap_or_default()
}

/// The files of the folders that programs and headers are in, and of those below folders that were named.
fn files(paths: &[&PathBuf], headers: &[PathBuf]) -> Files {
    let mut folders: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for path in paths {
        let (folder, depth) = match path.is_dir() {
            true => (path.to_path_buf(), usize::MAX),
            false => (path.parent().map(Path::to_path_buf).unwrap_or_default(), 1),
        };
        let known = folders.entry(folder).or_default();
        *known = depth.max(*known);
    }
    folders.extend(headers.iter().map(|folder| (folder.clone(), usize::MAX)));
    let mut found = Files::new();
    let mut settled = BTreeSet::new();
    while let Some((folder, depth)) = folders.pop_first() {
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        let hidden = |entry: &walkdir::DirEntry| {
            entry.depth() > 0 && entry.file_name().as_encoded_bytes().starts_with(b".")
        };
        let walk = WalkDir::new(here).max_depth(depth).into_iter().filter_entry(|entry| !hidden(entry));
        for entry in walk.filter_map(Result::ok).filter(|entry| entry.file_type().is_file()) {
            let path = entry.path().strip_prefix(".").unwrap_or(entry.path()).to_path_buf();
            let ending = path.extension().is_some_and(|end| ENDINGS.iter().any(|known| end == *known));
            let Some(data) = entry.metadata().ok().filter(|_| ending) else { continue };
            // The settings beside a C file may name folders with headers.
            let own = path.parent().map(Path::to_path_buf).unwrap_or_default();
            if is_c(&path) && settled.insert(own) {
                let given = super::c_settings(&path).map(|settings| settings.preprocessing.folders);
                folders.extend(given.unwrap_or_default().into_iter().map(|folder| (folder, usize::MAX)));
            }
            found.insert(path, (data.len(), data.modified().ok()));
        }
    }
    found
}
