//! The options that choose the solvers.

use std::time::Duration;

use agon_check::solvers::{Program, Solvers};
use agon_solve::Solver;
use agon_solve::checked::Checked;
use agon_solve::embedded::Embedded;
use clap::Args;

use super::seconds;
use crate::process;

/// The name of the built-in solver.
const EMBEDDED: &str = "embedded";

/// The solvers to use.
#[derive(Args, Clone, Debug)]
pub(super) struct Asked {
    /// The solver for arithmetic: `embedded`, or a program that reads SMT-LIB 2 from standard input, such as `z3` or a
    /// whole command line in quotes.
    #[arg(long, value_name = "PROGRAM", default_value = EMBEDDED)]
    solver: String,
    /// Ask a second solver every question too, and give no verdict if the two contradict each other.
    #[arg(long, value_name = "PROGRAM")]
    solver_check: Option<String>,
    /// How long an external solver may take for one question.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "10")]
    solver_patience: Duration,
}

impl Asked {
    /// The command lines of the solvers that are programs.
    pub(super) fn external(&self) -> impl Iterator<Item = &str> {
        let all = std::iter::once(self.solver.as_str()).chain(self.solver_check.as_deref());
        all.filter(|name| *name != EMBEDDED)
    }

    /// The solvers that were chosen; the reason, if one cannot be started.
    pub(super) fn solvers(&self) -> Result<Solvers, String> {
        let first = One::new(&self.solver, self.solver_patience)?;
        let mut programs = [first.program(), None];
        let Some(second) = &self.solver_check else {
            return Ok(Solvers::new(move || first.solver()).with_programs(programs, self.solver_patience));
        };
        let second = One::new(second, self.solver_patience)?;
        programs[1] = second.program();
        let solvers = Solvers::new(move || {
            Box::new(Checked::new(first.solver(), second.solver()).called(&first.name, &second.name))
        });
        Ok(solvers.with_programs(programs, self.solver_patience))
    }
}

/// A solver by its name.
struct One {
    name: String,
    patience: Duration,
}

impl One {
    /// The solver of this name. An external one is started once to see whether it can be.
    fn new(name: &str, patience: Duration) -> Result<One, String> {
        if name != EMBEDDED {
            process::can_start(name)?;
        }
        Ok(One { name: name.into(), patience })
    }

    /// The same as a program that solves Horn clauses; the embedded solver does not.
    fn program(&self) -> Option<Program> {
        (self.name != EMBEDDED).then(|| {
            let name = self.name.clone();
            Program::new(&self.name, move || process::start(&name))
        })
    }

    fn solver(&self) -> Box<dyn Solver> {
        match &self.name[..] {
            EMBEDDED => Box::new(Embedded::new()),
            program => Box::new(process::solver(program, self.patience)),
        }
    }
}
