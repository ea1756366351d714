//! What an answer must show, checked again by other code than the engine's search.
//!
//! An engine that calls a program unsafe gives a play. [`replay`] runs the program, by its operational semantics
//! alone, against that play move by move; [`environment`] makes an environment that plays O's part, and
//! [`verify`] runs it with the program and has it written in the program's language. One that calls a program safe by what a
//! part of it keeps to shows that, and [`assumption`] goes through both halves of the program with it. Plays are checked
//! without the machine; assumptions are checked with it.
//!
//! ```
//! use agon_core::eval::Patience;
//! use agon_games::arena::Arena;
//! use agon_witness::replay::replay;
//!
//! let reading = agon_ia::read::read("n : int%4 |- assert(n < 3)", &[]).expect("it is a program");
//! let arena = Arena::new(&reading.judgement);
//! let plays = |moves: &[&str]| {
//!     let moves: Vec<_> = moves.iter().map(|text| arena.parse(text).expect("it is a move")).collect();
//!     replay(&reading.judgement, &arena, &moves, Patience::steps(1_000)).is_ok()
//! };
//! assert!(plays(&["run", "n.q", "n.3", "abort"]));
//! assert!(!plays(&["run", "n.q", "n.2", "abort"]));
//! ```
#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

pub mod assumption;
pub mod distinguish;
pub mod environment;
pub mod library;
mod names;
pub mod replay;
pub mod threads;
pub mod trace;
pub mod verify;
