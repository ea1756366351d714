//! Where the predicates for a module come from: its conditions, and what a way that cannot be gone needs of the cells.

use std::collections::BTreeSet;

use agon_core::module::{Base, Expression, ExpressionId, Module, Place, ProcedureId, Statement};
use agon_games::arena::Role;
use agon_games::machine::Code;
use agon_games::moves::{Label, Move};
use agon_games::symbolic::{Value, operators};
use agon_games::values::CellId;
use agon_solve::{Op, Term, Terms};
use rustc_hash::FxHashMap;

use super::Engine;
use super::runs::Link;
use crate::modules::Compiled;
use crate::predicate::forget::Kept;
use crate::predicate::predicates::{PredicateId, Predicates, Spot};
use crate::predicate::space::{Next, Position};

/// The conditions of a module, where they are over its cells and numbers only; and what procedures that may call themselves
/// return.
pub(super) fn conditions(
    compiled: &Compiled,
    terms: &mut Terms,
    predicates: &mut Predicates,
) -> Vec<PredicateId> {
    let Compiled { module, code, roles, .. } = compiled;
    let mut found = Vec::new();
    for (id, procedure) in module.procedures() {
        let scene = Scene { module, code, procedure: id };
        let summarised = roles.component(Role::Summarised(id));
        for (statement, _) in &procedure.body {
            let truth = match (statement, summarised) {
                (Statement::Branch(condition, ..) | Statement::Assert(condition, _), _) => {
                    let number = predicates.number_in(terms, &scene, *condition);
                    number.map(|number| operators::truth(terms, number))
                }
                (Statement::Return(Some(value)), Some(component)) => {
                    predicates.number_in(terms, &scene, *value).map(|value| {
                        let result = Spot::OnItsWay(Kept::Result(component), 0);
                        let result = predicates.constant(terms, result);
                        terms.equal(result, value)
                    })
                }
                _ => None,
            };
            found.extend(truth.into_iter().flat_map(|truth| predicates.added(terms, code, truth)));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

impl Predicates {
    /// Adds a truth over spots, and what it says of calls, if it speaks of parameters.
    fn added(&mut self, terms: &mut Terms, code: &Code, truth: Term) -> Vec<PredicateId> {
        let of_calls = self.of_calls(terms, code, truth);
        let mut found = Vec::new();
        for truth in of_calls.into_iter().chain([truth]) {
            let shown = self.show(terms, code, truth);
            found.extend(self.add(terms, truth, &shown).filter(|(_, new)| *new).map(|(id, _)| id));
        }
        found
    }
}

/// Where an expression stands.
struct Scene<'a> {
    module: &'a Module,
    code: &'a Code,
    procedure: ProcedureId,
}

impl Predicates {
    /// An expression of a module as a term over spots, if it is over nothing but numbers and cells.
    fn number_in(&mut self, terms: &mut Terms, scene: &Scene<'_>, id: ExpressionId) -> Option<Term> {
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || match scene.module.expression(id) {
            Expression::Number(n) => Some(terms.int(n.clone())),
            Expression::Function(function) => Some(terms.int(scene.module.number(*function))),
            Expression::Unary(operator, a) => {
                let a = self.number_in(terms, scene, *a)?;
                Some(operators::unary(terms, *operator, a))
            }
            Expression::Binary(operator, a, b) => {
                let a = self.number_in(terms, scene, *a)?;
                let b = self.number_in(terms, scene, *b)?;
                Some(operators::binary(terms, *operator, a, b))
            }
            Expression::Wrap(data, a) => {
                let a = self.number_in(terms, scene, *a)?;
                Some(operators::wrap(terms, data, a))
            }
            Expression::Load(Place { base, index }) => {
                let cell = match base {
                    Base::Module(id) => scene.code.module_cell(*id),
                    Base::Local(id) => scene.code.local_cell(scene.procedure, *id),
                }?;
                match index {
                    None => Some(self.constant(terms, Spot::Cell(cell, 0))),
                    Some(index) => {
                        let length = scene.code.cells()[cell.index()].length?;
                        let index = self.number_in(terms, scene, *index)?;
                        self.element(terms, (cell, length), index)
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
                let truth = self.over_spots(condition, position);
                found.extend(truth.into_iter().flat_map(|truth| self.added(truth)));
            }
        }
        found
    }

    /// A truth over spots as predicates, if they are new ones.
    fn added(&mut self, truth: Term) -> Vec<PredicateId> {
        let code = self.space.code.clone();
        let terms = self.space.game.domain_mut().terms();
        self.space.predicates.added(terms, &code, truth)
    }

    /// The most calls that somebody else makes on a way while an activation waits for an answer.
    fn calls_in_a_turn(&mut self, path: &[Link]) -> usize {
        let mut most = 0;
        let mut turns = vec![0];
        for link in path {
            let silent = |m: Option<&Move<Value>>| m.is_some_and(|m| self.compiled.is_silent(m.component));
            if let Some((at, n)) = link.first().copied() {
                let asked = self.branches[&at][n as usize].1.how.asked.as_ref();
                match (silent(asked.map(|asked| &asked.m)), at.next) {
                    // A procedure that the module calls itself is one call.
                    (true, _) => most = most.max(1),
                    (false, Next::Answer) if self.machine().split(at.state).0.is_some() => {
                        most = most.max(turns.pop().unwrap_or(0));
                    }
                    _ => {}
                }
            }
            let label = link.last().and_then(|(at, n)| self.branches[at][*n as usize].1.label.as_ref());
            match label.filter(|_| !silent(label)).map(|m| &m.label) {
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
            let begins = position.next != Next::Paused && self.machine().split(position.state).0.is_none();
            for (id, before) in self.space.preconditions(&branch, &self.precision) {
                // Where an activation begins, cells hold what they held.
                if begins && self.space.predicates.is_relational(self.space.game.domain_mut().terms(), id) {
                    continue;
                }
                let truth = self.over_spots(before, position);
                found.extend(truth.into_iter().flat_map(|truth| self.added(truth)));
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

    /// A condition over what cells hold at a position, and held when the activation began, and over what it was called with, as a
    /// predicate; where a procedure that is summarised has returned, also as a predicate of the procedure. Nothing, if it depends
    /// on something else.
    fn over_spots(&mut self, condition: Term, position: Position) -> Vec<Term> {
        let called = self.spots_of_call(position);
        let of_call = (!called.is_empty()).then(|| self.over_some(condition, position, &called)).flatten();
        let of_activation = self.over_some(condition, position, &FxHashMap::default());
        of_call.into_iter().chain(of_activation).collect()
    }

    /// The same with the spots of some constants. If there are any, they are those of a procedure, which knows nothing of the
    /// activation that has called it.
    fn over_some(
        &mut self,
        condition: Term,
        position: Position,
        called: &FxHashMap<Term, Term>,
    ) -> Option<Term> {
        let layout = self.space.layout(position.state);
        let held = self.space.held(position.state);
        let mut with = FxHashMap::default();
        let of_call = !called.is_empty();
        for constant in self.space.terms().constants(condition) {
            if let Some(term) = called.get(&constant) {
                with.insert(constant, *term);
                continue;
            }
            let (kept, at) = self.space.place(constant)?;
            let spot = match kept {
                Kept::Cell(cell) | Kept::Entry(cell) => {
                    if of_call && !self.space.code.is_module_cell(cell) {
                        return None;
                    }
                    let place = layout.cells.iter().find(|place| place.cell == cell && place.at <= at)?;
                    let n = at - place.at;
                    // Where the activation begins, the cell holds what it held.
                    if held.get(at) == Some(constant) { Spot::Cell(cell, n) } else { Spot::Entry(cell, n) }
                }
                Kept::Argument(_) if !of_call => Spot::OnItsWay(kept, at),
                _ => return None,
            };
            let terms = self.space.game.domain_mut().terms();
            with.insert(constant, self.space.predicates.constant(terms, spot));
        }
        Some(self.space.terms().substitute(condition, &with))
    }

    /// Where a procedure that is summarised has returned: what constants are for the procedure.
    fn spots_of_call(&mut self, position: Position) -> FxHashMap<Term, Term> {
        let mut with = FxHashMap::default();
        let waits_for = self.machine().waits_for(position.state).filter(|_| position.next == Next::Answer);
        let Some(component) = waits_for.filter(|component| self.compiled.is_silent(*component)) else {
            return with;
        };
        let result = self.space.inputs.get(&(component, false)).copied();
        let passed = self.space.arguments(Kept::Passed(component), component);
        let literals = self.space.psi(position.psi).to_vec();
        let terms = self.space.game.domain_mut().terms();
        if let Some(result) = result {
            let spot = Spot::OnItsWay(Kept::Result(component), 0);
            with.insert(result, self.space.predicates.constant(terms, spot));
        }
        for literal in literals {
            let (Op::Equal, [a, b]) = (terms.op(literal), terms.parts(literal)) else { continue };
            let (a, b) = (*a, *b);
            for (constant, is) in [(a, b), (b, a)] {
                let Some((n, _)) = (0..).zip(&passed).find(|(_, passed)| **passed == constant) else {
                    continue;
                };
                let spot = Spot::OnItsWay(Kept::Argument(component), n);
                let argument = self.space.predicates.constant(terms, spot);
                let (op, parts) = (terms.op(is).clone(), terms.parts(is).to_vec());
                match (op, &parts[..]) {
                    (Op::Constant(_), _) => _ = with.insert(is, argument),
                    // What is passed on may differ from it by a number.
                    (Op::Add, [x, n]) if terms.literal(*n).is_some() => {
                        let term = terms.sub(argument, *n);
                        with.insert(*x, term);
                    }
                    (Op::Add, [n, x]) if terms.literal(*n).is_some() => {
                        let term = terms.sub(argument, *n);
                        with.insert(*x, term);
                    }
                    (Op::Sub, [x, n]) if terms.literal(*n).is_some() => {
                        let term = terms.add(argument, *n);
                        with.insert(*x, term);
                    }
                    _ => {}
                }
            }
        }
        with
    }
}

/// The branches of a way.
fn steps(path: &[Link]) -> Vec<(Position, u32)> {
    path.iter().flat_map(|link| link.iter().copied()).collect()
}
