//! What every other crate builds on: integers, sources and diagnostics, tables that number equal things once.
//!
//! ```
//! use agon_base::int::Int;
//! use agon_base::intern::Interner;
//!
//! let huge = Int::from(i64::MAX).add(&Int::ONE);
//! let mut table: Interner<Int> = Interner::default();
//! let (first, new) = table.insert(huge.clone());
//! assert!(new);
//! assert_eq!(table.intern(huge), first);
//! ```
#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

pub mod budget;
pub mod explore;
pub mod growth;
pub mod id;
pub mod int;
pub mod intern;
pub mod preorder;
pub mod random;

pub mod diagnostic;
pub mod refused;
pub mod source;
pub mod spelling;
