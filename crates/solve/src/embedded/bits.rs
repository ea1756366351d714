//! Circuits: arithmetic and comparison of bits, the lowest first.

use agon_base::id;
use agon_base::int::Int;
use batsat::Lit;

use super::clauses::Clauses;
use crate::term::Op;

/// The bits of a number from 0.
pub fn number(clauses: &Clauses, n: &Int, width: u32) -> Vec<Lit> {
    let two = Int::from(2i64);
    let mut rest = n.clone();
    let mut bits = Vec::new();
    for _ in 0..width {
        bits.push(clauses.truth(rest.rem(&two) == Some(Int::ONE)));
        rest = rest.div(&two).expect("2 is not 0");
    }
    bits
}

/// The bits of an operation on bits that gives this many bits.
pub fn operation(clauses: &mut Clauses, op: &Op, parts: &[Vec<Lit>], width: u32) -> Vec<Lit> {
    let no = clauses.truth(false);
    match op {
        Op::Add => add(clauses, &parts[0], &parts[1], no),
        Op::Sub => sub(clauses, &parts[0], &parts[1]),
        Op::Neg => neg(clauses, &parts[0]),
        Op::Mul => mul(clauses, &parts[0], &parts[1]),
        Op::Div => divide(clauses, &parts[0], &parts[1]).0,
        Op::Rem => divide(clauses, &parts[0], &parts[1]).1,
        Op::SignedDiv => signed_divide(clauses, &parts[0], &parts[1]).0,
        Op::SignedRem => signed_divide(clauses, &parts[0], &parts[1]).1,
        Op::ZeroExtend => resize(&parts[0], width as usize, no),
        Op::SignExtend => resize(&parts[0], width as usize, sign(&parts[0])),
        Op::Low => parts[0][..width as usize].to_vec(),
        other => unreachable!("{other:?} gives no bits of bits"),
    }
}

/// The value of a comparison of bits.
pub fn comparison(clauses: &mut Clauses, op: &Op, a: &[Lit], b: &[Lit]) -> Lit {
    match op {
        Op::Equal => equal(clauses, a, b),
        Op::Less => less(clauses, a, b),
        Op::AtMost => !less(clauses, b, a),
        Op::SignedLess => less(clauses, &shifted(a), &shifted(b)),
        Op::SignedAtMost => !less(clauses, &shifted(b), &shifted(a)),
        other => unreachable!("{other:?} compares no bits"),
    }
}

/// For each bit the one of `a` if the condition holds, else the one of `b`.
pub fn if_else(clauses: &mut Clauses, condition: Lit, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    a.iter().zip(b).map(|(a, b)| clauses.if_else(condition, *a, *b)).collect()
}

fn sign(a: &[Lit]) -> Lit {
    *a.last().expect("at least one bit")
}

fn resize(a: &[Lit], width: usize, with: Lit) -> Vec<Lit> {
    let mut bits = a.to_vec();
    bits.resize(width, with);
    bits
}

/// With the sign turned over, two's complement is ordered as numbers from 0 are.
fn shifted(a: &[Lit]) -> Vec<Lit> {
    let mut bits = a.to_vec();
    *bits.last_mut().expect("at least one bit") = !sign(a);
    bits
}

fn add(clauses: &mut Clauses, a: &[Lit], b: &[Lit], carry: Lit) -> Vec<Lit> {
    let mut carry = carry;
    let mut sum = Vec::with_capacity(a.len());
    for (a, b) in a.iter().zip(b) {
        let one = clauses.xor(*a, *b);
        sum.push(clauses.xor(one, carry));
        carry = clauses.majority(*a, *b, carry);
    }
    sum
}

fn negated(a: &[Lit]) -> Vec<Lit> {
    a.iter().map(|bit| !*bit).collect()
}

fn sub(clauses: &mut Clauses, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let yes = clauses.truth(true);
    add(clauses, a, &negated(b), yes)
}

fn neg(clauses: &mut Clauses, a: &[Lit]) -> Vec<Lit> {
    let zero = vec![clauses.truth(false); a.len()];
    sub(clauses, &zero, a)
}

fn mul(clauses: &mut Clauses, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let no = clauses.truth(false);
    // Rows are cheap where the bit that chooses them is known.
    let known = |bits: &[Lit]| bits.iter().filter(|bit| **bit == no || **bit == !no).count();
    let (rows, addend) = if known(a) >= known(b) { (a, b) } else { (b, a) };
    let mut product = vec![no; a.len()];
    for (i, bit) in rows.iter().enumerate() {
        if *bit == no {
            continue;
        }
        let row: Vec<Lit> = addend[..addend.len() - i].iter().map(|b| clauses.and(*bit, *b)).collect();
        let high = add(clauses, &product[i..], &row, no);
        product.splice(i.., high);
    }
    product
}

