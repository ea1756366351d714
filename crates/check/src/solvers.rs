//! Solvers for the engines: how they are made, and what went wrong with them.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use agon_base::budget::Budget;
use agon_solve::embedded::Embedded;
use agon_solve::pipe::Connection;
use agon_solve::{Answer, Claim, Limit, Reason, Solver, Terms};

use crate::verdict;
use crate::verdict::{Report, Verdict};

/// A solver that failed this often without an answer in between is asked no more.
pub const MOST_FAILURES: u32 = 3;

/// Makes solvers of one kind, in any thread, and remembers what went wrong with all of them. Clones share the memory,
/// so each question about a program has one of its own.
#[derive(Clone)]
pub struct Solvers {
    make: Arc<dyn Fn() -> Box<dyn Solver> + Send + Sync>,
    trouble: Arc<Mutex<Trouble>>,
    programs: [Option<Program>; 2],
    patience: Option<Duration>,
}

/// Starts a program.
type Connect = dyn Fn() -> Result<Box<dyn Connection>, String> + Send + Sync;

/// A program that solves Horn clauses.
#[derive(Clone)]
pub struct Program {
    /// What it is called.
    pub name: String,
    connect: Arc<Connect>,
}

impl Program {
    /// A program, and how it is started.
    pub fn new(
        name: &str,
        connect: impl Fn() -> Result<Box<dyn Connection>, String> + Send + Sync + 'static,
    ) -> Program {
        Program { name: name.into(), connect: Arc::new(connect) }
    }

    /// Starts it.
    pub fn connect(&self) -> Result<Box<dyn Connection>, Reason> {
        (self.connect)().map_err(Reason::Broken)
    }
}

/// What went wrong.
#[derive(Clone, Default, Debug)]
struct Trouble {
    /// The last failure.
    last: Option<Reason>,
    /// How many failures there were since the last answer.
    in_a_row: u32,
    /// Why nothing is asked any more.
    given_up: Option<Reason>,
}

impl Solvers {
    /// Solvers that are made like this.
    pub fn new(make: impl Fn() -> Box<dyn Solver> + Send + Sync + 'static) -> Solvers {
        Solvers { make: Arc::new(make), trouble: Arc::default(), programs: [None, None], patience: None }
    }

    /// The same, with programs for Horn clauses: one that answers, and one whose answer must not differ, within a time.
    pub fn with_programs(self, programs: [Option<Program>; 2], patience: Duration) -> Solvers {
        Solvers { programs, patience: Some(patience), ..self }
    }

    /// The program that solves Horn clauses.
    pub fn program(&self) -> Option<&Program> {
        self.programs[0].as_ref()
    }

    /// The program whose answer must not differ.
    pub fn second_program(&self) -> Option<&Program> {
        self.programs[1].as_ref()
    }

    /// What a second opinion may cost.
    pub(crate) fn patience(&self, budget: &Budget) -> Budget {
        let silent = self.patience.map(|patience| Instant::now() + patience);
        let deadline = match (budget.deadline, silent) {
            (Some(deadline), Some(silent)) => Some(deadline.min(silent)),
            (deadline, silent) => deadline.or(silent),
        };
        Budget { deadline, ..budget.clone() }
    }

    /// A new solver, which has not been asked anything.
    pub fn solver(&self) -> Box<dyn Solver> {
        Box::new(Asked { solver: (self.make)(), solvers: self.clone() })
    }

    /// The last failure of any of them: a program that broke, a wrong model, a contradiction between two. That a
    /// question is too hard is no failure.
    pub fn failure(&self) -> Option<Reason> {
        self.with_trouble(|trouble| trouble.last.clone())
    }

    /// Why none of them is asked any more: two contradicted each other, or one failed again and again. An
    /// engine that needs a solver stops then: its verdict is unknown.
    pub fn given_up(&self) -> Option<Reason> {
        self.with_trouble(|trouble| trouble.given_up.clone())
    }

    /// What a report is worth after what went wrong: no verdict is given if two solvers contradicted each other.
    pub(crate) fn judge(&self, report: Report) -> Report {
        let verdict = match self.given_up() {
            Some(reason @ Reason::Difference(_)) => Verdict::Unknown(verdict::Reason::Solver(reason)),
            _ => report.verdict,
        };
        Report { verdict, solver_failure: self.failure(), ..report }
    }

    fn with_trouble<T>(&self, look: impl FnOnce(&mut Trouble) -> T) -> T {
        look(&mut self.trouble.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, answer: &Answer) {
        self.with_trouble(|trouble| match answer {
            Answer::Unknown(Reason::Time | Reason::Memory | Reason::Cancelled) => {}
            Answer::Sat(_) | Answer::Unsat(_) | Answer::Unknown(Reason::Beyond(_)) => trouble.in_a_row = 0,
            Answer::Unknown(reason) => {
                trouble.last = Some(reason.clone());
                trouble.in_a_row += 1;
                let differ = matches!(reason, Reason::Difference(_));
                if trouble.given_up.is_none() && (differ || trouble.in_a_row >= MOST_FAILURES) {
                    trouble.given_up = Some(reason.clone());
                }
            }
        });
    }
}

impl Default for Solvers {
    /// The embedded solver.
    fn default() -> Solvers {
        Solvers::new(|| Box::new(Embedded::new()))
    }
}

impl fmt::Debug for Solvers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solvers").field("trouble", &self.trouble).finish_non_exhaustive()
    }
}

/// A solver whose failures are remembered.
struct Asked {
    solver: Box<dyn Solver>,
    solvers: Solvers,
}

impl Solver for Asked {
    fn check(&mut self, terms: &Terms, claims: &[Claim], limit: &Limit) -> Answer {
        if let Some(reason) = self.solvers.given_up() {
            return Answer::Unknown(reason);
        }
        let answer = self.solver.check(terms, claims, limit);
        self.solvers.note(&answer);
        // Another thread may have found out that nobody is to be believed.
        match self.solvers.given_up() {
            Some(reason @ Reason::Difference(_)) => Answer::Unknown(reason),
            _ => answer,
        }
    }
}

/// The limits of a budget, for a solver.
pub(crate) fn solving(budget: &Budget) -> Limit {
    Limit { deadline: budget.deadline, memory: budget.counted(), cancelled: budget.cancelled.clone() }
}
