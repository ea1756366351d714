//! Laws that the semantics must obey, whatever the terms.

use agon_games::arena::Arena;
use agon_games::automaton::Automaton;
use agon_games::denote::denote;
use agon_games::moves::Move;
use agon_games::play::legal;
use agon_ia::read::read;
use agon_ia::sample::commands;

/// The complete plays of a command in a context, if its normal form is small enough.
fn plays(context: &str, term: &str) -> Option<(Automaton<Move>, Arena)> {
    let text = format!("{context} |- {term}");
    let judgement =
        read(&text, &[]).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:?}")).judgement;
    let arena = Arena::new(&judgement);
    denote(&judgement, &arena).ok().map(|plays| (plays, arena))
}

/// Both sides of a law, with M, N and K for random commands.
const LAWS: &[(&str, &str)] = &[
    // Composition is associative, and copycat is its unit.
    ("{ { M }; { N } }; { K }", "{ M }; { { N }; { K } }"),
    (
        "let p(a : com, b : com) = { a; b } in p(p(M, N), K)",
        "let p(a : com, b : com) = { a; b } in p(M, p(N, K))",
    ),
    ("let id(a : com) = a in id(M)", "M"),
    ("let c = { M } in c", "M"),
    ("(fun a : com . a)(M)", "M"),
    ("skip; { M }", "M"),
    ("{ M }; skip", "M"),
    // Conditionals, loops and jumps.
    ("if true then { M } else { N }", "M"),
    ("if 0 then { M } else { N }", "N"),
    ("while false do { M }", "skip"),
    ("break l . { { M }; goto l; { N } }", "M"),
    ("new int%2 once in cont l . { if once = 0 then { once := 1; { M }; goto l } }", "M"),
    ("new int%3 z1 in while z1 < 2 do { z1 := z1 + 1; { M } }", "{ M }; { M }"),
    // Local state that nobody sees.
    ("new int%2 z1 in { M }", "M"),
    ("new int%3 z1 := 2 in { M }", "M"),
    ("new int%2 z1 in new int%3 z2 in { M }", "new int%3 z2 in new int%2 z1 in { M }"),
    ("new int%3 z1 in { M }; z1 := 2; { N }; assert(z1 = 2)", "{ M }; { N }"),
    ("new int%2 z1[2] in { M }; z1[1] := 1; assert(z1[0] = 0)", "M"),
    // Nothing follows an abort, nothing comes of divergence.
    ("abort; { M }", "abort"),
    ("diverge; { M }", "diverge"),
    ("while true do skip; { M }", "diverge"),
];

#[test]
fn laws_hold_of_random_terms() {
    let mut held = 0;
    for seed in 0..250 {
        let (context, commands) = commands(seed, 2 + (seed % 6) as usize, 3);
        let fill =
            |law: &str| law.replace('M', &commands[0]).replace('N', &commands[1]).replace('K', &commands[2]);
        for (left, right) in LAWS {
            let (left, right) = (fill(left), fill(right));
            if let (Some((a, _)), Some((b, _))) = (plays(&context, &left), plays(&context, &right)) {
                assert_eq!(a, b, "seed {seed}: {context} |-\n{left}\n≠\n{right}");
                held += 1;
            }
        }
    }
    assert!(held > 4500, "{held} instances");
}

#[test]
fn every_complete_play_is_legal() {
    for seed in 0..300 {
        let (context, commands) = commands(seed, 8, 1);
        let Some((automaton, arena)) = plays(&context, &commands[0]) else { continue };
        // Every path of at most this many moves.
        let mut waiting: Vec<(u32, Vec<Move>)> = vec![(automaton.initial, vec![])];
        let mut walked = 0;
        while let Some((state, moves)) = waiting.pop() {
            legal(&arena, &moves).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{}", commands[0]));
            walked += 1;
            if moves.len() >= 10 || walked > 500 {
                continue;
            }
            for (letter, to) in automaton.edges(state) {
                let mut longer = moves.clone();
                longer.push(automaton.letters[*letter as usize].clone());
                waiting.push((*to, longer));
            }
        }
    }
}
