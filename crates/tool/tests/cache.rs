//! `--cache FOLDER`: a verdict is found again as long as nothing has changed that it depends on.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

const NOTE: &str = "From the cache.";
const AGE: &str = "age : int%120 |- assert(age < 100)";

fn agon(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
    command.current_dir(folder).env("NO_COLOR", "1").args(arguments).output().expect("agon can be run")
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("it is text")
}

fn write(folder: &TempDir, name: &str, text: &str) {
    let path = folder.path().join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
    std::fs::write(path, text).expect("a file is written");
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    files.iter().for_each(|(name, text)| write(&folder, name, text));
    folder
}

/// Whether the answer comes from the cache.
fn found(folder: &TempDir, arguments: &[&str]) -> bool {
    let output = agon(folder.path(), &[arguments, &["--cache", "kept"]].concat());
    assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{}", String::from_utf8_lossy(&output.stderr));
    said(&output).contains(NOTE)
}

#[test]
fn an_answer_is_found_again_and_says_so() {
    let folder = folder(&[("age.ia", AGE), ("wrong.ia", "skip (")]);
    let plain = agon(folder.path(), &["check", "age.ia", "-q"]);
    let first = agon(folder.path(), &["check", "age.ia", "-q", "--cache", "kept"]);
    let second = agon(folder.path(), &["check", "age.ia", "-q", "--cache", "kept"]);
    assert_eq!(said(&plain), said(&first));
    assert_eq!(said(&second), format!("{}\n{NOTE}\n", said(&first)));
    assert_eq!([plain.status.code(), first.status.code(), second.status.code()], [Some(1); 3]);
    for format in ["json", "sarif", "junit", "github"] {
        let arguments = ["check", "age.ia", "--format", format, "--cache", "kept"];
        let (first, second) = (agon(folder.path(), &arguments), agon(folder.path(), &arguments));
        assert_eq!(second.status.code(), Some(1));
        match format {
            "json" => {
                let [mut first, mut second] = [first, second]
                    .map(|output| serde_json::from_slice::<Value>(&output.stdout).expect("it is JSON"));
                assert_eq!((first.get("cached"), second["cached"].take()), (None, Value::Bool(true)));
                first["cached"] = Value::Null;
                assert_eq!(first, second, "everything else is as it was");
            }
            // These have identifiers and times of the run.
            _ => assert_eq!(said(&first).lines().count(), said(&second).lines().count()),
        }
    }
    let wrong = ["check", "wrong.ia", "--cache", "kept"];
    for _ in 0..2 {
        let output = agon(folder.path(), &wrong);
        assert_eq!((output.status.code(), output.stderr.is_empty()), (Some(2), false), "errors are not kept");
    }
}

#[test]
fn a_change_of_the_text_an_option_or_a_setting_counts() {
    let folder = folder(&[("age.ia", AGE)]);
    assert!(!found(&folder, &["check", "age.ia"]));
    assert!(found(&folder, &["check", "age.ia"]));
    let limited = ["check", "age.ia", "--time-limit", "60"];
    assert!(!found(&folder, &limited) && found(&folder, &limited), "the limits");
    assert!(found(&folder, &["check", "age.ia", "--exit-zero"]));
    assert!(!found(&folder, &["check", "age.ia", "--engine", "interval"]));
    assert!(!found(&folder, &["check", "age.ia", "--target", "age.q"]));
    write(&folder, "agon.toml", "assume = [\"age >= 1\"]\n");
    assert!(!found(&folder, &["check", "age.ia"]), "a setting");
    assert!(found(&folder, &["check", "age.ia"]));
    write(&folder, "agon.toml", "");
    assert!(found(&folder, &["check", "age.ia"]), "the first one again");
    write(&folder, "age.ia", "age : int%120 |- assert(age < 119)");
    assert!(!found(&folder, &["check", "age.ia"]), "the text");
    let environment = ["check", "age.ia", "--environment", "env.ia"];
    assert!(!found(&folder, &environment) && !found(&folder, &environment), "a file is to be written");
    std::fs::remove_file(folder.path().join("env.ia")).expect("it was written");
}

#[test]
fn an_undecided_program_is_kept_for_its_limits() {
    let slow = "e : int |- new int x in while e > 0 do x := x + e * e; assert(x >= 0)";
    let folder = folder(&[("slow.ia", slow)]);
    let ask = |seconds: &str| found(&folder, &["check", "slow.ia", "--time-limit", seconds]);
    assert!(!ask("0"));
    assert!(ask("0"));
    assert!(!ask("0.001"));
}

#[test]
fn an_answer_with_undecided_parts_is_kept_for_its_limits() {
    let text = "e : int |- assert(e <> 3); new int x in while e > 0 do x := x + e * e; assert(x >= 0)";
    let folder = folder(&[("parts.ia", text)]);
    let ask = |seconds: &str| found(&folder, &["check", "parts.ia", "--all", "--time-limit", seconds]);
    assert!(!ask("1"));
    assert!(ask("1"));
    assert!(!ask("2"));
}

