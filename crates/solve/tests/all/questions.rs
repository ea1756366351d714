//! Questions with known answers: what the papers ask, and what is hard for methods of this kind.

use std::cell::Cell;
use std::time::Duration;

use agon_base::int::Int;
use agon_solve::cached::Cached;
use agon_solve::core::minimal;
use agon_solve::embedded::Embedded;
use agon_solve::stack::Stack;
use agon_solve::{Answer, Claim, Limit, Name, Reason, Solver, Sort, Term, Terms, Value};

fn limit() -> Limit {
    Limit::within(Duration::from_secs(30))
}

fn named(claims: &[Term]) -> Vec<Claim> {
    claims.iter().enumerate().map(|(i, term)| Claim { name: Name(i as u32), term: *term }).collect()
}

fn check(terms: &Terms, claims: &[Term]) -> Answer {
    Embedded::new().check(terms, &named(claims), &limit())
}

#[track_caller]
fn sat(terms: &Terms, claims: &[Term]) {
    let answer = check(terms, claims);
    assert!(matches!(answer, Answer::Sat(_)), "{answer:?}");
}

#[track_caller]
fn unsat(terms: &Terms, claims: &[Term]) {
    let answer = check(terms, claims);
    assert!(matches!(answer, Answer::Unsat(_)), "{answer:?}");
}

fn ints<const N: usize>(terms: &mut Terms, names: [&str; N]) -> [Term; N] {
    names.map(|name| terms.constant(name, Sort::Int))
}

/// `a · x + b · y + … ≤ c`.
fn at_most(terms: &mut Terms, parts: &[(i64, Term)], bound: i64) -> Term {
    let mut sum = terms.int(0i64);
    for (factor, term) in parts {
        let factor = terms.int(*factor);
        let part = terms.mul(factor, *term);
        sum = terms.add(sum, part);
    }
    let bound = terms.int(bound);
    terms.at_most(sum, bound)
}

/// [PRED, Example 1]: x is even before a step by two, and so it is after; but not after a step by one.
#[test]
fn parity_is_kept_by_steps_of_two() {
    let mut t = Terms::new();
    let [before, after] = ints(&mut t, ["x", "x'"]);
    let (zero, one, two) = (t.int(0i64), t.int(1i64), t.int(2i64));
    let even = |t: &mut Terms, x: Term| {
        let rest = t.rem(x, two);
        t.equal(rest, zero)
    };
    let (was, is) = (even(&mut t, before), even(&mut t, after));
    let (by_two, by_one) = (t.add(before, two), t.add(before, one));
    let (by_two, by_one) = (t.equal(after, by_two), t.equal(after, by_one));
    let is_not = t.not(is);
    unsat(&t, &[was, by_two, is_not]);
    sat(&t, &[was, by_two, is]);
    unsat(&t, &[was, by_one, is]);
}

/// [PRED, §4.4]: the play of the fragment with x, y and z cannot be, and three of its claims say why.
#[test]
fn the_play_of_the_paper_is_infeasible() {
    let mut t = Terms::new();
    let [n, m, x, y, z, z2] = ints(&mut t, ["n", "m", "x1", "y1", "z1", "z2"]);
    let (zero, one, two) = (t.int(0i64), t.int(1i64), t.int(2i64));
    let next = t.add(z, one);
    let claims = [
        t.equal(x, n),
        t.equal(y, m),
        t.less(y, x),
        t.equal(z, zero),
        t.less(x, y),
        t.equal(z2, next),
        t.equal(z2, two),
    ];
    let claims = named(&claims);
    let mut solver = Embedded::new();
    let Answer::Unsat(core) = solver.check(&t, &claims, &limit()) else { panic!("it cannot be") };
    let core = minimal(&mut solver, &t, &claims, &core, &limit());
    // x > y with x < y, or z2 = 0 + 1 with z2 = 2.
    assert!([vec![Name(2), Name(4)], vec![Name(3), Name(5), Name(6)]].contains(&core), "{core:?}");
    let without: Vec<Claim> =
        claims.iter().filter(|c| c.name != Name(2) && c.name != Name(3)).copied().collect();
    assert!(matches!(solver.check(&t, &without, &limit()), Answer::Sat(_)));
}

