//! Running the machine: from a move of O's to P's answer to it.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use agon_lang::int::Int;
use agon_lang::types::{Data, Type};
use rustc_hash::FxHashMap;

use super::code::{
    Closure, ClosureId, Code, DataId, ENTER_FIRST, FormulaId, FormulaStep, Instruction, Pc, RETURN, SlotId,
};
use super::offers::{Offer, OfferKind, opening, questions};
use super::store::{Store, StoreId, StoreTable};
use crate::arena::{Arena, ComponentId, OWN};
use crate::intern::Interner;
use crate::moves::{Label, Move};
use crate::values::{Domain, Outcome, Truth};

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

/// All scopes, by content: each is another one and one more variable. Short ones are also kept flat.
struct Scopes {
    table: Interner<(ScopeId, Binding)>,
    shapes: Vec<ScopeShape>,
    captured: FxHashMap<(ScopeId, ClosureId), ScopeId>,
}

struct ScopeShape {
    len: u32,
    /// The first variables of the scope; all of them if it is short.
    flat: std::rc::Rc<[Binding]>,
}

/// Longer scopes are walked.
const SHORT: usize = 64;

impl Scopes {
    /// The scope of no variables is 0.
    fn new() -> Scopes {
        let mut table = Interner::default();
        table.intern((0, Binding::Free(OWN)));
        let shapes = vec![ScopeShape { len: 0, flat: [].into() }];
        Scopes { table, shapes, captured: FxHashMap::default() }
    }

    fn extend(&mut self, scope: ScopeId, binding: Binding) -> ScopeId {
        let (id, new) = self.table.insert((scope, binding));
        if new {
            let outer = &self.shapes[scope as usize];
            let flat = if outer.flat.len() == outer.len as usize && outer.flat.len() < SHORT {
                outer.flat.iter().copied().chain([binding]).collect()
            } else {
                outer.flat.clone()
            };
            self.shapes.push(ScopeShape { len: outer.len + 1, flat });
        }
        id
    }

    /// The scope without its innermost variable.
    fn outer(&self, scope: ScopeId) -> ScopeId {
        self.table.get(scope).0
    }

    fn capture(&mut self, scope: ScopeId, closure: ClosureId, captures: &[u32]) -> ScopeId {
        if let Some(known) = self.captured.get(&(scope, closure)) {
            return *known;
        }
        let mut id = 0;
        for index in captures {
            id = self.extend(id, self.get(scope, *index));
        }
        self.captured.insert((scope, closure), id);
        id
    }

    fn get(&self, mut scope: ScopeId, index: u32) -> Binding {
        let shape = &self.shapes[scope as usize];
        if let Some(binding) = shape.flat.get(index as usize) {
            return *binding;
        }
        while self.shapes[scope as usize].len > index + 1 {
            scope = self.table.get(scope).0;
        }
        self.table.get(scope).1
    }

    fn memory(&self) -> usize {
        self.table.memory() + self.shapes.len() * (size_of::<ScopeShape>() + SHORT * size_of::<Binding>() / 2)
    }
}

/// Finds out that a run which makes no visible move will never make one: Brent's algorithm over loop heads.
#[derive(Default)]
struct LoopWatch {
    saved: Option<(Pc, ScopeId, StackId, StoreId)>,
    seen: u64,
    until: u64,
}

/// Calls that P made without a visible move, remembered by closure and store once a run gets long: a definition
/// that uses another twice, and so on thirty times over, then takes thirty calls and not a billion.
struct SilentCalls<V> {
    /// The steps of the run so far.
    steps: u64,
    results: FxHashMap<CallKey, (V, StoreId)>,
    /// The calls under way, with the stack to which they will return.
    open: Vec<(StackId, CallKey)>,
}

type CallKey = (Pc, ScopeId, u32, StoreId);

/// What the machine does to save work. Every choice gives the same plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thrift {
    /// After so many steps of one run, calls that make no visible move are remembered.
    pub remember_after: u64,
}

impl Default for Thrift {
    fn default() -> Thrift {
        Thrift { remember_after: 1 << 14 }
    }
}

