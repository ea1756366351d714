//! Strands: the threads of a concurrent program, and all that they and the environment may do next [SCC, §2, §3].
//!
//! A strand runs, or waits for two others (`||`), or has asked O and waits for the answer; meanwhile O may open further
//! strands in the arguments of that question. So strands form a tree, and a strand that runs has none below it. A cell
//! is kept by the strand that declared it and can be named only there and below: what a strand does to its own cells
//! nobody sees. Strands therefore rest only where they are about to touch another strand's cell or to move visibly,
//! and run on at once between such places.

mod drafts;
mod next;

use std::rc::Rc;
use std::sync::Arc;

use agon_lang::int::Int;

use drafts::Draft;
use next::Next;

use super::silent::LoopWatch;
use super::{
    Binding, CLOSED, Control, Frame, Interrupted, Machine, Offer, PATIENCE, Pc, ScopeId, StackId, State,
    Step, StrandId, Thrift,
};
use crate::arena::{Arena, ComponentId, OWN};
use crate::intern::Interner;
use crate::machine::code::{ABORT, Code, ENTER_FIRST, Instruction};
use crate::machine::positions::Positions;
use crate::machine::store::{Store, StoreId};
use crate::moves::{Label, ThreadMove};
use crate::values::{Domain, Exact};

/// Something that can happen next.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The move; none if nobody sees it.
    pub label: Option<ThreadMove>,
    /// The position after it; none if the play is complete.
    pub next: Option<State>,
    /// The instruction that made it, if P did.
    pub pc: Option<Pc>,
    /// The argument that O asks for, where it does.
    pub argument: Option<agon_lang::source::Span>,
}

/// How a strand came to be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Branch {
    First,
    Left,
    Right,
    /// O asked for an argument, in a thread.
    Asked(ComponentId, u32),
}

/// The control of a strand that rests.
type Rest = (Pc, ScopeId, StackId, u32, Int);

/// The program counter of a strand that will never do anything again.
const DEAD: Pc = Pc::MAX;

/// A strand of a position.
#[derive(Clone, Copy, Debug)]
struct Entry {
    strand: StrandId,
    rest: u32,
    segment: StoreId,
}

/// A concurrent program, with everything that grows while it is walked.
pub struct Strands {
    machine: Machine<Exact>,
    paths: Interner<(StrandId, Branch)>,
    rests: Interner<Rest>,
    structures: Interner<Box<[StrandId]>>,
    positions: Positions,
    words: Vec<u64>,
    entries: Vec<Entry>,
    reduce: bool,
    steps: u64,
}

impl Strands {
    /// The machine of a compiled program. With `reduce`, what a strand does to guarded cells is done at once.
    pub fn new(code: Arc<Code>, arena: Arc<Arena>, reduce: bool) -> Strands {
        let thrift = Thrift { remember_after: u64::MAX, forget: true };
        let machine = Machine::new(code, arena, Exact::default()).with_thrift(thrift);
        let mut paths = Interner::default();
        paths.intern((0, Branch::First));
        let mut structures = Interner::default();
        structures.intern(Box::default());
        Strands {
            machine,
            paths,
            rests: Interner::default(),
            structures,
            positions: Positions::new(),
            words: Vec::new(),
            entries: Vec::new(),
            reduce,
            steps: 0,
        }
    }

    /// The arena of the game.
    pub fn arena(&self) -> &Arena {
        self.machine.arena()
    }

    /// The code that runs.
    pub fn code(&self) -> &Code {
        self.machine.code()
    }

    /// The position before the opening question.
    pub fn start(&self) -> State {
        State(0)
    }

    /// How many positions were come to so far; they are numbered from 0, the start, in the order in which they were found.
    pub fn positions(&self) -> usize {
        self.positions.len()
    }

    /// The memory that the tables take, in bytes.
    pub fn memory(&self) -> usize {
        self.machine.memory() + self.positions.memory() + self.rests.memory() + self.structures.memory()
    }

