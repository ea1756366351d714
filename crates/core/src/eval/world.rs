//! The world of a program: what its free identifiers do, and how long a run may take.

use agon_base::budget::{Budget, Stop};
use agon_base::int::Int;

use crate::failure::Failure;
use crate::held::Held;
use crate::term::{TermId, VarId};

/// What the free identifiers of a program do. A closed program meets [`Nobody`].
pub trait World {
    /// The program asks something of a free identifier, with the arguments that the caller holds. The value is
    /// that of an expression, or what is read; of a command, and of a write, it is 0.
    fn ask(&mut self, var: VarId, request: Request, caller: &mut dyn Caller) -> Result<Int, Exit>;

    /// The program aborts. Nothing can be said to that; but until then its cells are there to be looked at.
    fn aborted(&mut self, _failure: Failure, _cells: &dyn Fn() -> Vec<Held>) {}
}

/// The program, waiting in a call: its world may have it evaluate the arguments.
pub trait Caller {
    /// Evaluates an argument, counted from 0. The exits of the program must be passed on.
    fn argument(&mut self, world: &mut dyn World, n: usize, request: Request) -> Result<Int, Exit>;

    /// What the program's cells hold, those first that were declared first. No environment knows.
    fn cells(&self) -> Vec<Held>;
}

/// What is asked of a free identifier or of an argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// To be run or evaluated.
    Run,
    /// To be read; of an array, at an index.
    Read(Option<u64>),
    /// To be written; of an array, at an index.
    Write(Option<u64>, Int),
}

/// Why a term gave no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exit {
    /// A jump on its way to the construct that declared its label, by the number of its run.
    Jump(u64),
    /// The program aborted, at this term.
    Abort(TermId),
    /// The program says that it never ends.
    Diverge,
    /// The run was stopped: it took longer than it may.
    Stop(Stop),
    /// The world has no answer.
    World(String),
    /// The semantics of big steps knows no threads.
    Concurrent(TermId),
}

impl From<Stop> for Exit {
    fn from(stop: Stop) -> Exit {
        Exit::Stop(stop)
    }
}

/// The world of closed programs.
pub struct Nobody;

impl World for Nobody {
    fn ask(&mut self, _: VarId, _: Request, _: &mut dyn Caller) -> Result<Int, Exit> {
        Err(Exit::World("the program is open".into()))
    }
}

/// How long a run may take.
#[derive(Clone, Copy)]
pub struct Patience<'a> {
    /// At most this many steps.
    pub steps: u64,
    /// What it may cost, if that is limited.
    pub budget: Option<&'a Budget>,
}

impl<'a> Patience<'a> {
    /// This many steps, and nothing else.
    pub fn steps(steps: u64) -> Patience<'static> {
        Patience { steps, budget: None }
    }

    /// As long as a budget lasts.
    pub fn within(budget: &'a Budget) -> Patience<'a> {
        Patience { steps: u64::MAX, budget: Some(budget) }
    }

    /// Uses up a step. The budget is asked once in this many.
    pub fn step(&mut self, once_in: u64) -> Result<(), Stop> {
        self.steps = self.steps.checked_sub(1).ok_or(Stop::Transitions)?;
        match self.budget {
            Some(budget) if self.steps.is_multiple_of(once_in) => budget.check(),
            _ => Ok(()),
        }
    }
}
