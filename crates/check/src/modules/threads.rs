//! Modules with several threads, of the environment or of their own, with a bound on the nesting.
//!
//! Threads of the environment run on the machine, over exact numbers or over intervals: the module has its scheduling written into
//! it. What that cannot say is run by the small steps of the interpreter.

pub mod scheduled;
pub mod stepped;

use agon_base::budget::Budget;
use agon_base::growth::unless_full;
use agon_core::module::Module;
use agon_core::module::threads::offers::{Giving, Offering};
use agon_core::module::threads::replay::Act;

use super::each::one_by_one;
use crate::interval::Intervals;
use crate::portfolio::{Engine, in_turn};
use crate::refine::{self, Abstraction, RefinementOptions};
use crate::search::Observer;
use crate::verdict::{Reason, Report, Verdict};
use scheduled::Prepared;
pub use stepped::check_giving;

/// How many threads the environment has, and how many of its calls are open at most in each of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The threads.
    pub threads: usize,
    /// The nesting.
    pub nesting: usize,
}

/// An answer and its figures. A play that fails is given by its schedule; nobody has confirmed it yet.
pub type Found = Report<Vec<Act>, ()>;

/// More threads than this are not looked at.
pub const MOST_THREADS: u64 = 64;

/// The name of the engine.
pub const ENGINE: &str = "threads";

/// A thread with more activations than this is not followed further.
const MOST_ACTIVATIONS: usize = 1 << 6;

/// What the environment gives within bounds.
pub fn giving(bounds: Bounds) -> Giving {
    Giving { most: stepped::MOST_VALUES, nesting: bounds.nesting, activations: MOST_ACTIVATIONS }
}

/// How the data of a module with threads is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Inputs {
    /// All values that the environment gives are tried.
    All,
    /// Some stand for all.
    Few,
    /// There are too many.
    Wide,
}

/// Whether a module of single accesses can fail within bounds, by an engine; one that takes no threads is as `auto`.
pub fn check(
    engine: Engine,
    module: &Module,
    bounds: Bounds,
    effort: &RefinementOptions,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Found {
    let small_steps = |budget: &Budget, observe: &mut Observer<'_>| {
        check_giving(module, bounds.threads, giving(bounds), budget, observe)
    };
    let Some(prepared) = Prepared::new(module, bounds) else {
        return small_steps(budget, observe);
    };
    let inputs = match Offering::new(module, giving(bounds)).left_out() {
        Some(_) => Inputs::Wide,
        None if prepared.too_many().is_none() => Inputs::All,
        None => Inputs::Few,
    };
    let ask = |engine: Engine, budget: &Budget, observe: &mut Observer<'_>| match (engine, inputs) {
        (Engine::Interval, _) => intervals(module, bounds, effort, budget, observe),
        (_, Inputs::All) => scheduled::explicit(&prepared, budget, observe),
        (_, Inputs::Few | Inputs::Wide) => small_steps(budget, observe),
    };
    let tries = match inputs {
        Inputs::All => [
            (Engine::Explicit, "the environment may give few values"),
            (Engine::Interval, "approximated data may have fewer states"),
        ],
        Inputs::Few => [
            (Engine::Explicit, "a few of many values stand for all"),
            (Engine::Interval, "approximated data may have fewer states"),
        ],
        Inputs::Wide => [
            (Engine::Interval, "the environment may give more values than can be tried"),
            (Engine::Explicit, "a few of many values may be enough to fail"),
        ],
    };
    let run = || match engine {
        Engine::Explicit | Engine::Interval => ask(engine, budget, observe),
        _ => in_turn(tries.map(|(engine, why)| (engine, why.to_string())), budget, &ask, observe),
    };
    unless_full(run).unwrap_or_else(|stop| Report::new(Verdict::Unknown(Reason::Stop(stop)), ENGINE))
}

/// Whether a module can fail within bounds, by intervals: by all checks together, then by one after the other.
pub fn intervals(
    module: &Module,
    bounds: Bounds,
    effort: &RefinementOptions,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Found {
    let abstraction = Intervals::of_modules();
    let none = || Report::new(Verdict::Unknown(Reason::Iterations(0)), abstraction.name());
    // Deadlocks are checks of a module with several threads.
    let mut module = module.clone();
    module.threads = module.threads.max(bounds.threads as u64);
    one_by_one(&module, super::each::TOGETHER, (effort, budget), none, |module, effort, limits| {
        match Prepared::new(module, bounds) {
            Some(prepared) => refine::threads::check(&abstraction, &prepared, effort, limits, observe),
            None => none(),
        }
    })
}
