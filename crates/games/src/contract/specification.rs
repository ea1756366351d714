//! Specifications: an assumption by itself, without the program that it was learnt from, to check later parts against.

use agon_base::int::Int;
use agon_core::types::Type;
use agon_learn::automaton::Automaton;

use super::{Assumption, Interface, Letter, Rules, Said};
use crate::abstracted::Value;
use crate::arena::{Arena, ComponentId};
use crate::interval::Interval;
use crate::moves::{Label, Move, Player};
use crate::sites::Sites;

/// An assumption and all that must be known to read it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Specification {
    /// What the part is called.
    pub component: String,
    /// The move that nobody is to bring about, as it is written.
    pub target: String,
    /// The same as a move of the part's, if it can be one.
    pub hit: Option<Said>,
    /// The components of the part's game; the first is its own.
    pub places: Vec<Place>,
    /// The letters; their components are places.
    pub letters: Vec<Letter>,
    /// The words that are allowed.
    pub automaton: Automaton<u32>,
    /// How deeply the part may nest calls in arguments of calls.
    pub depth: usize,
    /// Whether the part may be left while it waits, and be started over.
    pub may_be_left: bool,
    /// Whether the part may leave calls of its own.
    pub may_leave: bool,
}

/// A component of the part's game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// As moves are prefixed; empty for the part's own.
    pub name: String,
    /// Its base type, as it is written.
    pub ty: String,
    /// Whether it is between the part and the rest, rather than the environment's.
    pub between: bool,
    /// The parts of what O says in it, and of where O points.
    pub given: (Vec<Interval>, Vec<Interval>),
    /// The parts of what P says in it, and of where P points.
    pub said: (Vec<Interval>, Vec<Interval>),
}

impl Specification {
    /// The specification of an assumption, over the data that the halves have now.
    pub fn new(
        assumption: &Assumption,
        (target, hit): (String, Option<&Move>),
        rules: Rules<'_>,
    ) -> Specification {
        let Interface { part, rest_jumps, part_jumps, .. } = rules.interface;
        let places = part.components().map(|(id, component)| Place {
            name: component.name.clone(),
            ty: component.base.to_string(),
            between: rules.interface.outside(id).is_some(),
            given: rules.partitions(id, Player::O),
            said: rules.partitions(id, Player::P),
        });
        Specification {
            component: assumption.component.clone(),
            target,
            hit: hit.map(|m| m.map(|n| Interval::point(n.clone()))),
            places: places.collect(),
            letters: assumption.letters.clone(),
            automaton: assumption.automaton.clone(),
            depth: assumption.depth,
            may_be_left: *rest_jumps,
            may_leave: *part_jumps,
        }
    }

    /// For each component of a program the place that it is; or why the program is not one that the specification is about.
    pub fn fits(&self, arena: &Arena) -> Result<Vec<ComponentId>, String> {
        let places = arena.components().map(|(_, component)| {
            let called = match component.name.as_str() {
                "" => "the program".to_string(),
                name => format!("`{name}`"),
            };
            let place = self.places.iter().position(|place| place.name == component.name);
            let Some(place) = place else {
                let known: Vec<_> =
                    self.places[1..].iter().map(|place| format!("`{}`", place.name)).collect();
                return Err(match &known[..] {
                    [] => format!("nothing is assumed about {called}: such a part uses no names"),
                    _ => format!("nothing is assumed about {called}; there are {}", known.join(", ")),
                });
            };
            let ty = &self.places[place].ty;
            if *ty != component.base.to_string() {
                return Err(format!("{called} has type `{}`, and `{ty}` is assumed", component.base));
            }
            Ok(ComponentId::new(place))
        });
        let places = places.collect::<Result<Vec<_>, _>>()?;
        // What is called with arguments is called with all of them.
        let has = |name: &str| arena.components().any(|(_, component)| component.name == name);
        for place in &self.places {
            if let Some((called, _)) = place.name.rsplit_once('.')
                && has(called)
                && !has(&place.name)
            {
                return Err(format!(
                    "`{called}` takes fewer arguments than are assumed: there is no `{}`",
                    place.name
                ));
            }
        }
        Ok(places)
    }

