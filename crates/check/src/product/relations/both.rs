//! Two programs over one set of terms, played by the same environment.
//!
//! Each program is a machine over terms. O's answer is one term for both. A run goes from O's move, or from the head of a
//! loop, to P's next move or the next head of a loop. Where both programs have moved, the moves are compared: under the
//! condition that they are the same, both go on; under the condition that they differ, each goes on alone. A program
//! that never moves again is gone.

mod moves;

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::types::Type;
use agon_games::arena::{Arena, ComponentId};
use agon_games::interval::Interval;
use agon_games::machine::{
    CallMemo, Code, Layout, Machine, Offer, OfferData, OfferKind, Pausing, Pc, State, Told,
};
use agon_games::moves::{Label, Move};
use agon_games::strategy::Step;
use agon_games::symbolic::{self, Forgetting, Value};
use agon_solve::{Sort, Term, Terms};
use rustc_hash::FxHashMap;

use super::threads::Threads;
use crate::equiv::{Plays, Relation, Side};
use crate::predicate::oracle::Oracle;

/// Where one program is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum At {
    /// It waits for O.
    Waits(State),
    /// An activation of a module waits, whatever the environment calls meanwhile.
    Keeps(State),
    /// It has paused at the head of a loop.
    Paused(State),
    /// It has moved, while the other has not yet; the play is complete for it if it has no position.
    Moved(Move<Value>, Option<State>),
    /// It cannot play what the other has played, or never moves again.
    Gone,
    /// It was gone when the activation began that the other one is in: its play is not complete when that returns.
    Away,
}

impl At {
    /// Whether the program has left the play.
    pub(super) fn has_left(&self) -> bool {
        matches!(self, At::Gone | At::Away)
    }
}

/// Where both programs are.
pub(super) type Pair = [At; 2];

/// Which programs run on from the heads of loops.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Runs {
    Both,
    Only(Side),
}

/// What O may play: the component as both programs call it, and what is done there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Offered {
    pub component: ComponentId,
    pub kind: OfferKind,
}

impl Offered {
    /// Whether O gives a number.
    pub(super) fn gives(self) -> bool {
        matches!(self.kind, OfferKind::Value | OfferKind::Write | OfferKind::WriteElement(_))
    }

    /// Whether O points to an element.
    pub(super) fn points(self) -> bool {
        matches!(self.kind, OfferKind::ReadElement(_) | OfferKind::WriteElement(_))
    }
}

/// What O plays, with a number, and where it points; a call of a module has arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Played<N> {
    pub offered: Offered,
    pub value: Option<N>,
    pub index: Option<N>,
    pub arguments: Vec<N>,
}

impl<N> Played<N> {
    /// The same with other numbers.
    pub(super) fn map<M>(&self, mut f: impl FnMut(&N) -> M) -> Played<M> {
        Played {
            offered: self.offered,
            value: self.value.as_ref().map(&mut f),
            index: self.index.as_ref().map(&mut f),
            arguments: self.arguments.iter().map(f).collect(),
        }
    }
}

/// What a step leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ahead {
    Pair(Pair),
    /// One program completes a play that the other does not have.
    Differs(Side),
}

/// A step of both programs, in one of the ways in which it can be made.
#[derive(Clone, Debug)]
pub(super) struct JointStep {
    /// What must be so.
    pub conditions: Vec<Term>,
    pub to: Ahead,
}

/// The data of a program whose solver is lent to it.
pub(super) type Symbolic = symbolic::Symbolic<Option<Box<Oracle>>>;

/// Two machines, and the terms that they share.
pub(super) struct Both<'a> {
    machines: [Machine<Symbolic>; 2],
    /// The components of each program as both call them.
    components: [Vec<ComponentId>; 2],
    arenas: [Arc<Arena>; 2],
    codes: [Arc<Code>; 2],
    /// The threads of concurrent programs, which run instead of the machines.
    threads: Option<Box<[Threads; 2]>>,
    /// Which plays count, if the programs are modules.
    modules: Option<Plays>,
    /// The terms, and the solver that is asked about them. Both are lent to what runs.
    terms: Terms,
    oracle: Option<Box<Oracle>>,
    pub relation: Relation,
    pub budget: &'a Budget,
}

