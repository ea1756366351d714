//! Programs after the front end: typed terms, what can be said about them, and what they do.
//!
//! A program is a *term in context*: free identifiers with their types, a turnstile, a term. This crate knows
//! what programs are and, for closed ones, what they do. It knows neither texts nor games: a front end makes a
//! [`term::Judgement`], and every semantics starts from one.
//!
//! ```
//! use agon_core::eval::{Nobody, Patience, Request, run};
//!
//! let program = "new int x := 20 in { x := x + 1; 2 * x }";
//! let reading = agon_ia::read::read(program, &[]).expect("it is a program");
//! let outcome = run(&reading.judgement, &mut Nobody, &Request::Run, Patience::steps(1_000));
//! assert_eq!(outcome, Ok(42i64.into()));
//! ```
#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

pub mod types;

pub mod checks;
pub mod condition;
pub mod term;

pub mod alike;
pub mod bounds;
pub mod normal;
pub mod split;

pub mod environment;
pub mod language;

pub mod eval;
pub mod failure;
pub mod held;
pub mod threads;

pub mod module;
