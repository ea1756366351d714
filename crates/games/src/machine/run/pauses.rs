//! Runs with pauses: each path by itself, from one place where the run pauses to the next.
//!
//! Where it pauses, the caller may put other contents into the store before the run goes on. So predicate
//! abstraction is done to a machine that runs over terms.

use std::convert::Infallible;

use agon_base::budget::{Budget, Stop};
use agon_base::explore::depth_first;
use agon_base::id::{number, size};
use agon_base::int::Int;
use rustc_hash::{FxHashMap, FxHashSet};

use super::silent::LoopWatch;
use super::{
    Binding, CLOSED, Control, Executed, Frame, Machine, OfferData, PATIENCE, Reaction, ScopeId, StackId,
    State, StrandId,
};
use crate::arena::ComponentId;
use crate::machine::code::{Code, Index, Instruction, Pc, RETURN};
use crate::machine::offers::Offer;
use crate::strategy::{Origin, Step};
use crate::symbolic::{self, Judge, Symbolic};
use crate::values::{Arithmetic, CellId, Domain};

/// Where runs pause.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pausing {
    /// Nowhere.
    #[default]
    Never,
    /// Where a loop starts over that may end or not, and where one has gone round very often.
    Loops,
    /// Where a loop starts over, whether or not it is decided how often it does.
    Heads,
    /// Behind every assignment and every branch that is undecided: each is a step of its own [PRED, §3].
    Steps,
}

/// What a run has come to.
#[derive(Clone, Debug)]
pub enum Told<V> {
    /// It makes no further move, or it was not to go on.
    Nothing,
    /// P moves. Whether the last thing before was an assignment.
    Move(Reaction<V>, bool),
    /// It has paused on its way. Whether behind an assignment.
    Paused(Step<(), State>, bool),
}

/// Why a run is to pause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pause {
    Store,
    Branch,
    Round,
}

/// The loops that a run has passed since it paused.
#[derive(Default)]
pub(super) struct Rounds {
    /// The heads of loops of which it was undecided whether they end.
    undecided: FxHashSet<Pc>,
    passed: FxHashMap<(Pc, ScopeId, StackId), Passed>,
    /// The heads of loops with the numbers that were known there.
    known: FxHashSet<(Pc, ScopeId, StackId, Numbers)>,
    /// How many branches, and how many operations, were undecided.
    branches: u32,
    pub(super) operations: u32,
}

/// Where runs pause.
#[derive(Default)]
pub(super) struct Pauses {
    pub(super) pausing: Pausing,
    /// What the run has passed since it began.
    pub(super) rounds: Rounds,
    /// The run is to pause here.
    pub(super) due: Option<Pause>,
}

/// The cells that hold a number that is known: where, and which.
type Numbers = Box<[(u32, Int)]>;

/// How a run has passed the head of a loop.
#[derive(Clone, Copy, Default)]
struct Passed {
    times: u32,
    /// How many branches and operations had been undecided the last time.
    branches: u32,
    operations: u32,
    /// The rounds in which something was undecided.
    doubtful: u32,
}

/// In the first rounds of a loop it is looked each time whether a number has changed, and seldom afterwards.
const FIRST_ROUNDS: u32 = 16;
/// A loop pauses after this many rounds, even if every round was decided.
const MOST_ROUNDS: u32 = 1_000;
/// So does one with this many rounds in which something was undecided: each has ways of its own, and longer terms.
const MOST_DOUBTFUL: u32 = 24;

/// A cell or array of the program's own that is alive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Its declaration.
    pub cell: CellId,
    /// Where it is kept, counted in values.
    pub at: u32,
    /// How many values it is kept in.
    pub len: u32,
}

/// What the store holds where a run pauses or waits, as far as the control tells.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The cells that can still be reached. Other values that are kept are on their way.
    pub cells: Vec<Place>,
    /// The semaphores, which count for themselves.
    pub semaphores: Vec<u32>,
    /// The places where P will go on, innermost first.
    pub pcs: Vec<Pc>,
}

