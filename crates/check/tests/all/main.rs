//! Engines beside references: on programs of the corpus, on random programs, and on programs written for one purpose.
//!
//! All of it is one program, which is built and linked once. A module is picked by its name:
//!
//! ```text
//! cargo test -p agon-check --test all abstractions::
//! ```

mod abstractions;
mod assume;
mod assumed;
mod certificates;
mod checks;
mod common;
mod complete_plays;
mod engines;
mod equivalent_modules;
mod feasible;
mod language;
mod library;
mod limits;
mod module_models;
mod module_threads;
mod modules;
mod pairs;
mod portfolio;
mod predicates;
mod related_modules;
mod relations;
mod renamed;
mod solvers;
mod symmetry;
mod widened;
