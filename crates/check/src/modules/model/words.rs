//! The model in the words of the module: stores and activations by what their cells hold, numbered in the order of plays.

use std::collections::{BTreeMap, BTreeSet};

use agon_base::explore::breadth_first;
use agon_base::id::number;
use agon_base::int::Int;
use agon_base::intern::Interner;
use agon_base::source::Span;
use agon_core::module::{self, CellKind, LocalId, Sort};
use agon_games::arena::Role;
use agon_games::machine::Machine;
use agon_games::values::{CellId, Exact};
use rustc_hash::FxHashSet;

use super::classes::Classes;
use super::recorded::{RawEdge, Resolved};
use super::{Activation, ActivationId, Edge, Given, Known, Model, Reply, StoreClass, StoreId};
use crate::modules::Compiled;

/// No more elements of an array than this are looked at.
const MOST_ELEMENTS: u64 = 64;

/// What writes a model.
pub(super) struct Writer<'a> {
    pub(super) compiled: &'a Compiled,
    pub(super) machine: &'a mut Machine<Exact>,
    pub(super) resolved: &'a Resolved,
    pub(super) classes: &'a Classes,
}

/// A place of the model: an activation that waits, or none, at a store. Both are numbers of classes.
type Place = (Option<u32>, u32);

/// What follows at each place, in the order in which moves are offered.
type Places<'a> = BTreeMap<Place, Vec<(&'a Given, Reply<u32, u32>)>>;

