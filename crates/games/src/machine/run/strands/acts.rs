//! What is done at a position: by P in a strand that runs, or by O where a question waits; in all ways in which it may
//! come out, where the domain cannot tell.

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::source::Span;

use super::drafts::Draft;
use super::known::{Deed, Look, Piece, PieceId};
use super::next::Next;
use super::{Branch, Deeds, MOST_VALUES, Strands};
use crate::arena::{ComponentId, OWN};
use crate::machine::code::Pc;
use crate::machine::offers::{Offer, OfferData};
use crate::machine::run::{Binding, CLOSED, Control, Frame, StrandId};
use crate::machine::store::Store;
use crate::moves::ThreadMove;
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

/// Something that was done.
#[derive(Clone, Debug)]
pub struct Act<V> {
    /// The move; none if nobody sees it.
    pub label: Option<ThreadMove<V>>,
    /// Whether the play is then complete.
    pub complete: bool,
    /// The instruction that made it, if P did.
    pub pc: Option<Pc>,
    /// The argument that O asks for, where it does.
    pub argument: Option<Span>,
    pub(super) changes: Vec<(StrandId, PieceId)>,
    /// Which outcome each undecided operation had.
    pub choices: Box<[u32]>,
}

/// Something that was done, and the position that follows.
pub type Performed<V> = (Act<V>, Vec<PieceId>);

/// What O plays.
type Played<'a, V> = (&'a Offer<V>, OfferData<V>);

