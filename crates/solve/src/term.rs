//! Terms of questions: integers, bits and Booleans over named constants, each different term once.

use std::fmt;

use agon_base::int::Int;
use rustc_hash::FxHashMap;

use crate::eval::{Value, apply};

/// What a term stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Sort {
    /// True or false.
    Bool,
    /// Any integer.
    Int,
    /// Bits, at least one; the number says how many. They are also an unsigned number, or one in two's complement.
    Bits(u32),
}

/// A term, by its number in a [`Terms`]. Parts have smaller numbers than wholes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(u32);

impl Term {
    /// The number.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

/// How a term is made from its parts.
///
/// Arithmetic is exact on integers and wraps on bits. Division is Euclidean: the remainder is never negative.
/// Dividing by 0 gives the quotient 0 and leaves all as the remainder.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// A named constant, of which nothing is known but its sort.
    Constant(String),
    /// True, false.
    Truth(bool),
    /// A number: an integer, or bits as a number from 0.
    Number(Int),
    /// True if its part is false.
    Not,
    /// True if all parts are.
    And,
    /// True if some part is.
    Or,
    /// Whether two terms of one sort are the same.
    Equal,
    /// The second part if the first is true, else the third.
    If,
    /// The sum.
    Add,
    /// The difference.
    Sub,
    /// The part with its sign changed.
    Neg,
    /// The product.
    Mul,
    /// The quotient of integers, or of bits as numbers from 0.
    Div,
    /// The remainder that [`Op::Div`] leaves.
    Rem,
    /// The quotient of bits in two's complement.
    SignedDiv,
    /// The remainder that [`Op::SignedDiv`] leaves.
    SignedRem,
    /// Whether the first is less, of integers or of bits as numbers from 0.
    Less,
    /// Whether the first is at most the second, of integers or of bits as numbers from 0.
    AtMost,
    /// [`Op::Less`] of bits in two's complement.
    SignedLess,
    /// [`Op::AtMost`] of bits in two's complement.
    SignedAtMost,
    /// More bits, the new ones 0.
    ZeroExtend,
    /// More bits, the new ones like the highest.
    SignExtend,
    /// Only the lowest bits.
    Low,
    /// The bits that two integers have in common, in two's complement.
    BitAnd,
    /// An integer times 2 to the power of the second part; 0 if that is below 0 or above [`agon_base::int::LARGEST_SHIFT`].
    ShiftLeft,
    /// An integer divided by 2 to the power of the second part and rounded down; 0 if that is below 0 or above
    /// [`agon_base::int::LARGEST_SHIFT`].
    ShiftRight,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Node {
    op: Op,
    parts: Box<[Term]>,
    sort: Sort,
}

/// All terms that were made, each once.
#[derive(Clone, Default)]
pub struct Terms {
    nodes: Vec<Node>,
    known: FxHashMap<Node, Term>,
}

/// Bits in common with a number that is longer than this are not written by quotients and remainders.
pub(crate) const LONGEST_MASK: u64 = 256;

impl Terms {
    /// No terms.
    pub fn new() -> Terms {
        Terms::default()
    }

    /// How a term is made.
    pub fn op(&self, term: Term) -> &Op {
        &self.nodes[term.index()].op
    }

    /// What a term is made of.
    pub fn parts(&self, term: Term) -> &[Term] {
        &self.nodes[term.index()].parts
    }

    /// What a term stands for.
    pub fn sort(&self, term: Term) -> Sort {
        self.nodes[term.index()].sort
    }

    /// How many bits a term has. It is a mistake to ask this of another sort.
    pub fn width(&self, term: Term) -> u32 {
        match self.sort(term) {
            Sort::Bits(width) => width,
            other => panic!("bits are asked of a term of sort {other:?}"),
        }
    }

    /// The value of a term that is one.
    pub fn literal(&self, term: Term) -> Option<Value> {
        match self.op(term) {
            Op::Truth(b) => Some(Value::Truth(*b)),
            Op::Number(n) => Some(Value::Number(n.clone())),
            _ => None,
        }
    }