impl Writer<'_> {
    /// The model.
    pub(super) fn model(mut self, visited: usize) -> Model {
        let mut places = Places::new();
        let mut known = FxHashSet::default();
        for RawEdge { waits, store, given, reply } in &self.resolved.edges {
            let waits = waits.map(|waits| self.classes.activations[waits as usize]);
            let place = (waits, self.classes.stores[*store as usize]);
            let edges = places.entry(place).or_default();
            if known.insert((place, given)) {
                edges.push((given, self.classes.reply(reply)));
            }
        }
        let (stores, activations) = self.numbered(&places);
        let store = |class: u32| StoreId(stores.find(&class).expect("it was numbered"));
        let activation = |class: u32| ActivationId(activations.find(&class).expect("it was numbered"));
        let mut edges: Vec<Edge> = Vec::new();
        for ((waits, at), all) in places {
            let (waits, at) = (waits.map(activation), store(at));
            for (given, reply) in all {
                let reply = match reply {
                    Reply::Moves(played, opens, to) => {
                        Reply::Moves(played, opens.into_iter().map(activation).collect(), store(to))
                    }
                    Reply::Ends(value, to) => Reply::Ends(value, store(to)),
                    Reply::Stops(played) => Reply::Stops(played),
                    Reply::Diverges => Reply::Diverges,
                };
                edges.push(Edge { waits, store: at, given: given.clone(), reply });
            }
        }
        // Moves stay in the order in which they are offered.
        edges.sort_by_key(|edge| (edge.waits, edge.store));
        Model {
            stores: self.stores(stores.as_slice()),
            activations: self.activations(activations.as_slice()),
            edges,
            visited,
        }
    }

    /// The classes of stores and activations, in the order in which a walk from the start comes to them.
    fn numbered(&self, places: &Places<'_>) -> (Interner<u32>, Interner<u32>) {
        let (mut stores, mut activations): (Interner<u32>, Interner<u32>) = Default::default();
        let mut found: Interner<Place> = Interner::default();
        let start = self.classes.stores[0];
        stores.intern(start);
        found.intern((None, start));
        let walked: Result<(), std::convert::Infallible> = breadth_first(&mut found, |found, n| {
            let place = *found.get(n);
            for (_, reply) in places.get(&place).into_iter().flatten() {
                let (opens, to): (&[u32], u32) = match reply {
                    Reply::Moves(_, opens, to) => (opens, *to),
                    Reply::Ends(_, to) => (&[], *to),
                    Reply::Stops(_) | Reply::Diverges => continue,
                };
                stores.intern(to);
                found.intern((None, to));
                for class in opens {
                    if activations.insert(*class).1 {
                        let all = places.range((Some(*class), 0)..=(Some(*class), u32::MAX));
                        all.for_each(|(place, _)| _ = found.intern(*place));
                    }
                }
            }
            Ok(())
        });
        let Ok(()) = walked;
        // Stores at which only activations of the module go on.
        for (waits, store) in places.keys() {
            stores.intern(*store);
            waits.iter().for_each(|waits| _ = activations.intern(*waits));
        }
        (stores, activations)
    }

    /// What is known of the cells in each class of stores.
    fn stores(&mut self, classes: &[u32]) -> Vec<StoreClass> {
        let mut members: BTreeMap<u32, usize> = BTreeMap::new();
        self.classes.stores.iter().for_each(|class| *members.entry(*class).or_default() += 1);
        let mut held: Values = Values::default();
        for (n, class) in self.classes.stores.iter().enumerate() {
            let at = self.machine.join(None, *self.resolved.stores.get(number(n)));
            for (id, cell) in self.compiled.module.cells() {
                for (element, value) in (0..).zip(self.machine.held(at, id, MOST_ELEMENTS)) {
                    let element = cell.length.map(|_| element);
                    held.add((id.0, element), *class, value);
                }
            }
        }
        let declared = |cell: u32| self.compiled.module.cell(module::CellId(cell));
        let name = |cell: u32| declared(cell).name.to_string();
        let show = |cell: u32, value: &Int| match &declared(cell).kind {
            CellKind::Value(sort) => self.compiled.module.show_value(value, sort),
            CellKind::Mutex | CellKind::Semaphore(_) => value.to_string(),
        };
        let class = |class: &u32| StoreClass {
            members: members.get(class).copied().unwrap_or(0),
            cells: held.known(*class, name, show),
        };
        classes.iter().map(class).collect()
    }

    /// What is known of each class of activations.
    fn activations(&mut self, classes: &[u32]) -> Vec<Activation> {
        let mut members: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (n, class) in self.classes.activations.iter().enumerate() {
            members.entry(*class).or_default().push(n);
        }
        // Cells of activations with the same control are needed in all of them or in none.
        let mut held: BTreeMap<u32, Values> = BTreeMap::new();
        for (n, class) in self.classes.activations.iter().enumerate() {
            let at = self.resolved.waits[n].2;
            let values = held.entry(self.machine.control(at)).or_default();
            for (cell, elements) in self.machine.held_by_activation(at, MOST_ELEMENTS) {
                let single = self.machine.code().cells()[cell.index()].length.is_none();
                for (element, value) in (0..).zip(elements) {
                    values.add((cell.0, (!single).then_some(element)), *class, value);
                }
            }
        }
        let sorts = self.sorts();
        let code = self.machine.code();
        let name = |cell: u32| code.cells()[cell as usize].name.clone();
        let show = |cell: u32, value: &Int| match sorts.get(&CellId(cell)) {
            Some(sort) => self.compiled.module.show_value(value, sort),
            None => value.to_string(),
        };
        let class = |class: &u32| {
            let members = &members[class];
            let (waits_for, _, at) = self.resolved.waits[members[0]];
            let began = self.machine.began_with(at).map(|component| self.compiled.roles.of(component));
            let (procedure, inner) = match began {
                Some(Role::Procedure(id)) => (id, false),
                Some(Role::Summarised(id)) => (id, true),
                other => unreachable!("{other:?} is not called"),
            };
            let control = |n: &usize| self.machine.control(self.resolved.waits[*n].2);
            let same = members.iter().all(|n| control(n) == self.machine.control(at));
            let mut spans: Vec<Span> = members.iter().filter_map(|n| self.resolved.waits[*n].1).collect();
            spans.sort_unstable_by_key(|span| (span.start, span.end));
            spans.dedup();
            let cells = match held.get(&self.machine.control(at)) {
                Some(values) if same => values.known(*class, name, show),
                _ => Vec::new(),
            };
            Activation { procedure, inner, waits_for, spans, cells }
        };
        classes.iter().map(class).collect()
    }

    /// What the cells of activations hold.
    fn sorts(&self) -> BTreeMap<CellId, Sort> {
        let mut sorts = BTreeMap::new();
        for (id, procedure) in self.compiled.module.procedures() {
            for (local, kept) in (0..).map(LocalId).zip(&procedure.locals) {
                if let Some(cell) = self.machine.code().local_cell(id, local) {
                    sorts.insert(cell, kept.sort.clone());
                }
            }
        }
        sorts
    }
}

/// A cell, or an element of an array.
type Element = (u32, Option<u64>);

/// The values of cells.
#[derive(Default)]
struct Values(BTreeMap<Element, Seen>);

/// The values of one cell: all of them, and those in each class.
type Seen = (BTreeSet<Int>, BTreeMap<u32, BTreeSet<Int>>);

impl Values {
    fn add(&mut self, element: Element, class: u32, value: Int) {
        let (all, by_class) = self.0.entry(element).or_default();
        by_class.entry(class).or_default().insert(value.clone());
        all.insert(value);
    }

    /// The cells that have fewer values in a class than in all of them.
    fn known(
        &self,
        class: u32,
        name: impl Fn(u32) -> String,
        show: impl Fn(u32, &Int) -> String,
    ) -> Vec<Known> {
        let of = |((cell, element), (all, by_class)): (&Element, &Seen)| {
            let values = by_class.get(&class).filter(|values| values.len() < all.len())?;
            let name = match element {
                Some(element) => format!("{}[{element}]", name(*cell)),
                None => name(*cell),
            };
            Some(Known { name, values: values.iter().map(|value| show(*cell, value)).collect() })
        };
        self.0.iter().filter_map(of).collect()
    }
}
