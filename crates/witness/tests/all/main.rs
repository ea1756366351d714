//! Plays that are confirmed, plays that are refused, and environments made from plays.
//!
//! All of it is one program, which is built and linked once. A module is picked by its name:
//!
//! ```text
//! cargo test -p agon-witness --test all clients::
//! ```

mod clients;
mod declared;
mod possible;
mod threads;
mod trace;
mod trust;
mod written;
