//! The command `agon`: everything that touches files, terminals and processes.
//!
//! [`session`] is the façade that all front ends use. [`cli`] has a file for each subcommand. [`choices`] has the named
//! options of a check. [`claims`] are what `agon test` decides. [`render`] turns answers into text and data; the types of the data are in [`shape`]. [`process`] runs
//! external solvers. [`atomic`] writes files.
//!
//! ```
//! use agon::session::Session;
//! use agon_base::budget::Budget;
//! use agon_base::source::Source;
//! use agon_check::portfolio::Engine;
//! use agon_check::question::Order;
//! use agon_check::refine::RefinementOptions;
//!
//! let source = Source::new("age.ia", "age : int%120 |- assert(age < 100)");
//! let Ok(session) = Session::open(source, Vec::new()) else { panic!("it is a program") };
//! let question = session.question("abort", Order::Shortest).expect("it is a move");
//! let report =
//!     session.check(&question, Engine::Auto, &RefinementOptions::default(), &Budget::default(), &mut |_| {});
//! assert_eq!(report.verdict.word(), "UNSAFE");
//! ```
#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

pub mod play_session;
pub mod session;

pub mod atomic;
pub mod c;
pub mod choices;
pub mod claims;
pub mod cli;
pub mod lsp;
pub mod process;
pub mod render;
pub mod run;
pub mod shape;
mod svcomp;
pub mod system;
pub mod workbench;
