//! The compiled semantics: a term becomes code for a small abstract machine that plays P, on the fly.
//!
//! The machine is Krivine's, with cells: control is a stack of frames and a scope, both interned, so equal
//! control is an equal number and sharing in the source stays sharing. The store is one packed bit vector whose
//! layout follows from the control. P's silent steps run to the next visible move without being stored.

mod assemble;
mod code;
mod compile;
mod compiled;
pub mod explore;
mod guarded;
mod listing;
mod offers;
mod ranges;
mod run;
mod store;

pub use code::{Cell, Code, Pc};
pub use compile::{compile, compile_any, compile_module};
pub use compiled::Compiled;
pub use offers::{Offer, OfferData, OfferKind};
pub use run::{
    Branch, CallMemo, Globals, How, Layout, Machine, Nested, Pausing, PieceId, Place, Reaction, Scheduling,
    Seen, SilentRun, Stacked, State, StrandId, Strands, ThreadStack, ThreadStep, Threaded, Threads, Told,
    TransitionCache, Waiting, thread_path,
};
