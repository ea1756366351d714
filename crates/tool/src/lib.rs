//! The command `agon`: everything that touches files, terminals and processes.
//!
//! [`session`] is the façade that all front ends use; [`cli`] has a file for each subcommand; [`choices`] names
//! what can be chosen for a check; [`render`] turns
//! answers into text and data. [`process`] runs solvers that are programs.

pub mod seat;
pub mod session;

pub mod choices;
pub mod cli;
pub mod lsp;
pub mod process;
pub mod render;
pub mod system;
pub mod workbench;
