//! The two halves of a program, played: what one does next, and what the other sees of it.

use std::rc::Rc;

use agon_base::budget::Budget;
use agon_base::intern::Interner;
use agon_games::abstracted::Value;
use agon_games::arena::{ComponentId, OWN};
use agon_games::contract::{Decomposition, Half, Letter, Position, Rules, Said};
use agon_games::machine::{Offer, State};
use agon_games::moves::{Label, Move};
use agon_games::strategy::{Origin, Step};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::search::Progress;
use crate::verdict::Reason;
use crate::walk::{Fit, Selection, StepRef, Walk, fits, next_key};

agon_base::id! {
    /// A letter.
    pub(super) LetterId;
    /// A position of the part's game.
    pub(super) PositionId;
}

/// Both halves, and all that was found out about them.
pub(super) struct Composition<'a> {
    pub(super) halves: Decomposition,
    pub(super) rest: Walk,
    pub(super) part: Walk,
    /// What is looked for, as a move of the rest and as one of the part.
    pub(super) targets: (Option<Move>, Option<Move>),
    pub(super) budget: &'a Budget,
    /// Which of several paths to the target is taken.
    selection: Selection,
    /// How deeply the part nests calls, as far as is known.
    pub(super) depth: usize,
    /// Whether the part was seen to bring the target about by itself.
    pub(super) hits: bool,
    pub(super) letters: Interner<Letter, LetterId>,
    positions: Interner<Position, PositionId>,
    /// For each position the letters that may follow, once they were asked for.
    following: Vec<Option<Rc<Following>>>,
    after: FxHashMap<(PositionId, LetterId), PositionId>,
    /// The bytes that learning takes.
    pub(super) learning: usize,
    /// What was explored so far for this abstraction, and the largest exploration.
    pub(super) progress: Progress,
}

/// What may follow a position.
pub(super) struct Following {
    pub(super) letters: Vec<LetterId>,
    allowed: FxHashSet<LetterId>,
    asked: FxHashSet<Said>,
}

impl Following {
    pub(super) fn allows(&self, letter: LetterId) -> bool {
        self.allowed.contains(&letter)
    }

    /// Whether O may make a move.
    pub(super) fn begins_with(&self, o: &Said) -> bool {
        self.asked.contains(o)
    }
}

/// A step of the rest after a move of O's. Its label is what it says to the part, if it does not speak to the environment. The
/// target is reached where nothing follows.
pub(super) type RestStep = Step<Option<Said>, State, StepRef>;

/// A step of the part after a move of O's. A part that is done is at its start again.
pub(super) type PartStep = Step<LetterId, State, StepRef>;

/// The budget is checked once in this many moves.
const PATIENCE: u64 = 1 << 8;

