//! Modules as they are compared: the environment calls them, and calls them again while it is called.
//!
//! Where an activation waits, the environment may call anything any number of times. So a position at which one waits is
//! two: one of the cells of both modules alone, from which all calls are followed, whatever waits; and one of the activation,
//! from which answers are followed. What holds at the second must still hold after every step that is made above it, of
//! which what holds where the step begins is known as well [Owicki and Gries 1976].

use agon_core::module::{CellKind, Module, Sort};
use agon_games::arena::ComponentId;
use agon_games::machine::State;

use super::both::{At, Both, Offered, Pair, SIDES};
use crate::equiv::Side;
use crate::modules::Compiled;

/// Where both programs are in a play; of modules also the pairs of activations that wait, outermost first.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub pair: Pair,
    pub waiting: Vec<Pair>,
}

/// What keeps relations from being looked for between modules; nothing, if both have nothing but numbers.
pub(super) fn unfit(module: &Module) -> Option<&'static str> {
    let is_number = |sort: &Sort| matches!(sort, Sort::Data(_));
    let signature = |id| {
        let signature = module.signature(id);
        signature.parameters.iter().chain(&signature.result).all(is_number)
    };
    // A mutex is a flag, and a semaphore a number: the environment has one thread.
    let cells = module.cells().all(|(_, cell)| match &cell.kind {
        CellKind::Value(sort) => is_number(sort),
        CellKind::Mutex | CellKind::Semaphore(_) => true,
    });
    let locals = || {
        module.procedures().all(|(_, procedure)| {
            signature(procedure.signature) && procedure.locals.iter().all(|local| is_number(&local.sort))
        })
    };
    let imports =
        || module.imports().all(|(id, import)| signature(import.signature) && module.share_of(id).is_none());
    if module.all_data().next().is_some() {
        Some("share data with the environment")
    } else if !cells || !locals() || !imports() || module.named_types().next().is_some() {
        Some("have addresses or names of functions")
    } else if !module.cut_at().is_empty() {
        Some("have procedures that call themselves")
    } else {
        None
    }
}

/// The components of the second of two modules as the first calls them; those that it lacks have numbers of their own.
pub(super) fn common(left: &Compiled, right: &Compiled) -> Vec<ComponentId> {
    let known = u32::try_from(left.arena.components().count()).unwrap_or(u32::MAX);
    let own = |id: ComponentId| ComponentId(known.saturating_add(id.0));
    right.arena.components().map(|(id, _)| left.same(right, id).unwrap_or_else(|| own(id))).collect()
}

