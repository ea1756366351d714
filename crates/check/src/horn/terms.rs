//! Values in clauses: integers as SMT-LIB writes them, with bounds that are known of them.

use std::rc::Rc;

use agon_base::int::Int;
use agon_core::term::Operator;
use agon_core::types::Data;

/// A value: a term of sort Int, or one of sort Bool that stands for 0 or 1.
#[derive(Clone, Debug)]
pub(super) struct Term {
    text: Rc<str>,
    truth: bool,
    pub low: Option<Int>,
    pub high: Option<Int>,
}

/// An integer as it is written.
pub(super) fn number(n: &Int) -> String {
    if n.is_negative() { format!("(- {})", n.neg()) } else { n.to_string() }
}

impl Term {
    /// A number.
    pub fn number(n: Int) -> Term {
        Term { text: number(&n).into(), truth: false, low: Some(n.clone()), high: Some(n) }
    }

    /// A term of sort Int, within bounds.
    pub fn integer(text: &str, low: Option<Int>, high: Option<Int>) -> Term {
        Term { text: text.into(), truth: false, low, high }
    }

    /// A term of sort Int that is a value of a type.
    pub fn of(text: &str, data: &Data) -> Term {
        let (low, high) = data.range().unzip();
        Term::integer(text, low, high)
    }

    /// A term of sort Bool.
    pub fn truth(text: &str) -> Term {
        Term { text: text.into(), truth: true, low: Some(Int::ZERO), high: Some(Int::ONE) }
    }

    /// The number that it is, if that is known.
    pub fn as_number(&self) -> Option<&Int> {
        self.low.as_ref().filter(|low| self.high.as_ref() == Some(low))
    }

    /// Whether it is a name or a number, so that it may be written twice.
    pub fn is_short(&self) -> bool {
        self.as_number().is_some() || !self.truth && !self.text.starts_with('(')
    }

    /// As a term of sort Int.
    pub fn int(&self) -> String {
        match (self.as_number(), self.truth) {
            (Some(n), _) => number(n),
            (None, true) => format!("(ite {} 1 0)", self.text),
            (None, false) => self.text.to_string(),
        }
    }

    /// That it is not 0, as a term of sort Bool.
    pub fn holds(&self) -> String {
        match (self.as_number(), self.truth) {
            (Some(n), _) => (!n.is_zero()).to_string(),
            (None, true) => self.text.to_string(),
            (None, false) => format!("(not (= {} 0))", self.text),
        }
    }

    /// That it is 0, as a term of sort Bool.
    pub fn fails(&self) -> String {
        match (self.as_number(), self.truth) {
            (Some(n), _) => n.is_zero().to_string(),
            (None, true) => format!("(not {})", self.text),
            (None, false) => format!("(= {} 0)", self.text),
        }
    }

    /// Whether it lies between two numbers, as far as its bounds say.
    pub fn is_within(&self, low: &Int, high: &Int) -> bool {
        self.low.as_ref().is_some_and(|own| own >= low) && self.high.as_ref().is_some_and(|own| own <= high)
    }

    /// The largest magnitude that it may have.
    fn magnitude(&self) -> Option<Int> {
        let size = |n: &Int| if n.is_negative() { n.neg() } else { n.clone() };
        Some(size(self.low.as_ref()?).max(size(self.high.as_ref()?)))
    }
}

/// A value brought into the range of a type. Behind one period of the type on either side it is counted off; further away its
/// remainder is taken. The term is written several times, so it is short.
pub(super) fn wrapped(a: &Term, data: &Data) -> Term {
    let (Some((low, high)), Some(size)) = (data.range(), data.size()) else { return a.clone() };
    if a.is_within(&low, &high) {
        return a.clone();
    }
    if let Some(n) = a.as_number() {
        return Term::number(data.wrap(n));
    }
    let (text, least, most, step) = (a.int(), number(&low), number(&high), number(&size));
    let text = match a.is_within(&low.sub(&size), &high.add(&size)) {
        true => format!(
            "(ite (< {text} {least}) (+ {text} {step}) (ite (> {text} {most}) (- {text} {step}) {text}))"
        ),
        false => format!("(+ {least} (mod (- {text} {least}) {step}))"),
    };
    Term::integer(&text, Some(low), Some(high))
}