/// What can be reached, as far as it was looked at.
#[derive(Default)]
pub(super) struct Reaching {
    seen: FxHashSet<ScopeId>,
    pub(super) bindings: Vec<Binding>,
}

/// Where a value of a strand's is kept, counted in values; those of other strands have other numbers.
pub(super) fn address(strand: StrandId, offset: u32) -> u32 {
    (strand.0 << STRAND_BITS) | (offset / symbolic::WIDTH)
}

/// A strand keeps at most 2 to this power values that have addresses of their own.
pub(super) const STRAND_BITS: u32 = 16;

/// Receives what a run comes to, with what the domain knows of it.
pub type Visit<'a, D> = dyn FnMut(&mut D, Told<<D as Arithmetic>::Value>) + 'a;

impl<D: Domain> Machine<D> {
    /// The same machine, pausing somewhere.
    pub fn with_pausing(mut self, pausing: Pausing) -> Machine<D> {
        self.pauses.pausing = pausing;
        self
    }

    /// Pauses elsewhere from now on.
    pub fn set_pausing(&mut self, pausing: Pausing) {
        self.pauses.pausing = pausing;
    }

    /// Plays a move of O's, going every way that undecided operations leave open by itself, also those that come to the
    /// same. What each comes to is given to `visit` together with the domain, which knows what was decided.
    pub fn play_each(
        &mut self,
        state: State,
        offer: &Offer<D::Value>,
        data: OfferData<D::Value>,
        visit: &mut Visit<'_, D>,
        budget: &Budget,
    ) -> Result<(), Stop> {
        self.each(visit, budget, |machine| machine.begin(state, offer, data.clone()))
    }

    /// The same for the call of a procedure that is summarised, at a position without an activation.
    pub fn enter_each(
        &mut self,
        state: State,
        (component, arguments): (ComponentId, &[D::Value]),
        visit: &mut Visit<'_, D>,
        budget: &Budget,
    ) -> Result<(), Stop> {
        self.each(visit, budget, |machine| machine.enter_procedure(state, component, arguments))
    }

    /// The same for a run that has paused.
    pub fn resume_each(
        &mut self,
        state: State,
        visit: &mut Visit<'_, D>,
        budget: &Budget,
    ) -> Result<(), Stop> {
        self.each(visit, budget, |machine| machine.go_on(state))
    }

    fn each(
        &mut self,
        visit: &mut Visit<'_, D>,
        budget: &Budget,
        mut begin: impl FnMut(&mut Self),
    ) -> Result<(), Stop> {
        self.forks.list(&[]);
        loop {
            self.pass_by();
            begin(self);
            match budget.check().and_then(|()| self.run_piece(budget)) {
                Ok(told) => visit(&mut self.domain, told),
                Err(why) => {
                    self.forks.unlist();
                    return Err(why);
                }
            }
            if !self.forks.next_way() {
                self.forks.unlist();
                return Ok(());
            }
        }
    }

    /// Forgets the loops that were passed.
    pub(super) fn pass_by(&mut self) {
        if self.pauses.pausing != Pausing::Never {
            self.pauses.rounds = Rounds::default();
            self.pauses.due = None;
        }
    }

    fn go_on(&mut self, state: State) {
        self.watch = LoopWatch::new();
        self.silent.begin(self.memo);
        let stack = state.stack();
        let Frame::Pause { pc, scope, height } = self.frame(stack) else {
            unreachable!("a paused run goes on")
        };
        let bits = self.halves.whole().max(height as usize);
        self.stores.unfold(state.store(), bits, &mut self.store);
        let below = self.stacks.get(stack).0;
        self.control = Control { pc, scope, stack: below, height, ..Control::default() };
    }

