//! Running the machine: from a move of O's to P's answer to it.

mod access;
mod cells;
mod choices;
mod forks;
mod held;
mod modules;
mod pauses;
mod scopes;
mod silent;
mod stacked;
mod step;
mod strands;
mod strategies;

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::id::{halves, number, pair};
use agon_base::intern::Interner;
use agon_core::checks::Check;

use super::code::{Code, DataId, Pc, RETURN, SlotId};
use super::offers::{Offer, OfferData, OfferKind, opening, questions};
use super::store::{Store, StoreId, StoreTable};
use crate::arena::{Arena, ComponentId};
use crate::moves::{Label, Move};
use crate::strategy::{Outcomes, Step};
use crate::values::Domain;
use forks::Forks;
use modules::Halves;
pub use modules::{Globals, Waiting};
pub use pauses::{Layout, Pausing, Place, Told};
use pauses::{Pause, Rounds};
use scopes::Scopes;
pub use silent::CallMemo;
use silent::{LoopWatch, SilentCalls};
pub use stacked::{Nested, SilentRun, Stacked};
use strands::Dependency;
pub use strands::{Branch, How, PieceId, Strands, TransitionCache};

pub(super) use strands::CachedStep;

/// A position where it is O's turn: the control and the store, by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct State(pub u64);

impl State {
    fn new(stack: StackId, store: StoreId) -> State {
        State(pair(stack.0, store.0))
    }

    /// The control.
    fn stack(self) -> StackId {
        StackId(halves(self.0).0)
    }

    fn store(self) -> StoreId {
        StoreId(halves(self.0).1)
    }
}

/// The step that P makes after a move of O's.
pub type Reaction<V> = Step<Move<V>, State, Outcomes<V>>;

/// The budget is checked once in this many steps.
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
    stacks: Interner<(StackId, Frame), StackId>,
    questions: Interner<Question<D::Value>>,
    elements: Interner<D::Value>,
    offers: Vec<Arc<[Offer<D::Value>]>>,
    opening: Arc<[Offer<D::Value>]>,
    stores: StoreTable,

    control: Control<D::Value>,
    store: Store,
    operands: Vec<D::Value>,
    forks: Forks<D::Value>,
    watch: LoopWatch,
    silent: SilentCalls<D::Value>,
    memo: CallMemo,
    /// Where runs pause, and what they have passed since.
    pausing: Pausing,
    rounds: Rounds,
    /// The run is to pause here.
    due: Option<Pause>,
    ambiguous: bool,
    /// The strand that runs, and the cells of the others.
    strand: StrandId,
    segments: Vec<Store>,
    /// The other strands whose cells were written.
    written: Vec<StrandId>,
    /// What the strand that runs has looked at outside of itself.
    dependencies: Vec<Dependency>,
    /// Whether the questions that are open at one place at once are told apart by numbers.
    numbered: bool,
    /// The instructions that were run.
    passed: Vec<bool>,
    /// How the store of a module is laid out.
    halves: Halves,
    /// The questions that are open: where, and which of several.
    open: Vec<(ComponentId, Option<StrandId>, u32)>,
}

agon_base::id! {
    ScopeId;
    StackId;
    /// The place of a thread in the tree of threads; there is only the first in a sequential program.
    pub StrandId;
}

/// The stack of a machine that was not opened yet.
const CLOSED: StackId = StackId(0);

/// The control of a running machine.
#[derive(Clone, Debug, Default)]
struct Control<V> {
    pc: Pc,
    scope: ScopeId,
    stack: StackId,
    /// How many bits of the store are in use.
    height: u32,
    /// The choices made so far.
    trail: u32,
    acc: V,
}