/// [PRED, Example 4]: `x > y`, `z = x - y`, not `z > 0` cannot be of integers, but can of wrapped ones.
#[test]
fn machine_integers_wrap_and_integers_do_not() {
    let mut t = Terms::new();
    let [x, y, z] = ints(&mut t, ["x", "y", "z"]);
    let zero = t.int(0i64);
    let difference = t.sub(x, y);
    let claims = [t.less(y, x), t.equal(z, difference), t.at_most(z, zero)];
    unsat(&t, &claims);

    let [x, y, z] = ["x", "y", "z"].map(|name| t.constant(name, Sort::Bits(32)));
    let zero = t.bits(0i64, 32);
    let difference = t.sub(x, y);
    let claims = [t.signed_less(y, x), t.equal(z, difference), t.signed_at_most(z, zero)];
    sat(&t, &claims);

    // The same as integers with a range, wrapped where they are stored.
    let [x, y, z] = ints(&mut t, ["x", "y", "z"]);
    let (half, all, zero) = (t.int(1i64 << 31), t.int(1i64 << 32), t.int(0i64));
    let least = t.neg(half);
    let mut claims = Vec::new();
    for term in [x, y] {
        claims.push(t.at_most(least, term));
        claims.push(t.less(term, half));
    }
    let difference = t.sub(x, y);
    let shifted = t.add(difference, half);
    let rest = t.rem(shifted, all);
    let wrapped = t.sub(rest, half);
    claims.extend([t.less(y, x), t.equal(z, wrapped), t.at_most(z, zero)]);
    sat(&t, &claims);
}

#[test]
fn unbounded_constraints_without_integers_are_refuted() {
    let mut t = Terms::new();
    let [x, y, z] = ints(&mut t, ["x", "y", "z"]);
    // Fractions satisfy these, without end in every direction; integers never do.
    let one = [at_most(&mut t, &[(3, x), (-3, y)], 2), at_most(&mut t, &[(-3, x), (3, y)], -1)];
    unsat(&t, &one);
    let (a, b) = ([(1, x), (1, y), (5, z)], [(2, x), (-3, y), (-7, z)]);
    // 1 ≤ 3 a - 2 b ≤ 2 and 1 ≤ 3 a + 2 b ≤ 2, where a and b are themselves sums.
    let sum = |k: i64| -> Vec<(i64, Term)> { (0..3).map(|i| (3 * a[i].0 + k * b[i].0, a[i].1)).collect() };
    let negated = |parts: &[(i64, Term)]| parts.iter().map(|(n, x)| (-n, *x)).collect::<Vec<_>>();
    let (p, q) = (sum(-2), sum(2));
    let claims = [
        at_most(&mut t, &p, 2),
        at_most(&mut t, &negated(&p), -1),
        at_most(&mut t, &q, 2),
        at_most(&mut t, &negated(&q), -1),
    ];
    unsat(&t, &claims);
    // 27 ≤ 11 x + 13 y ≤ 45, -10 ≤ 7 x - 9 y ≤ 4: the example of the Omega test.
    let claims = [
        at_most(&mut t, &[(-11, x), (-13, y)], -27),
        at_most(&mut t, &[(11, x), (13, y)], 45),
        at_most(&mut t, &[(-7, x), (9, y)], 10),
        at_most(&mut t, &[(7, x), (-9, y)], 4),
    ];
    unsat(&t, &claims);
}

