//! The positions of two programs: where both are, what is kept exactly, and a constant for everything else.
//!
//! Cells with few values are part of the position. Every other place of the two stores holds a constant of its own, which
//! is the same constant in all positions. A step leads from the constants of one position to terms over them, which are
//! what the places of the next one hold.

use std::rc::Rc;

use agon_base::budget::Stop;
use agon_base::explore::depth_first;
use agon_base::id::ComponentId;
use agon_base::int::Int;
use agon_base::intern::Interner;
use agon_base::source::Span;
use agon_core::types::Data;
use agon_games::machine::{Layout, State};
use agon_games::moves::Move;
use agon_games::symbolic::Value;
use agon_games::values::CellId;
use agon_solve::{Solver, Sort, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::both::{Ahead, At, Both, JointStep, Offered, Pair, Played, Runs, SIDES, values_of};
use crate::equiv::Side;

agon_base::id! {
    /// A position of both programs.
    pub(super) PositionId;
}

/// Where one program is, but for what its store holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Corner {
    Waits(u32),
    Keeps(u32),
    Paused(u32),
    Moved(Move<()>, Option<u32>),
    Gone,
    Away,
}

/// What tells a position from others.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key {
    corners: [Corner; 2],
    exact: Box<[Int]>,
}

/// What a place of the two stores is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum What {
    /// An element of a declaration, at a place of the store.
    Cell(CellId, u32, u32),
    /// A value on its way, at a place of the store.
    Saved(u32),
    /// A value in a move that the other program has not made yet: the n-th.
    Said(u32),
    /// The element in such a move.
    Pointed,
}

impl What {
    /// A name that no other place has.
    fn called(self, side: Side) -> String {
        let side = match side {
            Side::Left => "first",
            Side::Right => "second",
        };
        match self {
            What::Cell(cell, element, at) => format!("{side} cell {} {element} {at}", cell.0),
            What::Saved(at) => format!("{side} saved {at}"),
            What::Said(n) => format!("{side} said {n}"),
            What::Pointed => format!("{side} pointed"),
        }
    }
}

/// A place of the two stores that is not kept exactly.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub side: Side,
    pub what: What,
    pub constant: Term,
    /// What it may hold, if that is known.
    pub data: Option<Data>,
}

/// A position.
#[derive(Clone)]
pub(super) struct Position {
    pub pair: Pair,
    pub slots: Rc<[Slot]>,
    /// What is kept exactly.
    pub exact: Vec<(Side, What, Int)>,
}

/// Where a step leads.
#[derive(Clone, Debug)]
pub(super) enum To {
    /// To a position whose slots hold these terms.
    At(PositionId, Rc<[Term]>),
    /// One program completes a play that the other does not have.
    Differs(Side),
    /// A cell that is kept exactly holds another number than it may.
    Escapes(Side, CellId),
}

impl To {
    /// The position, if it leads to one.
    fn position(&self) -> Option<PositionId> {
        match self {
            To::At(id, _) => Some(*id),
            To::Differs(_) | To::Escapes(..) => None,
        }
    }
}

/// What the steps from a position do to an activation that waits below.
#[derive(Clone, Debug)]
pub(super) struct Disturbed {
    pub successors: Rc<[Successor]>,
    /// The positions that are reached, and what the activation has become there.
    above: Rc<[(PositionId, PositionId)]>,
}

/// A step from one position to the next.
#[derive(Clone, Debug)]
pub(super) struct Successor {
    /// An activation that waits below what runs: what holds there holds before the step, and is to hold after it.
    pub beside: Option<PositionId>,
    /// What must be so, over the constants of the position and what O gives.
    pub conditions: Vec<Term>,
    pub to: To,
    /// The program that runs while the other, which is not gone, does nothing.
    pub alone: Option<Side>,
}

/// Which cells are kept exactly, and which numbers they may hold; none, if those of their types are few.
pub(super) type ExactCells = FxHashMap<(Side, CellId), Option<Vec<Int>>>;

/// Which programs run on, by the places in the code where both have paused; both, where nothing is said.
pub(super) type Alignment = FxHashMap<[Vec<u32>; 2], Runs>;

