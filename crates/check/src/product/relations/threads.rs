//! Two concurrent programs under the same schedule: the scheduler is O's.
//!
//! A step is made by the thread of the same name in both programs, and both must make the same move, or none. A thread that
//! can act in one program can act in the other. Each play of the one is then a play of the other, under the same
//! schedule. Where this fails, nothing follows.

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::intern::Interner;
use agon_games::arena::{Arena, ComponentId};
use agon_games::machine::{Branch, Code, Layout, OfferData, Pausing, PieceId, State, StrandId, Strands};
use agon_games::moves::ThreadMove;
use agon_games::strategy::Step;
use agon_games::symbolic::Value;
use agon_solve::Term;

use super::both::{Ahead, At, Both, JointStep, Offered, Pair, Played, SIDES, Symbolic};
use crate::equiv::Side;

/// The threads of one program, whose positions are numbered as they are found.
pub(super) struct Threads {
    pub strands: Strands<Symbolic>,
    positions: Interner<Box<[PieceId]>>,
    /// Positions without their values, and the places of these.
    blanks: Interner<(State, Vec<u32>)>,
}

/// What a thread may do next: go on, or what O plays there, by the number of the offer.
type Next = Vec<Option<(Offered, usize)>>;

/// A turn of the thread of the same name in both programs.
#[derive(Clone, Debug)]
pub(super) struct ThreadTurn {
    strands: [StrandId; 2],
    /// What O plays, if it does, and the numbers of the offers.
    pub played: Option<(Offered, [usize; 2])>,
}

/// One way of a turn in one program.
type ThreadWay = (Vec<Term>, Option<ThreadMove<Value>>, Option<State>);

impl Threads {
    pub(super) fn new(code: Arc<Code>, arena: Arc<Arena>, domain: Symbolic) -> Threads {
        let strands = Strands::over(code, arena, domain, true).with_pausing(Pausing::Heads);
        let mut positions: Interner<Box<[PieceId]>> = Interner::default();
        positions.intern(Box::default());
        Threads { strands, positions, blanks: Interner::default() }
    }

    fn at(&self, state: State) -> Box<[PieceId]> {
        self.positions.get(number_of(state)).clone()
    }

    fn number(&mut self, position: Vec<PieceId>) -> State {
        State(u64::from(self.positions.intern(position.into())))
    }

    /// All of a position but the values: what the threads are about to do, and what semaphores count.
    pub(super) fn control(&mut self, state: State) -> u32 {
        let held = self.held(state);
        let blank: Vec<(u32, Value)> = held.iter().map(|(at, _)| (*at, Value::default())).collect();
        let places = blank.iter().map(|(at, _)| *at).collect();
        let blank = self.with_held(state, &blank);
        self.blanks.intern((blank, places))
    }

    pub(super) fn layout(&self, state: State) -> Layout {
        self.strands.layout(&self.at(state))
    }

    pub(super) fn held(&mut self, state: State) -> Vec<(u32, Value)> {
        let position = self.at(state);
        let layout = self.strands.layout(&position);
        self.strands.held(&position, &layout)
    }

    pub(super) fn with_held(&mut self, state: State, held: &[(u32, Value)]) -> State {
        let position = self.at(state);
        let next = self.strands.with_held(&position, held);
        self.number(next)
    }

    /// The threads of a position by their names, and what each may do next.
    fn threads(&mut self, state: State, common: &[ComponentId]) -> Vec<(Vec<Branch>, StrandId, Next)> {
        let here = self.at(state);
        let mut strands = self.strands.strands(&here);
        if here.is_empty() {
            strands.push(StrandId(0));
        }
        let named = |branch: &Branch| match branch {
            Branch::Asked(component, n) => Branch::Asked(common[component.index()], *n),
            other => *other,
        };
        let mut found = Vec::new();
        for strand in strands {
            let thread = self.strands.thread(strand).iter().map(named).collect();
            let offers = self.strands.offers(&here, strand);
            let next = match (self.strands.playable(&here, strand), offers) {
                (Some(playable), Some(offers)) => {
                    let offered = |n: &usize| Offered {
                        component: common[offers[*n].component.index()],
                        kind: offers[*n].kind,
                    };
                    playable.iter().map(|n| Some((offered(n), *n))).collect()
                }
                _ => vec![None],
            };
            found.push((thread, strand, next));
        }
        found
    }

    /// What a turn comes to, in every way.
    fn perform(
        &mut self,
        state: State,
        strand: StrandId,
        played: Option<(usize, Option<Value>, Option<Value>)>,
        budget: &Budget,
    ) -> Result<Vec<ThreadWay>, Stop> {
        let here = self.at(state);
        self.strands.domain_mut().take_conditions();
        self.strands.domain_mut().take_refuted();
        self.strands.domain_mut().take_ways();
        let data = match played {
            None => None,
            Some((n, value, index)) => {
                let offers = self.strands.offers(&here, strand);
                let offer = offers.and_then(|offers| offers.get(n).cloned());
                let element = index.or_else(|| offer.and_then(|offer| offer.element));
                Some((n, OfferData { element, index, value, arguments: Box::default() }))
            }
        };
        let performed = self.strands.perform(&here, strand, data, None, budget)?;
        let ways = self.strands.domain_mut().take_ways();
        if ways.len() != performed.len() {
            return Err(Stop::Table);
        }
        let mut found = Vec::new();
        for (Step { label, next, .. }, mut conditions) in performed.into_iter().zip(ways) {
            if let Some(ThreadMove { m, .. }) = &label {
                let domain = self.strands.domain_mut();
                let values = m.element.iter().chain(m.label.value());
                conditions.extend(values.filter_map(|value| domain.term(value).1));
            }
            if next.as_ref().is_some_and(|next| !self.strands.has_places(next)) {
                return Err(Stop::Store);
            }
            let next = next.map(|next| self.number(next));
            found.push((conditions, label, next));
        }
        Ok(found)
    }
}

