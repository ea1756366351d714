//! Portable specifications: assumptions that are written to a file and read back.

use std::collections::BTreeMap;

use agon_base::int::Int;
use agon_games::arena::ComponentId;
use agon_games::contract::{self, Letter};
use agon_games::interval;
use agon_games::moves::{self, Move};
use agon_learn::automaton::{Automaton, State};

use crate::shape::Version;
use crate::shape::specification::{Interval, Kind, Label, Place, Said, Specification};

/// An assumption as data: readable edges, and the moves that they are made of.
pub fn write(specification: &contract::Specification) -> Specification {
    let mut moves = BTreeMap::new();
    let mut edges = Vec::new();
    for (n, state) in specification.automaton.states.iter().enumerate() {
        for (letter, to) in &state.edges {
            let Letter { o, p } = &specification.letters[*letter as usize];
            for said in [o, p] {
                moves.entry(specification.show(said)).or_insert_with(|| self::said(said, specification));
            }
            edges.push((n, specification.show(o), specification.show(p), *to));
        }
    }
    let list = |list: &[interval::Interval]| list.iter().map(interval).collect();
    let places = specification.places.iter().map(|place| Place {
        name: place.name.clone(),
        ty: place.ty.clone(),
        between: place.between,
        given: (list(&place.given.0), list(&place.given.1)),
        said: (list(&place.said.0), list(&place.said.1)),
    });
    Specification {
        version: Version,
        kind: Kind::Assumption,
        component: specification.component.clone(),
        target: specification.target.clone(),
        hit: specification.hit.as_ref().map(|hit| said(hit, specification)),
        states: specification.automaton.states.len(),
        depth: specification.depth,
        may_be_left: specification.may_be_left,
        may_leave: specification.may_leave,
        places: places.collect(),
        moves,
        edges,
    }
}

fn interval(interval: &interval::Interval) -> Interval {
    (interval.low().map(Int::to_string), interval.high().map(Int::to_string))
}

fn said(said: &contract::Said, specification: &contract::Specification) -> Said {
    let (says, value) = match &said.label {
        moves::Label::Run => (Label::Run, None),
        moves::Label::Done => (Label::Done, None),
        moves::Label::Ask => (Label::Ask, None),
        moves::Label::Value(v) => (Label::Value, Some(v)),
        moves::Label::Read => (Label::Read, None),
        moves::Label::Write(v) => (Label::Write, Some(v)),
        moves::Label::Grab => (Label::Grab, None),
        moves::Label::Release => (Label::Release, None),
        moves::Label::Ok => (Label::Ok, None),
        moves::Label::Abort => (Label::Abort, None),
        moves::Label::Call(_) | moves::Label::Exit(_) => unreachable!("assumptions are about programs"),
    };
    Said {
        place: specification.places[said.component.index()].name.clone(),
        says,
        value: value.map(interval),
        element: said.element.as_ref().map(interval),
    }
}

/// Reads an assumption, or says why the text is none.
pub fn read(text: &str) -> Result<contract::Specification, String> {
    let data = serde_json::from_str(text).map_err(|error| error.to_string())?;
    from_data(data).ok_or_else(|| "its edges do not fit its states, its moves or its places".into())
}

fn from_data(data: Specification) -> Option<contract::Specification> {
    let places: Vec<contract::Place> = data.places.iter().map(read_place).collect::<Option<_>>()?;
    // Each state but the first has an edge to it, so a greater number of states is wrong, and is not allocated.
    let count = Some(data.states).filter(|count| *count <= data.edges.len() + 1)?;
    let mut letters: Vec<Letter> = Vec::new();
    let mut states = vec![State { accepting: true, edges: Default::default() }; count];
    for (from, o, p, to) in &data.edges {
        let said = |name: &String| read_said(data.moves.get(name)?, &places);
        let letter = Letter { o: said(o)?, p: said(p)? };
        let number = letters.iter().position(|known| *known == letter).unwrap_or_else(|| {
            letters.push(letter);
            letters.len() - 1
        });
        let to = Some(*to).filter(|to| (*to as usize) < count)?;
        states.get_mut(*from)?.edges.insert(u32::try_from(number).ok()?, to);
    }
    Some(contract::Specification {
        component: data.component,
        target: data.target,
        hit: match &data.hit {
            None => None,
            Some(hit) => Some(read_said(hit, &places)?),
        },
        places,
        letters,
        automaton: Automaton { states },
        depth: data.depth,
        may_be_left: data.may_be_left,
        may_leave: data.may_leave,
    })
}

fn read_place(place: &Place) -> Option<contract::Place> {
    let list = |list: &[Interval]| list.iter().map(read_interval).collect::<Option<Vec<_>>>();
    Some(contract::Place {
        name: place.name.clone(),
        ty: place.ty.clone(),
        between: place.between,
        given: (list(&place.given.0)?, list(&place.given.1)?),
        said: (list(&place.said.0)?, list(&place.said.1)?),
    })
}

fn read_interval((low, high): &Interval) -> Option<interval::Interval> {
    let end = |end: &Option<String>| match end {
        None => Some(None),
        Some(text) => Int::parse(text).map(Some),
    };
    interval::Interval::new(end(low)?, end(high)?)
}

fn read_said(said: &Said, places: &[contract::Place]) -> Option<contract::Said> {
    let place = places.iter().position(|place| place.name == said.place)?;
    let value = || read_interval(said.value.as_ref()?);
    let label = match said.says {
        Label::Run => moves::Label::Run,
        Label::Done => moves::Label::Done,
        Label::Ask => moves::Label::Ask,
        Label::Value => moves::Label::Value(value()?),
        Label::Read => moves::Label::Read,
        Label::Write => moves::Label::Write(value()?),
        Label::Grab => moves::Label::Grab,
        Label::Release => moves::Label::Release,
        Label::Ok => moves::Label::Ok,
        Label::Abort => moves::Label::Abort,
    };
    let element = match &said.element {
        None => None,
        Some(element) => Some(read_interval(element)?),
    };
    Some(Move { component: ComponentId(u32::try_from(place).ok()?), element, label })
}
