//! Why a program aborts, in words and as data.

use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::failure::{Failure, Fault, Seen};
use agon_core::term::{Construct, TermId};
use agon_core::types::Type;

use super::json::place;
use crate::session::Session;
use crate::shape::answer::{Cause, CheckKind, Giver, Read};

/// The most values that are listed in words.
const MOST: usize = 8;

/// The place of the failed term.
pub fn span(session: &Session, failure: &Failure) -> Span {
    session.judgement.terms.span(failure.term)
}

/// Why the program aborts, in a line: `assert(count > 0)` fails: count = 0.
pub fn words(session: &Session, failure: &Failure) -> String {
    let quoted = |term: TermId| {
        let span = balanced(&session.source.text, session.judgement.terms.span(term));
        format!("`{}`", session.source.excerpt(span))
    };
    let what = match &failure.fault {
        Fault::Abort(None) => "`abort` is reached".into(),
        Fault::Abort(Some((condition, true))) => {
            format!("`abort` is reached, as {} is true", quoted(*condition))
        }
        Fault::Abort(Some((condition, false))) => {
            format!("`abort` is reached, as {} is false", quoted(*condition))
        }
        Fault::Assertion(_) => format!("{} fails", quoted(failure.term)),
        Fault::Division => format!("division by zero in {}", quoted(failure.term)),
        Fault::Index(index) => match array(session, failure.term) {
            Some((array, length)) => {
                format!("index {index} is out of bounds of {} (0…{})", quoted(array), length - 1)
            }
            None => format!("index {index} is out of bounds"),
        },
    };
    let mut values: Vec<String> = failure.seen.iter().take(MOST).map(|seen| read(session, seen)).collect();
    if failure.seen.len() > MOST {
        values.push("…".into());
    }
    if values.is_empty() { what } else { format!("{what}: {}", values.join(", ")) }
}

/// The span, extended by the parentheses around its outermost operands.
fn balanced(text: &str, mut span: Span) -> Span {
    // How many parentheses are not closed in the text, and how many are not opened.
    let open = |text: &str| {
        text.bytes().fold((0u32, 0u32), |(open, closing), byte| match byte {
            b'(' => (open + 1, closing),
            b')' if open > 0 => (open - 1, closing),
            b')' => (open, closing + 1),
            _ => (open, closing),
        })
    };
    let (mut closed, mut opened) = text.get(span.range()).map_or((0, 0), open);
    for byte in text.bytes().skip(span.end as usize) {
        if closed == 0 || !(byte == b')' || byte.is_ascii_whitespace()) {
            break;
        }
        span.end += 1;
        closed -= u32::from(byte == b')');
    }
    for byte in text.bytes().rev().skip(text.len() - span.start as usize) {
        if opened == 0 || !(byte == b'(' || byte.is_ascii_whitespace()) {
            break;
        }
        span.start -= 1;
        opened -= u32::from(byte == b'(');
    }
    span
}

/// The array that is indexed, and its length.
fn array(session: &Session, term: TermId) -> Option<(TermId, u64)> {
    let terms = &session.judgement.terms;
    let Construct::Index(array, _) = terms.construct(term) else { return None };
    let Type::Array(_, length) = terms.ty(*array) else { return None };
    Some((*array, *length))
}

/// The source of a value, as it is written: `x`, `a[2]`, `f(…)`.
fn name(session: &Session, seen: &Seen) -> String {
    let variable = session.judgement.terms.variable(seen.variable);
    let arguments = if matches!(variable.ty, Type::Fun(..)) { "(…)" } else { "" };
    let element = seen.element.map_or(String::new(), |element| format!("[{element}]"));
    format!("{}{arguments}{element}", variable.name)
}

/// The values that were read from it.
fn values(session: &Session, seen: &Seen) -> Vec<String> {
    let (_, base) = session.judgement.terms.variable(seen.variable).ty.uncurry();
    let show = |n: &Int| base.data().map_or_else(|| n.to_string(), |data| data.show(n));
    seen.values.iter().map(show).collect()
}

fn read(session: &Session, seen: &Seen) -> String {
    let values = values(session, seen).join(", then ");
    let by = if seen.answered { " from the environment" } else { "" };
    format!("{} = {values}{by}", name(session, seen))
}

/// The same as data.
pub fn data(session: &Session, failure: &Failure) -> Cause {
    let terms = &session.judgement.terms;
    let read = |seen: &Seen| Read {
        name: name(session, seen),
        values: values(session, seen),
        by: if seen.answered { Giver::Environment } else { Giver::Program },
    };
    let mut cause = Cause {
        kind: match &failure.fault {
            Fault::Abort(_) => CheckKind::Abort,
            Fault::Assertion(_) => CheckKind::Assertion,
            Fault::Division => CheckKind::Division,
            Fault::Index(_) => CheckKind::Index,
        },
        message: words(session, failure),
        text: session.source.excerpt(balanced(&session.source.text, span(session, failure))),
        place: place(&session.source, span(session, failure)),
        values: failure.seen.iter().map(read).collect(),
        condition: None,
        index: None,
        array: None,
        length: None,
    };
    if let Fault::Assertion(condition) | Fault::Abort(Some((condition, _))) = &failure.fault {
        cause.condition = Some(place(&session.source, terms.span(*condition)));
    }
    if let (Fault::Index(index), Some((array, length))) = (&failure.fault, array(session, failure.term)) {
        cause.index = Some(index.to_string());
        cause.array = Some(session.source.excerpt(terms.span(array)));
        cause.length = Some(length);
    }
    cause
}
