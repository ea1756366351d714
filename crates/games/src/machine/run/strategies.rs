//! The machines as strategies.

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::int::Int;

use super::{Machine, PieceId, Reaction, State, Strands};
use crate::arena::Arena;
use crate::machine::offers::Offer;
use crate::moves::{Move, ThreadMove};
use crate::play::Play;
use crate::strategy::{Outcomes, Played, Recorded, Step, StepOf, Strategy, Thread, Turn};
use crate::values::{Domain, Exact};

/// A sequential program: O moves, and P answers.
impl<D: Domain> Strategy for Machine<D> {
    type Domain = D;
    type Position = State;
    type Label = Move<D::Value>;

    fn start(&self) -> State {
        Machine::start(self)
    }

    fn offers(&self, at: &State, _: &Thread) -> Option<Arc<[Offer<D::Value>]>> {
        Some(Machine::offers(self, *at))
    }

    fn steps_into(
        &mut self,
        at: &State,
        turn: Turn<'_, D::Value>,
        script: Option<&[u32]>,
        budget: &Budget,
        found: &mut Vec<StepOf<Self>>,
    ) -> Result<(), Stop> {
        let offers = Machine::offers(self, *at);
        if let Some((n, data)) = turn.played
            && let Some(offer) = offers.get(n)
        {
            self.play_with(*at, offer, data, script, found, budget)?;
        }
        Ok(())
    }
}

impl<D: Domain> Played for Machine<D> {
    const ANSWERS: bool = true;

    fn seen(label: &Move<D::Value>) -> Option<&Move<D::Value>> {
        Some(label)
    }

    fn arena(&self) -> &Arena {
        Machine::arena(self)
    }
}

impl Recorded for Machine<Exact> {
    fn record(
        &self,
        at: &State,
        played: Option<(usize, Move)>,
        step: Option<&StepOf<Self>>,
        play: &mut Play,
    ) {
        let offers = Machine::offers(self, *at);
        if let Some((n, asked)) = played
            && let Some(offer) = offers.get(n)
        {
            self.record_pair(*at, (offer, asked), step, play);
        }
    }
}

impl Machine<Exact> {
    /// Adds a move of O's to a play, and P's answer if there is one, with the places that they come from.
    pub fn record_pair(
        &self,
        at: State,
        (offer, asked): (&Offer<Int>, Move),
        step: Option<&Reaction<Int>>,
        play: &mut Play,
    ) {
        let argument = self.argument_span(at, offer);
        play.push(asked, argument);
        if let Some(step) = step {
            // Code that stands for no term of its own speaks for the argument that was asked for.
            play.push(step.label.clone(), step.origin.span(self.code()).or(argument));
        }
    }
}

/// A concurrent program: each move, and each silent step that others may notice, is a step.
impl<D: Domain> Strategy for Strands<D> {
    type Domain = D;
    type Position = Vec<PieceId>;
    type Label = Option<ThreadMove<D::Value>>;

    fn start(&self) -> Vec<PieceId> {
        Vec::new()
    }

    fn offers(&self, at: &Vec<PieceId>, thread: &Thread) -> Option<Arc<[Offer<D::Value>]>> {
        Strands::offers(self, at, self.known_strand(thread)?)
    }

    fn steps_into(
        &mut self,
        at: &Vec<PieceId>,
        turn: Turn<'_, D::Value>,
        script: Option<&[u32]>,
        budget: &Budget,
        found: &mut Vec<StepOf<Self>>,
    ) -> Result<(), Stop> {
        let Some(strand) = self.known_strand(turn.thread) else { return Ok(()) };
        let steps = self.perform(at, strand, turn.played, script, budget)?;
        let certain = steps.len() == 1 && !self.refused;
        let with_outcomes = |Step { label, next, origin, how: choices }| {
            let how = Outcomes { choices, marker: None, certain };
            Step { label, next, origin, how }
        };
        found.extend(steps.into_iter().map(with_outcomes));
        Ok(())
    }
}

impl<D: Domain> Played for Strands<D> {
    const ANSWERS: bool = false;

    fn seen(label: &Self::Label) -> Option<&Move<D::Value>> {
        label.as_ref().map(|label| &label.m)
    }

    fn arena(&self) -> &Arena {
        Strands::arena(self)
    }
}

impl Recorded for Strands<Exact> {
    fn record(
        &self,
        _: &Vec<PieceId>,
        _: Option<(usize, Move)>,
        step: Option<&StepOf<Self>>,
        play: &mut Play,
    ) {
        if let Some(Step { label: Some(label), origin, .. }) = step {
            play.push_threaded(label.clone(), origin.span(self.code()));
        }
    }
}
