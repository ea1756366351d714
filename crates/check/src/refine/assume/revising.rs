//! Finer data: parts are split in both halves alike, and letters become those of the new parts.

use std::collections::BTreeMap;
use std::iter::successors;

use agon_base::int::Int;
use agon_games::abstracted::Abstracted;
use agon_games::contract::{Half, Letter, Said};
use agon_games::interval::Interval;
use agon_games::moves::Move;
use agon_games::sites::{PartRef, SiteId};

use super::composition::LetterId;
use super::teaching::Learning;
use super::{Assuming, Method};

/// Types of at most this many values are taken as they are where the weakest assumption is learnt.
const FEW_VALUES: u64 = 8;

impl Assuming<'_> {
    /// Makes parts finer, in both halves and in what they say to each other.
    pub(super) fn split(&mut self, parts: &[PartRef], refine: &dyn Fn(&mut Abstracted)) {
        refine(&mut self.domain);
        let mut splits: BTreeMap<SiteId, BTreeMap<u32, Vec<Interval>>> = BTreeMap::new();
        for part in parts {
            let site = self.domain.sites.site(part.site);
            let (first, last) = site.meets(site.part(part.part));
            let into = (first..=last).map(|n| site.part(site.nth(n as u64)).clone()).collect();
            splits.entry(part.site).or_default().insert(part.part, into);
        }
        for (id, splits) in &splits {
            for (half, own) in self.composition.halves.linked(*id).to_vec() {
                let walk = match half {
                    Half::Rest => &mut self.composition.rest,
                    Half::Part => &mut self.composition.part,
                };
                let parts: Vec<_> = splits.keys().map(|part| PartRef { site: own, part: *part }).collect();
                walk.refine(&parts, |domain| domain.sites.site_mut(own).split(splits));
            }
        }
        self.composition.forget();
        self.words.forget();
        let mut learning = std::mem::replace(&mut self.learning, Learning::new(Method::Tree));
        learning.revise(&mut |letter| self.revised(*letter));
        self.learning = learning;
    }

    /// Splits what has few values into these: a part that there is now may not have needed them, but others may.
    pub(super) fn tell_small_data_apart(&mut self) {
        let mut splits: BTreeMap<SiteId, BTreeMap<u32, Vec<Interval>>> = BTreeMap::new();
        for (id, site) in self.domain.sites.iter() {
            if site.range.count().is_none_or(|count| count > Int::from(FEW_VALUES)) {
                continue;
            }
            for n in 0..site.parts().count() as u64 {
                let part = site.nth(n);
                let interval = site.part(part);
                if interval.as_point().is_none()
                    && let (Some(low), Some(high)) = (interval.low(), interval.high())
                {
                    let numbers = successors(Some(low.clone()), |n| Some(n.add(&Int::ONE)));
                    let points = numbers.take_while(|n| n <= high).map(Interval::point).collect();
                    splits.entry(id).or_default().insert(part, points);
                }
            }
        }
        let parts: Vec<PartRef> = splits
            .iter()
            .flat_map(|(site, splits)| splits.keys().map(|part| PartRef { site: *site, part: *part }))
            .collect();
        self.split(&parts, &|domain| {
            splits.iter().for_each(|(site, splits)| domain.sites.site_mut(*site).split(splits));
        });
    }

    /// A letter with the parts of now: where one was split, the new one nearest to 0.
    fn revised(&mut self, letter: LetterId) -> LetterId {
        let Letter { o, p } = self.composition.letters.get(letter).clone();
        let rest = &self.composition.rest.machine.domain().sites;
        let part = &self.composition.part.machine.domain().sites;
        let interface = &self.composition.halves.interface;
        let renewed = |said: Said, to_rest: bool| {
            let (sites, id) = match to_rest {
                true => (rest, interface.outside(said.component)),
                false => (part, Some(said.component)),
            };
            let now = |site: Option<SiteId>, interval: &Interval| match site {
                None => interval.clone(),
                Some(site) => {
                    let site = sites.site(site);
                    let point = Interval::point(interval.nearest_to_zero());
                    site.part(site.nth(site.meets(&point).0 as u64)).clone()
                }
            };
            let value = id.and_then(|id| sites.of_component(id));
            let index = id.and_then(|id| sites.of_component_index(id));
            Move {
                component: said.component,
                element: said.element.as_ref().map(|interval| now(index, interval)),
                label: said.label.map(|interval| now(value, interval)),
            }
        };
        let letter = Letter { o: renewed(o, false), p: renewed(p, true) };
        self.composition.letters.intern(letter)
    }
}
