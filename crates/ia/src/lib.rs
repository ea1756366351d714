//! The language `.ia`: from a text to a program, and from a tree back to a text.
//!
//! ```text
//! text → tokens → tree → typed term
//! ```
//!
//! ```
//! let reading = agon_ia::read::read("x : com |- x; x", &[]).expect("it is a program");
//! assert!(reading.warnings.is_empty());
//! ```
#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

pub mod assumption;
pub mod claims;
pub mod layout;
pub mod parse;
pub mod print;
pub mod token;
pub mod tree;

pub mod constant;
pub mod elaborate;
pub mod hole;
pub mod names;
pub mod read;

mod annotate;
mod client;
mod environment;

pub mod sample;
pub mod unfold;