#[test]
fn a_damaged_entry_is_ignored_and_written_again() {
    let folder = folder(&[("age.ia", AGE)]);
    assert!(!found(&folder, &["check", "age.ia"]));
    let kept = || {
        let inner = std::fs::read_dir(folder.path().join("kept")).expect("a folder").next().expect("one");
        let inner = std::fs::read_dir(inner.expect("it is read").path()).expect("a folder").next();
        inner.expect("one").expect("it is read").path()
    };
    let whole = std::fs::read_to_string(kept()).expect("an entry");
    for damaged in ["", "{}", &whole[..whole.len() / 2], &whole.replace("UNSAFE", "SAFE"), "\u{0}"] {
        std::fs::write(kept(), damaged).expect("it is written");
        assert!(!found(&folder, &["check", "age.ia"]), "{damaged}");
        assert!(found(&folder, &["check", "age.ia"]), "{damaged}");
    }
}

#[test]
fn comparisons_are_kept() {
    let folder =
        folder(&[("a/x.ia", "skip"), ("b/x.ia", "skip; skip"), ("a/y.ia", "skip"), ("b/y.ia", "abort")]);
    assert!(!found(&folder, &["equiv", "a/x.ia", "b/x.ia"]));
    assert!(found(&folder, &["equiv", "a/x.ia", "b/x.ia"]));
    assert!(!found(&folder, &["approx", "a/x.ia", "b/x.ia"]), "another relation");
    assert!(!found(&folder, &["equiv", "b/x.ia", "a/x.ia"]), "another order");
    let folders = ["equiv", "a", "b", "-q", "--cache", "kept"];
    let (first, second) = (agon(folder.path(), &folders), agon(folder.path(), &folders));
    assert_eq!(said(&first).matches(NOTE).count(), 0, "names are others");
    assert_eq!((second.status.code(), said(&second).matches(NOTE).count()), (Some(1), 2));
    write(&folder, "b/x.ia", "skip; skip; skip");
    assert_eq!(said(&agon(folder.path(), &folders)).matches(NOTE).count(), 1);
}

/// The claims of a folder that come from the cache, by their files.
fn tested(folder: &TempDir) -> Vec<(String, bool)> {
    let output = agon(folder.path(), &["test", ".", "--cache", "kept", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let value: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let results = value["results"].as_array().expect("a list");
    let one =
        |result: &Value| (result["file"].as_str().expect("a name").to_string(), result["cached"] == true);
    results.iter().map(one).collect()
}

#[test]
fn a_changed_header_counts_for_what_includes_it() {
    let one = "//! safe\n#include \"one.h\"\nint f(int n) { return n / ONE; }\n";
    let two = "//! safe\n#include \"two.h\"\nint g(int n) { return n / TWO; }\n";
    let folder = folder(&[
        ("one.c", one),
        ("two.c", two),
        ("three.ia", "//! safe\nskip"),
        ("inc/one.h", "#define ONE 1\n"),
        ("inc/two.h", "#define TWO 2\n"),
        ("agon.toml", "include-directory = [\"first\", \"inc\"]\n"),
    ]);
    let all = |kept: [bool; 3]| {
        let names = ["one.c", "three.ia", "two.c"].map(String::from);
        names.into_iter().zip(kept).collect::<Vec<_>>()
    };
    assert_eq!(tested(&folder), all([false; 3]));
    assert_eq!(tested(&folder), all([true; 3]), "nothing has changed");
    write(&folder, "inc/one.h", "#define ONE 3\n");
    assert_eq!(tested(&folder), all([false, true, true]));
    assert_eq!(tested(&folder), all([true; 3]));
    write(&folder, "inc/two.h", "#define TWO 2\n// A comment moves no line.\n");
    assert_eq!(tested(&folder), all([true, true, false]), "messages show the text of headers");
    write(&folder, "first/two.h", "#define TWO 4\n");
    assert_eq!(tested(&folder), all([true, true, false]), "a header that stands before another one");
    let output = agon(folder.path(), &["test", ".", "--cache", "kept", "-q"]);
    assert_eq!(said(&output), "3 claims: 3 hold; 3 from the cache\n");
}

#[cfg(unix)]
#[test]
fn another_solver_counts() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder(&[("age.ia", AGE)]);
    let script = |text: &str| {
        write(&folder, "solver", text);
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.path().join("solver"), executable).expect("it is set");
    };
    script("#!/bin/sh\ncat > /dev/null\n");
    let ask = || found(&folder, &["check", "age.ia", "--solver", "./solver"]);
    assert!(!ask());
    assert!(ask());
    script("#!/bin/sh\n# another one\ncat > /dev/null\n");
    assert!(!ask());
}
