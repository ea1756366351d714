//! One check at a time: a module is safe if none of its checks fails while all others are ignored.
//!
//! The first failure of a play is that of one check, and no other has failed before. What one check needs to know of the data
//! is little; what all need together is a product.

use agon_base::budget::{Budget, Stop};
use agon_core::checks::{Kind, Watch};
use agon_core::module::Module;

use super::{Compiled, Found, of_slice};
use crate::interval::Intervals;
use crate::refine::{self, Abstraction, RefinementOptions};
use crate::search::Observer;
use crate::verdict::{Reason, Report, Verdict};

/// How many iterations all checks together get first.
pub const TOGETHER: usize = 64;
/// Then each check gets this many, alone; those that are left get four times as many, and so on.
const ALONE: usize = 32;
/// In each of them at most this many edges, at first; those that are left get eight times as many, and so on.
const EDGES: u64 = 1 << 14;

/// Whether a module can fail, by intervals: by all checks together within some iterations, then by one after the other. Those
/// that the text asserts come first: they are what the author was not sure of.
pub fn intervals(
    compiled: &Compiled,
    together: usize,
    effort: &RefinementOptions,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Found {
    let module = summarising(&compiled.module);
    let abstraction = Intervals::of_modules();
    let none = || Report::new(Verdict::Unknown(Reason::Iterations(0)), abstraction.name());
    one_by_one(&module, together, (effort, budget), none, |module, effort, limits| {
        let mut run =
            |compiled: &Compiled| refine::modules::check(&abstraction, compiled, effort, limits, observe);
        match module.watch == compiled.module.watch {
            true => run(&Compiled::new(module.clone())),
            false => of_slice(module, effort.slicing, budget, run),
        }
    })
}

/// Runs an engine on all checks of a module together within some iterations, then on one after the other. `none` is what is known
/// without a run.
pub(crate) fn one_by_one<P, E>(
    module: &Module,
    together: usize,
    (effort, budget): (&RefinementOptions, &Budget),
    none: impl Fn() -> Report<P, E>,
    mut run: impl FnMut(&Module, &RefinementOptions, &Budget) -> Report<P, E>,
) -> Report<P, E> {
    let mut left = match module.watch {
        Watch::All | Watch::Each => module.reachable_checks(),
        Watch::Only(_) | Watch::Kind(_) => Vec::new(),
    };
    left.sort_by_key(|check| !matches!(check.kind, Kind::Assertion | Kind::Abort));
    let mut run = |module: &Module, iterations: usize, edges: u64| {
        let effort = RefinementOptions { iterations: iterations.min(effort.iterations), ..effort.clone() };
        let edges = budget.transitions.map_or(edges, |most| most.min(edges));
        run(module, &effort, &Budget { transitions: Some(edges), ..budget.clone() })
    };
    let most = budget.transitions.unwrap_or(u64::MAX);
    if left.len() < 2 {
        return run(module, effort.iterations, most);
    }
    let is_open = |found: &Report<P, E>, edges: u64| match found.verdict {
        Verdict::Unknown(Reason::Iterations(_)) => true,
        Verdict::Unknown(Reason::Stop(Stop::Transitions)) => edges < most,
        _ => false,
    };
    let (mut iterations, mut edges) = (ALONE, EDGES);
    let mut all = match together {
        0 => none(),
        _ => run(module, together, most),
    };
    let mut again = is_open(&all, most);
    while again {
        let mut open = Vec::new();
        again = false;
        for check in left {
            let found = run(&module.watching(Watch::Only(check)), iterations, edges);
            let (steps, states) = (all.iterations + found.iterations, all.states.max(found.states));
            let transitions = all.transitions.max(found.transitions);
            if is_open(&found, edges) {
                open.push(check);
                let limited = matches!(found.verdict, Verdict::Unknown(Reason::Iterations(_)));
                again |= !limited || iterations < effort.iterations;
            } else if !matches!(found.verdict, Verdict::Safe) {
                return Report { iterations: steps, states, transitions, ..found };
            }
            let verdict = if is_open(&found, edges) { found.verdict } else { all.verdict };
            all = Report { iterations: steps, states, transitions, verdict, ..all };
        }
        if open.is_empty() {
            return Report { verdict: Verdict::Safe, ..all };
        }
        left = open;
        iterations = iterations.saturating_mul(4);
        edges = edges.saturating_mul(8);
    }
    all
}

/// The same module, of which the procedures that call nobody outside are summarised: the ways through one of them meet at its
/// end, so that the ways through many of them, one after the other, do not multiply.
fn summarising(module: &Module) -> Module {
    let mut summarising = module.clone();
    summarising.summarised = module.silent();
    summarising
}