#[test]
fn division_by_zero_leaves_all() {
    let mut t = Terms::new();
    let x = t.constant("x", Sort::Int);
    let b = t.constant("b", Sort::Bits(8));
    let (zero, no_bits, five) = (t.int(0i64), t.bits(0i64, 8), t.bits(5i64, 8));
    let (quotient, rest) = (t.div(x, zero), t.rem(x, zero));
    let claims = [t.equal(quotient, zero), t.equal(rest, x)];
    sat(&t, &claims);
    let both = t.and(&claims);
    let not = t.not(both);
    unsat(&t, &[not]);
    for divide in [Terms::div, Terms::signed_div] {
        let quotient = divide(&mut t, five, b);
        let claims = [t.equal(b, no_bits), t.equal(quotient, no_bits)];
        sat(&t, &claims);
        let other = t.not(claims[1]);
        unsat(&t, &[claims[0], other]);
    }
}

#[test]
fn products_of_unknowns_are_found_refuted_or_left() {
    let mut t = Terms::new();
    let [x, y] = ints(&mut t, ["x", "y"]);
    let square = t.mul(x, x);
    let (n, minus) = (t.int(49i64), t.int(-1i64));
    let (is, below) = (t.equal(square, n), t.equal(square, minus));
    sat(&t, &[is]);
    unsat(&t, &[below]);
    // 221 = 13 · 17, found within a range; 223 is prime.
    let product = t.mul(x, y);
    let (two, twenty) = (t.int(2i64), t.int(20i64));
    let range = [t.at_most(two, x), t.at_most(x, twenty), t.at_most(two, y), t.at_most(y, twenty)];
    for (n, can_be) in [(221i64, true), (223, false)] {
        let n = t.int(n);
        let claims = [&range[..], &[t.equal(product, n)]].concat();
        if can_be { sat(&t, &claims) } else { unsat(&t, &claims) }
    }
    let by_unknown = t.div(x, y);
    let claim = t.less(by_unknown, two);
    assert!(matches!(check(&t, &[claim]), Answer::Unknown(Reason::Beyond(_))));
}

#[test]
fn large_numbers_are_exact() {
    let mut t = Terms::new();
    let x = t.constant("x", Sort::Int);
    let huge = t.int(Int::power_of_two(200));
    let three = t.int(3i64);
    let triple = t.mul(three, x);
    let claim = t.equal(triple, huge);
    unsat(&t, &[claim]);
    let next = t.add(triple, three);
    let one = t.int(1i64);
    let next = t.add(next, one);
    let claim = t.equal(next, huge);
    let Answer::Sat(model) = check(&t, &[claim]) else { panic!("2^200 leaves 1") };
    let third = Int::power_of_two(200).sub(&Int::from(4i64)).div(&Int::from(3i64)).expect("not by 0");
    assert_eq!(model.value(&t, x), Value::Number(third));
}

/// A play of many steps, in single-assignment form: a counter counts, and is asked about at the end.
#[test]
fn long_plays_are_decided() {
    let mut t = Terms::new();
    let (one, wrap) = (t.int(1i64), t.int(1i64 << 32));
    for wrapped in [false, true] {
        let mut now = t.constant(format!("{wrapped}"), Sort::Int);
        let zero = t.int(0i64);
        let mut claims = vec![t.equal(now, zero)];
        for i in 0..300 {
            let next = t.constant(format!("{wrapped} {i}"), Sort::Int);
            let more = t.add(now, one);
            let more = if wrapped { t.rem(more, wrap) } else { more };
            claims.push(t.equal(next, more));
            now = next;
        }
        let (end, other) = (t.int(300i64), t.int(299i64));
        let (right, wrong) = (t.equal(now, end), t.equal(now, other));
        sat(&t, &[&claims[..], &[right]].concat());
        unsat(&t, &[&claims[..], &[wrong]].concat());
    }
}

