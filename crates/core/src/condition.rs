//! Conditions on the numbers that the environment gives in one move: what is assumed of an answer, or of the arguments of a call.

use std::fmt::Write;

use agon_base::int::Int;

use crate::term::{Operator, Unary};

/// A condition, or an expression in it, over integers of any size. Division is by numbers other than 0, so it always has a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// A number.
    Number(Int),
    /// The n-th number that is given in the move: the answer is the only one, and arguments are counted from 0.
    Given(usize),
    /// An operator of one operand.
    Unary(Unary, Box<Condition>),
    /// An operator of two operands.
    Binary(Operator, Box<Condition>, Box<Condition>),
}

/// The least and the greatest number that fulfils a condition, where there are such.
pub type Ends = (Option<Int>, Option<Int>);

impl Condition {
    /// Both conditions at once.
    pub fn and(self, other: Condition) -> Condition {
        Condition::Binary(Operator::Both, Box::new(self), Box::new(other))
    }

    /// That the only number that is given lies between two.
    pub fn between(low: &Int, high: &Int) -> Condition {
        let compare = |operator, n: &Int| {
            Condition::Binary(operator, Box::new(Condition::Given(0)), Box::new(Condition::Number(n.clone())))
        };
        compare(Operator::GreaterEqual, low).and(compare(Operator::LessEqual, high))
    }

    /// Its value, where these numbers are given. What is not given is 0.
    pub fn value(&self, given: &[Int]) -> Int {
        match self {
            Condition::Number(n) => n.clone(),
            Condition::Given(n) => given.get(*n).cloned().unwrap_or(Int::ZERO),
            Condition::Unary(operator, a) => operator.apply(&a.value(given)),
            Condition::Binary(operator, a, b) => {
                operator.apply(&a.value(given), &b.value(given)).unwrap_or(Int::ZERO)
            }
        }
    }

    /// Whether it holds where these numbers are given.
    pub fn holds(&self, given: &[Int]) -> bool {
        !self.value(given).is_zero()
    }

    /// The conditions that must all hold.
    pub fn conjuncts(&self) -> Vec<&Condition> {
        match self {
            Condition::Binary(Operator::Both, a, b) => [a.conjuncts(), b.conjuncts()].concat(),
            other => vec![other],
        }
    }

