//! What is done at a position: by P in a strand that runs, or by O where a question waits; in all ways in which it may
//! come out, where the domain cannot tell.

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};

use super::cache::{Dependency, Piece, PieceId};
use super::drafts::Draft;
use super::next::Next;
use super::{Branch, Changes, Lettered, MOST_VALUES, Strands};
use crate::arena::{ComponentId, OWN};
use crate::machine::code::{Instruction, Pc};
use crate::machine::offers::{Offer, OfferData};
use crate::machine::run::{Binding, CLOSED, Control, Executed, Frame, StrandId};
use crate::machine::store::Store;
use crate::moves::ThreadMove;
use crate::strategy::{Origin, Step};
use crate::values::Domain;

/// How something came to be done.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct How {
    /// What O played, if O did: which offer, and which of its moves.
    pub played: Option<(u32, u64)>,
    /// Which outcome each undecided operation had.
    pub choices: Box<[u32]>,
    /// Whether it comes to this whichever they have.
    pub certain: bool,
}

/// A step, by what it leads to, and the outcomes of its undecided operations.
type Performed<V, S> = Step<Option<ThreadMove<V>>, S, Box<[u32]>>;

/// Steps, each with the position after it.
type Steps<V> = Vec<Performed<V, Vec<PieceId>>>;

/// What O plays.
type Played<'a, V> = (&'a Offer<V>, OfferData<V>);

impl<D: Domain> Strands<D> {
    /// What O may play in a strand of a position; nothing where it does not wait for O.
    pub fn offers(&self, position: &[PieceId], strand: StrandId) -> Option<Arc<[Offer<D::Value>]>> {
        if position.is_empty() {
            return Some(self.machine.opening.clone());
        }
        let id = position.iter().find(|id| self.known.piece(**id).strand == strand)?;
        match self.machine.frame(self.paused.get(self.known.piece(*id).rest).2) {
            Frame::Wait { question, .. } => Some(self.machine.offers[question as usize].clone()),
            _ => None,
        }
    }

    /// Lets a strand of a position act, or O play an offer there: in all ways, or in one, if the choices are given. With
    /// each, the position that follows. Nothing, if the strand cannot act so.
    pub fn perform(
        &mut self,
        position: &[PieceId],
        strand: StrandId,
        played: Option<(usize, OfferData<D::Value>)>,
        choices: Option<&[u32]>,
        budget: &Budget,
    ) -> Result<Steps<D::Value>, Stop> {
        let at = position.iter().position(|id| self.known.piece(*id).strand == strand);
        let offers = self.offers(position, strand);
        let played = match (played, &offers) {
            (None, None) if at.is_some() => None,
            (Some((n, data)), Some(offers)) => match offers.get(n) {
                Some(offer) => Some((offer, data)),
                None => return Ok(Vec::new()),
            },
            _ => return Ok(Vec::new()),
        };
        self.open(position);
        let steps = self.ways(at, played, choices, budget)?;
        let after = steps.into_iter().map(|Step { label, next, origin, how }| {
            let next = next.map(|changes| {
                let mut next = Vec::new();
                self.known.change(position, &changes, &mut next);
                next
            });
            Step { label, next, origin, how }
        });
        Ok(after.collect())
    }

    /// All that may be done in one strand of the position at hand.
    pub(super) fn all_steps(&mut self, at: Option<usize>, budget: &Budget) -> Result<Vec<Lettered>, Stop> {
        let mut steps = Vec::new();
        let strand = at.map_or(0, |at| self.known.piece(self.position[at]).strand.0);
        let offers = match at {
            None => Some(self.machine.opening.clone()),
            Some(_) => self.offers(&self.position, StrandId(strand)),
        };
        let Some(offers) = offers else {
            for step in self.ways(at, None, None, budget)? {
                steps.push(self.lettered(step, None));
            }
            settle(&mut steps);
            return Ok(steps);
        };
        let asked = self.asked_below(StrandId(strand), &offers);
        for (n, offer) in (0..).zip(offers.iter()) {
            let last =
                offer.last.filter(|last| *last < MOST_VALUES).ok_or(Stop::Unbounded(offer.component))?;
            if at.is_some() && !self.may_play(offer, &asked) {
                continue;
            }
            for code in 0..=last {
                let data = offer.parts(&self.machine.domain, &self.machine.arena, code);
                let mut found = Vec::new();
                for step in self.ways(at, Some((offer, data)), None, budget)? {
                    found.push(self.lettered(step, Some((n, code))));
                }
                settle(&mut found);
                found.iter_mut().for_each(|step| step.how.certain &= !self.refused);
                steps.append(&mut found);
            }
        }
        Ok(steps)
    }

