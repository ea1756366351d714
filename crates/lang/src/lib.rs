//! Programs: reading them, typing them, running them.
//!
//! A program is a *term in context*: free identifiers with their types, a turnstile, a term. This crate knows
//! what programs are and, for closed ones, what they do; it knows nothing of games. The way of a text:
//!
//! ```text
//! text → tokens → tree → typed term → a run of it, when it is closed
//! ```

pub mod growth;
pub mod int;

pub mod diagnostic;
pub mod source;
pub mod spelling;

pub mod layout;
pub mod parse;
pub mod print;
pub mod token;
pub mod tree;

pub mod types;

pub mod alike;
pub mod bounds;
pub mod checks;
pub mod constant;
pub mod elaborate;
pub mod hole;
pub mod names;
pub mod normal;
pub mod split;
pub mod term;

pub mod eval;
pub mod failure;
pub mod held;
pub mod sample;
pub mod threads;