/// No more calls than this are remembered.
const MOST_CALLS: usize = 1 << 20;
/// Every so many steps the caller is asked whether to go on.
const PATIENCE: u64 = 1 << 12;

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
            silent: SilentCalls { steps: 0, results: FxHashMap::default(), open: Vec::new() },
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
        self.watch = LoopWatch { saved: None, seen: 0, until: 16 };
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

    fn step(&mut self, code: &Code) -> Step<D::Value> {
        let pc = self.control.pc;
        self.control.pc += 1;
        match &code.instructions[pc as usize] {
            Instruction::Evaluate(formula) => {
                if let Err(step) = self.formula(*formula, code) {
                    return step;
                }
                self.control.acc = self.operands.pop().expect("a formula has a value");
            }
            Instruction::Unary(operator) => {
                let outcome = self.domain.unary(*operator, &self.control.acc);
                return self.take(outcome, pc);
            }
            Instruction::BinaryRight(operator, formula) => {
                if let Err(step) = self.formula(*formula, code) {
                    return step;
                }
                let right = self.operands.pop().expect("a formula has a value");
                let outcome = self.domain.binary(*operator, &self.control.acc, &right);
                return self.take(outcome, pc);
            }
            Instruction::BinaryLeft(operator, formula) => {
                if let Err(step) = self.formula(*formula, code) {
                    return step;
                }
                let left = self.operands.pop().expect("a formula has a value");
                let outcome = self.domain.binary(*operator, &left, &self.control.acc);
                return self.take(outcome, pc);
            }
            Instruction::BinarySaved(operator, slot) => {
                let left = self.restore(*slot);
                let outcome = self.domain.binary(*operator, &left, &self.control.acc);
                return self.take(outcome, pc);
            }
            Instruction::Wrap(data) => {
                let outcome = self.domain.wrap(&code.data[data.0 as usize], &self.control.acc);
                return self.take(outcome, pc);
            }
            Instruction::Save(slot) => {
                let acc = self.control.acc.clone();
                self.save_exactly(*slot, &acc);
            }
            Instruction::Restore(slot) => self.control.acc = self.restore(*slot),
            Instruction::Jump(to) => self.control.pc = *to,
            Instruction::JumpIfZero(to) => match self.domain.truth(&self.control.acc) {
                Truth::True => {}
                Truth::False => self.control.pc = *to,
                Truth::Either => {
                    let mut other = self.control.clone();
                    other.pc = *to;
                    self.fork(other);
                }
            },
            Instruction::LoopHead => return self.loop_head(),
            Instruction::New(slot) => return self.new_cells(*slot, code, pc),
            Instruction::Drop(slot) => {
                self.set_height(self.control.height - self.size(*slot));
                self.control.scope = self.scopes.outer(self.control.scope);
            }
            Instruction::Store(index) => {
                let acc = self.control.acc.clone();
                return self.store_cell(self.scopes.get(self.control.scope, *index), 0, &acc);
            }
            Instruction::LoadElement(index) => {
                let array = self.scopes.get(self.control.scope, *index);
                let at = self.control.acc.clone();
                return self.element(array, &at, pc, |machine, at| {
                    machine.control.acc = machine.load(array, at);
                    Step::Silent
                });
            }
            Instruction::StoreElement(index, formula) => {
                if let Err(step) = self.formula(*formula, code) {
                    return step;
                }
                let at = self.operands.pop().expect("a formula has a value");
                let array = self.scopes.get(self.control.scope, *index);
                let acc = self.control.acc.clone();
                return self.element(array, &at, pc, |machine, at| machine.store_cell(array, at, &acc));
            }
            Instruction::StoreElementSaved(index, slot) => {
                let value = self.restore(*slot);
                let at = self.control.acc.clone();
                let array = self.scopes.get(self.control.scope, *index);
                return self.element(array, &at, pc, |machine, at| machine.store_cell(array, at, &value));
            }
            Instruction::Bind(closure) => {
                let binding = self.closure(*closure, code);
                self.control.scope = self.scopes.extend(self.control.scope, binding);
            }
            Instruction::Unbind => self.control.scope = self.scopes.outer(self.control.scope),
            Instruction::BindArgument => {
                let Frame::Argument(binding) = self.pop() else {
                    unreachable!("a procedure has an argument")
                };
                self.control.scope = self.scopes.extend(self.control.scope, binding);
            }
            Instruction::PushReturn(to) => {
                let Control { scope, height, .. } = self.control;
                self.push(Frame::Return { pc: *to, scope, height });
            }
            Instruction::PushArgument(closure) => {
                let binding = self.closure(*closure, code);
                self.push(Frame::Argument(binding));
            }
            Instruction::PushRead => self.push(Frame::Read),
            Instruction::PushWrite(slot) => {
                let acc = self.control.acc.clone();
                let offset = self.save_exactly(*slot, &acc);
                self.push(Frame::Write { slot: *slot, offset });
            }
            Instruction::PushElement(slot) => {
                let acc = self.control.acc.clone();
                let offset = self.save_exactly(*slot, &acc);
                self.push(Frame::Element { slot: *slot, offset });
            }
            Instruction::PushWrap(data) => self.push(Frame::Wrap(*data)),
            Instruction::Enter(index) => {
                let binding = self.scopes.get(self.control.scope, *index);
                return self.enter_from(binding, pc);
            }
            Instruction::EnterFree(component) => return self.enter_from(Binding::Free(*component), pc),
            Instruction::Return => return self.come_back(pc),
            Instruction::Call(component, closures) => {
                let arguments = closures.iter().map(|closure| self.closure(*closure, code)).collect();
                let (answer, label) = match self.arena.component(*component).base {
                    Type::Com => (Answer::Done, Label::Run),
                    _ => (Answer::Value, Label::Ask),
                };
                return self.wait(*component, None, answer, label, arguments, pc);
            }
            Instruction::Read(component) => {
                return self.wait(*component, None, Answer::Value, Label::Read, Box::new([]), pc);
            }
            Instruction::Write(component) => {
                let value = self.control.acc.clone();
                return self.wait(*component, None, Answer::Ok, Label::Write(value), Box::new([]), pc);
            }
            Instruction::ReadElement(component) => {
                let at = self.control.acc.clone();
                return self.free_element(*component, &at, pc, |machine, at| {
                    machine.wait(*component, Some(at), Answer::Value, Label::Read, Box::new([]), pc)
                });
            }
            Instruction::WriteElement(component, slot) => {
                let value = self.restore(*slot);
                let at = self.control.acc.clone();
                return self.free_element(*component, &at, pc, |machine, at| {
                    let label = Label::Write(value.clone());
                    machine.wait(*component, Some(at), Answer::Ok, label, Box::new([]), pc)
                });
            }
            Instruction::BindLabel(restart) => {
                let label = Binding::Label { stack: self.control.stack, restart: *restart };
                self.control.scope = self.scopes.extend(self.control.scope, label);
            }
            Instruction::Goto(index) => {
                let label = self.scopes.get(self.control.scope, *index);
                let Binding::Label { stack, restart } = label else { unreachable!("jumps go to labels") };
                // The calls that the jump leaves give no result.
                self.silent.open.clear();
                self.ambiguous |= self.leaves_nested_question(stack);
                self.control.stack = stack;
                match (restart, self.frame(stack)) {
                    (Some(pc), Frame::Return { scope, height, .. }) => {
                        self.set_height(height);
                        self.control.scope = self.scopes.extend(scope, label);
                        self.control.pc = pc;
                    }
                    _ => return self.come_back(pc),
                }
            }
            Instruction::Abort => return self.abort(pc),
            Instruction::Diverge => return Step::Dead,
        }
        Step::Silent
    }

    /// Whether a jump to a stack leaves a question of O's while another at the same component waits below: an answer
    /// there, as moves are written, no longer tells which of the two it answers.
    fn leaves_nested_question(&self, to: StackId) -> bool {
        let mut left = Vec::new();
        let mut stack = self.control.stack;
        while stack != to && stack != CLOSED {
            if let Frame::Reply { component, .. } = self.frame(stack) {
                left.push(component);
            }
            stack = self.stacks.get(stack).0;
        }
        while !left.is_empty() && stack != CLOSED {
            if let Frame::Reply { component, .. } = self.frame(stack)
                && left.contains(&component)
            {
                return true;
            }
            stack = self.stacks.get(stack).0;
        }
        false
    }

    fn abort(&self, pc: Pc) -> Step<D::Value> {
        let answer = Move { component: OWN, element: None, label: Label::Abort };
        Step::Visible(Reaction { answer, next: None, pc })
    }

    /// Takes one outcome into the accumulator, the others as alternatives.
    fn take(&mut self, outcome: Outcome<D::Value>, pc: Pc) -> Step<D::Value> {
        self.choose(outcome, pc, |machine, value| {
            machine.control.acc = value;
            Step::Silent
        })
    }

    /// Goes on with one outcome; what remains of the others is run later from where each leads.
    fn choose<T>(
        &mut self,
        outcome: Outcome<T>,
        pc: Pc,
        mut then: impl FnMut(&mut Self, T) -> Step<D::Value>,
    ) -> Step<D::Value> {
        match outcome {
            Outcome::One(thing) => then(self, thing),
            Outcome::Fails => self.abort(pc),
            Outcome::Many(things) => {
                let (control, store) = (self.control.clone(), self.store.clone());
                let mut first = None;
                for thing in things.into_iter().rev() {
                    self.control = control.clone();
                    self.store = store.clone();
                    let step = match thing {
                        Some(thing) => then(self, thing),
                        None => self.abort(pc),
                    };
                    match step {
                        Step::Silent => {
                            let other = self.control.clone();
                            self.fork(other);
                        }
                        visible => first = Some(visible),
                    }
                }
                match first {
                    Some(step) => step,
                    None => match self.alternatives.pop() {
                        Some((control, store)) => {
                            self.control = control;
                            self.store = store;
                            Step::Silent
                        }
                        None => Step::Dead,
                    },
                }
            }
        }
    }

    fn fork(&mut self, control: Control<D::Value>) {
        self.forked = true;
        self.silent.open.clear();
        self.alternatives.push((control, self.store.clone()));
    }

    /// Evaluates a formula onto the operands; where it cannot, says what the machine does instead.
    fn formula(&mut self, id: FormulaId, code: &Code) -> Result<(), Step<D::Value>> {
        let formula = &code.formulas[id.0 as usize];
        for step in &formula.steps {
            let outcome = match step {
                FormulaStep::Number(n) => Outcome::One(self.domain.number(n)),
                FormulaStep::Load(index) => {
                    Outcome::One(self.load(self.scopes.get(self.control.scope, *index), 0))
                }
                FormulaStep::LoadElement(index) => {
                    let at = self.operands.pop().expect("an index comes first");
                    let array = self.scopes.get(self.control.scope, *index);
                    match self.domain.element(self.length(array), &at) {
                        Outcome::One(at) => Outcome::One(self.load(array, at)),
                        Outcome::Fails => Outcome::Fails,
                        Outcome::Many(several) => Outcome::Many(
                            several.into_iter().map(|at| at.map(|at| self.load(array, at))).collect(),
                        ),
                    }
                }
                FormulaStep::Unary(operator) => {
                    let a = self.operands.pop().expect("an operand comes first");
                    self.domain.unary(*operator, &a)
                }
                FormulaStep::Binary(operator) => {
                    let b = self.operands.pop().expect("operands come first");
                    let a = self.operands.pop().expect("operands come first");
                    self.domain.binary(*operator, &a, &b)
                }
                FormulaStep::Wrap(data) => {
                    let a = self.operands.pop().expect("an operand comes first");
                    self.domain.wrap(&code.data[data.0 as usize], &a)
                }
            };
            match outcome {
                Outcome::One(value) => self.operands.push(value),
                Outcome::Fails => {
                    self.operands.clear();
                    return Err(self.abort(self.control.pc - 1));
                }
                Outcome::Many(_) => unreachable!("this version's domains are deterministic"),
            }
        }
        Ok(())
    }

    fn size(&self, slot: SlotId) -> u32 {
        let length = self.code.slots[slot.0 as usize].length.unwrap_or(1);
        let bits = u64::from(self.widths[slot.0 as usize]) * length;
        u32::try_from(bits).expect("larger arrays are not made")
    }

    fn set_height(&mut self, height: u32) {
        self.store.clear(height as usize, self.control.height as usize);
        self.control.height = height;
    }

    /// Puts a value, already in range, on the store.
    fn save_exactly(&mut self, slot: SlotId, value: &D::Value) -> u32 {
        let offset = self.control.height;
        let width = self.widths[slot.0 as usize];
        if let Outcome::One(bits) = self.domain.encode(&self.code.slots[slot.0 as usize], value) {
            self.store.set(offset as usize, width, bits);
        }
        self.control.height += width;
        offset
    }

    /// Takes the topmost value from the store.
    fn restore(&mut self, slot: SlotId) -> D::Value {
        let height = self.control.height - self.widths[slot.0 as usize];
        let value = self.saved(slot, height);
        self.set_height(height);
        value
    }

    fn saved(&self, slot: SlotId, offset: u32) -> D::Value {
        let bits = self.store.get(offset as usize, self.widths[slot.0 as usize]);
        self.domain.decode(&self.code.slots[slot.0 as usize], bits)
    }

    fn new_cells(&mut self, slot: SlotId, code: &Code, pc: Pc) -> Step<D::Value> {
        let offset = self.control.height;
        let width = self.widths[slot.0 as usize];
        let length = code.slots[slot.0 as usize].length.unwrap_or(1);
        if u64::from(offset).saturating_add(u64::from(width).saturating_mul(length)) > LARGEST_STORE {
            return Step::TooLarge;
        }
        let acc = self.control.acc.clone();
        let outcome = self.domain.encode(&code.slots[slot.0 as usize], &acc);
        let size = self.size(slot);
        self.choose(outcome, pc, |machine, bits| {
            if bits != 0 {
                for n in 0..length as usize {
                    machine.store.set(offset as usize + n * width as usize, width, bits);
                }
            }
            machine.control.height = offset + size;
            let cell = Binding::Cell { slot, offset };
            machine.control.scope = machine.scopes.extend(machine.control.scope, cell);
            Step::Silent
        })
    }

    fn length(&self, array: Binding) -> u64 {
        match array {
            Binding::Cell { slot, .. } => self.code.slots[slot.0 as usize].length.unwrap_or(1),
            _ => unreachable!("an array is made of cells"),
        }
    }

    fn load(&self, cell: Binding, at: u64) -> D::Value {
        let Binding::Cell { slot, offset } = cell else { unreachable!("cells are loaded") };
        let width = self.widths[slot.0 as usize];
        let bits = self.store.get(offset as usize + at as usize * width as usize, width);
        self.domain.decode(&self.code.slots[slot.0 as usize], bits)
    }

    fn store_cell(&mut self, cell: Binding, at: u64, value: &D::Value) -> Step<D::Value> {
        let Binding::Cell { slot, offset } = cell else { unreachable!("cells are stored to") };
        let width = self.widths[slot.0 as usize];
        let outcome = self.domain.encode(&self.code.slots[slot.0 as usize], value);
        let pc = self.control.pc;
        self.choose(outcome, pc, |machine, bits| {
            machine.store.set(offset as usize + at as usize * width as usize, width, bits);
            Step::Silent
        })
    }

    fn element(
        &mut self,
        array: Binding,
        at: &D::Value,
        pc: Pc,
        then: impl FnMut(&mut Self, u64) -> Step<D::Value>,
    ) -> Step<D::Value> {
        let outcome = self.domain.element(self.length(array), at);
        self.choose(outcome, pc, then)
    }

    fn free_element(
        &mut self,
        component: ComponentId,
        at: &D::Value,
        pc: Pc,
        mut then: impl FnMut(&mut Self, D::Value) -> Step<D::Value>,
    ) -> Step<D::Value> {
        let Type::Array(_, length) = self.arena.component(component).base else {
            unreachable!("only arrays are indexed")
        };
        let outcome = self.domain.element(length, at);
        let at = at.clone();
        self.choose(outcome, pc, |machine, _| then(machine, at.clone()))
    }

    fn closure(&mut self, id: ClosureId, code: &Code) -> Binding {
        match &code.closures[id.0 as usize] {
            Closure::Alias(index) => self.scopes.get(self.control.scope, *index),
            Closure::Free(component) => Binding::Free(*component),
            Closure::Code { entry, captures } => Binding::Closure {
                entry: *entry,
                scope: self.scopes.capture(self.control.scope, id, captures),
            },
        }
    }

    fn loop_head(&mut self) -> Step<D::Value> {
        let Control { pc, scope, stack, height, .. } = self.control;
        if self.forked {
            let store = self.stores.fold(&mut self.store, height as usize);
            return if self.heads.insert((pc, scope, stack, store)) { Step::Silent } else { Step::Dead };
        }
        self.watch.seen += 1;
        // The first rounds of a loop are not worth looking at.
        if self.watch.until == 16 && self.watch.seen < 16 {
            return Step::Silent;
        }
        let now = (pc, scope, stack, self.stores.fold(&mut self.store, height as usize));
        if self.watch.saved == Some(now) {
            return Step::Dead;
        }
        if self.watch.seen >= self.watch.until {
            self.watch = LoopWatch { saved: Some(now), seen: 0, until: self.watch.until * 2 };
        }
        Step::Silent
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

    fn enter_from(&mut self, binding: Binding, pc: Pc) -> Step<D::Value> {
        match binding {
            Binding::Closure { entry, scope } => {
                self.control.pc = entry;
                self.control.scope = scope;
                if self.silent.steps > self.thrift.remember_after {
                    return self.remembered(entry, scope, pc);
                }
                Step::Silent
            }
            Binding::Cell { .. } | Binding::Free(_) => self.access(binding, pc),
            Binding::Label { .. } => unreachable!("labels are jumped to"),
        }
    }

    fn enter(&mut self, binding: Binding) {
        match binding {
            Binding::Closure { entry, scope } => {
                self.control.pc = entry;
                self.control.scope = scope;
            }
            // An argument that is a variable as it is: accessed by the first step of the run.
            other => {
                self.control.scope = self.scopes.extend(0, other);
                self.control.pc = ENTER_FIRST;
            }
        }
    }

    /// In a long run, a call that was made before with the same store is not made again.
    fn remembered(&mut self, entry: Pc, scope: ScopeId, pc: Pc) -> Step<D::Value> {
        // Only plain calls: nothing but a value is asked for.
        if self.forked || !matches!(self.frame(self.control.stack), Frame::Return { .. }) {
            return Step::Silent;
        }
        let height = self.control.height;
        let store = self.stores.fold(&mut self.store, height as usize);
        let key = (entry, scope, height, store);
        if let Some((value, store)) = self.silent.results.get(&key) {
            self.control.acc = value.clone();
            self.stores.unfold(*store, height as usize, &mut self.store);
            return self.come_back(pc);
        }
        self.silent.open.push((self.control.stack, key));
        Step::Silent
    }

    /// The value in the accumulator goes to whoever waits for it.
    fn come_back(&mut self, pc: Pc) -> Step<D::Value> {
        loop {
            while let Some((stack, key)) = self.silent.open.last().copied() {
                if stack != self.control.stack {
                    break;
                }
                self.silent.open.pop();
                self.set_height(key.2);
                let store = self.stores.fold(&mut self.store, key.2 as usize);
                if self.silent.results.len() < MOST_CALLS {
                    self.silent.results.insert(key, (self.control.acc.clone(), store));
                }
            }
            match self.pop() {
                Frame::Return { pc, scope, height } => {
                    self.set_height(height);
                    self.control.pc = pc;
                    self.control.scope = scope;
                    return Step::Silent;
                }
                Frame::WrapResult(data) => {
                    match self.domain.wrap(&self.code.data[data.0 as usize], &self.control.acc) {
                        Outcome::One(value) => self.control.acc = value,
                        other => {
                            self.control.pc = RETURN;
                            return self.take(other, pc);
                        }
                    }
                }
                Frame::Reply { component, element, height, answer } => {
                    self.set_height(height);
                    let label = match answer {
                        Answer::Done => Label::Done,
                        Answer::Ok => Label::Ok,
                        Answer::Value => Label::Value(self.control.acc.clone()),
                    };
                    let element = element.map(|id| self.elements.get(id).clone());
                    let answer = Move { component, element, label };
                    let next = (component != OWN).then(|| self.state());
                    return Step::Visible(Reaction { answer, next, pc });
                }
                other => unreachable!("a value came back to {other:?}"),
            }
        }
    }

    /// A cell or a free identifier is given what is asked of it on the stack.
    fn access(&mut self, binding: Binding, pc: Pc) -> Step<D::Value> {
        let mut element = None;
        let mut wraps = Vec::new();
        let mut arguments = Vec::new();
        loop {
            match self.frame(self.control.stack) {
                Frame::Argument(argument) => {
                    self.pop();
                    arguments.push(argument);
                }
                Frame::Element { slot, offset } => {
                    self.pop();
                    element = Some(self.saved(slot, offset));
                }
                Frame::Wrap(data) => {
                    self.pop();
                    wraps.push(data);
                }
                Frame::Read => {
                    self.pop();
                    return self.read_access(binding, element, &wraps, arguments.into(), pc);
                }
                Frame::Write { slot, offset } => {
                    self.pop();
                    let mut value = self.saved(slot, offset);
                    // From the outside in, as it crosses each type.
                    for data in wraps.iter().rev() {
                        if let Outcome::One(wrapped) =
                            self.domain.wrap(&self.code.data[data.0 as usize], &value)
                        {
                            value = wrapped;
                        }
                    }
                    return self.write_access(binding, element, &value, arguments.into(), pc);
                }
                _ => {
                    let Binding::Free(component) = binding else { unreachable!("a cell is read or written") };
                    let (answer, label) = match self.arena.component(component).base {
                        Type::Com => (Answer::Done, Label::Run),
                        _ => (Answer::Value, Label::Ask),
                    };
                    self.wait_to_return(&arguments);
                    return self.wait(component, None, answer, label, arguments.into(), pc);
                }
            }
        }
    }

    /// What comes next, after an answer, is to give it on.
    fn wait_to_return(&mut self, arguments: &[Binding]) {
        self.control.pc = RETURN;
        self.control.scope = 0;
        // Arguments may use all cells there are. Without them, nothing is needed any more for the answer.
        if !arguments.is_empty() {
            return;
        }
        let height = match self.frame(self.control.stack) {
            Frame::Return { height, .. } | Frame::Reply { height, .. } => height,
            _ => self.control.height,
        };
        self.set_height(height);
    }

    fn read_access(
        &mut self,
        binding: Binding,
        element: Option<D::Value>,
        wraps: &[DataId],
        arguments: Box<[Binding]>,
        pc: Pc,
    ) -> Step<D::Value> {
        // The last to be applied goes first on the stack.
        for data in wraps.iter().rev() {
            self.push(Frame::WrapResult(*data));
        }
        match (binding, element) {
            (Binding::Free(component), None) => {
                self.wait_to_return(&arguments);
                self.wait(component, None, Answer::Value, Label::Read, arguments, pc)
            }
            (Binding::Free(component), Some(at)) => {
                self.wait_to_return(&arguments);
                self.free_element(component, &at, pc, |machine, at| {
                    machine.wait(component, Some(at), Answer::Value, Label::Read, arguments.clone(), pc)
                })
            }
            (_, None) => {
                self.control.acc = self.load(binding, 0);
                self.come_back(pc)
            }
            (_, Some(at)) => self.element(binding, &at, pc, |machine, at| {
                machine.control.acc = machine.load(binding, at);
                machine.come_back(pc)
            }),
        }
    }

    fn write_access(
        &mut self,
        binding: Binding,
        element: Option<D::Value>,
        value: &D::Value,
        arguments: Box<[Binding]>,
        pc: Pc,
    ) -> Step<D::Value> {
        match (binding, element) {
            (Binding::Free(component), None) => {
                self.wait_to_return(&arguments);
                let value = self.in_range(component, value);
                self.wait(component, None, Answer::Ok, Label::Write(value), arguments, pc)
            }
            (Binding::Free(component), Some(at)) => {
                self.wait_to_return(&arguments);
                let value = self.in_range(component, value);
                self.free_element(component, &at, pc, |machine, at| {
                    let label = Label::Write(value.clone());
                    machine.wait(component, Some(at), Answer::Ok, label, arguments.clone(), pc)
                })
            }
            (_, element) => {
                let value = self.in_cell(binding, value);
                let at = element.unwrap_or_else(|| self.domain.number(&Int::ZERO));
                self.element(binding, &at, pc, |machine, at| match machine.store_cell(binding, at, &value) {
                    Step::Silent => machine.come_back(pc),
                    other => other,
                })
            }
        }
    }

    fn in_range(&self, component: ComponentId, value: &D::Value) -> D::Value {
        match self.arena.data(component).map(|data| self.domain.wrap(data, value)) {
            Some(Outcome::One(value)) => value,
            _ => value.clone(),
        }
    }

    fn in_cell(&self, cell: Binding, value: &D::Value) -> D::Value {
        let Binding::Cell { slot, .. } = cell else { unreachable!("cells are stored to") };
        match &self.code.slots[slot.0 as usize].shape {
            crate::values::Shape::Data(data) => match self.domain.wrap(data, value) {
                Outcome::One(value) => value,
                _ => value.clone(),
            },
            crate::values::Shape::Range(..) => value.clone(),
        }
    }
}
