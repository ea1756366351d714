//! Where the predicates for a module come from: its conditions, and what a way that cannot be gone needs of the cells.

use std::collections::BTreeSet;

use agon_core::module::{Base, Expression, ExpressionId, Module, Place, ProcedureId, Statement};
use agon_games::machine::{Code, State};
use agon_games::moves::Label;
use agon_games::symbolic::Symbolic;
use agon_games::values::CellId;
use agon_solve::{Op, Term, Terms};
use rustc_hash::FxHashMap;

use super::Engine;
use super::runs::Link;
use crate::predicate::forget::Kept;
use crate::predicate::predicates::{PredicateId, Predicates, Spot};
use crate::predicate::space::Position;

/// The conditions of a module, where they are over its cells and numbers only.
pub(super) fn conditions(
    module: &Module,
    code: &Code,
    domain: &mut Symbolic,
    predicates: &mut Predicates,
) -> Vec<PredicateId> {
    let mut found = Vec::new();
    for (id, procedure) in module.procedures() {
        for (statement, _) in &procedure.body {
            let (Statement::Branch(condition, ..) | Statement::Assert(condition, _)) = statement else {
                continue;
            };
            let scene = Scene { module, code, procedure: id };
            let Some(number) = predicates.number_in(domain, &scene, *condition) else { continue };
            let truth = domain.truth_of(number);
            let shown = predicates.show(domain.terms(), code, truth);
            found.extend(predicates.add(domain.terms(), truth, &shown).map(|(id, _)| id));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Where an expression stands.
struct Scene<'a> {
    module: &'a Module,
    code: &'a Code,
    procedure: ProcedureId,
}

impl Predicates {
    /// An expression of a module as a term over spots, if it is over nothing but numbers and cells.
    fn number_in(&mut self, domain: &mut Symbolic, scene: &Scene<'_>, id: ExpressionId) -> Option<Term> {
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || match scene.module.expression(id) {
            Expression::Number(n) => Some(domain.terms().int(n.clone())),
            Expression::Function(function) => Some(domain.terms().int(scene.module.number(*function))),
            Expression::Unary(operator, a) => {
                let a = self.number_in(domain, scene, *a)?;
                Some(domain.unary_of(*operator, a))
            }
            Expression::Binary(operator, a, b) => {
                let a = self.number_in(domain, scene, *a)?;
                let b = self.number_in(domain, scene, *b)?;
                Some(domain.binary_of(*operator, a, b))
            }
            Expression::Wrap(data, a) => {
                let a = self.number_in(domain, scene, *a)?;
                Some(domain.wrap_of(data, a))
            }
            Expression::Load(Place { base, index }) => {
                let cell = match base {
                    Base::Module(id) => scene.code.module_cell(*id),
                    Base::Local(id) => scene.code.local_cell(scene.procedure, *id),
                }?;
                match index {
                    None => Some(self.constant(domain.terms(), Spot::Cell(cell, 0))),
                    Some(index) => {
                        let length = scene.code.cells()[cell.index()].length?;
                        let index = self.number_in(domain, scene, *index)?;
                        self.element(domain, (cell, length), index)
                    }
                }
            }
        })
    }
}

/// At most this many conditions are made from those of one branch.
const MOST_ELEMENTS: usize = 64;

/// At most this many preconditions become predicates at once.
const MOST_PRECONDITIONS: usize = 64;

/// A condition in which an array is read at an unknown index, once for each index.
fn elements(terms: &mut Terms, condition: Term) -> Vec<Term> {
    let chosen = terms.parts_first([condition]).into_iter().find_map(|part| {
        let (Op::If, [hit, ..]) = (terms.op(part), terms.parts(part)) else { return None };
        let (Op::Equal, [a, b]) = (terms.op(*hit), terms.parts(*hit)) else { return None };
        match (terms.literal(*a), terms.literal(*b)) {
            (None, Some(_)) => Some(*a),
            (Some(_), None) => Some(*b),
            _ => None,
        }
    });
    let Some(index) = chosen else { return vec![] };
    let mut numbers: Vec<Term> = Vec::new();
    for part in terms.parts_first([condition]) {
        match (terms.op(part), terms.parts(part)) {
            (Op::Equal, [a, b]) if *a == index && terms.literal(*b).is_some() => numbers.push(*b),
            (Op::Equal, [a, b]) if *b == index && terms.literal(*a).is_some() => numbers.push(*a),
            _ => {}
        }
    }
    // The last element may stand behind all that were asked for.
    let least = (0u64..).map(|n| terms.int(n)).find(|number| !numbers.contains(number));
    numbers.extend(least);
    let at = |number| terms.substitute(condition, &FxHashMap::from_iter([(index, number)]));
    numbers.into_iter().map(at).collect()
}

impl Engine<'_> {
    /// Predicates that were not known on a way: at first what its branches need of the cells before them, which are the weakest
    /// preconditions of the conditions. Where these are known, cells are related to what they held before a call that the
    /// environment made meanwhile; and then the preconditions of all that is known are looked for.
    pub(super) fn finer(&mut self, path: &[Link]) -> Vec<PredicateId> {
        let mut found = self.needed(path);
        let calls = self.calls_in_a_turn(path);
        if found.is_empty() && calls > 0 {
            found = self.related(path, Terms::equal);
        }
        // Of what two calls do, only that is known of both which is true of each and transitive.
        if found.is_empty() && calls > 1 {
            found = self.related(path, Terms::at_most);
        }
        if found.is_empty() {
            found = self.preconditions(path);
        }
        if found.is_empty() && calls > 0 {
            found = self.related(path, Terms::at_most);
        }
        found
    }

    /// The conditions of the branches of a way, as predicates.
    fn needed(&mut self, path: &[Link]) -> Vec<PredicateId> {
        let mut found = Vec::new();
        for (position, n) in steps(path) {
            let conditions = self.branches[&position][n as usize].1.how.conditions.clone();
            for condition in self.with_elements(conditions) {
                let truth = self.over_spots(condition, position.state);
                found.extend(truth.and_then(|truth| self.added(truth)));
            }
        }
        found
    }

    /// A truth over spots as a predicate, if it is a new one.
    fn added(&mut self, truth: Term) -> Option<PredicateId> {
        let code = self.space.code.clone();
        let terms = self.space.game.domain_mut().terms();
        let shown = self.space.predicates.show(terms, &code, truth);
        let (id, new) = self.space.predicates.add(terms, truth, &shown)?;
        new.then_some(id)
    }

    /// The most calls that the environment makes on a way in a turn that it ends with an answer.
    fn calls_in_a_turn(&mut self, path: &[Link]) -> usize {
        let mut most = 0;
        let mut turns = vec![0];
        for link in path {
            let begins = link.first().map(|(at, _)| *at);
            if begins.is_some_and(|at| self.machine().split(at.state).0.is_some()) {
                most = most.max(turns.pop().unwrap_or(0));
            }
            let label = link.last().and_then(|(at, n)| self.branches[at][*n as usize].1.label.as_ref());
            match label.map(|m| &m.label) {
                Some(Label::Call(_)) => turns.push(0),
                Some(_) => turns.iter_mut().last().into_iter().for_each(|calls| *calls += 1),
                None => {}
            }
        }
        most
    }

    /// How what the cells of the module in the conditions of a way hold is related to what they held.
    fn related(&mut self, path: &[Link], by: fn(&mut Terms, Term, Term) -> Term) -> Vec<PredicateId> {
        let mut places: BTreeSet<(CellId, u32, u32)> = BTreeSet::new();
        for (position, n) in steps(path) {
            let layout = self.space.layout(position.state);
            for condition in self.branches[&position][n as usize].1.how.conditions.clone() {
                for constant in self.space.terms().constants(condition) {
                    let Some((Kept::Cell(cell) | Kept::Entry(cell), at)) = self.space.place(constant) else {
                        continue;
                    };
                    let place = layout.cells.iter().find(|place| place.cell == cell && place.at <= at);
                    if let Some(place) = place.filter(|_| self.machine().is_of_module(at)) {
                        places.insert((cell, at - place.at, at));
                    }
                }
            }
        }
        let mut found = Vec::new();
        for (cell, n, at) in places {
            self.space.constant_at(Kept::Entry(cell), at);
            let terms = self.space.game.domain_mut().terms();
            let now = self.space.predicates.constant(terms, Spot::Cell(cell, n));
            let then = self.space.predicates.constant(terms, Spot::Entry(cell, n));
            let related = by(terms, now, then);
            found.extend(self.added(related));
        }
        self.precision.relational |= !found.is_empty();
        found
    }

    /// What must be so before the branches of a way for what is known behind them.
    fn preconditions(&mut self, path: &[Link]) -> Vec<PredicateId> {
        let mut found = Vec::new();
        for (position, n) in steps(path) {
            let branch = self.branches[&position][n as usize].clone();
            let begins = !position.paused && self.machine().split(position.state).0.is_none();
            for (id, before) in self.space.preconditions(&branch, &self.precision) {
                // Where an activation begins, cells hold what they held.
                if begins && self.space.predicates.is_relational(self.space.game.domain_mut().terms(), id) {
                    continue;
                }
                let truth = self.over_spots(before, position.state);
                found.extend(truth.and_then(|truth| self.added(truth)));
                if found.len() >= MOST_PRECONDITIONS {
                    return found;
                }
            }
        }
        found
    }

    /// Conditions, and what they say of each element of an array whose index the environment or the activation chooses. Such
    /// an index is forgotten while the environment has its turn; what is known of all elements is not.
    fn with_elements(&mut self, conditions: Vec<Term>) -> Vec<Term> {
        let mut all = conditions;
        let mut next = 0;
        while let Some(condition) = all.get(next).copied() {
            next += 1;
            let elements = elements(self.space.terms(), condition);
            if all.len() + elements.len() > MOST_ELEMENTS {
                break;
            }
            all.extend(elements);
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// A condition over what cells hold at a position, and held when the activation began, as a predicate; nothing, if it depends
    /// on something else.
    fn over_spots(&mut self, condition: Term, state: State) -> Option<Term> {
        let layout = self.space.layout(state);
        let held = self.space.held(state);
        let mut with = FxHashMap::default();
        for constant in self.space.terms().constants(condition) {
            let (kept, at) = self.space.place(constant)?;
            let (Kept::Cell(cell) | Kept::Entry(cell)) = kept else { return None };
            let place = layout.cells.iter().find(|place| place.cell == cell && place.at <= at)?;
            let n = at - place.at;
            // Where the activation begins, the cell holds what it held.
            let spot =
                if held.get(at) == Some(constant) { Spot::Cell(cell, n) } else { Spot::Entry(cell, n) };
            let terms = self.space.game.domain_mut().terms();
            with.insert(constant, self.space.predicates.constant(terms, spot));
        }
        Some(self.space.terms().substitute(condition, &with))
    }
}

/// The branches of a way.
fn steps(path: &[Link]) -> Vec<(Position, u32)> {
    path.iter().flat_map(|link| link.iter().copied()).collect()
}
