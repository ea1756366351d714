//! The rules of the rooms: which part of the house may know of which.

use std::path::{Path, PathBuf};

fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut waiting = vec![root];
    let mut found = Vec::new();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            for entry in std::fs::read_dir(&path).expect("sources can be listed") {
                waiting.push(entry.expect("sources can be listed").path());
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("sources can be read");
            found.push((path, text));
        }
    }
    assert!(!found.is_empty(), "{folder} has no sources");
    found
}

/// The code of a file, without comments and tests.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]").next().unwrap_or("");
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn never(folder: &str, words: &[&str]) {
    for (path, text) in sources(folder) {
        for word in words {
            assert!(!code(&text).contains(word), "{} mentions `{word}`", path.display());
        }
    }
}

#[test]
fn the_two_semantics_do_not_know_each_other() {
    never("crates/games/src/denote", &["machine"]);
    never("crates/games/src/denote.rs", &["machine"]);
    never("crates/games/src/machine", &["denote", "automaton"]);
}

#[test]
fn the_abstractions_do_not_know_each_other() {
    never("crates/check/src/interval.rs", &["partition", "Partitions"]);
    never("crates/check/src/partition.rs", &["crate::interval", "Intervals"]);
    never("crates/check/src/refine.rs", &["crate::interval", "crate::partition"]);
}

#[test]
fn programs_know_nothing_of_games() {
    for crate_ in ["base", "core", "ia"] {
        never(&format!("crates/{crate_}/src"), &["agon_games", "agon_solve", "strategy", "arena"]);
    }
}

#[test]
fn crates_look_to_the_left_only() {
    never("crates/core/src", &["agon_ia"]);
    never("crates/solve/src", &["agon_games", "agon_witness", "agon_check", "agon_learn"]);
    never(
        "crates/learn/src",
        &["agon_base", "agon_core", "agon_ia", "agon_solve", "agon_games", "agon_witness", "agon_check"],
    );
    never("crates/games/src", &["agon_witness", "agon_check"]);
    never("crates/witness/src", &["agon_check"]);
}

#[test]
fn only_the_tool_touches_the_world() {
    for crate_ in ["base", "core", "ia", "solve", "learn", "games", "witness", "check"] {
        let words =
            ["std::fs", "std::env", "std::process", "println!", "eprintln!", "serde_json", "std::net"];
        never(&format!("crates/{crate_}/src"), &words);
    }
}

#[test]
fn every_file_says_what_it_is() {
    for crate_ in ["base", "core", "ia", "solve", "learn", "games", "witness", "check", "tool"] {
        for (path, text) in sources(&format!("crates/{crate_}/src")) {
            assert!(text.starts_with("//! "), "{} does not say what it is", path.display());
        }
    }
}
