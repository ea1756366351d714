//! The two premises of the rule [AG, §5.1]: the rest is safe with a part that keeps to the assumption, and the part
//! does keep to it.

use std::collections::{BTreeMap, VecDeque};

use agon_games::contract::{Half, Said};
use agon_games::machine::State;
use agon_learn::automaton::{self, Automaton};
use rustc_hash::FxHashSet;

use super::sides::{LetterId, PartDoes, PositionId, RestDoes, Sides};
use super::teaching::Cut;
use crate::walk::Step;

/// What happens in one of the halves.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// The rest makes a move after O's.
    Rest(State, Step),
    /// The part plays a letter.
    Letter(LetterId),
}

/// What was done, and whether it is sure to be.
#[derive(Clone, Debug)]
pub(super) struct Done {
    pub(super) event: Event,
    pub(super) certain: bool,
}

/// A play of the part: its steps, and the letters that they are.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    pub(super) steps: Vec<(State, Step, bool)>,
    pub(super) word: Vec<LetterId>,
}

/// What an inclusion came to.
pub(super) enum Inclusion {
    /// The part keeps to the assumption.
    Holds,
    /// It plays this, and the assumption does not allow it.
    Fails(Told),
    /// It nests calls deeper than was thought.
    Deeper(usize),
    /// It brings the target about, which was not thought of.
    Hits,
}

/// A search tree whose nodes know where they come from; what is undecided is looked at last, and what takes fewest steps
/// first among what is not.
struct Frontier<T, E> {
    depth_first: bool,
    nodes: Vec<(u32, Option<E>)>,
    waiting: BTreeMap<u64, VecDeque<(u32, T)>>,
}

impl<T, E: Clone> Frontier<T, E> {
    fn new(start: T, depth_first: bool) -> Frontier<T, E> {
        let waiting = BTreeMap::from([(0, VecDeque::from([(0, start)]))]);
        Frontier { depth_first, nodes: vec![(0, None)], waiting }
    }

    fn add(&mut self, from: u32, undecided: u64, thing: T, event: E) {
        let id = self.nodes.len() as u32;
        self.nodes.push((from, Some(event)));
        self.waiting.entry(undecided).or_default().push_back((id, thing));
    }

    fn next(&mut self) -> Option<(u32, u64, T)> {
        while let Some(mut first) = self.waiting.first_entry() {
            let undecided = *first.key();
            let queue = first.get_mut();
            match if self.depth_first { queue.pop_back() } else { queue.pop_front() } {
                Some((id, thing)) => return Some((id, undecided, thing)),
                None => {
                    first.remove();
                }
            }
        }
        None
    }

    fn path(&self, mut id: u32) -> Vec<E> {
        let mut path = Vec::new();
        while let (before, Some(event)) = &self.nodes[id as usize] {
            path.push(event.clone());
            id = *before;
        }
        path.reverse();
        path
    }
}

/// Who is to move in the composition of the rest with an assumption.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Turn {
    /// The environment, to which the rest has spoken.
    Rest,
    /// The part, to which the rest has spoken.
    Part(Said),
    /// The environment, to which the part has spoken.
    Environment,
    /// The target is reached.
    Over,
}

/// The assumption that a part plays one play and nothing else.
pub(super) fn chain(word: &[LetterId]) -> Automaton<LetterId> {
    let states = (0..=word.len()).map(|n| automaton::State {
        accepting: true,
        edges: word.get(n).map(|letter| (*letter, n as u32 + 1)).into_iter().collect(),
    });
    Automaton { states: states.collect() }
}

