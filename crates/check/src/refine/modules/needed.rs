//! Which of the parts that a spurious counterexample blames must be split so that it is excluded.
//!
//! All that was undecided on its way is blamed, and most of it has nothing to do with why it is spurious. Each cell of the module
//! that is split multiplies the stores that are distinguished. So the counterexample is followed over partitions in which some of
//! the parts are split: if it cannot be followed to its end, the others need not be split.

use std::collections::{BTreeMap, BTreeSet};

use agon_base::budget::Stop;
use agon_base::int::Int;
use agon_games::abstracted::{Abstracted, Keeping, Value};
use agon_games::arena::ComponentId;
use agon_games::interval::Interval;
use agon_games::machine::{Machine, OfferData, Reaction};
use agon_games::moves::Label;
use agon_games::sites::{PartRef, SiteId};

use super::{Began, Called, Link, Stack, machine};
use crate::refine::{Blame, Game};

/// With more ways through it than this at once, a counterexample counts as not excluded.
const MOST_WAYS: usize = 64;
/// With more moves of the environment's to be tried at once than this, neither.
const MOST_CODES: u64 = 1 << 10;
/// No more runs than this are made to find out what is needed.
const MOST_RUNS: usize = 1 << 12;

/// A part, and what it is split into.
type Split = (PartRef, Vec<Interval>);

/// How far a counterexample was followed in one way.
#[derive(Clone, PartialEq, Default)]
struct Prefix {
    stack: Stack,
    /// What the last run has said.
    said: Option<(ComponentId, Label<Value>)>,
}

impl Called<'_> {
    /// Blames no more than is needed to exclude a counterexample, as far as that can be found out.
    pub(super) fn spare(&self, path: &[Link], blame: &mut Blame<'_>) {
        let sites = self.sites();
        let split = |(part, cuts): (&PartRef, &mut Vec<Int>)| {
            let numbers = sites.part(*part);
            cuts.sort_unstable();
            cuts.dedup();
            numbers.as_point().is_none().then(|| (*part, self.abstraction.split(numbers, cuts)))
        };
        let mut needed: Vec<Split> = blame.parts.iter_mut().filter_map(split).collect();
        // What multiplies the stores is left out first.
        let of_module = self.sites_of_module();
        needed.sort_by_key(|(part, _)| !of_module.contains(&part.site));
        let mut runs = MOST_RUNS;
        if !self.is_excluded(path, &needed, &mut runs) {
            return;
        }
        let mut size = needed.len().div_ceil(2);
        while size > 0 && runs > 0 {
            let mut at = 0;
            loop {
                let end = needed.len().min(at + size);
                if at == end || needed.len() == 1 || runs == 0 {
                    break;
                }
                let rest: Vec<Split> = [&needed[..at], &needed[end..]].concat();
                match !rest.is_empty() && self.is_excluded(path, &rest, &mut runs) {
                    true => needed = rest,
                    false => at = end,
                }
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
        let kept: BTreeSet<PartRef> = needed.into_iter().map(|(part, _)| part).collect();
        blame.parts.retain(|part, _| kept.contains(part));
    }

    /// The sites of the cells of the module and of their indices.
    fn sites_of_module(&self) -> BTreeSet<SiteId> {
        let sites = self.sites();
        let cells = self.compiled.module.cells().filter_map(|(id, _)| self.compiled.code.module_cell(id));
        cells.flat_map(|cell| [Some(sites.of_cell(cell)), sites.of_index(cell)]).flatten().collect()
    }

    /// Whether a counterexample cannot be followed to its end if some parts are split.
    fn is_excluded(&self, path: &[Link], splits: &[Split], runs: &mut usize) -> bool {
        let mut sites = self.sites().clone();
        let mut by_site: BTreeMap<SiteId, BTreeMap<u32, Vec<Interval>>> = BTreeMap::new();
        for (part, into) in splits {
            by_site.entry(part.site).or_default().insert(part.part, into.clone());
        }
        by_site.iter().for_each(|(site, splits)| sites.site_mut(*site).split(splits));
        let mut machine = machine(self.compiled, Abstracted::new(sites, Keeping::Parts, self.arithmetic));
        let mut ways = vec![Prefix::default()];
        for link in path {
            let Some(known) = self.walk.reaction(&link.step) else { return false };
            let mut next: Vec<Prefix> = Vec::new();
            for way in &ways {
                let mut stack = way.stack.clone();
                let Ok(reactions) = self.again(&mut machine, link, &mut stack, way.said.as_ref(), runs)
                else {
                    return false;
                };
                for reaction in reactions {
                    let same = reaction.label.component == known.label.component
                        && reaction.label.label.says_what(&known.label.label)
                        && reaction.origin == known.origin;
                    let to = match (same, reaction.next) {
                        (false, _) => continue,
                        (true, None) => return false,
                        (true, Some(to)) => to,
                    };
                    let mut stack = stack.clone();
                    stack.end(&machine, to);
                    let after =
                        Prefix { stack, said: Some((reaction.label.component, reaction.label.label)) };
                    if !next.contains(&after) {
                        next.push(after);
                    }
                }
                if next.len() > MOST_WAYS {
                    return false;
                }
            }
            if next.is_empty() {
                return true;
            }
            ways = next;
        }
        false
    }

    /// The runs that a step of a counterexample may be over other partitions, and the stack below them.
    fn again(
        &self,
        machine: &mut Machine<Abstracted>,
        link: &Link,
        stack: &mut Stack,
        said: Option<&(ComponentId, Label<Value>)>,
        runs: &mut usize,
    ) -> Result<Vec<Reaction<Value>>, Stop> {
        let mut reactions = Vec::new();
        let mut run = || {
            *runs = runs.checked_sub(1).ok_or(Stop::Transitions)?;
            self.budget.check()
        };
        let state = stack.begin(machine, self.is_outside(link));
        let data = match (link.began, said) {
            (Began::Entered, Some((component, Label::Call(arguments)))) => {
                run()?;
                machine.enter_summarised(
                    state,
                    (*component, &**arguments),
                    None,
                    &mut reactions,
                    self.budget,
                )?;
                return Ok(reactions);
            }
            (Began::Resumed, Some((_, Label::Value(value)))) => {
                Some(OfferData { value: Some(value.clone()), ..OfferData::default() })
            }
            (Began::Resumed, _) => Some(OfferData::default()),
            _ => None,
        };
        let offers = machine.offers(state);
        let Some(offer) = offers.get(usize::from(link.step.offer)) else { return Ok(reactions) };
        if let Some(data) = data {
            run()?;
            machine.play_with(state, offer, data, None, &mut reactions, self.budget)?;
            return Ok(reactions);
        }
        let (_, asked) = self.walk.asked(&link.step);
        let last = offer.last.unwrap_or(0);
        if last >= MOST_CODES {
            return Err(Stop::Transitions);
        }
        for code in 0..=last {
            let data = offer.parts(machine.domain(), machine.arena(), code);
            if is_within(&data, &asked) {
                run()?;
                machine.play_with(state, offer, data, None, &mut reactions, self.budget)?;
            }
        }
        Ok(reactions)
    }
}

/// Whether all numbers of a move are numbers of another.
fn is_within(data: &OfferData<Value>, whole: &OfferData<Value>) -> bool {
    let within = |(a, b): (&Value, &Value)| a.interval.within(&b.interval);
    data.arguments.iter().zip(&whole.arguments).all(within) && data.value.iter().zip(&whole.value).all(within)
}
