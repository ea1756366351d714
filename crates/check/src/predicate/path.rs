//! A path to the target: whether it is feasible, whether other predicates would exclude it, and what it takes to exclude it.

use std::collections::BTreeSet;

use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_base::preorder::preorder;
use agon_core::types::{Data, Type};
use agon_games::arena::{Arena, ComponentId};
use agon_games::interval::Interval;
use agon_games::machine::{Place, State, Strands};
use agon_games::moves::Move;
use agon_games::play::Play;
use agon_games::values::CellId;
use agon_solve::{Answer, Op, Sort, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::forget::Kept;
use super::oracle::Symbolic;
use super::predicates::{PredicateId, Spot};
use super::space::{Branch, Position, Precision, Psi, Space};
use super::symbolic::Reached;
use crate::concretise::{Given, Pair, Skeleton, tell};

/// A path to the target: positions, and how each was left.
pub(super) struct Path {
    pub steps: Vec<(Position, Branch)>,
}

/// Whether a path is feasible.
pub(super) enum Feasible {
    /// With these numbers of O's, one for each of its moves.
    With(Vec<Given>),
    /// This is how.
    Play(Play),
    /// It cannot: what must be so at these steps contradicts itself.
    Not(Core),
    /// Unknown.
    Unknown,
}

/// The part of a path that contradicts itself.
pub(super) struct Core {
    /// The steps, and the conditions there over the constants of the position.
    pub conditions: Vec<(usize, Term)>,
    /// What the constants of each position stand for, over what O gave.
    pub meanings: Vec<FxHashMap<Term, Term>>,
}

impl Path {
    /// What O does on the path, with any numbers, and what P is to answer.
    pub(super) fn skeleton(&self, arena: &Arena, target: &Move) -> Skeleton {
        let mut pairs: Vec<Pair> = Vec::new();
        for (_, (_, step)) in &self.steps {
            if let Some(asked) = &step.how.asked {
                let base = &arena.component(asked.m.component).base;
                let value = asked.value.map(|_| Interval::of(base.data().unwrap_or(&Data::Int)));
                let index = asked.index.map(|_| match base {
                    Type::Array(_, length) => Interval::between(Int::ZERO, Int::from(*length).sub(&Int::ONE)),
                    _ => Interval::all(),
                });
                let given = Given::pair(value, index);
                pairs.push(Pair { thread: Box::default(), offer: Some(asked.offer), given, answer: None });
            }
            if let (Some(answer), Some(pair)) = (&step.label, pairs.last_mut()) {
                pair.answer = Some((answer.component, answer.label.map(|_| Default::default())));
            }
        }
        Skeleton { pairs, target: target.clone() }
    }

    /// All conditions on the path, if nobody knows which part of it contradicts itself.
    pub(super) fn whole(&self) -> Core {
        Core { conditions: self.conditions(), meanings: vec![FxHashMap::default(); self.steps.len() + 1] }
    }

    fn conditions(&self) -> Vec<(usize, Term)> {
        let steps = self.steps.iter().enumerate();
        steps.flat_map(|(n, (_, (_, step)))| step.how.conditions.iter().map(move |term| (n, *term))).collect()
    }

    /// Asks whether the whole path is feasible, in single-assignment form: every number is a term over what O gave
    /// [PRED, §4.4].
    pub(super) fn feasible(&self, space: &mut Space<'_>, precision: &Precision) -> Feasible {
        let mut claims: Vec<Term> = Vec::new();
        let mut origins: Vec<(usize, Term)> = Vec::new();
        let mut meanings: Vec<FxHashMap<Term, Term>> = vec![FxHashMap::default()];
        let mut given: Vec<(Option<Term>, Option<Term>)> = Vec::new();
        // The elements that open questions are about: P's last one, and O's. The control has forgotten them.
        let anything = space.game.domain_mut().anything();
        let mut by_p = None;
        let mut by_o: Vec<(ComponentId, Term)> = Vec::new();
        for (n, (_, (_, step))) in self.steps.iter().enumerate() {
            let mut meaning = meanings[n].clone();
            if let Some(asked) = &step.how.asked {
                let fresh = |space: &mut Space<'_>, input: Option<Term>, index: bool| {
                    let input = input?;
                    let what = if index { "i" } else { "v" };
                    let constant =
                        space.terms().constant(format!("{what}{n} of {}", asked.m.component.0), Sort::Int);
                    let component = asked.m.component;
                    space.limit_input(constant, component, index);
                    Some((input, constant))
                };
                let value = fresh(space, asked.value, false);
                let index = fresh(space, asked.index, true);
                meaning.extend(value);
                meaning.extend(index);
                given.push((value.map(|(_, constant)| constant), index.map(|(_, constant)| constant)));
                by_o.extend(index.map(|(_, constant)| (asked.m.component, constant)));
                meaning.extend(by_p.map(|element| (anything, element)));
            }
            if let Some(answer) = &step.label {
                let at = by_o.iter().rposition(|(component, _)| *component == answer.component);
                match (answer.element, at) {
                    (Some(_), Some(at)) if !answer.label.is_question() => {
                        meaning.insert(anything, by_o[at].1);
                        by_o.truncate(at);
                    }
                    (Some(element), _) => {
                        let (element, _) = space.game.domain_mut().term(&element);
                        by_p = Some(space.terms().substitute(element, &meaning));
                    }
                    _ => {}
                }
            }
            for condition in &step.how.conditions {
                claims.push(space.terms().substitute(*condition, &meaning));
                origins.push((n, *condition));
            }
            let mut next = FxHashMap::default();
            if let Some((Reached { state, .. }, held)) = &step.next {
                for (constant, was) in space.forgotten(*state, held, precision).were {
                    next.insert(constant, space.terms().substitute(was, &meaning));
                }
            }
            meanings.push(next);
        }
        let own = claims.len();
        let (terms, oracle) = space.judge();
        claims.extend(oracle.bounds(terms, &claims));
        match oracle.ask(terms, &claims) {
            Answer::Sat(model) => {
                let number = |constant: Option<Term>| {
                    let constant = constant?;
                    Some(Interval::point(model.value(terms, constant).number().clone()))
                };
                let given = given.iter().map(|(value, index)| Given::pair(number(*value), number(*index)));
                Feasible::With(given.collect())
            }
            Answer::Unsat(core) => {
                let conditions =
                    core.iter().map(|name| name.index()).filter(|n| *n < own).map(|n| origins[n]);
                Feasible::Not(Core { conditions: conditions.collect(), meanings })
            }
            Answer::Unknown(_) => Feasible::Unknown,
        }
    }

    /// The play of a concurrent program in which all this happens, with these numbers of O's, if its last move is the
    /// target then.
    pub(super) fn told(
        &self,
        strands: &Strands<Symbolic>,
        exact: &mut Strands,
        target: &Move,
        given: &[Given],
        budget: &Budget,
    ) -> Option<Play> {
        let mut given = given.iter();
        // What goes on unseen where a run over terms had paused was done at once.
        let steps = self.steps.iter().map(|(_, (_, step))| &step.how).filter(|step| !step.goes_on);
        let pairs: Vec<Pair> = steps
            .map(|step| Pair {
                thread: strands.thread(step.strand),
                offer: step.asked.as_ref().map(|asked| asked.offer),
                given: step.asked.as_ref().and_then(|_| given.next().cloned()).unwrap_or_default(),
                answer: None,
            })
            .collect();
        tell(exact, target, pairs.iter().map(|pair| (pair, &pair.given)), budget)
    }

    /// Whether the path is infeasible if more is kept of the store.
    pub(super) fn is_excluded(&self, space: &mut Space<'_>, precision: &Precision) -> bool {
        let mut now: BTreeSet<Psi> = BTreeSet::from([Psi(0)]);
        for (_, branch) in &self.steps {
            let mut next: BTreeSet<Psi> = BTreeSet::new();
            for psi in now {
                if space.budget.is_exhausted() {
                    return false;
                }
                if !space.is_possible(psi, branch) {
                    continue;
                }
                if branch.1.is_complete() {
                    return false;
                }
                next.extend(space.after(psi, branch, precision).0.iter().map(|position| position.psi));
            }
            now = next;
        }
        true
    }

    /// Cells that hold one number wherever the contradiction looks at them, and could be kept as they are.
    pub(super) fn numbers(
        &self,
        space: &mut Space<'_>,
        core: &Core,
        precision: &Precision,
    ) -> BTreeSet<CellId> {
        let mut found = BTreeSet::new();
        for (n, condition) in
            self.pulled_back(space, core, precision).into_iter().flatten().chain(core.conditions.clone())
        {
            for constant in space.terms().constants(condition) {
                let Some((Kept::Cell(cell), _)) = space.place(constant) else { continue };
                let meaning = core.meanings[n].get(&constant);
                if meaning.is_some_and(|meaning| space.terms().literal(*meaning).is_some()) {
                    found.insert(cell);
                }
            }
        }
        found
    }

    /// The weakest preconditions of the contradiction at each position of the path: literals over its constants.
    fn pulled_back(
        &self,
        space: &mut Space<'_>,
        core: &Core,
        precision: &Precision,
    ) -> Vec<Vec<(usize, Term)>> {
        let mut all: Vec<Vec<(usize, Term)>> = Vec::new();
        let mut later: Vec<Term> = Vec::new();
        let first = core.conditions.iter().map(|(n, _)| *n).min().unwrap_or(0);
        for n in (0..self.steps.len()).rev() {
            // What it depends on may be older than its first condition.
            if n < first && later.is_empty() {
                break;
            }
            let (_, (_, step)) = &self.steps[n];
            // What is needed behind this step, said of the position before it.
            let mut now: FxHashSet<Term> = FxHashSet::default();
            if let Some((Reached { state, .. }, held)) = &step.next {
                let with = space.forgotten(*state, held, precision).were.into_iter().collect();
                for term in &later {
                    now.insert(space.terms().substitute(*term, &with));
                }
            }
            for (at, condition) in &core.conditions {
                if *at == n {
                    atoms(space, *condition, &mut now);
                }
            }
            let (given, now): (Vec<Term>, Vec<Term>) =
                now.into_iter().partition(|term| space.is_given(*term));
            let mut now: FxHashSet<Term> = now.into_iter().collect();
            projected(space, &given, &mut now);
            let mut now: Vec<Term> = now.into_iter().collect();
            now.sort_unstable();
            now.retain(|term| space.terms().literal(*term).is_none());
            all.push(now.iter().map(|term| (n, *term)).collect());
            later = now;
        }
        all
    }

    /// New predicates that would exclude the path, where they are needed.
    pub(super) fn discovered(
        &self,
        space: &mut Space<'_>,
        core: &Core,
        precision: &Precision,
    ) -> Vec<(State, PredicateId)> {
        let mut found = Vec::new();
        for (n, term) in self.pulled_back(space, core, precision).into_iter().flatten() {
            let state = self.steps[n].0.state;
            let mut with = FxHashMap::default();
            let mut said = true;
            let layout = space.layout(state);
            for constant in space.terms().constants(term) {
                let spot = match space.place(constant) {
                    Some((Kept::Cell(cell), at)) => {
                        let holds = |place: &&Place| {
                            place.cell == cell && (place.at..place.at + place.len).contains(&at)
                        };
                        layout.cells.iter().find(holds).map(|place| Spot::Cell(cell, at - place.at))
                    }
                    Some((kept, n)) => Some(Spot::OnItsWay(kept, n)),
                    // It depends on what O will give.
                    None => None,
                };
                let Some(spot) = spot else {
                    said = false;
                    break;
                };
                let terms = space.game.domain_mut().terms();
                with.insert(constant, space.predicates.constant(terms, spot));
            }
            if !said {
                continue;
            }
            let terms = space.game.domain_mut().terms();
            let predicate = terms.substitute(term, &with);
            let shown = space.predicates.show(terms, &space.code, predicate);
            if let Some((id, _)) = space.predicates.add(terms, predicate, &shown) {
                found.push((state, id));
            }
        }
        found
    }
}

