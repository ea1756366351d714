//! Options: what is assumed of the environment and of the machine, and what counts as a failure.

use agon_base::int::Int;

use crate::types::DataModel;

/// How C files are read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// How many bits the integers have.
    pub data_model: DataModel,
    /// What is checked beyond what always is.
    pub checks: Checks,
    /// Whether a program with `main` is a library, too, which others call.
    pub library: bool,
    /// The functions that the environment may call; none for all with external linkage.
    pub entry: Vec<String>,
    /// Functions with external linkage that the environment does not call.
    pub private: Vec<String>,
    /// Imports that never call back.
    pub leaf: Vec<String>,
    /// The least and the greatest number that an import gives.
    pub returns: Vec<(String, Int, Int)>,
    /// What the environment may call while an import is open.
    pub may_call: Vec<(String, Vec<String>)>,
    /// Functions whose call is a failure.
    pub fails: Vec<String>,
    /// Objects with external linkage that the environment does not touch.
    pub private_data: PrivateData,
    /// Which orders of evaluation are looked at.
    pub evaluation: Evaluation,
    /// How many objects of one kind are alive at once, at most; 0 is the same as 3.
    pub objects: u64,
    /// Whether allocation may give null.
    pub malloc_fails: bool,
    /// Whether the environment may give pointers to dead objects back.
    pub stale_handles: bool,
    /// Whether objects that the environment has pointers to, and its own, are followed: every read of them is an answer of the environment's.
    /// Otherwise such pointers are refused.
    pub exposed: bool,
    /// Whether addresses of objects that have died always come again.
    pub reused: bool,
    /// Whether two versions are compared: then the module tells all that the environment can see.
    pub compared: bool,
    /// How many threads of the environment may be in the module at once; 0 is the same as 1.
    pub threads: u64,
}

impl Options {
    /// How many objects of one kind are alive at once, at most.
    pub fn objects(&self) -> u64 {
        if self.objects == 0 { 3 } else { self.objects }
    }
}

/// What is checked beyond what always is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checks {
    /// That no signed operation overflows. It wraps otherwise.
    pub overflow: bool,
    /// That no unsigned operation wraps.
    pub unsigned_overflow: bool,
    /// That all memory is freed when the program ends.
    pub leak: bool,
    /// Whether memory fails that is neither freed nor pointed to when the program ends.
    pub lost: bool,
    /// Whether data races fail.
    pub race: bool,
}

/// Objects with external linkage that the environment does not touch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PrivateData {
    /// These.
    Named(Vec<String>),
    /// All.
    All,
}

impl Default for PrivateData {
    fn default() -> PrivateData {
        PrivateData::Named(vec![])
    }
}

impl PrivateData {
    /// Whether an object is one of them.
    pub fn contains(&self, name: &str) -> bool {
        match self {
            PrivateData::Named(names) => names.iter().any(|known| known == name),
            PrivateData::All => true,
        }
    }
}

/// Which orders of evaluation are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Evaluation {
    /// All that C allows.
    #[default]
    Any,
    /// Operands from the left.
    Left,
    /// Calls first, from the left; then what is read.
    CallsFirst,
}