impl<D: Domain> Strands<D> {
    /// What O may play in a strand of a position; nothing where it does not wait for O.
    pub fn offers(&self, position: &[PieceId], strand: StrandId) -> Option<Arc<[Offer<D::Value>]>> {
        if position.is_empty() {
            return Some(self.machine.opening.clone());
        }
        let id = position.iter().find(|id| self.known.piece(**id).strand == strand)?;
        match self.machine.frame(self.rests.get(self.known.piece(*id).rest).2) {
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
    ) -> Result<Vec<Performed<D::Value>>, Stop> {
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
        let acts = self.ways(at, played, choices, budget)?;
        let mut next = Vec::new();
        let after = acts.into_iter().map(|act| {
            self.known.change(position, &act.changes, &mut next);
            (act, next.clone())
        });
        Ok(after.collect())
    }

    /// All that may be done in one strand of the position at hand.
    pub(super) fn all_deeds(&mut self, at: Option<usize>, budget: &Budget) -> Result<Deeds, Stop> {
        let mut deeds = Vec::new();
        let strand = at.map_or(0, |at| self.known.piece(self.position[at]).strand);
        let offers = match at {
            None => Some(self.machine.opening.clone()),
            Some(_) => self.offers(&self.position, strand),
        };
        let Some(offers) = offers else {
            for act in self.ways(at, None, None, budget)? {
                deeds.push(self.deed(act, None));
            }
            self.settle(&mut deeds);
            return Ok(deeds);
        };
        let asked = self.asked_below(strand, &offers);
        for (n, offer) in (0..).zip(offers.iter()) {
            let last =
                offer.last.filter(|last| *last < MOST_VALUES).ok_or(Stop::Unbounded(offer.component))?;
            if at.is_some() && !self.may_play(offer, &asked) {
                continue;
            }
            for code in 0..=last {
                let data = offer.parts(&self.machine.domain, &self.machine.arena, code);
                let mut found = Vec::new();
                for act in self.ways(at, Some((offer, data)), None, budget)? {
                    found.push(self.deed(act, Some((n, code))));
                }
                self.settle(&mut found);
                deeds.append(&mut found);
            }
        }
        Ok(deeds)
    }

    fn deed(
        &mut self,
        act: Act<D::Value>,
        played: Option<(u32, u64)>,
    ) -> (Deed, Vec<(StrandId, PieceId)>, How) {
        let letter = act.label.map(|label| self.letters.intern(label));
        let deed = Deed::new(letter, act.complete, act.pc, act.argument);
        (deed, act.changes, How { played, choices: act.choices, certain: false })
    }

    /// Ways that come to the same are one; if all do, that is certain.
    fn settle(&mut self, deeds: &mut Deeds) {
        let mut kept: Deeds = Vec::new();
        for (deed, changes, how) in deeds.drain(..) {
            let known = kept.iter().any(|(other, others, _)| {
                (other.letter, other.complete) == (deed.letter, deed.complete) && *others == changes
            });
            if !known {
                kept.push((deed, changes, how));
            }
        }
        let certain = kept.len() == 1;
        for (mut deed, changes, how) in kept {
            deed.how = self.hows.intern(How { certain, ..how.clone() });
            deeds.push((deed, changes, how));
        }
    }

    /// The arguments in which O has strands open below a strand.
    pub(super) fn asked_below(&self, strand: StrandId, offers: &[Offer<D::Value>]) -> Vec<ComponentId> {
        let mut asked = Vec::new();
        if offers.iter().all(|offer| !offer.kind.is_question()) || self.position.is_empty() {
            return asked;
        }
        self.machine.look(Look::Below(strand, 0));
        for id in &self.position {
            let below = self.known.piece(*id).strand;
            if let (parent, Branch::Asked(component, _)) = *self.paths.get(below)
                && parent == strand
            {
                asked.push(component);
                self.machine.look(Look::Below(strand, below));
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
    ) -> Result<Vec<Act<D::Value>>, Stop> {
        let mut acts = Vec::new();
        self.machine.forks.list(choices.unwrap_or_default());
        loop {
            self.machine.pass_by();
            let act = match &played {
                None => self.proceed(at.unwrap_or(0), budget)?,
                Some((offer, data)) if offer.kind.is_question() => {
                    Some(self.ask(at, offer, data.clone(), budget)?)
                }
                Some((offer, data)) => Some(self.answer(at.unwrap_or(0), offer, data.clone(), budget)?),
            };
            if self.machine.domain.end_path(act.is_some()) {
                acts.extend(act.map(|act| Act { choices: self.machine.forks.way(), ..act }));
            }
            if choices.is_some() || !self.machine.forks.next_way() {
                return Ok(acts);
            }
        }
    }

    /// P goes on in a strand that runs.
    fn proceed(&mut self, at: usize, budget: &Budget) -> Result<Option<Act<D::Value>>, Stop> {
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
        let changes = if complete { self.discard(&draft) } else { self.close(draft) };
        Ok(Some(Act { label, complete, pc: Some(pc), argument: None, changes, choices: Box::default() }))
    }

    /// The question that a strand waits for an answer to.
    fn question(&self, at: usize) -> u32 {
        let piece = self.known.piece(self.position[at]);
        match self.machine.frame(self.rests.get(piece.rest).2) {
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
    ) -> Result<Act<D::Value>, Stop> {
        let mut draft = Draft::default();
        let (strand, threads, binding) = match at {
            None => (0, Vec::new(), None),
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
        self.machine.segments[strand as usize] = Store::default();
        let pc = if binding.is_none() { self.machine.code.entry } else { 0 };
        self.enter(strand, &Control { pc, stack: CLOSED, ..Control::default() });
        self.machine.ask(offer, data, 0);
        let arguments = self.machine.arena.component(offer.component).arguments.clone();
        // Arguments of the program itself are free identifiers to it.
        if offer.component != OWN {
            for component in arguments.into_iter().rev() {
                self.machine.push(Frame::Argument(Binding::Given { component, strand }));
            }
        }
        let mut argument = None;
        if let Some(binding) = binding {
            if let Binding::Closure { entry, .. } = binding {
                argument = self.machine.code.entries.get(&entry).copied();
            }
            self.machine.enter(binding);
        }
        draft.set(strand, Some(self.machine.control.clone()));
        self.leave(strand);
        self.advance(&mut draft, strand, false, budget)?;
        let label = Some(ThreadMove { m, threads: threads.into() });
        let changes = self.close(draft);
        Ok(Act { label, complete: false, pc: None, argument, changes, choices: Box::default() })
    }

    /// O answers a question.
    fn answer(
        &mut self,
        at: usize,
        offer: &Offer<D::Value>,
        data: OfferData<D::Value>,
        budget: &Budget,
    ) -> Result<Act<D::Value>, Stop> {
        let mut draft = Draft::default();
        let m = offer.with(data.clone());
        let threads = self.threads(&draft, self.question(at));
        let Piece { strand, rest, .. } = *self.known.piece(self.position[at]);
        let (below, frame) = *self.machine.stacks.get(self.rests.get(rest).2);
        let Frame::Wait { pc, scope, height, .. } = frame else { unreachable!("the question waits") };
        let acc = data.value.unwrap_or_default();
        draft.set(strand, Some(Control { pc, scope, stack: below, height, trail: 0, acc }));
        self.advance(&mut draft, strand, false, budget)?;
        let label = Some(ThreadMove { m, threads: threads.into() });
        let changes = self.close(draft);
        Ok(Act { label, complete: false, pc: None, argument: None, changes, choices: Box::default() })
    }
}
