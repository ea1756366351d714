//! Pairs of the corpus over wide data keep their verdicts with other names, other constants, and the sides exchanged.

use std::path::Path;

use crate::common::Sample;
use crate::common::types::interface;
use agon_base::budget::Budget;
use agon_check::equiv::{Comparison, Engine, Options, Relation, compare_with};

/// The folder of a pair, whether its programs are equal, and what is exchanged in both texts.
type Renamed = (&'static str, bool, &'static [(&'static str, &'static str)]);

/// Pairs, whether they are equal, and numbers that may be exchanged for others in both programs.
const PAIRS: &[Renamed] = &[
    ("account", true, &[]),
    ("diff", true, &[]),
    ("even-odd-cell", true, &[]),
    ("half", true, &[("2", "5")]),
    ("iterator-unfolded", true, &[]),
    ("locked-count", true, &[("1", "3")]),
    ("maxmin", true, &[]),
    ("maxmin-wraps", false, &[]),
    ("queue-shifted", true, &[]),
    ("reduced-loop", true, &[("5", "9")]),
    ("special-number", false, &[("1000", "123457")]),
    ("square-root", false, &[("1369", "2209")]),
    ("stack-reversed", true, &[]),
    ("strength", true, &[("3", "7")]),
    ("toggle-parity", true, &[]),
    ("unrolled", true, &[]),
    ("updown", true, &[("1", "4")]),
    ("updown-k", true, &[("7", "1234567")]),
];

/// Words that are no names.
const WORDS: &[&str] = &[
    "concurrent",
    "com",
    "var",
    "sem",
    "bool",
    "int",
    "i32",
    "u64",
    "if",
    "then",
    "else",
    "while",
    "do",
    "new",
    "in",
    "grab",
    "release",
    "not",
    "and",
    "or",
    "mod",
];

/// A text with other names and numbers.
fn rewritten(text: &str, name: impl Fn(&str) -> String, numbers: &[(&str, &str)]) -> String {
    let mut written = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len()).max(first.len_utf8());
        let (word, behind) = rest.split_at(length);
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let other = numbers.iter().find(|(old, _)| *old == word);
            written.push_str(other.map_or(word, |(_, new)| new));
        } else if word.starts_with(is_word) && !WORDS.contains(&word) {
            written.push_str(&name(word));
        } else {
            written.push_str(word);
        }
        rest = behind;
    }
    written
}

/// A program with other names: those of the environment's are the same in both programs, others are not.
fn renamed(text: &str, side: &str, numbers: &[(&str, &str)]) -> String {
    let known = text[..interface(text)].to_string();
    let of_environment =
        |name: &str| known.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == name);
    let name = |name: &str| match of_environment(name) {
        true => format!("their_{name}"),
        false => format!("{side}_{name}"),
    };
    rewritten(text, name, numbers)
}

fn text(folder: &str, file: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/equivalence");
    let text = std::fs::read_to_string(root.join(folder).join(file)).expect("the corpus can be read");
    let lines: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    lines.join("\n")
}

fn keeps_its_verdict(folder: &str, equal: bool, numbers: &[(&str, &str)]) {
    let left = Sample::new(renamed(&text(folder, "right.ia"), "a", numbers));
    let right = Sample::new(renamed(&text(folder, "left.ia"), "zz", numbers));
    let options = Options { engine: Engine::Auto, ..Options::new(Relation::Equivalence) };
    let budget = Budget::default().with_patience(2_000_000);
    let compared = compare_with(left.subject(), right.subject(), &options, &budget, &mut |_| {});
    let compared = compared.unwrap_or_else(|why| panic!("{why}\n{}\n---\n{}", left.text, right.text));
    match (&compared.comparison, equal) {
        (Comparison::Holds, true) | (Comparison::Differs(_), false) => {}
        (other, _) => panic!("{other:?}\n{}\n---\n{}", left.text, right.text),
    }
}

#[test]
fn names_constants_and_sides_make_no_difference() {
    for (folder, equal, numbers) in PAIRS {
        let began = std::time::Instant::now();
        keeps_its_verdict(folder, *equal, numbers);
        println!("{:6.2} s {folder}", began.elapsed().as_secs_f64());
    }
}
