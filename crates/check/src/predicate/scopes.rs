//! Scopes: where in a program a predicate is part of the abstraction [PRED, §4.2–4.4].
//!
//! A scope is a piece of the program's text. P is in it while one of the places where it will go on lies in its code.

use agon_base::preorder::preorder;
use agon_base::source::Span;
use agon_core::language::Language;
use agon_core::term::{Construct, Judgement, TermId, VarId};
use agon_games::machine::{Code, Pc};

use super::predicates::{PredicateId, Predicates};

/// A piece of a program: its text, and where its code begins and ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Extent {
    pub span: Span,
    pub code: (Pc, Pc),
}

impl Extent {
    /// Whether a run that will go on at these places is in it.
    pub(super) fn holds(&self, pcs: &[Pc]) -> bool {
        // Behind a call that is its last instruction P is still in it; before the first it is not yet.
        pcs.iter().any(|pc| self.code.0 < *pc && *pc <= self.code.1)
    }
}

/// A condition of the program that is a predicate, and how far its scope reaches.
#[derive(Clone, Debug)]
pub(super) struct Occurrence {
    pub predicate: PredicateId,
    /// Where the condition stands.
    pub span: Span,
    /// Ever wider scopes. The tightest, the condition alone, is none at all: nothing happens in it.
    pub extents: Vec<Extent>,
    /// How many of them there are already: the scope is the last of these.
    pub level: usize,
}

impl Occurrence {
    /// The scope at a level.
    pub(super) fn extent(&self, level: usize) -> Option<Extent> {
        level.checked_sub(1).map(|n| self.extents[n])
    }
}

/// What a term stands in: for each term its parent.
fn parents(judgement: &Judgement) -> Vec<Option<TermId>> {
    let terms = &judgement.terms;
    let mut parents = vec![None; terms.len()];
    for term in terms.within(judgement.body) {
        terms.construct(term).each_child(|child| parents[child.index()] = Some(term));
    }
    parents
}

/// The statements of a sequence, first to last.
fn statements(judgement: &Judgement, sequence: TermId) -> Vec<TermId> {
    let pair = |term| match judgement.terms.construct(term) {
        Construct::Sequence(a, b) => Some([*a, *b]),
        _ => None,
    };
    let all = preorder(sequence, |term, below| below.extend(pair(term).into_iter().flatten()));
    all.filter(|term| pair(*term).is_none()).collect()
}

/// The variables of a term.
fn variables(judgement: &Judgement, term: TermId) -> Vec<VarId> {
    let variable = |term| match judgement.terms.construct(term) {
        Construct::Variable(variable) => Some(*variable),
        _ => None,
    };
    judgement.terms.within(term).filter_map(variable).collect()
}

/// All conditions that are predicates, as they stand in the program. The program as it was written is given if its variables
/// are cells, and not names of what is defined elsewhere.
pub(super) fn conditions(
    judgement: &Judgement,
    code: &Code,
    language: Option<&dyn Language>,
    logic: &mut agon_solve::Terms,
    predicates: &mut Predicates,
) -> Vec<Occurrence> {
    let terms = &judgement.terms;
    let parents = parents(judgement);
    let mut found = Vec::new();
    for n in 0..terms.len() {
        let term = TermId::new(n);
        let (Construct::If(guard, ..) | Construct::While(guard, _)) = terms.construct(term) else { continue };
        if parents[n].is_none() && term != judgement.body || code.place(*guard).is_none() {
            continue;
        }
        let span = terms.span(*guard);
        let shown = language.and_then(|language| language.text(span));
        let Some(predicate) = predicates.read(logic, terms, code, *guard, shown) else { continue };
        let own = variables(judgement, *guard);
        let extents = extents(judgement, code, &parents, term, &own);
        found.push(Occurrence { predicate, span, extents, level: 0 });
    }
    found.sort_by_key(|occurrence| occurrence.span.start);
    found
}

/// Ever wider scopes around a term, within those of the variables.
fn extents(
    judgement: &Judgement,
    code: &Code,
    parents: &[Option<TermId>],
    term: TermId,
    own: &[VarId],
) -> Vec<Extent> {
    let terms = &judgement.terms;
    let mut found: Vec<Extent> = Vec::new();
    let mut add = |first: TermId, last: TermId| {
        if let (Some((start, _)), Some((_, end))) = (code.place(first), code.place(last)) {
            let span = terms.span(first).to(terms.span(last));
            let extent = Extent { span, code: (start, end) };
            if found.last().is_none_or(|before| before.code != extent.code) {
                found.push(extent);
            }
        }
    };
    let mut at = term;
    add(at, at);
    while let Some(parent) = parents[at.index()] {
        match terms.construct(parent) {
            Construct::New(new) if own.contains(&new.variable) => break,
            Construct::Sequence(..) => {
                let mut sequence = parent;
                while let Some(outer) = parents[sequence.index()]
                    && let Construct::Sequence(..) = terms.construct(outer)
                {
                    sequence = outer;
                }
                // What comes before matters first: there it becomes true.
                let all = statements(judgement, sequence);
                let here = all.iter().position(|statement| *statement == at).unwrap_or(0);
                (0..here).rev().for_each(|first| add(all[first], at));
                add(all[0], all[all.len() - 1]);
                at = sequence;
            }
            _ => {
                add(parent, parent);
                at = parent;
            }
        }
    }
    found
}

/// The predicates of the program's own `letp`, `newp` and `endp`, with their scopes.
pub(super) fn annotations(
    judgement: &Judgement,
    code: &Code,
    language: Option<&dyn Language>,
    logic: &mut agon_solve::Terms,
    predicates: &mut Predicates,
) -> Vec<(PredicateId, Extent)> {
    let terms = &judgement.terms;
    let mut found = Vec::new();
    let mut begun: Vec<(PredicateId, Span, Pc)> = Vec::new();
    let mut ended: Vec<(PredicateId, Span, Pc)> = Vec::new();
    let mut read = |predicate: TermId| {
        let shown = language.and_then(|language| language.text(terms.span(predicate)));
        predicates.read(logic, terms, code, predicate, shown)
    };
    for n in 0..terms.len() {
        let term = TermId::new(n);
        let Some((start, end)) = code.place(term) else { continue };
        let span = terms.span(term);
        match terms.construct(term) {
            Construct::WithPredicate(predicate, _) => {
                found.extend(read(*predicate).map(|id| (id, Extent { span, code: (start, end) })));
            }
            Construct::BeginPredicate(predicate) => {
                begun.extend(read(*predicate).map(|id| (id, span, start)));
            }
            Construct::EndPredicate(predicate) => ended.extend(read(*predicate).map(|id| (id, span, start))),
            _ => {}
        }
    }
    for (id, span, start) in begun {
        // It ends at the next `endp`, or with the code that it stands in.
        let end = ended
            .iter()
            .filter(|(other, _, end)| *other == id && *end >= start)
            .min_by_key(|(_, _, end)| *end);
        let (last, end) = match end {
            Some((_, last, end)) => (*last, *end),
            None => (span, Pc::MAX),
        };
        found.push((id, Extent { span: span.to(last), code: (start, end) }));
    }
    found.sort_by_key(|(_, extent)| extent.span.start);
    found
}
