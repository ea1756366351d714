//! Checks: the places of a program's text where it may abort, each of which can be asked about on its own.

use agon_base::source::Span;

use crate::term::{Cause, Construct, Judgement, TermId, Terms};

agon_base::id! {
    /// A bound of a model: where the language has no limit, and the model has one.
    pub BoundId;
}

/// A place of the text where the program may abort. What stands there may be several terms: a body that is copied.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Check {
    /// Where it stands.
    pub span: Span,
    /// What is checked there.
    pub kind: Kind,
}

/// What is checked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Nothing: it says `abort`.
    Abort,
    /// The condition of an `assert`.
    Assertion,
    /// That an index is in bounds.
    Index,
    /// That a divisor is not 0.
    Division,
    /// That the amount of a shift is one that the type of the shifted value allows.
    Shift,
    /// That the result of an operation is in the range of its type.
    Overflow,
    /// That a cell was written before it is read.
    Uninitialised,
    /// That the name of a function that is called is not `null`.
    Null,
    /// That a pointer that is followed is not null.
    NullPointer,
    /// That a pointer stays in its object, and points to an element of it where it is followed.
    Pointer,
    /// That an object whose pointer is followed is still alive.
    Dead,
    /// That what is written is not constant.
    Constant,
    /// That what is copied and what it is copied to have nothing in common.
    Overlap,
    /// That what is freed was allocated, and was not freed before.
    Free,
    /// That all memory is freed when the program ends.
    Leak,
    /// That a mutex is not locked twice by one thread.
    Lock,
    /// That a thread holds the mutex that it unlocks.
    Unlock,
    /// That no threads wait for each other in a circle: for mutexes, or for the ends of threads.
    Deadlock,
    /// That a thread whose end is waited for was begun, and that nobody has waited for it before.
    Join,
    /// That no other thread is about to use a cell that is written, or to write one that is read.
    Race,
    /// That a bound of the model is not met. Where it is, the program itself does not fail, and the model does not know how
    /// the program goes on.
    Bound(BoundId),
}

/// Which checks of a program count when it is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Watch {
    /// All of them, and nobody asks which one failed. Where a bound is met, the program diverges.
    #[default]
    All,
    /// All of them, each apart from the others. Where a bound is met, the program diverges.
    Each,
    /// This one. Where another one fails, the program diverges instead of aborting.
    Only(Check),
    /// All of this kind. Where one of another kind fails, the program diverges.
    Kind(Kind),
}

impl Check {
    /// What is checked at a term, if anything is.
    pub fn of(terms: &Terms, term: TermId) -> Option<Check> {
        let kind = match terms.construct(term) {
            Construct::Abort(Cause::Abort) => Kind::Abort,
            Construct::Abort(Cause::Assertion) => Kind::Assertion,
            Construct::Index(..) => Kind::Index,
            Construct::Binary(operator, ..) if operator.divides() => Kind::Division,
            _ => return None,
        };
        Some(Check { span: terms.span(term), kind })
    }
}

impl Watch {
    /// Whether the program aborts where a term fails; it diverges otherwise.
    pub fn counts(self, terms: &Terms, term: TermId) -> bool {
        match self {
            Watch::All | Watch::Each => true,
            Watch::Only(check) => Check::of(terms, term) == Some(check),
            Watch::Kind(kind) => Check::of(terms, term).is_some_and(|check| check.kind == kind),
        }
    }

    /// Whether a check counts.
    pub fn watches(self, check: Check) -> bool {
        match self {
            Watch::All | Watch::Each => !matches!(check.kind, Kind::Bound(_)),
            Watch::Only(only) => check == only,
            Watch::Kind(kind) => check.kind == kind,
        }
    }
}

impl Judgement {
    /// All checks, in the order of the text, outer ones before inner ones.
    pub fn checks(&self) -> Vec<Check> {
        let mut found = Vec::new();
        let mut waiting = vec![self.body];
        let mut seen = vec![false; self.terms.len()];
        while let Some(term) = waiting.pop() {
            if std::mem::replace(&mut seen[term.index()], true) {
                continue;
            }
            found.extend(Check::of(&self.terms, term));
            match self.terms.construct(term) {
                // Predicates are not run.
                Construct::WithPredicate(_, body) => waiting.push(*body),
                Construct::BeginPredicate(_) | Construct::EndPredicate(_) => {}
                construct => construct.each_child(|child| waiting.push(child)),
            }
        }
        found.sort_by_key(|check| (check.span.start, std::cmp::Reverse(check.span.end), check.kind));
        found.dedup();
        found
    }

    /// The same program, of which other checks count.
    pub fn watching(&self, watch: Watch) -> Judgement {
        Judgement { watch, ..self.clone() }
    }
}
