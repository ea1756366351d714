//! Equivalence and approximation: one walk over pairs of positions, which stops at the first difference.
//!
//! Two programs are equivalent when they have the same complete plays. Both are played against the same O. As long
//! as they answer alike they are walked as a pair; where they part, each is followed alone, because a difference
//! only counts once a play is complete that one of them has and the other has not. Breadth first, so a play that
//! tells them apart is a shortest one.

use agon_base::budget::{Budget, Stop};
use agon_base::int::Int;
use agon_base::intern::Interner;
use agon_core::types::Type;
use agon_games::arena::{Arena, ComponentId, OWN};
use agon_games::machine::{Machine, Offer, Reaction, State};
use agon_games::moves::{Move, Player};
use agon_games::play::Play;
use agon_games::values::Exact;

use crate::retell::retell;
use crate::search::{Observer, Progress};

/// One of two programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The first.
    Left,
    /// The second.
    Right,
}

/// What is asked about two programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// Whether they have the same complete plays.
    Equivalence,
    /// Whether the complete plays of the left one are among those of the right one.
    Approximation,
}

/// How a walk ended.
#[derive(Clone, Debug)]
pub enum Ending {
    /// The relation holds.
    Holds,
    /// One side has this complete play, and the other has not.
    Differs(Side, Play),
    /// The environment may answer any integer in this component of the left program.
    Unbounded(ComponentId),
    /// The moves are the same, but jumps out of nested calls make them say too little to conclude anything.
    Ambiguous,
    /// The budget ran out.
    Stopped(Stop),
}

/// Why two programs cannot be compared.
pub fn comparable(left: &Arena, right: &Arena) -> Result<(), String> {
    let own = |arena: &Arena| arena.component(OWN).base.clone();
    let agrees = match (own(left), own(right)) {
        (Type::Exp(_), Type::Exp(_)) => true,
        (Type::Var(a), Type::Var(b)) => a.same_values(&b),
        (a, b) => a == b,
    };
    if !agrees {
        return Err(format!(
            "the first program is of type `{}`, the second of type `{}`",
            own(left),
            own(right)
        ));
    }
    let arguments = |arena: &Arena| arena.component(OWN).arguments.len();
    if arguments(left) != arguments(right) {
        return Err("the programs take different numbers of arguments".into());
    }
    for (_, component) in left.components().skip(1) {
        let Some((_, other)) = right.components().skip(1).find(|(_, other)| other.name == component.name)
        else {
            // An identifier that only one of them mentions is of no consequence; its arguments go with it.
            let root = component.name.split('.').next().unwrap_or("");
            if right.components().skip(1).any(|(_, other)| other.name == root) {
                return Err(format!("`{root}` takes different arguments in the two programs"));
            }
            continue;
        };
        let same = match (&component.base, &other.base) {
            (Type::Exp(a), Type::Exp(b)) | (Type::Var(a), Type::Var(b)) => a.same_values(b),
            (Type::Array(a, n), Type::Array(b, m)) => a.same_values(b) && n == m,
            (a, b) => a == b,
        };
        // What the program guarantees is inferred, whatever is claimed; what it assumes is as it is written.
        let assumed = component.asker == Player::O;
        if assumed && component.bound.unwrap_or(1) != other.bound.unwrap_or(1) {
            return Err(format!("`{}` has different bounds in the two programs", component.name));
        }
        if !same || component.arguments.len() != other.arguments.len() {
            return Err(format!(
                "`{}` is of type `{}` in the first program, of type `{}` in the second",
                component.name, component.base, other.base
            ));
        }
    }
    Ok(())
}

/// A move of one program as the other would make it; nothing where it has no such component.
pub fn translated(m: &Move, from: &Arena, to: &Arena) -> Option<Move> {
    let name = &from.component(m.component).name;
    let (component, _) = to.components().find(|(_, component)| component.name == *name)?;
    Some(Move { component, ..m.clone() })
}

/// Walks both programs.
pub fn compare(
    left: &mut Machine<Exact>,
    right: &mut Machine<Exact>,
    relation: Relation,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> (Ending, Progress) {
    // The components of the right program by those of the left.
    let to_left: Vec<Option<ComponentId>> = right
        .arena()
        .components()
        .map(|(_, component)| {
            left.arena().components().find(|(_, other)| other.name == component.name).map(|(id, _)| id)
        })
        .collect();
    let mut walk = Walk {
        left,
        right,
        to_left,
        budget,
        pairs: Interner::default(),
        steps: Vec::new(),
        transitions: 0,
        unbounded: None,
    };
    let ending = match walk.run(relation, observe) {
        Ok(()) => match walk.unbounded {
            Some(component) => Ending::Unbounded(component),
            None if walk.left.ambiguous() || walk.right.ambiguous() => Ending::Ambiguous,
            None => Ending::Holds,
        },
        Err(Cut::Stop(stop)) => Ending::Stopped(stop),
        Err(Cut::Differs(side, from, step)) => match walk.play(side, from, step) {
            Ok(play) => Ending::Differs(side, play),
            Err(stop) => Ending::Stopped(stop),
        },
    };
    let progress = walk.progress();
    (ending, progress)
}

/// Of infinitely many answers so many are tried, and one more.
const A_FEW: u64 = 16;

/// A pair of positions, or one alone: the other program has left the play.
type Pair = (u64, u64);
const GONE: u64 = u64::MAX;

/// How a pair was reached: from which, by which of O's moves.
#[derive(Clone, Copy)]
struct Step {
    parent: u32,
    offer: u16,
    code: u64,
}

enum Cut {
    Stop(Stop),
    Differs(Side, u32, Step),
}

struct Walk<'a> {
    left: &'a mut Machine<Exact>,
    right: &'a mut Machine<Exact>,
    to_left: Vec<Option<ComponentId>>,
    budget: &'a Budget,
    pairs: Interner<Pair>,
    steps: Vec<Step>,
    transitions: u64,
    unbounded: Option<ComponentId>,
}

