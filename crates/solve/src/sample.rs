//! Random questions of the shapes that programs give rise to, the same for the same seed.

use agon_base::id::number;
use agon_base::random::Random;

use crate::solver::{Answer, Claim, Limit, Name, Solver};
use crate::stack::Stack;
use crate::term::{Sort, Term, Terms};

/// What a question is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// Comparisons of linear expressions over unbounded integers, some with `div` and `mod` by numbers, and logic.
    Linear,
    /// A play in single-assignment form over unbounded integers.
    Play,
    /// A play over integers that are wrapped into their ranges when they are stored.
    Wrapped,
    /// Comparisons of bits, and logic.
    Bits,
    /// A play over bits.
    BitPlay,
    /// Linear expressions, Booleans and bits, with conditional expressions.
    Mixed,
}

impl Shape {
    /// All of them.
    pub const ALL: [Shape; 6] =
        [Shape::Linear, Shape::Play, Shape::Wrapped, Shape::Bits, Shape::BitPlay, Shape::Mixed];
}

/// How large a question is.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// How many constants, about.
    pub constants: usize,
    /// How many claims, about.
    pub claims: usize,
    /// How many bits at most.
    pub width: u32,
    /// Whether numbers are so small, and constants so few and bounded, that all values can be tried.
    pub tiny: bool,
}

impl Size {
    /// So small that all values can be tried.
    pub const TINY: Size = Size { constants: 3, claims: 5, width: 3, tiny: true };
    /// As programs have them.
    pub const USUAL: Size = Size { constants: 6, claims: 10, width: 64, tiny: false };
}

/// A step of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Mark a place.
    Push,
    /// Go back to the last mark.
    Pop,
    /// Claim that this is true.
    Claim(Name, Term),
    /// Ask.
    Check,
}

/// Terms and steps.
#[derive(Clone)]
pub struct Question {
    /// The terms.
    pub terms: Terms,
    /// The steps. The last one asks.
    pub steps: Vec<Step>,
    /// Within which every integer constant lies, if the question is tiny.
    pub range: (i64, i64),
}

impl Question {
    /// Takes the steps with a solver, and gives all answers, each with `limit` of its own.
    pub fn ask(&self, solver: impl Solver, limit: impl Fn() -> Limit) -> Vec<Answer> {
        let mut stack = Stack::new(solver);
        let mut answers = Vec::new();
        self.walk(&mut stack, |stack| answers.push(stack.check(&self.terms, &limit())));
        answers
    }

    /// Takes the steps on a stack, and calls back where they ask.
    pub fn walk<S: Solver>(&self, stack: &mut Stack<S>, mut check: impl FnMut(&mut Stack<S>)) {
        for step in &self.steps {
            match step {
                Step::Push => stack.push(),
                Step::Pop => stack.pop(),
                Step::Claim(name, term) => stack.claim(&self.terms, *name, *term),
                Step::Check => check(stack),
            }
        }
    }
}

/// A random question: one that is asked at its end, or one with claims that come and go.
pub fn question(seed: u64, shape: Shape, size: Size, incremental: bool) -> Question {
    let mut sampler = Sampler::new(seed, shape, size);
    let mut claims: Vec<Term> = if size.tiny { sampler.ranges() } else { Vec::new() };
    match shape {
        Shape::Linear | Shape::Bits | Shape::Mixed => {
            let count = 1 + sampler.random.below(size.claims);
            for _ in 0..count {
                let claim = sampler.formula(2);
                claims.push(claim);
            }
        }
        Shape::Play | Shape::Wrapped | Shape::BitPlay => sampler.play(&mut claims),
    }
    let steps = sampler.steps(&claims, incremental);
    Question { terms: sampler.terms, steps, range: RANGE }
}

/// Within which the integer constants of a tiny question lie.
const RANGE: (i64, i64) = (-3, 4);

struct Sampler {
    random: Random,
    terms: Terms,
    shape: Shape,
    size: Size,
    booleans: Vec<Term>,
    integers: Vec<Term>,
    bits: Vec<Term>,
    width: u32,
    made: usize,
}

impl Sampler {
    fn new(seed: u64, shape: Shape, size: Size) -> Sampler {
        let mut random = Random::new(seed ^ (shape as u64) << 56);
        let width = match size.tiny {
            true => 1 + number(random.below(size.width as usize)),
            false => [4, 8, 8, 16, 32, 64][random.below(6)].min(size.width),
        };
        let mut sampler = Sampler {
            random,
            terms: Terms::new(),
            shape,
            size,
            booleans: Vec::new(),
            integers: Vec::new(),
            bits: Vec::new(),
            width,
            made: 0,
        };
        let count = 1 + sampler.random.below(size.constants);
        for i in 0..count {
            match shape {
                Shape::Linear | Shape::Play | Shape::Wrapped => sampler.integer(),
                Shape::Bits | Shape::BitPlay => sampler.vector(),
                Shape::Mixed if i % 3 == 0 => sampler.integer(),
                Shape::Mixed if i % 3 == 1 => sampler.truth(),
                Shape::Mixed => sampler.vector(),
            };
        }
        if shape == Shape::Linear && sampler.random.one_in(3) {
            sampler.truth();
        }
        sampler
    }

