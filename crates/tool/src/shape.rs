//! The data that agon writes and reads as JSON: a type for each shape.
//!
//! All JSON is one of these types, or a list of answers. `docs/schema` has a JSON Schema for each, generated from the type:
//! `cargo test -p agon --lib schema` fails if one is out of date, and with `AGON_WRITE_SCHEMAS=1` writes it.

pub mod answer;
pub mod assumption;
pub mod certificate;
pub mod comparison;
pub mod diagnostic;
pub mod event;
pub mod model;
pub mod play;
pub mod refinement;
pub mod request;
#[cfg(test)]
mod schemas;
pub mod specification;
pub mod tests;
pub mod typing;

use serde::{Deserialize, Serialize};

/// The version of the shapes: it changes when a field is renamed, removed or means something else. Fields may be added.
const VERSION: u32 = 1;

/// The version of data. Data of another version is not read.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(extend("const" = VERSION)))]
#[serde(try_from = "u32", into = "u32")]
pub struct Version;

impl From<Version> for u32 {
    fn from(_: Version) -> u32 {
        VERSION
    }
}

impl TryFrom<u32> for Version {
    type Error = String;

    fn try_from(version: u32) -> Result<Version, String> {
        match version {
            VERSION => Ok(Version),
            other => Err(format!("it has version {other}, and agon reads version {VERSION}")),
        }
    }
}

/// Data as JSON on several lines.
pub fn pretty(data: &impl Serialize) -> String {
    format!("{:#}\n", value(data))
}

/// Data as JSON on one line.
pub fn line(data: &impl Serialize) -> String {
    format!("{}\n", value(data))
}

/// Data as JSON, its fields in alphabetical order.
pub fn value(data: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(data).expect("every shape can be written as JSON")
}
