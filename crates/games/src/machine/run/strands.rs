//! Strands: the threads of a concurrent program, and all that they and the environment may do next [SCC, §2, §3].
//!
//! A strand runs, or waits for two others (`||`), or has asked O and waits for the answer; meanwhile O may open further
//! strands in the arguments of that question. So strands form a tree, and a strand that runs has none below it. A cell
//! is kept by the strand that declared it and can be named only there and below: what a strand does to its own cells
//! nobody sees. Strands therefore rest only where they are about to touch another strand's cell or to move visibly,
//! and run on at once between such places.
//!
//! A step that was made once is kept in the [`TransitionCache`], and made again without running the machine.

mod acts;
mod cache;
mod drafts;
mod next;
mod siblings;
mod terms;

use std::ops::Range;
use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::intern::{Interner, Sequences};
use agon_base::source::Span;
use agon_core::checks::Check;
use rustc_hash::FxHashMap;

use super::silent::LoopWatch;
use super::{
    Binding, CallMemo, Control, Executed, Frame, Machine, PATIENCE, Pausing, Pc, Question, ScopeId, StackId,
    State, StrandId,
};
use crate::arena::{Arena, ComponentId};
use crate::machine::code::{ABORT, Code, ENTER_FIRST, Instruction};
use crate::machine::explore::Event;
use crate::machine::store::{Store, StoreId};
use crate::moves::{Label, Move, ThreadMove};
use crate::strategy::{Step, Thread};
use crate::values::{Domain, Exact};
pub use acts::How;
use cache::Piece;
pub use cache::{PieceId, TransitionCache};
use drafts::Draft;
use next::Next;
use siblings::Shapes;

pub(super) use cache::Dependency;
pub(in crate::machine) use cache::{CachedStep, Urgency};

/// How a strand came to be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Branch {
    /// The play began.
    First,
    /// It is the left side of a `||`.
    Left,
    /// It is the right side of a `||`.
    Right,
    /// O asked for an argument, in a thread.
    Asked(ComponentId, u32),
}

/// The control of a paused strand.
type Paused<V> = (Pc, ScopeId, StackId, u32, V);

/// At most this many moves that differ in data only are tried one by one.
const MOST_VALUES: u64 = 1 << 20;

/// The program counter of a strand that makes silent steps for ever, and nothing else.
const SPINNING: Pc = Pc::MAX;

/// A strand pauses after this many steps, so that others run too.
const LONG_RUN: u64 = 1 << 12;

/// What was seen of a step, and the instruction that made it.
type Seen<V> = (Option<ThreadMove<V>>, Pc);

/// The strands that a step changes, and what they become.
type Changes = Vec<(StrandId, PieceId)>;

/// A step whose move has a number.
type Lettered = Step<Option<u32>, Changes, How>;

/// A concurrent program, with everything that grows while it is walked.
pub struct Strands<D: Domain = Exact> {
    machine: Machine<D>,
    paths: Interner<(StrandId, Branch), StrandId>,
    paused: Interner<Paused<D::Value>>,
    pieces: Interner<(StrandId, u32, StoreId), PieceId>,
    letters: Interner<ThreadMove<D::Value>>,
    hows: Interner<How>,
    known: TransitionCache,
    positions: Sequences<PieceId>,
    /// The position at hand.
    position: Vec<PieceId>,
    reduce: bool,
    /// Whether an answer of O's was not one that is assumed, in the step made last.
    pub(super) refused: bool,
    steps: u64,
    /// The moves of P's that do not come first; nothing if none does.
    waiting: Option<Vec<Move<D::Value>>>,
    /// Whether threads of one argument are interchangeable; the arguments, and how their threads have looked.
    symmetric: bool,
    groups: Interner<(StrandId, ComponentId)>,
    shapes: FxHashMap<u32, Shapes>,
}

impl Strands {
    /// The machine of a compiled program. With `reduce`, what a strand does to guarded cells is done at once.
    pub fn new(code: Arc<Code>, arena: Arc<Arena>, reduce: bool) -> Strands {
        Strands::over(code, arena, Exact::default(), reduce)
    }
}

impl<D: Domain> Strands<D> {
    /// The same over any domain.
    pub fn over(code: Arc<Code>, arena: Arc<Arena>, domain: D, reduce: bool) -> Strands<D> {
        let memo = CallMemo { remember_after: u64::MAX, forget: true };
        let machine = Machine::new(code, arena, domain).with_call_memo(memo);
        let mut paths = Interner::default();
        paths.intern((StrandId(0), Branch::First));
        Strands {
            machine,
            paths,
            paused: Interner::default(),
            pieces: Interner::default(),
            letters: Interner::default(),
            hows: Interner::default(),
            known: TransitionCache::default(),
            positions: Sequences::new(),
            position: Vec::new(),
            reduce,
            refused: false,
            steps: 0,
            waiting: None,
            symmetric: false,
            groups: Interner::default(),
            shapes: FxHashMap::default(),
        }
    }

