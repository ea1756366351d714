//! `agon test`: claims that hold, that are wrong, that cannot be decided and that cannot be read, in programs of both languages.

mod schema;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the root is there")
}

fn agon(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
    command.current_dir(folder).env("NO_COLOR", "1").args(arguments).output().expect("agon can be run")
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("it is text")
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
        std::fs::write(path, text).expect("a file is written");
    }
    folder
}

const AGE: &str = "age : int%120 |- assert(age < 100)";
const LIBRARY: &str = "int limit(int n);\n#ifdef FIXED\nint f(int n) { return n == 0 ? 0 : 6 / n; }\n#else\nint f(int n) { return 6 / n; }\n#endif\n";

#[test]
fn claims_that_hold_are_listed_and_counted() {
    let folder = folder(&[
        ("age.ia", &format!("//! unsafe: run · age.q · age.100 · abort\n{AGE}")),
        ("left.ia", "//! safe\n//! equivalent: right.ia\nskip; skip"),
        ("right.ia", "//! safe\n//! stuck: no\nconcurrent skip || skip"),
        ("sub/lib.c", &format!("//! unsafe\n//! with -DFIXED: safe\n{LIBRARY}")),
        ("sub/plain.ia", "skip"),
        ("sub/doc.c", "//! \\file doc.c\nint x;\n"),
        (".hidden/wrong.ia", "//! unsafe\nskip"),
        ("notes.txt", "//! unsafe\n"),
    ]);
    std::fs::write(folder.path().join("right.ia"), "//! safe\nskip").expect("a file is written");
    let output = agon(folder.path(), &["test", "."]);
    let wanted = "\
holds    age.ia  unsafe
holds    left.ia  safe
holds    left.ia  equivalent: right.ia
holds    right.ia  safe
holds    sub/lib.c  unsafe
holds    sub/lib.c  with -DFIXED: safe
6 claims: 6 hold; 2 files claim nothing
";
    assert_eq!((output.status.code(), said(&output).as_str()), (Some(0), wanted));
    let quiet = agon(folder.path(), &["test", ".", "-q", "--jobs", "1"]);
    assert_eq!(said(&quiet), "6 claims: 6 hold; 2 files claim nothing\n");
    assert!(quiet.stderr.is_empty());
}

#[test]
fn a_claim_that_is_wrong_says_what_was_found_and_how_to_see_it() {
    let folder = folder(&[
        ("age.ia", &format!("//! safe\n//! unsafe age.q: any\n{AGE}")),
        ("play.ia", &format!("//! unsafe: run · age.q · age.101 · abort\n{AGE}")),
        ("pair.ia", "//! equivalent: other.ia\nskip"),
        ("other.ia", "abort"),
        ("two words.c", &format!("//! with -DFIXED: unsafe\n//! refused: E0611\n{LIBRARY}")),
    ]);
    let output = agon(folder.path(), &["test", "."]);
    let wanted = "\
WRONG    age.ia  safe
         UNSAFE  `assert(age < 100)` fails: age = 100 from the environment
         agon check age.ia
holds    age.ia  unsafe age.q
WRONG    pair.ia  equivalent: other.ia
         INEQUIVALENT
         agon equiv pair.ia other.ia
WRONG    play.ia  unsafe
         the play is run · age.q · age.100 · abort
         agon check play.ia --engine explicit --order shortest
WRONG    two words.c  with -DFIXED: unsafe
         SAFE
         agon check 'two words.c' -DFIXED
WRONG    two words.c  refused: E0611
         it is read
         agon check 'two words.c'
6 claims: 1 hold, 5 wrong; 1 file claims nothing
";
    assert_eq!((output.status.code(), said(&output).as_str()), (Some(1), wanted));
}

