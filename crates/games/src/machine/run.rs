//! Running the machine: from a move of O's to P's answer to it.

mod access;
mod cells;
mod choices;
mod scopes;
mod silent;
mod step;

use scopes::Scopes;
pub use silent::Thrift;
use silent::{LoopWatch, SilentCalls};

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use agon_lang::int::Int;
use agon_lang::types::Data;

use super::code::{Code, DataId, Pc, RETURN, SlotId};
use super::offers::{Offer, OfferKind, opening, questions};
use super::store::{Store, StoreId, StoreTable};
use crate::arena::{Arena, ComponentId};
use crate::intern::Interner;
use crate::moves::{Label, Move};
use crate::values::Domain;

/// A position where it is O's turn: the control and the store, by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct State(pub u64);

/// What P does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reaction<V> {
    /// P's move.
    pub answer: Move<V>,
    /// The position after it; none if the play is complete.
    pub next: Option<State>,
    /// The instruction that made the move.
    pub pc: Pc,
}

/// Why a run ended before P had answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interrupted {
    /// It was called off.
    Asked,
    /// The program's cells are more than a store can hold.
    StoreTooLarge,
}

/// Every so many steps the caller is asked whether to go on.
const PATIENCE: u64 = 1 << 12;
/// The most bits of a store.
const LARGEST_STORE: u64 = 1 << 30;

/// A machine: shared code, and everything that grows while it runs.
pub struct Machine<D: Domain> {
    code: Arc<Code>,
    arena: Arc<Arena>,
    domain: D,
    widths: Vec<u32>,
    scopes: Scopes,
    stacks: Interner<(StackId, Frame)>,
    questions: Interner<Question<D::Value>>,
    elements: Interner<D::Value>,
    offers: Vec<Rc<[Offer<D::Value>]>>,
    opening: Rc<[Offer<D::Value>]>,
    stores: StoreTable,

    control: Control<D::Value>,
    store: Store,
    operands: Vec<D::Value>,
    /// Where a run over abstract values could also have gone.
    alternatives: Vec<(Control<D::Value>, Store)>,
    forked: bool,
    /// Loop heads of a run that forked.
    heads: HashSet<(Pc, ScopeId, StackId, StoreId)>,
    watch: LoopWatch,
    silent: SilentCalls<D::Value>,
    thrift: Thrift,
    ambiguous: bool,
}

type ScopeId = u32;
type StackId = u32;

/// The stack of a machine that was not opened yet.
const CLOSED: StackId = 0;

/// The control of a running machine.
#[derive(Clone, Debug, Default)]
struct Control<V> {
    pc: Pc,
    scope: ScopeId,
    stack: StackId,
    /// How many bits of the store are in use.
    height: u32,
    acc: V,
}

