//! One check at a time: a module is safe if none of its checks fails while all others are ignored.
//!
//! The first failure of a play is that of one check, and no other has failed before. What one check needs to know of the data
//! is little; what all need together is a product.

use agon_base::budget::Budget;
use agon_core::checks::Watch;
use agon_core::module::Module;

use super::{Compiled, Found};
use crate::interval::Intervals;
use crate::refine::{self, Abstraction, RefinementOptions};
use crate::search::Observer;
use crate::verdict::{Reason, Report, Verdict};

/// How many iterations all checks together get first.
pub const TOGETHER: usize = 64;
/// Then each check gets this many, alone; those that are left get four times as many, and so on.
const ALONE: usize = 32;

/// Whether a module can fail, by intervals: by all checks together within some iterations, then by one after the other.
pub fn intervals(
    compiled: &Compiled,
    together: usize,
    effort: &RefinementOptions,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Found {
    let module = summarising(&compiled.module);
    let compiled = &Compiled::new(module);
    let checks = match compiled.module.watch {
        Watch::All | Watch::Each => compiled.module.checks(),
        Watch::Only(_) | Watch::Kind(_) => Vec::new(),
    };
    let abstraction = Intervals::of_modules();
    let mut run = |compiled: &Compiled, iterations: usize| {
        let effort = RefinementOptions { iterations: iterations.min(effort.iterations), ..effort.clone() };
        refine::modules::check(&abstraction, compiled, &effort, budget, observe)
    };
    if checks.len() < 2 {
        return run(compiled, effort.iterations);
    }
    let is_open = |found: &Found| matches!(found.verdict, Verdict::Unknown(Reason::Iterations(_)));
    let mut all = match together {
        0 => Report::new(Verdict::Unknown(Reason::Iterations(0)), abstraction.name()),
        _ => run(compiled, together),
    };
    let mut iterations = ALONE;
    let mut left = checks;
    while is_open(&all) && iterations.div_ceil(4) < effort.iterations {
        let mut open = Vec::new();
        for check in left {
            let alone = Compiled::new(compiled.module.watching(Watch::Only(check)));
            let found = run(&alone, iterations);
            let (steps, states) = (all.iterations + found.iterations, all.states.max(found.states));
            let transitions = all.transitions.max(found.transitions);
            let last = match found.verdict {
                Verdict::Safe => false,
                _ if is_open(&found) => {
                    open.push(check);
                    false
                }
                Verdict::Unsafe(..) | Verdict::Unknown(_) => true,
            };
            all = match last {
                true => Report { iterations: steps, states, transitions, ..found },
                false => Report { iterations: steps, states, transitions, ..all },
            };
            if last {
                return all;
            }
        }
        if open.is_empty() {
            return Report { verdict: Verdict::Safe, ..all };
        }
        left = open;
        iterations = iterations.saturating_mul(4);
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
