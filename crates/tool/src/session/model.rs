//! The model of a program, and the ways to construct it.

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::refused::Refused;
use agon_check::verdict::Reason;
use agon_core::term::Mode;
use agon_games::denote;
use agon_games::machine::{Machine, Strands};
use agon_games::model::{Building, concurrent_model, model};
use agon_games::values::Exact;

use super::{Session, guarded};
use crate::render::model::{Written, plain, revealed, threaded};

/// How a model is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Construction {
    /// By exploring all positions.
    Positions,
    /// From the models of its parts, each minimised first.
    BottomUp,
    /// From its parts, with the moves between them kept.
    Revealed,
}

/// A model, and the size of its construction.
pub struct Model {
    /// The model.
    pub written: Written,
    /// The size of its construction.
    pub made: Made,
}

/// The size of the construction of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Made {
    /// The number of positions.
    Positions(usize),
    /// The number of positions, and the number that was left after silent steps that disable nothing had been taken.
    Reduced(usize, usize),
    /// The number of states of the largest part.
    Parts(usize),
}

impl Session {
    /// Builds the model. Without reduction, the interleavings of a concurrent program are not reduced.
    pub fn model(&self, construction: Construction, reduce: bool, budget: &Budget) -> Result<Model, Reason> {
        guarded(|| self.built(construction, reduce, budget)).unwrap_or_else(Err)
    }

    fn built(&self, construction: Construction, reduce: bool, budget: &Budget) -> Result<Model, Reason> {
        // The most rows that fit into memory, by the approximate bytes of a row.
        let most = |bytes_each: usize| budget.most_entries(bytes_each);
        let arena = &self.arena;
        let parts = denote::Building { reduce, most: most(350), budget };
        match (construction, self.judgement.mode) {
            (Construction::Revealed, _) => {
                let built = denote::revealed(&self.judgement, arena, parts);
                let built = built.map_err(|refused| self.no_parts(refused))?;
                Ok(Model { written: revealed(built.model, arena), made: Made::Parts(built.largest) })
            }
            (Construction::BottomUp, _) => {
                let built = denote::bottom_up_threads(&self.judgement, arena, parts);
                let built = built.map_err(|refused| self.no_parts(refused))?;
                Ok(Model { written: threaded(built.model, arena), made: Made::Parts(built.largest) })
            }
            (Construction::Positions, Mode::Concurrent) => {
                let code = self.code().map_err(Reason::from)?;
                let mut strands = Strands::new(code, Arc::new(arena.clone()), reduce);
                let building = Building { reduce, threads: budget.threads, largest: most(120), budget };
                let built = concurrent_model(&mut strands, building);
                let built = built.map_err(Reason::Stop)?;
                let made = Made::Reduced(built.visited, built.left);
                Ok(Model { written: threaded(built.automaton, arena), made })
            }
            (Construction::Positions, Mode::Sequential) => {
                let code = self.code().map_err(Reason::from)?;
                let mut machine = Machine::new(code, Arc::new(arena.clone()), Exact::default());
                let built = model(&mut machine, most(80), budget);
                let (model, positions) = built.map_err(Reason::Stop)?;
                Ok(Model { written: plain(model, arena), made: Made::Positions(positions) })
            }
        }
    }

    /// Why a model cannot be built from parts.
    fn no_parts(&self, refused: Refused) -> Reason {
        match refused {
            Refused::Wrong(why) => Reason::NoParts(format!("{why}; leave out --bottom-up or --revealed")),
            // The machine may know better where it stands.
            Refused::Construct { what, .. } => {
                self.code().map_or_else(Reason::from, |_| Reason::NoParts(what))
            }
            Refused::Stop(Stop::Table) => {
                Reason::NoParts("the program's normal form, or a model on the way, gets too large".into())
            }
            Refused::Stop(stop) => Reason::Stop(stop),
        }
    }
}
