//! Relations between two stores as they are written: in the names of the source, with the side of each.

use agon_base::int::Int;
use agon_games::machine::Code;
use agon_solve::{Op, Term, Terms};
use rustc_hash::FxHashMap;

use super::positions::{Slot, What};
use crate::equiv::Side;

/// Longer relations are cut.
const LONGEST: usize = 300;

/// What slots are called.
pub(super) fn names(slots: &[Slot], codes: [&Code; 2]) -> FxHashMap<Term, String> {
    slots.iter().map(|slot| (slot.constant, name(slot, codes[slot.side as usize]))).collect()
}

fn name(slot: &Slot, code: &Code) -> String {
    let side = match slot.side {
        Side::Left => "first",
        Side::Right => "second",
    };
    match slot.what {
        What::Cell(cell, element, _) => {
            let cell = &code.cells()[cell.0 as usize];
            match cell.length {
                Some(_) => format!("{}[{element}] ({side})", cell.name),
                None => format!("{} ({side})", cell.name),
            }
        }
        What::Saved(at) => format!("operand {at} ({side})"),
        What::Said(0) => format!("value given ({side})"),
        What::Said(n) => format!("value {} given ({side})", n + 1),
        What::Pointed => format!("element asked for ({side})"),
    }
}

/// A relation as it is written.
pub(super) fn show(terms: &Terms, term: Term, names: &FxHashMap<Term, String>) -> String {
    let mut text = written(terms, term, names, 0);
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}

/// A sum of terms with factors, and a number.
#[derive(Default)]
struct Sum {
    parts: Vec<(Term, Int)>,
    added: Int,
}

impl Sum {
    /// Adds a multiple of a term.
    fn add(&mut self, terms: &Terms, term: Term, times: &Int) {
        let parts = terms.parts(term);
        let number = |term: Term| terms.literal(term).map(|value| value.number().clone());
        match (terms.op(term), parts) {
            (Op::Number(n), _) => self.added = self.added.add(&n.mul(times)),
            (Op::Add, [a, b]) => {
                self.add(terms, *a, times);
                self.add(terms, *b, times);
            }
            (Op::Sub, [a, b]) => {
                self.add(terms, *a, times);
                self.add(terms, *b, &times.neg());
            }
            (Op::Neg, [a]) => self.add(terms, *a, &times.neg()),
            (Op::Mul, [a, b]) if number(*a).is_some() => {
                self.add(terms, *b, &times.mul(&number(*a).unwrap_or_default()));
            }
            (Op::Mul, [a, b]) if number(*b).is_some() => {
                self.add(terms, *a, &times.mul(&number(*b).unwrap_or_default()));
            }
            _ => match self.parts.iter_mut().find(|(other, _)| *other == term) {
                Some((_, factor)) => *factor = factor.add(times),
                None => self.parts.push((term, times.clone())),
            },
        }
    }

    /// As it is written.
    fn show(&self, terms: &Terms, names: &FxHashMap<Term, String>) -> String {
        let mut text = String::new();
        let mut write = |factor: &Int, what: Option<String>| {
            let sign = match (text.is_empty(), factor.is_negative()) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            let size = if factor.is_negative() { factor.neg() } else { factor.clone() };
            text += sign;
            text += &match what {
                Some(what) if size == Int::ONE => what,
                Some(what) => format!("{size} * {what}"),
                None => size.to_string(),
            };
        };
        for (part, factor) in self.parts.iter().filter(|(_, factor)| !factor.is_zero()) {
            write(factor, Some(written(terms, *part, names, 7)));
        }
        if !self.added.is_zero() || self.parts.is_empty() {
            write(&self.added, None);
        }
        text
    }
}

