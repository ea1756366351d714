//! What an answer must show, checked without any engine.
//!
//! An engine that calls a program unsafe gives a play. [`replay`] runs the program, by its operational semantics
//! alone, against that play move by move; [`environment`] writes, in the language itself, an environment that
//! plays O's part, and [`verify`] runs the closed program that results. One that calls a program safe by what a part of it
//! keeps to shows that, and [`assumption`] goes through both halves of the program with it.

pub mod assumption;
pub mod distinguish;
pub mod environment;
mod page;
pub mod replay;
pub mod secrets;
pub mod threads;
pub mod verify;
