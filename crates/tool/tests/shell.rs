//! What the shell has to do with: completion scripts, manual pages, colours, and files that are written.

use std::path::Path;
use std::process::{Command, Output};

use regex::Regex;

const SAFE: &str = "skip";
const WRONG: &str = "f : com |- g";

fn agon(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
    command.current_dir(folder).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").args(arguments);
    command.output().expect("agon can be run")
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("it is text")
}

fn remarked(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("it is text")
}

/// A folder with a program that is right and one that is not.
fn programs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("safe.ia"), SAFE).expect("a file is written");
    std::fs::write(folder.path().join("wrong.ia"), WRONG).expect("a file is written");
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("it is a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("it is read").file_name().display().to_string()).collect();
    names.sort_unstable();
    names
}

/// The commands that the help lists.
fn commands() -> Vec<String> {
    let help = said(&agon(Path::new("."), &["--help"]));
    let command = Regex::new(r"(?m)^  ([a-z]+)  ").expect("a pattern");
    let found: Vec<String> = command.captures_iter(&help).map(|found| found[1].to_string()).collect();
    assert!(found.len() > 15, "{found:?}");
    found.into_iter().filter(|command| command != "help").collect()
}

#[test]
fn every_shell_has_a_script_with_every_command_and_none_that_is_hidden() {
    let hidden = Regex::new(r"\bworker\b").expect("a pattern");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = agon(Path::new("."), &["completions", shell]);
        assert_eq!(output.status.code(), Some(0));
        let script = said(&output);
        for command in commands() {
            assert!(script.contains(&command), "{shell}: {command}");
        }
        assert!(script.contains("time-limit") && script.contains("color"), "{shell}");
        assert!(!hidden.is_match(&script), "{shell}");
    }
    let output = agon(Path::new("."), &["completions", "tcsh"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(remarked(&output).contains("possible values: bash"), "{}", remarked(&output));
}

#[cfg(unix)]
#[test]
fn bash_completes_commands_options_and_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = agon(folder.path(), &["completions", "bash", "-o", "agon.bash"]);
    assert_eq!((output.status.code(), said(&output).as_str()), (Some(0), ""));
    let completed = |words: &[&str]| {
        let last = words.len() - 1;
        let previous = words[last - 1];
        let script = format!(
            "source agon.bash; COMP_WORDS=({}); COMP_CWORD={last}; _agon agon {:?} {previous}; echo ${{COMPREPLY[@]}}",
            words.join(" "),
            words[last]
        );
        let output = Command::new("bash").current_dir(folder.path()).args(["-c", &script]).output();
        said(&output.expect("bash can be run")).trim().to_string()
    };
    assert_eq!(completed(&["agon", "comp"]), "completions");
    assert_eq!(completed(&["agon", "check", "--time"]), "--time-limit");
    assert_eq!(completed(&["agon", "check", "--engine", "inter"]), "interval");
    assert_eq!(completed(&["agon", "check", "--color", "al"]), "always");
}

