//! The two premises of the rule [AG, §5.1]: the rest is safe with a part that keeps to the assumption, and the part
//! does keep to it.

use agon_base::explore::{Exploration, NodeId, Order};
use agon_base::id::number;
use agon_games::contract::{Half, Said};
use agon_games::strategy::Step;
use agon_learn::automaton::{self, Automaton};

use super::composition::{Composition, LetterId, PositionId, RestStep};
use crate::verdict::Reason;
use crate::walk::StepRef;

/// Who moves on a path through the rest and an assumption.
#[derive(Clone, Debug)]
pub(super) enum Mover {
    /// The rest makes this step.
    Rest(StepRef),
    /// A part that keeps to the assumption plays a letter.
    Part(LetterId),
}

/// A play of the part: its steps, and the letters that they are.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    pub(super) steps: Vec<StepRef>,
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

/// Who is to move in the composition of the rest with an assumption.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Turn {
    /// The environment, to which the rest has spoken.
    Rest,
    /// The part, to which the rest has spoken.
    Part(Said),
    /// The environment, to which the part has spoken.
    Environment,
}

/// The assumption that a part plays one play and nothing else.
pub(super) fn chain(word: &[LetterId]) -> Automaton<LetterId> {
    let states = (0..=word.len()).map(|n| automaton::State {
        accepting: true,
        edges: word.get(n).map(|letter| (*letter, number(n) + 1)).into_iter().collect(),
    });
    Automaton { states: states.collect() }
}

/// The first premise: a path to the target of the rest with any part that keeps to an assumption, if there is one. It is
/// a shortest one, or one that is found first.
pub(super) fn reaches(
    composition: &mut Composition<'_>,
    assumption: &Automaton<LetterId>,
    depth_first: bool,
) -> Result<Option<Vec<Mover>>, Reason> {
    let Some(first) = assumption.start() else { return Ok(None) };
    let start = (composition.rest.machine.start(), first, composition.start(), Turn::Rest);
    // What the halves say to each other is hidden: only where the environment is to move is a position of the whole.
    let mut positions = 0;
    let order = if depth_first { Order::Stack } else { Order::Queue };
    let mut exploration: Exploration<_, Mover> = Exploration::new(start, order);
    let path = exploration.run(|exploration, (state, q, at, turn)| {
        let (node, cost) = (exploration.node(), exploration.cost());
        positions += usize::from(!matches!(turn, Turn::Part(_)));
        // The rest does something, and the assumption stays as it is.
        let go_on = |composition: &Composition<'_>,
                     exploration: &mut Exploration<_, Mover>,
                     from: NodeId,
                     q: u32,
                     at: PositionId,
                     mut steps: Vec<RestStep>| {
            // Of a stack, what comes last is looked at first.
            steps.sort_by_key(|step| depth_first == step.is_complete());
            for Step { label, next, how, .. } in steps {
                let next = next.map(|next| (next, q, at, label.map_or(Turn::Rest, Turn::Part)));
                exploration.add(from, composition.later(Half::Rest, cost, &how), Mover::Rest(how), next);
            }
        };
        if turn == Turn::Rest {
            for (n, offer, code) in composition.rest_offers(state) {
                let steps = composition.rest_steps(state, (n, &offer, code))?;
                go_on(composition, exploration, node, q, at, steps);
            }
            return Ok(());
        }
        let following = composition.following(at);
        if let Turn::Part(said) = &turn
            && !following.begins_with(said)
        {
            let said = composition.halves.interface.show_said(said);
            return Err(Reason::Unverified(format!("the rest says `{said}` where nobody may")));
        }
        for (letter, to) in &assumption.states[q as usize].edges {
            let fits = match &turn {
                Turn::Part(said) => composition.letters.get(*letter).o == *said,
                _ => composition.is_environments(*letter),
            };
            if !fits || !following.allows(*letter) {
                continue;
            }
            let played = Mover::Part(*letter);
            if composition.is_hit(*letter) {
                exploration.add(node, cost, played, None);
                continue;
            }
            let after = composition.after(at, *letter);
            let p = composition.letters.get(*letter).p.clone();
            if composition.halves.interface.outside(p.component).is_none() {
                exploration.add(node, cost, played, Some((state, *to, after, Turn::Environment)));
                continue;
            }
            let Some((n, offer, code)) = composition.to_rest(state, &p) else {
                let said = composition.halves.interface.show_said(&p);
                return Err(Reason::Unverified(format!("the rest is not offered `{said}`")));
            };
            let steps = composition.rest_steps(state, (n, &offer, code))?;
            let behind = exploration.pass(played);
            go_on(composition, exploration, behind, *to, after, steps);
        }
        Ok(())
    })?;
    composition.explored(positions);
    Ok(path)
}

/// The second premise: whether all plays of the part are allowed by an assumption.
pub(super) fn includes(
    composition: &mut Composition<'_>,
    assumption: &Automaton<LetterId>,
) -> Result<Inclusion, Reason> {
    let Some(first) = assumption.start() else { return Ok(Inclusion::Fails(Told::default())) };
    // A part that leaves the assumption is at the goal.
    let start = (composition.part.machine.start(), first, composition.start());
    let mut exploration: Exploration<_, (StepRef, LetterId)> = Exploration::new(start, Order::Queue);
    let path = exploration.run(|exploration, (state, q, at)| {
        let (node, cost) = (exploration.node(), exploration.cost());
        let following = composition.following(at);
        for (from, n, offer, code) in composition.part_offers(state) {
            for Step { label: letter, next, how, .. } in
                composition.part_steps(from, (n, &offer, code)).map_err(Err)?
            {
                if !following.allows(letter) {
                    if composition.is_hit(letter) && !composition.hits {
                        return Err(Ok(Inclusion::Hits));
                    }
                    let nested = composition.nested_after(at, letter);
                    if nested > composition.depth {
                        return Err(Ok(Inclusion::Deeper(nested)));
                    }
                    let letter = composition.halves.interface.show(composition.letters.get(letter));
                    return Err(Err(Reason::Unverified(format!(
                        "the part plays `{letter}` where nobody may"
                    ))));
                }
                let to = assumption.step(q, &letter);
                if composition.is_hit(letter) && to.is_some() {
                    continue;
                }
                let after = composition.after(at, letter);
                let cost = composition.later(Half::Part, cost, &how);
                exploration.add(node, cost, (how, letter), next.zip(to).map(|(next, to)| (next, to, after)));
            }
        }
        Ok(())
    });
    match path {
        Err(early) => early,
        Ok(path) => {
            composition.explored(exploration.visited());
            let Some(path) = path else { return Ok(Inclusion::Holds) };
            let (steps, word) = path.into_iter().unzip();
            Ok(Inclusion::Fails(Told { steps, word }))
        }
    }
}