    /// All that can happen next. The reason, if data is unbounded, is the component in which O may give any integer.
    pub fn transitions(
        &mut self,
        state: State,
        found: &mut Vec<Transition>,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<(), Halt> {
        self.open(state);
        if self.entries.is_empty() {
            let offers = self.machine.opening.clone();
            for offer in offers.iter() {
                for code in 0..=offer.last.ok_or(Halt::Unbounded(offer.component))? {
                    self.ask(None, offer, code, found, interrupted)?;
                }
            }
            return Ok(());
        }
        for at in 0..self.entries.len() {
            let stack = self.rests.get(self.entries[at].rest).2;
            match self.machine.frame(stack) {
                Frame::Join => {}
                Frame::Wait { question, .. } => {
                    let offers = self.machine.offers[question as usize].clone();
                    self.opponent(at, question, &offers, found, interrupted)?;
                }
                _ => self.proponent(at, found, interrupted)?,
            }
        }
        Ok(())
    }

    /// What P does in a strand that runs.
    fn proponent(
        &mut self,
        at: usize,
        found: &mut Vec<Transition>,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<(), Halt> {
        let Entry { strand, rest, .. } = self.entries[at];
        let control = self.rest(rest);
        self.enter(strand, &control);
        let next = self.next();
        self.leave(strand);
        if matches!(next, Next::Nothing) {
            return Ok(());
        }
        let mut draft = Draft::default();
        let (label, pc) = self.advance(&mut draft, strand, true, interrupted)?;
        let complete = label.as_ref().is_some_and(|m| m.m.component == OWN);
        let next = if complete {
            self.discard(&draft);
            None
        } else {
            Some(self.close(draft))
        };
        found.push(Transition { label, next, pc: Some(pc), argument: None });
        Ok(())
    }

    /// What O does while a question waits.
    fn opponent(
        &mut self,
        at: usize,
        question: u32,
        offers: &Rc<[Offer<Int>]>,
        found: &mut Vec<Transition>,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<(), Halt> {
        let strand = self.entries[at].strand;
        let asked: Vec<ComponentId> = self
            .entries
            .iter()
            .filter_map(|entry| match *self.paths.get(entry.strand) {
                (parent, Branch::Asked(component, _)) if parent == strand => Some(component),
                _ => None,
            })
            .collect();
        for offer in offers.iter() {
            let last = offer.last.ok_or(Halt::Unbounded(offer.component))?;
            if offer.kind.is_question() {
                let component = self.machine.arena.component(offer.component);
                let open = asked.iter().filter(|id| **id == offer.component);
                if open.count() as u64 >= component.bound.unwrap_or(1) {
                    continue;
                }
                for code in 0..=last {
                    self.ask(Some((at, question)), offer, code, found, interrupted)?;
                }
            } else if asked.is_empty() {
                for code in 0..=last {
                    self.answer(at, question, offer, code, found, interrupted)?;
                }
            }
        }
        Ok(())
    }

    /// O opens a strand: with the opening question, or for an argument of a question.
    fn ask(
        &mut self,
        asked: Option<(usize, u32)>,
        offer: &Offer<Int>,
        code: u64,
        found: &mut Vec<Transition>,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<(), Halt> {
        let mut draft = Draft::default();
        let (strand, threads, binding) = match asked {
            None => (0, Vec::new(), None),
            Some((at, question)) => {
                let parent = self.entries[at].strand;
                let thread = (1..)
                    .find(|thread| {
                        let path = (parent, Branch::Asked(offer.component, *thread));
                        !self.entries.iter().any(|entry| *self.paths.get(entry.strand) == path)
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
        let data = offer.parts(&self.machine.domain, &self.machine.arena, code);
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
        self.advance(&mut draft, strand, false, interrupted)?;
        let next = Some(self.close(draft));
        let label = Some(ThreadMove { m, threads: threads.into() });
        found.push(Transition { label, next, pc: None, argument });
        Ok(())
    }

    /// O answers a question.
    fn answer(
        &mut self,
        at: usize,
        question: u32,
        offer: &Offer<Int>,
        code: u64,
        found: &mut Vec<Transition>,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<(), Halt> {
        let mut draft = Draft::default();
        let data = offer.parts(&self.machine.domain, &self.machine.arena, code);
        let m = offer.with(data.clone());
        let threads = self.threads(&draft, question);
        let Entry { strand, rest, .. } = self.entries[at];
        let (below, frame) = *self.machine.stacks.get(self.rests.get(rest).2);
        let Frame::Wait { pc, scope, height, .. } = frame else { unreachable!("the question waits") };
        let acc = data.value.unwrap_or_default();
        draft.set(strand, Some(Control { pc, scope, stack: below, height, trail: 0, acc }));
        self.advance(&mut draft, strand, false, interrupted)?;
        let next = Some(self.close(draft));
        let label = Some(ThreadMove { m, threads: threads.into() });
        found.push(Transition { label, next, pc: None, argument: None });
        Ok(())
    }

    fn enter(&mut self, strand: StrandId, control: &Control<Int>) {
        self.machine.strand = strand;
        self.machine.control = control.clone();
        std::mem::swap(&mut self.machine.store, &mut self.machine.segments[strand as usize]);
        self.machine.watch = LoopWatch::new();
        self.machine.forks.begin(None);
    }

    fn leave(&mut self, strand: StrandId) {
        std::mem::swap(&mut self.machine.store, &mut self.machine.segments[strand as usize]);
    }

    /// Lets a strand make its next step, if it may make one, and then run until it rests, and so all that it starts or
    /// that waited for it. Gives what was seen of the first step.
    fn advance(
        &mut self,
        draft: &mut Draft,
        strand: StrandId,
        steps: bool,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<(Option<ThreadMove>, Pc), Halt> {
        let code = self.machine.code.clone();
        let mut seen = None;
        let mut by = 0;
        let mut first = steps;
        let mut waiting = vec![strand];
        while let Some(strand) = waiting.pop() {
            let Some(control) = self.control(draft, strand) else { continue };
            self.enter(strand, &control);
            let mut finished = false;
            loop {
                self.steps += 1;
                if self.steps.is_multiple_of(PATIENCE) && interrupted() {
                    self.leave(strand);
                    return Err(Halt::Interrupted(Interrupted::Asked));
                }
                let waits = matches!(
                    self.machine.frame(self.machine.control.stack),
                    Frame::Wait { .. } | Frame::Join
                );
                let next = if waits { Next::Nothing } else { self.next() };
                if next == Next::Fork {
                    let Instruction::Parallel(left, right) =
                        code.instructions[self.machine.control.pc as usize]
                    else {
                        unreachable!("only `||` forks")
                    };
                    self.machine.control.pc += 1;
                    let bindings = [left, right].map(|closure| self.machine.closure(closure, &code));
                    self.machine.push(Frame::Join);
                    for (branch, binding) in [Branch::Left, Branch::Right].into_iter().zip(bindings) {
                        let child = self.paths.intern((strand, branch));
                        self.room(child);
                        self.machine.segments[child as usize] = Store::default();
                        let (pc, scope) = match binding {
                            Binding::Closure { entry, scope } => (entry, scope),
                            other => (ENTER_FIRST, self.machine.scopes.extend(0, other)),
                        };
                        draft.set(child, Some(Control { pc, scope, ..Control::default() }));
                        waiting.push(child);
                    }
                    break;
                }
                // The first step may be seen or felt by others; the ones after it may not.
                if !(next == Next::Own || (first && next != Next::Nothing)) {
                    break;
                }
                let was_first = std::mem::replace(&mut first, false);
                let pc = self.machine.control.pc;
                let aborts = pc == ABORT;
                if was_first {
                    by = match (aborts, self.machine.control.acc.to_u64()) {
                        (true, Some(origin)) => origin as Pc,
                        _ => pc,
                    };
                }
                match self.machine.step(&code) {
                    Step::Silent => {}
                    Step::Visible(reaction) if was_first => {
                        let replies = reaction.next.is_none()
                            || !matches!(self.machine.frame(self.machine.control.stack), Frame::Wait { .. });
                        let threads = if replies {
                            self.threads_of_strand(draft, strand)
                        } else {
                            let Frame::Wait { question, .. } = self.machine.frame(self.machine.control.stack)
                            else {
                                unreachable!("a question waits")
                            };
                            self.threads(draft, question)
                        };
                        let threads =
                            if reaction.answer.label == Label::Abort { Vec::new() } else { threads };
                        seen = Some(ThreadMove { m: reaction.answer, threads: threads.into() });
                        finished = replies;
                        break;
                    }
                    Step::Visible(_) => {
                        // It aborts, but others may move first.
                        let origin = Int::from(u64::from(pc));
                        self.rest_for_ever(ABORT, origin);
                        break;
                    }
                    Step::Dead => {
                        self.rest_for_ever(DEAD, Int::ZERO);
                        break;
                    }
                    Step::Finished => {
                        finished = true;
                        break;
                    }
                    Step::TooLarge(why) => {
                        self.leave(strand);
                        return Err(Halt::Interrupted(why));
                    }
                    Step::Elsewhere => unreachable!("exact values do not fork"),
                }
            }
            let mut control = self.machine.control.clone();
            match self.machine.frame(control.stack) {
                Frame::Wait { .. } => {
                    control = Control { stack: control.stack, height: control.height, ..Control::default() }
                }
                Frame::Join => control.acc = Int::ZERO,
                _ => {}
            }
            self.leave(strand);
            draft.written.append(&mut self.machine.written);
            draft.set(strand, (!finished).then_some(control));
            if !finished {
                continue;
            }
            let (parent, branch) = *self.paths.get(strand);
            let sibling = match branch {
                Branch::Left => Branch::Right,
                Branch::Right => Branch::Left,
                Branch::First | Branch::Asked(..) => continue,
            };
            let sibling = self.paths.intern((parent, sibling));
            if self.stack(draft, sibling).is_some() {
                continue;
            }
            // Both are done: the one that waited goes on.
            if let Some(mut control) = self.control(draft, parent) {
                control.stack = self.machine.stacks.get(control.stack).0;
                draft.set(parent, Some(control));
                waiting.push(parent);
            }
        }
        Ok((seen, by))
    }

    /// The strand that runs will only ever do what stands at a place.
    fn rest_for_ever(&mut self, pc: Pc, acc: Int) {
        let height = self.machine.control.height as usize;
        self.machine.store.clear(0, height.max(64));
        self.machine.control = Control { pc, acc, ..Control::default() };
    }

    /// The threads that a question of P's is asked in.
    fn threads(&self, draft: &Draft, question: u32) -> Vec<u32> {
        let question = self.machine.questions.get(question);
        let mut threads = question.giver.map_or(Vec::new(), |giver| self.threads_of_strand(draft, giver));
        threads.push(question.thread);
        threads
    }

    /// The threads that a question of O's was asked in.
    fn threads_of_strand(&self, draft: &Draft, strand: StrandId) -> Vec<u32> {
        let (parent, Branch::Asked(_, thread)) = *self.paths.get(strand) else { return Vec::new() };
        let mut threads = match self.stack(draft, parent).map(|stack| self.machine.frame(stack)) {
            Some(Frame::Wait { question, .. }) => self.threads(draft, question),
            _ => Vec::new(),
        };
        threads.push(thread);
        threads
    }
}

/// Why a position could not be left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halt {
    /// It was called off, or there is no room.
    Interrupted(Interrupted),
    /// The environment may give any integer in this component.
    Unbounded(ComponentId),
}

impl<D: Domain> Machine<D> {
    /// The lowest number that no question open at the same place has.
    pub(super) fn lowest_unused(&self, component: ComponentId, giver: Option<StrandId>) -> u32 {
        (1..).find(|thread| !self.open.contains(&(component, giver, *thread))).unwrap_or(1)
    }

    /// One place of a semaphore more, or one less, is taken.
    pub(super) fn count(&mut self, cell: Binding, grabs: bool) {
        let Binding::Cell { slot, strand, offset } = cell else { unreachable!("semaphores are cells") };
        let width = self.widths[slot.0 as usize];
        let store = self.cells_of(strand);
        let taken = store.get(offset as usize, width);
        store.set(offset as usize, width, if grabs { taken + 1 } else { taken - 1 });
    }
}
