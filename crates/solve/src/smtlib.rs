//! SMT-LIB 2: terms as text, and what a solver says as data.

use agon_base::int::Int;

use crate::eval::Value;
use crate::term::{Op, Sort, Term, Terms};

/// What must be said before anything else.
pub const PREAMBLE: &str =
    "(set-option :produce-models true)\n(set-option :produce-unsat-cores true)\n(set-logic ALL)\n";

fn sort(sort: Sort) -> String {
    match sort {
        Sort::Bool => "Bool".into(),
        Sort::Int => "Int".into(),
        Sort::Bits(width) => format!("(_ BitVec {width})"),
    }
}

/// How a term is mentioned: by its value, or by the name that [`definition`] gives it.
pub fn mention(terms: &Terms, term: Term) -> String {
    match (terms.op(term), terms.sort(term)) {
        (Op::Truth(b), _) => b.to_string(),
        (Op::Number(n), Sort::Bits(width)) => format!("(_ bv{n} {width})"),
        (Op::Number(n), _) if n.is_negative() => format!("(- {})", n.neg()),
        (Op::Number(n), _) => n.to_string(),
        (Op::Constant(_), _) => format!("c{}", term.index()),
        _ => format!("t{}", term.index()),
    }
}

/// The line that names a term, if it needs one. Its parts must have been defined.
pub fn definition(terms: &Terms, term: Term) -> Option<String> {
    let (name, sort) = (mention(terms, term), sort(terms.sort(term)));
    match terms.op(term) {
        Op::Truth(_) | Op::Number(_) => None,
        Op::Constant(_) => Some(format!("(declare-fun {name} () {sort})\n")),
        // There is no word for it, so nothing is said of it.
        _ if is_unsaid(terms, term) => Some(format!("(declare-fun {name} () {sort})\n")),
        _ => Some(format!("(define-fun {name} () {sort} {})\n", application(terms, term))),
    }
}

/// Whether a term has no words in the language: bits of integers.
pub fn is_unsaid(terms: &Terms, term: Term) -> bool {
    matches!(terms.op(term), Op::BitAnd | Op::ShiftLeft | Op::ShiftRight)
}

fn application(terms: &Terms, term: Term) -> String {
    let parts: Vec<String> = terms.parts(term).iter().map(|part| mention(terms, *part)).collect();
    let of_bits = terms.parts(term).first().is_some_and(|part| matches!(terms.sort(*part), Sort::Bits(_)));
    let plain = |word: &str| format!("({word} {})", parts.join(" "));
    let either = |integers: &str, bits: &str| plain(if of_bits { bits } else { integers });
    // Only a divisor that may be 0 is asked about.
    let divisor = || terms.literal(terms.parts(term)[1]);
    let guarded = |by_zero: &str, text: String| match divisor() {
        Some(value) if !value.number().is_zero() => text,
        _ => format!("(ite (= {} {}) {by_zero} {text})", parts[1], zero(terms.sort(term))),
    };
    // Of truncated division, the remainder has the dividend's sign; a negative one is put right.
    let put_right = |text: &str, if_negative_divisor: &str, otherwise: &str| {
        let zero = zero(terms.sort(term));
        let (a, b) = (&parts[0], &parts[1]);
        format!(
            "(ite (bvslt (bvsrem {a} {b}) {zero}) (ite (bvslt {b} {zero}) {if_negative_divisor} {otherwise}) {text})"
        )
    };
    match (terms.op(term), terms.sort(term)) {
        (Op::Not, _) => plain("not"),
        (Op::And, _) => plain("and"),
        (Op::Or, _) => plain("or"),
        (Op::Equal, _) => plain("="),
        (Op::If, _) => plain("ite"),
        (Op::Add, _) => either("+", "bvadd"),
        (Op::Sub, _) => either("-", "bvsub"),
        (Op::Neg, _) => either("-", "bvneg"),
        (Op::Mul, _) => either("*", "bvmul"),
        (Op::Less, _) => either("<", "bvult"),
        (Op::AtMost, _) => either("<=", "bvule"),
        (Op::SignedLess, _) => plain("bvslt"),
        (Op::SignedAtMost, _) => plain("bvsle"),
        (Op::Div, sort) => guarded(&zero(sort), either("div", "bvudiv")),
        (Op::Rem, _) => guarded(&parts[0], either("mod", "bvurem")),
        (Op::SignedDiv, Sort::Bits(width)) => {
            let quotient = plain("bvsdiv");
            let one = format!("(_ bv1 {width})");
            let text = put_right(
                &quotient,
                &format!("(bvadd {quotient} {one})"),
                &format!("(bvsub {quotient} {one})"),
            );
            guarded(&zero(Sort::Bits(width)), text)
        }
        (Op::SignedRem, _) => {
            let rest = plain("bvsrem");
            let text = put_right(
                &rest,
                &format!("(bvsub {rest} {})", parts[1]),
                &format!("(bvadd {rest} {})", parts[1]),
            );
            guarded(&parts[0], text)
        }
        (op @ (Op::ZeroExtend | Op::SignExtend), Sort::Bits(width)) => {
            let word = if *op == Op::ZeroExtend { "zero_extend" } else { "sign_extend" };
            format!("((_ {word} {}) {})", width - terms.width(terms.parts(term)[0]), parts[0])
        }
        (Op::Low, Sort::Bits(width)) => format!("((_ extract {} 0) {})", width - 1, parts[0]),
        (other, sort) => unreachable!("{other:?} of sort {sort:?}"),
    }
}