/// What a variable stands for at run time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Binding {
    Closure { entry: Pc, scope: ScopeId },
    Cell { slot: SlotId, offset: u32 },
    Free(ComponentId),
    Label { stack: StackId, restart: Option<Pc> },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Frame {
    /// Not opened.
    Closed,
    Return {
        pc: Pc,
        scope: ScopeId,
        height: u32,
    },
    Argument(Binding),
    Read,
    Write {
        slot: SlotId,
        offset: u32,
    },
    Element {
        slot: SlotId,
        offset: u32,
    },
    /// What is read or written below is brought in range.
    Wrap(DataId),
    /// The value that comes back is brought in range.
    WrapResult(DataId),
    /// P has asked and waits; with the answer it goes on at a place.
    Wait {
        pc: Pc,
        scope: ScopeId,
        height: u32,
        question: u32,
    },
    /// O has asked for an argument of the question below, and P will answer.
    Reply {
        component: ComponentId,
        element: Option<u32>,
        height: u32,
        answer: Answer,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Answer {
    Done,
    Value,
    Ok,
}

/// A question of P's that waits for O's answer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Question<V> {
    component: ComponentId,
    element: Option<V>,
    answer: Answer,
    arguments: Box<[Binding]>,
}

enum Step<V> {
    Silent,
    Visible(Reaction<V>),
    /// The run makes no further move.
    Dead,
    /// The store has no room for what the program declares.
    TooLarge,
}

impl<D: Domain> Machine<D> {
    /// A machine for a compiled program over a domain.
    pub fn new(code: Arc<Code>, arena: Arc<Arena>, domain: D) -> Machine<D> {
        let widths = code.slots.iter().map(|slot| domain.width(slot)).collect();
        let scopes = Scopes::new();
        let mut stacks = Interner::default();
        stacks.intern((CLOSED, Frame::Closed));
        let opening = opening(&domain, &arena).into();
        Machine {
            code,
            arena,
            domain,
            widths,
            scopes,
            stacks,
            questions: Interner::default(),
            elements: Interner::default(),
            offers: Vec::new(),
            opening,
            stores: StoreTable::default(),
            control: Control::default(),
            store: Store::default(),
            operands: Vec::new(),
            alternatives: Vec::new(),
            forked: false,
            heads: HashSet::new(),
            watch: LoopWatch::default(),
            silent: SilentCalls::default(),
            thrift: Thrift::default(),
            ambiguous: false,
        }
    }

    /// The same machine with other ways to save work.
    pub fn with_thrift(mut self, thrift: Thrift) -> Machine<D> {
        self.thrift = thrift;
        self
    }

    /// The arena of the game.
    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    /// The code that runs.
    pub fn code(&self) -> &Code {
        &self.code
    }

    /// The domain of the values.
    pub fn domain(&self) -> &D {
        &self.domain
    }

    /// The memory that the tables take, in bytes.
    pub fn memory(&self) -> usize {
        self.stores.memory() + self.stacks.memory() + self.questions.memory() + self.scopes.memory()
    }

    /// Whether a jump has left a call that was nested in another call of the same identifier. From then on a move
    /// alone does not say which question it answers, and equal moves need not be equal behaviour.
    pub fn ambiguous(&self) -> bool {
        self.ambiguous
    }

    /// Whether the program has cells for all integers.
    pub fn has_unbounded_cells(&self) -> bool {
        self.code.unbounded_cells
    }

    /// How many control configurations were seen.
    pub fn controls(&self) -> usize {
        self.stacks.len()
    }

    /// The position before the opening question.
    pub fn start(&self) -> State {
        State(0)
    }

    /// The moves that O may play at a position: arguments in order, then the answer.
    pub fn offers(&self, state: State) -> Rc<[Offer<D::Value>]> {
        match self.frame((state.0 >> 32) as u32) {
            Frame::Wait { question, .. } => self.offers[question as usize].clone(),
            _ => self.opening.clone(),
        }
    }

    /// The control of a position, by its number: positions that differ in data only share it.
    pub fn control(&self, state: State) -> u32 {
        (state.0 >> 32) as u32
    }

    /// The argument that a question of O's is about, where it stands in the program.
    pub fn argument_span(&self, state: State, offer: &Offer<D::Value>) -> Option<agon_lang::source::Span> {
        let Frame::Wait { question, .. } = self.frame(self.control(state)) else { return None };
        let question = self.questions.get(question);
        let arguments = &self.arena.component(question.component).arguments;
        let n = arguments.iter().position(|argument| *argument == offer.component)?;
        match question.arguments.get(n)? {
            Binding::Closure { entry, .. } => self.code.entries.get(entry).copied(),
            _ => None,
        }
    }

    fn frame(&self, stack: StackId) -> Frame {
        self.stacks.get(stack).1
    }

    /// Plays a move of O's and adds what P may do to `reactions`; where P never moves again, nothing.
    pub fn play(
        &mut self,
        state: State,
        offer: &Offer<D::Value>,
        code: u64,
        reactions: &mut Vec<Reaction<D::Value>>,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<(), Interrupted> {
        self.begin(state, offer, code);
        loop {
            self.run(reactions, interrupted)?;
            match self.alternatives.pop() {
                Some((control, store)) => {
                    self.control = control;
                    self.store = store;
                }
                None => return Ok(()),
            }
        }
    }

    fn begin(&mut self, state: State, offer: &Offer<D::Value>, code: u64) {
        self.watch = LoopWatch::new();
        self.silent.steps = 0;
        self.silent.open.clear();
        self.forked = false;
        self.heads.clear();
        self.alternatives.clear();
        let stack = (state.0 >> 32) as u32;
        let (element, index, value) = offer.parts(&self.domain, &self.arena, code);
        match self.frame(stack) {
            Frame::Wait { pc, scope, height, question } => {
                self.stores.unfold(state.0 as u32, height as usize, &mut self.store);
                if !offer.kind.is_question() {
                    let below = self.stacks.get(stack).0;
                    self.control =
                        Control { pc, scope, stack: below, height, acc: value.unwrap_or_default() };
                    return;
                }
                let place = self.arena.component(self.questions.get(question).component);
                let argument = place.arguments.iter().position(|id| *id == offer.component);
                let binding =
                    self.questions.get(question).arguments[argument.expect("O asks for an argument")];
                self.control = Control { pc: RETURN, scope: 0, stack, height, acc: D::Value::default() };
                self.ask(offer, element, index, value, height);
                self.enter(binding);
            }
            _ => {
                self.stores.unfold(0, 0, &mut self.store);
                self.control =
                    Control { pc: self.code.entry, scope: 0, stack, height: 0, acc: D::Value::default() };
                self.ask(offer, element, index, value, 0);
            }
        }
    }

    /// Puts a question of O's on the stack.
    fn ask(
        &mut self,
        offer: &Offer<D::Value>,
        element: Option<D::Value>,
        index: Option<u64>,
        value: Option<D::Value>,
        height: u32,
    ) {
        let answer = match offer.kind {
            OfferKind::Run => Answer::Done,
            OfferKind::Write | OfferKind::WriteElement(_) => Answer::Ok,
            _ => Answer::Value,
        };
        let element = element.map(|element| self.elements.intern(element));
        self.push(Frame::Reply { component: offer.component, element, height, answer });
        match (offer.kind, value) {
            (OfferKind::Read | OfferKind::ReadElement(_), _) => self.push(Frame::Read),
            (OfferKind::Write | OfferKind::WriteElement(_), Some(value)) => {
                let slot =
                    self.code.component_slots[offer.component.0 as usize].expect("variables have data");
                let offset = self.save_exactly(slot, &value);
                self.push(Frame::Write { slot, offset });
            }
            _ => {}
        }
        if let Some(index) = index {
            let slot = self.code.index_slot;
            let value = self.domain.number(&Int::from(index));
            let offset = self.save_exactly(slot, &value);
            self.push(Frame::Element { slot, offset });
        }
    }

    fn push(&mut self, frame: Frame) {
        self.control.stack = self.stacks.intern((self.control.stack, frame));
    }

    fn pop(&mut self) -> Frame {
        let (below, frame) = *self.stacks.get(self.control.stack);
        self.control.stack = below;
        frame
    }

    fn run(
        &mut self,
        reactions: &mut Vec<Reaction<D::Value>>,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<(), Interrupted> {
        let code = self.code.clone();
        loop {
            self.silent.steps += 1;
            if self.silent.steps.is_multiple_of(PATIENCE) && interrupted() {
                return Err(Interrupted::Asked);
            }
            match self.step(&code) {
                Step::Silent => {}
                Step::Visible(reaction) => {
                    reactions.push(reaction);
                    return Ok(());
                }
                Step::Dead => return Ok(()),
                Step::TooLarge => return Err(Interrupted::StoreTooLarge),
            }
        }
    }

    /// P asks a free identifier and waits.
    fn wait(
        &mut self,
        component: ComponentId,
        element: Option<D::Value>,
        answer: Answer,
        label: Label<D::Value>,
        arguments: Box<[Binding]>,
        pc: Pc,
    ) -> Step<D::Value> {
        let asked = Move { component, element: element.clone(), label };
        let (question, new) = self.questions.insert(Question { component, element, answer, arguments });
        if new {
            let offers = self.question_offers(question);
            self.offers.push(offers);
        }
        let Control { pc: back, scope, height, .. } = self.control;
        self.push(Frame::Wait { pc: back, scope, height, question });
        Step::Visible(Reaction { answer: asked, next: Some(self.state()), pc })
    }

    fn question_offers(&self, question: u32) -> Rc<[Offer<D::Value>]> {
        let question = self.questions.get(question);
        let component = self.arena.component(question.component);
        let mut offers: Vec<_> = component
            .arguments
            .iter()
            .flat_map(|argument| questions(&self.domain, &self.arena, *argument))
            .collect();
        let (kind, last) = match question.answer {
            Answer::Done => (OfferKind::Done, Some(0)),
            Answer::Ok => (OfferKind::Ok, Some(0)),
            Answer::Value => {
                (OfferKind::Value, self.domain.last_answer(component.base.data().unwrap_or(&Data::Int)))
            }
        };
        offers.push(Offer { component: question.component, kind, element: question.element.clone(), last });
        offers.into()
    }

    /// The position of a machine that waits for O.
    fn state(&mut self) -> State {
        let store = self.stores.fold(&mut self.store, self.control.height as usize);
        State((u64::from(self.control.stack) << 32) | u64::from(store))
    }
}
