//! The code of a program, compiled when it is first needed and shared from then on.

use std::sync::{Arc, Mutex, PoisonError};

use agon_base::refused::Refused;
use agon_core::checks::Watch;
use agon_core::term::Judgement;

use super::code::Code;
use super::compile::compile_any;
use crate::arena::Arena;

/// The code with some checks that count, or why there is none.
type Outcome = (Watch, Result<Arc<Code>, Refused>);

/// A program's code, for every choice of the checks that count.
#[derive(Default)]
pub struct Compiled(Mutex<Vec<Outcome>>);

impl Compiled {
    /// The code of the program that this belongs to, or why the machine cannot play it.
    pub fn code(&self, judgement: &Judgement, arena: &Arena) -> Result<Arc<Code>, Refused> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, code)) = known.iter().find(|(watch, _)| *watch == judgement.watch) {
            return code.clone();
        }
        let code = compile_any(judgement, arena).map(Arc::new);
        known.push((judgement.watch, code.clone()));
        code
    }
}