#[test]
fn every_command_has_a_manual_page_with_its_options_and_exit_statuses() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = agon(folder.path(), &["man", "--out", "share/man1"]);
    assert_eq!((output.status.code(), said(&output).as_str()), (Some(0), ""));
    let mut wanted: Vec<String> = commands().iter().map(|command| format!("agon-{command}.1")).collect();
    wanted.push("agon.1".into());
    wanted.sort_unstable();
    assert_eq!(names(&folder.path().join("share/man1")), wanted);
    let options = Regex::new(r"(?m)^ +(?:-\w, )?--([a-z-]+)").expect("a pattern");
    for command in commands() {
        let page = said(&agon(folder.path(), &["man", &command]));
        let file = folder.path().join(format!("share/man1/agon-{command}.1"));
        assert_eq!(page, std::fs::read_to_string(file).expect("it is there"));
        assert!(page.contains(".SH \"EXIT STATUS\"") && page.contains("UNKNOWN"), "{page}");
        let plain = page.replace('\\', "");
        let help = said(&agon(folder.path(), &[&command, "--help"]));
        for option in options.captures_iter(&help).map(|found| found[1].to_string()) {
            assert!(plain.contains(&format!("--{option}")), "{command}: {option}");
        }
    }
    let main = said(&agon(folder.path(), &["man"]));
    assert!(main.contains(".TH agon 1") && main.contains("agon\\-check(1)"), "{main}");
    let output = agon(folder.path(), &["man", "chekc"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(remarked(&output).starts_with("error: there is no command `chekc`; there are check,"));
}

#[test]
fn colours_are_used_when_they_are_asked_for() {
    let folder = programs();
    let coloured = |arguments: &[&str]| remarked(&agon(folder.path(), arguments)).contains("\u{1b}[");
    assert!(!coloured(&["check", "wrong.ia"]), "it is no terminal");
    assert!(coloured(&["check", "wrong.ia", "--color", "always"]));
    assert!(coloured(&["--color", "always", "check", "wrong.ia"]));
    assert!(!coloured(&["--color=never", "check", "wrong.ia"]));
    assert!(coloured(&["check", "--color=always", "--no-such-option"]), "an error of the command line");
    assert!(!coloured(&["check", "--no-such-option"]));
    let output = agon(folder.path(), &["check", "safe.ia", "--color", "sometimes"]);
    assert_eq!(output.status.code(), Some(2));
    std::fs::write(folder.path().join("agon.toml"), "color = \"always\"\n").expect("a file is written");
    assert!(coloured(&["check", "wrong.ia"]), "settings");
    assert!(!coloured(&["--color", "never", "check", "wrong.ia"]), "the command line goes before");
}

#[test]
fn what_is_printed_can_be_written_to_a_file() {
    let folder = programs();
    std::fs::write(folder.path().join("module.ia"), "module export f() = skip;").expect("a file is written");
    std::fs::write(folder.path().join("part.ia"), "tick : com |- let work = tick in work; assert(true)")
        .expect("a file is written");
    for arguments in [
        &["check", "safe.ia", "-q"][..],
        &["equiv", "safe.ia", "safe.ia", "-q"],
        &["model", "safe.ia", "-q"],
        &["model", "safe.ia", "-q", "--plays"],
        &["model", "safe.ia", "-q", "--format", "svg"],
        &["model", "module.ia", "-q"],
        &["model", "module.ia", "-q", "--format", "json"],
        &["assume", "part.ia", "--component", "work", "-q"],
        &["assume", "part.ia", "--component", "work", "-q", "--format", "dot"],
        &["typing", "safe.ia"],
        &["print", "safe.ia", "module.ia"],
        &["listing", "safe.ia"],
        &["listing", "module.ia"],
        &["explain", "E0101"],
        &["completions", "fish"],
        &["man", "check"],
    ] {
        let plain = agon(folder.path(), arguments);
        let written = agon(folder.path(), &[arguments, &["-o", "out.txt"]].concat());
        assert_eq!(plain.status.code(), Some(0), "{arguments:?}: {}", remarked(&plain));
        assert_eq!(written.status.code(), Some(0), "{arguments:?}: {}", remarked(&written));
        assert_eq!(said(&written), "", "{arguments:?}");
        let file = std::fs::read_to_string(folder.path().join("out.txt")).expect("it is there");
        assert_eq!(file, said(&plain), "{arguments:?}");
        assert!(!file.is_empty(), "{arguments:?}");
        let refused = agon(folder.path(), &[arguments, &["-o", "none/out.txt"]].concat());
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
        assert!(remarked(&refused).contains("cannot be written"), "{}", remarked(&refused));
    }
    let left = names(folder.path());
    assert_eq!(left, ["module.ia", "out.txt", "part.ia", "safe.ia", "wrong.ia"], "no other file is left");
}

/// A program that is not printed leaves the file as it was.
#[test]
fn an_error_leaves_the_file_as_it_was() {
    let folder = programs();
    std::fs::write(folder.path().join("out.ia"), "old").expect("a file is written");
    let output = agon(folder.path(), &["print", "safe.ia", "wrong.ia", "-o", "out.ia"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(folder.path().join("out.ia")).expect("it is there"), "old");
}