impl<'a> Composition<'a> {
    pub(super) fn new(
        halves: Decomposition,
        rest: Walk,
        part: Walk,
        targets: (Option<Move>, Option<Move>),
        selection: Selection,
        budget: &'a Budget,
    ) -> Composition<'a> {
        Composition {
            halves,
            rest,
            part,
            targets,
            budget,
            selection,
            depth: 1,
            hits: false,
            letters: Interner::default(),
            positions: Interner::default(),
            following: Vec::new(),
            after: FxHashMap::default(),
            learning: 0,
            progress: Progress::default(),
        }
    }

    pub(super) fn rules(&self) -> Rules<'_> {
        Rules {
            interface: &self.halves.interface,
            rest: &self.rest.machine.domain().sites,
            part: &self.part.machine.domain().sites,
            depth: self.depth,
            hits: self.hits,
        }
    }

    /// The rules have changed.
    pub(super) fn forget(&mut self) {
        self.positions.clear();
        self.following.clear();
        self.after.clear();
    }

    /// Notes how many positions an exploration has visited.
    pub(super) fn explored(&mut self, states: usize) {
        self.progress.states = self.progress.states.max(states);
    }

    fn position(&mut self, position: Position) -> PositionId {
        let id = self.positions.intern(position);
        self.following.resize(self.positions.len(), None);
        id
    }

    /// The position before anything was said.
    pub(super) fn start(&mut self) -> PositionId {
        self.position(Position::default())
    }

    /// What may follow a position.
    pub(super) fn following(&mut self, at: PositionId) -> Rc<Following> {
        if let Some(known) = &self.following[at.index()] {
            return known.clone();
        }
        let letters = self.rules().letters(self.positions.get(at));
        let asked = letters.iter().map(|letter| letter.o.clone()).collect();
        let letters: Vec<LetterId> = letters.into_iter().map(|letter| self.letters.intern(letter)).collect();
        let allowed = letters.iter().copied().collect();
        let following = Rc::new(Following { letters, allowed, asked });
        self.following[at.index()] = Some(following.clone());
        following
    }

    /// The position after a letter that may follow.
    pub(super) fn after(&mut self, at: PositionId, letter: LetterId) -> PositionId {
        if let Some(known) = self.after.get(&(at, letter)) {
            return *known;
        }
        let after = self.rules().after(self.positions.get(at), self.letters.get(letter));
        let id = self.position(after);
        self.after.insert((at, letter), id);
        id
    }

    /// The position after a word, if it is valid.
    pub(super) fn along(&mut self, word: &[LetterId]) -> Option<PositionId> {
        let mut at = self.start();
        for letter in word {
            if !self.following(at).allows(*letter) {
                return None;
            }
            at = self.after(at, *letter);
        }
        Some(at)
    }

    /// How deeply calls are nested after a letter that may follow if they may be nested deeper than that.
    pub(super) fn nested_after(&self, at: PositionId, letter: LetterId) -> usize {
        let rules = self.rules();
        rules.nested(&rules.after(self.positions.get(at), self.letters.get(letter)))
    }

    fn tick(&mut self) -> Result<(), Reason> {
        self.progress.transitions += 1;
        if self.progress.transitions.is_multiple_of(PATIENCE) { self.within_budget() } else { Ok(()) }
    }

    /// Whether nothing has run out.
    pub(super) fn within_budget(&mut self) -> Result<(), Reason> {
        self.progress.memory = self.rest.memory() + self.part.memory() + self.learning;
        Ok(self.progress.check(self.budget)?)
    }

    /// All moves of O's that the environment may make where the rest waits for it.
    pub(super) fn rest_offers(&self, state: State) -> Vec<(usize, Offer<Value>, u64)> {
        every(&self.rest.machine.offers(state), false)
    }

    /// The steps of the rest after a move of O's.
    pub(super) fn rest_steps(
        &mut self,
        state: State,
        (n, offer, code): (usize, &Offer<Value>, u64),
    ) -> Result<Vec<RestStep>, Reason> {
        self.tick()?;
        let mut found = Vec::new();
        if let Some(sure) = asked_for(&self.rest, offer, code, self.targets.0.as_ref()) {
            let how = Walk::last_step(state, n, code, sure);
            found.push(Step { label: None, next: None, origin: Origin::Environment, how });
            if sure {
                return Ok(found);
            }
        }
        let part = &self.part.machine.domain().sites;
        let interface = &self.halves.interface;
        let mut entered = Vec::new();
        for (how, reaction) in self.rest.steps(state, (n, offer, code), self.budget)? {
            let step = |label, next, how| Step { label, next, origin: reaction.origin, how };
            match (fit(&reaction.label, self.targets.0.as_ref()), reaction.next) {
                (Fit::Not, None) => {}
                (Fit::Not, next) => match interface.to_part(&reaction.label, part) {
                    None => found.push(step(None, next, how)),
                    Some(said) => {
                        let how = how.certain_if(said.len() == 1);
                        let is_question = reaction.label.label.is_question();
                        entered.extend(next.filter(|_| is_question));
                        found.extend(said.into_iter().map(|said| step(Some(said), next, how)));
                    }
                },
                (fit, _) => found.push(step(None, None, how.certain_if(fit == Fit::Certain))),
            }
        }
        // A part that is entered while it runs is two parts at once.
        if entered.iter().any(|next| self.rest.machine.owes(*next, interface.given())) {
            return Err(Reason::Reenters);
        }
        Ok(found)
    }

    /// The move of O's to the rest that a move of the part's is.
    pub(super) fn to_rest(&self, state: State, said: &Said) -> Option<(usize, Offer<Value>, u64)> {
        let offers = self.rest.machine.offers(state);
        let sites = &self.rest.machine.domain().sites;
        let (n, code) = self.halves.interface.to_rest(said, &offers, sites)?;
        Some((n, offers[n].clone(), code))
    }

    /// All moves of O's where the part waits: its answers first. Where the rest may jump, it may also start over.
    pub(super) fn part_offers(&self, state: State) -> Vec<(State, usize, Offer<Value>, u64)> {
        let start = self.part.machine.start();
        let offers = self.part.machine.offers(state);
        let mut all: Vec<_> =
            every(&offers, true).into_iter().map(|(n, offer, code)| (state, n, offer, code)).collect();
        let asked = offers.last().map(|offer| offer.component);
        if state != start
            && self.halves.interface.rest_jumps
            && asked.is_some_and(|asked| self.halves.interface.outside(asked).is_some())
        {
            let opening = every(&self.part.machine.offers(start), false);
            all.extend(opening.into_iter().map(|(n, offer, code)| (start, n, offer, code)));
        }
        all
    }

    /// The steps of the part after a move of O's.
    pub(super) fn part_steps(
        &mut self,
        state: State,
        (n, offer, code): (usize, &Offer<Value>, u64),
    ) -> Result<Vec<PartStep>, Reason> {
        self.tick()?;
        let start = self.part.machine.start();
        let interface = &self.halves.interface;
        let asked = offer.at(self.part.machine.domain(), self.part.machine.arena(), code);
        let o = interface.offered(&asked);
        let hit = self.halves.hit();
        let letters = &mut self.letters;
        let mut step = |p: Said, next, origin, how| {
            let label = letters.intern(Letter { o: o.clone(), p });
            Step { label, next: Some(next), origin, how }
        };
        let mut found = Vec::new();
        if let Some(sure) = asked_for(&self.part, offer, code, self.targets.1.as_ref()) {
            let how = Walk::last_step(state, n, code, sure);
            found.push(step(hit.clone(), start, Origin::Environment, how));
            if sure {
                return Ok(found);
            }
        }
        let rest = &self.rest.machine.domain().sites;
        for (how, reaction) in self.part.steps(state, (n, offer, code), self.budget)? {
            match fit(&reaction.label, self.targets.1.as_ref()) {
                // It ends everything, and that was not the question.
                Fit::Not if reaction.label.label == Label::Abort => {}
                Fit::Not => {
                    let said = interface.from_part(&reaction.label, rest);
                    let how = how.certain_if(said.len() == 1);
                    let next = reaction.next.unwrap_or(start);
                    found.extend(said.into_iter().map(|p| step(p, next, reaction.origin, how)));
                }
                fit => {
                    let how = how.certain_if(fit == Fit::Certain);
                    found.push(step(hit.clone(), start, reaction.origin, how));
                }
            }
        }
        Ok(found)
    }

    /// The place in a search of what a step leads to: deterministic paths come first, and those in which the coarsest part
    /// was undecided first come before others [GC, §3 step 3].
    pub(super) fn later(&self, half: Half, place: u64, step: &StepRef) -> u64 {
        let walk = match half {
            Half::Rest => &self.rest,
            Half::Part => &self.part,
        };
        let reaction = walk.reaction(step);
        let marker = reaction
            .filter(|reaction| !reaction.how.certain)
            .and_then(|reaction| reaction.how.marker.as_ref());
        let said = reaction.and_then(|Step { label: m, .. }| m.label.value().or(m.element.as_ref()));
        let selection = match self.selection {
            Selection::Coarsest => Selection::Coarsest,
            _ => Selection::Precise,
        };
        next_key(selection, place, step.certain, marker.or(said))
    }

    /// Whether a move of O's to the part is the environment's.
    pub(super) fn is_environments(&self, letter: LetterId) -> bool {
        let component: ComponentId = self.letters.get(letter).o.component;
        component != OWN && self.halves.interface.outside(component).is_none()
    }

    /// Whether a letter is that the part brings the target about.
    pub(super) fn is_hit(&self, letter: LetterId) -> bool {
        self.letters.get(letter).p.label == Label::Abort
    }
}

/// All moves of some families, the last family first if it is to be.
fn every(offers: &[Offer<Value>], last_first: bool) -> Vec<(usize, Offer<Value>, u64)> {
    let count = offers.len();
    let order = (0..count).map(|n| if last_first { (n + count - 1) % count } else { n });
    let codes = |n: usize| (0..=offers[n].last.unwrap_or(0)).map(move |code| (n, offers[n].clone(), code));
    order.flat_map(codes).collect()
}

fn fit(answer: &Move<Value>, target: Option<&Move>) -> Fit {
    target.map_or(Fit::Not, |target| fits(answer, target))
}

/// Whether a move of O's is itself the target, and is so for sure.
fn asked_for(walk: &Walk, offer: &Offer<Value>, code: u64, target: Option<&Move>) -> Option<bool> {
    let target = target.filter(|target| target.component == offer.component)?;
    let asked = offer.at(walk.machine.domain(), walk.machine.arena(), code);
    // O can play any of the numbers, this one as well; but the element may be P's choice.
    (fits(&asked, target) != Fit::Not)
        .then(|| offer.element.as_ref().is_none_or(|at| at.interval.as_point().is_some()))
}
