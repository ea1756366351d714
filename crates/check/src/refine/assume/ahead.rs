//! Membership: whether the rest is safe with a part that plays one play and nothing else [AG, §5.2].
//!
//! For each word that was asked about it is remembered where the rest may be after it, so that longer words are
//! answered from there.

use std::collections::BTreeMap;
use std::rc::Rc;

use agon_games::contract::Said;
use agon_games::machine::State;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Stop;
use super::sides::{LetterId, RestDoes, Sides};

/// Where the rest may be after a word.
#[derive(Default)]
pub(super) struct Ahead {
    /// Whether it may have come to the target on the way.
    pub(super) reaches: bool,
    /// Where it waits for the part, by what it has said to it.
    pub(super) said: BTreeMap<Said, Rc<[State]>>,
    /// Where it waits for the part, which waits for the environment.
    pub(super) waits: Option<Rc<[State]>>,
    /// How many positions in which the environment is to move were visited on the way.
    visited: usize,
}

/// What was found out about words: a tree of their beginnings.
#[derive(Default)]
pub(super) struct Words {
    /// The empty word comes first.
    known: Vec<Rc<Ahead>>,
    longer: FxHashMap<(u32, LetterId), u32>,
}

impl Words {
    pub(super) fn forget(&mut self) {
        self.known.clear();
        self.longer.clear();
    }

    /// Where the rest may be before anything was said.
    pub(super) fn start(&mut self, sides: &mut Sides<'_>) -> Result<Rc<Ahead>, Stop> {
        if self.known.is_empty() {
            let start = sides.rest.machine.start();
            let ahead = closure(sides, vec![start], Vec::new())?;
            self.known.push(Rc::new(ahead));
        }
        Ok(self.known[0].clone())
    }

    /// Where the rest may be after a word.
    pub(super) fn after(&mut self, sides: &mut Sides<'_>, word: &[LetterId]) -> Result<Rc<Ahead>, Stop> {
        let mut ahead = self.start(sides)?;
        let mut at = 0;
        for letter in word {
            at = match self.longer.get(&(at, *letter)) {
                Some(known) => *known,
                None => {
                    let next = step(sides, &ahead, *letter)?;
                    self.known.push(Rc::new(next));
                    let next = self.known.len() as u32 - 1;
                    self.longer.insert((at, *letter), next);
                    next
                }
            };
            ahead = self.known[at as usize].clone();
        }
        sides.explored(ahead.visited);
        Ok(ahead)
    }
}

/// Where the rest may be one letter later.
pub(super) fn step(sides: &mut Sides<'_>, before: &Ahead, letter: LetterId) -> Result<Ahead, Stop> {
    if before.reaches {
        return Ok(Ahead { reaches: true, visited: before.visited, ..Ahead::default() });
    }
    let said = sides.letters.get(letter).clone();
    let states = match sides.is_environments(letter) {
        true => before.waits.clone(),
        false => before.said.get(&said.o).cloned(),
    };
    let Some(states) = states else { return Ok(Ahead { visited: before.visited, ..Ahead::default() }) };
    if sides.is_hit(letter) {
        return Ok(Ahead { reaches: true, visited: before.visited, ..Ahead::default() });
    }
    if sides.halves.interface.outside(said.p.component).is_none() {
        return Ok(Ahead { waits: Some(states), visited: before.visited, ..Ahead::default() });
    }
    let mut does = Vec::new();
    for state in states.iter() {
        if let Some((n, offer, code)) = sides.to_rest(*state, &said.p) {
            does.extend(sides.rest_does(*state, (n, &offer, code))?.into_iter().map(|(_, _, does)| does));
        }
    }
    let mut ahead = closure(sides, Vec::new(), does)?;
    ahead.visited += before.visited;
    Ok(ahead)
}

/// All that the rest may come to with nothing but moves of the environment.
fn closure(sides: &mut Sides<'_>, mut waiting: Vec<State>, mut does: Vec<RestDoes>) -> Result<Ahead, Stop> {
    let mut visited: FxHashSet<State> = waiting.iter().copied().collect();
    let mut said: BTreeMap<Said, Vec<State>> = BTreeMap::new();
    let mut reaches = false;
    let mut positions = 0;
    loop {
        for does in does.drain(..) {
            match does {
                RestDoes::Hits => reaches = true,
                RestDoes::Waits(next) => {
                    if visited.insert(next) {
                        waiting.push(next);
                    }
                }
                RestDoes::Says(what, next) => said.entry(what).or_default().push(next),
            }
        }
        let Some(state) = waiting.pop().filter(|_| !reaches) else { break };
        positions += 1;
        for (n, offer, code) in sides.rest_offers(state) {
            does.extend(sides.rest_does(state, (n, &offer, code))?.into_iter().map(|(_, _, does)| does));
        }
    }
    let said = said.into_iter().map(|(what, mut states)| {
        states.sort_unstable();
        states.dedup();
        (what, states.into())
    });
    Ok(Ahead { reaches, said: said.collect(), waits: None, visited: positions })
}
