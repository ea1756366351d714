//! Random pairs of programs, many equivalent by construction, many mutated: the walk over pairs, the minimal
//! automata and the reference semantics agree about all of them.

use std::sync::Arc;

use crate::common::Sample;
use agon_base::budget::Budget;
use agon_base::random::Random;
use agon_check::equiv::{Comparison, Relation, compare};
use agon_check::verdict::Reason;
use agon_games::automaton::Automaton;
use agon_games::denote::denote;
use agon_games::machine::{Machine, compile};
use agon_games::model::model;
use agon_games::moves::Move;
use agon_games::values::Exact;
use agon_ia::sample::commands;

fn machine(sample: &Sample) -> Machine<Exact> {
    let code = compile(&sample.judgement, &sample.arena).expect("the program is sequential");
    Machine::new(Arc::new(code), Arc::new(sample.arena.clone()), Exact::default())
}

fn modelled(sample: &Sample) -> Option<Automaton<Move>> {
    let budget = Budget::default().with_patience(300);
    model(&mut machine(sample), 20_000, &budget).ok().map(|(model, _)| model)
}

/// Ways to write a command differently, without or with a difference.
const REWRITES: &[&str] = &[
    "{ M }; skip",
    "let c9 = { M } in c9",
    "(fun a9 : com . a9)(M)",
    "new int%3 z9 := 1 in { M }",
    "new int%2 z9 in { M }; z9 := 1",
    "break l9 . { { M }; goto l9 }",
    "new int%2 z9 in while z9 = 0 do { z9 := 1; { M } }",
    "if 1 then { M } else abort",
    "M",
    "{ M }; { M }",
    "{ M }; { N }",
    "{ N }; { M }",
    "if 0 then { M } else { N }",
    "new int%3 z9 in { M }; z9 := z9 + 1; { N }",
    "N",
];

fn run(seeds: std::ops::Range<u64>) -> (usize, usize, usize) {
    let (mut equal, mut different, mut shown) = (0, 0, 0);
    for seed in seeds {
        let mut random = Random::new(seed);
        let (context, terms) = commands(seed, 2 + (seed % 7) as usize, 2);
        // Every other pair has some of its identifiers as parameters.
        let names: Vec<&str> = context.split(", ").filter(|binding| !binding.is_empty()).collect();
        let free = if seed % 2 == 0 { names.len() } else { random.below(names.len() + 1) };
        let (free, parameters) = names.split_at(free);
        let head = match parameters {
            [] => String::new(),
            _ => format!("fun {} . ", parameters.join(", ")),
        };
        let mut write = || {
            let rewrite = REWRITES[random.below(REWRITES.len())];
            let body = rewrite.replace('M', &terms[0]).replace('N', &terms[1]);
            Sample::new(format!("{} |- {head}{{ {body} }}", free.join(", ")))
        };
        let (left, right) = (write(), write());
        let (Some(first), Some(second)) = (modelled(&left), modelled(&right)) else { continue };
        let expected = first == second;
        let place = format!("seed {seed}\n{}\n---\n{}", left.text, right.text);
        if let (Ok(a), Ok(b)) = (denote(&left.judgement, &left.arena), denote(&right.judgement, &right.arena))
        {
            assert_eq!(a == b, expected, "the reference\n{place}");
        }
        let compared = |left: &Sample, right: &Sample, relation| {
            let compared =
                compare(left.subject(), right.subject(), relation, &Budget::default(), &mut |_| {});
            compared.unwrap_or_else(|why| panic!("{why}\n{place}")).0
        };
        match compared(&left, &right, Relation::Equivalence) {
            Comparison::Holds => {
                assert!(expected, "{place}");
                equal += 1;
            }
            Comparison::Differs(difference) => {
                assert!(!expected, "{place}");
                shown += usize::from(difference.distinction.is_some_and(|distinction| distinction.shown));
                different += 1;
            }
            Comparison::Unknown(_, Reason::Ambiguous) => {
                assert!(expected, "{place}");
                continue;
            }
            other => panic!("{place}\n{other:?}"),
        }
        // Equivalence is approximation both ways.
        let holds = |left, right| {
            let compared = compared(left, right, Relation::Approximation);
            matches!(compared, Comparison::Holds | Comparison::Unknown(_, Reason::Ambiguous))
        };
        let both = holds(&left, &right) && holds(&right, &left);
        assert_eq!(both, expected, "approximation\n{place}");
    }
    (equal, different, shown)
}

fn ways_agree(seeds: std::ops::Range<u64>) {
    let few = usize::try_from(seeds.end - seeds.start).expect("it is small") / 4;
    let (equal, different, shown) = run(seeds);
    assert!(equal > few && different > few, "{equal} equal, {different} different");
    // Nearly all differences are seen by an environment of the language.
    assert!(shown * 10 > different * 9, "{shown} of {different} shown");
}

#[test]
fn three_ways_to_compare_agree() {
    ways_agree(0..350);
}

#[test]
fn three_ways_to_compare_agree_on_others() {
    ways_agree(500..800);
}

#[test]
#[ignore = "a long run"]
fn three_ways_to_compare_agree_at_length() {
    let (equal, different, _) = run(1500..12_500);
    assert!(equal + different >= 10_000, "{equal} equal, {different} different");
}
