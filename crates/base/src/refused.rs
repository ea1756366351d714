//! Refusals: why something cannot be done with a program, or is not true of it.

use crate::budget::Stop;
use crate::source::Span;

/// Why something is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// It is not true of the program, or does not apply to it; in words.
    Wrong(String),
    /// The program has a construct that stands against it.
    Construct {
        /// What it is.
        what: String,
        /// Where it stands.
        span: Span,
    },
    /// It was stopped before it was known.
    Stop(Stop),
}

impl From<String> for Refused {
    fn from(why: String) -> Refused {
        Refused::Wrong(why)
    }
}

impl From<&str> for Refused {
    fn from(why: &str) -> Refused {
        Refused::Wrong(why.into())
    }
}

impl From<Stop> for Refused {
    fn from(stop: Stop) -> Refused {
        Refused::Stop(stop)
    }
}
