//! Why two programs are equal: the relations between what they hold, as text and as data.

use std::fmt::Write;

use agon_base::source::{Source, Span};
use agon_check::equiv::{Holding, Proof, Side};

use crate::shape::comparison::{Aligned, Ranked, Related};

/// More positions than this are not written as text.
const MOST: usize = 12;

/// The place of a span, as it is written.
fn place(source: &Source, span: Option<Span>) -> Option<String> {
    let (line, column) = source.line_column(span?.start);
    Some(format!("{line}:{column}"))
}

/// Where a program waits, in words.
fn at(holding: &Holding, what: Compared) -> String {
    match (holding.at.as_str(), what) {
        ("", Compared::Programs) => "before the first move".into(),
        (name, Compared::Programs) => format!("while the environment is asked for `{name}`"),
        ("", Compared::Modules) => "at every turn of the environment".into(),
        (name, Compared::Modules) => format!("while `{name}` runs"),
    }
}

/// What was compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compared {
    /// Terms.
    Programs,
    /// Modules.
    Modules,
}

/// The relations as text.
pub fn text(proof: &Proof, sources: [&Source; 2], what: Compared) -> String {
    let mut text = String::new();
    if proof.walked.is_some() {
        let _ = writeln!(
            text,
            "\nThere are finitely many plays, whatever numbers are given, and all were looked at."
        );
    }
    let mut said: Vec<(String, String)> = Vec::new();
    for holding in proof.relations.iter().filter(|holding| !holding.holds.is_empty()) {
        let line = (at(holding, what), holding.holds.join(", "));
        if !said.contains(&line) {
            said.push(line);
        }
    }
    if !said.is_empty() {
        let _ = writeln!(text, "\nWhat always holds:\n");
    }
    for (at, holds) in said.iter().take(MOST) {
        let _ = writeln!(text, "  {at}: {holds}");
    }
    if said.len() > MOST {
        let _ = writeln!(text, "  and {} more, which `--format json` lists", said.len() - MOST);
    }
    for aligned in alignment(proof, sources) {
        let [first, second] = aligned.loops.map(|place| place.unwrap_or_else(|| "?".into()));
        let which = if aligned.runs == 1 { "first" } else { "second" };
        let _ =
            writeln!(text, "  of the loops at {first} (first) and {second} (second), the {which} runs alone");
    }
    for Ranked { program, at, falls } in ranks(proof, sources) {
        let which = if program == 1 { "first" } else { "second" };
        let at = at.map(|at| format!(" at {at}")).unwrap_or_default();
        let _ = writeln!(text, "  the loop{at} ({which}) ends, as this falls: {falls}");
    }
    text
}

/// The number of a program as it is written.
fn number(side: Side) -> u8 {
    match side {
        Side::Left => 1,
        Side::Right => 2,
    }
}

/// The relations as data.
pub fn data(proof: &Proof, sources: [&Source; 2]) -> Vec<Related> {
    let related = |holding: &Holding| Related {
        at: holding.at.clone(),
        places: [0, 1].map(|n| place(sources[n], holding.places[n])),
        alone: holding.alone.map(number),
        holds: holding.holds.clone(),
    };
    proof.relations.iter().map(related).collect()
}

/// How silent loops are gone through, as data.
pub fn alignment(proof: &Proof, sources: [&Source; 2]) -> Vec<Aligned> {
    let aligned = proof.alignment.iter().map(|aligned| Aligned {
        loops: [0, 1].map(|n| place(sources[n], aligned.loops[n])),
        runs: number(aligned.runs),
    });
    aligned.collect()
}

/// Why loops end, as data.
pub fn ranks(proof: &Proof, sources: [&Source; 2]) -> Vec<Ranked> {
    let ranked = proof.ranks.iter().map(|rank| Ranked {
        program: number(rank.side),
        at: place(sources[rank.side as usize], rank.place),
        falls: rank.number.clone(),
    });
    ranked.collect()
}