/// What a variable stands for at run time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Binding {
    Closure {
        entry: Pc,
        scope: ScopeId,
    },
    Cell {
        slot: SlotId,
        strand: StrandId,
        offset: u32,
    },
    Free(ComponentId),
    /// What O gave when it called a procedure, in the strand that runs the call.
    Given {
        component: ComponentId,
        strand: StrandId,
    },
    Label {
        stack: StackId,
        restart: Option<Pc>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Frame {
    /// Not opened.
    Closed,
    /// A module without an activation. Its cells are laid out as a scope says, in halves of this many bits.
    Outside {
        scope: ScopeId,
        bits: u32,
    },
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
    Grab,
    Release,
    /// Two strands are waited for.
    Join,
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
    /// P was paused on its way, and will go on at a place.
    Pause {
        pc: Pc,
        scope: ScopeId,
        height: u32,
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
    /// The strand in which O gave the identifier that is asked, if O did.
    giver: Option<StrandId>,
    /// Which of the questions open there at once; 0 in a sequential program.
    thread: u32,
    element: Option<V>,
    answer: Answer,
    arguments: Box<[Binding]>,
}

/// What running one instruction came to.
enum Executed<V> {
    Silent,
    Visible(Reaction<V>),
    /// The run makes no further move.
    Dead,
    /// The run goes on in the alternatives that it left.
    Elsewhere,
    /// The strand is done.
    Finished,
    /// It cannot go on: the store has no room for what the program declares, or a number is too large.
    TooLarge(Stop),
}

/// The bits that each slot takes.
fn widths<D: Domain>(code: &Code, domain: &D) -> Vec<u32> {
    code.slots.iter().map(|slot| domain.width(slot)).collect()
}

impl<D: Domain> Machine<D> {
    /// A machine for a compiled program over a domain.
    pub fn new(code: Arc<Code>, arena: Arc<Arena>, domain: D) -> Machine<D> {
        let widths = widths(&code, &domain);
        let instructions = code.len();
        let scopes = Scopes::new();
        let mut stacks = Interner::default();
        stacks.intern((CLOSED, Frame::Closed));
        let mut machine = Machine {
            code,
            arena,
            domain,
            widths,
            scopes,
            stacks,
            questions: Interner::default(),
            elements: Interner::default(),
            offers: Vec::new(),
            opening: Arc::new([]),
            stores: StoreTable::default(),
            control: Control::default(),
            store: Store::default(),
            operands: Vec::new(),
            forks: Forks::default(),
            watch: LoopWatch::default(),
            silent: SilentCalls::default(),
            memo: CallMemo::default(),
            pausing: Pausing::default(),
            rounds: Rounds::default(),
            due: None,
            ambiguous: false,
            strand: StrandId(0),
            segments: Vec::new(),
            written: Vec::new(),
            dependencies: Vec::new(),
            numbered: true,
            passed: vec![false; instructions],
            halves: Halves::default(),
            open: Vec::new(),
        };
        machine.lay_out_module();
        machine.opening = machine.openings();
        machine
    }

    /// What O may play before anything was played.
    fn openings(&self) -> Arc<[Offer<D::Value>]> {
        match self.code.module {
            Some(_) => self.calls().into(),
            None => opening(&self.domain, &self.arena).into(),
        }
    }

    /// The same machine with other ways to save work.
    pub fn with_call_memo(mut self, memo: CallMemo) -> Machine<D> {
        self.memo = memo;
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

    /// Whether a check was decided in some run so far.
    pub fn has_decided(&self, check: Check) -> bool {
        self.code.deciding.iter().any(|(pc, decided)| *decided == check && self.passed[pc.index()])
    }

    /// The domain of the values.
    pub fn domain(&self) -> &D {
        &self.domain
    }

    /// The domain, to be made finer: positions that hold what is finer now are not to be gone on from.
    pub fn refine(&mut self, refine: impl FnOnce(&mut D)) {
        refine(&mut self.domain);
        self.widths = widths(&self.code, &self.domain);
        self.lay_out_module();
        self.opening = self.openings();
        self.offers = (0..number(self.questions.len())).map(|n| self.question_offers(n)).collect();
        self.silent = SilentCalls::default();
    }

    /// The domain, to take notes out of it.
    pub fn domain_mut(&mut self) -> &mut D {
        &mut self.domain
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
        self.halves.start()
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

    /// The control of a position, by its number: positions that differ in data only share it.
    pub fn control(&self, state: State) -> u32 {
        state.stack().0
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
        budget: &Budget,
    ) -> Result<(), Stop> {
        let data = offer.parts(&self.domain, &self.arena, code);
        self.play_with(state, offer, data, None, reactions, budget)
    }

    /// The same, with data given for the move. With a script, the run takes the choices that are written there, and
    /// no others.
    pub fn play_with(
        &mut self,
        state: State,
        offer: &Offer<D::Value>,
        data: OfferData<D::Value>,
        script: Option<&[u32]>,
        reactions: &mut Vec<Reaction<D::Value>>,
        budget: &Budget,
    ) -> Result<(), Stop> {
        if !self.knows(state, offer, &data) {
            return Ok(());
        }
        self.forks.begin(script);
        self.begin(state, offer, data);
        self.run_all(reactions, budget)
    }

    /// Begins an activation of a procedure that is summarised, with these arguments, at a position without one.
    pub fn enter_summarised(
        &mut self,
        state: State,
        (component, arguments): (ComponentId, &[D::Value]),
        script: Option<&[u32]>,
        reactions: &mut Vec<Reaction<D::Value>>,
        budget: &Budget,
    ) -> Result<(), Stop> {
        self.forks.begin(script);
        self.enter_procedure(state, component, arguments);
        self.run_all(reactions, budget)
    }

    fn enter_procedure(&mut self, state: State, component: ComponentId, arguments: &[D::Value]) {
        self.watch = LoopWatch::new();
        self.silent.begin(self.memo);
        self.open(state, component, arguments);
    }

    /// Runs in all ways in which undecided operations may come out.
    #[inline]
    fn run_all(&mut self, reactions: &mut Vec<Reaction<D::Value>>, budget: &Budget) -> Result<(), Stop> {
        let before = reactions.len();
        loop {
            self.run(reactions, budget)?;
            match self.forks.alternatives.pop() {
                Some((control, store)) => {
                    self.control = control;
                    self.store = store;
                    self.silent.open.clear();
                }
                None => break,
            }
        }
        if self.forks.forked {
            self.forks.settle(reactions, before);
        }
        Ok(())
    }

    fn begin(&mut self, state: State, offer: &Offer<D::Value>, data: OfferData<D::Value>) {
        self.watch = LoopWatch::new();
        self.silent.begin(self.memo);
        let stack = state.stack();
        match self.frame(stack) {
            Frame::Wait { pc, scope, height, question } => {
                let bits = self.halves.whole().max(height as usize);
                self.stores.unfold(state.store(), bits, &mut self.store);
                if !offer.kind.is_question() {
                    let below = self.stacks.get(stack).0;
                    let acc = data.value.unwrap_or_default();
                    self.control = Control { pc, scope, stack: below, height, trail: 0, acc };
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
    fn ask(&mut self, offer: &Offer<D::Value>, data: OfferData<D::Value>, height: u32) {
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

    fn push(&mut self, frame: Frame) {
        self.control.stack = self.stacks.intern((self.control.stack, frame));
    }

    fn pop(&mut self) -> Frame {
        let (below, frame) = *self.stacks.get(self.control.stack);
        self.control.stack = below;
        frame
    }

    fn run(&mut self, reactions: &mut Vec<Reaction<D::Value>>, budget: &Budget) -> Result<(), Stop> {
        let code = self.code.clone();
        loop {
            self.silent.steps += 1;
            if self.silent.steps.is_multiple_of(PATIENCE) {
                budget.check()?;
            }
            match self.step(&code) {
                Executed::Silent => {}
                Executed::Visible(reaction) => {
                    reactions.push(reaction);
                    return Ok(());
                }
                Executed::Dead => {
                    self.forks.dead_end = true;
                    return Ok(());
                }
                Executed::Elsewhere => {
                    reactions.append(&mut self.forks.found);
                    return Ok(());
                }
                Executed::Finished => return Ok(()),
                Executed::TooLarge(why) => return Err(why),
            }
        }
    }

    /// P asks a free identifier and waits.
    fn wait(
        &mut self,
        (component, giver): (ComponentId, Option<StrandId>),
        element: Option<D::Value>,
        answer: Answer,
        label: Label<D::Value>,
        arguments: Box<[Binding]>,
        pc: Pc,
    ) -> Executed<D::Value> {
        let asked = Move { component, element: element.clone(), label };
        let thread =
            if self.code.threaded && self.numbered { self.lowest_unused(component, giver) } else { 0 };
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

    fn question_offers(&self, question: u32) -> Arc<[Offer<D::Value>]> {
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

    /// The position of a machine that waits for O.
    fn state(&mut self) -> State {
        let bits = self.halves.whole().max(self.control.height as usize);
        let store = self.stores.fold(&mut self.store, bits);
        State::new(self.control.stack, store)
    }
}
