//! Game semantics: what it is to play a program, in two ways that must agree.
//!
//! A term is a *strategy*: what the program, P, plays against its environment, O, in the arena of its type.
//! [`denote`] is the figure of the papers, slow and obvious; [`machine`] is the compiled one.
//!
//! ```
//! use agon_games::arena::Arena;
//! use agon_games::play::legal;
//!
//! let reading = agon_ia::read::read("x : com |- x; x", &[]).expect("it is a program");
//! let arena = Arena::new(&reading.judgement);
//! let play = ["run", "x.run", "x.done", "x.run", "x.done", "done"];
//! let play = play.map(|text| arena.parse(text).expect("it is a move"));
//! assert_eq!(legal(&arena, &play), Ok(()));
//! let model = agon_games::denote::denote(&reading.judgement, &arena).expect("its data is finite");
//! assert_eq!(model.states(), play.len() + 1);
//! ```
#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

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
pub mod possible;
pub mod strategy;