/// Sorted by comparisons and swaps: that neighbours are in order follows from all that was assigned.
#[test]
fn a_sorting_network_sorts() {
    let mut t = Terms::new();
    let mut now = ints(&mut t, ["a", "b", "c", "d"]);
    let mut claims = Vec::new();
    for round in 0..3 {
        for i in 0..3 - round {
            let (low, high) = (now[i], now[i + 1]);
            let swap = t.less(high, low);
            let fresh = [0, 1].map(|k| t.constant(format!("{round} {i} {k}"), Sort::Int));
            let (first, second) = (t.if_else(swap, high, low), t.if_else(swap, low, high));
            claims.extend([t.equal(fresh[0], first), t.equal(fresh[1], second)]);
            (now[i], now[i + 1]) = (fresh[0], fresh[1]);
        }
    }
    let disorder: Vec<Term> = (0..3).map(|i| t.less(now[i + 1], now[i])).collect();
    let somewhere = t.or(&disorder);
    sat(&t, &claims);
    unsat(&t, &[&claims[..], &[somewhere]].concat());
}

#[test]
fn a_limit_is_kept() {
    let mut t = Terms::new();
    // Two factors of 64 bits, drawn at random, of a product: nobody finds them in time.
    let [x, y] = ["x", "y"].map(|name| t.constant(name, Sort::Bits(64)));
    let (x, y) = (t.zero_extend(x, 128), t.zero_extend(y, 128));
    let product = t.mul(x, y);
    let one = t.bits(1i64, 128);
    let n = t.bits(Int::parse("136532528930704468727493317692946365561").expect("digits"), 128);
    let claims = named(&[t.equal(product, n), t.less(one, x), t.less(one, y)]);
    let answer = Embedded::new().check(&t, &claims, &Limit::within(Duration::from_millis(300)));
    assert_eq!(answer, Answer::Unknown(Reason::Time));
    let cancelled = Limit::default();
    cancelled.cancelled.store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(Embedded::new().check(&t, &claims, &cancelled), Answer::Unknown(Reason::Cancelled));
}

/// Counts what it is asked.
struct Counting<'a>(Embedded, &'a Cell<u32>);

impl Solver for Counting<'_> {
    fn check(&mut self, terms: &Terms, claims: &[Claim], limit: &Limit) -> Answer {
        self.1.set(self.1.get() + 1);
        self.0.check(terms, claims, limit)
    }
}

#[test]
fn nothing_is_asked_twice() {
    let asked = Cell::new(0);
    let mut t = Terms::new();
    let [x, y] = ints(&mut t, ["x", "y"]);
    let (less, more, equal) = (t.less(x, y), t.less(y, x), t.equal(x, y));
    let mut stack = Stack::new(Cached::new(Counting(Embedded::new(), &asked)));
    stack.claim(&t, Name(7), less);
    assert!(matches!(stack.check(&t, &limit()), Answer::Sat(_)));
    stack.push();
    stack.claim(&t, Name(8), more);
    assert_eq!(stack.check(&t, &limit()), Answer::Unsat(vec![Name(7), Name(8)]));
    stack.pop();
    assert!(matches!(stack.check(&t, &limit()), Answer::Sat(_)));
    assert_eq!(asked.get(), 2);
    stack.pop();
    // The same claims in another order and by other names.
    stack.claim(&t, Name(1), more);
    stack.claim(&t, Name(2), less);
    assert_eq!(stack.check(&t, &limit()), Answer::Unsat(vec![Name(2), Name(1)]));
    assert_eq!(asked.get(), 2);
    stack.claim(&t, Name(3), equal);
    assert!(matches!(stack.check(&t, &limit()), Answer::Unsat(_)));
    assert_eq!(asked.get(), 3);
    // What was not known is asked again.
    let cancelled = Limit::default();
    cancelled.cancelled.store(true, std::sync::atomic::Ordering::Relaxed);
    let mut stack = Stack::new(Cached::new(Counting(Embedded::new(), &asked)));
    stack.claim(&t, Name(1), less);
    assert!(matches!(stack.check(&t, &cancelled), Answer::Unknown(Reason::Cancelled)));
    assert!(matches!(stack.check(&t, &limit()), Answer::Sat(_)));
}
