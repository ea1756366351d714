//! Bits of unknown integers: what numbers within small bounds can do is found, and nothing else.

use std::time::Duration;

use agon_base::int::Int;
use agon_base::random::Random;
use agon_solve::embedded::Embedded;
use agon_solve::{Answer, Claim, Limit, Name, Solver, Sort, Term, Terms, Value};

/// A random expression over unknowns.
fn expression(random: &mut Random, terms: &mut Terms, unknowns: [Term; 2], depth: usize) -> Term {
    if depth == 0 || random.one_in(4) {
        return match random.below(3) {
            2 => terms.int(Int::from(random.below(13) as i64 - 4)),
            n => unknowns[n],
        };
    }
    let a = expression(random, terms, unknowns, depth - 1);
    let b = expression(random, terms, unknowns, depth - 1);
    match random.below(6) {
        0 => terms.add(a, b),
        1 => terms.sub(a, b),
        2 => terms.shift_left(a, b),
        3 => terms.shift_right(a, b),
        _ => terms.bit_and(a, b),
    }
}

#[test]
fn what_numbers_within_bounds_can_do_is_found() {
    let (mut possible, mut impossible, mut unknown) = (0, 0, 0);
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let mut terms = Terms::new();
        let unknowns = ["x", "y"].map(|name| terms.constant(name, Sort::Int));
        let (low, high) = (-5i64, 9i64);
        let mut claims = Vec::new();
        for unknown in unknowns {
            let (least, most) = (terms.int(low), terms.int(high));
            claims.extend([terms.at_most(least, unknown), terms.at_most(unknown, most)]);
        }
        for _ in 0..1 + random.below(2) {
            let depth = 1 + random.below(3);
            let value = expression(&mut random, &mut terms, unknowns, depth);
            let number = terms.int(Int::from(random.below(20) as i64 - 6));
            claims.push(match random.below(3) {
                0 => terms.equal(value, number),
                1 => terms.less(value, number),
                _ => terms.less(number, value),
            });
        }
        let mut pairs = (low..=high).flat_map(|x| (low..=high).map(move |y| [x, y]));
        let expected = pairs.any(|numbers| {
            let mut model = agon_solve::Model::default();
            for (unknown, n) in unknowns.iter().zip(numbers) {
                model.set(*unknown, Value::Number(Int::from(n)));
            }
            claims.iter().all(|claim| model.value(&terms, *claim).is_true())
        });
        let named: Vec<Claim> =
            (0..).map(Name).zip(&claims).map(|(name, term)| Claim { name, term: *term }).collect();
        match Embedded::new().check(&terms, &named, &Limit::within(Duration::from_secs(60))) {
            Answer::Sat(_) => {
                assert!(expected, "seed {seed}: no numbers do that");
                possible += 1;
            }
            Answer::Unsat(_) => {
                assert!(!expected, "seed {seed}: some numbers do that");
                impossible += 1;
            }
            Answer::Unknown(reason) => {
                unknown += 1;
                println!("seed {seed}: {reason}");
            }
        }
    }
    println!("{possible} possible, {impossible} impossible, {unknown} unknown");
    assert!(possible > 200 && impossible > 100 && unknown < 10);
}
