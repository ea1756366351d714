//! Assumptions by themselves, written to a file and read back.

use agon_base::int::Int;
use agon_games::arena::ComponentId;
use agon_games::contract::{Letter, Pact, Place, Said};
use agon_games::interval::Interval;
use agon_games::moves::{Label, Move};
use agon_learn::automaton::{Automaton, State};
use serde_json::{Value, json};

/// What such a file says that it is.
const KIND: &str = "assumption";

/// An assumption as data: readable edges, and the moves that they are made of.
pub fn write(pact: &Pact) -> Value {
    let mut moves = serde_json::Map::new();
    let mut edges = Vec::new();
    for (n, state) in pact.automaton.states.iter().enumerate() {
        for (letter, to) in &state.edges {
            let Letter { o, p } = &pact.letters[*letter as usize];
            for said in [o, p] {
                moves.entry(pact.show(said)).or_insert_with(|| said_as_data(said, pact));
            }
            edges.push(json!([n, pact.show(o), pact.show(p), to]));
        }
    }
    let partition = |(values, indices): &(Vec<Interval>, Vec<Interval>)| {
        json!([
            values.iter().map(interval).collect::<Vec<_>>(),
            indices.iter().map(interval).collect::<Vec<_>>()
        ])
    };
    let places = pact.places.iter().map(|place| {
        json!({
            "name": place.name, "type": place.ty, "between": place.between,
            "given": partition(&place.given), "said": partition(&place.said),
        })
    });
    json!({
        "kind": KIND, "component": pact.component, "target": pact.target,
        "hit": pact.hit.as_ref().map(|hit| said_as_data(hit, pact)), "states": pact.automaton.states.len(),
        "depth": pact.depth, "may_be_left": pact.may_be_left, "may_leave": pact.may_leave,
        "places": places.collect::<Vec<_>>(), "moves": moves, "edges": edges,
    })
}

fn interval(interval: &Interval) -> Value {
    json!([interval.low().map(Int::to_string), interval.high().map(Int::to_string)])
}

fn said_as_data(said: &Said, pact: &Pact) -> Value {
    let (label, value) = match &said.label {
        Label::Run => ("run", None),
        Label::Done => ("done", None),
        Label::Ask => ("q", None),
        Label::Value(v) => ("value", Some(v)),
        Label::Read => ("read", None),
        Label::Write(v) => ("write", Some(v)),
        Label::Grab => ("grab", None),
        Label::Release => ("release", None),
        Label::Ok => ("ok", None),
        Label::Abort => ("abort", None),
    };
    json!({
        "place": pact.places[said.component.0 as usize].name, "says": label,
        "value": value.map(interval), "element": said.element.as_ref().map(interval),
    })
}

/// Reads an assumption; nothing if the text is none.
pub fn read(text: &str) -> Option<Pact> {
    let value: Value = serde_json::from_str(text).ok()?;
    if value["kind"] != KIND {
        return None;
    }
    let places: Vec<Place> = value["places"].as_array()?.iter().map(place).collect::<Option<_>>()?;
    let mut letters: Vec<Letter> = Vec::new();
    // However many states there are, each but the first is come to by an edge.
    let edges = value["edges"].as_array()?;
    let count = usize::try_from(value["states"].as_u64()?).ok().filter(|count| *count <= edges.len() + 1)?;
    let mut states = vec![State { accepting: true, edges: Default::default() }; count];
    for edge in edges {
        let [from, o, p, to] = &edge.as_array()?[..] else { return None };
        let said = |name: &Value| said(&value["moves"][name.as_str()?], &places);
        let letter = Letter { o: said(o)?, p: said(p)? };
        let number = letters.iter().position(|known| *known == letter).unwrap_or_else(|| {
            letters.push(letter);
            letters.len() - 1
        });
        let to = u32::try_from(to.as_u64()?).ok().filter(|to| (*to as usize) < count)?;
        states.get_mut(from.as_u64()? as usize)?.edges.insert(number as u32, to);
    }
    Some(Pact {
        component: value["component"].as_str()?.into(),
        target: value["target"].as_str()?.into(),
        hit: match &value["hit"] {
            Value::Null => None,
            hit => Some(said(hit, &places)?),
        },
        places,
        letters,
        automaton: Automaton { states },
        depth: value["depth"].as_u64()? as usize,
        may_be_left: value["may_be_left"].as_bool()?,
        may_leave: value["may_leave"].as_bool()?,
    })
}

fn place(value: &Value) -> Option<Place> {
    let partition = |value: &Value| {
        let list = |value: &Value| value.as_array()?.iter().map(read_interval).collect::<Option<Vec<_>>>();
        Some((list(&value[0])?, list(&value[1])?))
    };
    Some(Place {
        name: value["name"].as_str()?.into(),
        ty: value["type"].as_str()?.into(),
        between: value["between"].as_bool()?,
        given: partition(&value["given"])?,
        said: partition(&value["said"])?,
    })
}

fn read_interval(value: &Value) -> Option<Interval> {
    let end = |value: &Value| match value {
        Value::Null => Some(None),
        Value::String(text) => Int::parse(text).map(Some),
        _ => None,
    };
    Interval::new(end(&value[0])?, end(&value[1])?)
}

fn said(value: &Value, places: &[Place]) -> Option<Said> {
    let name = value["place"].as_str()?;
    let place = places.iter().position(|place| place.name == name)?;
    let number = || read_interval(&value["value"]);
    let label = match value["says"].as_str()? {
        "run" => Label::Run,
        "done" => Label::Done,
        "q" => Label::Ask,
        "value" => Label::Value(number()?),
        "read" => Label::Read,
        "write" => Label::Write(number()?),
        "grab" => Label::Grab,
        "release" => Label::Release,
        "ok" => Label::Ok,
        "abort" => Label::Abort,
        _ => return None,
    };
    let element = match &value["element"] {
        Value::Null => None,
        at => Some(read_interval(at)?),
    };
    Some(Move { component: ComponentId(place as u32), element, label })
}