    /// The step with a number for its move.
    fn lettered(&mut self, step: Performed<D::Value, Changes>, played: Option<(u32, u64)>) -> Lettered {
        let Step { label, next, origin, how: choices } = step;
        let label = label.map(|label| self.letters.intern(label));
        Step { label, next, origin, how: How { played, choices, certain: false } }
    }

    /// The arguments in which O has strands open below a strand.
    pub(super) fn asked_below(&mut self, strand: StrandId, offers: &[Offer<D::Value>]) -> Vec<ComponentId> {
        let mut asked = Vec::new();
        if offers.iter().all(|offer| !offer.kind.is_question()) || self.position.is_empty() {
            return asked;
        }
        self.machine.threading.look(Dependency::Below(strand, StrandId(0)));
        for id in &self.position {
            let below = self.known.piece(*id).strand;
            if let (parent, Branch::Asked(component, _)) = *self.paths.get(below)
                && parent == strand
            {
                asked.push(component);
                self.machine.threading.look(Dependency::Below(strand, below));
            }
        }
        asked
    }

    /// Whether O may play an offer: it asks as often at once as the bound allows, and answers when it has nothing open.
    pub(super) fn may_play(&self, offer: &Offer<D::Value>, asked: &[ComponentId]) -> bool {
        if !offer.kind.is_question() {
            return asked.is_empty();
        }
        let open = asked.iter().filter(|id| **id == offer.component).count();
        (open as u64) < self.machine.arena.component(offer.component).bound.unwrap_or(1)
    }

    /// Does something in all ways, or in one.
    fn ways(
        &mut self,
        at: Option<usize>,
        played: Option<Played<'_, D::Value>>,
        choices: Option<&[u32]>,
        budget: &Budget,
    ) -> Result<Vec<Performed<D::Value, Changes>>, Stop> {
        let mut steps = Vec::new();
        self.refused = false;
        self.machine.forks.list(choices.unwrap_or_default());
        loop {
            self.machine.pass_by();
            let step = match &played {
                None => self.proceed(at.unwrap_or(0), budget)?,
                Some((offer, data)) if offer.kind.is_question() => {
                    Some(self.ask(at, offer, data.clone(), budget)?)
                }
                Some((offer, data)) => self.answer(at.unwrap_or(0), offer, data.clone(), budget)?,
            };
            if self.machine.domain.end_path(step.is_some()) {
                steps.extend(step.map(|step| Step { how: self.machine.forks.way(), ..step }));
            }
            if choices.is_some() || !self.machine.forks.next_way() {
                return Ok(steps);
            }
        }
    }

    /// P goes on in a strand that runs.
    fn proceed(&mut self, at: usize, budget: &Budget) -> Result<Option<Performed<D::Value, Changes>>, Stop> {
        let Piece { strand, rest, .. } = *self.known.piece(self.position[at]);
        let control = self.rest(rest);
        if matches!(self.machine.frame(control.stack), Frame::Join) {
            return Ok(None);
        }
        self.enter(strand, &control);
        let next = self.next(true);
        self.leave(strand);
        if next == Next::Nothing {
            return Ok(None);
        }
        let mut draft = Draft::default();
        let (label, pc) = self.advance(&mut draft, strand, true, budget)?;
        let complete = label.as_ref().is_some_and(|m| m.m.component == OWN);
        let next = if complete {
            self.discard(&draft);
            None
        } else {
            Some(self.close(draft))
        };
        Ok(Some(Step { label, next, origin: Origin::Program(pc), how: Box::default() }))
    }

    /// The question that a strand waits for an answer to.
    fn question(&self, at: usize) -> u32 {
        let piece = self.known.piece(self.position[at]);
        match self.machine.frame(self.paused.get(piece.rest).2) {
            Frame::Wait { question, .. } => question,
            other => unreachable!("a question waits, not {other:?}"),
        }
    }

