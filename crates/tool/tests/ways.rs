//! The calls that ARCHITECTURE.md lists for some runs are calls of functions that exist, in the files that it names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use regex::Regex;

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

#[test]
fn a_function_that_does_not_exist_is_noticed() {
    let text = "pub fn free() {}\n\nimpl<'a> Shown for Kind<'a> {\n    fn method(&self) {}\n}\n";
    for (function, exists) in [("free", true), ("fre", false), ("method", false), ("Kind::free", false)] {
        assert_eq!(defines(text, function), exists, "{function}");
    }
    assert!(defines(text, "Kind::method") && !defines(text, "Other::method"));
}
