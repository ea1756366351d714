//! Game semantics: what it is to play a program, in two ways that must agree.
//!
//! A term is a *strategy*: what the program, P, plays against its environment, O, in the arena of its type.
//! [`denote`] is the figure of the papers, slow and obvious; [`machine`] is the compiled one.

pub mod arena;
pub mod moves;
pub mod play;

pub mod abstracted;
pub mod automaton;
pub mod contract;
pub mod interval;
pub mod sites;
pub mod symbolic;
pub mod values;

pub mod denote;
pub mod machine;
pub mod model;
pub mod whereabouts;
