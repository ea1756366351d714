//! Forgetting: every cell holds a constant of its own again, and values on their way are terms over these.

use agon_base::preorder::preorder;
use agon_games::arena::ComponentId;
use agon_games::machine::State;
use agon_games::values::CellId;
use agon_solve::{Op, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::space::{Precision, Space};
use super::symbolic::Runner;

/// Values, by their places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Held(pub(super) Vec<(u32, Term)>);

impl Held {
    /// What is held at a place.
    pub(super) fn get(&self, at: u32) -> Option<Term> {
        // The places of a sequential program are all there are.
        if let Some((place, term)) = self.0.get(at as usize)
            && *place == at
        {
            return Some(*term);
        }
        self.0.binary_search_by_key(&at, |(place, _)| *place).ok().map(|n| self.0[n].1)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, Term)> + '_ {
        self.0.iter().copied()
    }
}

/// What a constant stands for, besides its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kept {
    /// What a cell holds; the number is its place.
    Cell(CellId),
    /// What a cell of a module held when the activation began, or the environment's turn.
    Entry(CellId),
    /// What a cell of a module held between two stretches of a play that are put together.
    Between(CellId),
    /// What O gave in a component, a number or where to point, and what is still on its way; these are counted.
    Given(ComponentId, bool),
    /// What a cell held, and what is still on its way.
    Stale(CellId),
    /// What a procedure that is summarised was called with: the number is that of the parameter. It stays until the call ends.
    Argument(ComponentId),
    /// The same for the activation that waits for the procedure.
    Passed(ComponentId),
    /// What such a procedure returned.
    Result(ComponentId),
    /// Something else on its way.
    Lost,
}

/// A store that was forgotten.
pub(super) struct Forgotten {
    /// What it holds now.
    pub held: Held,
    /// What its constants were.
    pub were: Vec<(Term, Term)>,
}

impl Space<'_> {
    /// What the store of a position holds when it was forgotten: constants, but for the numbers that are kept. Values on
    /// their way stay what they are, over what cells hold now, held before, or O gave.
    pub(super) fn forgotten(&mut self, state: State, held: &Held, precision: &Precision) -> Forgotten {
        self.forgotten_but(state, held, precision, |_| false)
    }

    /// The same where somebody else has written to some places since: values on their way are what these places held.
    pub(super) fn forgotten_but(
        &mut self,
        state: State,
        held: &Held,
        precision: &Precision,
        written: impl Fn(u32) -> bool,
    ) -> Forgotten {
        let layout = self.layout(state);
        let mut cells: FxHashMap<u32, CellId> = FxHashMap::default();
        for place in &layout.cells {
            cells.extend((place.at..place.at + place.len).map(|at| (at, place.cell)));
        }
        let mut becomes: FxHashMap<Term, Term> = FxHashMap::default();
        let mut were: Vec<(Term, Term)> = Vec::new();
        let mut after = Vec::with_capacity(held.0.len());
        for (at, term) in held.iter() {
            let is_number = self.terms().literal(term).is_some();
            let now = match cells.get(&at) {
                Some(cell) if is_number && precision.exact.contains(cell) => {
                    self.kept.entry(*cell).or_default().insert(term);
                    term
                }
                // What a procedure was called with stays the same until it ends.
                Some(_) if self.is_argument(term) && !self.is_of_module(at) => term,
                Some(cell) => {
                    let constant = self.constant_at(Kept::Cell(*cell), at);
                    if written(at) {
                        after.push((at, constant));
                        continue;
                    }
                    // A number on its way stays one, and so does what a cell held when the activation began.
                    if !is_number && !self.is_entry(term) {
                        becomes.entry(term).or_insert(constant);
                    }
                    were.push((constant, term));
                    constant
                }
                None => term,
            };
            after.push((at, now));
        }
        let mut count = 0;
        for (at, term) in &mut after {
            if cells.contains_key(at) {
                continue;
            }
            for leaf in leaves(self.terms(), *term, &becomes) {
                if self.is_entry(leaf) || self.is_argument(leaf) {
                    becomes.insert(leaf, leaf);
                    continue;
                }
                let kept = match self.places.get(&leaf) {
                    Some((Kept::Cell(cell), _)) => Kept::Stale(*cell),
                    Some((kept, _)) => *kept,
                    None => match self.inputs.iter().find(|(_, input)| **input == leaf) {
                        Some(((component, index), _)) => Kept::Given(*component, *index),
                        None => Kept::Lost,
                    },
                };
                let constant = self.constant_at(kept, count);
                becomes.insert(leaf, constant);
                were.push((constant, leaf));
                count += 1;
            }
            *term = expressed(self.terms(), *term, &becomes);
        }
        Forgotten { held: Held(after), were }
    }

    /// Whether a place is one of a module's cells, which outlive activations.
    fn is_of_module(&mut self, at: u32) -> bool {
        match self.game.runner() {
            Runner::Module(machine) => machine.is_of_module(at),
            Runner::Sequential | Runner::Strands(_) => false,
        }
    }

    fn is_argument(&self, term: Term) -> bool {
        matches!(self.places.get(&term), Some((Kept::Argument(_), _)))
    }

    fn is_entry(&self, term: Term) -> bool {
        matches!(self.places.get(&term), Some((Kept::Entry(_), _)))
    }
}

/// The constants in a term that nothing is said of, in the order in which they are met.
fn leaves(terms: &Terms, term: Term, becomes: &FxHashMap<Term, Term>) -> Vec<Term> {
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut found = Vec::new();
    let all = preorder(term, |term, below| {
        if !becomes.contains_key(&term) && seen.insert(term) {
            below.extend(terms.parts(term));
            found.extend(matches!(terms.op(term), Op::Constant(_)).then_some(term));
        }
    });
    all.for_each(drop);
    found
}

/// A term in which everything has become something else.
pub(super) fn expressed(terms: &mut Terms, term: Term, becomes: &FxHashMap<Term, Term>) -> Term {
    let mut done: FxHashMap<Term, Term> = FxHashMap::default();
    for part in terms.parts_first([term]) {
        let new = match becomes.get(&part) {
            Some(new) => *new,
            // It is part of something that has become something else as a whole.
            None if terms.parts(part).iter().any(|part| !done.contains_key(part)) => continue,
            None if matches!(terms.op(part), Op::Constant(_)) => continue,
            None => terms.substitute_parts(part, &done),
        };
        done.insert(part, new);
    }
    done.get(&term).copied().unwrap_or(term)
}