/// The literals that a condition is made of, without what joins them.
fn atoms(space: &mut Space<'_>, condition: Term, found: &mut FxHashSet<Term>) {
    let terms = &*space.terms();
    let joins = |term| matches!(terms.op(term), Op::Not | Op::And | Op::Or);
    let joined = preorder(condition, |term, below| {
        below.extend(terms.parts(term).iter().filter(|_| joins(term)));
    });
    found.extend(joined.filter(|term| !joins(*term) && !matches!(terms.op(*term), Op::Truth(_))));
}

/// Literals that do not depend on what O gives, from some that do: at the ends of its range, and between what it is
/// compared with.
fn projected(space: &mut Space<'_>, given: &[Term], found: &mut FxHashSet<Term>) {
    let mut compared: Vec<Term> = Vec::new();
    for term in given {
        let mut ends = vec![*term];
        let terms = space.terms();
        if let (Op::Equal, [a, b]) = (terms.op(*term), terms.parts(*term))
            && terms.sort(*a) == Sort::Int
        {
            let (a, b) = (*a, *b);
            ends.extend([terms.less(a, b), terms.less(b, a)]);
        }
        for input in space.inputs_of(*term) {
            let Some((low, high)) = space.range_of(input) else {
                ends.clear();
                break;
            };
            let at = |space: &mut Space<'_>, term: Term, n: &Int| {
                let number = space.terms().int(n.clone());
                space.terms().substitute(term, &FxHashMap::from_iter([(input, number)]))
            };
            ends = ends.iter().flat_map(|term| [at(space, *term, &low), at(space, *term, &high)]).collect();
            ends.dedup();
        }
        for term in ends {
            atoms(space, term, found);
        }
        let terms = space.terms();
        if let (Op::Equal | Op::Less | Op::AtMost, [a, b]) = (terms.op(*term), terms.parts(*term)) {
            let (a, b) = (*a, *b);
            match (space.is_given(a), space.is_given(b)) {
                (true, false) if space.is_input(a) => compared.push(b),
                (false, true) if space.is_input(b) => compared.push(a),
                _ => {}
            }
        }
    }
    for a in &compared {
        for b in &compared {
            let terms = space.terms();
            if a != b && terms.sort(*a) == terms.sort(*b) && terms.sort(*a) == Sort::Int {
                found.insert(terms.less(*a, *b));
            }
        }
    }
    found.retain(|term| !space.is_given(*term));
}