/// Exchanges what is lent for what was there.
fn swap<T, J>((terms, judge): (&mut T, &mut J), (theirs, other): (&mut T, &mut J)) {
    std::mem::swap(terms, theirs);
    std::mem::swap(judge, other);
}

pub(super) const SIDES: [Side; 2] = [Side::Left, Side::Right];

/// What kind of programs are compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Sequential,
    Concurrent,
    /// Modules, with the components of the second as the first calls them, and the plays that count.
    Modules(Vec<ComponentId>, Plays),
}

impl<'a> Both<'a> {
    pub(super) fn new(
        programs: [(Arc<Code>, Arc<Arena>); 2],
        kind: Kind,
        relation: Relation,
        oracle: Oracle,
        budget: &'a Budget,
    ) -> Both<'a> {
        let [left, right] = &programs;
        let concurrent = kind == Kind::Concurrent;
        let modules = match kind {
            Kind::Modules(_, plays) => Some(plays),
            _ => None,
        };
        let common = match kind {
            Kind::Modules(common, _) => common,
            _ => super::super::sequential::common(&left.1, &right.1),
        };
        let components = [super::super::sequential::own(&left.1), common];
        let domain = || Symbolic::new(None, Forgetting::Everything);
        let mut terms = Terms::new();
        // What the cells of a module hold at first are terms as well.
        let mut machine = |(code, arena): &(Arc<Code>, Arc<Arena>)| {
            let memo = CallMemo { remember_after: u64::MAX, forget: true };
            let mut domain = domain();
            std::mem::swap(&mut terms, domain.terms());
            let mut machine = Machine::new(code.clone(), arena.clone(), domain);
            std::mem::swap(&mut terms, machine.domain_mut().terms());
            machine.with_call_memo(memo).with_pausing(Pausing::Heads)
        };
        let machines = [machine(left), machine(right)];
        let strands =
            |(code, arena): &(Arc<Code>, Arc<Arena>)| Threads::new(code.clone(), arena.clone(), domain());
        let threads = concurrent.then(|| Box::new([strands(left), strands(right)]));
        Both {
            machines,
            components,
            arenas: [left.1.clone(), right.1.clone()],
            codes: [left.0.clone(), right.0.clone()],
            threads,
            modules,
            terms,
            oracle: Some(Box::new(oracle)),
            relation,
            budget,
        }
    }

    pub(super) fn terms(&mut self) -> &mut Terms {
        &mut self.terms
    }

    /// The solver, with the terms that it is asked about. It is a mistake to ask for it while it is lent.
    pub(super) fn judge(&mut self) -> (&mut Terms, &mut Oracle) {
        (&mut self.terms, self.oracle.as_deref_mut().expect("nothing runs"))
    }

    /// How often the solver was asked.
    pub(super) fn asked(&self) -> u64 {
        self.oracle.as_ref().map_or(0, |oracle| oracle.asked)
    }

    pub(super) fn code(&self, side: Side) -> &Code {
        &self.codes[side as usize]
    }

    /// Whether the programs are concurrent.
    pub(super) fn is_concurrent(&self) -> bool {
        self.threads.is_some()
    }

    /// Whether the programs are modules.
    pub(super) fn are_modules(&self) -> bool {
        self.modules.is_some()
    }

    /// The plays of modules that count.
    pub(super) fn plays(&self) -> Plays {
        self.modules.unwrap_or_default()
    }

    /// Whether the first move that differs is a difference.
    fn all_count(&self) -> bool {
        self.modules == Some(Plays::All)
    }

    pub(super) fn components(&self) -> &[Vec<ComponentId>; 2] {
        &self.components
    }

    pub(super) fn start(&self) -> Pair {
        if self.is_concurrent() {
            return [At::Waits(State(0)), At::Waits(State(0))];
        }
        [At::Waits(self.machines[0].start()), At::Waits(self.machines[1].start())]
    }

    /// Whether a program has jumped so that its moves say too little.
    pub(super) fn ambiguous(&self) -> bool {
        self.machines.iter().any(Machine::ambiguous)
    }

    pub(super) fn memory(&self) -> usize {
        self.machines.iter().map(Machine::memory).sum()
    }

    /// Lends terms and solver to the machine of a side.
    pub(super) fn lend<T>(
        &mut self,
        side: Side,
        run: impl FnOnce(&mut Machine<Symbolic>, &Budget) -> T,
    ) -> T {
        let Both { machines, terms, oracle, budget, .. } = self;
        let machine = &mut machines[side as usize];
        swap((terms, oracle), machine.domain_mut().judge_mut());
        let done = run(machine, budget);
        swap((terms, oracle), machine.domain_mut().judge_mut());
        done
    }

    /// Lends terms and solver to the threads of a side. It is a mistake to ask this of sequential programs.
    pub(super) fn lend_threads<T>(&mut self, side: Side, run: impl FnOnce(&mut Threads, &Budget) -> T) -> T {
        let Both { threads, terms, oracle, budget, .. } = self;
        let threads = threads.as_mut().expect("the programs are concurrent");
        let threads = &mut threads[side as usize];
        swap((terms, oracle), threads.strands.domain_mut().judge_mut());
        let done = run(threads, budget);
        swap((terms, oracle), threads.strands.domain_mut().judge_mut());
        done
    }

    /// Whether conditions may all be true.
    pub(super) fn may(&mut self, base: &[Term], conditions: &[Term]) -> bool {
        let (terms, oracle) = self.judge();
        oracle.may(terms, base, conditions)
    }

    /// The side whose offers O chooses from.
    pub(super) fn leader(pair: &Pair) -> Side {
        if pair[0].has_left() { Side::Right } else { Side::Left }
    }

    /// Whether it is O's turn.
    pub(super) fn is_turn_of_o(pair: &Pair) -> bool {
        pair.iter().all(|at| matches!(at, At::Waits(_) | At::Keeps(_) | At::Gone | At::Away))
    }

    /// What O may play at a pair.
    pub(super) fn offers(&self, pair: &Pair) -> Vec<Offered> {
        let side = Both::leader(pair);
        let At::Waits(state) = &pair[side as usize] else { return Vec::new() };
        let offers = self.machines[side as usize].offers(*state);
        let named = |component: ComponentId| self.components[side as usize][component.0 as usize];
        offers.iter().map(|offer| Offered { component: named(offer.component), kind: offer.kind }).collect()
    }

    /// The component of a side that both call so.
    pub(super) fn own_component(&self, side: Side, common: ComponentId) -> Option<ComponentId> {
        let at = self.components[side as usize].iter().position(|component| *component == common)?;
        u32::try_from(at).ok().map(ComponentId)
    }

    /// The range of what O may give in a component, as both call it: a number, or where to point.
    pub(super) fn input_range(&self, common: ComponentId, index: bool) -> Option<(Int, Int)> {
        let (arena, component) = SIDES.into_iter().find_map(|side| {
            self.own_component(side, common).map(|component| (&self.arenas[side as usize], component))
        })?;
        match (&arena.component(component).base, index) {
            (Type::Array(_, length), true) => Some((Int::ZERO, Int::from(*length).sub(&Int::ONE))),
            _ => arena.range(component),
        }
    }

    /// Says of a constant that it is within a range.
    pub(super) fn bound(&mut self, constant: Term, range: Option<(Int, Int)>) {
        let Some((low, high)) = range else { return };
        let terms = &mut self.terms;
        let (least, most) = (terms.int(low.clone()), terms.int(high.clone()));
        let claims = vec![terms.at_most(least, constant), terms.at_most(constant, most)];
        self.judge().1.bound(constant, Interval::between(low, high), claims);
    }

    /// A constant that O may give.
    pub(super) fn input(&mut self, name: &str, common: ComponentId, index: bool) -> Term {
        let what = if index { "index" } else { "value" };
        let constant = self.terms.constant(format!("{name} {what} {}", common.0), Sort::Int);
        let range = self.input_range(common, index);
        self.bound(constant, range);
        constant
    }

    /// The components of the arguments of what O calls, as both programs call them.
    pub(super) fn arguments(&self, offered: Offered) -> Vec<ComponentId> {
        if offered.kind != OfferKind::Call {
            return Vec::new();
        }
        let side = SIDES.into_iter().find(|side| self.own_component(*side, offered.component).is_some());
        let Some(side) = side else { return Vec::new() };
        let own = self.own_component(side, offered.component).unwrap_or(offered.component);
        let arguments = &self.arenas[side as usize].component(own).arguments;
        arguments.iter().map(|argument| self.components[side as usize][argument.index()]).collect()
    }

    /// The steps after a move of O's, where some conditions hold.
    pub(super) fn play(
        &mut self,
        pair: &Pair,
        played: &Played<Term>,
        base: &[Term],
    ) -> Result<Vec<JointStep>, Stop> {
        let mut ways = Vec::new();
        for side in SIDES {
            let Some((state, offer)) = self.own_offer(side, &pair[side as usize], played.offered) else {
                let left = match (&pair[side as usize], played.offered.kind) {
                    (At::Gone, OfferKind::Call) if self.are_modules() => At::Away,
                    (At::Away, _) => At::Away,
                    _ => At::Gone,
                };
                ways.push(vec![(Vec::new(), left)]);
                continue;
            };
            let index = played.index.map(Value::new);
            let element = index.or(offer.element);
            let value = played.value.map(Value::new);
            let arguments = played.arguments.iter().map(|argument| Value::new(*argument)).collect();
            let data = OfferData { element, index, value, arguments };
            self.judge().1.begin(base);
            ways.push(
                self.run(side, |machine, visit, budget| {
                    machine.play_each(state, &offer, data, visit, budget)
                })?,
            );
        }
        self.joined(ways, base)
    }

    /// The offer of one program that is what O plays, and where it waits.
    fn own_offer(&self, side: Side, at: &At, offered: Offered) -> Option<(State, Offer<Value>)> {
        let At::Waits(state) = at else { return None };
        let own = self.own_component(side, offered.component)?;
        let offers = self.machines[side as usize].offers(*state);
        let same = offers.iter().find(|offer| offer.component == own && offer.kind == offered.kind);
        same.map(|offer| (*state, offer.clone()))
    }

    /// The steps of programs that have paused, where some conditions hold.
    pub(super) fn resume(&mut self, pair: &Pair, runs: Runs, base: &[Term]) -> Result<Vec<JointStep>, Stop> {
        let mut ways = Vec::new();
        for side in SIDES {
            let goes_on = match runs {
                Runs::Both => true,
                Runs::Only(only) => only == side,
            };
            match &pair[side as usize] {
                At::Paused(state) if goes_on => {
                    let state = *state;
                    self.judge().1.begin(base);
                    ways.push(
                        self.run(side, |machine, visit, budget| machine.resume_each(state, visit, budget))?,
                    );
                }
                at => ways.push(vec![(Vec::new(), at.clone())]),
            }
        }
        self.joined(ways, base)
    }

    /// What a run of one program comes to, in every way.
    fn run(
        &mut self,
        side: Side,
        go: impl FnOnce(&mut Machine<Symbolic>, &mut Visit<'_>, &Budget) -> Result<(), Stop>,
    ) -> Result<Vec<(Vec<Term>, At)>, Stop> {
        self.lend(side, |machine, budget| {
            machine.domain_mut().take_conditions();
            machine.domain_mut().take_refuted();
            let mut found = Vec::new();
            let mut visit = |domain: &mut Symbolic, told: Told<Value>| {
                let mut conditions = domain.take_conditions();
                let refuted = domain.take_refuted();
                let at = match told {
                    Told::Nothing if refuted => return,
                    Told::Nothing => At::Gone,
                    Told::Paused(Step { next, .. }, _) => {
                        At::Paused(next.expect("a run that has paused has a position"))
                    }
                    Told::Move(Step { label, next, .. }, _) => {
                        let values = values_of(&label.label);
                        let values = label.element.iter().chain(&values);
                        conditions.extend(values.filter_map(|value| domain.term(value).1));
                        At::Moved(label, next)
                    }
                };
                found.push((conditions, at));
            };
            go(machine, &mut visit, budget)?;
            Ok(found)
        })
    }

    /// Every way of the one with every way of the other, as far as they go together.
    fn joined(&mut self, mut ways: Vec<Vec<(Vec<Term>, At)>>, base: &[Term]) -> Result<Vec<JointStep>, Stop> {
        let (right, left) = (ways.pop().unwrap_or_default(), ways.pop().unwrap_or_default());
        let mut found = Vec::new();
        for (of_left, a) in &left {
            for (of_right, b) in &right {
                self.budget.check()?;
                let conditions: Vec<Term> = of_left.iter().chain(of_right).copied().collect();
                if self.may(base, &conditions) {
                    self.settle(conditions, [a.clone(), b.clone()], base, &mut found);
                }
            }
        }
        Ok(found)
    }

    /// The term of a value.
    pub(super) fn term(&mut self, side: Side, value: &Value) -> Term {
        self.lend(side, |machine, _| machine.domain_mut().term(value).0)
    }

    /// What the store of a side holds.
    pub(super) fn held(&mut self, side: Side, state: State) -> Vec<(u32, Term)> {
        if self.is_concurrent() {
            return self.lend_threads(side, |threads, _| {
                let held = threads.held(state);
                held.iter().map(|(at, value)| (*at, threads.strands.domain_mut().term(value).0)).collect()
            });
        }
        let modules = self.are_modules();
        self.lend(side, |machine, _| {
            let values: Vec<(u32, Value)> = match modules {
                true => machine.places_at(state),
                false => (0..).zip(machine.values_at(state)).collect(),
            };
            values.iter().map(|(at, value)| (*at, machine.domain_mut().term(value).0)).collect()
        })
    }

    /// The position of a side with other contents of the store, by their places.
    pub(super) fn with_held(&mut self, side: Side, state: State, held: &[(u32, Term)]) -> State {
        let held: Vec<(u32, Value)> = held.iter().map(|(at, term)| (*at, Value::new(*term))).collect();
        if self.is_concurrent() {
            return self.lend_threads(side, |threads, _| threads.with_held(state, &held));
        }
        let modules = self.are_modules();
        self.lend(side, |machine, _| match modules {
            true => machine.with_places(state, &held),
            false => {
                let values: Vec<Value> = held.iter().map(|(_, value)| *value).collect();
                machine.with_values(state, &values)
            }
        })
    }

    /// What O is asked for where a program waits, and where it waits in the text.
    pub(super) fn place(&self, side: Side, state: State) -> (String, Option<Span>) {
        if self.is_concurrent() {
            return (String::new(), None);
        }
        let machine = &self.machines[side as usize];
        if self.are_modules() && machine.split(state).0.is_none() {
            return (String::new(), None);
        }
        let asked = machine.offers(state).last().map(|offer| offer.component);
        let name = asked.map(|component| self.arenas[side as usize].component(component).name.clone());
        (name.unwrap_or_default(), self.span(side, state))
    }

    /// Where a program waits or has paused in the text.
    pub(super) fn span(&self, side: Side, state: State) -> Option<Span> {
        let pcs = self.layout(side, state).pcs;
        let behind = Pc(pcs.first()?.0.checked_sub(1)?);
        Some(self.codes[side as usize].span(behind)).filter(|span| *span != Span::default())
    }

    /// What a program is about to do, by number, as far as it does not depend on values.
    pub(super) fn control(&mut self, side: Side, state: State) -> u32 {
        match self.is_concurrent() {
            true => self.lend_threads(side, |threads, _| threads.control(state)),
            false => self.machines[side as usize].control(state),
        }
    }

    /// What the store of a program holds, as far as the control tells.
    pub(super) fn layout(&self, side: Side, state: State) -> Layout {
        match &self.threads {
            Some(threads) => threads[side as usize].layout(state),
            None => self.machines[side as usize].layout(state),
        }
    }

    /// Terms with other terms in place of constants.
    pub(super) fn substitute(&mut self, term: Term, with: &FxHashMap<Term, Term>) -> Term {
        self.terms.substitute(term, with)
    }
}

/// All values in a label.
pub(super) fn values_of(label: &Label<Value>) -> Vec<Value> {
    let mut values = Vec::new();
    label.map(|value| values.push(*value));
    values
}

/// What receives the ways of a run.
type Visit<'a> = dyn FnMut(&mut Symbolic, Told<Value>) + 'a;
