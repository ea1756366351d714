//! A model as the page draws it: the whole model, or the neighbourhood of a state of a large one.

use std::collections::{BTreeMap, HashMap, VecDeque};

use agon_base::id::number;

use crate::render::model::Written;
use crate::shape::model::Graph;
use crate::shape::play::Player;

/// The number of states of a neighbourhood.
const NEAR: usize = 150;
/// The longest play to a state of a neighbourhood that is sent.
const LONGEST_PLAY: usize = 1_000;

/// The data of a model of at most `most` states. For a larger one: the neighbourhood of a state, with a shortest play to
/// each of its states.
pub fn drawn(model: &Written, around: Option<u32>, most: usize) -> Graph {
    let whole = model.states() <= most && around.is_none();
    let shown: Vec<u32> = match whole {
        true => (0..number(model.states())).collect(),
        false => near(model, around.filter(|state| (*state as usize) < model.states())),
    };
    let numbers: HashMap<u32, usize> = shown.iter().enumerate().map(|(n, state)| (*state, n)).collect();
    let mut edges = Vec::new();
    let mut hidden = vec![0u32; shown.len()];
    for (n, state) in shown.iter().enumerate() {
        for (player, text, to) in model.moves(*state) {
            match numbers.contains_key(&to) {
                true => edges.push((*state, player, text.to_string(), to)),
                false => hidden[n] += 1,
            }
        }
    }
    let complete = shown.iter().copied().filter(|state| model.is_final(*state)).collect();
    Graph {
        states: model.states(),
        transitions: model.transitions(),
        initial: model.initial(),
        complete,
        edges,
        whole,
        hidden: (!whole).then(|| shown.iter().copied().zip(hidden).collect()),
        plays: (!whole).then(|| plays(model, &shown)),
        shown,
        boxes: None,
    }
}

/// The states nearest to a state, along transitions in both directions; nearest to the initial state, if none is given.
fn near(model: &Written, around: Option<u32>) -> Vec<u32> {
    let back: Option<Vec<Vec<u32>>> = around.map(|_| {
        let mut back = vec![Vec::new(); model.states()];
        for state in 0..number(model.states()) {
            model.moves(state).for_each(|(_, _, to)| back[to as usize].push(state));
        }
        back
    });
    let start = around.unwrap_or(model.initial());
    let mut seen = vec![false; model.states()];
    seen[start as usize] = true;
    let mut shown = vec![start];
    let mut next = 0;
    while next < shown.len() && shown.len() < NEAR {
        let state = shown[next];
        next += 1;
        let forward = model.moves(state).map(|(_, _, to)| to);
        let before = back.iter().flat_map(|back| back[state as usize].iter().copied());
        for state in forward.chain(before).collect::<Vec<_>>() {
            if shown.len() < NEAR && !std::mem::replace(&mut seen[state as usize], true) {
                shown.push(state);
            }
        }
    }
    shown.sort_unstable();
    shown
}

/// A shortest play to each of some states.
fn plays(model: &Written, states: &[u32]) -> BTreeMap<String, Vec<(Player, String)>> {
    // The predecessor of each state in breadth-first order, and the index of the transition from there.
    let mut before: Vec<Option<(u32, usize)>> = vec![None; model.states()];
    let mut waiting = VecDeque::from([model.initial()]);
    while let Some(state) = waiting.pop_front() {
        for (n, (_, _, to)) in model.moves(state).enumerate() {
            if to != model.initial() && before[to as usize].is_none() {
                before[to as usize] = Some((state, n));
                waiting.push_back(to);
            }
        }
    }
    let play = |state: u32| -> Option<Vec<(Player, String)>> {
        let (mut at, mut play) = (state, Vec::new());
        while let Some((from, n)) = before[at as usize] {
            let (player, text, _) = model.moves(from).nth(n)?;
            play.push((player, text.to_string()));
            at = from;
            if play.len() > LONGEST_PLAY {
                return None;
            }
        }
        play.reverse();
        Some(play)
    };
    states.iter().filter_map(|state| Some((state.to_string(), play(*state)?))).collect()
}
