//! What the environment gives to two modules: the values that are tried, and what they are in the second module.

use std::collections::BTreeSet;
use std::rc::Rc;

use agon_base::int::Int;
use agon_core::module::{Function, Sort};
use agon_core::types::Data;
use agon_games::arena::{ComponentId, Role};
use agon_games::machine::{Offer, OfferData, OfferKind, State};

use super::PairRuns;
use super::alike::{Given, Kind, Pairs};
use crate::modules::Compiled;

/// No more values than this are tried for one input.
const MOST_VALUES: u64 = 1 << 10;
/// No more moves than this are tried at one position.
const MOST_MOVES: usize = 1 << 16;
/// If there are more values, these are tried: small numbers, and -1; and at most this many near the constants of the modules.
const SMALL: [i64; 5] = [0, 1, 2, 3, -1];
const MOST_NEAR: usize = 32;
/// No more objects of the environment's own than this are tried for one input.
const MOST_OBJECTS: u64 = 16;
/// No more addresses than this are tried of those that the environment knows by words.
const MOST_NAMED: usize = 256;

/// What something of the first module is in the second.
pub(super) enum Second<T> {
    Is(T),
    /// The environment was never given it.
    NotGiven,
    /// The second module has no name for it.
    Unknown,
}

impl PairRuns<'_, '_> {
    /// The values that the environment gives in a component of a module.
    pub(super) fn values(&mut self, side: usize, id: ComponentId, pairs: &Pairs) -> Vec<Int> {
        let (own, other) = (self.compiled[side], self.compiled[1 - side]);
        let Some(data) = own.arena.data(id).cloned() else { return vec![Int::ZERO] };
        if let Some(Sort::Address(data)) = own.roles.sort(id) {
            return self.addresses(side, id, data, pairs);
        }
        if let Some(size) = own.arena.count(id).filter(|size| *size <= MOST_VALUES) {
            return (0..size).map(|code| own.arena.value(id, code)).collect();
        }
        let few = self.few.entry((side, id)).or_insert_with(|| {
            let ours = own.module.independence().few(own.spot(id)?)?;
            // What the other module never asks for does not matter there.
            let few = match other.same(own, id) {
                Some(same) => ours.both(&other.module.independence().few(other.spot(same)?)?),
                None => ours,
            };
            let values: Rc<[Int]> = few.values(&data).into_iter().collect();
            (values.len() as u64 <= MOST_VALUES).then_some(values)
        });
        match few {
            Some(values) => values.to_vec(),
            None => {
                self.incomplete.get_or_insert(id);
                let small = SMALL.into_iter().map(Int::from);
                let mut near: BTreeSet<Int> = BTreeSet::new();
                for n in own.module.numbers().chain(other.module.numbers()) {
                    near.extend([n.sub(&Int::ONE), n.clone(), n.add(&Int::ONE)]);
                }
                let near = near.into_iter().take(MOST_NEAR);
                let all: BTreeSet<Int> = small.chain(near).collect();
                all.into_iter().filter(|n| own.arena.code(id, n).is_some()).collect()
            }
        }
    }

    /// The addresses that the environment gives: null, those that it was given, and some of its own.
    pub(super) fn addresses(&mut self, side: usize, id: ComponentId, data: &Data, pairs: &Pairs) -> Vec<Int> {
        let (own, other) = (self.compiled[side], self.compiled[1 - side]);
        let last = Int::from(own.module.last_address());
        let mut values = vec![Int::ZERO];
        values.extend(pairs.of(side, Kind::Address).cloned());
        let mut named = own.module.fixed_and_given();
        values.extend(named.by_ref().take(MOST_NAMED).map(Int::from));
        if named.next().is_some() {
            self.incomplete.get_or_insert(id);
        }
        let places = |compiled: &Compiled, id: Option<ComponentId>| {
            let spot = id.and_then(|id| compiled.spot(id));
            spot.map_or(0, |spot| compiled.module.independence().others(spot))
        };
        let foreign = data.size().is_none_or(|size| size > last.add(&Int::ONE));
        if foreign {
            let wanted = places(own, Some(id)).saturating_add(places(other, other.same(own, id)));
            if wanted > MOST_OBJECTS {
                self.incomplete.get_or_insert(id);
            }
            values.extend((1..=wanted.min(MOST_OBJECTS)).map(|n| last.add(&Int::from(n))));
        }
        values
    }

