//! Answers of `agon check`.

use serde::{Deserialize, Serialize};

use super::Version;
use super::assumption::Assumption;
use super::diagnostic::{Diagnostic, Place};
use super::play::Step;
use super::refinement::{Abstraction, Iteration, KeptSplitting, Predicates};

/// What `agon check` says about a program.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Answer {
    /// The version of the shapes.
    pub version: Version,
    /// The program.
    pub file: String,
    /// The wall-clock time in seconds; null if the run was ended from outside.
    pub seconds: Option<f64>,
    /// The peak memory of the process in MiB, where the system tells.
    pub peak_memory_mib: Option<f64>,
    /// The verdict; of several checks or targets, the worst.
    #[serde(flatten)]
    pub finding: Finding,
    /// With `--all` or several targets: the verdict of each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks: Option<Vec<Check>>,
    /// Warnings about checks that hold only because no play reaches them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<Diagnostic>>,
    /// Whether it comes from a cache: then the figures are those of the search at that time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<bool>,
}

/// A verdict with its reasons.
#[derive(Serialize, Deserialize, Clone, PartialEq, Default, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// Whether an environment reaches the target.
    pub verdict: Verdict,
    /// The move that was searched for; `deadlock` for deadlocks, `assumption` for a part that violates one.
    pub target: String,
    /// The engine that answered.
    pub engine: String,
    /// The number of iterations; 1 for the precise engine.
    pub iterations: usize,
    /// The distinct positions that the largest iteration visited.
    pub states: usize,
    /// The transitions that the largest iteration tried.
    pub transitions: u64,
    /// The final partition of each variable; empty for the precise engine and for predicates.
    pub abstraction: Abstraction,
    /// If unsafe: the play.
    pub play: Vec<Step>,
    /// Of a module, if safe: the bounds of its model up to which it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up_to: Option<Vec<String>>,
    /// If unknown: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// If a solver failed: how, the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solver_failure: Option<String>,
    /// If agon chose the engine: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen_because: Option<String>,
    /// If the program was checked in two parts: the assumption of one about the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumption: Option<Assumption>,
    /// If data was approximated: the iterations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refinements: Option<Vec<Iteration>>,
    /// If predicates were used: the final ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicates: Option<Predicates>,
    /// If unknown: the variable that was split most often.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_splitting: Option<KeptSplitting>,
    /// If the program aborts: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// If there is a deadlock: the places of its threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stuck: Option<Vec<Place>>,
    /// Of a module whose environment has several threads: the bounds, and the verdict for one thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<Threads>,
    /// If unsafe with several threads: the accesses to the module's cells, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accesses: Option<Vec<Access>>,
    /// What the verdict assumes about the environment: of a module all of it, of a term what `--assume` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumptions: Option<Vec<String>>,
    /// Of a module in C, if unsafe: what a C compiler's program does with the environment, with `--confirm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<Confirmation>,
    /// If unsafe: definitions of an environment, if running the program with them confirmed the play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
}

/// What a program does that a C compiler made of the library and an environment.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Confirmation {
    /// The compiler.
    pub compiler: String,
    /// Whether the program fails as the play does.
    pub fails: bool,
    /// What it does, in words.
    pub message: String,
}

/// The bounds of a verdict for several threads.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Threads {
    /// The environment has at most this many threads.
    pub most: usize,
    /// In each of them, at most this many calls by the environment are open at once.
    pub nesting: usize,
    /// The verdict for one thread, nested to any depth.
    pub sequential: Verdict,
}

/// An access to a cell of a module.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Access {
    /// The thread, from 1.
    pub thread: usize,
    /// It happens behind this many moves of the play.
    pub behind: usize,
    /// The access in words.
    pub reading: String,
    /// The cell, or the element of an array.
    pub name: String,
    /// What it holds then.
    pub value: String,
    /// The place in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// Whether an environment reaches the target.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// None does.
    Safe,
    /// One does.
    Unsafe,
    /// There is no verdict.
    #[default]
    Unknown,
}

/// The verdict about one check of the program, or about one of several targets.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Check {
    /// The verdict.
    #[serde(flatten)]
    pub finding: Finding,
    /// The text of the check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// The kind of check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<CheckKind>,
    /// Its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// False if no play reaches it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached: Option<bool>,
}

/// The kinds of checks.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CheckKind {
    /// An `abort`.
    Abort,
    /// An `assert`.
    Assertion,
    /// An index of an array.
    Index,
    /// A division, or a remainder.
    Division,
    /// A shift, whose amount may not be allowed.
    Shift,
    /// An operation whose result may not be in the range of its type.
    Overflow,
    /// A use of something that may not have been written.
    Uninitialised,
    /// A call through the name of a function, which may be `null`.
    Null,
    /// That a pointer that is followed is not null.
    NullPointer,
    /// That a pointer stays in its object.
    Pointer,
    /// That an object is used while it is alive.
    Dead,
    /// That what is written is not constant.
    Constant,
    /// That what is copied and what it is copied to have nothing in common.
    Overlap,
    /// That what is freed is allocated.
    Free,
    /// That all memory is freed when the program ends.
    Leak,
    /// A `lock` of a mutex that the same thread may hold.
    Lock,
    /// An `unlock` of a mutex that may not be locked.
    Unlock,
    /// A `lock` at which threads may wait for each other in a circle.
    Deadlock,
    /// A wait for the end of a thread that may not be there.
    Join,
    /// An access that may be in no order with one by another thread.
    Race,
    /// A bound of the model, which may be met.
    Bound,
}

/// Why a program aborts.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cause {
    /// What failed.
    pub kind: CheckKind,
    /// The cause in words.
    pub message: String,
    /// The text that failed.
    pub text: String,
    /// The place where it failed.
    pub place: Place,
    /// The values that decided it.
    pub values: Vec<Read>,
    /// The place of its condition, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<Place>,
    /// The index that is out of bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// The array that was indexed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub array: Option<String>,
    /// The length of that array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
}

/// Values that were read.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Read {
    /// Their source, as it is written.
    pub name: String,
    /// The last value of a cell, or all distinct values that the environment gave.
    pub values: Vec<String>,
    /// Who supplied them.
    pub by: Giver,
}

/// Who supplied a value.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Giver {
    /// The environment, as an answer.
    Environment,
    /// The program, which had written it.
    Program,
}
