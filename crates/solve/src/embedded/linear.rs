//! Linear expressions over integer variables, and constraints on them that remember their causes.

use std::rc::Rc;

use agon_base::int::Int;

agon_base::id! {
    /// An integer variable of the theory.
    pub Var;
}

/// Variables with factors, as they stand in many constraints.
pub type Form = Rc<[(Var, Int)]>;

/// A sum of variables with factors other than 0, in the order of the variables, and a number.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Linear {
    /// The variables and their factors.
    pub parts: Vec<(Var, Int)>,
    /// The number.
    pub constant: Int,
}

impl Linear {
    /// A number.
    pub fn number(n: Int) -> Linear {
        Linear { parts: Vec::new(), constant: n }
    }

    /// A variable.
    pub fn var(var: Var) -> Linear {
        Linear { parts: vec![(var, Int::ONE)], constant: Int::ZERO }
    }

    /// The variable that it is, if it is one.
    pub fn as_var(&self) -> Option<Var> {
        match &self.parts[..] {
            [(var, factor)] if *factor == Int::ONE && self.constant.is_zero() => Some(*var),
            _ => None,
        }
    }

    /// The sum with a multiple of another.
    pub fn plus(&self, factor: &Int, other: &Linear) -> Linear {
        let mut parts = Vec::with_capacity(self.parts.len() + other.parts.len());
        let (mut left, mut right) = (self.parts.iter().peekable(), other.parts.iter().peekable());
        loop {
            let (var, n) = match (left.peek(), right.peek()) {
                (Some((a, n)), Some((b, m))) if a == b => {
                    let sum = (*a, n.add(&factor.mul(m)));
                    left.next();
                    right.next();
                    sum
                }
                (Some((a, n)), other) if other.is_none_or(|(b, _)| a < b) => {
                    let part = (*a, n.clone());
                    left.next();
                    part
                }
                (_, Some((b, m))) => {
                    let part = (*b, factor.mul(m));
                    right.next();
                    part
                }
                _ => break,
            };
            if !n.is_zero() {
                parts.push((var, n));
            }
        }
        Linear { parts, constant: self.constant.add(&factor.mul(&other.constant)) }
    }

    /// A multiple of it.
    pub fn times(&self, factor: &Int) -> Linear {
        Linear::default().plus(factor, self)
    }

    /// The factor of a variable.
    pub fn factor(&self, var: Var) -> Option<&Int> {
        self.parts.binary_search_by_key(&var, |(var, _)| *var).ok().map(|i| &self.parts[i].1)
    }

    /// It, with an expression for a variable.
    pub fn replace(&self, var: Var, by: &Linear) -> Linear {
        match self.factor(var).cloned() {
            None => self.clone(),
            Some(factor) => {
                let mut rest = self.clone();
                rest.parts.retain(|(other, _)| *other != var);
                rest.plus(&factor, by)
            }
        }
    }

    /// The greatest number that divides all factors; 0 if there are none.
    pub fn gcd(&self) -> Int {
        self.parts.iter().fold(Int::ZERO, |gcd, (_, n)| gcd_of(&gcd, n))
    }

    /// What it is worth.
    pub fn value(&self, of: impl Fn(Var) -> Int) -> Int {
        self.parts.iter().fold(self.constant.clone(), |sum, (var, n)| sum.add(&n.mul(&of(*var))))
    }
}

/// The magnitude.
pub fn magnitude(n: &Int) -> Int {
    if n.is_negative() { n.neg() } else { n.clone() }
}

/// The greatest common divisor, never negative.
pub fn gcd_of(a: &Int, b: &Int) -> Int {
    let (mut a, mut b) = (magnitude(a), magnitude(b));
    while let Some(rest) = a.rem(&b) {
        a = std::mem::replace(&mut b, rest);
    }
    a
}

/// The quotient, rounded down, by a positive number.
pub fn floor(a: &Int, b: &Int) -> Int {
    a.div(b).expect("a positive divisor")
}

/// The quotient, rounded up, by a positive number.
pub fn ceiling(a: &Int, b: &Int) -> Int {
    floor(&a.neg(), b).neg()
}

/// The premises that something follows from, by number, in order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Why(pub Vec<u32>);

impl Why {
    /// From one premise.
    pub fn one(premise: u32) -> Why {
        Why(vec![premise])
    }

    /// From the premises of both.
    pub fn and(&self, other: &Why) -> Why {
        if other.0.is_empty() || self == other {
            return self.clone();
        }
        let mut all = [&self.0[..], &other.0[..]].concat();
        all.sort_unstable();
        all.dedup();
        Why(all)
    }

    /// Without a premise; nothing if it was not among them.
    pub fn without(&self, premise: u32) -> Option<Why> {
        let i = self.0.binary_search(&premise).ok()?;
        let mut rest = self.0.clone();
        rest.remove(i);
        Some(Why(rest))
    }
}

/// An expression that is 0, or at most 0.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// The expression.
    pub linear: Linear,
    /// Whether it is 0; otherwise it is at most 0.
    pub equality: bool,
    /// What it follows from.
    pub why: Why,
}
