//! Components: which part of a program is checked on its own, and why that one [AG, §5.1].

use agon_core::split::{Candidate, Reach, Split, candidates, split};
use agon_core::term::{Judgement, Mode, TermId, Terms};

use crate::refine::assume::Component;

/// The parts that can be checked on their own, best first: those with which neither half is large.
pub fn ranked(judgement: &Judgement) -> Vec<Component> {
    if judgement.mode == Mode::Concurrent {
        return Vec::new();
    }
    let whole = size(&judgement.terms, judgement.body);
    let mut found: Vec<_> = candidates(judgement)
        .into_iter()
        .filter_map(|candidate| {
            let split = split(judgement, candidate.term, &candidate.ty, Reach::Used).ok()?;
            let part = size(&split.part.terms, split.part.body);
            let rest = size(&split.rest.terms, split.rest.body);
            Some((part.max(rest), split.given.len(), part, candidate, split))
        })
        .collect();
    // Those that are written first come first among equals.
    found.sort_by_key(|(larger, given, ..)| (*larger, *given));
    let count = found.len();
    let chosen = found.into_iter().map(|(_, _, part, candidate, split)| {
        let shared = shared(&split);
        let why = match count {
            1 => format!("it is the only definition or argument to choose; it {shared}"),
            _ => format!(
                "of {count} definitions and arguments it divides the program most evenly, {part} terms of {whole}, \
                 and {shared}"
            ),
        };
        Component { name: candidate.name, split, why: Some(why) }
    });
    chosen.collect()
}

/// What a part shares with the rest, in words.
fn shared(split: &Split) -> String {
    let names: Vec<String> =
        split.given.iter().map(|var| format!("`{}`", split.part.terms.variable(*var).name)).collect();
    match &names[..] {
        [] => "shares nothing with the rest".into(),
        _ => format!("shares {} with the rest", names.join(", ")),
    }
}

/// The names of the parts of a program that can be checked on their own.
pub fn names(judgement: &Judgement) -> Vec<String> {
    match judgement.mode {
        Mode::Concurrent => Vec::new(),
        Mode::Sequential => candidates(judgement).into_iter().map(|candidate| candidate.name).collect(),
    }
}

/// The part of a name, or why it cannot be checked on its own.
pub fn named(judgement: &Judgement, name: &str, reach: Reach) -> Result<Component, String> {
    if judgement.mode == Mode::Concurrent {
        return Err("parts of concurrent programs are not checked on their own".into());
    }
    let all = candidates(judgement);
    let Some(Candidate { term, ty, .. }) = all.iter().find(|candidate| candidate.name == name) else {
        let names: Vec<_> = all.iter().map(|candidate| format!("`{}`", candidate.name)).collect();
        return Err(match &names[..] {
            [] => format!("there is no `{name}`: the program has no definitions and no arguments to choose"),
            _ => format!("there is no `{name}`; there are {}", names.join(", ")),
        });
    };
    at(judgement, *term, ty, name, reach)
}

/// The part that a term is.
pub fn at(
    judgement: &Judgement,
    term: TermId,
    ty: &agon_core::types::Type,
    name: &str,
    reach: Reach,
) -> Result<Component, String> {
    match split(judgement, term, ty, reach) {
        Ok(split) => Ok(Component { name: name.into(), split, why: None }),
        Err(why) => Err(format!("`{name}` cannot be checked on its own: {why}")),
    }
}

/// How many terms a term has.
fn size(terms: &Terms, root: TermId) -> usize {
    terms.within(root).count()
}
