//! The page of each diagnostic shows a program that has it, and one that has it no more.

use std::path::Path;

use agon::session::Session;
use agon_check::question::Order;
use agon_lang::diagnostic::{Code, Diagnostic};
use agon_lang::int::Int;
use agon_lang::source::Source;

/// The fenced blocks of a page: the words behind the fence, and the text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(info) = line.strip_prefix("```agon") {
            let text: Vec<_> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
            blocks.push((info.trim().to_string(), text.join("\n")));
        }
    }
    blocks
}

/// What is said about a program, called with the options that a block gives.
fn said(info: &str, text: &str) -> Vec<Diagnostic> {
    let words: Vec<_> = info.split_whitespace().collect();
    let option = |name: &str| words.iter().position(|word| *word == name).map(|at| words[at + 1].to_string());
    let overrides = option("-D").map(|text| {
        let (name, value) = text.split_once('=').expect("NAME=VALUE");
        (name.to_string(), Int::parse(value).expect("a number"))
    });
    match Session::open(Source::new("page", text), overrides.into_iter().collect()) {
        Err((_, diagnostics)) => diagnostics,
        Ok(session) => {
            let mut said = session.warnings.clone();
            match session.question(&option("--target").unwrap_or_else(|| "abort".into()), Order::Fixed) {
                Err(diagnostic) => said.push(diagnostic),
                Ok(_) => {
                    if let Err(refusal) = agon_games::machine::compile(&session.judgement, &session.arena) {
                        said.push(Diagnostic::error(Code::NoEngine, refusal.what, refusal.span, ""));
                    }
                }
            }
            said
        }
    }
}

#[test]
fn every_page_shows_its_diagnostic_and_its_repair() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/diagnostics");
    let mut shown = 0;
    for code in Code::ALL {
        let page = std::fs::read_to_string(folder.join(format!("{code}.md"))).expect("every code has a page");
        assert!(page.lines().count() > 4, "the page of {code} says nothing");
        for (info, text) in blocks(&page) {
            let codes: Vec<_> = said(&info, &text).into_iter().map(|diagnostic| diagnostic.code).collect();
            if info.starts_with("fixed") {
                assert!(codes.is_empty(), "{code}, repaired: {codes:?}\n{text}");
            } else {
                assert!(codes.contains(code), "{code}: {codes:?}\n{text}");
                shown += 1;
            }
        }
    }
    assert!(shown + 4 >= Code::ALL.len(), "{shown} diagnostics are shown");
}
