//! The grammar for syntax highlighting has the keywords of the language.

use std::collections::BTreeSet;
use std::path::Path;

use agon_ia::token::{Token, tokenize};

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(path).expect("the file is there")
}

/// The words of a pattern: `\b(if|then)\b` has two.
fn words(pattern: &str) -> impl Iterator<Item = String> + '_ {
    pattern.split(|c: char| !c.is_ascii_lowercase()).filter(|word| word.len() > 1).map(str::to_string)
}

#[test]
fn every_word_of_the_language_is_coloured_and_no_other() {
    let grammar: serde_json::Value =
        serde_json::from_str(&read("editors/vscode/syntaxes/agon.tmLanguage.json"))
            .expect("the grammar is JSON");
    let patterns = grammar["repository"]["words"]["patterns"].as_array().expect("there are patterns");
    let coloured: BTreeSet<String> =
        patterns.iter().flat_map(|pattern| words(pattern["match"].as_str().unwrap_or(""))).collect();
    for word in coloured.iter().filter(|word| *word != "iu") {
        let tokens = tokenize(word, &mut Vec::new());
        assert_ne!(tokens[0].0, Token::Name, "`{word}` is no word of the language");
    }
    let source = read("crates/ia/src/token.rs");
    let declared = source.split("#[token(\"").skip(1).filter_map(|rest| rest.split('"').next());
    let declared: Vec<_> = declared.filter(|word| word.chars().all(|c| c.is_ascii_lowercase())).collect();
    assert!(declared.len() > 35, "{} words", declared.len());
    for word in declared {
        assert!(coloured.contains(word), "`{word}` is not coloured");
    }
}
