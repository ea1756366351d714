//! Mutexes that the environment shares with the library: it locks and unlocks them before it gives the control away.

use agon_base::int::Int;
use agon_core::module::{ImportId, Sort};
use agon_core::types::Data;

use super::Writer;
use super::steps::Script;
use crate::types::Type;

impl Writer<'_> {
    /// The environment brings a mutex into a state, whatever its state is: how often it is locked.
    pub(super) fn locked(&self, import: ImportId, place: &str, times: &Int) -> String {
        let asks = self.module.signature(self.module.import(import).signature);
        // Only a recursive one may be unlocked if it is free, or locked more than once.
        match asks.result {
            Some(Sort::Data(Data::Bool)) if times.is_zero() => {
                format!("pthread_mutex_trylock(&{place}); pthread_mutex_unlock(&{place}); ")
            }
            Some(Sort::Data(Data::Bool)) => format!("pthread_mutex_trylock(&{place}); "),
            _ => {
                let lock = format!("pthread_mutex_lock(&{place}); ");
                let times = times.to_u64().and_then(|times| usize::try_from(times).ok()).unwrap_or(0);
                format!("while (!pthread_mutex_unlock(&{place})) {{ }} {}", lock.repeat(times))
            }
        }
    }

    /// Whether an object that the file mentions has a mutex.
    pub(super) fn mentions_mutex(&self, script: &Script) -> bool {
        let program = &self.document.program;
        let mut objects = script.objects.iter().map(|id| &program.object(*id).ty);
        objects.any(|ty| program.leaves(ty).iter().any(|leaf| leaf.ty == Type::Mutex))
    }
}