    /// O opens a strand: with the opening question, or for an argument of a question.
    fn ask(
        &mut self,
        at: Option<usize>,
        offer: &Offer<D::Value>,
        data: OfferData<D::Value>,
        budget: &Budget,
    ) -> Result<Performed<D::Value, Changes>, Stop> {
        let mut draft = Draft::default();
        let (strand, threads, binding) = match at {
            None => (StrandId(0), Vec::new(), None),
            Some(at) => {
                let question = self.question(at);
                let parent = self.known.piece(self.position[at]).strand;
                let thread = (1..)
                    .find(|thread| {
                        let path = (parent, Branch::Asked(offer.component, *thread));
                        let mut strands = self.position.iter().map(|id| self.known.piece(*id).strand);
                        !strands.any(|strand| *self.paths.get(strand) == path)
                    })
                    .unwrap_or(1);
                let mut threads = self.threads(&draft, question);
                threads.push(thread);
                let place = self.machine.questions.get(question);
                let arguments = &self.machine.arena.component(place.component).arguments;
                let n =
                    arguments.iter().position(|id| *id == offer.component).expect("O asks for an argument");
                let binding = place.arguments[n];
                (self.paths.intern((parent, Branch::Asked(offer.component, thread))), threads, Some(binding))
            }
        };
        let m = offer.with(data.clone());
        self.room(strand);
        self.machine.threading.segments[strand.index()] = Store::default();
        let pc = if binding.is_none() { self.machine.code.entry } else { Pc(0) };
        self.enter(strand, &Control { pc, stack: CLOSED, ..Control::default() });
        self.machine.ask(offer, data, 0);
        let arguments = self.machine.arena.component(offer.component).arguments.clone();
        // Arguments of the program itself are free identifiers to it.
        if offer.component != OWN {
            for component in arguments.into_iter().rev() {
                self.machine.push(Frame::Argument(Binding::Given { component, strand }));
            }
        }
        let mut origin = Origin::Environment;
        if let Some(binding) = binding {
            if let Binding::Closure { entry, .. } = binding {
                origin = Origin::Argument(entry);
            }
            self.machine.enter(binding);
        }
        draft.set(strand, Some(self.machine.control.clone()));
        self.leave(strand);
        self.advance(&mut draft, strand, false, budget)?;
        let label = Some(ThreadMove { m, threads: threads.into() });
        Ok(Step { label, next: Some(self.close(draft)), origin, how: Box::default() })
    }

    /// O answers a question, if that is assumed of it.
    fn answer(
        &mut self,
        at: usize,
        offer: &Offer<D::Value>,
        data: OfferData<D::Value>,
        budget: &Budget,
    ) -> Result<Option<Performed<D::Value, Changes>>, Stop> {
        if !self.may_give(offer.component, data.value.as_ref())? {
            self.refused = true;
            return Ok(None);
        }
        let mut draft = Draft::default();
        let m = offer.with(data.clone());
        let threads = self.threads(&draft, self.question(at));
        let Piece { strand, rest, .. } = *self.known.piece(self.position[at]);
        let (below, frame) = *self.machine.stacks.get(self.paused.get(rest).2);
        let Frame::Wait { pc, scope, height, .. } = frame else { unreachable!("the question waits") };
        let acc = data.value.unwrap_or_default();
        draft.set(strand, Some(Control { pc, scope, stack: below, height, trail: 0, acc }));
        self.advance(&mut draft, strand, false, budget)?;
        let label = Some(ThreadMove { m, threads: threads.into() });
        let next = Some(self.close(draft));
        Ok(Some(Step { label, next, origin: Origin::Environment, how: Box::default() }))
    }

    /// Whether a value is one that is assumed of O's answers in a component. If that is undecided, both are tried.
    fn may_give(&mut self, component: ComponentId, value: Option<&D::Value>) -> Result<bool, Stop> {
        let code = self.machine.code.clone();
        let (Some(value), Some(place)) = (value, code.assumed.get(&component)) else { return Ok(true) };
        let Instruction::Assume(formula) = code.instructions[place.index()] else { return Ok(true) };
        self.machine.control = Control { acc: value.clone(), ..Control::default() };
        match self.machine.assume(formula, *place, &code) {
            Executed::TooLarge(why) => Err(why),
            executed => Ok(matches!(executed, Executed::Silent)),
        }
    }
}

/// Ways that come to the same are one; if all do, that is certain.
fn settle(steps: &mut Vec<Lettered>) {
    let mut kept: Vec<Lettered> = Vec::new();
    for step in steps.drain(..) {
        if !kept.iter().any(|other| other.label == step.label && other.next == step.next) {
            kept.push(step);
        }
    }
    if let [one] = &mut kept[..] {
        one.how.certain = true;
    }
    steps.append(&mut kept);
}
