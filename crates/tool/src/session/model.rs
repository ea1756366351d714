//! The model of a session's program, built in one of several ways.

use std::sync::Arc;

use agon_base::budget::Budget;
use agon_check::verdict::Reason;
use agon_core::term::Mode;
use agon_games::denote::{self, Unfit};
use agon_games::machine::{Machine, Strands, compile, compile_any};
use agon_games::model::{Building, concurrent_model, model};
use agon_games::values::Exact;

use super::{Session, guarded};
use crate::render::model::{Written, plain, revealed, threaded};

/// How a model is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Construction {
    /// By walking all positions.
    Positions,
    /// From the models of its parts, each minimised first.
    BottomUp,
    /// From its parts, with the moves between them kept.
    Revealed,
}

/// A model, and what it took to build it.
pub struct Model {
    /// The model.
    pub written: Written,
    /// What it was made from.
    pub made: Made,
}

/// What a model was made from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Made {
    /// So many positions.
    Positions(usize),
    /// So many positions, of which so many were left when silent steps that take nothing away had been taken.
    Reduced(usize, usize),
    /// Parts, the largest of which had so many states.
    Parts(usize),
}

/// Why there is no model.
pub enum NoModel {
    /// For a reason that verdicts have too.
    Reason(Reason),
    /// Building from parts has limits of its own.
    Parts(&'static str),
}

impl From<Reason> for NoModel {
    fn from(reason: Reason) -> NoModel {
        NoModel::Reason(reason)
    }
}

impl Session {
    /// Builds the model. Without reduction, concurrent programs are run step by step, also where nobody can get in
    /// between.
    pub fn model(&self, construction: Construction, reduce: bool, budget: &Budget) -> Result<Model, NoModel> {
        guarded(|| self.built(construction, reduce, budget)).unwrap_or_else(|reason| Err(reason.into()))
    }

    fn built(&self, construction: Construction, reduce: bool, budget: &Budget) -> Result<Model, NoModel> {
        // Each row of a model under construction takes about so many bytes.
        let most = |bytes_each: usize| budget.most_entries(bytes_each);
        let arena = &self.arena;
        let parts = denote::Building { reduce, most: most(350), budget };
        match (construction, self.judgement.mode) {
            (Construction::Revealed, _) => {
                let built = denote::revealed(&self.judgement, arena, parts);
                let built = built.map_err(|why| self.unfit(why))?;
                Ok(Model { written: revealed(built.model, arena), made: Made::Parts(built.largest) })
            }
            (Construction::BottomUp, _) => {
                let built = denote::bottom_up_threads(&self.judgement, arena, parts);
                let built = built.map_err(|why| self.unfit(why))?;
                Ok(Model { written: threaded(built.model, arena), made: Made::Parts(built.largest) })
            }
            (Construction::Positions, Mode::Concurrent) => {
                let code = compile_any(&self.judgement, arena).map_err(Reason::from)?;
                let mut strands = Strands::new(Arc::new(code), Arc::new(arena.clone()), reduce);
                let building = Building { reduce, threads: budget.threads, largest: most(120), budget };
                let built = concurrent_model(&mut strands, building);
                let built = built.map_err(Reason::Stop)?;
                let made = Made::Reduced(built.visited, built.left);
                Ok(Model { written: threaded(built.automaton, arena), made })
            }
            (Construction::Positions, Mode::Sequential) => {
                let code = compile(&self.judgement, arena).map_err(Reason::from)?;
                let mut machine = Machine::new(Arc::new(code), Arc::new(arena.clone()), Exact::default());
                let built = model(&mut machine, most(80), budget);
                let (model, positions) = built.map_err(Reason::Stop)?;
                Ok(Model { written: plain(model, arena), made: Made::Positions(positions) })
            }
        }
    }

    fn unfit(&self, why: Unfit) -> NoModel {
        NoModel::Reason(match why {
            Unfit::Infinite => {
                return NoModel::Parts(
                    "building from parts needs data of at most 64 values; leave out --bottom-up or --revealed",
                );
            }
            Unfit::TooLarge => {
                return NoModel::Parts("the program's normal form, or a model on the way, gets too large");
            }
            Unfit::Concurrent => unreachable!("both ways take concurrent programs"),
            Unfit::Jump => match compile_any(&self.judgement, &self.arena) {
                Err(refusal) => refusal.into(),
                Ok(_) => return NoModel::Parts("a jump leaves its thread"),
            },
            Unfit::Stopped(stop) => Reason::Stop(stop),
        })
    }
}
