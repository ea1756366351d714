//! Running the machine: from a move of O's to P's answer to it.

mod access;
mod cells;
mod choices;
mod forks;
mod frames;
mod held;
mod modules;
mod pauses;
mod scopes;
mod silent;
mod stacked;
mod step;
mod strands;
mod strategies;
mod threaded;
mod threading;
mod turns;

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::id::number;
use agon_base::intern::Interner;
use agon_core::checks::Check;

use super::code::{Code, Pc, RETURN};
use super::offers::{Offer, OfferData};
use super::store::{Store, StoreTable};
use crate::arena::{Arena, ComponentId};
use crate::moves::Move;
use crate::strategy::{Outcomes, Step};
use crate::values::Domain;
use forks::Forks;
use frames::{Answer, Binding, CLOSED, Control, Frame, Question, ScopeId, StackId};
pub use frames::{State, StrandId};
use modules::Halves;
pub use modules::{Globals, Waiting};
use pauses::Pauses;
pub use pauses::{Layout, Pausing, Place, Told};
use scopes::Scopes;
pub use silent::CallMemo;
use silent::{LoopWatch, SilentCalls};
pub use stacked::{Nested, SilentRun, Stacked};
pub use strands::{Branch, How, PieceId, Strands, TransitionCache};
pub use threaded::{Scheduling, Seen, ThreadStack, ThreadStep, Threaded, Threads, thread_path};
use threading::Threading;

pub(super) use strands::{CachedStep, Urgency};

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
    pauses: Pauses,
    threading: Threading,
    ambiguous: bool,
    /// The instructions that were run.
    passed: Vec<bool>,
    /// How the store of a module is laid out.
    halves: Halves,
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
            pauses: Pauses::default(),
            threading: Threading::default(),
            ambiguous: false,
            passed: vec![false; instructions],
            halves: Halves::default(),
        };
        machine.lay_out_module();
        machine.opening = machine.openings();
        machine
    }

    /// The same machine with another call memo.
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

    /// Refines the domain. A run must not go on from positions that hold data which was refined.
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

    /// The control of a position, by its number: positions that differ in data only share it.
    pub fn control(&self, state: State) -> u32 {
        state.stack().0
    }

    #[inline]
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

    /// The choices of the script that the last run has not taken.
    fn script_left(&self) -> Vec<u32> {
        self.forks.script_left()
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

    /// The position of a machine that waits for O.
    fn state(&mut self) -> State {
        let bits = self.halves.whole().max(self.control.height as usize);
        let store = self.stores.fold(&mut self.store, bits);
        State::new(self.control.stack, store)
    }
}
