//! Two sequential programs, side by side: O makes a move, P answers.

use agon_base::budget::{Budget, Stop};
use agon_base::id::number;
use agon_games::arena::{Arena, ComponentId};
use agon_games::machine::{Machine, State};
use agon_games::moves::Move;
use agon_games::play::Play;
use agon_games::values::Exact;

use super::{Choice, Sides, Unknown};
use crate::equiv::{Relation, Side};
use crate::reconstruct::reconstruct;
use crate::verdict::Reason;

/// Of infinitely many answers one more than this are tried.
const A_FEW: u64 = 16;

/// Two machines.
pub(crate) struct Machines<'a> {
    machines: [Machine<Exact>; 2],
    /// The components of each program as both call them.
    components: [Vec<ComponentId>; 2],
    budget: &'a Budget,
    /// A component in which O may answer any integer.
    unbounded: Option<(Side, ComponentId)>,
}

impl<'a> Machines<'a> {
    pub(crate) fn new(left: Machine<Exact>, right: Machine<Exact>, budget: &'a Budget) -> Machines<'a> {
        let components = [own(left.arena()), common(left.arena(), right.arena())];
        Machines { machines: [left, right], components, budget, unbounded: None }
    }

    /// Why nothing follows from having found no difference, if nothing does.
    pub(crate) fn doubt(&self) -> Option<Unknown> {
        let unbounded = self.unbounded.map(|(side, component)| Unknown::of(side, Stop::Unbounded(component)));
        let is_ambiguous = self.machines.iter().any(Machine::ambiguous);
        unbounded.or(is_ambiguous.then(|| Unknown::of(Side::Left, Reason::Ambiguous)))
    }

    /// The play in which O chooses so.
    pub(crate) fn play(&mut self, side: Side, choices: &[(Choice, Move)]) -> Result<Play, Unknown> {
        let machine = &mut self.machines[side as usize];
        let mut play = Play::default();
        let mut state = machine.start();
        for ((family, code), _) in choices {
            let offers = machine.offers(state);
            let offer = &offers[usize::from(*family)];
            let data = offer.parts(machine.domain(), machine.arena(), *code);
            let told = reconstruct(machine, &mut play, state, offer, data, self.budget);
            match told?.and_then(|told| told.next) {
                Some(next) => state = next,
                None => break,
            }
        }
        Ok(play)
    }
}

/// The components of a program.
pub(super) fn own(arena: &Arena) -> Vec<ComponentId> {
    arena.components().map(|(id, _)| id).collect()
}

/// The components of the right program as the left one calls them; those that it lacks have numbers of their own.
pub(super) fn common(left: &Arena, right: &Arena) -> Vec<ComponentId> {
    let known = number(left.components().count());
    let in_left =
        |name: &str| left.components().find(|(_, component)| component.name == *name).map(|(id, _)| id);
    let components = right.components();
    components.map(|(id, component)| in_left(&component.name).unwrap_or(ComponentId(known + id.0))).collect()
}

impl Sides for Machines<'_> {
    type Letter = Move;

    fn start(&mut self, side: Side) -> Result<u64, Unknown> {
        Ok(self.machines[side as usize].start().0)
    }

    fn last(&mut self, side: Side, at: u64, family: u16) -> Option<u64> {
        let offers = self.machines[side as usize].offers(State(at));
        let offer = offers.get(usize::from(family))?;
        if offer.last.is_none() {
            self.unbounded = Some((side, offer.component));
        }
        Some(offer.last.unwrap_or(A_FEW))
    }

    fn steps(
        &mut self,
        side: Side,
        at: u64,
        (family, code): Choice,
        found: &mut Vec<(Move, Option<u64>)>,
    ) -> Result<u64, Unknown> {
        let Machines { machines, components, budget, .. } = self;
        let machine = &mut machines[side as usize];
        let offers = machine.offers(State(at));
        let mut reactions = Vec::with_capacity(1);
        machine.play(State(at), &offers[usize::from(family)], code, &mut reactions, budget)?;
        found.extend(reactions.pop().map(|reaction| {
            let component = components[side as usize][reaction.label.component.index()];
            (Move { component, ..reaction.label }, reaction.next.map(|state| state.0))
        }));
        Ok(1)
    }

    /// Every pair is visited.
    fn is_settled(&mut self, _: Relation, _: Option<u64>, _: Option<u64>) -> bool {
        false
    }

    fn memory(&self) -> usize {
        self.machines.iter().map(Machine::memory).sum()
    }
}