    /// Which numbers of the move it speaks about.
    pub fn given(&self) -> Vec<usize> {
        let mut all = match self {
            Condition::Number(_) => Vec::new(),
            Condition::Given(n) => vec![*n],
            Condition::Unary(_, a) => a.given(),
            Condition::Binary(_, a, b) => [a.given(), b.given()].concat(),
        };
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The numbers that stand in it.
    pub fn numbers(&self) -> Vec<&Int> {
        match self {
            Condition::Number(n) => vec![n],
            Condition::Given(_) => Vec::new(),
            Condition::Unary(_, a) => a.numbers(),
            Condition::Binary(_, a, b) => [a.numbers(), b.numbers()].concat(),
        }
    }

    /// Ends between which the n-th number lies if it holds, and whether it holds for all numbers between them, whatever the others are.
    pub fn ends(&self, n: usize) -> (Ends, bool) {
        let (mut low, mut high): Ends = (None, None);
        let mut exact = true;
        for conjunct in self.conjuncts() {
            let Some((operator, number)) = conjunct.compares(n) else {
                exact &= conjunct.given().is_empty() && conjunct.holds(&[]);
                continue;
            };
            let (least, most) = match operator {
                Operator::Less => (None, Some(number.sub(&Int::ONE))),
                Operator::LessEqual => (None, Some(number)),
                Operator::Greater => (Some(number.add(&Int::ONE)), None),
                Operator::GreaterEqual => (Some(number), None),
                _ => (Some(number.clone()), Some(number)),
            };
            low = low.into_iter().chain(least).max();
            high = high.into_iter().chain(most).min();
        }
        ((low, high), exact)
    }

    /// How it compares the n-th number with a number, if it does nothing else.
    fn compares(&self, n: usize) -> Option<(Operator, Int)> {
        let Condition::Binary(operator, a, b) = self else { return None };
        let turned = match operator {
            Operator::Less => Operator::Greater,
            Operator::LessEqual => Operator::GreaterEqual,
            Operator::Greater => Operator::Less,
            Operator::GreaterEqual => Operator::LessEqual,
            Operator::Equal => Operator::Equal,
            _ => return None,
        };
        let is_given = |side: &Condition| *side == Condition::Given(n);
        let number = |side: &Condition| side.given().is_empty().then(|| side.value(&[]));
        match (is_given(a), is_given(b)) {
            (true, false) => Some((*operator, number(b)?)),
            (false, true) => Some((turned, number(a)?)),
            _ => None,
        }
    }

    /// The condition as it is written, with these names for the numbers that are given.
    pub fn show(&self, names: &[String]) -> String {
        let mut text = String::new();
        self.write(names, 0, &mut text);
        text
    }

    fn write(&self, names: &[String], around: u8, text: &mut String) {
        let level = self.level();
        let parenthesised = level < around;
        if parenthesised {
            text.push('(');
        }
        match self {
            Condition::Number(n) => _ = write!(text, "{n}"),
            Condition::Given(n) => text.push_str(names.get(*n).map_or("_", String::as_str)),
            Condition::Unary(Unary::Not, a) => {
                text.push_str("not ");
                a.write(names, level, text);
            }
            Condition::Unary(_, a) => {
                text.push('-');
                a.write(names, level + 1, text);
            }
            Condition::Binary(operator, a, b) => {
                // Comparisons do not stand beside each other; the others are read from the left.
                a.write(names, if level == COMPARISON { level + 1 } else { level }, text);
                let _ = write!(text, " {} ", symbol(*operator));
                b.write(names, level + 1, text);
            }
        }
        if parenthesised {
            text.push(')');
        }
    }

    fn level(&self) -> u8 {
        match self {
            Condition::Number(n) if n.is_negative() => 6,
            Condition::Number(_) | Condition::Given(_) => 7,
            Condition::Unary(Unary::Not, _) => 2,
            Condition::Unary(..) => 6,
            Condition::Binary(operator, ..) => match operator {
                Operator::Either => 0,
                Operator::Both => 1,
                Operator::Add | Operator::Subtract => 4,
                Operator::Multiply | Operator::Divide | Operator::Modulo => 5,
                _ => COMPARISON,
            },
        }
    }
}

/// How strongly a comparison binds.
const COMPARISON: u8 = 3;

fn symbol(operator: Operator) -> &'static str {
    match operator {
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::Modulo => "%",
        Operator::Equal => "=",
        Operator::NotEqual => "<>",
        Operator::Less => "<",
        Operator::LessEqual => "<=",
        Operator::Greater => ">",
        Operator::GreaterEqual => ">=",
        Operator::Both => "and",
        _ => "or",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(n: i64) -> Box<Condition> {
        Box::new(Condition::Number(Int::from(n)))
    }

    fn given() -> Box<Condition> {
        Box::new(Condition::Given(0))
    }

    #[test]
    fn ends_are_those_of_the_numbers_that_fulfil_it() {
        let inside = Condition::between(&Int::from(-3i64), &Int::from(5i64));
        assert_eq!(inside.ends(0), ((Some(Int::from(-3i64)), Some(Int::from(5i64))), true));
        let odd = Condition::Binary(Operator::Modulo, given(), number(2));
        let odd = Condition::Binary(Operator::Equal, Box::new(odd), number(1));
        assert_eq!(
            inside.clone().and(odd.clone()).ends(0),
            ((Some(Int::from(-3i64)), Some(Int::from(5i64))), false)
        );
        let both = inside.and(odd);
        let all: Vec<i64> = (-9..9).filter(|n| both.holds(&[Int::from(*n)])).collect();
        assert_eq!(all, [-3, -1, 1, 3, 5]);
    }

    #[test]
    fn it_is_written_with_the_parentheses_that_it_needs() {
        let sum = Condition::Binary(Operator::Add, given(), number(-1));
        let product = Condition::Binary(Operator::Multiply, Box::new(sum), number(3));
        let less = Condition::Binary(Operator::Less, number(2), Box::new(product));
        let not = Condition::Unary(Unary::Not, Box::new(less.clone().and(less)));
        assert_eq!(not.show(&["e".into()]), "not (2 < (e + -1) * 3 and 2 < (e + -1) * 3)");
    }
}
