//! Guarded cells: cells that a thread touches only while it holds a lock, so that nobody gets in between.
//!
//! A lock is a semaphore of one place that is free at first, that is never passed on, and that is always grabbed and
//! released in pairs, `grab(s); …; release(s)`, with nothing in between that grabs or releases it. At most one thread is
//! then inside such a region. A cell that is only named there, and not by something that is passed on or runs in another
//! thread or over and over again, is guarded by the lock: what is done to it commutes with whatever others do, and so
//! does the release with what others do before it [Lipton's movers]. What the environment is given to evaluate may read the
//! cell: it does so while the region waits for it, so nobody writes meanwhile.

use std::collections::{HashMap, HashSet};

use agon_base::preorder::preorder;
use agon_core::term::{Construct, Judgement, TermId, Terms, VarId};

/// The guarded cells of a program, and the locks.
#[derive(Clone, Debug, Default)]
pub(super) struct Guarded {
    pub(super) cells: HashSet<VarId>,
    pub(super) locks: HashSet<VarId>,
}

#[derive(Default)]
struct Survey {
    /// How often each variable is named.
    named: HashMap<VarId, usize>,
    /// How often each semaphore is grabbed, and released, by its name.
    grabbed: HashMap<VarId, usize>,
    released: HashMap<VarId, usize>,
    /// Semaphores of one place, free at first, and where they are declared.
    semaphores: HashMap<VarId, TermId>,
    cells: HashMap<VarId, TermId>,
    parents: HashMap<TermId, TermId>,
    jumps: bool,
}

/// Finds the guarded cells of a program.
pub(super) fn guarded(judgement: &Judgement) -> Guarded {
    let (terms, body, free) = (&judgement.terms, judgement.body, judgement.free());
    let mut survey = Survey::default();
    let all: Vec<TermId> = run(terms, body).collect();
    for term in all.iter().copied() {
        let construct = terms.construct(term);
        let named = |term: &TermId| match terms.construct(*term) {
            Construct::Variable(var) => Some(*var),
            _ => None,
        };
        match construct {
            Construct::Variable(var) => *survey.named.entry(*var).or_default() += 1,
            Construct::Grab(a) => {
                named(a).into_iter().for_each(|var| *survey.grabbed.entry(var).or_default() += 1)
            }
            Construct::Release(a) => {
                named(a).into_iter().for_each(|var| *survey.released.entry(var).or_default() += 1);
            }
            Construct::NewSemaphore(var, 1, 0, _) => {
                survey.semaphores.insert(*var, term);
            }
            Construct::New(new) => {
                survey.cells.insert(new.variable, term);
            }
            Construct::Goto(_) => survey.jumps = true,
            _ => {}
        }
        parts(construct, |child| {
            survey.parents.insert(child, term);
        });
    }
    let mut found = Guarded::default();
    if survey.jumps {
        return found;
    }
    let regions = regions(terms, &all, &survey);
    for (lock, declared) in &survey.semaphores {
        let count = |map: &HashMap<VarId, usize>| map.get(lock).copied().unwrap_or(0);
        let own: Vec<_> = regions.iter().filter(|region| region.0 == *lock).collect();
        let paired = count(&survey.grabbed) == own.len()
            && count(&survey.released) == own.len()
            && count(&survey.named) == 2 * own.len();
        if !paired {
            continue;
        }
        found.locks.insert(*lock);
        let mut inside: HashMap<VarId, usize> = HashMap::new();
        for (_, statements) in own {
            for statement in statements {
                touched(terms, &free, *statement, &mut inside);
            }
        }
        for (var, times) in inside {
            let Some(cell) = survey.cells.get(&var) else { continue };
            if survey.named.get(&var) == Some(&times)
                && is_one_lock_for_one_cell(terms, &survey, *declared, *cell)
            {
                found.cells.insert(var);
            }
        }
    }
    found
}

/// The parts of a term that are run: predicates never are.
fn parts(construct: &Construct, mut visit: impl FnMut(TermId)) {
    match construct {
        Construct::BeginPredicate(_) | Construct::EndPredicate(_) => {}
        Construct::WithPredicate(_, body) => visit(*body),
        _ => construct.each_child(visit),
    }
}

/// A term and all terms inside it that are run.
fn run(terms: &Terms, root: TermId) -> impl Iterator<Item = TermId> {
    preorder(root, |term, below| parts(terms.construct(term), |child| below.push(child)))
}

/// The statements of a term in the order in which they are run.
fn statements(terms: &Terms, term: TermId) -> Vec<TermId> {
    let mut list = Vec::new();
    let all = preorder(term, |term, below| match terms.construct(term) {
        Construct::Sequence(a, b) => below.extend([*a, *b]),
        Construct::New(new) => {
            below.push(new.body);
            list.extend(new.initial);
        }
        Construct::NewSemaphore(_, _, _, body) | Construct::WithPredicate(_, body) => below.push(*body),
        _ => list.push(term),
    });
    all.for_each(drop);
    list
}