/// The result of an operator that does not divide by zero; nothing, if clauses have no word for it. The operands are short.
pub(super) fn binary(operator: Operator, a: &Term, b: &Term) -> Option<Term> {
    use Operator::*;
    if let (Some(a), Some(b)) = (a.as_number(), b.as_number()) {
        return operator.apply(a, b).map(Term::number);
    }
    let (x, y) = (a.int(), b.int());
    let truth = |text: String| Some(Term::truth(&text));
    let sum = |a: &Option<Int>, b: &Option<Int>| Some(a.as_ref()?.add(b.as_ref()?));
    let difference = |a: &Option<Int>, b: &Option<Int>| Some(a.as_ref()?.sub(b.as_ref()?));
    Some(match operator {
        Add => Term::integer(&format!("(+ {x} {y})"), sum(&a.low, &b.low), sum(&a.high, &b.high)),
        Subtract => {
            Term::integer(&format!("(- {x} {y})"), difference(&a.low, &b.high), difference(&a.high, &b.low))
        }
        Multiply => {
            let most = a.magnitude().zip(b.magnitude()).map(|(a, b)| a.mul(&b));
            let low = match (&a.low, &b.low) {
                (Some(a), Some(b)) if !a.is_negative() && !b.is_negative() => Some(Int::ZERO),
                _ => most.as_ref().map(Int::neg),
            };
            Term::integer(&format!("(* {x} {y})"), low, most)
        }
        Divide => Term::integer(&format!("(div {x} {y})"), a.magnitude().map(|n| n.neg()), a.magnitude()),
        Modulo => {
            let most = b.magnitude().map(|n| n.sub(&Int::ONE));
            Term::integer(&format!("(mod {x} {y})"), Some(Int::ZERO), most)
        }
        // SMT-LIB's quotient has a remainder that is not negative: that of a dividend that is not negative is C's.
        Quotient => {
            let text = match a.low.as_ref().is_some_and(|low| !low.is_negative()) {
                true => format!("(div {x} {y})"),
                false => format!("(ite (>= {x} 0) (div {x} {y}) (- (div (- {x}) {y})))"),
            };
            Term::integer(&text, a.magnitude().map(|n| n.neg()), a.magnitude())
        }
        Remainder => {
            let most = b.magnitude().map(|n| n.sub(&Int::ONE));
            match a.low.as_ref().is_some_and(|low| !low.is_negative()) {
                true => Term::integer(&format!("(mod {x} {y})"), Some(Int::ZERO), most),
                false => {
                    let text = format!("(ite (>= {x} 0) (mod {x} {y}) (- (mod (- {x}) {y})))");
                    Term::integer(&text, most.as_ref().map(Int::neg), most)
                }
            }
        }
        BitAnd => conjunction(a, b)?,
        // Bits that both have are counted twice in the sum.
        BitOr => {
            let both = conjunction(a, b)?.int();
            let low =
                a.low.as_ref().zip(b.low.as_ref()).filter(|(a, b)| !a.is_negative() && !b.is_negative());
            Term::integer(
                &format!("(- (+ {x} {y}) {both})"),
                low.map(|_| Int::ZERO),
                sum(&a.high, &b.high).filter(|_| low.is_some()),
            )
        }
        BitXor => {
            let both = conjunction(a, b)?.int();
            let low =
                a.low.as_ref().zip(b.low.as_ref()).filter(|(a, b)| !a.is_negative() && !b.is_negative());
            Term::integer(
                &format!("(- (+ {x} {y}) (* 2 {both}))"),
                low.map(|_| Int::ZERO),
                sum(&a.high, &b.high).filter(|_| low.is_some()),
            )
        }
        ShiftLeft | ShiftRight => shift(operator, a, b)?,
        Equal => return truth(format!("(= {x} {y})")),
        NotEqual => return truth(format!("(not (= {x} {y}))")),
        Less => return truth(format!("(< {x} {y})")),
        LessEqual => return truth(format!("(<= {x} {y})")),
        Greater => return truth(format!("(> {x} {y})")),
        GreaterEqual => return truth(format!("(>= {x} {y})")),
        Both => return truth(format!("(and {} {})", a.holds(), b.holds())),
        Either => return truth(format!("(or {} {})", a.holds(), b.holds())),
    })
}

/// At most this many bits are written out one by one.
const MOST_BITS: u32 = 8;

