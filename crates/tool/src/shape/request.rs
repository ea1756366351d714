//! Requests of the workbench.

use std::collections::BTreeMap;

use agon_check::portfolio::Engine;
use agon_check::refine::ITERATIONS;
use serde::{Deserialize, Serialize};

use super::Version;
use crate::choices::{CertifyName, LearnerName, OrderName, SchemeName};

/// A request and its limits.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Ask {
    /// The version of the shapes.
    #[serde(default)]
    pub version: Version,
    /// The request.
    #[serde(flatten)]
    pub request: Request,
    /// The time limit in seconds, if it is less than the server's.
    pub time_limit: Option<f64>,
    /// The memory limit in MiB, if it is less than the server's.
    pub memory_limit: Option<f64>,
}

/// A program as it was typed.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Program {
    /// Its text.
    pub text: String,
    /// Constants with other values.
    #[serde(default)]
    pub define: BTreeMap<String, String>,
    /// Its name.
    pub name: Option<String>,
    /// The language that it is written in.
    #[serde(default)]
    pub language: Language,
}

/// A language.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// agon's own.
    #[default]
    Agon,
    /// C.
    C,
}

/// The request.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "ask", rename_all = "lowercase")]
pub enum Request {
    /// The diagnostics and an outline of the program.
    Read {
        /// The program.
        program: Program,
    },
    /// The program in the standard layout.
    Layout {
        /// The program.
        program: Program,
    },
    /// Can any environment reach a move?
    Check {
        /// The program.
        program: Program,
        /// The move; or `deadlock`.
        #[serde(default = "abort")]
        target: String,
        /// The options.
        #[serde(flatten)]
        options: CheckOptions,
    },
    /// The model.
    Model {
        /// The program.
        program: Program,
        /// The state whose neighbourhood is drawn.
        around: Option<u32>,
    },
    /// Are two programs equal in every environment?
    Compare {
        /// The first.
        left: Program,
        /// The second.
        right: Program,
        /// Whether only one direction is checked.
        #[serde(default)]
        approximation: bool,
    },
    /// A play that the user makes move by move, and its possible next moves.
    Play {
        /// The program.
        program: Program,
        /// The moves. In a sequential program, P's moves must be those that the program makes.
        moves: Vec<String>,
    },
}

/// The options of a check. The defaults are those of the command line, but for the order.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CheckOptions {
    /// The engine.
    pub engine: String,
    /// The search order.
    pub order: OrderName,
    /// How counterexamples over approximated data are shown to be genuine.
    pub certify: CertifyName,
    /// The initial predicates.
    pub predicates: SchemeName,
    /// How assumptions are learnt.
    pub learner: LearnerName,
    /// The part of the program that is checked separately.
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
    /// The name of the program.
    pub name: String,
}