    /// The same, pausing somewhere.
    pub fn with_pausing(mut self, pausing: Pausing) -> Strands<D> {
        self.machine.pauses.pausing = pausing;
        self
    }

    /// The same without thread numbers: moves bear none, so positions that differ in nothing else are one.
    pub fn unnumbered(mut self) -> Strands<D> {
        self.machine.threading.numbered = false;
        self
    }

    /// The same, with moves of P's made before anything else happens, but for those given: a partial-order reduction for the
    /// question whether one of these can be played.
    ///
    /// A move of P's that no number of a thread belongs to changes nothing but its own strand, so it commutes with all that others
    /// do, and nobody prevents it: of all steps at a position that one is enough. What it leads to waits for O or is gone, so
    /// only finitely many such moves follow each other, and every cycle has a position at which all steps are taken.
    pub fn hurrying(mut self, but: Vec<Move<D::Value>>) -> Strands<D> {
        self.waiting = (self.reduce && !self.machine.threading.numbered).then_some(but);
        self.known.hurries = self.waiting.is_some();
        self
    }

    /// Whether steps of a strand are one move of P's that comes first.
    fn is_urgent(&self, steps: &[Lettered]) -> bool {
        let (Some(waiting), [step]) = (&self.waiting, steps) else { return false };
        let Some(letter) = step.label.filter(|_| step.next.is_some() && step.origin.pc().is_some()) else {
            return false;
        };
        let played = &self.letters.get(letter).m;
        played.label != Label::Abort && !waiting.contains(played)
    }

    /// The thread of a strand: machines of the same program number strands differently.
    pub fn thread(&self, strand: StrandId) -> Box<Thread> {
        let mut path = Vec::new();
        let mut at = strand;
        while at != StrandId(0) {
            let (parent, branch) = *self.paths.get(at);
            path.push(branch);
            at = parent;
        }
        path.reverse();
        path.into()
    }

    /// The strand of a thread, if there was one so far.
    pub(super) fn known_strand(&self, thread: &Thread) -> Option<StrandId> {
        thread.iter().try_fold(StrandId(0), |parent, branch| self.paths.find(&(parent, *branch)))
    }

    /// The arena of the game.
    pub fn arena(&self) -> &Arena {
        self.machine.arena()
    }

    /// The code that runs.
    pub fn code(&self) -> &Code {
        self.machine.code()
    }

    /// The checks that were decided in some run so far.
    pub fn decided(&self) -> Vec<Check> {
        let checks = self.code().deciding.iter().map(|(_, check)| *check);
        checks.filter(|check| self.machine.has_decided(*check)).collect()
    }

    /// The position before the opening question.
    pub fn start(&self) -> State {
        State(0)
    }

    /// How many positions were come to so far; they are numbered from 0, the start, in the order in which they were found.
    pub fn positions(&self) -> usize {
        self.positions.len()
    }

    /// How something came about.
    pub fn how(&self, event: &Event) -> &How {
        self.hows.get(event.how.how)
    }

    /// Whether some thread makes silent steps for ever.
    pub fn spins(&self, position: &[PieceId]) -> bool {
        position.iter().any(|id| self.paused.get(self.known.piece(*id).rest).0 == SPINNING)
    }

    /// The domain of the values.
    pub fn domain_mut(&mut self) -> &mut D {
        self.machine.domain_mut()
    }

    /// The domain of the values.
    pub fn domain(&self) -> &D {
        self.machine.domain()
    }

    /// The move of a letter.
    pub fn letter(&self, letter: u32) -> &ThreadMove<D::Value> {
        self.letters.get(letter)
    }

    /// All letters so far, taken away; nothing is known any more.
    pub fn take_letters(&mut self) -> Interner<ThreadMove<D::Value>> {
        self.known = TransitionCache::default();
        self.pieces = Interner::default();
        self.positions = Sequences::new();
        std::mem::take(&mut self.letters)
    }

    /// All that is known about what strands do next.
    pub fn known(&self) -> &TransitionCache {
        &self.known
    }

    #[cfg(test)]
    pub(in crate::machine) fn plant_mistake(&mut self) {
        self.known.plant_mistake();
    }

    /// The memory that the tables take, in bytes.
    pub fn memory(&self) -> usize {
        self.machine.memory()
            + self.positions.memory()
            + self.paused.memory()
            + self.pieces.memory()
            + self.known.memory()
    }