fn equal(clauses: &mut Clauses, a: &[Lit], b: &[Lit]) -> Lit {
    let same: Vec<Lit> = a.iter().zip(b).map(|(a, b)| !clauses.xor(*a, *b)).collect();
    clauses.all(&same)
}

/// The carry of `b + not a + 0` says whether `a < b`.
fn less(clauses: &mut Clauses, a: &[Lit], b: &[Lit]) -> Lit {
    let mut carry = clauses.truth(false);
    for (a, b) in a.iter().zip(b) {
        carry = clauses.majority(!*a, *b, carry);
    }
    carry
}

/// The number that known bits are.
fn known(clauses: &Clauses, a: &[Lit]) -> Option<Int> {
    let (yes, no) = (clauses.truth(true), clauses.truth(false));
    let double =
        |n: Int, bit: &Lit| (*bit == yes || *bit == no).then(|| n.add(&n).add(&Int::truth(*bit == yes)));
    a.iter().rev().try_fold(Int::ZERO, double)
}

/// Division of numbers from 0: quotient and remainder.
fn divide(clauses: &mut Clauses, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
    match known(clauses, b) {
        Some(number) if number.is_zero() => (b.to_vec(), a.to_vec()),
        Some(number) if known(clauses, a).is_none() => divide_by_number(clauses, a, &number, b),
        _ => long_division(clauses, a, b),
    }
}

/// There is one quotient and one remainder that is less: `a = quotient · b + rest`.
fn divide_by_number(clauses: &mut Clauses, a: &[Lit], number: &Int, b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
    let no = clauses.truth(false);
    let (width, size) = (a.len(), id::size(number.bits()));
    if *number == Int::power_of_two(id::number(size) - 1) {
        let quotient = resize(&a[size - 1..], width, no);
        return (quotient, resize(&a[..size - 1], width, no));
    }
    let mut fresh = |count: usize| {
        let bits: Vec<Lit> = (0..count).map(|_| clauses.fresh()).collect();
        resize(&bits, width, no)
    };
    let (quotient, rest) = (fresh(width - size + 1), fresh(size));
    // With two bits more, nothing wraps: the product is less than twice what fits, and the rest fits.
    let wide = |bits: &[Lit]| resize(bits, width + 2, no);
    let product = mul(clauses, &wide(b), &wide(&quotient));
    let sum = add(clauses, &product, &wide(&rest), no);
    let (exact, smaller) = (equal(clauses, &sum, &wide(a)), less(clauses, &rest, b));
    clauses.clause(&[exact]);
    clauses.clause(&[smaller]);
    (quotient, rest)
}

/// Long division of numbers from 0, bit by bit.
fn long_division(clauses: &mut Clauses, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
    let no = clauses.truth(false);
    let wide = resize(b, b.len() + 1, no);
    let mut rest = vec![no; wide.len()];
    let mut quotient = vec![no; a.len()];
    for i in (0..a.len()).rev() {
        rest.pop();
        rest.insert(0, a[i]);
        let fits = !less(clauses, &rest, &wide);
        let smaller = sub(clauses, &rest, &wide);
        rest = if_else(clauses, fits, &smaller, &rest);
        quotient[i] = fits;
    }
    rest.pop();
    // By 0, the quotient is 0 and all remains.
    let zero = vec![no; a.len()];
    let by_zero = equal(clauses, b, &zero);
    (if_else(clauses, by_zero, &zero, &quotient), if_else(clauses, by_zero, a, &rest))
}

/// Euclidean division in two's complement: of magnitudes, then put right.
fn signed_divide(clauses: &mut Clauses, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
    let no = clauses.truth(false);
    let zero = vec![no; a.len()];
    let (minus_a, minus_b) = (neg(clauses, a), neg(clauses, b));
    let size_a = if_else(clauses, sign(a), &minus_a, a);
    let size_b = if_else(clauses, sign(b), &minus_b, b);
    let (quotient, rest) = divide(clauses, &size_a, &size_b);
    // Of a negative number that leaves something, one more is taken, so that what is left is positive.
    let exact = equal(clauses, &rest, &zero);
    let more = clauses.and(sign(a), !exact);
    let bumped = add(clauses, &quotient, &zero, more);
    let minus = neg(clauses, &bumped);
    let signs_differ = clauses.xor(sign(a), sign(b));
    let put_right = if_else(clauses, signs_differ, &minus, &bumped);
    let complement = sub(clauses, &size_b, &rest);
    let remainder = if_else(clauses, more, &complement, &rest);
    let by_zero = equal(clauses, b, &zero);
    (if_else(clauses, by_zero, &zero, &put_right), if_else(clauses, by_zero, a, &remainder))
}