#[test]
fn what_cannot_be_decided_or_read_has_its_status() {
    let folder = folder(&[
        ("slow/slow.ia", "//! safe\ne : int |- new int x in while e > 0 do x := x + e * e; assert(x >= 0)"),
        ("slow/agon.toml", "time-limit = 0\n"),
        ("typo.ia", "//! sfae\nskip"),
        ("broken.ia", "//! safe\nskip ("),
        ("empty.ia", "skip"),
    ]);
    let status = |arguments: &[&str]| {
        let output = agon(folder.path(), &[&["test"], arguments].concat());
        (output.status.code(), said(&output))
    };
    let (code, text) = status(&["slow"]);
    assert_eq!(code, Some(3), "the settings beside the program count: {text}");
    assert!(text.starts_with("UNKNOWN  slow/slow.ia  safe\n"), "{text}");
    let (code, text) = status(&["typo.ia"]);
    assert_eq!(
        (code, text.as_str()),
        (Some(2), "ERROR    typo.ia\n         no such claim: `sfae`\n1 claim: 0 hold, 1 with errors\n")
    );
    let (code, text) = status(&["broken.ia"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("broken.ia:2:7: E0002"), "{text}");
    let (code, text) = status(&["empty.ia"]);
    assert_eq!(code, Some(2), "a file that is named must claim something");
    assert!(text.contains("it claims nothing"), "{text}");
    let (code, text) = status(&["none.ia"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("it cannot be read"), "{text}");
    assert_eq!(status(&["none/"]).0, Some(2));
    assert_eq!(status(&["."]).0, Some(2), "the worst of all");
    std::fs::create_dir(folder.path().join("nothing")).expect("a folder is made");
    assert_eq!(status(&["nothing"]).0, Some(2));
}

#[test]
fn a_filter_takes_claims_and_files() {
    let folder = folder(&[
        ("age.ia", &format!("//! unsafe\n//! unsafe age.q: any\n{AGE}")),
        ("skip.ia", "//! safe\nskip"),
    ]);
    let text = |arguments: &[&str]| said(&agon(folder.path(), &[&["test", "."], arguments].concat()));
    assert_eq!(text(&["--filter", "age.q"]), "holds    age.ia  unsafe age.q\n1 claim: 1 hold\n");
    assert_eq!(text(&["--filter", "skip"]), "holds    skip.ia  safe\n1 claim: 1 hold\n");
    assert_eq!(text(&["--filter", "skip", "--filter", "age"]).lines().count(), 4);
    let none = agon(folder.path(), &["test", ".", "--filter", "nothing like it"]);
    assert_eq!(none.status.code(), Some(2));
}

#[test]
fn results_are_written_as_json_and_junit() {
    let folder = folder(&[
        ("age.ia", &format!("//! safe\n//! skip auto: it would take long\n{AGE}")),
        ("lib.c", &format!("//! safe\n{LIBRARY}")),
        ("skip.ia", "//! safe\nskip"),
        ("none.ia", "skip"),
    ]);
    let output = agon(folder.path(), &["test", ".", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let value: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let _: agon::shape::tests::Tests = schema::read(&schema::schema("tests"), &value, "results");
    let outcomes: Vec<&str> = (value["results"].as_array().expect("a list").iter())
        .map(|result| result["outcome"].as_str().expect("a word"))
        .collect();
    assert_eq!(outcomes, ["skipped", "wrong", "holds"]);
    assert_eq!(value["without_claims"][0], "none.ia");
    let output = agon(folder.path(), &["test", ".", "--format", "junit", "-o", "out.xml"]);
    assert_eq!((output.status.code(), said(&output).as_str()), (Some(1), ""));
    let xml = std::fs::read_to_string(folder.path().join("out.xml")).expect("it is there");
    for part in [
        "tests=\"3\" skipped=\"1\" failures=\"1\" errors=\"0\"",
        "<skipped",
        "name=\"lib.c\"",
        "agon check lib.c",
    ] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
}

/// The reader is that of the corpus, so its programs can be tested by the command as well.
#[test]
fn a_part_of_the_corpus_keeps_its_claims() {
    let folders =
        ["corpus/papers", "corpus/equivalence", "corpus/environment", "corpus/modules", "corpus/threads"];
    let output = agon(&root(), &[&["test"], &folders[..], &["-q", "--time-limit", "60"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = said(&output);
    let count: usize = text.split(' ').next().and_then(|word| word.parse().ok()).expect("a number");
    assert!(count > 100 && text.lines().count() == 1, "{text}");
}
