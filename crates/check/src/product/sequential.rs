//! Two sequential programs, side by side: O makes a move, P answers.

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::id::number;
use agon_base::int::Int;
use agon_games::arena::{Arena, ComponentId};
use agon_games::machine::{Machine, Offer, State};
use agon_games::moves::Move;
use agon_games::play::Play;
use agon_games::strategy::{StepOf, Strategy, Thread, Turn};
use agon_games::values::Exact;
use agon_witness::verify::Subject;

use super::pair::{Deterministic, Pair, Programs};
use super::{Choice, Product, Unknown};
use crate::equiv::{Relation, Side};
use crate::reconstruct::reconstruct;
use crate::verdict::Reason;

/// The machine of one of two programs.
pub(crate) struct Renamed {
    machine: Machine<Exact>,
    /// Its components as both programs call them.
    components: Vec<ComponentId>,
    /// How many moves were played.
    played: u64,
}

/// Two sequential programs as one strategy.
pub(crate) fn pair(subjects: [Subject<'_>; 2]) -> Result<Pair<Renamed>, Unknown> {
    let [left, right] = subjects;
    let side = |side: Side, components: Vec<ComponentId>| {
        let subject = subjects[side as usize];
        let code = subject.sequential_code().map_err(|refusal| Unknown::of(side, refusal))?;
        let machine = Machine::new(code, Arc::new(subject.arena.clone()), Exact::default());
        Ok::<_, Unknown>(Renamed { machine, components, played: 0 })
    };
    let left_side = side(Side::Left, own(left.arena))?;
    let right_side = side(Side::Right, common(left.arena, right.arena))?;
    let starts = (left_side.start(), right_side.start());
    let arenas = subjects.map(|subject| Arc::new(subject.arena.clone()));
    Ok(Pair::new(Programs::Two([left_side, right_side]), starts, arenas))
}

impl Product<Renamed> {
    /// Why nothing follows from having found no difference, if nothing does.
    pub(crate) fn doubt(&self) -> Option<Unknown> {
        let unbounded = self.unbounded.map(|(side, component)| Unknown::of(side, Stop::Unbounded(component)));
        let sides = [Side::Left, Side::Right].map(|side| self.pair.side(side));
        let is_ambiguous = sides.iter().any(|side| side.machine.ambiguous());
        unbounded.or(is_ambiguous.then(|| Unknown::of(Side::Left, Reason::Ambiguous)))
    }

    /// The play of a side in which O chooses so.
    pub(crate) fn told(
        &mut self,
        side: Side,
        choices: &[(Choice, Move)],
        budget: &Budget,
    ) -> Result<Play, Unknown> {
        let machine = &mut self.pair.side_mut(side).machine;
        let mut play = Play::default();
        let mut state = machine.start();
        for ((family, code), _) in choices {
            let offers = machine.offers(state);
            let offer = &offers[usize::from(*family)];
            let data = offer.parts(machine.domain(), machine.arena(), *code);
            let told = reconstruct(machine, &mut play, state, offer, data, budget);
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

impl Strategy for Renamed {
    type Domain = Exact;
    type Position = State;
    type Label = Move;

    fn start(&self) -> State {
        self.machine.start()
    }

    fn offers(&self, at: &State, _: &Thread) -> Option<Arc<[Offer<Int>]>> {
        Some(self.machine.offers(*at))
    }

    fn steps_into(
        &mut self,
        at: &State,
        turn: Turn<'_, Int>,
        script: Option<&[u32]>,
        budget: &Budget,
        found: &mut Vec<StepOf<Self>>,
    ) -> Result<(), Stop> {
        self.played += 1;
        let before = found.len();
        self.machine.steps_into(at, turn, script, budget, found)?;
        for step in &mut found[before..] {
            step.label.component = self.components[step.label.component.index()];
        }
        Ok(())
    }
}

impl Deterministic for Renamed {
    /// Positions of two machines are not compared.
    fn is_settled(&mut self, _: Relation, _: Option<State>, _: Option<State>) -> bool {
        false
    }

    fn looked(&self) -> u64 {
        self.played
    }

    fn memory(&self) -> usize {
        self.machine.memory()
    }
}
