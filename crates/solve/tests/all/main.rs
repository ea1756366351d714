//! The solver beside plain enumeration, and on questions whose answers are known.
//!
//! All of it is one program, which is built and linked once. A module is picked by its name:
//!
//! ```text
//! cargo test -p agon-solve --test all agreement::
//! ```

mod agreement;
mod bits_of_integers;
mod questions;
mod residues;
