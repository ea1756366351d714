//! O's turn: what O may play at a position, how its move begins a run, and how P waits for the next.

use std::sync::Arc;

use super::silent::LoopWatch;
use super::{Answer, Binding, Control, Executed, Frame, Machine, Question, StackId, State, StrandId};
use super::{CLOSED, RETURN};
use crate::arena::ComponentId;
use crate::machine::code::Pc;
use crate::machine::offers::{Offer, OfferData, OfferKind, opening, questions};
use crate::machine::store::StoreId;
use crate::moves::{Label, Move};
use crate::values::Domain;

impl<D: Domain> Machine<D> {
    /// What O may play before anything was played.
    pub(super) fn openings(&self) -> Arc<[Offer<D::Value>]> {
        match self.code.module {
            Some(_) => self.calls().into(),
            None => opening(&self.domain, &self.arena).into(),
        }
    }

    /// The moves that O may play at a position: arguments in order, then the answer.
    #[inline]
    pub fn offers(&self, state: State) -> Arc<[Offer<D::Value>]> {
        match self.frame(state.stack()) {
            Frame::Wait { question, .. } => self.offers[question as usize].clone(),
            Frame::Outside { .. } => self.callable(state),
            _ => self.opening.clone(),
        }
    }

    /// How many families of moves O may choose from at a position.
    pub fn offer_count(&self, state: State) -> usize {
        match self.frame(state.stack()) {
            Frame::Wait { question, .. } => self.offers[question as usize].len(),
            _ => self.opening.len(),
        }
    }

    /// The argument that a question of O's is about, where it stands in the program.
    pub fn argument_span(&self, state: State, offer: &Offer<D::Value>) -> Option<agon_base::source::Span> {
        let Frame::Wait { question, .. } = self.frame(state.stack()) else { return None };
        let question = self.questions.get(question);
        let arguments = &self.arena.component(question.component).arguments;
        let n = arguments.iter().position(|argument| *argument == offer.component)?;
        match question.arguments.get(n)? {
            Binding::Closure { entry, .. } => self.code.argument(*entry),
            _ => None,
        }
    }

    /// Whether a question of O's in one of these components is still to be answered at a position. One that P has jumped
    /// away from is not.
    pub fn owes(&self, state: State, components: &[ComponentId]) -> bool {
        let mut stack = state.stack();
        while stack != StackId(CLOSED.0) {
            let (below, frame) = *self.stacks.get(stack);
            if matches!(frame, Frame::Reply { component, .. } if components.contains(&component)) {
                return true;
            }
            stack = StackId(below.0);
        }
        false
    }

    #[inline]
    pub(super) fn begin(&mut self, state: State, offer: &Offer<D::Value>, data: OfferData<D::Value>) {
        self.watch = LoopWatch::new();
        self.silent.begin(self.memo);
        let stack = state.stack();
        match self.frame(stack) {
            Frame::Wait { pc, scope, height, question } => {
                let bits = self.halves.whole().max(height as usize);
                self.stores.unfold(state.store(), bits, &mut self.store);
                if !offer.kind.is_question() {
                    let below = self.stacks.get(stack).0;
                    let component = self.questions.get(question).component;
                    let assumed =
                        data.value.as_ref().and_then(|_| self.code.assumed.get(&component).copied());
                    let acc = data.value.unwrap_or_default();
                    self.control = Control { pc, scope, stack: below, height, trail: 0, acc };
                    if let Some(place) = assumed {
                        self.push(Frame::Return { pc, scope, height });
                        self.control.pc = place;
                    }
                    return;
                }
                let place = self.arena.component(self.questions.get(question).component);
                let argument = place.arguments.iter().position(|id| *id == offer.component);
                let binding =
                    self.questions.get(question).arguments[argument.expect("O asks for an argument")];
                self.control = Control { pc: RETURN, stack, height, ..Control::default() };
                self.ask(offer, data, height);
                self.enter(binding);
            }
            Frame::Outside { .. } => self.open(state, offer.component, &data.arguments),
            _ => {
                self.stores.unfold(StoreId(0), 0, &mut self.store);
                self.control = Control { pc: self.code.entry, stack, ..Control::default() };
                self.ask(offer, data, 0);
            }
        }
    }

    /// Puts a question of O's on the stack.
    pub(super) fn ask(&mut self, offer: &Offer<D::Value>, data: OfferData<D::Value>, height: u32) {
        let OfferData { element, index, value, .. } = data;
        let answer = match offer.kind {
            OfferKind::Run => Answer::Done,
            OfferKind::Write | OfferKind::WriteElement(_) | OfferKind::Grab | OfferKind::Release => {
                Answer::Ok
            }
            _ => Answer::Value,
        };
        let element = element.map(|element| self.elements.intern(self.domain.held(&element)));
        self.push(Frame::Reply { component: offer.component, element, height, answer });
        match (offer.kind, value) {
            (OfferKind::Grab, _) => self.push(Frame::Grab),
            (OfferKind::Release, _) => self.push(Frame::Release),
            (OfferKind::Read | OfferKind::ReadElement(_), _) => self.push(Frame::Read),
            (OfferKind::Write | OfferKind::WriteElement(_), Some(value)) => {
                let slot = self.code.component_slots[offer.component.index()].expect("variables have data");
                let offset = self.save_exactly(slot, &value);
                self.push(Frame::Write { slot, offset });
            }
            _ => {}
        }
        if let Some(index) = index {
            let slot = self.code.index_slot;
            let offset = self.save_exactly(slot, &index);
            self.push(Frame::Element { slot, offset });
        }
    }

    /// P asks a free identifier and waits.
    pub(super) fn wait(
        &mut self,
        (component, giver): (ComponentId, Option<StrandId>),
        element: Option<D::Value>,
        answer: Answer,
        label: Label<D::Value>,
        arguments: Box<[Binding]>,
        pc: Pc,
    ) -> Executed<D::Value> {
        let asked = Move { component, element: element.clone(), label };
        let thread = if self.code.threaded && self.threading.numbered {
            self.threading.lowest_unused(component, giver)
        } else {
            0
        };
        let element = element.map(|element| self.domain.held(&element));
        let (question, new) =
            self.questions.insert(Question { component, giver, thread, element, answer, arguments });
        if new {
            let offers = self.question_offers(question);
            self.offers.push(offers);
        }
        let Control { pc: back, scope, height, .. } = self.control;
        self.push(Frame::Wait { pc: back, scope, height, question });
        let next = Some(self.state());
        Executed::Visible(self.reaction(asked, next, pc))
    }

    pub(super) fn question_offers(&self, question: u32) -> Arc<[Offer<D::Value>]> {
        let question = self.questions.get(question);
        let component = self.arena.component(question.component);
        // Arguments of a procedure of a module are values.
        let asked = if self.code.module.is_some() { &[] } else { component.arguments.as_slice() };
        let mut offers: Vec<_> =
            asked.iter().flat_map(|argument| questions(&self.domain, &self.arena, *argument)).collect();
        if self.never_returns(question.component) {
            return offers.into();
        }
        let (kind, last) = match question.answer {
            Answer::Done => (OfferKind::Done, Some(0)),
            Answer::Ok => (OfferKind::Ok, Some(0)),
            Answer::Value => (OfferKind::Value, self.domain.last_answer(&self.arena, question.component)),
        };
        offers.push(Offer { component: question.component, kind, element: question.element.clone(), last });
        offers.into()
    }
}
