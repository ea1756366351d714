//! What is left when a sum of products is divided: a residue is possible if some residues of the unknowns give it.

use std::time::Duration;

use agon_base::random::Random;
use agon_solve::embedded::Embedded;
use agon_solve::{Answer, Claim, Limit, Name, Solver, Sort, Term, Terms};

/// A random polynomial in two unknowns, as a term and as a function.
fn polynomial(
    random: &mut Random,
    terms: &mut Terms,
    unknowns: [Term; 2],
) -> (Term, Box<dyn Fn(i64, i64) -> i64>) {
    let mut sum = terms.int(0i64);
    let mut monomials: Vec<(i64, Vec<(usize, i64)>)> = Vec::new();
    for _ in 0..1 + random.below(3) {
        let factor = 1 + random.below(5) as i64 - 3;
        // A product of shifted unknowns, such as x * (y + 1).
        let factors: Vec<(usize, i64)> =
            (0..1 + random.below(3)).map(|_| (random.below(2), random.below(3) as i64)).collect();
        let mut product = terms.int(factor);
        for (which, shift) in &factors {
            let shift = terms.int(*shift);
            let shifted = terms.add(unknowns[*which], shift);
            product = terms.mul(product, shifted);
        }
        sum = terms.add(sum, product);
        monomials.push((factor, factors));
    }
    let value = move |x: i64, y: i64| {
        let monomial = |(factor, factors): &(i64, Vec<(usize, i64)>)| {
            factors.iter().map(|(which, shift)| [x, y][*which] + shift).product::<i64>() * factor
        };
        monomials.iter().map(monomial).sum()
    };
    (sum, Box::new(value))
}

#[test]
fn a_residue_that_no_residues_of_the_unknowns_give_is_impossible() {
    let (mut possible, mut impossible) = (0, 0);
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let mut terms = Terms::new();
        let unknowns = ["x", "y"].map(|name| terms.constant(name, Sort::Int));
        let (sum, value) = polynomial(&mut random, &mut terms, unknowns);
        let modulus = 2 + random.below(5) as i64;
        let wanted = random.below(modulus as usize) as i64;
        let (by, is) = (terms.int(modulus), terms.int(wanted));
        let rest = terms.rem(sum, by);
        let claim = Claim { name: Name(0), term: terms.equal(rest, is) };
        let mut pairs = (0..modulus).flat_map(|x| (0..modulus).map(move |y| (x, y)));
        let expected = pairs.any(|(x, y)| value(x, y).rem_euclid(modulus) == wanted);
        match Embedded::new().check(&terms, &[claim], &Limit::within(Duration::from_secs(60))) {
            Answer::Sat(_) => assert!(expected, "seed {seed}: no residues give {wanted} modulo {modulus}"),
            Answer::Unsat(_) => assert!(!expected, "seed {seed}: {wanted} modulo {modulus} is possible"),
            // Numbers of that residue may be hard to find; that there are none never is.
            Answer::Unknown(reason) => assert!(expected, "seed {seed}: {reason:?}"),
        }
        *(if expected { &mut possible } else { &mut impossible }) += 1;
    }
    assert!(possible > 40 && impossible > 20, "{possible} possible, {impossible} impossible");
}
