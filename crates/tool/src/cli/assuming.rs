//! The option that says what is assumed of the environment.

use clap::Args;

use super::c;
use crate::session::Opened;
use crate::session::assumed::{Assumed, Giving, Wrong, read};

#[derive(Args, Clone, Debug)]
pub(super) struct Assuming {
    /// Assume something of the numbers that the environment gives, such as `e >= 0` for what it answers for `e`, or `take.k <= 3` for the
    /// arguments of its calls. May be given several times.
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    assume: Vec<String>,
}

impl Assuming {
    /// What is assumed of the environment of some programs. `--returns` says it of imports; those of C files know it already.
    pub(super) fn read(&self, c: &c::Arguments, programs: &[&Opened]) -> Result<Vec<Assumed>, Wrong> {
        let is_c = |opened: &&Opened| matches!(opened, Opened::Module(session) if session.is_c());
        let mut conditions = self.assume.clone();
        if !programs.iter().any(is_c) {
            conditions.extend(c.ranges());
        }
        let programs: Vec<&dyn Giving> = programs.iter().map(|opened| opened.giving()).collect();
        read(&conditions, &programs)
    }
}
