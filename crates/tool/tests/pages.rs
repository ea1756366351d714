//! The page of each diagnostic has a program with the diagnostic, and a repaired one.

use std::path::Path;

use agon::render::answer::blamed;
use agon::render::checks::unreached;
use agon::session::Session;
use agon_base::budget::Budget;
use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Source;
use agon_c::read::{Unit, read};
use agon_check::portfolio::Engine;
use agon_check::question::Order;
use agon_check::refine::RefinementOptions;
use agon_check::verdict::Verdict;
use agon_core::bounds::bounds;

/// The fenced blocks of a page, also those in lists: the words after the fence, and the text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        if let Some(info) = line.trim_start().strip_prefix("```agon") {
            let text = lines.by_ref().take_while(|line| !line.trim_start().starts_with("```"));
            let text: Vec<_> = text.map(|line| line.get(indent..).unwrap_or_default()).collect();
            blocks.push((info.trim().to_string(), text.join("\n")));
        }
    }
    blocks
}

/// The diagnostics of a program, with the options of its block.
fn said(info: &str, text: &str) -> Vec<Diagnostic> {
    let words: Vec<_> = info.split_whitespace().collect();
    if words.contains(&"c") {
        let unit = Unit { name: "page.c".into(), text: text.into() };
        return read(&[unit], &|_| None, &Default::default())
            .map_or_else(|(_, wrong)| wrong, |page| page.warnings);
    }
    let option = |name: &str| words.iter().position(|word| *word == name).map(|at| words[at + 1].to_string());
    let overrides = option("-D").map(|text| {
        let (name, value) = text.split_once('=').expect("NAME=VALUE");
        (name.to_string(), Int::parse(value).expect("a number"))
    });
    match Session::open(Source::new("page", text), overrides.into_iter().collect()) {
        Err((_, diagnostics)) => diagnostics,
        Ok(session) => {
            let mut said = session.warnings.clone();
            // Some pages are about typing only.
            if words.contains(&"typing") {
                said.extend(bounds(&session.judgement).err().unwrap_or_default());
                return said;
            }
            match session.question(&option("--target").unwrap_or_else(|| "abort".into()), Order::Fixed) {
                Err(diagnostic) => said.push(diagnostic),
                Ok(question) => {
                    said.extend(session.code().err().and_then(|refused| blamed(&refused.into())));
                    // Some pages are about warnings of a search.
                    if words.contains(&"check") {
                        let (effort, budget) = (RefinementOptions::default(), Budget::default());
                        let report = session.check(&question, Engine::Auto, &effort, &budget, &mut |_| {});
                        said.extend(unreached(&question, &report));
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
    assert!(shown + 6 >= Code::ALL.len(), "{shown} diagnostics are shown");
}

/// Every example of the language reference has the answer of its first line.
#[test]
fn the_examples_of_the_language_reference_are_as_they_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/language.md");
    let page = std::fs::read_to_string(path).expect("there is a language reference");
    let mut checked = 0;
    for (_, text) in blocks(&page) {
        let Some(claim) = text.lines().next().and_then(|line| line.strip_prefix("// ")) else { continue };
        let (claim, target) = claim.split_once(" --target ").unwrap_or((claim, "abort"));
        let claim = claim.rsplit(", then ").next().unwrap_or(claim);
        match Session::open(Source::new("page", &*text), vec![]) {
            Err((_, diagnostics)) => {
                let codes: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.code.number()).collect();
                assert!(codes.iter().any(|code| claim.starts_with(code)), "{claim}: {codes:?}\n{text}");
            }
            Ok(session) => {
                let question =
                    session.question(target, Order::Shortest).unwrap_or_else(|why| panic!("{why:?}"));
                let budget = Budget::default();
                let report = session.check(
                    &question,
                    Engine::Auto,
                    &RefinementOptions::default(),
                    &budget,
                    &mut |_| {},
                );
                let said = match &report.verdict {
                    Verdict::Safe => "SAFE".to_string(),
                    Verdict::Unknown(_) => "UNKNOWN".to_string(),
                    Verdict::Unsafe(play, _) => {
                        let moves: Vec<_> = play.moves.iter().map(|m| session.arena.show(m)).collect();
                        format!("UNSAFE: {}", moves.join(" · "))
                    }
                };
                assert!(said == claim || (claim == "UNSAFE" && said.starts_with("UNSAFE")), "{said}\n{text}");
            }
        }
        checked += 1;
    }
    assert!(checked >= 30, "{checked} examples");
}