fn zero(sort: Sort) -> String {
    match sort {
        Sort::Bits(width) => format!("(_ bv0 {width})"),
        _ => "0".into(),
    }
}

/// What a solver says: a word, or several in parentheses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Phrase {
    /// A word.
    Word(String),
    /// Phrases in parentheses.
    List(Vec<Phrase>),
}

/// How deep what a solver says may nest.
const DEPTH: usize = 100;

impl Phrase {
    /// Reads one phrase; nothing if the text is not one, or is not yet at its end.
    pub fn read(text: &str) -> Option<Phrase> {
        let mut open: Vec<Vec<Phrase>> = vec![Vec::new()];
        for word in words(text)? {
            match word {
                "(" if open.len() > DEPTH => return None,
                "(" => open.push(Vec::new()),
                ")" => {
                    let list = open.pop()?;
                    open.last_mut()?.push(Phrase::List(list));
                }
                _ => open.last_mut()?.push(Phrase::Word(word.into())),
            }
        }
        match (open.len(), open.pop()?) {
            (1, mut read) if read.len() == 1 => read.pop(),
            _ => None,
        }
    }

    /// The word, if it is one.
    pub fn word(&self) -> Option<&str> {
        match self {
            Phrase::Word(word) => Some(word),
            Phrase::List(_) => None,
        }
    }

    /// The value of a sort that is said.
    pub fn value(&self, sort: Sort) -> Option<Value> {
        let value = match (self, sort) {
            (Phrase::Word(word), Sort::Bool) => Value::Truth(word.parse().ok()?),
            // Some say -5 for (- 5). There is nothing else that it could mean.
            (Phrase::Word(word), Sort::Int) => Value::Number(match word.strip_prefix('-') {
                Some(rest) => digits(rest)?.neg(),
                None => digits(word)?,
            }),
            (Phrase::List(list), Sort::Int) => match &list[..] {
                [minus, Phrase::Word(n)] if minus.word() == Some("-") => Value::Number(digits(n)?.neg()),
                _ => return None,
            },
            (Phrase::Word(word), Sort::Bits(_)) => {
                let (base, digits) = match (word.strip_prefix("#b"), word.strip_prefix("#x")) {
                    (Some(digits), _) => (2, digits),
                    (_, Some(digits)) => (16, digits),
                    _ => return None,
                };
                let step = |n: Int, digit: char| {
                    Some(n.mul(&Int::from(i64::from(base))).add(&Int::from(i64::from(digit.to_digit(base)?))))
                };
                Value::Number(digits.chars().try_fold(Int::ZERO, step)?)
            }
            (Phrase::List(list), Sort::Bits(_)) => match &list[..] {
                [_, Phrase::Word(n), _] => Value::Number(digits(n.strip_prefix("bv")?)?),
                _ => return None,
            },
            _ => return None,
        };
        value.is_of(sort).then_some(value)
    }
}

fn digits(text: &str) -> Option<Int> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| Int::parse(text))?
}

/// Parentheses, strings, quoted names and words; nothing if a string is not at its end.
fn words(text: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '(' | ')' => 1,
            '"' | '|' => 2 + rest[1..].find(first)?,
            _ => rest.find(|c: char| c.is_whitespace() || "()\"|".contains(c)).unwrap_or(rest.len()),
        };
        found.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_read() {
        let read = |text: &str, sort| Phrase::read(text).and_then(|phrase| phrase.value(sort));
        let number = |n: i64| Some(Value::Number(Int::from(n)));
        assert_eq!(read("true", Sort::Bool), Some(Value::Truth(true)));
        assert_eq!(read("(- 12)", Sort::Int), number(-12));
        assert_eq!(read(" 7 ", Sort::Int), number(7));
        assert_eq!(read("-7", Sort::Int), number(-7));
        assert_eq!(read("#x0f", Sort::Bits(8)), number(15));
        assert_eq!(read("#b101", Sort::Bits(3)), number(5));
        assert_eq!(read("(_ bv5 3)", Sort::Bits(3)), number(5));
        for (text, sort) in [
            ("#b1000", Sort::Bits(3)),
            ("maybe", Sort::Bool),
            ("-", Sort::Int),
            ("+7", Sort::Int),
            ("(- (- 1))", Sort::Int),
            ("(- 1", Sort::Int),
            ("1 2", Sort::Int),
            (")", Sort::Int),
            ("", Sort::Int),
            ("#y1", Sort::Bits(1)),
        ] {
            assert_eq!(read(text, sort), None, "{text}");
        }
        assert_eq!(Phrase::read(&"(".repeat(100_000)), None);
        assert_eq!(Phrase::read("(error \"a ) b\")").map(|phrase| phrase.word().is_none()), Some(true));
    }
}