    /// The terms that these are made of, themselves included: parts before wholes.
    pub fn parts_first(&self, roots: impl IntoIterator<Item = Term>) -> Vec<Term> {
        let mut waiting: Vec<Term> = roots.into_iter().collect();
        let mut seen: rustc_hash::FxHashSet<Term> = waiting.iter().copied().collect();
        while let Some(term) = waiting.pop() {
            waiting.extend(self.parts(term).iter().filter(|part| seen.insert(**part)));
        }
        let mut all: Vec<Term> = seen.into_iter().collect();
        all.sort_unstable();
        all
    }

    /// The constants in a term.
    pub fn constants(&self, term: Term) -> Vec<Term> {
        let mut all = self.parts_first([term]);
        all.retain(|part| matches!(self.op(*part), Op::Constant(_)));
        all
    }

    /// A term with other terms in place of some of its parts.
    pub fn substitute(&mut self, term: Term, with: &FxHashMap<Term, Term>) -> Term {
        let mut done: FxHashMap<Term, Term> = FxHashMap::default();
        for part in self.parts_first([term]) {
            let new = match with.get(&part) {
                Some(new) => *new,
                None => {
                    let parts: Vec<Term> = self.parts(part).iter().map(|part| done[part]).collect();
                    match parts == self.parts(part) {
                        true => part,
                        false => self.remake(part, &parts),
                    }
                }
            };
            done.insert(part, new);
        }
        done[&term]
    }

    /// A term with other terms in place of its own parts, but not of theirs.
    pub fn substitute_parts(&mut self, term: Term, with: &FxHashMap<Term, Term>) -> Term {
        let parts: Vec<Term> =
            self.parts(term).iter().map(|part| with.get(part).copied().unwrap_or(*part)).collect();
        match parts == self.parts(term) {
            true => term,
            false => self.remake(term, &parts),
        }
    }

    /// A term like another, of other parts.
    fn remake(&mut self, term: Term, parts: &[Term]) -> Term {
        let sort = self.sort(term);
        match (self.op(term).clone(), parts) {
            (Op::Not, [a]) => self.not(*a),
            (Op::And, all) => self.and(all),
            (Op::Or, all) => self.or(all),
            (Op::Equal, [a, b]) => self.equal(*a, *b),
            (Op::If, [condition, a, b]) => self.if_else(*condition, *a, *b),
            (Op::Add, [a, b]) => self.add(*a, *b),
            (Op::Mul, [a, b]) => self.mul(*a, *b),
            (Op::BitAnd, [a, b]) => self.bit_and(*a, *b),
            (Op::ShiftLeft, [a, b]) => self.shift_left(*a, *b),
            (Op::ShiftRight, [a, b]) => self.shift_right(*a, *b),
            (op, parts) => self.make(op, parts, sort),
        }
    }

