//! Turning answers into text and data.

pub mod answer;
pub mod assumption;
pub mod cause;
pub mod checks;
pub mod comparison;
pub mod diagnostics;
pub mod json;
pub mod model;
pub mod module;
pub mod reader;
pub mod relations;
pub mod report;
pub mod specification;
pub mod store;
pub mod words;
