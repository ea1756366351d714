//! Programs that are the same but for names and layout, and others.

use agon_core::alike::alike;
use agon_core::term::Judgement;
use agon_ia::read::read;
use agon_ia::sample::{concurrent, sequential};

fn judgement(text: &str) -> Judgement {
    read(text, &[]).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:?}")).judgement
}

#[test]
fn bound_names_and_layout_do_not_matter() {
    for (left, right) in [
        ("e : int |- e", "e : int |- /* the same */ e"),
        ("new int x := 1 in x + x", "new int y := 1 in\n(y) + y"),
        ("let f(c : com) = { c; c } in f(skip)", "let g(d : com) = { d; d } in g(skip)"),
        ("break l . { goto l; abort }", "break m . { goto m; abort }"),
        ("fun x : int . fun y : int . x - y", "fun y : int . fun x : int . y - x"),
        ("e : int, unused : com |- e", "e : int |- e"),
    ] {
        assert!(alike(&judgement(left), &judgement(right)), "{left}   {right}");
    }
}

#[test]
fn everything_else_does() {
    for (left, right) in [
        ("e : int, d : int |- e", "e : int, d : int |- d"),
        ("new int x := 1 in x + x", "new int x := 2 in x + x"),
        ("new int x in new int y in x := 1; y", "new int x in new int y in y := 1; y"),
        ("fun x : int . fun y : int . x - y", "fun x : int . fun y : int . y - x"),
        ("new int x in x := 1", "new i8 x in x := 1"),
        ("break l . break m . goto l", "break l . break m . goto m"),
        ("break l . goto l", "cont l . goto l"),
        ("1 + 2", "1 - 2"),
        ("new int x := 0 in x", "new int x in x + 0"),
        ("sem s = 0; grab(s)", "sem s = 1; grab(s)"),
    ] {
        assert!(!alike(&judgement(left), &judgement(right)), "{left}   {right}");
    }
}

#[test]
fn random_programs_are_like_themselves_in_another_layout() {
    for seed in 0..200 {
        for text in [sequential(seed, 30), concurrent(seed, 20)] {
            let Ok(reading) = read(&text, &[]) else { continue };
            let spread = text.replace(' ', " /* a comment */\n");
            assert!(alike(&reading.judgement, &judgement(&spread)), "{text}");
        }
    }
}