    /// The move of a program's that it must not bring about, if it can be one.
    pub fn target(&self, places: &[ComponentId]) -> Option<Move> {
        let hit = self.hit.as_ref()?;
        let component = places.iter().position(|place| *place == hit.component)?;
        let point = |interval: &Interval| interval.as_point().cloned();
        let label = match &hit.label {
            Label::Value(v) => Label::Value(point(v)?),
            Label::Write(v) => Label::Write(point(v)?),
            other => other.map(|_| Int::ZERO),
        };
        Some(Move {
            component: ComponentId::new(component),
            element: hit.element.as_ref().and_then(point),
            label,
        })
    }

    /// The sites of a program's data, with what O says in parts as letters have them.
    pub fn on(&self, mut sites: Sites, arena: &Arena, places: &[ComponentId]) -> Sites {
        for (id, _) in arena.components() {
            let (values, indices) = &self.places[places[id.index()].index()].given;
            for (site, parts) in [(sites.of_component(id), values), (sites.of_component_index(id), indices)] {
                if let Some(site) = site
                    && parts.len() > 1
                {
                    sites.site_mut(site).split(&[(0, parts.clone())].into());
                }
            }
        }
        sites
    }

    /// A move of O's to the part, as letters say it.
    pub fn heard(&self, m: &Move<Value>, places: &[ComponentId]) -> Option<Said> {
        self.parts(m, places, Player::O).pop()
    }

    /// A move of the part's, as letters say it: it may be several things.
    pub fn said(&self, m: &Move<Value>, places: &[ComponentId]) -> Vec<Said> {
        self.parts(m, places, Player::P)
    }

    fn parts(&self, m: &Move<Value>, places: &[ComponentId], by: Player) -> Vec<Said> {
        let component = places[m.component.index()];
        let place = &self.places[component.index()];
        let (values, indices) = if by == Player::O { &place.given } else { &place.said };
        let met = |parts: &[Interval], value: &Value| -> Vec<Interval> {
            let meets = |part: &&Interval| part.intersection(&value.interval).is_some();
            parts.iter().filter(meets).cloned().collect()
        };
        let labels: Vec<Label<Interval>> = match &m.label {
            Label::Value(value) => met(values, value).into_iter().map(Label::Value).collect(),
            Label::Write(value) => met(values, value).into_iter().map(Label::Write).collect(),
            other => vec![other.map(|value| value.interval.clone())],
        };
        let elements: Vec<Option<Interval>> = match m.element.as_ref().filter(|_| m.label.is_question()) {
            Some(element) => met(indices, element).into_iter().map(Some).collect(),
            None => vec![None],
        };
        let mut all = Vec::new();
        for element in &elements {
            for label in &labels {
                all.push(Move { component, element: element.clone(), label: label.clone() });
            }
        }
        all
    }

    /// A move of the part's game as it is written.
    pub fn show(&self, said: &Said) -> String {
        let place = &self.places[said.component.index()];
        let value = |interval: &Interval| match interval.as_point() {
            Some(n) if place.ty.ends_with("bool") && n.is_zero() => "false".into(),
            Some(n) if place.ty.ends_with("bool") && *n == Int::ONE => "true".into(),
            Some(n) => n.to_string(),
            None => interval.to_string(),
        };
        let label = said.label.show(value);
        let element = said.element.as_ref().map_or(String::new(), |at| format!("[{at}]"));
        match said.label == Label::Abort || place.name.is_empty() {
            true => label,
            false => format!("{}{element}.{label}", place.name),
        }
    }
}

impl Rules<'_> {
    /// The parts of what a player says in a component, and of where that player points.
    fn partitions(&self, id: ComponentId, by: Player) -> (Vec<Interval>, Vec<Interval>) {
        let base = &self.interface.part.component(id).base;
        let values = if base.data().is_some() { self.values(id, by) } else { Vec::new() };
        let indices = if matches!(base, Type::Array(..)) { self.indices(id, by) } else { Vec::new() };
        (values, indices)
    }
}