    fn name(&mut self) -> String {
        self.made += 1;
        format!("x{}", self.made)
    }

    fn integer(&mut self) -> Term {
        let name = self.name();
        let term = self.terms.constant(name, Sort::Int);
        self.integers.push(term);
        term
    }

    fn vector(&mut self) -> Term {
        let name = self.name();
        let term = self.terms.constant(name, Sort::Bits(self.width));
        self.bits.push(term);
        term
    }

    fn truth(&mut self) -> Term {
        let name = self.name();
        let term = self.terms.constant(name, Sort::Bool);
        self.booleans.push(term);
        term
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.random.below(from.len())]
    }

    /// A number, mostly small.
    fn number(&mut self) -> i64 {
        match self.random.below(if self.size.tiny { 6 } else { 16 }) {
            0 => 0,
            1 => 1,
            2 | 3 => self.random.below(6) as i64 - 2,
            4..=11 => self.random.below(21) as i64 - 10,
            12 | 13 => self.random.below(2001) as i64 - 1000,
            14 => 1 << self.random.below(33),
            _ => self.random.below(1 << 32) as i64 - (1 << 31),
        }
    }

    /// A number that can divide.
    fn divisor(&mut self) -> i64 {
        match self.random.below(8) {
            0..=2 => 2,
            3 => 3,
            4 => 10,
            5 => -(1 + self.random.below(5) as i64),
            6 if !self.size.tiny => 1 << (1 + self.random.below(32)),
            _ => 1 + self.random.below(12) as i64,
        }
    }

    /// An expression over integers.
    fn expression(&mut self, depth: usize) -> Term {
        if self.integers.is_empty() {
            let n = self.number();
            return self.terms.int(n);
        }
        match self.random.below(if depth == 0 { 4 } else { 12 }) {
            0 => {
                let n = self.number();
                self.terms.int(n)
            }
            1..=3 => self.pick(&self.integers.clone()),
            4..=6 => {
                let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
                self.terms.add(a, b)
            }
            7 | 8 => {
                let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
                self.terms.sub(a, b)
            }
            9 => {
                let (a, n) = (self.expression(depth - 1), self.number());
                let n = self.terms.int(n);
                self.terms.mul(a, n)
            }
            10 => {
                let (a, n) = (self.expression(depth - 1), self.divisor());
                let n = self.terms.int(n);
                if self.random.one_in(3) { self.terms.div(a, n) } else { self.terms.rem(a, n) }
            }
            _ if self.shape == Shape::Mixed => {
                let condition = self.formula(depth - 1);
                let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
                self.terms.if_else(condition, a, b)
            }
            _ => {
                let a = self.expression(depth - 1);
                self.terms.neg(a)
            }
        }
    }

    /// An expression over bits.
    fn vectors(&mut self, depth: usize) -> Term {
        if self.bits.is_empty() || depth == 0 || self.random.one_in(4) {
            if self.bits.is_empty() || self.random.one_in(3) {
                let n = self.number();
                return self.terms.bits(n, self.width);
            }
            return self.pick(&self.bits.clone());
        }
        let (a, b) = (self.vectors(depth - 1), self.vectors(depth - 1));
        // Circuits of wide products and quotients of unknowns are hard for everybody.
        let heavy = self.width <= 8 || self.terms.literal(a).is_some() || self.terms.literal(b).is_some();
        match self.random.below(14) {
            0..=3 => self.terms.add(a, b),
            4..=6 => self.terms.sub(a, b),
            7 => self.terms.neg(a),
            8 if heavy => self.terms.mul(a, b),
            9 if heavy => match self.random.below(4) {
                0 => self.terms.div(a, b),
                1 => self.terms.rem(a, b),
                2 => self.terms.signed_div(a, b),
                _ => self.terms.signed_rem(a, b),
            },
            10 => {
                let wide = self.width + 1 + number(self.random.below(3));
                let signed = self.random.one_in(2);
                let extend = if signed { Terms::sign_extend } else { Terms::zero_extend };
                let (a, b) = (extend(&mut self.terms, a, wide), extend(&mut self.terms, b, wide));
                let sum = self.terms.add(a, b);
                self.terms.low(sum, self.width)
            }
            11 if self.shape == Shape::Mixed => {
                let condition = self.formula(depth - 1);
                self.terms.if_else(condition, a, b)
            }
            _ => self.terms.sub(a, b),
        }
    }

    fn atom(&mut self) -> Term {
        let of_bits = !self.bits.is_empty() && (self.integers.is_empty() || self.random.one_in(2));
        if !self.booleans.is_empty() && self.random.one_in(4) {
            return self.pick(&self.booleans.clone());
        }
        if of_bits {
            let (a, b) = (self.vectors(2), self.vectors(1));
            // Wider, nothing wraps: this is how exact arithmetic is asked about.
            let (a, b) = match self.random.below(4) {
                0 => {
                    let wide = self.width + 2;
                    (self.terms.sign_extend(a, wide), self.terms.sign_extend(b, wide))
                }
                _ => (a, b),
            };
            return match self.random.below(5) {
                0 => self.terms.equal(a, b),
                1 => self.terms.less(a, b),
                2 => self.terms.at_most(a, b),
                3 => self.terms.signed_less(a, b),
                _ => self.terms.signed_at_most(a, b),
            };
        }
        let (a, b) = (self.expression(2), self.expression(1));
        match self.random.below(4) {
            0 | 1 => self.terms.equal(a, b),
            2 => self.terms.less(a, b),
            _ => self.terms.at_most(a, b),
        }
    }

    fn formula(&mut self, depth: usize) -> Term {
        match self.random.below(if depth == 0 { 3 } else { 7 }) {
            0 | 1 => self.atom(),
            2 => {
                let atom = self.atom();
                self.terms.not(atom)
            }
            3 | 4 => {
                let (a, b) = (self.formula(depth - 1), self.formula(depth - 1));
                self.terms.or(&[a, b])
            }
            5 => {
                let (a, b) = (self.formula(depth - 1), self.formula(depth - 1));
                self.terms.and(&[a, b])
            }
            _ => {
                let (a, b) = (self.formula(depth - 1), self.formula(depth - 1));
                self.terms.equal(a, b)
            }
        }
    }

    /// Assignments, each to a fresh constant, and conditions on what the variables then are.
    fn play(&mut self, claims: &mut Vec<Term>) {
        let steps = self.size.claims;
        let bits = self.shape == Shape::BitPlay;
        for _ in 0..steps {
            if self.random.one_in(2) {
                let condition = if self.random.one_in(5) { self.formula(1) } else { self.atom() };
                claims.push(condition);
                continue;
            }
            let value = if bits { self.vectors(2) } else { self.expression(2) };
            let value = if self.shape == Shape::Wrapped { self.wrapped(value) } else { value };
            // A tiny question has no room for a constant more: the variable stands for the expression.
            let (fresh, all) = match (self.size.tiny, bits) {
                (true, true) => (value, &mut self.bits),
                (true, false) => (value, &mut self.integers),
                (false, true) => (self.vector(), &mut self.bits),
                (false, false) => (self.integer(), &mut self.integers),
            };
            if !self.size.tiny {
                all.pop();
            }
            let i = self.random.below(all.len());
            all[i] = fresh;
            let claim = self.terms.equal(fresh, value);
            claims.push(claim);
        }
    }

    /// A value brought into a range: one from 0, or one in two's complement.
    fn wrapped(&mut self, value: Term) -> Term {
        let count = match self.size.tiny {
            true => 2 + self.random.below(6) as i64,
            false => self.pick(&[2i64, 3, 10, 100, 1 << 8, 1 << 16, 1 << 32]),
        };
        let (count, half) = (self.terms.int(count), self.terms.int(count / 2));
        if self.random.one_in(2) {
            return self.terms.rem(value, count);
        }
        let shifted = self.terms.add(value, half);
        let rest = self.terms.rem(shifted, count);
        self.terms.sub(rest, half)
    }

    /// That all integers lie within [`RANGE`].
    fn ranges(&mut self) -> Vec<Term> {
        let mut claims = Vec::new();
        for term in self.integers.clone() {
            let (low, high) = (self.terms.int(RANGE.0), self.terms.int(RANGE.1));
            claims.push(self.terms.at_most(low, term));
            claims.push(self.terms.at_most(term, high));
        }
        claims
    }

    fn steps(&mut self, claims: &[Term], incremental: bool) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut marks = 0;
        // A tiny question's ranges, which come first, must stay.
        let kept = if self.size.tiny { 2 * self.integers.len() } else { 0 };
        for (i, claim) in claims.iter().enumerate() {
            if incremental && i >= kept && self.random.one_in(3) {
                steps.push(Step::Push);
                marks += 1;
            }
            steps.push(Step::Claim(Name::new(i), *claim));
            if incremental && i >= kept && self.random.one_in(2) {
                steps.push(Step::Check);
                if marks > 0 && self.random.one_in(2) {
                    steps.push(Step::Pop);
                    marks -= 1;
                }
            }
        }
        steps.push(Step::Check);
        steps
    }
}

/// `x < y`, `y < x + 2`, `x` even, `y` even: not together.
pub fn parity(terms: &mut Terms) -> Vec<Claim> {
    let (x, y) = (terms.constant("x", Sort::Int), terms.constant("y", Sort::Int));
    let (zero, two) = (terms.int(0i64), terms.int(2i64));
    let above = terms.add(x, two);
    let mut claims = vec![terms.less(x, y), terms.less(y, above)];
    for constant in [x, y] {
        let rest = terms.rem(constant, two);
        claims.push(terms.equal(rest, zero));
    }
    claims.iter().enumerate().map(|(i, term)| Claim { name: Name::new(i), term: *term }).collect()
}