    /// All that can happen next. The reason, if data is unbounded, is the component in which O may give any integer.
    pub fn transitions(
        &mut self,
        state: State,
        found: &mut Vec<Step<Option<ThreadMove<D::Value>>, State>>,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let position = self.positions.get(state.store().0).to_vec();
        let mut next = Vec::new();
        for at in 0..position.len().max(1) {
            let steps = self.find_out(&position, at, budget)?;
            for step in self.known.stretch(steps) {
                let mut to = None;
                if self.known.after(&position, step, &mut next) {
                    to = Some(State(u64::from(self.positions.intern(&next))));
                }
                let label = step.label.map(|letter| self.letters.get(letter).clone());
                found.push(Step { label, next: to, origin: step.origin, how: () });
            }
        }
        Ok(())
    }

    /// Makes known what one strand of a position may do, or what O may do there.
    pub fn find_out(
        &mut self,
        position: &[PieceId],
        at: usize,
        budget: &Budget,
    ) -> Result<Range<usize>, Stop> {
        if let Some(known) = self.known.steps(position, at) {
            return Ok(known);
        }
        self.open(position);
        let steps = self.all_steps((!position.is_empty()).then_some(at), budget)?;
        let hows: Vec<u32> = steps.iter().map(|step| self.hows.intern(step.how.clone())).collect();
        let urgent = self.is_urgent(&steps);
        let dependencies = &self.machine.threading.dependencies;
        Ok(self.known.learn(position, at, dependencies, urgent, steps.into_iter().zip(hows)))
    }

    /// Lets the machine do again what is remembered of a position. A step that is remembered wrongly is a bug, and a panic:
    /// whatever the walk would say is not to be believed.
    pub(in crate::machine) fn confirm(&mut self, position: &[PieceId], budget: &Budget) -> Result<(), Stop> {
        for at in 0..position.len().max(1) {
            let Some(known) = self.known.steps(position, at) else { continue };
            self.open(position);
            let done = self.all_steps((!position.is_empty()).then_some(at), budget)?;
            assert!(self.known.is_what(known, &done), "a remembered step is not what the machine does");
        }
        Ok(())
    }

    /// The places in the program that its threads have come to, of those that wait neither for others nor for O. A
    /// thread that runs for ever without a move has no place.
    pub fn places(&self, position: &[PieceId]) -> Vec<Option<Span>> {
        let mut places = Vec::new();
        for id in position {
            let (pc, _, stack, ..) = self.paused.get(self.known.piece(*id).rest);
            if !matches!(self.machine.frame(*stack), Frame::Wait { .. } | Frame::Join) {
                places.push(Some(self.machine.code.span(*pc)).filter(|span| *span != Span::default()));
            }
        }
        places
    }

    fn enter(&mut self, strand: StrandId, control: &Control<D::Value>) {
        self.machine.threading.strand = strand;
        self.machine.control = control.clone();
        std::mem::swap(&mut self.machine.store, &mut self.machine.threading.segments[strand.index()]);
        self.machine.watch = LoopWatch::new();
        self.machine.forks.pass();
    }

    fn leave(&mut self, strand: StrandId) {
        std::mem::swap(&mut self.machine.store, &mut self.machine.threading.segments[strand.index()]);
    }

