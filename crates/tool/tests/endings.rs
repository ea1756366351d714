//! How commands end if their output is closed, or a folder is missing.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Command;

use process::piped;

mod process;

/// Runs a command on a program, and closes its output after the first line, or before it; returns the status and standard
/// error.
fn closed(arguments: &[&str], program: &str, read_one: bool) -> (Option<i32>, String) {
    let mut child = piped(Command::new(env!("CARGO_BIN_EXE_agon")).args(arguments).args(["-", "-q"]));
    let mut output = BufReader::new(child.stdout.take().expect("it has an output"));
    let mut write =
        || child.stdin.take().expect("it has an input").write_all(program.as_bytes()).expect("it reads");
    if !read_one {
        drop(output);
        write();
    } else {
        write();
        let mut line = String::new();
        output.read_line(&mut line).expect("it says something");
        assert!(!line.is_empty());
        drop(output);
    }
    let mut said = String::new();
    child.stderr.take().expect("it has errors").read_to_string(&mut said).expect("they are text");
    (child.wait().expect("it ends").code(), said)
}

/// A program with a model of many lines.
const LARGE: &str = "f : com -> com |- new int%3000 x in f(x := x + 1); if x = 17 then f(skip)";
const UNSAFE: &str = "e : int%5 |- assert(e < 4)";

#[test]
fn a_closed_pipe_leaves_the_status_as_it_is() {
    for read_one in [false, true] {
        assert_eq!(closed(&["model"], LARGE, read_one), (Some(0), String::new()));
        assert_eq!(closed(&["model", "--format", "aut"], LARGE, read_one), (Some(0), String::new()));
        assert_eq!(closed(&["check"], UNSAFE, read_one), (Some(1), String::new()));
        assert_eq!(closed(&["check", "--format", "json"], UNSAFE, read_one), (Some(1), String::new()));
        assert_eq!(closed(&["check"], "skip", read_one), (Some(0), String::new()));
        assert_eq!(closed(&["print"], LARGE, read_one), (Some(0), String::new()));
    }
}

#[test]
fn a_missing_folder_is_named() {
    let output = Command::new(env!("CARGO_BIN_EXE_agon"))
        .args(["serve", "--port", "0", "/no/such/folder"])
        .output()
        .expect("agon starts");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("the folder `/no/such/folder` cannot be read"), "{said}");
}
