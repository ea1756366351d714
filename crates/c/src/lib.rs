//! C: from preprocessed translation units to a module.
//!
//! ```text
//! text → lang-c's tree → tree with types → module of the core
//! ```
//!
//! Functions with external linkage are exports, `static` ones and `static` data are private, and functions that are declared, used
//! and not defined are imports. Nothing here reads files or runs programs.
//!
//! ```
//! use agon_c::options::Options;
//! use agon_c::read::{Unit, read};
//!
//! let text = "extern int now(void); static int last; int tick(void) { last = now(); return last; }";
//! let unit = Unit { name: "clock.c".into(), text: text.into() };
//! let reading = read(&[unit], &|_| None, &Options::default()).expect("it is a module");
//! assert_eq!(reading.module.procedures().count(), 1);
//! assert_eq!(reading.module.imports().count(), 1);
//! ```

pub mod types;

pub mod claims;
pub mod headers;
pub mod library;
pub mod options;
pub mod tree;

pub mod layout;
mod memory;
mod parse;
mod points;
mod positions;
mod token;
mod translate;
mod walk;
mod wrappers;

mod effects;
mod lower;
mod order;

mod assumptions;
mod closed;
mod declare;
mod environment;
pub mod read;