    fn intern(&mut self, op: Op, parts: &[Term], sort: Sort) -> Term {
        let node = Node { op, parts: parts.into(), sort };
        if let Some(term) = self.known.get(&node) {
            return *term;
        }
        let term = Term(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms"));
        self.nodes.push(node.clone());
        self.known.insert(node, term);
        term
    }

    fn make(&mut self, op: Op, parts: &[Term], sort: Sort) -> Term {
        let values: Option<Vec<Value>> = parts.iter().map(|part| self.literal(*part)).collect();
        match values {
            Some(values) => {
                let sorts: Vec<Sort> = parts.iter().map(|part| self.sort(*part)).collect();
                match apply(&op, sort, &sorts, &values) {
                    Value::Truth(b) => self.truth(b),
                    Value::Number(n) => self.intern(Op::Number(n), &[], sort),
                }
            }
            None => self.intern(op, parts, sort),
        }
    }

    #[track_caller]
    fn expect(&self, term: Term, sort: Sort) {
        assert_eq!(self.sort(term), sort, "the sort of a part");
    }

    /// The sort of two numbers, which must have the same.
    #[track_caller]
    fn common(&self, a: Term, b: Term) -> Sort {
        assert_ne!(self.sort(a), Sort::Bool, "a number is needed");
        self.expect(b, self.sort(a));
        self.sort(a)
    }

    /// The constant of this name and sort.
    pub fn constant(&mut self, name: impl Into<String>, sort: Sort) -> Term {
        assert_ne!(sort, Sort::Bits(0), "at least one bit");
        self.intern(Op::Constant(name.into()), &[], sort)
    }

    /// True, or false.
    pub fn truth(&mut self, b: bool) -> Term {
        self.intern(Op::Truth(b), &[], Sort::Bool)
    }

    /// An integer.
    pub fn int(&mut self, n: impl Into<Int>) -> Term {
        self.intern(Op::Number(n.into()), &[], Sort::Int)
    }

    /// A number in this many bits, brought into range.
    pub fn bits(&mut self, n: impl Into<Int>, width: u32) -> Term {
        assert_ne!(width, 0, "at least one bit");
        let n = n.into().rem(&Int::power_of_two(width)).expect("a power of two is not 0");
        self.intern(Op::Number(n), &[], Sort::Bits(width))
    }

    /// True if `a` is false.
    pub fn not(&mut self, a: Term) -> Term {
        self.expect(a, Sort::Bool);
        match self.op(a) {
            Op::Not => self.parts(a)[0],
            _ => self.make(Op::Not, &[a], Sort::Bool),
        }
    }

    /// True if all of these are.
    pub fn and(&mut self, all: &[Term]) -> Term {
        self.junction(Op::And, all, true)
    }

    /// True if some of these is.
    pub fn or(&mut self, all: &[Term]) -> Term {
        self.junction(Op::Or, all, false)
    }

    fn junction(&mut self, op: Op, all: &[Term], neutral: bool) -> Term {
        let mut parts: Vec<Term> = Vec::new();
        for part in all {
            self.expect(*part, Sort::Bool);
            match self.literal(*part) {
                Some(Value::Truth(b)) if b == neutral => {}
                Some(_) => return *part,
                None => parts.push(*part),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        match parts[..] {
            [] => self.truth(neutral),
            [one] => one,
            _ => self.intern(op, &parts, Sort::Bool),
        }
    }

    /// Whether the two are the same.
    pub fn equal(&mut self, a: Term, b: Term) -> Term {
        self.expect(b, self.sort(a));
        if a == b {
            return self.truth(true);
        }
        self.make(Op::Equal, &[a.min(b), a.max(b)], Sort::Bool)
    }

    /// `a` if the condition holds, else `b`.
    pub fn if_else(&mut self, condition: Term, a: Term, b: Term) -> Term {
        self.expect(condition, Sort::Bool);
        self.expect(b, self.sort(a));
        match self.literal(condition) {
            Some(Value::Truth(true)) => return a,
            Some(_) => return b,
            None => {}
        }
        // A choice within by the same condition is decided.
        let chosen = |this: &Terms, term: Term| match (this.op(term), this.parts(term)) {
            (Op::If, [other, yes, no]) => Some((*other, *yes, *no)),
            _ => None,
        };
        let a = chosen(self, a).filter(|(other, ..)| *other == condition).map_or(a, |(_, yes, _)| yes);
        let b = chosen(self, b).filter(|(other, ..)| *other == condition).map_or(b, |(.., no)| no);
        if a == b {
            return a;
        }
        // Two conditions for one thing are one.
        if let Some((other, yes, no)) = chosen(self, b)
            && yes == a
        {
            let either = self.or(&[condition, other]);
            return self.if_else(either, a, no);
        }
        self.make(Op::If, &[condition, a, b], self.sort(a))
    }

    /// The sum.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        let sort = self.common(a, b);
        self.make(Op::Add, &[a.min(b), a.max(b)], sort)
    }

    /// The difference.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        let sort = self.common(a, b);
        self.make(Op::Sub, &[a, b], sort)
    }

    /// The number with its sign changed.
    pub fn neg(&mut self, a: Term) -> Term {
        let sort = self.common(a, a);
        self.make(Op::Neg, &[a], sort)
    }

    /// The product.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        let sort = self.common(a, b);
        self.make(Op::Mul, &[a.min(b), a.max(b)], sort)
    }

    /// The Euclidean quotient, of bits as numbers from 0.
    pub fn div(&mut self, a: Term, b: Term) -> Term {
        let sort = self.common(a, b);
        self.make(Op::Div, &[a, b], sort)
    }

