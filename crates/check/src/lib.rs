//! Engines: they answer questions about programs within a budget, and believe nothing that they cannot show.
//!
//! A [`question::Question`] asks whether a move can be reached. An engine answers with a [`verdict::Report`]:
//! SAFE, UNSAFE with a play that was verified by [`agon_witness`], or UNKNOWN with the reason.

pub mod question;
pub mod verdict;

pub mod component;
pub mod concretise;
pub mod concurrent;
pub mod equiv;
pub mod explicit;
pub mod feasible;
pub mod interval;
pub mod partition;
pub mod portfolio;
pub mod predicate;
pub mod refine;
pub mod retell;
pub mod search;
mod shorten;
pub mod solvers;
mod walk;
