//! Modules: the environment calls procedures in any order, and while it is called it may call them again, to any depth.

mod exact;
pub mod tabulate;

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_core::module::Module;
use agon_core::module::play::Move as Played;
use agon_games::arena::{Arena, Roles};
use agon_games::machine::{Code, Machine, compile_module};
use agon_games::moves::{Label, Move};
use agon_games::values::Exact;

use crate::search::Observer;
use crate::verdict::Reason;
use exact::ExactRuns;
use tabulate::tabulate;

/// What an engine says about a module.
#[derive(Clone, Debug)]
pub enum Answer {
    /// No play fails.
    Safe,
    /// With these moves of the environment's the module fails, if an interpreter agrees.
    Fails(Vec<Played>),
    /// There is no answer.
    Unknown(Reason),
}

/// An answer and its figures.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The answer.
    pub answer: Answer,
    /// The members of the tables.
    pub states: usize,
    /// The edges between them.
    pub transitions: u64,
}

/// A module, compiled.
pub struct Compiled {
    module: Arc<Module>,
    arena: Arc<Arena>,
    roles: Roles,
    code: Arc<Code>,
}

impl Compiled {
    /// Compiles a module.
    pub fn new(module: Module) -> Compiled {
        let module = Arc::new(module);
        let (arena, roles) = Arena::of_module(&module);
        let code = Arc::new(compile_module(&module, &arena, roles.clone()));
        Compiled { module, arena: Arc::new(arena), roles, code }
    }

    /// A move of either side as plays of modules have it.
    pub fn as_played(&self, m: &Move) -> Option<Played> {
        Some(match &m.label {
            Label::Abort => Played::Fail,
            Label::Exit(n) => Played::Exit(n.clone()),
            Label::Call(arguments) => {
                let function = self.roles.function(&self.module, m.component, m.element.as_ref())?;
                Played::Call(function, arguments.to_vec())
            }
            Label::Value(n) => Played::Return(Some(n.clone())),
            _ => Played::Return(None),
        })
    }
}

/// Whether a module can fail, over exact numbers.
pub fn explicit(compiled: &Compiled, budget: &Budget, observe: &mut Observer<'_>) -> Decision {
    let machine = Machine::new(compiled.code.clone(), compiled.arena.clone(), Exact::default());
    let mut runs = ExactRuns::new(machine, budget, observe);
    let found = tabulate(&mut runs);
    match found {
        Ok(found) => {
            let answer = match found.failure {
                None => Answer::Safe,
                Some(links) => {
                    let moves = runs.moves(&links);
                    Answer::Fails(moves.iter().filter_map(|m| compiled.as_played(m)).collect())
                }
            };
            Decision { answer, states: found.figures.members, transitions: found.figures.edges }
        }
        Err(stop) => unknown(stop),
    }
}

fn unknown(stop: Stop) -> Decision {
    Decision { answer: Answer::Unknown(Reason::Stop(stop)), states: 0, transitions: 0 }
}
