//! What documents say of the code: the calls that ARCHITECTURE.md lists are of functions that exist, in the files that it
//! names; and so are the names in the ledger of papers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use regex::Regex;

mod tree;

/// The heading of the section, as a line begins with it.
const SECTION: &str = "## The way of a program\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The tables of the section, each with the text around it.
fn tables() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("it can be read");
    let (_, rest) = text.split_once(SECTION).expect("there is such a section");
    let section = rest.split("\n## ").next().unwrap_or(rest);
    section.split("\n### ").skip(1).map(String::from).collect()
}

/// The calls of a table: a file and a function each. Every line that begins with a number must name both.
fn calls(table: &str) -> Vec<(String, String)> {
    let row =
        Regex::new(r"^\| \d+ \|( \d+)? \| `([\w/]+\.rs)` \| `([\w:]+)` \| \S.* \|$").expect("a pattern");
    let rows = table.lines().filter(|line| line.starts_with("| ") && line[2..].starts_with(char::is_numeric));
    let call = |line: &str| {
        let found = row.captures(line).unwrap_or_else(|| panic!("no file and function are named: {line}"));
        (found[2].to_string(), found[3].to_string())
    };
    rows.map(call).collect()
}

/// Whether a text defines a function: `f` outside of all blocks, `T::f` in an `impl` that names `T`.
fn defines(text: &str, function: &str) -> bool {
    let pattern = |text: String| Regex::new(&text).expect("a pattern");
    let head =
        |indent: &str, name: &str| pattern(format!(r"(?m)^{indent}(pub(\([^)]*\))? )?(async )?fn {name}\b"));
    let Some((owner, name)) = function.split_once("::") else { return head("", function).is_match(text) };
    let blocks = pattern(format!(r"(?m)^impl\b[^{{]*\b{owner}\b[^{{]*\{{$"));
    let method = head("    ", name);
    blocks.find_iter(text).any(|block| {
        let body = text[block.end()..].split("\n}").next().unwrap_or("");
        method.is_match(body)
    })
}

#[test]
fn the_functions_on_the_way_of_a_program_exist() {
    let tables = tables();
    assert_eq!(tables.len(), 5, "a check, a module, a comparison, predicates, a request");
    for (file, function) in tables.iter().flat_map(|table| calls(table)) {
        let text = std::fs::read_to_string(root().join("crates").join(&file));
        let text = text.unwrap_or_else(|error| panic!("{file} cannot be read: {error}"));
        assert!(defines(&text, &function), "{file} has no function `{function}`");
    }
    let first = calls(&tables[0]);
    let files: BTreeSet<&String> = first.iter().map(|(file, _)| file).collect();
    let said = format!("There are {} calls in {} files", first.len(), files.len());
    assert!(tables[0].contains(&said), "the text should say: {said}");
}

/// The paths of all files of Rust, without `src`.
fn files() -> Vec<String> {
    let shown = |path: &PathBuf| path.display().to_string().replace("/src/", "/");
    tree::files(&root().join("crates"), "rs").iter().map(shown).collect()
}

#[test]
fn the_files_that_documents_name_exist() {
    let files = files();
    let named = Regex::new(r"`([\w/-]+\.rs)`").expect("a pattern");
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/papers.md"] {
        let text = std::fs::read_to_string(root().join(document)).expect("it can be read");
        for found in named.captures_iter(&text) {
            let file = format!("/{}", found[1].replace("/src/", "/").replace("src/", ""));
            assert!(files.iter().any(|path| path.ends_with(&file)), "{document} names {}", &found[1]);
        }
    }
}

/// The names that the ledger of papers has behind a file are in that file.
#[test]
fn the_names_in_the_ledger_are_in_their_files() {
    let text = std::fs::read_to_string(root().join("docs/papers.md")).expect("it can be read");
    let named = Regex::new(r"`(crates/[\w/-]+\.rs)`((?:,? `[\w:]+`)+)").expect("a pattern");
    let name = Regex::new(r"`(?:\w+::)*(\w+)`").expect("a pattern");
    let mut count = 0;
    for found in named.captures_iter(&text) {
        let file = std::fs::read_to_string(root().join(&found[1])).expect("it can be read");
        for name in name.captures_iter(&found[2]) {
            let word = Regex::new(&format!(r"\b{}\b", &name[1])).expect("a pattern");
            assert!(word.is_match(&file), "{} has no `{}`", &found[1], &name[1]);
            count += 1;
        }
    }
    assert!(count > 100, "only {count} names were found");
}

#[test]
fn a_function_that_does_not_exist_is_noticed() {
    let text = "pub fn free() {}\n\nimpl<'a> Shown for Kind<'a> {\n    fn method(&self) {}\n}\n";
    for (function, exists) in [("free", true), ("fre", false), ("method", false), ("Kind::free", false)] {
        assert_eq!(defines(text, function), exists, "{function}");
    }
    assert!(defines(text, "Kind::method") && !defines(text, "Other::method"));
}
