//! Membership: whether the rest is safe with a part that plays one play and nothing else [AG, §5.2].
//!
//! Where the rest may be after a play is all that matters for what comes later. So these sets are kept, with where each
//! letter leads from them: a play is gone through one letter after the other.

use std::collections::BTreeMap;
use std::rc::Rc;

use agon_base::intern::Interner;
use agon_games::contract::Said;
use agon_games::machine::State;
use rustc_hash::{FxHashMap, FxHashSet};

use super::composition::{Composition, LetterId, RestStep};
use crate::verdict::Reason;

agon_base::id! {
    /// What is known after a play.
    pub(super) PossibleId;
}

/// Where the rest may be after a play.
#[derive(PartialEq, Eq, Hash, Default)]
struct PossibleStates {
    /// Whether it may have come to the target on the way; nothing else matters then.
    reaches: bool,
    /// Where it waits for the part, by what it has said to it.
    said: BTreeMap<Said, Rc<[State]>>,
    /// Where it waits for the part, which waits for the environment.
    waits: Option<Rc<[State]>>,
}

impl PossibleStates {
    fn reaching() -> PossibleStates {
        PossibleStates { reaches: true, ..PossibleStates::default() }
    }

    fn memory(&self) -> usize {
        let states = self.said.values().chain(&self.waits).map(|states| size_of_val(&**states));
        states.sum::<usize>() + self.said.len() * size_of::<(Said, Rc<[State]>)>()
    }
}

/// Where something leads, and how many positions in which the environment is to move were visited on the way.
type Visited = (PossibleId, usize);

/// What was found out about plays.
#[derive(Default)]
pub(super) struct Words {
    known: Interner<PossibleStates, PossibleId>,
    start: Option<Visited>,
    longer: FxHashMap<(PossibleId, LetterId), Visited>,
    /// The bytes of the sets.
    sets: usize,
}

impl Words {
    pub(super) fn forget(&mut self) {
        *self = Words::default();
    }

    /// The memory that the tables take, in bytes.
    pub(super) fn memory(&self) -> usize {
        let edge = size_of::<((PossibleId, LetterId), Visited)>() + 1;
        self.known.memory() + self.sets + self.longer.capacity() * edge
    }

    fn intern(&mut self, (possible, positions): (PossibleStates, usize)) -> Visited {
        let memory = possible.memory();
        let (id, is_new) = self.known.insert(possible);
        self.sets += if is_new { memory } else { 0 };
        (id, positions)
    }

    /// Whether the rest may have come to the target.
    pub(super) fn reaches(&self, at: PossibleId) -> bool {
        self.known.get(at).reaches
    }

    /// Where the rest may be before anything was said.
    pub(super) fn start(&mut self, composition: &mut Composition<'_>) -> Result<Visited, Reason> {
        if let Some(start) = self.start {
            return Ok(start);
        }
        let start = composition.rest.machine.start();
        let possible = closure(composition, vec![start], Vec::new())?;
        let start = self.intern(possible);
        self.start = Some(start);
        Ok(start)
    }

    /// Where the rest may be one letter later.
    pub(super) fn next(
        &mut self,
        composition: &mut Composition<'_>,
        at: PossibleId,
        letter: LetterId,
    ) -> Result<Visited, Reason> {
        if let Some(known) = self.longer.get(&(at, letter)) {
            return Ok(*known);
        }
        let next = step(composition, self.known.get(at), letter)?;
        let next = self.intern(next);
        self.longer.insert((at, letter), next);
        Ok(next)
    }

    /// Whether the rest is safe with a part that plays this and nothing else.
    pub(super) fn is_safe(
        &mut self,
        composition: &mut Composition<'_>,
        word: &[LetterId],
    ) -> Result<bool, Reason> {
        let (mut at, mut visited) = self.start(composition)?;
        for letter in word {
            if self.reaches(at) {
                break;
            }
            let (next, positions) = self.next(composition, at, *letter)?;
            at = next;
            visited += positions;
        }
        composition.explored(visited);
        Ok(!self.reaches(at))
    }
}

fn step(
    composition: &mut Composition<'_>,
    before: &PossibleStates,
    letter: LetterId,
) -> Result<(PossibleStates, usize), Reason> {
    if before.reaches {
        return Ok((PossibleStates::reaching(), 0));
    }
    let said = composition.letters.get(letter).clone();
    let states = match composition.is_environments(letter) {
        true => before.waits.clone(),
        false => before.said.get(&said.o).cloned(),
    };
    let Some(states) = states else { return Ok((PossibleStates::default(), 0)) };
    if composition.is_hit(letter) {
        return Ok((PossibleStates::reaching(), 0));
    }
    if composition.halves.interface.outside(said.p.component).is_none() {
        return Ok((PossibleStates { waits: Some(states), ..PossibleStates::default() }, 0));
    }
    let mut steps = Vec::new();
    for state in states.iter() {
        if let Some((n, offer, code)) = composition.to_rest(*state, &said.p) {
            steps.extend(composition.rest_steps(*state, (n, &offer, code))?);
        }
    }
    closure(composition, Vec::new(), steps)
}

/// All that the rest may come to with nothing but moves of the environment.
fn closure(
    composition: &mut Composition<'_>,
    mut waiting: Vec<State>,
    mut steps: Vec<RestStep>,
) -> Result<(PossibleStates, usize), Reason> {
    let mut visited: FxHashSet<State> = waiting.iter().copied().collect();
    let mut said: BTreeMap<Said, Vec<State>> = BTreeMap::new();
    let mut reaches = false;
    let mut positions = 0;
    loop {
        for step in steps.drain(..) {
            match (step.next, step.label) {
                (None, _) => reaches = true,
                (Some(next), Some(what)) => said.entry(what).or_default().push(next),
                (Some(next), None) if visited.insert(next) => waiting.push(next),
                (Some(_), None) => {}
            }
        }
        let Some(state) = waiting.pop().filter(|_| !reaches) else { break };
        positions += 1;
        for (n, offer, code) in composition.rest_offers(state) {
            steps.extend(composition.rest_steps(state, (n, &offer, code))?);
        }
    }
    if reaches {
        return Ok((PossibleStates::reaching(), positions));
    }
    let said = said.into_iter().map(|(what, mut states)| {
        states.sort_unstable();
        states.dedup();
        (what, states.into())
    });
    Ok((PossibleStates { reaches, said: said.collect(), waits: None }, positions))
}
