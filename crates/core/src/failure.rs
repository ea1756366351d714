//! Why a program aborted: the term that failed, and the values that decided it.

use agon_base::int::Int;

use crate::term::{Cause, Construct, TermId, Terms, VarId};

/// Why a program aborted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The term that failed.
    pub term: TermId,
    /// What is wrong with it.
    pub fault: Fault,
    /// What was read to decide it, first to last.
    pub seen: Vec<Seen>,
}

/// What is wrong with a term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Fault {
    /// It says `abort`. If that is a branch of an `if`: the condition, and whether it is true.
    Abort(Option<(TermId, bool)>),
    /// It asserts this condition, which is false.
    Assertion(TermId),
    /// It divides by zero.
    Division,
    /// Its index is out of bounds.
    Index(Int),
}

/// A value that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// The cell or array, or the free identifier that was asked.
    pub variable: VarId,
    /// The element of an array.
    pub element: Option<u64>,
    /// Whether the environment answered it.
    pub answered: bool,
    /// Of a cell, its last value; the different answers of the environment, first to last.
    pub values: Vec<Int>,
}

/// No more than this many values are remembered of one evaluation.
const MOST: usize = 64;

impl Failure {
    /// A failure; what was read several times is listed once.
    pub(crate) fn new(term: TermId, fault: Fault, read: Vec<Seen>) -> Failure {
        let mut seen: Vec<Seen> = Vec::new();
        for read in read {
            read.values.iter().for_each(|n| note(&mut seen, (read.variable, read.element, read.answered), n));
        }
        Failure { term, fault, seen }
    }

    /// The failure of a branch that aborts before it does anything else, by the condition that led to it.
    pub(crate) fn of_branch(
        terms: &Terms,
        branch: TermId,
        condition: TermId,
        holds: bool,
    ) -> Option<(TermId, Fault)> {
        let mut at = branch;
        while let Construct::Sequence(first, _) = terms.construct(at) {
            at = *first;
        }
        match terms.construct(at) {
            Construct::Abort(Cause::Assertion) => Some((at, Fault::Assertion(condition))),
            Construct::Abort(Cause::Abort) => Some((at, Fault::Abort(Some((condition, holds))))),
            _ => None,
        }
    }
}

/// Adds a value to a list: the last one of a cell, the different ones of the environment.
fn note(seen: &mut Vec<Seen>, (variable, element, answered): (VarId, Option<u64>, bool), value: &Int) {
    let same =
        |other: &Seen| other.variable == variable && other.element == element && other.answered == answered;
    let Some(known) = seen.iter().position(same) else {
        if seen.len() < MOST {
            seen.push(Seen { variable, element, answered, values: vec![value.clone()] });
        }
        return;
    };
    match &mut seen[known].values {
        values if !answered => *values = vec![value.clone()],
        values if values.last() == Some(value) || values.len() >= MOST => {}
        values => values.push(value.clone()),
    }
}

/// What is read while conditions, indices and divisors are evaluated. Evaluations nest; each has a height, larger than those
/// of the evaluations around it. A log says nothing about what happens next: configurations that differ in their logs alone are
/// equal.
#[derive(Clone, Default, Debug)]
pub(crate) struct Log {
    /// The heights of the evaluations that go on, and how much was read before each.
    begun: Vec<(usize, usize)>,
    read: Vec<Seen>,
}

impl PartialEq for Log {
    fn eq(&self, _: &Log) -> bool {
        true
    }
}

impl Eq for Log {}

impl std::hash::Hash for Log {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

impl Log {
    /// How many evaluations go on.
    pub fn depth(&self) -> usize {
        self.begun.len()
    }

    /// An evaluation begins. Those that a jump has left are over.
    pub fn begin(&mut self, height: usize) {
        self.leave(height);
        self.begun.push((height, self.read.len()));
    }

    /// Something is read.
    pub fn read(&mut self, variable: VarId, element: Option<u64>, answered: bool, value: &Int) {
        let Some((_, from)) = self.begun.last() else { return };
        let mut own = self.read.split_off(*from);
        note(&mut own, (variable, element, answered), value);
        self.read.append(&mut own);
    }

    /// The evaluation at this height ends.
    pub fn end(&mut self, height: usize) {
        self.leave(height);
    }

    /// What was read by the evaluation at this height, which goes on.
    pub fn since(&self, height: usize) -> Vec<Seen> {
        let begun = self.begun.iter().find(|(begun, _)| *begun == height);
        begun.map_or(vec![], |(_, from)| self.read[*from..].to_vec())
    }

    /// Ends all evaluations at this height and above.
    fn leave(&mut self, height: usize) {
        self.begun.retain(|(begun, _)| *begun < height);
        if self.begun.is_empty() {
            self.read.clear();
        }
    }
}