    fn run_piece(&mut self, budget: &Budget) -> Result<Told<D::Value>, Stop> {
        let code = self.code.clone();
        loop {
            self.silent.steps += 1;
            if self.silent.steps.is_multiple_of(PATIENCE) {
                budget.check()?;
            }
            match self.step(&code) {
                Executed::Silent => {
                    if let Some(stop) = self.pauses.due {
                        let Control { pc, scope, height, .. } = self.control;
                        self.push(Frame::Pause { pc, scope, height });
                        let next = Some(self.state());
                        let paused = Step { label: (), next, origin: Origin::Program(pc), how: () };
                        return Ok(Told::Paused(paused, stop == Pause::Store));
                    }
                }
                Executed::Visible(reaction) => {
                    return Ok(Told::Move(reaction, self.pauses.due == Some(Pause::Store)));
                }
                Executed::Dead | Executed::Finished | Executed::Elsewhere => return Ok(Told::Nothing),
                Executed::TooLarge(why) => return Err(why),
            }
        }
    }

    /// Something has happened behind which the run may be to pause.
    pub(super) fn pause_at(&mut self, pause: Pause) {
        if self.pauses.pausing == Pausing::Steps {
            self.pauses.due = Some(pause);
        }
    }

    /// A branch is undecided, of which one way leads to `to`.
    pub(super) fn branched(&mut self, to: Pc, code: &Code) {
        if self.pauses.pausing == Pausing::Never {
            return;
        }
        self.pause_at(Pause::Branch);
        self.pauses.rounds.branches += 1;
        // Behind the end of a loop stands the jump back to its head.
        let before = to.index().checked_sub(1).map(|at| &code.instructions[at]);
        if let Some(Instruction::Jump(head)) = before
            && matches!(code.instructions[head.index()], Instruction::LoopHead)
        {
            self.pauses.rounds.undecided.insert(*head);
        }
    }

    /// A place to go back from, behind the call of a free identifier that is the last thing to be done.
    pub(super) fn return_behind(&self, pc: Pc) -> Pc {
        let last = matches!(self.code.instructions[pc.index()], Instruction::EnterFree(_));
        if last { Pc(pc.0 + 1) } else { RETURN }
    }

    /// Whether the run pauses at this head of a loop.
    pub(super) fn pauses_round(&mut self, pc: Pc, code: &Code) -> bool {
        match self.pauses.pausing {
            Pausing::Never | Pausing::Steps => return false,
            Pausing::Heads => {
                self.pauses.due = Some(Pause::Round);
                return true;
            }
            Pausing::Loops => {}
        }
        let Control { scope, stack, .. } = self.control;
        let Rounds { branches, operations, .. } = self.pauses.rounds;
        let last = self.pauses.rounds.passed.entry((pc, scope, stack)).or_insert(Passed {
            branches,
            operations,
            ..Passed::default()
        });
        let Passed { times, branches: branched, operations: before, .. } = *last;
        let in_doubt = (branches, operations) != (branched, before);
        last.doubtful += u32::from(in_doubt);
        *last = Passed { times: times + 1, branches, operations, ..*last };
        let doubtful = last.doubtful;
        // Where all numbers are what they were, nothing counts the rounds: further ones only make terms longer.
        let looks = in_doubt || times < FIRST_ROUNDS || times.is_power_of_two();
        let repeats = looks && {
            let known = self.known_numbers();
            !self.pauses.rounds.known.insert((pc, scope, stack, known))
        };
        // A loop that is started over by a jump has no condition of its own.
        let jumped = pc > Pc(0) && matches!(code.instructions[pc.index() - 1], Instruction::BindLabel(_));
        let undecided = match jumped {
            true => branches > branched,
            false => self.pauses.rounds.undecided.contains(&pc),
        };
        let long = times >= MOST_ROUNDS || doubtful >= MOST_DOUBTFUL;
        let pauses = times > 0 && (undecided || repeats || long);
        if pauses {
            self.pauses.due = Some(Pause::Round);
        }
        pauses
    }

    /// The numbers that cells of the running strand hold, as far as they are known.
    fn known_numbers(&self) -> Numbers {
        let mut reaching = Reaching::default();
        self.reach(self.control.stack, &mut Layout::default(), &mut reaching);
        self.gather(self.control.scope, &mut reaching);
        let mut known = Vec::new();
        let Ok(()) = self.each_reached(reaching, |binding| {
            if let Binding::Cell { slot, strand, offset } = binding
                && strand == self.threading.strand
            {
                known.extend(self.numbers_in(slot, offset));
            }
            Ok::<(), Infallible>(())
        });
        known.sort_unstable();
        known.dedup();
        known.into()
    }

