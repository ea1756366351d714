//! Programs after the front end: references beside each other, and what they are known to do.
//!
//! All of it is one program, which is built and linked once. A module is picked by its name:
//!
//! ```text
//! cargo test -p agon-core --test all alike::
//! ```

mod alike;
mod bounds;
mod checks;
mod eval;
mod modules;
mod random_modules;
mod threads;
