//! `--watch`: a changed program, header or setting is answered again, and a search that is under way is ended.

#![cfg(unix)]

mod process;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};

use process::piped;
use tempfile::TempDir;

/// A command that watches, and the lines that it writes.
struct Watched {
    child: Child,
    lines: Receiver<String>,
}

impl Watched {
    fn start(folder: &Path, arguments: &[&str]) -> Watched {
        let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
        let mut child =
            piped(command.current_dir(folder).env("NO_COLOR", "1").args(arguments).arg("--watch"));
        let (send, lines) = channel();
        let (output, errors) =
            (child.stdout.take().expect("an output"), child.stderr.take().expect("errors"));
        let streams: [Box<dyn BufRead + Send>; 2] =
            [Box::new(BufReader::new(output)), Box::new(BufReader::new(errors))];
        for stream in streams {
            let send = send.clone();
            std::thread::spawn(move || {
                stream.lines().map_while(Result::ok).try_for_each(|line| send.send(line))
            });
        }
        Watched { child, lines }
    }

    /// Waits for a line with this text.
    #[track_caller]
    fn says(&self, text: &str) {
        let mut lines = self.lines.iter();
        assert!(lines.any(|line| line.contains(text)), "it ended before it said {text:?}");
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write(folder: &TempDir, name: &str, text: &str) {
    let path = folder.path().join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
    std::fs::write(path, text).expect("a file is written");
}

#[test]
fn a_check_is_repeated() {
    let folder = tempfile::tempdir().expect("a folder");
    write(&folder, "a.ia", "skip");
    let watched = Watched::start(folder.path(), &["check", "a.ia"]);
    watched.says("SAFE");
    watched.says("Waiting for a change.");
    write(&folder, "a.ia", "skip; abort");
    watched.says("a.ia has changed.");
    watched.says("UNSAFE");
    watched.says("Waiting for a change.");
    write(&folder, "a.ia", "abort (");
    watched.says("E0002");
    watched.says("Waiting for a change.");
    write(&folder, "agon.toml", "target = \"done\"\n");
    watched.says("agon.toml has changed.");
    watched.says("E0002");
    write(&folder, "a.ia", "skip");
    watched.says("an environment reaches `done`");
}

#[test]
fn a_search_that_is_under_way_is_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    // It counts for ever.
    write(
        &folder,
        "a.ia",
        "f : com -> com |- new int x in while true do { x := x + 1; f(skip) }; assert(x < 0)",
    );
    let watched = Watched::start(folder.path(), &["check", "a.ia", "--engine", "explicit"]);
    write(&folder, "a.ia", "abort");
    watched.says("UNSAFE");
}

#[test]
fn headers_and_folders_are_watched() {
    let folder = tempfile::tempdir().expect("a folder");
    write(&folder, "src/a.c", "//! safe\n#include \"a.h\"\nint f(int n) { return n / ONE; }\n");
    write(&folder, "inc/a.h", "#define ONE 1\n");
    write(&folder, "src/agon.toml", "include-directory = \"../inc\"\n");
    let watched = Watched::start(folder.path(), &["test", "src"]);
    watched.says("1 claim: 1 hold");
    watched.says("Waiting for a change.");
    write(&folder, "inc/a.h", "#define ONE 0 // now\n");
    watched.says("1 claim: 0 hold, 1 wrong");
    watched.says("Waiting for a change.");
    write(&folder, "src/b.ia", "//! safe\nskip\n");
    watched.says("2 claims: 1 hold, 1 wrong");
}

#[test]
fn two_programs_are_watched_and_standard_input_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    write(&folder, "a/x.ia", "skip");
    write(&folder, "b/x.ia", "skip; skip");
    let watched = Watched::start(folder.path(), &["equiv", "a/x.ia", "b/x.ia"]);
    watched.says("EQUIVALENT");
    watched.says("Waiting for a change.");
    write(&folder, "b/x.ia", "abort");
    watched.says("INEQUIVALENT");
    let mut watched = Watched::start(folder.path(), &["check", "-"]);
    watched.says("standard input is none");
    assert_eq!(watched.child.wait().expect("it ends").code(), Some(2));
}