    /// What the store holds at a position.
    pub fn layout(&self, state: State) -> Layout {
        let mut layout = Layout::default();
        let mut reaching = Reaching::default();
        self.reach(state.stack(), &mut layout, &mut reaching);
        self.lay_out(&mut layout, reaching);
        layout
    }

    /// What can be reached from a stack.
    pub(super) fn reach(&self, stack: StackId, layout: &mut Layout, reaching: &mut Reaching) {
        let mut at = stack;
        while at != CLOSED {
            let (below, frame) = *self.stacks.get(at);
            match frame {
                Frame::Return { pc, scope, .. } | Frame::Pause { pc, scope, .. } => {
                    layout.pcs.push(pc);
                    self.gather(scope, reaching);
                }
                Frame::Wait { pc, scope, question, .. } => {
                    layout.pcs.push(pc);
                    self.gather(scope, reaching);
                    reaching.bindings.extend(self.questions.get(question).arguments.iter().copied());
                }
                Frame::Argument(binding) => reaching.bindings.push(binding),
                Frame::Outside { scope, .. } => self.gather(scope, reaching),
                _ => {}
            }
            at = below;
        }
    }

    /// Visits everything that can be reached, until a visit ends it.
    pub(super) fn each_reached<X>(
        &self,
        mut reaching: Reaching,
        mut visit: impl FnMut(Binding) -> Result<(), X>,
    ) -> Result<(), X> {
        depth_first(std::mem::take(&mut reaching.bindings), |waiting, binding| {
            if let Binding::Closure { scope, .. } = binding {
                self.gather(scope, &mut reaching);
                waiting.append(&mut reaching.bindings);
            }
            visit(binding)
        })
    }

    /// The cells among what can be reached.
    pub(super) fn lay_out(&self, layout: &mut Layout, reaching: Reaching) {
        let Ok(()) = self.each_reached(reaching, |binding| {
            if let Binding::Cell { slot, strand, offset } = binding {
                let slot = &self.code.slots[slot.index()];
                let at = address(strand, offset);
                match slot.cell {
                    Some(cell) => {
                        let place = Place { cell, at, len: number(size(self.domain.cells(slot))) };
                        if !layout.cells.contains(&place) {
                            layout.cells.push(place);
                        }
                    }
                    None if slot.counter_bits().is_some() => layout.semaphores.push(at),
                    // An intermediate result of a module, which is on its way.
                    None => {}
                }
            }
            Ok::<(), Infallible>(())
        });
        layout.cells.sort_unstable_by_key(|place| place.at);
    }

    pub(super) fn gather(&self, scope: ScopeId, reaching: &mut Reaching) {
        if reaching.seen.insert(scope) {
            let all = (0..self.scopes.len(scope)).map(|index| self.scopes.get(scope, Index(index)));
            reaching.bindings.extend(all);
        }
    }
}

impl<J: Judge> Machine<Symbolic<J>> {
    /// All values of the store at a position, by their places.
    pub fn values_at(&mut self, state: State) -> Vec<symbolic::Value> {
        let height = match self.frame(state.stack()) {
            Frame::Wait { height, .. } | Frame::Pause { height, .. } => height,
            _ => 0,
        };
        self.stores.unfold(state.store(), height as usize, &mut self.store);
        let value =
            |at: u32| self.domain.kept(self.store.get((at * symbolic::WIDTH) as usize, symbolic::WIDTH));
        (0..height / symbolic::WIDTH).map(value).collect()
    }

    /// The position with other values in its store.
    pub fn with_values(&mut self, state: State, values: &[symbolic::Value]) -> State {
        let bits = values.len() * symbolic::WIDTH as usize;
        self.stores.unfold(state.store(), bits, &mut self.store);
        for (at, value) in values.iter().enumerate() {
            let kept = self.domain.keep(value);
            self.store.set(at * symbolic::WIDTH as usize, symbolic::WIDTH, kept);
        }
        let store = self.stores.fold(&mut self.store, bits);
        State::new(state.stack(), store)
    }
}
