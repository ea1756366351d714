//! Data that the environment shares with two modules: both read what the environment has written, and what they leave there is compared.

use std::collections::BTreeSet;

use agon_base::budget::Stop;
use agon_base::int::Int;
use agon_core::module::Share;
use agon_core::module::play::Move as Played;
use agon_games::arena::Role;
use agon_games::machine::{Nested, OfferData};
use agon_witness::library::apart::Left;

use super::alike::{Given, Pairs};
use super::{Came, Common, Datum, Joint, PairRuns};

impl PairRuns<'_, '_> {
    /// Shared data that holds different values at first. What both hold there of their own is paired.
    pub(super) fn at_first(&mut self) -> Option<Left> {
        let [left, right] = self.compiled;
        let pairs = &mut self.first.pairs;
        for (_, ours) in left.module.all_data() {
            let theirs = right.module.data_named(&ours.name).map(|id| right.module.data(id));
            let Some((first, second)) =
                ours.initial.as_ref().zip(theirs.and_then(|data| data.initial.as_ref()))
            else {
                continue;
            };
            let at = |list: &[Int], n: usize| list.get(n).or(list.last()).cloned().unwrap_or_default();
            let mut differs = |n: &usize| {
                let values = [(left, at(first, *n)), (right, at(second, *n))];
                let [a, b] = values.map(|(compiled, n)| compiled.given(&ours.sort, &n));
                !pairs.alike(&a, &b)
            };
            let longest = first.len().max(second.len());
            if let Some(n) = (0..longest).find(&mut differs) {
                let index = ours.length.map(|_| Int::from(n as u64));
                let values = [at(first, n), at(second, n)];
                return Some(Left { name: ours.name.to_string(), index, values, before: None });
            }
        }
        None
    }

    /// A side goes on with an answer of shared data.
    pub(super) fn answer(
        &mut self,
        joint: &mut Joint,
        side: usize,
        at: &Nested,
        value: Option<Int>,
    ) -> Result<(), Stop> {
        let machine = &self.sides[side].0;
        let inside = at.innermost();
        let element = machine.offers(inside).first().and_then(|offer| offer.element.clone());
        let n = machine.callable(inside).len();
        joint.halves[side].moves.push(Played::Return(value.clone()));
        let data = OfferData { element, value, ..OfferData::default() };
        joint.halves[side].came = self.step(side, at, n, data)?;
        Ok(())
    }

    /// Both modules where they move: what they read of shared data was written there by the environment before, so every value is tried.
    pub(super) fn settled(&mut self, begin: Joint) -> Result<Vec<Joint>, Stop> {
        let mut found = Vec::new();
        agon_base::explore::depth_first(vec![begin], |waiting, mut joint: Joint| {
            self.budget.check()?;
            let shares = joint.halves.iter().enumerate().find_map(|(side, half)| match &half.came {
                Came::Shares(id, arguments, at) => Some((side, *id, arguments.clone(), at.clone())),
                _ => None,
            });
            let Some((side, id, mut arguments, at)) = shares else {
                found.push(joint);
                return Ok(());
            };
            let compiled = self.compiled[side];
            match compiled.module.share_of(id) {
                Some(Share::Tells(data)) => {
                    let value = arguments.pop().unwrap_or_default();
                    let data = compiled.module.data(data);
                    let given = compiled.given(&data.sort, &value);
                    let datum = (data.name.to_string(), arguments.pop());
                    joint.halves[side].told.insert(datum, (value, given));
                }
                Some(Share::Asks { data, once }) => {
                    let data = compiled.module.data(data);
                    let datum = (data.name.to_string(), arguments.pop());
                    let Common { asked, once: chosen, pairs } = &joint.common;
                    let known = if once { chosen.get(&datum) } else { asked.get(&datum) };
                    let values: Vec<Given> = match (known, compiled.roles.component(Role::Import(id))) {
                        (Some(known), _) => vec![known.clone()],
                        (None, Some(component)) => {
                            let values = self.values(side, component, pairs).into_iter();
                            let given = values.map(|n| compiled.given(&data.sort, &n));
                            given.filter_map(|given| self.of_first(side, given, pairs)).collect()
                        }
                        (None, None) => vec![],
                    };
                    for given in values {
                        let Some(n) = self.number(side, &given, &joint.common.pairs) else { continue };
                        let mut next = joint.clone();
                        let common = &mut next.common;
                        let asked = if once { &mut common.once } else { &mut common.asked };
                        asked.insert(datum.clone(), given);
                        self.answer(&mut next, side, &at, Some(n))?;
                        waiting.push(next);
                    }
                    return Ok(());
                }
                Some(Share::Ends) | None => {
                    arguments.iter().for_each(|address| joint.common.pairs.end(side, address));
                }
            }
            self.answer(&mut joint, side, &at, None)?;
            waiting.push(joint);
            Ok(())
        })?;
        Ok(found)
    }

    /// The shared data that two modules have not left alike.
    pub(super) fn left(&self, joint: &mut Joint) -> Option<Left> {
        let [ours, theirs] = &joint.halves;
        let Common { pairs, asked, once } = &mut joint.common;
        let all: BTreeSet<&Datum> = ours.told.keys().chain(theirs.told.keys()).collect();
        for datum in all {
            let written = asked.get(datum).or_else(|| once.get(datum));
            let held = |side: usize, told: Option<&(Int, Given)>, pairs: &Pairs| {
                told.cloned().or_else(|| {
                    let n = self.number(side, written?, pairs)?;
                    let given = match written? {
                        Given::Own(kind, _) => Given::Own(*kind, n.clone()),
                        given => given.clone(),
                    };
                    Some((n, given))
                })
            };
            let [first, second] =
                [held(0, ours.told.get(datum), pairs), held(1, theirs.told.get(datum), pairs)];
            let name = datum.0.clone();
            let (values, before) = match (first, second) {
                (Some((_, a)), Some((_, b))) if pairs.alike(&a, &b) => continue,
                (Some((a, _)), Some((b, _))) => ([a, b], None),
                // One of them leaves it as it is, so the environment has written something else.
                (Some((told, _)), None) => {
                    let other = if told.is_zero() { Int::ONE } else { Int::ZERO };
                    ([told, other.clone()], Some(other))
                }
                (None, Some((told, _))) => {
                    let other = if told.is_zero() { Int::ONE } else { Int::ZERO };
                    ([other.clone(), told], Some(other))
                }
                (None, None) => continue,
            };
            return Some(Left { name, index: datum.1.clone(), values, before });
        }
        None
    }
}
