//! Counts of what the code should have few of, with ceilings that are lowered with the counts.
//!
//! `cargo test -p agon --test counts -- --nocapture` prints the counts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use regex::Regex;

use tree::files;

mod tree;

/// What is counted, and its ceiling. A change that lowers a count lowers its ceiling.
///
/// The worklists are no explorations of a game: closures that are still to be compiled, the strands that one step starts, and
/// the silent closure of a subset, which is the subset itself.
const CEILINGS: [(&str, usize); 11] = [
    ("types of a step", 1),
    ("worklists", 3),
    ("types of a stop reason", 3),
    ("methods of the largest trait", 10),
    ("closures asked whether to stop", 0),
    ("files that ask for the mode", 28),
    ("places that compile", 4),
    ("ids that are bare integers", 0),
    ("crates whose casts may truncate unseen", 1),
    ("casts that truncate, each with its reason", 3),
    ("uses of interior mutability in engines", 0),
];

/// Names that have meant one step of a game.
const STEPS: &str = "Reaction|Transition|Act|Deed|Event|Done|Way|Step|Taken|Leg";
/// Names that have meant why something ended.
const STOPS: &str =
    "Stop|Cut|Halt|Interrupted|Ending|Limit|Reason|NoModel|Refusal|Refused|Full|Alone|End|NoAbstraction";

/// The line of a crate in which no cast may lose bits, unless it says why.
const NO_TRUNCATION: &str = "#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every file of Rust, by its path from the root.
fn sources() -> BTreeMap<String, String> {
    let source = |path: PathBuf| {
        let name = path.strip_prefix(root()).expect("it is below the root").display().to_string();
        (name, std::fs::read_to_string(&path).expect("the file can be read"))
    };
    files(&root().join("crates"), "rs").into_iter().map(source).collect()
}

/// The code of a file without its tests.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text)
}

/// The most methods of a trait in a file, with its name.
fn largest_trait(text: &str) -> Option<(usize, String)> {
    let head = Regex::new(r"^(?:pub(?:\([^)]*\))? )?trait (\w+)").expect("a pattern");
    let mut largest = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(found) = head.captures(line).filter(|_| !line.ends_with('}')) else { continue };
        let methods =
            lines.by_ref().take_while(|line| *line != "}").filter(|line| line.starts_with("    fn "));
        largest = largest.max(Some((methods.count(), found[1].to_string())));
    }
    largest
}

#[test]
fn the_house_has_no_more_of_them_than_it_may() {
    let all = sources();
    let sources: BTreeMap<&str, &str> = all
        .iter()
        .filter(|(name, _)| name.contains("/src/") && !name.ends_with("/tests.rs"))
        .map(|(name, text)| (name.as_str(), without_tests(text)))
        .collect();
    // The reference semantics follows the papers.
    let engines = |name: &str| {
        ["crates/check/", "crates/games/", "crates/machine/", "crates/witness/"]
            .iter()
            .any(|room| name.starts_with(room))
            && !name.contains("/denote")
    };
    let count = |pattern: &str, counts: &dyn Fn(&str) -> bool| {
        let pattern = Regex::new(pattern).expect("a pattern");
        let files = sources.iter().filter(|(name, _)| counts(name));
        files.map(|(_, text)| pattern.find_iter(text).count()).sum::<usize>()
    };
    let files_with = |pattern: &str| {
        let pattern = Regex::new(pattern).expect("a pattern");
        sources.values().filter(|text| pattern.is_match(text)).count()
    };
    let worklist = r"while let Some\([^=]*\) =\s[^\n{]*\b(pop|pop_front|pop_back|first_entry|next)\(\)|while let Some\(mut \w+\) = \w+\.first_entry|while \(?(self\.)?\w+( as usize\))? < [\w.]*\b(len|count)\(\)";
    let largest = sources.values().filter_map(|text| largest_trait(text)).max().expect("there are traits");
    let counts = [
        count(&format!(r"(?m)^\s*(pub(\([^)]*\))? )?(struct|enum) ({STEPS})\b"), &engines),
        count(worklist, &engines),
        count(&format!(r"(?m)^\s*(pub(\([^)]*\))? )?(struct|enum) ({STOPS})\b"), &|name| {
            !name.starts_with("crates/solve/")
        }),
        largest.0,
        count(r"dyn Fn(Mut)?\(\) -> bool", &|_| true),
        files_with(r"\bMode::"),
        count(r"\b(compile|compile_any)\(", &|name| !name.ends_with("/compile.rs")),
        count(r"(?m)^(pub(\([^)]*\))? )?type \w+ = [ui](8|16|32|64|size);", &|_| true),
        sources
            .iter()
            .filter(|(name, text)| name.ends_with("/src/lib.rs") && !text.contains(NO_TRUNCATION))
            .count(),
        count(r"(expect|allow)\(clippy::cast_possible_truncation", &|_| true),
        count(r"\bstd::cell\b|\bthread_local!", &|name| {
            ["crates/check/", "crates/games/", "crates/witness/"].iter().any(|room| name.starts_with(room))
        }),
    ];
    let mut report = String::new();
    let mut exceeded = Vec::new();
    for ((what, ceiling), count) in CEILINGS.into_iter().zip(counts) {
        let _ = writeln!(report, "{count:>7} {what} (at most {ceiling})");
        if count > ceiling {
            exceeded.push(what);
        }
    }
    // Lines have no ceiling: a feature adds some.
    let lines: usize = all.values().map(|text| text.lines().count()).sum();
    println!("{report}{lines:>7} lines of Rust\n        the largest trait is `{}`", largest.1);
    assert!(exceeded.is_empty(), "more than there may be: {exceeded:?}\n{report}");
}