fn number_of(state: State) -> u32 {
    u32::try_from(state.0).expect("positions are numbered from 0")
}

impl Both<'_> {
    /// The turns that may be taken at a pair; nothing if the threads of the two programs are not the same.
    pub(super) fn turns(&mut self, pair: &Pair) -> Option<Vec<ThreadTurn>> {
        let [At::Waits(left), At::Waits(right)] = pair else { return None };
        let components = self.components().clone();
        let [first, second] = [(Side::Left, *left), (Side::Right, *right)].map(|(side, state)| {
            self.lend_threads(side, |threads, _| threads.threads(state, &components[side as usize]))
        });
        if first.len() != second.len() {
            return None;
        }
        let mut turns = Vec::new();
        for (thread, strand, next) in first {
            let (_, other, others) = second.iter().find(|(name, ..)| *name == thread)?;
            if next.len() != others.len() {
                return None;
            }
            for (mine, theirs) in next.iter().zip(others) {
                let played = match (mine, theirs) {
                    (None, None) => None,
                    (Some((a, n)), Some((b, m))) if a == b => Some((*a, [*n, *m])),
                    _ => return None,
                };
                turns.push(ThreadTurn { strands: [strand, *other], played });
            }
        }
        Some(turns)
    }

    /// What a turn comes to in both programs. Where they do not do the same, that is a difference under this schedule.
    pub(super) fn take(
        &mut self,
        pair: &Pair,
        turn: &ThreadTurn,
        given: Option<&Played<Term>>,
    ) -> Result<Vec<JointStep>, Stop> {
        let mut ways: Vec<Vec<ThreadWay>> = Vec::new();
        for side in SIDES {
            let At::Waits(state) = &pair[side as usize] else { return Ok(Vec::new()) };
            let (state, strand) = (*state, turn.strands[side as usize]);
            let played = turn.played.map(|(_, offers)| {
                let value = given.and_then(|given| given.value).map(Value::new);
                let index = given.and_then(|given| given.index).map(Value::new);
                (offers[side as usize], value, index)
            });
            self.judge().1.begin(&[]);
            ways.push(
                self.lend_threads(side, |threads, budget| threads.perform(state, strand, played, budget))?,
            );
        }
        let mut found = Vec::new();
        for (left, m, next) in &ways[0] {
            for (right, n, other) in &ways[1] {
                self.budget.check()?;
                let conditions: Vec<Term> = left.iter().chain(right).copied().collect();
                if self.may(&[], &conditions) {
                    let given = turn.played.is_some();
                    self.meet(conditions, (m, *next), (n, *other), given, &mut found);
                }
            }
        }
        // What one does, the other does in some way.
        for (mine, theirs) in [(0, 1), (1, 0)] {
            let mut none = Vec::new();
            for (conditions, ..) in &ways[theirs] {
                let terms = self.terms();
                let all = terms.and(conditions);
                none.push(terms.not(all));
            }
            for (conditions, ..) in &ways[mine] {
                let conditions: Vec<Term> = conditions.iter().chain(&none).copied().collect();
                if self.may(&[], &conditions) {
                    found.push(JointStep { conditions, to: Ahead::Differs(SIDES[mine]) });
                }
            }
        }
        Ok(found)
    }

    /// Compares what the threads of two programs do.
    fn meet(
        &mut self,
        conditions: Vec<Term>,
        (m, next): (&Option<ThreadMove<Value>>, Option<State>),
        (n, other): (&Option<ThreadMove<Value>>, Option<State>),
        given: bool,
        found: &mut Vec<JointStep>,
    ) {
        let same = match (m, n) {
            (None, None) => Some(Vec::new()),
            (Some(m), Some(n)) if m.threads == n.threads => match given {
                // O makes the same move in both.
                true => Some(Vec::new()),
                false => self.same(&m.m, &n.m),
            },
            _ => None,
        };
        let Some(claims) = same else {
            found.push(JointStep { conditions, to: Ahead::Differs(Side::Left) });
            return;
        };
        let not: Vec<Term> = claims.iter().map(|claim| self.terms().not(*claim)).collect();
        let mut apart = conditions.clone();
        apart.push(self.terms().or(&not));
        if self.may(&[], &apart) {
            found.push(JointStep { conditions: apart, to: Ahead::Differs(Side::Left) });
        }
        let mut together = conditions;
        together.extend(claims);
        if !self.may(&[], &together) {
            return;
        }
        match (next, other) {
            (Some(left), Some(right)) => {
                let to = Ahead::Pair([At::Waits(left), At::Waits(right)]);
                found.push(JointStep { conditions: together, to });
            }
            (None, None) => {}
            _ => found.push(JointStep { conditions: together, to: Ahead::Differs(Side::Left) }),
        }
    }
}