/// An equation, with one of its terms alone on the left if it can stand there.
fn equation(terms: &Terms, term: Term, names: &FxHashMap<Term, String>) -> String {
    let [a, b] = terms.parts(term) else { return String::new() };
    let is_zero = |term: Term| matches!(terms.op(term), Op::Number(n) if n.is_zero());
    // A sum that leaves nothing when it is divided is 0 modulo the divisor.
    let divided = [(*a, *b), (*b, *a)].into_iter().find_map(|(rest, other)| {
        let (Op::Rem, [of, by]) = (terms.op(rest), terms.parts(rest)) else { return None };
        is_zero(other).then_some((*of, *by))
    });
    let mut sum = Sum::default();
    match divided {
        Some((of, _)) => sum.add(terms, of, &Int::ONE),
        None => {
            sum.add(terms, *a, &Int::ONE);
            sum.add(terms, *b, &Int::from(-1i64));
        }
    }
    sum.parts.retain(|(_, factor)| !factor.is_zero());
    sum.parts.sort_by_key(|(part, _)| (names.get(part).map(|name| !name.ends_with("(first)")), *part));
    let unit = |(_, factor): &(Term, Int)| *factor == Int::ONE || *factor == Int::from(-1i64);
    let text = match sum.parts.iter().position(unit) {
        None => format!("{} = 0", sum.show(terms, names)),
        Some(n) => {
            let (left, factor) = sum.parts.remove(n);
            let turn = factor.neg();
            let parts = sum.parts.into_iter().map(|(part, factor)| (part, factor.mul(&turn))).collect();
            let right = Sum { parts, added: sum.added.mul(&turn) };
            format!("{} = {}", written(terms, left, names, 4), right.show(terms, names))
        }
    };
    match divided {
        Some((_, by)) => format!("{text} (modulo {})", written(terms, by, names, 7)),
        None => text,
    }
}

/// How tightly operators bind: what binds less tightly than asked for is put into parentheses.
fn written(terms: &Terms, term: Term, names: &FxHashMap<Term, String>, tight: u8) -> String {
    let part = |n: usize, tight: u8| written(terms, terms.parts(term)[n], names, tight);
    let all = |word: &str, tight: u8| {
        let parts = terms.parts(term).iter().map(|part| written(terms, *part, names, tight));
        parts.collect::<Vec<_>>().join(word)
    };
    let (binds, text) = match terms.op(term) {
        Op::Constant(name) => (9, names.get(&term).cloned().unwrap_or_else(|| name.clone())),
        Op::Truth(b) => (9, b.to_string()),
        Op::Number(n) => (if n.is_negative() { 5 } else { 9 }, n.to_string()),
        Op::Not => match terms.op(terms.parts(term)[0]) {
            Op::Equal => {
                let inner = terms.parts(terms.parts(term)[0]);
                let sides = [inner[0], inner[1]].map(|part| written(terms, part, names, 4));
                (3, format!("{} <> {}", sides[0], sides[1]))
            }
            Op::Less | Op::AtMost => {
                let word = if *terms.op(terms.parts(term)[0]) == Op::Less { ">=" } else { ">" };
                let inner = terms.parts(terms.parts(term)[0]);
                let sides = [inner[0], inner[1]].map(|part| written(terms, part, names, 4));
                (3, format!("{} {word} {}", sides[0], sides[1]))
            }
            _ => (8, format!("not {}", part(0, 8))),
        },
        Op::And => (2, all(" and ", 3)),
        Op::Or => (1, all(" or ", 2)),
        Op::Equal => (3, equation(terms, term, names)),
        Op::Less => (3, format!("{} < {}", part(0, 4), part(1, 4))),
        Op::AtMost => (3, format!("{} <= {}", part(0, 4), part(1, 4))),
        Op::Add => (5, format!("{} + {}", part(0, 5), part(1, 5))),
        Op::Sub => (5, format!("{} - {}", part(0, 5), part(1, 6))),
        Op::Neg => (7, format!("-{}", part(0, 8))),
        Op::Mul => (6, format!("{} * {}", part(0, 6), part(1, 7))),
        Op::Div => (6, format!("{} / {}", part(0, 6), part(1, 7))),
        Op::Rem => (6, format!("{} mod {}", part(0, 6), part(1, 7))),
        Op::If => (0, format!("if {} then {} else {}", part(0, 1), part(1, 1), part(2, 1))),
        op => (9, format!("{op:?}({})", all(", ", 0))),
    };
    if binds < tight { format!("({text})") } else { text }
}