/// The first premise: a way to the target of the rest with any part that keeps to an assumption, if there is one. It is
/// a shortest one, or one that is found first.
pub(super) fn reaches(
    sides: &mut Sides<'_>,
    assumption: &Automaton<LetterId>,
    depth_first: bool,
) -> Result<Option<Vec<Done>>, Cut> {
    let Some(first) = assumption.start() else { return Ok(None) };
    let start = (sides.rest.machine.start(), first, sides.start(), Turn::Rest);
    let mut visited = FxHashSet::default();
    // What the halves say to each other is hidden: only where the environment is to move is a position of the whole.
    let mut positions = 0;
    let mut frontier: Frontier<_, Done> = Frontier::new(start, depth_first);
    while let Some((id, undecided, item)) = frontier.next() {
        if item.3 == Turn::Over {
            sides.explored(positions);
            return Ok(Some(frontier.path(id)));
        }
        if !visited.insert(item.clone()) {
            continue;
        }
        let (state, q, at, turn) = item;
        positions += usize::from(!matches!(turn, Turn::Part(_)));
        // The rest does something, and the assumption stays as it is.
        let go_on = |sides: &Sides<'_>,
                     frontier: &mut Frontier<_, Done>,
                     from: u32,
                     undecided: u64,
                     q: u32,
                     at: PositionId,
                     mut done: Vec<(Step, bool, RestDoes)>| {
            // Depth first, what comes last is looked at first.
            done.sort_by_key(|(_, _, does)| depth_first == matches!(does, RestDoes::Hits));
            for (step, certain, does) in done {
                let (next, turn) = match does {
                    RestDoes::Hits => (state, Turn::Over),
                    RestDoes::Waits(next) => (next, Turn::Rest),
                    RestDoes::Says(said, next) => (next, Turn::Part(said)),
                };
                let done = Done { event: Event::Rest(state, step), certain };
                let undecided = sides.later(Half::Rest, undecided, certain, &step);
                frontier.add(from, undecided, (next, q, at, turn), done);
            }
        };
        if turn == Turn::Rest {
            for (n, offer, code) in sides.rest_offers(state) {
                let done = sides.rest_does(state, (n, &offer, code))?;
                go_on(sides, &mut frontier, id, undecided, q, at, done);
            }
            continue;
        }
        let following = sides.following(at);
        if let Turn::Part(said) = &turn
            && !following.begins_with(said)
        {
            let said = sides.halves.interface.show_said(said);
            return Err(Cut::Wrong(format!("the rest says `{said}` where nobody may")));
        }
        for (letter, to) in &assumption.states[q as usize].edges {
            let fits = match &turn {
                Turn::Part(said) => sides.letters.get(*letter).o == *said,
                _ => sides.is_environments(*letter),
            };
            if !fits || !following.allows(*letter) {
                continue;
            }
            let played = Done { event: Event::Letter(*letter), certain: true };
            if sides.is_hit(*letter) {
                frontier.add(id, undecided, (state, *to, at, Turn::Over), played);
                continue;
            }
            let after = sides.after(at, *letter);
            let p = sides.letters.get(*letter).p.clone();
            if sides.halves.interface.outside(p.component).is_none() {
                frontier.add(id, undecided, (state, *to, after, Turn::Environment), played);
                continue;
            }
            let Some((n, offer, code)) = sides.to_rest(state, &p) else {
                let said = sides.halves.interface.show_said(&p);
                return Err(Cut::Wrong(format!("the rest is not offered `{said}`")));
            };
            let done = sides.rest_does(state, (n, &offer, code))?;
            // The letter is a node of its own, from which the rest goes on.
            let letter_node = frontier.nodes.len() as u32;
            frontier.nodes.push((id, Some(played)));
            go_on(sides, &mut frontier, letter_node, undecided, *to, after, done);
        }
    }
    sides.explored(positions);
    Ok(None)
}

/// The second premise: whether all plays of the part are allowed by an assumption.
pub(super) fn includes(sides: &mut Sides<'_>, assumption: &Automaton<LetterId>) -> Result<Inclusion, Cut> {
    let Some(first) = assumption.start() else { return Ok(Inclusion::Fails(Told::default())) };
    type Played = (State, Step, bool, LetterId);
    // A part that has left the assumption, by its last letter, is where it was.
    let start = (sides.part.machine.start(), Some(first), sides.start());
    let mut visited = FxHashSet::default();
    let mut frontier: Frontier<_, Played> = Frontier::new(start, false);
    while let Some((id, undecided, item)) = frontier.next() {
        let (state, q, at) = item;
        let Some(q) = q else {
            sides.explored(visited.len());
            let path = frontier.path(id);
            let word = path.iter().map(|(.., letter)| *letter).collect();
            let steps = path.into_iter().map(|(state, step, certain, _)| (state, step, certain));
            return Ok(Inclusion::Fails(Told { steps: steps.collect(), word }));
        };
        if !visited.insert(item) {
            continue;
        }
        let following = sides.following(at);
        for (from, n, offer, code) in sides.part_offers(state) {
            for (step, certain, does) in sides.part_does(from, (n, &offer, code))? {
                let PartDoes { letter, next } = does;
                if !following.allows(letter) {
                    if sides.is_hit(letter) && !sides.hits {
                        return Ok(Inclusion::Hits);
                    }
                    let nested = sides.nested_after(at, letter);
                    if nested > sides.depth {
                        return Ok(Inclusion::Deeper(nested));
                    }
                    let letter = sides.halves.interface.show(sides.letters.get(letter));
                    return Err(Cut::Wrong(format!("the part plays `{letter}` where nobody may")));
                }
                let to = assumption.step(q, &letter);
                let next = if sides.is_hit(letter) && to.is_some() { continue } else { next };
                let after = sides.after(at, letter);
                let played = (from, step, certain, letter);
                let undecided = sides.later(Half::Part, undecided, certain, &step);
                frontier.add(id, undecided, (next, to, after), played);
            }
        }
    }
    sides.explored(visited.len());
    Ok(Inclusion::Holds)
}