impl Walk<'_> {
    fn progress(&self) -> Progress {
        let memory = self.pairs.memory()
            + self.steps.capacity() * size_of::<Step>()
            + self.left.memory()
            + self.right.memory();
        Progress { states: self.pairs.len(), transitions: self.transitions, memory, iteration: 0 }
    }

    fn run(&mut self, relation: Relation, observe: &mut Observer<'_>) -> Result<(), Cut> {
        let start = Step { parent: 0, offer: 0, code: 0 };
        self.reach((self.left.start().0, self.right.start().0), start);
        let mut next = 0;
        while (next as usize) < self.pairs.len() {
            let (a, b) = *self.pairs.get(next);
            let offers_left = (a != GONE).then(|| self.left.offers(State(a)));
            let offers_right = (b != GONE).then(|| self.right.offers(State(b)));
            let count = offers_left.as_ref().or(offers_right.as_ref()).map_or(0, |offers| offers.len());
            for n in 0..count {
                let offer = offers_left.as_ref().or(offers_right.as_ref()).map(|offers| &offers[n]);
                let Some(offer) = offer else { continue };
                let last = offer.last.unwrap_or_else(|| {
                    self.unbounded = Some(offer.component);
                    A_FEW
                });
                for code in 0..=last {
                    self.transitions += 1;
                    if self.transitions.is_multiple_of(1 << 10) {
                        let progress = self.progress();
                        if let Err(limit) = self.budget.check_with(progress.memory) {
                            return Err(Cut::Stop(limit));
                        }
                        if self.transitions.is_multiple_of(1 << 16) {
                            observe(progress.into());
                        }
                    }
                    let on_left = answer(self.left, offers_left.as_deref(), a, n, code, self.budget)?;
                    let on_right = answer(self.right, offers_right.as_deref(), b, n, code, self.budget)?;
                    let step = Step { parent: next, offer: n as u16, code };
                    self.follow(on_left, on_right, relation, next, step)?;
                }
            }
            next += 1;
        }
        Ok(())
    }

    fn follow(
        &mut self,
        left: Option<Reaction<Int>>,
        right: Option<Reaction<Int>>,
        relation: Relation,
        from: u32,
        step: Step,
    ) -> Result<(), Cut> {
        if let (Some(left), Some(right)) = (&left, &right)
            && self.alike(&left.answer, &right.answer)
        {
            if let (Some(a), Some(b)) = (left.next, right.next) {
                self.reach((a.0, b.0), step);
            }
            return Ok(());
        }
        if let Some(reaction) = left {
            match reaction.next {
                None => return Err(Cut::Differs(Side::Left, from, step)),
                Some(a) => self.reach((a.0, GONE), step),
            }
        }
        if let (Some(reaction), Relation::Equivalence) = (right, relation) {
            match reaction.next {
                None => return Err(Cut::Differs(Side::Right, from, step)),
                Some(b) => self.reach((GONE, b.0), step),
            }
        }
        Ok(())
    }

    fn alike(&self, left: &Move, right: &Move) -> bool {
        left.label == right.label
            && left.element == right.element
            && self.to_left[right.component.0 as usize] == Some(left.component)
    }

    fn reach(&mut self, pair: Pair, step: Step) {
        if self.pairs.insert(pair).1 {
            self.steps.push(step);
        }
    }

    /// The play of one side from the start to a pair, and one step beyond.
    fn play(&mut self, side: Side, from: u32, last: Step) -> Result<Play, Stop> {
        let mut path = vec![last];
        let mut id = from;
        while id != 0 {
            let step = self.steps[id as usize];
            path.push(step);
            id = step.parent;
        }
        path.reverse();
        let machine = match side {
            Side::Left => &mut *self.left,
            Side::Right => &mut *self.right,
        };
        let mut play = Play::default();
        let mut state = machine.start();
        for step in path {
            let offers = machine.offers(state);
            let offer = &offers[usize::from(step.offer)];
            let data = offer.parts(machine.domain(), machine.arena(), step.code);
            let Some(reaction) = retell(machine, &mut play, state, offer, data, self.budget)? else {
                break;
            };
            match reaction.next {
                Some(next) => state = next,
                None => break,
            }
        }
        Ok(play)
    }
}

/// P's answer to one of O's moves, if the program is still in the play and answers at all.
fn answer(
    machine: &mut Machine<Exact>,
    offers: Option<&[Offer<Int>]>,
    state: u64,
    n: usize,
    code: u64,
    budget: &Budget,
) -> Result<Option<Reaction<Int>>, Cut> {
    let Some(offers) = offers else { return Ok(None) };
    let mut reactions = Vec::with_capacity(1);
    let played = machine.play(State(state), &offers[n], code, &mut reactions, budget);
    played.map(|()| reactions.pop()).map_err(Cut::Stop)
}
