//! The machine beside the references of `games`: plays, models, approximations, laws.
//!
//! All of it is one program, which is built and linked once. A module is picked by its name:
//!
//! ```text
//! cargo test -p agon-games --test all agreement::
//! ```

mod agreement;
mod approximation;
mod concurrent;
mod laws;
mod modules;
mod predicates;
mod revealed;
mod unfolded;
mod walks;