    /// Lets a strand make its next step, if it may make one, and then run until it pauses, and so all that it starts or
    /// that waited for it. Gives what was seen of the first step.
    fn advance(
        &mut self,
        draft: &mut Draft<D::Value>,
        strand: StrandId,
        steps: bool,
        budget: &Budget,
    ) -> Result<Seen<D::Value>, Stop> {
        let code = self.machine.code.clone();
        let mut seen = None;
        let mut by = 0;
        let mut first = steps;
        let mut waiting = vec![strand];
        let mut ran = 0;
        while let Some(strand) = waiting.pop() {
            let Some(control) = self.control(draft, strand) else { continue };
            self.enter(strand, &control);
            let mut finished = false;
            loop {
                self.steps += 1;
                if self.steps.is_multiple_of(PATIENCE)
                    && let Err(stop) = budget.check()
                {
                    self.leave(strand);
                    return Err(stop);
                }
                ran += 1;
                let waits = matches!(
                    self.machine.frame(self.machine.control.stack),
                    Frame::Wait { .. } | Frame::Join
                );
                let next = if waits { Next::Nothing } else { self.next(first) };
                if ran > LONG_RUN && !first && (next == Next::Own || next == Next::Fork) {
                    draft.yielded.push(strand);
                    break;
                }
                if next == Next::Fork {
                    let Instruction::Parallel(left, right) =
                        code.instructions[self.machine.control.pc.index()]
                    else {
                        unreachable!("only `||` forks")
                    };
                    self.machine.control.pc.0 += 1;
                    let bindings = [left, right].map(|closure| self.machine.closure(closure, &code));
                    self.machine.push(Frame::Join);
                    for (branch, binding) in [Branch::Left, Branch::Right].into_iter().zip(bindings) {
                        let child = self.paths.intern((strand, branch));
                        self.room(child);
                        self.machine.threading.segments[child.index()] = Store::default();
                        let (pc, scope) = match binding {
                            Binding::Closure { entry, scope } => (entry, scope),
                            other => (ENTER_FIRST, self.machine.scopes.extend(ScopeId(0), other)),
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
                if was_first {
                    by = if pc == ABORT { self.machine.control.scope.0 } else { pc.0 };
                }
                match self.machine.step(&code) {
                    // It pauses, as if it had run for long.
                    Executed::Silent if self.machine.pauses.due.take().is_some() => {
                        draft.yielded.push(strand);
                        break;
                    }
                    Executed::Silent => {}
                    Executed::Visible(reaction) if was_first && next != Next::Shared => {
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
                        let aborts = reaction.label.label == Label::Abort;
                        let threads = if aborts { Vec::new() } else { threads };
                        seen = Some(ThreadMove { m: reaction.label, threads: threads.into() });
                        // Nothing runs after an abort, not even a thread that waited for this one.
                        finished = replies && !aborts;
                        break;
                    }
                    Executed::Visible(_) => {
                        // It aborts, but others may move first.
                        self.rest_for_ever(ABORT, pc);
                        break;
                    }
                    Executed::Dead => {
                        self.rest_for_ever(SPINNING, Pc(0));
                        break;
                    }
                    Executed::Finished => {
                        finished = true;
                        break;
                    }
                    Executed::TooLarge(why) => {
                        self.leave(strand);
                        return Err(why);
                    }
                    Executed::Elsewhere => unreachable!("ways are gone one by one"),
                }
            }
            let mut control = self.machine.control.clone();
            match self.machine.frame(control.stack) {
                Frame::Wait { .. } => {
                    control = Control { stack: control.stack, height: control.height, ..Control::default() }
                }
                Frame::Join => control.acc = D::Value::default(),
                // What was read last is remembered only where it is needed.
                _ if code.instructions.get(control.pc.index()).is_some_and(Instruction::forgets) => {
                    control.acc = D::Value::default();
                }
                _ => {}
            }
            self.leave(strand);
            draft.written.append(&mut self.machine.threading.written);
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
            self.machine.threading.look(Dependency::Presence(sibling));
            if self.stack(draft, sibling).is_some() {
                continue;
            }
            self.machine.threading.look(Dependency::Strand(parent));
            // Both are done: the one that waited goes on.
            if let Some(mut control) = self.control(draft, parent) {
                control.stack = self.machine.stacks.get(control.stack).0;
                draft.set(parent, Some(control));
                waiting.push(parent);
            }
        }
        Ok((seen, Pc(by)))
    }

    /// The strand that runs will only ever do what stands at a place, because of an instruction.
    fn rest_for_ever(&mut self, pc: Pc, because: Pc) {
        let height = self.machine.control.height as usize;
        self.machine.store.clear(0, height.max(64));
        self.machine.control = Control { pc, scope: ScopeId(because.0), ..Control::default() };
    }

    /// The threads that a question of P's is asked in.
    fn threads(&mut self, draft: &Draft<D::Value>, question: u32) -> Vec<u32> {
        if !self.machine.threading.numbered {
            return Vec::new();
        }
        let Question { giver, thread, .. } = *self.machine.questions.get(question);
        let mut threads = giver.map_or(Vec::new(), |giver| self.threads_of_strand(draft, giver));
        threads.push(thread);
        threads
    }

    /// The threads that a question of O's was asked in.
    fn threads_of_strand(&mut self, draft: &Draft<D::Value>, strand: StrandId) -> Vec<u32> {
        if !self.machine.threading.numbered {
            return Vec::new();
        }
        let (parent, Branch::Asked(_, thread)) = *self.paths.get(strand) else { return Vec::new() };
        self.machine.threading.look(Dependency::Control(parent));
        let mut threads = match self.stack(draft, parent).map(|stack| self.machine.frame(stack)) {
            Some(Frame::Wait { question, .. }) => self.threads(draft, question),
            _ => Vec::new(),
        };
        threads.push(thread);
        threads
    }
}
