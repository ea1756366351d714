//! Random pairs of concurrent programs: both walks over pairs agree with the minimal automata of whole models.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use agon_base::budget::{Budget, Threads};
use agon_base::random::Random;
use agon_core::bounds::bounds;
use agon_games::automaton::Automaton;
use agon_games::machine::Strands;
use agon_games::model::{Building, concurrent_model};
use agon_ia::elaborate::elaborate;
use agon_ia::parse::parse;
use agon_ia::read::Document;
use agon_ia::sample::concurrent as sample;
use agon_witness::verify::Program;

use super::concurrent::{compare, compare_on_the_fly};
use super::unfolding::name;
use crate::equiv::{Relation, comparable};
use crate::search::Progress;

/// A program, if it has a type and bounds.
fn typed(text: String) -> Option<Program<Document>> {
    let (program, diagnostics) = parse(&text);
    assert!(diagnostics.is_empty(), "{text}\n{diagnostics:?}");
    let judgement = elaborate(&program, &[]).0?;
    bounds(&judgement).ok()?;
    Some(Program::new(Document { text, program, overrides: Vec::new() }, judgement))
}

/// The minimal automaton of the complete plays of a program, if that is small.
fn model(program: &Program<Document>) -> Option<Automaton<String>> {
    let code = program.subject().code().ok()?;
    let mut strands = Strands::new(code, Arc::new(program.arena.clone()), true);
    let budget = &Budget::default();
    let building = Building { reduce: true, threads: Threads::new(1), largest: 5_000, budget };
    let built = concurrent_model(&mut strands, building).ok()?;
    Some(built.automaton.relabel(|m| name(&program.arena, m)))
}

/// The length of a shortest word of the left automaton that the right one does not have.
fn shortest(left: &Automaton<String>, right: &Automaton<String>) -> Option<usize> {
    let start = (left.initial, Some(right.initial));
    let mut seen = HashSet::from([start]);
    let mut waiting = VecDeque::from([(start, 0)]);
    while let Some(((a, b), length)) = waiting.pop_front() {
        if left.accepting[a as usize] && !b.is_some_and(|b| right.accepting[b as usize]) {
            return Some(length);
        }
        for (letter, to) in left.edges(a) {
            let pair = (*to, b.and_then(|b| right.after(b, &left.letters[*letter as usize])));
            if seen.insert(pair) {
                waiting.push_back((pair, length + 1));
            }
        }
    }
    None
}

/// Ways to write a command differently, without or with a difference.
const REWRITES: &[&str] = &[
    "{ M }; skip",
    "{ M } || skip",
    "(fun a9 : com . a9)(M)",
    "new int%2 z9 in { { z9 := 1 || skip }; { M } }",
    "new int%2 z9 in { { z9 := 1 || z9 := 0 }; if z9 then { M } else { M } }",
    "new int%2 z9 in { { z9 := 1 || z9 := 0 }; if z9 then { M } else skip }",
    "sem k9; { grab(k9); { M } }",
    "sem k9; { grab(k9); { M }; grab(k9) }",
    "{ M }; { M }",
    "if 0 then { M }",
    "{ M } || diverge",
    "{ M } || abort",
];

#[test]
fn walks_over_pairs_agree_with_whole_models() {
    let budget = Budget::default();
    let (mut equal, mut different, mut longest) = (0, 0, 0);
    for seed in 0..1200 {
        let mut random = Random::new(seed);
        let text = sample(seed, 2 + (seed % 9) as usize);
        let (context, body) = text.split_once("|-\n").map_or(("concurrent", &text[11..]), |(c, b)| (c, b));
        let turnstile = if context == "concurrent" { "" } else { "|-" };
        let mut write = || {
            let body = if random.one_in(4) { body.replacen("||", ";", 1) } else { body.to_string() };
            let body = if random.one_in(4) { body.replacen(":= 1", ":= 0", 1) } else { body };
            let body = REWRITES[random.below(REWRITES.len())].replace('M', &body);
            typed(format!("{context} {turnstile} {{ {body} }}"))
        };
        let (Some(left), Some(right)) = (write(), write()) else { continue };
        if comparable(&left.arena, &right.arena).is_err() {
            continue;
        }
        let (Some(a), Some(b)) = (model(&left), model(&right)) else { continue };
        let subjects = [left.subject(), right.subject()];
        let place = format!("seed {seed}\n{}\n---\n{}", left.language.text, right.language.text);
        let (there, back) = (shortest(&a, &b), shortest(&b, &a));
        for (relation, expected) in
            [(Relation::Approximation, there), (Relation::Equivalence, there.into_iter().chain(back).min())]
        {
            let whole = compare(subjects, relation, &budget, &mut |_| {}, &mut Progress::default());
            let on_the_fly = compare_on_the_fly(subjects, relation, &budget);
            let [whole, on_the_fly] = [whole, on_the_fly].map(|found| {
                let found = found.unwrap_or_else(|why| panic!("{place}\n{why:?}"));
                found.map(|(_, play)| play.moves.len())
            });
            assert_eq!((whole, on_the_fly), (expected, expected), "{relation:?}\n{place}");
        }
        match there.or(back) {
            None => equal += 1,
            Some(length) => {
                different += 1;
                longest = longest.max(length);
            }
        }
    }
    assert!(equal > 100 && different > 100 && longest > 5, "{equal} equal, {different} different, {longest}");
}