/// All positions that were found.
pub(super) struct Positions<'a> {
    pub both: Both<'a>,
    pub exact: ExactCells,
    pub alignment: Alignment,
    keys: Interner<Key, PositionId>,
    positions: Vec<Position>,
    layouts: FxHashMap<(Side, u32), Rc<Layout>>,
    inputs: FxHashMap<(ComponentId, bool), Term>,
    successors: FxHashMap<PositionId, Rc<[Successor]>>,
    /// The steps of both programs as they are made, and the positions that each leads to.
    joint: FxHashMap<PositionId, Rc<[Made]>>,
    /// The positions of modules without an activation.
    outside: Vec<PositionId>,
    /// The positions of activations of modules that wait.
    kept: Vec<PositionId>,
    /// What a step from a position does to an activation that waits.
    disturbed: FxHashMap<(PositionId, PositionId), Disturbed>,
    /// The constants that stand for what O gives.
    pub given: FxHashSet<Term>,
}

/// A step of both programs, and the positions that it leads to.
type Made = (JointStep, Vec<PositionId>);

/// What a program holds: what it is, the type if it is known, and the term.
type Held = Vec<(What, Option<Data>, Term)>;

impl<'a> Positions<'a> {
    pub(super) fn new(both: Both<'a>, exact: ExactCells, alignment: Alignment) -> Positions<'a> {
        Positions {
            both,
            exact,
            alignment,
            keys: Interner::default(),
            positions: Vec::new(),
            layouts: FxHashMap::default(),
            inputs: FxHashMap::default(),
            successors: FxHashMap::default(),
            joint: FxHashMap::default(),
            outside: Vec::new(),
            kept: Vec::new(),
            disturbed: FxHashMap::default(),
            given: FxHashSet::default(),
        }
    }

    /// Begins again with other cells kept exactly, and other programs running on from loops.
    pub(super) fn restart(&mut self, exact: ExactCells, alignment: Alignment) {
        if self.exact == exact && self.alignment == alignment {
            return;
        }
        self.exact = exact;
        self.alignment = alignment;
        self.keys = Interner::default();
        self.positions.clear();
        self.successors.clear();
        self.joint.clear();
        self.outside.clear();
        self.kept.clear();
        self.disturbed.clear();
    }

    /// Forgets all steps, which are found again with another solver.
    pub(super) fn begin_anew(&mut self, solver: Box<dyn Solver>) {
        self.successors.clear();
        self.joint.clear();
        self.disturbed.clear();
        self.both.judge().1.replace(solver);
    }

    pub(super) fn get(&self, id: PositionId) -> &Position {
        &self.positions[id.index()]
    }

    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    /// The position before the first move, as a step to it that is always made.
    pub(super) fn start(&mut self) -> Result<Successor, Stop> {
        let start = self.both.start();
        let found = self.arrive(start, Vec::new())?;
        let (conditions, to) = found.into_iter().next().expect("there is a position before the first move");
        Ok(Successor { beside: None, conditions, to, alone: None })
    }

    /// The positions of activations of modules that wait.
    pub(super) fn kept(&self) -> &[PositionId] {
        &self.kept
    }

    fn layout(&mut self, side: Side, state: State) -> Rc<Layout> {
        let control = self.both.control(side, state);
        let layout = self.layouts.entry((side, control));
        layout.or_insert_with(|| Rc::new(self.both.layout(side, state))).clone()
    }

    /// What a program holds, and where it is.
    fn held(&mut self, side: Side, at: &At) -> (Corner, Held) {
        let mut held = Held::new();
        let mut stored = |this: &mut Self, state: State| {
            let layout = this.layout(side, state);
            let values = this.both.held(side, state);
            for (n, term) in values {
                let cell = layout.cells.iter().find(|place| (place.at..place.at + place.len).contains(&n));
                held.push(match cell {
                    Some(place) => {
                        let data = this.both.code(side).cells()[place.cell.0 as usize].data.clone();
                        (What::Cell(place.cell, n - place.at, n), Some(data), term)
                    }
                    None => (What::Saved(n), None, term),
                });
            }
            this.both.control(side, state)
        };
        let corner = match at {
            At::Waits(state) => Corner::Waits(stored(self, *state)),
            At::Keeps(state) => Corner::Keeps(stored(self, *state)),
            At::Paused(state) => Corner::Paused(stored(self, *state)),
            At::Moved(m, next) => {
                let control = next.map(|state| stored(self, state));
                for (n, value) in (0..).zip(values_of(&m.label)) {
                    held.push((What::Said(n), None, self.both.term(side, &value)));
                }
                if let Some(element) = m.element.as_ref().filter(|_| m.label.is_question()) {
                    held.push((What::Pointed, None, self.both.term(side, element)));
                }
                Corner::Moved(m.map(|_| ()), control)
            }
            At::Gone => Corner::Gone,
            At::Away => Corner::Away,
        };
        (corner, held)
    }

    /// The key of a pair of which all is known, and what its slots hold.
    pub(super) fn point(&mut self, pair: &Pair) -> Option<(Key, Vec<Int>)> {
        let mut corners = Vec::new();
        let (mut exact, mut point) = (Vec::new(), Vec::new());
        for side in SIDES {
            let (corner, held) = self.held(side, &pair[side as usize]);
            corners.push(corner);
            for (what, _, term) in held {
                let number = self.both.terms().literal(term)?.number().clone();
                if self.is_exact(side, what) { exact.push(number) } else { point.push(number) }
            }
        }
        let [left, right] = <[Corner; 2]>::try_from(corners).ok()?;
        Some((Key { corners: [left, right], exact: exact.into() }, point))
    }

    /// What the cells of a program hold in a pair of which all is known.
    pub(super) fn contents(&mut self, side: Side, at: &At) -> Vec<(CellId, Int)> {
        let (_, held) = self.held(side, at);
        let number = |(what, _, term): (What, Option<Data>, Term)| match what {
            What::Cell(cell, ..) => Some((cell, self.both.terms().literal(term)?.number().clone())),
            _ => None,
        };
        held.into_iter().filter_map(number).collect()
    }

    pub(super) fn key(&self, id: PositionId) -> &Key {
        self.keys.get(id)
    }

    fn is_exact(&self, side: Side, what: What) -> bool {
        matches!(what, What::Cell(cell, ..) if self.exact.contains_key(&(side, cell)))
    }

    /// The positions that a pair is, told apart by what is kept exactly.
    fn arrive(&mut self, pair: Pair, conditions: Vec<Term>) -> Result<Vec<(Vec<Term>, To)>, Stop> {
        let mut found = Vec::new();
        if let Some((kept, outside)) = self.both.cut(&pair).filter(|(kept, _)| self.both.may_call(kept)) {
            found.extend(self.arrive(outside, conditions.clone())?);
            found.extend(self.arrive(kept, conditions)?);
            return Ok(found);
        }
        let mut corners = Vec::new();
        let mut all: Vec<(Side, What, Option<Data>, Term)> = Vec::new();
        for side in SIDES {
            let (corner, held) = self.held(side, &pair[side as usize]);
            corners.push(corner);
            all.extend(held.into_iter().map(|(what, data, term)| (side, what, data, term)));
        }
        let mut cases: Vec<(Vec<Term>, Vec<Int>)> = vec![(conditions, Vec::new())];
        for (side, what, data, term) in &all {
            let What::Cell(cell, ..) = what else { continue };
            let Some(numbers) = self.exact.get(&(*side, *cell)).cloned() else { continue };
            let allowed = numbers.clone().or_else(|| data.as_ref().and_then(all_of)).unwrap_or_default();
            let mut split = Vec::new();
            for (conditions, exact) in cases {
                self.both.budget.check()?;
                if let Some(number) = self.both.terms().literal(*term) {
                    let number = number.number().clone();
                    if !allowed.contains(&number) {
                        found.push((conditions, To::Escapes(*side, *cell)));
                        continue;
                    }
                    let exact = exact.into_iter().chain([number]).collect();
                    split.push((conditions, exact));
                    continue;
                }
                let mut none = conditions.clone();
                for number in &allowed {
                    let terms = self.both.terms();
                    let literal = terms.int(number.clone());
                    let is = terms.equal(*term, literal);
                    let is_not = terms.not(is);
                    none.push(is_not);
                    let with: Vec<Term> = conditions.iter().copied().chain([is]).collect();
                    if self.both.may(&[], &with) {
                        let exact = exact.iter().cloned().chain([number.clone()]).collect();
                        split.push((with, exact));
                    }
                }
                if self.both.may(&[], &none) {
                    found.push((none, To::Escapes(*side, *cell)));
                }
            }
            cases = split;
        }
        let [left, right] = <[Corner; 2]>::try_from(corners).expect("two programs have two corners");
        for (conditions, exact) in cases {
            let key = Key { corners: [left.clone(), right.clone()], exact: exact.clone().into() };
            let (id, new) = self.keys.insert(key);
            if new {
                let position = self.make(&pair, &all, &exact);
                let leader = Both::leader(&position.pair);
                match &position.pair[leader as usize] {
                    At::Keeps(_) => self.kept.push(id),
                    At::Waits(state) if self.both.is_outside(leader, *state) => self.outside.push(id),
                    _ => {}
                }
                self.positions.push(position);
            }
            let terms = all.iter().filter(|(side, what, ..)| !self.is_exact(*side, *what));
            let terms: Rc<[Term]> = terms.map(|(.., term)| *term).collect();
            found.push((conditions, To::At(id, terms)));
        }
        Ok(found)
    }

    /// A new position, with a constant in every slot.
    fn make(&mut self, pair: &Pair, all: &[(Side, What, Option<Data>, Term)], exact: &[Int]) -> Position {
        let mut exact = exact.iter();
        let mut kept = Vec::new();
        let mut slots = Vec::new();
        let mut held: [Vec<(u32, Term)>; 2] = Default::default();
        let mut said: [Vec<Term>; 2] = Default::default();
        for (side, what, data, _) in all {
            let term = if self.is_exact(*side, *what) {
                let number = exact.next().expect("every cell that is kept exactly has its number").clone();
                kept.push((*side, *what, number.clone()));
                self.both.terms().int(number)
            } else {
                let name = what.called(*side);
                let constant = self.both.terms().constant(name, Sort::Int);
                let range = data.as_ref().and_then(Data::range);
                self.both.bound(constant, range);
                slots.push(Slot { side: *side, what: *what, constant, data: data.clone() });
                constant
            };
            match what {
                What::Cell(_, _, at) | What::Saved(at) => held[*side as usize].push((*at, term)),
                What::Said(_) | What::Pointed => said[*side as usize].push(term),
            }
        }
        let renewed = |this: &mut Self, side: Side| -> At {
            let held = &held[side as usize];
            match &pair[side as usize] {
                At::Waits(state) => At::Waits(this.both.with_held(side, *state, held)),
                At::Keeps(state) => At::Keeps(this.both.with_held(side, *state, held)),
                At::Paused(state) => At::Paused(this.both.with_held(side, *state, held)),
                At::Moved(m, next) => {
                    let next = next.map(|state| this.both.with_held(side, state, held));
                    let mut said = said[side as usize].iter().map(|term| Value::new(*term));
                    let label = m.label.map(|value| said.next().unwrap_or(*value));
                    let element = m.element.map(|element| match m.label.is_question() {
                        true => said.next().unwrap_or(element),
                        false => element,
                    });
                    At::Moved(Move { component: m.component, element, label }, next)
                }
                At::Gone => At::Gone,
                At::Away => At::Away,
            }
        };
        let pair = [renewed(self, Side::Left), renewed(self, Side::Right)];
        Position { pair, slots: slots.into(), exact: kept }
    }

    /// The steps at a position.
    pub(super) fn successors(&mut self, id: PositionId) -> Result<Rc<[Successor]>, Stop> {
        if let Some(known) = self.successors.get(&id) {
            return Ok(known.clone());
        }
        let pair = self.positions[id.index()].pair.clone();
        let (steps, alone) = self.steps(&pair)?;
        let mut successors = Vec::new();
        let mut joint = Vec::new();
        for step in steps {
            let mut reached = Vec::new();
            match step.to.clone() {
                Ahead::Differs(side) => {
                    let (conditions, to) = (step.conditions.clone(), To::Differs(side));
                    successors.push(Successor { beside: None, conditions, to, alone });
                }
                Ahead::Pair(pair) => {
                    let pair = match self.both.alone_outside(&pair) {
                        // Whatever waits below, this may be the end of a play.
                        Some(side) if pair.contains(&At::Gone) => {
                            let (conditions, to) = (step.conditions.clone(), To::Differs(side));
                            successors.push(Successor { beside: None, conditions, to, alone });
                            continue;
                        }
                        Some(_) => pair.map(|at| if at.has_left() { At::Gone } else { at }),
                        None => pair,
                    };
                    let arrived = self.arrive(pair, step.conditions.clone())?;
                    reached.extend(arrived.iter().filter_map(|(_, to)| to.position()));
                    let leads = |(conditions, to)| Successor { beside: None, conditions, to, alone };
                    successors.extend(arrived.into_iter().map(leads));
                }
            }
            joint.push((step, reached));
        }
        self.joint.insert(id, joint.into());
        let successors: Rc<[Successor]> = successors.into();
        self.successors.insert(id, successors.clone());
        Ok(successors)
    }

    /// What the steps from a position do to an activation that waits below: they may change the cells of the modules.
    pub(super) fn disturbances(&mut self, id: PositionId, kept: PositionId) -> Result<Disturbed, Stop> {
        if let Some(known) = self.disturbed.get(&(id, kept)) {
            return Ok(known.clone());
        }
        let mut found = Vec::new();
        let mut above = Vec::new();
        self.successors(id)?;
        let joint = self.joint[&id].clone();
        let before = self.get(id).pair.clone();
        let below = self.below(kept);
        for (step, reached) in joint.iter() {
            let Ahead::Pair(after) = &step.to else { continue };
            let mut changed = vec![kept];
            if let Some(after) = self.both.disturbed(&below, &before, after) {
                let arrived = self.arrive(after, step.conditions.clone())?;
                changed = arrived.iter().filter_map(|(_, to)| to.position()).collect();
                let leads = |(conditions, to)| Successor { beside: Some(kept), conditions, to, alone: None };
                found.extend(arrived.into_iter().map(leads));
            }
            above.extend(reached.iter().flat_map(|at| changed.iter().map(|kept| (*at, *kept))));
        }
        let disturbed = Disturbed { successors: found.into(), above: above.into() };
        self.disturbed.insert((id, kept), disturbed.clone());
        Ok(disturbed)
    }

    /// Which positions may be those of what runs, or of what waits, above which activations that wait, among positions that
    /// can be reached.
    ///
    /// A call begins at a position without an activation, above everything that waits. What a step leads to is above what the
    /// step makes of what waits below. Where an activation waits above another one, both may have been disturbed since.
    pub(super) fn above(
        &mut self,
        known: &FxHashSet<PositionId>,
    ) -> Result<FxHashSet<(PositionId, PositionId)>, Stop> {
        let mut found: FxHashSet<(PositionId, PositionId)> = FxHashSet::default();
        let kept: Vec<PositionId> = self.kept.iter().copied().filter(|id| known.contains(id)).collect();
        if kept.is_empty() {
            return Ok(found);
        }
        let mut waiting: Vec<(PositionId, PositionId)> = Vec::new();
        for outside in self.outside.clone() {
            waiting.extend(kept.iter().map(|kept| (outside, *kept)));
        }
        depth_first(waiting, |waiting, (id, below)| {
            self.both.budget.check()?;
            let is_new = known.contains(&id) && known.contains(&below) && self.may_meet(id, below);
            if !is_new || !found.insert((id, below)) {
                return Ok(());
            }
            waiting.extend(self.disturbances(id, below)?.above.iter());
            if kept.contains(&id) {
                for other in kept.iter().filter(|other| self.is_disturbed(id, **other)) {
                    let others = kept.iter().filter(|lower| self.is_disturbed(below, **lower));
                    waiting.extend(others.map(|lower| (*other, *lower)));
                }
            }
            Ok::<(), Stop>(())
        })?;
        Ok(found)
    }

    /// Whether two activations that wait differ at most in what the cells of the modules hold.
    fn is_disturbed(&self, one: PositionId, other: PositionId) -> bool {
        self.key(one).corners == self.key(other).corners
    }

    /// Whether the cells of modules that are kept exactly hold the same at two positions, and the same modules are there.
    fn may_meet(&mut self, id: PositionId, kept: PositionId) -> bool {
        let left = |id: PositionId| [0, 1].map(|side| self.get(id).pair[side].has_left());
        if left(id) != left(kept) {
            return false;
        }
        let [here, there] = [id, kept].map(|id| self.get(id).exact.clone());
        let mut of_modules = |exact: Vec<(Side, What, Int)>| -> Vec<(Side, What, Int)> {
            let of_module = |(side, what, _): &(Side, What, Int)| match what {
                What::Cell(_, _, at) => self.both.is_of_module(*side, *at),
                _ => false,
            };
            exact.into_iter().filter(of_module).collect()
        };
        of_modules(here) == of_modules(there)
    }

    /// Other constants for what the cells of an activation hold that waits below what runs.
    pub(super) fn renamed(&mut self, kept: PositionId) -> FxHashMap<Term, Term> {
        let mut with = FxHashMap::default();
        for slot in self.get(kept).slots.clone().iter() {
            let (What::Cell(_, _, at) | What::Saved(at)) = slot.what else { continue };
            if !self.both.is_of_module(slot.side, at) {
                let name = format!("{} below", slot.what.called(slot.side));
                let constant = self.both.terms().constant(name, Sort::Int);
                let range = slot.data.as_ref().and_then(Data::range);
                self.both.bound(constant, range);
                with.insert(slot.constant, constant);
            }
        }
        with
    }

    /// An activation that waits below what runs.
    fn below(&mut self, kept: PositionId) -> Pair {
        let with = self.renamed(kept);
        let pair = self.get(kept).pair.clone();
        let mut below = |side: Side| match &pair[side as usize] {
            At::Keeps(state) => {
                let held = self.both.held(side, *state);
                let held: Vec<(u32, Term)> = held
                    .into_iter()
                    .map(|(at, term)| (at, with.get(&term).copied().unwrap_or(term)))
                    .collect();
                At::Keeps(self.both.with_held(side, *state, &held))
            }
            at => at.clone(),
        };
        [below(Side::Left), below(Side::Right)]
    }

    /// The steps at a pair, and the program that makes them while the other, which is not gone, does nothing.
    fn steps(&mut self, pair: &Pair) -> Result<(Vec<JointStep>, Option<Side>), Stop> {
        let mut steps = Vec::new();
        let mut alone = None;
        if self.both.is_concurrent() {
            steps = self.interleaved(pair)?;
        } else if Both::is_turn_of_o(pair) {
            let pair = Both::waiting(pair);
            for offered in self.both.offers(&pair) {
                let played = self.anything(offered);
                steps.extend(self.both.play(&pair, &played, &[])?);
            }
        } else {
            let runs = self.runs(pair);
            let has_paused = |side: Side| matches!(pair[side as usize], At::Paused(_));
            alone = match (SIDES.map(has_paused), runs) {
                _ if pair.iter().any(At::has_left) => None,
                ([true, true], Runs::Both) => None,
                ([true, true], Runs::Only(side)) => Some(side),
                ([true, false], _) => Some(Side::Left),
                _ => Some(Side::Right),
            };
            steps = self.both.resume(pair, runs, &[])?;
        }
        Ok((steps, alone))
    }

    /// What O plays with any numbers.
    fn anything(&mut self, offered: Offered) -> Played<Term> {
        let arguments = self.both.arguments(offered);
        Played {
            offered,
            value: offered.gives().then(|| self.input(offered.component, false)),
            index: offered.points().then(|| self.input(offered.component, true)),
            arguments: arguments.into_iter().map(|argument| self.input(argument, false)).collect(),
        }
    }

    /// The steps of all threads of concurrent programs.
    fn interleaved(&mut self, pair: &Pair) -> Result<Vec<JointStep>, Stop> {
        let Some(turns) = self.both.turns(pair) else {
            return Ok(vec![JointStep { conditions: Vec::new(), to: Ahead::Differs(Side::Left) }]);
        };
        let mut steps = Vec::new();
        for turn in turns {
            let given = turn.played.map(|(offered, _)| self.anything(offered));
            steps.extend(self.both.take(pair, &turn, given.as_ref())?);
        }
        Ok(steps)
    }

    /// The places in the code where a program will go on, innermost first.
    fn pcs(&self, side: Side, state: State) -> Vec<u32> {
        self.both.layout(side, state).pcs.iter().map(|pc| pc.0).collect()
    }

    /// Where both programs are at a position, in words that are the same whenever it is found, and what is kept exactly.
    pub(super) fn called(&self, id: PositionId) -> ([String; 2], Vec<Int>) {
        let Position { pair, exact, .. } = self.get(id);
        let at = |side: Side| {
            let pcs = |state: &State| -> String {
                self.pcs(side, *state).iter().map(|pc| format!(" {pc}")).collect()
            };
            match &pair[side as usize] {
                At::Waits(state) => format!("waits{}", pcs(state)),
                At::Keeps(state) => format!("keeps{}", pcs(state)),
                At::Paused(state) => format!("paused{}", pcs(state)),
                At::Moved(m, next) => {
                    let next = next.as_ref().map(pcs).unwrap_or_default();
                    format!("moved {}.{}{next}", m.component.0, m.label.show(|_| "_".into()))
                }
                At::Gone => "gone".into(),
                At::Away => "away".into(),
            }
        };
        ([at(Side::Left), at(Side::Right)], exact.iter().map(|(.., number)| number.clone()).collect())
    }

    /// Which programs run on at a pair. If only one has paused, it does.
    pub(super) fn runs(&mut self, pair: &Pair) -> Runs {
        let [At::Paused(left), At::Paused(right)] = pair else { return Runs::Both };
        if self.alignment.is_empty() {
            return Runs::Both;
        }
        let heads = [self.pcs(Side::Left, *left), self.pcs(Side::Right, *right)];
        self.alignment.get(&heads).copied().unwrap_or(Runs::Both)
    }

    /// The pairs of loops at whose heads both programs have paused, in the order in which they were found.
    pub(super) fn heads(&mut self) -> Vec<[Vec<u32>; 2]> {
        let mut heads = Vec::new();
        for position in &self.positions {
            if let [At::Paused(left), At::Paused(right)] = &position.pair {
                let pair = [self.pcs(Side::Left, *left), self.pcs(Side::Right, *right)];
                if !heads.contains(&pair) {
                    heads.push(pair);
                }
            }
        }
        heads
    }

    /// Where two loops are in the text, by their heads.
    pub(super) fn loops(&mut self, heads: &[Vec<u32>; 2]) -> [Option<Span>; 2] {
        let found = self.positions.iter().find_map(|position| match &position.pair {
            [At::Paused(a), At::Paused(b)] => {
                let same = *heads == [self.pcs(Side::Left, *a), self.pcs(Side::Right, *b)];
                same.then(|| [self.both.span(Side::Left, *a), self.both.span(Side::Right, *b)])
            }
            _ => None,
        });
        found.unwrap_or_default()
    }

    fn input(&mut self, component: ComponentId, index: bool) -> Term {
        if let Some(known) = self.inputs.get(&(component, index)) {
            return *known;
        }
        let constant = self.both.input("any", component, index);
        self.inputs.insert((component, index), constant);
        self.given.insert(constant);
        constant
    }
}

/// All numbers of a type, if they are few.
pub(super) fn all_of(data: &Data) -> Option<Vec<Int>> {
    let count = data.size()?.to_u64().filter(|count| *count <= MOST_VALUES)?;
    Some((0..count).map(|code| data.value(code)).collect())
}

/// Cells of types with more values than this are not kept exactly for their types alone.
pub(super) const MOST_VALUES: u64 = 16;
