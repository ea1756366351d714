//! Plans: which engines are asked, in which order, and why, by what a program contains.

use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::term::{Construct, Judgement, Mode, Operator, TermId};
use agon_core::types::Type;
use agon_games::arena::Arena;
use agon_games::machine::Code;
use agon_games::sites::{Site, Sites};
use agon_witness::verify::Subject;

use super::Engine;
use crate::predicate::Scheme;

/// Types of more values than this are worth approximating.
const FEW_VALUES: u64 = 256;
/// An engine, and why it is asked.
#[derive(Clone, Debug)]
pub(super) struct Try {
    pub engine: Engine,
    pub why: String,
}

/// The engines that are asked.
pub(super) struct Plan {
    /// The likeliest first.
    pub tries: Vec<Try>,
    /// Whether one runs at a time, however many threads there are: the precise engine uses all of them itself.
    pub alone: bool,
}

impl Plan {
    /// A plan for a program.
    pub fn new(subject: Subject<'_>) -> Plan {
        let large = match subject.code() {
            Ok(code) => Large::of(&code, subject.arena),
            // The engine will say why it cannot.
            Err(_) => Large::None,
        };
        let size = |site: &Site| match site.range.count() {
            None => format!("`{}` may be any integer", site.name),
            Some(count) => format!("`{}` has {count} values", site.name),
        };
        let abstracting = |site: &Site| match site.range.count() {
            None => Engine::Partition { semi_terminating: true },
            Some(_) => Engine::Interval,
        };
        let (what, tries) = match &large {
            Large::None => {
                let few = format!("no type has more than {FEW_VALUES} values");
                let many = format!("{few}, but there are too many positions");
                (many.clone(), [(Engine::Explicit, few), (Engine::Interval, many)])
            }
            Large::Own(site) => {
                let size = size(site);
                let few = format!("{size}, but few were needed");
                (size.clone(), [(Engine::Explicit, few), (abstracting(site), size)])
            }
            Large::Given(site) => {
                let size = size(site);
                let coarse = format!("{size}, but no approximation was fine enough");
                (size.clone(), [(abstracting(site), size), (Engine::Explicit, coarse)])
            }
        };
        let mut tries: Vec<Try> = tries.into_iter().map(|(engine, why)| Try { engine, why }).collect();
        // Of finitely many numbers, intervals see enough often enough.
        let unbounded = large.site().is_some_and(|site| site.range.count().is_none());
        let related = related(subject.judgement).filter(|_| unbounded);
        let why = match related {
            Some(span) => format!("{what}, and no partition decides `{}`", subject.language.excerpt(span)),
            None => format!("{what}, and predicates came to an end first"),
        };
        // A precise search of the program's own numbers comes first, even where predicates are needed: it may be short.
        let place = match (related, &large) {
            (None, _) => tries.len(),
            (Some(_), Large::Given(_)) => 0,
            (Some(_), _) => 1,
        };
        tries.insert(place, Try { engine: Engine::Predicate(Scheme::Minimal), why });
        let alone = large.site().is_none() && subject.judgement.mode == Mode::Concurrent;
        Plan { tries, alone }
    }
}

/// What a program's data looks like.
enum Large {
    /// Every type is small.
    None,
    /// The environment gives data of a large type, at this site.
    Given(Site),
    /// Only the program's own cells are large, this one among them.
    Own(Site),
}

impl Large {
    fn of(code: &Code, arena: &Arena) -> Large {
        let sites = Sites::new(code, arena);
        let is_large = |site: &Site| {
            site.data.as_ref().is_some_and(|data| data.size().is_none_or(|size| size > Int::from(FEW_VALUES)))
        };
        let mut given: Vec<_> = arena.components().filter_map(|(id, _)| sites.of_component(id)).collect();
        let unbounded_first = |site: &Site| site.range.count().is_some();
        given.sort_by_key(|id| unbounded_first(sites.site(*id)));
        if let Some(id) = given.iter().find(|id| is_large(sites.site(**id))) {
            return Large::Given(sites.site(*id).clone());
        }
        let mut own: Vec<_> = sites.iter().map(|(_, site)| site).filter(|site| is_large(site)).collect();
        own.sort_by_key(|site| unbounded_first(site));
        own.first().map_or(Large::None, |site| Large::Own((*site).clone()))
    }

    fn site(&self) -> Option<&Site> {
        match self {
            Large::None => None,
            Large::Given(site) | Large::Own(site) => Some(site),
        }
    }
}

/// The first comparison that depends on two numbers at once, or on what is left when one is divided: parts of the
/// integers do not decide it.
fn related(judgement: &Judgement) -> Option<Span> {
    let terms = &judgement.terms;
    // For each term, how many numbers it is made from, and whether by division; comparisons begin anew.
    let mut numbers: Vec<(u8, bool)> = Vec::with_capacity(terms.len());
    let mut found: Option<Span> = None;
    for n in 0..terms.len() {
        let id = TermId::new(n);
        let sum = |a: &TermId, b: &TermId| {
            let ((a, divided), (b, also)) = (numbers[a.index()], numbers[b.index()]);
            (a.saturating_add(b), divided || also)
        };
        let own = match terms.construct(id) {
            Construct::Number(_) => (0, false),
            Construct::Binary(Operator::Both | Operator::Either, ..) => (0, false),
            Construct::Binary(operator, a, b) if operator.is_truth() => {
                let (count, divided) = sum(a, b);
                let span = terms.span(id);
                let first = found.is_none_or(|other| (span.start, span.end) < (other.start, other.end));
                if first && (count > 1 || (count == 1 && divided)) {
                    found = Some(span);
                }
                (0, false)
            }
            Construct::Binary(operator, a, b) => {
                let (count, divided) = sum(a, b);
                let exact = matches!(operator, Operator::Add | Operator::Subtract | Operator::Multiply);
                (count, divided || (!exact && count > 0))
            }
            Construct::Unary(_, a) | Construct::Wrap(_, a) => numbers[a.index()],
            Construct::Sequence(_, b) => numbers[b.index()],
            Construct::If(_, a, b) => sum(a, b),
            _ => (u8::from(matches!(terms.ty(id), Type::Exp(_))), false),
        };
        numbers.push(own);
    }
    found
}

#[cfg(test)]
mod tests {
    use agon_ia::read::read;

    use super::*;

    fn found(text: &str) -> Option<String> {
        let judgement = read(text, &[]).expect("it is a program").judgement;
        related(&judgement).map(|span| agon_base::source::excerpt(text, span))
    }

    #[test]
    fn conditions_on_several_numbers_are_seen() {
        let in_context = |condition: &str| {
            let text =
                format!("e : int, b : bool |- new int x := e in new int y in if {condition} then abort");
            found(&text)
        };
        for related in ["x < y", "x = x + 1", "e = y", "x - y > 0", "x % 2 = 0", "not (x = 3 * y)"] {
            let inner = related.trim_start_matches("not (").trim_end_matches(')');
            assert_eq!(in_context(related).as_deref(), Some(inner));
        }
        for apart in ["x < 3", "2 * x + 1 = 7", "x < 3 and y > 4", "b", "x = 7 % 2", "not (e = 1)"] {
            assert_eq!(in_context(apart), None);
        }
    }
}