    /// The Euclidean remainder, of bits as numbers from 0.
    pub fn rem(&mut self, a: Term, b: Term) -> Term {
        let sort = self.common(a, b);
        self.make(Op::Rem, &[a, b], sort)
    }

    /// The bits that two integers have in common. Those in common with a number are written by quotients and remainders.
    pub fn bit_and(&mut self, a: Term, b: Term) -> Term {
        self.expect(a, Sort::Int);
        self.expect(b, Sort::Int);
        let mask = |term: Term| self.literal(term).filter(|mask| mask.number().bits() <= LONGEST_MASK);
        match (mask(a), mask(b)) {
            _ if a == b => a,
            (_, Some(mask)) => self.masked(a, mask.number()),
            (Some(mask), _) => self.masked(b, mask.number()),
            (None, None) => self.make(Op::BitAnd, &[a.min(b), a.max(b)], Sort::Int),
        }
    }

    /// The bits that a term has in common with a number.
    fn masked(&mut self, a: Term, mask: &Int) -> Term {
        if mask.is_negative() {
            // All but those of the complement.
            let others = self.masked(a, &mask.complement());
            return self.sub(a, others);
        }
        let mut sum = self.int(Int::ZERO);
        // Those below a run are divided away, those above are left by a remainder.
        for (first, length) in runs_of_bits(mask) {
            let low = self.int(Int::power_of_two(first));
            let size = self.int(Int::power_of_two(length));
            let shifted = self.div(a, low);
            let run = self.rem(shifted, size);
            let run = self.mul(run, low);
            sum = self.add(sum, run);
        }
        sum
    }

    /// An integer times a power of two.
    pub fn shift_left(&mut self, a: Term, by: Term) -> Term {
        self.expect(a, Sort::Int);
        self.expect(by, Sort::Int);
        match self.literal(by) {
            None => self.make(Op::ShiftLeft, &[a, by], Sort::Int),
            Some(n) => {
                let power = n.number().shift_amount().map_or(Int::ZERO, Int::power_of_two);
                let power = self.int(power);
                self.mul(a, power)
            }
        }
    }

    /// An integer divided by a power of two, rounded down.
    pub fn shift_right(&mut self, a: Term, by: Term) -> Term {
        self.expect(a, Sort::Int);
        self.expect(by, Sort::Int);
        match self.literal(by) {
            None => self.make(Op::ShiftRight, &[a, by], Sort::Int),
            Some(n) => match n.number().shift_amount() {
                None => self.int(Int::ZERO),
                Some(n) => {
                    let power = self.int(Int::power_of_two(n));
                    self.div(a, power)
                }
            },
        }
    }

    /// The Euclidean quotient of bits in two's complement.
    pub fn signed_div(&mut self, a: Term, b: Term) -> Term {
        self.expect(b, Sort::Bits(self.width(a)));
        self.make(Op::SignedDiv, &[a, b], self.sort(a))
    }

    /// The Euclidean remainder of bits in two's complement.
    pub fn signed_rem(&mut self, a: Term, b: Term) -> Term {
        self.expect(b, Sort::Bits(self.width(a)));
        self.make(Op::SignedRem, &[a, b], self.sort(a))
    }

    /// Whether `a` is less than `b`, of bits as numbers from 0.
    pub fn less(&mut self, a: Term, b: Term) -> Term {
        self.common(a, b);
        self.make(Op::Less, &[a, b], Sort::Bool)
    }

    /// Whether `a` is at most `b`, of bits as numbers from 0.
    pub fn at_most(&mut self, a: Term, b: Term) -> Term {
        self.common(a, b);
        self.make(Op::AtMost, &[a, b], Sort::Bool)
    }

    /// Whether `a` is less than `b` in two's complement.
    pub fn signed_less(&mut self, a: Term, b: Term) -> Term {
        self.expect(b, Sort::Bits(self.width(a)));
        self.make(Op::SignedLess, &[a, b], Sort::Bool)
    }

    /// Whether `a` is at most `b` in two's complement.
    pub fn signed_at_most(&mut self, a: Term, b: Term) -> Term {
        self.expect(b, Sort::Bits(self.width(a)));
        self.make(Op::SignedAtMost, &[a, b], Sort::Bool)
    }