/// The bits that both have.
fn conjunction(a: &Term, b: &Term) -> Option<Term> {
    match (a.as_number(), b.as_number()) {
        (Some(mask), _) => Some(masked(b, mask)),
        (_, Some(mask)) => Some(masked(a, mask)),
        (None, None) => {
            let least = |bits: u32| Int::power_of_two(bits).neg();
            let most = |bits: u32| Int::power_of_two(bits).sub(&Int::ONE);
            let fits = |bits: &u32| [a, b].iter().all(|term| term.is_within(&least(*bits), &most(*bits)));
            let bits = (0..=MOST_BITS).find(fits)?;
            let negative = [a, b].iter().all(|term| term.low.as_ref().is_some_and(Int::is_negative));
            let bit = |term: &Term, n: u32| {
                let place = Int::power_of_two(n);
                format!("(= (mod (div {} {place}) 2) 1)", term.int())
            };
            let both = |n: u32| format!("(and {} {})", bit(a, n), bit(b, n));
            let mut sum: Vec<String> =
                (0..bits).map(|n| format!("(ite {} {} 0)", both(n), Int::power_of_two(n))).collect();
            // The sign is a bit, too, worth less than all others together.
            if negative {
                sum.push(format!("(ite {} {} 0)", both(bits), number(&least(bits))));
            }
            let text = format!("(+ 0 {})", sum.join(" "));
            let low = if negative { least(bits) } else { Int::ZERO };
            Some(Term::integer(&text, Some(low), Some(most(bits))))
        }
    }
}

/// The bits of a mask that a term has. A mask below 0 takes away the bits that it has not.
fn masked(a: &Term, mask: &Int) -> Term {
    if mask.is_negative() {
        let rest = masked(a, &mask.complement());
        let low = a.low.clone().zip(rest.high.clone()).map(|(low, most)| low.sub(&most));
        return Term::integer(&format!("(- {} {})", a.int(), rest.int()), low, a.high.clone());
    }
    let mut runs = Vec::new();
    let mut at = 0;
    let bits = u32::try_from(mask.bits()).unwrap_or(u32::MAX);
    let has = |n: u32| !mask.bit_and(&Int::power_of_two(n)).is_zero();
    while at < bits {
        let end = (at..bits).find(|n| !has(*n)).unwrap_or(bits);
        if end > at {
            let (from, size) = (Int::power_of_two(at), Int::power_of_two(end - at));
            let run = match at {
                0 => format!("(mod {} {size})", a.int()),
                _ => format!("(* {from} (mod (div {} {from}) {size}))", a.int()),
            };
            runs.push(run);
        }
        at = end.max(at + 1);
    }
    let text = match &runs[..] {
        [] => return Term::number(Int::ZERO),
        [one] => one.clone(),
        _ => format!("(+ {})", runs.join(" ")),
    };
    Term::integer(&text, Some(Int::ZERO), Some(mask.clone()))
}

/// A shift by an amount of which at most this many values are possible is one case for each.
const MOST_AMOUNTS: u64 = 64;

fn shift(operator: Operator, a: &Term, b: &Term) -> Option<Term> {
    let by = |amount: &Int| -> Option<Term> {
        let bits = amount
            .to_u64()
            .and_then(|bits| u32::try_from(bits).ok())
            .filter(|bits| u64::from(*bits) <= MOST_AMOUNTS)?;
        let power = Int::power_of_two(bits);
        let (word, low, high) = match operator {
            Operator::ShiftLeft => {
                ("*", a.low.as_ref().map(|n| n.mul(&power)), a.high.as_ref().map(|n| n.mul(&power)))
            }
            _ => (
                "div",
                a.low.as_ref().and_then(|n| n.div(&power)),
                a.high.as_ref().and_then(|n| n.div(&power)),
            ),
        };
        Some(Term::integer(&format!("({word} {} {power})", a.int()), low, high))
    };
    if let Some(amount) = b.as_number() {
        return if amount.is_negative() { Some(Term::number(Int::ZERO)) } else { by(amount) };
    }
    let (low, high) = (b.low.clone()?, b.high.clone()?);
    let count = high.sub(&low).to_u64().filter(|count| *count <= MOST_AMOUNTS && !low.is_negative())?;
    let cases: Option<Vec<Term>> = (0..=count).map(|n| by(&low.add(&Int::from(n)))).collect();
    let cases = cases?;
    let least = cases
        .iter()
        .map(|case| case.low.clone())
        .collect::<Option<Vec<_>>>()
        .and_then(|all| all.into_iter().min());
    let most = cases
        .iter()
        .map(|case| case.high.clone())
        .collect::<Option<Vec<_>>>()
        .and_then(|all| all.into_iter().max());
    let (last, before) = cases.split_last()?;
    let mut text = last.int();
    let numbered: Vec<(u64, &Term)> = (0..).zip(before).collect();
    for (n, case) in numbered.into_iter().rev() {
        let amount = low.add(&Int::from(n));
        text = format!("(ite (= {} {amount}) {} {text})", b.int(), case.int());
    }
    Some(Term::integer(&text, least, most))
}