    /// A value of a module as the first one has it; nothing if the environment was not given it.
    pub(super) fn of_first(&self, side: usize, given: Given, pairs: &Pairs) -> Option<Given> {
        match given {
            Given::Own(kind, n) => {
                let other = pairs.other(side, kind, &n)?;
                Some(Given::Own(kind, if side == 0 { n } else { other.clone() }))
            }
            given => Some(given),
        }
    }

    /// The number in a module of a value that the first one has.
    pub(super) fn number(&self, side: usize, given: &Given, pairs: &Pairs) -> Option<Int> {
        match given {
            Given::Own(kind, n) if side == 1 => pairs.other(0, *kind, n).cloned(),
            given => self.compiled[side].number(given),
        }
    }

    /// The data of all moves of an offer of a module.
    pub(super) fn all_data(&mut self, side: usize, offer: &Offer<Int>, pairs: &Pairs) -> Vec<OfferData<Int>> {
        match offer.kind {
            OfferKind::Call => {
                let components = self.compiled[side].arena.component(offer.component).arguments.clone();
                let mut all: Vec<Vec<Int>> = vec![vec![]];
                for id in components {
                    let values = self.values(side, id, pairs);
                    if all.len().saturating_mul(values.len()) > MOST_MOVES {
                        self.incomplete.get_or_insert(id);
                    }
                    let with = |before: &Vec<Int>| {
                        let before = before.clone();
                        values.iter().map(move |n| [before.clone(), vec![n.clone()]].concat())
                    };
                    all = all.iter().flat_map(with).take(MOST_MOVES).collect();
                }
                let data =
                    |arguments: Vec<Int>| OfferData { arguments: arguments.into(), ..OfferData::default() };
                all.into_iter().map(data).collect()
            }
            OfferKind::Value => {
                let element = offer.element.clone();
                let data = |n| OfferData { element: element.clone(), value: Some(n), ..OfferData::default() };
                self.values(side, offer.component, pairs).into_iter().map(data).collect()
            }
            _ => vec![OfferData { element: offer.element.clone(), ..OfferData::default() }],
        }
    }

    /// A value of the first module as the second has it.
    pub(super) fn translated(&self, id: ComponentId, n: &Int, pairs: &Pairs) -> Second<Int> {
        let sort = self.compiled[0].roles.sort(id).cloned();
        let given = sort.map_or_else(|| Given::Number(n.clone()), |sort| self.compiled[0].given(&sort, n));
        match self.of_first(0, given, pairs) {
            None => Second::NotGiven,
            Some(given) => self.number(1, &given, pairs).map_or(Second::Unknown, Second::Is),
        }
    }

    /// The procedure of the second module that is called where a component of the first one is.
    pub(super) fn called_in_second(&self, id: ComponentId, pairs: &Pairs) -> Option<ComponentId> {
        let [left, right] = self.compiled;
        let private = match left.roles.of(id) {
            Role::Procedure(id) if !left.module.procedure(id).exported => Function::Procedure(id),
            _ => return right.same(left, id),
        };
        let other = pairs.other(0, Kind::Procedure, &left.module.number(private))?;
        match right.module.function(other)? {
            Function::Procedure(id) => right.roles.component(Role::Procedure(id)),
            Function::Import(_) | Function::Foreign(_) => None,
        }
    }

    /// The same offer of the second module, by its place, and the same data.
    pub(super) fn second(
        &self,
        at: State,
        offer: &Offer<Int>,
        data: &OfferData<Int>,
        pairs: &Pairs,
    ) -> Second<(usize, OfferData<Int>)> {
        let offers = self.sides[1].0.offers(at);
        let n = match offer.kind {
            OfferKind::Call => {
                let same = self.called_in_second(offer.component, pairs);
                offers.iter().position(|other| Some(other.component) == same)
            }
            _ => Some(0),
        };
        let Some((n, element)) = n.and_then(|n| Some((n, offers.get(n)?.element.clone()))) else {
            return Second::Unknown;
        };
        let components = &self.compiled[0].arena.component(offer.component).arguments;
        let mut arguments = Vec::new();
        for (id, n) in components.iter().zip(&data.arguments) {
            match self.translated(*id, n, pairs) {
                Second::Is(n) => arguments.push(n),
                Second::NotGiven => return Second::NotGiven,
                Second::Unknown => return Second::Unknown,
            }
        }
        let value = match data.value.as_ref().map(|n| self.translated(offer.component, n, pairs)) {
            None => None,
            Some(Second::Is(n)) => Some(n),
            Some(Second::NotGiven) => return Second::NotGiven,
            Some(Second::Unknown) => return Second::Unknown,
        };
        Second::Is((n, OfferData { element, index: None, value, arguments: arguments.into() }))
    }
}
