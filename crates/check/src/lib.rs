//! Engines: they answer questions about programs within a budget, and believe nothing that they cannot show.
//!
//! A [`question::Question`] asks whether a move can be reached. An engine answers with a [`verdict::Report`]:
//! SAFE, UNSAFE with a play that was verified by [`agon_witness`], or UNKNOWN with the reason.
//!
//! ```
//! use agon_base::budget::Budget;
//! use agon_check::question::Question;
//! use agon_check::task::Task;
//! use agon_witness::verify::Program;
//!
//! let source = "n : int%4 |- assert(n < 3)";
//! let reading = agon_ia::read::read(source, &[]).expect("it is a program");
//! let program = Program::new(reading.document, reading.judgement);
//! let question = Question::new(program.arena.parse("abort").expect("it is a move"));
//! let budget = Budget::default();
//! let task = Task::new(program.subject(), &question, &budget);
//! let report = agon_check::explicit::check(task, &mut |_| {});
//! assert_eq!(report.verdict.word(), "UNSAFE");
//! ```
#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

pub mod question;
pub mod task;
pub mod verdict;

mod cegar;
pub mod component;
pub mod concretise;
pub mod concurrent;
pub mod equiv;
pub mod explicit;
pub mod feasible;
pub mod horn;
pub mod interval;
pub mod library;
pub mod modules;
pub mod partition;
pub mod portfolio;
pub mod predicate;
mod product;
pub mod reconstruct;
pub mod refine;
pub mod search;
mod shorten;
pub mod solvers;
mod walk;
