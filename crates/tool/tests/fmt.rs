//! `agon fmt`: files in place, standard input, `--check`, and what is left as it is.

mod process;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

use process::piped;
use tempfile::TempDir;

const OTHER: &str = "// A counter.\nnew   int x in\n\nx:=x+1 ;  // once\nassert (x=1)\n";
const STANDARD: &str = "// A counter.\nnew int x in\n\nx := x + 1;  // once\nassert(x = 1)\n";

fn agon(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
    command.current_dir(folder).env("NO_COLOR", "1").args(arguments).output().expect("agon can be run")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("it is text")
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
        std::fs::write(path, text).expect("a file is written");
    }
    folder
}

fn read(folder: &TempDir, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).expect("it is there")
}

#[test]
fn files_are_laid_out_in_place() {
    let folder = folder(&[("a.ia", OTHER), ("sub/b.ia", STANDARD), ("sub/c.ia", OTHER), ("d.c", "int  x;")]);
    let time = || {
        std::fs::metadata(folder.path().join("sub/b.ia")).and_then(|data| data.modified()).expect("a time")
    };
    let before = time();
    let output = agon(folder.path(), &["fmt", "a.ia", "sub"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), "");
    assert_eq!(text(&output.stderr), "a.ia is laid out\nsub/c.ia is laid out\n");
    assert_eq!((read(&folder, "a.ia"), read(&folder, "sub/c.ia")), (STANDARD.into(), STANDARD.into()));
    assert_eq!(before, time(), "what is in the layout already is not written");
    let again = agon(folder.path(), &["fmt", "."]);
    assert_eq!((again.status.code(), again.stderr.is_empty()), (Some(0), true));
    assert_eq!(read(&folder, "d.c"), "int  x;", "C is left to others");
}

#[test]
fn a_check_shows_the_difference_and_writes_nothing() {
    let folder = folder(&[("a.ia", OTHER), ("b.ia", STANDARD)]);
    let output = agon(folder.path(), &["fmt", "--check", "a.ia", "b.ia"]);
    let wanted = "\
--- a.ia
+++ a.ia in the standard layout
@@ -1,5 +1,5 @@
 // A counter.
-new   int x in
+new int x in
 
-x:=x+1 ;  // once
-assert (x=1)
+x := x + 1;  // once
+assert(x = 1)
";
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(1), wanted));
    assert_eq!(read(&folder, "a.ia"), OTHER);
    let fine = agon(folder.path(), &["fmt", "--check", "b.ia"]);
    assert_eq!((fine.status.code(), text(&fine.stdout).as_str()), (Some(0), ""));
    // An option of another command for C files has the same name.
    std::fs::write(folder.path().join("agon.toml"), "check = [\"overflow\"]\n").expect("a file is written");
    assert_eq!(agon(folder.path(), &["fmt", "--check", "b.ia"]).status.code(), Some(0));
}

#[test]
fn what_has_errors_is_left_as_it_is() {
    let broken = "new int x in\n  x := (\n";
    let folder = folder(&[("broken.ia", broken), ("fine.ia", OTHER), ("lib.c", "int  x;")]);
    let output = agon(folder.path(), &["fmt", "broken.ia", "fine.ia"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("E0002"), "{}", text(&output.stderr));
    assert_eq!((read(&folder, "broken.ia"), read(&folder, "fine.ia")), (broken.into(), STANDARD.into()));
    let output = agon(folder.path(), &["fmt", "lib.c"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("clang-format"));
    assert_eq!(agon(folder.path(), &["fmt", "none.ia"]).status.code(), Some(2));
}

#[test]
fn standard_input_goes_to_standard_output() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str], input: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
        let mut child = piped(command.current_dir(folder.path()).args(arguments));
        child.stdin.take().expect("it has an input").write_all(input.as_bytes()).expect("it reads");
        child.wait_with_output().expect("it ends")
    };
    let output = run(&["fmt", "-"], OTHER);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(0), STANDARD));
    let output = run(&["fmt", "-", "--check"], OTHER);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).starts_with("--- <stdin>\n"));
    let output = run(&["fmt", "-"], "skip (");
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(2), ""));
}