impl Both<'_> {
    /// Whether programs are modules, and no activation waits at a position.
    pub(super) fn is_outside(&mut self, side: Side, state: State) -> bool {
        self.are_modules() && self.lend(side, |machine, _| machine.split(state).0.is_none())
    }

    /// Whether a place of the store of a module is one of its cells, and not of an activation.
    pub(super) fn is_of_module(&mut self, side: Side, at: u32) -> bool {
        self.lend(side, |machine, _| machine.is_of_module(at))
    }

    /// The cells of a module at a position, without an activation.
    fn outside(&mut self, side: Side, state: State) -> State {
        self.lend(side, |machine, _| {
            let (_, globals) = machine.split(state);
            machine.join(None, globals)
        })
    }

    /// An activation of a module, at cells of the module as they are elsewhere.
    fn inside(&mut self, side: Side, kept: State, outside: State) -> State {
        self.lend(side, |machine, _| {
            let (activation, _) = machine.split(kept);
            let (_, globals) = machine.split(outside);
            machine.join(activation, globals)
        })
    }

    /// The two activations that wait in a pair, and the cells of the modules without them; nothing if none waits.
    pub(super) fn cut(&mut self, pair: &Pair) -> Option<(Pair, Pair)> {
        let leader = Both::leader(pair);
        let At::Waits(state) = pair[leader as usize] else { return None };
        let other = &pair[1 - leader as usize];
        if !self.are_modules() || !matches!(other, At::Waits(_) | At::Gone | At::Away) {
            return None;
        }
        if self.is_outside(leader, state) {
            return None;
        }
        let mut outside = pair.clone();
        for side in SIDES {
            outside[side as usize] = match &pair[side as usize] {
                At::Waits(state) => At::Waits(self.outside(side, *state)),
                _ => At::Gone,
            };
        }
        Some((Both::kept(pair.clone()), outside))
    }

    /// The module that waits alone where it keeps no activation.
    pub(super) fn alone_outside(&mut self, pair: &Pair) -> Option<Side> {
        let leader = Both::leader(pair);
        let At::Waits(state) = pair[leader as usize] else { return None };
        let alone = pair[1 - leader as usize].has_left() && self.are_modules();
        (alone && self.is_outside(leader, state)).then_some(leader)
    }

    /// The module that has completed a play alone.
    pub(super) fn completed(&mut self, place: &Place) -> Option<Side> {
        self.alone_outside(&place.pair).filter(|_| place.waiting.is_empty())
    }

    /// Two activations that wait, at cells of the modules as they are elsewhere.
    pub(super) fn within(&mut self, kept: &Pair, outside: &Pair) -> Pair {
        let mut sides = SIDES.into_iter().map(|side| match (&kept[side as usize], &outside[side as usize]) {
            (At::Keeps(kept), At::Waits(outside)) => At::Waits(self.inside(side, *kept, *outside)),
            (At::Away, _) => At::Away,
            _ => At::Gone,
        });
        let (left, right) = (sides.next().unwrap_or(At::Gone), sides.next().unwrap_or(At::Gone));
        [left, right]
    }

    /// Two activations that wait, whatever the environment calls meanwhile.
    pub(super) fn kept(pair: Pair) -> Pair {
        pair.map(|at| match at {
            At::Waits(state) => At::Keeps(state),
            at => at,
        })
    }

    /// Two activations that wait, as positions of O's turn.
    pub(super) fn waiting(pair: &Pair) -> Pair {
        pair.clone().map(|at| match at {
            At::Keeps(state) => At::Waits(state),
            at => at,
        })
    }

    /// Two activations that wait below a step, after it; nothing if the step leaves the cells of the modules as they were, or
    /// if nothing follows it.
    pub(super) fn disturbed(&mut self, below: &Pair, before: &Pair, after: &Pair) -> Option<Pair> {
        let state = |at: &At| match at {
            At::Waits(state) | At::Keeps(state) | At::Paused(state) | At::Moved(_, Some(state)) => {
                Some(*state)
            }
            At::Moved(_, None) | At::Gone | At::Away => None,
        };
        let mut changed = false;
        let mut found = below.clone();
        for side in SIDES {
            let n = side as usize;
            if below[n].has_left() {
                continue;
            }
            let (below, before, after) = (state(&below[n])?, state(&before[n])?, state(&after[n])?);
            changed |= self.lend(side, |machine, _| machine.split(before).1 != machine.split(after).1);
            found[n] = At::Keeps(self.inside(side, below, after));
        }
        changed.then_some(found)
    }

    /// Whether the environment may call anything while two activations wait.
    pub(super) fn may_call(&mut self, kept: &Pair) -> bool {
        let leader = Both::leader(kept);
        let (At::Keeps(state) | At::Waits(state)) = kept[leader as usize] else { return true };
        self.lend(leader, |machine, _| machine.allowed(state).is_some())
    }

    /// Where plays begin.
    pub(super) fn begin(&self) -> Place {
        Place { pair: self.start(), waiting: Vec::new() }
    }

    /// What O may play at its turn, and where from. An answer to what the program asked is last.
    pub(super) fn choices(&mut self, place: &Place) -> Vec<(Offered, Place)> {
        if !self.are_modules() {
            return self.offers(&place.pair).into_iter().map(|offered| (offered, place.clone())).collect();
        }
        let mut found = Vec::new();
        let calls = self.offers(&place.pair);
        let top = place.waiting.last();
        let leader = Both::leader(&place.pair);
        for offered in calls {
            let own = self.own_component(leader, offered.component).unwrap_or(offered.component);
            let allowed = top.is_none_or(|top| {
                let At::Keeps(state) = top[leader as usize] else { return true };
                self.lend(leader, |machine, _| {
                    machine.allowed(state).is_some_and(|allowed| machine.allows(allowed, own))
                })
            });
            if allowed {
                found.push((offered, place.clone()));
            }
        }
        if let Some((top, below)) = place.waiting.split_last() {
            let pair = self.within(top, &place.pair);
            let from = Place { pair, waiting: below.to_vec() };
            found.extend(self.offers(&from.pair).into_iter().map(|offered| (offered, from.clone())));
        }
        found
    }

    /// Where a step leads that began above these activations.
    pub(super) fn arrived(&mut self, mut waiting: Vec<Pair>, pair: Pair) -> Place {
        match self.cut(&pair) {
            Some((kept, outside)) => {
                waiting.push(kept);
                Place { pair: outside, waiting }
            }
            None => Place { pair, waiting },
        }
    }
}
