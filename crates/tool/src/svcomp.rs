//! SV-COMP: properties of programs with `main`, answers in its words, and witnesses that another run confirms.

pub mod decide;
pub mod property;
pub mod validate;
pub mod witness;