/// The regions of all locks: the lock, and the statements between its grab and its release.
fn regions(terms: &Terms, all: &[TermId], survey: &Survey) -> Vec<(VarId, Vec<TermId>)> {
    let mut regions = Vec::new();
    for term in all {
        // Each sequence is looked at once, from its outermost term.
        let inner = |term: TermId| {
            let construct = terms.construct(term);
            matches!(
                construct,
                Construct::Sequence(..)
                    | Construct::New(_)
                    | Construct::NewSemaphore(..)
                    | Construct::WithPredicate(..)
            )
        };
        let is_part = survey.parents.get(term).is_some_and(|parent| match terms.construct(*parent) {
            Construct::New(new) => new.body == *term,
            Construct::WithPredicate(_, body) => body == term,
            _ => inner(*parent),
        });
        if !inner(*term) || is_part {
            continue;
        }
        let list = statements(terms, *term);
        let lock = |term: TermId, grabs: bool| match terms.construct(term) {
            Construct::Grab(a) if grabs => named(terms, *a),
            Construct::Release(a) if !grabs => named(terms, *a),
            _ => None,
        };
        for (n, statement) in list.iter().enumerate() {
            let Some(var) = lock(*statement, true) else { continue };
            let Some(length) = list[n + 1..].iter().position(|other| lock(*other, false) == Some(var)) else {
                continue;
            };
            let between = list[n + 1..n + 1 + length].to_vec();
            if between.iter().all(|statement| !mentions(terms, *statement, var)) {
                regions.push((var, between));
            }
        }
    }
    regions
}

fn named(terms: &Terms, term: TermId) -> Option<VarId> {
    match terms.construct(term) {
        Construct::Variable(var) => Some(*var),
        _ => None,
    }
}

fn mentions(terms: &Terms, term: TermId, var: VarId) -> bool {
    run(terms, term).any(|term| named(terms, term) == Some(var))
}

/// Counts the variables that a statement names by itself: not through what is passed on, run in other threads or run
/// over and over again. What the environment may read while it is called counts.
fn touched(terms: &Terms, free: &HashSet<VarId>, statement: TermId, found: &mut HashMap<VarId, usize>) {
    let goes_on = |construct: &Construct| {
        matches!(
            construct,
            Construct::Sequence(..)
                | Construct::If(..)
                | Construct::Assign(..)
                | Construct::Read(_)
                | Construct::Index(..)
                | Construct::Binary(..)
                | Construct::Unary(..)
                | Construct::Wrap(..)
                | Construct::WithPredicate(..)
                | Construct::New(_)
        )
    };
    let mut given: Vec<TermId> = Vec::new();
    let all = preorder(statement, |term, below| {
        let construct = terms.construct(term);
        if goes_on(construct) {
            parts(construct, |child| below.push(child));
        } else if let Some(arguments) = arguments(terms, free, term) {
            given.extend(arguments);
        }
    });
    let named: Vec<VarId> = all.filter_map(|term| named(terms, term)).collect();
    let read = given.into_iter().flat_map(|argument| read(terms, argument));
    named.into_iter().chain(read).for_each(|var| *found.entry(var).or_default() += 1);
}

/// The arguments that a free identifier is applied to, if a term is that.
fn arguments(terms: &Terms, free: &HashSet<VarId>, mut term: TermId) -> Option<Vec<TermId>> {
    let mut arguments = Vec::new();
    while let Construct::Apply(procedure, argument) = terms.construct(term) {
        arguments.push(*argument);
        term = *procedure;
    }
    named(terms, term).filter(|var| free.contains(var)).map(|_| arguments)
}

/// The variables that an expression reads, as far as it does nothing else.
fn read(terms: &Terms, expression: TermId) -> Vec<VarId> {
    let mut found = Vec::new();
    let all = preorder(expression, |term, below| match terms.construct(term) {
        Construct::Read(place) => match terms.construct(*place) {
            Construct::Index(array, index) => {
                found.extend(named(terms, *array));
                below.push(*index);
            }
            _ => found.extend(named(terms, *place)),
        },
        construct @ (Construct::Unary(..)
        | Construct::Binary(..)
        | Construct::Wrap(..)
        | Construct::If(..)) => {
            parts(construct, |child| below.push(child));
        }
        _ => {}
    });
    all.for_each(drop);
    found
}

/// Whether all that is done to one cell is done under one and the same lock: the lock is declared around the cell, or the
/// cell around the lock with nothing but declarations in between.
fn is_one_lock_for_one_cell(terms: &Terms, survey: &Survey, lock: TermId, cell: TermId) -> bool {
    let mut at = cell;
    while let Some(parent) = survey.parents.get(&at) {
        if *parent == lock {
            return true;
        }
        at = *parent;
    }
    let mut at = lock;
    while let Some(parent) = survey.parents.get(&at) {
        let declares = match terms.construct(*parent) {
            Construct::New(new) => new.body == at,
            Construct::NewSemaphore(..) => true,
            _ => false,
        };
        if !declares {
            return false;
        }
        if *parent == cell {
            return true;
        }
        at = *parent;
    }
    false
}
