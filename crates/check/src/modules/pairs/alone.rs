//! One of two modules goes on alone, where only complete plays count: from a move that the other one does not make.
//!
//! What it has handed out keeps its own numbers: each is paired with itself.

use agon_base::budget::Stop;
use agon_core::module::Allowed;
use agon_games::machine::{Nested, State};

use super::{Arrival, Arrived, Came, Common, Half, Hidden, Joint, PairRuns, Unlike, opened};

/// A position of both modules, or what their cells hold there, with what they have in common with the environment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Together<S> {
    pub who: Who<S>,
    pub common: u32,
    /// Whether this is a turn of the environment's at which no call is open.
    pub outermost: bool,
}

/// Both modules, or one that goes on alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Who<S> {
    Both([S; 2]),
    Alone(usize, S),
}

impl<S> Who<S> {
    /// Something else of each module that is there.
    pub(super) fn each<T>(&self, mut f: impl FnMut(usize, &S) -> T) -> Who<T> {
        match self {
            Who::Both([first, second]) => Who::Both([f(0, first), f(1, second)]),
            Who::Alone(side, at) => Who::Alone(*side, f(*side, at)),
        }
    }
}

impl<S: Copy> Who<S> {
    /// The module whose offers the environment chooses from.
    pub(super) fn leader(self) -> (usize, S) {
        match self {
            Who::Both([first, _]) => (0, first),
            Who::Alone(side, at) => (side, at),
        }
    }

    /// The module that goes on alone.
    pub(super) fn alone(self) -> Option<usize> {
        match self {
            Who::Both(_) => None,
            Who::Alone(side, _) => Some(side),
        }
    }

    /// What there is of a module, if it is there.
    pub(super) fn has(self, side: usize) -> Option<S> {
        match self {
            Who::Both(both) => Some(both[side]),
            Who::Alone(one, at) => (one == side).then_some(at),
        }
    }

    /// What there is of a module that is there. Once a module goes on alone, the other one does not come back.
    pub(super) fn of(self, side: usize) -> S {
        self.has(side).unwrap_or_else(|| self.leader().1)
    }

    /// Something else of each module that is there.
    pub(super) fn map<T>(self, mut f: impl FnMut(usize, S) -> T) -> Who<T> {
        self.each(|side, at| f(side, *at))
    }
}

impl Common {
    /// What one module has in common with the environment.
    pub(super) fn of(&self, side: usize) -> Common {
        let pairs = self.pairs.of_one(side);
        let once = self.once.iter().map(|(datum, given)| (datum.clone(), self.pairs.own(side, given)));
        Common { pairs, once: once.collect(), ..Common::default() }
    }
}

impl PairRuns<'_, '_> {
    /// Where each of two modules goes on alone that part here.
    pub(super) fn parted(&mut self, joint: &Joint, end: &Unlike) -> Vec<Arrived> {
        let mut found = Vec::new();
        for side in 0..2 {
            if let Some((next, common)) = self.goes_on(joint, side, joint.common.of(side)) {
                let arrival = self.arrival(side, next.as_ref(), &common);
                found.push((arrival, Some(Unlike { alone: Some(side), ..end.clone() })));
            }
        }
        found
    }

    /// Where a module comes to that goes on alone.
    pub(super) fn alone(&mut self, joint: &Joint, side: usize) -> Option<Arrival<Hidden, u32>> {
        if let Came::Ends(value, state) = &joint.halves[side].came {
            let mut values = [None, None];
            values[side].clone_from(value);
            let next = self.numbered(Who::Alone(side, *state), &joint.common);
            return Some(Arrival::Returns(next, Some(Hidden::Ended(values))));
        }
        let (next, common) = self.goes_on(joint, side, joint.common.clone())?;
        Some(self.arrival(side, next.as_ref(), &common))
    }

    /// Where a module waits after its move, if it has moved, and what it has handed out then.
    pub(super) fn goes_on(
        &mut self,
        joint: &Joint,
        side: usize,
        mut common: Common,
    ) -> Option<(Option<Nested>, Common)> {
        let Half { came, told, .. } = &joint.halves[side];
        let Came::Moves(m, next) = came else { return None };
        let seen = self.compiled[side].seen(m)?;
        let _ = seen.is(&seen, &mut common.pairs);
        for (_, given) in told.values() {
            let _ = common.pairs.alike(given, given);
        }
        common.asked.clear();
        Some((next.clone(), common))
    }

    /// What a run comes to that ends where a module waits alone, or where it ends.
    fn arrival(&mut self, side: usize, next: Option<&Nested>, common: &Common) -> Arrival<Hidden, u32> {
        let Some(next) = next else { return Arrival::Fails };
        let (opens, outside) = self.opens(side, next);
        let opens: Vec<u32> =
            opens.into_iter().map(|at| self.numbered(Who::Alone(side, at), common)).collect();
        let next = self.numbered(Who::Alone(side, outside), common);
        opened(&opens).unwrap_or(Arrival::Returns(next, None))
    }

    /// A module that goes on alone, after each move of the environment's that is offered: calls of what is allowed, or answers.
    pub(super) fn joints_alone(
        &mut self,
        side: usize,
        at: &Nested,
        state: State,
        calls: Option<Allowed>,
        common: &Common,
    ) -> Result<Vec<Joint>, Stop> {
        let offers = self.sides[side].0.offers(state);
        let mut joints = Vec::new();
        for (n, offer) in offers.iter().enumerate() {
            if calls.is_some_and(|allowed| !self.sides[side].0.allows(allowed, offer.component)) {
                continue;
            }
            for data in self.all_data(side, offer, &common.pairs) {
                if !self.sides[side].0.knows(state, offer, &data) {
                    continue;
                }
                self.budget.check()?;
                let played = self.compiled[side].as_played(&offer.with(data.clone()));
                let Some(played) = played else { continue };
                let came = self.from(side, at, calls.is_none(), n, data)?;
                let mut halves = [Half::new(Came::Nothing, None), Half::new(Came::Nothing, None)];
                halves[side] = Half::new(came, Some(played));
                let joint = Joint { halves, common: common.clone(), alone: Some(side) };
                joints.extend(self.settled(joint)?);
            }
        }
        Ok(joints)
    }
}