    /// The same number from 0 in at least as many bits.
    pub fn zero_extend(&mut self, a: Term, width: u32) -> Term {
        self.resize(Op::ZeroExtend, a, width)
    }

    /// The same number in two's complement in at least as many bits.
    pub fn sign_extend(&mut self, a: Term, width: u32) -> Term {
        self.resize(Op::SignExtend, a, width)
    }

    /// The lowest bits: the number brought into a smaller range.
    pub fn low(&mut self, a: Term, width: u32) -> Term {
        self.resize(Op::Low, a, width)
    }

    fn resize(&mut self, op: Op, a: Term, width: u32) -> Term {
        let fits = if op == Op::Low { width <= self.width(a) } else { width >= self.width(a) };
        assert!(fits && width > 0, "{op:?} from {} to {width} bits", self.width(a));
        if width == self.width(a) { a } else { self.make(op, &[a], Sort::Bits(width)) }
    }
}

/// The runs of bits of a number that is not negative: the place of the first and how many there are.
pub(crate) fn runs_of_bits(n: &Int) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    let mut rest = n.clone();
    let mut place = 0;
    while !rest.is_zero() {
        if !rest.bit_and(&Int::ONE).is_zero() {
            match runs.last_mut() {
                Some((first, length)) if *first + *length == place => *length += 1,
                _ => runs.push((place, 1)),
            }
        }
        rest = rest.shift_right(&Int::ONE);
        place += 1;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_in_common_with_a_number_are_written_by_division() {
        let mut terms = Terms::new();
        let x = terms.constant("x", Sort::Int);
        let y = terms.constant("y", Sort::Int);
        let numbers = [0, 1, 2, 3, 5, 12, 255, 256, 0x5555, -1, -2, -8, -256, i64::MAX, i64::MIN];
        for (n, mask) in numbers.iter().flat_map(|n| numbers.iter().map(move |mask| (*n, *mask))) {
            let (value, number) = (terms.int(Int::from(n)), terms.int(Int::from(mask)));
            let masked = terms.bit_and(x, number);
            let parts = terms.parts_first([masked]);
            assert!(parts.iter().all(|part| *terms.op(*part) != Op::BitAnd), "x & {mask}");
            let others = FxHashMap::from_iter([(x, value), (y, number)]);
            let found = terms.substitute(masked, &others);
            assert_eq!(terms.literal(found), Some(Value::Number(Int::from(n & mask))), "{n} & {mask}");
            // What is unknown becomes known when numbers are put in.
            let unknown = terms.bit_and(x, y);
            assert_eq!(terms.substitute(unknown, &others), terms.int(Int::from(n & mask)));
            let by = Int::from(mask);
            for (shift, expected) in [
                (terms.shift_left(x, y), Int::from(n).shift_left(&by)),
                (terms.shift_right(x, y), Int::from(n).shift_right(&by)),
            ] {
                assert_eq!(terms.substitute(shift, &others), terms.int(expected), "{n}, {mask}");
            }
        }
    }

    #[test]
    fn substitution_makes_what_would_have_been_made() {
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| terms.constant(name, Sort::Int));
        let (one, two) = (terms.int(1u64), terms.int(2u64));
        let claim = |terms: &mut Terms, x: Term| {
            let sum = terms.add(x, y);
            let rest = terms.rem(sum, two);
            let odd = terms.equal(rest, one);
            let less = terms.less(x, y);
            let chosen = terms.if_else(odd, x, two);
            let same = terms.equal(chosen, y);
            terms.and(&[odd, less, same])
        };
        let of_x = claim(&mut terms, x);
        let successor = terms.add(y, one);
        let of_successor = claim(&mut terms, successor);
        let others = FxHashMap::from_iter([(x, successor)]);
        assert_eq!(terms.substitute(of_x, &others), of_successor);
        // What is put in is not looked into again.
        let others = FxHashMap::from_iter([(x, y), (y, x)]);
        let (less, more) = (terms.less(x, y), terms.less(y, x));
        assert_eq!(terms.substitute(less, &others), more);
        // Numbers are reckoned with at once.
        let others = FxHashMap::from_iter([(x, one), (y, two)]);
        assert_eq!(terms.substitute(less, &others), terms.truth(true));
    }
}
