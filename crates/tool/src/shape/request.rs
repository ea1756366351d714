//! Requests of the workbench.

use std::collections::BTreeMap;

use agon_check::portfolio::Engine;
use agon_check::refine::ITERATIONS;
use serde::{Deserialize, Serialize};

use super::Version;
use crate::choices::{CertifyName, LearnerName, OrderName, SchemeName};

/// A request, and what its answer may cost.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Ask {
    /// The version of the shapes.
    #[serde(default)]
    pub version: Version,
    /// What is asked.
    #[serde(flatten)]
    pub request: Request,
    /// The most seconds, if fewer than the server allows.
    pub time_limit: Option<f64>,
    /// The most memory in MiB, if less than the server allows.
    pub memory_limit: Option<f64>,
}

/// A program as it was typed.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Program {
    /// Its text.
    pub text: String,
    /// Constants that are given other values.
    #[serde(default)]
    pub define: BTreeMap<String, String>,
    /// What it is called.
    pub name: Option<String>,
}

/// What is asked.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "ask", rename_all = "lowercase")]
pub enum Request {
    /// What is wrong with the program, and what is there to know of it.
    Read {
        /// The program.
        program: Program,
    },
    /// The program in the standard layout.
    Layout {
        /// The program.
        program: Program,
    },
    /// Can any environment bring a move about?
    Check {
        /// The program.
        program: Program,
        /// The move; or `deadlock`, for runs that get stuck.
        #[serde(default = "abort")]
        target: String,
        /// How it is done.
        #[serde(flatten)]
        options: CheckOptions,
    },
    /// The model.
    Model {
        /// The program.
        program: Program,
        /// The state whose neighbourhood is to be seen.
        around: Option<u32>,
    },
    /// Are two programs equal in every environment?
    Compare {
        /// The first.
        left: Program,
        /// The second.
        right: Program,
        /// Whether only one direction is asked for.
        #[serde(default)]
        approximation: bool,
    },
    /// A play, made move by move, and what can be played next.
    Play {
        /// The program.
        program: Program,
        /// The moves; of a sequential program, P's are made by the program, and must be these.
        moves: Vec<String>,
    },
}

/// How a check is done; what is not said is as on the command line, but for the order.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CheckOptions {
    /// The engine.
    pub engine: String,
    /// In which order to look.
    pub order: OrderName,
    /// How counterexamples over approximated data are told from spurious ones.
    pub certify: CertifyName,
    /// Which predicates there are at first.
    pub predicates: SchemeName,
    /// How assumptions are learnt.
    pub learner: LearnerName,
    /// The part of the program that is checked on its own.
    pub part: Option<String>,
    /// The most refinements of approximated data.
    pub iterations: usize,
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions {
            engine: Engine::Auto.name().into(),
            order: OrderName::Shortest,
            certify: CertifyName::default(),
            predicates: SchemeName::default(),
            learner: LearnerName::default(),
            part: None,
            iterations: ITERATIONS,
        }
    }
}

fn abort() -> String {
    "abort".into()
}

/// A request for the text of a program on the menu.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Menu {
    /// The version of the shapes.
    #[serde(default)]
    pub version: Version,
    /// What the program is called.
    pub name: String,
}
