//! Turning answers into text and data.

pub mod answer;
pub mod comparison;
pub mod diagnostics;
pub mod json;
pub mod model;
pub mod words;
