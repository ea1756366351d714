//! Where workers get what strands do next, and what a visitor can ask about a position.

use std::ops::Range;
use std::sync::Mutex;

use agon_base::budget::{Budget, Stop};
use agon_base::explore::breadth_first;
use agon_base::intern::Sequences;
use agon_base::source::Span;

use super::mailboxes::locked;
use super::{Event, Place, event};
use crate::machine::run::{PieceId, StrandId, Strands, TransitionCache, Urgency};
use crate::moves::ThreadMove;
use crate::values::Domain;

/// Where a worker gets what strands do next.
pub(super) enum Source<'a, D: Domain> {
    /// It has the machine for itself.
    Alone(&'a mut Strands<D>),
    /// It has a copy of what is known, and shares the machine.
    Shared(Box<TransitionCache>, &'a Mutex<&'a mut Strands<D>>),
}

impl<D: Domain> Source<'_, D> {
    /// All that can happen at a position, each with the position after it.
    pub(super) fn each(
        &mut self,
        position: &[PieceId],
        after: &mut Vec<PieceId>,
        budget: &Budget,
        mut visit: impl FnMut(Event, Option<&[PieceId]>),
    ) -> Result<(), Stop> {
        if let Source::Shared(known, strands) = self
            && !known.knows(position)
        {
            known.catch_up(locked(strands).known());
        }
        let urgent = if self.known().hurries() { self.urgent(position, budget)? } else { None };
        let strands = urgent.map_or(0..position.len().max(1), |at| at..at + 1);
        // A thread that runs and runs is for later.
        let mut yielded = false;
        for late in [false, true] {
            for at in strands.clone() {
                if let Some(id) = position.get(at)
                    && self.has_yielded(*id) != late
                {
                    yielded |= !late;
                    continue;
                }
                self.at(position, at, after, budget, &mut visit)?;
            }
            if !yielded {
                break;
            }
        }
        Ok(())
    }

    /// The first strand whose move comes before everything else.
    fn urgent(&mut self, position: &[PieceId], budget: &Budget) -> Result<Option<usize>, Stop> {
        for (at, id) in position.iter().enumerate() {
            let urgency = self.known().urgency(*id);
            if urgency == Urgency::Open {
                self.steps(position, at, budget)?;
            }
            if self.known().urgency(*id) == Urgency::Urgent {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    fn known(&self) -> &TransitionCache {
        match self {
            Source::Alone(strands) => strands.known(),
            Source::Shared(known, _) => known,
        }
    }

    fn has_yielded(&self, id: PieceId) -> bool {
        self.known().has_yielded(id)
    }

    /// All that can happen in one strand of a position.
    fn at(
        &mut self,
        position: &[PieceId],
        at: usize,
        after: &mut Vec<PieceId>,
        budget: &Budget,
        visit: &mut impl FnMut(Event, Option<&[PieceId]>),
    ) -> Result<(), Stop> {
        let (known, steps) = self.steps(position, at, budget)?;
        let strand = position.get(at).map_or(0, |id| (known.strand(*id)).0);
        for (nth, step) in (0..).zip(known.stretch(steps)) {
            let follows = known.after(position, step, after);
            visit(event(step, StrandId(strand), nth), follows.then_some(&after[..]));
        }
        Ok(())
    }

    /// What one strand of a position may do, found out if it is not known, and where that is kept.
    fn steps(
        &mut self,
        position: &[PieceId],
        at: usize,
        budget: &Budget,
    ) -> Result<(&TransitionCache, Range<usize>), Stop> {
        match self {
            Source::Alone(strands) => {
                let steps = match strands.known().steps(position, at) {
                    Some(steps) => steps,
                    None => strands.find_out(position, at, budget)?,
                };
                Ok((strands.known(), steps))
            }
            Source::Shared(known, strands) => {
                let steps = match known.steps(position, at) {
                    Some(steps) => steps,
                    None => {
                        let mut strands = locked(strands);
                        let steps = strands.find_out(position, at, budget)?;
                        known.catch_up(strands.known());
                        steps
                    }
                };
                Ok((&**known, steps))
            }
        }
    }

    /// Compares what is remembered of a position with what the machine does there: [`Strands::confirm`].
    pub(super) fn confirm(&mut self, position: &[PieceId], budget: &Budget) -> Result<(), Stop> {
        match self {
            Source::Alone(strands) => strands.confirm(position, budget),
            Source::Shared(_, strands) => locked(strands).confirm(position, budget),
        }
    }

    pub(super) fn memory(&self) -> usize {
        match self {
            Source::Alone(strands) => strands.memory(),
            Source::Shared(known, strands) => locked(strands).memory() + known.memory(),
        }
    }
}

/// A position that is visited.
pub struct Here<'s, 'a, D: Domain> {
    /// Where it is.
    pub place: Place,
    pub(super) position: &'s [PieceId],
    pub(super) source: &'s mut Source<'a, D>,
    pub(super) budget: &'s Budget,
}

impl<D: Domain> Here<'_, '_, D> {
    /// The move of a letter.
    pub fn letter(&self, letter: u32) -> ThreadMove<D::Value> {
        match &*self.source {
            Source::Alone(strands) => strands.letter(letter).clone(),
            Source::Shared(_, strands) => locked(strands).letter(letter).clone(),
        }
    }

    /// The places in the program that its threads have come to: [`Strands::places`].
    pub fn places(&self) -> Vec<Option<Span>> {
        match &*self.source {
            Source::Alone(strands) => strands.places(self.position),
            Source::Shared(_, strands) => locked(strands).places(self.position),
        }
    }

    /// Whether P can do nothing, whatever O does from here on until P does something.
    pub fn is_stuck(&mut self) -> Result<bool, Stop> {
        let mut seen = Sequences::default();
        seen.intern(self.position);
        let mut after = Vec::new();
        let stuck = breadth_first(&mut seen, |seen, next| {
            let position = seen.get(next).to_vec();
            let mut moved = match &*self.source {
                Source::Alone(strands) => strands.spins(&position),
                Source::Shared(_, strands) => locked(strands).spins(&position),
            };
            let looked = self.source.each(&position, &mut after, self.budget, |event, to| {
                moved |= event.origin.pc().is_some();
                if let Some(to) = to {
                    seen.intern(to);
                }
            });
            looked.map_err(Err)?;
            if moved { Err(Ok(false)) } else { Ok(()) }
        });
        stuck.map_or_else(|early| early, |()| Ok(true))
    }
}
