//! `agon init`: every command that a new project names works in it, and no file is overwritten.

use std::path::Path;
use std::process::{Command, Output};

fn agon(folder: &Path, arguments: &[String]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
    command.current_dir(folder).env("NO_COLOR", "1").args(arguments).output().expect("agon can be run")
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(String::from).collect()
}

/// The calls of agon in the blocks of a page, or in a workflow, each with the exit status that it says.
fn calls(text: &str, page: bool) -> Vec<(Vec<String>, i32)> {
    let mut inside = !page;
    let lines = text.lines().filter(|line| {
        inside ^= line.starts_with("```");
        inside
    });
    let lines = lines.map(|line| line.trim().trim_start_matches("- run: "));
    let call = |line: &str| {
        let (line, comment) = line.split_once(" #").unwrap_or((line, ""));
        let status = comment.trim().strip_prefix("exit status ").and_then(|status| status.parse().ok());
        Some((words(line.strip_prefix("agon ")?), status.unwrap_or(0)))
    };
    lines.filter_map(call).collect()
}

#[test]
fn every_command_of_a_new_project_works() {
    for (language, least) in [("--c", 4), ("--ia", 8)] {
        let folder = tempfile::tempdir().expect("a folder");
        let made = agon(folder.path(), &words(&format!("init {language} new/project")));
        assert_eq!(made.status.code(), Some(0));
        let project = folder.path().join("new/project");
        let listed = String::from_utf8(made.stdout).expect("it is text");
        let (mut count, mut files) = (0, 0);
        for file in listed.lines() {
            let text = std::fs::read_to_string(folder.path().join(file)).expect("it is there");
            files += 1;
            if file.ends_with(".md") || file.ends_with(".yml") {
                for (arguments, status) in calls(&text, file.ends_with(".md")) {
                    let output = agon(&project, &arguments);
                    let said = String::from_utf8_lossy(&output.stdout).into_owned();
                    let why = String::from_utf8_lossy(&output.stderr).into_owned();
                    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {said}{why}");
                    count += 1;
                }
            }
        }
        assert!(count >= least && files >= 4, "{language}: {count} commands, {files} files");
    }
}

#[test]
fn no_file_is_overwritten() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("README.md"), "mine").expect("a file is written");
    let output = agon(folder.path(), &words("init"));
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(said, "error: `./README.md` is there already, and it is not overwritten\n");
    let entries = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(entries, 1, "nothing else is written");
    assert_eq!(std::fs::read_to_string(folder.path().join("README.md")).expect("it is there"), "mine");
    std::fs::remove_file(folder.path().join("README.md")).expect("it is removed");
    assert_eq!(agon(folder.path(), &words("init")).status.code(), Some(0));
    assert!(folder.path().join("bucket.c").exists(), "C is the default");
    assert_eq!(agon(folder.path(), &words("init")).status.code(), Some(2), "a second time");
    assert_eq!(agon(folder.path(), &words("init --c --ia")).status.code(), Some(2));
}
